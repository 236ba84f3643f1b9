/* api_report.c - the public calls for exports and reports. */
#include <string.h>

#include "api/api.h"
#include "eval/results.h"
#include "export/export.h"
#include "pages/report.h"

static heft_status export_model(heft_ctx *ctx, const heft_model *model, const char *format,
                                char **text)
{
    HEFT_CHECK(heft_need(ctx, model && format && text, "heft_model_export"));
    return heft_export_model(ctx, model, format, text);
}

heft_status heft_model_export(const heft_model *model, const char *format, char **text,
                              heft_error *err)
{
    HEFT_CALL(1, NULL, st = export_model(&ctx, model, format, text));
}

const heft_export_info *heft_export_at(size_t index)
{
    const heft_export *export = heft_exports_at(index);
    return export ? &export->info : NULL;
}

static heft_status report_model(heft_ctx *ctx, const heft_model *model, const heft_table *data,
                                char **html)
{
    const heft_status st = heft_need(ctx, model && html, "heft_model_report");
    return st == HEFT_OK ? heft_report_model(ctx, model, data, html) : st;
}

heft_status heft_model_report(const heft_model *model, const heft_table *data, char **html,
                              heft_error *err)
{
    HEFT_CALL(0, NULL, st = report_model(&ctx, model, data, html));
}

static heft_status results_text(heft_ctx *ctx, const heft_results *results, const char *format,
                                char **text)
{
    heft_buf    buf = {0};
    heft_status st = heft_need(ctx, results && format && text, "heft_results_text");
    if (st != HEFT_OK) return st;
    *text = NULL;
    st = strcmp(format, "html") == 0 ? heft_report_results(ctx, results, &buf)
                                     : heft_results_format(ctx, results, format, &buf);
    if (st == HEFT_OK) st = heft_buf_take(ctx, &buf, text);
    heft_buf_clear(&buf);
    return st;
}

heft_status heft_results_text(const heft_results *results, const char *format, char **text,
                              heft_error *err)
{
    HEFT_CALL(1, NULL, st = results_text(&ctx, results, format, text));
}
