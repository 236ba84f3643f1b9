/* squared.c - weights that minimise the squared error of the posterior: wanbia, cawnb and rnb.
 *
 * Wang, Ren and Bai, regularized naive Bayes. l_icj = log theta_{c,j,x_ij}, Y_ic = 1 for the class
 * of row i and 0 elsewhere, E = P - Y:
 *
 *   f        = 1/2 sum_i sum_c E_ic^2                                                 (5)
 *   G^D_ic   = P^D_ic ( E_ic - sum_k E_ik P^D_ik ),  G^I likewise with P^I
 *   df/dW_cj = alpha       sum_i G^D_ic l_icj
 *   df/dw_j  = (1 - alpha) sum_i sum_c G^I_ic l_icj                                   (16)
 *   df/da    = sum_i sum_c E_ic (P^D_ic - P^I_ic)                                     (17)
 *
 * DEVIATION: (15) prints G^D_ic = E_ic P^D_ic (1 - P^D_ic), which forgets that W_cj moves the
 * posteriors of the other classes too: half the slope for two classes, another direction for more.
 * It stays behind gradient=printed, because the paper's figures rest on it; a minimiser fed with it
 * ends where its line search finds nothing lower. (18)-(20) add where a loss must be lowered.
 * Tests: printed_is_half_for_two_classes, gradients_match_differences. */
#include "learn/squared.h"

#include <math.h>

#include "base/double_double.h"
#include "base/num.h"
#include "base/vec.h"

/* Log-likelihoods of a numeric attribute may be of any size; its variable is scaled to keep the
 * gradient below this many times the rows. */
static const double LARGE = 1e6;

typedef struct point { /* the values that the loss is computed from */
    size_t n_class;
    double alpha;
    bool   printed; /* whether the first head uses the printed form */
} point;

/* ---- loss ---- */

/* The error has several minima, and the last bit of a sum can decide which one is found. The terms
 * of sums over classes are therefore rounded so that the order of the classes does not matter. No
 * such sum is above 2. */
static const double GRAIN = 6;

/* 1/2 sum_c E_c^2 of a row, from the sum of P_c^2 and the P of its class. */
static double half_error(double square, double own)
{
    return (square - heft_rounded(own * own, GRAIN) + (1 - own) * (1 - own)) / 2;
}

void heft_squared_loss(const heft_tile *tile, bool printed, double *scores, double *value)
{
    const size_t K = tile->n_score;
    heft_softmax_all(scores, tile->n, K, NULL);
    for (size_t i = 0; i < tile->n; i++) {
        double      *p = scores + i * K;
        const size_t y = tile->y[i];
        double       square = 0; /* sum of p^2 */
        for (size_t c = 0; c < K; c++) square += heft_rounded(p[c] * p[c], GRAIN);
        const double dot = square - p[y];
        value[i] = half_error(square, p[y]);
        for (size_t c = 0; c < K; c++) {
            const double e = p[c] - (c == y);
            p[c] *= printed ? e * (1 - p[c]) : e - dot;
        }
    }
}

static void one_part(const void *user, const heft_tile *tile, double *scores, double *value)
{
    heft_squared_loss(tile, ((const point *)user)->printed, scores, value);
}

/* Loss of the mixture of two posteriors; the second sum is df/dalpha, (17). */
static void two_parts(const void *user, const heft_tile *tile, double *scores, double *value)
{
    const point *at = user;
    const size_t K = at->n_class;
    const double a = at->alpha, b = 1 - at->alpha;
    heft_softmax_all(scores, 2 * tile->n, K, NULL);
    for (size_t i = 0; i < tile->n; i++) {
        double      *d = scores + 2 * i * K, *s = d + K;
        const size_t y = tile->y[i];
        double       square = 0, dot_d = 0, dot_s = 0; /* with p; then with e */
        for (size_t c = 0; c < K; c++) {
            const double p = a * d[c] + b * s[c];
            square += heft_rounded(p * p, GRAIN);
            dot_d += heft_rounded(p * d[c], GRAIN);
            dot_s += heft_rounded(p * s[c], GRAIN);
        }
        value[i] = half_error(square, a * d[y] + b * s[y]);
        dot_d -= d[y];
        dot_s -= s[y];
        value[tile->n + i] = dot_d - dot_s;
        for (size_t c = 0; c < K; c++) {
            const double e = a * d[c] + b * s[c] - (c == y);
            d[c] *= a * (at->printed ? e * (1 - d[c]) : e - dot_d);
            s[c] *= b * (e - dot_s);
        }
    }
}

heft_status heft_squared_value(heft_ctx *ctx, void *user, const double *x, double *f,
                               double *gradient)
{
    heft_squared            *q = user;
    const heft_squared_rule *r = &q->rule;
    const bool               both = r->by_class && r->by_attr;
    const point at = {q->n_class, q->at_alpha < q->n ? x[q->at_alpha] : r->alpha, r->printed};
    heft_head   heads[2];
    double     *g[2], sums[2] = {0};
    size_t      n_heads = 0;
    if (r->by_class) {
        g[n_heads] = gradient;
        heads[n_heads++] = (heft_head){HEFT_W_CLASS, x, NULL, q->log_prior};
    }
    if (r->by_attr) {
        g[n_heads] = gradient + q->at_attr;
        heads[n_heads++] = (heft_head){HEFT_W_ATTR, x + q->at_attr, NULL, q->log_prior};
    }
    const heft_loss loss = {both ? two_parts : one_part, &at, both, &q->size};
    HEFT_CHECK(heft_evidence_sum(ctx, q->ev, heads, n_heads, &loss, sums, NULL, g));
    *f = sums[0];
    if (q->at_alpha < q->n) gradient[q->at_alpha] = sums[1];
    heft_dd away = {0, 0};
    if (r->l2 > 0)
        for (size_t k = 0; k < q->at_alpha; k++) {
            away = heft_dd_add(away, heft_two_square(x[k] - 1));
            gradient[k] += r->l2 * (x[k] - 1);
        }
    *f += r->l2 / 2 * away.high;
    return HEFT_OK;
}

/* ---- the minimiser's variables ---- */

/* Element of by_attr[n_attr] for the attribute of variable k. */
static double of_attr(const heft_squared *q, const double *by_attr, size_t k)
{
    return k < q->at_attr ? by_attr[k / q->n_class] : by_attr[k - q->at_attr];
}

/* Factor between the weight and the minimiser's variable k. */
static double scale_of(const heft_squared *q, size_t k)
{
    return k >= q->at_alpha ? 1 : of_attr(q, q->scale, k);
}

static heft_status scaled_value(heft_ctx *ctx, void *user, const double *x, double *f,
                                double *gradient)
{
    const heft_squared *q = user;
    HEFT_SCRATCH_SCOPE(ctx);
    double *w;
    HEFT_ALLOC(ctx, &ctx->scratch, w, q->n);
    for (size_t k = 0; k < q->n; k++) w[k] = x[k] / scale_of(q, k);
    HEFT_CHECK(heft_squared_value(ctx, user, w, f, gradient));
    for (size_t k = 0; k < q->n; k++) gradient[k] /= scale_of(q, k);
    return HEFT_OK;
}

/* ---- public ---- */

void heft_squared_options(const heft_task *task, heft_squared_rule *rule)
{
    const heft_value *bounds = heft_param(task, "bounds");
    rule->l2 = heft_param_num(task, "l2");
    rule->lower = bounds->word == 0 ? -INFINITY : bounds->num;
    rule->upper = bounds->word == 0 ? INFINITY : bounds->num2;
    rule->stop = (heft_stop){.memory = (size_t)heft_param_num(task, "memory"),
                             .rel_tol = heft_param_num(task, "tol"),
                             .pg_tol = 1e-10,
                             .max_iter = (long)heft_param_num(task, "max-iter")};
}

heft_status heft_squared_open(heft_ctx *ctx, const heft_task *task, const heft_fitted *basis,
                              const heft_squared_rule *rule, heft_squared **out)
{
    heft_squared  *q;
    heft_evidence *ev;
    const size_t   A = basis->n_attr;
    HEFT_ALLOC(ctx, &ctx->scratch, q, 1);
    HEFT_ALLOCS(ctx, &ctx->scratch, A, q->scale, q->spread);
    HEFT_CHECK(heft_evidence_build(ctx, task->rows, basis->lik, &ctx->scratch, &ev));
    HEFT_CHECK(heft_evidence_spread(ctx, ev, q->spread));
    for (size_t j = 0; j < A; j++) {
        q->scale[j] = q->spread[j] > LARGE ? q->spread[j] / LARGE : 1;
        q->scaled = q->scaled || q->scale[j] != 1;
    }
    q->rule = *rule;
    q->size = 0.5;
    q->ev = ev;
    q->log_prior = basis->log_prior;
    q->n_attr = A;
    q->n_class = basis->n_class;
    q->at_attr = rule->by_class ? A * basis->n_class : 0;
    q->at_alpha = q->at_attr + (rule->by_attr ? A : 0);
    q->n = q->at_alpha + (rule->learn_alpha ? 1 : 0);
    *out = q;
    return HEFT_OK;
}

void heft_squared_start(const heft_squared *q, double *x)
{
    for (size_t k = 0; k < q->n; k++) x[k] = k < q->at_alpha ? 1 : q->rule.alpha;
}

heft_status heft_squared_minimise(heft_ctx *ctx, heft_squared *q, heft_arena *trace, double *x,
                                  heft_minimum *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    double *lower, *upper, *mark;
    HEFT_ALLOCS(ctx, &ctx->scratch, q->n, lower, upper, mark);
    for (size_t k = 0; k < q->n; k++) {
        const double scale = scale_of(q, k);
        lower[k] = k < q->at_alpha ? q->rule.lower * scale : 0;
        upper[k] = k < q->at_alpha ? q->rule.upper * scale : 1;
        if (k < q->at_alpha) mark[k] = of_attr(q, q->spread, k);
        x[k] *= scale;
    }
    const heft_problem      problem = {.n = q->n,
                                       .fn = q->scaled ? scaled_value : heft_squared_value,
                                       .user = q,
                                       .lower = lower,
                                       .upper = upper,
                                       .mark = mark};
    const heft_descent_rule descent = {.eta0 = 1,
                                       .search = true,
                                       .rel_tol = q->rule.stop.rel_tol,
                                       .patience = 1,
                                       .floor = 1e-30,
                                       .max_iter = q->rule.stop.max_iter};
    HEFT_CHECK(q->rule.descent ? heft_descent(ctx, &problem, &descent, trace, x, out)
                               : heft_lbfgsb(ctx, &problem, &q->rule.stop, trace, x, out));
    for (size_t k = 0; k < q->n; k++) x[k] /= scale_of(q, k);
    return HEFT_OK;
}

double heft_selection_rate(const double *w, size_t n_attr, size_t per)
{
    size_t used = 0;
    for (size_t j = 0; j < n_attr; j++) {
        bool any = false;
        for (size_t k = 0; k < per; k++) any = any || w[j * per + k] != 0;
        used += any;
    }
    return n_attr ? (double)used / (double)n_attr : 1;
}
