/* basis.h - plain naive Bayes, from which almost every method starts, and the record of a
 * minimisation. */
#pragma once

#include "model/method.h"
#include "optim/optim.h"

/* Fits priors, tables and densities with all weights 1. Fills log_prior, lik, weights (HEFT_W_ONE,
 * w0 = 1), n_attr, n_class and training.rows of *out. If `counts` is not NULL, it receives the
 * counts, in ctx->scratch. */
heft_status heft_fit_basis(heft_ctx *ctx, const heft_task *task, heft_fitted *out,
                           heft_counts *counts);

/* Whether attribute j has a single value in all training rows and declares no other. Methods whose
 * weights or structure depend on the number of attributes leave such attributes out. `lik` holds
 * the likelihoods made by heft_fit_basis. */
bool heft_is_flat(const heft_task *task, const heft_lik *lik, size_t j);

/* Option "constant" of methods whose result depends on the number of attributes. Columns with one
 * value say nothing about the class, and leaving them out makes the result independent of them.
 * Weka and the papers count them. */
#define HEFT_CONSTANT_OPTION                                                                       \
    HEFT_OPT_WORDS("constant", "drop", "drop|keep",                                                \
                   "columns that have one value in all training rows: left out, or counted as "    \
                   "attributes as in Weka and the papers (the default under the whole protocol)")
bool heft_keeps_constant(const heft_task *task);
/* Whether a model that is being loaded was fitted with constant=keep. */
bool heft_model_keeps_constant(const heft_model *model);

/* Stores iterations, evaluations, objective and reason for stopping, which `heft inspect` shows. */
void heft_record_minimum(const heft_minimum *min, heft_training *to);
