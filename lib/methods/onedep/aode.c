/* aode.c - averaged one-dependence estimators. Webb, Boughton and Wang, Not So Naive Bayes; equal
 * to Weka's AODE.
 *
 *   P(c, x) ~ sum_i (N(c,x_i) + 1)/(n + K q_i) prod_{j != i} (N(c,x_i,x_j) + 1)/(N(c,x_i) + q_j)
 *
 * over the attributes i whose value occurs in a training row; naive Bayes when there is none. K
 * classes and q values are as declared. */

#include "methods/onedep/onedep.h"

static bool occurs(const double *n, size_t n_class)
{
    double sum = 0;
    for (size_t c = 0; c < n_class; c++) sum += n[c];
    return sum > 0;
}

/* The parent's joint estimate is 0 for a value that does not occur. */
static heft_status finish(heft_ctx *ctx, heft_onedep *own, heft_arena *arena)
{
    const size_t K = own->pairs.n_class;
    for (size_t j = 0; j < own->pairs.n_attr; j++) {
        const double q = own->pairs.n_codes[j];
        own->add[j] = 1;
        own->below[j] = q;
        for (size_t v = 0; v < own->pairs.n_codes[j]; v++) {
            const double *n = heft_onedep_value(own, j, v);
            const bool    parent = occurs(n, K);
            for (size_t c = 0; c < K; c++)
                heft_onedep_joint(own, j, v)[c] =
                    parent ? (n[c] + 1) / (own->total + (double)K * q) : 0;
        }
    }
    return heft_onedep_seal(ctx, own, arena);
}

static heft_status fit_aode(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
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

const heft_method heft_method_aode = {
    .name = "aode",
    .title = "averaged one-dependence estimators: each attribute in turn as parent of all others",
    .source = "Webb, Boughton and Wang; the column AODE of Li and Li; Weka 3.6 AODE",
    .family = HEFT_STRUCTURAL,
    .caps = HEFT_TAKES_WEIGHTS | HEFT_SHARDS,
    .prepare = {.impute = "mean", .discretize = "width:10", .smoothing = "laplace"},
    .suffstats = HEFT_STATS_COUNTS | HEFT_STATS_PAIRS,
    .fit = fit_aode,
    .score = heft_onedep_score,
    .state = &state,
    .pairs = heft_onedep_pairs,
};
