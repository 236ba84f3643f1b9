/* lwnb.c - locally weighted naive Bayes: the k nearest rows, weighing less with distance. Frank,
 * Hall and Pfahringer, Locally Weighted Naive Bayes, as compared by Li and Li.
 *
 * With d the Hamming distance of the k-th nearest row:
 *
 *   kernel=linear   w(H) = 1 - H/d for H < d, else 0
 *   kernel=weka     w(H) = 1.0001 - sqrt(H/d) for H <= d, else 0: Weka's LWL -U 0, which has the
 *                   Euclidean distance and keeps every row as near as the k-th
 *
 * rescaled so that the weights sum to the number of rows with a weight. With d = 0 the copies of
 * the query have weight 1 and the other rows 0. (The paper counts such queries as errors.) When no
 * row is nearer than d, all counts are 0 and all classes tie. */
#include <float.h>
#include <math.h>

#include "methods/lazy/local.h"

static const heft_option options[] = {
    HEFT_OPT_WHOLE("k", "50", 1, INFINITY, "nearest rows whose distance is the bandwidth"),
    HEFT_OPT_WORDS("kernel", "linear", "linear|weka",
                   "linear: 1 - H/d, rows at d left out; weka: 1.0001 - sqrt(H/d), rows at d kept"),
    HEFT_OPT_END,
};

typedef struct lwnb {
    heft_neighbours nb;
    double          setting[2]; /* k; 1 for Weka's kernel */
} lwnb;

static double kernel(const double *setting, const uint32_t *total, size_t m, double *weight)
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

static heft_status fit_lwnb(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    lwnb *own;

    HEFT_ALLOC(ctx, task->arena, own, 1);
    HEFT_CHECK(heft_local_fit(ctx, task, out, &own->nb));
    own->setting[0] = heft_param_num(task, "k");
    own->setting[1] = heft_param(task, "kernel")->word == 1;
    out->own = own;
    return HEFT_OK;
}

static heft_status score_lwnb(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                              double *log_joint)
{
    const lwnb *own = fitted->own;
    return heft_local_score_rows(ctx, &own->nb, own->setting, kernel, rows, log_joint);
}

static heft_status parts_lwnb(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                              size_t i, double *parts)
{
    const lwnb *own = fitted->own;
    return heft_local_part_rows(ctx, &own->nb, own->setting, kernel, rows, i, parts);
}

static const heft_tensor fields[] = {
    {"own.k", HEFT_F64, HEFT_VALUE(lwnb, setting[0]), .lo = 1, .hi = DBL_MAX,
     .help = "nearest rows"},
    {"own.weka", HEFT_F64, HEFT_VALUE(lwnb, setting[1]), .hi = 1, .help = "1: Weka's kernel"},
    {.name = "nb", HEFT_PART(lwnb, nb, &heft_neighbours_state)},
    {.name = NULL}};

static const heft_state state = {.size = sizeof(lwnb), .fields = fields};

static heft_status gather_lwnb(heft_ctx *ctx, heft_fitted *fitted)
{
    lwnb *own = fitted->own;
    return heft_neighbours_gather(ctx, fitted->arena, &own->nb);
}

const heft_method heft_method_lwnb = {
    .name = "lwnb",
    .title = "locally weighted naive Bayes on the 50 nearest rows",
    .source = "Frank, Hall and Pfahringer; the column LWNB of Li and Li",
    .family = HEFT_LAZY,
    .caps = HEFT_SHARDS,
    .prepare = {.impute = "mean", .discretize = "width:10", .smoothing = "laplace"},
    .options = options,
    .fit = fit_lwnb,
    .score = score_lwnb,
    .state = &state,
    .parts = parts_lwnb,
    .gather = gather_lwnb,
};
