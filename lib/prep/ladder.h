/* ladder.h - the distinct numbers of a column, each with the weight up to it: what quantiles are
 * found by, wherever the rows are.
 *
 * Rows may be spread over several processes. Each then has a ladder of its own rows. Where there
 * are few values the ladders become one, the same everywhere. Otherwise a value is found by halving
 * the range of all numbers again and again, by sums over the processes: as in a ladder of all rows,
 * however many there are. */
#pragma once

#include "prep/prep.h"

enum { HEFT_LADDER_FEW = 256 }; /* values of a process, up to which the ladders become one */

typedef struct heft_ladder {
    size_t    n;     /* rungs here */
    uint64_t *key;   /* of the values (base/sort.h), increasing */
    double   *up_to; /* weight of this process up to and including the value */
    bool      whole; /* all weights of all rows are whole numbers */
    bool      here;  /* all rungs are here; else there are more than HEFT_LADDER_FEW of them */
    double    total; /* weight of all rows */
} heft_ladder;

/* x: n values without NaN; rows of weight 0 are left out. In scratch memory. `all`: of all
 * processes. */
heft_status heft_ladder_make(heft_ctx *ctx, const double *x, const double *weight, size_t n,
                             bool all, heft_ladder *out);
/* value[k]: the lowest value with a weight of more than p[k] up to it (`reach`: p[k] or more), or
 * the highest of all; next[k]: the one after it, INFINITY where there is none. next may be NULL.
 * There must be a value. */
heft_status heft_ladder_find(heft_ctx *ctx, const heft_ladder *ladder, const double *p, size_t n,
                             bool reach, double *value, double *next);
/* cuts[l]: the distinct values among the quantiles at i/bins[l], as heft_cuts_frequency describes
 * them; it has room for bins[l] - 1. */
heft_status heft_ladder_cuts(heft_ctx *ctx, const heft_ladder *ladder, const size_t *bins,
                             size_t n_lists, double *const *cuts, size_t *n_cuts);
