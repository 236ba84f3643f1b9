/* validate.c - is a model sound? Every bound here keeps a sum of products finite: a density is at
 * most 1e280 away from 0, a weight at most 1e15, and a model has at most 1e12 attributes. */
#include "model/validate.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const double LARGEST = 1e15;    /* of weights, logarithms and table cells */
static const double JUST_ABOVE = 1e-6; /* how far rounding may lift a logarithm of 1 */

/* ---- preparation ---- */

size_t heft_prep_codes(const heft_attr_prep *attr, bool *coded)
{
    *coded = attr->kind == HEFT_NOMINAL || attr->cut;
    if (attr->kind == HEFT_NOMINAL) return heft_dict_size(attr->dict);
    return attr->cut ? attr->n_cuts + 1 : 0;
}

static const char *attr_fault(const heft_attr_prep *a)
{
    bool         coded;
    const size_t codes = heft_prep_codes(a, &coded);
    if (!a->name[0]) return "it has no name";
    if (codes > UINT32_MAX - 3) return "it has too many values";
    if (a->kind == HEFT_NOMINAL) {
        if (a->cut) return "nominal values cannot be discretised";
        if (a->has_fill && !(a->fill >= 0 && a->fill < (double)codes && a->fill == floor(a->fill)))
            return "its fill is not one of its values";
    } else if (a->has_fill && !isfinite(a->fill)) {
        return "its fill is not finite";
    }
    if (!isfinite(a->shift) || !isfinite(a->factor)) return "its scale is not finite";
    for (size_t k = 0; k < a->n_cuts; k++)
        if (!isfinite(a->cuts[k]) || (k && !(a->cuts[k] > a->cuts[k - 1])))
            return "its cut points do not increase";
    return NULL;
}

static const char *spec_fault(const heft_prep_spec *s)
{
    if ((unsigned)s->cutting > HEFT_CUT_PRESENCE || (unsigned)s->scaling > HEFT_SCALE_RANGE)
        return "it names a preparation that does not exist";
    if (!isfinite(s->mdl_scale) || (s->cutting == HEFT_CUT_MDL && !(s->mdl_scale > 0)))
        return "the scale of its discretisation is not a number above 0";
    return NULL;
}

/* ---- likelihoods ---- */

static bool small(double x)
{
    return fabs(x) <= LARGEST; /* false for NaN */
}

static bool logarithm(double x)
{
    return small(x) && x <= JUST_ABOVE;
}

static const char *table_fault(const heft_lik *lik, size_t K)
{
    const size_t V = lik->n_codes;
    for (size_t k = 0; k < (V + 2) * K; k++)
        if (!small(lik->table[k])) return "its table has a cell out of range";
    for (size_t c = 0; c < K; c++)
        if (lik->table[V * K + c] != 0) return "its table gives missing cells a say";
    return NULL;
}

static const char *normal_fault(const heft_lik *lik, size_t K)
{
    const bool rounded = lik->kind == HEFT_LIK_ROUNDED;
    if (rounded && !(lik->precision >= DBL_MIN && isfinite(lik->precision)))
        return "its precision is not above 0";
    for (size_t c = 0; c < K; c++) {
        if (!isfinite(lik->mean[c])) return "a mean is not finite";
        if (!isfinite(lik->sd[c]) || !(lik->sd[c] >= DBL_MIN || (!rounded && lik->sd[c] == 0)))
            return "a standard deviation is out of range";
    }
    return NULL;
}

static const char *kernel_fault(const heft_lik *lik, size_t K)
{
    if (lik->start[0] != 0) return "its points do not begin at the first";
    for (size_t c = 0; c < K; c++)
        if (lik->start[c + 1] < lik->start[c]) return "its points are not in order";
    if (lik->start[K] == 0 && !lik->silent) return "it has no points";
    for (size_t c = 0; c < K; c++) {
        if (!(lik->width[c] >= DBL_MIN && isfinite(lik->width[c]))) return "a width is not above 0";
        for (size_t k = lik->start[c]; k < lik->start[c + 1]; k++) {
            if (!isfinite(lik->point[k]) ||
                (k > lik->start[c] && !(lik->point[k] > lik->point[k - 1])))
                return "its points do not increase";
            if (!logarithm(lik->log_mass[k])) return "a point's share is out of range";
        }
    }
    return NULL;
}

static const char *lik_fault(const heft_attr_prep *attr, const heft_lik *lik, size_t K)
{
    bool         coded;
    const size_t codes = heft_prep_codes(attr, &coded);
    if (coded != (lik->kind == HEFT_LIK_TABLE)) return "its likelihood is of another kind";
    if (coded && lik->n_codes != codes) return "its table has another number of values";
    switch (lik->kind) {
    case HEFT_LIK_TABLE:
        return table_fault(lik, K);
    case HEFT_LIK_NORMAL:
    case HEFT_LIK_ROUNDED:
        return normal_fault(lik, K);
    case HEFT_LIK_KERNEL:
        return kernel_fault(lik, K);
    }
    return "its likelihood is of no kind";
}

/* ---- what was fitted ---- */

static const char *prior_fault(const heft_fitted *f)
{
    size_t n_finite = 0;
    for (size_t c = 0; f->log_prior && c < f->n_class; c++) {
        if (isinf(f->log_prior[c]) && f->log_prior[c] < 0) continue;
        if (!logarithm(f->log_prior[c])) return "a prior is not a probability";
        n_finite++;
    }
    if (f->log_prior && n_finite == 0) return "every class has probability 0";
    for (size_t c = 0; f->bias && c < f->n_class; c++)
        if (!(fabs(f->bias[c]) <= 1e100)) return "a bias is out of range";
    return NULL;
}

/* By value: as many weights as the attribute has codes, none for a number. */
static const char *offset_fault(const heft_prep *prep, const size_t *offset)
{
    if (offset[0] != 0) return "its weights do not begin at the first";
    for (size_t j = 0; j < prep->n_attr; j++) {
        bool         coded;
        const size_t codes = heft_prep_codes(&prep->attr[j], &coded);
        if (offset[j + 1] < offset[j] || offset[j + 1] - offset[j] != codes)
            return "its weights do not fit the values";
    }
    return NULL;
}

static const char *weights_fault(const heft_prep *prep, const heft_fitted *f)
{
    const heft_weights *w = &f->weights;
    const char         *fault;
    size_t              n = 0;
    if (!small(w->w0)) return "the prior's weight is out of range";
    switch (w->shape) {
    case HEFT_W_ONE:
        break;
    case HEFT_W_ATTR:
        n = f->n_attr;
        break;
    case HEFT_W_CLASS:
        n = f->n_attr * f->n_class;
        break;
    case HEFT_W_VALUE:
        fault = offset_fault(prep, w->offset);
        if (fault) return fault;
        n = w->offset[f->n_attr];
        break;
    default:
        return "its weights are of no shape";
    }
    for (size_t k = 0; k < n; k++)
        if (!small(w->w[k])) return "a weight is out of range";
    return NULL;
}

static const char *training_fault(const heft_training *t)
{
    const long limit = 1000000000;
    if (!(t->rows >= 0) || isinf(t->rows)) return "the number of rows is out of range";
    if (!(t->seconds >= 0) || isinf(t->seconds)) return "the time of training is out of range";
    if (t->iterations < 0 || t->evaluations < 0 || t->iterations > limit || t->evaluations > limit)
        return "the number of iterations is out of range";
    if (!isfinite(t->objective_initial) || !isfinite(t->objective_final))
        return "the objective is not finite";
    for (size_t k = 0; k < t->n_facts; k++)
        if (!t->facts[k].text && !isfinite(t->facts[k].number)) return "a fact is not finite";
    return NULL;
}

static const char *calibration_fault(const heft_calibration *c, size_t K)
{
    if (c->kind > HEFT_VECTOR) return "its calibration is of no kind";
    for (size_t k = 0; c->scale && k < K; k++)
        if (!small(c->scale[k]) || !(c->scale[k] >= 0) || !small(c->shift[k]))
            return "its calibration is out of range";
    return NULL;
}

const char *heft_model_fault(const heft_model *model, char *out, size_t size)
{
    const heft_prep   *prep = &model->prep;
    const heft_fitted *f = &model->fitted;
    const size_t       K = heft_dict_size(prep->classes);
    const char        *fault = spec_fault(&prep->spec);

    if (!fault && (K == 0 || K > HEFT_MOST_CLASSES))
        fault = "the number of classes is out of range";
    if (!fault && (f->n_class != K || f->n_attr != prep->n_attr))
        fault = "what was fitted is of another size than the preparation";
    if (!fault) fault = prior_fault(f);
    if (!fault) fault = weights_fault(prep, f);
    if (!fault) fault = training_fault(&f->training);
    if (!fault) fault = calibration_fault(&model->calibration, K);
    if (fault) {
        snprintf(out, size, "%s", fault);
        return out;
    }
    for (size_t j = 0; j < prep->n_attr; j++) {
        fault = attr_fault(&prep->attr[j]);
        if (!fault && f->lik) fault = lik_fault(&prep->attr[j], &f->lik[j], K);
        if (!fault) continue;
        char name[128];
        heft_show(name, sizeof name, prep->attr[j].name, strlen(prep->attr[j].name), 60);
        snprintf(out, size, "attribute '%s': %s", name, fault);
        return out;
    }
    return NULL;
}
