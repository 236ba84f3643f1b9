/* view.c - single numbers of a model, for programs that read it. */
#include "explain/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "explain/terms.h"
#include "methods/ovo.h"
#include "prep/numbers.h"

/* ---- attributes ---- */

void heft_view_attribute(const heft_model *model, size_t j, heft_attribute *out)
{
    const heft_attr_prep *a = &model->prep.attr[j];
    *out = (heft_attribute){.name = a->name,
                            .kind = a->kind,
                            .n_values = heft_attr_codes(a),
                            .fill = a->has_fill ? a->fill : (double)NAN,
                            .shift = a->shift,
                            .factor = a->factor,
                            .n_cuts = a->n_cuts,
                            .cuts = a->cuts};
}

/* Intervals are numbered from the lowest on; in sparse rows their codes are not. */
static uint32_t code_of(const heft_prep *prep, size_t j, size_t v)
{
    return heft_swap_zero((uint32_t)v, heft_zero_interval(prep, j));
}

size_t heft_view_value(const heft_model *model, size_t j, size_t v, char *out, size_t size)
{
    char             interval[96];
    const heft_prep *prep = &model->prep;
    if (out && size) out[0] = 0;
    if (j >= prep->n_attr || v >= heft_attr_codes(&prep->attr[j])) return 0;
    const char *text =
        prep->attr[j].kind == HEFT_NOMINAL
            ? heft_dict_text(prep->attr[j].dict, (uint32_t)v)
            : heft_prep_value(prep, j, code_of(prep, j, v), interval, sizeof interval);
    const size_t length = strlen(text);
    if (out && size) snprintf(out, size, "%s", text);
    return length;
}

heft_status heft_view_prior(heft_ctx *ctx, const heft_model *model, double *prior)
{
    if (!model->fitted.log_prior)
        return heft_fail(ctx, HEFT_EUNSUPPORTED, "method %s has no prior apart from its counts",
                         model->method->name);
    memcpy(prior, model->fitted.log_prior, model->fitted.n_class * sizeof *prior);
    heft_softmax(prior, model->fitted.n_class);
    return HEFT_OK;
}

/* ---- weights ---- */

/* Returns the weights of class pairs, or NULL if each class has a sum of its own. */
static const heft_ovo *pairs_of(const heft_model *model)
{
    return model->method->terms == heft_ovo_terms ? model->fitted.own : NULL;
}

heft_weighting heft_view_weighting(const heft_model *model)
{
    const heft_shape shape = model->fitted.weights.shape;
    if (pairs_of(model)) return HEFT_WEIGHT_PAIR;
    if (shape == HEFT_W_CLASS) return HEFT_WEIGHT_CLASS;
    if (shape == HEFT_W_VALUE) return HEFT_WEIGHT_VALUE;
    return shape == HEFT_W_ATTR || model->method->attr_weights ? HEFT_WEIGHT_ATTRIBUTE
                                                               : HEFT_WEIGHT_NONE;
}

double heft_view_weight(const heft_model *model, size_t j, size_t c, size_t v)
{
    const heft_fitted   *f = &model->fitted;
    const heft_weighting by = heft_view_weighting(model);
    if (j >= model->prep.n_attr || by == HEFT_WEIGHT_PAIR) return (double)NAN;
    if (by == HEFT_WEIGHT_CLASS && c == f->n_class && model->method->attr_weights)
        return model->method->attr_weights(f)[j];
    if (by == HEFT_WEIGHT_CLASS && c >= f->n_class) return (double)NAN;
    if (by == HEFT_WEIGHT_ATTRIBUTE && f->weights.shape == HEFT_W_ONE)
        return model->method->attr_weights(f)[j];
    if (by == HEFT_WEIGHT_VALUE) {
        const size_t n = f->weights.offset[j + 1] - f->weights.offset[j];
        if (v >= n && n > 0) return (double)NAN;
        v = n > 0 ? code_of(&model->prep, j, v) : 0; /* a number: its weight is 1 */
    }
    return heft_weight_at(&f->weights, f->n_class, j, c, (uint32_t)v);
}

heft_status heft_view_pair(heft_ctx *ctx, const heft_model *model, size_t a, size_t b,
                           double *prior, double *weights)
{
    const heft_ovo *ovo = pairs_of(model);
    const size_t    lo = a < b ? a : b, hi = a < b ? b : a, K = model->fitted.n_class;
    if (!ovo)
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "this model of method %s has no weights by pair of classes (see "
                         "heft_model_weighting)",
                         model->method->name);
    for (size_t k = 0; k < ovo->n_pairs; k++) {
        const heft_class_pair *pair = &ovo->pair[k];
        if (pair->a != lo || pair->b != hi) continue;
        *prior = pair->w0;
        if (model->prep.n_attr) memcpy(weights, pair->w, model->prep.n_attr * sizeof *weights);
        return HEFT_OK;
    }
    return heft_fail(ctx, HEFT_EINVAL,
                     "classes %zu and %zu: not two of the %zu classes that the model can predict",
                     a, b, K);
}

/* ---- likelihoods ---- */

/* Set *out to the prepared cell: a code as a number, or a number. */
static heft_status prepared_cell(heft_ctx *ctx, const heft_prep *prep, size_t j, double x,
                                 double *out)
{
    const heft_attr_prep *a = &prep->attr[j];
    const uint32_t        n = heft_attr_codes(a);
    if (isinf(x))
        return heft_fail(ctx, HEFT_EINVAL, "attribute '%.100s': not a finite number", a->name);
    if (!a->cut || isnan(x)) {
        *out = heft_prep_cell(prep, j, x, 1, 0);
        return HEFT_OK;
    }
    if (!(x >= 0 && x < n && x == floor(x)))
        return heft_fail(ctx, HEFT_EINVAL, "attribute '%.100s' has intervals 0 to %u, not %g",
                         a->name, n - 1, x);
    *out = code_of(prep, j, (size_t)x);
    return HEFT_OK;
}

heft_status heft_view_likelihood(heft_ctx *ctx, const heft_model *model, size_t j, double x,
                                 double *log_p)
{
    double             cell = 0;
    const heft_fitted *f = &model->fitted;
    if (!f->lik)
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "method %s has no distribution by attribute and class",
                         model->method->name);
    HEFT_CHECK(prepared_cell(ctx, &model->prep, j, x, &cell));
    if (f->lik[j].kind == HEFT_LIK_TABLE)
        memcpy(log_p, heft_lik_code(&f->lik[j], f->n_class, (uint32_t)cell),
               f->n_class * sizeof *log_p);
    else heft_lik_number(&f->lik[j], f->n_class, cell, log_p);
    return HEFT_OK;
}

/* ---- terms ---- */

/* Whether the score is a sum whose terms depend on few attributes each, not on the whole row. */
static bool has_terms(const heft_model *model)
{
    const heft_method *m = model->method;
    return !m->parts && !pairs_of(model) && (m->terms || m->caps & HEFT_ADDITIVE);
}

static heft_status open_terms(heft_ctx *ctx, const heft_model *model, heft_terms *out)
{
    if (has_terms(model)) return heft_terms_shown(ctx, model, out);
    return heft_fail(ctx, HEFT_EUNSUPPORTED,
                     "the score of this model of method %s is not a sum of terms of few attributes",
                     model->method->name);
}

heft_status heft_view_terms(heft_ctx *ctx, const heft_model *model, size_t *n)
{
    heft_terms t = {.n_attr = model->prep.n_attr};
    *n = 0;
    if (!has_terms(model)) return HEFT_OK;
    if (model->method->terms) HEFT_CHECK(heft_terms_shown(ctx, model, &t));
    *n = t.n_attr + heft_terms_joint(&t);
    return HEFT_OK;
}

heft_status heft_view_term(heft_ctx *ctx, const heft_model *model, size_t t, heft_term_info *out)
{
    heft_terms terms = {.n_attr = model->prep.n_attr};
    *out = (heft_term_info){.n_attributes = 1, .attributes = {t}, .strength = (double)NAN};
    if (!has_terms(model) || model->method->terms) HEFT_CHECK(open_terms(ctx, model, &terms));
    const size_t n = terms.n_attr + heft_terms_joint(&terms);
    if (t >= n)
        return heft_fail(ctx, HEFT_EINVAL,
                         "there is no term %zu: the model has %zu, numbered from 0", t, n);
    if (t < terms.n_attr) {
        if (terms.size) out->strength = terms.size[t];
    } else if (t == terms.n_attr + terms.interactions.n) {
        out->n_attributes = out->attributes[0] = 0;
        out->strength = terms.interactions.remainder;
    } else {
        const heft_interaction *joint = &terms.interactions.list[t - terms.n_attr];
        out->n_attributes = joint->n;
        for (size_t k = 0; k < joint->n; k++) out->attributes[k] = joint->attr[k];
        out->strength = joint->size;
    }
    return HEFT_OK;
}

/* Set evidence to the start and all terms of row 0 of prepared rows. */
static heft_status give_evidence(heft_ctx *ctx, const heft_terms *terms, const heft_rows *rows,
                                 double *evidence)
{
    heft_row_evidence e;
    HEFT_CHECK(heft_terms_row(ctx, terms, rows, 0, &e));
    const size_t K = terms->n_class, lines = 1 + terms->n_attr, joint = heft_terms_joint(terms);
    memcpy(evidence, e.alone ? e.alone : e.parts, lines * K * sizeof *evidence);
    if (joint) memcpy(evidence + lines * K, e.together, joint * K * sizeof *evidence);
    return HEFT_OK;
}

heft_status heft_view_evidence(heft_ctx *ctx, const heft_model *model, const double *row,
                               double *evidence)
{
    heft_terms terms;
    heft_row   raw;
    heft_rows  rows;
    HEFT_CHECK(open_terms(ctx, model, &terms));
    HEFT_CHECK(heft_row_open(ctx, &model->prep, row, &raw));
    HEFT_CHECK(heft_row_prepare(ctx, &raw, &rows));
    return give_evidence(ctx, &terms, &rows, evidence);
}

/* ---- rows of a table ---- */

typedef struct one_row { /* a row of a table, prepared */
    heft_table   *row;
    heft_prepared prepared; /* may borrow the cells of `row` */
} one_row;

static heft_status prepare_row(heft_ctx *ctx, const heft_model *model, const heft_table *data,
                               size_t i, one_row *out)
{
    HEFT_CHECK(heft_table_take(ctx, data, &i, 1, &out->row));
    return heft_prep_apply(ctx, &model->prep, out->row, &out->prepared);
}

static void clear_row(one_row *one)
{
    heft_prepared_clear(&one->prepared);
    heft_table_delete(one->row);
}

heft_status heft_row_terms(heft_ctx *ctx, const heft_model *model, const heft_table *data, size_t i,
                           double *evidence)
{
    HEFT_CLEARED(clear_row) one_row one = {0};
    heft_terms                      terms;
    HEFT_CHECK(open_terms(ctx, model, &terms));
    HEFT_CHECK(prepare_row(ctx, model, data, i, &one));
    return give_evidence(ctx, &terms, &one.prepared.rows, evidence);
}

heft_status heft_row_parts(heft_ctx *ctx, const heft_model *model, const heft_table *data, size_t i,
                           double *parts, double *score)
{
    HEFT_CLEARED(clear_row) one_row one = {0};
    heft_terms                      terms;
    heft_row_evidence               evidence;
    const size_t                    K = model->fitted.n_class, lines = 1 + model->fitted.n_attr;
    HEFT_CHECK(prepare_row(ctx, model, data, i, &one));
    HEFT_CHECK(heft_terms_shown(ctx, model, &terms));
    HEFT_CHECK(heft_terms_row(ctx, &terms, &one.prepared.rows, 0, &evidence));
    memcpy(parts, evidence.parts, lines * K * sizeof *parts);
    for (size_t c = 0; c < K; c++) {
        score[c] = 0;
        for (size_t j = 0; j < lines; j++) score[c] += parts[j * K + c];
    }
    return HEFT_OK;
}
