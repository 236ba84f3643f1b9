/* store.c - models to and from files: metadata for people, and the tensors of the tables. */
#include "model/store.h"

#include <string.h>

#include "model/describe.h"
#include "model/model_state.h"

enum { SCHEMA_LIMIT = 1000 };

/* ---- saving ---- */

static void describe_schema(heft_buf *buf, const heft_model *model)
{
    const heft_prep *prep = &model->prep;
    heft_buf_text(buf, "{\"target\": ");
    heft_buf_json(buf, prep->target);
    heft_buf_text(buf, ", \"classes\": ");
    heft_describe_classes(buf, prep);
    heft_buf_printf(buf, ", \"n_attributes\": %zu", prep->n_attr);
    for (size_t j = 0; prep->n_attr <= SCHEMA_LIMIT && j < prep->n_attr; j++) {
        heft_buf_text(buf, j ? ", {\"name\": " : ", \"attributes\": [{\"name\": ");
        heft_buf_json(buf, prep->attr[j].name);
        heft_buf_printf(buf, ", \"kind\": \"%s\"}",
                        prep->attr[j].kind == HEFT_NUMBER ? "numeric" : "nominal");
        if (j + 1 == prep->n_attr) heft_buf_text(buf, "]");
    }
    heft_buf_text(buf, "}");
}

static heft_status save_texts(heft_ctx *ctx, const heft_model *model, heft_file *file)
{
    static const struct {
        const char *name;
        void (*describe)(heft_buf *buf, const heft_model *model);
    } documents[] = {{"parameters", heft_describe_params},
                     {"preparation", heft_describe_prep},
                     {"training", heft_describe_training},
                     {"extra", heft_describe_facts},
                     {"schema", describe_schema}};
    HEFT_CHECK(heft_file_put_text(ctx, file, "heft", heft_version()));
    HEFT_CHECK(heft_file_put_text(ctx, file, "method", model->method->name));
    for (size_t k = 0; k < sizeof documents / sizeof *documents; k++) {
        heft_buf buf = {0};
        char    *text;
        documents[k].describe(&buf, model);
        HEFT_CHECK(heft_buf_take(ctx, &buf, &text));
        const heft_status st = heft_file_put_text(ctx, file, documents[k].name, text);
        heft_free(text);
        HEFT_CHECK(st);
    }
    return HEFT_OK;
}

/* The parts of a model, ready to be written; `label` is for messages. */
static heft_status save_model(heft_ctx *ctx, const heft_model *model, const char *label,
                              heft_file **out)
{
    heft_status st = HEFT_OK;
    heft_file  *file = NULL;
    *out = NULL;
    if (model->comm)
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "%s: the training rows of this model are spread over ranks (gather them "
                         "first)",
                         label);
    HEFT_TRY(heft_file_create(ctx, &file));
    HEFT_TRY(save_texts(ctx, model, file));
    HEFT_TRY(heft_state_save(ctx, &heft_model_state, model, model, label, file));
    *out = file, file = NULL;
done:
    heft_file_free(file);
    return st;
}

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

/* ---- loading ---- */

static heft_status load_method(const heft_loading *l, heft_method_fn *find)
{
    const char *name;
    char        shown[128];
    HEFT_CHECK(heft_file_get_text(l->ctx, l->file, "method", &name));
    l->model->method = find(name);
    if (l->model->method) return HEFT_OK;
    return heft_fail(l->ctx, HEFT_EUNSUPPORTED,
                     "%s: this heft has no method '%s' (use the heft that wrote the model)",
                     heft_file_path(l->file),
                     heft_show(shown, sizeof shown, name, strlen(name), 60));
}

/* A tensor that no table names has no meaning: it is another method's, or of a later version. */
static heft_status check_names(const heft_loading *l)
{
    const char *name;
    char        shown[128];
    for (size_t k = 0; (name = heft_file_tensor(l->file, k)) != NULL; k++)
        if (!heft_state_knows(&heft_model_state, l->model, name))
            return heft_file_damaged(
                l->ctx, l->file, "tensor '%s' is not part of a model of method %s",
                heft_show(shown, sizeof shown, name, strlen(name), 60), l->model->method->name);
    return HEFT_OK;
}

static heft_status load_parts(const heft_loading *l, heft_method_fn *find)
{
    heft_model *m = l->model;
    HEFT_CHECK(load_method(l, find));
    HEFT_CHECK(check_names(l));
    HEFT_CHECK(heft_state_load(l, &heft_model_state, m));
    if (!m->method->score || m->method->caps & HEFT_ADDITIVE)
        HEFT_CHECK(heft_fitted_seal(l->ctx, &m->fitted, m->prep.sparse));
    m->label = heft_copy_text(heft_file_path(l->file));
    return m->label ? HEFT_OK : heft_no_memory(l->ctx, strlen(heft_file_path(l->file)), 1);
}

/* The file is taken; `opened` tells whether it could be opened. */
static heft_status load_model(heft_ctx *ctx, heft_status opened, heft_file *file,
                              heft_method_fn *find, heft_model **out)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    heft_model     *model = NULL;
    *out = NULL;
    HEFT_TRY(opened);
    HEFT_TRY(heft_model_new(ctx, &model));
    HEFT_TRY(load_parts(&(heft_loading){ctx, file, model, &model->arena}, find));
    *out = model, model = NULL;
done:
    heft_file_free(file);
    heft_model_free(model);
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

heft_status heft_store_load(heft_ctx *ctx, const char *path, heft_method_fn *find, heft_model **out)
{
    heft_file        *file;
    const heft_status st = heft_file_open(ctx, path, &file);
    return load_model(ctx, st, file, find, out);
}

heft_status heft_store_load_bytes(heft_ctx *ctx, const char *label, const void *bytes,
                                  size_t length, heft_method_fn *find, heft_model **out)
{
    heft_file        *file;
    const heft_status st = heft_file_open_bytes(ctx, label, bytes, length, &file);
    return load_model(ctx, st, file, find, out);
}
