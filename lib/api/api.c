/* api.c - the public calls on models: check arguments, make a context, dispatch. */
#include "api/api.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/comm.h"
#include "base/num.h"
#include "base/out.h"
#include "base/text.h"
#include "data/merge_dicts.h"
#include "explain/used.h"
#include "model/store.h"
#include "pages/report.h"
#include "train/fit.h"

#ifndef HEFT_VERSION
#define HEFT_VERSION "unknown"
#endif

heft_status heft_need(heft_ctx *ctx, bool there, const char *what)
{
    return there ? HEFT_OK : heft_fail(ctx, HEFT_EINVAL, "%s: NULL given", what);
}

const char *heft_status_name(heft_status status)
{
    static const char *const names[] = {"ok",           "invalid argument", "out of memory",
                                        "input/output", "format",           "unsupported",
                                        "numeric",      "cancelled"};
    return (size_t)status < sizeof names / sizeof *names ? names[status] : "unknown";
}

void heft_text_free(char *text)
{
    heft_free(text);
}

bool heft_flag_raised(void *user)
{
    return user && __atomic_load_n((const int *)user, __ATOMIC_RELAXED) != 0;
}

static heft_status write_text(heft_ctx *ctx, const char *path, const char *text)
{
    heft_status st = HEFT_OK;
    heft_out   *out = NULL;
    HEFT_TRY(heft_need(ctx, path && text, "heft_text_write"));
    HEFT_TRY(heft_out_open(ctx, path, &out));
    HEFT_TRY(heft_out_write(ctx, out, text, strlen(text)));
    st = heft_out_commit(ctx, out);
    out = NULL;
done:
    heft_out_abandon(out);
    return st;
}

heft_status heft_text_write(const char *path, const char *text, heft_error *err)
{
    HEFT_CALL(1, NULL, st = write_text(&ctx, path, text));
}

/* ---- models ---- */

/* One class only teaches nothing. Folds of a cross-validation may meet it; a user should hear it.
 * The default method then says the class frequencies, and that it does. */
static heft_status check_classes(heft_ctx *ctx, const heft_table *data, const heft_config *config)
{
    const size_t K = heft_table_classes(data);
    size_t       first = SIZE_MAX;
    double       range[2] = {-(double)K, -1}; /* the lowest, negated, and the highest */
    if (!data->target) return HEFT_OK;        /* said by the fit itself */
    for (size_t i = 0; i < data->n_rows && !(-range[0] < range[1]); i++) {
        const uint32_t code = heft_code_at(data->target->cells, data->target->width, i);
        if (code >= K || (data->weight && !(data->weight[i] > 0))) continue;
        range[0] = fmax(range[0], -(double)code);
        range[1] = fmax(range[1], (double)code);
    }
    const heft_status st = heft_all_max(ctx, range, 2);
    if (st != HEFT_OK || -range[0] < range[1]) return st;
    if (range[1] >= 0) first = (size_t)range[1];
    char class_name[128], target[128];
    heft_show(target, sizeof target, data->target->name, strlen(data->target->name), 100);
    if (first == SIZE_MAX)
        return heft_fail(ctx, HEFT_EINVAL,
                         "%s: no row has a class in column '%s' and a weight above 0 (name another "
                         "class column with --target)",
                         data->name ? data->name : "the table", target);
    heft_show(class_name, sizeof class_name, heft_dict_text(data->target->dict, (uint32_t)first),
              heft_dict_length(data->target->dict, (uint32_t)first), 100);
    const heft_method *method =
        heft_methods_find(config->method ? config->method : HEFT_DEFAULT_METHOD);
    if (method && method->caps & HEFT_TAKES_ONE_CLASS) {
        heft_say(ctx, HEFT_WARNING,
                 "%s: column '%s' holds one class only ('%s'), and the model can say no other",
                 data->name ? data->name : "the table", target, class_name);
        return HEFT_OK;
    }
    return heft_fail(ctx, HEFT_EINVAL,
                     "%s: column '%s' holds one class only ('%s'): a classifier needs two (name "
                     "another class column with --target)",
                     data->name ? data->name : "the table", target, class_name);
}

heft_status heft_fit(const heft_table *data, const heft_config *config, heft_model **out,
                     heft_error *err)
{
    heft_ctx          ctx;
    heft_status       st = HEFT_OK;
    const heft_config plain = {0};
    heft_table       *united = NULL;
    heft_model       *model = NULL;

    if (!config) config = &plain;
    if (out) *out = NULL;
    heft_ctx_init(&ctx, err, config->threads, config->seed, config->talk);
    HEFT_TRY(heft_comm_check(&ctx, config->comm));
    ctx.comm = config->comm;
    HEFT_TRY(heft_need(&ctx, data && out, "heft_fit"));
    HEFT_TRY(heft_ctx_limit(&ctx, config->memory, config->scratch));
    HEFT_TRY(heft_table_with_merged_dicts(&ctx, data, &united));
    if (united) data = united;
    if (!config->part && !config->like) HEFT_TRY(check_classes(&ctx, data, config));
    HEFT_TRY(heft_fit_table(&ctx, data, config, false, &model));
done:
    st = heft_comm_end(&ctx, st);
    heft_table_free(united);
    if (st == HEFT_OK) *out = model;
    else heft_model_free(model);
    heft_ctx_clear(&ctx);
    return st;
}

heft_status heft_predict_proba(const heft_model *model, const heft_table *data, double *proba,
                               heft_error *err)
{
    HEFT_CALL(0, NULL,
              st = model && data && proba ? heft_posterior(&ctx, model, data, proba)
                                          : heft_need(&ctx, false, "heft_predict_proba"));
}

heft_status heft_predict_log_proba(const heft_model *model, const heft_table *data,
                                   double *log_proba, heft_error *err)
{
    heft_ctx    ctx;
    heft_status st = HEFT_OK;

    heft_ctx_init(&ctx, err, 0, 0, NULL);
    HEFT_TRY(heft_need(&ctx, model && data && log_proba, "heft_predict_log_proba"));
    HEFT_TRY(heft_scores(&ctx, model, data, log_proba));
    const size_t K = model->fitted.n_class;
    for (size_t i = 0; i < data->n_rows; i++) {
        double      *v = log_proba + i * K;
        const double total = heft_logsumexp(v, K);
        for (size_t c = 0; c < K; c++)
            v[c] = isinf(v[c]) ? -DBL_MAX : isfinite(total) ? v[c] - total : -log((double)K);
    }
done:
    heft_ctx_clear(&ctx);
    return st;
}

heft_status heft_predict_joint(const heft_model *model, const heft_table *data, double *log_joint,
                               heft_error *err)
{
    heft_ctx    ctx;
    heft_status st = HEFT_OK;

    heft_ctx_init(&ctx, err, 0, 0, NULL);
    HEFT_TRY(heft_need(&ctx, model && data && log_joint, "heft_predict_joint"));
    HEFT_TRY(heft_scores(&ctx, model, data, log_joint));
    for (size_t k = 0; k < data->n_rows * model->fitted.n_class; k++)
        if (!(log_joint[k] >= -DBL_MAX)) log_joint[k] = -DBL_MAX;
done:
    heft_ctx_clear(&ctx);
    return st;
}

static heft_status predict_codes(heft_ctx *ctx, const heft_model *model, const heft_table *data,
                                 int32_t *classes)
{
    heft_status  st = HEFT_OK;
    const size_t K = model->fitted.n_class;
    double      *proba = NULL;

    proba = heft_alloc(data->n_rows, K * sizeof *proba);
    if (!proba) HEFT_TRY(heft_no_memory(ctx, data->n_rows, K * sizeof *proba));
    HEFT_TRY(heft_posterior(ctx, model, data, proba));
    for (size_t i = 0; i < data->n_rows; i++) classes[i] = (int32_t)heft_argmax(proba + i * K, K);
done:
    heft_free(proba);
    return st;
}

heft_status heft_predict(const heft_model *model, const heft_table *data, int32_t *classes,
                         heft_error *err)
{
    HEFT_CALL(0, NULL,
              st = model && data && classes ? predict_codes(&ctx, model, data, classes)
                                            : heft_need(&ctx, false, "heft_predict"));
}

static heft_status truth(heft_ctx *ctx, const heft_model *model, const heft_table *data,
                         int32_t *classes)
{
    heft_status  st = HEFT_OK;
    const size_t K = heft_table_classes(data);
    int32_t     *to = NULL; /* the table's class to the model's */

    for (size_t i = 0; i < data->n_rows; i++) classes[i] = -1;
    if (!data->target) return HEFT_OK;
    HEFT_HEAP(ctx, to, K);
    for (uint32_t c = 0; c < K; c++) {
        const uint32_t code =
            heft_dict_find(model->prep.classes, heft_dict_text(data->target->dict, c),
                           heft_dict_length(data->target->dict, c));
        to[c] = code == HEFT_DICT_NONE ? -1 : (int32_t)code;
    }
    for (size_t i = 0; i < data->n_rows; i++) {
        const uint32_t code = heft_code_at(data->target->cells, data->target->width, i);
        if (code < K) classes[i] = to[code];
    }
done:
    heft_free(to);
    return st;
}

heft_status heft_model_truth(const heft_model *model, const heft_table *data, int32_t *classes,
                             heft_error *err)
{
    HEFT_CALL(1, NULL,
              st = model && data && classes ? truth(&ctx, model, data, classes)
                                            : heft_need(&ctx, false, "heft_model_truth"));
}

static heft_status explain_parts(heft_ctx *ctx, const heft_model *model, const heft_table *data,
                                 size_t i, double *parts, double *score)
{
    heft_status   st = HEFT_OK;
    heft_prepared prepared = {0};
    heft_table   *row = NULL;
    const size_t  K = model->fitted.n_class;

    if (i >= data->n_rows)
        HEFT_TRY(heft_fail(ctx, HEFT_EINVAL, "row %zu: the table has %zu", i + 1, data->n_rows));
    HEFT_TRY(heft_table_take(ctx, data, &i, 1, &row));
    HEFT_TRY(heft_prep_apply(ctx, &model->prep, row, &prepared));
    HEFT_TRY(heft_parts_of(ctx, model, &prepared.rows, 0, parts));
    for (size_t c = 0; c < K; c++) {
        score[c] = 0;
        for (size_t j = 0; j <= model->fitted.n_attr; j++) {
            double *part = &parts[j * K + c];
            if (isinf(*part)) *part = -DBL_MAX; /* takes no part */
            score[c] += *part;
        }
        if (isinf(score[c])) score[c] = -DBL_MAX;
    }
done:
    heft_prepared_clear(&prepared);
    heft_table_free(row);
    return st;
}

heft_status heft_explain(const heft_model *model, const heft_table *data, size_t i, double *parts,
                         double *score, heft_error *err)
{
    HEFT_CALL(1, NULL,
              st = model && data && parts && score
                       ? explain_parts(&ctx, model, data, i, parts, score)
                       : heft_need(&ctx, false, "heft_explain"));
}

heft_status heft_model_save(const heft_model *model, const char *path, heft_error *err)
{
    HEFT_CALL(1, NULL,
              st = model && path ? heft_store_save(&ctx, model, path)
                                 : heft_need(&ctx, false, "heft_model_save"));
}

heft_status heft_model_load(const char *path, heft_model **out, heft_error *err)
{
    if (out) *out = NULL;
    HEFT_CALL(1, NULL,
              st = path && out ? heft_store_load(&ctx, path, heft_methods_find, out)
                               : heft_need(&ctx, false, "heft_model_load"));
}

heft_status heft_model_merge(const heft_model *const *models, size_t n, heft_model **out,
                             heft_error *err)
{
    heft_ctx    ctx;
    heft_status st = HEFT_OK;

    if (out) *out = NULL;
    heft_ctx_init(&ctx, err, 0, 0, NULL);
    HEFT_TRY(heft_need(&ctx, models && out, "heft_model_merge"));
    if (n == 0) HEFT_TRY(heft_fail(&ctx, HEFT_EINVAL, "heft_model_merge: no model given"));
    for (size_t k = 0; k < n; k++) HEFT_TRY(heft_need(&ctx, models[k] != NULL, "heft_model_merge"));
    HEFT_TRY(heft_merge(&ctx, models, NULL, n, out));
done:
    heft_ctx_clear(&ctx);
    return st;
}

heft_status heft_model_merge_files(const char *const *paths, size_t n, heft_model **out,
                                   heft_error *err)
{
    heft_ctx    ctx;
    heft_status st = HEFT_OK;

    if (out) *out = NULL;
    heft_ctx_init(&ctx, err, 0, 0, NULL);
    HEFT_TRY(heft_need(&ctx, paths && out, "heft_model_merge_files"));
    if (n == 0) HEFT_TRY(heft_fail(&ctx, HEFT_EINVAL, "heft_model_merge_files: no file given"));
    for (size_t k = 0; k < n; k++)
        HEFT_TRY(heft_need(&ctx, paths[k] != NULL, "heft_model_merge_files"));
    HEFT_TRY(heft_merge(&ctx, NULL, paths, n, out));
done:
    heft_ctx_clear(&ctx);
    return st;
}

heft_status heft_model_to_bytes(const heft_model *model, char **bytes, size_t *length,
                                heft_error *err)
{
    if (bytes) *bytes = NULL;
    HEFT_CALL(1, NULL,
              st = model && bytes && length ? heft_store_save_bytes(&ctx, model, bytes, length)
                                            : heft_need(&ctx, false, "heft_model_to_bytes"));
}

heft_status heft_model_from_bytes(const void *bytes, size_t length, heft_model **out,
                                  heft_error *err)
{
    if (out) *out = NULL;
    HEFT_CALL(1, NULL,
              st = bytes && out ? heft_store_load_bytes(&ctx, "the model", bytes, length,
                                                        heft_methods_find, out)
                                : heft_need(&ctx, false, "heft_model_from_bytes"));
}

const char *heft_model_method(const heft_model *model)
{
    return model->method->name;
}

size_t heft_model_classes(const heft_model *model)
{
    return model->fitted.n_class;
}

const char *heft_model_class_name(const heft_model *model, size_t c)
{
    return c < model->fitted.n_class ? heft_dict_text(model->prep.classes, (uint32_t)c) : NULL;
}

const char *heft_model_target(const heft_model *model)
{
    return model->prep.target;
}

size_t heft_model_attributes(const heft_model *model)
{
    return model->prep.n_attr;
}

const char *heft_model_attribute_name(const heft_model *model, size_t j)
{
    return j < model->prep.n_attr ? model->prep.attr[j].name : NULL;
}

static heft_status wants_json(heft_ctx *ctx, const char *format, bool *json)
{
    *json = format && strcmp(format, "json") == 0;
    if (*json || !format || strcmp(format, "text") == 0) return HEFT_OK;
    return heft_fail(ctx, HEFT_EINVAL, "format '%.40s' is not text or json", format);
}

static heft_status inspect(heft_ctx *ctx, const heft_model *model, const char *format, size_t top,
                           char **text)
{
    bool json;
    if (!model || !text) return heft_need(ctx, false, "heft_model_inspect");
    const heft_status st = wants_json(ctx, format, &json);
    if (st != HEFT_OK) return st;
    return json ? heft_inspect_json(ctx, model, text) : heft_inspect_text(ctx, model, top, text);
}

heft_status heft_model_inspect(const heft_model *model, const char *format, size_t top, char **text,
                               heft_error *err)
{
    HEFT_CALL(1, NULL, st = inspect(&ctx, model, format, top, text));
}

static heft_status explain_text(heft_ctx *ctx, const heft_model *model, const heft_table *data,
                                size_t i, const char *format, size_t top, char **text)
{
    bool json;
    if (!model || !data || !text) return heft_need(ctx, false, "heft_model_explain");
    const heft_status st = wants_json(ctx, format, &json);
    if (st != HEFT_OK) return st;
    if (i >= data->n_rows)
        return heft_fail(ctx, HEFT_EINVAL, "row %zu: the table has %zu", i + 1, data->n_rows);
    return json ? heft_explain_json(ctx, model, data, i, text)
                : heft_explain_text(ctx, model, data, i, top, text);
}

heft_status heft_model_explain(const heft_model *model, const heft_table *data, size_t i,
                               const char *format, size_t top, char **text, heft_error *err)
{
    HEFT_CALL(1, NULL, st = explain_text(&ctx, model, data, i, format, top, text));
}

heft_status heft_model_prepare(const heft_model *model, const heft_table *data, heft_table **out,
                               heft_error *err)
{
    HEFT_CALL(0, NULL,
              st = model && data && out ? heft_prep_table(&ctx, &model->prep, data, out)
                                        : heft_need(&ctx, false, "heft_model_prepare"));
}

heft_status heft_model_select(const heft_model *model, const heft_table *data, heft_table **out,
                              heft_error *err)
{
    HEFT_CALL(1, NULL,
              st = model && data && out ? heft_used_table(&ctx, model, data, out)
                                        : heft_need(&ctx, false, "heft_model_select"));
}
