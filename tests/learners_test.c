/* learners_test.c - every objective that a method minimises within bounds, minimised a second time
 * by liblbfgsb: the same minimum, and hardly fewer evaluations.
 *
 * The linker gives the calls of heft_lbfgsb to the function of this file (--wrap). */
#include "fixture.h"

#include <pthread.h>

#include "lbfgsb_oracle.h"
#include "learn/mixing.h"

static struct {
    size_t n;                        /* minimisations */
    double ours, theirs, far, ratio; /* evaluations; largest difference of f; sum of ratios */
} seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for it: pairs are learned at once */

heft_status __real_heft_lbfgsb(heft_ctx *ctx, const heft_problem *problem, const heft_stop *stop,
                               heft_arena *trace, double *x, heft_minimum *out);
heft_status __wrap_heft_lbfgsb(heft_ctx *ctx, const heft_problem *problem, const heft_stop *stop,
                               heft_arena *trace, double *x, heft_minimum *out);

/* The minima are compared at the limit of precision, the evaluations by the method's own rule. */
heft_status __wrap_heft_lbfgsb(heft_ctx *ctx, const heft_problem *problem, const heft_stop *stop,
                               heft_arena *trace, double *x, heft_minimum *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t size = problem->n * sizeof *x;
    heft_stop    tight = *stop;
    heft_minimum ours, theirs, usual;
    double      *at;
    HEFT_ALLOC(ctx, &ctx->scratch, at, problem->n);
    tight.rel_tol = 0;
    tight.pg_tol = 1e-10;
    tight.max_iter = 20000;
    memcpy(at, x, size);
    HEFT_CHECK(__real_heft_lbfgsb(ctx, problem, &tight, NULL, at, &ours));
    memcpy(at, x, size);
    HEFT_CHECK(oracle_lbfgsb(ctx, problem, &tight, at, &theirs));
    memcpy(at, x, size);
    HEFT_CHECK(oracle_lbfgsb(ctx, problem, stop, at, &usual));
    const heft_status st = __real_heft_lbfgsb(ctx, problem, stop, trace, x, out);
    pthread_mutex_lock(&lock);
    seen.n++;
    seen.far = fmax(seen.far, fabs(ours.f - theirs.f) / fmax(fabs(theirs.f), 1));
    seen.ratio += (double)out->evaluations / (double)usual.evaluations;
    seen.ours += (double)out->evaluations;
    seen.theirs += (double)usual.evaluations;
    pthread_mutex_unlock(&lock);
    return st;
}

static void assert_same(const char *name)
{
    if (getenv("HEFT_TABLE"))
        print_message("| %s | %zu | %.0f | %.0f | %.3f | %.1e |\n", name, seen.n, seen.ours,
                      seen.theirs, seen.ratio / (double)seen.n, seen.far);
    assert_true(seen.n > 0);
    assert_true(seen.far <= 1e-8);
    assert_true(seen.ratio <= 1.3 * (double)seen.n);
    memset(&seen, 0, sizeof seen);
}

typedef struct learner {
    const char *name, *method, *param[3];
} learner;

static const learner learners[] = {
    {"enb l2=1", "enb", {"l2=1"}},
    {"dnb", "dnb", {NULL}},
    {"lnb", "lnb", {NULL}},
    {"lnb bound=1 multiclass=direct", "lnb", {"bound=1", "multiclass=direct"}},
    {"gdnb", "gdnb", {NULL}},
    {"mse", "mse", {NULL}},
    {"wanbia", "wanbia", {NULL}},
    {"cwanb", "cwanb", {NULL}},
    {"cawnb", "cawnb", {NULL}},
    {"cawnb l2=1", "cawnb", {"l2=1"}},
    {"rnb", "rnb", {NULL}},
    {"vwnb solver=lbfgs", "vwnb", {"solver=lbfgs"}},
};

static void methods_end_at_the_same_minimum(void **state)
{
    /* Property: on four tables, every method that learns weights by L-BFGS-B. */
    (void)state;
    static const char *const names[] = {"iris", "wine", "breast_cancer", "loans"};
    if (!oracle_is_here()) {
        print_message("liblbfgsb is not installed\n");
        skip();
    }
    for (size_t k = 0; k < sizeof learners / sizeof *learners; k++) {
        for (size_t d = 0; d < 4; d++) {
            heft_table *t;
            char        path[4096];
            snprintf(path, sizeof path, "%s/examples/%s.csv", getenv("HEFT_ROOT"), names[d]);
            OK(heft_read(path, NULL, &t, &err));
            heft_model_free(
                fit(t, learners[k].method, &(heft_config){.params = learners[k].param}));
            heft_table_free(t);
        }
        assert_same(learners[k].name);
    }
}

static void mixtures_end_at_the_same_minimum(void **state)
{
    /* Property: the mixture of score vectors, where it has too many variables for Newton's method:
     * two members and a shift for each of 80 classes. */
    (void)state;
    enum { N = 400, K = 80 };
    static double   score[2][N * K];
    static uint16_t y[N];
    double          b[2], a[K], loss;
    heft_ctx        ctx;
    heft_rng        rng;
    heft_minimum    how;
    if (!oracle_is_here()) {
        print_message("liblbfgsb is not installed\n");
        skip();
    }
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    heft_rng_init(&rng, 4, 2);
    for (size_t i = 0; i < N; i++) {
        y[i] = (uint16_t)heft_rng_below(&rng, K);
        for (size_t c = 0; c < K; c++) {
            score[0][i * K + c] = heft_rng_real(&rng) + (c == y[i]) * 0.5;
            score[1][i * K + c] = heft_rng_real(&rng) - (c == y[i]) * 0.1; /* of no use */
        }
    }
    const heft_mixing mixing = {.n = N,
                                .n_class = K,
                                .n_members = 2,
                                .member = (const double *const[]){score[0], score[1]},
                                .y = y,
                                .centre = (const double[]){0.5, 0.5},
                                .strength = (const double[]){1, 1},
                                .shift = 1,
                                .max_iter = 500};
    OK(heft_mixing_fit(&ctx, &mixing, b, a, &loss, &how));
    assert_true(how.converged && b[0] > 0 && b[1] >= 0);
    assert_same("mixture");
    heft_ctx_clear(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_end_at_the_same_minimum),
        cmocka_unit_test(mixtures_end_at_the_same_minimum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
