/* inspect_test.c - documents about a model: what they say is true, and they are safe to read. */
#include "fixture.h"

#include "base/mem.h"
#include "base/put.h"
#include "explain/explain.h"
#include "pages/report.h"
#include "train/fit.h"

enum { N_ROWS = 200, N_CLASS = 3 };

static const char *const classes[] = {"yes", "caf\xe9", "esc \x1b[31m"};
static const char *const letters[] = {"a", "b", "c"};

/* told: the class itself. near: a number far apart by class. idle: nothing to do with it. one: a
 * constant. gap: a number with missing cells. */
static heft_table *known_table(void)
{
    heft_rng rng;
    double   near[N_ROWS], one[N_ROWS], gap[N_ROWS];
    int32_t  told[N_ROWS], idle[N_ROWS], y[N_ROWS];
    heft_rng_init(&rng, 5, 0);
    for (size_t i = 0; i < N_ROWS; i++) {
        y[i] = (int32_t)(i % N_CLASS);
        told[i] = y[i];
        near[i] = 100 * y[i] + heft_rng_real(&rng);
        idle[i] = (int32_t)(i / N_CLASS % 3);
        one[i] = 4;
        gap[i] = i % 4 ? heft_rng_real(&rng) : NAN;
    }
    return table_of(&(frame){.n_rows = N_ROWS,
                             .n_cols = 5,
                             .cols = {{"idle", .codes = idle, .values = letters, .n_values = 3},
                                      {"gap", .numbers = gap},
                                      {"told", .codes = told, .values = letters, .n_values = 3},
                                      {"one", .numbers = one},
                                      {"near \xe9\x1b", .numbers = near}},
                             .target = "y",
                             .y = y,
                             .classes = classes,
                             .n_class = N_CLASS});
}

static json_t *parse(char *text)
{
    json_error_t error;
    json_t      *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!root) fail_msg("%s at %d:%d", error.text, error.line, error.column);
    heft_text_free(text);
    return root;
}

static json_t *inspect_json(const heft_model *model)
{
    return parse(inspect(model, "json", 0));
}

static double number_of(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    assert_non_null(text);
    return text;
}

/* ---- inspect ---- */

/* The JSON has the members of the interface, with the model's own numbers. */
static void json_members(void **state)
{
    (void)state;
    heft_table *t = known_table();
    heft_model *model = fit(t, "nb", &(heft_config){.prior = "uniform"});
    json_t     *root = inspect_json(model), *list = json_object_get(root, "attributes");
    assert_string_equal(text_of(root, "method"), "nb");
    assert_string_equal(json_string_value(json_array_get(json_object_get(root, "classes"), 1)),
                        "caf\xc3\xa9");
    for (size_t c = 0; c < N_CLASS; c++) {
        const double p = json_number_value(json_array_get(json_object_get(root, "prior"), c));
        assert_true(fabs(p - 1.0 / N_CLASS) < 1e-12);
    }
    assert_int_equal(json_array_size(list), 5);
    assert_string_equal(text_of(json_array_get(list, 0), "kind"), "nominal");
    assert_string_equal(text_of(json_array_get(list, 4), "kind"), "numeric");
    assert_string_equal(text_of(json_array_get(list, 4), "name"), "near \xc3\xa9\x1b");
    assert_true(number_of(json_array_get(list, 0), "weight") == 1);
    const json_t *training = json_object_get(root, "training");
    assert_true(number_of(training, "rows") == N_ROWS);
    assert_true(number_of(training, "seconds") >= 0);
    static const char *const only_iterative[] = {"iterations", "objective_initial",
                                                 "objective_final", "converged"};
    for (size_t k = 0; k < 4; k++)
        assert_true(json_is_null(json_object_get(training, only_iterative[k])));
    assert_string_equal(text_of(json_object_get(root, "parameters"), "floor"), "none");
    assert_string_equal(text_of(json_object_get(root, "preparation"), "prior"), "uniform");
    assert_true(json_is_object(json_object_get(root, "extra")));
    json_decref(root);
    heft_model_free(model);
    heft_table_free(t);
}

/* Every method of the registry can be inspected; iterative fits say how they went. */
static void all_methods(void **state)
{
    (void)state;
    heft_table *t = known_table();
    for (size_t m = 0; m < heft_methods_count(); m++) {
        heft_model   *model = fit(t, heft_methods_at(m)->name,
                                  &(heft_config){.impute = "mean", .discretize = "width:3"});
        json_t       *root = inspect_json(model);
        const json_t *training = json_object_get(root, "training");
        assert_int_equal(json_array_size(json_object_get(root, "attributes")), 5);
        assert_int_equal(json_object_size(json_object_get(root, "parameters")), model->n_params);
        if (model->fitted.training.iterative) {
            assert_true(number_of(training, "iterations") >= 0);
            assert_true(json_is_boolean(json_object_get(training, "converged")));
        }
        for (size_t k = 0; k < model->fitted.training.n_facts; k++) {
            char title[HEFT_TITLE_BYTES];
            assert_null(strchr(heft_fact_title(model->fitted.training.facts[k].name, title), '_'));
        }
        json_decref(root);
        heft_text_free(inspect(model, "text", 0));
        heft_model_free(model);
    }
    heft_table_free(t);
}

/* "not converged" is said where a limit was reached, not where the number of iterations is fixed.
 */
static void fits_that_end_early(void **state)
{
    (void)state;
    heft_table *t = known_table();
    heft_model *model = fit(t, "nb", &(heft_config){0});
    model->fitted.training = (heft_training){.iterative = true,
                                             .iterations = 1,
                                             .objective_initial = 2,
                                             .stopped_by = "the iteration limit was reached"};
    char *text = inspect(model, "text", 0);
    assert_non_null(strstr(text, " 1 iteration, objective 2 to 0, not converged: the iteration"));
    heft_text_free(text);
    model->fitted.training.stopped_by = NULL;
    text = inspect(model, "text", 0);
    assert_non_null(strstr(text, " 1 iteration (a fixed number), objective 2 to 0\n"));
    heft_text_free(text);
    heft_model_free(model), heft_table_free(t);
    char path[1024];
    snprintf(path, sizeof path, "%s/examples/loans.csv", getenv("HEFT_ROOT"));
    OK(heft_read(path, NULL, &t, &err));
    model = fit(t, "auto", &(heft_config){0});
    assert_true(model->fitted.training.iterative && !model->fitted.training.converged);
    text = inspect(model, "text", 0);
    assert_null(strstr(text, "converged"));
    heft_text_free(text);
    heft_model_free(model);
    heft_table_free(t);
}

/* Weights stand under the name that their shape has, by class, by value or interval, by pair. */
static void weight_shapes(void **state)
{
    (void)state;
    heft_table *t = known_table();
    heft_model *model = fit(
        t, "nb", &(heft_config){.impute = "mean", .discretize = "width:4", .smoothing = "paper"});
    heft_fitted *f = &model->fitted;
    double       w[5 * 8];
    size_t       offset[6] = {0};
    for (size_t k = 0; k < 40; k++) w[k] = 0.5 + (double)k;
    for (size_t j = 0; j < 5; j++) offset[j + 1] = offset[j] + f->lik[j].n_codes;
    f->weights.w = w;
    f->weights.offset = offset;

    f->weights.shape = HEFT_W_ATTR;
    json_t *root = inspect_json(model), *list = json_object_get(root, "attributes");
    assert_true(number_of(json_array_get(list, 2), "weight") == 2.5);
    json_decref(root);

    f->weights.shape = HEFT_W_CLASS;
    root = inspect_json(model), list = json_object_get(root, "attributes");
    const json_t *by_class = json_object_get(json_array_get(list, 1), "class_weights");
    assert_int_equal(json_object_size(by_class), N_CLASS);
    assert_true(number_of(by_class, "caf\xc3\xa9") == 4.5);
    assert_null(json_object_get(json_array_get(list, 1), "weight"));
    json_decref(root);

    f->weights.shape = HEFT_W_VALUE;
    root = inspect_json(model), list = json_object_get(root, "attributes");
    assert_true(number_of(json_object_get(json_array_get(list, 0), "value_weights"), "b") == 1.5);
    const json_t *by_value = json_object_get(json_array_get(list, 4), "value_weights");
    char          interval[64];
    assert_int_equal(json_object_size(by_value), 4);
    assert_true(number_of(by_value, heft_prep_value(&model->prep, 4, 3, interval,
                                                    sizeof interval)) == w[offset[4] + 3]);
    json_decref(root);
    heft_model_free(model);
    heft_table_free(t);
}

/* Where a fit is one against one, pairs of classes carry the weights. */
static void pairs(void **state)
{
    (void)state;
    heft_table *t = known_table();
    heft_model *model = fit(t, "lnb", &(heft_config){.impute = "mean"});
    json_t     *root = inspect_json(model), *list = json_object_get(root, "pairs");
    assert_int_equal(json_array_size(list), 3);
    const json_t *last = json_array_get(list, 2), *names = json_object_get(last, "classes");
    assert_string_equal(json_string_value(json_array_get(names, 0)), "caf\xc3\xa9");
    assert_int_equal(json_array_size(json_object_get(last, "weights")), 5);
    assert_true(number_of(last, "prior_weight") == 1);
    assert_null(json_object_get(json_array_get(json_object_get(root, "attributes"), 0), "weight"));
    json_decref(root);
    heft_model_free(model);
    heft_table_free(t);
}

/* The number in column "bits" of the line that begins with `name`. */
static double bits_of(const char *text, const char *name)
{
    const char *at = strstr(text, "bits  ");
    while (at && strncmp(at, name, strlen(name)) != 0) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    const char *number = at ? strpbrk(at + strlen(name), "0123456789") : NULL;
    assert_non_null(number);
    return number ? strtod(number, NULL) : 0;
}

/* An attribute that is the class tells log2(3) bits, one far apart by class too, idle ones none. */
static void bits(void **state)
{
    (void)state;
    heft_table              *t = known_table();
    static const char *const methods[] = {"nb", "gnb", "flexnb"};
    for (size_t m = 0; m < 3; m++) {
        heft_model *model = fit(t, methods[m], &(heft_config){.smoothing = "m:1e-9"});
        char       *text = inspect(model, "text", 0);
        assert_true(fabs(bits_of(text, "told") - log2(3)) < 0.01);
        assert_true(fabs(bits_of(text, "near \\xe9\\x1b") - log2(3)) < (m == 2 ? 0.2 : 0.01));
        assert_true(bits_of(text, "idle") < 0.01);
        assert_true(bits_of(text, "one") < 0.01);
        assert_true(bits_of(text, "gap") < 0.1);
        heft_text_free(text);
        heft_model_free(model);
    }
    heft_table_free(t);
}

/* Attributes come by what they tell, the silent last; `top` cuts the list and says so. */
static void order(void **state)
{
    (void)state;
    heft_table *t = known_table();
    heft_model *model = fit(t, "nb", NULL);
    char       *text = inspect(model, "text", 0);
    const char *list = strstr(text, "All weights are equal");
    assert_non_null(list);
    const char *told = strstr(list, "\ntold "), *idle = strstr(list, "\nidle "),
               *one = strstr(list, "\none ");
    assert_true(told && idle && one && told < idle && idle < one);
    assert_null(strstr(text, "more attributes"));
    heft_text_free(text);
    text = inspect(model, "text", 2);
    assert_non_null(strstr(text, "(3 more attributes)"));
    assert_null(strstr(text, "\nidle "));
    heft_text_free(text);
    heft_model_free(model);
    heft_table_free(t);
}

static void assert_safe(const char *text)
{
    for (const char *c = text; *c; c++) assert_true((unsigned char)*c >= 0x20 || *c == '\n');
    json_t *utf8 = json_string(text);
    assert_non_null(utf8);
    json_decref(utf8);
}

/* No control character of a name reaches the terminal, and no broken UTF-8. */
static void terminal_safe(void **state)
{
    (void)state;
    heft_table *t = known_table();
    heft_model *model = fit(t, "nb", NULL);
    char       *text = inspect(model, "text", 0);
    assert_safe(text);
    assert_non_null(strstr(text, "esc \\x1b[31m"));
    heft_text_free(text);
    OK(heft_explain_text(model, t, 2, "text", 0, &text, &err));
    assert_safe(text);
    heft_text_free(text);
    heft_model_free(model);
    heft_table_free(t);
}

/* ---- explain ---- */

static json_t *explain_json(const heft_model *model, const heft_table *t, size_t i)
{
    char *text;
    OK(heft_explain_text(model, t, i, "json", 0, &text, &err));
    return parse(text);
}

/* Parts add up to scores and log-odds, and the posterior is that of predict, row by row. */
static void adds_up(void **state)
{
    (void)state;
    heft_table *t = known_table();
    heft_model *model = fit(t, "nb", &(heft_config){.smoothing = "m:5"});
    double      proba[N_ROWS * N_CLASS];
    OK(heft_predict_proba(model, t, proba, &err));
    for (size_t i = 0; i < 12; i++) {
        json_t *root = explain_json(model, t, i), *list = json_object_get(root, "attributes");
        json_t *prior = json_object_get(root, "prior");
        double  odds = number_of(prior, "log_odds");
        for (size_t j = 0; j < 5; j++) odds += number_of(json_array_get(list, j), "log_odds");
        assert_true(odds == number_of(root, "log_odds"));
        for (size_t c = 0; c < N_CLASS; c++) {
            double score = json_number_value(json_array_get(json_object_get(prior, "parts"), c));
            for (size_t j = 0; j < 5; j++)
                score += json_number_value(
                    json_array_get(json_object_get(json_array_get(list, j), "parts"), c));
            assert_true(score ==
                        json_number_value(json_array_get(json_object_get(root, "score"), c)));
            assert_true(
                fabs(json_number_value(json_array_get(json_object_get(root, "posterior"), c)) -
                     proba[i * N_CLASS + c]) < 1e-12);
        }
        assert_true(number_of(root, "row") == (double)(i + 1));
        json_decref(root);
    }
    heft_model_free(model);
    heft_table_free(t);
}

/* Values are those of the table: text, numbers, null and "?" where missing. */
static void cells(void **state)
{
    (void)state;
    heft_table *t = known_table();
    heft_model *model = fit(t, "nb", NULL);
    json_t     *root = explain_json(model, t, 4), *list = json_object_get(root, "attributes");
    assert_string_equal(text_of(json_array_get(list, 2), "value"), "b");
    assert_true(json_is_null(json_object_get(json_array_get(list, 1), "value")));
    assert_true(number_of(json_array_get(list, 1), "log_odds") == 0);
    assert_true(number_of(json_array_get(list, 3), "value") == 4);
    assert_string_equal(text_of(root, "predicted"), "caf\xc3\xa9");
    assert_string_equal(text_of(root, "actual"), "caf\xc3\xa9");
    json_decref(root);
    char *text;
    OK(heft_explain_text(model, t, 4, "text", 2, &text, &err));
    assert_non_null(strstr(text, "row 5; the actual value of y is caf\\xe9"));
    assert_non_null(strstr(text, "\n(3 more)"));
    assert_non_null(strstr(text, "\ntotal "));
    heft_text_free(text);
    OK(heft_explain_text(model, t, 4, "text", 0, &text, &err));
    const char *gap = strstr(text, "\ngap ");
    assert_non_null(gap);
    assert_int_equal(gap[5 + strspn(gap + 5, " ")], '?');
    heft_text_free(text);
    heft_model_free(model);
    heft_table_free(t);
}

/* Classes that take no part are left out of the log-odds, down to the last one. */
static void no_runner_up(void **state)
{
    (void)state;
    heft_table *t = known_table();
    heft_model *model = fit(t, "nb", &(heft_config){.prior = "yes=1"});
    json_t     *root = explain_json(model, t, 1);
    char       *text;
    assert_string_equal(text_of(root, "predicted"), "yes");
    assert_true(json_is_null(json_object_get(root, "runner_up")));
    assert_true(json_is_null(json_array_get(json_object_get(root, "score"), 1)));
    assert_true(json_number_value(json_array_get(json_object_get(root, "posterior"), 0)) == 1);
    json_decref(root);
    OK(heft_explain_text(model, t, 1, "text", 0, &text, &err));
    assert_non_null(strstr(text, "the only possible class"));
    heft_text_free(text);
    heft_model_free(model);
    heft_table_free(t);
}

/* Sparse rows are explained by their entries; an absent one is 0. */
static void sparse_rows(void **state)
{
    (void)state;
    heft_table    *t;
    const size_t   start[] = {0, 2, 3, 4, 6};
    const uint32_t col[] = {0, 2, 1, 1, 0, 1};
    const double   val[] = {3, 1, 2, 4, 2, 1};
    const int32_t  y[] = {0, 1, 1, 0};
    OK(heft_table_create(4, &t, &err));
    OK(heft_table_add_sparse(t, 3, start, col, val, NULL, &err));
    OK(heft_table_set_target(t, "y", y, classes, 2, &err));
    heft_model *model = fit(t, "nb", NULL);
    json_t     *root = explain_json(model, t, 3), *list = json_object_get(root, "attributes");
    assert_true(number_of(json_array_get(list, 0), "value") == 2);
    assert_true(number_of(json_array_get(list, 1), "value") == 1);
    assert_true(number_of(json_array_get(list, 2), "value") == 0);
    json_decref(root);
    heft_model_free(model);
    heft_table_free(t);
}

/* ---- both ---- */

/* Whichever allocation fails: ENOMEM and no leak. */
static void no_memory(void **state)
{
    (void)state;
    static const char *const formats[] = {"text", "json"};
    heft_table              *t = known_table();
    heft_model              *model = fit(t, "nb", NULL);
    for (size_t k = 0; k < 4; k++) {
        heft_status st = HEFT_ENOMEM;
        char       *text = NULL;
        for (size_t n = 1; st != HEFT_OK; n++) {
            heft_fail_alloc_at(n, n % 2);
            st = k < 2 ? heft_inspect_text(model, formats[k], 0, &text, &err)
                       : heft_explain_text(model, t, 3, formats[k - 2], 0, &text, &err);
            heft_fail_alloc_at(0, false);
            if (st != HEFT_OK) assert_int_equal(st, HEFT_ENOMEM);
        }
        heft_text_free(text);
    }
    heft_model_free(model);
    heft_table_free(t);
}

/* Numbers for people: so many digits, no trailing zeros, an exponent where it is shorter. */
static void short_numbers(void **state)
{
    (void)state;
    static const struct {
        double      x;
        int         digits;
        const char *text;
    } cases[] = {
        {0, 4, "0"},
        {1, 4, "1"},
        {-0.25, 4, "-0.25"},
        {3.14159, 4, "3.142"},
        {99999.5, 4, "100000"},
        {1234567, 4, "1234567"},
        {0.00012345, 3, "0.000123"},
        {1e-5, 4, "1e-5"},
        {9.9999e-6, 3, "1e-5"},
        {1.5e7, 4, "1.5e7"},
        {-2.5e300, 3, "-2.5e300"},
        {5e-324, 3, "4.94e-324"},
        {INFINITY, 3, "inf"},
        {NAN, 3, "?"},
        {1.7976931348623157e308, 3, "1.8e308"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        heft_buf buf = {0};
        heft_buf_short(&buf, cases[k].x, cases[k].digits);
        heft_buf_add(&buf, "", 1);
        assert_string_equal(buf.data, cases[k].text);
        heft_buf_clear(&buf);
    }
}

/* Each conversion of heft_put; names of users are made safe for where they go. */
static void formatted(void **state)
{
    (void)state;
    const double list[] = {1, INFINITY, 0.5};
    heft_buf     buf = {0};
    heft_put(&buf, "%s %c %z %l %% %3g %2f %0f", "a%s", 'x', (size_t)7, -3L, 1.23456, 2.0, 2.6);
    assert_string_equal(heft_buf_string(&buf), "a%s x 7 -3 % 1.23 2.00 3");
    buf.length = 0;
    heft_put(&buf, "%j %j %n %n %v", "a\"b", (char *)NULL, 0.1, (double)NAN, list, (size_t)3);
    assert_string_equal(heft_buf_string(&buf), "\"a\\\"b\" null 0.1 null [1, null, 0.5]");
    buf.length = 0;
    heft_put(&buf, "%40q|%40h", "a\tb<", "<a href='x'>&\"");
    assert_string_equal(heft_buf_string(&buf), "a\\x09b<|&lt;a href=&#39;x&#39;&gt;&amp;&quot;");
    heft_buf_clear(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formatted),     cmocka_unit_test(json_members),
        cmocka_unit_test(all_methods),   cmocka_unit_test(fits_that_end_early),
        cmocka_unit_test(weight_shapes), cmocka_unit_test(pairs),
        cmocka_unit_test(bits),          cmocka_unit_test(order),
        cmocka_unit_test(terminal_safe), cmocka_unit_test(adds_up),
        cmocka_unit_test(cells),         cmocka_unit_test(no_runner_up),
        cmocka_unit_test(sparse_rows),   cmocka_unit_test(no_memory),
        cmocka_unit_test(short_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
