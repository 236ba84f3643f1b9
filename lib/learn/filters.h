/* filters.h - what the methods share that weigh attributes by a measure or a search, once, over
 * tables that never change. */
#ifndef HEFT_LEARN_FILTERS_H
#define HEFT_LEARN_FILTERS_H

#include "base/text.h"
#include "model/method.h"
#include "stats/association.h"
#include "stats/recode.h"

/* How numeric attributes are cut where only the weight needs values; their likelihood stays what
 * the preparation makes it. */
#define HEFT_BINS_OPTION(standard)                                                                 \
    {                                                                                              \
        .name = "bins", .fallback = standard, .number = true, .whole = true, .lo = 2, .hi = 1000,  \
        .words = "mdl",                                                                            \
        .help = "intervals of equal width that numbers are cut into for their weight, or mdl"      \
    }

#define HEFT_BLEND_OPTION                                                                          \
    {                                                                                              \
        .name = "blend", .fallback = "1", .number = true, .lo = 0, .hi = 1,                        \
        .help = "1: the weights; 0: every weight 1; between: 1 + blend (weight - 1)"               \
    }

/* At blend = 0 a filter is naive Bayes. */
#define HEFT_BLEND_TWINS                                                                           \
    {.args = "blend=0", .other = "nb", .other_args = "", .tolerance = 1e-12},                      \
    {                                                                                              \
        .args = "blend=0", .other = "nb", .other_args = "", .prepare = {.discretize = "none"},     \
        .tolerance = 1e-12                                                                         \
    }

/* The rows with every attribute coded, by the option `bins`; in scratch memory. */
heft_status heft_filter_rows(heft_ctx *ctx, const heft_task *task, heft_rows *coded);
/* The counts of attributes so coded, and their numbers of codes; in scratch memory. From the
 * suffstats of the rows where it has the values of the numbers. */
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

#endif
