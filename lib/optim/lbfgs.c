/* lbfgs.c - L-BFGS for very many variables in single precision.
 *
 * Nocedal's two-loop recursion (Updating Quasi-Newton Matrices with Limited Storage, Mathematics of
 * Computation 35, 1980) needs only inner products of the gradient g and the correction pairs
 * s_k = x_{k+1} - x_k, y_k = g_{k+1} - g_k. These products are kept in a small matrix, and the
 * recursion runs on the coefficients of the direction d in the basis of these vectors:
 *
 *   d = sum_k a_k s_k + sum_k b_k y_k + c g
 *
 * So an iteration reads every vector only twice: once for the new products, once to form d. Time is
 * dominated by these reads, because the vectors do not fit in the cache. */
#include "optim/optim.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/lanes.h"
#include "base/rows.h"
#include "optim/line_search.h"

enum { MOST = 16, BASIS = 2 * MOST + 1, LANES = 16, RUN = 32 * LANES, MOST_TRIES = 20 };

static const double DECREASE = 1e-4, CURVATURE = 0.9; /* constants of the Wolfe conditions */

typedef struct solver {
    heft_objective32_fn *fn;
    void                *user;
    size_t               n, memory, n_pairs, newest;
    float               *x, *g, *x_try, *g_try, *d;
    float               *s[MOST], *y[MOST];
    double               product[BASIS][BASIS]; /* s_k is at k, y_k at MOST + k, g last */
    double               coef[BASIS];           /* coefficients of the direction in the basis */
    double               f;
    bool                 used[MOST]; /* slots that have held a pair */
} solver;

enum { G = 2 * MOST };

/* ---- vectors ---- */

/* Inner product: short sums of products in single precision are added up in double precision. */
HEFT_WIDE_AVX2 static double dot(const float *a, const float *b, size_t n)
{
    double sum = 0;
    size_t i = 0;
    while (i + LANES <= n) {
        const size_t end = n - i < RUN ? n - n % LANES : i + RUN;
        heft_eight   x = {0}, y = {0};
        for (; i < end; i += LANES) {
            x += *(const heft_eight *)(a + i) * *(const heft_eight *)(b + i);
            y += *(const heft_eight *)(a + i + 8) * *(const heft_eight *)(b + i + 8);
        }
        x += y;
        for (size_t l = 0; l < 8; l++) sum += (double)x[l];
    }
    for (; i < n; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

/* Compute the inner products g.a, g.b, y.a, y.b and s.b in one pass, so that each vector is read
 * once. */
HEFT_WIDE_AVX2 static void five_dots(const float *g, const float *y, const float *s, const float *a,
                                     const float *b, size_t n, double *out)
{
    size_t i = 0;
    while (i + 8 <= n) {
        const size_t end = n - i < RUN ? n - n % 8 : i + RUN;
        heft_eight   sum[5] = {{0}};
        for (; i < end; i += 8) {
            const heft_eight p = *(const heft_eight *)(a + i), q = *(const heft_eight *)(b + i);
            const heft_eight h = *(const heft_eight *)(g + i), k = *(const heft_eight *)(y + i);
            sum[0] += h * p;
            sum[1] += h * q;
            sum[2] += k * p;
            sum[3] += k * q;
            sum[4] += *(const heft_eight *)(s + i) * q;
        }
        for (size_t l = 0; l < 5; l++)
            for (size_t c = 0; c < 8; c++) out[l] += (double)sum[l][c];
    }
    for (; i < n; i++) {
        out[0] += (double)g[i] * (double)a[i];
        out[1] += (double)g[i] * (double)b[i];
        out[2] += (double)y[i] * (double)a[i];
        out[3] += (double)y[i] * (double)b[i];
        out[4] += (double)s[i] * (double)b[i];
    }
}

/* Form a block of the new pair, and add its inner products with all pairs and with the gradient. */
static void pair_block(const void *arg, size_t lo, size_t hi, double *acc)
{
    const solver *v = arg;
    const size_t  n = hi - lo;
    float        *s = v->s[v->newest] + lo, *y = v->y[v->newest] + lo;
    const float  *g = v->g_try + lo;
    for (size_t i = 0; i < n; i++) {
        s[i] = v->x_try[lo + i] - v->x[lo + i];
        y[i] = g[i] - v->g[lo + i];
    }
    acc[0] += dot(g, g, n);
    for (size_t k = 0; k < v->memory; k++)
        if (v->used[k]) five_dots(g, y, s, v->s[k] + lo, v->y[k] + lo, n, acc + 1 + 5 * k);
}

static void set_product(solver *v, size_t a, size_t b, double x)
{
    v->product[a][b] = v->product[b][a] = x;
}

/* Make x_try the new x, and store the new pair. A pair without positive curvature is dropped. */
static heft_status accept(heft_ctx *ctx, solver *v, double f)
{
    double       sum[1 + 5 * MOST];
    const size_t at = v->newest = (v->newest + 1) % v->memory;
    v->used[at] = true;
    HEFT_CHECK(heft_sum_here(ctx, v->n, 1 + 5 * v->memory, pair_block, v, sum));
    const double curvature = sum[3 + 5 * at], size = sum[4 + 5 * at];
    set_product(v, G, G, sum[0]);
    for (size_t k = 0; k < v->memory; k++) {
        set_product(v, G, k, sum[1 + 5 * k]);
        set_product(v, G, MOST + k, sum[2 + 5 * k]);
        set_product(v, MOST + at, k, sum[3 + 5 * k]);
        set_product(v, MOST + at, MOST + k, sum[4 + 5 * k]);
        set_product(v, at, MOST + k, sum[5 + 5 * k]);
    }
    if (curvature > 1e-10 * size) v->n_pairs += v->n_pairs < v->memory;
    else v->n_pairs = 0;
    float *x = v->x, *g = v->g;
    v->x = v->x_try, v->x_try = x;
    v->g = v->g_try, v->g_try = g;
    v->f = f;
    return HEFT_OK;
}

/* ---- direction ---- */

static double against(const solver *v, size_t k)
{
    double sum = v->coef[G] * v->product[G][k];
    for (size_t l = 0; l < v->memory; l++) {
        if (v->coef[l] != 0) sum += v->coef[l] * v->product[l][k];
        if (v->coef[MOST + l] != 0) sum += v->coef[MOST + l] * v->product[MOST + l][k];
    }
    return sum;
}

static void find_shares(solver *v)
{
    double alpha[MOST];
    memset(v->coef, 0, sizeof v->coef);
    v->coef[G] = -1;
    for (size_t t = 0; t < v->n_pairs; t++) { /* from the newest pair to the oldest */
        const size_t k = (v->newest + v->memory - t) % v->memory;
        alpha[k] = against(v, k) / v->product[k][MOST + k];
        v->coef[MOST + k] -= alpha[k];
    }
    if (v->n_pairs) {
        const size_t k = v->newest;
        const double scale = v->product[k][MOST + k] / v->product[MOST + k][MOST + k];
        for (size_t l = 0; l < BASIS; l++) v->coef[l] *= scale;
    }
    for (size_t t = v->n_pairs; t-- > 0;) {
        const size_t k = (v->newest + v->memory - t) % v->memory;
        v->coef[k] += alpha[k] - against(v, MOST + k) / v->product[k][MOST + k];
    }
}

/* Form a block of the direction d, and its inner product with the gradient. */
HEFT_WIDE_AVX2 static void direction_block(const void *arg, size_t lo, size_t hi, double *acc)
{
    const solver *v = arg;
    const float   c = (float)v->coef[G];
    for (size_t first = lo; first < hi; first += RUN) { /* so short that d stays in the cache */
        const size_t n = hi - first < RUN ? hi - first : RUN;
        float       *d = v->d + first;
        for (size_t i = 0; i < n; i++) d[i] = c * v->g[first + i];
        for (size_t k = 0; k < v->memory; k++) {
            const float  a = (float)v->coef[k], b = (float)v->coef[MOST + k];
            const float *s = v->s[k] + first, *y = v->y[k] + first;
            if (v->coef[k] == 0 && v->coef[MOST + k] == 0) continue;
            for (size_t i = 0; i < n; i++) d[i] += a * s[i] + b * y[i];
        }
    }
    acc[0] += dot(v->d + lo, v->g + lo, hi - lo);
}

static heft_status find_direction(heft_ctx *ctx, solver *v, double *slope)
{
    find_shares(v);
    HEFT_CHECK(heft_sum_here(ctx, v->n, 1, direction_block, v, slope));
    if (*slope < 0 || v->n_pairs == 0) return HEFT_OK;
    v->n_pairs = 0; /* rounding has made the pairs useless: use steepest descent */
    find_shares(v);
    return heft_sum_here(ctx, v->n, 1, direction_block, v, slope);
}

/* ---- line search ---- */

/* Returns the step at the minimum of the cubic through a and b, kept away from both ends. */
static double between(const heft_line_point *a, const heft_line_point *b)
{
    double t = heft_cubic_least(a, b);
    if (!isfinite(t)) t = 0.5;
    t = t < 0.1 ? 0.1 : t > 0.9 ? 0.9 : t;
    return a->step + t * (b->step - a->step);
}

/* Returns a step beyond a, where f still falls: the step at which the slope would vanish if it
 * changed at a constant rate. */
static double beyond(const heft_line_point *start, const heft_line_point *a, double most)
{
    const double bend = (a->slope - start->slope) / a->step;
    const double guess = bend > 0 ? a->step - a->slope / bend : INFINITY;
    return fmin(fmax(guess, 2 * a->step), most * a->step);
}

static heft_status try_step(heft_ctx *ctx, solver *v, double step, heft_minimum *out,
                            heft_line_point *p)
{
    const float a = (float)step;
    HEFT_CHECK(heft_check_cancel(ctx));
    for (size_t i = 0; i < v->n; i++) v->x_try[i] = v->x[i] + a * v->d[i];
    HEFT_CHECK(v->fn(ctx, v->user, v->x_try, &p->f, v->g_try));
    out->evaluations++;
    p->step = step;
    p->slope = dot(v->g_try, v->d, v->n);
    if (!isfinite(p->f) || !isfinite(p->slope)) p->f = INFINITY, p->slope = INFINITY;
    return HEFT_OK;
}

/* Search along d. *found is set if x_try has a point that is lower, and *f is its value. */
static heft_status search(heft_ctx *ctx, solver *v, double slope, double step, long max_eval,
                          heft_minimum *out, double *f, bool *found)
{
    const heft_line_point start = {0, v->f, slope};
    heft_line_point       low = start, high = {0}, p;
    bool                  bounded = false;
    *found = false;
    for (int k = 0; k < MOST_TRIES; k++) {
        HEFT_CHECK(try_step(ctx, v, step, out, &p));
        const bool lower = p.f <= start.f + DECREASE * step * slope && p.f < start.f;
        const bool last = max_eval > 0 && out->evaluations >= max_eval;
        if (lower && (last || p.slope >= CURVATURE * slope)) {
            *f = p.f;
            *found = true;
            break;
        }
        if (last) break;
        if (lower) low = p;
        else high = p, bounded = true;
        if (bounded && fabs(high.step - low.step) <= 1e-7 * high.step) break;
        if (!bounded) step = beyond(&start, &p, v->n_pairs ? 10 : 100);
        else if (isfinite(high.f)) step = between(&low, &high);
        else step = low.step + 0.1 * (high.step - low.step);
    }
    if (*found || low.step == 0) return HEFT_OK;
    /* `low` lowers f enough, but f is still steep there. */
    HEFT_CHECK(try_step(ctx, v, low.step, out, &p));
    *found = p.f < start.f;
    *f = p.f;
    return HEFT_OK;
}

/* ---- public ---- */

heft_status heft_lbfgs(heft_ctx *ctx, const heft_problem32 *problem, const heft_stop *stop,
                       heft_arena *trace, float *x, heft_minimum *out)
{
    assert(stop->memory >= 1 && stop->memory <= MOST);
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t n = problem->n;
    heft_known  *at = problem->at;
    solver       v = {.fn = problem->fn, .user = problem->user, .n = n, .memory = stop->memory};
    *out = (heft_minimum){0};
    HEFT_ALLOCS(ctx, &ctx->scratch, n, v.x, v.g, v.x_try, v.g_try, v.d);
    for (size_t k = 0; k < v.memory; k++) HEFT_ALLOCS(ctx, &ctx->scratch, n, v.s[k], v.y[k]);
    memcpy(v.x, x, n * sizeof *x);
    if (at && at->known) {
        v.f = at->f;
        memcpy(v.g, at->gradient, n * sizeof *v.g);
    } else {
        HEFT_CHECK(v.fn(ctx, v.user, v.x, &v.f, v.g));
        out->evaluations = 1;
    }
    out->f0 = v.f;
    v.product[G][G] = dot(v.g, v.g, n);
    if (!isfinite(v.f) || !isfinite(v.product[G][G]))
        return heft_fail(ctx, HEFT_ENUMERIC, "the objective is not finite at the start");
    HEFT_CHECK(heft_trace_add(ctx, trace, v.f, out));
    while (!heft_capped(stop, out)) {
        double       slope, f;
        bool         found;
        const double before = v.f, norm = sqrt(v.product[G][G]);
        HEFT_CHECK(find_direction(ctx, &v, &slope));
        if (!(slope < 0)) {
            out->converged = true, out->stopped_by = "the gradient is zero";
            break;
        }
        const double step = v.n_pairs ? 1 : fmin(1, 1 / norm);
        HEFT_CHECK(search(ctx, &v, slope, step, stop->max_eval, out, &f, &found));
        if (!found && v.n_pairs) {
            v.n_pairs = 0; /* try again by steepest descent */
            continue;
        }
        if (!found) {
            out->stopped_by = "the line search found no lower point";
            break;
        }
        HEFT_CHECK(accept(ctx, &v, f));
        out->iterations++;
        HEFT_CHECK(heft_trace_add(ctx, trace, v.f, out));
        if (heft_stalled(stop, before, v.f, out)) break;
    }
    memcpy(x, v.x, n * sizeof *x);
    out->f = v.f;
    if (at) {
        at->known = true;
        at->f = v.f;
        memcpy(at->gradient, v.g, n * sizeof *v.g);
    }
    for (size_t i = 0; i < n; i++) out->pg_norm = fmax(out->pg_norm, fabs((double)v.g[i]));
    return HEFT_OK;
}
