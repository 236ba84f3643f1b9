/* store_save.c - models to files: a few large tensors, whatever the number of attributes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/describe.h"
#include "model/safetensors.h"
#include "model/store.h"
#include "model/validate.h"

enum { SCHEMA_LIMIT = 1000 };

/* Arrays grow in a heft_buf; this puts one as a tensor and empties it. */
static heft_status put_buf(heft_ctx *ctx, heft_file *file, const char *name, heft_dtype type,
                           size_t size, heft_buf *buf)
{
    heft_status st = HEFT_OK;
    if (buf->failed) st = heft_no_memory(ctx, buf->length, 1);
    else if (buf->length)
        st = heft_file_put_vector(ctx, file, name, type, buf->length / size, buf->data);
    heft_buf_clear(buf);
    return st;
}

static void add_numbers(heft_buf *buf, const double *x, size_t n)
{
    heft_buf_add(buf, (const char *)x, n * sizeof *x);
}

static void add_byte(heft_buf *buf, unsigned x)
{
    const char byte = (char)x;
    heft_buf_add(buf, &byte, 1);
}

static void add_u32(heft_buf *buf, size_t x)
{
    const uint32_t word = (uint32_t)x;
    heft_buf_add(buf, (const char *)&word, sizeof word);
}

static void add_u64(heft_buf *buf, uint64_t x)
{
    heft_buf_add(buf, (const char *)&x, sizeof x);
}

static heft_status put_json(heft_ctx *ctx, heft_file *file, const char *name, heft_buf *buf)
{
    char             *text = NULL;
    const heft_status st = heft_buf_take(ctx, buf, &text);
    if (st != HEFT_OK) return st;
    const heft_status put = heft_file_put_text(ctx, file, name, text);
    heft_free(text);
    return put;
}

static void describe_schema(heft_buf *buf, const heft_prep *prep)
{
    heft_buf_text(buf, "{\"target\": ");
    heft_buf_json(buf, prep->target);
    heft_buf_text(buf, ", \"classes\": ");
    heft_describe_classes(buf, prep);
    heft_buf_printf(buf, ", \"n_attributes\": %zu", prep->n_attr);
    for (size_t j = 0; prep->n_attr <= SCHEMA_LIMIT && j < prep->n_attr; j++) {
        heft_buf_text(buf, j ? ", " : ", \"attributes\": [");
        heft_buf_text(buf, "{\"name\": ");
        heft_buf_json(buf, prep->attr[j].name);
        heft_buf_printf(buf, ", \"kind\": \"%s\"}",
                        prep->attr[j].kind == HEFT_NUMBER ? "numeric" : "nominal");
        if (j + 1 == prep->n_attr) heft_buf_text(buf, "]");
    }
    heft_buf_text(buf, "}");
}

static heft_status save_texts(heft_ctx *ctx, const heft_model *model, heft_file *file)
{
    heft_status st = HEFT_OK;
    heft_buf    buf = {0};
    HEFT_TRY(heft_file_put_text(ctx, file, "heft", heft_version()));
    HEFT_TRY(heft_file_put_text(ctx, file, "method", model->method->name));
    heft_describe_params(&buf, model);
    HEFT_TRY(put_json(ctx, file, "parameters", &buf));
    heft_describe_prep(&buf, model);
    HEFT_TRY(put_json(ctx, file, "preparation", &buf));
    heft_describe_training(&buf, &model->fitted.training);
    HEFT_TRY(put_json(ctx, file, "training", &buf));
    heft_describe_facts(&buf, &model->fitted.training);
    HEFT_TRY(put_json(ctx, file, "extra", &buf));
    describe_schema(&buf, &model->prep);
    HEFT_TRY(put_json(ctx, file, "schema", &buf));
done:
    heft_buf_clear(&buf);
    return st;
}

static heft_status save_settings(heft_ctx *ctx, const heft_model *model, heft_file *file)
{
    const char *const settings[] = {model->smoothing, model->prior};
    const size_t      n = model->n_params;
    HEFT_CHECK(heft_file_put_strings(ctx, file, "parameter.name",
                                     (const char *const *)model->param_names, n));
    HEFT_CHECK(heft_file_put_strings(ctx, file, "parameter.value",
                                     (const char *const *)model->param_values, n));
    return heft_file_put_strings(ctx, file, "setting", settings, 2);
}

/* All texts of the dictionaries of `n` attributes (or of one dictionary), end to end. */
static heft_status save_values(heft_ctx *ctx, heft_file *file, const char *name,
                               heft_dict *const *dicts, size_t n)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    size_t          total = 0, k = 0;
    const char    **texts;
    for (size_t d = 0; d < n; d++) total += heft_dict_size(dicts[d]);
    HEFT_ARENA(ctx, &ctx->scratch, texts, total);
    for (size_t d = 0; d < n; d++)
        for (uint32_t v = 0; v < heft_dict_size(dicts[d]); v++)
            texts[k++] = heft_dict_text(dicts[d], v);
    HEFT_TRY(heft_file_put_strings(ctx, file, name, texts, total));
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

static heft_status save_schema(heft_ctx *ctx, const heft_prep *prep, heft_file *file)
{
    heft_status       st = HEFT_OK;
    const heft_mark   mark = heft_arena_mark(&ctx->scratch);
    const char *const target = prep->target;
    const char      **names;
    heft_dict       **dicts;
    size_t            n_dicts = 0;
    heft_buf          kinds = {0}, sizes = {0};
    HEFT_ARENA(ctx, &ctx->scratch, names, prep->n_attr);
    HEFT_ARENA(ctx, &ctx->scratch, dicts, prep->n_attr);
    for (size_t j = 0; j < prep->n_attr; j++) {
        const bool nominal = prep->attr[j].kind == HEFT_NOMINAL;
        names[j] = prep->attr[j].name;
        if (nominal) dicts[n_dicts++] = prep->attr[j].dict;
        add_byte(&kinds, nominal);
        add_u32(&sizes, nominal ? heft_dict_size(prep->attr[j].dict) : 0);
    }
    HEFT_TRY(heft_file_put_strings(ctx, file, "target", &target, 1));
    HEFT_TRY(save_values(ctx, file, "class", &prep->classes, 1));
    HEFT_TRY(heft_file_put_strings(ctx, file, "attr.name", names, prep->n_attr));
    HEFT_TRY(put_buf(ctx, file, "attr.kind", HEFT_U8, 1, &kinds));
    HEFT_TRY(put_buf(ctx, file, "attr.n_values", HEFT_U32, 4, &sizes));
    if (n_dicts) HEFT_TRY(save_values(ctx, file, "attr.value", dicts, n_dicts));
done:
    heft_buf_clear(&kinds);
    heft_buf_clear(&sizes);
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

static heft_status save_fills(heft_ctx *ctx, const heft_prep *prep, heft_file *file)
{
    heft_status st = HEFT_OK;
    bool        filled = false, scaled = false;
    heft_buf    has = {0}, fill = {0}, shift = {0}, factor = {0};
    for (size_t j = 0; j < prep->n_attr; j++) {
        const heft_attr_prep *a = &prep->attr[j];
        filled |= a->has_fill;
        scaled |= a->shift != 0 || a->factor != 1;
        add_byte(&has, a->has_fill);
        add_numbers(&fill, &a->fill, 1);
        add_numbers(&shift, &a->shift, 1);
        add_numbers(&factor, &a->factor, 1);
    }
    if (filled) {
        HEFT_TRY(put_buf(ctx, file, "attr.has_fill", HEFT_U8, 1, &has));
        HEFT_TRY(put_buf(ctx, file, "attr.fill", HEFT_F64, 8, &fill));
    }
    if (scaled) {
        HEFT_TRY(put_buf(ctx, file, "attr.shift", HEFT_F64, 8, &shift));
        HEFT_TRY(put_buf(ctx, file, "attr.factor", HEFT_F64, 8, &factor));
    }
done:
    heft_buf_clear(&has);
    heft_buf_clear(&fill);
    heft_buf_clear(&shift);
    heft_buf_clear(&factor);
    return st;
}

static heft_status save_cuts(heft_ctx *ctx, const heft_prep *prep, heft_file *file)
{
    heft_status st = HEFT_OK;
    bool        any = false;
    heft_buf    cut = {0}, n_cuts = {0}, cuts = {0};
    for (size_t j = 0; j < prep->n_attr; j++) {
        const heft_attr_prep *a = &prep->attr[j];
        any |= a->cut;
        add_byte(&cut, a->cut);
        add_u32(&n_cuts, a->cut ? a->n_cuts : 0);
        if (a->cut) add_numbers(&cuts, a->cuts, a->n_cuts);
    }
    if (any) {
        HEFT_TRY(put_buf(ctx, file, "attr.cut", HEFT_U8, 1, &cut));
        HEFT_TRY(put_buf(ctx, file, "attr.n_cuts", HEFT_U32, 4, &n_cuts));
        HEFT_TRY(put_buf(ctx, file, "attr.cuts", HEFT_F64, 8, &cuts));
    }
done:
    heft_buf_clear(&cut);
    heft_buf_clear(&n_cuts);
    heft_buf_clear(&cuts);
    return st;
}

static heft_status save_prep(heft_ctx *ctx, const heft_prep *prep, heft_file *file)
{
    const heft_prep_spec *s = &prep->spec;
    const uint64_t        spec[HEFT_N_SPEC] = {s->impute,  s->cutting,     s->bins,
                                               s->scaling, s->unseen_zero, prep->sparse};
    HEFT_CHECK(heft_file_put_vector(ctx, file, "prep.spec", HEFT_U64, HEFT_N_SPEC, spec));
    HEFT_CHECK(heft_file_put_vector(ctx, file, "prep.mdl_scale", HEFT_F64, 1, &s->mdl_scale));
    HEFT_CHECK(save_schema(ctx, prep, file));
    HEFT_CHECK(save_fills(ctx, prep, file));
    return save_cuts(ctx, prep, file);
}

/* The arrays of lik.*: one after the other, attribute by attribute. */
typedef struct lik_arrays {
    heft_buf kind, silent, table, mean, sd, precision, start, point, log_mass, width;
} lik_arrays;

static void add_lik(lik_arrays *to, const heft_lik *lik, size_t K)
{
    add_byte(&to->kind, lik->kind);
    add_byte(&to->silent, lik->silent);
    switch (lik->kind) {
    case HEFT_LIK_TABLE:
        add_numbers(&to->table, lik->table, ((size_t)lik->n_codes + 2) * K);
        break;
    case HEFT_LIK_ROUNDED:
    case HEFT_LIK_NORMAL:
        if (lik->kind == HEFT_LIK_ROUNDED) add_numbers(&to->precision, &lik->precision, 1);
        add_numbers(&to->mean, lik->mean, K);
        add_numbers(&to->sd, lik->sd, K);
        break;
    case HEFT_LIK_KERNEL:
        for (size_t c = 0; c <= K; c++) add_u64(&to->start, lik->start[c]);
        add_numbers(&to->point, lik->point, lik->start[K]);
        add_numbers(&to->log_mass, lik->log_mass, lik->start[K]);
        add_numbers(&to->width, lik->width, K);
        break;
    }
}

static heft_status save_liks(heft_ctx *ctx, const heft_fitted *f, heft_file *file)
{
    heft_status st = HEFT_OK;
    lik_arrays  to = {0};
    for (size_t j = 0; j < f->n_attr; j++) add_lik(&to, &f->lik[j], f->n_class);
    HEFT_TRY(put_buf(ctx, file, "lik.kind", HEFT_U8, 1, &to.kind));
    HEFT_TRY(put_buf(ctx, file, "lik.silent", HEFT_U8, 1, &to.silent));
    HEFT_TRY(put_buf(ctx, file, "lik.table", HEFT_F64, 8, &to.table));
    HEFT_TRY(put_buf(ctx, file, "lik.mean", HEFT_F64, 8, &to.mean));
    HEFT_TRY(put_buf(ctx, file, "lik.sd", HEFT_F64, 8, &to.sd));
    HEFT_TRY(put_buf(ctx, file, "lik.precision", HEFT_F64, 8, &to.precision));
    HEFT_TRY(put_buf(ctx, file, "lik.start", HEFT_U64, 8, &to.start));
    HEFT_TRY(put_buf(ctx, file, "lik.point", HEFT_F64, 8, &to.point));
    HEFT_TRY(put_buf(ctx, file, "lik.log_mass", HEFT_F64, 8, &to.log_mass));
    HEFT_TRY(put_buf(ctx, file, "lik.width", HEFT_F64, 8, &to.width));
done:
    heft_buf_clear(&to.kind);
    heft_buf_clear(&to.silent);
    heft_buf_clear(&to.table);
    heft_buf_clear(&to.mean);
    heft_buf_clear(&to.sd);
    heft_buf_clear(&to.precision);
    heft_buf_clear(&to.start);
    heft_buf_clear(&to.point);
    heft_buf_clear(&to.log_mass);
    heft_buf_clear(&to.width);
    return st;
}

static heft_status save_weights(heft_ctx *ctx, const heft_fitted *f, heft_file *file)
{
    heft_status         st = HEFT_OK;
    const heft_weights *w = &f->weights;
    const uint8_t       shape = (uint8_t)w->shape, folded = w->folded;
    size_t              size[2] = {f->n_attr, f->n_class};
    heft_buf            offset = {0};
    HEFT_TRY(heft_file_put_vector(ctx, file, "weight.shape", HEFT_U8, 1, &shape));
    HEFT_TRY(heft_file_put_vector(ctx, file, "weight.folded", HEFT_U8, 1, &folded));
    HEFT_TRY(heft_file_put_vector(ctx, file, "weight.prior", HEFT_F64, 1, &w->w0));
    if (w->shape == HEFT_W_VALUE) {
        size[0] = w->offset[f->n_attr];
        for (size_t j = 0; j <= f->n_attr; j++) add_u64(&offset, w->offset[j]);
        HEFT_TRY(put_buf(ctx, file, "weight.offset", HEFT_U64, 8, &offset));
    }
    if (w->shape != HEFT_W_ONE)
        HEFT_TRY(heft_file_put(ctx, file, "weight", HEFT_F64, size,
                               w->shape == HEFT_W_CLASS ? 2 : 1, w->w));
done:
    heft_buf_clear(&offset);
    return st;
}

static heft_status save_training(heft_ctx *ctx, const heft_training *t, heft_file *file)
{
    const double  numbers[HEFT_N_TRAINING] = {t->rows,
                                              (double)t->iterations,
                                              (double)t->evaluations,
                                              t->objective_initial,
                                              t->objective_final,
                                              t->seconds};
    const uint8_t flags[2] = {t->iterative, t->converged};
    const char   *names[HEFT_MAX_FACTS], *texts[HEFT_MAX_FACTS];
    double        values[HEFT_MAX_FACTS];
    uint8_t       is_text[HEFT_MAX_FACTS];
    for (size_t k = 0; k < t->n_facts; k++) {
        names[k] = t->facts[k].name;
        is_text[k] = t->facts[k].text != NULL;
        texts[k] = is_text[k] ? t->facts[k].text : "";
        values[k] = is_text[k] ? 0 : t->facts[k].number;
    }
    HEFT_CHECK(
        heft_file_put_vector(ctx, file, "training.number", HEFT_F64, HEFT_N_TRAINING, numbers));
    HEFT_CHECK(heft_file_put_vector(ctx, file, "training.flag", HEFT_U8, 2, flags));
    HEFT_CHECK(heft_file_put_strings(ctx, file, "training.stopped_by", &t->stopped_by,
                                     t->stopped_by ? 1 : 0));
    HEFT_CHECK(heft_file_put_strings(ctx, file, "fact.name", names, t->n_facts));
    HEFT_CHECK(heft_file_put_strings(ctx, file, "fact.text", texts, t->n_facts));
    HEFT_CHECK(heft_file_put_vector(ctx, file, "fact.number", HEFT_F64, t->n_facts, values));
    return heft_file_put_vector(ctx, file, "fact.is_text", HEFT_U8, t->n_facts, is_text);
}

static heft_status save_calibration(heft_ctx *ctx, const heft_calibration *c, size_t K,
                                    heft_file *file)
{
    const uint8_t kind = (uint8_t)c->kind;
    if (c->kind == HEFT_AS_IT_IS) return HEFT_OK;
    HEFT_CHECK(heft_file_put_vector(ctx, file, "calibration.kind", HEFT_U8, 1, &kind));
    if (!c->scale) return HEFT_OK;
    HEFT_CHECK(heft_file_put_vector(ctx, file, "calibration.scale", HEFT_F64, K, c->scale));
    return heft_file_put_vector(ctx, file, "calibration.shift", HEFT_F64, K, c->shift);
}

static heft_status save_fitted(heft_ctx *ctx, const heft_fitted *f, heft_file *file)
{
    if (f->log_prior)
        HEFT_CHECK(
            heft_file_put_vector(ctx, file, "log_prior", HEFT_F64, f->n_class, f->log_prior));
    if (f->bias) HEFT_CHECK(heft_file_put_vector(ctx, file, "bias", HEFT_F64, f->n_class, f->bias));
    if (f->lik && f->n_attr) HEFT_CHECK(save_liks(ctx, f, file));
    HEFT_CHECK(save_weights(ctx, f, file));
    return save_training(ctx, &f->training, file);
}

/* The parts of a model, ready to be written; `label` is for messages. */
static heft_status save_model(heft_ctx *ctx, const heft_model *model, const char *label,
                              heft_file **out)
{
    heft_status st = HEFT_OK;
    heft_file  *file = NULL;
    char        fault[256];
    *out = NULL;
    if (model->comm)
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "%s: the training rows of this model are spread over ranks (gather them "
                         "first)",
                         label);
    if (heft_model_fault(model, fault, sizeof fault))
        return heft_fail(ctx, HEFT_ENUMERIC, "%s: the model cannot be saved: %s", label, fault);
    HEFT_TRY(heft_file_create(ctx, &file));
    HEFT_TRY(save_texts(ctx, model, file));
    HEFT_TRY(save_settings(ctx, model, file));
    HEFT_TRY(save_prep(ctx, &model->prep, file));
    HEFT_TRY(save_fitted(ctx, &model->fitted, file));
    HEFT_TRY(save_calibration(ctx, &model->calibration, model->fitted.n_class, file));
    HEFT_TRY(heft_store_save_suffstats(ctx, model, file));
    if (model->method->save) HEFT_TRY(model->method->save(ctx, &model->fitted, file));
    *out = file, file = NULL;
done:
    heft_file_free(file);
    return st;
}

/* ---- public ---- */

heft_status heft_store_save(heft_ctx *ctx, const heft_model *model, const char *path)
{
    heft_status st = HEFT_OK;
    heft_file  *file = NULL;
    HEFT_TRY(save_model(ctx, model, path, &file));
    HEFT_TRY(heft_file_save(ctx, file, path));
done:
    heft_file_free(file);
    return st;
}

heft_status heft_store_save_bytes(heft_ctx *ctx, const heft_model *model, char **bytes,
                                  size_t *length)
{
    heft_status st = HEFT_OK;
    heft_file  *file = NULL;
    *bytes = NULL;
    HEFT_TRY(save_model(ctx, model, "memory", &file));
    HEFT_TRY(heft_file_bytes(ctx, file, bytes, length));
done:
    heft_file_free(file);
    return st;
}
