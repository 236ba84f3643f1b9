/* distinct.h - the distinct values of a column by class, of one rank and of all of them together.
 *
 * Cuts need a column's values in order with their weight in every class, and no more. Each rank
 * joins its equal values; the lists of all ranks joined are those of one table with all the rows,
 * so that the cuts are the same. Up to HEFT_DISTINCT_EXACT entries (pairs of a value and a class,
 * summed over the ranks) that is exact. Beyond it each rank thins its list to its share of that
 * number, in runs of equal weight: a run's weight moves up to its highest value, the lowest and the
 * highest value stay. A quantile is then off by less than K R / HEFT_DISTINCT_EXACT of the rows,
 * with K classes and R ranks. */
#ifndef HEFT_PREP_DISTINCT_H
#define HEFT_PREP_DISTINCT_H

#include "base/ctx.h"

enum { HEFT_DISTINCT_EXACT = 1 << 20 };

typedef struct heft_distinct { /* by value, then class; on the heap */
    size_t    n;
    double   *x, *weight;
    uint16_t *y;
} heft_distinct;

/* The n cells, equal ones of a class joined; weight NULL: all 1. Rows of weight 0 are left out. */
heft_status heft_distinct_of(heft_ctx *ctx, const double *x, const uint16_t *y,
                             const double *weight, size_t n, heft_distinct *out);
/* All ranks at once: each of the m lists becomes that of all ranks. `exact` is normally
 * HEFT_DISTINCT_EXACT. */
heft_status heft_distinct_merge(heft_ctx *ctx, heft_distinct *lists, size_t m, size_t exact);
void        heft_distinct_clear(heft_distinct *values);

#endif
