/* exploss.h - the losses of exploss.c at given weights, for tests. */
#pragma once

#include "learn/objective.h"

typedef enum heft_margin_loss {
    HEFT_ENB,
    HEFT_DNB,
    HEFT_LNB,
    HEFT_GDNB,
    HEFT_MSE
} heft_margin_loss;

/* Computes the objective (for enb the logarithm of 1 + its loss) at the prior weight w0 and the
 * weights w[n_attr]. prior[n_base] is P0 for a class pair, otherwise the log priors. gradient[1 +
 * n_attr] is by w0, then by attribute. */
heft_status heft_margin_loss_at(heft_ctx *ctx, const heft_evidence *ev, heft_margin_loss loss,
                                const double *prior, double w0, const double *w, double *f,
                                double *gradient);
