/* mixing.c - Newton's method and exact sums for the objective of mixing.h.
 *
 * With p the posterior of a row, e = p - [c = y] and w its weight, the row adds to the gradient
 * w sum_c e_c T_r,c (by b_r) and w e_c (by a_c), and to the second derivatives w cov_p(T_r, T_s),
 * w p_c (T_r,c - mean_p T_r) and w (p_c [c = d] - p_c p_d). */
#include "learn/mixing.h"

#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/rows.h"
#include "base/vec.h"
#include "base/wide.h"
#include "optim/cholesky.h"

enum {
    MOST_TOGETHER = 16, /* most rows whose scores are computed at once */
    MOST_NEWTON = 64,   /* most variables for Newton's method */
    MOST_HALVINGS = 40, /* most halvings of a step in the line search */
    FEW = 2000          /* number of rows from which an initial solution is computed, about */
};

static const double REL_TOL = 1e-8, FLAT = 1e-4;

/* Rounding that makes sums exact. The unit is chosen so that the absolute values of all terms add
 * up to less than 2^51 units. Each term is rounded to a multiple of the unit, and its remainder to
 * a multiple of a smaller unit: sums of either kind are exact. `unit` and `part` are 1.5 * 2^52
 * times these two units, because adding and subtracting that number rounds. If they are 0, nothing
 * is rounded. */
typedef struct grid {
    double unit, part;
} grid;

enum { LOSS, SLOPE, SHIFT, BEND, N_GRIDS };

typedef struct pass {
    const heft_mixing *m;
    const double      *x;                /* the variables: b, then a */
    size_t             together, n_sums; /* rows scored at once; number of sums over rows */
    bool               bend;             /* whether second derivatives are summed too */
    grid               at[N_GRIDS];      /* rounding of each kind of term */
} pass;

/* The rounding for sums of n numbers whose absolute values are at most `most`. */
static grid grid_of(double n, double most)
{
    int        power;
    const bool plain = !(n * most > 0) || !(n * most < 0x1p960);
    (void)frexp(plain ? 0 : n * most, &power);
    const double unit = ldexp(1, power - 51);
    (void)frexp(n * unit, &power);
    return plain ? (grid){0} : (grid){0x1.8p52 * unit, 0x1.8p52 * ldexp(1, power - 51)};
}

/* Adds x, rounded, to sum[0], and the rounded remainder to sum[n_sums]. */
static inline void add_exactly(const pass *job, int kind, double x, double *sum)
{
    const grid   g = job->at[kind];
    const double whole = (x + g.unit) - g.unit;
    sum[0] += whole;
    sum[job->n_sums] += ((x - whole) + g.part) - g.part;
}

static inline double dot(const double *a, const double *b, size_t n)
{
    double lane[4] = {0};
    size_t k = 0;
    for (; k + 4 <= n; k += 4)
        for (size_t l = 0; l < 4; l++) lane[l] += a[k + l] * b[k + l];
    for (; k < n; k++) lane[0] += a[k] * b[k];
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

/* Adds the second derivatives of row i, whose posterior is p and weight is w, to the lower half of
 * the matrix `to`. */
HEFT_WIDE static void bend_row(const pass *job, size_t i, const double *p, double w, double *to)
{
    const heft_mixing *m = job->m;
    const size_t       K = m->n_class, R = m->n_members, n = R + (m->shift > 0) * K;
    double             mean[MOST_NEWTON];
    for (size_t r = 0; r < R; r++) {
        const double *t = m->member[r] + i * K;
        mean[r] = dot(p, t, K);
        for (size_t s = 0; s <= r; s++) {
            const double *u = m->member[s] + i * K;
            double        both = 0;
            for (size_t c = 0; c < K; c++) both += p[c] * t[c] * u[c];
            add_exactly(job, BEND, w * (both - mean[r] * mean[s]), to + r * n + s);
        }
    }
    for (size_t c = 0; R + c < n; c++) {
        double      *line = to + (R + c) * n;
        const double wp = w * p[c];
        for (size_t r = 0; r < R; r++)
            add_exactly(job, SLOPE, wp * (m->member[r][i * K + c] - mean[r]), line + r);
        for (size_t d = 0; d <= c; d++)
            add_exactly(job, SHIFT, wp * ((c == d) - p[d]), line + R + d);
    }
}

/* bend_row for one weight per class: with e_cd = p_c [c = d] - p_c p_d, the second derivatives are
 * e_cd T_c T_d by b and b, e_cd T_d by a and b, and e_cd by a and a. */
static void bend_by_class(const pass *job, size_t i, const double *p, double w, double *to)
{
    const heft_mixing *m = job->m;
    const size_t       K = m->n_class, n = K + (m->shift > 0) * K;
    const double      *t = m->member[0] + i * K;
    for (size_t c = 0; c < K; c++)
        for (size_t d = 0; d < K; d++) {
            const double e = w * (p[c] * (c == d) - p[c] * p[d]);
            if (d <= c) add_exactly(job, BEND, e * t[c] * t[d], to + c * n + d);
            if (n > K) add_exactly(job, SLOPE, e * t[d], to + (K + c) * n + d);
            if (n > K && d <= c) add_exactly(job, SHIFT, e, to + (K + c) * n + K + d);
        }
}

/* Adds rows lo..hi - 1 to acc, which has the loss, the gradient by b, the gradient by a and the
 * second derivatives; then the remainders of all these; then space for the scores of a few rows. */
static void loss_rows(const void *arg, size_t lo, size_t hi, double *acc)
{
    const pass        *job = arg;
    const heft_mixing *m = job->m;
    const size_t       K = m->n_class, R = m->n_members;
    const double      *b = job->x, *a = m->shift > 0 ? job->x + R : NULL;
    double            *bend = acc + 1 + R + K, *score = acc + 2 * job->n_sums;
    double             lse[MOST_TOGETHER], right[MOST_TOGETHER];
    HEFT_KNOWN(b);
    for (; lo < hi; lo += job->together) {
        const size_t n = hi - lo < job->together ? hi - lo : job->together;
        for (size_t i = 0; i < n; i++)
            for (size_t c = 0; c < K; c++) score[i * K + c] = a ? a[c] : 0;
        if (!m->by_class)
            for (size_t r = 0; r < R; r++) {
                const double *t = m->member[r] + lo * K;
                for (size_t k = 0; k < n * K; k++) score[k] += b[r] * t[k];
            }
        else
            for (size_t i = 0; i < n; i++)
                for (size_t c = 0; c < K; c++)
                    score[i * K + c] += b[c] * m->member[0][(lo + i) * K + c];
        for (size_t i = 0; i < n; i++) right[i] = score[i * K + m->y[lo + i]];
        heft_softmax_all(score, n, K, lse);
        for (size_t i = 0; i < n; i++) {
            const double w = m->weight ? m->weight[lo + i] : 1;
            double      *e = score + i * K;
            if (job->bend) (m->by_class ? bend_by_class : bend_row)(job, lo + i, e, w, bend);
            add_exactly(job, LOSS, w * (lse[i] - right[i]), acc);
            e[m->y[lo + i]] -= 1;
            for (size_t c = 0; c < K; c++) e[c] *= w;
            for (size_t c = 0; c < K; c++) add_exactly(job, SHIFT, e[c], acc + 1 + R + c);
            if (!m->by_class)
                for (size_t r = 0; r < R; r++)
                    add_exactly(job, SLOPE, dot(e, m->member[r] + (lo + i) * K, K), acc + 1 + r);
            else
                for (size_t c = 0; c < K; c++)
                    add_exactly(job, SLOPE, e[c] * m->member[0][(lo + i) * K + c], acc + 1 + c);
        }
    }
}

typedef struct problem {
    pass   job;
    size_t n, n_space;
    double rows, weight, size; /* number of rows, largest weight and largest |score| over all
                                  processes */
    double *sum;
} problem;

/* Sums loss, gradient and second derivatives over the rows of all processes. */
static heft_status sum_losses(heft_ctx *ctx, problem *p)
{
    pass              *job = &p->job;
    const heft_mixing *m = job->m;
    double             b = 0, a = 0;
    for (size_t r = 0; r < m->n_members; r++)
        b = m->by_class ? fmax(b, fabs(job->x[r])) : b + fabs(job->x[r]);
    if (m->shift > 0)
        for (size_t c = 0; c < m->n_class; c++) a = fmax(a, fabs(job->x[m->n_members + c]));
    const double T = p->size, w = p->weight;
    job->at[LOSS] = grid_of(p->rows, w * (2 * (b * T + a) + log((double)m->n_class) + 1));
    job->at[SLOPE] = grid_of(p->rows, w * 2 * T);
    job->at[SHIFT] = grid_of(p->rows, w * 2);
    job->at[BEND] = grid_of(p->rows, w * 2 * T * T);
    HEFT_CHECK(heft_sum_wide(ctx, m->n, 2 * job->n_sums + p->n_space, loss_rows, job, p->sum));
    HEFT_CHECK(heft_all_sum(ctx, p->sum, 2 * job->n_sums));
    for (size_t k = 0; k < job->n_sums; k++) p->sum[k] += p->sum[job->n_sums + k];
    return HEFT_OK;
}

static heft_status objective(heft_ctx *ctx, void *user, const double *x, double *f, double *g)
{
    problem           *p = user;
    const heft_mixing *m = p->job.m;
    p->job.x = x;
    HEFT_CHECK(sum_losses(ctx, p));
    *f = p->sum[0];
    for (size_t r = 0; r < m->n_members; r++) {
        const double d = x[r] - m->centre[r];
        *f += m->strength[r] / 2 * d * d;
        g[r] = p->sum[1 + r] + m->strength[r] * d;
    }
    if (m->shift > 0)
        for (size_t c = 0; c < m->n_class; c++) {
            const double a = x[m->n_members + c];
            *f += m->shift / 2 * a * a;
            g[m->n_members + c] = p->sum[1 + m->n_members + c] + m->shift * a;
        }
    return HEFT_OK;
}

/* ---- Newton's method ---- */

/* Solves A d = -g for the variables that are not fixed; d is 0 for fixed ones. The Cholesky factor
 * replaces the lower half of A, which is positive definite because of the penalties; false:
 * rounding made it otherwise. */
static bool solve(double *A, const double *g, const bool *fixed, size_t n, double *d)
{
    for (size_t i = 0; i < n; i++) {
        d[i] = fixed[i] ? 0 : -g[i];
        for (size_t j = 0; j <= i; j++)
            if (fixed[i] || fixed[j]) A[i * n + j] = i == j;
    }
    if (!heft_cholesky(A, n)) return false;
    heft_solve_lower(A, n, d);
    heft_solve_upper(A, n, d);
    return true;
}

/* Line search: steps from x along d, projected to b >= 0, and halves the step until f decreases
 * enough. *found = whether such a step was found; then x, *f and g are those of the new point. */
static heft_status newton_search(heft_ctx *ctx, problem *p, double *x, const double *d, double *f,
                                 double *g, heft_minimum *how, bool *found)
{
    const size_t R = p->job.m->n_members;
    double       to[MOST_NEWTON] = {0}, slope[MOST_NEWTON], value, step = 1;
    *found = false;
    p->job.bend = true;
    for (int k = 0; k < MOST_HALVINGS && !*found; k++, step /= 2) {
        double gain = 0;
        for (size_t j = 0; j < p->n; j++) {
            to[j] = x[j] + step * d[j];
            if (j < R && to[j] < 0) to[j] = 0;
            gain += g[j] * (to[j] - x[j]);
        }
        if (!(gain < 0)) break;
        HEFT_CHECK(heft_check_cancel(ctx));
        HEFT_CHECK(objective(ctx, p, to, &value, slope));
        how->evaluations++;
        *found = value <= *f + 1e-4 * gain;
    }
    if (!*found) return HEFT_OK;
    *f = value;
    memcpy(x, to, p->n * sizeof *x);
    memcpy(g, slope, p->n * sizeof *g);
    return HEFT_OK;
}

/* Projected Newton method. A weight b at 0 that would become negative is held at 0. It ends when f
 * no longer decreases, or when the gradient is nearly 0, not counting variables held at 0. */
static heft_status newton(heft_ctx *ctx, problem *p, double *x, heft_minimum *how)
{
    const heft_mixing *m = p->job.m;
    const size_t       R = m->n_members;
    double            *A = p->sum + 1 + R + m->n_class;
    double             g[MOST_NEWTON] = {0}, d[MOST_NEWTON] = {0}, f;
    bool               found = true, flat = true, fixed[MOST_NEWTON];
    *how = (heft_minimum){.evaluations = 1};
    p->job.bend = true;
    HEFT_CHECK(objective(ctx, p, x, &f, g));
    how->f0 = f;
    while (found && how->iterations < m->max_iter) {
        const double before = f;
        for (size_t k = 0; k < p->n; k++) {
            fixed[k] = k < R && x[k] <= 0 && g[k] > 0;
            A[k * p->n + k] += k < R ? m->strength[k] : m->shift;
        }
        found = solve(A, g, fixed, p->n, d);
        if (found) HEFT_CHECK(newton_search(ctx, p, x, d, &f, g, how, &found));
        how->iterations += found;
        if (found && before - f > REL_TOL * fmax(fabs(f), 1)) continue;
        for (size_t k = 0; k < p->n && flat; k++)
            flat = fabs(g[k]) <= FLAT * fmax(fabs(f), 1) || (k < R && x[k] <= 0 && g[k] > 0);
        how->converged = found || flat;
        break;
    }
    how->f = f;
    how->stopped_by =
        how->converged ? "the objective stopped decreasing" : "the iteration limit was reached";
    return HEFT_OK;
}

/* ---- public ---- */

/* Computes a start for very many rows: the solution for every step-th row of all processes. */
static heft_status start_from_few(heft_ctx *ctx, const heft_mixing *m, size_t n_all, double *b)
{
    const size_t   K = m->n_class, step = n_all / FEW;
    const size_t   members = m->by_class ? 1 : m->n_members;
    const double **few;
    double        *shift, *weight, **to;
    uint16_t      *y;
    size_t        *row, n = 0;
    heft_mixing    part = *m;
    heft_minimum   how;
    HEFT_ALLOCS(ctx, &ctx->scratch, members, few, to);
    HEFT_ALLOC(ctx, &ctx->scratch, shift, K);
    HEFT_ALLOC(ctx, &ctx->scratch, row, m->n);
    for (size_t i = 0; i < m->n; i++)
        if ((m->place ? m->place[i] : i) % step == 0) row[n++] = i;
    HEFT_ALLOCS(ctx, &ctx->scratch, n, y, weight);
    for (size_t r = 0; r < members; r++) {
        HEFT_ALLOC(ctx, &ctx->scratch, to[r], n * K);
        for (size_t i = 0; i < n; i++)
            memcpy(to[r] + i * K, m->member[r] + row[i] * K, K * sizeof **to);
        few[r] = to[r];
    }
    for (size_t i = 0; i < n; i++) y[i] = m->y[row[i]];
    if (m->weight)
        for (size_t i = 0; i < n; i++) weight[i] = m->weight[row[i]];
    part.n = n;
    part.member = few;
    part.y = y;
    part.weight = m->weight ? weight : NULL;
    part.place = NULL; /* a subset this small has no start of its own */
    HEFT_CHECK(heft_mixing_fit(ctx, &part, b, m->shift > 0 ? shift : NULL, NULL, &how));
    if (m->shift > 0) memcpy(b + m->n_members, shift, K * sizeof *b);
    return HEFT_OK;
}

/* Finds the number of rows, the largest weight and the largest |score| over all processes. */
static heft_status look_at_rows(heft_ctx *ctx, problem *p)
{
    const heft_mixing *m = p->job.m;
    double             largest[2] = {m->weight ? 0 : 1, 0};
    int64_t            n = (int64_t)m->n;
    if (m->weight)
        for (size_t i = 0; i < m->n; i++) largest[0] = fmax(largest[0], m->weight[i]);
    for (size_t r = 0; r < (m->by_class ? 1 : m->n_members); r++)
        for (size_t k = 0; k < m->n * m->n_class; k++)
            largest[1] = fmax(largest[1], fabs(m->member[r][k]));
    HEFT_CHECK(heft_all_add(ctx, &n, 1));
    HEFT_CHECK(heft_all_max(ctx, largest, 2));
    p->rows = (double)n;
    p->weight = largest[0];
    p->size = largest[1];
    return HEFT_OK;
}

heft_status heft_mixing_fit(heft_ctx *ctx, const heft_mixing *mixing, double *b, double *a,
                            double *loss, heft_minimum *how)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t R = mixing->n_members, K = mixing->n_class;
    problem      p = {.job = {.m = mixing}, .n = R + (mixing->shift > 0) * K};
    double      *x, *lower, all = 0;
    p.job.together = K <= 32 ? MOST_TOGETHER : 1;
    p.job.n_sums = 1 + R + K;
    p.n_space = p.job.together * K;
    const bool small = p.n <= MOST_NEWTON;
    if (small) p.job.n_sums += p.n * p.n;
    HEFT_ALLOC(ctx, &ctx->scratch, p.sum, 2 * p.job.n_sums + p.n_space);
    HEFT_ALLOCS(ctx, &ctx->scratch, p.n, x, lower);
    memcpy(x, mixing->start ? mixing->start : mixing->centre, R * sizeof *x);
    HEFT_CHECK(look_at_rows(ctx, &p));
    if (p.rows > 4 * FEW) HEFT_CHECK(start_from_few(ctx, mixing, (size_t)p.rows, x));
    if (small) HEFT_CHECK(newton(ctx, &p, x, how));
    for (size_t k = 0; k < p.n; k++) lower[k] = k < R ? 0 : -INFINITY;
    const heft_problem bounded = {.n = p.n, .fn = objective, .user = &p, .lower = lower};
    const heft_stop    stop = {.memory = 10, .rel_tol = REL_TOL, .max_iter = mixing->max_iter};
    if (!small || !how->converged) HEFT_CHECK(heft_lbfgsb(ctx, &bounded, &stop, NULL, x, how));
    memcpy(b, x, R * sizeof *b);
    if (a) memset(a, 0, K * sizeof *a);
    if (a && mixing->shift > 0) memcpy(a, x + R, K * sizeof *a);
    if (!loss) return HEFT_OK;
    p.job.x = x;
    p.job.bend = false;
    HEFT_CHECK(sum_losses(ctx, &p));
    for (size_t i = 0; i < mixing->n; i++) all += mixing->weight ? mixing->weight[i] : 1;
    HEFT_CHECK(heft_all_sum(ctx, &all, 1));
    *loss = all > 0 ? p.sum[0] / all : 0;
    return HEFT_OK;
}
