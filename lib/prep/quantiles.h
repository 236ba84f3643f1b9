/* quantiles.h - quantiles of a column of numbers, wherever the rows are, and cuts of points.
 *
 * The distinct numbers are kept in increasing order, each with the weight of the rows up to it.
 * Rows may be spread over several processes; each of them then has the numbers of its own rows.
 * Where there are few numbers, every process gets all of them. Otherwise a quantile is found by
 * bisection over the range of all numbers, with sums over the processes: the answer is the one that
 * a single process with all rows would give, however many rows there are. */
#pragma once

#include "prep/points.h"

enum { HEFT_QUANTILES_FEW = 256 }; /* a process with up to this many numbers sends them to all */

typedef struct heft_quantiles {
    size_t    n;     /* distinct numbers in this process */
    uint64_t *key;   /* keys of the values (base/sort.h), increasing */
    double   *up_to; /* weight of this process up to and including the value */
    bool      whole; /* all weights of all rows are whole numbers */
    bool      here;  /* `key` has the numbers of all processes; else some process has more than
                        HEFT_QUANTILES_FEW */
    double total;    /* weight of all rows */
} heft_quantiles;

/* x: n values without NaN; rows of weight 0 are left out. In scratch memory. `all`: of all
 * processes. */
heft_status heft_quantiles_make(heft_ctx *ctx, const double *x, const double *weight, size_t n,
                                bool all, heft_quantiles *out);
/* value[k]: the lowest value with a weight of more than p[k] up to it (`reach`: p[k] or more), or
 * the highest of all; next[k]: the one after it, INFINITY where there is none. next may be NULL.
 * There must be a value. */
heft_status heft_quantiles_find(heft_ctx *ctx, const heft_quantiles *quantiles, const double *p,
                                size_t n, bool reach, double *value, double *next);
/* cuts[l]: the distinct values among the quantiles at i/bins[l], as heft_cuts_frequency describes
 * them; it has room for bins[l] - 1. */
heft_status heft_quantiles_cuts(heft_ctx *ctx, const heft_quantiles *quantiles, const size_t *bins,
                                size_t n_lists, double *const *cuts, size_t *n_cuts);

/* Cuts of the points; `how` is not HEFT_CUT_NONE. Cuts go to `arena`, which may be ctx->scratch. */
heft_status heft_points_cut(heft_ctx *ctx, const heft_points *points, const heft_binning *how,
                            size_t n_class, heft_arena *arena, double **cuts, size_t *n_cuts);
