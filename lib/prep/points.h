/* points.h - the numbers of a column with their classes and weights, from which cuts are made.
 *
 * Rows may be spread over several processes. Each process joins its equal points, and then all get
 * the merged list, so that the cuts are those of one table with all rows. This is exact up to
 * HEFT_POINTS_EXACT points in total. Longer lists are thinned beforehand: each of R processes
 * reduces its list to HEFT_POINTS_EXACT / R points, in runs of equal weight. The weight of a run
 * moves to its highest value; the lowest and the highest value of the list stay. With K classes, a
 * quantile is then wrong by less than a fraction K R / HEFT_POINTS_EXACT of the rows. */
#pragma once

#include "base/sort.h"
#include "prep/prep.h"

enum { HEFT_POINTS_EXACT = 1 << 20 };

typedef struct heft_points {
    size_t    n;
    double   *x;
    uint16_t *y;
    double   *weight; /* NULL: all 1 */
} heft_points;

/* Allocate scratch memory for n points; out->n is 0. */
heft_status        heft_points_new(heft_ctx *ctx, size_t n, bool weighted, heft_points *out);
static inline void heft_points_add(heft_points *to, double x, uint16_t y, double weight)
{
    to->x[to->n] = x;
    to->y[to->n] = y;
    if (to->weight) to->weight[to->n] = weight;
    to->n++;
}

/* Replace the points by those of all processes, with equal points joined, in scratch memory.
 * Nothing changes if this process has all rows. `exact` is HEFT_POINTS_EXACT except in tests. */
heft_status heft_points_merge(heft_ctx *ctx, heft_points *points, size_t exact);

/* Sort points into v: those with positive weight and a class below n_class, by value, then class,
 * then weight, so that sums do not depend on the order of the rows. If n_class is 0, classes are
 * ignored. The keys of v are those of the values. Returns the number of points in v; v and spare
 * have space for all n points. */
size_t heft_points_order(const double *x, const uint16_t *y, const double *weight, size_t n,
                         size_t n_class, heft_ranked *v, heft_ranked *spare);

/* Compute the cuts of Fayyad and Irani (mdl.c). `scale` multiplies the threshold of their test
 * (1993, section 3.4); 1 gives their test. */
heft_status heft_cuts_mdl(heft_ctx *ctx, heft_arena *arena, const heft_points *points,
                          size_t n_class, double scale, double **cuts, size_t *n_cuts);
