/* filters.h - what the methods share that weigh attributes by a measure or a search and leave the
 * tables of naive Bayes as they are. */
#pragma once

#include "base/text.h"
#include "model/method.h"
#include "stats/association.h"
#include "stats/recode.h"

/* How numeric attributes are cut where only the weight needs intervals; their likelihood stays that
 * of the preparation. */
#define HEFT_BINS_OPTION(standard)                                                                 \
    HEFT_OPT_WHOLE_OR("mdl", "bins", standard, 2, 1000,                                            \
                      "number of equal-width intervals of a numeric attribute when its weight is " \
                      "computed, or mdl")

#define HEFT_BLEND_OPTION                                                                          \
    HEFT_OPT_NUMBER(                                                                               \
        "blend", "1", 0, 1,                                                                        \
        "1: use the weights; 0: set every weight to 1; between: 1 + blend (weight - 1)")

/* The rows with every attribute coded, by the option `bins`; in scratch memory. */
heft_status heft_filter_rows(heft_ctx *ctx, const heft_task *task, heft_rows *coded);
/* The counts of attributes so coded, and their numbers of codes; in scratch memory. Where the rows
 * are sufficient statistics with the values of the numbers, from those. */
heft_status heft_filter_counts(heft_ctx *ctx, const heft_task *task, heft_counts *counts,
                               uint32_t *n_codes);
heft_status heft_filter_columns(heft_ctx *ctx, const heft_task *task, heft_columns **cols);

/* out->weights = w[n_attr], blended by the option of that name. */
heft_status heft_filter_weights(heft_ctx *ctx, const heft_task *task, const double *w,
                                heft_fitted *out);

/* A fact that names attributes, in the order given: "a, b, c and 12 more". */
heft_status heft_fact_attributes(heft_ctx *ctx, const heft_task *task, heft_fitted *out,
                                 const char *name, const size_t *list, size_t n);
/* A fact of the text in buf, which is emptied. */
heft_status heft_fact_buf(heft_ctx *ctx, const heft_task *task, heft_fitted *out, const char *name,
                          heft_buf *buf);
