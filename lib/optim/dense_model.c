/* dense_model.c - the lowest point of a quadratic function within bounds, by an active-set method.
 * The free variables, which are on no bound, move towards their joint minimum, found by a Cholesky
 * factorisation. The first variable that meets a bound is fixed there, and the others go on. At the
 * minimum over the free variables, the fixed variable whose release lowers the function most is
 * freed again (Nocedal, Wright, Numerical Optimization, 2006, section 16.5). */
#include "optim/dense_model.h"

#include <math.h>
#include <string.h>

#include "base/num.h"

enum { FREE, LOWER, UPPER };

static const double RIDGE =
    1e-7; /* fraction added to the diagonal, so that equal columns have a single minimum */
static const double SMALL =
    1e-12; /* a step whose curvature is below this fraction of the model's is not learned */

struct heft_dense_model {
    size_t        n;
    const double *lower, *upper;
    double *h, *factor; /* n x n: the matrix H, and the Cholesky factor over the free variables */
    double *d, *slope, *p, *y; /* n each: step from x, gradient of the model after it, work space */
    char   *on;                /* per variable: FREE, or the bound that it is on */
    size_t *free;
};

heft_status heft_dense_model_create(heft_ctx *ctx, heft_arena *arena, size_t n, const double *lower,
                                    const double *upper, heft_dense_model **out)
{
    heft_dense_model *m;
    HEFT_ALLOC(ctx, arena, m, 1);
    *m = (heft_dense_model){.n = n, .lower = lower, .upper = upper};
    HEFT_ALLOCS(ctx, arena, n * n, m->h, m->factor);
    HEFT_ALLOCS(ctx, arena, n, m->d, m->slope, m->p, m->y, m->on, m->free);
    *out = m;
    return HEFT_OK;
}

void heft_dense_model_set(heft_dense_model *m, const double *second, const size_t *from)
{
    for (size_t j = 0; j < m->n; j++) {
        for (size_t k = 0; k < m->n; k++) m->h[j * m->n + k] = second[from[j] * m->n + from[k]];
        m->h[j * m->n + j] *= 1 + RIDGE;
    }
}

/* Compute the Cholesky factor of H over the free variables. If rounding leaves a pivot that is not
 * positive, the pivot becomes the amount that was added to the diagonal. */
static void factorise(heft_dense_model *m, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        const double *h = m->h + m->free[j] * m->n;
        double       *line = m->factor + j * m->n;
        for (size_t k = 0; k < j; k++) {
            const double *other = m->factor + k * m->n;
            line[k] = (h[m->free[k]] - heft_dot(line, other, k)) / other[k];
        }
        const double pivot = h[m->free[j]] - heft_dot(line, line, j);
        line[j] = sqrt(fmax(pivot, RIDGE * h[m->free[j]]));
    }
}

/* Set p to the step of the free variables to the minimum of the model over them. */
static void solve(heft_dense_model *m, size_t n)
{
    factorise(m, n);
    for (size_t j = 0; j < n; j++) {
        const double *line = m->factor + j * m->n;
        m->y[j] = (-m->slope[m->free[j]] - heft_dot(line, m->y, j)) / line[j];
    }
    memset(m->p, 0, m->n * sizeof *m->p);
    for (size_t j = n; j-- > 0;) {
        m->y[j] /= m->factor[j * m->n + j];
        for (size_t k = 0; k < j; k++) m->y[k] -= m->factor[j * m->n + k] * m->y[j];
        m->p[m->free[j]] = m->y[j];
    }
}

/* Returns the largest fraction of the step p that stays within the bounds. *stop is the variable
 * that meets its bound there, or n if none does. */
static double fraction_within(const heft_dense_model *m, const double *x, size_t *stop)
{
    double fraction = 1;
    *stop = m->n;
    for (size_t k = 0; k < m->n; k++) {
        const double bound = m->p[k] < 0 ? m->lower[k] : m->upper[k];
        const double room = bound - x[k] - m->d[k];
        if (m->p[k] == 0 || fabs(m->p[k]) * fraction <= fabs(room)) continue;
        fraction = fmax(room / m->p[k], 0);
        *stop = k;
    }
    return fraction;
}

/* Returns the variable whose release from its bound lowers the model most, or n if none does. */
static size_t to_free(const heft_dense_model *m, double least)
{
    size_t best = m->n;
    for (size_t k = 0; k < m->n; k++) {
        const double fall = m->on[k] == LOWER ? -m->slope[k] : m->slope[k];
        if (m->on[k] == FREE || fall <= least) continue;
        least = fall;
        best = k;
    }
    return best;
}

double heft_dense_model_minimise(heft_dense_model *m, const double *x, const double *g, double *to)
{
    const size_t n = m->n;
    double       least = 0, fall = 0;
    memset(m->d, 0, n * sizeof *m->d);
    memcpy(m->slope, g, n * sizeof *g);
    for (size_t k = 0; k < n; k++) {
        m->on[k] = x[k] <= m->lower[k] && g[k] > 0   ? LOWER
                   : x[k] >= m->upper[k] && g[k] < 0 ? UPPER
                                                     : FREE;
        least = fmax(least, 1e-9 * fabs(g[k]));
    }
    for (size_t left = 10 * n; left > 0; left--) {
        size_t n_free = 0, stop, leave;
        for (size_t k = 0; k < n; k++)
            if (m->on[k] == FREE) m->free[n_free++] = k;
        solve(m, n_free);
        const double fraction = fraction_within(m, x, &stop);
        for (size_t k = 0; k < n; k++) m->d[k] += fraction * m->p[k];
        if (stop < n) {
            m->on[stop] = m->p[stop] < 0 ? LOWER : UPPER;
            m->d[stop] = (m->on[stop] == LOWER ? m->lower : m->upper)[stop] - x[stop];
        }
        for (size_t k = 0; k < n; k++) m->slope[k] = g[k] + heft_dot(m->h + k * n, m->d, n);
        if (stop < n) continue;
        if ((leave = to_free(m, least)) == n) break;
        m->on[leave] = FREE;
    }
    for (size_t k = 0; k < n; k++) {
        const double bound = (m->on[k] == LOWER ? m->lower : m->upper)[k];
        to[k] = m->on[k] == FREE ? fmin(fmax(x[k] + m->d[k], m->lower[k]), m->upper[k]) : bound;
        fall -= m->d[k] * (g[k] + m->slope[k]) / 2;
    }
    return fall;
}

void heft_dense_model_learn(heft_dense_model *m, const double *x, const double *g,
                            const double *x_now, const double *g_now)
{
    const size_t n = m->n;
    double       bent = 0, turned = 0; /* s'y and s'Hs of the BFGS formula */
    for (size_t k = 0; k < n; k++) {
        m->d[k] = x_now[k] - x[k];
        m->y[k] = g_now[k] - g[k];
        bent += m->d[k] * m->y[k];
    }
    for (size_t k = 0; k < n; k++) {
        m->p[k] = heft_dot(m->h + k * n, m->d, n);
        turned += m->d[k] * m->p[k];
    }
    if (!(bent > SMALL * turned) || !(turned > 0)) return;
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < n; k++)
            m->h[j * n + k] += m->y[j] * m->y[k] / bent - m->p[j] * m->p[k] / turned;
}
