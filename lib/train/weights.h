/* weights.h - weights of rows that are far from 1. */
#pragma once

#include "data/table.h"

/* *out: the table with scaled weights, where they are far from numbers of rows; NULL: as they are.
 * Weights that cannot be used beside the others are refused. All are above 0. */
heft_status heft_scale_weights(heft_ctx *ctx, const heft_table *table, heft_table **out);
/* Neither refused nor scaled by the above. */
bool heft_weights_ordinary(const double *weight, size_t n);
