/* box_model.c - the compact quasi-Newton matrix, the generalised Cauchy point (Algorithm CP) and
 * the direct primal method of subspace minimisation (Section 5.1), with the projection of Morales
 * and Nocedal, Remark on Algorithm 778, ACM Trans. Math. Softw. 38, 2011.
 *
 * Sums over variables are added in the order of the variables, so that the result has the same bits
 * for any number of threads. */
#include "optim/box_model.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "optim/cholesky.h"

/* The symmetric indefinite matrix [-A, B'; B, C] of m x m blocks, stored by rows. It is factored in
 * place by two Cholesky factorisations: A = F F' replaces A, B F'^-1 replaces B, and the factor of
 * C + B A^-1 B' replaces C. */
typedef struct middle {
    size_t  m;
    double *a, *b, *c;
} middle;

typedef struct breakpoint { /* the path's parameter t at which variable j reaches its bound */
    double t;
    size_t j;
} breakpoint;

typedef struct correction_pairs { /* the newest n columns of S and Y, in a ring of `memory` slots */
    size_t  memory, n, newest;
    double *s, *y;   /* slots x variables */
    double *ss, *sy; /* slots x slots: the products S'S and S'Y */
} correction_pairs;

typedef struct free_split { /* free variables (not on a bound), and inner products over them */
    bool   *is_free;        /* per variable: whether it is free */
    size_t *index;          /* free variables, then the others */
    size_t  n_free;
    double *yy;    /* Y'Y over the free variables */
    double *ss;    /* S'S over the fixed variables */
    double *sy;    /* S'Y over the fixed variables minus S'Y over the free ones */
    size_t  stale; /* number of newest pairs that the three products do not contain yet */
} free_split;

struct heft_box_model {
    size_t           n; /* number of variables */
    const double    *lower, *upper;
    double           theta;
    correction_pairs pairs;
    free_split       split;
    middle           whole, reduced; /* M^-1, and its counterpart over the free variables */
    double          *p, *c, *w, *v;  /* work space of 2 memory numbers each */
    double          *d, *r;          /* work space of n numbers each */
    breakpoint      *heap;           /* n breakpoints, the least first */
};

/* ---- small matrices ---- */

static bool factor(middle *mid)
{
    const size_t m = mid->m;
    if (!heft_cholesky(mid->a, m)) return false;
    for (size_t i = 0; i < m; i++) heft_solve_lower(mid->a, m, mid->b + i * m);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j <= i; j++)
            for (size_t k = 0; k < m; k++)
                mid->c[i * m + j] += mid->b[i * m + k] * mid->b[j * m + k];
    return heft_cholesky(mid->c, m);
}

/* Multiply v[2 m] by the inverse of the factored matrix. */
static void solve(const middle *mid, double *v)
{
    const size_t m = mid->m;
    double      *u = v + m;
    heft_solve_lower(mid->a, m, v);
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < m; k++) u[i] += mid->b[i * m + k] * v[k];
    heft_solve_lower(mid->c, m, u);
    heft_solve_upper(mid->c, m, u);
    for (size_t k = 0; k < m; k++) v[k] = -v[k];
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < m; k++) v[k] += mid->b[i * m + k] * u[i];
    heft_solve_upper(mid->a, m, v);
}

static double dot_at(const double *a, const double *b, const size_t *index, size_t n)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += a[index[k]] * b[index[k]];
    return sum;
}

/* ---- pairs ---- */

/* Returns the slot of the k-th oldest pair. */
static size_t slot(const heft_box_model *q, size_t k)
{
    return (q->pairs.newest + q->pairs.memory + 1 + k - q->pairs.n) % q->pairs.memory;
}

static const double *s_of(const heft_box_model *q, size_t k)
{
    return q->pairs.s + slot(q, k) * q->n;
}

static const double *y_of(const heft_box_model *q, size_t k)
{
    return q->pairs.y + slot(q, k) * q->n;
}

static double *entry(const heft_box_model *q, double *matrix, size_t i, size_t k)
{
    return matrix + slot(q, i) * q->pairs.memory + slot(q, k);
}

/* Compute out = W'v; it has two numbers per pair. */
static void onto_pairs(const heft_box_model *q, const double *v, double *out)
{
    for (size_t k = 0; k < q->pairs.n; k++) {
        out[k] = heft_dot(y_of(q, k), v, q->n);
        out[q->pairs.n + k] = q->theta * heft_dot(s_of(q, k), v, q->n);
    }
}

/* Add W a to v[n]. */
static void add_pairs(const heft_box_model *q, const double *a, double *v)
{
    for (size_t k = 0; k < q->pairs.n; k++) {
        const double  b = a[k], e = q->theta * a[q->pairs.n + k];
        const double *y = y_of(q, k), *s = s_of(q, k);
        for (size_t j = 0; j < q->n; j++) v[j] += b * y[j] + e * s[j];
    }
}

/* Copy row j of W to `out`. */
static void pairs_at(const heft_box_model *q, size_t j, double *out)
{
    for (size_t k = 0; k < q->pairs.n; k++) {
        out[k] = y_of(q, k)[j];
        out[q->pairs.n + k] = q->theta * s_of(q, k)[j];
    }
}

/* Factor M^-1 = [-D, L'; L, theta S'S], where D is the diagonal of S'Y and L is the part of S'Y
 * below the diagonal (3.4). */
static bool factor_whole(heft_box_model *q)
{
    const size_t m = q->whole.m = q->pairs.n;
    for (size_t i = 0; i < m; i++) {
        for (size_t k = 0; k < m; k++) {
            q->whole.a[i * m + k] = i == k ? *entry(q, q->pairs.sy, i, i) : 0;
            q->whole.b[i * m + k] = i > k ? *entry(q, q->pairs.sy, i, k) : 0;
            q->whole.c[i * m + k] = q->theta * *entry(q, q->pairs.ss, i, k);
        }
    }
    return factor(&q->whole);
}

/* ---- the Cauchy point ---- */

static bool before(const breakpoint *a, const breakpoint *b)
{
    return a->t < b->t || (a->t == b->t && a->j < b->j);
}

static void sink(breakpoint *heap, size_t n, size_t at)
{
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && before(&heap[child + 1], &heap[child])) child++;
        if (before(&heap[at], &heap[child])) return;
        const breakpoint held = heap[at];
        heap[at] = heap[child];
        heap[child] = held;
    }
}

/* Set d to the first direction of the projected gradient path: -g, but 0 for variables that a bound
 * stops at once. Returns the number of breakpoints (4.1), with the least one at heap[0]. *moving is
 * the number of variables whose d is not 0. */
static size_t find_breakpoints(heft_box_model *q, const double *x, const double *g, size_t *moving)
{
    size_t n = 0;
    *moving = 0;
    for (size_t j = 0; j < q->n; j++) {
        const double bound = g[j] > 0 ? q->lower[j] : q->upper[j];
        const double t = g[j] != 0 ? (x[j] - bound) / g[j] : 0;
        q->d[j] = t > 0 ? -g[j] : 0;
        *moving += t > 0;
        if (t > 0 && isfinite(t)) q->heap[n++] = (breakpoint){t, j};
    }
    for (size_t k = n / 2; k-- > 0;) sink(q->heap, n, k);
    return n;
}

/* Set z to the first minimum of q along the path, and c to W'(z - x). */
static void cauchy_point(heft_box_model *q, const double *x, const double *g, double *z)
{
    const size_t m2 = 2 * q->pairs.n;
    size_t       moving, n_break = find_breakpoints(q, x, g, &moving);
    double       t = 0, slope = -heft_dot(q->d, q->d, q->n);
    memcpy(z, x, q->n * sizeof *z);
    memset(q->c, 0, m2 * sizeof *q->c);
    onto_pairs(q, q->d, q->p);
    memcpy(q->v, q->p, m2 * sizeof *q->v);
    solve(&q->whole, q->v);
    double       bend = -q->theta * slope - heft_dot(q->p, q->v, m2);
    const double least = fmax(DBL_EPSILON * -q->theta * slope, DBL_MIN);
    for (; n_break > 0; sink(q->heap, n_break, 0)) {
        const size_t j = q->heap[0].j;
        const double dt = q->heap[0].t - t;
        bend = fmax(bend, least);
        if (-slope / bend < dt) break;
        z[j] = g[j] > 0 ? q->lower[j] : q->upper[j];
        for (size_t k = 0; k < m2; k++) q->c[k] += dt * q->p[k];
        pairs_at(q, j, q->w);
        memcpy(q->v, q->w, m2 * sizeof *q->v);
        solve(&q->whole, q->v);
        slope += dt * bend + g[j] * (g[j] + q->theta * (z[j] - x[j]) - heft_dot(q->v, q->c, m2));
        bend -= g[j] *
                (q->theta * g[j] + 2 * heft_dot(q->v, q->p, m2) + g[j] * heft_dot(q->v, q->w, m2));
        for (size_t k = 0; k < m2; k++) q->p[k] += g[j] * q->w[k];
        q->d[j] = 0;
        moving--;
        t = q->heap[0].t;
        q->heap[0] = q->heap[--n_break];
    }
    const double dt = moving ? fmax(-slope / fmax(bend, least), 0) : 0;
    for (size_t k = 0; k < m2; k++) q->c[k] += dt * q->p[k];
    for (size_t j = 0; j < q->n; j++)
        if (q->d[j] != 0) z[j] = fmin(fmax(x[j] + (t + dt) * q->d[j], q->lower[j]), q->upper[j]);
}

/* ---- the subspace ---- */

/* Find the variables that are free at z. Returns true if they are the same as in the last call. */
static bool find_free(heft_box_model *q, const double *z)
{
    bool same = true;
    q->split.n_free = 0;
    for (size_t j = 0; j < q->n; j++) {
        const bool is_free = z[j] > q->lower[j] && z[j] < q->upper[j];
        same = same && is_free == q->split.is_free[j];
        q->split.is_free[j] = is_free;
        if (is_free) q->split.index[q->split.n_free++] = j;
    }
    for (size_t j = 0, k = q->split.n_free; j < q->n; j++)
        if (!q->split.is_free[j]) q->split.index[k++] = j;
    return same;
}

/* Update the inner products over free and over fixed variables if they are stale. */
static void sum_parts(heft_box_model *q)
{
    const size_t *fixed = q->split.index + q->split.n_free, n_fixed = q->n - q->split.n_free;
    const size_t  first = q->split.stale < q->pairs.n ? q->pairs.n - q->split.stale : 0;
    for (size_t i = first; i < q->pairs.n; i++) {
        for (size_t k = 0; k <= i; k++) {
            const double *si = s_of(q, i), *sk = s_of(q, k), *yi = y_of(q, i), *yk = y_of(q, k);
            *entry(q, q->split.yy, i, k) = dot_at(yi, yk, q->split.index, q->split.n_free);
            *entry(q, q->split.ss, i, k) = dot_at(si, sk, fixed, n_fixed);
            *entry(q, q->split.sy, i, k) = dot_at(si, yk, fixed, n_fixed);
            *entry(q, q->split.sy, k, i) = -dot_at(sk, yi, q->split.index, q->split.n_free);
        }
    }
    q->split.stale = 0;
}

/* Factor M^-1 - W_F'W_F / theta, where W_F has the rows of W of the free variables F. It is
 * computed without subtracting nearly equal numbers: its blocks are -D - Y_F'Y_F / theta, L -
 * S_F'Y_F, and theta times S'S over the fixed variables. */
static bool factor_reduced(heft_box_model *q)
{
    const size_t m = q->reduced.m = q->pairs.n;
    for (size_t i = 0; i < m; i++) {
        for (size_t k = 0; k < m; k++) {
            const size_t hi = i > k ? i : k, lo = i > k ? k : i;
            q->reduced.a[i * m + k] = *entry(q, q->split.yy, hi, lo) / q->theta;
            if (i == k) q->reduced.a[i * m + k] += *entry(q, q->pairs.sy, i, i);
            q->reduced.b[i * m + k] = *entry(q, q->split.sy, i, k);
            q->reduced.c[i * m + k] = q->theta * *entry(q, q->split.ss, hi, lo);
        }
    }
    return factor(&q->reduced);
}

/* Set d to the step from the Cauchy point z to the minimum of q over the free variables, ignoring
 * their bounds (5.11). */
static bool newton_step(heft_box_model *q, const double *x, const double *g, const double *z)
{
    const size_t m2 = 2 * q->pairs.n;
    if (!factor_reduced(q)) return false;
    memcpy(q->v, q->c, m2 * sizeof *q->v);
    solve(&q->whole, q->v);
    for (size_t k = 0; k < m2; k++) q->v[k] = -q->v[k];
    for (size_t j = 0; j < q->n; j++) q->r[j] = g[j] + q->theta * (z[j] - x[j]);
    add_pairs(q, q->v, q->r);
    for (size_t j = 0; j < q->n; j++)
        if (!q->split.is_free[j]) q->r[j] = 0;
    onto_pairs(q, q->r, q->v);
    solve(&q->reduced, q->v);
    memset(q->d, 0, q->n * sizeof *q->d);
    add_pairs(q, q->v, q->d);
    bool ok = true;
    for (size_t j = 0; j < q->n; j++) {
        q->d[j] = q->split.is_free[j] ? -(q->r[j] + q->d[j] / q->theta) / q->theta : 0;
        ok = ok && isfinite(q->d[j]);
    }
    return ok;
}

/* Move z to the projection of z + d onto the bounds if f falls in that direction (Morales and
 * Nocedal); otherwise move z along d as far as the bounds allow. */
static void project(const heft_box_model *q, const double *x, const double *g, double *z)
{
    double fall = 0, fraction = 1;
    for (size_t j = 0; j < q->n; j++) {
        const double bound = q->d[j] < 0 ? q->lower[j] : q->upper[j];
        const double to = fmin(fmax(z[j] + q->d[j], q->lower[j]), q->upper[j]);
        fall += (to - x[j]) * g[j];
        if (q->d[j] != 0) fraction = fmin(fraction, (bound - z[j]) / q->d[j]);
    }
    if (fall < 0) fraction = 1;
    for (size_t j = 0; j < q->n; j++) {
        const double bound = q->d[j] < 0 ? q->lower[j] : q->upper[j];
        if (q->d[j] != 0 && (bound - z[j]) / q->d[j] <= fraction) z[j] = bound;
        else z[j] += fraction * q->d[j];
    }
}

/* ---- public ---- */

heft_status heft_box_model_create(heft_ctx *ctx, heft_arena *arena, size_t n, size_t memory,
                                  const double *lower, const double *upper, heft_box_model **out)
{
    heft_box_model *q;
    const size_t    square = memory * memory;
    HEFT_ALLOC(ctx, arena, q, 1);
    *q = (heft_box_model){
        .n = n, .pairs.memory = memory, .lower = lower, .upper = upper, .theta = 1};
    HEFT_ALLOCS(ctx, arena, memory * n, q->pairs.s, q->pairs.y);
    HEFT_ALLOCS(ctx, arena, square, q->pairs.ss, q->pairs.sy, q->split.yy, q->split.ss,
                q->split.sy);
    HEFT_ALLOCS(ctx, arena, square, q->whole.a, q->whole.b, q->whole.c);
    HEFT_ALLOCS(ctx, arena, square, q->reduced.a, q->reduced.b, q->reduced.c);
    HEFT_ALLOCS(ctx, arena, 2 * memory, q->p, q->c, q->w, q->v);
    HEFT_ALLOCS(ctx, arena, n, q->d, q->r, q->heap, q->split.is_free, q->split.index);
    *out = q;
    return HEFT_OK;
}

bool heft_box_model_empty(const heft_box_model *model)
{
    return model->pairs.n == 0;
}

void heft_box_model_forget(heft_box_model *model)
{
    model->pairs.n = 0;
    model->theta = 1;
}

void heft_box_model_learn(heft_box_model *model, const double *x0, const double *g0,
                          const double *x1, const double *g1)
{
    heft_box_model *q = model;
    double          curvature = 0, size = 0, fall = 0;
    for (size_t j = 0; j < q->n; j++) {
        fall -= (x1[j] - x0[j]) * g0[j];
        curvature += (x1[j] - x0[j]) * (g1[j] - g0[j]);
        size += (g1[j] - g0[j]) * (g1[j] - g0[j]);
    }
    /* The slope along the step must have changed by more than its rounding error. Both sides of
     * this test scale with the objective. Those of (3.9) do not, so that (3.9) would refuse every
     * pair of an objective with large values. */
    if (!(curvature > DBL_EPSILON * fall && isfinite(size))) return;
    q->pairs.newest = (q->pairs.newest + 1) % q->pairs.memory;
    q->pairs.n += q->pairs.n < q->pairs.memory;
    q->split.stale++;
    q->theta = size / curvature;
    double *s = q->pairs.s + q->pairs.newest * q->n, *y = q->pairs.y + q->pairs.newest * q->n;
    for (size_t j = 0; j < q->n; j++) {
        s[j] = x1[j] - x0[j];
        y[j] = g1[j] - g0[j];
    }
    for (size_t k = 0, last = q->pairs.n - 1; k <= last; k++) {
        *entry(q, q->pairs.sy, last, k) = heft_dot(s, y_of(q, k), q->n);
        *entry(q, q->pairs.ss, last, k) = *entry(q, q->pairs.ss, k, last) =
            heft_dot(s, s_of(q, k), q->n);
    }
}

bool heft_box_model_minimise(heft_box_model *model, const double *x, const double *g, double *z)
{
    heft_box_model *q = model;
    if (!factor_whole(q)) return false;
    cauchy_point(q, x, g, z);
    if (!find_free(q, z)) q->split.stale = q->pairs.memory + 1; /* update all products */
    if (q->pairs.n == 0 || q->split.n_free == 0) return true;
    sum_parts(q);
    if (!newton_step(q, x, g, z)) return false;
    project(q, x, g, z);
    return true;
}
