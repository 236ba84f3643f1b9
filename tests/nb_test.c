/* nb_test.c - naive Bayes by hand: tables, normals, point masses, rounded normals, kernels, priors;
 * sparse equals dense. */
#include "fixture.h"

#include "base/num.h"
#include "train/fit.h"

enum { N = 8 };
static const double      x[N] = {1, 2, 3, 4, 6, 7, 8, NAN};
static const int32_t     v[N] = {0, 0, 1, -1, 1, 1, 1, 0};
static const int32_t     y[N] = {0, 0, 0, 0, 1, 1, 1, 1};
static const char *const values[] = {"p", "q", "r"};
static const char *const classes[] = {"a", "b"};

static heft_table *table(bool numeric, bool nominal, size_t n_class)
{
    static const char *const three[] = {"a", "b", "empty"};
    frame                    f = {.n_rows = N, .y = y, .classes = three, .n_class = n_class};
    if (numeric) f.cols[f.n_cols++] = (field){"x", .numbers = x};
    if (nominal) f.cols[f.n_cols++] = (field){"v", .codes = v, .values = values, .n_values = 3};
    return table_of(&f);
}

/* Smoothed tables and priors are the fractions one counts on paper. */
static void tables_are_counts(void **state)
{
    (void)state;
    heft_table *t = table(false, true, 2);
    double      p[2 * N];
    heft_model *m = fit(t, "nb", NULL);
    OK(heft_predict_proba(m, t, p, &err));
    /* class a: p 2, q 1, r 0 of 3 present; class b: p 1, q 3, r 0 of 4. Laplace: 3/6 against 2/7 */
    NEAR(p[0], (3.0 / 6) / (3.0 / 6 + 2.0 / 7), 1e-15);
    NEAR(p[2 * 2], (2.0 / 6) / (2.0 / 6 + 4.0 / 7), 1e-15);
    NEAR(p[2 * 3], 0.5, 1e-15); /* missing: the prior */
    heft_model_free(m);
    m = fit(t, "nb", &(heft_config){.smoothing = "paper", .prior = "a=0.9"});
    OK(heft_predict_proba(m, t, p, &err));
    const double a = 0.9 * (2 + 1.0 / 3) / 4, b = 0.1 * (1 + 1.0 / 3) / 5;
    NEAR(p[0], a / (a + b), 1e-15);
    heft_model_free(m);
    m = fit(t, "nb", &(heft_config){.smoothing = "m:6", .prior = "uniform"});
    OK(heft_predict_proba(m, t, p, &err));
    NEAR(p[0], (4.0 / 9) / (4.0 / 9 + 3.0 / 10), 1e-15);
    heft_model_free(m), heft_table_free(t);
}

static double normal(double at, double mean, double var)
{
    return exp(-(at - mean) * (at - mean) / (2 * var)) / sqrt(2 * M_PI * var);
}

/* variance=class: numeric columns are normal with the n-1 variance of the observed cells. */
static void normals_use_n_minus_1(void **state)
{
    (void)state;
    heft_table *t = table(true, false, 2);
    double      p[2 * N];
    heft_model *m = fit(t, "nb", WITH("variance=class"));
    OK(heft_predict_proba(m, t, p, &err));
    for (size_t i = 0; i < N - 1; i++) {
        const double a = normal(x[i], 2.5, 5.0 / 3), b = normal(x[i], 7, 1);
        NEAR(p[2 * i], a / (a + b), 1e-14);
    }
    NEAR(p[2 * 7], 0.5, 1e-15);
    heft_model_free(m), heft_table_free(t);
}

/* A declared class without rows keeps its Laplace share in tables, and takes no part in normals. */
static void empty_classes(void **state)
{
    (void)state;
    double      p[3 * N];
    heft_table *t = table(false, true, 3);
    heft_model *m = fit(t, "nb", NULL);
    OK(heft_predict_proba(m, t, p, &err));
    const double a = 5.0 / 11 * 3 / 6, b = 5.0 / 11 * 2 / 7, e = 1.0 / 11 / 3;
    NEAR(p[2], e / (a + b + e), 1e-15);
    heft_model_free(m), heft_table_free(t);
    t = table(true, true, 3);
    m = fit(t, "nb", NULL);
    OK(heft_predict_proba(m, t, p, &err));
    for (size_t i = 0; i < N; i++) assert_true(p[3 * i + 2] == 0);
    heft_model_free(m), heft_table_free(t);
    t = table(false, true, 3);
    m = fit(t, "nb", &(heft_config){.prior = "frequency"});
    OK(heft_predict_proba(m, t, p, &err));
    for (size_t i = 0; i < N; i++) assert_true(p[3 * i + 2] == 0);
    heft_model_free(m), heft_table_free(t);
}

/* A class whose values are all equal is a point mass; a column constant everywhere says nothing. */
static void point_masses(void **state)
{
    (void)state;
    const double  c[] = {5, 5, 5, 1, 2, 6}, flat[] = {3, 3, 3, 3, 3, 3};
    const double  at[] = {5, 5.0000001, 9}, elsewhere[] = {3, 100, -1};
    const int32_t cl[] = {0, 0, 0, 1, 1, 1};
    double        p[6];
    heft_table   *t, *q;
    OK(heft_table_create(6, &t, &err));
    OK(heft_table_add_numbers(t, "c", c, 1, &err));
    OK(heft_table_add_numbers(t, "flat", flat, 1, &err));
    OK(heft_table_set_target(t, "class", cl, classes, 2, &err));
    OK(heft_table_create(3, &q, &err));
    OK(heft_table_add_numbers(q, "flat", elsewhere, 1, &err));
    OK(heft_table_add_numbers(q, "c", at, 1, &err));
    heft_model *m = fit(t, "nb", WITH("variance=class"));
    OK(heft_predict_proba(m, q, p, &err));
    const double b = normal(5, 3, 7); /* values 1, 2, 6 */
    NEAR(p[0], 1 / (1 + b), 1e-12);
    NEAR(p[2], 1e-10 / (1e-10 + normal(at[1], 3, 7)), 1e-12);
    heft_model_free(m);
    m = fit(t, "nb", WITH("variance=class", "floor=0.3"));
    OK(heft_predict_proba(m, q, p, &err)); /* a narrow normal instead; flat is still silent */
    NEAR(p[4], normal(9, 5, 0.09) / (normal(9, 5, 0.09) + normal(9, 3, 7)), 1e-12);
    NEAR(p[0], normal(5, 5, 0.09) / (normal(5, 5, 0.09) + b), 1e-12);
    heft_model_free(m);
    /* shrunk: three rows of scatter 0 and three of scatter 14; pooled 14/4, a third of it added */
    m = fit(t, "nb", NULL);
    OK(heft_predict_proba(m, q, p, &err));
    for (size_t i = 0; i < 3; i++) {
        const double narrow = normal(at[i], 5, 3.5 / 3), wide = normal(at[i], 3, (14 + 3.5) / 3);
        NEAR(p[2 * i], narrow / (narrow + wide), 1e-12);
    }
    heft_model_free(m);
    assert_int_equal(
        heft_fit(t, &(heft_config){.method = "nb", .params = PARAMS("floor=0.3")}, &m, &err),
        HEFT_EINVAL);
    assert_non_null(strstr(err.text, "variance=class"));
    heft_table_free(t), heft_table_free(q);
}

/* Where no class has any spread the floor decides; the unit of measurement does not. */
static void units_do_not_matter(void **state)
{
    (void)state;
    const double  apart[] = {5, 5, 5, 1, 1, 1}, some[] = {3, 4, 3, 3, 3, 3};
    const int32_t cl[] = {0, 0, 0, 1, 1, 1};
    double        first[12];
    for (int power = -200; power <= 200; power += 100) {
        double      a[6], b[6], p[12];
        heft_table *t;
        for (size_t i = 0; i < 6; i++) a[i] = ldexp(apart[i], power), b[i] = ldexp(some[i], -power);
        OK(heft_table_create(6, &t, &err));
        OK(heft_table_add_numbers(t, "apart", a, 1, &err));
        OK(heft_table_add_numbers(t, "some", b, 1, &err));
        OK(heft_table_set_target(t, "class", cl, classes, 2, &err));
        heft_model *m = fit(t, "nb", NULL);
        OK(heft_predict_proba(m, t, p, &err));
        for (size_t i = 0; i < 6; i++) assert_true(p[2 * i + (size_t)cl[i]] > 0.999);
        if (power == -200) memcpy(first, p, sizeof p);
        assert_true(largest_difference(first, p, 12) < 1e-12);
        assert_true(m->fitted.lik[0].sd[0] > 0 && m->fitted.lik[1].sd[1] > 0);
        heft_model_free(m), heft_table_free(t);
    }
}

static double phi(double z)
{
    return 0.5 * erfc(-z / sqrt(2));
}

/* gnb is Weka's rounded normal: precision the mean gap, sd with n and at least a sixth of it. */
static void rounded_normals(void **state)
{
    (void)state;
    heft_table  *t = table(true, false, 2);
    double       p[2 * N];
    heft_model  *m = fit(t, "gnb", NULL);
    const double gap = 7.0 / 6; /* 1..8 without 5: six gaps */
    double       mean[2] = {0}, sd[2] = {0}, n[2] = {0};
    OK(heft_predict_proba(m, t, p, &err));
    for (size_t i = 0; i < N - 1; i++) mean[y[i]] += rint(x[i] / gap) * gap, n[y[i]]++;
    for (int c = 0; c < 2; c++) mean[c] /= n[c];
    for (size_t i = 0; i < N - 1; i++) sd[y[i]] += pow(rint(x[i] / gap) * gap - mean[y[i]], 2);
    for (int c = 0; c < 2; c++) sd[c] = fmax(sqrt(sd[c] / n[c]), gap / 6);
    for (size_t i = 0; i < N - 1; i++) {
        double like[2];
        for (int c = 0; c < 2; c++) {
            const double d = rint(x[i] / gap) * gap - mean[c];
            like[c] = phi((d + gap / 2) / sd[c]) - phi((d - gap / 2) / sd[c]);
        }
        NEAR(p[2 * i], like[0] / (like[0] + like[1]), 1e-12);
    }
    heft_model_free(m), heft_table_free(t);
}

/* The mean gap is summed gap by gap, as Weka does: -1.2 lies half-way between two multiples of it,
 * and the last bit of 0.8/3 tells whether it goes to -4 or, as by -0.4/3 + 1.2/3, to -5 of them. */
static void half_way_goes_as_in_weka(void **state)
{
    (void)state;
    const double  w[] = {-1.2, -0.7, -0.5, -0.4};
    const int32_t cl[] = {0, 0, 1, 1};
    double        gap = 0, p[8], at[4], like[2];
    heft_table   *t;
    for (size_t i = 1; i < 4; i++) gap += w[i] - w[i - 1];
    gap /= 3;
    for (size_t i = 0; i < 4; i++) at[i] = rint(w[i] / gap) * gap;
    assert_true(at[0] == -4 * gap);
    OK(heft_table_create(4, &t, &err));
    OK(heft_table_add_numbers(t, "w", w, 1, &err));
    OK(heft_table_set_target(t, "class", cl, classes, 2, &err));
    heft_model *m = fit(t, "gnb", NULL);
    OK(heft_predict_proba(m, t, p, &err));
    for (size_t i = 0; i < 4; i++) {
        for (size_t c = 0; c < 2; c++) {
            const double mean = (at[2 * c] + at[2 * c + 1]) / 2, d = at[i] - mean;
            const double sd = fmax(fabs(at[2 * c] - mean), gap / 6);
            like[c] = fmax(phi((d + gap / 2) / sd) - phi((d - gap / 2) / sd), 1e-75);
        }
        NEAR(p[2 * i], like[0] / (like[0] + like[1]), 1e-9);
    }
    heft_model_free(m), heft_table_free(t);
}

/* flexnb equals the sum over all kernels, on data scaled to [0, 1], also far outside the data. */
static void kernels_equal_the_plain_sum(void **state)
{
    (void)state;
    enum { M = 4000, Q = 60 };
    double     *big = malloc(M * sizeof *big), query[Q], p[2 * Q];
    int32_t    *cl = malloc(M * sizeof *cl);
    heft_rng    rng;
    heft_table *t, *q;
    heft_rng_init(&rng, 5, 0);
    for (size_t i = 0; i < M; i++) {
        cl[i] = (int32_t)heft_rng_below(&rng, 2);
        big[i] = 50 * heft_rng_real(&rng) + 20 * cl[i]; /* dense: summed box by box */
        if (i % 2) big[i] = floor(big[i]);              /* many equal values */
    }
    for (size_t k = 0; k < Q; k++) query[k] = 300 * heft_rng_real(&rng) - 100;
    OK(heft_table_create(M, &t, &err));
    OK(heft_table_add_numbers(t, "x", big, 1, &err));
    OK(heft_table_set_target(t, "class", cl, classes, 2, &err));
    OK(heft_table_create(Q, &q, &err));
    OK(heft_table_add_numbers(q, "x", query, 1, &err));
    heft_model *m = fit(t, "flexnb", NULL);
    OK(heft_predict_proba(m, q, p, &err));
    double lo = INFINITY, hi = -INFINITY, n[2] = {0};
    for (size_t i = 0; i < M; i++) lo = fmin(lo, big[i]), hi = fmax(hi, big[i]), n[cl[i]]++;
    for (size_t k = 0; k < Q; k++) {
        double best[2] = {-INFINITY, -INFINITY}, s[2] = {0}, score[2];
        for (int pass = 0; pass < 2; pass++)
            for (size_t i = 0; i < M; i++) {
                const double h = 1 / sqrt(n[cl[i]]), d = (query[k] - big[i]) / (hi - lo) / h;
                if (!pass) best[cl[i]] = fmax(best[cl[i]], -d * d / 2);
                else s[cl[i]] += exp(-d * d / 2 - best[cl[i]]);
            }
        for (int c = 0; c < 2; c++)
            score[c] =
                log((n[c] + 1) / (M + 2)) + best[c] + log(s[c]) - log(n[c]) + log(sqrt(n[c]));
        NEAR(p[2 * k], 1 / (1 + exp(score[1] - score[0])), 1e-10);
    }
    heft_model_free(m), heft_table_free(t), heft_table_free(q);
    free(big), free(cl);
}

/* Sparse rows give the weights and posteriors of the same rows stored densely, all three methods.
 */
static void sparse_equals_dense(void **state)
{
    (void)state;
    enum { M = 90, D = 12 };
    double   *dense = calloc(M * D, sizeof *dense), *val = malloc(M * D * sizeof *val), w[M];
    size_t    start[M + 1] = {0}, n = 0;
    uint32_t *col = malloc(M * D * sizeof *col);
    int32_t   cl[M];
    heft_rng  rng;
    heft_rng_init(&rng, 6, 0);
    for (size_t i = 0; i < M; i++) {
        cl[i] = (int32_t)heft_rng_below(&rng, 2);
        w[i] = (double)heft_rng_below(&rng, 3) + 0.5;
        for (size_t j = 0; j < D; j++) {
            const bool stored = heft_rng_below(&rng, 4) == 0;
            double     cell = heft_rng_real(&rng) * (cl[i] + 1) - (j == 3);
            if (heft_rng_below(&rng, 9) == 0) cell = NAN;
            if (heft_rng_below(&rng, 9) == 0) cell = 0; /* a stored zero is a zero */
            if (!stored) continue;
            dense[i * D + j] = cell;
            col[n] = (uint32_t)j;
            val[n++] = cell;
        }
        start[i + 1] = n;
    }
    heft_table *a, *b;
    OK(heft_table_create(M, &a, &err));
    OK(heft_table_create(M, &b, &err));
    OK(heft_table_add_sparse(a, D, start, col, val, NULL, &err));
    for (size_t j = 0; j < D; j++) {
        char name[8];
        snprintf(name, sizeof name, "c%zu", j + 1);
        OK(heft_table_add_numbers(b, name, dense + j, D, &err));
    }
    OK(heft_table_set_target(a, "class", cl, classes, 2, &err));
    OK(heft_table_set_target(b, "class", cl, classes, 2, &err));
    OK(heft_table_set_weights(a, w, &err));
    assert_true(heft_table_weight(b, 0) == 1);
    assert_true(isnan(heft_table_weight(b, heft_table_rows(b))));
    OK(heft_table_set_weights(b, w, &err));
    assert_true(heft_table_weight(b, 0) == w[0]);
    static const struct {
        const char *method, *discretize, *scale;
    } cases[] = {{"nb", NULL, NULL},      {"gnb", NULL, NULL}, {"flexnb", NULL, "range"},
                 {"nb", "width:3", NULL}, {"nb", "mdl", NULL}, {"nb", "presence", NULL},
                 {"nb", NULL, "unit"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double      p[2 * M], q[2 * M];
        heft_config how = {
            .method = cases[k].method, .discretize = cases[k].discretize, .scale = cases[k].scale};
        heft_model *ma = fit(a, NULL, &how), *mb = fit(b, NULL, &how);
        OK(heft_predict_proba(ma, a, p, &err));
        OK(heft_predict_proba(mb, b, q, &err));
        for (size_t i = 0; i < 2 * M; i++) NEAR(p[i], q[i], 1e-8);
        OK(heft_predict_proba(ma, b, q, &err)); /* dense rows into the sparse model */
        for (size_t i = 0; i < 2 * M; i++) NEAR(p[i], q[i], 1e-8);
        OK(heft_predict_proba(mb, a, q, &err)); /* and the other way */
        for (size_t i = 0; i < 2 * M; i++) NEAR(p[i], q[i], 1e-8);
        heft_model_free(ma), heft_model_free(mb);
    }
    heft_table_free(a), heft_table_free(b);
    free(dense), free(val), free(col);
}

/* A value unseen in training counts as missing, or as a zero count when asked for. */
static void unseen_values(void **state)
{
    (void)state;
    const int32_t     code[] = {0};
    const char *const strange[] = {"never heard of"};
    double            p[2];
    heft_table       *t = table(false, true, 2), *q;
    OK(heft_table_create(1, &q, &err));
    OK(heft_table_add_codes(q, "v", code, 1, strange, 1, &err));
    heft_model *m = fit(t, "nb", NULL);
    OK(heft_predict_proba(m, q, p, &err));
    NEAR(p[0], 0.5, 1e-15);
    heft_model_free(m);
    m = fit(t, "nb", &(heft_config){.unseen = "zero"});
    OK(heft_predict_proba(m, q, p, &err));
    NEAR(p[0], (1.0 / 6) / (1.0 / 6 + 1.0 / 7), 1e-15);
    heft_model_free(m), heft_table_free(t), heft_table_free(q);
}

/* What cannot be learned from is refused with a sentence. */
static void bad_tables_are_refused(void **state)
{
    (void)state;
    heft_model   *m;
    heft_table   *t = table(true, true, 2);
    const int32_t one[N] = {0};
    assert_int_equal(heft_fit(t, &(heft_config){.method = "nope"}, &m, &err), HEFT_EINVAL);
    assert_non_null(strstr(err.text, "nope"));
    assert_int_equal(heft_fit(t, &(heft_config){.smoothing = "m:-1"}, &m, &err), HEFT_EINVAL);
    assert_int_equal(heft_fit(t, &(heft_config){.prior = "z=0.5"}, &m, &err), HEFT_EINVAL);
    assert_int_equal(heft_fit(t, &(heft_config){.prior = "a=0.5,b=0.6"}, &m, &err), HEFT_EINVAL);
    assert_int_equal(heft_fit(t, &(heft_config){.discretize = "width:x"}, &m, &err), HEFT_EINVAL);
    heft_table_free(t);
    OK(heft_table_create(N, &t, &err));
    assert_int_equal(heft_fit(t, NULL, &m, &err), HEFT_EINVAL);
    OK(heft_table_set_target(t, "class", one, classes, 2, &err));
    assert_int_equal(heft_fit(t, &(heft_config){.method = "nb"}, &m, &err), HEFT_EINVAL);
    assert_non_null(strstr(err.text, "only one class"));
    heft_table_free(t);
    OK(heft_table_create(N, &t, &err)); /* no attributes: the prior */
    OK(heft_table_set_target(t, "class", y, classes, 2, &err));
    double p[2 * N];
    m = fit(t, NULL, &(heft_config){0});
    OK(heft_predict_proba(m, t, p, &err));
    NEAR(p[0], 0.5, 1e-15);
    heft_model_free(m), heft_table_free(t);
}

/* heft_predict works through rows of many classes part by part: here three. */
static void many_rows_and_classes(void **state)
{
    (void)state;
    enum { ROWS = 6000, CLASSES = 1500 };
    static char        text[CLASSES][8];
    static const char *names[CLASSES];
    static double      number[2][ROWS];
    static int32_t     code[ROWS], found[ROWS];
    heft_table        *t;
    for (size_t c = 0; c < CLASSES; c++) {
        snprintf(text[c], sizeof text[c], "c%zu", c);
        names[c] = text[c];
    }
    for (size_t i = 0; i < ROWS; i++) {
        code[i] = (int32_t)(i * 7 % CLASSES);
        number[0][i] = code[i] + (double)(i % 5);
        number[1][i] = (double)(i % 11);
    }
    OK(heft_table_create(ROWS, &t, &err));
    OK(heft_table_add_numbers(t, "x", number[0], 1, &err));
    OK(heft_table_add_numbers(t, "y", number[1], 1, &err));
    OK(heft_table_set_target(t, "class", code, names, CLASSES, &err));
    heft_model *m = fit(t, "nb", NULL);
    double     *p = posterior(m, t);
    OK(heft_predict(m, t, found, &err));
    for (size_t i = 0; i < ROWS; i++)
        assert_int_equal(found[i], heft_argmax(p + i * CLASSES, CLASSES));
    free(p), heft_model_free(m), heft_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_counts),
        cmocka_unit_test(normals_use_n_minus_1),
        cmocka_unit_test(empty_classes),
        cmocka_unit_test(point_masses),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(rounded_normals),
        cmocka_unit_test(half_way_goes_as_in_weka),
        cmocka_unit_test(kernels_equal_the_plain_sum),
        cmocka_unit_test(sparse_equals_dense),
        cmocka_unit_test(unseen_values),
        cmocka_unit_test(bad_tables_are_refused),
        cmocka_unit_test(many_rows_and_classes),
    };
    return cmocka_run_group_tests_name("nb", tests, NULL, NULL);
}
