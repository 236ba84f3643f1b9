/* stages_test.c - wrong classes, few rows, few attributes: what is done to training rows, and that
 * nothing else changes. */
#include "fixture.h"

#include "eval/checksum.h"
#include "eval/stages.h"

enum { ROWS = 120, NUMBERS = 4, CLASSES = 4 }; /* the last class has no rows */

static const char *const class_names[CLASSES] = {"a", "b", "c", "none"};

/* Classes 0, 1, 2 in shares of 4 : 2 : 1; x0 tells them well, the others less and less. */
static heft_table *some_table(uint64_t seed)
{
    heft_rng rng;
    double   x[NUMBERS][ROWS];
    int32_t  y[ROWS];
    heft_rng_init(&rng, seed, 0);
    for (size_t i = 0; i < ROWS; i++) {
        y[i] = i % 7 < 4 ? 0 : i % 7 < 6 ? 1 : 2;
        for (size_t j = 0; j < NUMBERS; j++)
            x[j][i] = y[i] * 3.0 / (double)(j + 1) + 2 * heft_rng_real(&rng);
    }
    frame f = {
        .n_rows = ROWS, .n_cols = NUMBERS, .y = y, .classes = class_names, .n_class = CLASSES};
    for (size_t j = 0; j < NUMBERS; j++) f.cols[j] = (field){.numbers = x[j]};
    return table_of(&f);
}

static void same_folds(const heft_cell *a, const heft_cell *b)
{
    assert_null(a->failure);
    assert_null(b->failure);
    assert_int_equal(a->n_folds, b->n_folds);
    assert_memory_equal(a->per_fold, b->per_fold, a->n_folds * sizeof *a->per_fold);
    assert_memory_equal(a->measures, b->measures, heft_measure_count() * sizeof *a->measures);
}

static void noise_changes_so_many_classes(void **state)
{
    /* round(rate n) rows get another class that the rows have; those of a lower rate are among
     * those of a higher one, with the same new class. */
    (void)state;
    static const double rates[] = {0, 0.004, 0.1, 0.33, 1};
    heft_ctx            ctx;
    int32_t             before[ROWS] = {0};
    heft_ctx_init(&ctx, &err, 1, 5, NULL);
    for (size_t k = 0; k < sizeof rates / sizeof *rates; k++) {
        heft_table *clean = some_table(1), *table = some_table(1);
        size_t      changed = 0;
        OK(heft_stage_noise(&ctx, &(heft_stage){.noise = rates[k]}, 3, table));
        for (size_t i = 0; i < ROWS; i++) {
            const int32_t was = heft_table_class(clean, i), is = heft_table_class(table, i);
            assert_in_range(is, 0, 2);
            changed += was != is;
            if (before[i]) assert_int_equal(before[i] - 1, is);
            if (was != is) before[i] = is + 1;
        }
        assert_int_equal(changed, (size_t)floor(rates[k] * ROWS + 0.5));
        assert_true(heft_table_sum(clean) != heft_table_sum(table) || changed == 0);
        heft_table_free(clean);
        heft_table_free(table);
    }
    heft_ctx_clear(&ctx);
}

static void one_class_cannot_be_wrong(void **state)
{
    /* Rows all of one class stay as they are. */
    (void)state;
    heft_ctx ctx;
    size_t   rows[ROWS], n = 0;
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    heft_table *all = some_table(1), *one;
    for (size_t i = 0; i < ROWS; i++)
        if (heft_table_class(all, i) == 1) rows[n++] = i;
    OK(heft_table_take(&ctx, all, rows, n, &one));
    OK(heft_stage_noise(&ctx, &(heft_stage){.noise = 0.5}, 0, one));
    for (size_t i = 0; i < n; i++) assert_int_equal(heft_table_class(one, i), 1);
    heft_table_free(one);
    heft_table_free(all);
    heft_ctx_clear(&ctx);
}

static void fewer_rows_are_nested_and_stratified(void **state)
{
    /* Any number of rows: exactly so many, classes within one row of their shares, in their order,
     * and all among the rows of the next larger number. */
    (void)state;
    heft_ctx    ctx;
    bool        in[ROWS] = {false};
    heft_table *table = some_table(2);
    heft_ctx_init(&ctx, &err, 1, 9, NULL);
    for (size_t wanted = 2; wanted <= 100; wanted++) {
        size_t rows[ROWS], n = 0, count[3] = {0};
        bool   now[ROWS] = {false};
        for (size_t i = 0; i < ROWS; i++)
            if (i % 6) rows[n++] = i; /* a fold of 100 training rows */
        OK(heft_stage_learn(&ctx, &(heft_stage){.learn = (double)wanted}, table, 1, rows, &n));
        assert_int_equal(n, wanted);
        for (size_t k = 0; k < n; k++) {
            assert_true(rows[k] % 6 != 0 && (k == 0 || rows[k] > rows[k - 1]));
            count[heft_table_class(table, rows[k])]++;
            now[rows[k]] = true;
        }
        size_t all[3] = {0};
        for (size_t i = 0; i < ROWS; i++) {
            if (i % 6) all[heft_table_class(table, i)]++;
            assert_true(!in[i] || now[i]);
            in[i] = now[i];
        }
        for (size_t c = 0; c < 3; c++)
            NEAR((double)count[c], (double)(wanted * all[c]) / 100, 1.0001);
    }
    size_t rows[ROWS], n = 50;
    for (size_t i = 0; i < 50; i++) rows[i] = i;
    assert_int_equal(heft_stage_learn(&ctx, &(heft_stage){.learn = 51}, table, 0, rows, &n),
                     HEFT_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "51 rows were asked for, and a fold has only 50"));
    OK(heft_stage_learn(&ctx, &(heft_stage){.learn = 0.001}, table, 0, rows, &n));
    assert_int_equal(n, 1);
    heft_table_free(table);
    heft_ctx_clear(&ctx);
}

static void no_change_is_the_plain_evaluation(void **state)
{
    /* noise 0 and learn 1 give the bits of an evaluation without them; so does any number of
     * threads; and each stage is as if it had been asked for alone. */
    (void)state;
    static const char *const methods[] = {"nb", "cfwnb", NULL};
    heft_table              *table = some_table(3);
    heft_eval_plan           plan = {.methods = methods, .folds = 5, .repeats = 2};
    heft_results            *plain = evaluate(table, &plan);
    plan.noise = "0,0.3", plan.learn = "1,0.5";
    heft_results *many = evaluate(table, &plan);
    plan.config = &(heft_config){.run = RUN(.threads = 1)};
    heft_results *serial = evaluate(table, &plan);
    plan.noise = "0.3", plan.learn = "0.5";
    heft_results *alone = evaluate(table, &plan);
    assert_int_equal(heft_results_stages(many), 4);
    assert_string_equal(heft_results_stage(many, 3)->name, "noise 0.3, learn 0.5");
    assert_true(heft_results_stage(many, 2)->noise == 0.3 &&
                heft_results_stage(many, 1)->learn == 0.5);
    for (size_t m = 0; m < 2; m++) {
        same_folds(heft_results_cell(plain, 0, 0, m), heft_results_cell(many, 0, 0, m));
        same_folds(heft_results_cell(alone, 0, 0, m), heft_results_cell(many, 3, 0, m));
        for (size_t s = 0; s < 4; s++)
            same_folds(heft_results_cell(serial, s, 0, m), heft_results_cell(many, s, 0, m));
    }
    assert_true(heft_cell_measure(heft_results_cell(many, 2, 0, 0), "log_loss") >
                heft_cell_measure(heft_results_cell(many, 0, 0, 0), "log_loss"));
    assert_null(heft_results_stage(many, 4));
    assert_null(heft_results_cell(many, 4, 0, 0));
    heft_results_free(plain);
    heft_results_free(many);
    heft_results_free(serial);
    heft_results_free(alone);
    heft_table_free(table);
}

static heft_table *two_classes(void)
{
    static const char *const names[2] = {"no", "yes"};
    double                   x[40];
    int32_t                  y[40];
    for (int i = 0; i < 40; i++) y[i] = i % 2, x[i] = 10.0 * y[i] + i % 5;
    return table_of(&(frame){.n_rows = 40,
                             .n_cols = 1,
                             .cols = {{"x", .numbers = x}},
                             .y = y,
                             .classes = names,
                             .n_class = 2});
}

static void test_rows_stay_clean(void **state)
{
    /* Two classes far apart, all training classes turned round: every test row is wrong, in folds
     * and on a test table, under both protocols. */
    (void)state;
    heft_table *table = two_classes();
    for (int kind = 0; kind < 4; kind++) {
        heft_eval_plan plan = {.folds = 4,
                               .noise = "0,1",
                               .config = &(heft_config){.method = "nb"},
                               .protocol = kind % 2 ? "whole" : "honest",
                               .test = kind / 2 ? table : NULL};
        heft_results  *r = evaluate(table, &plan);
        assert_true(heft_results_cell(r, 0, 0, 0)->accuracy == 1);
        assert_true(heft_results_cell(r, 1, 0, 0)->accuracy == 0);
        heft_results_free(r);
    }
    heft_table_free(table);
}

static void dimensions_are_a_selection(void **state)
{
    /* So many dimensions are that selection by mutual information, learned in the fold or, under
     * `whole`, before it; more than there are is told. */
    (void)state;
    static const char *const protocols[] = {"honest", "whole"};
    heft_table              *table = some_table(4);
    for (size_t k = 0; k < 2; k++) {
        heft_eval_plan plan = {.folds = 5,
                               .protocol = protocols[k],
                               .config = &(heft_config){.method = "nb", .discretize = "mdl"}};
        plan.dimensions = "1,3,9";
        heft_results *many = evaluate(table, &plan);
        plan.dimensions = NULL;
        plan.config =
            &(heft_config){.method = "nb", .discretize = "mdl", .select = "mutual-information:3"};
        heft_results *three = evaluate(table, &plan);
        same_folds(heft_results_cell(three, 0, 0, 0), heft_results_cell(many, 1, 0, 0));
        const char *why = heft_results_cell(many, 2, 0, 0)->failure;
        assert_non_null(why);
        assert_non_null(
            strstr(why, "9 attributes were asked for, and the data have 4 (use at most 4)"));
        plan.config = &(heft_config){.method = "nb", .discretize = "mdl"};
        plan.dimensions = "25%,75%";
        heft_results *shares = evaluate(table, &plan);
        same_folds(heft_results_cell(three, 0, 0, 0), heft_results_cell(shares, 1, 0, 0));
        heft_results_free(many);
        heft_results_free(three);
        heft_results_free(shares);
    }
    heft_table_free(table);
}

static void too_few_rows_are_a_failure_of_the_cell(void **state)
{
    /* More rows than a fold has: the stage has no figures and says why; the others have. */
    (void)state;
    heft_table   *table = some_table(5);
    heft_results *r = evaluate(table, &(heft_eval_plan){.folds = 4, .learn = "30,91"});
    assert_null(heft_results_cell(r, 0, 0, 0)->failure);
    assert_non_null(strstr(heft_results_cell(r, 1, 0, 0)->failure,
                           "91 rows were asked for, and a fold has only 90 training rows"));
    heft_results_free(r);
    heft_table_free(table);
}

static void wrong_lists_are_refused(void **state)
{
    /* Each with the word at fault and what would be right. */
    (void)state;
    const struct {
        heft_eval_plan plan;
        const char    *says;
    } bad[] = {
        {{.noise = "0.1,x"}, "heft_eval_plan.noise: 'x' is not accepted"},
        {{.noise = "1.5"}, "from 0 to 1"},
        {{.noise = "-0.1"}, "heft_eval_plan.noise: '-0.1'"},
        {{.noise = ""}, "heft_eval_plan.noise"},
        {{.noise = "0.1,0.1"}, "0.1 is listed twice"},
        {{.learn = "0"}, "heft_eval_plan.learn: '0'"},
        {{.learn = "1.5"}, "heft_eval_plan.learn: '1.5'"},
        {{.learn = "0.5,20"}, "cannot be mixed"},
        {{.dimensions = "0"}, "heft_eval_plan.dimensions: '0'"},
        {{.dimensions = "120%"}, "heft_eval_plan.dimensions: '120%'"},
        {{.dimensions = "2,50%"}, "cannot be mixed"},
        {{.dimensions = "2", .config = &(heft_config){.select = "cfs"}},
         "leave out heft_config.select"},
        {{.paired = "odd"}, "is not one of corrected, plain"},
        {{.alpha = 1}, "between 0 and 1"},
        {{.alpha = -0.1}, "between 0 and 1"},
    };
    heft_table *table = some_table(6);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        heft_results     *results;
        const heft_table *data = table;
        assert_int_equal(heft_evaluate(&data, NULL, 1, &bad[k].plan, &results, &err), HEFT_EINVAL);
        if (!strstr(err.text, bad[k].says)) fail_msg("'%s' is not in '%s'", bad[k].says, err.text);
    }
    heft_table_free(table);
}

static void stages_are_shown(void **state)
{
    /* Every format has every stage. */
    (void)state;
    static const char *const methods[] = {"nb", "cfwnb", NULL};
    static const struct {
        const char *format, *says[4];
    } shown[] = {
        {"table", {"some", "noise 0.1", "noise 0.4", "win/tie/loss against nb"}},
        {"markdown", {"| noise 0.1 |", "| noise 0.4 |", NULL}},
        {"latex", {"\\toprule", "noise 0.1 & ", "noise 0.4 & ", NULL}},
        {"csv", {",0.1,1,,,", ",0.4,1,,,", NULL}},
        {"json", {"\"noise\": 0.1, \"method\": \"nb\"", "\"noise\": 0.4, \"mean_accuracy\"", NULL}},
        {"details", {"some, nb, noise 0.1\n\nmeasure", "actual \\ predicted", NULL}},
    };
    heft_table   *table = some_table(7);
    heft_results *r =
        evaluate(table, &(heft_eval_plan){.methods = methods, .folds = 4, .noise = "0.1,0.4"});
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) {
        char *text;
        OK(heft_results_text(r, shown[k].format, &text, &err));
        for (size_t i = 0; i < 4 && shown[k].says[i]; i++)
            if (!strstr(text, shown[k].says[i]))
                fail_msg("%s: no '%s' in %s", shown[k].format, shown[k].says[i], text);
        heft_text_free(text);
    }
    heft_results_free(r);
    heft_table_free(table);
}

static void memory_may_run_out(void **state)
{
    /* A failed allocation at any place is ENOMEM, and nothing leaks. */
    (void)state;
    heft_table          *table = two_classes();
    const heft_eval_plan plan = {.folds = 2,
                                 .noise = "0,0.2",
                                 .learn = "0.5",
                                 .dimensions = "1",
                                 .config =
                                     &(heft_config){.method = "nb", .run = RUN(.threads = 1)}};
    every_allocation_fails(table, &plan);
    heft_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_changes_so_many_classes),
        cmocka_unit_test(one_class_cannot_be_wrong),
        cmocka_unit_test(fewer_rows_are_nested_and_stratified),
        cmocka_unit_test(no_change_is_the_plain_evaluation),
        cmocka_unit_test(test_rows_stay_clean),
        cmocka_unit_test(dimensions_are_a_selection),
        cmocka_unit_test(too_few_rows_are_a_failure_of_the_cell),
        cmocka_unit_test(wrong_lists_are_refused),
        cmocka_unit_test(stages_are_shown),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
