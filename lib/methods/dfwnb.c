/* dfwnb.c - DFWNB (DAWNB): attributes chosen by CFS weigh more, in the counts as well as in the
 * score. Jiang, Li, Wang and Zhang, deep feature weighting for naive Bayes.
 *
 *   W_j       = weight for the attributes CFS selects (2), 1 for the others
 *   theta_cjv = (W_j n_cjv + 1/V_j) / (W_j n_cj + 1)      with --smoothing paper
 *             = (W_j n_cjv + 1) / (W_j n_cj + V_j)        with --smoothing laplace
 *   s_c(x)    = log pi_c + sum_j W_j log theta_{c,j,x_j}
 *
 * For numbers the weight is the exponent alone: their means and standard deviations do not change
 * when every row counts W_j times. */
#include "learn/basis.h"
#include "learn/filters.h"
#include "stats/cfs.h"

static const heft_option options[] = {
    HEFT_OPT_NUMBER("weight", "2", 0, 1000, "of the attributes CFS selects; the others have 1"),
    HEFT_OPT_WHOLE("stale", "5", 1, 100,
                   "expansions without a better set after which the search ends"),
    HEFT_OPT_WORDS("unrelated", "weka", "weka|zero",
                   "correlation of two attributes that share nothing: 1, as in Weka, or 0"),
    HEFT_BINS_OPTION("mdl"),
    HEFT_OPT_END,
};

static heft_status fit(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    const heft_rows    *rows = task->rows;
    const double        weight = heft_param_num(task, "weight");
    const heft_cfs_rule rule = {.stale = (size_t)heft_param_num(task, "stale"),
                                .unrelated = heft_param(task, "unrelated")->word == 0};
    heft_counts         counts;
    heft_columns       *cols;
    heft_cfs            cfs;

    HEFT_CHECK(heft_fit_basis(ctx, task, HEFT_LIK_NORMAL, out, &counts));
    HEFT_CHECK(heft_filter_columns(ctx, task, &cols));
    HEFT_CHECK(heft_cfs_search(ctx, cols, &rule, task->arena, &cfs));
    out->weights.shape = HEFT_W_ATTR;
    HEFT_ALLOC(ctx, task->arena, out->weights.w, out->n_attr);
    for (size_t j = 0; j < out->n_attr; j++) out->weights.w[j] = 1;
    for (size_t k = 0; k < cfs.n; k++) out->weights.w[cfs.kept[k]] = weight;
    for (size_t j = 0; j < out->n_attr; j++) { /* tables from the counts times the weights */
        const size_t cells = ((size_t)rows->attr[j].n_codes + 2) * rows->n_class;
        const double w = out->weights.w[j];
        for (size_t k = 0; rows->attr[j].coded && w != 1 && k < cells; k++) counts.cell[j][k] *= w;
    }
    HEFT_CHECK(heft_likelihoods(ctx, rows, task->known, &counts, &task->smoothing, HEFT_LIK_NORMAL,
                                task->arena, &out->lik));
    heft_fact_number(out, "selected", (double)cfs.n);
    heft_fact_number(out, "merit", cfs.merit);
    heft_fact_number(out, "search_evaluations", (double)cfs.evaluations);
    heft_fact_number(out, "search_expansions", (double)cfs.expansions);
    return heft_fact_attributes(ctx, task, out, "selected_attributes", cfs.kept, cfs.n);
}

static const heft_twin twins[] = HEFT_TWINS_OF("nb", "weight=1");

const heft_method heft_method_dfwnb = {
    .name = "dfwnb",
    .alias = "dawnb",
    .title = "attributes selected by CFS weigh twice, in the counts and in the score",
    .source = "Jiang, Li, Wang and Zhang, deep feature weighting for naive Bayes",
    .family = HEFT_FILTER,
    .caps = HEFT_TAKES_NUMBERS | HEFT_TAKES_MISSING | HEFT_TAKES_WEIGHTS | HEFT_ADDITIVE,
    .prepare = {.impute = "mean", .discretize = "mdl", .smoothing = "paper", .prior = "smoothed"},
    .suffstats = HEFT_STATS_COUNTS | HEFT_STATS_PAIRS | HEFT_STATS_COMPLETE,
    .options = options,
    .twins = twins,
    .fit = fit,
};
