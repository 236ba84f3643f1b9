/* exploss.c - ENB, DNB, LNB, GDNB and MSE: one weight per attribute that minimises a loss of the
 * margin. Kim and Lee, Exponential Loss Minimization for Learning Weighted Naive Bayes
 * Classifiers. Two classes, y in {-1,+1}, +1 the first of the two; tables and priors are those of
 * naive Bayes and stay as they are; w starts at 1, so that zero iterations give plain naive Bayes.
 *
 *   f_i   = w0 P0 + sum_j w_j a_ij        P0, a_ij: log ratios of prior and likelihoods       (8)
 *   enb   sum_i exp(-y_i f_i)                                         w0 = 1                 (10)
 *   dnb   sum_i log(1 + exp(-2 y_i f_i))                              w0 = 1                 (13)
 *   lnb   sum_i log(1 + exp(-y_i f_i))                                w0 = 1                 (14)
 *   gdnb  as lnb, w0 free (the paper's alpha, folded into w0 and w)                          (19)
 *   mse   sum_i (t_i - s(f_i))^2,  t = (y + 1)/2,  s the logistic     w0 = 1
 *   all   w0, w >= 0                                                                         (21)
 *   P(+1 | x) = s(f), or s(2 f) with link=2                                                  (22)
 *
 * More classes: one against one (ovo.h), or with multiclass=direct one weight vector for all,
 * under the form of the loss that is the one above for two classes. With scores
 * s_c = w0 log P(c) + sum_j w_j log P(x_j|c) and p = softmax(s):
 *
 *   lnb, gdnb  sum_i -log p_iy        dnb  the same with 2 s for s (its s is half the log-odds)
 *   mse        sum_i 1/2 sum_c (t_ic - p_ic)^2
 *   enb        sum_i sum_{c != y} exp(s_ic - s_iy), whose minimum over all functions is half the
 *              log-odds as well
 *
 * DEVIATION: the paper gives a tie f = 0 to -1; here ties go to the first class, as everywhere.
 * DEVIATION: enb minimises log(1 + loss), whose minimum is the same: the loss itself overflows,
 * and long before that its relative decrease means nothing. objective=sum is the printed form;
 * where it overflows at the start it is counted in a larger unit, which leaves its minimum in
 * place. */
#include "methods/exploss.h"
#include "learn/basis.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/double_double.h"
#include "base/vec.h"
#include "learn/curvature.h"
#include "learn/objective.h"
#include "learn/squared.h"
#include "methods/ovo.h"
#include "optim/optim.h"

/* The first option is enb's alone. */
static const heft_option enb_options[] = {
    HEFT_OPT_WORDS("objective", "log", "log|sum",
                   "minimise log(1 + loss), or the loss itself as printed in the paper"),
    HEFT_OPT_WHOLE("max-iter", "1000", 0, 1e9,
                   "maximum number of L-BFGS-B iterations; 0 is naive Bayes"),
    HEFT_OPT_NUMBER(
        "tol", "1e-9", 0, 1,
        "stop when three iterations in a row lower the objective by at most tol * max(|f|, 1)"),
    HEFT_OPT_NUMBER("pgtol", "1e-5", 0, 1e300,
                    "stop when no component of the projected gradient exceeds this (columns "
                    "divided by the root of their mean size)"),
    HEFT_OPT_WHOLE("memory", "5", 1, 100, "number of correction pairs that L-BFGS-B keeps"),
    HEFT_OPT_WORDS("scale", "root", "root|none",
                   "columns of evidence divided by the root of their mean size, which takes fewer "
                   "iterations to the same minimum; or as they are"),
    HEFT_OPT_NUMBER("start", "1", 0, 1e6, "starting value of every weight"),
    HEFT_OPT_ABOVE_OR("none", "bound", "none", 0, 1e100, "upper bound on the weights"),
    HEFT_OPT_NUMBER("l2", "0", 0, 1e100,
                    "adds l2 * sum (w - 1)^2 to the objective, which pulls towards naive Bayes"),
    HEFT_OPT_WHOLE("link", "1", 1, 2,
                   "P = 1/(1 + exp(-link f)); 2 is the calibrated one for enb and dnb"),
    HEFT_OPT_WORDS(
        "multiclass", "auto", "ovo|direct|auto",
        "more than two classes: vote over class pairs, or one set of weights for all classes; auto "
        "votes with up to 100 classes"),
    HEFT_OPT_END};

#define OTHER_OPTIONS (enb_options + 1)

enum { MULTICLASS_OVO, MULTICLASS_DIRECT, MULTICLASS_AUTO };
/* The number of pairs, and with it memory and time, grows with the square of the classes. */
enum { MOST_PAIRED_CLASSES = 100 };

typedef struct settings {
    heft_margin_loss loss;
    heft_stop        stop;
    double           start, bound, l2, link;
    bool             direct, plain_sum, unscaled;
} settings;

typedef struct learner { /* one minimisation: a class pair, or all classes at once */
    const settings      *set;
    const heft_evidence *ev;
    const double        *prior; /* n_base: log prior by score, or P0 */
    double               shift; /* enb: exponents are lowered by it */
    double               unit;  /* logarithm of the unit of the plain sum; 0 unless the sum
                                   overflows */
    double     size;            /* size of the slopes, as in heft_loss */
    size_t     n_var, *var;     /* attribute of a variable; SIZE_MAX: w0 */
    double    *scale;           /* variable = scale * weight */
    double     w0, *w;          /* the current weights */
    double    *base, *gradient, *base_gradient;
    bool       by_base; /* the gradient by the base is wanted, for the slope by w0 */
    double    *spread;  /* n_attr: the mean size of each column */
    heft_drawn sample;  /* for second derivatives: drawn by the scores at the start */
    bool       drawing;
} learner;

typedef struct learned { /* the outcome of one minimisation */
    heft_minimum min;
    double       first, last; /* the paper's loss at the start and at the end */
    bool         in_logs;     /* enb: first and last are log(1 + loss), which had overflowed */
    bool         separable;
    size_t       n_kept; /* weights above 0, those of attributes without evidence included */
} learned;

static const double LARGEST_EXPONENT = 600;
static const double MANY_ROWS = 4096, MANY_EACH = 64; /* least rows for second derivatives, in all
                                                         and per weight */

/* ---- losses of the margin; y is 0 for +1 and 1 for -1 ---- */

/* log(1 + exp(-a y f)), a = 2 (13) or 1 (14); slope -a y s(-a y f). */
static void log_margin(const void *user, const heft_tile *tile, double *f, double *value)
{
    const learner *u = user;
    const double   a = u->set->loss == HEFT_DNB ? 2 : 1;
    if (u->drawing) heft_drawn_mark(&u->sample, tile, f);
    for (size_t i = 0; i < tile->n; i++) f[i] *= tile->y[i] ? a : -a;
    heft_log1pexp_all(f, tile->n, value, f);
    for (size_t i = 0; i < tile->n; i++) f[i] *= tile->y[i] ? a : -a;
}

/* exp(-y f - shift) (10); the second sum counts exponents beyond what a double can take. */
static void exp_margin(const void *user, const heft_tile *tile, double *f, double *value)
{
    const learner *u = user;
    for (size_t i = 0; i < tile->n; i++) {
        f[i] = (tile->y[i] ? f[i] : -f[i]) - u->shift;
        value[tile->n + i] = f[i] > LARGEST_EXPONENT;
    }
    heft_exp_all(f, tile->n);
    memcpy(value, f, tile->n * sizeof *value);
    for (size_t i = 0; i < tile->n; i++) f[i] = tile->y[i] ? f[i] : -f[i];
}

/* (t - s(f))^2 is s(-y f)^2 = r^2; slope -2 y r^2 (1 - r). The loss is not convex, so that a single
 * bit can decide which minimum is found; in this form exchanging the classes changes no bit. */
static void square_margin(const void *user, const heft_tile *tile, double *f, double *value)
{
    (void)user;
    for (size_t i = 0; i < tile->n; i++) f[i] = tile->y[i] ? f[i] : -f[i];
    heft_sigmoid_all(f, tile->n);
    for (size_t i = 0; i < tile->n; i++) {
        value[i] = f[i] * f[i];
        f[i] = (tile->y[i] ? 2 : -2) * value[i] * (1 - f[i]);
    }
}

/* ---- losses of all classes at once ---- */

static void log_classes(const void *user, const heft_tile *tile, double *s, double *value)
{
    const learner *u = user;
    const double   a = u->set->loss == HEFT_DNB ? 2 : 1;
    const size_t   K = tile->n_score;
    double         own[HEFT_MOST_TILE];
    for (size_t k = 0; k < tile->n * K; k++) s[k] *= a;
    for (size_t i = 0; i < tile->n; i++) own[i] = s[i * K + tile->y[i]];
    heft_softmax_all(s, tile->n, K, value);
    for (size_t i = 0; i < tile->n; i++) {
        value[i] -= own[i];
        s[i * K + tile->y[i]] -= 1;
        for (size_t c = 0; c < K; c++) s[i * K + c] *= a;
    }
}

static void exp_classes(const void *user, const heft_tile *tile, double *s, double *value)
{
    const learner *u = user;
    const size_t   K = tile->n_score;
    double        *beyond = value + tile->n;
    for (size_t i = 0; i < tile->n; i++) {
        double      *row = s + i * K;
        const double own = row[tile->y[i]];
        beyond[i] = 0;
        for (size_t c = 0; c < K; c++) {
            row[c] = row[c] - own - u->shift;
            beyond[i] += c != tile->y[i] && row[c] > LARGEST_EXPONENT;
        }
        row[tile->y[i]] = -INFINITY; /* exp: 0 */
    }
    heft_exp_all(s, tile->n * K);
    for (size_t i = 0; i < tile->n; i++) {
        heft_dd sum = {0, 0};
        for (size_t c = 0; c < K; c++) sum = heft_dd_plus(sum, s[i * K + c]);
        value[i] = sum.high + sum.low;
        s[i * K + tile->y[i]] = -value[i];
    }
}

static void square_classes(const void *user, const heft_tile *tile, double *s, double *value)
{
    (void)user;
    heft_squared_loss(tile, false, s, value);
}

static heft_loss_fn *loss_fn(const learner *u)
{
    const bool pair = u->ev->n_base == 1;
    if (u->set->loss == HEFT_ENB) return pair ? exp_margin : exp_classes;
    if (u->set->loss == HEFT_MSE) return pair ? square_margin : square_classes;
    return pair ? log_margin : log_classes;
}

/* ---- the objective ---- */

/* Finds the largest exponent of enb in each tile. */
static void largest_exponent(void *user, const heft_tile *tile, const double *s)
{
    double      *slot = (double *)user + tile->first / heft_tile_rows(tile->n_score);
    const size_t K = tile->n_score;
    for (size_t i = 0; i < tile->n; i++)
        for (size_t c = 0; c < K; c++) {
            const double z =
                K == 1 ? (tile->y[i] ? s[i] : -s[i]) : s[i * K + c] - s[i * K + tile->y[i]];
            if (z > *slot) *slot = z;
        }
}

static void set_weights(learner *u, const double *x)
{
    for (size_t k = 0; k < u->n_var; k++) {
        const double w = fmin(x[k] / u->scale[k], u->set->bound);
        if (u->var[k] == SIZE_MAX) u->w0 = w;
        else u->w[u->var[k]] = w;
    }
    for (size_t c = 0; c < u->ev->n_base; c++)
        u->base[c] = isinf(u->prior[c]) ? u->prior[c] : u->w0 * u->prior[c];
}

/* u->shift = the largest exponent of enb at the current weights, at least 0. */
static heft_status find_shift(heft_ctx *ctx, learner *u)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_head head = {.shape = HEFT_W_ATTR, .w = u->w, .base = u->base};
    const size_t    n = u->ev->n_rows / heft_tile_rows(u->ev->n_base) + 1;
    double         *slot;
    u->shift = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, slot, n);
    HEFT_CHECK(heft_evidence_visit(ctx, u->ev, &head, 1, largest_exponent, slot));
    for (size_t k = 0; k < n; k++) u->shift = fmax(u->shift, slot[k]);
    return heft_all_max(ctx, &u->shift, 1);
}

/* The loss and its gradient at the current weights. *f is what is minimised. */
static heft_status data_loss(heft_ctx *ctx, learner *u, double *f)
{
    const heft_head head = {.shape = HEFT_W_ATTR, .w = u->w, .base = u->base};
    const heft_loss loss = {loss_fn(u), u, u->set->loss == HEFT_ENB, &u->size};
    double          sums[2], *by_base = u->by_base ? u->base_gradient : NULL;
    u->shift = u->unit;
    HEFT_CHECK(heft_evidence_sum(ctx, u->ev, &head, 1, &loss, sums, by_base, &u->gradient));
    *f = sums[0];
    if (u->set->loss != HEFT_ENB) return HEFT_OK;
    if (u->set->plain_sum) {
        if (sums[1] > 0) *f = INFINITY;
        return HEFT_OK;
    }
    if (sums[1] > 0) { /* lower the exponents and sum again */
        HEFT_CHECK(find_shift(ctx, u));
        HEFT_CHECK(heft_evidence_sum(ctx, u->ev, &head, 1, &loss, sums, by_base, &u->gradient));
    }
    const double whole = exp(-u->shift) + sums[0];
    *f = u->shift > 0 ? u->shift + log(whole) : log1p(sums[0]);
    for (size_t j = 0; j < u->ev->n_attr; j++) u->gradient[j] /= whole;
    if (u->by_base)
        for (size_t c = 0; c < u->ev->n_base; c++) u->base_gradient[c] /= whole;
    return HEFT_OK;
}

/* The penalty lambda sum (w - 1)^2 over the weights that are learned. */
static double penalty(const learner *u)
{
    heft_dd sum = {0, 0};
    for (size_t k = 0; k < u->n_var; k++)
        sum = heft_dd_add(sum,
                          heft_two_square((u->var[k] == SIZE_MAX ? u->w0 : u->w[u->var[k]]) - 1));
    return u->set->l2 * sum.high;
}

static double slope_by_w0(const learner *u)
{
    heft_dd slope = {0, 0};
    for (size_t c = 0; c < u->ev->n_base; c++)
        if (isfinite(u->prior[c])) slope = heft_dd_plus(slope, u->base_gradient[c] * u->prior[c]);
    return slope.high + slope.low;
}

static heft_status objective(heft_ctx *ctx, void *user, const double *x, double *f, double *g)
{
    learner *u = user;
    set_weights(u, x);
    HEFT_CHECK(data_loss(ctx, u, f));
    *f += penalty(u);
    for (size_t k = 0; k < u->n_var; k++) {
        const size_t j = u->var[k];
        double       slope = 2 * u->set->l2 * ((j == SIZE_MAX ? u->w0 : u->w[j]) - 1);
        slope += j == SIZE_MAX ? slope_by_w0(u) : u->gradient[j];
        g[k] = slope / u->scale[k];
    }
    return HEFT_OK;
}

/* a^2 s(a f) (1 - s(a f)), the second derivative of (13) or (14): the same for both classes. */
static void second_margin(const void *user, double *f, size_t n)
{
    const learner *u = user;
    const double   a = u->set->loss == HEFT_DNB ? 2 : 1;
    for (size_t i = 0; i < n; i++) f[i] *= a;
    heft_sigmoid_all(f, n);
    for (size_t i = 0; i < n; i++) f[i] = a * a * f[i] * (1 - f[i]);
}

static heft_status second(heft_ctx *ctx, void *user, const double *x, double *out, bool *known)
{
    learner           *u = user;
    const size_t       n = u->n_var;
    const heft_hessian bend = {.ev = u->ev,
                               .sample = &u->sample,
                               .n_var = n,
                               .var = u->var,
                               .base = u->prior[0],
                               .spread = u->spread,
                               .second = second_margin,
                               .user = u};
    if (u->drawing) HEFT_CHECK(heft_drawn_end(ctx, u->ev, &ctx->scratch, &u->sample));
    u->drawing = false;
    set_weights(u, x);
    const heft_head head = {.shape = HEFT_W_ATTR, .w = u->w, .base = u->base};
    HEFT_CHECK(heft_evidence_hessian(ctx, &bend, &head, out, known));
    for (size_t j = 0; j < n; j++) {
        out[j * n + j] += 2 * u->set->l2;
        for (size_t k = 0; k < n; k++) out[j * n + k] /= u->scale[j] * u->scale[k];
    }
    return HEFT_OK;
}

/* ---- learning ---- */

/* Sums the weight of rows that are not strictly on their side of the boundary. */
static void count_wrong(const void *user, const heft_tile *tile, double *s, double *value)
{
    const size_t K = tile->n_score;
    (void)user;
    for (size_t i = 0; i < tile->n; i++) {
        bool right = true;
        if (K == 1) right = tile->y[i] ? s[i] < 0 : s[i] > 0;
        else
            for (size_t c = 0; c < K; c++)
                right = right && (c == tile->y[i] || s[i * K + c] < s[i * K + tile->y[i]]);
        value[i] = !right;
    }
}

/* Records the paper's loss at start and end, without the penalty; enb's in logs when it overflows.
 * separable: the loss is almost 0 and every row is on its side of the boundary, so that larger
 * weights lower the loss without end. */
static heft_status record(heft_ctx *ctx, learner *u, const double *start, const double *x,
                          learned *out)
{
    const heft_head head = {.shape = HEFT_W_ATTR, .w = u->w, .base = u->base};
    const heft_loss loss = {.fn = count_wrong};
    double         *none = NULL, wrong = 0;
    set_weights(u, start);
    out->first = out->min.f0 - penalty(u);
    set_weights(u, x);
    out->last = out->min.f - penalty(u);
    if (u->set->loss == HEFT_ENB && !u->set->plain_sum) {
        out->in_logs = fmax(out->first, out->last) > 700;
        if (!out->in_logs) out->first = expm1(out->first), out->last = expm1(out->last);
    }
    if (u->unit > 0) { /* enb's plain sum, of which a double holds only the logarithm */
        out->in_logs = true;
        out->first = u->unit + log(out->first);
        out->last = u->unit + log(fmax(out->last, DBL_MIN));
    }
    if (!out->in_logs && out->last < 1e-3 * u->ev->total && u->n_var > 0) {
        HEFT_CHECK(heft_evidence_sum(ctx, u->ev, &head, 1, &loss, &wrong, NULL, &none));
        out->separable = wrong == 0;
    }
    for (size_t j = 0; j < u->ev->n_attr; j++) out->n_kept += u->w[j] > 0;
    return HEFT_OK;
}

/* Minimises over u->w and u->w0, which hold 1 for what is not learned.
 *
 * The variables are the weights of attributes with evidence, and w0 if it is free and the priors
 * differ. An attribute without evidence keeps weight 1. Columns differ in size by orders of
 * magnitude; divided by the root of their mean size they need fewer iterations than unscaled, or
 * than divided by the mean size itself. */
static heft_status learn(heft_ctx *ctx, learner *u, learned *out)
{
    const heft_evidence *ev = u->ev;
    double              *x, *start, *lower, *upper, prior = 0;
    *out = (learned){0};
    u->size = 1;
    HEFT_ALLOCS(ctx, &ctx->scratch, ev->n_attr + 1, u->var, u->scale, u->gradient, u->spread);
    HEFT_ALLOCS(ctx, &ctx->scratch, ev->n_attr + 1, x, start, lower, upper);
    HEFT_ALLOCS(ctx, &ctx->scratch, ev->n_base, u->base, u->base_gradient);
    HEFT_CHECK(heft_evidence_spread(ctx, ev, u->spread));
    for (size_t c = 0; c < ev->n_base; c++)
        if (isfinite(u->prior[c])) prior += fabs(u->prior[c]) / (double)ev->n_base;
    if (u->set->loss == HEFT_GDNB && prior > 0) {
        u->scale[u->n_var] = u->set->unscaled ? 1 : sqrt(prior);
        u->var[u->n_var++] = SIZE_MAX;
        u->by_base = true;
    }
    for (size_t j = 0; j < ev->n_attr; j++) {
        if (!ev->active[j]) continue;
        u->scale[u->n_var] = u->spread[j] > 1e-100 && !u->set->unscaled ? sqrt(u->spread[j]) : 1;
        u->var[u->n_var++] = j;
    }
    for (size_t k = 0; k < u->n_var; k++) {
        upper[k] = u->set->bound * u->scale[k];
        start[k] = x[k] = fmin(u->set->start * u->scale[k], upper[k]);
    }
    if (u->set->plain_sum) {
        set_weights(u, start);
        HEFT_CHECK(find_shift(ctx, u));
        if (u->shift > LARGEST_EXPONENT) u->unit = u->shift;
    }
    /* The log losses of one score are convex. With many rows for each weight, second derivatives
     * cost little beside what they save. */
    const bool convex = loss_fn(u) == log_margin && u->n_var <= HEFT_MOST_BENT &&
                        ev->size >= MANY_ROWS && ev->size >= MANY_EACH * (double)u->n_var;
    heft_problem problem = {u->n_var, objective, u, lower, upper, .mark = u->scale};
    if (convex) {
        HEFT_CHECK(heft_drawn_begin(ctx, ev, u->n_var, &ctx->scratch, &u->sample));
        u->drawing = u->sample.in != NULL;
        problem.second = second;
    }
    HEFT_CHECK(heft_lbfgsb(ctx, &problem, &u->set->stop, NULL, x, &out->min));
    HEFT_CHECK(record(ctx, u, start, x, out));
    u->w0 *= u->set->link;
    for (size_t j = 0; j < ev->n_attr; j++) u->w[j] *= u->set->link;
    return HEFT_OK;
}

/* ---- fit ---- */

typedef struct problem { /* the data that all class pairs share */
    const settings      *set;
    const heft_rows     *rows;
    const heft_fitted   *fitted;
    const heft_row_list *lists; /* rows by class; NULL for a single pair */
    learned             *how;   /* outcome of each pair */
} problem;

static heft_status learn_pair(heft_ctx *ctx, void *user, size_t k, heft_class_pair *pair)
{
    const problem *p = user;
    const double   P0 = p->fitted->log_prior[pair->a] - p->fitted->log_prior[pair->b];
    heft_evidence *ev;
    HEFT_CHECK(heft_evidence_pair(ctx, p->rows, p->fitted->lik, p->lists, pair->a, pair->b,
                                  &ctx->scratch, &ev));
    learner u = {.set = p->set, .ev = ev, .prior = &P0, .w0 = pair->w0, .w = pair->w};
    HEFT_CHECK(learn(ctx, &u, &p->how[k]));
    pair->w0 = u.w0;
    return HEFT_OK;
}

/* Rows of a class that is left out are treated as rows of unknown class. */
static heft_status learn_all(heft_ctx *ctx, const problem *p, heft_fitted *out)
{
    heft_rows      rows = *p->rows;
    heft_evidence *ev;
    uint16_t      *y;
    HEFT_ALLOC(ctx, &ctx->scratch, y, rows.n_rows);
    for (size_t i = 0; i < rows.n_rows; i++)
        y[i] = isinf(out->log_prior[rows.y[i]]) ? (uint16_t)rows.n_class : rows.y[i];
    rows.y = y;
    HEFT_CHECK(heft_evidence_build(ctx, &rows, out->lik, &ctx->scratch, &ev));
    learner u = {.set = p->set, .ev = ev, .prior = out->log_prior, .w0 = 1, .w = out->weights.w};
    HEFT_CHECK(learn(ctx, &u, &p->how[0]));
    out->weights.w0 = u.w0;
    return HEFT_OK;
}

static void report(const settings *set, const learned *how, size_t n, heft_fitted *out)
{
    heft_training *t = &out->training;
    size_t         kept = 0, separable = 0, unfinished = 0;
    bool           in_logs = false;
    double         norm = 0;
    t->iterative = true;
    t->stopped_by = n ? how[0].min.stopped_by : "fewer than two classes have training rows";
    for (size_t k = 0; k < n; k++) {
        t->iterations += how[k].min.iterations;
        t->evaluations += how[k].min.evaluations;
        t->objective_initial += how[k].first;
        t->objective_final += how[k].last;
        kept += how[k].n_kept;
        separable += how[k].separable;
        norm = fmax(norm, how[k].min.pg_norm);
        in_logs = in_logs || how[k].in_logs;
        if (!how[k].min.converged && unfinished++ == 0) t->stopped_by = how[k].min.stopped_by;
    }
    t->converged = unfinished == 0;
    if (n == 0) return;
    if (in_logs) heft_fact_text(out, "objective_scale", "log(1 + loss)");
    heft_fact_number(out, "projected_gradient", norm);
    if (out->n_attr > 0)
        heft_fact_number(out, "selection_rate", (double)kept / (double)(n * out->n_attr));
    if (out->own) {
        heft_fact_number(out, "pairs", (double)n);
        heft_fact_number(out, "separable_pairs", (double)separable);
        heft_fact_number(out, "unfinished_pairs", (double)unfinished);
        return;
    }
    if (set->loss == HEFT_GDNB) heft_fact_number(out, "w0", out->weights.w0);
    heft_fact_text(out, "separable",
                   separable ? "yes: every training row is on the right side, so larger weights "
                               "always lower the loss"
                             : "no");
}

static heft_status fit(heft_ctx *ctx, const heft_task *task, heft_fitted *out,
                       heft_margin_loss which)
{
    const heft_value *bound = heft_param(task, "bound");
    settings          set = {
                 .loss = which,
                 .stop = {.memory = (size_t)heft_param_num(task, "memory"),
                          .rel_tol = heft_param_num(task, "tol"),
                          .pg_tol = heft_param_num(task, "pgtol"),
                          .max_iter = (long)heft_param_num(task, "max-iter")},
                 .start = heft_param_num(task, "start"),
                 .bound = bound->word == 0 ? INFINITY : bound->num,
                 .l2 = heft_param_num(task, "l2"),
                 .link = heft_param_num(task, "link"),
                 .unscaled = heft_param(task, "scale")->word == 1,
                 .plain_sum = which == HEFT_ENB && heft_param(task, "objective")->word == 1,
    };
    problem        p = {.set = &set, .rows = task->rows, .fitted = out};
    size_t        *classes, n = 0;
    heft_counts    counts;
    heft_row_list *lists = NULL;
    HEFT_CHECK(heft_fit_basis(ctx, task, out, &counts));
    HEFT_ALLOC(ctx, task->arena, out->weights.w, out->n_attr);
    for (size_t j = 0; j < out->n_attr; j++) out->weights.w[j] = 1;
    out->weights.shape = HEFT_W_ATTR;
    HEFT_ALLOC(ctx, &ctx->scratch, classes, out->n_class);
    for (size_t c = 0; c < out->n_class; c++)
        if (counts.class_sum[c] > 0 && isfinite(out->log_prior[c])) classes[n++] = c;
    /* If two classes have rows, a class without rows is left out, whatever its prior. */
    if (n > 1)
        for (size_t c = 0; c < out->n_class; c++)
            if (counts.class_sum[c] == 0) out->log_prior[c] = -INFINITY;
    const int multiclass = heft_param(task, "multiclass")->word;
    set.direct = multiclass == MULTICLASS_DIRECT ||
                 (multiclass == MULTICLASS_AUTO && n > MOST_PAIRED_CLASSES);
    const size_t n_problems = n < 2 ? 0 : n == 2 || set.direct ? 1 : n * (n - 1) / 2;
    HEFT_ALLOC(ctx, &ctx->scratch, p.how, n_problems);
    if (n == 2) { /* no vote is needed: f = s_a - s_b, and the shared scorer does the rest */
        heft_class_pair pair = {classes[0], classes[1], 1, out->weights.w};
        HEFT_CHECK(learn_pair(ctx, &p, 0, &pair));
        out->weights.w0 = pair.w0;
    } else if (n > 2 && set.direct) HEFT_CHECK(learn_all(ctx, &p, out));
    else if (n > 2) {
        HEFT_CHECK(heft_rows_by_class(ctx, task->rows, &ctx->scratch, &lists));
        p.lists = lists;
        HEFT_CHECK(heft_ovo_fit(ctx, classes, n, learn_pair, &p, out));
    }
    report(&set, p.how, n_problems, out);
    return HEFT_OK;
}

/* ---- public ---- */

heft_status heft_margin_loss_at(heft_ctx *ctx, const heft_evidence *ev, heft_margin_loss loss,
                                const double *prior, double w0, const double *w, double *f,
                                double *gradient)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const settings set = {.loss = loss};
    learner        u = {.set = &set, .ev = ev, .prior = prior, .w0 = w0, .by_base = true};
    HEFT_ALLOCS(ctx, &ctx->scratch, ev->n_base, u.base, u.base_gradient);
    HEFT_ALLOC(ctx, &ctx->scratch, u.w, ev->n_attr);
    memcpy(u.w, w, ev->n_attr * sizeof *w);
    u.gradient = gradient + 1;
    set_weights(&u, NULL); /* no variables: the base alone */
    HEFT_CHECK(data_loss(ctx, &u, f));
    gradient[0] = slope_by_w0(&u);
    return HEFT_OK;
}

/* Zero iterations give naive Bayes. For more than two classes the vote then decides as naive Bayes
 * does, but its shares are not posteriors: hence the direct form here. */
static const heft_twin as_nb[] = {
    HEFT_TWIN("max-iter=0 multiclass=direct", "nb", "variance=class", 1e-12), HEFT_TWIN_END};

#define RECORD(id, loss, what, from, option_table)                                                 \
    static heft_status fit_##id(heft_ctx *ctx, const heft_task *task, heft_fitted *out)            \
    {                                                                                              \
        return fit(ctx, task, out, loss);                                                          \
    }                                                                                              \
    const heft_method heft_method_##id = {                                                         \
        .name = #id,                                                                               \
        .title = what,                                                                             \
        .source = from,                                                                            \
        .family = HEFT_EMBEDDED,                                                                   \
        .caps = HEFT_TAKES_NUMBERS | HEFT_TAKES_MISSING | HEFT_TAKES_WEIGHTS |                     \
                HEFT_TAKES_ONE_CLASS | HEFT_ADDITIVE | HEFT_SHARDS | HEFT_VOTES,                   \
        .prepare = {.smoothing = "laplace", .prior = "frequency"},                                 \
        .options = option_table,                                                                   \
        .twins = as_nb,                                                                            \
        .fit = fit_##id,                                                                           \
        .score = heft_ovo_score,                                                                   \
        .state = &heft_ovo_state,                                                                  \
        .terms = heft_ovo_terms,                                                                   \
    }

RECORD(enb, HEFT_ENB, "attribute weights that minimise the exponential loss",
       "[kim2022], (8) (10) (21)-(24)", enb_options);
RECORD(dnb, HEFT_DNB, "attribute weights that minimise the deviance",
       "[kim2022], (8) (13) (21)-(24)", OTHER_OPTIONS);
RECORD(lnb, HEFT_LNB, "attribute weights that maximise the conditional likelihood",
       "[kim2022], (8) (14) (21)-(24)", OTHER_OPTIONS);
RECORD(gdnb, HEFT_GDNB, "attribute and prior weights that maximise the conditional likelihood",
       "[kim2022], (8) (19) (21)-(24)", OTHER_OPTIONS);
RECORD(mse, HEFT_MSE, "attribute weights that minimise the squared error",
       "[zaidi2013], for two classes as compared in [kim2022], (8) (21)-(24)", OTHER_OPTIONS);
