/* model.h - a model: the preparation of rows, the method, what it learned, calibration and decision
 * rule, all in one arena, so that a model is freed at once. */
#pragma once

#include "data/read.h"
#include "decide/decide.h"
#include "model/calibration.h"
#include "model/method.h"
#include "prep/prep.h"
#include "stats/suffstats.h"

typedef struct heft_kept_terms { /* terms as explanations show them (explain/terms.h) */
    heft_arena arena;
    heft_terms terms;
} heft_kept_terms;

typedef struct heft_fingerprint { /* fingerprint of the training rows (model/fingerprint.h) */
    uint64_t n_rows, sum;         /* n_rows is 0 where the fingerprint is not known */
} heft_fingerprint;

typedef struct heft_kept_settings { /* the settings that made a model, as texts (model/config.h) */
    char    *smoothing, *prior;     /* smoothing and prior as they were used */
    char    *class_weight;          /* class weights as they were used; NULL: none */
    size_t   n_given;               /* number of settings that the caller gave */
    char   **given, **value;        /* names and values of the given settings */
    uint64_t seed;                  /* seed of the fit; 0: the file does not have the given
                                       settings */
} heft_kept_settings;

struct heft_model {
    heft_arena         arena;
    const heft_method *method;
    size_t             n_params; /* number of the method's parameters, which are kept as
                                    they were used */
    char             **param_names, **param_values;
    heft_kept_settings set;
    heft_prep          prep;
    heft_fitted        fitted;
    heft_calibration   calibration;
    heft_decision      decision;
    double            *own_cost; /* heap memory for the costs of a rule that was set after
                                    training, or NULL */
    heft_fingerprint fingerprint;
    heft_suffstats  *suffstats; /* what merging needs of the rows; NULL: not kept */
    uint8_t         *filled;    /* kept with suffstats, for each attribute: 1 where a
                                   training cell was imputed */
    char *label;                /* name of the file that the model was loaded from, for
                                   messages; or NULL */
    const heft_comm *comm;      /* ranks that hold the training rows; NULL: this process
                                   alone needs none */
    heft_comm                  own_comm;
    _Atomic(heft_kept_terms *) kept; /* terms for explanations, made when they are first
                                        needed; NULL: not yet made */
};

void heft_kept_terms_free(heft_kept_terms *kept);

/* What the file of every model holds, with the private state of its method (model_state.c). A model
 * without a fault scores every row without reading out of bounds and without a NaN. */
extern const struct heft_state heft_model_state;

/* Records that the training rows of the model stay with the ranks of this call. */
static inline void heft_model_spread(const heft_ctx *ctx, heft_model *model)
{
    model->own_comm = *ctx->comm;
    model->comm = &model->own_comm;
}

heft_status heft_model_new(heft_ctx *ctx, heft_model **out);
void        heft_model_delete(heft_model *model); /* model may be NULL */
HEFT_OWNED(heft_model, heft_model_delete)
/* Brings training rows that are spread over ranks to every rank; a collective call. */
heft_status heft_model_collect(heft_ctx *ctx, heft_model *model);
/* Finds what a reader of rows must know about the model: columns, kinds, class column. Scratch
 * memory. */
heft_status heft_expect_of(heft_ctx *ctx, const heft_model *model, heft_expect *out);
/* Read a file, with the columns of the model how->like where that is given. With several ranks
 * either all of them have a table, or none has. */
heft_status heft_read_like(heft_ctx *ctx, const char *path, const heft_source *how,
                           heft_table **out);
/* Give the model another decision rule, in the words of heft_config.cost and threshold. */
heft_status heft_model_rule(heft_ctx *ctx, heft_model *model, const char *cost,
                            const char *threshold);
