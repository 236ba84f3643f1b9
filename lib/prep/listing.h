/* listing.h - the distinct values of a column by class, of one rank and of all of them together.
 *
 * Cuts need a column's values in order with their weight in every class, and no more. Each rank
 * joins its equal values; the lists of all ranks joined are those of one table with all the rows,
 * so that the cuts are the same. Up to HEFT_LISTING_EXACT entries (pairs of a value and a class,
 * summed over the ranks) that is exact. Beyond it each rank thins its list to its share of that
 * number, in runs of equal weight: a run's weight moves up to its highest value, the lowest and the
 * highest value stay. A quantile is then off by less than K R / HEFT_LISTING_EXACT of the rows,
 * with K classes and R ranks. */
#ifndef HEFT_PREP_LISTING_H
#define HEFT_PREP_LISTING_H

#include "base/ctx.h"

enum { HEFT_LISTING_EXACT = 1 << 20 };

typedef struct heft_listing { /* by value, then class; on the heap */
    size_t    n;
    double   *x, *weight;
    uint16_t *y;
} heft_listing;

/* The n cells, equal ones of a class joined; weight NULL: all 1. Rows of weight 0 are left out. */
heft_status heft_listing_of(heft_ctx *ctx, const double *x, const uint16_t *y, const double *weight,
                            size_t n, heft_listing *out);
/* All ranks at once: each of the m lists becomes that of all ranks. `exact` is normally
 * HEFT_LISTING_EXACT. */
heft_status heft_listing_share(heft_ctx *ctx, heft_listing *lists, size_t m, size_t exact);
void        heft_listing_clear(heft_listing *values);

#endif
