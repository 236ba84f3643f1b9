/* nb.c - naive Bayes: every weight 1.
 *
 *   s_c(x) = log P(c) + sum_j log P(x_j | c)
 *
 * nb      tables smoothed by --smoothing; normals for numeric attributes. With v_c the n-1 variance
 *         of class c and v the pooled one within classes, variance=shrunk adds one row of v:
 *
 *           ((n_c - 1) v_c + v) / n_c          v = sum_c (n_c - 1) v_c / (n - classes)
 *
 *         but a class whose values are all equal says little of its spread: it has at least v/10.
 *         Where v is 0 the floor of all normals applies (likelihood.c). variance=class is v_c,
 *         as in the papers: a class whose values are all equal is a point mass, or a narrow normal
 *         (floor=SD)
 * gnb     as nb, with Weka's normal on rounded values
 * flexnb  as nb, with a kernel on every training value (John and Langley's flexible naive Bayes) */
#include <float.h>
#include <math.h>

#include "learn/basis.h"
#include "model/method.h"

static const heft_option nb_options[] = {
    HEFT_OPT_WORDS("variance", "shrunk", "shrunk|class",
                   "of numbers in a class: shrunk by one row towards the pooled variance within "
                   "classes; class: its own, as in the papers, with point masses"),
    HEFT_OPT_ABOVE_OR(
        "none", "floor", "none", 0, 1e100,
        "under variance=class, standard deviation of a number in a class where all its values "
        "are equal; none: a point mass"),
    HEFT_OPT_END,
};

enum { VARIANCE, FLOOR }; /* places in nb_options */
enum { SHRUNK, CLASS };

/* Smallest variance of a class whose values are all equal, as a fraction of the pooled variance.
 * Its effect is measured in docs/methods.md. */
static const double LEAST_OF_POOLED = 0.1;

/* Shrinks the variances of the classes towards the pooled one. The arithmetic is in units of the
 * spread over all rows, so that neither squares overflow nor units matter. */
static void shrink(const heft_moments *m, size_t K, const heft_lik *lik)
{
    const double all = m->spread[K], least = fmax(m->sd[K] * HEFT_LEAST_SD, DBL_MIN);
    double       pooled = 0, freedom = m->n[K];
    for (size_t c = 0; c < K; c++) {
        const double own = all > 0 ? m->spread[c] / all : 0;
        pooled += own * own;
        freedom -= m->n[c] > 0;
    }
    pooled /= freedom > 0 ? freedom : m->n[K];
    for (size_t c = 0; c < K; c++) {
        const double own = all > 0 ? m->spread[c] / all : 0;
        if (!(m->n[c] > 0)) continue; /* such a class has the normal of all classes */
        lik->mean[c] = m->unlike[c] == 0 ? m->first[c] : m->mean[c];
        double shrunk = (own * own + pooled) / fmax(m->n[c], 1);
        if (m->unlike[c] == 0) shrunk = fmax(shrunk, pooled * LEAST_OF_POOLED);
        lik->sd[c] = fmax(all * sqrt(shrunk), least);
    }
}

static heft_status check_nb(heft_ctx *ctx, const heft_value *values)
{
    if (values[VARIANCE].word != SHRUNK || values[FLOOR].word >= 0) return HEFT_OK;
    return heft_fail(ctx, HEFT_EINVAL,
                     "{advice floor-needs-class} (shrunk variances are "
                     "above 0)");
}

/* floor=SD replaces the standard deviation 0 of a point mass; Chen and Wang's NB for comparison has
 * 1e-5. */
static heft_status fit_nb(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    const bool    given = heft_param(task, "floor")->word < 0;
    const bool    shrunk = heft_param(task, "variance")->word == SHRUNK;
    heft_moments *moments;
    HEFT_CHECK(heft_fit_basis(ctx, task, out, NULL));
    if (shrunk)
        HEFT_CHECK(heft_known_moments(ctx, task->rows, task->known, &ctx->scratch, &moments));
    for (size_t j = 0; j < out->n_attr; j++) {
        const heft_lik *lik = &out->lik[j];
        if (lik->kind != HEFT_LIK_NORMAL) continue;
        if (shrunk && !lik->silent) shrink(&moments[j], out->n_class, lik);
        if (!given) continue;
        for (size_t c = 0; c < out->n_class; c++)
            if (lik->sd[c] == 0) lik->sd[c] = heft_param_num(task, "floor");
    }
    return HEFT_OK;
}

/* The fit of gnb and flexnb, whose records name their densities. */
static heft_status fit_plain(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    return heft_fit_basis(ctx, task, out, NULL);
}

/* Without numeric attributes the three methods are the same. */
static const heft_twin as_nb[] = {
    HEFT_TWIN_PREPARED("", "nb", "", 0, .discretize = "width:4"),
    HEFT_TWIN_END,
};

#define RECORD(id, what, from, scale_, density_, stats, check_, fit_, option_table, same)          \
    const heft_method heft_method_##id = {                                                         \
        .name = #id,                                                                               \
        .title = what,                                                                             \
        .source = from,                                                                            \
        .family = HEFT_BASE,                                                                       \
        .caps = HEFT_TAKES_NUMBERS | HEFT_TAKES_SPARSE | HEFT_TAKES_MISSING | HEFT_TAKES_WEIGHTS | \
                HEFT_ADDITIVE | HEFT_SHARDS,                                                       \
        .prepare = {.smoothing = "laplace", .prior = "smoothed", .scale = scale_},                 \
        .density = density_,                                                                       \
        .suffstats = HEFT_STATS_COUNTS | stats,                                                    \
        .options = option_table,                                                                   \
        .twins = same,                                                                             \
        .check = check_,                                                                           \
        .fit = fit_,                                                                               \
    }

RECORD(nb, "naive Bayes: tables for nominal attributes, normal densities for numeric ones",
       "the baseline of all five papers; point masses: the figures of [kim2022]", NULL,
       HEFT_LIK_NORMAL, HEFT_STATS_SUMS, check_nb, fit_nb, nb_options, NULL);
RECORD(gnb, "naive Bayes with Weka's rounded normal densities",
       "[john1995]; Weka 3.6 NaiveBayes, the column GNB of [wang2020]", NULL, HEFT_LIK_ROUNDED,
       HEFT_STATS_VALUES, NULL, fit_plain, NULL, as_nb);
RECORD(flexnb, "naive Bayes with kernel densities, bandwidth 1/sqrt(n_c) on data scaled to [0,1]",
       "[john1995], as compared in [chen2012]", "minmax", HEFT_LIK_KERNEL, HEFT_STATS_VALUES, NULL,
       fit_plain, NULL, as_nb);
