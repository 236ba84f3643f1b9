/* auto_boosted_test.c - the boosted member of the default method: what its model keeps, and what
 * must not change its answers. */
#include "boosting.h"

#include "methods/auto/pooled.h"
#include "model/model.h"

/* ---- the model ---- */

static const char *const letters[] = {"c6", "c5", "c4", "c3", "c2", "c1", "c0"};

static double *answers(const grid *train, const char *const *names, int threads)
{
    heft_table *t = grid_table(train, names);
    heft_config how = {.params = PARAMS("effort=lean"), .run = RUN(.threads = threads)};
    double     *p = fit_posterior(t, t, "auto", &how);
    heft_table_free(t);
    return p;
}

/* What the answers of a changed grid differ by. */
static double difference(const grid *g, const double *p, change how)
{
    grid        *other = grid_change(g, how);
    heft_table  *test = NULL;
    heft_table  *train = grid_table(other, NULL);
    const size_t K = g->K;
    double       most = 0;
    if (how == ROWS) test = grid_table(g, NULL);
    double *q = fit_posterior(train, test ? test : train, "auto", NULL);
    for (size_t i = 0; i < g->n; i++)
        for (size_t c = 0; c < K; c++)
            most = fmax(most, fabs(q[i * K + (how == CLASSES ? K - 1 - c : c)] - p[i * K + c]));
    heft_table_free(test), heft_table_free(train);
    free(q), free(other);
    return most;
}

/* Threads, names, units and constant columns change no bit of an answer; the order of rows,
 * columns, values and classes nothing beyond rounding, which is single precision where the learned
 * evidence takes part. It does not where the weights add up to many rows. */
static void answers_stay_the_same(void **state)
{
    (void)state;
    enum { N = 700, K = 3 };
    for (int many = 0; many < 2; many++) {
        grid *g = grid_make(N, K, 27);
        g->weighted = many;
        for (size_t i = 0; i < N && many; i++) g->weight[i] = 20;
        grid_link(g);
        double      *p = answers(g, NULL, 1), *q = answers(g, letters, 1);
        const double rounding = many ? 1e-12 : 1e-3;
        assert_memory_equal(p, q, N * K * sizeof *p);
        free(q), q = answers(g, NULL, 3);
        assert_memory_equal(p, q, N * K * sizeof *p);
        assert_true(difference(g, p, CONSTANT) == 0);
        assert_true(difference(g, p, SCALED) == 0);
        NEAR(difference(g, p, ROWS), 0, 1e-12);
        NEAR(difference(g, p, COLUMNS), 0, rounding);
        NEAR(difference(g, p, VALUES), 0, rounding);
        NEAR(difference(g, p, CLASSES), 0, rounding);
        free(p), free(q), free(g);
    }
}

/* The order bounds the trees of the model, and with order 1 a tree is evidence of one attribute. */
static void the_model_keeps_to_the_order(void **state)
{
    (void)state;
    static const char *const orders[] = {"order=1", "order=2", "order=3"};
    grid                    *g = grid_make(700, 2, 28);
    heft_table              *t = grid_table(g, NULL);
    for (size_t k = 0; k < 3; k++) {
        heft_model        *model = fit(t, "auto", WITH(orders[k]));
        const heft_pooled *own = model->fitted.own;
        assert_true(own->trees.n_trees > 0 && longest_of(&own->trees) == k + 1);
        assert_true(fact(model, "weight of boosted evidence")->number > 0);
        heft_model_free(model);
    }
    heft_table_free(t);
    free(g);
}

/* A model that is saved and loaded answers with the same bits. */
static void files_keep_every_bit(void **state)
{
    (void)state;
    for (size_t K = 2; K <= 4; K += 2) {
        grid       *g = grid_make(700, K, 29);
        heft_table *t = grid_table(g, NULL);
        heft_model *model = fit(t, "auto", NULL), *again;
        char        path[256];
        snprintf(path, sizeof path, "%s", temp_path(".heft"));
        OK(heft_model_save(model, path, &err));
        OK(heft_model_load(path, &again, &err));
        double *p = posterior(model, t), *q = posterior(again, t);
        assert_memory_equal(p, q, g->n * K * sizeof *p);
        same_values(&((const heft_pooled *)model->fitted.own)->trees,
                    &((const heft_pooled *)again->fitted.own)->trees, false);
        unlink(path);
        free(p), free(q);
        heft_model_free(model), heft_model_free(again);
        heft_table_free(t);
        free(g);
    }
}

/* The mix of least loss, pulled towards equal parts: no member alone is better by more than the
 * pull. The evidence of three attributes together needs the trees. */
static void the_pool_is_no_worse(void **state)
{
    (void)state;
    enum { N = 1500, K = 2 };
    grid        *g = grid_make(N, K, 30), *other = grid_make(N, K, 31);
    heft_table  *train = grid_table(g, NULL), *test = grid_table(other, NULL);
    heft_model  *model = fit(train, "auto", NULL);
    const double folds = fact(model, "held-out folds")->number, held = N * folds / 5;
    const double pool = fact(model, "held-out loss")->number;
    /* 30/2 |(0, 1, 0) - (1/3, 1/3, 1/3)|^2 = 10 */
    assert_true(pool <= fact(model, "leave-one-out loss")->number + 10 / (held - 1));
    double *p = posterior(model, test),
           *q = fit_posterior(train, test, "auto", WITH("effort=count"));
    double pooled = 0, counted = 0;
    for (size_t i = 0; i < N; i++) {
        pooled -= log(p[i * K + (size_t)other->y[i]]) / N;
        counted -= log(q[i * K + (size_t)other->y[i]]) / N;
    }
    assert_true(pooled < counted);
    NEAR(pooled, pool, 0.05);
    free(p), free(q);
    heft_model_free(model);
    heft_table_free(train), heft_table_free(test);
    free(g), free(other);
}

/* ---- little to learn from ---- */

/* No attribute, only gaps, or constant columns: no tree, and the class frequencies. */
static void nothing_to_split(void **state)
{
    (void)state;
    enum { N = 60 };
    grid  *g = grid_make(N, 2, 32);
    forest f;
    double share = 0;
    for (size_t i = 0; i < N; i++) {
        g->number[0][i] = NAN;
        g->value[1][i] = -1;
        share += g->y[i] / (double)N;
    }
    g->nominal[1] = true;
    g->n_values[1] = 3;
    for (g->m = 0; g->m <= 2; g->m++) { /* without a column, of gaps, of gaps of both kinds */
        grid_link(g);
        forest_grow(&f, g, rule_of(3, 10));
        assert_int_equal(f.boosted.bins.n_attr, 0);
        assert_int_equal(f.boosted.trees.n_trees, 0);
        NEAR(f.boosted.start[1], log((share * N + 0.5) / (N + 1)), 1e-12);
        forest_free(&f);
        double *p = answers(g, NULL, 1);
        for (size_t i = 0; i < N; i++) NEAR(p[2 * i + 1], share, 1e-12);
        free(p);
    }
    free(g);
}

/* One class; fewer than ten rows: no tree, and probabilities. */
static void few_rows_and_one_class(void **state)
{
    (void)state;
    for (size_t n = 2; n < 14; n++) {
        grid *g = grid_make(n, 2, 33);
        g->y[0] = 0, g->y[1] = 1;
        grid_link(g);
        heft_table        *t = grid_table(g, NULL);
        heft_model        *model = fit(t, "auto", NULL);
        const heft_pooled *own = model->fitted.own;
        double            *p = posterior(model, t);
        if (n < 10) assert_int_equal(own->trees.n_trees, 0);
        for (size_t i = 0; i < n; i++) NEAR(p[2 * i] + p[2 * i + 1], 1, 1e-12);
        free(p);
        heft_model_free(model);
        heft_table_free(t);
        for (size_t i = 0; i < n; i++) g->y[i] = 1;
        p = answers(g, NULL, 1);
        for (size_t i = 0; i < n; i++) assert_true(p[2 * i] == 0 && p[2 * i + 1] == 1);
        free(p), free(g);
    }
}

/* ---- columns that name the rows ---- */

static char heard[512];

static void hear(void *user, heft_level level, const char *text)
{
    (void)user;
    if (level == HEFT_WARNING) snprintf(heard, sizeof heard, "%s", text);
}

/* A nominal column in which nearly every row has its own value changes no answer, and a warning
 * names it; one with fewer values takes part. */
static void identifiers_take_no_part(void **state)
{
    (void)state;
    enum { N = 400, K = 2 };
    static char        text[N][8];
    static const char *names[N];
    int32_t            id[N], half[N];
    const heft_host    host = {.log = hear};
    grid              *g = grid_make(N, K, 34);
    for (size_t i = 0; i < N; i++) {
        snprintf(text[i], sizeof text[i], "r%zu", i);
        names[i] = text[i];
        id[i] = (int32_t)(i < 20 ? 0 : i); /* 381 values of 400 */
        half[i] = (int32_t)(i / 2);
    }
    double *p = answers(g, NULL, 1);
    for (int named = 0; named < 2; named++) {
        heft_table *t = grid_table(g, NULL);
        heft_model *model;
        OK(heft_table_add_codes(t, named ? "name of the row" : "of two rows", named ? id : half, 1,
                                names, N, &err));
        heard[0] = 0;
        model = fit(t, "auto", &(heft_config){.run = RUN(.threads = 1, .host = &host)});
        double *q = posterior(model, t);
        if (named) {
            assert_non_null(strstr(heard, "column 'name of the row' takes no part"));
            assert_memory_equal(p, q, N * K * sizeof *p);
            assert_true(model->fitted.weights.w[N_COLS] == 0);
        } else assert_null(strstr(heard, "takes no part"));
        free(q);
        heft_model_free(model);
        heft_table_free(t);
    }
    free(p), free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIGURES_TEST(answers_stay_the_same),        cmocka_unit_test(the_model_keeps_to_the_order),
        cmocka_unit_test(files_keep_every_bit),     cmocka_unit_test(the_pool_is_no_worse),
        cmocka_unit_test(nothing_to_split),         cmocka_unit_test(few_rows_and_one_class),
        cmocka_unit_test(identifiers_take_no_part),
    };
    return cmocka_run_group_tests_name("auto_boosted", tests, NULL, NULL);
}
