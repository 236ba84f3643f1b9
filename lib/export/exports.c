/* exports.c - the list of exports. The first is the default of the program. */
#include <string.h>

#include "export/export.h"

#define EXPORTS(X) X(c) X(json)

#define DECLARE(name) extern const heft_export heft_export_##name;
EXPORTS(DECLARE)

#define ADDRESS(name) &heft_export_##name,
static const heft_export *const all[] = {EXPORTS(ADDRESS)};

enum { N_EXPORTS = sizeof all / sizeof *all };

const heft_export *heft_exports_at(size_t index)
{
    return index < N_EXPORTS ? all[index] : NULL;
}

static heft_status find_export(heft_ctx *ctx, const char *format, const heft_export **out)
{
    heft_buf names = {0};
    for (size_t k = 0; k < N_EXPORTS; k++) {
        *out = all[k];
        if (strcmp(all[k]->info.name, format) == 0) return HEFT_OK;
    }
    for (size_t k = 0; k < N_EXPORTS; k++)
        heft_put(&names, "%s%s",
                 k == 0              ? ""
                 : k + 1 < N_EXPORTS ? ", "
                                     : " and ",
                 all[k]->info.name);
    const heft_status st = heft_fail(ctx, HEFT_EINVAL, "export to '%.40s': there are %s", format,
                                     heft_buf_string(&names));
    heft_buf_clear(&names);
    return st;
}

heft_status heft_export_model(heft_ctx *ctx, const heft_model *model, const char *format,
                              char **out)
{
    heft_status        st = HEFT_OK;
    const heft_mark    mark = heft_arena_mark(&ctx->scratch);
    const heft_export *to;
    heft_terms         terms;
    heft_buf           buf = {0};
    *out = NULL;
    HEFT_TRY(find_export(ctx, format, &to));
    HEFT_TRY(heft_terms_open(ctx, model, &terms));
    if (!heft_terms_complete(&terms))
        HEFT_TRY(heft_fail(ctx, HEFT_EUNSUPPORTED,
                           "export: the score of method %s is no sum over attributes, and a file "
                           "of tables cannot hold it (methods that can: heft methods; the model as "
                           "it is: heft inspect --json)",
                           model->method->name));
    HEFT_TRY(to->write(ctx, &terms, &buf));
    HEFT_TRY(heft_buf_take(ctx, &buf, out));
done:
    heft_buf_clear(&buf);
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}
