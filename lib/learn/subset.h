/* subset.h - how many training rows a subset of the attributes gets right, without refitting.
 *
 * A subset holds the scores of all rows for the attributes chosen so far. Trying one attribute more
 * (or less) costs one look-up and one addition per class and row; nothing is estimated again.
 *
 * Left out, a row is scored by the tables of the others: its own class loses one count in the prior
 * and in every attribute, the other classes lose nothing. Of a row of weight w one is left out (w
 * itself where it is below 1), so a row of weight 2 is scored as two rows are. */
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
/* right[k]: the same if the weight of attribute list[k] moved by step. Cost: O(n C) each. */
heft_status heft_subset_try(heft_ctx *ctx, const heft_subset *subset, const size_t *list, size_t n,
                            double step, double *right);
/* Sum of the log posteriors of the rows' own classes if attribute j moved by step: decides between
 * two attributes that get the same number of rows right. */
heft_status heft_subset_likelihood(heft_ctx *ctx, const heft_subset *subset, size_t j, double step,
                                   double *log_posterior);
/* The weight of attribute j moves by step. */
heft_status heft_subset_move(heft_ctx *ctx, heft_subset *subset, size_t j, double step);
