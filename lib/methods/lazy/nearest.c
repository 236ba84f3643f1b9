/* nearest.c - lwnb and iclnb: naive Bayes on the k nearest rows, weighted by distance alone.
 *
 * lwnb   locally weighted naive Bayes. Frank, Hall and Pfahringer, as compared by Li and Li. With d
 *        the Hamming distance of the k-th nearest row:
 *
 *   kernel=linear   w(H) = 1 - H/d for H < d, else 0
 *   kernel=weka     w(H) = 1.0001 - sqrt(H/d) for H <= d, else 0: Weka's LWL -U 0, which has the
 *                   Euclidean distance and keeps every row as near as the k-th
 *
 *        rescaled so that the weights sum to the number of rows with a weight. With d = 0 the
 * copies of the query have weight 1 and the other rows 0. (The paper counts such queries as
 * errors.) When no row is nearer than d, all counts are 0 and all classes tie.
 *
 * iclnb  instance cloning local naive Bayes: the k nearest rows and those as near as the k-th, each
 *        with one clone for every attribute on which it agrees with the query: w(H) = 1 + (m - H).
 *        Jiang, Zhang and Su, as compared by Li and Li. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "learn/basis.h"
#include "methods/lazy/local.h"

static const heft_option options_lwnb[] = {
    HEFT_OPT_WHOLE("k", "50", 1, INFINITY,
                   "number of nearest rows; the bandwidth is the distance to the last"),
    HEFT_OPT_WORDS("kernel", "linear", "linear|weka",
                   "linear: 1 - H/d, rows at d left out; weka: 1.0001 - sqrt(H/d), rows at d kept"),
    HEFT_CONSTANT_OPTION,
    HEFT_OPT_END,
};

static const heft_option options_iclnb[] = {
    HEFT_OPT_WHOLE("k", "10", 1, INFINITY,
                   "number of nearest rows to clone, with all rows as near as the last"),
    HEFT_CONSTANT_OPTION,
    HEFT_OPT_END,
};

static heft_status fit_near(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    heft_lazy *own;
    HEFT_CHECK(heft_lazy_fit(ctx, task, out, &own));
    own->setting[0] = heft_param_num(task, "k");
    if (heft_params_known(task->method, "kernel"))
        own->setting[1] = heft_param(task, "kernel")->word == 1;
    return HEFT_OK;
}

static double kernel_lwnb(const double *setting, const uint32_t *total, size_t m, double *weight)
{
    const bool weka = setting[1] != 0;
    double     seen = 0, all = 0, mass = 0, rows = 0;
    size_t     d = 0;
    for (size_t l = 0; l <= m; l++) all += total[l];
    const double k = fmin(setting[0], all);
    while (d < m && (seen += total[d]) < k) d++;
    for (size_t l = 0; l <= m; l++) {
        weight[l] = 0;
        if (d == 0) weight[l] = l == 0;
        else if (weka && l <= d) weight[l] = 1.0001 - sqrt((double)l / (double)d);
        else if (!weka && l < d) weight[l] = 1 - (double)l / (double)d;
        if (weight[l] <= 0) continue;
        rows += total[l];
        mass += weight[l] * total[l];
    }
    return mass > 0 ? rows / mass : 1;
}

static double kernel_iclnb(const double *setting, const uint32_t *total, size_t m, double *weight)
{
    double seen = 0;
    for (size_t l = 0; l <= m; l++) {
        weight[l] = seen < setting[0] ? 1 + (double)(m - l) : 0;
        seen += total[l];
    }
    return 1;
}

static heft_status score_block(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const heft_asking     *job = arg;
    const heft_neighbours *nb = &job->own->nb;
    heft_probe             probe;
    uint32_t              *total;
    double                *weight, *sum;
    HEFT_CHECK(heft_probe_init(ctx, nb, true, &ctx->scratch, &probe));
    HEFT_ALLOCS(ctx, &ctx->scratch, nb->n_attr + 1, total, weight, sum);
    for (; lo < hi; lo += HEFT_PROBE) {
        const size_t n = hi - lo < HEFT_PROBE ? hi - lo : HEFT_PROBE;
        heft_probe_load(&probe, job->rows, lo, n);
        for (size_t q = 0; q < n; q++) {
            heft_probe_all(&probe, q, total);
            const double rho = job->kernel(job->own->setting, total, nb->n_attr, weight);
            for (size_t c = 0; c < nb->n_class; c++) {
                const double s = heft_probe_near(&probe, q, c, weight, sum);
                heft_lazy_answer(job, lo + q, c, rho, s, sum);
            }
        }
    }
    return HEFT_OK;
}

/* Applies the kernel to the levels of all ranks. */
static double weigh_levels(const heft_asking *job, const double *level, size_t n_class, size_t m,
                           uint32_t *total, double *weight)
{
    for (size_t l = 0; l <= m; l++) {
        double rows = 0;
        for (size_t c = 0; c < n_class; c++) rows += level[c * (m + 1) + l];
        total[l] = (uint32_t)rows;
    }
    const double rho = job->kernel(job->own->setting, total, m, weight);
    for (size_t c = 1; c < n_class; c++)
        memcpy(weight + c * (m + 1), weight, (m + 1) * sizeof *weight);
    return rho;
}

#define SCORER(id)                                                                                 \
    static heft_status score_##id(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows, \
                                  double *log_joint)                                               \
    {                                                                                              \
        heft_asking job = {fitted->own, rows, log_joint, NULL, kernel_##id};                       \
        return heft_lazy_score(ctx, &job, score_block, weigh_levels);                              \
    }                                                                                              \
    static heft_status parts_##id(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows, \
                                  size_t i, double *parts)                                         \
    {                                                                                              \
        heft_asking job = {fitted->own, rows, NULL, parts, kernel_##id};                           \
        return score_block(ctx, &job, i, i + 1);                                                   \
    }
SCORER(lwnb)
SCORER(iclnb)

#define K_FIELD                                                                                    \
    {                                                                                              \
        "own.k", HEFT_F64, HEFT_VALUE(heft_lazy, setting[0]), .lo = 1, .hi = DBL_MAX,              \
                                                              .help = "nearest rows"               \
    }

static const heft_tensor fields_lwnb[] = {
    K_FIELD,
    {"own.weka", HEFT_F64, HEFT_VALUE(heft_lazy, setting[1]), .hi = 1, .help = "1: Weka's kernel"},
    HEFT_LAZY_ROWS,
    {.name = NULL}};

static const heft_tensor fields_iclnb[] = {K_FIELD, HEFT_LAZY_ROWS, {.name = NULL}};

HEFT_LAZY_METHOD(lwnb, "locally weighted naive Bayes on the 50 nearest rows",
                 "[frank2003], as compared in [li2014]", fit_near, NULL);
HEFT_LAZY_METHOD(iclnb, "instance cloning local naive Bayes on the 10 nearest rows",
                 "[jiang2005], as compared in [li2014]", fit_near, NULL);
