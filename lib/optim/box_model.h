/* box_model.h - the quadratic model that heft_lbfgsb minimises within bounds in each iteration.
 *
 *   q(z) = g'(z - x) + (z - x)'B(z - x) / 2,   B = theta I - W M W',   l <= z <= u      (3.1, 3.2)
 *
 * B approximates the second derivatives. W = [Y, theta S] holds the last correction pairs,
 * y = g_{k+1} - g_k and s = x_{k+1} - x_k, and M is a square matrix with two rows per pair, so that
 * a product with B costs O(memory n) and B is never formed. Byrd, Lu, Nocedal, Zhu, A Limited
 * Memory Algorithm for Bound Constrained Optimization, SIAM J. Sci. Comput. 16, 1995: the numbers
 * of equations and algorithms are theirs. */
#pragma once

#include "base/ctx.h"

typedef struct heft_box_model heft_box_model;

/* Create a model without pairs, where B = I. lower[n] and upper[n] are borrowed and may be
 * infinite. Memory: 2 memory n + O(n + memory^2) numbers of `arena`. */
heft_status heft_box_model_create(heft_ctx *ctx, heft_arena *arena, size_t n, size_t memory,
                                  const double *lower, const double *upper, heft_box_model **out);
bool        heft_box_model_empty(const heft_box_model *model);
void        heft_box_model_forget(heft_box_model *model); /* drops all pairs */

/* Add the pair of a step from x0, with gradient g0, to x1, with gradient g1. If the memory is full,
 * the oldest pair is dropped. A pair without positive curvature is ignored, because B must stay
 * positive definite. */
void heft_box_model_learn(heft_box_model *model, const double *x0, const double *g0,
                          const double *x1, const double *g1);

/* Compute z[n], a point within the bounds with a low q. It begins with the Cauchy point, the first
 * minimum of q along the projected gradient path from x, and then minimises q over the variables
 * that are not on a bound there. Variables on a bound are exactly on it. Returns false if rounding
 * has made the pairs useless, which cannot happen without pairs. */
bool heft_box_model_minimise(heft_box_model *model, const double *x, const double *g, double *z);
