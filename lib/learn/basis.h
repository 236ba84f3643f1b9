/* basis.h - where almost every method starts: naive Bayes; and the record of a minimisation. */
#pragma once

#include "model/method.h"
#include "optim/optim.h"

/* Priors, tables and densities with all weights 1, the start of almost every method; fills
 * log_prior, lik, weights (ONE, w0 = 1), n_attr, n_class, training.rows. *counts (may be NULL) gets
 * the counts, in scratch memory. */
heft_status heft_fit_basis(heft_ctx *ctx, const heft_task *task, heft_fitted *out,
                           heft_counts *counts);

/* Attribute j has one value in all rows that are learned from, and is declared no other: methods
 * whose weights or structure depend on how many attributes there are leave it out. `lik` is of
 * the basis. */
bool heft_is_flat(const heft_task *task, const heft_lik *lik, size_t j);

/* The option of methods whose result depends on how many attributes there are. Columns of one value
 * say nothing about the class, and leaving them out makes the result independent of them; Weka and
 * the papers count them. */
#define HEFT_CONSTANT_OPTION                                                                       \
    HEFT_OPT_WORDS("constant", "drop", "drop|keep",                                                \
                   "columns that have one value in all training rows: left out, or counted as "    \
                   "attributes as in Weka and the papers (the default under the whole protocol)")
bool heft_keeps_constant(const heft_task *task);
/* Whether a model that is being loaded was fitted with constant=keep. */
bool heft_model_keeps_constant(const heft_model *model);

/* How a minimisation went, for inspect. */
void heft_record_minimum(const heft_minimum *min, heft_training *to);
