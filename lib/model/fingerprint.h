/* fingerprint.h - the training rows of a model as two numbers, so that a report can tell whether a
 * table holds the same rows. The order of rows, columns, values and classes does not matter,
 * because both numbers are sums over rows of keys that depend on names and texts alone
 * (fingerprint.c). */
#pragma once

#include "model/model.h"

/* The fingerprint of the rows that have a class and a weight above 0, using only the columns that
 * are attributes of the preparation. */
heft_status heft_fingerprint_of(heft_ctx *ctx, const heft_prep *prep, const heft_table *table,
                                heft_fingerprint *out);
/* *same becomes true if the table has exactly the rows that the model was trained on. */
heft_status heft_trained_on(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                            bool *same);
