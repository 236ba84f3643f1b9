/* mixing.h - fits a weighted sum of a few score vectors by penalised conditional log-likelihood.
 *
 *   min over b >= 0 and a:  sum_i w_i ( -log softmax( sum_r b_r T_r,i + a )_{y_i} )
 *                           + sum_r strength_r / 2 (b_r - centre_r)^2 + shift / 2 sum_c a_c^2
 *
 * T_r,i is the score vector of member r for row i. With `by_class` there is one member and one
 * weight per class: the score of class c is b_c T_i,c + a_c.
 *
 * The minimisation starts from b = start and a = 0. The problem is convex. Up to 64 variables are
 * fitted by Newton's method, more by L-BFGS-B, which also continues if Newton's method fails to
 * converge at the bounds; both find the same minimum. learn/objective.h is not used, because the
 * score vectors are dense arrays.
 *
 * Rows may be spread over several processes. Sums over rows are exact: what each row adds is
 * rounded to a coarse and a fine number whose sums have no rounding error, so that the result has
 * the same bits for any order and any spread of the rows. */
#pragma once

#include "optim/optim.h"

typedef struct heft_mixing {
    size_t               n, n_class, n_members; /* n: rows of this process */
    bool                 by_class;              /* one member; n_members = n_class weights */
    const double *const *member;                /* score vectors of each member, n x n_class */
    const uint16_t      *y;
    const double        *weight; /* weight of each row; NULL if all are 1 */
    const size_t
        *place; /* index of each row among those of all processes; NULL if it is the index here */
    const double *centre, *strength;
    const double *start; /* initial b; NULL to start from `centre` */
    double        shift; /* strength of the penalty of a; if it is 0, a stays 0 */
    long          max_iter;
} heft_mixing;

/* Sets b[n_members] and a[n_class]; `a` may be NULL if shift is 0. If `loss` is not NULL, it
 * receives the mean loss without the penalties. */
heft_status heft_mixing_fit(heft_ctx *ctx, const heft_mixing *mixing, double *b, double *a,
                            double *loss, heft_minimum *how);
