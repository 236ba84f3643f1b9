/* method.h - the one interface of every method.
 *
 * A method is one file (or one folder) with a record `const heft_method heft_method_NAME`, and one
 * line HEFT_METHOD(NAME) in methods/methods.def. The file reads: what it is with its equations,
 * the options, the sums over rows, fit, the record. nb.c is the shortest example, vwnb.c one that
 * minimises a loss. Nothing else needs to be told: parsing, range checks, help, the model
 * file, Python and the documents follow from the record, and the contract test checks every method
 * in the list.
 *
 * What happens to a method: the table is prepared as `prepare` and the user ask; rows of unknown
 * class are left out; what `caps` does not grant is refused or converted before `fit` is called.
 * `fit` fills a heft_fitted. Almost every method calls heft_fit_basis (learn/basis.h) first, which
 * makes it a naive Bayes model, then sets `weights` and writes facts for `heft inspect`. Rows are
 * then scored by the shared scorer
 *
 *   s_c(x) = w0 log P(c) + b_c + sum_j w(c,j,x_j) log P(x_j | c)
 *
 * unless the method has a `score` of its own, with private state in fitted->own. */
#pragma once

#include "model/fitted.h"
#include "model/term.h"
#include "optim/optim.h"
#include "stats/suffstats.h"

struct heft_state; /* model/state.h */

/* How the weights are found; `heft methods` groups by it. */
typedef enum heft_family {
    HEFT_BASE,      /* no weights */
    HEFT_FILTER,    /* weights by a measure of each attribute */
    HEFT_WRAPPER,   /* weights by a search that measures the model's predictions */
    HEFT_EMBEDDED,  /* weights that minimise a loss */
    HEFT_LAZY,      /* weights that are found anew for every row that is scored */
    HEFT_STRUCTURAL /* attributes may depend on one another */
} heft_family;

/* Bits of heft_method.caps: what a method accepts, and what works with its models. */
enum {
    HEFT_TAKES_NUMBERS = 1,    /* numeric attributes as they are; without: they are discretised */
    HEFT_TAKES_SPARSE = 2,     /* sparse rows; without: they are densified, if small enough */
    HEFT_TAKES_MISSING = 4,    /* missing cells; without: they are imputed */
    HEFT_TAKES_WEIGHTS = 8,    /* instance weights; without: they are refused */
    HEFT_ADDITIVE = 16,        /* scored by the shared scorer: explain and export work */
    HEFT_SHARDS = 32,          /* `fit` uses the rows only through sums over all ranks: the
                                  rows may be spread over the ranks, if `spreads` allows it */
    HEFT_TAKES_ONE_CLASS = 64, /* rows of one class only, with a warning; without: refused */
    HEFT_STOPS = 128,          /* ends near task->until; without: a time limit is refused */
    HEFT_SHIFTS_CLASSES = 256, /* applies class weights to its scores (task->class_weight); without:
                                  they are weights of the rows */
    HEFT_VOTES = 512,          /* 3 or more classes: class pairs vote, unless multiclass=direct */
    HEFT_SMOOTHS = 1024,       /* has its own smoothing: --smoothing is refused and not shown */
    HEFT_ESTIMATES = 2048      /* has its own probabilities: --smoothing and --prior are refused */
};

/* One option of a method: a number in [lo, hi] (lo excluded with `open`; integers only with
 * `whole`), or one of `words` ("a|b"), or either; LOW,HIGH with `pair`; any text with `text`. With
 * `file` the text is the name of a file to read, or empty. Tables are written with the constructors
 * below and end with HEFT_OPT_END. */
typedef struct heft_option {
    const char *name;
    const char *fallback; /* the default, as the user would type it */
    const char *help;
    bool        number, whole, pair, open, text, file;
    double      lo, hi;
    const char *words;
} heft_option;

/* clang-format off */
#define HEFT_OPT_(name_, default_, help_, ...)                                                     \
    {.name = name_, .fallback = default_, .help = help_, __VA_ARGS__}
#define HEFT_OPT_END {.name = NULL}
/* clang-format on */
#define HEFT_OPT_NUMBER(name, standard, lo_, hi_, help)                                            \
    HEFT_OPT_(name, standard, help, .number = true, .lo = lo_, .hi = hi_)
#define HEFT_OPT_ABOVE(name, standard, lo_, hi_, help)                                             \
    HEFT_OPT_(name, standard, help, .number = true, .open = true, .lo = lo_, .hi = hi_)
#define HEFT_OPT_WHOLE(name, standard, lo_, hi_, help)                                             \
    HEFT_OPT_(name, standard, help, .number = true, .whole = true, .lo = lo_, .hi = hi_)
#define HEFT_OPT_WORDS(name, standard, words_, help)                                               \
    HEFT_OPT_(name, standard, help, .words = words_)
#define HEFT_OPT_FILE(name, standard, help)                                                        \
    HEFT_OPT_(name, standard, help, .text = true, .file = true)
/* The constructors above for an option that also accepts one of the words. */
#define HEFT_OPT_NUMBER_OR(words_, name, standard, lo_, hi_, help)                                 \
    HEFT_OPT_(name, standard, help, .number = true, .lo = lo_, .hi = hi_, .words = words_)
#define HEFT_OPT_ABOVE_OR(words_, name, standard, lo_, hi_, help)                                  \
    HEFT_OPT_(name, standard, help, .number = true, .open = true, .lo = lo_, .hi = hi_,            \
              .words = words_)
#define HEFT_OPT_WHOLE_OR(words_, name, standard, lo_, hi_, help)                                  \
    HEFT_OPT_(name, standard, help, .number = true, .whole = true, .lo = lo_, .hi = hi_,           \
              .words = words_)
#define HEFT_OPT_PAIR_OR(words_, name, standard, help)                                             \
    HEFT_OPT_(name, standard, help, .pair = true, .words = words_)

typedef struct heft_value { /* a parsed option */
    const char *as_text;
    int         word; /* index in words, -1: a number, pair or text was given */
    double      num, num2;
} heft_value;

/* With the parameters `args` this method must equal `other` with `other_args`; the contract test
 * compares them. Both are trained under `prepare` laid over the method's own preparation. */
typedef struct heft_twin {
    const char *args, *other, *other_args; /* space-separated parameters, "max-iter=0" */
    heft_config prepare;
    double      tolerance; /* largest difference of probabilities; 0: the bits must be equal */
} heft_twin;

/* clang-format off */
#define HEFT_TWIN(args_, other_, other_args_, tolerance_)                                          \
    {.args = args_, .other = other_, .other_args = other_args_, .tolerance = tolerance_}
#define HEFT_TWIN_PREPARED(args_, other_, other_args_, tolerance_, ...)                            \
    {.args = args_, .other = other_, .other_args = other_args_, .tolerance = tolerance_,           \
     .prepare = {__VA_ARGS__}}
#define HEFT_TWIN_END {.other = NULL}
/* A whole table: with `args` the method is `other`, on discretised and on numeric attributes. */
#define HEFT_TWINS_OF(other, args, other_args)                                                     \
    {HEFT_TWIN(args, other, other_args, 1e-12),                                                    \
     HEFT_TWIN_PREPARED(args, other, other_args, 1e-12, .discretize = "none"), HEFT_TWIN_END}
/* clang-format on */

typedef struct heft_task { /* the argument of fit; everything in it is borrowed */
    const struct heft_method *method;
    const heft_value         *values; /* parsed options in the order of method->options */
    const heft_rows          *rows;   /* prepared training rows; every class known, weights > 0 */
    const heft_suffstats     *known;  /* sufficient statistics of the rows, if they were
                                         counted already; else NULL */
    const heft_prep *prep;
    heft_smoothing   smoothing;
    heft_prior_spec  prior;
    const double    *class_weight; /* HEFT_SHIFTS_CLASSES: n_class weights; NULL:
                                      all 1 */
    double time_limit;             /* seconds that the fit may take; 0: no limit */
    double until;                  /* when the time limit ends, in the seconds of
                                      heft_clock */
    heft_arena *arena;             /* memory of the model; temporary memory is in
                                      the arena ctx->scratch */
} heft_task;

/* For a `score` that cuts the rows into blocks (heft_run_blocks): the argument of each block. */
typedef struct heft_scoring {
    const void      *own; /* private state, or whatever the method scores by */
    const heft_rows *rows;
    double          *log_joint; /* scores of all rows, n_rows x n_class */
} heft_scoring;

typedef struct heft_extent { /* size of the training data, over all ranks */
    size_t n_rows, n_class;  /* n_class: number of classes that have rows */
    double weight;           /* sum of the weights of the rows */
} heft_extent;

typedef struct heft_arc { /* an attribute depends on another besides the class */
    uint32_t child, parent;
    double   weight; /* NAN: the parent is the only one of the child */
} heft_arc;

typedef struct heft_method {
    const char   *name;   /* on the command line, in Python, in the model file */
    const char   *alias;  /* comma-separated, or NULL */
    const char   *title;  /* one line for `heft methods` */
    const char   *source; /* papers, as [key] of docs/references.bib, and equations */
    heft_family   family;
    unsigned      caps;    /* bits such as HEFT_TAKES_NUMBERS */
    heft_config   prepare; /* default discretize, impute, scale, smoothing, prior, unseen */
    heft_lik_kind density; /* density of numbers in a class (heft_method_density); 0: normal */
    /* HEFT_STATS_...: the sufficient statistics by which alone `fit` uses the rows, so that models
     * of separate rows can be merged. 0: `fit` needs the rows themselves. */
    unsigned           suffstats;
    const heft_option *options; /* NULL: none */
    const heft_twin   *twins;   /* NULL: none */
    /* Refuses parameters that contradict one another, before any data are read; values are in the
     * order of `options`. NULL: no parameters do. */
    heft_status (*check)(heft_ctx *ctx, const heft_value *values);
    /* Learn from the task's rows; on failure `out` is discarded. Runs once per model, from one
     * thread; use heft_run and heft_sum_rows (base/rows.h) for more. */
    heft_status (*fit)(heft_ctx *ctx, const heft_task *task, heft_fitted *out);
    /* log_joint[n_rows x n_class], whose softmax is the posterior. NULL: the shared scorer. */
    heft_status (*score)(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                         double *log_joint);
    /* Describes the private state, fitted->own, for saving and loading; NULL: there is none. The
     * other members of heft_fitted are saved and loaded for every method. */
    const struct heft_state *state;
    /* The terms of a score that is a sum in another form than the shared one: fills in what
     * differs, in scratch memory. NULL: the shared form (HEFT_ADDITIVE), or the score is no such
     * sum. */
    heft_status (*terms)(heft_ctx *ctx, const heft_fitted *fitted, heft_terms *out);
    /* Describes the complete score as tables, for exports of methods whose `terms` do not: changes
     * what heft_terms_open made, in scratch memory. NULL: the terms are complete, or the score
     * cannot be written as tables. */
    heft_status (*tables)(heft_ctx *ctx, const heft_fitted *fitted, heft_terms *out);
    /* Divides the score of row i among the attributes, for methods in which the evidence of an
     * attribute depends on the other cells of the row: parts[(1 + n_attr) * n_class], the prior
     * first. NULL: the terms are enough, or the score is not a sum over attributes. */
    heft_status (*parts)(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows, size_t i,
                         double *parts);
    /* One weight per attribute beside fitted->weights, for inspect. NULL: there are none. */
    const double *(*attr_weights)(const heft_fitted *fitted);
    /* Lists which attributes depend on which others, for inspect: sorted by child, in scratch
     * memory. NULL: no attribute depends on another, or each depends on all. */
    heft_status (*arcs)(heft_ctx *ctx, const heft_fitted *fitted, heft_arc **out, size_t *n);
    /* With HEFT_SHARDS: whether data of this size can stay spread over the ranks; otherwise one
     * rank gets all rows. NULL: data of any size can. */
    bool (*spreads)(const heft_value *values, const heft_extent *of);
    /* Brings all training rows to every rank, for methods that keep their training rows and leave
     * them spread over the ranks. NULL: the method keeps no rows. */
    heft_status (*gather)(heft_ctx *ctx, heft_fitted *fitted);
    /* The pair counts in the private state, for merging; returns NULL where the model does not have
     * all of them. NULL: the method has no pair counts. */
    const heft_pair_counts *(*pairs)(const heft_fitted *fitted);
} heft_method;

static inline heft_lik_kind heft_method_density(const heft_method *method)
{
    return method && method->density ? method->density : HEFT_LIK_NORMAL;
}

/* Whether the score of the method's models is one sum of terms or several, which exports write. */
static inline bool heft_method_has_terms(const heft_method *method)
{
    return method->caps & HEFT_ADDITIVE || method->terms || method->tables;
}

/* ---- params.c ---- */

/* Parse parameters such as "a=1"; options that are not named get their defaults. values[number of
 * options]. Unknown names and bad values are EINVAL, with the method, the parameter and what it
 * accepts. With `skip_unknown`, parameters of other methods are ignored. */
heft_status heft_params_parse(heft_ctx *ctx, const heft_method *method, const char *const *params,
                              bool skip_unknown, heft_arena *arena, heft_value **values);
/* The n parameters as a user would give them, "name=value", with a NULL at the end. */
heft_status heft_params_list(heft_ctx *ctx, char *const *names, char *const *values, size_t n,
                             heft_arena *arena, const char *const **out);
/* Whether the method has an option of this name; `param` may be "name" or "name=value". */
bool heft_params_known(const heft_method *method, const char *param);
/* Write what an option accepts, as a phrase. */
void              heft_option_range(const heft_option *option, char *out, size_t size);
const heft_value *heft_param(const heft_task *task, const char *name); /* asserts that it exists */
double            heft_param_num(const heft_task *task, const char *name);
