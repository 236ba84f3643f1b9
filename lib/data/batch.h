/* batch.h - the rows of one chunk of text, or of one group of typed rows, column by column. Private
 * to data/.
 *
 * A batch is what makes reading parallel: one task parses one chunk into one batch, and batches are
 * joined to the sink in the order of the file (sink.h). The part of a field in a batch is a *batch
 * column*. While tasks parse, the dictionaries of the schema do not change. A value that a
 * dictionary lacks gets a code of the batch's own (HEFT_CODE_FRESH), which the join translates. So
 * the result depends neither on where chunks are cut nor on the number of threads.
 *
 * Most nominal cells repeat a value that was met a moment ago. A small table of recent values per
 * column, the *memos*, turns their text into a code without a look into the dictionary.
 *
 * A batch keeps its memory and is used again for later chunks. */
#pragma once

#include "data/builder.h"

enum { HEFT_CELLS_SKIP, HEFT_CELLS_NUMBER, HEFT_CELLS_NOMINAL, HEFT_CELLS_WEIGHT };

/* A recent value and its code: the shortest way from a short text to a code. */
typedef struct heft_memo {
    uint64_t word; /* heft_memo_word */
    uint32_t length;
    uint32_t code;
} heft_memo;

typedef struct heft_memo_table {
    heft_memo *memo;
    unsigned   shift; /* takes a hash of 64 bits to the number of a memo */
} heft_memo_table;

/* The text, its last byte in the highest place; of more than 8 bytes the first 7, and 0 there. No
 * text holds a NUL: words of up to 8 bytes are equal where their texts are. Reads 8 bytes. */
static inline uint64_t heft_memo_word(const char *text, size_t length)
{
    return length <= 8 ? heft_load8(text) << ((64 - 8 * length) & 63) : heft_load8(text) << 8 >> 8;
}

static inline heft_memo *heft_memo_at(heft_memo_table table, uint64_t word)
{
    return &table.memo[(word * 0x9e3779b97f4a7c15u) >> table.shift];
}

/* Values of a nominal field that its dictionary did not have when the batch began. */
typedef struct heft_fresh {
    heft_dict *dict;
    size_t    *line; /* by code: the line where the value was found first */
    size_t     capacity;
} heft_fresh;

/* The cells of one field: `number` or `code`; an attribute of sparse rows has neither. */
typedef struct heft_batch_column {
    unsigned char     what; /* HEFT_CELLS_SKIP, ... */
    bool              kept;
    unsigned char     width; /* bytes per cell: 8 for numbers, 4 for codes, 0 without cells */
    bool              refuted;
    double           *number;
    uint32_t         *code;
    heft_memo_table   memo;  /* nominal */
    heft_field       *field; /* read only, until the join */
    heft_sink_column *to;    /* where the join puts the cells */
    heft_fresh       *fresh;
    size_t            n_missing; /* missing numbers; missing codes are counted by the join */
    size_t            huge_line, odd_line, n_odd;
    char             *huge, *odd; /* texts of these cells on the heap, or NULL */
} heft_batch_column;

#define HEFT_CODE_MISSING UINT32_MAX
#define HEFT_CODE_FRESH   ((uint32_t)1 << 31)

/* The memory of the cells of all columns. */
typedef struct heft_cell_block {
    char  *block;
    size_t capacity, row_bytes;
} heft_cell_block;

/* The memos of all columns. */
typedef struct heft_memo_block {
    heft_memo *memo;
    size_t     n;
} heft_memo_block;

/* CSV and LIBSVM: places of delimiters and line ends in the text. */
typedef struct heft_mark_list {
    uint32_t *place;
    size_t    capacity;
} heft_mark_list;

typedef struct heft_batch {
    const heft_builder *builder;
    heft_chunk          chunk; /* the text to parse */
    size_t              n_rows, capacity;
    size_t              line;            /* line of row n_rows, which is being filled */
    size_t              number;          /* number of the chunk in a run of chunks */
    size_t              first_row;       /* number of its first row in the sink, set by the join */
    double              done;            /* fraction of the file up to its chunk; 0: unknown */
    size_t              latin_line;      /* the first line that is not UTF-8; 0: none */
    heft_batch_column  *columns;         /* one per field */
    heft_batch_column  *target, *weight; /* two of them, or NULL */
    heft_cell_block     cells;
    heft_memo_block     memos;
    heft_mark_list      marks;
    heft_arena          arena;
    heft_kept_rows      kept;
    double             *row_weight;     /* weights that rows carry themselves, else NULL */
    heft_entries        entries;        /* sparse rows; a fresh code is stored as -1 - code */
    size_t              highest_column; /* LIBSVM: the highest one in these rows */
} heft_batch;

/* An empty batch with space for so many rows and entries of sparse rows. */
heft_status heft_batch_begin(heft_ctx *ctx, heft_batch *batch, const heft_builder *builder,
                             size_t rows, size_t entries);
/* Puts the numbers of an empty batch where the join would put them, which saves a copy. It must be
 * the only batch that is being filled. */
heft_status heft_batch_in_place(heft_ctx *ctx, heft_batch *batch);
/* Sets the weight of the row that is being filled. */
heft_status heft_batch_weight(heft_ctx *ctx, heft_batch *batch, double weight);
/* Empties the memos, after codes have changed. */
void heft_batch_forget(heft_batch *batch);
/* Adds `by` to all line numbers that the batch has noted. */
void heft_batch_move_lines(heft_batch *batch, size_t by);
/* Adds a cell to the kept text of the row that is being filled. */
void heft_batch_keep(heft_batch *batch, const char *text, size_t length);
void heft_batch_clear(heft_batch *batch);

/* The number or code of a cell. HEFT_CODE_MISSING and NaN stand for missing; what does not fit the
 * field is an error with line and column name. */
heft_status heft_batch_number(heft_ctx *ctx, heft_batch *batch, heft_batch_column *column,
                              const heft_text_cell *cell, double *out);
heft_status heft_batch_code(heft_ctx *ctx, heft_batch *batch, heft_batch_column *column,
                            const heft_text_cell *cell, uint32_t *out);
/* Put the number or code of a cell into the row that is filled. Reads 8 bytes of the text. */
heft_status heft_batch_put(heft_ctx *ctx, heft_batch *batch, heft_batch_column *column,
                           const heft_text_cell *cell);

/* Fails with "name:line: ...", the line being that of the row that is filled. */
#define heft_row_fail(ctx, batch, ...)                                                             \
    heft_fail_at((ctx), HEFT_EFORMAT, (batch)->builder->schema.name, (batch)->line, __VA_ARGS__)

/* ---- cells in the hot loops ---- */

/* Whether this cell was met lately, and its code then. Reads 8 bytes. */
static inline bool heft_memo_find(heft_memo_table table, const char *text, size_t length,
                                  uint32_t *code)
{
    if (length - 1 >= 8) return false;
    const uint64_t   word = heft_memo_word(text, length);
    const heft_memo *memo = heft_memo_at(table, word);
    *code = memo->code;
    return memo->word == word;
}

/* A plain number from p on, [-]digits[.digits] with `mark` as the point, that a double holds
 * exactly, when it ends at `delimiter` or the end of the line: returns the place behind it, or NULL
 * where the caller has to look closer. */
static inline const char *heft_quick_number(const char *p, char delimiter, char mark, double *out)
{
    const bool  negative = *p == '-';
    const char *s = p += negative;
    uint64_t    m = 0;
    unsigned    d;
    while ((d = (unsigned)*p - '0') <= 9) m = m * 10 + d, p++;
    size_t n = (size_t)(p - s), after = 0;
    if (*p == mark) {
        s = ++p;
        while ((d = (unsigned)*p - '0') <= 9) m = m * 10 + d, p++;
        after = (size_t)(p - s);
        n += after;
    }
    if (*p != delimiter && *p != '\n' && !(*p == '\r' && p[1] == '\n')) return NULL;
    if (FLT_EVAL_METHOD != 0 || n - 1 >= 19 || m > (uint64_t)1 << 53) return NULL;
    const double x = (double)(int64_t)m / heft_powers_of_ten[after];
    *out = negative ? -x : x;
    return p;
}
