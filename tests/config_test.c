/* config_test.c - a model knows the configuration that made it. */
#include "stored.h"

#include "base/mem.h"
#include "model/config.h"
#include "predict/predict.h"

/* Two classes with names that need quotation marks in lists, numbers with gaps, two categories. */
static heft_table *two_classes(void)
{
    static const char *const names[] = {"no, \"never\"", "a:b=c"};
    heft_rng                 rng;
    double                   x[N_ROWS], gaps[N_ROWS];
    int32_t                  a[N_ROWS], b[N_ROWS], y[N_ROWS];
    heft_rng_init(&rng, 11, 0);
    for (size_t i = 0; i < N_ROWS; i++) {
        y[i] = (int32_t)heft_rng_below(&rng, 2);
        x[i] = heft_rng_real(&rng) + 0.5 * y[i];
        gaps[i] = heft_rng_below(&rng, 5) ? heft_rng_real(&rng) - 0.3 * y[i] : NAN;
        a[i] = heft_rng_below(&rng, 3) ? y[i] : (int32_t)heft_rng_below(&rng, 3);
        b[i] = (int32_t)heft_rng_below(&rng, 3);
    }
    return table_of(&(frame){.n_rows = N_ROWS,
                             .n_cols = 4,
                             .cols = {{"x", .numbers = x},
                                      {"a", .codes = a, .values = values, .n_values = N_VALUES},
                                      {"gaps", .numbers = gaps},
                                      {"b", .codes = b, .values = values, .n_values = N_VALUES}},
                             .target = "class",
                             .y = y,
                             .classes = names,
                             .n_class = 2});
}

static const char COSTS[] =
    "\"a:b=c\":\"no, \"\"never\"\"\"=5,\"no, \"\"never\"\"\":\"a:b=c\"=0.25";

static const heft_config odd[] = {
    {0},
    {.impute = "mean", .discretize = "width:4", .smoothing = "m:2.5", .unseen = "zero"},
    {.impute = "mean", .discretize = "mdl:0.3", .prior = "uniform", .select = "gain-ratio:60%"},
    {.impute = "mean", .discretize = "frequency:3", .scale = "minmax", .calibrate = "vector"},
    {.impute = "mean", .scale = "range", .prior = "frequency", .class_weight = "balanced"},
    {.impute = "mean", .discretize = "mdl", .tune = "f1", .class_weight = "a:b=c=3"},
    {.impute = "mean", .discretize = "width:3", .cost = COSTS, .part = true},
    {.impute = "mean", .discretize = "mdl", .cost = COSTS, .tune = "cost"},
    {.impute = "mean",
     .discretize = "width:5",
     .threshold = "\"no, \"\"never\"\"=0.3\"",
     .calibrate = "temperature",
     .smoothing = "paper"},
};

enum { N_ODD = sizeof odd / sizeof *odd };

static blob bytes_of(heft_model *model)
{
    model->fitted.training.seconds = 0;
    return saved(model);
}

static bool equal_bytes(heft_model *a, heft_model *b)
{
    blob       x = bytes_of(a), y = bytes_of(b);
    const bool equal = x.n == y.n && memcmp(x.data, y.data, x.n) == 0;
    free(x.data), free(y.data);
    return equal;
}

static heft_config *config_of(const heft_model *model, bool as_given)
{
    heft_config *config;
    OK(heft_model_config(model, as_given, &config, &err));
    return config;
}

static void assert_equal(const heft_config *a, const heft_config *b, const char *method)
{
    const heft_config_difference d = heft_config_compare(a, b);
    if (d.setting)
        fail_msg("%s: %s is '%s' and '%s'", method, d.setting, d.one ? d.one : "none",
                 d.other ? d.other : "none");
    assert_int_equal(a->part, b->part);
    assert_true(a->time_limit == b->time_limit);
    assert_int_equal(a->run->seed, b->run->seed);
}

/* The model fitted again with what it tells of itself. */
static void assert_comes_again(heft_model *model, const heft_table *t, const char *method)
{
    heft_config *given = config_of(model, true), *used = config_of(model, false), *after;
    heft_model  *again, *by_use, *back;
    OK(heft_fit(t, given, &again, &err));
    if (!equal_bytes(model, again)) fail_msg("%s: another model by what was given", method);
    OK(heft_fit(t, used, &by_use, &err));
    double *p = posterior(model, t), *q = posterior(by_use, t);
    if (memcmp(p, q, N_ROWS * 2 * sizeof *p) != 0) fail_msg("%s: other probabilities", method);
    assert_true(heft_decision_equal(&model->decision, model->prep.classes, &by_use->decision,
                                    by_use->prep.classes));
    after = config_of(by_use, false);
    assert_equal(used, after, method);
    heft_config_free(after);
    OK(heft_model_save(model, path, &err));
    OK(heft_model_load(path, &back, &err));
    after = config_of(back, true);
    assert_equal(given, after, method);
    heft_config_free(after);
    free(p), free(q);
    heft_model_free(again), heft_model_free(by_use), heft_model_free(back);
    heft_config_free(given), heft_config_free(used);
}

/* Every method with odd settings: a fit with the configuration that a model reports gives the same
 * file, and a fit with the settings as they were used gives the same probabilities and decisions.
 */
static void every_method_comes_again(void **state)
{
    (void)state;
    heft_table *t = two_classes();
    for (size_t m = 0; m < heft_methods_count(); m++) {
        const char *method = heft_methods_at(m)->name;
        size_t      n_fits = 0;
        for (size_t k = 0; k < N_ODD; k++) {
            heft_config config = odd[k];
            heft_model *model;
            config.method = m || k ? method : NULL;
            config.run = RUN(.threads = 1, .seed = 3 + k);
            const heft_status st = heft_fit(t, &config, &model, &err);
            if (st == HEFT_EUNSUPPORTED) continue;
            if (st == HEFT_EINVAL && heft_config_check(&config, &err) == HEFT_EINVAL) continue;
            OK(st);
            assert_comes_again(model, t, method);
            heft_model_free(model);
            n_fits++;
        }
        if (n_fits < 4) fail_msg("%s was fitted only %zu times", method, n_fits);
    }
    heft_table_free(t);
}

/* Parameters stay as they were given, alternatives among them; as they were used all are there. */
static void parameters_are_told(void **state)
{
    (void)state;
    heft_table *t = two_classes();
    heft_model *model = fit(t, "lcwnb", WITH("kappa=5|10"));
    assert_comes_again(model, t, "lcwnb");
    heft_config *given = config_of(model, true), *used = config_of(model, false);
    assert_string_equal(given->params[0], "kappa=5|10");
    assert_null(given->params[1]);
    assert_null(given->discretize);
    bool chosen = false;
    for (const char *const *p = used->params; *p; p++)
        chosen |= strcmp(*p, "kappa=5") == 0 || strcmp(*p, "kappa=10") == 0;
    assert_true(chosen);
    assert_string_equal(used->discretize, "width:10");
    heft_config_free(given), heft_config_free(used);
    heft_model_free(model);
    heft_table_free(t);
}

/* Costs of a file are kept as a list: the file need not stay. */
static void costs_of_a_file_are_kept(void **state)
{
    (void)state;
    heft_table *t = two_classes();
    const char *file = temp_path(".csv");
    write_text(file, "actual,\"no, \"\"never\"\"\",a:b=c\n\"no, \"\"never\"\"\",0,2\na:b=c,7,0\n");
    heft_model *model = fit(t, "nb", &(heft_config){.cost = file});
    unlink(file);
    assert_comes_again(model, t, "nb");
    heft_model_free(model);
    heft_table_free(t);
}

/* A model that was trained like another one tells the preparation that it took from it. */
static void like_is_told(void **state)
{
    (void)state;
    heft_table  *t = two_classes();
    heft_model  *first = fit(t, "nb", &(heft_config){.discretize = "mdl:0.3", .unseen = "zero"});
    heft_model  *second = fit(t, NULL, &(heft_config){.like = first});
    heft_config *given = config_of(second, true);
    assert_string_equal(given->method, "nb");
    assert_string_equal(given->discretize, "mdl:0.3");
    assert_string_equal(given->unseen, "zero");
    assert_string_equal(given->impute, "none");
    assert_null(given->like);
    heft_config_free(given);
    heft_model_free(first), heft_model_free(second);
    heft_table_free(t);
}

/* A file without the record of what was given tells what its other parts know. */
static void older_files_tell_what_they_know(void **state)
{
    (void)state;
    heft_table *t = two_classes();
    for (size_t k = 0; k < N_ODD; k++) {
        heft_model  *model = fit(t, "nb", &odd[k]), *back;
        heft_config *used = config_of(model, false), *known;
        model->set.n_given = model->set.seed = 0;
        model->set.given = model->set.value = NULL;
        OK(heft_model_save(model, path, &err));
        OK(heft_model_load(path, &back, &err));
        for (int as_given = 0; as_given < 2; as_given++) {
            known = config_of(back, as_given);
            const heft_config_difference d = heft_config_compare(used, known);
            if (d.setting) fail_msg("%zu: %s is %s", k, d.setting, d.other ? d.other : "lost");
            assert_null(known->run);
            heft_config_free(known);
        }
        heft_config_free(used);
        heft_model_free(model), heft_model_free(back);
    }
    heft_table_free(t);
}

/* Each setting that differs is the one that the comparison names. */
static void differences_are_named(void **state)
{
    (void)state;
    const heft_config a = {.method = "nb", .params = PARAMS("x=1", "y=2"), .prior = "uniform"};
    heft_config       b = a;
    assert_null(heft_config_compare(&a, &b).setting);
    b.prior = "frequency";
    assert_string_equal(heft_config_compare(&a, &b).setting, "prior");
    assert_string_equal(heft_config_compare(&a, &b).other, "frequency");
    b.method = NULL;
    assert_string_equal(heft_config_compare(&a, &b).setting, "method");
    assert_null(heft_config_compare(&a, &b).other);
    b = a;
    b.params = PARAMS("x=1");
    assert_string_equal(heft_config_compare(&a, &b).setting, "param");
    assert_string_equal(heft_config_compare(&a, &b).one, "y=2");
    assert_null(heft_config_compare(&a, &b).other);
    assert_string_equal(heft_config_compare(&b, &a).other, "y=2");
}

/* The marks of the file that training rows came from. */
static void the_source_is_told(void **state)
{
    (void)state;
    const char *file = temp_path(".csv");
    heft_table *t;
    heft_source source = {0};
    write_text(file, "x;kind\n1,5;a\n2;b\n-9;c\n4,25;a\n3;b\n");
    OK(heft_read(file, &(heft_source){.missing = "-9", .decimal_mark = ',', .positive = "a"}, &t,
                 &err));
    unlink(file);
    heft_model *model = fit(t, "nb", NULL);
    OK(heft_model_source(model, &source, &err));
    assert_string_equal(source.target, "kind");
    assert_string_equal(source.positive, "a");
    assert_string_equal(source.missing, "-9");
    assert_int_equal(source.decimal_mark, ',');
    heft_model_free(model);
    heft_table_free(t);
}

/* NULL arguments are refused, and a failed allocation at any place is ENOMEM without a leak. */
static void faults_are_reported(void **state)
{
    (void)state;
    heft_table  *t = two_classes();
    heft_model  *model = fit(t, "nb", &odd[6]);
    heft_config *config = NULL;
    size_t       n_failed = 0;
    assert_int_equal(heft_model_config(NULL, true, &config, &err), HEFT_EINVAL);
    assert_int_equal(heft_model_config(model, true, NULL, &err), HEFT_EINVAL);
    assert_int_equal(heft_model_source(model, NULL, &err), HEFT_EINVAL);
    for (size_t n = 1; !config; n++) {
        heft_fail_alloc_at(n, true);
        const heft_status st = heft_model_config(model, false, &config, &err);
        heft_fail_alloc_at(0, false);
        assert_true((st == HEFT_OK) == (config != NULL));
        assert_true(st == HEFT_OK || st == HEFT_ENOMEM);
        n_failed += st != HEFT_OK;
    }
    assert_true(n_failed >= 3);
    heft_config_free(config);
    heft_config_free(NULL);
    heft_model_free(model);
    heft_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_comes_again),
        cmocka_unit_test(parameters_are_told),
        cmocka_unit_test(costs_of_a_file_are_kept),
        cmocka_unit_test(like_is_told),
        cmocka_unit_test(older_files_tell_what_they_know),
        cmocka_unit_test(differences_are_named),
        cmocka_unit_test(the_source_is_told),
        cmocka_unit_test(faults_are_reported),
    };
    snprintf(path, sizeof path, "%s", temp_path(".heft"));
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
