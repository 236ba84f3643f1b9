/* moments_test.c - means and standard deviations by class: against sums in long double, for weights
 * and values of any size, and with the same bits for any order of the rows. */
#include "fixture.h"

#include <float.h>
#include <math.h>

#include "stats/moments.h"

enum { ROWS = 3000, CLASSES = 3 };

typedef struct cells {
    double   x[ROWS], weight[ROWS];
    uint16_t y[ROWS];
} cells;

typedef struct figures {
    double n[CLASSES + 1], mean[CLASSES + 1], sd[CLASSES + 1];
} figures;

static figures moments_of(const cells *t, bool weighted, bool sparse)
{
    heft_ctx        ctx;
    heft_arena      arena = {0};
    heft_moments   *m;
    figures         out;
    static size_t   start[ROWS + 1];
    static uint32_t col[ROWS];
    for (size_t i = 0; i <= ROWS; i++) start[i] = i;
    const heft_attr   attr = {.numbers = sparse ? NULL : t->x};
    const heft_sparse entries = {.start = start, .col = col, .val = (double *)t->x};
    const heft_rows   rows = {.n_rows = ROWS,
                              .n_attr = 1,
                              .n_class = CLASSES,
                              .attr = &attr,
                              .y = t->y,
                              .sparse = sparse ? &entries : NULL,
                              .weight = weighted ? t->weight : NULL};
    heft_ctx_init(&ctx, &err, 2, 1, NULL);
    assert_int_equal(heft_moments_of(&ctx, &rows, &arena, &m), HEFT_OK);
    for (size_t c = 0; c <= CLASSES; c++) {
        out.n[c] = m->n[c];
        out.mean[c] = m->mean[c];
        out.sd[c] = m->sd[c];
    }
    heft_arena_clear(&arena);
    heft_ctx_clear(&ctx);
    return out;
}

/* Two passes in long double. c == CLASSES: all rows. */
static void by_hand(const cells *t, bool weighted, size_t c, long double out[3])
{
    long double n = 0, x = 0, xx = 0;
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < ROWS; i++) {
            const long double w = weighted ? t->weight[i] : 1, d = t->x[i] - x / n;
            if ((c < CLASSES && t->y[i] != c) || isnan(t->x[i])) continue;
            if (pass) xx += w * d * d;
            else n += w, x += w * t->x[i];
        }
    out[0] = n;
    out[1] = x / n;
    out[2] = sqrtl(n > 1 ? xx / (n - 1) : xx / n);
}

static void assert_close(double a, long double b, long double size, const char *what)
{
    if (fabsl(a - b) > 4 * DBL_EPSILON * size) fail_msg("%s: %.17g in place of %.19Lg", what, a, b);
}

static void compare(const cells *t, bool weighted, const char *what)
{
    for (int sparse = 0; sparse < 2; sparse++) {
        const figures f = moments_of(t, weighted, sparse);
        for (size_t c = 0; c <= CLASSES; c++) {
            long double want[3];
            by_hand(t, weighted, c, want);
            /* Sparse rows are summed from 0, which costs digits of a spread far from it. */
            if (sparse && fabsl(want[1]) > 1e6 * want[2]) continue;
            assert_close(f.n[c], want[0], want[0], what);
            assert_close(f.mean[c], want[1], fabsl(want[1]), what);
            /* Over all classes the means of the classes enter as doubles. */
            const long double size = c < CLASSES ? want[2] : fmaxl(want[2], fabsl(want[1]));
            assert_close(f.sd[c], want[2], size, what);
        }
    }
}

static cells *drawn(double from, double to)
{
    cells   *t = calloc(1, sizeof *t);
    heft_rng rng;
    assert_non_null(t);
    heft_rng_init(&rng, 3, 1);
    for (size_t i = 0; i < ROWS; i++) {
        t->y[i] = (uint16_t)heft_rng_below(&rng, CLASSES);
        t->x[i] = from + (to - from) * (heft_rng_real(&rng) + t->y[i] / 10.0);
        t->weight[i] = 0.1 + heft_rng_real(&rng);
        if (heft_rng_below(&rng, 20) == 0) t->x[i] = NAN;
    }
    return t;
}

static void exact_for_all_sizes(void **state)
{
    (void)state;
    static const double range[][2] = {
        {0, 1}, {-1, 1e3}, {2e9, 2e9 + 1}, {1e120, 3e120}, {-1, 1e-3}};
    for (size_t k = 0; k < sizeof range / sizeof *range; k++) {
        cells *t = drawn(range[k][0], range[k][1]);
        compare(t, false, "all weights 1");
        compare(t, true, "fractional weights");
        free(t);
    }
}

/* The weights of one class do not spoil the figures of another, nor those of one attribute the
 * figures of another: the largest weight is that of the cells that are summed. */
static void weights_far_apart(void **state)
{
    (void)state;
    static const double ratio[] = {1e-20, 1e-40, 1e-200, 1e200};
    for (size_t k = 0; k < sizeof ratio / sizeof *ratio; k++) {
        cells *t = drawn(1, 9);
        for (size_t i = 0; i < ROWS; i++)
            if (t->y[i] == 1) t->weight[i] *= ratio[k];
        compare(t, true, "a class of other weights");
        for (size_t i = 0; i < ROWS; i++)
            if (t->y[i] == 2 && i % 2) t->weight[i] *= ratio[k];
            else if (t->y[i] == 2) t->x[i] = NAN, t->weight[i] = 1;
        const figures f = moments_of(t, true, false);
        long double   want[3];
        by_hand(t, true, 2, want);
        assert_close(f.mean[2], want[1], want[1], "only light cells are observed");
        assert_close(f.sd[2], want[2], want[2], "only light cells are observed");
        free(t);
    }
}

static void extreme_values(void **state)
{
    (void)state;
    cells *t = drawn(1e305, 1.5e305);
    for (size_t i = 0; i < ROWS; i++)
        if (isnan(t->x[i])) t->x[i] = 1.25e305;
    const figures f = moments_of(t, false, false);
    for (size_t c = 0; c <= CLASSES; c++) {
        long double want[3];
        by_hand(t, false, c, want);
        assert_close(f.mean[c], want[1], want[1], "large values");
        assert_close(f.sd[c], want[2], want[2], "large values");
    }
    for (size_t i = 0; i < ROWS; i++) t->x[i] = 1e300 + 1e285 * t->y[i];
    for (size_t i = 0; i < ROWS; i++) t->x[i] *= 1.5e8;
    const figures even = moments_of(t, false, false);
    for (size_t c = 0; c <= CLASSES; c++)
        assert_true(isfinite(even.mean[c]) && even.mean[c] > 1e308);
    free(t);
    t = drawn(3e-310, 5e-310);
    const figures small = moments_of(t, false, false);
    for (size_t c = 0; c < CLASSES; c++) {
        long double want[3];
        by_hand(t, false, c, want);
        assert_close(small.mean[c], want[1], 0x1p-1022L, "values below the normal range");
    }
    free(t);
}

static void same_bits_in_any_order(void **state)
{
    (void)state;
    cells *t = drawn(-3, 50), *turned = calloc(1, sizeof *turned);
    assert_non_null(turned);
    for (size_t i = 0; i < ROWS; i++) {
        const size_t k = i * 1009 % ROWS; /* 1009 is a prime that does not divide ROWS */
        turned->x[i] = t->x[k], turned->weight[i] = t->weight[k], turned->y[i] = t->y[k];
    }
    for (int weighted = 0; weighted < 2; weighted++) {
        const figures a = moments_of(t, weighted, false), b = moments_of(turned, weighted, false);
        assert_memory_equal(&a, &b, sizeof a);
    }
    free(turned);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_for_all_sizes),
        cmocka_unit_test(weights_far_apart),
        cmocka_unit_test(extreme_values),
        cmocka_unit_test(same_bits_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
