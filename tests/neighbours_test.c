/* neighbours_test.c - the query engine against a slow, obvious twin: every path of it. */
#include "fixture.h"

#include "base/wide.h"
#include "methods/lazy/hamming.h"
#include "methods/lazy/neighbours.h"

typedef struct shape {
    size_t   n, m, n_class;
    uint32_t values; /* of most attributes */
    uint32_t wide;   /* of every 7th attribute, when not 0 */
} shape;

/* One register, two, four, more; rows beyond a byte's count; attributes of two bytes; none at all.
 */
static const shape shapes[] = {
    {2500, 16, 3, 3, 0}, {130, 16, 6, 2, 0}, {300, 5, 4, 3, 0},    {700, 16, 3, 4, 0},
    {1200, 17, 3, 2, 0}, {90, 32, 5, 5, 0},  {1500, 33, 2, 2, 0},  {700, 64, 3, 254, 0},
    {400, 65, 3, 3, 0},  {60, 200, 3, 2, 0}, {900, 12, 3, 3, 300}, {80, 3, 2, 255, 65534},
    {40, 1, 2, 1000, 0}, {1100, 8, 1, 1, 0}, {1, 4, 2, 3, 0},      {50, 0, 3, 1, 0},
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes, QUERIES = 11 };

static coded make(const shape *s, size_t n, uint64_t seed, bool missing)
{
    uint32_t *n_codes = calloc(s->m + 1, sizeof *n_codes);
    for (size_t j = 0; j < s->m; j++) n_codes[j] = s->wide && j % 7 == 0 ? s->wide : s->values;
    coded rows = coded_new(n, s->m, s->n_class, n_codes);
    coded_fill(&rows, seed, missing);
    free(n_codes);
    return rows;
}

/* A missing or unheard-of cell agrees with nothing. */
static bool agree(const heft_rows *a, size_t i, const heft_rows *b, size_t k, size_t j)
{
    const uint32_t v = coded_at(a, i, j);
    return v < a->attr[j].n_codes && v == coded_at(b, k, j);
}

/* Attributes of a single value have no lane and are not compared. */
static size_t distance(const heft_rows *a, size_t i, const heft_rows *b, size_t k)
{
    size_t d = 0;
    for (size_t j = 0; j < a->n_attr; j++) d += a->attr[j].n_codes > 1 && !agree(a, i, b, k, j);
    return d;
}

/* d[i] = distance of training row i to query k. */
static size_t *distances(const coded *t, const coded *queries, size_t k)
{
    size_t *d = calloc(t->rows.n_rows + 1, sizeof *d);
    for (size_t i = 0; i < t->rows.n_rows; i++) d[i] = distance(&t->rows, i, &queries->rows, k);
    return d;
}

/* level[l] rows of class c, or of all when c is n_class, are at distance l. */
static void check_levels(const coded *t, const size_t *d, size_t c, const double *level)
{
    double *slow = calloc(t->rows.n_attr + 1, sizeof *slow);
    for (size_t i = 0; i < t->rows.n_rows; i++) slow[d[i]] += c == t->rows.n_class || t->y[i] == c;
    for (size_t l = 0; l <= t->rows.n_attr; l++) assert_true(level[l] == slow[l]);
    free(slow);
}

static double *weights_of(size_t m, bool near_only)
{
    double *w = calloc(m + 1, sizeof *w);
    for (size_t l = 0; l <= m; l++) w[l] = near_only && l > m / 2 ? 0 : 1 / (1.0 + (double)(l * l));
    return w;
}

static void check_sums(heft_probe *p, const coded *t, const coded *queries, const size_t *d,
                       size_t slot, size_t k, size_t c)
{
    const size_t m = t->rows.n_attr;
    double      *w = weights_of(m, p->whole), *sum = calloc(m + 1, sizeof *sum);
    if (p->whole) {
        double mass = 0;
        for (size_t i = 0; i < t->rows.n_rows; i++) mass += t->y[i] == c ? w[d[i]] : 0;
        assert_true(fabs(heft_probe_near(p, slot, c, w, sum) - mass) <= 1e-12 * (1 + mass));
    } else heft_probe_weigh(p, slot, c, w, sum);
    for (size_t lane = 0; lane < p->nb->n_attr; lane++) {
        double slow = 0;
        for (size_t i = 0; i < t->rows.n_rows; i++)
            if (t->y[i] == c && agree(&t->rows, i, &queries->rows, k, p->nb->attr[lane]))
                slow += w[d[i]];
        if (!(fabs(sum[lane] - slow) <= 1e-12 * (1 + slow)))
            fail_msg("lane %zu: %.17g, not %.17g", lane, sum[lane], slow);
    }
    free(w), free(sum);
}

static void check_by_class(heft_probe *p, const coded *t, const coded *queries, size_t lo, size_t n)
{
    const size_t lines = t->rows.n_attr + 1;
    double *level = calloc(lines * HEFT_PROBE, sizeof *level), *own = calloc(lines, sizeof *own);
    heft_probe_load(p, &queries->rows, lo, n);
    for (size_t c = 0; c < t->rows.n_class; c++) {
        heft_probe_class(p, c, n, level);
        for (size_t q = 0; q < n; q++) {
            size_t *d = distances(t, queries, lo + q);
            for (size_t l = 0; l < lines; l++) own[l] = level[l * HEFT_PROBE + q];
            check_levels(t, d, c, own);
            check_sums(p, t, queries, d, q, lo + q, c);
            free(d);
        }
    }
    free(level), free(own);
}

static void check_whole(heft_probe *p, const coded *t, const coded *queries, size_t lo, size_t n)
{
    const size_t lines = t->rows.n_attr + 1, K = t->rows.n_class;
    uint32_t    *total = calloc(lines, sizeof *total);
    double      *own = calloc(lines, sizeof *own);
    heft_probe_load(p, &queries->rows, lo, n);
    for (size_t q = 0; q < n; q++) {
        size_t *d = distances(t, queries, lo + q);
        heft_probe_all(p, q, total);
        for (size_t l = 0; l < lines; l++) own[l] = total[l];
        check_levels(t, d, K, own);
        for (size_t c = 0; c < K; c++) check_sums(p, t, queries, d, q, lo + q, c);
        free(d);
    }
    free(total), free(own);
}

static void check_shape(heft_ctx *ctx, const shape *s)
{
    coded           t = make(s, s->n, 1, true), queries = make(s, QUERIES, 2, true);
    heft_neighbours nb = {0};
    heft_probe      p, whole;
    OK(heft_neighbours_pack(ctx, &t.rows, &t.prep, "test", &ctx->scratch, &nb));
    OK(heft_probe_init(ctx, &nb, false, &ctx->scratch, &p));
    OK(heft_probe_init(ctx, &nb, true, &ctx->scratch, &whole));
    for (size_t lo = 0; lo < QUERIES; lo += HEFT_PROBE) {
        const size_t n = QUERIES - lo < HEFT_PROBE ? QUERIES - lo : HEFT_PROBE;
        check_by_class(&p, &t, &queries, lo, n);
        check_whole(&whole, &t, &queries, lo, n);
    }
    coded_free(&t), coded_free(&queries);
}

static void check_all(void)
{
    heft_ctx ctx;
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    for (size_t k = 0; k < N_SHAPES; k++) {
        check_shape(&ctx, &shapes[k]);
        heft_arena_clear(&ctx.scratch);
    }
    heft_ctx_clear(&ctx);
}

/* Counts by class, distance and agreement equal those of a loop over rows, on this machine's path.
 */
static void counts_equal_the_slow_twin(void **state)
{
    (void)state;
    check_all();
}

/* So they do with less than this machine has, down to portable C. */
static void other_paths_equal_the_slow_twin(void **state)
{
    (void)state;
    heft_simd_allow(HEFT_SIMD_AVX2);
    check_all();
    heft_simd_allow(HEFT_SIMD_NONE);
    check_all();
    heft_simd_allow(HEFT_SIMD_AVX512);
}

/* More than 255 rows at one distance are counted right: the byte counters are widened in time. */
static void bytes_do_not_overflow(void **state)
{
    (void)state;
    static const size_t sizes[] = {3, 16, 46, 89};
    for (int simd = HEFT_SIMD_NONE; simd <= HEFT_SIMD_AVX512; simd++)
        for (size_t k = 0; k < 4; k++) {
            const size_t m = sizes[k];
            uint32_t     n_codes[90];
            for (size_t j = 0; j < m; j++) n_codes[j] = 2;
            coded           t = coded_new(5000, m, 1, n_codes);
            heft_ctx        ctx;
            heft_neighbours nb = {0};
            heft_probe      p;
            double          level[91 * HEFT_PROBE], weight[91] = {1}, sum[90];
            heft_ctx_init(&ctx, &err, 1, 1, NULL);
            heft_simd_allow((heft_simd)simd);
            OK(heft_neighbours_pack(&ctx, &t.rows, &t.prep, "test", &ctx.scratch, &nb));
            OK(heft_probe_init(&ctx, &nb, false, &ctx.scratch, &p));
            heft_probe_load(&p, &t.rows, 0, 1);
            heft_probe_class(&p, 0, 1, level);
            heft_probe_weigh(&p, 0, 0, weight, sum);
            assert_true(level[0] == 5000 && level[HEFT_PROBE] == 0);
            for (size_t j = 0; j < m; j++) assert_true(sum[j] == 5000);
            heft_ctx_clear(&ctx);
            coded_free(&t);
        }
    heft_simd_allow(HEFT_SIMD_AVX512);
}

/* A column of more values than can be kept is refused by name; 65,535 can be. */
static void too_many_values_are_refused(void **state)
{
    (void)state;
    for (uint32_t values = 65535; values <= 65536; values++)
        for (int missing = 0; missing < 2; missing++) {
            coded           t = coded_new(3, 1, 2, &values);
            heft_ctx        ctx;
            heft_neighbours nb = {0};
            heft_ctx_init(&ctx, &err, 1, 1, NULL);
            coded_put(&t, 0, 0, 65534);
            coded_put(&t, 1, 0, missing ? values : 65533);
            const heft_status st =
                heft_neighbours_pack(&ctx, &t.rows, &t.prep, "test", &ctx.scratch, &nb);
            assert_int_equal(st, values == 65535 && !missing ? HEFT_OK : HEFT_EUNSUPPORTED);
            if (st != HEFT_OK) assert_non_null(strstr(err.text, "some column"));
            heft_ctx_clear(&ctx);
            coded_free(&t);
        }
}

/* Packed rows take one byte a cell, and little besides. */
static void rows_are_packed(void **state)
{
    (void)state;
    const shape     s = {2000, 16, 26, 10, 0};
    coded           t = make(&s, s.n, 3, false);
    heft_ctx        ctx;
    heft_neighbours nb = {0};
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    OK(heft_neighbours_pack(&ctx, &t.rows, &t.prep, "test", &ctx.scratch, &nb));
    assert_int_equal(nb.n_byte, 16);
    assert_int_equal(nb.n_word, 0);
    assert_int_equal(nb.start[26], 2000);
    heft_ctx_clear(&ctx);
    coded_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_equal_the_slow_twin),
        cmocka_unit_test(other_paths_equal_the_slow_twin),
        cmocka_unit_test(bytes_do_not_overflow),
        cmocka_unit_test(too_many_values_are_refused),
        cmocka_unit_test(rows_are_packed),
    };
    return cmocka_run_group_tests_name("neighbours", tests, NULL, NULL);
}
