/* subset.h - training accuracy of naive Bayes on a subset of the attributes, without refitting.
 *
 * A subset holds the scores of all rows for the attributes chosen so far. Trying one attribute more
 * (or less) costs one look-up and one addition per class and row; nothing is estimated again.
 *
 * In the mode HEFT_SUBSET_LEFT_OUT a row is scored by the tables of all other rows: its own class
 * loses one count in the prior and in every attribute, the other classes lose nothing. A row of
 * weight w loses weight 1 (or w if that is below 1), so a row of weight 2 is scored like two rows.
 */
#pragma once

#include "learn/basis.h"
#include "model/fitted.h"

typedef enum heft_subset_mode { HEFT_SUBSET_TRAINING, HEFT_SUBSET_LEFT_OUT } heft_subset_mode;

typedef struct heft_subset_basis { /* a basis (heft_fit_basis) and where it came from */
    const heft_rows       *rows;   /* dense */
    const heft_counts     *counts;
    const heft_smoothing  *smoothing;
    const heft_prior_spec *prior;
    const heft_fitted     *basis; /* log_prior and lik */
} heft_subset_basis;

typedef struct heft_subset heft_subset;

/* The empty subset: the prior alone. Memory from `arena`, which may be ctx->scratch; the basis must
 * outlive the subset. The likelihoods of numbers are kept where they fit into half a gigabyte. */
heft_status heft_subset_open(heft_ctx *ctx, const heft_subset_basis *what, heft_subset_mode how,
                             heft_arena *arena, heft_subset **out);

/* Sum of the weights of the rows that are predicted right now. */
heft_status heft_subset_right(heft_ctx *ctx, const heft_subset *subset, double *right);
/* right[k] = the result of heft_subset_right if the weight of attribute list[k] changed by `step`.
 * Cost: O(n C) each. */
heft_status heft_subset_try(heft_ctx *ctx, const heft_subset *subset, const size_t *list, size_t n,
                            double step, double *right);
/* Sum of the log posteriors of the rows' own classes if the weight of attribute j changed by
 * `step`. It decides between attributes that get the same number of rows right. */
heft_status heft_subset_likelihood(heft_ctx *ctx, const heft_subset *subset, size_t j, double step,
                                   double *log_posterior);
/* Changes the weight of attribute j by `step`. */
heft_status heft_subset_move(heft_ctx *ctx, heft_subset *subset, size_t j, double step);
