/* train.h - the ways in: a model from a user's table, or from a matrix where it stands.
 *
 * A method that sees numbers only through sums, under a preparation that learns nothing, needs no
 * table: the sums are taken from the caller's matrix, without a copy of it. In every other case the
 * matrix becomes a table that borrows its columns where it can. */
#pragma once

#include "heft_memory.h"
#include "train/fit.h"

/* Merges the dictionaries of all ranks and refuses rows of one class, then fits. All ranks have a
 * model, or all have the error. */
heft_status heft_train(heft_ctx *ctx, const heft_table *data, const heft_config *config,
                       heft_model **out);
/* The same model, bit for bit, from a matrix with classes. */
heft_status heft_train_matrix(heft_ctx *ctx, const heft_matrix *m, const heft_config *config,
                              heft_model **out);
