/* model.h - a model: preparation + method + fitted state, all in one arena. */
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

typedef struct heft_fingerprint { /* of training rows (model/fingerprint.h) */
    uint64_t n_rows, sum;         /* n_rows 0: not known */
} heft_fingerprint;

typedef struct heft_kept_settings { /* the settings that made a model, as texts (model/config.h) */
    char    *smoothing, *prior;     /* as they were used */
    char    *class_weight;          /* as it was used; NULL: none */
    size_t   n_given;               /* number of settings that the caller gave */
    char   **given, **value;        /* their names and values */
    uint64_t seed;                  /* 0: the file does not tell what was given */
} heft_kept_settings;

struct heft_model {
    heft_arena         arena;
    const heft_method *method;
    size_t             n_params; /* the method's options as used, as text */
    char             **param_names, **param_values;
    heft_kept_settings set;
    heft_prep          prep;
    heft_fitted        fitted;
    heft_calibration   calibration;
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

heft_status heft_model_new(heft_ctx *ctx, heft_model **out);
void        heft_model_delete(heft_model *model); /* NULL is fine */
/* Brings training rows that are spread over ranks to every rank; a collective call. */
heft_status heft_model_collect(heft_ctx *ctx, heft_model *model);
/* What a reader has to know of the model, in scratch memory. */
heft_status heft_expect_of(heft_ctx *ctx, const heft_model *model, heft_expect *out);
/* A file, as how->like expects it where that is given. With several ranks: a table on all of them,
 * or on none. */
heft_status heft_read_like(heft_ctx *ctx, const char *path, const heft_source *how,
                           heft_table **out);
/* Another rule of decision, as --cost and --threshold give it. */
heft_status heft_model_rule(heft_ctx *ctx, heft_model *model, const char *cost,
                            const char *threshold);
