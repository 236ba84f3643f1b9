/* report.h - the HTML pages. The text is the caller's to free. */
#pragma once

#include "explain/explain.h"
#include "heft_evaluate.h"
#include "model/model.h"

/* One HTML page about the model, or its data as JSON (docs/page_data.md); `table` may be NULL.
 * folds > 0: how good it is on the table is found by that many folds of cross-validation. */
heft_status heft_report_model(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                              size_t folds, bool json, char **out);

/* The results of an evaluation in a format of eval/results.h, or as a page (html). */
heft_status heft_results_render(heft_ctx *ctx, const heft_results *results, const char *format,
                                char **text);
