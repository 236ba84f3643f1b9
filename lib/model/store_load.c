/* store_load.c - models from files, checked in two steps: here that every array has the length the
 * others imply, so that it can be indexed; then heft_model_fault, which save asks too, that the
 * values make sense. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/safetensors.h"
#include "model/store.h"
#include "model/validate.h"

typedef struct loader {
    heft_ctx        *ctx;
    const heft_file *file;
    heft_model      *model;
    heft_arena      *arena;
} loader;

static heft_status get_f64(const loader *l, const char *name, size_t n, bool infinite_ok,
                           double **out)
{
    void             *p = NULL;
    const heft_status st =
        heft_file_get(l->ctx, l->file, name, HEFT_F64, n, infinite_ok, l->arena, &p, NULL);
    *out = p;
    return st;
}

static heft_status get_u32(const loader *l, const char *name, size_t n, uint32_t **out)
{
    void             *p = NULL;
    const heft_status st =
        heft_file_get(l->ctx, l->file, name, HEFT_U32, n, false, &l->ctx->scratch, &p, NULL);
    *out = p;
    return st;
}

static heft_status get_u64(const loader *l, const char *name, size_t n, uint64_t **out)
{
    void             *p = NULL;
    const heft_status st =
        heft_file_get(l->ctx, l->file, name, HEFT_U64, n, false, &l->ctx->scratch, &p, NULL);
    *out = p;
    return st;
}

/* Bytes 0..most. */
static heft_status get_u8(const loader *l, const char *name, size_t n, uint8_t most, uint8_t **out)
{
    void             *p = NULL;
    const heft_status st =
        heft_file_get(l->ctx, l->file, name, HEFT_U8, n, false, &l->ctx->scratch, &p, NULL);
    *out = p;
    for (size_t k = 0; st == HEFT_OK && k < n; k++)
        if ((*out)[k] > most)
            return heft_file_damaged(l->ctx, l->file, "tensor '%s' has a %u", name, (*out)[k]);
    return st;
}

static heft_status get_strings(const loader *l, const char *name, size_t n, char ***out)
{
    return heft_file_get_strings(l->ctx, l->file, name, n, l->arena, out, NULL);
}

/* Where a fault was found by a function that does not know of files: say in which file. */
static heft_status in_file(const loader *l, heft_status st)
{
    char what[sizeof l->ctx->err->text];
    if (st != HEFT_EINVAL) return st;
    memcpy(what, l->ctx->err->text, sizeof what);
    return heft_file_damaged(l->ctx, l->file, "%.300s", what);
}

static heft_status load_method(const loader *l, heft_method_fn *find)
{
    const char       *name;
    char              shown[128];
    const heft_status st = heft_file_get_text(l->ctx, l->file, "method", &name);
    if (st != HEFT_OK) return st;
    l->model->method = find(name);
    if (l->model->method) return HEFT_OK;
    return heft_fail(l->ctx, HEFT_EUNSUPPORTED,
                     "%s: this heft has no method '%s' (use the heft that wrote the model)",
                     heft_file_path(l->file),
                     heft_show(shown, sizeof shown, name, strlen(name), 60));
}

/* "name=value" of every parameter in the file, ended by NULL. */
static heft_status load_param_list(const loader *l, char ***out)
{
    char **names, **values;
    size_t n;
    HEFT_CHECK(heft_file_get_strings(l->ctx, l->file, "parameter.name", SIZE_MAX, &l->ctx->scratch,
                                     &names, &n));
    HEFT_CHECK(heft_file_get_strings(l->ctx, l->file, "parameter.value", n, &l->ctx->scratch,
                                     &values, NULL));
    HEFT_ALLOC(l->ctx, &l->ctx->scratch, *out, n + 1);
    for (size_t k = 0; k < n; k++) {
        const size_t a = strlen(names[k]), b = strlen(values[k]);
        HEFT_ALLOC(l->ctx, &l->ctx->scratch, (*out)[k], a + b + 2);
        memcpy((*out)[k], names[k], a);
        (*out)[k][a] = '=';
        memcpy((*out)[k] + a + 1, values[k], b);
    }
    return HEFT_OK;
}

/* Parameters and settings must be such as the method would accept. */
static heft_status load_settings(const loader *l)
{
    heft_model        *m = l->model;
    const heft_option *options = m->method->options;
    char             **list, **setting;
    heft_value        *values;
    heft_smoothing     smoothing;
    heft_prior_spec    prior;
    HEFT_CHECK(load_param_list(l, &list));
    HEFT_CHECK(in_file(l, heft_params_parse(l->ctx, m->method, (const char *const *)list, false,
                                            l->arena, &values)));
    while (options && options[m->n_params].name) m->n_params++;
    HEFT_ALLOC(l->ctx, l->arena, m->param_names, m->n_params);
    HEFT_ALLOC(l->ctx, l->arena, m->param_values, m->n_params);
    HEFT_KNOWN((values && options) || m->n_params == 0);
    for (size_t k = 0; k < m->n_params; k++) {
        m->param_names[k] = heft_arena_text(l->arena, options[k].name);
        m->param_values[k] = heft_arena_text(l->arena, values[k].as_text);
        if (!m->param_names[k] || !m->param_values[k])
            HEFT_CHECK(heft_no_memory(l->ctx, strlen(values[k].as_text), 1));
    }
    HEFT_CHECK(get_strings(l, "setting", 2, &setting));
    m->smoothing = setting[0];
    m->prior = setting[1];
    HEFT_CHECK(in_file(l, heft_smoothing_parse(l->ctx, m->smoothing, &smoothing)));
    return in_file(l,
                   heft_prior_parse(l->ctx, m->prior, m->prep.classes, &l->ctx->scratch, &prior));
}

/* A dictionary of n different strings. */
static heft_status make_dict(const loader *l, char *const *texts, size_t n, const char *what,
                             heft_dict **out)
{
    heft_status st = HEFT_OK;
    heft_dict  *dict = NULL;
    uint32_t    code;
    char        shown[128];
    *out = NULL;
    HEFT_TRY(heft_dict_create(l->ctx, &dict));
    for (size_t v = 0; v < n; v++) {
        HEFT_TRY(heft_dict_add(l->ctx, dict, texts[v], strlen(texts[v]), &code));
        if (code != v)
            HEFT_TRY(
                heft_file_damaged(l->ctx, l->file, "%s '%s' is there twice", what,
                                  heft_show(shown, sizeof shown, texts[v], strlen(texts[v]), 60)));
    }
    *out = dict, dict = NULL;
done:
    heft_dict_free(dict);
    return st;
}

static bool dict_is(const heft_dict *dict, char *const *texts, size_t n)
{
    if (!dict || heft_dict_size(dict) != n) return false;
    for (uint32_t v = 0; v < n; v++)
        if (strcmp(heft_dict_text(dict, v), texts[v]) != 0) return false;
    return true;
}

/* Neighbouring attributes with the same values share a dictionary. */
static heft_status load_values(const loader *l, const uint8_t *kind, const uint32_t *n_values)
{
    heft_prep *prep = &l->model->prep;
    char     **texts = NULL;
    size_t     total = 0, at = 0;
    bool       any = false;
    heft_dict *before = NULL;
    for (size_t j = 0; j < prep->n_attr; j++) {
        any |= kind[j] == HEFT_NOMINAL;
        if (kind[j] == HEFT_NUMBER && n_values[j])
            return heft_file_damaged(l->ctx, l->file, "a numeric attribute has nominal values");
        total += n_values[j];
    }
    if (any)
        HEFT_CHECK(heft_file_get_strings(l->ctx, l->file, "attr.value", total, &l->ctx->scratch,
                                         &texts, NULL));
    for (size_t j = 0; j < prep->n_attr; j++) {
        if (kind[j] == HEFT_NUMBER) continue;
        if (dict_is(before, texts + at, n_values[j])) prep->attr[j].dict = heft_dict_share(before);
        else HEFT_CHECK(make_dict(l, texts + at, n_values[j], "value", &prep->attr[j].dict));
        prep->attr[j].kind = HEFT_NOMINAL;
        before = prep->attr[j].dict;
        at += n_values[j];
    }
    return HEFT_OK;
}

static heft_status load_schema(const loader *l)
{
    heft_status st = HEFT_OK;
    heft_prep  *prep = &l->model->prep;
    heft_dict  *all = NULL;
    char      **names, **texts;
    uint8_t    *kind = NULL;
    uint32_t   *n_values = NULL;
    size_t      n, n_class;
    HEFT_TRY(get_strings(l, "target", 1, &texts));
    prep->target = texts[0];
    HEFT_TRY(heft_file_get_strings(l->ctx, l->file, "class", SIZE_MAX, &l->ctx->scratch, &texts,
                                   &n_class));
    HEFT_TRY(make_dict(l, texts, n_class, "class", &prep->classes));
    HEFT_TRY(heft_file_get_strings(l->ctx, l->file, "attr.name", SIZE_MAX, l->arena, &names, &n));
    HEFT_TRY(make_dict(l, names, n, "attribute", &all));
    HEFT_ARENA(l->ctx, l->arena, prep->attr, n);
    prep->n_attr = n;
    for (size_t j = 0; j < n; j++) {
        prep->attr[j].name = names[j];
        prep->attr[j].factor = 1;
    }
    if (n == 0) goto done;
    HEFT_TRY(get_u8(l, "attr.kind", n, 1, &kind));
    HEFT_TRY(get_u32(l, "attr.n_values", n, &n_values));
    HEFT_TRY(load_values(l, kind, n_values));
done:
    heft_dict_free(all);
    return st;
}

static heft_status load_fills(const loader *l)
{
    heft_prep *prep = &l->model->prep;
    uint8_t   *has;
    double    *fill, *shift, *factor;
    if (heft_file_has(l->file, "attr.has_fill")) {
        HEFT_CHECK(get_u8(l, "attr.has_fill", prep->n_attr, 1, &has));
        HEFT_CHECK(get_f64(l, "attr.fill", prep->n_attr, false, &fill));
        for (size_t j = 0; j < prep->n_attr; j++) {
            prep->attr[j].has_fill = has[j];
            prep->attr[j].fill = fill[j];
        }
    }
    if (heft_file_has(l->file, "attr.shift")) {
        HEFT_CHECK(get_f64(l, "attr.shift", prep->n_attr, false, &shift));
        HEFT_CHECK(get_f64(l, "attr.factor", prep->n_attr, false, &factor));
        for (size_t j = 0; j < prep->n_attr; j++) {
            prep->attr[j].shift = shift[j];
            prep->attr[j].factor = factor[j];
        }
    }
    return HEFT_OK;
}

static heft_status load_cuts(const loader *l)
{
    heft_prep *prep = &l->model->prep;
    uint8_t   *cut;
    uint32_t  *n_cuts;
    double    *cuts = NULL;
    size_t     total = 0;
    if (!heft_file_has(l->file, "attr.cut")) return HEFT_OK;
    HEFT_CHECK(get_u8(l, "attr.cut", prep->n_attr, 1, &cut));
    HEFT_CHECK(get_u32(l, "attr.n_cuts", prep->n_attr, &n_cuts));
    for (size_t j = 0; j < prep->n_attr; j++) {
        if (!cut[j] && n_cuts[j])
            HEFT_CHECK(heft_file_damaged(l->ctx, l->file, "an attribute that is not cut has cuts"));
        total += n_cuts[j];
    }
    if (total) HEFT_CHECK(get_f64(l, "attr.cuts", total, false, &cuts));
    for (size_t j = 0; j < prep->n_attr; j++) {
        prep->attr[j].cut = cut[j];
        prep->attr[j].n_cuts = n_cuts[j];
        prep->attr[j].cuts = cuts;
        if (cuts) cuts += n_cuts[j];
    }
    return HEFT_OK;
}

static heft_status load_prep(const loader *l)
{
    heft_prep      *prep = &l->model->prep;
    heft_prep_spec *s = &prep->spec;
    uint64_t       *spec;
    double         *mdl_scale;
    prep->arena = l->arena;
    HEFT_CHECK(get_u64(l, "prep.spec", HEFT_N_SPEC, &spec));
    HEFT_CHECK(get_f64(l, "prep.mdl_scale", 1, false, &mdl_scale));
    if (spec[0] > 1 || spec[1] > HEFT_CUT_PRESENCE || spec[2] > UINT32_MAX ||
        spec[3] > HEFT_SCALE_RANGE || spec[4] > 1 || spec[5] > 1)
        HEFT_CHECK(
            heft_file_damaged(l->ctx, l->file, "it names a preparation that does not exist"));
    s->impute = spec[0];
    s->cutting = (heft_cutting)spec[1];
    s->bins = (size_t)spec[2];
    s->mdl_scale = *mdl_scale;
    s->scaling = (heft_scaling)spec[3];
    s->unseen_zero = spec[4];
    prep->sparse = spec[5];
    HEFT_CHECK(load_schema(l));
    HEFT_CHECK(load_fills(l));
    return load_cuts(l);
}

/* The arrays of lik.*, and how far they have been handed out. */
typedef struct lik_source {
    double   *table, *mean, *sd, *precision, *point, *log_mass, *width;
    uint64_t *start;
    size_t    n_table, n_normal, n_rounded, n_kernel, n_point;
} lik_source;

/* How long the arrays must be, by the kinds of the attributes. */
static heft_status size_liks(const loader *l, const uint8_t *kind, lik_source *from)
{
    const heft_prep *prep = &l->model->prep;
    const size_t     K = heft_dict_size(prep->classes);
    size_t           bytes;
    for (size_t j = 0; j < prep->n_attr; j++) {
        bool         coded;
        const size_t lines = heft_prep_codes(&prep->attr[j], &coded) + 2;
        if (coded != (kind[j] == HEFT_LIK_TABLE))
            return heft_file_damaged(l->ctx, l->file,
                                     "the likelihood of an attribute is of another kind than it");
        if (coded && (!heft_product(lines, K, &bytes) || bytes > SIZE_MAX / 2 - from->n_table))
            return heft_file_damaged(l->ctx, l->file, "its tables are too large");
        if (coded) from->n_table += bytes;
        if (kind[j] == HEFT_LIK_NORMAL || kind[j] == HEFT_LIK_ROUNDED) from->n_normal += K;
        if (kind[j] == HEFT_LIK_ROUNDED) from->n_rounded++;
        if (kind[j] == HEFT_LIK_KERNEL) from->n_kernel++;
    }
    return HEFT_OK;
}

static heft_status read_liks(const loader *l, lik_source *from)
{
    const size_t K = heft_dict_size(l->model->prep.classes);
    if (from->n_table) HEFT_CHECK(get_f64(l, "lik.table", from->n_table, false, &from->table));
    if (from->n_normal) {
        HEFT_CHECK(get_f64(l, "lik.mean", from->n_normal, false, &from->mean));
        HEFT_CHECK(get_f64(l, "lik.sd", from->n_normal, false, &from->sd));
    }
    if (from->n_rounded)
        HEFT_CHECK(get_f64(l, "lik.precision", from->n_rounded, false, &from->precision));
    if (from->n_kernel) {
        HEFT_CHECK(get_u64(l, "lik.start", from->n_kernel * (K + 1), &from->start));
        HEFT_CHECK(get_f64(l, "lik.width", from->n_kernel * K, false, &from->width));
        for (size_t k = 0; k < from->n_kernel; k++) {
            const uint64_t n = from->start[k * (K + 1) + K];
            if (n > SIZE_MAX / 2 - from->n_point)
                HEFT_CHECK(heft_file_damaged(l->ctx, l->file, "its kernels are too large"));
            from->n_point += (size_t)n;
        }
    }
    if (from->n_point) {
        HEFT_CHECK(get_f64(l, "lik.point", from->n_point, false, &from->point));
        HEFT_CHECK(get_f64(l, "lik.log_mass", from->n_point, false, &from->log_mass));
    }
    return HEFT_OK;
}

static heft_status take_lik(const loader *l, lik_source *from, const heft_attr_prep *attr,
                            heft_lik *lik)
{
    const size_t K = heft_dict_size(l->model->prep.classes);
    bool         coded;
    switch (lik->kind) {
    case HEFT_LIK_TABLE:
        lik->n_codes = (uint32_t)heft_prep_codes(attr, &coded);
        lik->table = from->table;
        from->table += ((size_t)lik->n_codes + 2) * K;
        break;
    case HEFT_LIK_ROUNDED:
    case HEFT_LIK_NORMAL:
        HEFT_KNOWN(from->precision || lik->kind == HEFT_LIK_NORMAL);
        if (lik->kind == HEFT_LIK_ROUNDED) lik->precision = *from->precision++;
        lik->mean = from->mean;
        lik->sd = from->sd;
        from->mean += K;
        from->sd += K;
        break;
    case HEFT_LIK_KERNEL:
        HEFT_ALLOC(l->ctx, l->arena, lik->start, K + 1);
        HEFT_KNOWN(from->start);
        for (size_t c = 0; c <= K; c++) lik->start[c] = (size_t)*from->start++;
        lik->point = from->point;
        lik->log_mass = from->log_mass;
        lik->width = from->width;
        if (from->point) from->point += lik->start[K];
        if (from->log_mass) from->log_mass += lik->start[K];
        from->width += K;
        break;
    }
    return HEFT_OK;
}

static heft_status load_liks(const loader *l)
{
    heft_fitted *f = &l->model->fitted;
    lik_source   from = {0};
    uint8_t     *kind, *silent;
    HEFT_ALLOC(l->ctx, l->arena, f->lik, f->n_attr);
    if (f->n_attr == 0) return HEFT_OK;
    HEFT_CHECK(get_u8(l, "lik.kind", f->n_attr, HEFT_LIK_KERNEL, &kind));
    HEFT_CHECK(get_u8(l, "lik.silent", f->n_attr, 1, &silent));
    HEFT_CHECK(size_liks(l, kind, &from));
    HEFT_CHECK(read_liks(l, &from));
    for (size_t j = 0; j < f->n_attr; j++) {
        f->lik[j].kind = (heft_lik_kind)kind[j];
        f->lik[j].silent = silent[j];
        HEFT_CHECK(take_lik(l, &from, &l->model->prep.attr[j], &f->lik[j]));
    }
    return HEFT_OK;
}

static heft_status load_weights(const loader *l)
{
    heft_fitted  *f = &l->model->fitted;
    heft_weights *w = &f->weights;
    uint8_t      *shape, *folded;
    uint64_t     *offset;
    double       *w0;
    size_t        n = f->n_attr;
    HEFT_CHECK(get_u8(l, "weight.shape", 1, HEFT_W_VALUE, &shape));
    HEFT_CHECK(get_u8(l, "weight.folded", 1, 1, &folded));
    HEFT_CHECK(get_f64(l, "weight.prior", 1, false, &w0));
    w->shape = (heft_shape)*shape;
    w->folded = *folded;
    w->w0 = *w0;
    if (w->shape == HEFT_W_ONE) return HEFT_OK;
    if (w->shape == HEFT_W_CLASS && !heft_product(n, f->n_class, &n))
        HEFT_CHECK(heft_file_damaged(l->ctx, l->file, "its weights are too many"));
    if (w->shape == HEFT_W_VALUE) {
        HEFT_CHECK(get_u64(l, "weight.offset", f->n_attr + 1, &offset));
        HEFT_ALLOC(l->ctx, l->arena, w->offset, f->n_attr + 1);
        for (size_t j = 0; j <= f->n_attr; j++) w->offset[j] = (size_t)offset[j];
        n = w->offset[f->n_attr];
        if (n > SIZE_MAX / 2)
            HEFT_CHECK(heft_file_damaged(l->ctx, l->file, "its weights are too many"));
    }
    return get_f64(l, "weight", n, false, &w->w);
}

static heft_status load_facts(const loader *l)
{
    heft_training *t = &l->model->fitted.training;
    char         **names, **texts;
    double        *numbers;
    uint8_t       *is_text;
    size_t         n;
    HEFT_CHECK(heft_file_get_strings(l->ctx, l->file, "fact.name", SIZE_MAX, l->arena, &names, &n));
    if (n > HEFT_MAX_FACTS) HEFT_CHECK(heft_file_damaged(l->ctx, l->file, "it has too many facts"));
    HEFT_CHECK(get_strings(l, "fact.text", n, &texts));
    HEFT_CHECK(get_f64(l, "fact.number", n, false, &numbers));
    HEFT_CHECK(get_u8(l, "fact.is_text", n, 1, &is_text));
    for (size_t k = 0; k < n; k++)
        t->facts[k] = (heft_fact){names[k], numbers[k], is_text[k] ? texts[k] : NULL};
    t->n_facts = n;
    return HEFT_OK;
}

static heft_status load_training(const loader *l)
{
    heft_training *t = &l->model->fitted.training;
    double        *x;
    uint8_t       *flag;
    char         **stopped_by;
    size_t         n;
    HEFT_CHECK(get_f64(l, "training.number", HEFT_N_TRAINING, false, &x));
    HEFT_CHECK(get_u8(l, "training.flag", 2, 1, &flag));
    HEFT_CHECK(heft_file_get_strings(l->ctx, l->file, "training.stopped_by", SIZE_MAX, l->arena,
                                     &stopped_by, &n));
    if (n > 1 || !(x[1] >= 0 && x[1] <= 1e9) || !(x[2] >= 0 && x[2] <= 1e9))
        HEFT_CHECK(heft_file_damaged(l->ctx, l->file, "its record of the training is impossible"));
    *t = (heft_training){.rows = x[0],
                         .iterations = (long)x[1],
                         .evaluations = (long)x[2],
                         .objective_initial = x[3],
                         .objective_final = x[4],
                         .seconds = x[5],
                         .iterative = flag[0],
                         .converged = flag[1],
                         .stopped_by = n ? stopped_by[0] : NULL};
    return load_facts(l);
}

/* What the shared scorer or the method's own will touch must be there, and rows of a kind that the
 * method cannot read must not come to it. */
static heft_status check_method(const loader *l, bool additive)
{
    const heft_method *method = l->model->method;
    const heft_prep   *prep = &l->model->prep;
    if (additive && (!heft_file_has(l->file, "log_prior") ||
                     (prep->n_attr && !heft_file_has(l->file, "lik.kind"))))
        return heft_file_damaged(l->ctx, l->file, "it has no likelihoods");
    if (prep->sparse && !(method->caps & HEFT_TAKES_SPARSE))
        return heft_file_damaged(l->ctx, l->file, "method %s has no sparse form", method->name);
    for (size_t j = 0; j < prep->n_attr && !(method->caps & HEFT_TAKES_NUMBERS); j++)
        if (prep->attr[j].kind == HEFT_NUMBER && !prep->attr[j].cut)
            return heft_file_damaged(l->ctx, l->file, "method %s takes no numbers", method->name);
    return HEFT_OK;
}

static heft_status load_calibration(const loader *l)
{
    heft_calibration *c = &l->model->calibration;
    const size_t      K = heft_dict_size(l->model->prep.classes);
    uint8_t          *kind;
    if (!heft_file_has(l->file, "calibration.kind")) return HEFT_OK;
    HEFT_CHECK(get_u8(l, "calibration.kind", 1, HEFT_VECTOR, &kind));
    c->kind = (heft_calibrating)*kind;
    if (!heft_file_has(l->file, "calibration.scale")) return HEFT_OK;
    HEFT_CHECK(get_f64(l, "calibration.scale", K, false, &c->scale));
    return get_f64(l, "calibration.shift", K, false, &c->shift);
}

static heft_status load_fitted(const loader *l)
{
    const heft_method *method = l->model->method;
    heft_fitted       *f = &l->model->fitted;
    const bool         additive = !method->score || method->caps & HEFT_ADDITIVE;
    char               fault[256];
    f->n_attr = l->model->prep.n_attr;
    f->n_class = heft_dict_size(l->model->prep.classes);
    HEFT_CHECK(check_method(l, additive));
    if (heft_file_has(l->file, "log_prior"))
        HEFT_CHECK(get_f64(l, "log_prior", f->n_class, true, &f->log_prior));
    if (heft_file_has(l->file, "bias")) HEFT_CHECK(get_f64(l, "bias", f->n_class, false, &f->bias));
    if (additive || heft_file_has(l->file, "lik.kind")) HEFT_CHECK(load_liks(l));
    HEFT_CHECK(load_weights(l));
    HEFT_CHECK(load_training(l));
    HEFT_CHECK(load_calibration(l));
    if (heft_model_fault(l->model, fault, sizeof fault))
        HEFT_CHECK(heft_file_damaged(l->ctx, l->file, "%s", fault));
    if (method->load) HEFT_CHECK(method->load(l->ctx, l->file, &l->model->prep, f));
    if (additive) HEFT_CHECK(heft_fitted_seal(l->ctx, f, l->model->prep.sparse));
    return HEFT_OK;
}

static heft_status load_model(heft_ctx *ctx, const heft_file *file, heft_method_fn *find,
                              heft_model **out)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    heft_model     *model = NULL;
    HEFT_TRY(heft_model_new(ctx, &model));
    const loader l = {ctx, file, model, &model->arena};
    HEFT_TRY(load_method(&l, find));
    HEFT_TRY(load_prep(&l));
    HEFT_TRY(load_settings(&l));
    HEFT_TRY(load_fitted(&l));
    HEFT_TRY(heft_store_load_suffstats(ctx, file, model));
    model->label = heft_copy_text(heft_file_path(file));
    if (!model->label) HEFT_TRY(heft_no_memory(ctx, strlen(heft_file_path(file)), 1));
    *out = model, model = NULL;
done:
    heft_model_free(model);
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

/* ---- public ---- */

heft_status heft_store_load(heft_ctx *ctx, const char *path, heft_method_fn *find, heft_model **out)
{
    heft_status st = HEFT_OK;
    heft_file  *file = NULL;
    *out = NULL;
    HEFT_TRY(heft_file_open(ctx, path, &file));
    HEFT_TRY(load_model(ctx, file, find, out));
done:
    heft_file_free(file);
    return st;
}

heft_status heft_store_load_bytes(heft_ctx *ctx, const char *label, const void *bytes,
                                  size_t length, heft_method_fn *find, heft_model **out)
{
    heft_status st = HEFT_OK;
    heft_file  *file = NULL;
    *out = NULL;
    HEFT_TRY(heft_file_open_bytes(ctx, label, bytes, length, &file));
    HEFT_TRY(load_model(ctx, file, find, out));
done:
    heft_file_free(file);
    return st;
}
