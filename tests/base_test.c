/* base_test.c - memory, numbers, random numbers, sums over rows. */
#include "fixture.h"

#include <stdatomic.h>

#include <float.h>
#include <limits.h>

#include "base/ctx.h"
#include "base/num.h"
#include "base/rows.h"
#include "base/structs.h"

/* Products of sizes that do not fit are refused, not wrapped. */
static void sizes_are_checked(void **state)
{
    (void)state;
    size_t n;
    assert_true(heft_product(3, 5, &n) && n == 15);
    assert_false(heft_product(SIZE_MAX / 2, 3, &n));
    assert_null(heft_alloc(SIZE_MAX / 4, 8));
    assert_null(heft_alloc0(SIZE_MAX, 2));
    heft_arena arena = {0};
    assert_null(heft_arena_alloc(&arena, SIZE_MAX / 2, 4));
    heft_arena_clear(&arena);
}

/* Arena memory is zeroed, aligned, does not overlap, and a rewind gives it back. */
static void arenas_hand_out_clean_memory(void **state)
{
    (void)state;
    heft_arena arena = {0};
    char      *last = NULL;
    for (size_t n = 1; n < 200000; n = n * 3 + 1) {
        char *p = heft_arena_alloc(&arena, n, 1);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 64, 0);
        for (size_t k = 0; k < n; k++) assert_int_equal(p[k], 0);
        memset(p, 0xAA, n);
        if (last) assert_true((unsigned char)last[0] == 0xAA);
        last = p;
    }
    const heft_mark mark = heft_arena_mark(&arena);
    char           *a = heft_arena_alloc(&arena, 10, 1);
    a[0] = 1;
    heft_arena_alloc(&arena, 1000000, 1);
    heft_arena_rewind(&arena, mark);
    char *b = heft_arena_alloc(&arena, 10, 1);
    assert_int_equal(b[0], 0);
    heft_arena_clear(&arena);
}

/* The planned allocation fails, and only it unless it is sticky. */
static void failures_can_be_planned(void **state)
{
    (void)state;
    heft_fail_alloc_at(2, false);
    void *a = heft_alloc(1, 1), *b = heft_alloc(1, 1), *c = heft_alloc(1, 1);
    assert_true(a && !b && c);
    heft_free(a), heft_free(c);
    heft_fail_alloc_at(1, true);
    assert_null(heft_alloc(1, 1));
    assert_null(heft_alloc(1, 1));
    heft_fail_alloc_at(0, false);
}

/* Log-sum-exp and its relatives neither overflow nor lose the small. */
static void log_space_is_safe(void **state)
{
    (void)state;
    const double far[] = {-1e300, 1000, 1000}, none[] = {-INFINITY, -INFINITY};
    NEAR(heft_logsumexp(far, 3), 1000 + log(2), 1e-12);
    assert_true(isinf(heft_logsumexp(none, 2)) && heft_logsumexp(none, 2) < 0);
    assert_true(isinf(heft_logsumexp(far, 0)));
    NEAR(heft_sigmoid(-800) + heft_sigmoid(800), 1, 0);
    assert_true(heft_sigmoid(-700) > 0);
    NEAR(heft_xlogx(0), 0, 0);
    double v[] = {-INFINITY, 3, 3};
    heft_softmax(v, 3);
    assert_true(v[0] == 0 && v[1] == 0.5 && v[2] == 0.5);
    double lost[] = {-INFINITY, -INFINITY};
    heft_softmax(lost, 2);
    assert_true(lost[0] == 0.5 && lost[1] == 0.5);
    const double tie[] = {1, 2, 2}, sick[] = {NAN, -1, NAN};
    assert_int_equal(heft_argmax(tie, 3), 1);
    assert_int_equal(heft_argmax(sick, 3), 1);
}

/* Streams differ, seeds repeat, and draws below n cover it evenly. */
static void random_numbers_are_reproducible(void **state)
{
    (void)state;
    heft_rng a, b, c;
    heft_rng_init(&a, 7, 1), heft_rng_init(&b, 7, 1), heft_rng_init(&c, 7, 2);
    size_t same = 0, count[7] = {0};
    for (size_t k = 0; k < 70000; k++) {
        const uint64_t x = heft_rng_next(&a);
        assert_true(x == heft_rng_next(&b));
        same += x == heft_rng_next(&c);
        count[heft_rng_below(&a, 7)]++;
        heft_rng_below(&b, 7);
        const double u = heft_rng_real(&a);
        assert_true(u >= 0 && u < 1);
        heft_rng_real(&b);
    }
    assert_int_equal(same, 0);
    for (size_t v = 0; v < 7; v++) assert_true(count[v] > 9600 && count[v] < 10400);
}

typedef struct terms {
    const double *x;
    size_t        width;
} terms;

static void add_terms(const void *arg, size_t lo, size_t hi, double *acc)
{
    const terms *t = arg;
    for (size_t i = lo; i < hi; i++)
        for (size_t k = 0; k < t->width; k++) acc[k] += t->x[i] / (double)(k + 1);
}

/* However many are asked for, no more are started than four for each core. */
static void threads_are_bounded(void **state)
{
    (void)state;
    heft_ctx           ctx;
    const heft_runtime run = {.size = sizeof run, .threads = 1000000};
    const int cores = heft_cores(), asked[] = {-1, 0, 1, 2, 4 * cores, 4 * cores + 1, INT_MAX};
    const int given[] = {cores, cores, 1, 2, 4 * cores, 4 * cores, 4 * cores};
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        heft_ctx_init(&ctx, NULL, asked[k], 0, NULL);
        assert_int_equal(ctx.threads, given[k]);
        heft_ctx_clear(&ctx);
    }
    assert_int_equal(heft_ctx_open(&ctx, NULL, &run), HEFT_OK);
    assert_int_equal(ctx.threads, 4 * cores);
    heft_ctx_clear(&ctx);
}

/* A sum over rows has the same bits for any number of threads, and is the sum. */
static void row_sums_do_not_depend_on_threads(void **state)
{
    (void)state;
    enum { N = 50000, WIDTH = 9 };
    double  *x = malloc(N * sizeof *x), first[WIDTH], other[WIDTH];
    double   plain = 0;
    heft_rng rng;
    heft_rng_init(&rng, 3, 0);
    for (size_t i = 0; i < N; i++) plain += x[i] = heft_rng_real(&rng) - 0.3;
    for (int threads = 1; threads <= 8; threads++) {
        heft_ctx ctx;
        heft_ctx_init(&ctx, NULL, threads, 0, NULL);
        assert_int_equal(heft_sum_rows(&ctx, N, WIDTH, add_terms, &(terms){x, WIDTH},
                                       threads == 1 ? first : other),
                         HEFT_OK);
        if (threads > 1) assert_memory_equal(first, other, sizeof first);
        heft_ctx_clear(&ctx);
    }
    NEAR(first[0], plain, 1e-7);
    free(x);
}

static heft_status square(heft_ctx *ctx, void *arg, size_t i)
{
    if (i == 70 || i == 40) return heft_fail(ctx, HEFT_EINVAL, "task %zu", i);
    ((size_t *)arg)[i] = i * i;
    return HEFT_OK;
}

/* Tasks all run; of several failures the one of the lowest index is reported. */
static void tasks_report_the_first_failure(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        size_t   out[100] = {0};
        heft_ctx ctx;
        heft_ctx_init(&ctx, &err, threads, 0, NULL);
        assert_int_equal(heft_run(&ctx, 40, square, out), HEFT_OK);
        for (size_t i = 0; i < 40; i++) assert_int_equal(out[i], i * i);
        assert_int_equal(heft_run(&ctx, 100, square, out), HEFT_EINVAL);
        assert_string_equal(err.text, "task 40");
        heft_ctx_clear(&ctx);
    }
}

typedef struct turn_job {
    size_t      turns[12]; /* that each task has had */
    atomic_bool busy[12];  /* it has one */
    atomic_bool twice;     /* a task had two at once */
    size_t      fails;     /* the task that fails in its third turn */
} turn_job;

static heft_status have_turn(heft_ctx *ctx, void *arg, size_t i, bool *more)
{
    turn_job *job = arg;
    double    x = 0;
    if (atomic_exchange(&job->busy[i], true)) atomic_store(&job->twice, true);
    for (size_t k = 0; k < 2000; k++) x += sqrt((double)k);
    *more = ++job->turns[i] + (x < 0) < 3 + i;
    atomic_store(&job->busy[i], false);
    return i >= job->fails && job->turns[i] == 3 ? heft_fail(ctx, HEFT_EINVAL, "task %zu", i)
                                                 : HEFT_OK;
}

/* Tasks in turns get all that they want, one at a time; of errors the first is reported. */
static void turns_go_round(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        turn_job all = {.fails = 12}, bad = {.fails = 5};
        heft_ctx ctx;
        heft_ctx_init(&ctx, &err, threads, 0, NULL);
        assert_int_equal(heft_run_turns(&ctx, 12, 4, have_turn, &all), HEFT_OK);
        for (size_t i = 0; i < 12; i++) assert_int_equal(all.turns[i], 3 + i);
        assert_int_equal(heft_run_turns(&ctx, 12, 4, have_turn, &bad), HEFT_EINVAL);
        assert_string_equal(err.text, "task 5");
        for (size_t i = 0; i < 5; i++) assert_int_equal(bad.turns[i], 3 + i);
        assert_int_equal(bad.turns[5], 3);
        assert_false(atomic_load(&all.twice) || atomic_load(&bad.twice));
        assert_int_equal(heft_run_turns(&ctx, 0, 0, have_turn, &all), HEFT_OK);
        heft_ctx_clear(&ctx);
    }
}

enum { N_PIECES = 500 };

static void cube(void *arg, size_t i)
{
    size_t *out = arg;
    double  x = 0;
    for (size_t k = 0; k < N_PIECES; k++) x += sqrt((double)k);
    out[i] = i * i * i + (x < 0);
}

static heft_status cubes(heft_ctx *ctx, void *arg, size_t i)
{
    size_t(*out)[N_PIECES] = arg;
    for (int again = 0; again < 200 && i == 1; again++)
        heft_run_pieces(ctx, N_PIECES, cube, out[1]);
    heft_run_pieces(ctx, N_PIECES, cube, out[i]);
    return HEFT_OK;
}

/* Pieces of a task are all done when the call returns, whoever took them. */
static void pieces_are_all_done(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        size_t   out[2][N_PIECES] = {0};
        heft_ctx ctx;
        heft_ctx_init(&ctx, &err, threads, 0, NULL);
        assert_int_equal(heft_run(&ctx, 2, cubes, out), HEFT_OK);
        for (size_t i = 0; i < N_PIECES; i++)
            assert_true(out[0][i] == i * i * i && out[1][i] == i * i * i);
        memset(out, 0, sizeof out);
        heft_run_pieces(&ctx, N_PIECES, cube, out[0]); /* outside of a task */
        for (size_t i = 0; i < N_PIECES; i++) assert_int_equal(out[0][i], i * i * i);
        heft_ctx_clear(&ctx);
    }
}

typedef struct chain_job {
    size_t n, n_taken, n_ended; /* tasks there are, taken, ended */
    size_t number[6];           /* of the task in a slot, from 1; 0: the slot is free */
    size_t made[6];
    size_t fails[3]; /* the task at whose take, work, end there is an error; 0: none */
    size_t enough;   /* after this one no more are wanted; 0: all */
    size_t sum;      /* of the tasks ended, in an order */
} chain_job;

static heft_status take_one(heft_ctx *ctx, void *arg, size_t slot, bool *more)
{
    chain_job *job = arg;
    *more = job->n_taken < job->n;
    if (!*more) return HEFT_OK;
    const size_t i = ++job->n_taken;
    if (job->number[slot]) return heft_fail(ctx, HEFT_EIO, "slot %zu is in use", slot);
    job->number[slot] = i;
    return i == job->fails[0] ? heft_fail(ctx, HEFT_EINVAL, "take %zu", i) : HEFT_OK;
}

static heft_status work_on_one(heft_ctx *ctx, void *arg, size_t slot, bool *more)
{
    chain_job   *job = arg;
    const size_t i = job->number[slot];
    (void)more;
    double x = 0;
    for (size_t k = 0; k < i % 7 * 1000; k++) x += sqrt((double)k); /* some take longer */
    job->made[slot] = i + (x < 0);
    return i == job->fails[1] ? heft_fail(ctx, HEFT_EINVAL, "work %zu", i) : HEFT_OK;
}

static heft_status end_one(heft_ctx *ctx, void *arg, size_t slot, bool *more)
{
    chain_job   *job = arg;
    const size_t i = job->made[slot];
    if (i != ++job->n_ended) return heft_fail(ctx, HEFT_EIO, "task %zu out of order", i);
    job->sum = job->sum * 31 + i;
    job->number[slot] = 0;
    if (i == job->enough) *more = false;
    return i == job->fails[2] ? heft_fail(ctx, HEFT_EINVAL, "end %zu", i) : HEFT_OK;
}

/* Tasks of a chain end in the order in which they were taken, up to the first that fails. */
static void chains_keep_their_order(void **state)
{
    static const char *const what[3] = {"take 57", "work 57", "end 57"};
    size_t                   sum = 0;
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        const heft_chain chain = {take_one, work_on_one, end_one, threads == 1 ? 1 : 6};
        heft_ctx         ctx;
        heft_ctx_init(&ctx, &err, threads, 0, NULL);
        chain_job all = {.n = 200}, some = {.n = 200, .enough = 100}, none = {0};
        assert_int_equal(heft_run_chain(&ctx, &chain, &all), HEFT_OK);
        assert_int_equal(all.n_ended, 200);
        if (threads == 1) sum = all.sum;
        assert_int_equal(all.sum, sum);
        assert_int_equal(heft_run_chain(&ctx, &chain, &some), HEFT_OK);
        assert_in_range(some.n_ended, 100, 106);
        assert_int_equal(some.n_ended, some.n_taken); /* what is taken is ended */
        assert_int_equal(heft_run_chain(&ctx, &chain, &none), HEFT_OK);
        for (int step = 0; step < 3; step++) {
            chain_job bad = {.n = 200};
            bad.fails[step] = 57;
            assert_int_equal(heft_run_chain(&ctx, &chain, &bad), HEFT_EINVAL);
            assert_string_equal(err.text, what[step]);
            assert_int_equal(bad.n_ended, step == 2 ? 57 : 56);
        }
        heft_ctx_clear(&ctx);
    }
}

static bool always(void *user)
{
    (void)user;
    return true;
}

/* The host can cancel. */
static void cancelling_is_heard(void **state)
{
    (void)state;
    heft_ctx        ctx;
    const heft_host host = {.cancelled = always};
    heft_ctx_init(&ctx, NULL, 1, 0, &host);
    assert_int_equal(heft_check_cancel(&ctx), HEFT_ECANCELLED);
    heft_ctx_clear(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_checked),
        cmocka_unit_test(arenas_hand_out_clean_memory),
        cmocka_unit_test(failures_can_be_planned),
        cmocka_unit_test(log_space_is_safe),
        cmocka_unit_test(random_numbers_are_reproducible),
        cmocka_unit_test(threads_are_bounded),
        cmocka_unit_test(row_sums_do_not_depend_on_threads),
        cmocka_unit_test(tasks_report_the_first_failure),
        cmocka_unit_test(turns_go_round),
        cmocka_unit_test(pieces_are_all_done),
        cmocka_unit_test(chains_keep_their_order),
        cmocka_unit_test(cancelling_is_heard),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
