/* api.c - the public calls on models: check arguments, make a context, dispatch. */
#include "api/api.h"

#include <string.h>

#include "base/comm.h"
#include "base/text.h"
#include "data/merge_dicts.h"
#include "eval/results.h"
#include "explain/explain.h"
#include "export/export.h"
#include "heft_evaluate.h"
#include "heft_memory.h"
#include "heft_methods.h"
#include "model/store.h"
#include "pages/report.h"
#include "train/fit.h"
#include "train/merge.h"
#include "train/weights.h"

heft_status heft_check_row(heft_ctx *ctx, const heft_table *data, size_t i)
{
    if (i < data->n_rows) return HEFT_OK;
    return heft_fail(ctx, HEFT_EINVAL, "there is no row %zu: the table has %s", i + 1,
                     HEFT_COUNT_OF(data->n_rows, "row"));
}

heft_status heft_check_attribute(heft_ctx *ctx, size_t j, size_t n, const char *of)
{
    if (j < n) return HEFT_OK;
    return heft_fail(ctx, HEFT_EINVAL, "there is no attribute %zu: the %s has %zu, numbered from 0",
                     j, of, n);
}

heft_status heft_struct_of_call(const heft_struct *as, const void *given, void *own,
                                heft_error *err)
{
    heft_ctx ctx;
    heft_ctx_init(&ctx, err, 1, 0, NULL);
    return heft_struct_take(&ctx, as, given, own);
}

/* ---- training ---- */

heft_status heft_config_check(const heft_config *config, heft_error *err)
{
    heft_config   own;
    heft_settings settings;
    HEFT_ENTER(HEFT_ONE_THREAD);
    HEFT_CHECK(heft_struct_take(ctx, HEFT_CONFIG, config, &own));
    return heft_settings_of(ctx, &own, false, &settings);
}

heft_status heft_config_file(const heft_config *config, size_t index, char **path, heft_error *err)
{
    heft_config   own;
    heft_settings settings;
    HEFT_ENTER(HEFT_ONE_THREAD);
    HEFT_CHECK(heft_need(ctx, path, "heft_config_file"));
    *path = NULL;
    HEFT_CHECK(heft_struct_take(ctx, HEFT_CONFIG, config, &own));
    HEFT_CHECK(heft_settings_of(ctx, &own, false, &settings));
    const heft_option *options = settings.method->options;
    for (size_t k = 0; options && options[k].name; k++) {
        const char *file = options[k].file ? settings.values[k].as_text : "";
        if (*file && index-- == 0) return heft_heap_copy(ctx, file, path);
    }
    if (own.cost && heft_costs_in_file(own.cost) && index == 0)
        return heft_heap_copy(ctx, own.cost, path);
    return HEFT_OK;
}

static heft_status fit_table(heft_ctx *ctx, const heft_table *data, const heft_config *config,
                             heft_model **out)
{
    heft_status st = HEFT_OK;
    heft_table *merged = NULL;
    heft_model *model = NULL;
    HEFT_TRY(heft_need(ctx, data && out, "heft_fit"));
    HEFT_TRY(heft_table_merge_dicts(ctx, data, &merged));
    if (merged) data = merged;
    if (!config->part && !config->like) HEFT_TRY(heft_refuse_one_class(ctx, data, config));
    HEFT_TRY(heft_fit_table(ctx, data, config, false, &model));
done:
    st = heft_comm_end(ctx, st);
    heft_table_free(merged);
    HEFT_KNOWN(st != HEFT_OK || out);
    if (st == HEFT_OK) *out = model;
    else heft_model_free(model);
    return st;
}

heft_status heft_fit(const heft_table *data, const heft_config *config, heft_model **out,
                     heft_error *err)
{
    heft_config own;
    if (out) *out = NULL;
    HEFT_ENTER_WITH(HEFT_CONFIG, config, own);
    return fit_table(ctx, data, &own, out);
}

/* ---- a matrix, fitted where it stands ---- */

/* A table of the columns and classes: of all rows, which are borrowed, or of none. */
static heft_status table_of(const heft_matrix *m, bool rows, heft_table **out, heft_error *err)
{
    HEFT_CHECK(heft_table_create(rows ? m->n_rows : 0, out, err));
    heft_matrix part = *m;
    if (!rows) part.n_rows = 0;
    HEFT_CHECK(heft_table_add_matrix(*out, &part, rows, err));
    HEFT_CHECK(heft_table_set_target(*out, m->target ? m->target : "class", m->codes, m->classes,
                                     m->n_classes, err));
    return rows && m->weights ? heft_table_set_weights(*out, m->weights, err) : HEFT_OK;
}

static heft_status fit_copy(heft_ctx *ctx, const heft_matrix *m, const heft_config *config,
                            heft_model **out)
{
    heft_table *table = NULL;
    heft_status st = table_of(m, true, &table, ctx->err);
    st = st == HEFT_OK ? fit_table(ctx, table, config, out) : heft_comm_end(ctx, st);
    heft_table_free(table);
    return st;
}

/* The method sees numbers through sums, and nothing is learned to prepare them. Several ranks are
 * the business of heft_fit. */
static bool sums_suffice(const heft_ctx *ctx, const heft_settings *s)
{
    const heft_config *c = &s->config;
    return s->method->suffstats == (HEFT_STATS_COUNTS | HEFT_STATS_SUMS) && !s->spec.impute &&
           s->spec.cutting == HEFT_CUT_NONE && s->spec.scaling == HEFT_SCALE_NONE && !c->select &&
           !c->like && !heft_memory_limit() && s->calibrating == HEFT_CALIBRATE_NONE &&
           !s->tuning && !c->class_weight && heft_is_single(ctx);
}

/* y[n_rows]: the classes as heft_rows has them. False when a row has no class or no weight, and
 * is to be left out, when weights are to be scaled, or when there is one class and `one` is not
 * set: heft_fit knows what to do. */
static bool all_rows_teach(const heft_matrix *m, bool one, uint16_t *y)
{
    bool known = true, differ = false;
    for (size_t i = 0; i < m->n_rows; i++) {
        known = known && m->codes[i] >= 0 && (size_t)m->codes[i] < m->n_classes;
        y[i] = (uint16_t)m->codes[i];
        differ = differ || y[i] != y[0];
    }
    for (size_t i = 0; m->weights && known && i < m->n_rows; i++) known = m->weights[i] > 0;
    return known && (differ || one) &&
           (!m->weights || heft_weights_ordinary(m->weights, m->n_rows));
}

static heft_status fit_sums(heft_ctx *ctx, const heft_matrix *m, const uint16_t *y,
                            const heft_settings *s, heft_model **out)
{
    heft_status  st = HEFT_OK;
    const double began = heft_clock();
    heft_model  *model = NULL;
    heft_table  *empty = NULL;
    heft_attr   *attr;
    HEFT_TRY(heft_model_new(ctx, &model));
    HEFT_TRY(table_of(m, false, &empty, ctx->err));
    HEFT_TRY(heft_prep_fit(ctx, empty, &s->spec, &model->arena, &model->prep));
    HEFT_TRY(heft_rule_of(ctx, s, empty, model));
    HEFT_ARENA(ctx, &ctx->scratch, attr, m->n_cols);
    for (size_t j = 0; j < m->n_cols; j++) attr[j].width = sizeof(double);
    heft_rows rows = {.n_rows = m->n_rows,
                      .n_attr = m->n_cols,
                      .n_class = m->n_classes,
                      .attr = attr,
                      .y = y,
                      .weight = m->weights,
                      .matrix = m};
    HEFT_TRY(heft_fit_prepared(ctx, s, empty, &rows, model));
    model->fitted.training.seconds = heft_clock() - began;
    *out = model, model = NULL;
done:
    heft_table_free(empty);
    heft_model_free(model);
    return st;
}

heft_status heft_fit_matrix(const heft_matrix *data, const heft_config *config, heft_model **out,
                            heft_error *err)
{
    heft_config own;
    heft_matrix matrix, *const m = &matrix;
    heft_settings s;
    uint16_t     *y = NULL;
    if (out) *out = NULL;
    HEFT_ENTER_WITH(HEFT_CONFIG, config, own);
    HEFT_CHECK(heft_struct_take(ctx, HEFT_MATRIX, data, m));
    HEFT_CHECK(heft_need(ctx,
                         data && out && (m->cells || !m->n_rows || !m->n_cols) &&
                             (m->codes || !m->n_rows) && (m->classes || !m->n_classes),
                         __func__));
    HEFT_CHECK(heft_settings_of(ctx, &own, false, &s));
    bool direct = sums_suffice(ctx, &s) && m->n_rows && m->n_cols && m->n_classes &&
                  m->n_classes <= HEFT_MOST_CLASSES;
    if (direct) {
        y = heft_alloc(m->n_rows, sizeof *y);
        if (!y) return heft_no_memory(ctx, m->n_rows, sizeof *y);
        direct = all_rows_teach(m, own.part, y);
    }
    const heft_status st = direct ? fit_sums(ctx, m, y, &s, out) : fit_copy(ctx, m, &own, out);
    heft_free(y);
    return st;
}

/* ---- merging ---- */

/* From models, or from files: one of the two is NULL. */
static heft_status merge(heft_ctx *ctx, const heft_model *const *models, const char *const *paths,
                         size_t n, heft_model **out, const char *call, const char *what)
{
    HEFT_CHECK(heft_need(ctx, (models || paths) && out, call));
    if (n == 0) return heft_fail(ctx, HEFT_EINVAL, "%s: no %s is given", call, what);
    for (size_t k = 0; k < n; k++)
        HEFT_CHECK(heft_need(ctx, models ? models[k] != NULL : paths[k] != NULL, call));
    return heft_merge(ctx, models, paths, n, out);
}

heft_status heft_model_merge(const heft_model *const *models, size_t n, heft_model **out,
                             heft_error *err)
{
    if (out) *out = NULL;
    HEFT_ENTER(NULL);
    return merge(ctx, models, NULL, n, out, __func__, "model");
}

heft_status heft_model_merge_files(const char *const *paths, size_t n, heft_model **out,
                                   heft_error *err)
{
    if (out) *out = NULL;
    HEFT_ENTER(NULL);
    return merge(ctx, NULL, paths, n, out, __func__, "file");
}

/* ---- files ---- */

heft_status heft_model_save(const heft_model *model, const char *path, heft_error *err)
{
    HEFT_CALL(model && path, HEFT_ONE_THREAD, heft_store_save(ctx, model, path));
}

heft_status heft_model_load(const char *path, heft_model **out, heft_error *err)
{
    if (out) *out = NULL;
    HEFT_CALL(path && out, HEFT_ONE_THREAD, heft_store_load(ctx, path, heft_methods_find, out));
}

heft_status heft_model_to_bytes(const heft_model *model, char **bytes, size_t *length,
                                heft_error *err)
{
    if (bytes) *bytes = NULL;
    HEFT_CALL(model && bytes && length, HEFT_ONE_THREAD,
              heft_store_save_bytes(ctx, model, bytes, length));
}

heft_status heft_model_from_bytes(const void *bytes, size_t length, heft_model **out,
                                  heft_error *err)
{
    if (out) *out = NULL;
    HEFT_CALL(bytes && out, HEFT_ONE_THREAD,
              heft_store_load_bytes(ctx, "the model", bytes, length, heft_methods_find, out));
}

/* ---- what a model is ---- */

HEFT_GET(const char *, heft_model_method(const heft_model *model), model->method->name)
HEFT_GET(size_t, heft_model_classes(const heft_model *model), model->fitted.n_class)
HEFT_GET(const char *, heft_model_class_name(const heft_model *model, size_t c),
         c < model->fitted.n_class ? heft_dict_text(model->prep.classes, (uint32_t)c) : NULL)
HEFT_GET(const char *, heft_model_target(const heft_model *model), model->prep.target)
HEFT_GET(size_t, heft_model_attributes(const heft_model *model), model->prep.n_attr)

static heft_status wants_json(heft_ctx *ctx, const char *format, bool *json)
{
    *json = format && strcmp(format, "json") == 0;
    if (*json || !format || strcmp(format, "text") == 0) return HEFT_OK;
    return heft_fail(ctx, HEFT_EINVAL, "unknown format '%.40s' (use text or json)", format);
}

heft_status heft_inspect_text(const heft_model *model, const char *format, size_t top, char **text,
                              heft_error *err)
{
    bool json;
    HEFT_ENTER(HEFT_ONE_THREAD);
    HEFT_CHECK(heft_need(ctx, model && text, __func__));
    HEFT_CHECK(wants_json(ctx, format, &json));
    return heft_inspection(ctx, model, json, top, text);
}

heft_status heft_explain_text(const heft_model *model, const heft_table *data, size_t i,
                              const char *format, size_t top, char **text, heft_error *err)
{
    bool json;
    HEFT_ENTER(HEFT_ONE_THREAD);
    HEFT_CHECK(heft_need(ctx, model && data && text, __func__));
    HEFT_CHECK(wants_json(ctx, format, &json));
    HEFT_CHECK(heft_check_row(ctx, data, i));
    return heft_explanation(ctx, model, data, i, json, top, text);
}

/* ---- exports and reports ---- */

heft_status heft_export_text(const heft_model *model, const heft_export_options *how, char **text,
                             size_t *length, heft_error *err)
{
    heft_export_options own;
    size_t              n;
    HEFT_ENTER(HEFT_ONE_THREAD);
    HEFT_CHECK(heft_need(ctx, model && text, __func__));
    HEFT_CHECK(heft_struct_take(ctx, HEFT_EXPORT_OPTIONS, how, &own));
    return heft_export_model(ctx, model, &own, text, length ? length : &n);
}

heft_status heft_export_file(const heft_model *model, const char *path,
                             const heft_export_options *how, heft_error *err)
{
    heft_export_options own;
    HEFT_ENTER(HEFT_ONE_THREAD);
    HEFT_CHECK(heft_need(ctx, model && path, __func__));
    HEFT_CHECK(heft_struct_take(ctx, HEFT_EXPORT_OPTIONS, how, &own));
    return heft_export_to_file(ctx, model, path, &own);
}

const heft_export_info *heft_export_at(size_t index)
{
    const heft_export *export = heft_exports_at(index);
    return export ? &export->info : NULL;
}

heft_status heft_report_html(const heft_model *model, const heft_table *data,
                             const heft_report_plan *plan, char **html, heft_error *err)
{
    heft_report_plan own;
    HEFT_ENTER_WITH(HEFT_STRUCT(heft_report_plan, run), plan, own);
    HEFT_CHECK(heft_need(ctx, model && html, __func__));
    *html = NULL;
    if (own.folds && !data)
        return heft_fail(ctx, HEFT_EINVAL, "cross-validation ({cv}) needs data: name a file");
    return heft_report_model(ctx, model, data, own.folds, html);
}

heft_status heft_results_text(const heft_results *results, const char *format, char **text,
                              heft_error *err)
{
    heft_status st = HEFT_OK;
    heft_buf    buf = {0};
    HEFT_ENTER(HEFT_ONE_THREAD);
    HEFT_CHECK(heft_need(ctx, results && format && text, __func__));
    *text = NULL;
    HEFT_TRY(strcmp(format, "html") == 0 ? heft_report_results(ctx, results, &buf)
                                         : heft_results_format(ctx, results, format, &buf));
    HEFT_TRY(heft_buf_take(ctx, &buf, text));
done:
    heft_buf_clear(&buf);
    return st;
}

/* ---- models whose training rows are spread over ranks ---- */

HEFT_GET(bool, heft_model_is_spread(const heft_model *model), model->comm != NULL)

heft_status heft_model_gather(heft_model *model, heft_error *err)
{
    HEFT_ENTER(HEFT_ONE_THREAD);
    HEFT_CHECK(heft_need(ctx, model != NULL, __func__));
    if (!model->comm) return HEFT_OK;
    ctx->comm = model->comm;
    HEFT_CHECK(heft_comm_end(ctx, model->method->gather(ctx, &model->fitted)));
    model->comm = NULL;
    return HEFT_OK;
}

static heft_status load_share(heft_ctx *ctx, const char *path, heft_model **out)
{
    if (strcmp(path, "-") == 0 && !heft_is_single(ctx))
        return heft_fail(ctx, HEFT_EINVAL,
                         "several ranks cannot read a model from standard input (name a file)");
    HEFT_CHECK(heft_store_load(ctx, path, heft_methods_find, out));
    if (!heft_is_single(ctx) && (*out)->method->gather) heft_model_spread(ctx, *out);
    return HEFT_OK;
}

heft_status heft_model_load_ranks(const char *path, const heft_comm *comm, heft_model **out,
                                  heft_error *err)
{
    if (out) *out = NULL;
    HEFT_ENTER((&(const heft_runtime){.threads = 1, .comm = comm}));
    HEFT_CHECK(heft_need(ctx, path && out, __func__));
    const heft_status st = heft_comm_end(ctx, load_share(ctx, path, out));
    if (st == HEFT_OK) return HEFT_OK;
    heft_model_free(*out);
    *out = NULL;
    return st;
}

#undef heft_need /* a macro when the analyzer reads this */

heft_status heft_need(heft_ctx *ctx, bool there, const char *what)
{
    return there ? HEFT_OK : heft_fail(ctx, HEFT_EINVAL, "%s: an argument is NULL", what);
}
