/* weights.h - weights of rows that are far from 1. */
#pragma once

#include "data/table.h"

/* Make a table with scaled weights if the weights are too far from numbers of rows (weights.c);
 * *out is NULL if they stay as they are. Weights whose ratios are too extreme to be used together
 * are refused. All weights must be above 0. */
heft_status heft_scale_weights(heft_ctx *ctx, const heft_table *table, heft_table **out);
/* Whether heft_scale_weights would neither refuse nor scale these weights. */
bool heft_weights_ordinary(const double *weight, size_t n);
