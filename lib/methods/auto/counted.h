/* counted.h - the counted member (B) of the default method: one-dependence estimators at
 * several resolutions (geomean.h), calibrated on their leave-one-out scores.
 *
 *   B(x) = sum_r beta_r LN(G_r(x)) + a,   beta >= 0,   LN(s) = s - logsumexp(s)
 *
 * beta and a minimise the leave-one-out loss with penalties 3/2 sum (beta_r - 1/R)^2 and
 * 1/2 sum a_c^2. Resolutions that code every row alike are one member of multiplicity k: its centre
 * is k/R and its penalty 3/k, which has the same optimum. */
#pragma once

#include "methods/auto/geomean.h"
#include "methods/auto/pooled.h"
#include "optim/optim.h"

typedef struct heft_counted_member {
    unsigned     res;
    double       multiplicity, beta;
    heft_geomean dep;
} heft_counted_member;

typedef struct heft_counted {
    size_t              n_members, n_class;
    heft_counted_member member[HEFT_N_RES];
    double             *shift; /* a */
    double             *held;  /* n_held x K: leave-one-out B of the held rows, log-normalised */
    double              loss;  /* their mean loss */
    double *contribution; /* n_looked x n_attr x K: what attributes add to some of these scores */
    heft_minimum how;
} heft_counted;

typedef struct heft_counted_held { /* the rows to calibrate on */
    size_t        n;
    const size_t *row;   /* places in the sample; NULL: all of its rows */
    const double *alike; /* weight of each and of the rows like it; NULL: all 1 */
    const size_t *place; /* by row: its place among those of all processes; NULL: all are here */
    size_t        n_looked;
    const size_t *looked; /* places among the n of those whose contributions are wanted */
} heft_counted_held;

/* Counts from all rows of the sample, and of those of other processes, at the resolutions in
 * `resolutions` (bits). Memory from `arena`. */
heft_status heft_counted_fit(heft_ctx *ctx, const heft_sample *sample, const heft_coded *coded,
                             unsigned resolutions, const heft_counted_held *held, heft_arena *arena,
                             heft_counted *out);

/* Adds factor times B to the pooled score. The part of the joint probabilities that depends on
 * the class alone, log((n_c + 1/K) / (n + 1)), goes to the bias. */
heft_status heft_counted_pool(heft_ctx *ctx, const heft_counted *counted, const heft_coding *coding,
                              double factor, heft_arena *arena, heft_pooled *pooled);
/* The number of pairs that pooling will add at most. */
size_t heft_counted_pairs(const heft_counted *counted);
