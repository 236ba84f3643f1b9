/* basis.h - where almost every method starts, and how a minimisation is recorded. */
#ifndef HEFT_LEARN_BASIS_H
#define HEFT_LEARN_BASIS_H

#include "model/method.h"
#include "optim/optim.h"

/* Priors, tables and densities with all weights 1, the start of almost every method; fills
 * log_prior, lik, weights (ONE, w0 = 1), n_attr, n_class, training.rows. *counts (may be NULL) gets
 * the counts, in scratch memory. */
heft_status heft_fit_basis(heft_ctx *ctx, const heft_task *task, heft_lik_kind density,
                           heft_fitted *out, heft_counts *counts);

/* How a minimisation went. */
void heft_record_minimum(const heft_minimum *min, heft_training *to);

#endif
