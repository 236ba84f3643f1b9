/* waode.c - weightily averaged one-dependence estimators: parents weigh by their information on the
 * class. Jiang and Zhang, Weightily Averaged One-Dependence Estimators; equal to Weka's WAODE.
 *
 *   P(c, x) ~ sum_i I(X_i;Y) (N(c,x_i) + 1/(K q_i))/(n + 1)
 *                            prod_{j != i} (N(c,x_i,x_j) + 1/q_j)/(N(c,x_i) + 1)
 *
 * I is from relative frequencies, terms whose joint or product is below 1e-6 left out. When every I
 * is 0 the parents weigh alike. (The paper that compares it cites Cerquides and Lopez de Mantaras;
 * its figures are those of this method.) */
#include "methods/onedep/onedep.h"
#include "stats/info.h"

static const double LEAST = 1e-6;

/* I(X_j;Y) of each attribute; all 1 when all are 0. */
static heft_status weigh(heft_ctx *ctx, heft_onedep *own, heft_arena *arena)
{
    const size_t K = own->pairs.n_class, m = own->pairs.n_attr;
    double      *value, sum = 0;

    HEFT_ALLOC(ctx, arena, own->weight, m);
    HEFT_ALLOC(ctx, &ctx->scratch, value, own->pairs.offset[m]);
    for (size_t v = 0; v < own->pairs.offset[m]; v++)
        for (size_t c = 0; c < K; c++) value[v] += own->value_sum[v * K + c];
    for (size_t j = 0; j < m; j++) {
        own->weight[j] =
            heft_information(heft_onedep_value(own, j, 0), value + own->pairs.offset[j],
                             own->class_sum, own->total, own->pairs.n_codes[j], K, LEAST);
        sum += own->weight[j];
    }
    for (size_t j = 0; j < m && !(sum > 0); j++) own->weight[j] = 1;
    return HEFT_OK;
}

static heft_status finish(heft_ctx *ctx, heft_onedep *own, heft_arena *arena)
{
    const size_t K = own->pairs.n_class;

    HEFT_CHECK(weigh(ctx, own, arena));
    for (size_t j = 0; j < own->pairs.n_attr; j++) {
        const double q = own->pairs.n_codes[j], scale = own->weight[j] / (own->total + 1);
        own->add[j] = 1 / q;
        own->below[j] = 1;
        for (size_t v = 0; v <= own->pairs.n_codes[j]; v++)
            for (size_t c = 0; c < K; c++)
                heft_onedep_joint(own, j, v)[c] =
                    (heft_onedep_value(own, j, v)[c] + 1 / ((double)K * q)) * scale;
    }
    return heft_onedep_seal(ctx, own, arena);
}

static heft_status fit_waode(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    heft_onedep      *own;
    const heft_status st = heft_onedep_fit(ctx, task, out, &own);
    return st == HEFT_OK ? finish(ctx, own, task->arena) : st;
}

static heft_status finish_loading(const heft_loading *l, void *own)
{
    return finish(l->ctx, own, l->arena);
}

static const heft_state state = {.size = sizeof(heft_onedep),
                                 .begin = heft_onedep_begin,
                                 .fields = heft_onedep_fields,
                                 .end = finish_loading};

static const double *weights_of(const heft_fitted *fitted)
{
    return ((const heft_onedep *)fitted->own)->weight;
}

const heft_method heft_method_waode = {
    .name = "waode",
    .title = "weightily averaged one-dependence estimators: parents weigh by mutual information",
    .source = "Jiang and Zhang; the column WAODE of Li and Li; Weka 3.6 WAODE",
    .family = HEFT_STRUCTURAL,
    .caps = HEFT_TAKES_WEIGHTS | HEFT_SHARDS,
    .prepare = {.impute = "mean", .discretize = "width:10", .smoothing = "laplace"},
    .suffstats = HEFT_STATS_COUNTS | HEFT_STATS_PAIRS,
    .fit = fit_waode,
    .score = heft_onedep_score,
    .state = &state,
    .attr_weights = weights_of,
    .pairs = heft_onedep_pairs,
};
