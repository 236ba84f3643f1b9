/* wanbia.c - WANBIA and CAWNB: weights by attribute, or by class and attribute, that minimise the
 * squared error of the posterior. Objective and gradient: learn/squared.c.
 *
 *   wanbia  log P(c|x) = log pi_c + sum_j w_j  log theta_{c,j,x_j} + const            (8)
 *   cawnb   log P(c|x) = log pi_c + sum_j W_cj log theta_{c,j,x_j} + const            (7)
 *
 * from all weights 1, within [0,1] by default. */
#include "learn/basis.h"
#include "learn/squared.h"
#include "methods/cwanb.h"

static const heft_option wanbia_options[] = {HEFT_SQUARED_OPTIONS, HEFT_OPT_END};

static const heft_option cawnb_options[] = {HEFT_SQUARED_OPTIONS, HEFT_GRADIENT_OPTION,
                                            HEFT_OPT_END};

/* The start is moved into the bounds by the minimiser. */
static heft_status fit_weights(heft_ctx *ctx, const heft_task *task, const heft_squared_rule *rule,
                               const double *start, heft_fitted *out)
{
    const size_t  per = rule->by_class ? out->n_class : 1;
    heft_squared *q;
    heft_minimum  min;

    HEFT_CHECK(heft_squared_open(ctx, task, out, rule, &q));
    out->weights.shape = rule->by_class ? HEFT_W_CLASS : HEFT_W_ATTR;
    HEFT_ALLOC(ctx, task->arena, out->weights.w, q->n);
    heft_squared_start(q, out->weights.w);
    for (size_t k = 0; start && k < q->n; k++) out->weights.w[k] = start[k];
    HEFT_CHECK(heft_squared_minimise(ctx, q, NULL, out->weights.w, &min));
    heft_record_minimum(&min, &out->training);
    heft_fact_number(out, "selection_rate", heft_selection_rate(out->weights.w, out->n_attr, per));
    return HEFT_OK;
}

heft_status heft_wanbia_fit(heft_ctx *ctx, const heft_task *task, const double *start,
                            heft_fitted *out)
{
    heft_squared_rule rule = {.by_attr = true};
    heft_squared_options(task, &rule);
    return fit_weights(ctx, task, &rule, start, out);
}

static heft_status fit_wanbia(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    HEFT_CHECK(heft_fit_basis(ctx, task, HEFT_LIK_NORMAL, out, NULL));
    return heft_wanbia_fit(ctx, task, NULL, out);
}

static heft_status fit_cawnb(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    heft_squared_rule rule = {.by_class = true};
    HEFT_CHECK(heft_fit_basis(ctx, task, HEFT_LIK_NORMAL, out, NULL));
    heft_squared_options(task, &rule);
    rule.printed = heft_param(task, "gradient")->word == 1;
    return fit_weights(ctx, task, &rule, NULL, out);
}

static const heft_twin untouched[] = HEFT_TWINS_OF("nb", "max-iter=0");

const heft_method heft_method_wanbia = {
    .name = "wanbia",
    .title = "a weight for each attribute that minimises the squared error",
    .source = "Wang, Ren and Bai, regularized naive Bayes, (5) (8) (13) (14) (16) (21)",
    .family = HEFT_EMBEDDED,
    .caps =
        HEFT_TAKES_NUMBERS | HEFT_TAKES_MISSING | HEFT_TAKES_WEIGHTS | HEFT_ADDITIVE | HEFT_SHARDS,
    .prepare = HEFT_SQUARED_PREPARE,
    .options = wanbia_options,
    .twins = untouched,
    .fit = fit_wanbia,
};

const heft_method heft_method_cawnb = {
    .name = "cawnb",
    .title = "a weight for each class and attribute that minimises the squared error",
    .source = "Wang, Ren and Bai, regularized naive Bayes, (5) (7) (13) (14) (15) (21)",
    .family = HEFT_EMBEDDED,
    .caps =
        HEFT_TAKES_NUMBERS | HEFT_TAKES_MISSING | HEFT_TAKES_WEIGHTS | HEFT_ADDITIVE | HEFT_SHARDS,
    .prepare = HEFT_SQUARED_PREPARE,
    .options = cawnb_options,
    .twins = untouched,
    .fit = fit_cawnb,
};
