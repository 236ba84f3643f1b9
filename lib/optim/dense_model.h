/* dense_model.h - a quadratic model of a function of few variables that stores all second
 * derivatives. It is the counterpart of box_model.h, which approximates those of many variables.
 *
 *   q(z) = g'(z - x) + (z - x)'H(z - x) / 2,   lower <= z <= upper
 *
 * Each minimisation costs O(n^3), for a Cholesky factorisation of H. */
#pragma once

#include "base/ctx.h"

typedef struct heft_dense_model heft_dense_model;

/* Create a model of n variables. `lower` and `upper` are borrowed and may change between calls. */
heft_status heft_dense_model_create(heft_ctx *ctx, heft_arena *arena, size_t n, const double *lower,
                                    const double *upper, heft_dense_model **out);
/* Set the matrix H from `second`, n x n second derivatives in the caller's order of the variables:
 * variable k of the model is the caller's variable from[k]. */
void heft_dense_model_set(heft_dense_model *model, const double *second, const size_t *from);
/* Set to[n] to the lowest point of the model within the bounds. Returns q(x) - q(to). */
double heft_dense_model_minimise(heft_dense_model *model, const double *x, const double *g,
                                 double *to);
/* Update H by the BFGS formula, after the gradient changed from g to g_now between x and x_now. */
void heft_dense_model_learn(heft_dense_model *model, const double *x, const double *g,
                            const double *x_now, const double *g_now);
