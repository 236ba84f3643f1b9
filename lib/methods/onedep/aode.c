/* aode.c - aode, waode and hnb; each equal to Weka's method of that name.
 *
 * aode   averaged one-dependence estimators. Webb, Boughton and Wang, Not So Naive Bayes
 *
 *   P(c, x) ~ sum_i (N(c,x_i) + 1)/(n + K q_i) prod_{j != i} (N(c,x_i,x_j) + 1)/(N(c,x_i) + q_j)
 *
 *        over the attributes i whose value occurs in a training row; naive Bayes when there is
 * none. K classes and q values are as declared.
 *
 * waode  parents weigh by their information on the class. Jiang and Zhang, Weightily Averaged
 *        One-Dependence Estimators
 *
 *   P(c, x) ~ sum_i I(X_i;Y) (N(c,x_i) + 1/(K q_i))/(n + 1)
 *                            prod_{j != i} (N(c,x_i,x_j) + 1/q_j)/(N(c,x_i) + 1)
 *
 *        I is from relative frequencies, terms whose joint or product is below 1e-6 left out. When
 *        every I is 0 the parents weigh alike. (The paper that compares it cites Cerquides and
 * Lopez de Mantaras; its figures are those of this method.)
 *
 * hnb    every attribute depends on a mixture of all others. Zhang, Jiang and Su, Hidden Naive
 * Bayes
 *
 *   P(c, x) ~ (N(c) + 1/K)/(n + 1) prod_i sum_{j != i} W_ij (N(c,x_i,x_j) + 1/q_i)/(N(c,x_j) + 1)
 *
 *        W_ij is I(X_i;X_j|Y) normalised over j != i, terms of which either probability is below
 *        1e-6 left out (so that one may be negative, as it may in Weka); when they sum to 0 the
 *        factor of i is (N(c,x_i) + 1/q_i)/(N(c) + 1). */
#include "base/rows.h"
#include "learn/basis.h"
#include "methods/onedep/onedep.h"
#include "stats/info.h"

static const double LEAST = 1e-6;

/* ---- aode ---- */

/* The parent's joint estimate is 0 for a value that does not occur. */
static heft_status finish_aode(const heft_loading *l, void *root)
{
    heft_onedep *own = root;
    const size_t K = own->pairs.n_class;
    for (size_t j = 0; j < own->pairs.n_attr; j++) {
        const double q = own->pairs.n_codes[j];
        own->add[j] = 1;
        own->below[j] = q;
        for (size_t v = 0; v < own->pairs.n_codes[j]; v++) {
            const double *n = heft_onedep_value(own, j, v);
            double        sum = 0;
            for (size_t c = 0; c < K; c++) sum += n[c];
            for (size_t c = 0; c < K; c++)
                heft_onedep_joint(own, j, v)[c] =
                    sum > 0 ? (n[c] + 1) / (own->total + (double)K * q) : 0;
        }
    }
    return heft_onedep_seal(l->ctx, own, l->arena);
}

/* ---- waode ---- */

/* I(X_j;Y) of each attribute; all 1 when all are 0. */
static heft_status weigh_parents(heft_ctx *ctx, heft_onedep *own, heft_arena *arena)
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
    if (!(sum > 0))
        for (size_t j = 0; j < m; j++) own->weight[j] = 1;
    return HEFT_OK;
}

static heft_status finish_waode(const heft_loading *l, void *root)
{
    heft_onedep *own = root;
    const size_t K = own->pairs.n_class;
    HEFT_CHECK(weigh_parents(l->ctx, own, l->arena));
    for (size_t j = 0; j < own->pairs.n_attr; j++) {
        const double q = own->pairs.n_codes[j], scale = own->weight[j] / (own->total + 1);
        own->add[j] = 1 / q;
        own->below[j] = 1;
        for (size_t v = 0; v <= own->pairs.n_codes[j]; v++)
            for (size_t c = 0; c < K; c++)
                heft_onedep_joint(own, j, v)[c] =
                    (heft_onedep_value(own, j, v)[c] + 1 / ((double)K * q)) * scale;
    }
    return heft_onedep_seal(l->ctx, own, l->arena);
}

static const double *weights_of(const heft_fitted *fitted)
{
    return ((const heft_onedep *)fitted->own)->weight;
}

/* ---- hnb ---- */

static heft_status inform(heft_ctx *ctx, void *arg, size_t i)
{
    const heft_onedep      *own = arg;
    const heft_pair_counts *p = &own->pairs;
    (void)ctx;
    for (size_t j = i + 1; j < p->n_attr; j++)
        own->weight[i * p->n_attr + j] = heft_information_given(
            &(heft_triple_counts){.n_x = p->n_codes[i],
                                  .n_z = p->n_codes[j],
                                  .n_y = p->n_class,
                                  .cell = p->cell + heft_pair_counts_line(p, i, j) * p->n_class,
                                  .xy = heft_onedep_value(own, i, 0),
                                  .zy = heft_onedep_value(own, j, 0),
                                  .y = own->class_sum,
                                  .total = own->total},
            LEAST);
    return HEFT_OK;
}

/* W_ij; W_ii is 1 when the information of i with every other attribute is 0, else 0. */
static heft_status weigh_pairs(heft_ctx *ctx, heft_onedep *own, heft_arena *arena)
{
    const size_t m = own->pairs.n_attr;
    HEFT_TABLE(ctx, arena, own->weight, m, m);
    HEFT_CHECK(heft_run(ctx, m, inform, own));
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < i; j++) own->weight[i * m + j] = own->weight[j * m + i];
    for (size_t i = 0; i < m; i++) {
        double sum = 0;
        for (size_t j = 0; j < m; j++) sum += own->weight[i * m + j];
        if (sum == 0) own->weight[i * m + i] = 1;
        else
            for (size_t j = 0; j < m; j++) own->weight[i * m + j] /= sum;
    }
    return HEFT_OK;
}

static heft_status finish_hnb(const heft_loading *l, void *root)
{
    heft_onedep *own = root;
    const size_t m = own->pairs.n_attr;
    own->mixture = true;
    HEFT_CHECK(weigh_pairs(l->ctx, own, l->arena));
    for (size_t j = 0; j < m; j++) {
        own->add[j] = 1 / (double)own->pairs.n_codes[j];
        own->below[j] = 1;
        for (size_t v = 0; v <= own->pairs.n_codes[j]; v++)
            for (size_t c = 0; c < own->pairs.n_class; c++)
                heft_onedep_joint(own, j, v)[c] = own->weight[j * m + j] *
                                                  (heft_onedep_value(own, j, v)[c] + own->add[j]) /
                                                  (own->class_sum[c] + 1);
    }
    return heft_onedep_seal(l->ctx, own, l->arena);
}

/* The weights of an attribute's parents in the mixture; those that are passed over have none. */
static heft_status arcs_hnb(heft_ctx *ctx, const heft_fitted *fitted, heft_arc **out, size_t *n)
{
    const heft_onedep *own = fitted->own;
    const size_t       m = own->pairs.n_attr;
    HEFT_ALLOC(ctx, &ctx->scratch, *out, m * m);
    *n = 0;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            if (i != j && !heft_onedep_passed_over(own, i) && !heft_onedep_passed_over(own, j))
                (*out)[(*n)++] = (heft_arc){(uint32_t)i, (uint32_t)j, own->weight[i * m + j]};
    return HEFT_OK;
}

/* ---- the records ---- */

static const heft_option options[] = {HEFT_CONSTANT_OPTION, HEFT_OPT_END};

#define RECORD(id, what, from, ...)                                                                \
    static const heft_state state_##id = {.size = sizeof(heft_onedep),                             \
                                          .begin = heft_onedep_begin,                              \
                                          .fields = heft_onedep_fields,                            \
                                          .end = finish_##id};                                     \
    const heft_method       heft_method_##id = {                                                   \
              .name = #id,                                                                         \
              .title = what,                                                                       \
              .source = from,                                                                      \
              .family = HEFT_STRUCTURAL,                                                           \
              .caps = HEFT_TAKES_WEIGHTS | HEFT_SHARDS | HEFT_ESTIMATES,                           \
              .prepare = {.impute = "mean", .discretize = "width:10", .smoothing = "laplace"},     \
              .suffstats = HEFT_STATS_COUNTS | HEFT_STATS_PAIRS,                                   \
              .options = options,                                                                  \
              .fit = heft_onedep_fit,                                                              \
              .score = heft_onedep_score,                                                          \
              .tables = heft_onedep_tables,                                                        \
              .state = &state_##id,                                                                \
              .pairs = heft_onedep_pairs,                                                          \
              __VA_ARGS__}

RECORD(aode, "averaged one-dependence estimators: each attribute in turn as parent of all others",
       "[webb2005]; Weka 3.6 AODE, as compared in [li2014]", .parts = NULL);
RECORD(waode,
       "weightily averaged one-dependence estimators: parents weighted by mutual information",
       "[jiang2006]; Weka 3.6 WAODE, as compared in [li2014]", .attr_weights = weights_of);
RECORD(hnb, "hidden naive Bayes: every attribute depends on a mixture of all others",
       "[zhang2005]; Weka 3.6 HNB, as compared in [li2014]", .parts = heft_onedep_parts,
       .arcs = arcs_hnb);
