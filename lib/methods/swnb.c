/* swnb.c - subspace-weighted naive Bayes for data with thousands of attributes, sparse too.
 * Chen and Wang, Automated Feature Weighting in Naive Bayes for High-dimensional Data
 * Classification.
 *
 * Class k has means mu_kj, one scale sigma_k and weights w_kj in (0, 1); the score of a row is
 *
 *   S_k(x) = ln(n_k/N) + 1/2 sum_j ln w_kj - (D/2) ln(2 pi sigma_k^2)
 *            - 1/(2 sigma_k^2) sum_j w_kj (x_j - mu_kj)^2
 *
 * that is, a normal whose variance is sigma_k^2 / w_kj: the shared scorer does the rest, on sparse
 * rows by differences from the all-zero row. With v_kj the variance of the class (divisor n_k) the
 * weights are a fixed point, found class by class (index k left out):
 *
 *   w0 = 1/(1 + exp(tau s)),  T = D w0,  V = s^2;    start w_j = w0, lam2 = 0; repeat
 *   sigma^2 = (1/D) sum w_j v_j                                                            (15)
 *   m       = (1/D) sum logit(w_j)                                                         (16)
 *   q_j = w_j (1 - w_j),  a_j = 3 w_j - 1 - q_j v_j / sigma^2
 *   L = sqrt( sum (a_j - 2 q_j lam2)^2 / (D V) )       4 lambda_1, with the last lam2      (18)
 *   lam2: sum_j sigmoid( m + (a_j - 2 q_j lam2)/L ) = T                                    (19)
 *   u_j = sigmoid( m + (a_j - 2 q_j lam2)/L );   w_j <- w_j + damp (u_j - w_j)             (20)
 *
 * DEVIATION: the paper holds the spread of the logits at D s; s is a standard deviation (7), so D
 * s^2 is meant, and with it the paper's case study comes out. DEVIATION: the plain iteration (damp
 * = 1) oscillates without end on text; damp = auto halves the step when it does. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/rows.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/vec.h"
#include "learn/basis.h"
#include "model/method.h"
#include "stats/moments.h"

static const heft_option options[] = {
    HEFT_OPT_NUMBER("tau", "7", 0, 1000, "controls how few attributes get a large weight"),
    HEFT_OPT_NUMBER("s", "0.5", 0, 100, "spread of the weights' logits; 0 makes all weights equal"),
    HEFT_OPT_ABOVE("tol", "1e-5", 0, 1, "stop when no weight changes by more than this"),
    HEFT_OPT_WHOLE("passes", "100", 0, 1000000, "maximum number of passes per class"),
    HEFT_OPT_ABOVE_OR("auto", "damp", "auto", 0, 1,
                      "fraction of each step that is taken; 1 is the iteration of the paper"),
    HEFT_OPT_NUMBER("threshold", "0.1", 0, 1, "weight from which an attribute counts as selected"),
    HEFT_OPT_END,
};

typedef struct settings {
    double tau, s, tol, damp; /* damp 0: auto */
    long   passes;
} settings;

typedef struct subspace { /* one class */
    double sigma, rho, m, L, lam2, damp;
    long   passes;
    bool   converged, flat; /* flat: the weights stayed at w0 */
} subspace;

static double logit(double w)
{
    const double p = fmin(fmax(w, 1e-15), 1 - 1e-15);
    return log(p) - log1p(-p);
}

/* Attributes of equal variance have equal weights, so each variance is worked on once, with the
 * number of attributes that have it: in sparse data most have none. In increasing order, which
 * makes the result independent of the order of the attributes. */
typedef struct work { /* G each */
    size_t  G;
    double *count, *v, *w, *a, *q, *r, *r_last, *u;
} work;

/* u_g = sigmoid(m + (a_g - 2 q_g lam)/L); returns their sum over attributes and its derivative. */
static double new_weights(const work *k, double m, double L, double lam, double *slope)
{
    double sum = 0, d = 0;
    for (size_t g = 0; g < k->G; g++) k->u[g] = m + (k->a[g] - 2 * k->q[g] * lam) / L;
    heft_sigmoid_all(k->u, k->G);
    for (size_t g = 0; g < k->G; g++) {
        sum += k->count[g] * k->u[g];
        d += k->count[g] * (k->q[g] * k->u[g] * (1 - k->u[g]));
    }
    *slope = -2 / L * d;
    return sum;
}

/* The sum falls strictly from D to 0 as lam grows, so there is one root: bracketed from the last
 * one by doubling, then Newton, with bisection wherever Newton leaves the bracket or the slope has
 * underflowed. The weights of the root are left in k->u. */
static double solve_lam2(const work *k, double m, double L, double T, double lam)
{
    const double near = 1e-12 * T;
    double       slope, f = new_weights(k, m, L, lam, &slope), lo = lam, hi = lam;
    if (fabs(f - T) <= near) return lam;
    const bool above = f > T;
    double     newton = slope < 0 ? (f - T) / -slope : NAN; /* often a step beyond the root */
    double     step = isfinite(newton) ? 1.5 * fabs(newton) + 1e-9 : 1 + fabs(lam) * 0.01;
    for (; isfinite(step); step *= 2) {
        if (above) lo = hi, hi = lam + step;
        else hi = lo, lo = lam - step;
        if ((new_weights(k, m, L, above ? hi : lo, &slope) > T) != above) break;
    }
    double x = isfinite(newton) ? lam + newton : NAN;
    if (!(x > lo && x < hi)) x = 0.5 * (lo + hi);
    for (int round = 0; round < 200; round++) {
        f = new_weights(k, m, L, x, &slope);
        if (fabs(f - T) <= near) break;
        if (f > T) lo = x;
        else hi = x;
        double next = slope < 0 ? x - (f - T) / slope : NAN;
        if (!(next > lo && next < hi)) next = 0.5 * (lo + hi);
        if (next == x || !(hi - lo > 0)) break;
        x = next;
    }
    return x;
}

static double dot(const work *k, const double *a, const double *b)
{
    double sum = 0;
    for (size_t g = 0; g < k->G; g++) sum += k->count[g] * (a[g] * b[g]);
    return sum;
}

/* rho_k of Theorem 1: the mean over pairs of attributes of the product of their weighted standard
 * deviations, in units of sigma^2. It is at most 1, and 1 only where all of them are equal. */
static double evenness(const work *k, size_t D, double sigma2)
{
    double roots = 0, squares = 0;
    for (size_t g = 0; g < k->G; g++) {
        const double z = k->w[g] * k->v[g] / sigma2;
        roots += k->count[g] * sqrt(z);
        squares += k->count[g] * z;
    }
    return D > 1 ? (roots * roots - squares) / ((double)D * (double)(D - 1)) : 1;
}

static const double LEAST_SD = 1e-5;

static bool one_pass(const settings *how, work *k, size_t D, double T, subspace *out, int *turns)
{
    const double V = how->s * how->s;
    const double sigma2 = fmax(dot(k, k->w, k->v) / (double)D, LEAST_SD * LEAST_SD); /* (15) */
    double       sum = 0, m = 0, change = 0;
    for (size_t g = 0; g < k->G; g++) m += k->count[g] * logit(k->w[g]);
    out->m = m /= (double)D;
    for (size_t g = 0; g < k->G; g++) {
        k->q[g] = k->w[g] * (1 - k->w[g]);
        k->a[g] = 3 * k->w[g] - 1 - k->q[g] * k->v[g] / sigma2;
        const double phi = k->a[g] - 2 * k->q[g] * out->lam2;
        sum += k->count[g] * (phi * phi);
    }
    out->L = fmax(sqrt(sum / ((double)D * V)), 1e-10);
    out->lam2 = solve_lam2(k, m, out->L, T, out->lam2);
    for (size_t g = 0; g < k->G; g++) {
        k->r[g] = k->u[g] - k->w[g];
        change = fmax(change, fabs(k->r[g]));
        k->w[g] += out->damp * k->r[g];
    }
    if (how->damp == 0 && out->passes > 1) { /* the step is halved after two steps that turn back */
        const double along = dot(k, k->r, k->r_last);
        const double size = sqrt(dot(k, k->r, k->r) * dot(k, k->r_last, k->r_last));
        *turns = along < -0.3 * size ? *turns + 1 : 0;
        if (*turns == 2) out->damp = fmax(out->damp / 2, 1.0 / 16), *turns = 0;
    }
    double *t = k->r;
    k->r = k->r_last, k->r_last = t;
    return change < how->tol;
}

/* ---- all classes ---- */

typedef struct job {
    const heft_moments *moments;
    const settings     *how;
    heft_fitted        *out;
    subspace           *found; /* n_class */
    size_t             *attr;  /* the D numeric attributes that are not constant */
    size_t              D;
} job;

/* Finds the distinct variances of class c, and which of them each attribute has. */
static heft_status group_variances(heft_ctx *ctx, const job *g, size_t c, work *k, size_t **group)
{
    heft_ranked *order, *spare;
    HEFT_ALLOCS(ctx, &ctx->scratch, g->D, *group, order, spare);
    for (size_t d = 0; d < g->D; d++) {
        const heft_moments *m = &g->moments[g->attr[d]];
        const double        sd = m->n[c] > 0 ? m->spread[c] / sqrt(m->n[c]) : 0;
        order[d] = (heft_ranked){heft_order_key(fmin(sd * sd, 1e200)), d};
    }
    heft_order_sort(order, spare, g->D);
    k->G = 0;
    for (size_t d = 0; d < g->D; d++) {
        if (d == 0 || order[d].key != order[d - 1].key) k->G++;
        (*group)[order[d].row] = k->G - 1;
    }
    HEFT_ALLOCS(ctx, &ctx->scratch, k->G, k->count, k->v, k->w, k->a, k->q, k->r, k->r_last, k->u);
    for (size_t d = 0; d < g->D; d++) {
        k->count[(*group)[order[d].row]]++;
        k->v[(*group)[order[d].row]] = heft_order_value(order[d].key);
    }
    return HEFT_OK;
}

static heft_status class_task(heft_ctx *ctx, void *arg, size_t c)
{
    const job      *g = arg;
    const settings *how = g->how;
    const double    w0 = heft_sigmoid(-how->tau * how->s);
    const size_t    K = g->out->n_class;
    subspace       *out = &g->found[c];
    work            k = {0};
    size_t         *group;
    int             turns = 0;
    if (isinf(g->out->log_prior[c])) return HEFT_OK;
    HEFT_CHECK(group_variances(ctx, g, c, &k, &group));
    const double least = k.G ? k.v[0] : 0, most = k.G ? k.v[k.G - 1] : 0;
    for (size_t i = 0; i < k.G; i++) k.w[i] = w0;
    *out = (subspace){.damp = how->damp == 0 ? 1 : how->damp, .m = logit(w0)};
    out->flat = g->D == 0 || most - least <= 1e-14 * most || how->s == 0 || !(most > 0);
    out->converged = out->flat;
    while (!out->converged && out->passes < how->passes) {
        HEFT_CHECK(heft_check_cancel(ctx));
        out->passes++;
        out->converged = one_pass(how, &k, g->D, (double)g->D * w0, out, &turns);
    }
    out->sigma = fmax(sqrt(g->D ? dot(&k, k.w, k.v) / (double)g->D : 0), LEAST_SD);
    out->rho = evenness(&k, g->D, out->sigma * out->sigma);
    for (size_t d = 0; d < g->D; d++) {
        const size_t        j = g->attr[d];
        const heft_moments *m = &g->moments[j];
        const double        w = k.w[group[d]];
        g->out->weights.w[j * K + c] = w;
        g->out->lik[j].mean[c] = m->n[c] > 0 ? m->mean[c] : m->mean[K];
        g->out->lik[j].sd[c] = out->sigma / sqrt(w);
    }
    return HEFT_OK;
}

static heft_status report(heft_ctx *ctx, const heft_task *task, const job *g, double threshold)
{
    heft_fitted *out = g->out;
    const size_t K = out->n_class, D = g->D;
    size_t       in_union = 0;
    out->training.iterative = out->training.converged = true;
    for (size_t c = 0; c < K; c++) {
        if (isinf(out->log_prior[c])) continue;
        out->training.iterations += g->found[c].passes;
        out->training.converged = out->training.converged && g->found[c].converged;
    }
    out->training.stopped_by = out->training.converged
                                   ? "no weight of any class changed by more than tol"
                                   : "the pass limit was reached";
    for (size_t j = 0; j < D; j++) {
        bool any = false;
        for (size_t c = 0; c < K; c++)
            any = any ||
                  (!isinf(out->log_prior[c]) && out->weights.w[g->attr[j] * K + c] >= threshold);
        in_union += any;
    }
    heft_fact_number(out, "selected_union", (double)in_union);
    for (size_t c = 0; c < K && c < HEFT_MAX_FACTS - 4; c++) {
        size_t n = 0;
        char  *name, *text;
        if (isinf(out->log_prior[c])) continue;
        for (size_t j = 0; j < D; j++) n += out->weights.w[g->attr[j] * K + c] >= threshold;
        const char *label = heft_dict_text(task->prep->classes, (uint32_t)c);
        HEFT_ALLOC(ctx, task->arena, name, strlen(label) + 16);
        HEFT_ALLOC(ctx, task->arena, text, 200);
        snprintf(name, strlen(label) + 16, "class %s", label);
        snprintf(text, 200, "%s selected, %s%s; m %.6f, L %.6g, lam2 %.6g, sigma %.6g, rho %.6g",
                 HEFT_COUNT_OF(n, "attribute"), HEFT_COUNT_OF((size_t)g->found[c].passes, "pass"),
                 g->found[c].flat        ? ", all weights equal"
                 : g->found[c].converged ? ""
                                         : ", not converged",
                 g->found[c].m, g->found[c].L, g->found[c].lam2, g->found[c].sigma,
                 g->found[c].rho);
        heft_fact_text(out, name, text);
    }
    return HEFT_OK;
}

static heft_status fit_swnb(heft_ctx *ctx, const heft_task *task, heft_fitted *out)
{
    const heft_rows *rows = task->rows;
    const size_t     K = rows->n_class;
    const settings   how = {
          .tau = heft_param_num(task, "tau"),
          .s = heft_param_num(task, "s"),
          .tol = heft_param_num(task, "tol"),
          .damp = heft_param(task, "damp")->word == 0 ? 0 : heft_param_num(task, "damp"),
          .passes = (long)heft_param_num(task, "passes"),
    };
    job             g = {.how = &how, .out = out};
    heft_moments   *moments;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    HEFT_CHECK(heft_fit_basis(ctx, task, out, NULL));
    heft_arena_rewind(&ctx->scratch, mark); /* frees the moments of the basis, which are as large
                                               as those below */
    out->weights = (heft_weights){.shape = HEFT_W_CLASS, .folded = true, .w0 = 1};
    HEFT_ALLOC(ctx, task->arena, out->weights.w, rows->n_attr * K);
    HEFT_ALLOC(ctx, &ctx->scratch, g.attr, rows->n_attr);
    for (size_t j = 0; j < rows->n_attr; j++) {
        for (size_t c = 0; c < K; c++) out->weights.w[j * K + c] = 1;
        if (rows->attr[j].coded || out->lik[j].silent) continue;
        g.attr[g.D++] = j;
        for (size_t c = 0; c < K; c++) out->lik[j].sd[c] = 1;
    }
    HEFT_ALLOC(ctx, &ctx->scratch, g.found, K);
    HEFT_CHECK(heft_moments_of(ctx, rows, &ctx->scratch, &moments));
    g.moments = moments;
    HEFT_CHECK(heft_run(ctx, K, class_task, &g));
    return report(ctx, task, &g, heft_param_num(task, "threshold"));
}

const heft_method heft_method_swnb = {
    .name = "swnb",
    .title = "subspace weights for high-dimensional and sparse data",
    .source = "[chen2012], (7) (15)-(20)",
    .family = HEFT_EMBEDDED,
    .caps = HEFT_TAKES_NUMBERS | HEFT_TAKES_SPARSE | HEFT_TAKES_MISSING | HEFT_TAKES_WEIGHTS |
            HEFT_ADDITIVE | HEFT_SHARDS,
    .prepare = {.scale = "range", .prior = "frequency"},
    .options = options,
    .fit = fit_swnb,
};
