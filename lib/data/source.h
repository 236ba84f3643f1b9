/* source.h - where rows come from: files, cut into chunks of text or groups of typed rows. Private
 * to data/.
 *
 * A text format has heft_scan_rows parse the chunks of a file, several at once, into batches. A
 * columnar format, which has numbers and dictionary codes already, hands groups of rows over with
 * heft_put_rows. Either way the rows reach the sink in the order of the file. One reading of all
 * files is a *pass*. */
#pragma once

#include "data/schema.h"

/* The files of one table: one, or several with the same columns. This rank reads files lo..hi-1; a
 * single file may be divided among all ranks. */
typedef struct heft_files {
    const char *const *path;
    size_t             n, lo, hi;
    bool               divided; /* every rank reads a part of the only file */
} heft_files;

typedef struct heft_row_source {
    heft_files  files;
    const char *title;      /* name of the table */
    const void *layout;     /* what the format knows of the first file; in the schema's arena */
    size_t      n_expected; /* an estimate of all rows; 0: unknown */
    double      done;       /* fraction of the text that is read; 0 where unknown */
    size_t      latin_line; /* the first line that is not UTF-8; 0: none */
} heft_row_source;

typedef struct heft_builder heft_builder;
typedef struct heft_batch   heft_batch;

/* ---- text ---- */

/* encoding.c. Rewrites lines that are not UTF-8; *line is the first of them, 0: none. */
heft_status heft_chunk_to_utf8(heft_ctx *ctx, heft_chunk *chunk, size_t *line);
/* Rewrite the line of n bytes at *p if it is not UTF-8: *p then points to a copy in the arena. */
heft_status heft_line_to_utf8(heft_ctx *ctx, heft_arena *arena, char **p, size_t n);

/* Parses batch->chunk into the batch. Runs as a task. */
typedef heft_status heft_parse_fn(heft_ctx *ctx, heft_batch *batch, const void *arg);

/* scan_text.c. Parses all chunks of the feed and joins them to the sink. */
heft_status heft_scan_rows(heft_ctx *ctx, heft_builder *b, heft_feed *feed, heft_parse_fn *parse,
                           const void *arg);

/* For a parse function: calls row(ctx, batch, p) for every line of the chunk that is neither blank
 * nor a comment; p is its first character that is not blank. */
typedef heft_status heft_line_fn(heft_ctx *ctx, heft_batch *batch, char *p);
heft_status heft_parse_lines(heft_ctx *ctx, heft_batch *batch, const char *blanks, char comment,
                             heft_line_fn *row);

/* ---- typed columns ---- */

/* Cells of one column as a columnar file has them, borrowed for the call: numbers, NaN where
 * missing; or codes into `values`, missing where outside 0..n_values-1. Either may go into a field
 * of either kind: a number becomes its shortest text, the text of a code is read as a number. */
typedef struct heft_typed_cells {
    const double      *numbers; /* NULL: codes */
    const int32_t     *codes;
    const char *const *values;
    size_t             n_values;
    bool quoted; /* values are as if in quotes: heft_missing_marks.quotes_count tells what it means
                  */
} heft_typed_cells;

/* Gets the cells of column j. Numbers may be put into `room`, which has space for all rows of the
 * group where the field is a number; else they stay valid until heft_put_rows returns. Called once
 * for each field that is used or kept, and by several threads at once. */
typedef heft_status heft_cells_fn(heft_ctx *ctx, void *arg, size_t j, double *room,
                                  heft_typed_cells *out);

typedef struct heft_row_group {
    size_t         n_rows;
    size_t         first_row; /* number of the first row in its file, from 1: a line in messages */
    heft_cells_fn *column;
    void          *arg;
    bool           last; /* no further rows follow in this file */
} heft_row_group;

/* typed_rows.c. Adds rows to a table that is not sparse, as if they had been read as text. The
 * batch, zeroed before the first group, is used again for further ones; then the caller clears it.
 */
heft_status heft_put_rows(heft_ctx *ctx, heft_builder *b, heft_batch *batch,
                          const heft_row_group *group);
