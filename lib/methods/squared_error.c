/* squared_error.c - WANBIA, CAWNB, CWANB and RNB: weights by attribute, by class and attribute, or
 * both, that minimise the squared error of the posterior. Objective and gradient: learn/squared.c.
 *
 *   wanbia  log P(c|x) = log pi_c + sum_j w_j  log theta_{c,j,x_j} + const            (8)
 *   cawnb   log P(c|x) = log pi_c + sum_j W_cj log theta_{c,j,x_j} + const            (7)
 *
 * from all weights 1, within [0,1] by default. cwanb is wanbia from the weights of cfwnb: the error
 * is not convex, so the result depends on the start; its error is never above that of the start.
 *
 * rnb: class-specific weights, regularised by shared ones. Wang, Ren and Bai, regularized naive
 * Bayes: the mixture of two posteriors, each normalised first,
 *
 *   P(c|x) = alpha P^D(c|x) + (1 - alpha) P^I(c|x)                                    (9)
 *
 * with P^D by weights W_cj (7), P^I by weights w_j (8), all learned together from W = w = 1 and
 * alpha = 1/2. alpha stays within [0,1]. Fixed at 1 the method is cawnb, at 0 wanbia, and the
 * weights of the other part stay at 1. fitted->weights holds W; w and alpha are private state. The
 * score is the log of the mixture, not a sum over attributes. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/rows.h"
#include "learn/basis.h"
#include "learn/filters.h"
#include "learn/squared.h"
#include "methods/attribute_filters.h"
#include "model/model.h"
#include "model/state.h"

static const heft_option wanbia_options[] = {HEFT_SQUARED_OPTIONS, HEFT_OPT_END};

static const heft_option cawnb_options[] = {HEFT_SQUARED_OPTIONS, HEFT_GRADIENT_OPTION,
                                            HEFT_OPT_END};

static const heft_option cwanb_options[] = {
    HEFT_OPT_NUMBER("tol", "1e-7", 0, 1,
                    "stop when the error falls by at most this share, three times in a row"),
    HEFT_OPT_WHOLE("max-iter", "1000", 0, 1e6,
                   "maximum number of iterations; 0 keeps the weights of cfwnb"),
    HEFT_OPT_WHOLE("memory", "10", 1, 100, "number of correction pairs that L-BFGS-B keeps"),
    HEFT_OPT_PAIR_OR("none", "bounds", "0,1", "limits of the weights"),
    HEFT_OPT_NUMBER("l2", "0", 0, 1e12,
                    "penalty that pulls the weights towards 1: l2/2 sum (weight - 1)^2"),
    HEFT_BINS_OPTION("mdl"),
    HEFT_OPT_END,
};

static const heft_option rnb_options[] = {
    HEFT_SQUARED_OPTIONS,
    HEFT_GRADIENT_OPTION,
    HEFT_OPT_NUMBER_OR("learned", "alpha", "learned", 0, 1,
                       "share of the class-specific posterior: learned, or fixed at a number"),
    HEFT_OPT_WORDS("solver", "lbfgsb", "lbfgsb|descent",
                   "minimiser: L-BFGS-B, or the steepest descent of (18)-(20) with a line search, "
                   "which ends at the first iteration that (21) calls slow"),
    HEFT_OPT_END,
};

/* Minimises the error over a finished basis. The minimiser moves the start (NULL: all 1) into the
 * bounds. */
static heft_status minimise(heft_ctx *ctx, const heft_task *task, heft_squared_rule rule,
                            const double *start, heft_fitted *out)
{
    const size_t  per = rule.by_class ? out->n_class : 1;
    heft_squared *q;
    heft_minimum  min;
    heft_squared_options(task, &rule);
    HEFT_CHECK(heft_squared_open(ctx, task, out, &rule, &q));
    out->weights.shape = rule.by_class ? HEFT_W_CLASS : HEFT_W_ATTR;
    HEFT_ALLOC(ctx, task->arena, out->weights.w, q->n);
    if (start) memcpy(out->weights.w, start, q->n * sizeof *start);
    else heft_squared_start(q, out->weights.w);
    HEFT_CHECK(heft_squared_minimise(ctx, q, NULL, out->weights.w, &min));
    heft_record_minimum(&min, &out->training);
    heft_fact_number(out, "selection_rate", heft_selection_rate(out->weights.w, out->n_attr, per));
    return HEFT_OK;
}

static heft_status fit_wanbia(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    HEFT_CHECK(heft_fit_basis(ctx, task, out, NULL));
    return minimise(ctx, task, (heft_squared_rule){.by_attr = true}, NULL, out);
}

static heft_status fit_cawnb(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    const bool printed = heft_param(task, "gradient")->word == 1;
    HEFT_CHECK(heft_fit_basis(ctx, task, out, NULL));
    return minimise(ctx, task, (heft_squared_rule){.by_class = true, .printed = printed}, NULL,
                    out);
}

static heft_status fit_cwanb(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    double *start;
    HEFT_CHECK(heft_fit_basis(ctx, task, out, NULL));
    HEFT_ALLOC(ctx, &ctx->scratch, start, out->n_attr);
    HEFT_CHECK(heft_cfw_weights(ctx, task, start, out));
    /* The last bits of these weights depend on the order of columns, values and classes, and can
     * decide which minimum is found. They are rounded away. */
    if (heft_param_num(task, "max-iter") > 0)
        for (size_t j = 0; j < out->n_attr; j++) start[j] = round(start[j] * 0x1p34) * 0x1p-34;
    return minimise(ctx, task, (heft_squared_rule){.by_attr = true}, start, out);
}

enum { BLOCK = 4096 }; /* rows scored by one task */

typedef struct mixture {
    double      alpha;
    double     *w;
    heft_fitted by_class, by_attr; /* the two parts, ready for the shared scorer */
} mixture;

/* ---- rnb: state ---- */

/* Makes the two parts of the mixture ready to be scored. */
static heft_status seal_parts(heft_ctx *ctx, mixture *own, const heft_fitted *f)
{
    own->by_class = own->by_attr = *f;
    own->by_attr.weights = (heft_weights){.shape = HEFT_W_ATTR, .w0 = 1, .w = own->w};
    HEFT_CHECK(heft_fitted_seal(ctx, &own->by_class, false));
    return heft_fitted_seal(ctx, &own->by_attr, false);
}

static heft_status finish_loading(const heft_loading *l, void *own)
{
    const heft_fitted *f = &l->model->fitted;
    if (!f->log_prior || (f->n_attr && !f->lik) || f->weights.shape != HEFT_W_CLASS)
        return heft_file_damaged(l->ctx, l->file,
                                 "tensor 'own.alpha': a part of its mixture is absent");
    return seal_parts(l->ctx, own, f);
}

static const heft_tensor fields[] = {{"own.alpha", HEFT_F64, HEFT_VALUE(mixture, alpha), .hi = 1,
                                      .help = "share of the class-specific posterior"},
                                     {"own.weight", HEFT_F64, HEFT_ARRAY(mixture, w),
                                      .dims = {&heft_dim_attrs}, .lo = -1e15, .hi = 1e15,
                                      .help = "shared weights"},
                                     {.name = NULL}};

static const heft_state state = {.size = sizeof(mixture), .fields = fields, .end = finish_loading};

static const double *shared_weights(const heft_fitted *f)
{
    return ((const mixture *)f->own)->w;
}

/* ---- rnb: fit ---- */

static void record(const heft_minimum *min, double alpha, const double *w, heft_fitted *out)
{
    const double *W = out->weights.w;
    size_t        used = 0;
    heft_record_minimum(min, &out->training);
    for (size_t j = 0; j < out->n_attr; j++) {
        bool any = alpha < 1 && w[j] != 0;
        if (alpha > 0)
            for (size_t c = 0; c < out->n_class; c++) any = any || W[j * out->n_class + c] != 0;
        used += any;
    }
    heft_fact_number(out, "alpha", alpha);
    heft_fact_number(out, "selection_rate", out->n_attr ? (double)used / (double)out->n_attr : 1);
}

/* With alpha fixed at 0 or 1 only one part is fitted, bit for bit as wanbia or cawnb does it. */
static heft_status fit_rnb(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    const heft_value *given = heft_param(task, "alpha");
    const double      alpha = given->word == 0 ? 0.5 : given->num;
    const bool        by_class = alpha > 0, by_attr = alpha < 1;
    heft_squared_rule rule = {.by_class = by_class,
                              .by_attr = by_attr,
                              .learn_alpha = given->word == 0,
                              .alpha = alpha,
                              .printed = by_class && heft_param(task, "gradient")->word == 1};
    heft_squared     *q;
    heft_minimum      min;
    double           *x;
    mixture          *own;
    heft_squared_options(task, &rule);
    rule.descent = heft_param(task, "solver")->word == 1;
    HEFT_CHECK(heft_fit_basis(ctx, task, out, NULL));
    HEFT_CHECK(heft_squared_open(ctx, task, out, &rule, &q));
    HEFT_ALLOC(ctx, &ctx->scratch, x, q->n);
    heft_squared_start(q, x);
    HEFT_CHECK(heft_squared_minimise(ctx, q, NULL, x, &min));

    const size_t A = out->n_attr, n_class_weights = A * out->n_class;
    out->weights.shape = HEFT_W_CLASS;
    HEFT_ALLOC(ctx, task->arena, out->weights.w, n_class_weights);
    HEFT_ALLOC(ctx, task->arena, own, 1);
    HEFT_ALLOC(ctx, task->arena, own->w, A);
    for (size_t k = 0; k < n_class_weights; k++) out->weights.w[k] = rule.by_class ? x[k] : 1;
    for (size_t j = 0; j < A; j++) own->w[j] = rule.by_attr ? x[q->at_attr + j] : 1;
    own->alpha = rule.learn_alpha ? x[q->at_alpha] : rule.alpha;
    record(&min, own->alpha, own->w, out);
    out->own = own;
    return seal_parts(ctx, own, out);
}

/* ---- rnb: score ---- */

/* d <- log( a softmax(d) + (1-a) softmax(s) ) */
static void mix(double a, size_t K, double *d, const double *s)
{
    const double log_d = log(a) - heft_logsumexp(d, K), log_s = log1p(-a) - heft_logsumexp(s, K);
    for (size_t c = 0; c < K; c++) {
        const double two[2] = {d[c] + log_d, s[c] + log_s};
        d[c] = heft_logsumexp(two, 2);
    }
}

static heft_status score_block(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const heft_scoring *job = arg;
    const mixture      *own = job->own;
    const size_t        K = own->by_class.n_class;
    double             *d = job->log_joint + lo * K, *s;
    heft_sparse         sparse;
    heft_attr          *attr;
    HEFT_ALLOC(ctx, &ctx->scratch, attr, job->rows->n_attr);
    const heft_rows rows = heft_rows_part(job->rows, lo, hi, attr, &sparse);
    if (own->alpha == 0) return heft_score_additive(ctx, &own->by_attr, &rows, d);
    HEFT_CHECK(heft_score_additive(ctx, &own->by_class, &rows, d));
    if (own->alpha == 1) return HEFT_OK;
    HEFT_ALLOC(ctx, &ctx->scratch, s, rows.n_rows * K);
    HEFT_CHECK(heft_score_additive(ctx, &own->by_attr, &rows, s));
    for (size_t i = 0; i < rows.n_rows; i++) mix(own->alpha, K, d + i * K, s + i * K);
    return HEFT_OK;
}

static heft_status score_rnb(heft_ctx *ctx, const heft_fitted *f, const heft_rows *rows,
                             double *log_joint)
{
    heft_scoring job = {f->own, rows, log_joint};
    return heft_run_blocks(ctx, rows->n_rows, BLOCK, score_block, &job);
}

/* ---- rnb: tables ---- */

static heft_status tables_rnb(heft_ctx *ctx, const heft_fitted *f, heft_terms *t)
{
    const mixture *own = f->own;
    double        *share;
    if (own->alpha == 0) return heft_terms_shared(ctx, &own->by_attr, t);
    HEFT_CHECK(heft_terms_shared(ctx, &own->by_class, t));
    if (own->alpha == 1) return HEFT_OK;
    HEFT_ALLOC(ctx, &ctx->scratch, t->further.list, 1);
    HEFT_ALLOC(ctx, &ctx->scratch, share, 2);
    share[0] = own->alpha;
    share[1] = 1 - own->alpha;
    t->further.list[0] = *t;
    HEFT_CHECK(heft_terms_shared(ctx, &own->by_attr, &t->further.list[0]));
    t->further.combining = HEFT_MIXED;
    t->further.mixing = share;
    t->further.n = 1;
    return HEFT_OK;
}

/* ---- the records ---- */

static const heft_twin as_others[] = {
    HEFT_TWIN("max-iter=0", "nb", "variance=class", 1e-12),
    HEFT_TWIN("max-iter=0 solver=descent", "nb", "variance=class", 1e-12),
    HEFT_TWIN_PREPARED("max-iter=0 alpha=0.3", "nb", "variance=class", 1e-12, .discretize = "none"),
    HEFT_TWIN("alpha=1", "cawnb", "", 0),
    HEFT_TWIN("alpha=1 gradient=printed", "cawnb", "gradient=printed", 0),
    HEFT_TWIN("alpha=0", "wanbia", "", 0),
    HEFT_TWIN_END,
};
static const heft_twin as_nb[] = HEFT_TWINS_OF("nb", "max-iter=0", "variance=class");
static const heft_twin as_cfwnb[] = HEFT_TWINS_OF("cfwnb", "max-iter=0", "");

#define RECORD(id, what, from, family_, more_caps, ...)                                            \
    const heft_method heft_method_##id = {                                                         \
        .name = #id,                                                                               \
        .title = what,                                                                             \
        .source = from,                                                                            \
        .family = family_,                                                                         \
        .caps = HEFT_TAKES_NUMBERS | HEFT_TAKES_MISSING | HEFT_TAKES_WEIGHTS | more_caps,          \
        .prepare = HEFT_SQUARED_PREPARE,                                                           \
        .options = id##_options,                                                                   \
        .fit = fit_##id,                                                                           \
        .twins = __VA_ARGS__,                                                                      \
    }

RECORD(wanbia, "one weight per attribute that minimises the squared error",
       "[zaidi2013], as in [wang2020], (5) (8) (13) (14) (16) (21)", HEFT_EMBEDDED,
       HEFT_ADDITIVE | HEFT_SHARDS, as_nb);
RECORD(cawnb, "one weight per class and attribute that minimises the squared error",
       "[jiang2019], as in [wang2020], (5) (7) (13) (14) (15) (21)", HEFT_EMBEDDED,
       HEFT_ADDITIVE | HEFT_SHARDS, as_nb);
RECORD(cwanb, "weights that minimise the squared error, starting from those of cfwnb",
       "a reading of CWANB as compared in [wang2020]: cfwnb as the start of wanbia, (5) (8)",
       HEFT_WRAPPER, HEFT_ADDITIVE, as_cfwnb);
RECORD(rnb, "class-specific weights, regularised by shared ones",
       "[wang2020], (5) (7)-(9) (13)-(21)", HEFT_EMBEDDED, HEFT_SHARDS, as_others,
       .score = score_rnb, .state = &state, .tables = tables_rnb, .attr_weights = shared_weights);
