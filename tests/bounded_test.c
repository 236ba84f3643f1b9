/* bounded_test.c - heft_lbfgsb on the standard problems of bounded minimisation: the conditions of
 * a minimum hold, known solutions are found, and liblbfgsb, where installed, finds no lower point
 * and needs hardly fewer evaluations.
 *
 * Problems: Moré, Garbow, Hillstrom, Testing Unconstrained Optimization Software, ACM Trans. Math.
 * Softw. 7, 1981 (numbers in parentheses), with and without bounds; quadratic functions with a
 * known set of active bounds. */
#include "fixture.h"

#include <complex.h>
#undef I

#include "base/rng.h"
#include "lbfgsb_oracle.h"
#include "optim/line_search.h"

enum { MOST = 200, MOST_RESIDUALS = 2 * MOST };

typedef double complex number;

/* r[] at x[n]; returns how many. Only analytic functions: the gradient is found by a complex step,
 * Im r(x + ih) / h, which has no cancellation. */
typedef size_t residuals_fn(const number *x, size_t n, number *r);

typedef struct squares { /* f = sum_i r_i^2 */
    size_t        n;
    residuals_fn *fn;
} squares;

static heft_status squares_value(heft_ctx *ctx, void *user, const double *x, double *f, double *g)
{
    const squares *p = user;
    const double   h = 1e-60;
    number         at[MOST], r[MOST_RESIDUALS];
    (void)ctx;
    for (size_t j = 0; j < p->n; j++) at[j] = x[j];
    const size_t m = p->fn(at, p->n, r);
    *f = 0;
    for (size_t i = 0; i < m; i++) *f += creal(r[i]) * creal(r[i]);
    for (size_t j = 0; j < p->n; j++) {
        at[j] = x[j] + h * _Complex_I;
        p->fn(at, p->n, r);
        at[j] = x[j];
        g[j] = 0;
        for (size_t i = 0; i < m; i++) g[j] += 2 * creal(r[i]) * (cimag(r[i]) / h);
    }
    return HEFT_OK;
}

static size_t rosenbrock(const number *x, size_t n, number *r) /* (21), (1) */
{
    for (size_t j = 0; j + 1 < n; j += 2) {
        r[j] = 10 * (x[j + 1] - x[j] * x[j]);
        r[j + 1] = 1 - x[j];
    }
    return n;
}

static size_t chained(const number *x, size_t n, number *r) /* Rosenbrock's, overlapping */
{
    for (size_t j = 0; j + 1 < n; j++) {
        r[2 * j] = 10 * (x[j + 1] - x[j] * x[j]);
        r[2 * j + 1] = 1 - x[j];
    }
    return 2 * (n - 1);
}

static size_t powell(const number *x, size_t n, number *r) /* (22), (13) */
{
    for (size_t j = 0; j + 3 < n; j += 4) {
        const number a = x[j + 1] - 2 * x[j + 2], b = x[j] - x[j + 3];
        r[j] = x[j] + 10 * x[j + 1];
        r[j + 1] = sqrt(5) * (x[j + 2] - x[j + 3]);
        r[j + 2] = a * a;
        r[j + 3] = sqrt(10) * b * b;
    }
    return n;
}

static size_t freudenstein(const number *x, size_t n, number *r) /* (2) */
{
    (void)n;
    r[0] = -13 + x[0] + ((5 - x[1]) * x[1] - 2) * x[1];
    r[1] = -29 + x[0] + ((x[1] + 1) * x[1] - 14) * x[1];
    return 2;
}

static size_t powell_badly_scaled(const number *x, size_t n, number *r) /* (3) */
{
    (void)n;
    r[0] = 1e4 * x[0] * x[1] - 1;
    r[1] = cexp(-x[0]) + cexp(-x[1]) - 1.0001;
    return 2;
}

static size_t beale(const number *x, size_t n, number *r) /* (5) */
{
    static const double y[3] = {1.5, 2.25, 2.625};
    number              power = 1;
    (void)n;
    for (size_t i = 0; i < 3; i++) r[i] = y[i] - x[0] * (1 - (power *= x[1]));
    return 3;
}

static size_t helical_valley(const number *x, size_t n, number *r) /* (7), for x1 > 0 */
{
    (void)n;
    r[0] = 10 * (x[2] - 10 * catan(x[1] / x[0]) / (2 * M_PI));
    r[1] = 10 * (csqrt(x[0] * x[0] + x[1] * x[1]) - 1);
    r[2] = x[2];
    return 3;
}

static size_t bard(const number *x, size_t n, number *r) /* (8) */
{
    static const double y[15] = {0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39,
                                 0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39};
    (void)n;
    for (size_t i = 0; i < 15; i++) {
        const double u = (double)i + 1, v = 15 - (double)i, w = fmin(u, v);
        r[i] = y[i] - (x[0] + u / (v * x[1] + w * x[2]));
    }
    return 15;
}

static size_t box3(const number *x, size_t n, number *r) /* (12) */
{
    (void)n;
    for (size_t i = 0; i < 10; i++) {
        const double t = 0.1 * (double)(i + 1);
        r[i] = cexp(-t * x[0]) - cexp(-t * x[1]) - x[2] * (exp(-t) - exp(-10 * t));
    }
    return 10;
}

static size_t wood(const number *x, size_t n, number *r) /* (14) */
{
    (void)n;
    r[0] = 10 * (x[1] - x[0] * x[0]);
    r[1] = 1 - x[0];
    r[2] = sqrt(90) * (x[3] - x[2] * x[2]);
    r[3] = 1 - x[2];
    r[4] = sqrt(10) * (x[1] + x[3] - 2);
    r[5] = (x[1] - x[3]) / sqrt(10);
    return 6;
}

static size_t kowalik(const number *x, size_t n, number *r) /* (15) */
{
    static const double y[11] = {0.1957, 0.1947, 0.1735, 0.1600, 0.0844, 0.0627,
                                 0.0456, 0.0342, 0.0323, 0.0235, 0.0246};
    static const double u[11] = {4, 2, 1, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625};
    (void)n;
    for (size_t i = 0; i < 11; i++)
        r[i] = y[i] - x[0] * (u[i] * u[i] + u[i] * x[1]) / (u[i] * u[i] + u[i] * x[2] + x[3]);
    return 11;
}

static size_t brown_dennis(const number *x, size_t n, number *r) /* (16) */
{
    (void)n;
    for (size_t i = 0; i < 20; i++) {
        const double t = (double)(i + 1) / 5;
        const number a = x[0] + t * x[1] - exp(t), b = x[2] + x[3] * sin(t) - cos(t);
        r[i] = a * a + b * b;
    }
    return 20;
}

static size_t biggs(const number *x, size_t n, number *r) /* (18) */
{
    (void)n;
    for (size_t i = 0; i < 13; i++) {
        const double t = 0.1 * (double)(i + 1);
        r[i] = x[2] * cexp(-t * x[0]) - x[3] * cexp(-t * x[1]) + x[5] * cexp(-t * x[4]) -
               (exp(-t) - 5 * exp(-10 * t) + 3 * exp(-4 * t));
    }
    return 13;
}

static size_t watson(const number *x, size_t n, number *r) /* (20) */
{
    for (size_t i = 0; i < 29; i++) {
        const double t = (double)(i + 1) / 29;
        number       a = 0, b = 0;
        for (size_t j = 0; j < n; j++) {
            if (j > 0) a += (double)j * x[j] * pow(t, (double)j - 1);
            b += x[j] * pow(t, (double)j);
        }
        r[i] = a - b * b - 1;
    }
    r[29] = x[0];
    r[30] = x[1] - x[0] * x[0] - 1;
    return 31;
}

static size_t penalty(const number *x, size_t n, number *r) /* (23) */
{
    r[n] = -0.25;
    for (size_t j = 0; j < n; j++) {
        r[j] = sqrt(1e-5) * (x[j] - 1);
        r[n] += x[j] * x[j];
    }
    return n + 1;
}

static size_t variably_dimensioned(const number *x, size_t n, number *r) /* (25) */
{
    r[n] = 0;
    for (size_t j = 0; j < n; j++) {
        r[j] = x[j] - 1;
        r[n] += (double)(j + 1) * (x[j] - 1);
    }
    r[n + 1] = r[n] * r[n];
    return n + 2;
}

static size_t trigonometric(const number *x, size_t n, number *r) /* (26) */
{
    number sum = 0;
    for (size_t j = 0; j < n; j++) sum += ccos(x[j]);
    for (size_t j = 0; j < n; j++)
        r[j] = (double)n - sum + (double)(j + 1) * (1 - ccos(x[j])) - csin(x[j]);
    return n;
}

static size_t boundary_value(const number *x, size_t n, number *r) /* (28) */
{
    const double h = 1 / ((double)n + 1);
    for (size_t j = 0; j < n; j++) {
        const number a = x[j] + (double)(j + 1) * h + 1;
        r[j] =
            2 * x[j] - (j > 0 ? x[j - 1] : 0) - (j + 1 < n ? x[j + 1] : 0) + h * h * a * a * a / 2;
    }
    return n;
}

static size_t broyden(const number *x, size_t n, number *r) /* (30) */
{
    for (size_t j = 0; j < n; j++)
        r[j] = (3 - 2 * x[j]) * x[j] - (j > 0 ? x[j - 1] : 0) - 2 * (j + 1 < n ? x[j + 1] : 0) + 1;
    return n;
}

typedef struct example {
    const char   *name;
    residuals_fn *fn;
    size_t        n, period;
    double        start[12]; /* `period` values, repeated */
    double        lower, upper;
    double        f; /* of the minimum, where the paper prints it, else NaN */
} example;

#define FREE -INFINITY, INFINITY

static const example examples[] = {
    {"Rosenbrock", rosenbrock, 2, 2, {-1.2, 1}, FREE, 0},
    {"Rosenbrock, x <= 0.8", rosenbrock, 2, 2, {-1.2, 1}, -INFINITY, 0.8, NAN},
    {"Rosenbrock, extended", rosenbrock, 40, 2, {-1.2, 1}, FREE, 0},
    {"Rosenbrock, extended, in [-1.5, 0.5]", rosenbrock, 40, 2, {-1.2, 1}, -1.5, 0.5, NAN},
    {"Rosenbrock, chained", chained, 25, 2, {-1.2, 1}, FREE, 0},
    {"Rosenbrock, chained, in [0.2, 0.9]", chained, 25, 1, {0.3}, 0.2, 0.9, NAN},
    {"Freudenstein and Roth", freudenstein, 2, 2, {0.5, -2}, FREE, 48.98425},
    {"Freudenstein and Roth, in [0, 20]", freudenstein, 2, 2, {0.5, 2}, 0, 20, 0},
    {"Powell, badly scaled, in [0, 5]", powell_badly_scaled, 2, 2, {0, 1}, 0, 5, NAN},
    {"Beale", beale, 2, 1, {1}, FREE, 0},
    {"Beale, x <= 2", beale, 2, 1, {1}, -INFINITY, 2, NAN},
    {"helical valley, x >= 0.1", helical_valley, 3, 3, {2, 1, 0.5}, 0.1, INFINITY, NAN},
    {"Bard", bard, 3, 1, {1}, FREE, 8.21487e-3},
    {"Bard, in [0.1, 1.5]", bard, 3, 1, {1}, 0.1, 1.5, NAN},
    {"Box, three-dimensional", box3, 3, 3, {0, 10, 20}, FREE, 0},
    {"Box, three-dimensional, in [0, 9]", box3, 3, 3, {0, 10, 20}, 0, 9, NAN},
    {"Wood", wood, 4, 2, {-3, -1}, FREE, 0},
    {"Wood, x <= 0.9", wood, 4, 2, {-3, -1}, -INFINITY, 0.9, NAN},
    {"Kowalik and Osborne", kowalik, 4, 4, {0.25, 0.39, 0.415, 0.39}, FREE, 3.07505e-4},
    {"Kowalik and Osborne, x >= 0.15",
     kowalik,
     4,
     4,
     {0.25, 0.39, 0.415, 0.39},
     0.15,
     INFINITY,
     NAN},
    {"Brown and Dennis", brown_dennis, 4, 4, {25, 5, -5, -1}, FREE, 85822.2},
    {"Brown and Dennis, in [0, 12]", brown_dennis, 4, 4, {25, 5, -5, -1}, 0, 12, NAN},
    {"Biggs EXP6, x >= 0", biggs, 6, 6, {1, 2, 1, 1, 1, 1}, 0, INFINITY, NAN},
    {"Watson, 6", watson, 6, 1, {0}, FREE, 2.28767e-3},
    {"Watson, 6, in [-0.5, 1]", watson, 6, 1, {0}, -0.5, 1, NAN},
    {"Powell, singular, extended", powell, 40, 4, {3, -1, 0, 1}, FREE, 0},
    {"Powell, singular, extended, x >= 0.1", powell, 40, 4, {3, -1, 0, 1}, 0.1, INFINITY, NAN},
    {"penalty I, 10", penalty, 10, 10, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, FREE, 7.08765e-5},
    {"penalty I, 10, x >= 0.2",
     penalty,
     10,
     10,
     {1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
     0.2,
     INFINITY,
     NAN},
    {"variably dimensioned, 12",
     variably_dimensioned,
     12,
     12,
     {0.92, 0.83, 0.75, 0.67, 0.58, 0.5, 0.42, 0.33, 0.25, 0.17, 0.08, 0},
     FREE,
     0},
    {"variably dimensioned, 12, x <= 0.9",
     variably_dimensioned,
     12,
     12,
     {0.92, 0.83, 0.75, 0.67, 0.58, 0.5, 0.42, 0.33, 0.25, 0.17, 0.08, 0},
     -INFINITY,
     0.9,
     NAN},
    {"trigonometric, 10", trigonometric, 10, 1, {0.1}, FREE, NAN},
    {"trigonometric, 10, x >= 0.05", trigonometric, 10, 1, {0.1}, 0.05, INFINITY, NAN},
    {"boundary value, 50", boundary_value, 50, 1, {-0.1}, FREE, 0},
    {"boundary value, 50, x >= -0.05", boundary_value, 50, 1, {-0.04}, -0.05, INFINITY, NAN},
    {"Broyden, tridiagonal, 60", broyden, 60, 1, {-1}, FREE, 0},
    {"Broyden, tridiagonal, 60, x >= -0.6", broyden, 60, 1, {-0.5}, -0.6, INFINITY, NAN},
};

enum { N_EXAMPLES = sizeof examples / sizeof examples[0] };

/* ---- checks ---- */

static const heft_stop tight = {.memory = 10, .pg_tol = 1e-9, .max_iter = 5000};
static const heft_stop usual = {.memory = 10, .rel_tol = 1e-10, .pg_tol = 1e-6, .max_iter = 5000};

typedef struct tally {
    double ratio; /* sum of our evaluations / theirs */
    size_t n;
} tally;

/* The Karush-Kuhn-Tucker conditions at x, to `tol`: within the bounds; no slope where a variable
 * is free; none that leads inwards where it is on a bound. */
static void assert_minimum(heft_ctx *ctx, const heft_problem *p, const double *x, double tol)
{
    double f, g[MOST];
    assert_int_equal(p->fn(ctx, p->user, x, &f, g), HEFT_OK);
    for (size_t j = 0; j < p->n; j++) {
        assert_true(x[j] >= p->lower[j] && x[j] <= p->upper[j]);
        if (x[j] > p->lower[j]) assert_true(g[j] <= tol);
        if (x[j] < p->upper[j]) assert_true(g[j] >= -tol);
    }
}

/* Our minimum is theirs, and we get there as fast. */
static void compare(heft_ctx *ctx, const char *name, const heft_problem *p, const double *start,
                    const heft_minimum *ours, tally *all)
{
    double       x[MOST];
    heft_minimum theirs, quick[2];
    const size_t size = p->n * sizeof *x;
    if (!oracle_is_here()) return;
    memcpy(x, start, size);
    assert_int_equal(oracle_lbfgsb(ctx, p, &tight, x, &theirs), HEFT_OK);
    NEAR(ours->f, theirs.f, 1e-8 * fmax(fabs(theirs.f), 1));
    memcpy(x, start, size);
    assert_int_equal(heft_lbfgsb(ctx, p, &usual, NULL, x, &quick[0]), HEFT_OK);
    memcpy(x, start, size);
    assert_int_equal(oracle_lbfgsb(ctx, p, &usual, x, &quick[1]), HEFT_OK);
    if (getenv("HEFT_TABLE"))
        print_message("| %s | %zu | %ld | %ld | %.1e |\n", name, p->n, quick[0].evaluations,
                      quick[1].evaluations, ours->f - theirs.f);
    all->ratio += (double)quick[0].evaluations / (double)quick[1].evaluations;
    all->n++;
}

static void assert_fast(const tally *all)
{
    if (all->n == 0) print_message("liblbfgsb is not installed: not compared with it\n");
    else if (getenv("HEFT_TABLE")) print_message("mean ratio %.3f\n", all->ratio / (double)all->n);
    assert_true(all->ratio <= 1.3 * (double)all->n);
}

static void standard_problems(void **state)
{
    /* Property: the conditions of a minimum hold where f is as low as the paper says. */
    (void)state;
    heft_ctx ctx;
    tally    all = {0};
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    for (size_t k = 0; k < N_EXAMPLES; k++) {
        const example *e = &examples[k];
        squares        sum = {e->n, e->fn};
        double         start[MOST], x[MOST], lower[MOST], upper[MOST];
        heft_minimum   out;
        for (size_t j = 0; j < e->n; j++) {
            lower[j] = e->lower;
            upper[j] = e->upper;
            x[j] = start[j] = fmin(fmax(e->start[j % e->period], e->lower), e->upper);
        }
        const heft_problem p = {e->n, squares_value, &sum, lower, upper, NULL, NULL};
        OK(heft_lbfgsb(&ctx, &p, &tight, NULL, x, &out));
        assert_minimum(&ctx, &p, x, 1e-6 * fmax(out.f, 1));
        if (!isnan(e->f)) NEAR(out.f, e->f, fmax(1e-5 * e->f, 1e-10));
        compare(&ctx, e->name, &p, start, &out, &all);
    }
    assert_fast(&all);
    heft_ctx_clear(&ctx);
}

/* ---- quadratic functions ---- */

/* f = (x - c)'H(x - c) / 2 + m'(x - c), where H = Q D Q and Q is a reflection. c is the minimum
 * within bounds that it touches where m is not 0: on the lower one where m > 0. */
typedef struct quadratic {
    size_t n;
    double c[MOST], m[MOST], d[MOST], normal[MOST], lower[MOST], upper[MOST];
} quadratic;

static void reflect(const quadratic *q, double *v)
{
    double along = 0;
    for (size_t j = 0; j < q->n; j++) along += q->normal[j] * v[j];
    for (size_t j = 0; j < q->n; j++) v[j] -= 2 * along * q->normal[j];
}

static heft_status quadratic_value(heft_ctx *ctx, void *user, const double *x, double *f, double *g)
{
    const quadratic *q = user;
    (void)ctx;
    for (size_t j = 0; j < q->n; j++) g[j] = x[j] - q->c[j];
    reflect(q, g);
    for (size_t j = 0; j < q->n; j++) g[j] *= q->d[j];
    reflect(q, g);
    *f = 0;
    for (size_t j = 0; j < q->n; j++) {
        *f += (g[j] / 2 + q->m[j]) * (x[j] - q->c[j]);
        g[j] += q->m[j];
    }
    return HEFT_OK;
}

/* `share` of the variables end on a bound; the curvatures go from 1 to `condition`. */
static void quadratic_make(quadratic *q, size_t n, double share, double condition, uint64_t seed)
{
    heft_rng rng;
    double   norm = 0;
    heft_rng_init(&rng, seed, 1);
    q->n = n;
    for (size_t j = 0; j < n; j++) {
        const bool on = heft_rng_real(&rng) < share, high = heft_rng_real(&rng) < 0.5;
        q->c[j] = 4 * heft_rng_real(&rng) - 2;
        q->m[j] = on ? (high ? -1 : 1) * (0.1 + heft_rng_real(&rng)) : 0;
        q->lower[j] = q->c[j] - (on && !high ? 0 : 0.5 + heft_rng_real(&rng));
        q->upper[j] = q->c[j] + (on && high ? 0 : 0.5 + heft_rng_real(&rng));
        if (heft_rng_real(&rng) < 0.3)
            *(high ? &q->lower[j] : &q->upper[j]) = high ? -INFINITY : INFINITY;
        q->d[j] = pow(condition, n > 1 ? (double)j / (double)(n - 1) : 0);
        q->normal[j] = heft_rng_real(&rng) - 0.5;
        norm += q->normal[j] * q->normal[j];
    }
    for (size_t j = 0; j < n; j++) q->normal[j] /= sqrt(norm);
}

static void quadratics(void **state)
{
    /* Property: the minimum that the function was made with is found, bounds exactly. */
    (void)state;
    static const double shares[] = {0, 0.3, 0.8, 1}, conditions[] = {1, 100, 1e4};
    static const size_t sizes[] = {1, 5, 30, 150};
    heft_ctx            ctx;
    tally               all = {0};
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    for (size_t k = 0; k < 4 * 4 * 3; k++) {
        static quadratic q;
        char             name[80];
        double           start[MOST], x[MOST];
        const double     share = shares[k % 4], condition = conditions[k / 4 % 3];
        heft_minimum     out;
        quadratic_make(&q, sizes[k / 12], share, condition, k + 1);
        for (size_t j = 0; j < q.n; j++) x[j] = start[j] = fmin(fmax(0, q.lower[j]), q.upper[j]);
        const heft_problem p = {q.n, quadratic_value, &q, q.lower, q.upper, NULL, NULL};
        OK(heft_lbfgsb(&ctx, &p, &tight, NULL, x, &out));
        assert_true(out.converged);
        assert_minimum(&ctx, &p, x, 1e-9);
        for (size_t j = 0; j < q.n; j++) {
            if (q.m[j] != 0) assert_true(x[j] == q.c[j]);
            else NEAR(x[j], q.c[j], 1e-8);
        }
        snprintf(name, sizeof name, "quadratic, %.0f %% active, condition %g", 100 * share,
                 condition);
        compare(&ctx, name, &p, start, &out, &all);
    }
    assert_fast(&all);
    heft_ctx_clear(&ctx);
}

/* ---- order and limits ---- */

typedef struct shuffled { /* another problem with its variables in another order */
    const heft_problem *of;
    size_t              from[MOST];
} shuffled;

static heft_status shuffled_value(heft_ctx *ctx, void *user, const double *x, double *f, double *g)
{
    const shuffled *s = user;
    double          at[MOST], slope[MOST];
    for (size_t j = 0; j < s->of->n; j++) at[s->from[j]] = x[j];
    HEFT_CHECK(s->of->fn(ctx, s->of->user, at, f, slope));
    for (size_t j = 0; j < s->of->n; j++) g[j] = slope[s->from[j]];
    return HEFT_OK;
}

static void order_changes_no_bit(void **state)
{
    /* Property: the same variables in any order end at the same bits after as many evaluations. */
    (void)state;
    static quadratic q;
    heft_ctx         ctx;
    heft_rng         rng;
    heft_minimum     first, out;
    double           x[MOST], y[MOST], lower[MOST], upper[MOST];
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    heft_rng_init(&rng, 5, 1);
    quadratic_make(&q, 60, 0.4, 1000, 3);
    const heft_problem p = {q.n, quadratic_value, &q, q.lower, q.upper, NULL, NULL};
    for (size_t j = 0; j < q.n; j++) x[j] = 0;
    OK(heft_lbfgsb(&ctx, &p, &usual, NULL, x, &first));
    for (int round = 0; round < 5; round++) {
        shuffled s = {.of = &p};
        for (size_t j = 0; j < q.n; j++) s.from[j] = j;
        heft_rng_shuffle(&rng, s.from, q.n);
        for (size_t j = 0; j < q.n; j++) {
            y[j] = 0;
            lower[j] = q.lower[s.from[j]];
            upper[j] = q.upper[s.from[j]];
        }
        const heft_problem turned = {q.n, shuffled_value, &s, lower, upper, NULL, NULL};
        OK(heft_lbfgsb(&ctx, &turned, &usual, NULL, y, &out));
        assert_int_equal(out.evaluations, first.evaluations);
        for (size_t j = 0; j < q.n; j++) assert_true(y[j] == x[s.from[j]]);
    }
    heft_ctx_clear(&ctx);
}

/* ---- second derivatives ---- */

typedef struct bent {
    quadratic q;
    double    off; /* what is told is off by up to this factor, otherwise for each pair */
    bool      known;
    size_t    from[MOST];
} bent;

static heft_status bent_value(heft_ctx *ctx, void *user, const double *x, double *f, double *g)
{
    bent  *b = user;
    double at[MOST] = {0}, slope[MOST];
    for (size_t j = 0; j < b->q.n; j++) at[b->from[j]] = x[j];
    HEFT_CHECK(quadratic_value(ctx, &b->q, at, f, slope));
    for (size_t j = 0; j < b->q.n; j++) g[j] = slope[b->from[j]];
    return HEFT_OK;
}

static heft_status bent_second(heft_ctx *ctx, void *user, const double *x, double *second,
                               bool *known)
{
    const bent *b = user;
    (void)ctx, (void)x;
    *known = b->known;
    for (size_t j = 0; j < b->q.n; j++) {
        double line[MOST] = {0};
        line[b->from[j]] = 1;
        reflect(&b->q, line);
        for (size_t k = 0; k < b->q.n; k++) line[k] *= b->q.d[k];
        reflect(&b->q, line);
        for (size_t k = 0; k < b->q.n; k++)
            second[j * b->q.n + k] =
                line[b->from[k]] *
                pow(b->off, ((double)(b->from[j] % 3) + (double)(b->from[k] % 3)) / 2 - 1);
    }
    return HEFT_OK;
}

static void bent_minimum(heft_ctx *ctx, const bent *of, double *x, heft_minimum *out)
{
    static bent  b;
    double       lower[MOST], upper[MOST];
    heft_problem p = {of->q.n, bent_value, &b, lower, upper, NULL, bent_second};
    b = *of;
    for (size_t j = 0; j < p.n; j++) {
        lower[j] = b.q.lower[b.from[j]];
        upper[j] = b.q.upper[b.from[j]];
        x[j] = fmin(fmax(0, lower[j]), upper[j]);
    }
    OK(heft_lbfgsb(ctx, &p, &tight, NULL, x, out));
}

static void second_derivatives_save_steps(void **state)
{
    /* Property: with them a quadratic function is at its minimum after a step or two; poor ones
     * cost steps and not the minimum; without any it goes as it does without the question. The
     * order of the variables changes no bit. */
    (void)state;
    static const double shares[] = {0, 0.3, 0.8, 1};
    static bent         b;
    heft_ctx            ctx;
    heft_rng            rng;
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    heft_rng_init(&rng, 8, 1);
    for (size_t k = 0; k < 12; k++) {
        static const double offs[] = {1, 3, 1};
        double              x[MOST], y[MOST];
        heft_minimum        out, again;
        quadratic_make(&b.q, 1 + 17 * (k / 4), shares[k % 4], 1000, k + 1);
        const heft_problem plain = {b.q.n, quadratic_value, &b.q, b.q.lower, b.q.upper, NULL, NULL};
        for (size_t kind = 0; kind < 3; kind++) {
            b.off = offs[kind];
            b.known = kind < 2;
            for (size_t j = 0; j < b.q.n; j++) b.from[j] = j;
            bent_minimum(&ctx, &b, x, &out);
            assert_minimum(&ctx, &plain, x, 1e-9);
            for (size_t j = 0; j < b.q.n; j++)
                if (b.q.m[j] != 0) assert_true(x[j] == b.q.c[j]);
            if (kind == 0) assert_in_range(out.evaluations, 1, 4);
            heft_rng_shuffle(&rng, b.from, b.q.n);
            bent_minimum(&ctx, &b, y, &again);
            assert_int_equal(again.evaluations, out.evaluations);
            for (size_t j = 0; j < b.q.n; j++) assert_true(y[j] == x[b.from[j]]);
        }
        for (size_t j = 0; j < b.q.n; j++) y[j] = fmin(fmax(0, b.q.lower[j]), b.q.upper[j]);
        OK(heft_lbfgsb(&ctx, &plain, &tight, NULL, y, &again));
        assert_int_equal(again.evaluations, out.evaluations);
        assert_memory_equal(x, y, b.q.n * sizeof *x);
    }
    heft_ctx_clear(&ctx);
}

/* Finite only near the start: |x_j - 1| < 0.3. */
static heft_status small_room(heft_ctx *ctx, void *user, const double *x, double *f, double *g)
{
    const size_t n = *(const size_t *)user;
    (void)ctx;
    *f = 0;
    for (size_t j = 0; j < n; j++) {
        const double room = 0.3 - fabs(x[j] - 1);
        *f += 1e3 * x[j] - log(room);
        g[j] = 1e3 + (x[j] > 1 ? 1 : -1) / room;
    }
    return HEFT_OK;
}

static void no_step_leaves_the_domain(void **state)
{
    /* Property: infinity and NaN outside of a small domain are stepped back from, and the points
     * evaluated never leave the bounds. */
    (void)state;
    size_t             n = 20;
    double             x[20], lower[20], upper[20], f, g[20];
    heft_ctx           ctx;
    heft_minimum       out;
    const heft_problem p = {n, small_room, &n, lower, upper, NULL, NULL};
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    for (size_t j = 0; j < n; j++) {
        lower[j] = j % 2 ? 0.9 : -INFINITY;
        upper[j] = INFINITY;
        x[j] = 1.001 + 0.01 * (double)j;
    }
    OK(heft_lbfgsb(&ctx, &p, &usual, NULL, x, &out));
    OK(small_room(&ctx, &n, x, &f, g));
    assert_true(isfinite(f) && f == out.f);
    for (size_t j = 0; j < n; j++) NEAR(x[j], j % 2 ? 0.9 : 0.701, 1e-5);
    heft_ctx_clear(&ctx);
}

static void fixed_variables_stay(void **state)
{
    /* Property: equal bounds fix a variable; where all are fixed, the start is the minimum. */
    (void)state;
    static quadratic q;
    double           x[MOST];
    heft_ctx         ctx;
    heft_minimum     out;
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    quadratic_make(&q, 30, 0, 100, 9);
    const heft_problem p = {q.n, quadratic_value, &q, q.lower, q.upper, NULL, NULL};
    for (size_t step = 2; step-- > 0;) { /* every second one, then all */
        for (size_t j = 0; j < q.n; j += 1 + step) q.lower[j] = q.upper[j] = q.c[j] + 0.25;
        for (size_t j = 0; j < q.n; j++) x[j] = 9;
        OK(heft_lbfgsb(&ctx, &p, &tight, NULL, x, &out));
        assert_true(out.converged);
        assert_minimum(&ctx, &p, x, 1e-5);
        for (size_t j = 0; j < q.n; j += 1 + step) assert_true(x[j] == q.c[j] + 0.25);
    }
    assert_int_equal(out.evaluations, 1);
    heft_ctx_clear(&ctx);
}

static void every_memory_finds_it(void **state)
{
    /* Property: one pair or a hundred, the minimum is the same. */
    (void)state;
    static quadratic q;
    heft_ctx         ctx;
    heft_minimum     out;
    double           x[MOST];
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    quadratic_make(&q, 40, 0.3, 1000, 21);
    const heft_problem p = {q.n, quadratic_value, &q, q.lower, q.upper, NULL, NULL};
    for (size_t memory = 1; memory <= 100; memory = memory < 4 ? memory + 1 : memory * 5) {
        heft_stop stop = tight;
        stop.memory = memory;
        for (size_t j = 0; j < q.n; j++) x[j] = 0;
        OK(heft_lbfgsb(&ctx, &p, &stop, NULL, x, &out));
        assert_minimum(&ctx, &p, x, 1e-8);
        for (size_t j = 0; j < q.n; j++) NEAR(x[j], q.c[j], 1e-7);
    }
    heft_ctx_clear(&ctx);
}

/* ---- the line search ---- */

/* The functions of Moré and Thuente, Section 5: phi(t) with its slope. */
static heft_line_point hump(double t) /* (5.1), beta = 2 */
{
    return (heft_line_point){t, -t / (t * t + 2), (t * t - 2) / pow(t * t + 2, 2)};
}

static heft_line_point steep(double t) /* (5.2), beta = 0.004 */
{
    const double u = t + 0.004;
    return (heft_line_point){t, pow(u, 5) - 2 * pow(u, 4), 5 * pow(u, 4) - 8 * pow(u, 3)};
}

static heft_line_point two_bends(double t) /* (5.4), beta_1 = 0.001, beta_2 = 0.01 */
{
    const double a = 0.001, b = 0.01, p = sqrt(1 + a * a) - a, q = sqrt(1 + b * b) - b;
    const double u = hypot(1 - t, b), v = hypot(t, a);
    return (heft_line_point){t, p * u + q * v, p * (t - 1) / u + q * t / v};
}

static void line_search_meets_its_conditions(void **state)
{
    /* Property: from first steps of 1e-3 to 1e3 a step with the strong Wolfe conditions is found,
     * or one near the minimum, in no more than the 12 tries that Tables I to IV print. */
    (void)state;
    heft_line_point (*const functions[])(double) = {hump, steep, two_bends};
    for (size_t k = 0; k < 3; k++) {
        const heft_line_point start = functions[k](0);
        for (double first = 1e-3; first <= 1e3; first *= 100) {
            heft_line        line;
            heft_line_point  at;
            heft_line_answer answer;
            int              tries = 0;
            heft_line_begin(&line, start.f, start.slope, first, 1e10);
            do {
                at = functions[k](line.step);
                answer = heft_line_next(&line, &at);
                tries++;
            } while (answer == HEFT_LINE_TRY);
            assert_int_equal(answer, HEFT_LINE_ACCEPT);
            assert_true(tries <= 12);
            assert_true(at.f <= start.f + 1e-3 * at.step * start.slope);
            if (k == 1) NEAR(at.step, 1.596, 0.16); /* no slope is small beside that at 0 */
            else assert_true(fabs(at.slope) <= 0.9 * fabs(start.slope));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_problems),
        cmocka_unit_test(quadratics),
        cmocka_unit_test(order_changes_no_bit),
        cmocka_unit_test(second_derivatives_save_steps),
        cmocka_unit_test(no_step_leaves_the_domain),
        cmocka_unit_test(fixed_variables_stay),
        cmocka_unit_test(every_memory_finds_it),
        cmocka_unit_test(line_search_meets_its_conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
