/* attribute_filters.c - klnb, cfwnb and dfwnb: attributes weighted by measures of each.
 *
 * KLNB (FWNB): the Kullback-Leibler weight of an attribute, which is its gain ratio.
 * Lee, Gutierrez and Dou, calculating feature weights in naive Bayes with Kullback-Leibler measure.
 *
 *   GR_j = sum_v P(v) sum_c P(c|v) log( P(c|v) / P(c) )  /  ( - sum_v P(v) log P(v) )
 *   w_j  = GR_j / mean GR      normalise=mean, as in the original
 *        = GR_j / sum GR       normalise=sum, as in the figures of Kim and Lee, Table 2
 *        = GR_j                normalise=none
 *
 * An attribute of one value has weight 0; a constant one does not count in means. Numbers are cut
 * into intervals for the weight alone; in sparse rows the intervals are zero and not zero.
 *
 * CFW (CFWNB, CBFWNB): an attribute weighs more the more information it shares with the
 * class, and less the more it shares with the other attributes. Jiang, Zhang, Li and Wu,
 * correlation-based feature weighting.
 *
 *   R_j = I(A_j;C) / mean_k I(A_k;C)
 *   D_j = mean over k != j of I(A_j;A_k) / (mean over all pairs of I)
 *   w_j = 1 / (1 + exp(-(R_j - D_j)))
 *
 * Constant attributes are not counted and weigh 0. D is 0 with one attribute, and a ratio whose
 * mean is 0 is 0.
 *
 * DFWNB (DAWNB): attributes chosen by CFS weigh more, in the counts as well as in the
 * score. Jiang, Li, Wang and Zhang, deep feature weighting for naive Bayes.
 *
 *   W_j       = weight for the attributes CFS selects (2), 1 for the others
 *   theta_cjv = (W_j n_cjv + 1/V_j) / (W_j n_cj + 1)      with --smoothing paper
 *             = (W_j n_cjv + 1) / (W_j n_cj + V_j)        with --smoothing laplace
 *   s_c(x)    = log pi_c + sum_j W_j log theta_{c,j,x_j}
 *
 * For numbers the weight is the exponent alone: their means and standard deviations do not change
 * when every row counts W_j times. */
#include "methods/attribute_filters.h"
#include "base/num.h"
#include "learn/basis.h"
#include "learn/filters.h"
#include "stats/cfs.h"

static const heft_option klnb_options[] = {
    HEFT_OPT_WORDS("normalise", "mean", "mean|sum|none",
                   "scale the weights to mean 1 (the original), to sum 1, or not at all"),
    HEFT_BINS_OPTION("10"),
    HEFT_BLEND_OPTION,
    HEFT_OPT_END,
};

enum { MEAN, SUM, NONE };

static heft_status fit_klnb(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    const size_t m = task->rows->n_attr;
    heft_counts  counts;
    uint32_t    *n_codes;
    double      *w, sum = 0;
    size_t       n_zero = 0, n_used = 0;
    HEFT_CHECK(heft_fit_basis(ctx, task, out, NULL));
    HEFT_ALLOCS(ctx, &ctx->scratch, m, w, n_codes);
    HEFT_CHECK(heft_filter_counts(ctx, task, &counts, n_codes));
    for (size_t j = 0; j < m; j++) {
        const heft_info info = heft_info_class(&counts, j, n_codes[j]);
        w[j] = heft_gain_ratio(&info);
        sum += w[j];
        n_zero += w[j] == 0;
        n_used += !heft_is_flat(task, out->lik, j);
    }
    heft_fact_number(out, "mean_gain_ratio", n_used ? sum / (double)n_used : 0);
    heft_fact_number(out, "without_weight", (double)n_zero);
    const int    how = heft_param(task, "normalise")->word;
    const double by = how == NONE ? 1 : how == SUM ? sum : sum / (double)n_used;
    if (by > 0)
        for (size_t j = 0; j < m; j++) w[j] /= by;
    return heft_filter_weights(ctx, task, w, out);
}

static const heft_option cfwnb_options[] = {HEFT_BINS_OPTION("mdl"), HEFT_BLEND_OPTION,
                                            HEFT_CONSTANT_OPTION, HEFT_OPT_END};

static bool left_out(const heft_task *task, const heft_lik *lik, size_t j)
{
    return !heft_keeps_constant(task) && heft_is_flat(task, lik, j);
}

heft_status heft_cfw_weights(heft_ctx *ctx, const heft_task *task, double *w, heft_fitted *out)
{
    const size_t          m = task->rows->n_attr;
    const heft_suffstats *known = heft_known_coded(task->known);
    double               *r, *d, mean_r = 0, mean_d = 0, n_used = 0;
    heft_rows             coded;
    heft_columns         *cols;
    heft_counts           counts;
    HEFT_ALLOCS(ctx, &ctx->scratch, m, r, d);
    HEFT_CHECK(heft_filter_rows(ctx, task, &coded));
    HEFT_CHECK(heft_known_counts(ctx, &coded, known, &ctx->scratch, &counts));
    for (size_t j = 0; j < m; j++) r[j] = heft_info_class(&counts, j, coded.attr[j].n_codes).mutual;
    HEFT_CHECK(heft_columns_build(ctx, &coded, known, &ctx->scratch, &cols));
    HEFT_CHECK(heft_mutual_sums(ctx, cols, task->method->name, d));
    for (size_t j = 0; j < m; j++) n_used += !left_out(task, out->lik, j);
    for (size_t j = 0; j < m; j++) {
        if (n_used == 0) break; /* all weights are 0 */
        if (n_used > 1) d[j] /= n_used - 1;
        mean_r += r[j] / n_used;
        mean_d += d[j] / n_used; /* every pair twice, in n (n - 1) places: the mean over pairs */
    }
    for (size_t j = 0; j < m; j++)
        w[j] =
            left_out(task, out->lik, j)
                ? 0
                : heft_sigmoid((mean_r > 0 ? r[j] / mean_r : 0) - (mean_d > 0 ? d[j] / mean_d : 0));
    heft_fact_number(out, "mean_relevance", mean_r);
    heft_fact_number(out, "mean_redundancy", mean_d);
    return HEFT_OK;
}

static heft_status fit_cfwnb(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    double *w;
    HEFT_CHECK(heft_fit_basis(ctx, task, out, NULL));
    HEFT_ALLOC(ctx, &ctx->scratch, w, out->n_attr);
    HEFT_CHECK(heft_cfw_weights(ctx, task, w, out));
    return heft_filter_weights(ctx, task, w, out);
}

static const heft_option dfwnb_options[] = {
    HEFT_OPT_NUMBER("weight", "2", 0, 1000,
                    "weight of the attributes that CFS selects; the others have weight 1"),
    HEFT_OPT_WHOLE("stale", "5", 1, 100,
                   "end the search after this many expansions without a better set"),
    HEFT_OPT_WORDS("unrelated", "weka", "weka|zero",
                   "correlation of two unrelated attributes: 1, as in Weka, or 0"),
    HEFT_BINS_OPTION("mdl"),
    HEFT_CONSTANT_OPTION,
    HEFT_OPT_END,
};

static heft_status fit_dfwnb(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    const heft_rows    *rows = task->rows;
    const double        weight = heft_param_num(task, "weight");
    const heft_cfs_rule rule = {.stale = (size_t)heft_param_num(task, "stale"),
                                .unrelated = heft_param(task, "unrelated")->word == 0};
    heft_counts         counts;
    heft_columns       *cols;
    heft_cfs            cfs;
    HEFT_CHECK(heft_fit_basis(ctx, task, out, &counts));
    HEFT_CHECK(heft_filter_columns(ctx, task, &cols));
    HEFT_CHECK(heft_cfs_search(ctx, cols, &rule, task->arena, &cfs));
    out->weights.shape = HEFT_W_ATTR;
    HEFT_ALLOC(ctx, task->arena, out->weights.w, out->n_attr);
    for (size_t j = 0; j < out->n_attr; j++) out->weights.w[j] = 1;
    for (size_t k = 0; k < cfs.n; k++) out->weights.w[cfs.kept[k]] = weight;
    for (size_t j = 0; j < out->n_attr; j++) { /* tables from the counts times the weights */
        const size_t cells = ((size_t)rows->attr[j].n_codes + 2) * rows->n_class;
        const double w = out->weights.w[j];
        if (!rows->attr[j].coded || w == 1) continue;
        for (size_t k = 0; k < cells; k++) counts.cell[j][k] *= w;
    }
    const heft_lik_source from = {rows, task->known, &counts, task->smoothing, HEFT_LIK_NORMAL};
    HEFT_CHECK(heft_likelihoods(ctx, &from, task->arena, &out->lik));
    heft_fact_number(out, "selected", (double)cfs.n);
    heft_fact_number(out, "merit", cfs.merit);
    heft_fact_number(out, "search_evaluations", (double)cfs.evaluations);
    heft_fact_number(out, "search_expansions", (double)cfs.expansions);
    return heft_fact_attributes(ctx, task, out, "selected_attributes", cfs.kept, cfs.n);
}

static const heft_twin unblended[] = HEFT_TWINS_OF("nb", "blend=0", "variance=class");
static const heft_twin unweighted[] = HEFT_TWINS_OF("nb", "weight=1", "variance=class");

#define RECORD(id, other, what, from, more_caps, stats, same, ...)                                 \
    const heft_method heft_method_##id = {                                                         \
        .name = #id,                                                                               \
        .alias = other,                                                                            \
        .title = what,                                                                             \
        .source = from,                                                                            \
        .family = HEFT_FILTER,                                                                     \
        .caps = HEFT_TAKES_NUMBERS | HEFT_TAKES_MISSING | HEFT_TAKES_WEIGHTS | HEFT_ADDITIVE |     \
                more_caps,                                                                         \
        .prepare = {__VA_ARGS__, .prior = "smoothed"},                                             \
        .suffstats = HEFT_STATS_COUNTS | stats,                                                    \
        .options = id##_options,                                                                   \
        .twins = same,                                                                             \
        .fit = fit_##id,                                                                           \
    }

RECORD(klnb, "fwnb", "attributes weighted by the Kullback-Leibler measure: their gain ratio",
       "[lee2011]", HEFT_TAKES_SPARSE | HEFT_SHARDS, HEFT_STATS_SUMS | HEFT_STATS_VALUES, unblended,
       .smoothing = "laplace");
RECORD(cfwnb, "cfw,cbfwnb",
       "attributes weighted by their relevance to the class minus their redundancy", "[jiang2019b]",
       0, HEFT_STATS_PAIRS | HEFT_STATS_COMPLETE, unblended, .impute = "mean", .discretize = "mdl",
       .smoothing = "paper");
RECORD(dfwnb, "dawnb", "attributes selected by CFS count double, in the estimates and in the score",
       "[jiang2016]; CFS by [hall2000]", 0, HEFT_STATS_PAIRS | HEFT_STATS_COMPLETE, unweighted,
       .impute = "mean", .discretize = "mdl", .smoothing = "paper");
