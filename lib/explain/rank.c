/* rank.c - which attributes matter most, and which a model uses at all.
 *
 * How much attribute j tells about the class is the mutual information of the two under the model:
 * the Jensen-Shannon divergence of its distributions by class, weighted by the prior,
 *
 *   I_j = sum_c P(c) E_{x ~ P(.|c)} log2( P(x|c) / sum_k P(k) P(x|k) )
 *
 * exact for tables; for densities the expectation is taken over quantiles of each class, or, of
 * very many classes, of some that are spread evenly over the prior. There are at most 4096 of them
 * for an attribute, so that the time grows with the classes and not with their square. Where a
 * class has few of the 64, its neighbours have others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "explain/explain.h"
#include "explain/terms.h"

enum { MOST_NODES = 64, LEAST_NODES = 2, LEAST_DRAWN = 16, MOST_IN_ALL = 4096 };

typedef struct telling {
    size_t  K;
    double  entropy;              /* entropy of the class, in nats */
    double *prior, *log_prior;    /* they sum to 1; the log is -inf for a class that is left out */
    double *joint, *mass, *log_p; /* K numbers each: intermediate results */
    size_t  n_drawn;              /* classes that stand for all; 0: each for itself */
    size_t  n_nodes;
    size_t  stride;           /* distance between the nodes of one class among all nodes */
    double  node[MOST_NODES]; /* quantiles of the standard normal */
} telling;

/* ---- bits ---- */

static double normal_quantile(double p)
{
    double lo = -8, hi = 8;
    for (int k = 0; k < 60; k++) {
        const double mid = (lo + hi) / 2;
        if (0.5 * erfc(-mid * 0.70710678118654752440) < p) lo = mid;
        else hi = mid;
    }
    return (lo + hi) / 2;
}

/* Returns log sum_k P(k) P(x|k), where v->log_p[k] is log P(x|k). */
static double log_mix(const telling *v)
{
    for (size_t k = 0; k < v->K; k++) v->joint[k] = v->log_p[k] + v->log_prior[k];
    return heft_logsumexp(v->joint, v->K);
}

static double table_nats(const telling *v, const heft_term *term)
{
    const heft_lik *lik = term->lik;
    const size_t    K = v->K;
    double          sum = 0;
    for (size_t c = 0; c < K; c++) v->mass[c] = heft_term_log_mass(term, K, c);
    for (size_t x = 0; x < lik->n_codes; x++) {
        for (size_t c = 0; c < K; c++) v->log_p[c] = lik->table[x * K + c] - v->mass[c];
        const double mix = log_mix(v);
        for (size_t c = 0; c < K; c++)
            if (v->prior[c] > 0) sum += v->prior[c] * exp(v->log_p[c]) * (v->log_p[c] - mix);
    }
    return sum;
}

/* Find the k-th of n equally likely values of class c. Returns false if the class was never seen.
 */
static bool node_at(const telling *v, const heft_lik *lik, size_t c, size_t k, double *x)
{
    const size_t i = k * v->stride + c % v->stride;
    if (lik->kind != HEFT_LIK_KERNEL) {
        *x = lik->mean[c] + lik->sd[c] * v->node[i];
        return isfinite(*x);
    }
    const double target = ((double)i + 0.5) / MOST_NODES;
    double       mass = 0;
    size_t       at = lik->start[c];
    if (at == lik->start[c + 1]) return false;
    while (at + 1 < lik->start[c + 1] && (mass += exp(lik->log_mass[at])) < target) at++;
    *x = lik->point[at];
    return true;
}

/* Returns the mean over the nodes of class c. */
static double class_nats(const telling *v, const heft_lik *lik, size_t c)
{
    double sum = 0, x;
    for (size_t k = 0; k < v->n_nodes; k++) {
        if (!node_at(v, lik, c, k, &x)) continue;
        heft_lik_number(lik, v->K, x, v->log_p);
        sum += (v->log_p[c] - log_mix(v)) / (double)v->n_nodes;
    }
    return sum;
}

static double density_nats(const telling *v, const heft_lik *lik)
{
    const double n = (double)v->n_drawn;
    double       sum = 0, below = 0; /* below: prior of the classes before c */
    size_t       drawn = 0;
    for (size_t c = 0; c < v->K; c++) {
        double share = v->prior[c];
        below += v->prior[c];
        if (v->n_drawn) { /* draw k is the class at (k + 0.5) / n of the prior */
            const size_t before = drawn;
            while (drawn < v->n_drawn && ((double)drawn + 0.5) / n < below) drawn++;
            share = (double)(drawn - before) / n;
        }
        if (share > 0) sum += share * class_nats(v, lik, c);
    }
    return sum;
}

/* Returns what the attribute tells about the class in bits, between 0 and the entropy of the class.
 */
static double bits_of(const telling *v, const heft_term *term)
{
    const heft_lik *lik = term->lik;
    if (!lik || lik->silent) return 0;
    const double nats = lik->kind == HEFT_LIK_TABLE ? table_nats(v, term) : density_nats(v, lik);
    return fmin(fmax(nats, 0), v->entropy) / 0.69314718055994530942;
}

/* ---- order ---- */

void heft_terms_prior(const heft_terms *t, double *prior)
{
    const double *from = t->model->fitted.log_prior;
    for (size_t c = 0; c < t->n_class; c++) prior[c] = from ? from[c] : 0;
    heft_softmax(prior, t->n_class);
}

void heft_term_weight_range(const heft_terms *t, size_t j, double *lo, double *hi, double *size)
{
    const size_t n = heft_term_weights(t, j);
    *lo = INFINITY;
    *hi = -INFINITY;
    *size = 0;
    for (size_t k = 0; k < n; k++) {
        const double w = heft_term_weight(t, j, k);
        *lo = fmin(*lo, w);
        *hi = fmax(*hi, w);
        *size += fabs(w) / (double)n;
    }
}

heft_status heft_rank_noise_last(heft_ctx *ctx, const heft_terms *t, heft_attr_rank *order)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_attr_rank *last;
    size_t          n = 0, n_last = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, last, t->n_attr);
    for (size_t k = 0; k < t->n_attr; k++) {
        if (heft_may_be_noise(t, order[k].j)) last[n_last++] = order[k];
        else order[n++] = order[k];
    }
    if (n_last) memcpy(order + n, last, n_last * sizeof *last);
    return HEFT_OK;
}

heft_status heft_rank_attributes(heft_ctx *ctx, const heft_terms *t, heft_attr_rank **order,
                                 bool *differ)
{
    const double room = 1e8 / ((double)t->n_attr * (double)t->n_class + 1);
    const double nodes = fmin(room, MOST_IN_ALL); /* nodes that one attribute may have */
    const double each = nodes / (double)t->n_class;
    telling      v = {.K = t->n_class};
    double       lo, hi, first = NAN;
    *differ = false;
    HEFT_ALLOCS(ctx, &ctx->scratch, v.K, v.prior, v.log_prior, v.joint, v.mass, v.log_p);
    HEFT_ALLOC(ctx, &ctx->scratch, *order, t->n_attr);
    heft_terms_prior(t, v.prior);
    for (size_t c = 0; c < v.K; c++) {
        v.log_prior[c] = log(v.prior[c]);
        v.entropy -= heft_xlogx(v.prior[c]);
    }
    v.n_nodes = MOST_NODES;
    while ((double)v.n_nodes > fmax(each, LEAST_NODES)) v.n_nodes /= 2;
    v.stride = MOST_NODES / v.n_nodes;
    if (each < LEAST_NODES && v.K > LEAST_DRAWN)
        v.n_drawn = (size_t)fmax(nodes / LEAST_NODES, LEAST_DRAWN);
    for (size_t k = 0; k < MOST_NODES; k++)
        v.node[k] = normal_quantile(((double)k + 0.5) / MOST_NODES);
    for (size_t j = 0; j < t->n_attr; j++) {
        heft_attr_rank *to = &(*order)[j];
        to->j = j;
        to->bits = bits_of(&v, &t->attr[j]);
        heft_term_weight_range(t, j, &lo, &hi, &to->size);
        if (heft_term_silent(&t->attr[j]))
            to->size = -1; /* it comes last, whatever its weight is */
        if (isnan(first)) first = lo;
        if (lo != first || hi != first) *differ = true;
        if (j % 1024 == 0) HEFT_CHECK(heft_check_cancel(ctx));
    }
    for (size_t j = 0; j < t->n_attr && !*differ; j++)
        if ((*order)[j].size >= 0) (*order)[j].size = 1;
    if (t->model->fitted.importance)
        for (size_t j = 0; j < t->n_attr; j++) (*order)[j].size = t->model->fitted.importance[j];
    if (t->n_attr) qsort(*order, t->n_attr, sizeof **order, heft_attr_rank_compare);
    return heft_rank_noise_last(ctx, t, *order);
}

/* ---- attributes in use ---- */

/* Whether some class, value or class pair gives attribute j a weight of at least `bar`. */
static bool is_used(const heft_terms *t, size_t j, double bar)
{
    const heft_fitted *f = &t->model->fitted;
    if (t->per == HEFT_PER_ATTR && f->weights.shape == HEFT_W_ONE) return true;
    if (t->per == HEFT_PER_VALUE && t->attr[j].n_codes == 0) return false;
    for (size_t k = 0; k < heft_term_weights(t, j); k++) {
        const double w = heft_term_weight(t, j, k);
        const bool   left_out = t->per == HEFT_PER_CLASS && isinf(f->log_prior[k]);
        if (!left_out && (bar > 0 ? w >= bar : w != 0)) return true;
    }
    return false;
}

heft_status heft_used_table(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                            heft_table **out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    double               bar = 0; /* the least weight that counts; 0: any other than 0 */
    const char          *where = heft_table_label(table);
    heft_terms           t;
    HEFT_OWN(heft_dict) *names = NULL; /* the attributes that the model uses */
    size_t              *cols, n = 0, wanted = 0;

    *out = NULL;
    for (size_t k = 0; k < model->n_params; k++) {
        const char *text = model->param_values[k];
        if (strcmp(model->param_names[k], "threshold") == 0)
            (void)heft_parse_double(text, text + strlen(text), &bar);
    }
    HEFT_CHECK(heft_dict_create(ctx, &names));
    HEFT_CHECK(heft_terms_open(ctx, model, &t));
    HEFT_ALLOC(ctx, &ctx->scratch, cols, table->n_cols);
    for (size_t j = 0; j < t.n_attr; j++) {
        const char *name = heft_attr_name(&t, j);
        uint32_t    code;
        if (!is_used(&t, j, bar)) continue;
        HEFT_CHECK(heft_dict_add(ctx, names, name, strlen(name), &code));
        wanted++;
    }
    for (size_t k = 0; k < table->n_cols; k++) {
        const char *name = table->cols[k].name;
        if (heft_dict_find(names, name, strlen(name)) != HEFT_DICT_NONE) cols[n++] = k;
    }
    if (n < wanted)
        heft_say(ctx, HEFT_WARNING, "%s: the table lacks %zu of the %s that the model uses", where,
                 wanted - n, HEFT_COUNT_OF(wanted, "attribute"));
    if (n == 0)
        return heft_fail(ctx, HEFT_EINVAL,
                         "%s: the model uses none of the columns, because no weight reaches its "
                         "threshold (train with a lower {param threshold=})",
                         where);
    return heft_table_keep(ctx, table, cols, n, out);
}
