/* sbc.c - the selective Bayesian classifier: naive Bayes over attributes chosen one at a time by
 * the share of training rows that are right. Langley and Sage, induction of selective Bayesian
 * classifiers.
 *
 * An attribute is added only when it raises that share. Where none does, the majority class is
 * predicted for every row (Kim and Lee's figures for nursery and car show this). */
#include "learn/basis.h"
#include "learn/greedy.h"

static const heft_option options[] = {HEFT_GREEDY_OPTIONS("training"), HEFT_OPT_END};

static heft_status fit(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    heft_greedy_rule rule = {0};
    heft_counts      counts;
    heft_greedy_options(task, &rule);
    HEFT_CHECK(heft_fit_basis(ctx, task, HEFT_LIK_NORMAL, out, &counts));
    return heft_greedy(ctx, task, &counts, &rule, out);
}

static const heft_twin twins[] = {
    HEFT_TWIN("start=all max-eval=0", "nb", "", 1e-12),
    HEFT_TWIN_PREPARED("start=all max-eval=0", "nb", "", 1e-12, .discretize = "mdl",
                       .impute = "mean", .smoothing = "paper"),
    HEFT_TWIN_END,
};

const heft_method heft_method_sbc = {
    .name = "sbc",
    .title = "naive Bayes over attributes chosen greedily by training accuracy",
    .source = "Langley and Sage, induction of selective Bayesian classifiers",
    .family = HEFT_WRAPPER,
    .caps = HEFT_TAKES_NUMBERS | HEFT_TAKES_MISSING | HEFT_TAKES_WEIGHTS | HEFT_ADDITIVE,
    .prepare = {.smoothing = "laplace", .prior = "smoothed"},
    .options = options,
    .twins = twins,
    .fit = fit,
};
