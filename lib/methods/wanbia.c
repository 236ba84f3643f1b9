/* wanbia.c - WANBIA, CAWNB and CWANB: weights by attribute, or by class and attribute, that
 * minimise the squared error of the posterior. Objective and gradient: learn/squared.c.
 *
 *   wanbia  log P(c|x) = log pi_c + sum_j w_j  log theta_{c,j,x_j} + const            (8)
 *   cawnb   log P(c|x) = log pi_c + sum_j W_cj log theta_{c,j,x_j} + const            (7)
 *
 * from all weights 1, within [0,1] by default. cwanb is wanbia from the weights of cfwnb: the error
 * is not convex, so the result depends on the start; its error is never above that of the start. */
#include "learn/basis.h"
#include "learn/filters.h"
#include "learn/squared.h"
#include "methods/cfwnb.h"

static const heft_option wanbia_options[] = {HEFT_SQUARED_OPTIONS, HEFT_OPT_END};

static const heft_option cawnb_options[] = {HEFT_SQUARED_OPTIONS, HEFT_GRADIENT_OPTION,
                                            HEFT_OPT_END};

static const heft_option cwanb_options[] = {
    HEFT_OPT_NUMBER("tol", "1e-7", 0, 1,
                    "stop when the error falls by no more than this share of itself"),
    HEFT_OPT_WHOLE("max-iter", "1000", 0, 1e6, "iterations at most; 0 leaves the weights of cfwnb"),
    HEFT_OPT_WHOLE("memory", "10", 1, 100, "correction pairs of L-BFGS-B"),
    HEFT_OPT_PAIR_OR("none", "bounds", "0,1", "the weights stay within"),
    HEFT_OPT_NUMBER("l2", "0", 0, 1e12, "pull toward 1: adds l2/2 sum (weight - 1)^2"),
    HEFT_BINS_OPTION("mdl"),
    HEFT_OPT_END,
};

/* Over a finished basis; the start (NULL: all 1) is moved into the bounds by the minimiser. */
static heft_status minimise(heft_ctx *ctx, const heft_task *task, heft_squared_rule rule,
                            const double *start, heft_fitted *out)
{
    const size_t  per = rule.by_class ? out->n_class : 1;
    heft_squared *q;
    heft_minimum  min;

    heft_squared_options(task, &rule);
    HEFT_CHECK(heft_squared_open(ctx, task, out, &rule, &q));
    out->weights.shape = rule.by_class ? HEFT_W_CLASS : HEFT_W_ATTR;
    HEFT_ALLOC(ctx, task->arena, out->weights.w, q->n);
    heft_squared_start(q, out->weights.w);
    for (size_t k = 0; start && k < q->n; k++) out->weights.w[k] = start[k];
    HEFT_CHECK(heft_squared_minimise(ctx, q, NULL, out->weights.w, &min));
    heft_record_minimum(&min, &out->training);
    heft_fact_number(out, "selection_rate", heft_selection_rate(out->weights.w, out->n_attr, per));
    return HEFT_OK;
}

static heft_status fit_wanbia(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    HEFT_CHECK(heft_fit_basis(ctx, task, HEFT_LIK_NORMAL, out, NULL));
    return minimise(ctx, task, (heft_squared_rule){.by_attr = true}, NULL, out);
}

static heft_status fit_cawnb(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    const bool printed = heft_param(task, "gradient")->word == 1;
    HEFT_CHECK(heft_fit_basis(ctx, task, HEFT_LIK_NORMAL, out, NULL));
    return minimise(ctx, task, (heft_squared_rule){.by_class = true, .printed = printed}, NULL,
                    out);
}

static heft_status fit_cwanb(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    double *start;
    HEFT_CHECK(heft_fit_basis(ctx, task, HEFT_LIK_NORMAL, out, NULL));
    HEFT_ALLOC(ctx, &ctx->scratch, start, out->n_attr);
    HEFT_CHECK(heft_cfw_weights(ctx, task, start, out));
    return minimise(ctx, task, (heft_squared_rule){.by_attr = true}, start, out);
}

static const heft_twin as_nb[] = HEFT_TWINS_OF("nb", "max-iter=0");
static const heft_twin as_cfwnb[] = HEFT_TWINS_OF("cfwnb", "max-iter=0");

#define RECORD(id, what, from, family_, more_caps, same)                                           \
    const heft_method heft_method_##id = {                                                         \
        .name = #id,                                                                               \
        .title = what,                                                                             \
        .source = from,                                                                            \
        .family = family_,                                                                         \
        .caps = HEFT_TAKES_NUMBERS | HEFT_TAKES_MISSING | HEFT_TAKES_WEIGHTS | HEFT_ADDITIVE |     \
                more_caps,                                                                         \
        .prepare = HEFT_SQUARED_PREPARE,                                                           \
        .options = id##_options,                                                                   \
        .twins = same,                                                                             \
        .fit = fit_##id,                                                                           \
    }

RECORD(wanbia, "a weight for each attribute that minimises the squared error",
       "Wang, Ren and Bai, regularized naive Bayes, (5) (8) (13) (14) (16) (21)", HEFT_EMBEDDED,
       HEFT_SHARDS, as_nb);
RECORD(cawnb, "a weight for each class and attribute that minimises the squared error",
       "Wang, Ren and Bai, regularized naive Bayes, (5) (7) (13) (14) (15) (21)", HEFT_EMBEDDED,
       HEFT_SHARDS, as_nb);
RECORD(cwanb, "weights of cfwnb as the start, then those that minimise the squared error",
       "CWANB as Wang, Ren and Bai name it: cfwnb as the start of wanbia, (5) (8)", HEFT_WRAPPER, 0,
       as_cfwnb);
