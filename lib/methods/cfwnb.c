/* cfwnb.c - CFW (CFWNB, CBFWNB): an attribute weighs more the more information it shares with the
 * class, and less the more it shares with the other attributes. Jiang, Zhang, Li and Wu,
 * correlation-based feature weighting.
 *
 *   R_j = I(A_j;C) / mean_k I(A_k;C)
 *   D_j = mean over k != j of I(A_j;A_k) / (mean over all pairs of I)
 *   w_j = 1 / (1 + exp(-(R_j - D_j)))
 *
 * D is 0 with one attribute, and a ratio whose mean is 0 is 0. */
#include "methods/cfwnb.h"
#include "learn/basis.h"
#include "learn/filters.h"

#include "base/num.h"

static const heft_option options[] = {HEFT_BINS_OPTION("mdl"), HEFT_BLEND_OPTION, HEFT_OPT_END};

heft_status heft_cfw_weights(heft_ctx *ctx, const heft_task *task, double *w, heft_fitted *out)
{
    const size_t          m = task->rows->n_attr;
    const heft_suffstats *known = heft_known_coded(task->known);
    double               *r, *d, mean_r = 0, mean_d = 0;
    heft_rows             coded;
    heft_columns         *cols;
    heft_counts           counts;

    HEFT_ALLOCS(ctx, &ctx->scratch, m, r, d);
    HEFT_CHECK(heft_filter_rows(ctx, task, &coded));
    HEFT_CHECK(heft_known_counts(ctx, &coded, known, &ctx->scratch, &counts));
    for (size_t j = 0; j < m; j++) r[j] = heft_info_class(&counts, j, coded.attr[j].n_codes).mutual;
    HEFT_CHECK(heft_columns_build(ctx, &coded, known, &ctx->scratch, &cols));
    HEFT_CHECK(heft_mutual_sums(ctx, cols, task->method->name, d));
    for (size_t j = 0; j < m; j++) {
        if (m > 1) d[j] /= (double)(m - 1);
        mean_r += r[j] / (double)m;
        mean_d += d[j] / (double)m; /* every pair twice, in m (m - 1) places: the mean over pairs */
    }
    for (size_t j = 0; j < m; j++)
        w[j] = heft_sigmoid((mean_r > 0 ? r[j] / mean_r : 0) - (mean_d > 0 ? d[j] / mean_d : 0));
    heft_fact_number(out, "mean_relevance", mean_r);
    heft_fact_number(out, "mean_redundancy", mean_d);
    return HEFT_OK;
}

static heft_status fit(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    double *w;
    HEFT_CHECK(heft_fit_basis(ctx, task, HEFT_LIK_NORMAL, out, NULL));
    HEFT_ALLOC(ctx, &ctx->scratch, w, out->n_attr);
    HEFT_CHECK(heft_cfw_weights(ctx, task, w, out));
    return heft_filter_weights(ctx, task, w, out);
}

static const heft_twin twins[] = HEFT_TWINS_OF("nb", "blend=0");

const heft_method heft_method_cfwnb = {
    .name = "cfwnb",
    .alias = "cfw,cbfwnb",
    .title = "attributes weighted by their relevance to the class less their redundancy",
    .source = "Jiang, Zhang, Li and Wu, correlation-based feature weighting for naive Bayes",
    .family = HEFT_FILTER,
    .caps = HEFT_TAKES_NUMBERS | HEFT_TAKES_MISSING | HEFT_TAKES_WEIGHTS | HEFT_ADDITIVE,
    .prepare = {.impute = "mean", .discretize = "mdl", .smoothing = "paper", .prior = "smoothed"},
    .suffstats = HEFT_STATS_COUNTS | HEFT_STATS_PAIRS | HEFT_STATS_COMPLETE,
    .options = options,
    .twins = twins,
    .fit = fit,
};
