/* message_syntax_test.c - messages that a C program gets name fields of structs, not options of the
 * program: calls through the public headers, each of which is refused in its own way. */
#include "fixture.h"

#include "heft_evaluate.h"
#include "heft_host.h"
#include "heft_memory.h"
#include "heft_methods.h"
#include "heft_stream.h"

/* An option such as --drop, -m nb or -p tol=, or a command of the program. */
static bool speaks_program(const char *text)
{
    static const char *const commands[] = {"heft train",    "heft merge",   "heft predict",
                                           "heft evaluate", "heft inspect", "heft methods"};
    for (const char *s = strchr(text, '-'); s; s = strchr(s + 1, '-')) {
        if (s > text && s[-1] != ' ' && s[-1] != '(' && s[-1] != '\'') continue;
        if (s[1] == '-' && s[2] >= 'a' && s[2] <= 'z') return true;
        if ((s[1] == 'm' || s[1] == 'p') && s[2] == ' ') return true;
    }
    for (size_t k = 0; k < sizeof commands / sizeof *commands; k++)
        if (strstr(text, commands[k])) return true;
    return false;
}

static void said(heft_status st, const char *text, const char *what)
{
    if (st == HEFT_OK) fail_msg("%s is not refused", what);
    if (speaks_program(text) || strstr(text, "='") ||
        (strchr(text, '{') && !strstr(text, "{values}")))
        fail_msg("%s: %s", what, text);
}

static heft_table *rows_of(size_t n_class)
{
    static const char *const classes[] = {"a", "b", "c"}, *const colours[] = {"red", "green"};
    double      x[60];
    int32_t     y[60], colour[60];
    heft_table *t;
    for (int i = 0; i < 60; i++) {
        x[i] = i % 7 == 0 ? (double)NAN : i % 7;
        colour[i] = i % 2;
        y[i] = (int32_t)((size_t)i % n_class);
    }
    assert_int_equal(heft_table_create(60, &t, &err), HEFT_OK);
    assert_int_equal(heft_table_add_numbers(t, "x", x, 1, &err), HEFT_OK);
    assert_int_equal(heft_table_add_codes(t, "colour", colour, 1, colours, 2, &err), HEFT_OK);
    assert_int_equal(heft_table_set_target(t, "class", y, classes, n_class, &err), HEFT_OK);
    return t;
}

/* Every configuration that a fit refuses. */
static void configurations(void **state)
{
    (void)state;
    static const char *const floor[] = {"floor=0.1", NULL}, *const unknown[] = {"nothing=1", NULL},
                             *const range[] = {"max-iter=-1", NULL};
    const struct {
        heft_config config;
        size_t      n_class;
    } cases[] = {
        {{.method = "nb", .discretize = "cuts"}, 2},
        {{.method = "nb", .discretize = "width:1"}, 2},
        {{.method = "nb", .discretize = "mdl:-1"}, 2},
        {{.method = "nb", .impute = "mode"}, 2},
        {{.method = "nb", .scale = "log"}, 2},
        {{.method = "nb", .smoothing = "none"}, 2},
        {{.method = "nb", .smoothing = "m:0"}, 2},
        {{.method = "nb", .prior = "2"}, 2},
        {{.method = "nb", .prior = "z=1"}, 2},
        {{.method = "nb", .prior = "a=2"}, 2},
        {{.method = "nb", .prior = "a=1,a=0"}, 2},
        {{.method = "nb", .prior = "a=0.9,b=0.9"}, 2},
        {{.method = "nb", .select = "best"}, 2},
        {{.method = "nb", .select = "gain-ratio:x"}, 2},
        {{.method = "nb", .unseen = "drop"}, 2},
        {{.method = "nb", .calibrate = "platt"}, 2},
        {{.method = "nb", .class_weight = "a"}, 2},
        {{.method = "nb", .class_weight = "z=1"}, 2},
        {{.method = "nb", .class_weight = "a=1,a=2"}, 2},
        {{.method = "nb", .class_weight = "balanced", .part = true}, 2},
        {{.method = "nb", .cost = "a"}, 2},
        {{.method = "nb", .cost = "a:z=1"}, 2},
        {{.method = "nb", .cost = "a:b=0,b:a=0"}, 2},
        {{.method = "nb", .cost = "a:b=2", .threshold = "a=0.5"}, 2},
        {{.method = "nb", .threshold = "a"}, 2},
        {{.method = "nb", .threshold = "z=0.5"}, 2},
        {{.method = "nb", .threshold = "a=0.5"}, 3},
        {{.method = "nb", .tune = "recall"}, 2},
        {{.method = "nb", .tune = "cost"}, 2},
        {{.method = "nb", .tune = "mcc"}, 3},
        {{.method = "nb", .tune = "mcc", .cost = "a:b=2"}, 2},
        {{.method = "nb", .tune = "mcc", .threshold = "a=0.5"}, 2},
        {{.method = "nb", .tune = "mcc", .part = true}, 2},
        {{.method = "nb", .time_limit = 5}, 2},
        {{.method = "auto", .time_limit = -5}, 2},
        {{.method = "auto", .time_limit = 5, .calibrate = "vector"}, 2},
        {{.method = "auto", .time_limit = 5, .tune = "mcc"}, 2},
        {{.method = "auto", .smoothing = "laplace"}, 2},
        {{.method = "tan", .prior = "uniform"}, 2},
        {{.method = "tan", .smoothing = "m:2"}, 2},
        {{.method = "lwnb", .class_weight = "balanced"}, 2},
        {{.method = "aode", .discretize = "none"}, 2},
        {{.method = "nowhere"}, 2},
        {{.method = "nb", .params = floor}, 2},
        {{.method = "nb", .params = unknown}, 2},
        {{.method = "rnb", .params = range}, 2},
        {{.method = "nb"}, 1},
        {{.method = "nb", .run = &(heft_runtime){.memory = 1}}, 2},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char        what[40];
        heft_model *model;
        heft_table *t = rows_of(cases[k].n_class);
        snprintf(what, sizeof what, "configuration %zu", k);
        const heft_status st = heft_fit(t, &cases[k].config, &model, &err);
        said(st, err.text, what);
        heft_model_free(model);
        heft_table_free(t);
    }
}

/* A setting whose number is wrong or left out: the message shows one that is right. */
static void examples_of_settings(void **state)
{
    (void)state;
    const struct {
        heft_config config;
        const char *words;
    } cases[] = {
        {{.discretize = "width"}, "such as .discretize = \"width:10\""},
        {{.discretize = "frequency:1"}, "such as .discretize = \"frequency:10\""},
        {{.discretize = "mdl:"}, "such as .discretize = \"mdl:0.6\""},
        {{.select = "gain-ratio"},
         "number of attributes to keep, such as .select = \"gain-ratio:10\""},
        {{.select = "mutual-information:0"}, "such as .select = \"mutual-information:2.5%\""},
        {{.smoothing = "m"}, "such as .smoothing = \"m:0.5\""},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        heft_model *model;
        heft_table *t = rows_of(2);
        heft_config config = cases[k].config;
        config.method = "nb";
        assert_int_equal(heft_fit(t, &config, &model, &err), HEFT_EINVAL);
        if (!strstr(err.text, cases[k].words)) fail_msg("%s", err.text);
        heft_table_free(t);
    }
}

/* Every source that reading refuses, with a file that has it. */
static void sources(void **state)
{
    (void)state;
    static const char rows[] = "x,colour,class\n1,red,a\n2,green,b\n3,red,a\n4,green,b\n";
    static const struct {
        const char *name, *text;
        heft_source how;
    } cases[] = {
        {"s.csv", rows, {.target = "nowhere"}},
        {"s.csv", rows, {.drop = "nowhere"}},
        {"s.csv", rows, {.drop = "1-3"}},
        {"s.csv", rows, {.numeric = "x", .nominal = "x"}},
        {"s.csv", rows, {.numeric = "colour"}},
        {"s.csv", rows, {.positive = "z"}},
        {"s.csv", rows, {.weight = "colour"}},
        {"s.csv", rows, {.delimiter = 'x'}},
        {"s.csv", rows, {.decimal_mark = '1'}},
        {"s.csv", rows, {.decimal_mark = ',', .delimiter = ','}},
        {"s.csv", rows, {.quote = 'x'}},
        {"s.csv", rows, {.quote = ',', .delimiter = ','}},
        {"s.csv", rows, {.skip = 100}},
        {"s.csv", rows, {.format = "xml"}},
        {"s.csv", rows, {.max_columns = 1}},
        {"s.csv", rows, {.max_classes = 1}},
        {"s.csv", "a,b\n1,2\n1,2,3\n", {0}},
        {"s.csv", "a,b\n\"1,2\n3,4\n", {0}},
        {"s.csv", "PAR1PAR1PAR1", {0}},
        {"s.csv", "", {0}},
        {"s.arff", "@relation r\n@attribute d date\n@attribute c {a,b}\n@data\n1,a\n", {0}},
        {"s.arff", "@relation r\n@attribute d\n@data\n", {0}},
        {"s.arff", rows, {.quote = '"'}},
        {"s.svm", "1 0:1\n-1 x\n", {0}},
        {"s.svm", "1 1:1\n-1 1:2\n", {.target = "x"}},
        {"s.svm", "1 1:1\n-1 1:2\n", {.decimal_mark = ','}},
        {"s.svm", "1 1:1\n-1 9:2\n", {.max_columns = 2}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char        what[40];
        heft_table *t;
        heft_source how = cases[k].how;
        const char *path = write_text(in_folder(cases[k].name), cases[k].text);
        how.size = sizeof how;
        snprintf(what, sizeof what, "source %zu", k);
        const heft_status st = heft_read(path, &how, &t, &err);
        said(st, err.text, what);
        if (how.quote == 'x') assert_non_null(strstr(err.text, ".quote = HEFT_NO_QUOTE if"));
    }
}

static void evaluations(void **state)
{
    (void)state;
    static const char *const nb[] = {"nb", NULL}, *const odd[] = {"nb:tol=1", NULL};
    const heft_eval_plan cases[] = {
        {.methods = nb, .folds = 100},
        {.methods = nb, .folds = -1},
        {.methods = nb, .holdout = 0.0001},
        {.methods = nb, .split = "thirds"},
        {.methods = nb, .protocol = "loose"},
        {.methods = nb, .paired = "both"},
        {.methods = nb, .noise = "x"},
        {.methods = nb, .learn = "1000"},
        {.methods = nb, .dimensions = "9"},
        {.methods = nb, .alpha = 2},
        {.methods = nb, .decimals = 20},
        {.methods = odd},
        {.methods = nb, .dimensions = "1", .config = &(heft_config){.select = "cfs"}},
        {.methods = nb, .config = &(heft_config){.time_limit = 1}},
    };
    heft_table *t = rows_of(2);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char              what[40];
        heft_results     *results;
        const heft_table *data = t;
        const char       *name = "data";
        snprintf(what, sizeof what, "plan %zu", k);
        heft_status st = heft_evaluate(&data, &name, 1, &cases[k], &results, &err);
        const char *text = err.text;
        if (st == HEFT_OK) { /* what one method cannot do is told in its cell */
            const heft_cell *cell = heft_results_cell(results, 0, 0, 0);
            st = cell->failure ? HEFT_EINVAL : HEFT_OK;
            text = cell->failure ? cell->failure : "";
        }
        said(st, text, what);
        heft_results_free(results);
    }
    heft_table_free(t);
}

/* Models that are no models, predictions and exports that cannot be. */
static void models(void **state)
{
    (void)state;
    static const heft_export_options exports[] = {{.format = "xyz"},
                                                  {.format = "json", .table = "t"},
                                                  {.format = "sql", .table = "heft_x"},
                                                  {.format = "c", .evidence = true}};
    heft_table                      *t = rows_of(2), *other = NULL;
    heft_model                      *model = NULL, *none;
    double                           proba[120];
    char                            *text = NULL;
    const char                      *file = write_text(in_folder("m.heft"), "x,y\n1,2\n");
    said(heft_model_load(file, &none, &err), err.text, "a text as a model");
    write_text(file, "");
    said(heft_model_load(file, &none, &err), err.text, "an empty model");
    assert_int_equal(heft_fit(t, &(heft_config){.method = "nb"}, &model, &err), HEFT_OK);
    assert_int_equal(heft_table_create(60, &other, &err), HEFT_OK);
    said(heft_predict_proba(model, other, proba, &err), err.text, "rows without columns");
    said(heft_model_set_decision(model, "a", NULL, &err), err.text, "a decision");
    said(heft_model_set_decision(model, NULL, "z=0.5", &err), err.text, "a threshold");
    for (size_t k = 0; k < sizeof exports / sizeof *exports; k++)
        said(heft_export_text(model, &exports[k], &text, NULL, &err), err.text, "an export");
    said(heft_export_file(model, "model.xyz", NULL, &err), err.text, "an ending");
    heft_model_free(model);
    heft_table_free(other);
    heft_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(configurations),
        cmocka_unit_test(examples_of_settings),
        IN_FOLDER(sources),
        cmocka_unit_test(evaluations),
        IN_FOLDER(models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
