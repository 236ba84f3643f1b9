/* ovo.h - one against one: a two-class method for every class pair, and the vote.
 *
 *   f_ab       = w0 (log P(a) - log P(b)) + sum_j w_j (log P(x_j|a) - log P(x_j|b))
 *   p_ab       = 1 / (1 + exp(-f_ab))
 *   score of a = sum over b of p_ab, divided by the number of pairs k (k - 1) / 2
 *
 * Kim and Lee, (22)-(24). The tables and priors are those of all classes, estimated once; a class
 * pair has weights only. A method that uses it has heft_ovo_score, _state and _terms in its
 * record; where fitted->own is NULL the shared scorer is used. */
#pragma once

#include "model/method.h"
#include "model/state.h"

typedef struct heft_ovo {
    size_t           n_pairs;
    heft_class_pair *pair; /* the pairs, sorted by a, then b */
} heft_ovo;

/* Learns the weights of pair k, which are all 1 before. It runs on any thread and may write to
 * `pair` and to memory that belongs to k. */
typedef heft_status heft_class_pair_fn(heft_ctx *ctx, void *user, size_t k, heft_class_pair *pair);

/* Fits all pairs of the given classes, which are increasing, and sets out->own. */
heft_status heft_ovo_fit(heft_ctx *ctx, const size_t *classes, size_t n, heft_class_pair_fn *fn,
                         void *user, heft_fitted *out);

heft_status heft_ovo_score(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                           double *log_joint);
extern const heft_state heft_ovo_state;
heft_status             heft_ovo_terms(heft_ctx *ctx, const heft_fitted *fitted, heft_terms *out);
