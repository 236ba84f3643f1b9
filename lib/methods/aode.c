/* aode.c - averaged one-dependence estimators. Webb, Boughton and Wang, Not So Naive Bayes; equal
 * to Weka's AODE.
 *
 *   P(c, x) ~ sum_i (N(c,x_i) + 1)/(n + K q_i) prod_{j != i} (N(c,x_i,x_j) + 1)/(N(c,x_i) + q_j)
 *
 * over the attributes i whose value occurs in a training row; naive Bayes when there is none. K
 * classes and q values are as declared. */

#include "methods/onedep.h"

static bool occurs(const heft_onedep *own, const double *n)
{
    double sum = 0;
    for (size_t c = 0; c < own->pairs.n_class; c++) sum += n[c];
    return sum > 0;
}

/* In its own slice an attribute has the joint estimate, 0 for a value that does not occur. */
static void line(const heft_onedep *own, size_t i, size_t v, size_t j, size_t w, double *out)
{
    const size_t  K = own->pairs.n_class;
    const double *parent = heft_onedep_value(own, i, v), q = own->pairs.n_codes[j];
    if (i == j) {
        const double below = occurs(own, parent) ? own->total + (double)K * q : 0;
        for (size_t c = 0; c < K; c++) out[c] = below > 0 ? (parent[c] + 1) / below : 0;
        return;
    }
    const double *n = heft_onedep_pair(own, i, v, j, w);
    for (size_t c = 0; c < K; c++) out[c] = (n[c] + 1) / (parent[c] + q);
}

static heft_status fit_aode(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    heft_status  st = HEFT_OK;
    heft_onedep *own;

    HEFT_TRY(heft_onedep_fit(ctx, task, out, &own));
    own->line = line;
    HEFT_TRY(heft_onedep_seal(ctx, own, task->arena));
done:
    return st;
}

static heft_status load_aode(heft_ctx *ctx, const heft_file *file, const heft_prep *prep,
                             heft_fitted *fitted)
{
    heft_status  st = HEFT_OK;
    heft_onedep *own;

    HEFT_TRY(heft_onedep_load(ctx, file, prep, fitted, &own));
    own->line = line;
    HEFT_TRY(heft_onedep_seal(ctx, own, fitted->arena));
done:
    return st;
}

const heft_method heft_method_aode = {
    .name = "aode",
    .title = "averaged one-dependence estimators: each attribute in turn as parent of all others",
    .source = "Webb, Boughton and Wang; the column AODE of Li and Li; Weka 3.6 AODE",
    .family = HEFT_STRUCTURAL,
    .caps = HEFT_TAKES_WEIGHTS,
    .prepare = {.impute = "mean", .discretize = "width:10", .smoothing = "laplace"},
    .fit = fit_aode,
    .score = heft_onedep_score,
    .save = heft_onedep_save,
    .load = load_aode,
};
