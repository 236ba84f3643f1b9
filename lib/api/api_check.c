/* api_check.c - the public calls that look at a table. */
#include <string.h>

#include "api/api.h"
#include "base/comm.h"
#include "check/check.h"
#include "pages/check_page.h"

#define CHECK_PLAN HEFT_STRUCT(heft_check_plan, run)

heft_status heft_check_table(const heft_table *table, const heft_check_plan *plan, heft_check **out,
                             heft_error *err)
{
    heft_check_plan own;
    if (out) *out = NULL;
    HEFT_ENTER_WITH(CHECK_PLAN, plan, own);
    HEFT_CHECK(heft_need(ctx, table && out, __func__));
    return heft_check_create(ctx, table, own.top, NULL, out);
}

heft_status heft_check_warn(const heft_table *table, const char *method, bool brief,
                            const heft_runtime *run, heft_error *err)
{
    HEFT_OPEN(table, run);
    return heft_is_single(ctx) ? heft_check_tell(ctx, table, method, brief) : HEFT_OK;
}

void heft_check_free(heft_check *check)
{
    heft_check_delete(check);
}

HEFT_GET(size_t, heft_check_columns(const heft_check *check), check->n_cols)
HEFT_GET(const heft_check_column *, heft_check_column_at(const heft_check *check, size_t j),
         j < check->n_cols ? &check->cols[j].show : NULL)
HEFT_GET(size_t, heft_check_findings(const heft_check *check), check->n_findings)
HEFT_GET(const heft_finding *, heft_check_finding(const heft_check *check, size_t k),
         k < check->n_findings ? &check->findings[k] : NULL)

heft_status heft_check_text(const heft_check *check, const char *format, char **text,
                            heft_error *err)
{
    HEFT_OPEN(check && text, HEFT_ONE_THREAD);
    *text = NULL;
    if (format && strcmp(format, "html") == 0) return heft_check_page(ctx, check, text);
    const bool json = format && strcmp(format, "json") == 0;
    if (format && !json && strcmp(format, "text") != 0)
        return heft_fail(ctx, HEFT_EINVAL, "unknown format '%.40s' (use text, json or html)",
                         format);
    return heft_check_write(ctx, check, json, text);
}
