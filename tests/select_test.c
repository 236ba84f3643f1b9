/* select_test.c - attribute selection before any method. */
#include "fixture.h"

#include "train/fit.h"
#include "train/settings.h"

enum { N = 400, M = 6 };

/* x0 noise, x1 tells a little, x2 much, x3 a copy of x2, x4 constant, x5 a number that tells. */
static heft_table *table(void)
{
    static const char *const values[] = {"p", "q", "r"}, *const classes[] = {"a", "b", "c"};
    int32_t  cells[5][N], y[N];
    double   x[N];
    heft_rng rng;
    heft_rng_init(&rng, 7, 0);
    for (size_t i = 0; i < N; i++) {
        y[i] = (int32_t)heft_rng_below(&rng, 3);
        cells[0][i] = (int32_t)heft_rng_below(&rng, 3);
        cells[1][i] = heft_rng_below(&rng, 3) ? (int32_t)heft_rng_below(&rng, 3) : y[i];
        cells[2][i] = heft_rng_below(&rng, 5) ? y[i] : (int32_t)heft_rng_below(&rng, 3);
        cells[3][i] = cells[2][i];
        cells[4][i] = 1;
        x[i] = (double)y[i] + heft_rng_real(&rng);
    }
    frame f = {.n_rows = N, .n_cols = 6, .y = y, .classes = classes, .n_class = 3};
    for (size_t j = 0; j < 5; j++)
        f.cols[j] = (field){.codes = cells[j], .values = values, .n_values = 3};
    f.cols[5] = (field){.numbers = x};
    return table_of(&f);
}

static void expect(const heft_table *t, const char *how, const char *method, const char *names)
{
    heft_model *m;
    char        got[256] = "";
    m = fit(t, method, &(heft_config){.select = how});
    for (size_t j = 0; j < heft_model_attributes(m); j++) {
        strcat(got, j ? " " : "");
        strcat(got, model_column(m, j));
    }
    if (strcmp(got, names) != 0) fail_msg("%s, %s: '%s', not '%s'", method, how, got, names);
    heft_model_free(m);
}

/* The best N by the measure, kept in the order of the columns, ties to the earlier column; shares
 * are rounded and at least one attribute stays. */
static void the_best_are_kept(void **state)
{
    (void)state;
    heft_table *t = table();
    expect(t, "mutual-information:1", "nb", "x5");
    expect(t, "mutual-information:2", "nb", "x2 x5");
    expect(t, "mutual-information:3", "nb", "x2 x3 x5");
    expect(t, "gain-ratio:4", "nb", "x1 x2 x3 x5");
    expect(t, "gain-ratio:2", "wanbia", "x2 x5");
    expect(t, "gain-ratio:1%", "nb", "x5");
    expect(t, "gain-ratio:50%", "nb", "x2 x3 x5");
    expect(t, "gain-ratio:99", "nb", "x0 x1 x2 x3 x4 x5");
    expect(t, "cfs", "nb", "x5");
    expect(t, "none", "nb", "x0 x1 x2 x3 x4 x5");
    heft_table_free(t);
}

/* Every method takes it; the model predicts from the kept columns alone, whatever else there is. */
static void every_method_takes_it(void **state)
{
    (void)state;
    heft_table *t = table(), *two;
    double     *p = malloc(N * 3 * sizeof *p), *q = malloc(N * 3 * sizeof *q);
    heft_ctx    ctx;
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    OK(heft_table_keep(&ctx, t, (const size_t[]){2, 5}, 2, &two));
    for (size_t k = 0; k < heft_methods_count(); k++) {
        const char       *method = heft_methods_at(k)->name;
        heft_model       *a, *b;
        const heft_config how = {.method = method, .select = "mutual-information:2"};
        OK(heft_fit(t, &how, &a, &err));
        b = fit(two, method, NULL);
        OK(heft_predict_proba(a, t, p, &err));
        OK(heft_predict_proba(b, t, q, &err));
        assert_memory_equal(p, q, N * 3 * sizeof *p);
        OK(heft_predict_proba(a, two, q, &err)); /* the other columns are not needed */
        assert_memory_equal(p, q, N * 3 * sizeof *p);
        heft_model_free(a), heft_model_free(b);
    }
    heft_ctx_clear(&ctx);
    free(p), free(q);
    heft_table_free(t), heft_table_free(two);
}

/* What was selected survives saving, and inspect tells of it. */
static void models_remember_it(void **state)
{
    (void)state;
    heft_table       *t = table();
    heft_model       *m, *again;
    char              path[256], *text;
    const heft_config how = {.method = "nb", .select = "gain-ratio:2"};
    snprintf(path, sizeof path, "%s", temp_path(".heft"));
    OK(heft_fit(t, &how, &m, &err));
    OK(heft_model_save(m, path, &err));
    OK(heft_model_load(path, &again, &err));
    assert_int_equal(heft_model_attributes(again), 2);
    OK(heft_inspect_text(again, "json", 0, &text, &err));
    assert_non_null(strstr(text, "gain-ratio:2: 2 of 6 attributes"));
    heft_text_free(text);
    unlink(path);
    heft_model_free(m), heft_model_free(again), heft_table_free(t);
}

/* Words that mean nothing are refused by name, before any data are looked at. */
static void words_are_checked(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",
                                        "gain-ratio",
                                        "gain-ratio:",
                                        "gain-ratio:0",
                                        "gain-ratio:-3",
                                        "gain-ratio:2.5",
                                        "gain-ratio:0%",
                                        "gain-ratio:101%",
                                        "gain-ratio:%",
                                        "mutual-information:x",
                                        "cfs:5",
                                        "chi2:3"};
    heft_table              *t = table();
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        const heft_config how = {.method = "nb", .select = wrong[k]};
        heft_model       *m;
        assert_int_equal(heft_config_check(&how, &err), HEFT_EINVAL);
        assert_non_null(strstr(err.text, "heft_config.select: "));
        assert_int_equal(heft_fit(t, &how, &m, &err), HEFT_EINVAL);
        assert_null(m);
    }
    heft_table_free(t);
}

/* In a sparse table numbers count by presence, in time by its entries. */
static void sparse_tables_select_by_presence(void **state)
{
    (void)state;
    enum { ROWS = 90, COLS = 2000 };
    static const char *const classes[] = {"a", "b"};
    size_t                   start[ROWS + 1] = {0}, n = 0;
    static uint32_t          col[ROWS * 3];
    static double            val[ROWS * 3];
    int32_t                  y[ROWS];
    heft_rng                 rng;
    heft_table              *t;
    heft_rng_init(&rng, 8, 0);
    for (size_t i = 0; i < ROWS; i++) {
        y[i] = (int32_t)(i % 2);
        if (y[i]) col[n] = 1234, val[n++] = 1 + (double)heft_rng_below(&rng, 9);
        col[n] = (uint32_t)(1300 + heft_rng_below(&rng, 600)), val[n++] = 2;
        start[i + 1] = n;
    }
    OK(heft_table_create(ROWS, &t, &err));
    OK(heft_table_add_sparse(t, COLS, start, col, val, NULL, &err));
    OK(heft_table_set_target(t, "class", y, classes, 2, &err));
    expect(t, "gain-ratio:1", "nb", "c1235");
    expect(t, "mutual-information:1", "swnb", "c1235");
    expect(t, "cfs", "klnb", "c1235");
    heft_table_free(t);
}

/* CFS that finds nothing leaves a model of the prior alone. */
static void nothing_to_select(void **state)
{
    (void)state;
    static const char *const values[] = {"p", "q"}, *const classes[] = {"a", "b"};
    const int32_t flat[] = {0, 0, 0, 0, 0}, y[] = {0, 0, 0, 1, 1};
    heft_table   *t;
    heft_model   *m;
    double        p[10];
    OK(heft_table_create(5, &t, &err));
    OK(heft_table_add_codes(t, "flat", flat, 1, values, 2, &err));
    OK(heft_table_set_target(t, "class", y, classes, 2, &err));
    for (size_t k = 0; k < heft_methods_count(); k++) {
        m = fit(t, heft_methods_at(k)->name, &(heft_config){.select = "cfs"});
        assert_int_equal(heft_model_attributes(m), 0);
        OK(heft_predict_proba(m, t, p, &err));
        assert_true(p[0] > 0.5 && p[0] < 0.7);
        heft_model_free(m);
    }
    heft_table_free(t);
}

/* Under `whole` the selection sees all rows, once; honestly it is learned in every fold. */
static void both_protocols_select(void **state)
{
    (void)state;
    heft_table              *t = table();
    const heft_table        *data[] = {t};
    static const char *const protocols[] = {"honest", "whole"};
    for (size_t k = 0; k < 2; k++) {
        heft_results        *r;
        const heft_eval_plan plan = {
            .folds = 5,
            .protocol = protocols[k],
            .config = &(heft_config){.method = "cfwnb", .select = "gain-ratio:1"}};
        OK(heft_evaluate(data, NULL, 1, &plan, &r, &err));
        assert_null(heft_results_cell(r, 0, 0, 0)->failure);
        assert_true(heft_results_cell(r, 0, 0, 0)->accuracy > 0.9); /* x5 alone knows it */
        heft_results_free(r);
    }
    heft_table_free(t);
}

/* Subsets of CFS are those Weka 3.6.14 selects (CfsSubsetEval -L, BestFirst -D 1 -N 5) after its
 * supervised Discretize; 1-based columns. */
static void cfs_equals_weka(void **state)
{
    (void)state;
    static const struct {
        const char *file, *columns;
    } sets[] = {
        {"glass.arff", "1,2,3,4,6,7,8,"},
        {"iris.arff", "3,4,"},
        {"vote.arff", "4,"},
        {"sonar.arff", "4,5,9,10,11,12,13,21,28,36,44,45,46,47,48,49,51,52,54,"},
        {"soybean.arff", "1,3,4,7,11,12,13,15,17,18,19,22,23,24,26,28,30,35,"},
        {"balance-scale.arff", "1,"},
        {"anneal.ORIG.arff", "3,5,9,33,34,"},
        {"hepatitis.arff", "2,6,11,12,13,14,17,18,19,"},
        {"ionosphere.arff", "1,3,4,5,6,7,9,14,18,27,28,33,34,"},
        {"primary-tumor.arff", "1,2,3,4,5,9,10,13,15,16,17,"},
    };
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        const char *path = data_file(sets[k].file);
        char        got[256] = "", one[32];
        heft_table *t;
        heft_model *m;
        if (!path) skip();
        OK(heft_read(path, NULL, &t, &err));
        m = fit(t, "nb", &(heft_config){.select = "cfs"});
        for (size_t j = 0; j < heft_table_attributes(t); j++)
            for (size_t q = 0; q < heft_model_attributes(m); q++)
                if (strcmp(table_column(t, j), model_column(m, q)) == 0) {
                    snprintf(one, sizeof one, "%zu,", j + 1);
                    strcat(got, one);
                }
        if (strcmp(got, sets[k].columns) != 0)
            fail_msg("%s: %s, Weka has %s", sets[k].file, got, sets[k].columns);
        heft_model_free(m), heft_table_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_are_kept),
        cmocka_unit_test(every_method_takes_it),
        cmocka_unit_test(models_remember_it),
        cmocka_unit_test(words_are_checked),
        cmocka_unit_test(sparse_tables_select_by_presence),
        cmocka_unit_test(nothing_to_select),
        cmocka_unit_test(both_protocols_select),
        cmocka_unit_test(cfs_equals_weka),
    };
    return cmocka_run_group_tests_name("select", tests, NULL, NULL);
}
