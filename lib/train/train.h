/* train.h - the entry points of training: a model from a user's table, or from a matrix in memory.
 *
 * A method that uses numbers only through sums, with a preparation that learns nothing, needs no
 * table: the sums are computed from the caller's matrix, without a copy of it. In every other case
 * the matrix becomes a table that borrows its columns where it can. */
#pragma once

#include "heft_memory.h"
#include "train/fit.h"

/* Merge the dictionaries of all ranks, refuse rows of a single class, and fit. All ranks get the
 * model, or all get the error. */
heft_status heft_train(heft_ctx *ctx, const heft_table *data, const heft_config *config,
                       heft_model **out);
/* Fit a matrix with classes. The model has the same bits as that of a table with the same cells. */
heft_status heft_train_matrix(heft_ctx *ctx, const heft_matrix *m, const heft_config *config,
                              heft_model **out);
