/* judge.h - judging weights by the training rows, without refitting.
 *
 * A judge holds the scores of all rows for the weights chosen so far. What one attribute more (or
 * less) would do is one look-up and one addition a class and row; nothing is estimated anew.
 *
 * Left out, a row is judged by the tables of the others: its own class loses one count in the
 * prior and in every attribute, the other classes lose nothing. Of a row of weight w one is left
 * out (w itself where it is below 1), so that a row of weight 2 is judged as two rows are. */
#ifndef HEFT_LEARN_JUDGE_H
#define HEFT_LEARN_JUDGE_H

#include "learn/basis.h"
#include "model/fitted.h"

typedef enum heft_judging { HEFT_JUDGE_TRAINING, HEFT_JUDGE_LEFT_OUT } heft_judging;

typedef struct heft_case { /* what is judged: a basis (heft_fit_basis) and where it came from */
    const heft_rows       *rows; /* dense */
    const heft_counts     *counts;
    const heft_smoothing  *smoothing;
    const heft_prior_spec *prior;
    const heft_fitted     *basis; /* log_prior and lik */
} heft_case;

typedef struct heft_judge heft_judge;

/* All weights 0: the prior alone. Memory from `arena`, which may be ctx->scratch; the case must
 * outlive the judge. The likelihoods of numbers are kept where they fit into half a gigabyte. */
heft_status heft_judge_open(heft_ctx *ctx, const heft_case *what, heft_judging how,
                            heft_arena *arena, heft_judge **out);

/* Sum of the weights of the rows judged right, now. */
heft_status heft_judge_right(heft_ctx *ctx, const heft_judge *judge, double *right);
/* right[k]: the same if the weight of attribute list[k] moved by step. Cost: O(n C) each. */
heft_status heft_judge_try(heft_ctx *ctx, const heft_judge *judge, const size_t *list, size_t n,
                           double step, double *right);
/* Sum of the log posteriors of the rows' own classes if attribute j moved by step: which of two
 * equally often right is surer. */
heft_status heft_judge_surety(heft_ctx *ctx, const heft_judge *judge, size_t j, double step,
                              double *log_posterior);
/* The weight of attribute j moves by step. */
heft_status heft_judge_move(heft_ctx *ctx, heft_judge *judge, size_t j, double step);

#endif
