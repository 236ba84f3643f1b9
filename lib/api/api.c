/* api.c - the public calls on models: check arguments, make a context, dispatch. */
#include "api/api.h"

#include <string.h>

#include "base/comm.h"
#include "base/out.h"
#include "base/text.h"
#include "explain/explain.h"
#include "export/export.h"
#include "heft_memory.h"
#include "heft_methods.h"
#include "model/store.h"
#include "pages/report.h"
#include "train/merge.h"
#include "train/train.h"

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
    const char *file = heft_settings_file(&settings, index);
    return file ? heft_heap_copy(ctx, file, path) : HEFT_OK;
}

heft_status heft_fit(const heft_table *data, const heft_config *config, heft_model **out,
                     heft_error *err)
{
    heft_config own;
    if (out) *out = NULL;
    HEFT_ENTER_WITH(HEFT_CONFIG, config, own);
    if (!data || !out) return heft_comm_end(ctx, heft_need(ctx, false, __func__));
    return heft_train(ctx, data, &own, out);
}

heft_status heft_fit_matrix(const heft_matrix *data, const heft_config *config, heft_model **out,
                            heft_error *err)
{
    heft_config own;
    heft_matrix m;
    if (out) *out = NULL;
    HEFT_ENTER_WITH(HEFT_CONFIG, config, own);
    HEFT_CHECK(heft_struct_take(ctx, HEFT_MATRIX, data, &m));
    HEFT_CHECK(heft_need(ctx,
                         data && out && (m.cells || !m.n_rows || !m.n_cols) &&
                             (m.codes || !m.n_rows) && (m.classes || !m.n_classes),
                         __func__));
    return heft_train_matrix(ctx, &m, &own, out);
}

/* ---- merging ---- */

/* Merges models or files; one of the two lists is NULL. */
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

void heft_model_free(heft_model *model)
{
    heft_model_delete(model);
}

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
    HEFT_OPEN(model && text, HEFT_ONE_THREAD);
    HEFT_CHECK(wants_json(ctx, format, &json));
    return heft_inspection(ctx, model, json, top, text);
}

heft_status heft_explain_text(const heft_model *model, const heft_table *data, size_t i,
                              const char *format, size_t top, char **text, heft_error *err)
{
    bool json;
    HEFT_OPEN(model && data && text, HEFT_ONE_THREAD);
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
    HEFT_OPEN(model && text, HEFT_ONE_THREAD);
    HEFT_CHECK(heft_struct_take(ctx, HEFT_EXPORT_OPTIONS, how, &own));
    return heft_export_model(ctx, model, &own, text, length ? length : &n);
}

heft_status heft_export_file(const heft_model *model, const char *path,
                             const heft_export_options *how, heft_error *err)
{
    heft_export_options own;
    HEFT_OPEN(model && path, HEFT_ONE_THREAD);
    HEFT_CHECK(heft_struct_take(ctx, HEFT_EXPORT_OPTIONS, how, &own));
    return heft_export_to_file(ctx, model, path, &own);
}

const heft_export_info *heft_export_at(size_t index)
{
    const heft_export *export = heft_exports_at(index);
    return export ? &export->info : NULL;
}

/* A report as a page or as the data of the page. */
static heft_status report(const heft_model *model, const heft_table *data,
                          const heft_report_plan *plan, bool json, char **text, heft_error *err)
{
    heft_report_plan own;
    HEFT_ENTER_WITH(HEFT_STRUCT(heft_report_plan, run), plan, own);
    HEFT_CHECK(heft_need(ctx, model && text, json ? "heft_report_json" : "heft_report_html"));
    *text = NULL;
    if (own.folds && !data)
        return heft_fail(ctx, HEFT_EINVAL, "cross-validation ({cv}) needs data: name a file");
    return heft_report_model(ctx, model, data, own.folds, json, text);
}

heft_status heft_report_html(const heft_model *model, const heft_table *data,
                             const heft_report_plan *plan, char **html, heft_error *err)
{
    return report(model, data, plan, false, html, err);
}

heft_status heft_report_json(const heft_model *model, const heft_table *data,
                             const heft_report_plan *plan, char **json, heft_error *err)
{
    return report(model, data, plan, true, json, err);
}

/* ---- models whose training rows are spread over ranks ---- */

HEFT_GET(bool, heft_model_is_spread(const heft_model *model), model->comm != NULL)

heft_status heft_model_gather(heft_model *model, heft_error *err)
{
    HEFT_CALL(model, HEFT_ONE_THREAD, heft_model_collect(ctx, model));
}

heft_status heft_model_load_ranks(const char *path, const heft_comm *comm, heft_model **out,
                                  heft_error *err)
{
    if (out) *out = NULL;
    HEFT_CALL(path && out, (&(const heft_runtime){.threads = 1, .comm = comm}),
              heft_store_load_ranks(ctx, path, heft_methods_find, out));
}

/* ---- texts, files and the version ---- */

heft_status heft_text_write(const char *path, const char *text, heft_error *err)
{
    HEFT_CALL(path && text, HEFT_ONE_THREAD, heft_out_text(ctx, path, text));
}

heft_status heft_output_check(const char *path, heft_error *err)
{
    HEFT_CALL(path, HEFT_ONE_THREAD, heft_out_check(ctx, path));
}

void heft_text_free(char *text)
{
    heft_free(text);
}

bool heft_flag_raised(void *user)
{
    return user && __atomic_load_n((const int *)user, __ATOMIC_RELAXED) != 0;
}

const char *heft_status_name(heft_status status)
{
    static const char *const names[] = {"ok",           "invalid argument", "out of memory",
                                        "input/output", "format",           "unsupported",
                                        "numeric",      "cancelled"};
    return (size_t)status < sizeof names / sizeof *names ? names[status] : "unknown";
}

HEFT_GET(const char *, heft_version(void), HEFT_VERSION)

/* ---- what the other files of this folder share ---- */

#undef heft_need /* a macro when the analyzer reads this */

heft_status heft_need(heft_ctx *ctx, bool there, const char *what)
{
    return there ? HEFT_OK : heft_fail(ctx, HEFT_EINVAL, "%s: an argument is NULL", what);
}
