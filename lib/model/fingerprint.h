/* fingerprint.h - the training rows of a model as two numbers, so that a report can tell whether a
 * table holds the same rows. The order of rows, columns, values and classes does not matter. */
#pragma once

#include "model/model.h"

/* The rows of known class and weight above 0, by the attributes of the preparation. */
heft_status heft_fingerprint_of(heft_ctx *ctx, const heft_prep *prep, const heft_table *table,
                                heft_fingerprint *out);
/* *same: the table has the rows that the model was trained on, and no others. */
heft_status heft_trained_on(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                            bool *same);
