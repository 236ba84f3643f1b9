/* hnb.c - hidden naive Bayes: every attribute depends on a mixture of all others. Zhang, Jiang and
 * Su, Hidden Naive Bayes; equal to Weka's HNB.
 *
 *   P(c, x) ~ (N(c) + 1/K)/(n + 1) prod_i sum_{j != i} W_ij (N(c,x_i,x_j) + 1/q_i)/(N(c,x_j) + 1)
 *
 * W_ij is I(X_i;X_j|Y) normalised over j != i, terms of which either probability is below 1e-6 left
 * out (so that one may be negative, as it may in Weka); when they sum to 0 the factor of i is
 * (N(c,x_i) + 1/q_i)/(N(c) + 1). */
#include "base/rows.h"
#include "methods/onedep/onedep.h"
#include "stats/info.h"

static const double LEAST = 1e-6;

static heft_status inform(heft_ctx *ctx, void *arg, size_t i)
{
    const heft_onedep      *own = arg;
    const heft_pair_counts *p = &own->pairs;
    (void)ctx;
    for (size_t j = i + 1; j < p->n_attr; j++)
        own->weight[i * p->n_attr + j] = heft_information_given(
            p->cell + heft_pair_counts_line(p, i, j) * p->n_class, heft_onedep_value(own, i, 0),
            heft_onedep_value(own, j, 0), own->class_sum, own->total, p->n_codes[i], p->n_codes[j],
            p->n_class, LEAST);
    return HEFT_OK;
}

/* W_ij; W_ii is 1 when the information of i with every other attribute is 0, else 0. */
static heft_status weigh(heft_ctx *ctx, heft_onedep *own, heft_arena *arena)
{
    const size_t m = own->pairs.n_attr;
    size_t       cells;

    if (!heft_product(m, m, &cells)) HEFT_CHECK(heft_no_memory(ctx, m, m));
    HEFT_ALLOC(ctx, arena, own->weight, cells);
    HEFT_CHECK(heft_run(ctx, m, inform, own));
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < i; j++) own->weight[i * m + j] = own->weight[j * m + i];
    for (size_t i = 0; i < m; i++) {
        double sum = 0;
        for (size_t j = 0; j < m; j++) sum += own->weight[i * m + j];
        for (size_t j = 0; j < m && sum != 0; j++) own->weight[i * m + j] /= sum;
        if (sum == 0) own->weight[i * m + i] = 1;
    }
    return HEFT_OK;
}

static heft_status finish(heft_ctx *ctx, heft_onedep *own, heft_arena *arena)
{
    const size_t m = own->pairs.n_attr;

    own->mixture = true;
    HEFT_CHECK(weigh(ctx, own, arena));
    for (size_t j = 0; j < m; j++) {
        own->add[j] = 1 / (double)own->pairs.n_codes[j];
        own->below[j] = 1;
        for (size_t v = 0; v <= own->pairs.n_codes[j]; v++)
            for (size_t c = 0; c < own->pairs.n_class; c++)
                heft_onedep_joint(own, j, v)[c] = own->weight[j * m + j] *
                                                  (heft_onedep_value(own, j, v)[c] + own->add[j]) /
                                                  (own->class_sum[c] + 1);
    }
    return heft_onedep_seal(ctx, own, arena);
}

static heft_status fit_hnb(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
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

const heft_method heft_method_hnb = {
    .name = "hnb",
    .title = "hidden naive Bayes: every attribute depends on a mixture of all others",
    .source = "Zhang, Jiang and Su; the column HNB of Li and Li; Weka 3.6 HNB",
    .family = HEFT_STRUCTURAL,
    .caps = HEFT_TAKES_WEIGHTS | HEFT_SHARDS,
    .prepare = {.impute = "mean", .discretize = "width:10", .smoothing = "laplace"},
    .suffstats = HEFT_STATS_COUNTS | HEFT_STATS_PAIRS,
    .fit = fit_hnb,
    .score = heft_onedep_score,
    .state = &state,
    .parts = heft_onedep_parts,
    .pairs = heft_onedep_pairs,
};
