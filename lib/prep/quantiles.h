/* quantiles.h - quantiles of a column whose rows may be spread over processes, and cuts of points.
 *
 * The distinct numbers are kept in increasing order, each with the weight of the rows up to it.
 * Each process has the numbers of its own rows. If there are few numbers, every process gets all of
 * them. Otherwise a quantile is found by bisection over the bits of the numbers, with sums over the
 * processes, so that no process needs the rows of another. Both ways give the quantile that a
 * single process with all rows would find. */
#pragma once

#include "prep/points.h"

enum { HEFT_QUANTILES_FEW = 256 }; /* a process with up to this many numbers sends them to all */

typedef struct heft_quantiles {
    size_t    n;     /* number of distinct numbers in `key` */
    uint64_t *key;   /* keys of the values (base/sort.h), increasing */
    double   *up_to; /* weight of the rows up to and including the value */
    bool      whole; /* all weights of all rows are whole numbers */
    bool      here;  /* `key` has the numbers of all processes; else those of this process */
    double    total; /* weight of all rows */
} heft_quantiles;

/* Collect the distinct numbers of x[n], which has no NaN, in scratch memory. Rows of weight 0 are
 * left out. If `all` is set, the rows are spread over all processes, which must all call this. */
heft_status heft_quantiles_make(heft_ctx *ctx, const double *x, const double *weight, size_t n,
                                bool all, heft_quantiles *out);
/* Set value[k] to the lowest value up to which the weight exceeds p[k] (with `reach`: is at least
 * p[k]), or to the highest value if there is none. next[k] is the value after it, or INFINITY. next
 * may be NULL. There must be at least one value. */
heft_status heft_quantiles_find(heft_ctx *ctx, const heft_quantiles *quantiles, const double *p,
                                size_t n, bool reach, double *value, double *next);
/* For each list l, set cuts[l] to the distinct values among the quantiles at i/bins[l], as for
 * heft_cuts_frequency. cuts[l] has space for bins[l] - 1 numbers. */
heft_status heft_quantiles_cuts(heft_ctx *ctx, const heft_quantiles *quantiles, const size_t *bins,
                                size_t n_lists, double *const *cuts, size_t *n_cuts);

/* Cut the points as `how` says, which is not HEFT_CUT_NONE. The cuts are allocated in `arena`,
 * which may be ctx->scratch. */
heft_status heft_points_cut(heft_ctx *ctx, const heft_points *points, const heft_binning *how,
                            size_t n_class, heft_arena *arena, double **cuts, size_t *n_cuts);
