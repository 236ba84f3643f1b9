/* builder.h - from cells of text to a table. Private to the readers.
 *
 * A reader names the columns of its file (fields), heft_builder_assign gives each its part and
 * kind, and then chunks of text are parsed into batches, by several threads at once, and joined in
 * order. A batch sees the fields as they were before: values new to a nominal column get codes of
 * the batch's own, which the join translates. */
#ifndef HEFT_DATA_BUILDER_H
#define HEFT_DATA_BUILDER_H

#include <float.h>

#include "base/text.h"
#include "data/input.h"
#include "data/read.h"

/* ---- fields ---- */

typedef enum heft_role {
    HEFT_ROLE_ATTRIBUTE,
    HEFT_ROLE_TARGET,
    HEFT_ROLE_WEIGHT,
    HEFT_ROLE_DROPPED
} heft_role;

typedef struct heft_field {
    char       *name;
    heft_role   role;
    heft_kind   kind;
    const char *why;      /* who asked for this kind; NULL: a guess, which a cell may refute */
    const char *type;     /* ARFF: as declared, a part of a sentence; `why` points to it at first */
    bool        declared; /* nominal, values listed in the file: their order is kept          */
    bool        refuted;  /* guessed to be numbers, but a cell is none                        */
    bool        idle;     /* an attribute nobody asks for: its cells are passed over          */
    bool        settled;  /* nominal: the dictionary is that of the whole file, in its order  */
    uint32_t    place;    /* among the attributes                                             */
    heft_dict  *dict;     /* nominal: the values so far                                       */
    unsigned    width;    /* bytes a cell                                                     */
    void       *cells;    /* a missing code has all bits set until the table is finished      */
    size_t      room;     /* cells that fit                                                   */
    size_t      n_missing;
    size_t      n_missing_before; /* in blocks handed out                                     */
    size_t      odd_line; /* nominal: where the first value stands that is no number; 0: none */
    uint32_t    odd_code;
    size_t      huge_line; /* number: where the first one stands that no double holds; 0: none */
    char        huge[48];  /* its text, shown                                                  */
    size_t     *count;     /* surveyed, nominal: cells by code                                 */
    size_t      count_room;
    size_t      n_odd; /* surveyed, nominal: cells that are no numbers                         */
} heft_field;

/* The files of one table: one, or several of the same columns. This rank reads lo..hi-1 of them; a
 * single one is shared by all ranks. */
typedef struct heft_files {
    const char *const *path;
    size_t             n, lo, hi;
    bool               shared; /* every rank reads a share of the only one */
} heft_files;

/* Rows are gathered into one table, or handed to a sink block by block. Before the blocks a survey
 * may have to find the kinds and values of all columns: it keeps rows while they are few. */
typedef enum heft_phase { HEFT_GATHER, HEFT_SURVEY, HEFT_SURVEY_LIGHT, HEFT_BLOCKS } heft_phase;

typedef struct heft_builder {
    const char        *name; /* of the file, for messages */
    heft_files         files;
    const heft_source *how;
    const heft_expect *expect;       /* or NULL */
    bool               quotes_count; /* a quoted mark is a value (ARFF) */
    bool               sparse;
    bool               discard; /* a kind was refuted: rows are still checked, no longer kept */
    heft_field        *fields;
    size_t             n_fields, field_room;
    heft_arena         arena;
    char             **marks; /* missing marks besides the usual */
    size_t             n_marks;
    bool               marks_are_numbers;  /* so that no number can be taken at sight */
    size_t             n_rows, n_expected; /* so far, and an estimate of all; 0: unknown */
    double            *row_weight;         /* of rows that carry their own, else NULL */
    size_t             weight_room;
    heft_sparse        rows; /* sparse */
    size_t             n_entries, start_room, entry_room;
    size_t             n_columns; /* LIBSVM: the highest column seen */
    size_t             max_columns, max_classes;
    heft_phase         stage;
    const heft_sink   *sink;     /* NULL: gather */
    const char        *path;     /* of the data, for the name of a block's table */
    const char        *drop;     /* LIBSVM: columns to drop from a finished table; NULL: none */
    bool               weighted; /* some row carries its own weight */
    size_t            *missing;  /* surveyed, sparse: missing cells by column */
    size_t             missing_room;
    size_t             n_handed; /* rows in blocks handed out */
} heft_builder;

heft_status heft_builder_init(heft_ctx *ctx, heft_builder *b, const char *name,
                              const heft_source *how, const heft_expect *expect);
/* One more field; an empty name becomes c<its number>. */
heft_status heft_builder_add(heft_ctx *ctx, heft_builder *b, const char *name, size_t length);
/* Parts and kinds by heft_source and heft_expect. The kinds of the rest are as they were. */
heft_status heft_builder_assign(heft_ctx *ctx, heft_builder *b);
/* One of several files, opened: rows of it are added. */
typedef heft_status heft_file_fn(heft_ctx *ctx, heft_builder *b, heft_feed *feed, size_t k,
                                 void *arg);

/* The rows of this rank: fn for each of its files, from its first byte (or its share's); then once
 * more, on all ranks, where a cell on any of them refuted a kind. `feed` is that of the first file.
 */
heft_status heft_builder_read(heft_ctx *ctx, heft_builder *b, heft_feed *feed, heft_file_fn *fn,
                              void *arg);
/* After a scan: whether the file has to be scanned once more, and the builder made ready for it:
 * because a column is not what its first cells promised, or because only the survey is done. */
heft_status heft_builder_again(heft_ctx *ctx, heft_builder *b, bool *again);
/* The rows so far as a table; in a light survey one without rows. */
heft_status heft_builder_finish(heft_ctx *ctx, heft_builder *b, heft_table **out);
void        heft_builder_clear(heft_builder *b);

/* What builder.c, blocks.c and finish.c have in common. heft_grown: the items with room for `need`
 * of them, moved where needed: the estimate at first, then half as much again each time. NULL when
 * that fails, which is recorded; the old ones stay valid. */
void *heft_grown(heft_ctx *ctx, void *items, size_t *room, size_t need, size_t estimate,
                 size_t size);
/* The code of a missing cell while codes still grow wider. */
static inline uint32_t heft_building_none(unsigned width)
{
    return width == 1 ? 0xff : width == 2 ? 0xffff : UINT32_MAX;
}
bool        heft_is_number(const char *text, size_t length);
void        heft_builder_free_rows(heft_builder *b);
heft_status heft_builder_open_dicts(heft_ctx *ctx, heft_builder *b);
heft_status heft_builder_warn(heft_ctx *ctx, const heft_builder *b);

/* Column names to be looked up: n columns, `dict` of their names, index[code] the (first) column of
 * that name (NULL: the code itself). */
typedef struct heft_names {
    const char      *file;
    size_t           n;
    const heft_dict *dict;
    const size_t    *index;
} heft_names;

/* The columns a list such as heft_source.drop names, in the arena. `option` is for messages. */
heft_status heft_names_list(heft_ctx *ctx, const heft_names *names, const char *option,
                            const char *list, heft_arena *arena, size_t **out, size_t *n_out);

/* ---- batches ---- */

enum { HEFT_LANE_SKIP, HEFT_LANE_NUMBER, HEFT_LANE_NOMINAL, HEFT_LANE_WEIGHT };

/* A value met lately and its code: the shortest way from a short text to a code. */
typedef struct heft_memo {
    uint64_t word; /* the first 8 bytes, zeros behind the end */
    uint32_t length;
    uint32_t code;
} heft_memo;

/* Values of a nominal field that its dictionary did not have when the batch began. */
typedef struct heft_fresh {
    heft_dict *dict;
    size_t    *line; /* where each was met first */
    size_t     room;
} heft_fresh;

/* One field's cells of one batch. */
typedef struct heft_lane {
    unsigned char what;
    unsigned char memo_shift;
    bool          refuted;
    uint32_t      place;
    double       *number;
    uint32_t     *code;
    heft_memo    *memo;
    heft_field   *field;
    heft_fresh   *fresh;
    size_t        n_missing; /* numbers only */
    size_t        huge_line;
    char         *huge; /* batch arena */
} heft_lane;

#define HEFT_CODE_MISSING UINT32_MAX
#define HEFT_CODE_FRESH   ((uint32_t)1 << 31)

typedef struct heft_batch {
    const heft_builder *builder;
    heft_chunk          chunk;
    size_t              n_rows;
    size_t              first_row; /* in the table */
    heft_lane          *lanes;     /* one a field */
    char               *block;     /* their cells */
    size_t              block_room;
    heft_memo          *memos;
    size_t              n_memos;
    heft_arena          arena;
    double             *row_weight; /* NULL: no row has one */
    size_t              weight_room;
    size_t             *start; /* sparse rows */
    uint32_t           *col;
    double             *val;
    size_t              start_room, entry_room;
    size_t              n_columns;
} heft_batch;

/* Room for what batch->chunk can hold; call it before parsing the chunk. */
heft_status heft_batch_begin(heft_ctx *ctx, heft_batch *batch, const heft_builder *builder);
heft_status heft_batch_weight(heft_ctx *ctx, heft_batch *batch, size_t row, double weight);
void        heft_batch_forget(heft_batch *batch); /* the values met lately */
void        heft_batch_clear(heft_batch *batch);

/* The number or code of a cell, trimmed and without its quotes. HEFT_CODE_MISSING and NaN stand
 * for missing; what does not fit the field is an error with line and column name. */
heft_status heft_lane_number(heft_ctx *ctx, heft_batch *batch, heft_lane *lane, const char *text,
                             size_t length, bool quoted, size_t line, double *out);
heft_status heft_lane_code(heft_ctx *ctx, heft_batch *batch, heft_lane *lane, const char *text,
                           size_t length, bool quoted, size_t line, uint32_t *out);
bool        heft_is_missing(const heft_builder *b, heft_kind kind, const char *text, size_t length,
                            bool quoted);
bool        heft_is_infinity(const char *text, size_t length); /* inf, infinity, signed, any case */

/* Parses batch->chunk into the batch. Runs as a task. */
typedef heft_status heft_parse_fn(heft_ctx *ctx, heft_batch *batch, const void *arg);

/* ---- blocks.c: rows that are not all kept ---- */

/* Bytes of cells to keep in a survey, and to gather for a block. Nothing depends on it but speed
 * and memory; tests set it small. */
extern size_t heft_block_bytes;

/* A light survey's way to join. */
heft_status heft_survey_codes(heft_ctx *ctx, const heft_lane *lane, size_t n, const uint32_t *map);
heft_status heft_survey_entries(heft_ctx *ctx, heft_builder *b, const heft_batch *batch);
/* After each wave of batches: hand out a block when it is large enough, or keep no more rows. */
heft_status heft_builder_wave(heft_ctx *ctx, heft_builder *b, heft_batch *batches, size_t n,
                              bool last);
/* After the last block: what a table of the whole file would have been told about. */
heft_status heft_builder_end(heft_ctx *ctx, heft_builder *b);
/* After a scan that refuted no kind. */
heft_status heft_builder_surveyed(heft_ctx *ctx, heft_builder *b, bool *again);

/* All chunks of the feed, parsed and joined. `first`, where not empty, comes before them. */
heft_status heft_builder_scan(heft_ctx *ctx, heft_builder *b, heft_feed *feed, heft_chunk *first,
                              heft_parse_fn *parse, const void *arg);

/* ---- cells in the hot loops ---- */

/* 8 bytes from p on, the first in the lowest place. */
static inline uint64_t heft_load8(const char *p)
{
    uint64_t word;
    __builtin_memcpy(&word, p, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Whether this cell was met lately, and its code then. Reads 8 bytes. */
static inline bool heft_memo_find(const heft_lane *lane, const char *text, size_t length,
                                  uint32_t *code)
{
    if (length == 0 || length > 8) return false;
    const uint64_t   word = heft_load8(text) & (~(uint64_t)0 >> (64 - 8 * length));
    const heft_memo *memo = &lane->memo[(word * 0x9e3779b97f4a7c15u) >> lane->memo_shift];
    *code = memo->code;
    return memo->word == word && memo->length == length;
}

/* A plain number from p on, [-]digits[.digits], that a double holds without further ado, when it
 * ends at `delimiter` or the end of the line: the place behind it. NULL: look closer. */
static inline const char *heft_quick_number(const char *p, char delimiter, double *out)
{
    const bool  negative = *p == '-';
    const char *s = p += negative;
    uint64_t    m = 0;
    unsigned    d;
    while ((d = (unsigned)*p - '0') <= 9) m = m * 10 + d, p++;
    size_t n = (size_t)(p - s), after = 0;
    if (*p == '.') {
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

#endif
