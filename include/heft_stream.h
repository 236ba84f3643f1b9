/* heft_stream.h - files in blocks of rows: memory does not grow with the file.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef HEFT_STREAM_H
#define HEFT_STREAM_H

#include "heft.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Call `fn` with the rows of a file in their order, a block at a time. Every block has the columns,
 * kinds and lists of values of the table that heft_read would make. A block is valid until `fn`
 * returns. If `fn` returns false, reading stops with HEFT_ECANCELLED.
 * Cost: two passes over the text, one where the file is small. */
typedef bool         heft_rows_fn(void *user, const heft_table *rows);
HEFT_API heft_status heft_read_blocks(const char *path, const heft_source *how, heft_rows_fn *fn,
                                      void *user, heft_error *err);

/* Convert a data file. With how->like the rows are prepared as by that model; with `keep`, which
 * may be NULL, only the columns that this model uses are written (heft_model_select). */
HEFT_API heft_status heft_convert_file(const char *path, const heft_source *how,
                                       const heft_model *keep, const char *to, const char *format,
                                       heft_error *err);

/* ---- Predictions as CSV ----------------------------------------------------------------- */

/* One line per row: the columns of heft_source.keep with the text of the file, with `actual` the
 * class of the row (empty: it has none), `predicted`, with `proba` one column P(<class>) per
 * class, with all digits of the double, and with `reasons` (at most 1000) the columns reason_1 ...:
 * "attribute=value +0.81", in the order of heft_predict_reasons; empty: there are no more
 * attributes. A missing value is a question mark. */
typedef struct heft_predictions {
    size_t              size;
    bool                proba;
    bool                actual;
    const heft_runtime *run;
    size_t              reasons; /* number of reason columns; 0: none. Where it is not 0,
                                    `size` must be set */
} heft_predictions;

typedef struct heft_tally { /* how the rows that carry a class were predicted */
    size_t size;
    size_t n_rows;
    size_t n_labelled; /* rows with a class and a weight above 0 */
    size_t n_unknown;  /* labelled rows whose class the model does not know: they count as
                          wrong */
    size_t n_right;    /* labelled rows that are predicted right */
} heft_tally;

/* Predict a table, or a file block by block (a pipe is read as it arrives). The file `to` is
 * complete or not changed at all; "-" is standard output. `tally` may be NULL.
 *
 * With run->comm every rank calls with its own rows (or, where the model is spread over the ranks,
 * with all rows), and rank 0 writes the predictions in the order of the ranks. The tally is that of
 * all ranks. heft_predict_file does not divide a file among ranks: read it with heft_read and call
 * heft_predict_table. */
HEFT_API heft_status heft_predict_table(const heft_model *model, const heft_table *data,
                                        const char *to, const heft_predictions *how,
                                        heft_tally *tally, heft_error *err);
HEFT_API heft_status heft_predict_file(const heft_model *model, const char *path,
                                       const heft_source *source, const char *to,
                                       const heft_predictions *how, heft_tally *tally,
                                       heft_error *err);

/* All terms of the scores of a file's rows as CSV, block by block: row,term,value, then a column
 * score(<class>) per class. The first term of a row is (prior), then come its attributes in the
 * model's order, pairs and triples. By class the terms of a row add up to its score, after
 * calibration if the model is calibrated: its softmax is the probability. A probability of 0 is the
 * score -inf. `row`: number of the only row to write, from 1; 0: all rows. `to` as in
 * heft_predict_table. */
HEFT_API heft_status heft_explain_file(const heft_model *model, const char *path,
                                       const heft_source *source, size_t row, const char *to,
                                       heft_error *err);

/* Write text to a file that is then complete or not changed at all; "-" is standard output. */
HEFT_API heft_status heft_text_write(const char *path, const char *text, heft_error *err);
/* Check whether the output could be written, before long work. Nothing is changed. */
HEFT_API heft_status heft_output_check(const char *path, heft_error *err);

#ifdef __cplusplus
}
#endif
#endif
