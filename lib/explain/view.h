/* view.h - single numbers of a model, for programs that read it: the work behind heft_inspect.h,
 * which says what each number means. Values and intervals are counted as that header counts them:
 * intervals from the lowest on, whatever their codes are in sparse rows. */
#pragma once

#include "heft_inspect.h"
#include "model/model.h"

void   heft_view_attribute(const heft_model *model, size_t j, heft_attribute *out);
size_t heft_view_value(const heft_model *model, size_t j, size_t v, char *out, size_t size);

heft_status    heft_view_prior(heft_ctx *ctx, const heft_model *model, double *prior);
heft_weighting heft_view_weighting(const heft_model *model);
double         heft_view_weight(const heft_model *model, size_t j, size_t c, size_t v);
heft_status    heft_view_pair(heft_ctx *ctx, const heft_model *model, size_t a, size_t b,
                              double *prior, double *weights);
heft_status    heft_view_likelihood(heft_ctx *ctx, const heft_model *model, size_t j, double x,
                                    double *log_p);

/* Count the terms of a score that is a sum of terms of few attributes; *n is 0 if it is not. */
heft_status heft_view_terms(heft_ctx *ctx, const heft_model *model, size_t *n);
heft_status heft_view_term(heft_ctx *ctx, const heft_model *model, size_t t, heft_term_info *out);
/* Set evidence[(1 + n_terms) * n_class] to the start and what every term adds, for one row as
 * heft_row_open takes it, or for row i of a table. */
heft_status heft_view_evidence(heft_ctx *ctx, const heft_model *model, const double *row,
                               double *evidence);
heft_status heft_row_terms(heft_ctx *ctx, const heft_model *model, const heft_table *data, size_t i,
                           double *evidence);
/* Set parts[(1 + n_attr) * n_class] to what the start and each attribute add for row i of a table,
 * where attributes have equal shares of their interactions, and score[n_class] to the sums. */
heft_status heft_row_parts(heft_ctx *ctx, const heft_model *model, const heft_table *data, size_t i,
                           double *parts, double *score);
