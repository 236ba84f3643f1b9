/* klnb.c - KLNB (FWNB): the Kullback-Leibler weight of an attribute, which is its gain ratio.
 * Lee, Gutierrez and Dou, calculating feature weights in naive Bayes with Kullback-Leibler measure.
 *
 *   GR_j = sum_v P(v) sum_c P(c|v) log( P(c|v) / P(c) )  /  ( - sum_v P(v) log P(v) )
 *   w_j  = GR_j / mean GR      normalise=mean, as in the original
 *        = GR_j / sum GR       normalise=sum, as in the figures of Kim and Lee, Table 2
 *        = GR_j                normalise=none
 *
 * An attribute of one value has weight 0. Numbers are cut into intervals for the weight alone; in
 * sparse rows the intervals are zero and not zero. */
#include "learn/basis.h"
#include "learn/filters.h"

static const heft_option options[] = {
    HEFT_OPT_WORDS("normalise", "mean", "mean|sum|none",
                   "scale the weights to mean 1 (the original), to sum 1, or not at all"),
    HEFT_BINS_OPTION("10"),
    HEFT_BLEND_OPTION,
    HEFT_OPT_END,
};

enum { MEAN, SUM, NONE };

static heft_status fit(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    const size_t m = task->rows->n_attr;
    heft_counts  counts;
    uint32_t    *n_codes;
    double      *w, sum = 0;
    size_t       n_zero = 0;

    HEFT_CHECK(heft_fit_basis(ctx, task, HEFT_LIK_NORMAL, out, NULL));
    HEFT_ALLOCS(ctx, &ctx->scratch, m, w, n_codes);
    HEFT_CHECK(heft_filter_counts(ctx, task, &counts, n_codes));
    for (size_t j = 0; j < m; j++) {
        const heft_info info = heft_info_class(&counts, j, n_codes[j]);
        w[j] = heft_gain_ratio(&info);
        sum += w[j];
        n_zero += w[j] == 0;
    }
    heft_fact_number(out, "mean_gain_ratio", m ? sum / (double)m : 0);
    heft_fact_number(out, "without_weight", (double)n_zero);
    const int    how = heft_param(task, "normalise")->word;
    const double by = how == NONE ? 1 : how == SUM ? sum : sum / (double)m;
    for (size_t j = 0; j < m && by > 0; j++) w[j] /= by;
    return heft_filter_weights(ctx, task, w, out);
}

static const heft_twin twins[] = HEFT_TWINS_OF("nb", "blend=0");

const heft_method heft_method_klnb = {
    .name = "klnb",
    .alias = "fwnb",
    .title = "attributes weighted by the Kullback-Leibler measure: their gain ratio",
    .source =
        "Lee, Gutierrez and Dou, feature weights in naive Bayes with Kullback-Leibler measure",
    .family = HEFT_FILTER,
    .caps = HEFT_TAKES_NUMBERS | HEFT_TAKES_SPARSE | HEFT_TAKES_MISSING | HEFT_TAKES_WEIGHTS |
            HEFT_ADDITIVE | HEFT_SHARDS,
    .prepare = {.smoothing = "laplace", .prior = "smoothed"},
    .suffstats = HEFT_STATS_COUNTS | HEFT_STATS_SUMS | HEFT_STATS_VALUES,
    .options = options,
    .twins = twins,
    .fit = fit,
};
