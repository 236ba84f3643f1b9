/* points.h - the numbers of a column with their classes and weights: what cuts are made from.
 *
 * Rows may be spread over several processes. Each joins its equal points; the lists of all of them
 * joined are those of one table with all the rows, so that the cuts are the same. Up to
 * HEFT_POINTS_EXACT points in all that is exact. Beyond it each of R processes thins its list to
 * its share of that number, in runs of equal weight: a run's weight moves up to its highest value,
 * the lowest and the highest value stay. A quantile is then off by less than K R /
 * HEFT_POINTS_EXACT of the rows, with K classes. */
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

/* Memory for n points, in scratch memory; n stays 0. */
heft_status        heft_points_new(heft_ctx *ctx, size_t n, bool weighted, heft_points *out);
static inline void heft_points_add(heft_points *to, double x, uint16_t y, double weight)
{
    to->x[to->n] = x;
    to->y[to->n] = y;
    if (to->weight) to->weight[to->n] = weight;
    to->n++;
}

/* The points become those of all rows, equal ones joined; in scratch memory. Nothing changes where
 * all rows are in this process. `exact` is normally HEFT_POINTS_EXACT. */
heft_status heft_points_merge(heft_ctx *ctx, heft_points *points, size_t exact);

/* v: of n points those of positive weight and class below n_class, by value, then class, then
 * weight (so that sums do not depend on the order of the rows); keys are those of the values.
 * n_class 0: of any class, by value, then weight. Returns how many; v and spare have space for all
 * points. */
size_t heft_points_order(const double *x, const uint16_t *y, const double *weight, size_t n,
                         size_t n_class, heft_ranked *v, heft_ranked *spare);

/* The cuts of Fayyad and Irani (mdl.c). `scale` multiplies the threshold of their equation (1993,
 * section 3.4); 1 is theirs. */
heft_status heft_cuts_mdl(heft_ctx *ctx, heft_arena *arena, const heft_points *points,
                          size_t n_class, double scale, double **cuts, size_t *n_cuts);
