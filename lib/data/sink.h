/* sink.h - what becomes of the rows: they are gathered into one table, or handed out in blocks.
 * Private to data/.
 *
 * Batches are joined to the sink one after the other, in the order of the file. Each field has a
 * growing column of cells here. Memory for a whole table grows with the file; a caller that handles
 * each row once (predict, convert) gets blocks instead, and their memory is used again.
 *
 * Blocks need dictionaries in their final order, which only the whole file tells. So a *survey*
 * comes first: a pass that finds kinds, values and counts. It keeps the rows while they are few, so
 * that a small file is read once; beyond that it becomes light: it counts what the rows hold and
 * forgets them.
 *
 * Between runs of chunks every column has n_rows cells, all codes are those of the field's
 * dictionary, and `width` suffices for it. A missing code has all bits set until the table is
 * built. After a kind was refuted (`discard`) the pass goes on, to find errors, but keeps no rows.
 */
#pragma once

#include "base/rows.h"
#include "data/source.h"

/* The cells of a field, so far. */
typedef struct heft_sink_column {
    unsigned width;    /* bytes per cell */
    void    *cells;    /* NULL: none yet, or an attribute of sparse rows */
    size_t   capacity; /* cells that fit */
    size_t   n_missing;
    size_t   n_missing_before; /* missing cells in blocks that were handed out */
    size_t  *count;            /* survey, nominal: cells by code */
    size_t   count_capacity;
} heft_sink_column;

/* Sparse rows: entries start[i] .. start[i + 1] - 1 are those of row i. */
typedef struct heft_entries {
    size_t   *start;
    uint32_t *col;
    double   *val;
    size_t    n, row_capacity, capacity;
} heft_entries;

/* Space for n_rows rows with n entries in all. A new array gets space for the estimates. */
heft_status heft_entries_grow(heft_ctx *ctx, heft_entries *e, size_t n_rows, size_t n,
                              size_t row_estimate, size_t estimate);
void        heft_entries_clear(heft_entries *e);

/* The text of kept cells as CSV, row after row, as heft_kept has it. */
typedef struct heft_kept_rows {
    heft_buf text;
    size_t  *end; /* by row: where its text ends */
    size_t   capacity;
    size_t   n_rows; /* rows with at least one cell in the text */
} heft_kept_rows;

typedef enum heft_phase { HEFT_GATHER, HEFT_SURVEY, HEFT_SURVEY_LIGHT, HEFT_BLOCKS } heft_phase;

typedef struct heft_row_sink {
    const heft_sink  *to; /* who receives the blocks; NULL: rows are gathered into a table */
    heft_phase        phase;
    bool              sorted;   /* the values of the first rows are in order */
    bool              discard;  /* a kind was refuted: rows are still checked, not kept */
    bool              weighted; /* some row carries its own weight */
    size_t            n_rows;   /* rows at hand */
    size_t            n_handed; /* rows in blocks handed out, or counted by a light survey */
    size_t            n_listed; /* entries of all sparse rows read so far */
    heft_sink_column *columns;  /* one per field */
    heft_entries      entries;
    heft_kept_rows    kept;
    double           *row_weight; /* weights that rows carry themselves, else NULL */
    size_t            weight_capacity;
    size_t           *missing; /* survey, sparse: missing cells by column */
    size_t            missing_capacity;
} heft_row_sink;

/* The code of a missing cell while codes may still grow wider. */
static inline uint32_t heft_building_none(unsigned width)
{
    return width == 1 ? 0xff : width == 2 ? 0xffff : UINT32_MAX;
}

/* ---- row_sink.c: memory ---- */

/* Makes columns and dictionaries for the fields, where they lack them. */
heft_status heft_sink_open(heft_ctx *ctx, heft_builder *b);
void        heft_sink_free_rows(heft_row_sink *sink, size_t n_fields);

/* ---- join_batches.c: joining batches ---- */

/* The rows of a batch go behind those of the sink: first its columns, then what rows have besides.
 * Tasks may fill other batches meanwhile. `fill`, or NULL, fills the column of one field just
 * before it is joined. */
heft_status heft_sink_join_columns(heft_ctx *ctx, heft_builder *b, heft_batch *batch,
                                   heft_task_fn *fill, void *arg);
heft_status heft_sink_join_rows(heft_ctx *ctx, heft_builder *b, const heft_batch *batch);
/* After a run of joins, when no batch is being filled: new values enter the dictionaries, and a
 * block is handed out when it is large enough. n batches will be used again. `last`: no rows follow
 * in this file. */
heft_status heft_sink_joined(heft_ctx *ctx, heft_builder *b, heft_batch *batches, size_t n,
                             bool last);
/* After a pass: whether another one is needed, for which the sink is made ready then: because a
 * kind was refuted, or because only the survey is done. */
heft_status heft_sink_again(heft_ctx *ctx, heft_builder *b, bool *again);

/* ---- stream.c: rows that are not all kept ---- */

/* Bytes of cells to keep in a survey, and to gather for a block. Only speed and memory depend on
 * it; tests set it small. */
extern size_t heft_block_bytes;

/* Whether heft_sink_hand_out has something to do with the rows at hand. */
bool heft_sink_is_full(const heft_builder *b);
/* Hands out a block when it is large enough; in a survey, counts rows that are too many to be kept.
 * Then n_rows are those still at hand, n_handed those before them. */
heft_status heft_sink_hand_out(heft_ctx *ctx, heft_builder *b, heft_batch *batches, size_t n,
                               bool last);
/* After a pass that refuted no kind. */
heft_status heft_sink_surveyed(heft_ctx *ctx, heft_builder *b, bool *again);
/* After the last block: gives the warnings that a table of the whole file would have given. */
heft_status heft_sink_end(heft_ctx *ctx, heft_builder *b);

/* ---- build_table.c ---- */

/* Puts the values of the first rows in order. The codes of the other rows are final then, unless
 * they bring more values. */
heft_status heft_sink_sort(heft_ctx *ctx, heft_builder *b);
/* Builds a table of the rows at hand; in a light survey one without rows. */
heft_status heft_sink_table(heft_ctx *ctx, heft_builder *b, heft_table **out);
/* Warns about odd columns of n_rows rows. Where ranks hold parts of a table rank 0 warns for all.
 */
heft_status heft_sink_warn(heft_ctx *ctx, const heft_builder *b, uint64_t n_rows);
