/* dense_model.h - a quadratic model of a function of few variables, with every second derivative:
 * what box_model.h is for many. */
#pragma once

#include "base/ctx.h"

typedef struct heft_dense_model heft_dense_model;

/* `lower` and `upper` are read at every call. */
heft_status heft_dense_model_create(heft_ctx *ctx, heft_arena *arena, size_t n, const double *lower,
                                    const double *upper, heft_dense_model **out);
/* The second derivatives: of the caller's variables from[k], n x n. */
void heft_dense_model_set(heft_dense_model *model, const double *second, const size_t *from);
/* to[n]: the lowest point of the model within the bounds; returns how far the model falls. */
double heft_dense_model_minimise(heft_dense_model *model, const double *x, const double *g,
                                 double *to);
/* The gradient changed from g to g_now between x and x_now (BFGS). */
void heft_dense_model_learn(heft_dense_model *model, const double *x, const double *g,
                            const double *x_now, const double *g_now);
