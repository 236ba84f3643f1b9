/* exports.c - the export formats, as exports.def lists them. */
#include <stdio.h>
#include <string.h>

#include "base/marks.h"
#include "base/out.h"
#include "export/export.h"

#define HEFT_EXPORT(name) extern const heft_export heft_export_##name;
#include "export/exports.def"
#undef HEFT_EXPORT

static const heft_export *const all[] = {
#define HEFT_EXPORT(name) &heft_export_##name,
#include "export/exports.def"
#undef HEFT_EXPORT
};
enum { N_EXPORTS = sizeof all / sizeof *all };

const heft_export *heft_exports_at(size_t index)
{
    return index < N_EXPORTS ? all[index] : NULL;
}

/* ---- what is asked for ---- */

/* "c, json or onnx" with " or " as `last`: the formats. */
static const char *list(char out[200], bool dots, const char *last)
{
    size_t at = 0;
    for (size_t k = 0; k < N_EXPORTS && at < 180; k++)
        at += (size_t)snprintf(out + at, 200 - at, "%s%s",
                               k == 0              ? ""
                               : k + 1 < N_EXPORTS ? ", "
                                                   : last,
                               all[k]->info.ending + !dots);
    return out;
}

/* By its name, else by the ending of the file, in any case. Memory (NULL) and standard output get
 * the first format. */
static heft_status find(heft_ctx *ctx, const char *name, const char *path, const heft_export **out)
{
    const char *end = path ? strrchr(path, '.') : NULL;
    char        known[200];
    for (size_t k = 0; k < N_EXPORTS; k++) {
        const heft_export_info *info = &all[k]->info;
        *out = all[k];
        if (name ? strcmp(name, info->name) == 0 : end && heft_same_word(end, info->ending))
            return HEFT_OK;
    }
    if (name)
        return heft_fail(ctx, HEFT_EINVAL, "export: unknown format '%.40s' (use %s)", name,
                         list(known, false, " or "));
    *out = all[0];
    if (!path || strcmp(path, "-") == 0 || strncmp(path, "/dev/", 5) == 0) return HEFT_OK;
    return heft_fail(ctx, HEFT_EINVAL,
                     "%s: the ending does not name a format (use %s, or {advice name-format})",
                     HEFT_SHOW_NAME(path), list(known, true, " or "));
}

/* An option that the format does not use is refused. */
static heft_status check_options(heft_ctx *ctx, const heft_export *to,
                                 const heft_export_options *how)
{
    const struct {
        bool        given;
        unsigned    bit;
        const char *name;
    } options[] = {{how->table, HEFT_EXPORT_TABLE, "{table}"},
                   {how->id, HEFT_EXPORT_ID, "{id}"},
                   {how->header, HEFT_EXPORT_HEADER, "{with-header}"},
                   {how->single, HEFT_EXPORT_SINGLE, "{float}"},
                   {how->evidence, HEFT_EXPORT_EVIDENCE, "{evidence}"}};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++)
        if (options[k].given && !(to->takes & options[k].bit))
            return heft_fail(ctx, HEFT_EINVAL, "export: %s is not for format %s (leave it out)",
                             HEFT_MARKED(options[k].name), to->info.name);
    return HEFT_OK;
}

/* ---- what can be written ---- */

const char *heft_exports_of(const heft_method *method, char out[200])
{
    if (!heft_method_has_terms(method)) return "";
    return list(out, false, ", ");
}

static heft_status open_terms(heft_ctx *ctx, const heft_model *model, heft_terms *out)
{
    if (!heft_method_has_terms(model->method))
        return heft_fail(
            ctx, HEFT_EUNSUPPORTED,
            "export: models of method %s keep their training rows and cannot be written "
            "as tables (train with {method=auto}, {method=nb} or {method=lnb}, or predict with "
            "heft)",
            model->method->name);
    return heft_terms_whole(ctx, model, out);
}

/* ---- public ---- */

heft_status heft_export_model(heft_ctx *ctx, const heft_model *model,
                              const heft_export_options *how, char **out, size_t *length)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_status        st = HEFT_OK;
    const heft_export *to;
    heft_terms         terms;
    heft_buf           buf = {0};
    *out = NULL;
    HEFT_TRY(find(ctx, how->format, NULL, &to));
    HEFT_TRY(check_options(ctx, to, how));
    if (how->header)
        HEFT_TRY(heft_fail(ctx, HEFT_EINVAL, "export: a header needs a file (heft_export_file)"));
    HEFT_TRY(open_terms(ctx, model, &terms));
    HEFT_TRY(to->write(ctx, &terms, how, &buf));
    *length = buf.length;
    HEFT_TRY(heft_buf_take(ctx, &buf, out));
done:
    heft_buf_clear(&buf);
    return st;
}

static heft_status write_file(heft_ctx *ctx, const char *path, heft_buf *buf)
{
    heft_out *out;
    if (buf->failed) return heft_no_memory(ctx, buf->length, 1);
    HEFT_CHECK(heft_out_open(ctx, path, &out));
    const heft_status st = heft_out_write(ctx, out, buf->data, buf->length);
    if (st == HEFT_OK) return heft_out_commit(ctx, out);
    heft_out_abandon(out);
    return st;
}

heft_status heft_export_to_file(heft_ctx *ctx, const heft_model *model, const char *path,
                                const heft_export_options *how)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_status        st = HEFT_OK;
    const heft_export *to;
    heft_terms         terms;
    heft_buf           buf = {0}, header = {0};
    HEFT_TRY(find(ctx, how->format, path, &to));
    HEFT_TRY(check_options(ctx, to, how));
    HEFT_TRY(open_terms(ctx, model, &terms));
    HEFT_TRY(to->write(ctx, &terms, how, &buf));
    if (how->header) {
        HEFT_TRY(to->write_header(ctx, &terms, how, &header));
        HEFT_TRY(write_file(ctx, how->header, &header));
    }
    HEFT_TRY(write_file(ctx, path, &buf));
done:
    heft_buf_clear(&buf);
    heft_buf_clear(&header);
    return st;
}
