/* evaluate_test.c - the loop over data sets, methods and folds. */
#include "fixture.h"
#include "methods/registry.h"

#include <stdatomic.h>

#include "data/table.h"
#include "eval/results.h"
#include "learn/folds.h"
#include "model/method.h"

enum { ROWS = 90, NUMBERS = 3, CLASSES = 3 };

static const char *const class_names[CLASSES] = {"a", "b", "c"};
static const char *const colours[4] = {"red", "green", "blue", "grey"};

/* ---- tables ---- */

typedef struct rows { /* the cells of a table, to be changed at will */
    size_t  n;
    double  x[NUMBERS][ROWS];
    int32_t colour[ROWS], y[ROWS];
} rows;

static rows some_rows(uint64_t seed)
{
    rows     r = {.n = ROWS};
    heft_rng rng;
    heft_rng_init(&rng, seed, 0);
    for (size_t i = 0; i < ROWS; i++) {
        const int c = (int)heft_rng_below(&rng, CLASSES);
        r.y[i] = c;
        for (size_t j = 0; j < NUMBERS; j++)
            r.x[j][i] = (double)c * (j == 0 ? 1.5 : 0.5) + 3 * heft_rng_real(&rng);
        r.colour[i] = heft_rng_below(&rng, 3) ? c : (int32_t)heft_rng_below(&rng, 4);
        if (i % 17 == 3) r.colour[i] = -1;
        if (i % 19 == 5) r.x[1][i] = (double)NAN;
    }
    return r;
}

static heft_table *rows_table(const rows *r)
{
    frame f = {.n_rows = r->n,
               .n_cols = NUMBERS + 1,
               .y = r->y,
               .classes = class_names,
               .n_class = CLASSES};
    for (size_t j = 0; j < NUMBERS; j++) f.cols[j] = (field){.numbers = r->x[j]};
    f.cols[NUMBERS] = (field){"colour", .codes = r->colour, .values = colours, .n_values = 4};
    return table_of(&f);
}

/* ---- the loop ---- */

static void threads_do_not_matter(void **state)
{
    /* One thread, two and seven give the same results to the last bit. */
    (void)state;
    static const char *const methods[] = {"nb", "gnb", "flexnb", NULL};
    const rows               r[2] = {some_rows(1), some_rows(2)};
    heft_table              *table[2] = {rows_table(&r[0]), rows_table(&r[1])};
    json_t                  *first = NULL;
    static const int         threads[] = {1, 2, 7, 64};
    for (size_t k = 0; k < sizeof threads / sizeof *threads; k++)
        for (int whole = 0; whole < 2; whole++) {
            const heft_eval_plan plan = {.methods = methods,
                                         .folds = 5,
                                         .repeats = 3,
                                         .protocol = whole ? "whole" : "honest",
                                         .config = &(heft_config){.run = RUN(.threads = threads[k]),
                                                                  .discretize = "width:4"}};
            heft_results        *results;
            assert_int_equal(
                heft_evaluate((const heft_table *const *)table, NULL, 2, &plan, &results, NULL),
                HEFT_OK);
            json_t *root = json_of(results);
            json_object_set_new(root, "protocol", json_string("-"));
            if (!first) first = json_incref(root);
            if (!whole) assert_true(json_equal(first, root));
            json_decref(root);
            heft_results_free(results);
        }
    json_decref(first);
    heft_table_free(table[0]);
    heft_table_free(table[1]);
}

/* Fold accuracies worked out by hand: a table of the training rows alone goes through heft_fit. */
static void folds_by_hand(const heft_table *table, const uint16_t *fold, size_t folds,
                          const heft_config *config, double *per_fold)
{
    heft_ctx ctx;
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    for (size_t f = 0; f < folds; f++) {
        size_t      train[ROWS], test[ROWS], n_train = 0, n_test = 0, right = 0;
        int32_t     guess[ROWS];
        heft_table *a, *b;
        heft_model *model;
        for (size_t i = 0; i < table->n_rows; i++)
            if (heft_table_class(table, i) < 0) continue;
            else if (fold[i] == f) test[n_test++] = i;
            else train[n_train++] = i;
        assert_int_equal(heft_table_take(&ctx, table, train, n_train, &a), HEFT_OK);
        assert_int_equal(heft_table_take(&ctx, table, test, n_test, &b), HEFT_OK);
        assert_int_equal(heft_fit(a, config, &model, NULL), HEFT_OK);
        assert_int_equal(heft_predict(model, b, guess, NULL), HEFT_OK);
        for (size_t i = 0; i < n_test; i++) right += guess[i] == heft_table_class(b, i);
        per_fold[f] = (double)right / (double)n_test;
        heft_model_free(model);
        heft_table_free(a);
        heft_table_free(b);
    }
    heft_ctx_clear(&ctx);
}

static void classes_of(const heft_table *table, uint16_t *y)
{
    for (size_t i = 0; i < table->n_rows; i++) {
        const int32_t c = heft_table_class(table, i);
        y[i] = c < 0 ? UINT16_MAX : (uint16_t)c;
    }
}

static void test_rows_teach_nothing(void **state)
{
    /* Whatever stands in a test row, values or label, the fold's model is that of the training
     * rows alone; under the protocol `whole` it is not. */
    (void)state;
    heft_ctx   ctx;
    double     before[6], after[6], hand[6], whole[2];
    uint16_t   y[ROWS], fold[ROWS];
    const rows plain = some_rows(3);
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    heft_table *table = rows_table(&plain);
    classes_of(table, y);
    assert_int_equal(
        heft_folds_deal(
            &ctx,
            &(heft_fold_plan){.sample = &(heft_sample){.n = ROWS, .y = y, .n_class = CLASSES},
                              .n_folds = 6,
                              .seed = 1},
            fold),
        HEFT_OK);
    for (int change = 0; change < 3; change++) {
        static const char *const discretize[] = {"width:5", "mdl", "none"};
        rows                     r = plain;
        const heft_config        config = {.discretize = discretize[change], .impute = "mean"};
        heft_eval_plan           plan = {.folds = 6, .config = &config};
        for (size_t i = 0; i < ROWS; i++)
            if (fold[i] == 2) /* labels stay: the strata must */
                for (size_t j = 0; j < NUMBERS; j++)
                    r.x[j][i] = i % 2 ? -1e4 * (double)(i + 1) : 1e5;
        heft_table   *other = rows_table(&r);
        heft_results *a = evaluate(table, &plan), *b = evaluate(other, &plan);
        memcpy(before, heft_results_cell(a, 0, 0, 0)->per_fold, sizeof before);
        memcpy(after, heft_results_cell(b, 0, 0, 0)->per_fold, sizeof after);
        folds_by_hand(table, fold, 6, &config, hand);
        assert_memory_equal(before, hand, sizeof hand);
        folds_by_hand(other, fold, 6, &config, hand);
        assert_memory_equal(after, hand, sizeof hand);
        plan.protocol = "whole";
        heft_results_free(a);
        heft_results_free(b);
        a = evaluate(table, &plan);
        b = evaluate(other, &plan);
        whole[0] = heft_results_cell(a, 0, 0, 0)->accuracy;
        whole[1] = heft_results_cell(b, 0, 0, 0)->accuracy;
        if (change == 0) assert_true(whole[0] != whole[1]);
        heft_results_free(a);
        heft_results_free(b);
        heft_table_free(other);
    }
    heft_table_free(table);
    heft_ctx_clear(&ctx);
}

static const char *path;

static int make_path(void **state)
{
    (void)state;
    path = temp_path(".folds");
    return 0;
}

static int drop_path(void **state)
{
    (void)state;
    return unlink(path);
}

static void labels_of_test_rows_teach_nothing(void **state)
{
    /* With fixed folds a changed label of a test row changes its own verdict and no other. */
    (void)state;
    rows                 r = some_rows(4);
    uint16_t             fold[ROWS];
    double               hand[4];
    const heft_config    config = {.discretize = "mdl"};
    const heft_eval_plan plan = {.folds_file = path, .config = &config};
    FILE                *file = fopen(path, "wb");
    for (size_t i = 0; i < ROWS; i++) fprintf(file, "%u\n", fold[i] = (uint16_t)(i % 4));
    fclose(file);
    r.y[7] = r.y[20] = -1; /* rows without a class keep their lines in the file */
    heft_table *table = rows_table(&r);
    folds_by_hand(table, fold, 4, &config, hand);
    heft_results *a = evaluate(table, &plan);
    assert_int_equal(heft_results_cell(a, 0, 0, 0)->n_folds, 4);
    assert_memory_equal(heft_results_cell(a, 0, 0, 0)->per_fold, hand, sizeof hand);
    for (size_t i = 0; i < ROWS; i += SANITIZED ? 16 : 4) {
        rows         changed = r;
        const size_t n_test = (ROWS + 3) / 4 - 1; /* fold 0, row 20 without a class */
        if (r.y[i] < 0) continue;
        changed.y[i] = (r.y[i] + 1) % CLASSES;
        heft_table   *other = rows_table(&changed);
        heft_results *b = evaluate(other, &plan);
        const double  by = fabs(heft_results_cell(b, 0, 0, 0)->per_fold[0] - hand[0]);
        assert_true(by <= 1.0 / (double)n_test + 1e-12);
        heft_results_free(b);
        heft_table_free(other);
    }
    heft_results_free(a);
    heft_table_free(table);
}

static void figures_are_what_they_say(void **state)
{
    /* accuracy is the mean of per_fold, accuracy_sd its sample deviation; per_fold runs repeat by
     * repeat, and Weka's second repeat is its next seed. */
    (void)state;
    const rows           r = some_rows(5);
    heft_table          *table = rows_table(&r);
    const heft_eval_plan two = {.folds = 7,
                                .repeats = 2,
                                .split = "weka",
                                .config = &(heft_config){.method = "nb", .run = RUN(.seed = 3)}};
    const heft_eval_plan next = {.folds = 7,
                                 .split = "weka",
                                 .config = &(heft_config){.method = "nb", .run = RUN(.seed = 4)}};
    heft_results        *a = evaluate(table, &two), *b = evaluate(table, &next);
    const heft_cell *cell = heft_results_cell(a, 0, 0, 0), *later = heft_results_cell(b, 0, 0, 0);
    double           mean = 0, squares = 0;
    assert_int_equal(cell->n_folds, 14);
    for (size_t k = 0; k < 14; k++) mean += cell->per_fold[k] / 14;
    for (size_t k = 0; k < 14; k++)
        squares += (cell->per_fold[k] - mean) * (cell->per_fold[k] - mean);
    assert_true(fabs(cell->accuracy - mean) < 1e-15);
    assert_true(fabs(cell->accuracy_sd - sqrt(squares / 13)) < 1e-15);
    assert_memory_equal(cell->per_fold + 7, later->per_fold, 7 * sizeof(double));
    assert_true(fabs(heft_cell_measure(cell, "micro_f1") - cell->accuracy_pooled) < 1e-15);
    assert_true(cell->accuracy > 0.5 && heft_cell_measure(cell, "auc") > 0.7);
    assert_true(heft_cell_measure(cell, "auc") <= 1 && heft_cell_measure(cell, "macro_f1") > 0.5);
    assert_true(heft_cell_measure(cell, "log_loss") > 0 && heft_cell_measure(cell, "brier") > 0);
    assert_true(isnan(heft_cell_measure(cell, "no_such_measure")));
    assert_true(cell->fit_seconds > 0 && cell->predict_seconds > 0);
    assert_null(heft_results_cell(a, 0, 1, 0));
    assert_null(heft_results_cell(a, 0, 0, 1));
    heft_results_free(a);
    heft_results_free(b);
    heft_table_free(table);
}

/* heft_measure_predictions gives the kept predictions of a cell the measures of the cell. */
static void predictions_of_others_are_measured(const heft_results *results)
{
    const heft_cell   *cell = heft_results_cell(results, 0, 0, 0);
    int32_t            actual[ROWS], predicted[ROWS];
    double             proba[ROWS * CLASSES], measures[64];
    heft_class_figures figures[CLASSES];
    heft_predicted     made = {.actual = actual, .predicted = predicted, .proba = proba};
    const size_t       n = heft_results_predicted(results, 0, 0, 0, &made);
    assert_true(n > 0 && n <= ROWS && heft_measure_count() <= 64);
    assert_int_equal(heft_measure_predictions(&made, n, CLASSES, measures, figures, &err), HEFT_OK);
    for (size_t k = 0; k < heft_measure_count(); k++)
        assert_true(measures[k] == cell->measures[k] || isnan(cell->measures[k]));
    assert_true(figures[1].recall == cell->per_class[1].recall);
    proba[3] = NAN;
    assert_int_equal(heft_measure_predictions(&made, n, CLASSES, measures, NULL, &err),
                     HEFT_ENUMERIC);
    predicted[0] = CLASSES;
    assert_int_equal(heft_measure_predictions(&made, n, CLASSES, measures, NULL, &err),
                     HEFT_EINVAL);
    assert_non_null(strstr(err.text, "prediction 1: class"));
    assert_int_equal(heft_measure_predictions(NULL, n, CLASSES, measures, NULL, &err), HEFT_EINVAL);
}

static void test_table_is_measured(void **state)
{
    /* With a test table the figures are those of heft_fit and heft_predict_proba; classes are
     * matched by name, and a class unknown in training is never right. */
    (void)state;
    static const char *const turned[4] = {"d", "c", "b", "a"};
    const rows               r = some_rows(6);
    rows                     s = some_rows(7);
    int32_t                  y[ROWS];
    double                   proba[ROWS * CLASSES], loss = 0;
    heft_model              *model;
    size_t                   right = 0;
    heft_table              *train = rows_table(&r), *test = rows_table(&s);
    assert_int_equal(heft_fit(train, NULL, &model, NULL), HEFT_OK);
    assert_int_equal(heft_predict_proba(model, test, proba, NULL), HEFT_OK);
    heft_table_free(test);
    for (size_t i = 0; i < ROWS; i++) {
        size_t best = 0;
        for (size_t c = 1; c < CLASSES; c++)
            if (proba[i * CLASSES + c] > proba[i * CLASSES + best]) best = c;
        right += i % 10 != 0 && best == (size_t)s.y[i];
        loss -= log(i % 10 ? proba[i * CLASSES + (size_t)s.y[i]] : HEFT_LEAST_PROBABILITY) / ROWS;
        y[i] = i % 10 ? 3 - s.y[i] : 0;
    }
    s.n = ROWS;
    assert_int_equal(heft_table_create(ROWS, &test, NULL), HEFT_OK);
    assert_int_equal(heft_table_add_codes(test, "colour", s.colour, 1, colours, 4, NULL), HEFT_OK);
    for (size_t j = NUMBERS; j-- > 0;) {
        const char name[3] = {'x', (char)('0' + j), 0};
        assert_int_equal(heft_table_add_numbers(test, name, s.x[j], 1, NULL), HEFT_OK);
    }
    assert_int_equal(heft_table_set_target(test, "class", y, turned, 4, NULL), HEFT_OK);
    heft_results    *a = evaluate(train, &(heft_eval_plan){.test = test});
    const heft_cell *cell = heft_results_cell(a, 0, 0, 0);
    assert_int_equal(cell->n_folds, 1);
    assert_true(cell->accuracy == (double)right / ROWS);
    assert_true(fabs(heft_cell_measure(cell, "log_loss") - loss) < 1e-12);
    assert_true(cell->accuracy_sd == 0);
    heft_results_free(a);
    a = evaluate(train, &(heft_eval_plan){.folds = 4, .keep_predictions = true});
    predictions_of_others_are_measured(a);
    heft_results_free(a);
    a = evaluate(train, &(heft_eval_plan){
                            .test = test,
                            .protocol = "whole",
                            .config = &(heft_config){.discretize = "width:6", .impute = "mean"}});
    assert_true(heft_results_cell(a, 0, 0, 0)->accuracy > 0.3);
    heft_results_free(a);
    heft_model_free(model);
    heft_table_free(train);
    heft_table_free(test);
}

static void joined_tables_keep_meaning(void **state)
{
    /* Joined rows hold the same values by name and text, whatever the order of columns and values.
     */
    (void)state;
    static const char *const turned[3] = {"grey", "red", "pink"};
    static const int32_t     code[3] = {0, 2, -1}, y[3] = {0, 1, 0};
    static const double      x[3] = {1, 2, 3};
    const rows               r = some_rows(8);
    heft_table              *a = rows_table(&r), *b, *joined;
    heft_ctx                 ctx;
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    assert_int_equal(heft_table_create(3, &b, NULL), HEFT_OK);
    assert_int_equal(heft_table_add_codes(b, "colour", code, 1, turned, 3, NULL), HEFT_OK);
    assert_int_equal(heft_table_set_target(b, "class", y, class_names + 1, 2, NULL), HEFT_OK);
    assert_int_equal(heft_table_join(&ctx, a, b, &joined), HEFT_EINVAL);
    assert_non_null(strstr(ctx.err->text, "no column 'x0'"));
    for (size_t j = 0; j < NUMBERS; j++) {
        const char name[3] = {'x', (char)('0' + j), 0};
        assert_int_equal(heft_table_add_numbers(b, name, x, 1, NULL), HEFT_OK);
    }
    assert_int_equal(heft_table_join(&ctx, a, b, &joined), HEFT_OK);
    assert_int_equal(heft_table_check(&ctx, joined), HEFT_OK);
    assert_int_equal(joined->n_rows, ROWS + 3);
    const heft_column *colour = &joined->cols[NUMBERS];
    assert_int_equal(heft_dict_size(colour->dict), 5);
    assert_string_equal(
        heft_dict_text(colour->dict, heft_code_at(colour->cells, colour->width, ROWS)), "grey");
    assert_string_equal(
        heft_dict_text(colour->dict, heft_code_at(colour->cells, colour->width, ROWS + 1)), "pink");
    assert_int_equal(heft_code_at(colour->cells, colour->width, ROWS + 2), 5);
    assert_int_equal(heft_table_class(joined, ROWS), 1);
    assert_int_equal(heft_table_class(joined, ROWS + 1), 2);
    assert_true(((double *)joined->cols[1].cells)[ROWS + 2] == 3);
    heft_table_free(joined);
    heft_table_free(a);
    heft_table_free(b);
    heft_ctx_clear(&ctx);
}

static heft_table *sparse_table(const char *const *names, const uint32_t *col)
{
    static const size_t  start[3] = {0, 2, 3};
    static const double  val[3] = {5, 6, 7};
    static const int32_t y[2] = {0, 1};
    heft_table          *table;
    assert_int_equal(heft_table_create(2, &table, NULL), HEFT_OK);
    assert_int_equal(heft_table_add_sparse(table, 3, start, col, val, names, NULL), HEFT_OK);
    assert_int_equal(heft_table_set_target(table, "class", y, class_names, 2, NULL), HEFT_OK);
    return table;
}

static void joined_sparse_tables_stay_sparse(void **state)
{
    /* Sparse columns are matched by name, in increasing order again; an absent column is zeros. */
    (void)state;
    static const char *const names_a[3] = {"p", "q", "r"}, *const names_b[3] = {"r", "new", "p"};
    static const uint32_t col_a[3] = {0, 2, 1}, col_b[3] = {0, 2, 1};
    heft_table           *a = sparse_table(names_a, col_a), *b = sparse_table(names_b, col_b);
    heft_table           *joined;
    heft_ctx              ctx;
    heft_ctx_init(&ctx, NULL, 1, 1, NULL);
    assert_int_equal(heft_table_join(&ctx, a, b, &joined), HEFT_OK);
    assert_int_equal(heft_table_check(&ctx, joined), HEFT_OK);
    const heft_sparse *s = joined->sparse;
    assert_non_null(s);
    assert_int_equal(s->start[4], 5);
    assert_int_equal(s->start[3], 5); /* the last row held only the column that a lacks */
    assert_int_equal(s->col[3], 0);
    assert_int_equal(s->col[4], 2);
    assert_true(s->val[3] == 6 && s->val[4] == 5);
    heft_table_free(joined);
    heft_table_free(a);
    heft_table_free(b);
    heft_ctx_clear(&ctx);
}

static void wrong_trials_are_refused(void **state)
{
    /* What cannot be done is refused before any work, with the words at fault. */
    (void)state;
    static const char *const unknown[] = {"nb", "nope", NULL}, *const twice[] = {"nb", "nb", NULL};
    static const char *const own[] = {"nb:nothing=1", NULL}, *const shapeless[] = {"nb:", NULL};
    static const char *const params[] = {"nothing=1", NULL};
    const rows               r = some_rows(9);
    heft_table              *table = rows_table(&r), *bare;
    assert_int_equal(heft_table_create(3, &bare, NULL), HEFT_OK);
    const struct {
        heft_eval_plan plan;
        const char    *says;
    } bad[] = {
        {{.methods = unknown}, "unknown method 'nope'"},
        {{.methods = twice}, "'nb' is listed twice"},
        {{.methods = own}, "no parameter 'nothing'"},
        {{.methods = shapeless}, "not of the form NAME=VALUE"},
        {{.config = &(heft_config){.params = params}},
         "no method of this evaluation has a parameter 'nothing'"},
        {{.config = &(heft_config){.method = "nope"}}, "unknown method 'nope'"},
        {{.protocol = "loose"}, "'loose' is not one of honest, whole"},
        {{.split = "thirds"}, "'thirds' is not one of heft, weka"},
        {{.folds = -1}, "cannot be negative"},
        {{.decimals = 10}, ".decimals = 10"},
        {{.folds = 1}, "some: cross-validation needs 2 to"},
        {{.folds = 91}, "some: 90 rows cannot be divided into 91 folds (use .folds = 90 or less)"},
        {{.test = table, .folds_file = "x"}, "cannot be used together"},
        {{.test = bare}, "some: there is no class column"},
        {{.config = &(heft_config){.discretize = "thirds"}}, "thirds"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        heft_results     *results;
        const char       *name = "some";
        const heft_table *data = table;
        assert_int_equal(heft_evaluate(&data, &name, 1, &bad[k].plan, &results, &err), HEFT_EINVAL);
        assert_null(results);
        if (!strstr(err.text, bad[k].says)) fail_msg("'%s' is not in '%s'", bad[k].says, err.text);
    }
    heft_results     *results;
    const heft_table *two[2] = {table, table};
    assert_int_equal(heft_evaluate(two, NULL, 2, &(heft_eval_plan){.test = table}, &results, &err),
                     HEFT_EINVAL);
    assert_int_equal(heft_evaluate(NULL, NULL, 0, NULL, &results, &err), HEFT_EINVAL);
    heft_table_free(table);
    heft_table_free(bare);
}

static void failures_do_not_stop_the_others(void **state)
{
    /* A method that cannot do the data gets its reason, the same for any number of threads; the
     * others get their figures. */
    (void)state;
    const char *methods[] = {"nb", NULL, NULL};
    char        first[600] = "";
    const rows  r = some_rows(12);
    for (size_t m = 0; m < heft_methods_count() && !methods[1]; m++)
        if (!(heft_methods_at(m)->caps & HEFT_TAKES_NUMBERS)) methods[1] = heft_methods_at(m)->name;
    if (!methods[1]) skip();
    heft_table *table = rows_table(&r);
    for (int threads = 1; threads <= 8; threads++) {
        const heft_eval_plan plan = {
            .methods = methods,
            .config = &(heft_config){.discretize = "none", .run = RUN(.threads = threads)}};
        heft_results *results = evaluate(table, &plan);
        assert_null(heft_results_cell(results, 0, 0, 0)->failure);
        assert_true(heft_results_cell(results, 0, 0, 0)->accuracy > 0.5);
        const char *why = heft_results_cell(results, 0, 0, 1)->failure;
        assert_non_null(why);
        if (!first[0]) strcpy(first, why);
        assert_string_equal(why, first);
        heft_results_free(results);
    }
    heft_table_free(table);
}

typedef struct listener {
    double        last;
    size_t        calls, stop_after;
    atomic_size_t asked; /* by any thread */
} listener;

static void hear(void *user, const char *what, double done)
{
    listener *l = user;
    assert_string_equal(what, "evaluating");
    assert_true(done >= 0 && done <= 1);
    l->last = done > l->last ? done : l->last;
    l->calls++;
}

static bool stop(void *user)
{
    listener *l = user;
    return ++l->asked > l->stop_after;
}

static void host_hears_and_stops(void **state)
{
    /* Progress is told once per fold and ends at 1; a cancelled evaluation gives no results. */
    (void)state;
    const rows           r = some_rows(10);
    heft_table          *table = rows_table(&r);
    listener             l = {.stop_after = SIZE_MAX};
    const heft_host      host = {.progress = hear, .cancelled = stop, .user = &l};
    const heft_eval_plan plan = {
        .folds = 5,
        .repeats = 2,
        .config = &(heft_config){.method = "nb", .run = RUN(.threads = 2, .host = &host)}};
    heft_results_free(evaluate(table, &plan));
    assert_int_equal(l.calls, 10);
    assert_true(l.last == 1);
    heft_eval_plan serial = plan;
    serial.config = &(heft_config){.method = "nb", .run = RUN(.threads = 1, .host = &host)};
    l = (listener){.stop_after = 3};
    heft_results     *results;
    const heft_table *data = table;
    assert_int_equal(heft_evaluate(&data, NULL, 1, &serial, &results, NULL), HEFT_ECANCELLED);
    assert_null(results);
    heft_table_free(table);
}

static void memory_may_run_out(void **state)
{
    /* A failed allocation at any place of evaluation or text is ENOMEM, and nothing leaks. */
    (void)state;
    static const char *const methods[] = {"nb", "gnb", NULL};
    static const char *const formats[] = {"json", "csv", "table", "markdown", "latex", "details"};
    enum { FORMATS = sizeof formats / sizeof *formats };
    rows   r = some_rows(11);
    size_t n_failed = 0;
    r.n = 8;
    for (size_t i = 0; i < r.n; i++) r.y[i] = i == 3 ? -1 : (int32_t)i % 2;
    heft_table *table = rows_table(&r);
    for (int kind = 0; kind < 3; kind++) {
        heft_eval_plan plan = {
            .methods = methods,
            .folds = 2,
            .protocol = kind ? "whole" : "honest",
            .test = kind == 2 ? table : NULL,
            .config = &(heft_config){.run = RUN(.threads = 1), .discretize = "width:3"}};
        bool passed = false;
        for (size_t n = 1; !passed; n++) {
            heft_results     *results;
            const heft_table *data = table;
            heft_fail_alloc_at(n, true);
            heft_status st = heft_evaluate(&data, NULL, 1, &plan, &results, &err);
            passed = st == HEFT_OK;
            for (size_t k = 0; st == HEFT_OK && k < FORMATS; k++) {
                char *text;
                heft_fail_alloc_at(n, true);
                st = heft_results_text(results, formats[k], &text, &err);
                assert_int_equal(st == HEFT_OK, text != NULL);
                heft_text_free(text);
            }
            heft_fail_alloc_at(0, false);
            if (st != HEFT_OK) {
                assert_int_equal(st, HEFT_ENOMEM);
                n_failed++;
            }
            if (passed) heft_results_free(results);
            else assert_null(results);
        }
    }
    for (size_t n = 1;; n++) { /* the text alone */
        heft_results *results = evaluate(table, &(heft_eval_plan){.methods = methods, .folds = 2});
        size_t        ok = 0;
        for (size_t k = 0; k < FORMATS; k++) {
            char *text;
            heft_fail_alloc_at(n, false);
            const heft_status st = heft_results_text(results, formats[k], &text, NULL);
            heft_fail_alloc_at(0, false);
            assert_true(st == HEFT_OK || st == HEFT_ENOMEM);
            assert_int_equal(st == HEFT_OK, text != NULL);
            heft_text_free(text);
            ok += st == HEFT_OK;
        }
        heft_results_free(results);
        if (ok == FORMATS) break;
    }
    assert_true(n_failed > 100);
    heft_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_matter),
        FIGURES_TEST(test_rows_teach_nothing),
        cmocka_unit_test_setup_teardown(labels_of_test_rows_teach_nothing, make_path, drop_path),
        cmocka_unit_test(figures_are_what_they_say),
        cmocka_unit_test(test_table_is_measured),
        cmocka_unit_test(joined_tables_keep_meaning),
        cmocka_unit_test(joined_sparse_tables_stay_sparse),
        cmocka_unit_test(wrong_trials_are_refused),
        cmocka_unit_test(failures_do_not_stop_the_others),
        cmocka_unit_test(host_hears_and_stops),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
