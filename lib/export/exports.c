/* exports.c - the list of exports. The first is the default of the program. */
#include <string.h>

#include "export/export.h"

extern const heft_export        heft_export_c, heft_export_json;
static const heft_export *const all[] = {&heft_export_c, &heft_export_json};
enum { N_EXPORTS = sizeof all / sizeof *all };

const heft_export *heft_exports_at(size_t index)
{
    return index < N_EXPORTS ? all[index] : NULL;
}

heft_status heft_export_model(heft_ctx *ctx, const heft_model *model, const char *to, char **out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_status st = HEFT_OK;
    heft_terms  terms;
    heft_buf    buf = {0};
    size_t      at = 0;
    *out = NULL;
    while (at < N_EXPORTS && strcmp(all[at]->info.name, to) != 0) at++;
    if (at == N_EXPORTS) {
        for (size_t k = 0; k < N_EXPORTS; k++)
            heft_put(&buf, "%s%s", !k ? "" : k + 1 < N_EXPORTS ? ", " : " or ", all[k]->info.name);
        HEFT_TRY(heft_fail(ctx, HEFT_EINVAL, "export: unknown format '%.40s' (use %s)", to,
                           heft_buf_string(&buf)));
    }
    HEFT_TRY(heft_terms_open(ctx, model, &terms));
    if (!heft_terms_complete(&terms))
        HEFT_TRY(
            heft_fail(ctx, HEFT_EUNSUPPORTED,
                      "export: models of method %s cannot be written as tables (export works for "
                      "all methods except rnb and the lazy and one-dependence methods; heft "
                      "inspect --json writes the model as it is)",
                      model->method->name));
    HEFT_TRY(all[at]->write(ctx, &terms, &buf));
    HEFT_TRY(heft_buf_take(ctx, &buf, out));
done:
    heft_buf_clear(&buf);
    return st;
}
