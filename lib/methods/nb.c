/* nb.c - naive Bayes: every weight 1.
 *
 *   s_c(x) = log P(c) + sum_j log P(x_j | c)
 *
 * nb      tables smoothed by --smoothing; normals with the n-1 variance for numeric attributes; a
 *         class whose values are all equal is a point mass, or a narrow normal (floor=SD)
 * gnb     as nb, with Weka's normal on rounded values
 * flexnb  as nb, with a kernel on every training value (John and Langley's flexible naive Bayes) */
#include "learn/basis.h"
#include "model/method.h"

static const heft_option nb_options[] = {
    HEFT_OPT_ABOVE_OR(
        "none", "floor", "none", 0, 1e100,
        "standard deviation of a number in a class where all its values are equal; none: a "
        "point mass"),
    HEFT_OPT_END,
};

/* floor=SD replaces the standard deviation 0 of a point mass; Chen and Wang's NB for comparison has
 * 1e-5. */
static heft_status fit_nb(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    HEFT_CHECK(heft_fit_basis(ctx, task, HEFT_LIK_NORMAL, out, NULL));
    const bool given = heft_param(task, "floor")->word < 0;
    for (size_t j = 0; given && j < out->n_attr; j++) {
        const heft_lik *lik = &out->lik[j];
        for (size_t c = 0; lik->kind == HEFT_LIK_NORMAL && c < out->n_class; c++)
            if (lik->sd[c] == 0) lik->sd[c] = heft_param_num(task, "floor");
    }
    return HEFT_OK;
}

static heft_status fit_gnb(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    return heft_fit_basis(ctx, task, HEFT_LIK_ROUNDED, out, NULL);
}

static heft_status fit_flexnb(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    return heft_fit_basis(ctx, task, HEFT_LIK_KERNEL, out, NULL);
}

/* Without numeric attributes the three methods are the same. */
static const heft_twin as_nb[] = {
    HEFT_TWIN_PREPARED("", "nb", "", 0, .discretize = "width:4"),
    HEFT_TWIN_END,
};

#define RECORD(id, what, from, scale_, stats, option_table, same)                                  \
    const heft_method heft_method_##id = {                                                         \
        .name = #id,                                                                               \
        .title = what,                                                                             \
        .source = from,                                                                            \
        .family = HEFT_BASE,                                                                       \
        .caps = HEFT_TAKES_NUMBERS | HEFT_TAKES_SPARSE | HEFT_TAKES_MISSING | HEFT_TAKES_WEIGHTS | \
                HEFT_ADDITIVE | HEFT_SHARDS,                                                       \
        .prepare = {.smoothing = "laplace", .prior = "smoothed", .scale = scale_},                 \
        .suffstats = HEFT_STATS_COUNTS | stats,                                                    \
        .options = option_table,                                                                   \
        .twins = same,                                                                             \
        .fit = fit_##id,                                                                           \
    }

RECORD(nb, "naive Bayes: tables for nominal attributes, normal densities for numeric ones",
       "the baseline of all five papers; point masses: Kim and Lee's figures", NULL,
       HEFT_STATS_SUMS, nb_options, NULL);
RECORD(gnb, "naive Bayes with Weka's rounded normal densities",
       "the column GNB of Wang, Ren and Bai, regularized naive Bayes; Weka 3.6 NaiveBayes", NULL,
       HEFT_STATS_VALUES, NULL, as_nb);
RECORD(flexnb, "naive Bayes with kernel densities, bandwidth 1/sqrt(n_c) on data scaled to [0,1]",
       "FlexNB as compared by Chen and Wang, subspace weighting; John and Langley", "minmax",
       HEFT_STATS_VALUES, NULL, as_nb);
