/* api_report.c - the public calls for exports and reports. */
#include <string.h>

#include "api.h"
#include "report/report.h"

static heft_status export_model(heft_ctx *ctx, const heft_model *model, const char *format,
                                char **text)
{
    const heft_status st = heft_need(ctx, model && format && text, "heft_model_export");
    if (st != HEFT_OK) return st;
    *text = NULL;
    if (strcmp(format, "c") == 0) return heft_export_c(ctx, model, text);
    if (strcmp(format, "json") == 0) return heft_export_json(ctx, model, text);
    return heft_fail(ctx, HEFT_EINVAL, "export to '%.40s': there are c and json", format);
}

heft_status heft_model_export(const heft_model *model, const char *format, char **text,
                              heft_error *err)
{
    HEFT_CALL(1, NULL, st = export_model(&ctx, model, format, text));
}
