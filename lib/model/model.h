/* model.h - a model: preparation + method + fitted state, all in one arena. */
#pragma once

#include "model/calibration.h"
#include "model/decide.h"
#include "model/method.h"
#include "prep/prep.h"
#include "stats/suffstats.h"

typedef struct heft_kept_terms { /* terms as explanations show them (explain/terms.h) */
    heft_arena arena;
    heft_terms terms;
} heft_kept_terms;

typedef struct heft_fingerprint { /* of training rows (model/fingerprint.h) */
    uint64_t n_rows, sum;         /* n_rows 0: not known */
} heft_fingerprint;

struct heft_model {
    heft_arena         arena;
    const heft_method *method;
    size_t             n_params; /* the method's options as used, as text */
    char             **param_names, **param_values;
    char              *smoothing, *prior; /* as text, for inspect */
    heft_prep          prep;
    heft_fitted        fitted;
    heft_calibration   calibration;
    char              *class_weight; /* as text; NULL: none */
    heft_decision      decision;
    double            *own_cost; /* of a rule that was set later, on the heap; NULL: none */
    heft_fingerprint   fingerprint;
    heft_suffstats    *suffstats; /* what merging needs of the rows; NULL: not kept */
    uint8_t           *filled;    /* with it, by attribute: 1 where a training cell was imputed */
    char              *label;     /* the file it came from, for messages; or NULL */
    const heft_comm   *comm;      /* the ranks that hold its training rows; NULL: this process */
    heft_comm          own_comm;
    _Atomic(heft_kept_terms *) kept; /* made when they are first asked for; NULL: not yet */
};

void heft_kept_terms_free(heft_kept_terms *kept);

/* What the file of every model holds, with the private state of its method (model_state.c). A model
 * without a fault scores every row without reading out of bounds and without a NaN. */
extern const heft_state heft_model_state;

/* Its training rows stay with the ranks of this call. */
static inline void heft_model_spread(const heft_ctx *ctx, heft_model *model)
{
    model->own_comm = *ctx->comm;
    model->comm = &model->own_comm;
}

/* Free with heft_model_free. */
heft_status heft_model_new(heft_ctx *ctx, heft_model **out);

/* ---- true_classes.c ---- */

enum { HEFT_NO_CLASS = -1, HEFT_UNKNOWN_CLASS = -2 };

typedef struct heft_unknown { /* rows of classes that the model does not know: predicted wrong */
    size_t     n_rows;
    size_t     n_labelled; /* rows that have a class and a weight above 0 */
    heft_dict *classes;    /* NULL: none */
    char       column[96]; /* where they are, as messages show it */
} heft_unknown;

/* classes[n_rows]: the class of each row in the model's order, or one of the marks above. Adds to
 * `unknown`, which may be NULL: with it the classes are for counting, and rows of weight 0 have
 * HEFT_NO_CLASS. */
heft_status heft_true_classes(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                              int32_t *classes, heft_unknown *unknown);
/* Warn of such rows, if there are any. Where every rank has a part of the rows, rank 0 warns for
 * all, and `unknown` becomes that of all. */
heft_status heft_warn_unknown(heft_ctx *ctx, const heft_model *model, const char *name,
                              heft_unknown *unknown);
void        heft_unknown_clear(heft_unknown *unknown);
/* The first few for a message: 'a', 'b' and 3 more. `out` has 400 bytes; it is returned. */
const char *heft_show_classes(const heft_dict *classes, char *out, size_t size);

/* ---- predict.c ---- */

/* proba[n_rows * n_class], classes in the model's order. */
heft_status heft_posterior(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                           double *proba);
/* The same for rows that are prepared. */
heft_status heft_posterior_rows(heft_ctx *ctx, const heft_model *model, const heft_rows *rows,
                                double *proba);
/* The same for one row as heft_row_open takes it. Of methods that the shared scorer scores it uses
 * no heap memory up to 256 classes. */
heft_status heft_posterior_row(heft_ctx *ctx, const heft_model *model, const double *raw,
                               double *proba);
/* The class of each row; the probabilities of few rows are in memory at once. */
heft_status heft_predict_classes(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                                 int32_t *classes);
/* Another rule of decision, as --cost and --threshold give it. */
heft_status heft_model_rule(heft_ctx *ctx, heft_model *model, const char *cost,
                            const char *threshold);
/* Warn of cells with values unknown to the model, if there are any. */
heft_status heft_warn_unseen(heft_ctx *ctx, const heft_model *model, const char *name, size_t n);
/* The method's own scores, whose softmax is the posterior. */
heft_status heft_scores(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                        double *log_joint);
