/* builder.h - from the cells of files to a table. Private to data/.
 *
 * Words. A *field* is a column of the file. A *batch* holds the rows of one chunk of text, or one
 * group of typed rows, column by column: the part of a field in a batch is a *batch column*. A
 * *wave* is a number of batches, after which values that they brought become known to all, and a
 * block may be handed out. A *pass* is one reading of all files.
 *
 * How rows get in. The format adds the fields and calls heft_builder_assign, which gives each its
 * role and kind. Then text is scanned (heft_builder_scan), or typed rows are handed over
 * (heft_builder_put); both fill batches, and batches are joined in the order of the file.
 *
 * What may be relied on:
 * - Tasks fill batches while others are joined. They read of the builder what a join does not
 *   change: names, roles, kinds, dictionaries. A value that the field's dictionary lacks gets a
 *   code of the batch's own (HEFT_CODE_FRESH), which the join translates; it waits in `later` for
 *   the end of the wave. So the result does not depend on where chunks are cut or on the threads.
 * - The join changes a field from one task only; several fields may be joined at once.
 * - Between waves every field has n_rows cells, all codes are the field's own, and `width` suffices
 *   for its dictionary. A missing code has all bits set until heft_builder_finish.
 * - A kind that somebody asked for (`why`) never changes, and a cell that does not fit is an error.
 *   A guessed number column may be refuted by a cell: the pass goes on, to find errors, but keeps
 *   no rows (`discard`); then the field becomes nominal and a further pass begins. Nominal columns
 *   never become numeric, so there are at most as many passes as columns, in practice two.
 * - The builder owns fields, names, dictionaries and cells, and a batch its columns with their
 *   cells. heft_builder_finish moves names and cells into the table and shares the dictionaries. */
#pragma once

#include "base/decimal.h"
#include "base/rows.h"
#include "data/input.h"
#include "data/read.h"

/* ---- fields ---- */

typedef enum heft_role {
    HEFT_ROLE_ATTRIBUTE,
    HEFT_ROLE_TARGET,
    HEFT_ROLE_WEIGHT,
    HEFT_ROLE_DROPPED
} heft_role;

extern const char heft_why_nominal[]; /* heft_field.why of a column that --nominal names */

typedef struct heft_field {
    char       *name;
    heft_role   role;
    heft_kind   kind;
    const char *why;      /* who asked for this kind; NULL: a guess, which a cell may refute */
    const char *type;     /* ARFF: as declared, part of a sentence; `why` points to it at first */
    bool        declared; /* nominal, values listed in the file: their order is kept          */
    bool        refuted;  /* guessed to be numbers, but a cell is not one                     */
    bool        idle;     /* an attribute that nobody asks for: its cells are skipped         */
    bool        kept;     /* the text of its cells is kept, whatever its role is              */
    bool        settled;  /* nominal: the dictionary is that of the whole file, in its order  */
    uint32_t    place;    /* among the attributes                                             */
    heft_dict  *dict;     /* nominal: the values so far                                       */
    heft_dict  *later;    /* nominal: values behind these, not yet among them; or NULL        */
    unsigned    width;    /* bytes per cell                                                   */
    void       *cells;    /* NULL: none yet, or an attribute of sparse rows                   */
    size_t      capacity; /* cells that fit                                                   */
    size_t      n_missing;
    size_t      n_missing_before; /* in blocks handed out                                     */
    size_t      odd_line; /* nominal: line of the first value that is not a number; 0: none   */
    uint32_t    odd_code;
    size_t      huge_line; /* number: line of the first one that no double holds; 0: none     */
    char        huge[48];  /* its text, shown                                                 */
    size_t     *count;     /* surveyed, nominal: cells by code                                */
    size_t      count_capacity;
    size_t      n_odd;   /* cells that are not numbers: surveyed, nominal; or for a model, number */
    bool        lenient; /* number, for a model: a cell that is none counts as missing       */
    char        odd[48]; /* lenient: the text of the first such cell, shown; see odd_line    */
} heft_field;

/* The files of one table: one, or several with the same columns. This rank reads files lo..hi-1; a
 * single file is shared by all ranks. */
typedef struct heft_files {
    const char *const *path;
    size_t             n, lo, hi;
    bool               shared; /* every rank reads a part of the only one */
} heft_files;

/* Rows are gathered into one table, or handed to a sink block by block. Before the blocks a survey
 * may have to find the kinds and values of all columns. It keeps rows while they are few; beyond
 * that it becomes light: each wave is counted and its rows are forgotten. */
typedef enum heft_phase { HEFT_GATHER, HEFT_SURVEY, HEFT_SURVEY_LIGHT, HEFT_BLOCKS } heft_phase;

typedef struct heft_builder {
    const char        *name; /* of the file, for messages */
    heft_files         files;
    const heft_source *how;
    const heft_expect *expect;       /* or NULL */
    const void        *layout;       /* what the format knows of the file; in the arena */
    bool               quotes_count; /* a quoted text of a nominal column is a value, always */
    bool             only_question;  /* ARFF: no other mark is usual, and quotes count everywhere */
    size_t           n_index;        /* fields before the first one with a name: row labels */
    bool             may_be_empty;   /* no rows are a table too */
    bool             sparse;
    bool             sorted;  /* the values of the first rows are */
    bool             discard; /* a kind was refuted: rows are still checked, not kept */
    heft_field      *fields;
    size_t           n_fields, field_capacity;
    heft_arena       arena;
    char           **marks; /* missing marks besides the usual */
    size_t           n_marks;
    bool             marks_are_numbers;  /* a number may be a missing mark */
    size_t           n_rows, n_expected; /* so far, and an estimate of all; 0: unknown */
    bool             keeps;              /* some field is kept */
    heft_buf         kept;               /* as heft_kept has them */
    size_t          *kept_end, kept_capacity;
    double          *row_weight; /* of rows that carry their own, else NULL */
    size_t           weight_capacity;
    heft_sparse      rows; /* sparse */
    size_t           n_entries, start_capacity, entry_capacity;
    double           share;     /* of the text that is read, 0 where unknown */
    size_t           n_columns; /* LIBSVM: the highest column seen */
    size_t           n_listed;  /* entries of all sparse rows read so far */
    size_t           max_columns, max_classes;
    heft_phase       phase;
    const heft_sink *sink;       /* NULL: gather */
    const char      *path;       /* of the data, for the name of a block's table */
    const char      *drop;       /* LIBSVM: columns to drop from a finished table; NULL: none */
    size_t           latin_line; /* the first line that is not UTF-8; 0: none */
    bool             weighted;   /* some row carries its own weight */
    size_t          *missing;    /* surveyed, sparse: missing cells by column */
    size_t           missing_capacity;
    size_t           n_handed; /* rows in blocks handed out, or counted by a light survey */
} heft_builder;

heft_status heft_builder_init(heft_ctx *ctx, heft_builder *b, const char *name,
                              const heft_source *how, const heft_expect *expect);
/* One more field; an empty name becomes c<its number>. */
heft_status heft_builder_add(heft_ctx *ctx, heft_builder *b, const char *name, size_t length);
/* "3", "-1" (the last) or "29-34": columns *lo..*hi of n, 0-based. False: it is none of these. */
bool heft_column_range(const char *text, size_t n, size_t *lo, size_t *hi);
/* Roles and kinds by heft_source and heft_expect. Other kinds stay as they were. */
heft_status heft_builder_assign(heft_ctx *ctx, heft_builder *b);
/* After a pass: whether another one is needed, for which the builder is made ready then: because a
 * kind was refuted, or because only the survey is done. */
heft_status heft_builder_again(heft_ctx *ctx, heft_builder *b, bool *again);
/* The rows so far as a table; in a light survey one without rows. */
heft_status heft_builder_finish(heft_ctx *ctx, heft_builder *b, heft_table **out);
void        heft_builder_clear(heft_builder *b);

/* The decimal mark of numbers. */
static inline char heft_decimal_mark(const heft_builder *b)
{
    return b->how->decimal_mark ? b->how->decimal_mark : '.';
}

/* Shared by builder.c, stream.c and build_table.c. */
/* The code of a missing cell while codes may still grow wider. */
static inline uint32_t heft_building_none(unsigned width)
{
    return width == 1 ? 0xff : width == 2 ? 0xffff : UINT32_MAX;
}
/* A number with the decimal mark of the file. */
heft_number heft_read_number(const heft_builder *b, const char *text, size_t length, double *out);
bool        heft_is_number(const heft_builder *b, const char *text, size_t length);
void        heft_builder_free_rows(heft_builder *b);
heft_status heft_builder_open_dicts(heft_ctx *ctx, heft_builder *b);
/* After the first rows: their values in order. The codes of the other rows are final then, unless
 * they bring more values. */
heft_status heft_builder_sort(heft_ctx *ctx, heft_builder *b);
/* About odd columns of n_rows rows. Where ranks hold parts of a table rank 0 warns for all. */
heft_status heft_builder_warn(heft_ctx *ctx, const heft_builder *b, uint64_t n_rows);

/* Drop the columns of a finished table that a list such as heft_source.drop names. */
heft_status heft_table_drop(heft_ctx *ctx, const char *file, const char *list, heft_table **table);

/* ---- batches ---- */

enum { HEFT_CELLS_SKIP, HEFT_CELLS_NUMBER, HEFT_CELLS_NOMINAL, HEFT_CELLS_WEIGHT };

/* A recent value and its code: the shortest way from a short text to a code. */
typedef struct heft_memo {
    uint64_t word; /* heft_memo_word */
    uint32_t length;
    uint32_t code;
} heft_memo;

typedef struct heft_memo_table {
    heft_memo *memo;
    unsigned   shift; /* of a hash of 64 bits, to the number of a memo */
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
    size_t    *line; /* where each was found first */
    size_t     capacity;
} heft_fresh;

/* One field's cells of one batch: `number` or `code`, in sparse rows of an attribute neither. */
typedef struct heft_batch_column {
    unsigned char   what;
    bool            kept;
    unsigned char   width; /* bytes per cell: 8, of codes 4; 0: no cells */
    bool            refuted;
    uint32_t        place;
    double         *number;
    uint32_t       *code;
    heft_memo_table memo;  /* nominal */
    heft_field     *field; /* read only, until the join */
    heft_fresh     *fresh;
    size_t          n_missing; /* numbers only */
    size_t          huge_line, odd_line, n_odd;
    char           *huge, *odd; /* heap; or NULL */
} heft_batch_column;

#define HEFT_CODE_MISSING UINT32_MAX
#define HEFT_CODE_FRESH   ((uint32_t)1 << 31)

/* A batch is filled by one task. It is used again for the next wave and keeps its memory. */
typedef struct heft_batch {
    const heft_builder *builder;
    heft_chunk          chunk; /* the text to parse */
    size_t              n_rows, capacity;
    size_t              line;            /* of the row that is filled, number n_rows of the batch */
    size_t              number;          /* of its chunk, in a run of chunks */
    size_t              first_row;       /* in the table; until it is joined, where it may be */
    double              share;           /* of the file up to its chunk; 0: unknown */
    size_t              latin_line;      /* the first line that is not UTF-8; 0: none */
    heft_batch_column  *columns;         /* one per field */
    heft_batch_column  *target, *weight; /* of them, or NULL */
    char               *block;           /* their cells */
    size_t              block_capacity, row_bytes;
    heft_memo          *memos;
    size_t              n_memos;
    uint32_t           *marks; /* CSV: places of delimiters and line ends */
    size_t              mark_capacity;
    heft_arena          arena;
    heft_buf            kept;       /* text of kept cells, row after row */
    size_t             *kept_end;   /* where that of each row ends; NULL: none are kept */
    size_t              kept_rows;  /* rows that have kept text */
    double             *row_weight; /* NULL: no row has one */
    size_t             *start;      /* sparse rows */
    uint32_t           *col;
    double             *val; /* of nominal columns codes; fresh ones as -1 - code */
    size_t              n_entries, start_capacity, entry_capacity;
    size_t              highest_column; /* LIBSVM: seen in it */
} heft_batch;

/* An empty batch with space for so many rows and entries of sparse rows. */
heft_status heft_batch_begin(heft_ctx *ctx, heft_batch *batch, const heft_builder *builder,
                             size_t rows, size_t entries);
/* The numbers of an empty batch, the only one that is filled, are to be put where the join would
 * put them. */
heft_status heft_batch_in_place(heft_ctx *ctx, heft_batch *batch);
heft_status heft_batch_weight(heft_ctx *ctx, heft_batch *batch, double weight); /* of the row */
void        heft_batch_forget(heft_batch *batch); /* the recent values */
/* Add to the lines that it has noted. */
void heft_batch_move_lines(heft_batch *batch, size_t by);
void heft_batch_keep(heft_batch *batch, const char *text, size_t length); /* a kept cell */
void heft_batch_clear(heft_batch *batch);

/* A cell of a text, trimmed and without its quotes. */
typedef struct heft_text_cell {
    const char *text;
    size_t      length;
    bool        quoted;
    size_t      n_lines; /* CSV: line ends inside the quotes */
    const char *problem; /* CSV: NULL, or what is wrong with it */
} heft_text_cell;

/* The number or code of a cell. HEFT_CODE_MISSING and NaN stand for missing; what does not fit the
 * field is an error with line and column name. */
heft_status heft_batch_number(heft_ctx *ctx, heft_batch *batch, heft_batch_column *column,
                              const heft_text_cell *cell, double *out);
heft_status heft_batch_code(heft_ctx *ctx, heft_batch *batch, heft_batch_column *column,
                            const heft_text_cell *cell, uint32_t *out);
/* The same, put into the row that is filled. Reads 8 bytes of the text. */
heft_status heft_batch_put(heft_ctx *ctx, heft_batch *batch, heft_batch_column *column,
                           const heft_text_cell *cell);
bool        heft_is_missing(const heft_builder *b, heft_kind kind, const heft_text_cell *cell);
bool        heft_is_usual_mark(heft_kind kind, const char *text, size_t length);
bool        heft_is_infinity(const char *text, size_t length); /* inf, infinity, signed, any case */

/* "name:line: ...", of the row that is filled. */
#define heft_row_fail(ctx, batch, ...)                                                             \
    heft_fail_at((ctx), HEFT_EFORMAT, (batch)->builder->name, (batch)->line, __VA_ARGS__)

/* ---- rows in: text ---- */

/* encoding.c. Lines that are not UTF-8 are rewritten; *line is the first of them, 0: none. */
heft_status heft_chunk_to_utf8(heft_ctx *ctx, heft_chunk *chunk, size_t *line);
/* The same for the n bytes at *p, which is moved to a copy in the arena where it is rewritten. */
heft_status heft_line_to_utf8(heft_ctx *ctx, heft_arena *arena, char **p, size_t n);

/* Parses batch->chunk into the batch. Runs as a task. */
typedef heft_status heft_parse_fn(heft_ctx *ctx, heft_batch *batch, const void *arg);

/* All chunks of the feed, parsed and joined. */
heft_status heft_builder_scan(heft_ctx *ctx, heft_builder *b, heft_feed *feed, heft_parse_fn *parse,
                              const void *arg);

/* For a parse function: row(ctx, batch, p) for every line of the chunk that is neither blank nor a
 * comment, from its first character that is not blank. */
typedef heft_status heft_line_fn(heft_ctx *ctx, heft_batch *batch, char *p);
heft_status heft_parse_lines(heft_ctx *ctx, heft_batch *batch, const char *blanks, char comment,
                             heft_line_fn *row);

/* ---- rows in: typed columns ---- */

/* Cells of one column as a columnar file has them, borrowed for the call: numbers, NaN where
 * missing; or codes into `values`, missing where outside 0..n_values-1. Either may go into a field
 * of either kind: a number becomes its shortest text, the text of a code is read as a number. */
typedef struct heft_typed_cells {
    const double      *numbers; /* NULL: codes */
    const int32_t     *codes;
    const char *const *values;
    size_t             n_values;
    bool quoted; /* values are as if in quotes: heft_builder.quotes_count says what that means */
} heft_typed_cells;

/* The cells of column j. Numbers may be put into `room`, which has space for all rows of the group
 * where the field is a number; else they stay valid until heft_builder_put returns. Called once for
 * each field that is used or kept, and by several threads at once. */
typedef heft_status heft_cells_fn(heft_ctx *ctx, void *arg, size_t j, double *room,
                                  heft_typed_cells *out);

typedef struct heft_row_group {
    size_t         n_rows;
    size_t         first_row; /* of the group in its file, from 1: for messages, as a line is */
    heft_cells_fn *column;
    void          *arg;
    bool           last; /* no further rows follow in this file */
} heft_row_group;

/* The next rows of a table that is not sparse, as if they had been read as text. The batch, zeroed
 * before the first group, is used again for further ones; then the caller clears it. */
heft_status heft_builder_put(heft_ctx *ctx, heft_builder *b, heft_batch *batch,
                             const heft_row_group *group);

/* ---- joining: builder.c ---- */

/* The rows of a batch go behind those of the builder: first its columns, then what rows have
 * besides. Tasks may fill other batches meanwhile. `fill`, or NULL, fills the column of one field
 * just before it is joined. */
heft_status heft_builder_join_columns(heft_ctx *ctx, heft_builder *b, heft_batch *batch,
                                      heft_task_fn *fill, void *arg);
heft_status heft_builder_join_rows(heft_ctx *ctx, heft_builder *b, const heft_batch *batch);
/* After some joins, when no batch is being filled: values become known to all batches, and a block
 * is handed out when it is large enough. n batches will be used again. `last`: no rows follow in
 * this file. */
heft_status heft_builder_joined(heft_ctx *ctx, heft_builder *b, heft_batch *batches, size_t n,
                                bool last);

/* ---- stream.c: rows that are not all kept ---- */

/* Bytes of cells to keep in a survey, and to gather for a block. Only speed and memory depend on
 * it; tests set it small. */
extern size_t heft_block_bytes;

/* Whether heft_builder_wave has something to do with the rows at hand. */
bool heft_builder_is_full(const heft_builder *b);
/* After each wave: hand out a block when it is large enough; in a survey count rows that are too
 * many to be kept. Between waves n_rows are those at hand, n_handed those before them. */
heft_status heft_builder_wave(heft_ctx *ctx, heft_builder *b, heft_batch *batches, size_t n,
                              bool last);
/* After the last block: give the warnings that a table of the whole file would have given. */
heft_status heft_builder_end(heft_ctx *ctx, heft_builder *b);
/* After a pass that refuted no kind. */
heft_status heft_builder_surveyed(heft_ctx *ctx, heft_builder *b, bool *again);

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
 * without further ado, when it ends at `delimiter` or the end of the line: the place behind it.
 * NULL: look closer. */
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
