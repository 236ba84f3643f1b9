/* store.c - models to and from files: metadata for people, and the tensors of the tables. */
#include "model/store.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/comm.h"
#include "base/put.h"
#include "model/describe.h"
#include "model/state.h"

enum { SCHEMA_LIMIT = 1000 };

/* ---- saving ---- */

static void describe_schema(heft_buf *buf, const heft_model *model)
{
    const heft_prep *prep = &model->prep;
    heft_put(buf, "{\"target\": %j, \"classes\": ", prep->target);
    heft_describe_classes(buf, prep);
    heft_put(buf, ", \"n_attributes\": %z", prep->n_attr);
    if (prep->n_attr <= SCHEMA_LIMIT)
        for (size_t j = 0; j < prep->n_attr; j++)
            heft_put(buf, "%s{\"name\": %j, \"kind\": \"%s\"}%s", j ? ", " : ", \"attributes\": [",
                     prep->attr[j].name, prep->attr[j].kind == HEFT_NUMERIC ? "numeric" : "nominal",
                     j + 1 == prep->n_attr ? "]" : "");
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
    HEFT_CHECK(heft_file_put_text(ctx, file, "heft", HEFT_VERSION));
    HEFT_CHECK(heft_file_put_text(ctx, file, "method", model->method->name));
    for (size_t k = 0; k < sizeof documents / sizeof *documents; k++) {
        heft_buf         buf = {0};
        HEFT_FREED char *text = NULL;
        documents[k].describe(&buf, model);
        HEFT_CHECK(heft_buf_take(ctx, &buf, &text));
        HEFT_CHECK(heft_file_put_text(ctx, file, documents[k].name, text));
    }
    return HEFT_OK;
}

/* Puts a model into a file in memory, which the caller frees, also on failure. `label` is the name
 * of the file in messages. */
static heft_status save_model(heft_ctx *ctx, const heft_model *model, const char *label,
                              heft_file **out)
{
    *out = NULL;
    if (model->comm)
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "%s: the training rows of this model are spread over ranks (gather them "
                         "first)",
                         label);
    HEFT_CHECK(heft_file_create(ctx, out));
    HEFT_CHECK(save_texts(ctx, model, *out));
    return heft_state_save(ctx, &heft_model_state, model, model, label, *out);
}

heft_status heft_store_save(heft_ctx *ctx, const heft_model *model, const char *path)
{
    HEFT_OWN(heft_file) *file = NULL;
    HEFT_CHECK(save_model(ctx, model, path, &file));
    return heft_file_save(ctx, file, path);
}

heft_status heft_store_save_bytes(heft_ctx *ctx, const heft_model *model, char **bytes,
                                  size_t *length)
{
    HEFT_OWN(heft_file) *file = NULL;
    *bytes = NULL;
    HEFT_CHECK(save_model(ctx, model, "memory", &file));
    return heft_file_bytes(ctx, file, bytes, length);
}

/* ---- loading ---- */

static heft_status load_parts(const heft_loading *l, heft_method_fn *find)
{
    heft_model *m = l->model;
    const char *name, *path = heft_file_path(l->file);
    HEFT_CHECK(heft_file_get_text(l->ctx, l->file, "method", &name));
    m->method = find(name);
    if (!m->method)
        return heft_fail(l->ctx, HEFT_EUNSUPPORTED,
                         "%s: this heft has no method '%s' (use the heft that wrote the model)",
                         path, HEFT_SHOW(name, 60));
    /* A tensor that no table names belongs to another method or to a later version of heft. */
    for (size_t k = 0; (name = heft_file_tensor(l->file, k)) != NULL; k++)
        if (!heft_state_knows(&heft_model_state, m, name))
            return heft_file_damaged(l->ctx, l->file,
                                     "tensor '%s' is not part of a model of method %s",
                                     HEFT_SHOW(name, 60), m->method->name);
    HEFT_CHECK(heft_state_load(l, &heft_model_state, m));
    if (!m->method->score || m->method->caps & HEFT_ADDITIVE)
        HEFT_CHECK(heft_fitted_seal(l->ctx, &m->fitted, m->prep.sparse));
    return heft_heap_copy(l->ctx, path, &m->label);
}

static heft_status load_model(heft_ctx *ctx, heft_file *file, heft_method_fn *find,
                              heft_model **out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    HEFT_OWN(heft_model) *model = NULL;
    HEFT_CHECK(heft_model_new(ctx, &model));
    HEFT_CHECK(load_parts(&(heft_loading){ctx, file, model, &model->arena}, find));
    *out = model, model = NULL;
    return HEFT_OK;
}

heft_status heft_store_load(heft_ctx *ctx, const char *path, heft_method_fn *find, heft_model **out)
{
    HEFT_OWN(heft_file) *file = NULL;
    *out = NULL;
    HEFT_CHECK(heft_file_open(ctx, path, &file));
    return load_model(ctx, file, find, out);
}

heft_status heft_store_load_bytes(heft_ctx *ctx, const char *label, const void *bytes,
                                  size_t length, heft_method_fn *find, heft_model **out)
{
    HEFT_OWN(heft_file) *file = NULL;
    *out = NULL;
    HEFT_CHECK(heft_file_open_bytes(ctx, label, bytes, length, &file));
    return load_model(ctx, file, find, out);
}

/* ---- on several ranks ---- */

static heft_status load_on_rank(heft_ctx *ctx, const char *path, heft_method_fn *find,
                                heft_model **out)
{
    if (strcmp(path, "-") == 0 && !heft_is_single(ctx))
        return heft_fail(ctx, HEFT_EINVAL,
                         "several ranks cannot read a model from standard input (name a file)");
    HEFT_CHECK(heft_store_load(ctx, path, find, out));
    if (!heft_is_single(ctx) && (*out)->method->gather) heft_model_spread(ctx, *out);
    return HEFT_OK;
}

heft_status heft_store_load_ranks(heft_ctx *ctx, const char *path, heft_method_fn *find,
                                  heft_model **out)
{
    const heft_status st = heft_comm_end(ctx, load_on_rank(ctx, path, find, out));
    if (st == HEFT_OK) return HEFT_OK;
    heft_model_delete(*out);
    *out = NULL;
    return st;
}

/* A safetensors file begins with eight bytes, the length of the header, which is a JSON object. */
bool heft_store_is_model(const char *path)
{
    struct stat   info;
    unsigned char head[9];
    uint64_t      length = 0;
    if (!path || stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return false;
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    const size_t n = fread(head, 1, sizeof head, file);
    fclose(file);
    for (size_t k = 0; k < 8 && n == sizeof head; k++) length |= (uint64_t)head[k] << (8 * k);
    return n == sizeof head && length > 0 && length <= (uint64_t)info.st_size - 8 && head[8] == '{';
}
