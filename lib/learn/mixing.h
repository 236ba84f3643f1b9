/* mixing.h - a weighted sum of a few score vectors, by penalised conditional log-likelihood.
 *
 *   min over b >= 0 and a:  sum_i w_i ( -log softmax( sum_r b_r T_r,i + a )_{y_i} )
 *                           + sum_r strength_r / 2 (b_r - centre_r)^2 + shift / 2 sum_c a_c^2
 *
 * or, by class, with a weight for each class of one vector: b_c T_c,i + a_c.
 *
 * from b = start, a = 0. The problem is convex: up to 64 variables by Newton's method, more by
 * L-BFGS-B, which also takes over where Newton's steps run against the bounds; both end at the same
 * place. The score vectors are dense arrays, which is why this is not learn/objective.h.
 *
 * Rows may be spread over several processes. Sums over rows are exact: what each row adds is
 * rounded to a coarse and a fine number whose sums have no rounding error, so that the result has
 * the same bits for any order and any spread of the rows. */
#pragma once

#include "optim/optim.h"

typedef struct heft_mixing {
    size_t               n, n_class, n_members; /* n: rows of this process */
    bool                 by_class;              /* one member; n_members = n_class weights */
    const double *const *member;                /* n x n_class each */
    const uint16_t      *y;
    const double        *weight; /* NULL: all 1 */
    const size_t
        *place; /* place of each row among those of all processes; NULL: their order here */
    const double *centre, *strength;
    const double *start; /* NULL: the centre */
    double        shift; /* 0: a stays 0 */
    long          max_iter;
} heft_mixing;

/* b[n_members], a[n_class] (NULL where shift is 0); *loss, which may be NULL, gets the mean loss
 * without the penalties. */
heft_status heft_mixing_fit(heft_ctx *ctx, const heft_mixing *mixing, double *b, double *a,
                            double *loss, heft_minimum *how);
