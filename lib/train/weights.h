/* weights.h - the weights of rows: those of their classes applied, and scaled where need be. */
#pragma once

#include "model/model.h"

/* (*factor)[n]: the weight of each class of the table, as --class-weight says; NULL: there are no
 * weights of classes. A balanced class has the sum n / K of the K classes that rows have. Sums are
 * over the rows of all ranks. Scratch memory. */
heft_status heft_class_factors(heft_ctx *ctx, const heft_table *table, const char *word,
                               double **factor);
/* (*weight)[n_rows], on the heap: the weights of the rows times these factors; NULL without. With
 * `shifts` (HEFT_SHIFTS_CLASSES) only a factor of 0 is applied. */
heft_status heft_weigh_classes(heft_ctx *ctx, const heft_table *table, const double *factor,
                               bool shifts, double **weight);
/* The factors in the order of the model's classes. */
heft_status heft_place_factors(heft_ctx *ctx, const heft_table *table, const heft_model *model,
                               double **factor);
/* What inspect shows of these. */
heft_status heft_note_classes(heft_ctx *ctx, const double *factor, heft_model *model);

/* *out: the table with scaled weights, where they are far from numbers of rows; NULL: as they are.
 * Weights that cannot be used beside the others are refused. All are above 0. */
heft_status heft_scale_weights(heft_ctx *ctx, const heft_table *table, heft_table **out);
/* Neither refused nor scaled by the above. */
bool heft_weights_ordinary(const double *weight, size_t n);
