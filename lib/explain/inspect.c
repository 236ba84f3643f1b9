/* inspect.c - what a model learned.
 *
 * How much attribute j tells of the class is the mutual information of the two under the model: the
 * Jensen-Shannon divergence of its distributions by class, weighted by the prior,
 *
 *   I_j = sum_c P(c) E_{x ~ P(.|c)} log2( P(x|c) / sum_k P(k) P(x|k) )
 *
 * exact for tables; for densities the expectation is taken over quantiles of each class. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "explain/explain.h"
#include "explain/grid.h"
#include "methods/auto/auto.h"
#include "methods/auto/pair_terms.h"
#include "methods/ovo.h"
#include "model/describe.h"
#include "model/method.h"

enum {
    SHOWN_CLASSES = 4,
    LISTED_CLASSES = 30,
    LISTED_BONDS = 10,
    MOST_NODES = 64,
    LEAST_NODES = 2,
    NAME = 40,
    BAR = 10
};

typedef struct ranked {
    size_t j;
    double size, tells; /* of its weights; bits about the class */
} ranked;

typedef struct view { /* a model as it is shown */
    const heft_model  *model;
    size_t             K;
    double            *prior, *log_prior;   /* sum to 1; -inf for a class that takes no part */
    double            *room, *mass, *log_p; /* n_class */
    bool               differ;              /* the weights do */
    const heft_ovo    *class_pairs;         /* of a one-against-one model; else NULL */
    const double      *beside;              /* a weight an attribute, besides the others; or NULL */
    heft_pair_terms    pairs;               /* pairs of attributes that are part of the score */
    const heft_pooled *pooled;              /* of a model of method auto; else NULL */
    size_t             n_nodes;
    double             node[MOST_NODES]; /* quantiles of the standard normal */
    ranked            *order;
} view;

/* ---- how much attributes tell ---- */

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

/* log sum_k P(k) P(x|k), of log_p[k] = log P(x|k). */
static double log_mix(const view *v, const double *log_p)
{
    for (size_t k = 0; k < v->K; k++) v->room[k] = log_p[k] + v->log_prior[k];
    return heft_logsumexp(v->room, v->K);
}

/* log sum_x of the table's column c: 0, unless weights are folded into it. */
static double log_mass(const heft_lik *lik, size_t K, size_t c)
{
    double largest = -INFINITY, sum = 0;
    for (size_t x = 0; x < lik->n_codes; x++) largest = fmax(largest, lik->table[x * K + c]);
    for (size_t x = 0; x < lik->n_codes; x++) sum += exp(lik->table[x * K + c] - largest);
    return largest + log(sum);
}

static double table_tells(const view *v, const heft_lik *lik)
{
    const size_t K = v->K;
    double       sum = 0;
    for (size_t c = 0; c < K; c++) v->mass[c] = log_mass(lik, K, c);
    for (size_t x = 0; x < lik->n_codes; x++) {
        for (size_t c = 0; c < K; c++) v->log_p[c] = lik->table[x * K + c] - v->mass[c];
        const double mix = log_mix(v, v->log_p);
        for (size_t c = 0; c < K; c++)
            if (v->prior[c] > 0) sum += v->prior[c] * exp(v->log_p[c]) * (v->log_p[c] - mix);
    }
    return sum;
}

/* The k-th of n equally likely values of class c; a class never seen has none. */
static bool node_at(const view *v, const heft_lik *lik, size_t c, size_t k, double *x)
{
    if (lik->kind != HEFT_LIK_KERNEL) {
        *x = lik->mean[c] + lik->sd[c] * v->node[k];
        return isfinite(*x);
    }
    const double target = ((double)k + 0.5) / (double)v->n_nodes;
    double       mass = 0;
    size_t       at = lik->start[c];
    if (at == lik->start[c + 1]) return false;
    while (at + 1 < lik->start[c + 1] && (mass += exp(lik->log_mass[at])) < target) at++;
    *x = lik->point[at];
    return true;
}

static double density_tells(const view *v, const heft_lik *lik)
{
    double sum = 0;
    for (size_t c = 0; c < v->K; c++) {
        if (!(v->prior[c] > 0)) continue;
        for (size_t k = 0; k < v->n_nodes; k++) {
            double x;
            if (!node_at(v, lik, c, k, &x)) continue;
            heft_lik_number(lik, v->K, x, v->log_p);
            sum += v->prior[c] * (v->log_p[c] - log_mix(v, v->log_p)) / (double)v->n_nodes;
        }
    }
    return sum;
}

/* In bits, between 0 and the entropy of the class. */
static double tells(const view *v, size_t j)
{
    const heft_lik *lik = v->model->fitted.lik ? &v->model->fitted.lik[j] : NULL;
    double          entropy = 0;
    if (!lik || lik->silent) return 0;
    for (size_t c = 0; c < v->K; c++) entropy -= heft_xlogx(v->prior[c]);
    const double nats = lik->kind == HEFT_LIK_TABLE ? table_tells(v, lik) : density_tells(v, lik);
    return fmin(fmax(nats, 0), entropy) / 0.69314718055994530942;
}

/* ---- weights ---- */

/* How many weights attribute j has: one, one a class, a value or a pair of classes. */
static size_t weight_count(const view *v, size_t j)
{
    const heft_weights *w = &v->model->fitted.weights;
    if (v->class_pairs) return v->class_pairs->n_pairs;
    if (w->shape == HEFT_W_CLASS) return v->K;
    return w->shape == HEFT_W_VALUE && w->offset[j + 1] > w->offset[j]
               ? w->offset[j + 1] - w->offset[j]
               : 1;
}

static double weight_number(const view *v, size_t j, size_t k)
{
    const heft_weights *w = &v->model->fitted.weights;
    if (v->class_pairs) return v->class_pairs->pair[k].w[j];
    return w->shape == HEFT_W_CLASS ? heft_weight_at(w, v->K, j, k, 0)
                                    : heft_weight_at(w, v->K, j, 0, (uint32_t)k);
}

/* Least, largest and mean size of the weights of attribute j. */
static void weight_span(const view *v, size_t j, double *lo, double *hi, double *size)
{
    const size_t n = weight_count(v, j);
    *lo = INFINITY;
    *hi = -INFINITY;
    *size = 0;
    for (size_t k = 0; k < n; k++) {
        const double w = weight_number(v, j, k);
        *lo = fmin(*lo, w);
        *hi = fmax(*hi, w);
        *size += fabs(w) / (double)n;
    }
}

static bool is_silent(const view *v, size_t j)
{
    return v->model->fitted.lik && v->model->fitted.lik[j].silent;
}

static int by_size(const void *pa, const void *pb)
{
    const ranked *a = pa, *b = pb;
    if (a->size != b->size) return a->size > b->size ? -1 : 1;
    if (a->tells != b->tells) return a->tells > b->tells ? -1 : 1;
    return a->j < b->j ? -1 : 1;
}

/* ---- the view ---- */

static heft_status view_open(heft_ctx *ctx, const heft_model *model, view *v)
{
    const double *from = model->fitted.log_prior;
    v->model = model;
    v->K = heft_dict_size(model->prep.classes);
    v->class_pairs = heft_ovo_of(model->method, &model->fitted);
    v->pooled = heft_pooled_of(model->method, &model->fitted);
    if (v->pooled) HEFT_CHECK(heft_pair_terms_open(ctx, v->pooled, &v->pairs));
    if (model->method->attr_weights) v->beside = model->method->attr_weights(&model->fitted);
    HEFT_ALLOC(ctx, &ctx->scratch, v->prior, v->K);
    HEFT_ALLOC(ctx, &ctx->scratch, v->log_prior, v->K);
    HEFT_ALLOC(ctx, &ctx->scratch, v->room, v->K);
    HEFT_ALLOC(ctx, &ctx->scratch, v->mass, v->K);
    HEFT_ALLOC(ctx, &ctx->scratch, v->log_p, v->K);
    if (from) memcpy(v->prior, from, v->K * sizeof *from);
    heft_softmax(v->prior, v->K);
    for (size_t c = 0; c < v->K; c++) v->log_prior[c] = log(v->prior[c]);
    return HEFT_OK;
}

static heft_status view_order(heft_ctx *ctx, view *v)
{
    const size_t A = v->model->prep.n_attr;
    const double nodes = 1e8 / ((double)A * (double)v->K * (double)v->K + 1);
    double       lo, hi, first = NAN;
    v->n_nodes = nodes > MOST_NODES    ? MOST_NODES
                 : nodes < LEAST_NODES ? LEAST_NODES
                                       : (size_t)nodes;
    for (size_t k = 0; k < v->n_nodes; k++)
        v->node[k] = normal_quantile(((double)k + 0.5) / (double)v->n_nodes);
    HEFT_ALLOC(ctx, &ctx->scratch, v->order, A);
    for (size_t j = 0; j < A; j++) {
        v->order[j].j = j;
        v->order[j].tells = tells(v, j);
        weight_span(v, j, &lo, &hi, &v->order[j].size);
        if (is_silent(v, j)) v->order[j].size = -1; /* whatever its weight: last */
        if (isnan(first)) first = lo;
        if (lo != first || hi != first) v->differ = true;
        if (j % 1024 == 0) HEFT_CHECK(heft_check_cancel(ctx));
    }
    for (size_t j = 0; j < A && !v->differ; j++)
        if (v->order[j].size >= 0) v->order[j].size = 1;
    if (A) qsort(v->order, A, sizeof *v->order, by_size);
    return HEFT_OK;
}

/* ---- text ---- */

static void line(heft_grid *grid, const char *name, heft_buf *text)
{
    heft_grid_add(grid, name);
    heft_buf_add(text, "", 1);
    heft_grid_add(grid, text->failed ? "" : text->data);
    if (text->failed) grid->cells.failed = true;
    heft_buf_clear(text);
}

static void add_training(heft_grid *grid, const heft_training *t)
{
    heft_buf text = {0};
    heft_buf_short(&text, t->rows, 10);
    heft_buf_text(&text, " rows in ");
    if (t->seconds < 0.001) heft_buf_text(&text, "less than 0.001");
    else heft_buf_short(&text, t->seconds, 3);
    heft_buf_text(&text, " s");
    line(grid, "trained on", &text);
    if (!t->iterative) return;
    heft_buf_printf(&text, "%ld iterations, ", t->iterations);
    if (t->objective_initial != 0 || t->objective_final != 0) { /* some fits have none */
        heft_buf_text(&text, "objective ");
        heft_buf_short(&text, t->objective_initial, 6);
        heft_buf_text(&text, " to ");
        heft_buf_short(&text, t->objective_final, 6);
        heft_buf_text(&text, ", ");
    }
    heft_buf_text(&text, t->converged ? "converged" : "not converged");
    if (t->stopped_by) {
        heft_buf_text(&text, ": ");
        heft_buf_name(&text, t->stopped_by, 120);
    }
    line(grid, "fit", &text);
}

static void add_facts(heft_grid *grid, const heft_training *t)
{
    for (size_t k = 0; k < t->n_facts; k++) {
        heft_buf text = {0};
        if (t->facts[k].text) heft_buf_name(&text, t->facts[k].text, 120);
        else heft_buf_short(&text, t->facts[k].number, 6);
        line(grid, t->facts[k].name, &text);
    }
}

static void add_settings(heft_grid *grid, const heft_model *model)
{
    heft_buf        text = {0};
    heft_prep_words words;
    heft_describe_words(&model->prep.spec, &words);
    heft_buf_printf(&text, "--impute %s --discretize %s --scale %s --unseen %s", words.impute,
                    words.discretize, words.scale, words.unseen);
    heft_buf_text(&text, " --smoothing ");
    heft_buf_name(&text, model->smoothing, 40);
    heft_buf_text(&text, " --prior ");
    heft_buf_name(&text, model->prior, 80);
    if (model->calibration.kind != HEFT_AS_IT_IS)
        heft_buf_printf(&text, " --calibrate %s", heft_calibration_word(model->calibration.kind));
    line(grid, "preparation", &text);
    for (size_t k = 0; k < model->n_params; k++) {
        heft_buf_text(&text, k ? " -p " : "-p ");
        heft_buf_name(&text, model->param_names[k], NAME);
        heft_buf_text(&text, "=");
        heft_buf_name(&text, model->param_values[k], 80);
    }
    if (model->n_params) line(grid, "parameters", &text);
}

static void write_head(const view *v, heft_buf *out)
{
    const heft_model *model = v->model;
    const heft_prep  *prep = &model->prep;
    heft_grid         grid = {.n_cols = 2};
    heft_buf          text = {0};
    heft_buf_printf(out, "%s: %s\n\n", model->method->name, model->method->title);
    heft_buf_text(&text, model->method->source);
    line(&grid, "source", &text);
    heft_buf_name(&text, prep->target, NAME);
    heft_buf_printf(&text, ", %zu classes, by %zu attributes%s", v->K, prep->n_attr,
                    prep->sparse ? ", sparse" : "");
    line(&grid, "target", &text);
    add_settings(&grid, model);
    add_training(&grid, &model->fitted.training);
    add_facts(&grid, &model->fitted.training);
    heft_grid_print(&grid, 0, out);
}

static void add_bar(heft_grid *grid, double share)
{
    char         bar[BAR + 1] = "";
    const double n = share > 0 ? ceil(share * BAR) : 0;
    memset(bar, '#', n < BAR ? (size_t)n : BAR);
    heft_grid_add(grid, bar);
}

static void add_number(heft_grid *grid, double x, int digits)
{
    heft_buf text = {0};
    heft_buf_short(&text, x, digits);
    heft_buf_add(&text, "", 1);
    heft_grid_add(grid, text.failed ? "" : text.data);
    grid->cells.failed |= text.failed;
    heft_buf_clear(&text);
}

static void write_classes(const view *v, heft_buf *out)
{
    heft_grid grid = {.n_cols = 3, .right = {false, true, false}};
    if (!v->model->fitted.log_prior) return;
    heft_grid_add(&grid, "class");
    heft_grid_add(&grid, "prior");
    heft_grid_add(&grid, "");
    for (uint32_t c = 0; c < v->K && c < LISTED_CLASSES; c++) {
        heft_grid_name(&grid, heft_dict_text(v->model->prep.classes, c), NAME);
        add_number(&grid, v->prior[c], 4);
        add_bar(&grid, v->prior[c]);
    }
    heft_buf_text(out, "\n");
    heft_grid_print(&grid, 0, out);
    if (v->K > LISTED_CLASSES) heft_buf_printf(out, "(%zu more classes)\n", v->K - LISTED_CLASSES);
}

static void learned_table(const view *v, size_t j, size_t c, heft_buf *text)
{
    const heft_lik *lik = &v->model->fitted.lik[j];
    char            value[256];
    uint32_t        best = 0;
    if (lik->n_codes == 0) return;
    for (uint32_t x = 1; x < lik->n_codes; x++)
        if (lik->table[x * v->K + c] > lik->table[best * v->K + c]) best = x;
    heft_buf_name(text, heft_prep_value(&v->model->prep, j, best, value, sizeof value), 24);
    heft_buf_text(text, " ");
    heft_buf_short(text, exp(lik->table[best * v->K + c] - log_mass(lik, v->K, c)), 3);
}

static void learned_density(const heft_lik *lik, size_t c, heft_buf *text)
{
    double mean = 0, square = 0, sd;
    if (lik->kind != HEFT_LIK_KERNEL) {
        mean = lik->mean[c];
        sd = lik->sd[c];
    } else if (lik->start[c] == lik->start[c + 1]) {
        heft_buf_text(text, "nothing");
        return;
    } else {
        for (size_t k = lik->start[c]; k < lik->start[c + 1]; k++)
            mean += exp(lik->log_mass[k]) * lik->point[k];
        for (size_t k = lik->start[c]; k < lik->start[c + 1]; k++)
            square += exp(lik->log_mass[k]) * (lik->point[k] - mean) * (lik->point[k] - mean);
        sd = sqrt(square);
    }
    heft_buf_short(text, mean, 4);
    heft_buf_text(text, " +- ");
    heft_buf_short(text, sd, 3);
}

/* Class by class: the likeliest value and its probability, or mean and standard deviation. */
static void add_learned(const view *v, size_t j, heft_grid *grid)
{
    const heft_lik *lik = v->model->fitted.lik ? &v->model->fitted.lik[j] : NULL;
    heft_buf        text = {0};
    if (is_silent(v, j)) {
        heft_grid_add(grid, "the same in every class");
        return;
    }
    for (size_t c = 0; lik && c < v->K && c < SHOWN_CLASSES; c++) {
        if (c) heft_buf_text(&text, " | ");
        if (lik->kind == HEFT_LIK_TABLE) learned_table(v, j, c, &text);
        else learned_density(lik, c, &text);
    }
    if (lik && v->K > SHOWN_CLASSES) heft_buf_text(&text, " | ...");
    heft_buf_add(&text, "", 1);
    heft_grid_add(grid, text.failed ? "" : text.data);
    grid->cells.failed |= text.failed;
    heft_buf_clear(&text);
}

static void add_weight(const view *v, const ranked *r, heft_grid *grid)
{
    double   lo, hi, size;
    heft_buf text = {0};
    weight_span(v, r->j, &lo, &hi, &size);
    if (v->beside) {
        heft_buf_short(&text, v->beside[r->j], 4);
        heft_buf_text(&text, "; ");
    }
    heft_buf_short(&text, lo, 4);
    if (hi != lo) {
        heft_buf_text(&text, " to ");
        heft_buf_short(&text, hi, 4);
    }
    heft_buf_add(&text, "", 1);
    heft_grid_add(grid, text.failed ? "" : text.data);
    grid->cells.failed |= text.failed;
    heft_buf_clear(&text);
}

static void add_heading(const view *v, heft_grid *grid)
{
    heft_buf text = {0};
    heft_grid_add(grid, "attribute");
    heft_grid_add(grid, "kind");
    if (v->differ)
        heft_grid_add(grid, v->beside        ? "weight; by class"
                            : v->class_pairs ? "weight by pair"
                                             : "weight");
    heft_grid_add(grid, "bits");
    heft_grid_add(grid, "");
    for (uint32_t c = 0; c < v->K && c < SHOWN_CLASSES; c++) {
        if (c) heft_buf_text(&text, " | ");
        heft_buf_name(&text, heft_dict_text(v->model->prep.classes, c), 20);
    }
    if (v->K > SHOWN_CLASSES) heft_buf_text(&text, " | ...");
    heft_buf_add(&text, "", 1);
    heft_grid_add(grid, text.failed ? "" : text.data);
    grid->cells.failed |= text.failed;
    heft_buf_clear(&text);
}

/* Of a score that is pooled evidence: how much of it, the mean size over rows and classes. */
static void write_sizes(const view *v, size_t n, heft_buf *out)
{
    const heft_prep *prep = &v->model->prep;
    const double    *size = v->model->fitted.weights.w;
    const double     most = prep->n_attr ? size[v->order[0].j] : 0;
    heft_grid        grid = {.n_cols = 4, .right = {false, false, true}};
    heft_buf_text(out, "\nAttributes by their evidence: the mean size of what they add to the "
                       "score of a class,\nhalf of each pair's with either attribute.\n\n");
    heft_grid_add(&grid, "attribute");
    heft_grid_add(&grid, "kind");
    heft_grid_add(&grid, "evidence");
    heft_grid_add(&grid, "");
    for (size_t k = 0; k < n; k++) {
        const ranked *r = &v->order[k];
        heft_grid_name(&grid, prep->attr[r->j].name, NAME);
        heft_grid_add(&grid, prep->attr[r->j].kind == HEFT_NUMBER ? "numeric" : "nominal");
        add_number(&grid, size[r->j], 4);
        add_bar(&grid, most > 0 ? size[r->j] / most : 0);
    }
    heft_grid_print(&grid, 0, out);
}

static void write_bonds(const view *v, size_t top, heft_buf *out)
{
    const heft_pair_terms *b = &v->pairs;
    const size_t           usual = b->n < LISTED_BONDS ? b->n : LISTED_BONDS;
    const size_t           n = top && top < usual ? top : usual;
    const double           most = b->n ? b->pair[b->order[0]].size : 0;
    heft_grid              grid = {.n_cols = 4, .right = {false, false, true}};
    if (n == 0) return;
    heft_buf_printf(out, "\nThe strongest of %zu pairs of attributes.\n\n", b->n);
    heft_grid_add(&grid, "attribute");
    heft_grid_add(&grid, "with");
    heft_grid_add(&grid, "evidence");
    heft_grid_add(&grid, "");
    for (size_t k = 0; k < n; k++) {
        const heft_pair_term *pair = &b->pair[b->order[k]];
        heft_grid_name(&grid, v->model->prep.attr[pair->i].name, NAME);
        heft_grid_name(&grid, v->model->prep.attr[pair->j].name, NAME);
        add_number(&grid, pair->size, 4);
        add_bar(&grid, most > 0 ? pair->size / most : 0);
    }
    heft_grid_print(&grid, 0, out);
}

static void write_table(const view *v, size_t n, heft_buf *out)
{
    const heft_prep *prep = &v->model->prep;
    double           most = 0;
    heft_grid        grid = {.n_cols = 5, .right = {false, false, true}};
    if (v->differ) grid = (heft_grid){.n_cols = 6, .right = {false, false, true, true}};
    for (size_t j = 0; j < prep->n_attr; j++) most = fmax(most, v->order[j].tells);
    heft_buf_printf(out, "\n%s.\n",
                    v->differ ? "Attributes by the size of their weight"
                              : "All weights are equal; attributes by how much they tell");
    heft_buf_text(out, "bits: what an attribute tells of the class by itself. Then, by class: mean "
                       "+- standard\ndeviation, or the likeliest value with its probability.\n\n");
    add_heading(v, &grid);
    for (size_t k = 0; k < n; k++) {
        const ranked *r = &v->order[k];
        heft_grid_name(&grid, prep->attr[r->j].name, NAME);
        heft_grid_add(&grid, prep->attr[r->j].kind == HEFT_NUMBER ? "numeric" : "nominal");
        if (v->differ) add_weight(v, r, &grid);
        add_number(&grid, r->tells, 3);
        add_bar(&grid, most > 0 ? r->tells / most : 0);
        add_learned(v, r->j, &grid);
    }
    heft_grid_print(&grid, 0, out);
}

static void write_attributes(const view *v, size_t top, heft_buf *out)
{
    const heft_prep *prep = &v->model->prep;
    const size_t     n = top && top < prep->n_attr ? top : prep->n_attr;
    if (v->pooled) write_sizes(v, n, out);
    else write_table(v, n, out);
    if (n < prep->n_attr) heft_buf_printf(out, "(%zu more attributes)\n", prep->n_attr - n);
    if (v->pooled) write_bonds(v, top, out);
}

/* ---- JSON ---- */

/* Text of code k of attribute j, whole: a value of any length, or an interval. */
static const char *value_text(const view *v, size_t j, uint32_t k, char *room, size_t size)
{
    const heft_attr_prep *a = &v->model->prep.attr[j];
    return a->kind == HEFT_NOMINAL ? heft_dict_text(a->dict, k)
                                   : heft_prep_value(&v->model->prep, j, k, room, size);
}

/* "weight", "class_weights" or "value_weights"; those of pairs of classes stand elsewhere. */
static void json_weights(const view *v, size_t j, heft_buf *out)
{
    const heft_weights *w = &v->model->fitted.weights;
    const bool          by_class = w->shape == HEFT_W_CLASS;
    const bool          by_value = w->shape == HEFT_W_VALUE && w->offset[j + 1] > w->offset[j];
    char                room[128];
    if (v->class_pairs) return;
    if (v->beside || !(by_class || by_value)) {
        heft_buf_text(out, ", \"weight\": ");
        heft_buf_json_number(out, v->beside ? v->beside[j] : weight_number(v, j, 0));
    }
    if (!(by_class || by_value)) return;
    heft_buf_text(out, by_class ? ", \"class_weights\": {" : ", \"value_weights\": {");
    for (uint32_t k = 0; k < weight_count(v, j); k++) {
        if (k) heft_buf_text(out, ", ");
        heft_buf_json(out, by_class ? heft_dict_text(v->model->prep.classes, k)
                                    : value_text(v, j, k, room, sizeof room));
        heft_buf_text(out, ": ");
        heft_buf_json_number(out, weight_number(v, j, k));
    }
    heft_buf_text(out, "}");
}

static void json_pairs(const view *v, heft_buf *out)
{
    const heft_dict *classes = v->model->prep.classes;
    if (!v->class_pairs) return;
    heft_buf_text(out, ",\n \"pairs\": [");
    for (size_t k = 0; k < v->class_pairs->n_pairs; k++) {
        const heft_class_pair *pair = &v->class_pairs->pair[k];
        heft_buf_text(out, k ? ",\n  {\"classes\": [" : "\n  {\"classes\": [");
        heft_buf_json(out, heft_dict_text(classes, (uint32_t)pair->a));
        heft_buf_text(out, ", ");
        heft_buf_json(out, heft_dict_text(classes, (uint32_t)pair->b));
        heft_buf_text(out, "], \"prior_weight\": ");
        heft_buf_json_number(out, pair->w0);
        heft_buf_text(out, ", \"weights\": [");
        for (size_t j = 0; j < v->model->prep.n_attr; j++) {
            if (j) heft_buf_text(out, ", ");
            heft_buf_json_number(out, pair->w[j]);
        }
        heft_buf_text(out, "]}");
    }
    heft_buf_text(out, "\n ]");
}

/* Pairs of attributes, the most evidence first. */
static void json_pair_terms(const view *v, heft_buf *out)
{
    if (!v->pooled) return;
    heft_buf_text(out, ",\n \"attribute_pairs\": [");
    for (size_t k = 0; k < v->pairs.n; k++) {
        const heft_pair_term *pair = &v->pairs.pair[v->pairs.order[k]];
        heft_buf_text(out, k ? ",\n  {\"attributes\": [" : "\n  {\"attributes\": [");
        heft_buf_json(out, v->model->prep.attr[pair->i].name);
        heft_buf_text(out, ", ");
        heft_buf_json(out, v->model->prep.attr[pair->j].name);
        heft_buf_text(out, "], \"weight\": ");
        heft_buf_json_number(out, pair->size);
        heft_buf_text(out, "}");
    }
    heft_buf_text(out, v->pairs.n ? "\n ]" : "]");
}

static void json_attributes(const view *v, heft_buf *out)
{
    const heft_prep *prep = &v->model->prep;
    heft_buf_text(out, ",\n \"attributes\": [");
    for (size_t j = 0; j < prep->n_attr; j++) {
        heft_buf_text(out, j ? ",\n  {\"name\": " : "\n  {\"name\": ");
        heft_buf_json(out, prep->attr[j].name);
        heft_buf_printf(out, ", \"kind\": \"%s\"",
                        prep->attr[j].kind == HEFT_NUMBER ? "numeric" : "nominal");
        json_weights(v, j, out);
        heft_buf_text(out, "}");
    }
    heft_buf_text(out, prep->n_attr ? "\n ]" : "]");
}

static void json_prior(const view *v, heft_buf *out)
{
    heft_buf_text(out, ",\n \"prior\": ");
    for (size_t c = 0; v->model->fitted.log_prior && c < v->K; c++) {
        heft_buf_text(out, c ? ", " : "[");
        heft_buf_json_number(out, v->prior[c]);
    }
    heft_buf_text(out, v->model->fitted.log_prior ? "]" : "null");
}

static void json_calibration(const view *v, heft_buf *out)
{
    const heft_calibration *c = &v->model->calibration;
    if (!c->scale) return;
    heft_buf_text(out, ",\n \"calibration\": {\"scale\": [");
    for (size_t k = 0; k < v->K; k++) {
        if (k) heft_buf_text(out, ", ");
        heft_buf_json_number(out, c->scale[k]);
    }
    heft_buf_text(out, "], \"shift\": [");
    for (size_t k = 0; k < v->K; k++) {
        if (k) heft_buf_text(out, ", ");
        heft_buf_json_number(out, c->shift[k]);
    }
    heft_buf_text(out, "]}");
}

/* ---- public ---- */

heft_status heft_inspect_text(heft_ctx *ctx, const heft_model *model, size_t top, char **out)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    view            v = {0};
    heft_buf        buf = {0};
    *out = NULL;
    HEFT_TRY(view_open(ctx, model, &v));
    HEFT_TRY(view_order(ctx, &v));
    write_head(&v, &buf);
    write_classes(&v, &buf);
    if (model->prep.n_attr) write_attributes(&v, top, &buf);
    HEFT_TRY(heft_buf_take(ctx, &buf, out));
done:
    heft_buf_clear(&buf);
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

heft_status heft_inspect_json(heft_ctx *ctx, const heft_model *model, char **out)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    view            v = {0};
    heft_buf        buf = {0};
    *out = NULL;
    HEFT_TRY(view_open(ctx, model, &v));
    heft_buf_text(&buf, "{\"method\": ");
    heft_buf_json(&buf, model->method->name);
    heft_buf_text(&buf, ",\n \"heft\": ");
    heft_buf_json(&buf, heft_version());
    heft_buf_text(&buf, ",\n \"target\": ");
    heft_buf_json(&buf, model->prep.target);
    heft_buf_text(&buf, ",\n \"classes\": ");
    heft_describe_classes(&buf, &model->prep);
    json_prior(&v, &buf);
    heft_buf_text(&buf, ",\n \"prior_weight\": ");
    heft_buf_json_number(&buf, model->fitted.weights.w0);
    json_attributes(&v, &buf);
    json_pairs(&v, &buf);
    json_pair_terms(&v, &buf);
    heft_buf_text(&buf, ",\n \"training\": ");
    heft_describe_training(&buf, model);
    heft_buf_text(&buf, ",\n \"parameters\": ");
    heft_describe_params(&buf, model);
    heft_buf_text(&buf, ",\n \"preparation\": ");
    heft_describe_prep(&buf, model);
    json_calibration(&v, &buf);
    heft_buf_text(&buf, ",\n \"extra\": ");
    heft_describe_facts(&buf, model);
    heft_buf_text(&buf, "}\n");
    HEFT_TRY(heft_buf_take(ctx, &buf, out));
done:
    heft_buf_clear(&buf);
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

heft_status heft_inspect_order(heft_ctx *ctx, const heft_model *model, heft_standing **order,
                               bool *differ)
{
    view v = {0};
    HEFT_CHECK(view_open(ctx, model, &v));
    HEFT_CHECK(view_order(ctx, &v));
    HEFT_ALLOC(ctx, &ctx->scratch, *order, model->prep.n_attr);
    for (size_t k = 0; k < model->prep.n_attr; k++)
        (*order)[k] = (heft_standing){v.order[k].j, v.order[k].size, v.order[k].tells};
    *differ = v.differ;
    return HEFT_OK;
}
