/* filters.h - functions for methods that compute attribute weights by a measure or a search and
 * leave the tables of naive Bayes unchanged. */
#pragma once

#include "base/text.h"
#include "model/method.h"
#include "stats/association.h"
#include "stats/recode.h"

/* Option "bins": how numeric attributes are cut into intervals to compute their weights. Their
 * likelihoods do not use these intervals. */
#define HEFT_BINS_OPTION(standard)                                                                 \
    HEFT_OPT_WHOLE_OR("mdl", "bins", standard, 2, 1000,                                            \
                      "number of equal-width intervals of a numeric attribute when its weight is " \
                      "computed, or mdl")

#define HEFT_BLEND_OPTION                                                                          \
    HEFT_OPT_NUMBER(                                                                               \
        "blend", "1", 0, 1,                                                                        \
        "1: use the weights; 0: set every weight to 1; between: 1 + blend (weight - 1)")

/* *coded = the rows with every attribute coded as the option `bins` says; in ctx->scratch. */
heft_status heft_filter_rows(heft_ctx *ctx, const heft_task *task, heft_rows *coded);
/* Counts of the attributes as heft_filter_rows codes them, and their numbers of codes; in
 * ctx->scratch. If task->known has the distinct values of numeric attributes, these are used
 * instead of rows. */
heft_status heft_filter_counts(heft_ctx *ctx, const heft_task *task, heft_counts *counts,
                               uint32_t *n_codes);
heft_status heft_filter_columns(heft_ctx *ctx, const heft_task *task, heft_columns **cols);

/* out->weights = 1 + blend (w[j] - 1) for every attribute j, with the option `blend`. */
heft_status heft_filter_weights(heft_ctx *ctx, const heft_task *task, const double *w,
                                heft_fitted *out);

/* Adds a fact that lists attribute names in the given order: "a, b, c and 12 more". */
heft_status heft_fact_attributes(heft_ctx *ctx, const heft_task *task, heft_fitted *out,
                                 const char *name, const size_t *list, size_t n);
/* Adds a fact with the text in `buf`, and empties `buf`. */
heft_status heft_fact_buf(heft_ctx *ctx, const heft_task *task, heft_fitted *out, const char *name,
                          heft_buf *buf);
