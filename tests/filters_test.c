/* filters_test.c - the weights of cfwnb, klnb, treenb and dfwnb by hand and at their edges. */
#include "fixture.h"

#include "stats/association.h"
#include "train/fit.h"

enum { N = 8 };
static const char *const values[] = {"p", "q", "r"};
static const char *const classes[] = {"a", "b"};
static const int32_t     y[N] = {0, 0, 0, 0, 1, 1, 1, 1};
static const int32_t     good[N] = {0, 0, 0, 1, 1, 1, 1, 1}; /* tells much of the class */
static const int32_t     poor[N] = {0, 1, 0, 1, 0, 1, 1, 1};
static const int32_t     flat[N] = {2, 2, 2, 2, 2, 2, 2, 2};

static heft_table *table(void)
{
    return table_of(&(frame){.n_rows = N,
                             .n_cols = 3,
                             .cols = {{"good", .codes = good, .values = values, .n_values = 3},
                                      {"poor", .codes = poor, .values = values, .n_values = 3},
                                      {"flat", .codes = flat, .values = values, .n_values = 3}},
                             .y = y,
                             .classes = classes,
                             .n_class = 2});
}

static const char *words(const heft_model *model, const char *name)
{
    for (size_t k = 0; k < model->fitted.training.n_facts; k++)
        if (strcmp(model->fitted.training.facts[k].name, name) == 0)
            return model->fitted.training.facts[k].text;
    return "";
}

/* I of two columns of codes below 3. */
static double mutual(const int32_t *a, const int32_t *b)
{
    double t[9] = {0};
    for (size_t i = 0; i < N; i++) t[a[i] * 3 + b[i]] += 1;
    return heft_info_of(t, 3, 3).mutual;
}

/* ---- cfwnb ---- */

/* The weight is the sigmoid of mean-scaled relevance less mean-scaled redundancy. */
static void cfw_by_hand(void **state)
{
    (void)state;
    heft_table   *t = table();
    heft_model   *m = fit(t, "cfwnb", NULL);
    const double  r[] = {mutual(good, y), mutual(poor, y), 0};
    const double  gp = mutual(good, poor), mean_r = (r[0] + r[1]) / 3, mean_d = gp / 3;
    const double *w = m->fitted.weights.w;
    assert_int_equal(m->fitted.weights.shape, HEFT_W_ATTR);
    NEAR(w[0], 1 / (1 + exp(-(r[0] / mean_r - gp / 2 / mean_d))), 1e-12);
    NEAR(w[1], 1 / (1 + exp(-(r[1] / mean_r - gp / 2 / mean_d))), 1e-12);
    NEAR(w[2], 0.5, 1e-15);
    NEAR(fact(m, "mean_relevance")->number, mean_r, 1e-12);
    heft_model_free(m), heft_table_free(t);
}

/* One attribute has nothing to be redundant with; where nothing tells anything weights are 1/2. */
static void cfw_at_its_edges(void **state)
{
    (void)state;
    heft_table *t;
    OK(heft_table_create(N, &t, &err));
    OK(heft_table_add_codes(t, "good", good, 1, values, 3, &err));
    OK(heft_table_set_target(t, "class", y, classes, 2, &err));
    heft_model *m = fit(t, "cfwnb", NULL);
    NEAR(m->fitted.weights.w[0], 1 / (1 + exp(-1)), 1e-12);
    heft_model_free(m), heft_table_free(t);
    OK(heft_table_create(N, &t, &err));
    OK(heft_table_add_codes(t, "flat", flat, 1, values, 3, &err));
    OK(heft_table_add_codes(t, "flat2", flat, 1, values, 3, &err));
    OK(heft_table_set_target(t, "class", y, classes, 2, &err));
    static const char *const all[] = {"cfwnb", "dfwnb",  "klnb",  "treenb",
                                      "sbc",   "deawnb", "cwanb", "tcsfsnb"};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        double p[2 * N];
        m = fit(t, all[k], NULL);
        OK(heft_predict_proba(m, t, p, &err));
        for (size_t i = 0; i < N; i++) NEAR(p[2 * i], 0.5, 1e-12); /* the prior is all there is */
        if (k == 0) NEAR(m->fitted.weights.w[0], 0.5, 0);
        heft_model_free(m);
    }
    heft_table_free(t);
}

/* Weights lie in (0,1), and copies of a column get the same one. */
static void cfw_weights_are_shares(void **state)
{
    (void)state;
    enum { ROWS = 500 };
    int32_t     cells[4][ROWS], cl[ROWS];
    heft_rng    rng;
    heft_table *t;
    heft_rng_init(&rng, 1, 0);
    for (size_t i = 0; i < ROWS; i++) {
        cl[i] = (int32_t)heft_rng_below(&rng, 2);
        for (size_t j = 0; j < 3; j++)
            cells[j][i] = heft_rng_below(&rng, 3) ? (int32_t)heft_rng_below(&rng, 3) : cl[i];
        cells[3][i] = cells[1][i];
    }
    OK(heft_table_create(ROWS, &t, &err));
    for (size_t j = 0; j < 4; j++) {
        char name[8];
        snprintf(name, sizeof name, "x%zu", j);
        OK(heft_table_add_codes(t, name, cells[j], 1, values, 3, &err));
    }
    OK(heft_table_set_target(t, "class", cl, classes, 2, &err));
    heft_model *m = fit(t, "cfwnb", NULL);
    for (size_t j = 0; j < 4; j++)
        assert_true(m->fitted.weights.w[j] > 0 && m->fitted.weights.w[j] < 1);
    NEAR(m->fitted.weights.w[1], m->fitted.weights.w[3], 1e-12);
    assert_true(m->fitted.weights.w[1] < m->fitted.weights.w[0]); /* a copy makes redundant */
    heft_model_free(m), heft_table_free(t);
}

/* ---- klnb ---- */

/* normalise: none is the gain ratio itself; mean and sum scale it; a constant weighs 0. */
static void kl_scales(void **state)
{
    (void)state;
    heft_table *t = table();
    double      h_good = 0, counts[] = {3, 5};
    for (size_t v = 0; v < 2; v++) h_good -= counts[v] / 8 * log(counts[v] / 8);
    heft_model *none = fit(t, "klnb", WITH("normalise=none")),
               *sum = fit(t, "klnb", WITH("normalise=sum"));
    heft_model   *mean = fit(t, "fwnb", NULL);
    const double *w = none->fitted.weights.w, *s = sum->fitted.weights.w;
    NEAR(w[0], mutual(good, y) / h_good, 1e-12);
    assert_true(w[2] == 0);
    NEAR(s[0] + s[1] + s[2], 1, 1e-12);
    NEAR(s[0] / s[1], w[0] / w[1], 1e-9);
    for (size_t j = 0; j < 3; j++) NEAR(mean->fitted.weights.w[j], 3 * s[j], 1e-12);
    heft_model_free(none), heft_model_free(sum), heft_model_free(mean), heft_table_free(t);
}

/* Numbers stay normals for the likelihood; their weight is that of the column cut into ten. */
static void kl_cuts_numbers_for_the_weight_only(void **state)
{
    (void)state;
    enum { ROWS = 200 };
    double      x[ROWS];
    int32_t     cl[ROWS];
    heft_rng    rng;
    heft_table *t;
    heft_rng_init(&rng, 2, 0);
    for (size_t i = 0; i < ROWS; i++) {
        cl[i] = (int32_t)heft_rng_below(&rng, 2);
        x[i] = heft_rng_real(&rng) + 0.3 * cl[i];
    }
    OK(heft_table_create(ROWS, &t, &err));
    OK(heft_table_add_numbers(t, "x", x, 1, &err));
    OK(heft_table_set_target(t, "class", cl, classes, 2, &err));
    heft_model       *a = fit(t, "klnb", WITH("normalise=none"));
    const char       *none[] = {"normalise=none", NULL};
    const heft_config cut = {.method = "klnb", .params = none, .discretize = "width:10"};
    heft_model       *b;
    OK(heft_fit(t, &cut, &b, &err));
    assert_int_equal(a->fitted.lik[0].kind, HEFT_LIK_NORMAL);
    assert_int_equal(b->fitted.lik[0].kind, HEFT_LIK_TABLE);
    NEAR(a->fitted.weights.w[0], b->fitted.weights.w[0], 1e-14);
    heft_model_free(a), heft_model_free(b), heft_table_free(t);
}

/* On sparse rows the weight is that of presence: the same as of a dense 0/1 column. */
static void kl_on_sparse_rows_is_presence(void **state)
{
    (void)state;
    enum { ROWS = 60, COLS = 4 };
    size_t      start[ROWS + 1] = {0}, n = 0;
    uint32_t    col[ROWS * COLS];
    double      val[ROWS * COLS];
    int32_t     cl[ROWS], there[COLS][ROWS] = {{0}};
    heft_rng    rng;
    heft_table *s, *d;
    heft_rng_init(&rng, 4, 0);
    for (size_t i = 0; i < ROWS; i++) {
        cl[i] = (int32_t)heft_rng_below(&rng, 2);
        for (uint32_t j = 0; j < COLS; j++) {
            if (heft_rng_below(&rng, cl[i] ? 2 : 3 + j)) continue;
            col[n] = j;
            there[j][i] = 1;
            val[n++] = 1 + (double)heft_rng_below(&rng, 5);
        }
        start[i + 1] = n;
    }
    OK(heft_table_create(ROWS, &s, &err));
    OK(heft_table_add_sparse(s, COLS, start, col, val, NULL, &err));
    OK(heft_table_set_target(s, "class", cl, classes, 2, &err));
    OK(heft_table_create(ROWS, &d, &err));
    for (size_t j = 0; j < COLS; j++) {
        char name[8];
        snprintf(name, sizeof name, "c%zu", j + 1);
        OK(heft_table_add_codes(d, name, there[j], 1, values, 2, &err));
    }
    OK(heft_table_set_target(d, "class", cl, classes, 2, &err));
    heft_model *a = fit(s, "klnb", NULL), *b = fit(d, "klnb", NULL);
    assert_true(a->prep.sparse);
    for (size_t j = 0; j < COLS; j++) NEAR(a->fitted.weights.w[j], b->fitted.weights.w[j], 1e-12);
    heft_model_free(a), heft_model_free(b), heft_table_free(s), heft_table_free(d);
}

/* ---- dfwnb ---- */

/* Selected attributes count twice, in the counts and in the score. */
static void dfw_weighs_counts_and_score(void **state)
{
    (void)state;
    heft_table *t = table();
    heft_model *m = fit(t, "dawnb", NULL);
    double      p[2 * N];
    assert_string_equal(words(m, "selected_attributes"), "good");
    NEAR(fact(m, "selected")->number, 1, 0);
    NEAR(m->fitted.weights.w[0], 2, 0);
    NEAR(m->fitted.weights.w[1], 1, 0);
    OK(heft_predict_proba(m, t, p, &err));
    /* row 0: good = p (3 of 4 in a, 0 of 4 in b), poor = p (2 of 4, 1 of 4), flat = r (4, 4) */
    const double third = 1.0 / 3, a = pow((2 * 3 + third) / 9, 2) * (2 + third) / 5,
                 b = pow(third / 9, 2) * (1 + third) / 5;
    NEAR(p[0], a / (a + b), 1e-12);
    heft_model_free(m), heft_table_free(t);
}

/* ---- treenb ---- */

/* The root's attribute weighs 1, those first tested one level down 1/sqrt(2), the untested 0. */
static void tree_weighs_by_depth(void **state)
{
    (void)state;
    heft_table *t = table();
    /* good splits off rows 0..2 (pure); rows 3..7 are a b b b b with poor q p q q q: impure q, and
     * nothing else divides it. */
    heft_model   *m = fit(t, "treenb", NULL);
    const double *w = m->fitted.weights.w;
    NEAR(w[0], 1, 0);
    NEAR(w[1], 1 / sqrt(2), 1e-15);
    assert_true(w[2] == 0);
    NEAR(fact(m, "tree_depth")->number, 2, 0);
    assert_string_equal(words(m, "tested_attributes"), "good, poor");
    heft_model_free(m);
    m = fit(t, "treenb", WITH("min-rows=6")); /* the node of five is left alone */
    assert_true(m->fitted.weights.w[1] == 0);
    heft_model_free(m), heft_table_free(t);
}

/* Exclusive or has no gain at the root, and is still grown to the end. */
static void tree_grows_through_exclusive_or(void **state)
{
    (void)state;
    const int32_t a[] = {0, 0, 1, 1}, b[] = {0, 1, 0, 1}, cl[] = {0, 1, 1, 0};
    heft_table   *t;
    OK(heft_table_create(4, &t, &err));
    OK(heft_table_add_codes(t, "a", a, 1, values, 2, &err));
    OK(heft_table_add_codes(t, "b", b, 1, values, 2, &err));
    OK(heft_table_set_target(t, "class", cl, classes, 2, &err));
    heft_model *m = fit(t, "treenb", NULL);
    NEAR(m->fitted.weights.w[0], 1, 0);
    NEAR(m->fitted.weights.w[1], 1 / sqrt(2), 1e-15);
    NEAR(fact(m, "tree_splits")->number, 3, 0);
    heft_model_free(m), heft_table_free(t);
}

/* Bagged trees use the seed: the same one gives the same weights, between 0 and 1. */
static void bagged_trees_are_seeded(void **state)
{
    (void)state;
    heft_table *t = table();
    const char *params[] = {"trees=10", NULL};
    heft_model *m[3];
    for (size_t k = 0; k < 3; k++)
        m[k] = fit(t, "treenb", &(heft_config){.params = params, .run = RUN(.seed = 5 + k / 2)});
    assert_memory_equal(m[0]->fitted.weights.w, m[1]->fitted.weights.w, 3 * sizeof(double));
    assert_true(memcmp(m[0]->fitted.weights.w, m[2]->fitted.weights.w, 3 * sizeof(double)) != 0);
    for (size_t j = 0; j < 3; j++)
        assert_true(m[0]->fitted.weights.w[j] >= 0 && m[0]->fitted.weights.w[j] <= 1);
    for (size_t k = 0; k < 3; k++) heft_model_free(m[k]);
    heft_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cfw_by_hand),
        cmocka_unit_test(cfw_at_its_edges),
        cmocka_unit_test(cfw_weights_are_shares),
        cmocka_unit_test(kl_scales),
        cmocka_unit_test(kl_cuts_numbers_for_the_weight_only),
        cmocka_unit_test(kl_on_sparse_rows_is_presence),
        cmocka_unit_test(dfw_weighs_counts_and_score),
        cmocka_unit_test(tree_weighs_by_depth),
        cmocka_unit_test(tree_grows_through_exclusive_or),
        cmocka_unit_test(bagged_trees_are_seeded),
    };
    return cmocka_run_group_tests_name("filters", tests, NULL, NULL);
}
