/* predict.h - the way out of a model: rows in; scores, probabilities and classes out.
 *
 * A table is prepared as the model's training rows were, scored by the method (or by the shared
 * scorer), calibrated, turned into probabilities by softmax, and decided by the model's rule. There
 * are three ways through these steps, which give the same bits: all rows at once, where the caller
 * wants all probabilities; parts of the rows, where only classes or lines of text are kept, so that
 * memory does not grow with the table; and one row without a table, for programs that score rows as
 * they arrive.
 *
 * A model whose training rows are spread over ranks (model->comm) needs all of these ranks for a
 * score. Then every rank makes the call, with the same rows. */
#pragma once

#include "model/model.h"

/* ---- true_classes.c ---- */

enum { HEFT_NO_CLASS = -1, HEFT_UNKNOWN_CLASS = -2 };

typedef struct heft_unknown { /* rows of classes that the model does not know: predicted wrong */
    size_t     n_rows;
    size_t     n_labelled; /* rows that have a class and a weight above 0 */
    heft_dict *classes;    /* unknown classes; NULL: there are none */
    char       column[96]; /* name of the class column, as messages show it */
} heft_unknown;

/* classes[n_rows] = the class of each row in the model's order, or one of the marks above. Adds the
 * rows of unknown classes to `unknown`. If that is not NULL, the classes are for counting, and rows
 * of weight 0 get HEFT_NO_CLASS. */
heft_status heft_true_classes(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                              int32_t *classes, heft_unknown *unknown);
/* Warns of rows of unknown classes, if there are any. Where the rows are spread over the ranks,
 * rank 0 warns for all, and `unknown` becomes the sum over all ranks. */
heft_status heft_warn_unknown(heft_ctx *ctx, const heft_model *model, const char *name,
                              heft_unknown *unknown);
void        heft_unknown_clear(heft_unknown *unknown);
/* Lists the first classes for a message as 'a', 'b' and 3 more. Returns `out`,
 * which has `size` bytes. */
const char *heft_show_classes(const heft_dict *classes, char *out, size_t size);

/* ---- predict.c ---- */

/* proba[n_rows * n_class] = the posterior of each row of a table, classes in the model's order. */
heft_status heft_posterior(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                           double *proba);
/* heft_posterior for rows that are prepared already. */
heft_status heft_posterior_rows(heft_ctx *ctx, const heft_model *model, const heft_rows *rows,
                                double *proba);
/* heft_posterior for one row as heft_row_open takes it. With methods that the shared scorer scores
 * it uses no heap memory up to 256 classes. */
heft_status heft_posterior_row(heft_ctx *ctx, const heft_model *model, const double *raw,
                               double *proba);
/* The predicted class of each row. Only the probabilities of few rows are in memory at once. */
heft_status heft_predict_classes(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                                 int32_t *classes);
/* Warns of cells with values that the model does not know, if there are any. */
heft_status heft_warn_unseen(heft_ctx *ctx, const heft_model *model, const char *name, size_t n);
/* The method's own scores, whose softmax is the posterior. */
heft_status heft_scores(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                        double *log_joint);
/* heft_scores in the form that `kind` asks for: scores, probabilities or logarithms of
 * probabilities. */
heft_status heft_scores_as(heft_ctx *ctx, const heft_model *model, const heft_table *data,
                           heft_score_kind kind, double *out);
/* The classes that the model's rule picks, given probabilities [n_rows x n_class]. */
heft_status heft_decide_rows(const heft_model *model, const double *proba, size_t n_rows,
                             int32_t *classes);
