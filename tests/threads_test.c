/* threads_test.c - the library from many threads at once: what is shared is only read, and answers
 * do not depend on company. Meant for ThreadSanitizer; right without it, too. */
#include "fixture.h"

#include "base/thread_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>

enum { ROWS = 2000, FEW = 400, CLASSES = 3, READERS = 16 };

static heft_table *random_table(int seed, size_t n_rows)
{
    static const char *const values[] = {"a", "b", "c", "d"}, *const classes[] = {"x", "y", "z"};
    static double  num[ROWS];
    static int32_t nom[ROWS], y[ROWS];
    unsigned       s = (unsigned)seed * 2654435761u + 1;
    for (size_t i = 0; i < n_rows; i++) {
        s = s * 1664525u + 1013904223u;
        y[i] = (int32_t)(s >> 16) % CLASSES;
        num[i] = (double)(s % 1000) / 100 + y[i];
        nom[i] = (int32_t)((s >> 8) % 4 + (unsigned)y[i]) % 4;
    }
    return table_of(&(frame){
        .n_rows = n_rows,
        .n_cols = 2,
        .cols = {{"n", .numbers = num}, {"v", .codes = nom, .values = values, .n_values = 4}},
        .y = y,
        .classes = classes,
        .n_class = CLASSES});
}

/* ---- one model, sixteen readers ---- */

typedef struct reader {
    const heft_model *model;
    const heft_table *table;
    const double     *expected;
    size_t            n_rows;
    int               turns;
    char              wrong[256];
} reader;

static void *read_model(void *arg)
{
    reader *r = arg;
    double *p = malloc(ROWS * CLASSES * sizeof *p), parts[3 * CLASSES], score[CLASSES];
    char   *text = NULL, *bytes = NULL;
    size_t  length;
    for (int turn = 0; turn < r->turns && !r->wrong[0]; turn++) {
        if (heft_predict_proba(r->model, r->table, p, &err) != HEFT_OK ||
            memcmp(p, r->expected, r->n_rows * CLASSES * sizeof *p) != 0)
            snprintf(r->wrong, sizeof r->wrong, "predict: %.200s", err.text);
        if (heft_inspect_text(r->model, "json", 0, &text, &err) != HEFT_OK)
            snprintf(r->wrong, sizeof r->wrong, "inspect: %.200s", err.text);
        heft_text_free(text);
        if (heft_model_to_bytes(r->model, &bytes, &length, &err) != HEFT_OK)
            snprintf(r->wrong, sizeof r->wrong, "save: %.200s", err.text);
        heft_text_free(bytes);
        (void)heft_explain_row(r->model, r->table, 5, parts, score, &err);
    }
    free(p);
    return NULL;
}

static void one_model_many_readers(void **state)
{
    (void)state;
    static const char *const methods[] = {"nb", "auto", "aode", "lwnb"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        const size_t n = m < 3 ? ROWS : FEW; /* lwnb compares all pairs of rows */
        heft_table  *t = random_table(1, n);
        heft_model  *model;
        pthread_t    thread[READERS];
        reader       r[READERS];
        double      *expected = malloc(ROWS * CLASSES * sizeof *expected);
        OK(heft_fit(t, &(heft_config){.method = methods[m], .run = RUN(.threads = 2)}, &model,
                    &err));
        OK(heft_predict_proba(model, t, expected, &err));
        for (int k = 0; k < READERS; k++) {
            r[k] = (reader){.model = model, .table = t, .expected = expected, .n_rows = n};
            r[k].turns = m < 2 ? 3 : 1;
            assert_int_equal(pthread_create(&thread[k], NULL, read_model, &r[k]), 0);
        }
        for (int k = 0; k < READERS; k++) pthread_join(thread[k], NULL);
        for (int k = 0; k < READERS; k++)
            if (r[k].wrong[0]) fail_msg("%s: %s", methods[m], r[k].wrong);
        free(expected);
        heft_model_free(model);
        heft_table_free(t);
    }
}

/* ---- different models at once ---- */

typedef struct fitter {
    const char *method;
    heft_table *table;
    double     *alone, *together;
    char        wrong[256];
} fitter;

static bool fit_and_predict(const fitter *f, double *p)
{
    heft_model *model = NULL;
    const bool  good =
        heft_fit(f->table, &(heft_config){.method = f->method, .run = RUN(.threads = 3)}, &model,
                 &err) == HEFT_OK &&
        heft_predict_proba(model, f->table, p, &err) == HEFT_OK;
    heft_model_free(model);
    return good;
}

static void *fit_one(void *arg)
{
    fitter *f = arg;
    if (!fit_and_predict(f, f->together)) snprintf(f->wrong, sizeof f->wrong, "%.200s", err.text);
    return NULL;
}

static void different_models_at_once(void **state)
{
    (void)state;
    static const char *const methods[] = {"nb", "rnb", "lnb", "auto", "cfwnb", "tan", "nb", "vwnb"};
    enum { N = sizeof methods / sizeof *methods };
    fitter    f[N] = {0};
    pthread_t thread[N];
    for (int k = 0; k < N; k++) {
        f[k].method = methods[k];
        f[k].table = random_table(k + 2, ROWS);
        f[k].alone = malloc(ROWS * CLASSES * sizeof(double));
        f[k].together = malloc(ROWS * CLASSES * sizeof(double));
        if (!fit_and_predict(&f[k], f[k].alone)) fail_msg("%s: %s", methods[k], err.text);
    }
    for (int k = 0; k < N; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, fit_one, &f[k]), 0);
    for (int k = 0; k < N; k++) pthread_join(thread[k], NULL);
    for (int k = 0; k < N; k++) {
        if (f[k].wrong[0]) fail_msg("%s: %s", methods[k], f[k].wrong);
        if (memcmp(f[k].alone, f[k].together, ROWS * CLASSES * sizeof(double)))
            fail_msg("%s: company changes bits", methods[k]);
        heft_table_free(f[k].table);
        free(f[k].alone), free(f[k].together);
    }
}

/* ---- cancelled from another thread ---- */

static atomic_bool raised;
static atomic_int  asked;

static bool is_raised(void *user)
{
    (void)user;
    atomic_fetch_add(&asked, 1);
    return atomic_load(&raised);
}

static void *raise_it(void *unused)
{
    (void)unused;
    while (atomic_load(&asked) < 3) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    atomic_store(&raised, true);
    return NULL;
}

static void cancelled_from_another_thread(void **state)
{
    (void)state;
    heft_table          *t = random_table(20, ROWS);
    heft_results        *results = NULL;
    pthread_t            thread;
    const heft_host      host = {.cancelled = is_raised};
    const heft_table    *data[] = {t};
    const char          *names[] = {"t"}, *methods[] = {"rnb", "lcwnb", NULL};
    const heft_eval_plan plan = {.methods = methods,
                                 .folds = 10,
                                 .repeats = 20,
                                 .config = &(heft_config){.run = RUN(.threads = 3, .host = &host)}};
    assert_int_equal(pthread_create(&thread, NULL, raise_it, NULL), 0);
    assert_int_equal(heft_evaluate(data, names, 1, &plan, &results, &err), HEFT_ECANCELLED);
    assert_null(results);
    pthread_join(thread, NULL);
    heft_table_free(t);
}

/* ---- fork ---- */

static void forked_after_use(void **state)
{
    (void)state;
    heft_table *t = random_table(30, ROWS);
    heft_model *model;
    int         status;
    OK(heft_fit(t, &(heft_config){.method = "nb", .run = RUN(.threads = 4)}, &model, &err));
    const pid_t child = fork();
    if (child == 0) {
        double *p = malloc(ROWS * CLASSES * sizeof *p);
        alarm(60);
        _exit(p && heft_predict_proba(model, t, p, &err) == HEFT_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    heft_model_free(model);
    heft_table_free(t);
}

/* ---- two calls at once ---- */

typedef struct waiting { /* two pieces, each of which waits until the other has begun */
    atomic_int begun;
    atomic_int other_call; /* set when the second call has begun */
    bool       is_first, together;
} waiting;

static waiting calls[2];

static bool comes_true(atomic_int *what, int least)
{
    for (int i = 0; i < 20000 && atomic_load(what) < least; i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return atomic_load(what) >= least;
}

static void meet(void *arg, size_t i)
{
    waiting *w = arg;
    if (!w->is_first) atomic_store(&calls[0].other_call, 1);
    atomic_fetch_add(&w->begun, 1);
    if (w->is_first && !comes_true(&w->other_call, 1)) w->together = false;
    if (!comes_true(&w->begun, 2)) w->together = false;
    (void)i;
}

static void *second_call(void *arg)
{
    if (comes_true(&calls[0].begun, 2)) heft_pool_run(2, 2, meet, arg);
    return NULL;
}

/* The first call has the only thread of the pool when the second one begins; when the first has
 * ended, that thread helps the second. */
static void two_calls_share_the_threads(void **state)
{
    pthread_t other;
    (void)state;
    calls[0] = (waiting){.is_first = true, .together = true};
    calls[1] = (waiting){.together = true};
    assert_int_equal(pthread_create(&other, NULL, second_call, &calls[1]), 0);
    heft_pool_run(2, 2, meet, &calls[0]);
    pthread_join(other, NULL);
    assert_true(calls[0].together);
    assert_int_equal(atomic_load(&calls[1].begun), 2);
    assert_true(calls[1].together);
}

typedef struct fitting {
    const heft_table *table;
    const char       *method;
    heft_model       *expected;
    char              wrong[300];
} fitting;

static void *fit_again(void *arg)
{
    fitting    *f = arg;
    heft_error  error = {0};
    heft_config config = {.method = f->method, .discretize = "mdl", .run = RUN(.threads = 3)};
    for (int turn = 0; turn < 3 && !f->wrong[0]; turn++) {
        heft_model *model = NULL;
        double     *p = malloc(2 * (size_t)ROWS * CLASSES * sizeof *p), *q = p + ROWS * CLASSES;
        if (heft_fit(f->table, &config, &model, &error) != HEFT_OK ||
            heft_predict_proba(model, f->table, p, &error) != HEFT_OK ||
            heft_predict_proba(f->expected, f->table, q, &error) != HEFT_OK)
            snprintf(f->wrong, sizeof f->wrong, "%s: %.200s", f->method, error.text);
        else if (memcmp(p, q, (size_t)ROWS * CLASSES * sizeof *p) != 0)
            snprintf(f->wrong, sizeof f->wrong, "%s: other probabilities", f->method);
        heft_model_free(model);
        free(p);
    }
    return NULL;
}

/* Fits that share the threads of the pool have the bits of fits that have it to themselves. */
static void fits_at_once_have_the_same_bits(void **state)
{
    static const char *const methods[] = {"nb", "lnb", "rnb", "aode"};
    fitting                  f[4];
    pthread_t                thread[4];
    heft_table              *table = random_table(5, ROWS);
    (void)state;
    for (size_t k = 0; k < 4; k++) {
        heft_config config = {.method = methods[k], .discretize = "mdl", .run = RUN(.threads = 1)};
        f[k] = (fitting){.table = table, .method = methods[k]};
        OK(heft_fit(table, &config, &f[k].expected, &err));
    }
    for (size_t k = 0; k < 4; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, fit_again, &f[k]), 0);
    for (size_t k = 0; k < 4; k++) {
        pthread_join(thread[k], NULL);
        if (f[k].wrong[0]) fail_msg("%s", f[k].wrong);
        heft_model_free(f[k].expected);
    }
    heft_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_calls_share_the_threads), /* first, while the pool has no thread */
        cmocka_unit_test(one_model_many_readers),
        cmocka_unit_test(different_models_at_once),
        cmocka_unit_test(cancelled_from_another_thread),
        cmocka_unit_test(fits_at_once_have_the_same_bits),
        cmocka_unit_test(forked_after_use),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
