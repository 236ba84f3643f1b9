/* local.h - what the lazy methods share: naive Bayes on counts weighted around the query.
 *
 *   log Q(c) = log(1 + rho S_c) + sum_i [ log(1 + rho T_ci) - log(q_i + rho S_c) ]
 *
 * S_c is the weight of the rows of class c, T_ci that of those which agree with the query on
 * attribute i, q_i the declared values of i (Li and Li, section 3.3: Laplace's estimates, whose
 * class denominator is common to all classes and left out). */
#pragma once

#include "base/rows.h"
#include "methods/lazy/neighbours.h"
#include "model/method.h"
#include "model/state.h"

typedef struct heft_lazy { /* the private state */
    heft_neighbours nb;
    double          setting[2]; /* numbers that the method computes from its parameters */
} heft_lazy;

/* Fits everything except the settings: packs the rows into fitted->own, and makes the priors and
 * tables that inspect shows. */
heft_status heft_lazy_fit(heft_ctx *ctx, const heft_task *task, heft_fitted *out, heft_lazy **own);
heft_status heft_lazy_gather(heft_ctx *ctx, heft_fitted *fitted);

/* Computes weight[l] of the rows at distance l <= m, of which there are total[l], and returns
 * rho. */
typedef double heft_kernel_fn(const double *setting, const uint32_t *total, size_t m,
                              double *weight);

typedef struct heft_asking { /* queries, and one of two places for the answers */
    const heft_lazy *own;
    const heft_rows *rows;
    double          *log_joint; /* n_rows x n_class */
    double          *parts;     /* (1 + n_attr) x n_class, for one row */
    heft_kernel_fn  *kernel;    /* weights that depend on the distance alone; NULL: they do not */
} heft_asking;

/* Writes log Q(c) of a row, or its parts; t is in lanes. Classes come in order: after the last one,
 * scores that differ from the largest by no more than rounding become equal to it, so that the
 * lowest class wins a tie. */
void heft_lazy_answer(const heft_asking *job, size_t row, size_t c, double rho, double s,
                      const double *t);

/* Computes weight[c * (m + 1) + l] of the rows of class c at distance l, of which there are level[c
 * * (m + 1) + l], and returns rho. `total` is work space of m + 1 numbers. */
typedef double heft_weigh_fn(const heft_asking *job, const double *level, size_t n_class, size_t m,
                             uint32_t *total, double *weight);

/* Computes log_joint of all rows, block by block. Where the training rows are spread over ranks,
 * all ranks have the same queries and call it at once. Each counts among its own rows, for every
 * class and distance, how many there are and how many of them agree with the query on each
 * attribute. These whole numbers are added over the ranks, and from there on every rank computes
 * what a single process computes from all rows, with the same bits. */
heft_status heft_lazy_score(heft_ctx *ctx, heft_asking *job, heft_block_fn *fn,
                            heft_weigh_fn *weigh);

#define HEFT_LAZY_ROWS                                                                             \
    {                                                                                              \
        .name = "nb", HEFT_PART(heft_lazy, nb, &heft_neighbours_state)                             \
    }

/* The record of a method with options_ID, fields_ID, score_ID and parts_ID. */
#define HEFT_LAZY_METHOD(id, what, from, learn, same)                                              \
    static const heft_state state_##id = {.size = sizeof(heft_lazy), .fields = fields_##id};       \
    const heft_method       heft_method_##id = {                                                   \
              .name = #id,                                                                         \
              .title = what,                                                                       \
              .source = from,                                                                      \
              .family = HEFT_LAZY,                                                                 \
              .caps = HEFT_SHARDS | HEFT_ESTIMATES,                                                \
              .prepare = {.impute = "mean", .discretize = "width:10", .smoothing = "laplace"},     \
              .options = options_##id,                                                             \
              .twins = same,                                                                       \
              .fit = learn,                                                                        \
              .score = score_##id,                                                                 \
              .state = &state_##id,                                                                \
              .parts = parts_##id,                                                                 \
              .gather = heft_lazy_gather,                                                          \
    }
