/* vwnb.h - the objective of vwnb, for tests. */
#pragma once

#include "learn/objective.h"
#include "optim/optim.h"

typedef struct heft_vwnb {
    const heft_evidence *ev; /* evidence with one score per class; every attribute is coded */
    const double        *log_prior;
    const size_t        *offset; /* as in heft_weights */
    size_t               n;      /* number of weights */
    double               lambda, center;
    double               size; /* size of the slopes, as in heft_loss; 0: not known yet */
} heft_vwnb;

/* E(w) with its gradient; `user` is the heft_vwnb. Cost: O(n m C). */
heft_objective_fn heft_vwnb_value;

/* Runs the update that the report prints: `passes` steps from w, the first of size eta. */
heft_status heft_vwnb_printed(heft_ctx *ctx, heft_vwnb *p, double eta, long passes, double *w,
                              heft_minimum *min);
