/* kernel.h - log sum_k mass_k exp(-(x - p_k)^2 / (2 h^2)) over many points, in bounded time.
 *
 * Points are sorted and fall into boxes of width h/2. The sum over a box with centre s is, with
 * u = (x - s)/h and v_k = (p_k - s)/h,
 *
 *   exp(-u^2/2) sum_t A_t u^t,     A_t = 1/t! sum_k mass_k exp(-v_k^2/2) v_k^t
 *
 * (Greengard and Strain, The fast Gauss transform, 1991). With |v| <= 1/4 and |u| <= 12, 28 terms
 * leave a relative error below 1e-13. Boxes with few points, and boxes farther away, are summed
 * point by point. */
#pragma once

#include "base/ctx.h"

typedef struct heft_kernel_box heft_kernel_box;

typedef struct heft_kernel { /* the points of one class */
    size_t        n;
    const double *point, *log_mass; /* the points, increasing, and the logarithms of
                                       their masses, which sum to 1 */
    double           h;
    size_t           n_boxes; /* number of boxes that have many points */
    heft_kernel_box *box;     /* boxes in the order of their points; NULL: every point is
                                 summed by itself */
} heft_kernel;

/* Fill in kernel->box and n_boxes from the other fields. Memory from `arena`. Cost: O(n). */
heft_status heft_kernel_seal(heft_ctx *ctx, heft_arena *arena, heft_kernel *kernel);
/* The sum at x, which is always finite; kernel->n must be above 0. */
double heft_kernel_log_sum(const heft_kernel *kernel, double x);
