/* box_model.h - the quadratic model of L-BFGS-B, and a low point of it within bounds. For
 * heft_lbfgsb.
 *
 *   q(z) = g'(z - x) + (z - x)'B(z - x) / 2,   B = theta I - W M W',   l <= z <= u      (3.1, 3.2)
 *
 * W = [Y, theta S] holds the last pairs y = g_{k+1} - g_k and s = x_{k+1} - x_k, and M is a small
 * matrix. Byrd, Lu, Nocedal, Zhu, A Limited Memory Algorithm for Bound Constrained Optimization,
 * SIAM J. Sci. Comput. 16, 1995: the numbers of equations and algorithms are theirs. */
#pragma once

#include "base/ctx.h"

typedef struct heft_box_model heft_box_model;

/* Without pairs, B = I. lower[n] and upper[n], infinities allowed, are borrowed. Memory:
 * 2 memory n + O(n + memory^2) numbers of `arena`. */
heft_status heft_box_model_create(heft_ctx *ctx, heft_arena *arena, size_t n, size_t memory,
                                  const double *lower, const double *upper, heft_box_model **out);
bool        heft_box_model_empty(const heft_box_model *model);
void        heft_box_model_forget(heft_box_model *model); /* all pairs */

/* The pair of a step from one point with its gradient to the next; the oldest pair makes room. A
 * pair without positive curvature is not taken. */
void heft_box_model_learn(heft_box_model *model, const double *x0, const double *g0,
                          const double *x1, const double *g1);

/* z[n]: the Cauchy point, the first minimum of q along the projected gradient path from x, improved
 * by the minimum of q over the variables that are not on a bound there. Variables on a bound are
 * exactly on it. False where rounding has made the pairs useless; without pairs it is true. */
bool heft_box_model_minimise(heft_box_model *model, const double *x, const double *g, double *z);
