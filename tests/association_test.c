/* association_test.c - entropies and information by hand and against a count of every pair; coded
 * views of numbers and sparse rows; the search of CFS. */
#include "fixture.h"

#include "base/ctx.h"
#include "stats/association.h"
#include "stats/cfs.h"
#include "stats/recode.h"

/* ---- prepared rows by hand ---- */

enum { MOST = 12 };

typedef struct table {
    size_t    n, m;
    uint32_t *code[MOST]; /* n_codes: missing */
    uint16_t *y;
    double   *weight;
    heft_attr attr[MOST];
    heft_rows rows;
} table;

static table table_make(size_t n, size_t m, const uint32_t *n_codes, size_t n_class, unsigned share,
                        bool weighted, uint64_t seed)
{
    table    t = {.n = n, .m = m, .y = calloc(n, sizeof *t.y)};
    heft_rng rng;
    heft_rng_init(&rng, seed, 0);
    if (weighted) t.weight = calloc(n, sizeof *t.weight);
    for (size_t i = 0; i < n; i++) {
        t.y[i] = (uint16_t)heft_rng_below(&rng, n_class);
        if (weighted) t.weight[i] = 0.25 * (double)(1 + heft_rng_below(&rng, 8));
    }
    for (size_t j = 0; j < m; j++) {
        t.code[j] = calloc(n, sizeof(uint32_t));
        for (size_t i = 0; i < n; i++) {
            const bool like = heft_rng_below(&rng, 2) == 0;
            uint32_t   v = (uint32_t)heft_rng_below(&rng, n_codes[j]);
            if (like) v = (uint32_t)(j ? t.code[j - 1][i] : t.y[i]) % n_codes[j];
            if (share && heft_rng_below(&rng, share) == 0) v = n_codes[j];
            t.code[j][i] = v;
        }
        t.attr[j] =
            (heft_attr){.coded = true, .n_codes = n_codes[j], .width = 4, .codes = t.code[j]};
    }
    return t;
}

static const heft_rows *rows_of(table *t, size_t n_class)
{
    t->rows = (heft_rows){.n_rows = t->n,
                          .n_attr = t->m,
                          .n_class = n_class,
                          .attr = t->attr,
                          .y = t->y,
                          .weight = t->weight};
    return &t->rows;
}

static void table_free(table *t)
{
    for (size_t j = 0; j < t->m; j++) free(t->code[j]);
    free(t->y), free(t->weight);
}

/* ---- two columns ---- */

/* Entropies and mutual information are those of the definition. */
static void information_by_hand(void **state)
{
    (void)state;
    const double even[] = {1, 1, 1, 1}, same[] = {3, 0, 0, 5}, some[] = {2, 1, 1, 4};
    heft_info    i = heft_info_of(even, 2, 2);
    NEAR(i.mutual, 0, 1e-15);
    NEAR(i.h_a, log(2), 1e-15);
    i = heft_info_of(same, 2, 2);
    NEAR(i.mutual, i.h_a, 1e-15);
    NEAR(heft_uncertainty(&i), 1, 1e-15);
    NEAR(heft_gain_ratio(&i), 1, 1e-15);
    i = heft_info_of(some, 2, 2);
    double expect = 0;
    for (size_t a = 0; a < 2; a++)
        for (size_t b = 0; b < 2; b++) {
            const double p = some[2 * a + b] / 8, pa = (some[2 * a] + some[2 * a + 1]) / 8;
            expect += p * log(p / (pa * (some[b] + some[2 + b]) / 8));
        }
    NEAR(i.mutual, expect, 1e-15);
    NEAR(i.n, 8, 0);
}

/* The gain ratio is the Kullback-Leibler weight: sum_v P(v) KL(P(C|v) || P(C)) / H(A). */
static void gain_ratio_is_kullback_leibler(void **state)
{
    (void)state;
    const double    t[] = {5, 1, 2, 0, 3, 3, 1, 1, 8}; /* 3 values x 3 classes */
    double          total = 0, line[3] = {0}, class_sum[3] = {0}, kl = 0, h = 0;
    const heft_info info = heft_info_of(t, 3, 3);
    for (size_t k = 0; k < 9; k++) total += t[k], line[k / 3] += t[k], class_sum[k % 3] += t[k];
    for (size_t v = 0; v < 3; v++) {
        h -= line[v] / total * log(line[v] / total);
        for (size_t c = 0; c < 3; c++) {
            const double p = t[3 * v + c] / line[v];
            if (p > 0) kl += line[v] / total * p * log(p / (class_sum[c] / total));
        }
    }
    NEAR(heft_gain_ratio(&info), kl / h, 1e-14);
}

/* What has one value has entropy 0 exactly, and measures of it are 0, never 0/0. */
static void constants_measure_nothing(void **state)
{
    (void)state;
    const double one[] = {1e6 / 3, 7.7, 0, 0}, none[] = {0, 0, 0, 0};
    heft_info    i = heft_info_of(one, 2, 2);
    assert_true(i.h_a == 0 && i.mutual == 0 && heft_gain_ratio(&i) == 0);
    assert_true(heft_uncertainty(&i) == 0);
    i = heft_info_of(none, 2, 2);
    assert_true(i.h_a == 0 && i.h_b == 0 && i.mutual == 0);
    assert_true(heft_gain_ratio(&i) == 0 && heft_uncertainty(&i) == 0);
}

/* ---- every two columns ---- */

/* I(A_j;A_k) over the rows in which both are present, cell by cell. */
static double slow_mutual(const table *t, size_t j, size_t k)
{
    const size_t na = t->attr[j].n_codes, nb = t->attr[k].n_codes;
    double      *cells = calloc(na * nb, sizeof *cells);
    for (size_t i = 0; i < t->n; i++)
        if (t->code[j][i] < na && t->code[k][i] < nb)
            cells[t->code[j][i] * nb + t->code[k][i]] += t->weight ? t->weight[i] : 1;
    const double mutual = heft_info_of(cells, na, nb).mutual;
    free(cells);
    return mutual;
}

static void sums_match(size_t n, const uint32_t *n_codes, size_t m, unsigned share, bool weighted)
{
    heft_ctx      ctx;
    heft_columns *cols;
    double        sum[MOST], again[MOST];
    table         t = table_make(n, m, n_codes, 3, share, weighted, n + m);
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    OK(heft_columns_build(&ctx, rows_of(&t, 3), NULL, &ctx.scratch, &cols));
    OK(heft_mutual_sums(&ctx, cols, "test", sum));
    for (size_t j = 0; j < m; j++) {
        double expect = 0;
        for (size_t k = 0; k < m; k++)
            if (k != j) expect += slow_mutual(&t, j, k);
        NEAR(sum[j], expect, 1e-9);
    }
    ctx.threads = 4;
    OK(heft_mutual_sums(&ctx, cols, "test", again));
    assert_memory_equal(sum, again, m * sizeof *sum);
    heft_ctx_clear(&ctx);
    table_free(&t);
}

/* Sums over all pairs are those of counting each pair by itself: few rows and many, where columns
 * are joined; columns of many values; missing cells; weights. The threads do not matter. */
static void sums_are_those_of_every_pair(void **state)
{
    (void)state;
    const uint32_t small[] = {2, 3, 2, 4, 5, 1, 8, 3, 2, 2}, wide[] = {300, 2, 700, 5, 300, 9};
    const uint32_t huge[] = {1000, 3, 1500, 2};
    sums_match(100, small, 10, 0, false);
    sums_match(3000, small, 10, 0, false);
    sums_match(3000, small, 10, 9, false);
    sums_match(9000, small, 10, 0, true);
    sums_match(33000, small, 10, 7, false);
    sums_match(2500, wide, 6, 0, false);
    sums_match(2500, wide, 6, 5, true);
    sums_match(700, huge, 4, 0, false);
    sums_match(700, huge, 4, 4, true);
    sums_match(50, small, 1, 0, false);
}

static int n_warned;

static void hear(void *user, heft_level level, const char *text)
{
    char *last = user;
    if (level != HEFT_WARNING) return;
    n_warned++;
    snprintf(last, 512, "%s", text);
}

/* Too many attributes are told before the work begins: a warning with the memory, then a refusal.
 */
static void many_attributes_are_told(void **state)
{
    (void)state;
    enum { N = 2 };
    static const uint8_t codes[N] = {0, 1};
    const uint16_t       y[N] = {0, 1};
    char                 said[512] = "";
    const heft_host      host = {.log = hear, .user = said};
    for (size_t m = 10001; m <= 100001; m += 90000) {
        heft_ctx      ctx;
        heft_columns *cols;
        heft_attr    *attr = calloc(m, sizeof *attr);
        double       *sum = calloc(m, sizeof *sum);
        for (size_t j = 0; j < m; j++)
            attr[j] = (heft_attr){.coded = true, .n_codes = j % 100 ? 1 : 2, .width = 1};
        for (size_t j = 0; j < m; j++) attr[j].codes = codes;
        const heft_rows rows = {.n_rows = N, .n_attr = m, .n_class = 2, .attr = attr, .y = y};
        heft_ctx_init(&ctx, &err, 2, 1, &host);
        if (m > 100000) {
            OK(heft_columns_build(&ctx, &rows, NULL, &ctx.scratch, &cols));
            assert_int_equal(heft_mutual_sums(&ctx, cols, "cfwnb", sum), HEFT_EUNSUPPORTED);
            assert_non_null(strstr(err.text, "100001"));
            assert_non_null(strstr(err.text, "MB"));
        } else {
            n_warned = 0;
            for (size_t j = 0; j < m; j++) attr[j].n_codes = 1;
            static const uint8_t zeros[N] = {0, 0};
            for (size_t j = 0; j < m; j++) attr[j].codes = zeros;
            OK(heft_columns_build(&ctx, &rows, NULL, &ctx.scratch, &cols));
            OK(heft_mutual_sums(&ctx, cols, "cfwnb", sum));
            assert_int_equal(n_warned, 1);
            assert_non_null(strstr(said, "10001"));
            assert_non_null(strstr(said, "MB"));
        }
        heft_ctx_clear(&ctx);
        free(attr), free(sum);
    }
}

/* ---- correlations ---- */

/* Without missing cells the correlation is the symmetric uncertainty; with the class as well. */
static void correlation_is_uncertainty(void **state)
{
    (void)state;
    const uint32_t n_codes[] = {2, 3, 4, 300};
    heft_ctx       ctx;
    heft_columns  *cols;
    float          row[5];
    table          t = table_make(900, 4, n_codes, 3, 0, false, 5);
    heft_ctx_init(&ctx, &err, 2, 1, NULL);
    OK(heft_columns_build(&ctx, rows_of(&t, 3), NULL, &ctx.scratch, &cols));
    for (size_t j = 0; j < 4; j++) {
        OK(heft_correlation_row(&ctx, cols, j, 1, row));
        assert_true(row[j] == 1);
        for (size_t k = 0; k < 4; k++) {
            if (k == j) continue;
            double *cells = calloc(300 * 300, sizeof *cells);
            for (size_t i = 0; i < t.n; i++) cells[t.code[j][i] * 300 + t.code[k][i]] += 1;
            const heft_info info = heft_info_of(cells, 300, 300);
            NEAR(row[k], heft_uncertainty(&info), 1e-6);
            free(cells);
        }
    }
    OK(heft_correlation_row(&ctx, cols, 4, 1, row));
    assert_true(row[0] > 0.1 && row[0] < 1);
    heft_ctx_clear(&ctx);
    table_free(&t);
}

/* Rows with a missing cell are shared out over the values in proportion to them. */
static void missing_cells_are_shared_out(void **state)
{
    (void)state;
    /* a: 4 x 0, 2 x 1, 2 missing; b: 0 or 1, one missing. */
    const uint8_t  a[] = {0, 0, 0, 0, 1, 1, 2, 2}, b[] = {0, 0, 0, 1, 1, 1, 0, 2};
    const uint16_t y[] = {0, 0, 0, 0, 1, 1, 1, 1};
    heft_attr      attr[] = {{.coded = true, .n_codes = 2, .width = 1, .codes = a},
                             {.coded = true, .n_codes = 2, .width = 1, .codes = b}};
    heft_rows      rows = {.n_rows = 8, .n_attr = 2, .n_class = 2, .attr = attr, .y = y};
    /* Both present: 3 0 / 1 2; a missing with b = 0: 1 row, 4/6 to a = 0, 2/6 to a = 1; both
     * missing: 1 row, by the cells of both present. */
    const double    t[] = {3 + 4.0 / 6 + 3.0 / 6, 1 + 1.0 / 6, 0 + 2.0 / 6, 2 + 2.0 / 6};
    const heft_info info = heft_info_of(t, 2, 2);
    heft_ctx        ctx;
    heft_columns   *cols;
    float           row[3];
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    OK(heft_columns_build(&ctx, &rows, NULL, &ctx.scratch, &cols));
    OK(heft_correlation_row(&ctx, cols, 0, 1, row));
    NEAR(row[1], heft_uncertainty(&info), 1e-6);
    heft_ctx_clear(&ctx);
}

/* Two attributes that share nothing count as Weka counts them, 1, or as 0 when asked; with the
 * class it is 0 always. */
static void the_unrelated(void **state)
{
    (void)state;
    const uint8_t  a[] = {0, 0, 1, 1}, b[] = {0, 1, 0, 1};
    const uint16_t y[] = {0, 1, 1, 0}; /* independent of each */
    heft_attr      attr[] = {{.coded = true, .n_codes = 2, .width = 1, .codes = a},
                             {.coded = true, .n_codes = 2, .width = 1, .codes = b}};
    heft_rows      rows = {.n_rows = 4, .n_attr = 2, .n_class = 2, .attr = attr, .y = y};
    heft_ctx       ctx;
    heft_columns  *cols;
    float          row[3];
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    OK(heft_columns_build(&ctx, &rows, NULL, &ctx.scratch, &cols));
    OK(heft_correlation_row(&ctx, cols, 0, 1, row));
    assert_true(row[1] == 1 && row[2] == 0);
    OK(heft_correlation_row(&ctx, cols, 0, 0, row));
    assert_true(row[1] == 0 && row[2] == 0);
    heft_ctx_clear(&ctx);
}

/* ---- CFS ---- */

/* CFS takes what predicts the class and leaves its copy and the noise; its merit is the formula. */
static void cfs_leaves_copies_and_noise(void **state)
{
    (void)state;
    enum { N = 600 };
    uint8_t   cell[5][N];
    uint16_t  y[N];
    heft_attr attr[5];
    heft_rng  rng;
    heft_rng_init(&rng, 3, 0);
    for (size_t i = 0; i < N; i++) {
        y[i] = (uint16_t)heft_rng_below(&rng, 4);
        cell[0][i] = (uint8_t)heft_rng_below(&rng, 3); /* noise */
        cell[1][i] = (uint8_t)(y[i] & 1);
        cell[2][i] = cell[1][i]; /* a copy */
        cell[3][i] = (uint8_t)(y[i] >> 1);
        cell[4][i] = 0; /* a constant */
    }
    for (size_t j = 0; j < 5; j++)
        attr[j] = (heft_attr){.coded = true, .n_codes = 3, .width = 1, .codes = cell[j]};
    const heft_rows rows = {.n_rows = N, .n_attr = 5, .n_class = 4, .attr = attr, .y = y};
    heft_ctx        ctx;
    heft_columns   *cols;
    heft_cfs        cfs;
    heft_arena      arena = {0};
    float           with_class[6], row[6];
    heft_ctx_init(&ctx, &err, 2, 1, NULL);
    OK(heft_columns_build(&ctx, &rows, NULL, &ctx.scratch, &cols));
    OK(heft_cfs_search(&ctx, cols, &(heft_cfs_rule){.stale = 5, .unrelated = 1}, &arena, &cfs));
    assert_int_equal(cfs.n, 2);
    assert_int_equal(cfs.kept[0], 1);
    assert_int_equal(cfs.kept[1], 3);
    OK(heft_correlation_row(&ctx, cols, 5, 1, with_class));
    OK(heft_correlation_row(&ctx, cols, 1, 1, row));
    NEAR(cfs.merit, ((double)with_class[1] + with_class[3]) / sqrt(2 + 2 * (double)row[3]), 1e-12);
    heft_arena_clear(&arena);
    heft_ctx_clear(&ctx);
}

/* Where no attribute tells anything CFS selects none. */
static void cfs_may_select_none(void **state)
{
    (void)state;
    const uint8_t   a[] = {0, 0, 0, 0};
    const uint16_t  y[] = {0, 1, 0, 1};
    const heft_attr attr[] = {{.coded = true, .n_codes = 1, .width = 1, .codes = a}};
    const heft_rows rows = {.n_rows = 4, .n_attr = 1, .n_class = 2, .attr = attr, .y = y};
    heft_ctx        ctx;
    heft_columns   *cols;
    heft_cfs        cfs;
    heft_arena      arena = {0};
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    OK(heft_columns_build(&ctx, &rows, NULL, &ctx.scratch, &cols));
    OK(heft_cfs_search(&ctx, cols, &(heft_cfs_rule){.stale = 5, .unrelated = 1}, &arena, &cfs));
    assert_int_equal(cfs.n, 0);
    assert_true(cfs.merit == 0);
    heft_arena_clear(&arena);
    heft_ctx_clear(&ctx);
}

/* ---- coded views ---- */

/* Numbers are cut, missing ones stay missing; coded attributes are the same arrays. */
static void numbers_are_cut(void **state)
{
    (void)state;
    const double    x[] = {0, 1, 2, 3, 4, NAN, 9.9, 10};
    const uint8_t   v[] = {1, 0, 1, 0, 1, 0, 1, 2};
    const uint16_t  y[] = {0, 0, 0, 0, 1, 1, 1, 1};
    const heft_attr attr[] = {{.numbers = x},
                              {.coded = true, .n_codes = 2, .width = 1, .codes = v}};
    const heft_rows rows = {.n_rows = 8, .n_attr = 2, .n_class = 2, .attr = attr, .y = y};
    const uint32_t  five[] = {0, 0, 0, 1, 1, 5, 4, 4}, mdl[] = {0, 0, 0, 0, 1, 2, 1, 1};
    heft_ctx        ctx;
    heft_rows       out;
    heft_ctx_init(&ctx, &err, 2, 1, NULL);
    OK(heft_coded_rows(&ctx, &rows, &(heft_binning){.cutting = HEFT_CUT_WIDTH, .bins = 5},
                       &ctx.scratch, &out));
    assert_int_equal(out.attr[0].n_codes, 5);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(heft_code_at(out.attr[0].codes, out.attr[0].width, i), five[i]);
    assert_ptr_equal(out.attr[1].codes, v);
    OK(heft_coded_rows(&ctx, &rows, &(heft_binning){.cutting = HEFT_CUT_MDL, .mdl_scale = 0.5},
                       &ctx.scratch, &out));
    assert_int_equal(out.attr[0].n_codes, 2);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(heft_code_at(out.attr[0].codes, out.attr[0].width, i), mdl[i]);
    heft_ctx_clear(&ctx);
}

/* In sparse rows a number becomes its presence; written out as columns they measure the same. */
static void sparse_numbers_become_presence(void **state)
{
    (void)state;
    size_t          start[] = {0, 2, 3, 4, 6};
    uint32_t        col[] = {0, 1, 0, 1, 0, 1};
    double          val[] = {2.5, 1, -3, NAN, 0, 4};
    const uint16_t  y[] = {0, 0, 1, 1};
    heft_sparse     sparse = {start, col, val};
    const heft_attr attr[] = {{.coded = false}, {.coded = false}};
    const heft_rows rows = {
        .n_rows = 4, .n_attr = 2, .n_class = 2, .attr = attr, .sparse = &sparse, .y = y};
    heft_ctx      ctx;
    heft_rows     out;
    heft_columns *cols;
    heft_counts   counts;
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    OK(heft_coded_rows(&ctx, &rows, &(heft_binning){.cutting = HEFT_CUT_MDL, .mdl_scale = 1},
                       &ctx.scratch, &out));
    assert_true(out.attr[0].coded && out.attr[0].n_codes == 2);
    OK(heft_count(&ctx, &out, &ctx.scratch, &counts));
    /* attribute 0: present in rows 0 and 1 (class 0), absent in 2 and 3 */
    NEAR(heft_info_class(&counts, 0, 2).mutual, log(2), 1e-15);
    NEAR(counts.cell[1][2 * 2 + 1], 1, 0); /* a missing cell of class 1 */
    OK(heft_columns_build(&ctx, &out, NULL, &ctx.scratch, &cols));
    assert_int_equal(cols->col[0].n, 2);
    assert_true(cols->col[1].missing);
    NEAR(cols->col[0].entropy, log(2), 1e-15);
    heft_ctx_clear(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(information_by_hand),
        cmocka_unit_test(gain_ratio_is_kullback_leibler),
        cmocka_unit_test(constants_measure_nothing),
        cmocka_unit_test(sums_are_those_of_every_pair),
        cmocka_unit_test(many_attributes_are_told),
        cmocka_unit_test(correlation_is_uncertainty),
        cmocka_unit_test(missing_cells_are_shared_out),
        cmocka_unit_test(the_unrelated),
        cmocka_unit_test(cfs_leaves_copies_and_noise),
        cmocka_unit_test(cfs_may_select_none),
        cmocka_unit_test(numbers_are_cut),
        cmocka_unit_test(sparse_numbers_become_presence),
    };
    return cmocka_run_group_tests_name("measures", tests, NULL, NULL);
}
