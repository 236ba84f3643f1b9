/* method.h - the one interface of every method.
 *
 * Adding a method is one file plus one line in methods.def. The option table feeds parsing, help,
 * the model file, Python and the docs; `prepare` names the paper's preparation; twins say at which
 * settings the method must equal another one, and the contract test checks it. */
#ifndef HEFT_MODEL_METHOD_H
#define HEFT_MODEL_METHOD_H

#include "model/fitted.h"
#include "model/safetensors.h"
#include "optim/optim.h"
#include "stats/suffstats.h"

typedef enum heft_family {
    HEFT_BASE,
    HEFT_FILTER,
    HEFT_WRAPPER,
    HEFT_EMBEDDED,
    HEFT_LAZY,
    HEFT_STRUCTURAL
} heft_family;

enum { /* caps */
       HEFT_TAKES_NUMBERS =
           1, /* numeric attributes as they are; without it they must be discretised */
       HEFT_TAKES_SPARSE =
           2, /* sparse rows; without it a sparse table is densified, if small enough */
       HEFT_TAKES_MISSING = 4,   /* missing cells; without it they must be imputed */
       HEFT_TAKES_WEIGHTS = 8,   /* instance weights; without it they are refused */
       HEFT_ADDITIVE = 16,       /* scored by the shared scorer: explain and export work */
       HEFT_SHARDS = 32,         /* sees rows through sums over all ranks: they may be spread out */
       HEFT_TAKES_ONE_CLASS = 64 /* a model that can say one class only is fitted, with a warning;
                                    without it such data are refused */
};

/* An option takes a number in [lo, hi] (lo excluded with `open`), or one of `words` ("a|b"), or
 * both; `pair` takes LOW,HIGH. `whole`: integers only. `text`: anything. */
typedef struct heft_option {
    const char *name;
    const char *fallback; /* the default, as the user would type it */
    const char *help;
    bool        number, whole, pair, open, text;
    double      lo, hi;
    const char *words;
} heft_option;

typedef struct heft_value { /* a parsed option */
    const char *as_text;
    int         word; /* index in words, -1: a number, pair or text was given */
    double      num, num2;
} heft_value;

/* With `args` this method equals `other` with `other_args`, both under `prepare` laid over the
 * method's own preparation. */
typedef struct heft_twin {
    const char *args, *other, *other_args; /* space-separated parameters, "max-iter=0" */
    heft_config prepare;
    double      tolerance; /* on probabilities; 0: bit for bit */
} heft_twin;

typedef struct heft_task { /* what fit gets */
    const struct heft_method *method;
    const heft_value         *values; /* by the order of method->options */
    const heft_rows          *rows;   /* prepared training rows; every class known, weights > 0 */
    const heft_suffstats     *known;  /* of these rows, where it was counted already; may be NULL */
    const heft_prep          *prep;
    heft_smoothing            smoothing;
    heft_prior_spec           prior;
    heft_arena               *arena; /* the model's memory; scratch is ctx->scratch */
} heft_task;

typedef struct heft_method {
    const char *name;
    const char *alias; /* comma-separated, or NULL */
    const char *title;
    const char *source;
    heft_family family;
    unsigned    caps;
    heft_config prepare; /* default discretize, impute, scale, smoothing, prior, unseen */
    /* HEFT_STATS_...: all that fit sees of the rows, so that models of parts can be merged. 0: it
     * sees more than adds up. */
    unsigned           suffstats;
    const heft_option *options; /* ended by a NULL name; NULL: none */
    const heft_twin   *twins;   /* ended by a NULL other; NULL: none */
    heft_status (*fit)(heft_ctx *ctx, const heft_task *task, heft_fitted *out);
    /* NULL: the shared scorer. log_joint's softmax is the posterior. */
    heft_status (*score)(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                         double *log_joint);
    /* Private state; NULL: there is none. The shared parts are saved and loaded for everyone. */
    heft_status (*save)(heft_ctx *ctx, const heft_fitted *fitted, heft_file *file);
    heft_status (*load)(heft_ctx *ctx, const heft_file *file, const heft_prep *prep,
                        heft_fitted *fitted);
    /* NULL: the shared one (HEFT_ADDITIVE) or EUNSUPPORTED. */
    heft_status (*parts)(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows, size_t i,
                         double *parts);
    /* A weight for each attribute beside fitted->weights, for inspect; NULL: there are none. */
    const double *(*attr_weights)(const heft_fitted *fitted);
    /* For methods that keep their training rows, spread over the ranks: bring all of them to every
     * rank. NULL: the method keeps none. */
    heft_status (*gather)(heft_ctx *ctx, heft_fitted *fitted);
    /* The pair counts in the private state, for merging; NULL: it has none, or not all. */
    const heft_pair_counts *(*pairs)(const heft_fitted *fitted);
} heft_method;

/* ---- params.c ---- */

/* "a=1", ... over the defaults; values[n options]. Unknown names and bad values are EINVAL, naming
 * the method, the parameter and what it takes. With `skip_unknown` parameters of other methods
 * pass. */
heft_status heft_params_parse(heft_ctx *ctx, const heft_method *method, const char *const *params,
                              bool skip_unknown, heft_arena *arena, heft_value **values);
/* The method has an option of this name; `param` may be "name" or "name=value". */
bool heft_params_known(const heft_method *method, const char *param);
/* What an option accepts, as a phrase. */
void              heft_option_range(const heft_option *option, char *out, size_t size);
const heft_value *heft_param(const heft_task *task, const char *name); /* asserts that it exists */
double            heft_param_num(const heft_task *task, const char *name);

#endif
