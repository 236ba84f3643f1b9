/* saved_test.c - saved models on test rows, confidence intervals, and predictions that are kept. */
#include "fixture.h"

#include "data/table.h"
#include "eval/results.h"

enum { ROWS = 60 };

static heft_table *some_table(uint64_t seed, size_t n)
{
    static const char *const classes[] = {"a", "b", "c"};
    static double            x[2][ROWS];
    static int32_t           y[ROWS];
    heft_rng                 rng;
    heft_rng_init(&rng, seed, 0);
    for (size_t i = 0; i < n; i++) {
        y[i] = (int32_t)(i % 3);
        for (size_t j = 0; j < 2; j++) x[j][i] = y[i] + 3 * heft_rng_real(&rng);
    }
    y[5] = -1; /* a row without a class */
    return table_of(&(frame){.n_rows = n,
                             .n_cols = 2,
                             .cols = {{.numbers = x[0]}, {.numbers = x[1]}},
                             .y = y,
                             .classes = classes,
                             .n_class = 3});
}

static const char *const names[] = {"first", "second"};

/* nb and gnb, trained on a table, on another one. */
typedef struct two {
    heft_table       *train, *test;
    heft_model       *models[2];
    const heft_table *tests[2];
} two;

static two open_two(size_t n)
{
    two                      t = {some_table(1, n), some_table(2, n), {0}, {0}};
    static const char *const methods[] = {"nb", "flexnb"};
    for (size_t k = 0; k < 2; k++) {
        OK(heft_fit(t.train, &(heft_config){.method = methods[k]}, &t.models[k], &err));
        t.tests[k] = t.test;
    }
    return t;
}

static void close_two(two *t)
{
    for (size_t k = 0; k < 2; k++) heft_model_free(t->models[k]);
    heft_table_free(t->train);
    heft_table_free(t->test);
}

static heft_status evaluate_saved(const two *t, size_t n, const heft_eval_plan *plan,
                                  heft_results **out)
{
    return heft_evaluate_models((const heft_model *const *)t->models, t->tests, names, n, "rows",
                                plan, out, &err);
}

static void models_measure_as_methods_do(void **state)
{
    /* A saved model has the measures that its method has when it is trained and tested on the same
     * tables, to the last bit. */
    (void)state;
    two                      t = open_two(ROWS);
    static const char *const methods[] = {"nb", "flexnb", NULL};
    heft_results            *saved;
    heft_results            *trained =
        evaluate(t.train, &(heft_eval_plan){.methods = methods, .test = t.test});
    OK(evaluate_saved(&t, 2, NULL, &saved));
    for (size_t k = 0; k < 2; k++) {
        const heft_cell *a = heft_results_cell(saved, 0, 0, k);
        const heft_cell *b = heft_results_cell(trained, 0, 0, k);
        assert_string_equal(a->method, names[k]);
        assert_true(a->accuracy == b->accuracy && a->n_folds == 1);
        for (size_t i = 0; i < heft_measure_count(); i++)
            assert_true(a->measures[i] == b->measures[i] ||
                        (isnan(a->measures[i]) && isnan(b->measures[i])));
        assert_memory_equal(a->confusion, b->confusion, 9 * sizeof *a->confusion);
        assert_memory_equal(a->per_class, b->per_class, 3 * sizeof *a->per_class);
    }
    json_t *root = json_of(saved);
    json_t *tests = json_object_get(json_object_get(root, "summary"), "tests");
    assert_int_equal(json_array_size(json_object_get(tests, "same_rows")), 1);
    json_decref(root);
    heft_results_free(saved);
    heft_results_free(trained);
    close_two(&t);
}

static void threads_do_not_change_the_draws(void **state)
{
    /* Intervals have the same bits for any number of threads, and hold the measure. */
    (void)state;
    heft_table  *table = some_table(3, ROWS);
    const size_t n = 2 * (heft_measure_count() + 1);
    double       first[64] = {0};
    for (int threads = 1; threads <= 5; threads += 2) {
        heft_results *r = evaluate(
            table, &(heft_eval_plan){.methods = (const char *[]){"nb", NULL},
                                     .holdout = 0.4,
                                     .repeats = 2,
                                     .intervals = true,
                                     .config = &(heft_config){.run = RUN(.threads = threads)}});
        const heft_cell *cell = heft_results_cell(r, 0, 0, 0);
        assert_true(n <= 64 && cell->intervals);
        for (size_t k = 0; k < n; k++) {
            if (threads == 1) first[k] = cell->intervals[k];
            assert_true(first[k] == cell->intervals[k] ||
                        (isnan(first[k]) && isnan(cell->intervals[k])));
        }
        assert_true(first[0] <= cell->accuracy && cell->accuracy <= first[1]);
        heft_results_free(r);
    }
    heft_table_free(table);
}

static void kept_predictions_are_given(void **state)
{
    /* Every row with a class once per repeat, in order, with its fold and probabilities. */
    (void)state;
    heft_table          *table = some_table(4, ROWS);
    size_t               repeat[2 * ROWS], fold[2 * ROWS], row[2 * ROWS];
    int32_t              actual[2 * ROWS], predicted[2 * ROWS];
    double               proba[2 * ROWS * 3];
    const heft_predicted to = {repeat, fold, row, actual, predicted, proba};
    heft_results    *r = evaluate(table, &(heft_eval_plan){.methods = (const char *[]){"nb", NULL},
                                                           .folds = 4,
                                                           .repeats = 2,
                                                           .keep_predictions = true});
    const heft_cell *cell = heft_results_cell(r, 0, 0, 0);
    const size_t     n = heft_results_predicted(r, 0, 0, 0, &to);
    size_t           right = 0;
    assert_int_equal(n, 2 * (ROWS - 1));
    assert_int_equal(heft_results_predicted(r, 0, 0, 0, NULL), n);
    assert_int_equal(heft_results_predicted(r, 0, 0, 1, NULL), 0);
    for (size_t k = 0; k < n; k++) {
        const size_t i = k % (ROWS - 1);
        assert_int_equal(row[k], i < 5 ? i : i + 1); /* row 5 has no class */
        assert_int_equal(repeat[k], k / (ROWS - 1));
        assert_true(fold[k] < 4 && actual[k] == (int32_t)(row[k] % 3));
        NEAR(proba[3 * k] + proba[3 * k + 1] + proba[3 * k + 2], 1, 1e-12);
        right += actual[k] == predicted[k];
    }
    NEAR((double)right / (double)n, cell->accuracy_pooled, 1e-15);
    heft_results_free(r);
    heft_table_free(table);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    two           t = open_two(ROWS);
    heft_table   *fewer = some_table(2, ROWS - 1), *other = some_table(9, ROWS);
    heft_results *r;
    const struct {
        heft_eval_plan plan;
        const char    *says;
    } plans[] = {
        {{.holdout = 1.5}, "between 0 and 1"},
        {{.holdout = 0.2, .folds = 3}, "cannot be used together"},
        {{.leave_one_out = true, .repeats = 2}, "cannot be repeated"},
        {{.leave_one_out = true, .folds = 3}, "cannot be used together"},
        {{.keep_predictions = true, .noise = "0,0.1"}, "cannot be kept"},
        {{.holdout = 0.001}, "leaves no row to test"},
    };
    for (size_t k = 0; k < sizeof plans / sizeof *plans; k++) {
        const heft_table *data = t.train;
        assert_int_equal(heft_evaluate(&data, NULL, 1, &plans[k].plan, &r, &err), HEFT_EINVAL);
        if (!strstr(err.text, plans[k].says)) fail_msg("%zu: %s", k, err.text);
    }
    assert_int_equal(evaluate_saved(&t, 0, NULL, &r), HEFT_EINVAL);
    t.tests[1] = fewer;
    assert_int_equal(evaluate_saved(&t, 2, NULL, &r), HEFT_EINVAL);
    assert_non_null(strstr(err.text, "do not have the same rows"));
    t.tests[1] = t.test;
    OK(evaluate_saved(&t, 2, NULL, &r));
    assert_int_equal(heft_results_write(r, "predictions", "/dev/null", &err), HEFT_EINVAL);
    assert_int_equal(heft_results_write(r, "nothing", "/dev/null", &err), HEFT_EINVAL);
    heft_results_free(r);
    assert_int_equal(heft_output_check("/no/such/folder/file", &err), HEFT_EIO);
    assert_false(heft_is_model_file("/no/such/file"));
    heft_table_free(fewer);
    heft_table_free(other);
    close_two(&t);
}

static void memory_may_run_out(void **state)
{
    /* A failed allocation at any place is ENOMEM, and nothing leaks. */
    (void)state;
    enum { N = 12 };
    two                  t = open_two(N);
    size_t               n_failed = 0;
    const heft_eval_plan plan = {.keep_predictions = true,
                                 .config = &(heft_config){.run = RUN(.threads = 1)}};
    for (size_t n = 1;; n++, n_failed++) {
        heft_results *r;
        heft_fail_alloc_at(n, true);
        heft_status st = evaluate_saved(&t, 1, &plan, &r);
        assert_int_equal(st == HEFT_OK, r != NULL);
        if (st == HEFT_OK) {
            heft_fail_alloc_at(n, true);
            st = heft_results_write(r, "predictions", "/dev/null", &err);
        }
        if (st == HEFT_OK) {
            heft_fail_alloc_at(n, true);
            st = heft_results_write(r, "curves", "/dev/null", &err);
        }
        heft_fail_alloc_at(0, false);
        heft_results_free(r);
        if (st == HEFT_OK) break;
        assert_int_equal(st, HEFT_ENOMEM);
    }
    assert_true(n_failed > 8);
    close_two(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_measure_as_methods_do),
        cmocka_unit_test(threads_do_not_change_the_draws),
        cmocka_unit_test(kept_predictions_are_given),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
