/* iclnb.c - instance cloning local naive Bayes: the k nearest rows and those as near as the k-th,
 * each with one clone for every attribute on which it agrees with the query: w(H) = 1 + (m - H).
 * Jiang, Zhang and Su, Instance Cloning Local Naive Bayes, as compared by Li and Li. */
#include <float.h>
#include <math.h>

#include "methods/lazy/local.h"

static const heft_option options[] = {
    HEFT_OPT_WHOLE("k", "10", 1, INFINITY,
                   "nearest rows to clone; all rows as near as the last of them are kept"),
    HEFT_OPT_END,
};

typedef struct iclnb {
    heft_neighbours nb;
    double          k;
} iclnb;

static double kernel(const double *k, const uint32_t *total, size_t m, double *weight)
{
    double seen = 0;
    for (size_t l = 0; l <= m; l++) {
        weight[l] = seen < *k ? 1 + (double)(m - l) : 0;
        seen += total[l];
    }
    return 1;
}

static heft_status fit_iclnb(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    iclnb *own;

    HEFT_ALLOC(ctx, task->arena, own, 1);
    HEFT_CHECK(heft_local_fit(ctx, task, out, &own->nb));
    own->k = heft_param_num(task, "k");
    out->own = own;
    return HEFT_OK;
}

static heft_status score_iclnb(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                               double *log_joint)
{
    const iclnb *own = fitted->own;
    return heft_local_score_rows(ctx, &own->nb, &own->k, kernel, rows, log_joint);
}

static heft_status parts_iclnb(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                               size_t i, double *parts)
{
    const iclnb *own = fitted->own;
    return heft_local_part_rows(ctx, &own->nb, &own->k, kernel, rows, i, parts);
}

static const heft_tensor fields[] = {
    {"own.k", HEFT_F64, HEFT_VALUE(iclnb, k), .lo = 1, .hi = DBL_MAX, .help = "nearest rows"},
    {.name = "nb", HEFT_PART(iclnb, nb, &heft_neighbours_state)},
    {.name = NULL}};

static const heft_state state = {.size = sizeof(iclnb), .fields = fields};

static heft_status gather_iclnb(heft_ctx *ctx, heft_fitted *fitted)
{
    iclnb *own = fitted->own;
    return heft_neighbours_gather(ctx, fitted->arena, &own->nb);
}

const heft_method heft_method_iclnb = {
    .name = "iclnb",
    .title = "instance cloning local naive Bayes on the 10 nearest rows",
    .source = "Jiang, Zhang and Su; the column ICLNB of Li and Li",
    .family = HEFT_LAZY,
    .caps = HEFT_SHARDS,
    .prepare = {.impute = "mean", .discretize = "width:10", .smoothing = "laplace"},
    .options = options,
    .fit = fit_iclnb,
    .score = score_iclnb,
    .state = &state,
    .parts = parts_iclnb,
    .gather = gather_iclnb,
};
