/* results_format.c - results in the format that a caller names. */
#include <string.h>

#include "eval/figure.h"

heft_status heft_results_format(heft_ctx *ctx, const heft_results *results, const char *format,
                                heft_buf *buf)
{
    static const char *const styles[] = {"table", "markdown", "latex"}; /* by heft_style */
    if (strcmp(format, "json") == 0) return heft_results_json(ctx, results, buf);
    if (strcmp(format, "csv") == 0) return heft_results_csv(ctx, results, buf);
    if (strcmp(format, "folds") == 0) {
        heft_results_folds(results, buf);
        return HEFT_OK;
    }
    const bool tikz = strcmp(format, "tikz") == 0;
    if (tikz || strcmp(format, "svg") == 0) return heft_results_figure(ctx, results, tikz, buf);
    const bool all = strcmp(format, "details") == 0;
    if (all || strcmp(format, "measures") == 0) {
        heft_results_details(results, all, buf);
        return HEFT_OK;
    }
    for (size_t k = 0; k < 3; k++)
        if (strcmp(format, styles[k]) == 0)
            return heft_results_table(ctx, results, (heft_style)k, buf);
    return heft_fail(
        ctx, HEFT_EINVAL,
        "unknown form of results '%.40s' (use table, measures, details, json, csv, folds, "
        "markdown, latex, svg, tikz or html)",
        format);
}
