/* cuts_test.c - cut points: hand-worked examples, a slow twin, and the laws they obey. */
#include "fixture.h"

#include <float.h>

#include "base/sort.h"
#include "prep/points.h"
#include "prep/prep.h"

typedef struct bench {
    heft_ctx   ctx;
    heft_error err;
    heft_arena arena;
} bench;

static void open_bench(bench *b)
{
    memset(b, 0, sizeof *b);
    heft_ctx_init(&b->ctx, &b->err, 1, 1, NULL);
}

static void close_bench(bench *b)
{
    heft_ctx_clear(&b->ctx);
    heft_arena_clear(&b->arena);
}

static size_t mdl(bench *b, const double *x, const uint16_t *y, const double *w, size_t n,
                  size_t n_class, double scale, double **cuts)
{
    const heft_points points = {n, (double *)x, (uint16_t *)y, (double *)w};
    size_t            k;
    assert_int_equal(heft_cuts_mdl(&b->ctx, &b->arena, &points, n_class, scale, cuts, &k), HEFT_OK);
    for (size_t i = 1; i < k; i++) assert_true((*cuts)[i - 1] < (*cuts)[i]);
    return k;
}

static size_t frequency(bench *b, const double *x, const double *w, size_t n, size_t bins,
                        double **cuts)
{
    size_t k;
    assert_int_equal(heft_cuts_frequency(&b->ctx, &b->arena, x, w, n, bins, cuts, &k), HEFT_OK);
    for (size_t i = 1; i < k; i++) assert_true((*cuts)[i - 1] < (*cuts)[i]);
    return k;
}

static size_t width(bench *b, const double *x, size_t n, size_t bins, double **cuts)
{
    size_t k;
    assert_int_equal(heft_cuts_width(&b->ctx, &b->arena, x, n, bins, cuts, &k), HEFT_OK);
    for (size_t i = 1; i < k; i++) assert_true((*cuts)[i - 1] < (*cuts)[i]);
    return k;
}

static void same_cuts(const double *a, size_t n_a, const double *b, size_t n_b)
{
    assert_int_equal(n_a, n_b);
    if (n_a) assert_memory_equal(a, b, n_a * sizeof *a);
}

/* ---- the twin of MDL: every cut between distinct values tried, all rows recounted ---- */

enum { MOST = 400 };

typedef struct row {
    double   x, w;
    uint16_t y;
} row;

static int by_value(const void *a, const void *b)
{
    const double u = ((const row *)a)->x, v = ((const row *)b)->x;
    return (u > v) - (u < v);
}

static double twin_entropy(const row *r, size_t n, size_t n_class, double *total, size_t *present)
{
    double h = 0;
    *total = 0;
    *present = 0;
    for (size_t i = 0; i < n; i++) *total += r[i].w;
    for (size_t c = 0; c < n_class; c++) {
        double count = 0;
        for (size_t i = 0; i < n; i++)
            if (r[i].y == c) count += r[i].w;
        if (count > 0) {
            h -= count / *total * log2(count / *total);
            (*present)++;
        }
    }
    return h;
}

static void twin_mdl(const row *r, size_t n, size_t n_class, double scale, double *cuts, size_t *k)
{
    double N, N1, N2, least = INFINITY;
    size_t k0, k1, k2, at = 0;
    if (n < 2) return;
    const double h = twin_entropy(r, n, n_class, &N, &k0);
    if (N < 2) return;
    for (size_t i = 1; i < n; i++) {
        if (r[i].x == r[i - 1].x) continue;
        const double h1 = twin_entropy(r, i, n_class, &N1, &k1);
        const double h2 = twin_entropy(r + i, n - i, n_class, &N2, &k2);
        const double e = N1 / N * h1 + N2 / N * h2;
        if (e < least - 1e-12) least = e, at = i;
    }
    if (at == 0) return;
    const double h1 = twin_entropy(r, at, n_class, &N1, &k1);
    const double h2 = twin_entropy(r + at, n - at, n_class, &N2, &k2);
    const double gain = h - least;
    const double delta =
        log2(pow(3, (double)k0) - 2) - ((double)k0 * h - (double)k1 * h1 - (double)k2 * h2);
    if (gain <= 1e-13 || gain <= scale * (log2(N - 1) + delta) / N) return;
    twin_mdl(r, at, n_class, scale, cuts, k);
    cuts[(*k)++] = (r[at - 1].x + r[at].x) / 2;
    twin_mdl(r + at, n - at, n_class, scale, cuts, k);
}

/* Values with ties, classes that lean on them, weights of the kind asked for. */
static void draw(heft_rng *rng, size_t n, size_t n_class, int kind, row *r)
{
    const uint64_t values = 2 + heft_rng_below(rng, 60);
    for (size_t i = 0; i < n; i++) {
        r[i].x = (double)heft_rng_below(rng, values) / 4 - 3;
        const uint64_t step = (uint64_t)((r[i].x + 3) * 4) * n_class / values;
        r[i].y = (uint16_t)(heft_rng_below(rng, 3) ? step : heft_rng_below(rng, n_class));
        r[i].w = kind == 0   ? 1
                 : kind == 1 ? (double)(1 + heft_rng_below(rng, 4))
                             : 0.3 + 2 * heft_rng_real(rng);
    }
}

static void split_rows(const row *r, size_t n, double *x, uint16_t *y, double *w)
{
    for (size_t i = 0; i < n; i++) x[i] = r[i].x, y[i] = r[i].y, w[i] = r[i].w;
}

static void mdl_equals_its_slow_twin(void **state)
{
    /* On random small tables with ties, weights and several classes the cuts are the twin's. */
    (void)state;
    bench    b;
    heft_rng rng;
    row      r[60];
    double   x[60], w[60], expected[60], *cuts;
    uint16_t y[60];
    size_t   n_cuts = 0;
    open_bench(&b);
    heft_rng_init(&rng, 5, 0);
    for (int t = 0; t < 1500; t++) {
        const size_t n = 1 + (size_t)heft_rng_below(&rng, 60);
        const size_t n_class = 2 + (size_t)heft_rng_below(&rng, 4);
        const double scale = t % 4 == 0 ? 1 : heft_rng_real(&rng);
        draw(&rng, n, n_class, t % 3, r);
        split_rows(r, n, x, y, w);
        const size_t k = mdl(&b, x, y, t % 3 ? w : NULL, n, n_class, scale, &cuts);
        size_t       k_twin = 0;
        qsort(r, n, sizeof *r, by_value);
        twin_mdl(r, n, n_class, scale, expected, &k_twin);
        same_cuts(cuts, k, expected, k_twin);
        n_cuts += k;
    }
    assert_true(n_cuts > 1000); /* the comparison is not an empty one */
    close_bench(&b);
}

static void one_clean_step_gives_its_midpoint(void **state)
{
    /* Ten of one class below, ten of another above: one cut, midway between the neighbours. */
    (void)state;
    bench    b;
    double   x[20], *cuts;
    uint16_t y[20];
    open_bench(&b);
    for (size_t i = 0; i < 20; i++) {
        x[i] = i < 10 ? (double)i : 3.5 + (double)i;
        y[i] = i >= 10;
    }
    assert_int_equal(mdl(&b, x, y, NULL, 20, 2, 1, &cuts), 1);
    assert_true(cuts[0] == (9 + 13.5) / 2);
    close_bench(&b);
}

static void the_threshold_is_the_published_one(void **state)
{
    /* n rows of a class below n rows of another: gain 1 is enough from n = 4 on, by hand:
     * log2(2n - 1) + log2 7 - 2 < 2n holds for n = 2 (2.39 < 4) and fails for n = 1 (0.81 < 2 is
     * true): with N = 2, log2 1 + log2 7 - 2 = 0.807, /2 = 0.40 < 1. So one row each is cut, and at
     * `scale` 2.4 (0.97) still, at 2.5 (1.01) no longer. */
    (void)state;
    bench          b;
    const double   x[] = {4, 1};
    const uint16_t y[] = {1, 0};
    double        *cuts;
    open_bench(&b);
    assert_int_equal(mdl(&b, x, y, NULL, 2, 2, 1, &cuts), 1);
    assert_true(cuts[0] == 2.5);
    assert_int_equal(mdl(&b, x, y, NULL, 2, 2, 2.4, &cuts), 1);
    assert_int_equal(mdl(&b, x, y, NULL, 2, 2, 2.5, &cuts), 0);
    close_bench(&b);
}

static void a_weight_repeats_its_row(void **state)
{
    /* MDL and frequency cuts of rows with whole weights are those of the rows repeated; a row of
     * weight 0 is not there. */
    (void)state;
    bench    b;
    heft_rng rng;
    row      r[60];
    double   x[60], w[60], xx[MOST], *cuts, *more;
    uint16_t y[60], yy[MOST];
    open_bench(&b);
    heft_rng_init(&rng, 6, 0);
    for (int t = 0; t < 300; t++) {
        size_t m = 0;
        draw(&rng, 60, 3, 1, r);
        split_rows(r, 60, x, y, w);
        for (size_t i = 0; i < 60; i++) {
            if (i % 7 == 3) w[i] = 0;
            for (double k = 0; k < w[i]; k++) xx[m] = x[i], yy[m++] = y[i];
        }
        const size_t k = mdl(&b, x, y, w, 60, 3, 0.5, &cuts);
        const size_t kk = mdl(&b, xx, yy, NULL, m, 3, 0.5, &more);
        same_cuts(cuts, k, more, kk);
        const size_t bins = 2 + (size_t)heft_rng_below(&rng, 12);
        const size_t f = frequency(&b, x, w, 60, bins, &cuts);
        const size_t ff = frequency(&b, xx, NULL, m, bins, &more);
        same_cuts(cuts, f, more, ff);
    }
    close_bench(&b);
}

static void row_order_does_not_matter(void **state)
{
    /* Shuffled rows give the same bits, also with weights whose sums round. */
    (void)state;
    bench    b;
    heft_rng rng;
    row      r[MOST];
    double   x[MOST], w[MOST], *cuts, *again;
    uint16_t y[MOST];
    size_t   order[MOST];
    open_bench(&b);
    heft_rng_init(&rng, 7, 0);
    for (int t = 0; t < 60; t++) {
        draw(&rng, MOST, 4, 2, r);
        split_rows(r, MOST, x, y, w);
        const size_t k = mdl(&b, x, y, w, MOST, 4, 0.3, &cuts);
        double      *by_rank;
        const size_t f = frequency(&b, x, w, MOST, 9, &by_rank);
        for (size_t i = 0; i < MOST; i++) order[i] = i;
        heft_rng_shuffle(&rng, order, MOST);
        for (size_t i = 0; i < MOST; i++)
            x[i] = r[order[i]].x, y[i] = r[order[i]].y, w[i] = r[order[i]].w;
        const size_t kk = mdl(&b, x, y, w, MOST, 4, 0.3, &again);
        same_cuts(cuts, k, again, kk);
        const size_t ff = frequency(&b, x, w, MOST, 9, &again);
        same_cuts(by_rank, f, again, ff);
    }
    close_bench(&b);
}

static void an_increasing_map_leaves_every_bin(void **state)
{
    /* exp(x) in place of x moves the cuts and no row. */
    (void)state;
    bench    b;
    heft_rng rng;
    row      r[MOST];
    double   x[MOST], w[MOST], e[MOST], *cuts, *moved;
    uint16_t y[MOST];
    open_bench(&b);
    heft_rng_init(&rng, 8, 0);
    for (int t = 0; t < 100; t++) {
        draw(&rng, MOST, 3, 0, r);
        split_rows(r, MOST, x, y, w);
        for (size_t i = 0; i < MOST; i++) e[i] = exp(x[i]);
        const size_t k = mdl(&b, x, y, NULL, MOST, 3, 0.4, &cuts);
        assert_int_equal(k, mdl(&b, e, y, NULL, MOST, 3, 0.4, &moved));
        for (size_t i = 0; i < MOST; i++)
            assert_int_equal(heft_cut_code(cuts, k, x[i]), heft_cut_code(moved, k, e[i]));
    }
    close_bench(&b);
}

static void a_lower_scale_never_loses_a_cut(void **state)
{
    /* The cuts at a larger scale are among those at a smaller one. */
    (void)state;
    bench        b;
    heft_rng     rng;
    row          r[MOST];
    double       x[MOST], w[MOST], *coarse, *fine;
    uint16_t     y[MOST];
    const double scales[] = {3, 1, 0.6, 0.25, 0.01, 1e-300};
    open_bench(&b);
    heft_rng_init(&rng, 9, 0);
    for (int t = 0; t < 40; t++) {
        draw(&rng, MOST, 4, t % 3, r);
        split_rows(r, MOST, x, y, w);
        size_t k = mdl(&b, x, y, w, MOST, 4, scales[0], &coarse);
        for (size_t s = 1; s < sizeof scales / sizeof *scales; s++) {
            const size_t f = mdl(&b, x, y, w, MOST, 4, scales[s], &fine);
            size_t       found = 0;
            for (size_t i = 0; i < f && found < k; i++) found += fine[i] == coarse[found];
            assert_int_equal(found, k);
            coarse = fine;
            k = f;
        }
    }
    close_bench(&b);
}

static void noise_is_seldom_cut(void **state)
{
    /* Classes that have nothing to do with the values: no cut in at least 19 of 20 columns. */
    (void)state;
    bench    b;
    heft_rng rng;
    double   x[1000], *cuts;
    uint16_t y[1000];
    size_t   cut = 0;
    open_bench(&b);
    heft_rng_init(&rng, 10, 0);
    for (int t = 0; t < 100; t++) {
        for (size_t i = 0; i < 1000; i++) {
            x[i] = heft_rng_real(&rng);
            y[i] = (uint16_t)heft_rng_below(&rng, 3);
        }
        cut += mdl(&b, x, y, NULL, 1000, 3, 1, &cuts) > 0;
    }
    assert_true(cut <= 5);
    close_bench(&b);
}

static void the_edge_of_the_numbers_is_cut_right(void **state)
{
    /* Neighbouring doubles, the largest ones, denormals, 0 and -0: a cut parts its neighbours. */
    (void)state;
    bench        b;
    const double pairs[][2] = {
        {1, 1 + DBL_EPSILON}, {1 + DBL_EPSILON, 1 + 2 * DBL_EPSILON}, {DBL_MAX / 1.5, DBL_MAX},
        {-DBL_MAX, DBL_MAX},  {0, 4.9406564584124654e-324},           {-4.9406564584124654e-324, 0},
        {1e-310, 2e-310}};
    double   x[40], *cuts;
    uint16_t y[40];
    open_bench(&b);
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        for (size_t i = 0; i < 40; i++) {
            x[i] = pairs[p][i % 2];
            if (x[i] == 0 && i % 4 < 2) x[i] = -x[i];
            y[i] = i % 2;
        }
        assert_int_equal(mdl(&b, x, y, NULL, 40, 2, 1, &cuts), 1);
        assert_int_equal(heft_cut_code(cuts, 1, pairs[p][0]), 0);
        assert_int_equal(heft_cut_code(cuts, 1, pairs[p][1]), 1);
        const size_t k = width(&b, x, 40, 7, &cuts);
        for (size_t i = 0; i < k; i++) assert_true(isfinite(cuts[i]));
        frequency(&b, x, NULL, 40, 3, &cuts);
        assert_true(cuts[0] >= pairs[p][0] && cuts[0] <= pairs[p][1]);
    }
    close_bench(&b);
}

static void many_classes_are_no_hazard(void **state)
{
    /* 3^k leaves every integer and at last the doubles: 1000 classes in order, 20 rows each, are
     * cut into parts that never divide a class. */
    (void)state;
    enum { CLASSES = 1000, EACH = 20 };
    bench     b;
    double   *x = malloc(CLASSES * EACH * sizeof *x), *cuts;
    uint16_t *y = malloc(CLASSES * EACH * sizeof *y);
    assert_true(x && y);
    open_bench(&b);
    for (size_t i = 0; i < CLASSES * EACH; i++) {
        x[i] = (double)i;
        y[i] = (uint16_t)(i / EACH);
    }
    const size_t k = mdl(&b, x, y, NULL, CLASSES * EACH, CLASSES, 1, &cuts);
    assert_true(k > 100);
    for (size_t i = 0; i < k; i++) assert_true(fmod(cuts[i] + 0.5, EACH) == 0);
    free(x);
    free(y);
    close_bench(&b);
}

static void lopsided_cutting_stays_shallow(void **state)
{
    /* Alternating runs are peeled off one by one, the deepest cutting there is: every border of
     * 2000 runs is found. */
    (void)state;
    enum { RUNS = 2000, EACH = 40 };
    bench     b;
    double   *x = malloc(RUNS * EACH * sizeof *x), *cuts;
    uint16_t *y = malloc(RUNS * EACH * sizeof *y);
    assert_true(x && y);
    open_bench(&b);
    for (size_t i = 0; i < RUNS * EACH; i++) {
        x[i] = (double)i;
        y[i] = (uint16_t)(i / EACH % 2);
    }
    assert_int_equal(mdl(&b, x, y, NULL, RUNS * EACH, 2, 1, &cuts), RUNS - 1);
    for (size_t i = 0; i < RUNS - 1; i++) assert_true(cuts[i] == (double)((i + 1) * EACH) - 0.5);
    free(x);
    free(y);
    close_bench(&b);
}

static void nothing_to_cut_gives_no_cut(void **state)
{
    /* No rows, one row, one value, one class, classes unknown, weights that vanish. */
    (void)state;
    bench          b;
    const double   x[] = {1, 2, 3, 4, 5, 6, 7, 8}, same[] = {2, 2, 2, 2, 2, 2, 2, 2};
    const double   none[8] = {0}, tiny[] = {.1, .1, .1, .1, .1, .1, .1, .1};
    const uint16_t y[] = {0, 0, 0, 0, 1, 1, 1, 1}, one[8] = {0};
    const uint16_t unknown[] = {2, 2, 2, 2, 2, 2, 2, 2};
    double        *cuts;
    open_bench(&b);
    assert_int_equal(mdl(&b, x, y, NULL, 8, 2, 1, &cuts), 1);
    assert_int_equal(mdl(&b, x, y, NULL, 0, 2, 1, &cuts), 0);
    assert_int_equal(mdl(&b, x, y, NULL, 1, 2, 1, &cuts), 0);
    assert_int_equal(mdl(&b, same, y, NULL, 8, 2, 1, &cuts), 0);
    assert_int_equal(mdl(&b, x, one, NULL, 8, 2, 1, &cuts), 0);
    assert_int_equal(mdl(&b, x, unknown, NULL, 8, 2, 1, &cuts), 0);
    assert_int_equal(mdl(&b, x, y, none, 8, 2, 1, &cuts), 0);
    assert_int_equal(mdl(&b, x, y, tiny, 8, 2, 1, &cuts), 0);
    assert_int_equal(width(&b, x, 0, 10, &cuts), 0);
    assert_int_equal(width(&b, same, 8, 10, &cuts), 0);
    assert_int_equal(frequency(&b, x, NULL, 0, 10, &cuts), 0);
    assert_int_equal(frequency(&b, same, NULL, 8, 10, &cuts), 0);
    assert_int_equal(frequency(&b, x, none, 8, 10, &cuts), 0);
    close_bench(&b);
}

static void width_cuts_are_even(void **state)
{
    /* min + k (max - min) / bins; equal cuts are one; a range beyond the doubles is no matter. */
    (void)state;
    bench        b;
    const double x[] = {9, -1, 3, 4}, near[] = {1, 1 + 2 * DBL_EPSILON};
    const double far[] = {-DBL_MAX, DBL_MAX};
    double      *cuts;
    open_bench(&b);
    assert_int_equal(width(&b, x, 4, 5, &cuts), 4);
    for (size_t k = 0; k < 4; k++) assert_true(cuts[k] == -1 + 2.0 * (double)(k + 1));
    assert_int_equal(heft_cut_code(cuts, 4, 3), 1); /* a value equal to a cut goes below it */
    assert_int_equal(width(&b, near, 2, 10, &cuts), 3);
    assert_int_equal(width(&b, far, 2, 4, &cuts), 3);
    for (size_t k = 0; k < 3; k++)
        assert_true(fabs(cuts[k] / DBL_MAX - ((double)k - 1) / 2) < 1e-15);
    close_bench(&b);
}

static void frequency_cuts_are_quantiles(void **state)
{
    /* numpy.quantile(x, [i/b]) and numpy.unique, by hand and against sorted rows. */
    (void)state;
    bench        b;
    const double x[] = {7, 1, 3, 10, 3, 3, 2, 8}; /* 1 2 3 3 3 7 8 10, places 1.75 3.5 5.25 */
    double       v[101], *cuts;
    open_bench(&b);
    assert_int_equal(frequency(&b, x, NULL, 8, 4, &cuts), 3);
    assert_true(cuts[0] == 2.75 && cuts[1] == 3 && cuts[2] == 7.25);
    const double seven[] = {2, 3, 7, 8}; /* whole places: 2 3 3 3 7 8 */
    assert_int_equal(frequency(&b, x, NULL, 8, 7, &cuts), 4);
    for (size_t k = 0; k < 4; k++) assert_true(fabs(cuts[k] - seven[k]) < 1e-14);
    for (size_t i = 0; i < 101; i++) v[i] = (double)((i * 37) % 101);
    assert_int_equal(frequency(&b, v, NULL, 101, 10, &cuts), 9); /* places 10, 20, ... */
    for (size_t k = 0; k < 9; k++) assert_true(fabs(cuts[k] - 10 * (double)(k + 1)) < 1e-12);
    close_bench(&b);
}

static void shares_count_where_weights_are_not_whole(void **state)
{
    /* Values 1 to 100, the last half with a third of the weight: a cut is the lowest value that has
     * its share of the weight, whatever unit the weights have. */
    (void)state;
    bench  b;
    double x[100], w[100], *cuts;
    open_bench(&b);
    for (double unit = 1e-9; unit < 1e9; unit *= 7.3) {
        for (size_t i = 0; i < 100; i++) {
            x[i] = (double)(i * 37 % 100 + 1);
            w[i] = x[i] <= 50 ? 1.5 * unit : 0.5 * unit;
        }
        assert_int_equal(frequency(&b, x, w, 100, 4, &cuts), 3);
        assert_true(cuts[0] == 17 && cuts[1] == 34 && cuts[2] == 50); /* 25, 50, 75 of 100 */
    }
    close_bench(&b);
}

static void a_code_counts_the_cuts_below(void **state)
{
    /* heft_cut_code is the number of cuts strictly below x, for any number of cuts. */
    (void)state;
    double cuts[40];
    for (size_t n = 0; n <= 40; n++) {
        for (size_t k = 0; k < n; k++) cuts[k] = (double)(2 * k);
        for (double x = -1; x < 82; x += 0.5) {
            uint32_t below = 0;
            for (size_t k = 0; k < n; k++) below += cuts[k] < x;
            assert_int_equal(heft_cut_code(cuts, n, x), below);
        }
    }
}

static void sorting_is_stable_and_right(void **state)
{
    /* Keys order doubles of either sign and any size; equal values keep their rows in order. */
    (void)state;
    enum { N = 3000 };
    static heft_ranked v[N], spare[N];
    static double      x[N];
    const double       special[] = {0, -0.0, DBL_MAX, -DBL_MAX, 5e-324, -5e-324, 1, -1};
    heft_rng           rng;
    heft_rng_init(&rng, 11, 0);
    for (size_t n = 0; n <= N; n = n < 100 ? n + 1 : n * 3) {
        for (size_t i = 0; i < n; i++) {
            x[i] = i % 3 == 0
                       ? special[heft_rng_below(&rng, 8)]
                       : ldexp(heft_rng_real(&rng) - 0.5, (int)heft_rng_below(&rng, 40) - 20);
            v[i] = (heft_ranked){heft_order_key(x[i]), i};
            assert_true(heft_order_value(v[i].key) == x[i]);
        }
        heft_order_sort(v, spare, n);
        for (size_t i = 1; i < n; i++) {
            assert_true(x[v[i - 1].row] <= x[v[i].row]);
            if (x[v[i - 1].row] == x[v[i].row]) assert_true(v[i - 1].row < v[i].row);
        }
    }
}

static void keys_that_begin_alike_are_sorted(void **state)
{
    /* Few or many keys with the same high bits, all of them or in groups, some of them equal. */
    (void)state;
    enum { N = 12000 };
    static heft_ranked  v[N], spare[N];
    static const size_t sizes[] = {40, 49, 300, 5000, N}, groups[] = {1, 2, 7, 150, 2500};
    heft_rng            rng;
    heft_rng_init(&rng, 12, 0);
    for (size_t k = 0; k < 75; k++) {
        const size_t   n = sizes[k % 5], g = groups[k / 5 % 5];
        const uint64_t low = k < 25 ? 3 : k < 50 ? 1 << 20 : UINT64_C(1) << 36;
        for (size_t i = 0; i < n; i++)
            v[i] = (heft_ranked){(heft_rng_below(&rng, g) << 34) + heft_rng_below(&rng, low), i};
        heft_order_sort(v, spare, n);
        for (size_t i = 1; i < n; i++)
            assert_true(v[i - 1].key < v[i].key ||
                        (v[i - 1].key == v[i].key && v[i - 1].row < v[i].row));
    }
}

static void memory_may_run_out_anywhere(void **state)
{
    /* The n-th allocation fails, for every n: ENOMEM, no cuts, nothing lost. */
    (void)state;
    heft_rng rng;
    row      r[MOST];
    double   x[MOST], w[MOST], *cuts;
    uint16_t y[MOST];
    size_t   k;
    heft_rng_init(&rng, 12, 0);
    draw(&rng, MOST, 3, 0, r);
    split_rows(r, MOST, x, y, w);
    for (int what = 0; what < 3; what++) {
        heft_status st = HEFT_ENOMEM;
        for (size_t n = 1; st != HEFT_OK; n++) {
            bench b;
            open_bench(&b);
            heft_fail_alloc_at(n, true);
            st = what == 0   ? heft_cuts_mdl(&b.ctx, &b.arena, &(heft_points){MOST, x, y, w}, 3, 1,
                                             &cuts, &k)
                 : what == 1 ? heft_cuts_width(&b.ctx, &b.arena, x, MOST, 10, &cuts, &k)
                             : heft_cuts_frequency(&b.ctx, &b.arena, x, w, MOST, 10, &cuts, &k);
            heft_fail_alloc_at(0, false);
            if (st != HEFT_OK) {
                assert_int_equal(st, HEFT_ENOMEM);
                assert_int_equal(k, 0);
            }
            if (n == 1) assert_int_equal(st, HEFT_ENOMEM);
            close_bench(&b);
        }
        assert_true(k > 0);
    }
}

static bool always(void *user)
{
    (void)user;
    return true;
}

static void cutting_can_be_cancelled(void **state)
{
    /* The host's word ends the work. */
    (void)state;
    bench           b;
    const double    x[] = {1, 2, 3, 4};
    const uint16_t  y[] = {0, 0, 1, 1};
    const heft_host host = {.cancelled = always};
    double         *cuts;
    size_t          k;
    open_bench(&b);
    b.ctx.host = &host;
    assert_int_equal(heft_cuts_mdl(&b.ctx, &b.arena,
                                   &(heft_points){4, (double *)x, (uint16_t *)y, NULL}, 2, 1, &cuts,
                                   &k),
                     HEFT_ECANCELLED);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mdl_equals_its_slow_twin),
        cmocka_unit_test(one_clean_step_gives_its_midpoint),
        cmocka_unit_test(the_threshold_is_the_published_one),
        cmocka_unit_test(a_weight_repeats_its_row),
        cmocka_unit_test(row_order_does_not_matter),
        cmocka_unit_test(an_increasing_map_leaves_every_bin),
        cmocka_unit_test(a_lower_scale_never_loses_a_cut),
        cmocka_unit_test(noise_is_seldom_cut),
        cmocka_unit_test(the_edge_of_the_numbers_is_cut_right),
        cmocka_unit_test(many_classes_are_no_hazard),
        cmocka_unit_test(lopsided_cutting_stays_shallow),
        cmocka_unit_test(nothing_to_cut_gives_no_cut),
        cmocka_unit_test(width_cuts_are_even),
        cmocka_unit_test(frequency_cuts_are_quantiles),
        cmocka_unit_test(shares_count_where_weights_are_not_whole),
        cmocka_unit_test(a_code_counts_the_cuts_below),
        cmocka_unit_test(sorting_is_stable_and_right),
        cmocka_unit_test(keys_that_begin_alike_are_sorted),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(cutting_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
