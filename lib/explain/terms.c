/* terms.c - opens the terms of a model's score, and finds the evidence of a row. */
#include "explain/terms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/put.h"

/* ---- opening ---- */

static void fill_cuts(heft_terms *t)
{
    for (size_t j = 0; j < t->n_attr; j++) {
        const heft_attr_prep *a = &t->model->prep.attr[j];
        if (!a->cut) continue;
        t->attr[j].n_cuts = a->n_cuts;
        t->attr[j].cuts = a->cuts;
    }
}

heft_status heft_terms_open(heft_ctx *ctx, const heft_model *model, heft_terms *t)
{
    const heft_method *method = model->method;
    *t = (heft_terms){.model = model,
                      .fitted = &model->fitted,
                      .n_attr = model->prep.n_attr,
                      .n_class = heft_dict_size(model->prep.classes)};
    if (method->terms) HEFT_CHECK(method->terms(ctx, &model->fitted, t));
    if (!t->attr) HEFT_CHECK(heft_terms_shared(ctx, &model->fitted, t));
    fill_cuts(t);
    if (method->attr_weights) t->beside = method->attr_weights(&model->fitted);
    return HEFT_OK;
}

int heft_attr_rank_compare(const void *pa, const void *pb)
{
    const heft_attr_rank *a = pa, *b = pb;
    if (a->size != b->size) return a->size > b->size ? -1 : 1;
    if (a->bits != b->bits) return a->bits > b->bits ? -1 : 1;
    return a->j < b->j ? -1 : 1;
}

static heft_status unfold(heft_ctx *ctx, const heft_model *model, heft_terms *t)
{
    heft_attr_rank *order;
    HEFT_CHECK(heft_terms_open(ctx, model, t));
    HEFT_CHECK(heft_terms_unfold(ctx, t));
    const size_t n = t->interactions.n;
    HEFT_ALLOCS(ctx, &ctx->scratch, n, t->interactions.strongest, order);
    for (size_t k = 0; k < n; k++) order[k] = (heft_attr_rank){k, t->interactions.list[k].size, 0};
    if (t->interactions.n_pairs)
        qsort(order, t->interactions.n_pairs, sizeof *order, heft_attr_rank_compare);
    if (n > t->interactions.n_pairs)
        qsort(order + t->interactions.n_pairs, n - t->interactions.n_pairs, sizeof *order,
              heft_attr_rank_compare);
    for (size_t k = 0; k < n; k++) t->interactions.strongest[k] = order[k].j;
    return HEFT_OK;
}

heft_status heft_terms_shown(heft_ctx *ctx, const heft_model *model, heft_terms *out)
{
    _Atomic(heft_kept_terms *) *place = &((heft_model *)model)->kept;
    heft_kept_terms            *kept = atomic_load(place), *first = NULL;
    if (!model->method->terms) return heft_terms_open(ctx, model, out);
    if (!kept) {
        HEFT_NEW(ctx, kept, 1);
        const heft_arena scratch = ctx->scratch; /* set aside, because the terms must stay */
        ctx->scratch = (heft_arena){0};
        const heft_status st = unfold(ctx, model, &kept->terms);
        kept->arena = ctx->scratch;
        ctx->scratch = scratch;
        if (st != HEFT_OK || !atomic_compare_exchange_strong(place, &first, kept)) {
            heft_kept_terms_free(kept);
            if (st != HEFT_OK) return st;
            kept = first; /* another thread was faster */
        }
    }
    *out = kept->terms;
    return HEFT_OK;
}

heft_status heft_terms_whole(heft_ctx *ctx, const heft_model *model, heft_terms *t)
{
    HEFT_CHECK(heft_terms_open(ctx, model, t));
    if (!model->method->tables) return HEFT_OK;
    HEFT_CHECK(model->method->tables(ctx, &model->fitted, t));
    fill_cuts(t);
    return HEFT_OK;
}

bool heft_terms_complete(const heft_terms *t)
{
    return t->model->method->caps & HEFT_ADDITIVE || t->model->method->terms;
}

/* ---- values ---- */

void heft_term_value(const heft_terms *t, size_t j, uint32_t code, double number, double *out)
{
    if (t->attr[j].lik) heft_cell_part(&t->model->fitted, j, code, number, out);
    else heft_term_table_value(t, j, code, number, out);
}

heft_status heft_terms_check(heft_ctx *ctx, const heft_terms *t)
{
    const heft_method *method = t->model->method;
    if (t->model->comm)
        return heft_fail(
            ctx, HEFT_EUNSUPPORTED,
            "the training rows of this model are spread over ranks (gather them first)");
    if (t->class_pair)
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "the score is a vote of class pairs, not a sum over attributes, and "
                         "cannot be explained (train with {param multiclass=direct})");
    if (t->shared && !method->parts && !(method->caps & HEFT_ADDITIVE))
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "the score of method %s is not a sum over attributes and cannot be "
                         "explained by attribute "
                         "(use another method, such as auto or cawnb)",
                         method->name);
    return HEFT_OK;
}

heft_status heft_terms_row(heft_ctx *ctx, const heft_terms *t, const heft_rows *rows, size_t i,
                           heft_row_evidence *out)
{
    const heft_model  *model = t->model;
    const heft_method *method = model->method;
    const size_t       K = t->n_class, lines = 1 + t->n_attr;
    double            *sum;
    *out = (heft_row_evidence){0};
    HEFT_CHECK(heft_terms_check(ctx, t));
    const size_t n = heft_times(lines, K);
    HEFT_ALLOC(ctx, &ctx->scratch, sum, K);
    if (t->shared) HEFT_ALLOC(ctx, &ctx->scratch, out->parts, n);
    if (!t->shared) HEFT_CHECK(heft_terms_evidence(ctx, t, rows, &i, 1, out));
    else if (method->parts) HEFT_CHECK(method->parts(ctx, &model->fitted, rows, i, out->parts));
    else HEFT_CHECK(heft_parts_additive(ctx, &model->fitted, rows, i, out->parts));
    heft_calibrate_parts(&model->calibration, lines, K, out->parts, sum);
    if (!out->alone) return HEFT_OK;
    heft_calibrate_lines(&model->calibration, lines, K, out->alone);
    heft_calibrate_lines(&model->calibration, heft_terms_joint(t), K, out->together);
    memcpy(out->alone, out->parts, K * sizeof *sum); /* the start includes the calibration */
    return HEFT_OK;
}

void heft_put_members(heft_buf *out, const heft_terms *t, size_t k)
{
    for (size_t m = 0; m < t->interactions.list[k].n; m++)
        heft_put(out, "%s%j", m ? ", " : "", heft_attr_name(t, t->interactions.list[k].attr[m]));
}

/* ---- weights ---- */

size_t heft_term_weights(const heft_terms *t, size_t j)
{
    const heft_weights *w = &t->fitted->weights;
    if (t->per == HEFT_PER_CLASS_PAIR) return t->n_class_pairs;
    if (t->per == HEFT_PER_CLASS) return t->n_class;
    if (t->per == HEFT_PER_VALUE && w->offset[j + 1] > w->offset[j])
        return w->offset[j + 1] - w->offset[j];
    return 1;
}

double heft_term_weight(const heft_terms *t, size_t j, size_t k)
{
    const bool by_class = t->per == HEFT_PER_CLASS;
    if (t->per == HEFT_PER_CLASS_PAIR) return t->class_pair[k].w[j];
    return heft_weight_at(&t->fitted->weights, t->n_class, j, by_class ? k : 0,
                          by_class ? 0 : (uint32_t)k);
}

/* ---- distributions ---- */

double heft_term_log_mass(const heft_term *term, size_t K, size_t c)
{
    const heft_lik *lik = term->lik;
    double          largest = -INFINITY, sum = 0;
    for (size_t v = 0; v < lik->n_codes; v++) largest = fmax(largest, lik->table[v * K + c]);
    for (size_t v = 0; v < lik->n_codes; v++) sum += exp(lik->table[v * K + c] - largest);
    return largest + log(sum);
}

double heft_term_share(const heft_term *term, size_t K, uint32_t v, size_t c)
{
    return exp(term->lik->table[v * K + c] - heft_term_log_mass(term, K, c));
}

bool heft_term_moments(const heft_term *term, size_t c, double *mean, double *sd)
{
    const heft_lik *lik = term->lik;
    const bool      kernel = lik->kind == HEFT_LIK_KERNEL;
    const size_t    from = kernel ? lik->start[c] : 0, to = kernel ? lik->start[c + 1] : 0;
    double          m = 0, square = 0;
    for (size_t k = from; k < to; k++) m += exp(lik->log_mass[k]) * lik->point[k];
    for (size_t k = from; k < to; k++)
        square += exp(lik->log_mass[k]) * (lik->point[k] - m) * (lik->point[k] - m);
    *mean = kernel ? m : lik->mean[c];
    *sd = kernel ? sqrt(square) : lik->sd[c];
    return !kernel || from < to;
}

bool heft_term_span(const heft_term *term, size_t c, double reach, double *lo, double *hi)
{
    const heft_lik *lik = term->lik;
    const bool      kernel = lik->kind == HEFT_LIK_KERNEL;
    if (kernel && lik->start[c] == lik->start[c + 1]) return false;
    *lo = kernel ? lik->point[lik->start[c]] : lik->mean[c] - reach * lik->sd[c];
    *hi = kernel ? lik->point[lik->start[c + 1] - 1] : lik->mean[c] + reach * lik->sd[c];
    return isfinite(*lo) && isfinite(*hi);
}
