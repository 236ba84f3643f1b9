/* squared.h - weights that minimise the squared error of the posterior: one fit for wanbia, cawnb,
 * rnb and cwanb.
 *
 * A row has one or two posteriors, and what is compared with its class is
 *
 *   by_class alone  P = P^D = softmax_c( log pi_c + sum_j W_jc l_icj )           cawnb
 *   by_attr alone   P = P^I = softmax_c( log pi_c + sum_j w_j  l_icj )           wanbia
 *   both            P = alpha P^D + (1 - alpha) P^I                              rnb
 *
 * The point x of the minimiser holds W (n_attr x n_class, as in heft_weights), then w, then alpha
 * where it is learned; parts that are not fitted are left out. */
#pragma once

#include "learn/basis.h"
#include "learn/objective.h"
#include "model/method.h"
#include "optim/optim.h"

typedef struct heft_squared_rule { /* which weights are fitted, and by which method */
    bool      by_class, by_attr;
    bool      learn_alpha;  /* whether alpha is fitted; only with by_class and by_attr */
    double    alpha;        /* initial value of alpha if it is fitted, otherwise its value */
    bool      printed;      /* whether the gradient of W is as printed in (15) or the true one */
    bool      descent;      /* whether to use steepest descent, (18)-(20), or L-BFGS-B */
    double    l2;           /* strength of the penalty l2/2 sum (weight - 1)^2 */
    double    lower, upper; /* bounds of the weights; infinite if there are none */
    heft_stop stop;
} heft_squared_rule;

typedef struct heft_squared { /* one problem, in scratch memory; only `size` changes */
    heft_squared_rule    rule;
    const heft_evidence *ev;
    const double        *log_prior;
    size_t               n, n_attr, n_class; /* n is the number of variables */
    size_t               at_attr, at_alpha;  /* offsets of w and alpha in x; n if absent */
    bool                 scaled;
    double               size;   /* estimate of the mean |d loss / d score|; see heft_loss */
    double              *scale;  /* per attribute; the minimiser's variable is weight * scale[j] */
    double              *spread; /* per attribute: mean |log-likelihood| (heft_evidence_spread) */
} heft_squared;

/* The options these methods share: tol, max-iter, memory, bounds, l2; for an option table. */
#define HEFT_SQUARED_OPTIONS                                                                       \
    HEFT_OPT_NUMBER("tol", "1e-7", 0, 1,                                                           \
                    "stop when the error falls by at most this share, three times in a row (21)"), \
        HEFT_OPT_WHOLE("max-iter", "1000", 0, 1e6,                                                 \
                       "maximum number of iterations; 0 keeps every weight at 1"),                 \
        HEFT_OPT_WHOLE("memory", "10", 1, 100, "number of correction pairs that L-BFGS-B keeps"),  \
        HEFT_OPT_PAIR_OR("none", "bounds", "0,1", "limits of the weights"),                        \
        HEFT_OPT_NUMBER("l2", "0", 0, 1e12,                                                        \
                        "penalty that pulls the weights towards 1: l2/2 sum (weight - 1)^2")

#define HEFT_GRADIENT_OPTION                                                                       \
    HEFT_OPT_WORDS("gradient", "true", "true|printed",                                             \
                   "gradient of the class weights: the true one, or (15) as printed in the paper")

#define HEFT_SQUARED_PREPARE                                                                       \
    {                                                                                              \
        .impute = "mean", .discretize = "mdl", .smoothing = "paper", .prior = "smoothed"           \
    }

/* Read the shared options of the task into the rule. */
void heft_squared_options(const heft_task *task, heft_squared_rule *rule);

/* The problem over the rows of the task; `basis` is as heft_fit_basis left it, and must outlive it.
 * Cost: O(n m). */
heft_status heft_squared_open(heft_ctx *ctx, const heft_task *task, const heft_fitted *basis,
                              const heft_squared_rule *rule, heft_squared **out);
/* Loss function (heft_loss_fn) of one posterior P, the softmax of the scores. If `printed` is true,
 * the slopes are those printed in (15). */
void heft_squared_loss(const heft_tile *tile, bool printed, double *scores, double *value);
/* x[n] = every weight 1 and alpha as the rule has it: naive Bayes. */
void heft_squared_start(const heft_squared *q, double *x);
/* f = 1/2 sum_i sum_c (P_ic - Y_ic)^2 with its gradient; `user` is the heft_squared. In weights,
 * not in the minimiser's variables. Cost: O(n m C). */
heft_objective_fn heft_squared_value;
/* Minimises f from x[n] and stores the result in x. `trace` is as in heft_lbfgsb. */
heft_status heft_squared_minimise(heft_ctx *ctx, heft_squared *q, heft_arena *trace, double *x,
                                  heft_minimum *out);
/* Fraction of attributes with a weight that is not 0; w has n_attr lines of `per` weights. */
double heft_selection_rate(const double *w, size_t n_attr, size_t per);
