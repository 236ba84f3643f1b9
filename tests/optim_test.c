/* optim_test.c - the minimisers on functions whose minimum is known. */
#include "fixture.h"

#include <pthread.h>

#include "optim/optim.h"

static const heft_stop tight = {.memory = 5, .rel_tol = 1e-15, .pg_tol = 1e-9, .max_iter = 1000};

/* sum_j h_j (x_j - c_j)^2 */
typedef struct bowl {
    size_t        n;
    const double *h, *c;
} bowl;

static heft_status bowl_fn(heft_ctx *ctx, void *user, const double *x, double *f, double *g)
{
    const bowl *b = user;
    (void)ctx;
    *f = 0;
    for (size_t j = 0; j < b->n; j++) {
        *f += b->h[j] * (x[j] - b->c[j]) * (x[j] - b->c[j]);
        g[j] = 2 * b->h[j] * (x[j] - b->c[j]);
    }
    return HEFT_OK;
}

static heft_status rosenbrock(heft_ctx *ctx, void *user, const double *x, double *f, double *g)
{
    const size_t n = *(const size_t *)user;
    (void)ctx;
    *f = 0;
    memset(g, 0, n * sizeof *g);
    for (size_t j = 0; j + 1 < n; j++) {
        const double a = x[j + 1] - x[j] * x[j], b = 1 - x[j];
        *f += 100 * a * a + b * b;
        g[j] += -400 * a * x[j] - 2 * b;
        g[j + 1] += 200 * a;
    }
    return HEFT_OK;
}

/* Falls to 0 as x grows without end. */
static heft_status runaway(heft_ctx *ctx, void *user, const double *x, double *f, double *g)
{
    (void)ctx, (void)user;
    *f = log1p(exp(-x[0])) + log1p(exp(-3 * x[1]));
    g[0] = -1 / (1 + exp(x[0]));
    g[1] = -3 / (1 + exp(3 * x[1]));
    return HEFT_OK;
}

/* Defined for x > 0 only, steep towards 0 in the wrong direction for a long first step. */
static heft_status half_line(heft_ctx *ctx, void *user, const double *x, double *f, double *g)
{
    (void)ctx, (void)user;
    *f = x[0] > 0 ? 1e4 * x[0] - log(x[0]) : NAN;
    g[0] = x[0] > 0 ? 1e4 - 1 / x[0] : NAN;
    return HEFT_OK;
}

static void quadratic_ends_on_its_bounds_exactly(void **state)
{
    /* Property: variables whose free minimum lies outside end exactly on the bound. */
    (void)state;
    enum { N = 40 };
    double   h[N], c[N], x[N], lo[N], hi[N];
    heft_ctx ctx;
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    for (size_t j = 0; j < N; j++) {
        h[j] = pow(10, (double)(j % 7) - 3);
        c[j] = (double)(j % 5) - 2;
        x[j] = 1;
        lo[j] = 0;
        hi[j] = j % 2 ? 1.5 : INFINITY;
    }
    bowl               b = {N, h, c};
    const heft_problem p = {.n = N, .fn = bowl_fn, .user = &b, .lower = lo, .upper = hi};
    heft_minimum       out;
    assert_int_equal(heft_lbfgsb(&ctx, &p, &tight, NULL, x, &out), HEFT_OK);
    assert_true(out.converged);
    assert_true(out.pg_norm < 1e-4);
    for (size_t j = 0; j < N; j++) {
        if (c[j] <= 0) assert_true(x[j] == 0);
        else if (c[j] > hi[j]) assert_true(x[j] == hi[j]);
        else assert_true(fabs(x[j] - c[j]) < 1e-4);
    }
    heft_ctx_clear(&ctx);
}

/* Property: the unit of the objective does not decide whether the curvature is learned; an
 * exponential loss can begin at 1e60. */
static void a_large_unit_is_no_obstacle(void **state)
{
    (void)state;
    enum { N = 8 };
    double   h[N], c[N], x[N], lo[N] = {0};
    heft_ctx ctx;
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    for (size_t j = 0; j < N; j++) {
        h[j] = 1e60 * pow(4, (double)j);
        c[j] = (double)(j % 4) - 0.5;
        x[j] = 1;
    }
    bowl               b = {N, h, c};
    const heft_problem p = {.n = N, .fn = bowl_fn, .user = &b, .lower = lo};
    heft_minimum       out;
    const heft_stop    stop = {.memory = 5, .rel_tol = 1e-15, .max_iter = 200};
    assert_int_equal(heft_lbfgsb(&ctx, &p, &stop, NULL, x, &out), HEFT_OK);
    for (size_t j = 0; j < N; j++) assert_true(fabs(x[j] - fmax(c[j], 0)) < 1e-6);
    heft_ctx_clear(&ctx);
}

static void starts_on_the_upper_bound(void **state)
{
    /* Property: a start with every variable on its upper bound moves those that want to fall. */
    (void)state;
    double             h[3] = {1, 2, 3}, c[3] = {0.25, 4, -1}, x[3] = {1, 1, 1};
    double             lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1};
    heft_ctx           ctx;
    heft_minimum       out;
    bowl               b = {3, h, c};
    const heft_problem p = {.n = 3, .fn = bowl_fn, .user = &b, .lower = lo, .upper = hi};
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    assert_int_equal(heft_lbfgsb(&ctx, &p, &tight, NULL, x, &out), HEFT_OK);
    assert_true(fabs(x[0] - 0.25) < 1e-9);
    assert_true(x[1] == 1 && x[2] == 0);
    x[0] = x[1] = x[2] = 7; /* outside: moved inside first */
    assert_int_equal(heft_lbfgsb(&ctx, &p, &(heft_stop){.memory = 5}, NULL, x, &out), HEFT_OK);
    assert_true(x[0] == 1 && x[1] == 1 && x[2] == 1);
    assert_int_equal(out.iterations, 0);
    assert_int_equal(out.evaluations, 1);
    assert_true(out.f == out.f0 && !out.converged);
    heft_ctx_clear(&ctx);
}

static void rosenbrock_is_solved_and_never_rises(void **state)
{
    /* Property: the trace has one value an iteration, falls all the way, and ends at f. */
    (void)state;
    size_t       n = 12;
    double       x[12];
    heft_ctx     ctx;
    heft_arena   arena = {0};
    heft_minimum out;
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    for (size_t j = 0; j < n; j++) x[j] = j % 2 ? 1 : -1.2;
    const heft_problem p = {.n = n, .fn = rosenbrock, .user = &n};
    assert_int_equal(heft_lbfgsb(&ctx, &p, &tight, &arena, x, &out), HEFT_OK);
    assert_true(out.converged);
    for (size_t j = 0; j < n; j++) assert_true(fabs(x[j] - 1) < 1e-6);
    assert_int_equal(out.n_trace, out.iterations + 1);
    assert_true(out.n_trace > 20 && out.evaluations >= out.iterations);
    for (size_t k = 1; k < out.n_trace; k++) assert_true(out.trace[k] <= out.trace[k - 1]);
    assert_true(out.trace[0] == out.f0 && out.trace[out.n_trace - 1] == out.f);
    heft_arena_clear(&arena);
    heft_ctx_clear(&ctx);
}

static heft_status rosenbrock32(heft_ctx *ctx, void *user, const float *x, double *f, float *g)
{
    double       wide[12] = {0}, slope[12];
    const size_t n = *(const size_t *)user;
    for (size_t j = 0; j < n; j++) wide[j] = x[j];
    HEFT_CHECK(rosenbrock(ctx, user, wide, f, slope));
    for (size_t j = 0; j < n; j++) g[j] = (float)slope[j];
    return HEFT_OK;
}

/* Iterations until three in a row lower f by at most tol * max(|f|, 1), from the trace alone; 0
 * where that never happens. *pauses: how often there was one or two. */
static size_t end_of(const heft_minimum *out, double tol, size_t *pauses)
{
    size_t slow = 0;
    *pauses = 0;
    for (size_t k = 1; k < out->n_trace; k++) {
        const double before = out->trace[k - 1], now = out->trace[k];
        const bool   fell = before - now > tol * fmax(fmax(fabs(before), fabs(now)), 1);
        if (fell && slow > 0) ++*pauses;
        slow = fell ? 0 : slow + 1;
        if (slow == 3) return k;
    }
    return 0;
}

static void a_pause_is_not_the_end(void **state)
{
    /* Property: rel_tol stops a search after three consecutive iterations with hardly any fall. */
    (void)state;
    size_t       n = 12, pauses[2] = {0}, met;
    double       x[12];
    float        x32[12];
    heft_ctx     ctx;
    heft_arena   arena = {0};
    heft_minimum out;
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    const heft_problem p = {.n = n, .fn = rosenbrock, .user = &n};
    for (double tol = 0.2; tol > 1e-3; tol /= 2) {
        const heft_stop stop = {.memory = 5, .rel_tol = tol, .max_iter = 1000};
        for (size_t j = 0; j < n; j++) x32[j] = (float)(x[j] = j % 2 ? 1 : -1.2);
        assert_int_equal(heft_lbfgsb(&ctx, &p, &stop, &arena, x, &out), HEFT_OK);
        assert_true(out.converged);
        assert_int_equal(out.iterations, end_of(&out, tol, &met));
        pauses[0] += met;
        assert_int_equal(heft_lbfgs(&ctx, &(heft_problem32){n, rosenbrock32, &n, NULL}, &stop,
                                    &arena, x32, &out),
                         HEFT_OK);
        assert_true(out.converged);
        assert_int_equal(out.iterations, end_of(&out, tol, &met));
        pauses[1] += met;
    }
    assert_true(pauses[0] > 0 && pauses[1] > 0); /* a rule of one iteration would have stopped */
    heft_arena_clear(&arena);
    heft_ctx_clear(&ctx);
}

static void caps_end_a_runaway(void **state)
{
    /* Property: without a minimum the caps stop it, at finite values, and say so. */
    (void)state;
    double             x[2] = {1, 1};
    heft_ctx           ctx;
    heft_minimum       out;
    const heft_problem p = {.n = 2, .fn = runaway};
    heft_stop          stop = {.memory = 5, .max_iter = 7};
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    assert_int_equal(heft_lbfgsb(&ctx, &p, &stop, NULL, x, &out), HEFT_OK);
    assert_int_equal(out.iterations, 7);
    assert_false(out.converged);
    assert_non_null(strstr(out.stopped_by, "iteration limit"));
    assert_true(isfinite(x[0]) && isfinite(x[1]) && out.f < out.f0);
    stop = (heft_stop){.memory = 5, .max_iter = 1000, .max_eval = 5};
    x[0] = x[1] = 1;
    assert_int_equal(heft_lbfgsb(&ctx, &p, &stop, NULL, x, &out), HEFT_OK);
    assert_int_equal(out.evaluations, 5);
    assert_non_null(strstr(out.stopped_by, "evaluation limit"));
    stop = (heft_stop){.memory = 5, .max_iter = 100000}; /* no tolerance at all */
    assert_int_equal(heft_lbfgsb(&ctx, &p, &stop, NULL, x, &out), HEFT_OK);
    assert_true(isfinite(x[0]) && isfinite(x[1]) && out.f >= 0 && out.f < 1e-6);
    heft_ctx_clear(&ctx);
}

static void undefined_points_are_stepped_back_from(void **state)
{
    /* Property: NaN in the line search costs a shorter step, never the answer. */
    (void)state;
    double             x[1] = {0.5};
    heft_ctx           ctx;
    heft_minimum       out;
    const heft_problem p = {.n = 1, .fn = half_line};
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    assert_int_equal(heft_lbfgsb(&ctx, &p, &tight, NULL, x, &out), HEFT_OK);
    assert_true(fabs(x[0] - 1e-4) < 1e-8);
    assert_true(isfinite(out.f));
    x[0] = 0.5;
    heft_descent_rule rule = {
        .eta0 = 1, .decay = 10, .rel_tol = 0, .patience = 3, .floor = 1e-12, .max_iter = 200};
    assert_int_equal(heft_descent(&ctx, &p, &rule, NULL, x, &out), HEFT_OK);
    assert_true(x[0] > 0 && out.f < 10.5);
    x[0] = -1;
    assert_int_equal(heft_lbfgsb(&ctx, &p, &tight, NULL, x, &out), HEFT_ENUMERIC);
    assert_int_equal(heft_descent(&ctx, &p, &rule, NULL, x, &out), HEFT_ENUMERIC);
    heft_ctx_clear(&ctx);
}

/* A gradient that points uphill: no line search can succeed. */
static heft_status wrong_way(heft_ctx *ctx, void *user, const double *x, double *f, double *g)
{
    (void)ctx, (void)user;
    *f = x[0] * x[0];
    g[0] = -2 * x[0];
    return HEFT_OK;
}

static void failed_line_search_is_a_result(void **state)
{
    /* Property: a hopeless line search returns the best point and a sentence, not an error. */
    (void)state;
    double             x[1] = {3};
    heft_ctx           ctx;
    heft_minimum       out;
    const heft_problem p = {.n = 1, .fn = wrong_way};
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    assert_int_equal(heft_lbfgsb(&ctx, &p, &tight, NULL, x, &out), HEFT_OK);
    assert_false(out.converged);
    assert_non_null(strstr(out.stopped_by, "line search"));
    assert_true(out.f <= 9 && x[0] * x[0] == out.f);
    x[0] = 3;
    heft_descent_rule rule = {
        .eta0 = 1, .decay = 10, .rel_tol = 1e-6, .patience = 3, .floor = 1e-12, .max_iter = 200};
    assert_int_equal(heft_descent(&ctx, &p, &rule, NULL, x, &out), HEFT_OK);
    assert_true(x[0] == 3 && out.iterations == 0 && !out.converged);
    heft_ctx_clear(&ctx);
}

static void nothing_to_learn(void **state)
{
    /* Property: a problem without variables is evaluated once and converged. */
    (void)state;
    bowl               b = {0, NULL, NULL};
    heft_ctx           ctx;
    heft_minimum       out;
    double             x[1];
    const heft_problem p = {.n = 0, .fn = bowl_fn, .user = &b};
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    assert_int_equal(heft_lbfgsb(&ctx, &p, &tight, NULL, x, &out), HEFT_OK);
    assert_true(out.converged && out.f == 0 && out.evaluations == 1);
    heft_ctx_clear(&ctx);
}

static void bad_bounds_are_refused(void **state)
{
    /* Property: a lower bound above the upper one is EINVAL and names the variable. */
    (void)state;
    double             h[2] = {1, 1}, c[2] = {0}, x[2] = {0};
    double             lo[2] = {0, 2}, hi[2] = {1, 1};
    heft_ctx           ctx;
    heft_minimum       out;
    bowl               b = {2, h, c};
    const heft_problem p = {.n = 2, .fn = bowl_fn, .user = &b, .lower = lo, .upper = hi};
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    assert_int_equal(heft_lbfgsb(&ctx, &p, &tight, NULL, x, &out), HEFT_EINVAL);
    assert_non_null(strstr(err.text, "variable 2"));
    heft_ctx_clear(&ctx);
}

static bool after_three(void *user)
{
    return ++*(int *)user > 3;
}

static void cancel_ends_it(void **state)
{
    /* Property: the host's cancel ends either minimiser with ECANCELLED. */
    (void)state;
    size_t             n = 12;
    double             x[12] = {0};
    int                asked = 0;
    const heft_host    talk = {.cancelled = after_three, .user = &asked};
    heft_ctx           ctx;
    heft_minimum       out;
    const heft_problem p = {.n = n, .fn = rosenbrock, .user = &n};
    heft_ctx_init(&ctx, NULL, 1, 1, &talk);
    assert_int_equal(heft_lbfgsb(&ctx, &p, &tight, NULL, x, &out), HEFT_ECANCELLED);
    asked = 0;
    heft_descent_rule rule = {.eta0 = 1e-3,
                              .decay = 100,
                              .rel_tol = 1e-9,
                              .patience = 3,
                              .floor = 1e-12,
                              .max_iter = 500};
    assert_int_equal(heft_descent(&ctx, &p, &rule, NULL, x, &out), HEFT_ECANCELLED);
    heft_ctx_clear(&ctx);
}

typedef struct worker {
    size_t       n;
    double       x[60];
    heft_minimum out;
    heft_status  st;
} worker;

static void *work(void *arg)
{
    worker  *w = arg;
    heft_ctx ctx;
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    for (int round = 0; round < 20 && w->st == HEFT_OK; round++) {
        for (size_t j = 0; j < w->n; j++) w->x[j] = j % 2 ? 1 : -1.2;
        const heft_problem p = {.n = w->n, .fn = rosenbrock, .user = &w->n};
        w->st = heft_lbfgsb(&ctx, &p, &tight, NULL, w->x, &w->out);
    }
    heft_ctx_clear(&ctx);
    return NULL;
}

static void threads_do_not_disturb_each_other(void **state)
{
    /* Property: two problems solved at once give the bits they give alone. */
    (void)state;
    static worker alone[2], both[2];
    pthread_t     thread[2];
    for (int k = 0; k < 2; k++) {
        alone[k].n = both[k].n = k ? 60 : 31;
        work(&alone[k]);
    }
    for (int k = 0; k < 2; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, work, &both[k]), 0);
    for (int k = 0; k < 2; k++) assert_int_equal(pthread_join(thread[k], NULL), 0);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(both[k].st, HEFT_OK);
        assert_int_equal(both[k].out.evaluations, alone[k].out.evaluations);
        assert_memory_equal(both[k].x, alone[k].x, alone[k].n * sizeof(double));
    }
}

static void silence(void **state)
{
    /* Property: nothing reaches standard output or error, also where a line search fails. */
    (void)state;
    FILE *sink = tmpfile();
    assert_non_null(sink);
    fflush(stdout), fflush(stderr);
    const int out = dup(1), error = dup(2);
    assert_true(out >= 0 && error >= 0);
    assert_true(dup2(fileno(sink), 1) >= 0 && dup2(fileno(sink), 2) >= 0);
    double             x[2] = {3, 3};
    size_t             n = 2;
    heft_ctx           ctx;
    heft_minimum       result;
    const heft_problem wrong = {.n = 1, .fn = wrong_way},
                       right = {.n = 2, .fn = rosenbrock, .user = &n};
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    const heft_status a = heft_lbfgsb(&ctx, &wrong, &tight, NULL, x, &result);
    const heft_status b = heft_lbfgsb(&ctx, &right, &tight, NULL, x, &result);
    heft_ctx_clear(&ctx);
    fflush(stdout), fflush(stderr);
    assert_true(dup2(out, 1) >= 0 && dup2(error, 2) >= 0);
    close(out), close(error);
    assert_int_equal(a, HEFT_OK);
    assert_int_equal(b, HEFT_OK);
    assert_int_equal(lseek(fileno(sink), 0, SEEK_END), 0);
    fclose(sink);
}

static void descent_follows_its_rule(void **state)
{
    /* Property: f never rises; on a bowl with a mild step it converges to the minimum, and each
     * first step is the trial step eta0 / (1 + t / decay). */
    (void)state;
    double            h[2] = {1, 2}, c[2] = {3, -1}, x[2] = {1, 1};
    heft_ctx          ctx;
    heft_arena        arena = {0};
    heft_minimum      out;
    bowl              b = {2, h, c};
    heft_descent_rule rule = {
        .eta0 = 0.1, .decay = 4, .rel_tol = 1e-6, .patience = 3, .floor = 1e-12, .max_iter = 1};
    const heft_problem p = {.n = 2, .fn = bowl_fn, .user = &b};
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    assert_int_equal(heft_descent(&ctx, &p, &rule, NULL, x, &out), HEFT_OK);
    const double eta = 0.1 / (1 + 1.0 / 4);
    assert_true(fabs(x[0] - (1 + eta * 4)) < 1e-15 && fabs(x[1] - (1 - eta * 8)) < 1e-15);
    assert_int_equal(out.evaluations, 2);
    assert_false(out.converged);
    x[0] = x[1] = 1;
    rule.decay = 1e6;
    rule.max_iter = 500;
    assert_int_equal(heft_descent(&ctx, &p, &rule, &arena, x, &out), HEFT_OK);
    for (size_t k = 1; k < out.n_trace; k++) assert_true(out.trace[k] <= out.trace[k - 1]);
    assert_int_equal(out.n_trace, out.iterations + 1);
    assert_true(fabs(x[0] - 3) < 1e-2 && fabs(x[1] + 1) < 1e-2);
    x[0] = 3, x[1] = -1; /* at the minimum */
    assert_int_equal(heft_descent(&ctx, &p, &rule, NULL, x, &out), HEFT_OK);
    assert_true(out.converged && out.iterations == 0);
    x[0] = x[1] = 1;
    rule.max_iter = 0;
    assert_int_equal(heft_descent(&ctx, &p, &rule, NULL, x, &out), HEFT_OK);
    assert_true(x[0] == 1 && x[1] == 1 && out.f == out.f0);
    heft_arena_clear(&arena);
    heft_ctx_clear(&ctx);
}

/* Property: descent with a search of the step ends where L-BFGS-B does, exactly on the bounds, from
 * a start outside them. */
static void descent_keeps_the_bounds(void **state)
{
    (void)state;
    double                  h[3] = {1, 2, 5}, c[3] = {0.25, 4, -1}, x[3] = {7, 0.5, 7};
    double                  lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1};
    heft_ctx                ctx;
    heft_arena              arena = {0};
    heft_minimum            out;
    bowl                    b = {3, h, c};
    const heft_problem      p = {.n = 3, .fn = bowl_fn, .user = &b, .lower = lo, .upper = hi};
    const heft_descent_rule rule = {.eta0 = 1,
                                    .search = true,
                                    .rel_tol = 1e-14,
                                    .patience = 3,
                                    .floor = 1e-30,
                                    .max_iter = 500};
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    assert_int_equal(heft_descent(&ctx, &p, &rule, &arena, x, &out), HEFT_OK);
    assert_true(out.converged && out.pg_norm < 1e-4);
    assert_true(fabs(x[0] - 0.25) < 1e-5 && x[1] == 1 && x[2] == 0);
    for (size_t k = 1; k < out.n_trace; k++) assert_true(out.trace[k] <= out.trace[k - 1]);
    heft_arena_clear(&arena);
    heft_ctx_clear(&ctx);
}

static void no_memory_is_reported(void **state)
{
    /* Property: whichever allocation fails, the answer is ENOMEM and nothing leaks. */
    (void)state;
    size_t n = 3000;
    for (size_t k = 1; k <= 3; k++) {
        static double x[3000];
        heft_ctx      ctx;
        heft_minimum  out;
        heft_ctx_init(&ctx, NULL, 1, 1, NULL);
        const heft_problem p = {.n = n, .fn = rosenbrock, .user = &n};
        heft_fail_alloc_at(k, true);
        const heft_status a = heft_lbfgsb(&ctx, &p, &tight, NULL, x, &out);
        heft_fail_alloc_at(0, false);
        assert_int_equal(a, HEFT_ENOMEM);
        heft_ctx_clear(&ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quadratic_ends_on_its_bounds_exactly),
        cmocka_unit_test(a_large_unit_is_no_obstacle),
        cmocka_unit_test(starts_on_the_upper_bound),
        cmocka_unit_test(rosenbrock_is_solved_and_never_rises),
        cmocka_unit_test(a_pause_is_not_the_end),
        cmocka_unit_test(caps_end_a_runaway),
        cmocka_unit_test(undefined_points_are_stepped_back_from),
        cmocka_unit_test(failed_line_search_is_a_result),
        cmocka_unit_test(nothing_to_learn),
        cmocka_unit_test(bad_bounds_are_refused),
        cmocka_unit_test(cancel_ends_it),
        cmocka_unit_test(threads_do_not_disturb_each_other),
        cmocka_unit_test(silence),
        cmocka_unit_test(descent_follows_its_rule),
        cmocka_unit_test(descent_keeps_the_bounds),
        cmocka_unit_test(no_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
