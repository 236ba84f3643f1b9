/* report_test.c - pages about models and comparisons: whole, escaped, bounded. */
#include "fixture.h"
#include "methods/registry.h"

#include <jansson.h>

#include "base/mem.h"
#include "base/put.h"
#include "base/structs.h"
#include "data/table.h"
#include "model/fingerprint.h"
#include "model/method.h"

enum { N = 90 };

static const char *const names[] = {"<script>alert(1)</script>", "a\"b'&c", "]]>\x01\xff", "plain"};
static const char *const values[] = {"<b>", "\"onload=\"x", "third"};
static const char *const classes[] = {"</svg><i>", "yes & no", "\x80"};

static heft_table *table_make(size_t K, bool target)
{
    heft_rng rng;
    double   x[2][N];
    int32_t  v[2][N], y[N];
    heft_rng_init(&rng, 4, 4);
    for (size_t i = 0; i < N; i++) {
        y[i] = (int32_t)heft_rng_below(&rng, K);
        for (size_t j = 0; j < 2; j++) {
            x[j][i] = heft_rng_real(&rng) * 2 + 0.4 * y[i];
            v[j][i] = heft_rng_below(&rng, 2) ? y[i] : (int32_t)heft_rng_below(&rng, 3);
        }
    }
    frame f = {.n_rows = N,
               .n_cols = 4,
               .target = "<target>",
               .y = target ? y : NULL,
               .classes = classes,
               .n_class = K};
    for (size_t j = 0; j < 2; j++) {
        f.cols[2 * j] = (field){names[j], .numbers = x[j]};
        f.cols[2 * j + 1] = (field){names[2 + j], .codes = v[j], .values = values, .n_values = 3};
    }
    return table_of(&f);
}

static size_t count(const char *text, const char *word)
{
    size_t n = 0;
    for (const char *s = strstr(text, word); s; s = strstr(s + 1, word)) n++;
    return n;
}

/* Whole, and nothing of the users' became markup or left UTF-8; no number failed. */
static void assert_page(const char *html, const char *what)
{
    static const char *const never[] = {"<script>alert", "<b>",      "<i>",   "\"onload", "\"nan\"",
                                        "\"inf\"",       "\"-inf\"", "=\"\"", "https:",   "url("};
    static const char *const pairs[][2] = {{"<svg", "</svg>"},         {"<figure", "</figure>"},
                                           {"<section", "</section>"}, {"<table", "</table>"},
                                           {"<div", "</div>"},         {"<text", "</text>"},
                                           {"<details", "</details>"}, {"<script", "</script>"}};
    const size_t             length = strlen(html);
    if (strncmp(html, "<!DOCTYPE html>", 15) != 0 || strcmp(html + length - 8, "</html>\n") != 0)
        fail_msg("%s: the page is not whole", what);
    for (size_t k = 0; k < sizeof never / sizeof *never; k++)
        if (strstr(html, never[k])) fail_msg("%s: the page holds %s", what, never[k]);
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        if (count(html, pairs[k][0]) != count(html, pairs[k][1]))
            fail_msg("%s: %s is not closed", what, pairs[k][0]);
    if (count(html, "http:") !=
        count(html, "http://www.w3.org/2000/svg'")) /* of its own drawings */
        fail_msg("%s: the page names an address", what);
    if (!heft_utf8_valid(html)) fail_msg("%s: the page is not UTF-8", what);
}

static void assert_holds(const char *html, const char *what, const char *id)
{
    if (!strstr(html, id)) fail_msg("%s: no %s", what, id);
}

/* Every method's model gives a whole page, with data and without, whatever things are called. */
static void every_method_has_a_page(void **state)
{
    (void)state;
    for (size_t K = 2; K <= 3; K++) {
        heft_table *t = table_make(K, true);
        for (size_t k = 0; k < heft_methods_count(); k++) {
            const heft_method *m = heft_methods_at(k);
            heft_model        *model;
            char              *html;
            model = fit(t, m->name, NULL);
            OK(heft_report_html(model, NULL, NULL, &html, &err));
            assert_page(html, m->name);
            heft_text_free(html);
            OK(heft_report_html(model, t, NULL, &html, &err));
            assert_page(html, m->name);
            for (size_t id = 0; id < 4; id++)
                assert_holds(html, m->name,
                             (const char *[]){"id=\"headline\"", "id=\"measures\"",
                                              "id=\"per-class\"", "id=\"data\""}[id]);
            heft_text_free(html);
            heft_model_free(model);
        }
        heft_table_free(t);
    }
}

/* The data of a page: a JSON document that can stand in a script element. The caller frees it. */
static json_t *data_of(const heft_model *model, const heft_table *t, size_t folds, const char *what)
{
    json_error_t at;
    char        *text;
    OK(heft_report_json(model, t, &(heft_report_plan){.folds = folds}, &text, &err));
    if (strpbrk(text, "<>&\x7f")) fail_msg("%s: the data cannot stand in a script", what);
    for (const char *s = text; s[1]; s++)
        if ((unsigned char)*s < ' ') fail_msg("%s: the data hold a control character", what);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &at);
    if (!root) fail_msg("%s: byte %d: %s", what, at.position, at.text);
    heft_text_free(text);
    return root;
}

static json_t *member(json_t *of, const char *name)
{
    json_t *found = json_object_get(of, name);
    if (!found) fail_msg("no member %s", name);
    return found;
}

/* Every method's model gives the data of its page, with all members, whatever things are called. */
static void every_method_has_data(void **state)
{
    (void)state;
    static const char *const always[] = {
        "format",      "version",     "page",       "heft",         "created",   "title",
        "model",       "data",        "source",     "headline",     "sentences", "measures",
        "per_class",   "confusion",   "confusions", "importance",   "order",     "attributes",
        "shapes",      "pairs",       "triples",    "correlations", "nomogram",  "curves",
        "costs",       "reliability", "scores",     "rows",         "wrong",     "whatif",
        "whatif_note", "details",     "weights"};
    for (size_t K = 2; K <= 3; K++) {
        heft_table *t = table_make(K, true);
        for (size_t k = 0; k < 2 * heft_methods_count(); k++) {
            const heft_method *m = heft_methods_at(k / 2);
            heft_model        *model = fit(t, m->name, NULL);
            json_t            *root = data_of(model, k % 2 ? t : NULL, 0, m->name);
            for (size_t n = 0; n < sizeof always / sizeof *always; n++) member(root, always[n]);
            json_t *attributes = member(root, "attributes");
            assert_int_equal(json_array_size(attributes), 4);
            assert_string_equal(json_string_value(member(json_array_get(attributes, 0), "name")),
                                names[0]);
            json_t *classes_told = member(member(root, "model"), "classes");
            for (size_t c = 0; c < 2; c++)
                assert_string_equal(json_string_value(json_array_get(classes_told, c)), classes[c]);
            const bool additive = json_is_true(member(member(root, "model"), "additive"));
            assert_true(additive == json_is_object(member(root, "whatif")));
            assert_true(additive == (json_array_size(member(root, "sentences")) > 0));
            assert_true((k % 2 && K == 2) == json_is_object(member(root, "costs")));
            json_decref(root);
            heft_model_free(model);
        }
        heft_table_free(t);
    }
}

/* Rows of two attributes: the class is yes where they agree, or (`alone`) where the first is up. */
static heft_table *agreeing(bool alone)
{
    static const char *const sides[2] = {"no", "yes"}, *const ways[2] = {"down", "up"};
    int32_t v[2][N], y[N];
    for (size_t i = 0; i < N; i++) {
        v[0][i] = (int32_t)(i % 2);
        v[1][i] = (int32_t)(i / 2 % 2);
        y[i] = (i % 10 == 9) ^ (alone ? v[0][i] == 1 : v[0][i] == v[1][i]);
    }
    frame f = {.n_rows = N, .n_cols = 2, .target = "y", .y = y, .classes = sides, .n_class = 2};
    for (size_t j = 0; j < 2; j++)
        f.cols[j] = (field){j ? "b" : "a", .codes = v[j], .values = ways, .n_values = 2};
    return table_of(&f);
}

/* The nomogram is compared with the model, and absent where it would often be wrong. */
static void nomograms_agree_or_are_absent(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        heft_table *t = agreeing(k == 1);
        heft_model *model = fit(t, k == 0 ? "nb" : "auto", NULL);
        json_t     *root = data_of(model, k == 3 ? NULL : t, 0, "nomogram");
        json_t     *drawn = member(root, "nomogram");
        const char *note = json_string_value(member(drawn, "note"));
        assert_true((note != NULL) == (k >= 2)); /* what both attributes say has no line */
        assert_true((note != NULL) == (json_array_size(member(drawn, "lines")) == 0));
        if (k == 0) assert_true(json_is_true(member(member(drawn, "agreement"), "exact")));
        if (k == 2) assert_non_null(strstr(note, "would give another class than the model to"));
        json_decref(root);
        heft_model_free(model);
        heft_table_free(t);
    }
}

/* The confusion matrix and the measures are those of predict. */
static void page_tells_the_accuracy(void **state)
{
    (void)state;
    heft_model *model;
    char       *html, text[80];
    int32_t     guess[N];
    size_t      right = 0;
    heft_table *t = table_make(2, true);
    model = fit(t, "nb", NULL);
    OK(heft_predict(model, t, guess, &err));
    for (size_t i = 0; i < N; i++) right += guess[i] == heft_table_class(t, i);
    OK(heft_report_html(model, t, NULL, &html, &err));
    snprintf(text, sizeof text, "\"wrong\":{\"n\":%zu,\"rows\":%d", N - right, N);
    assert_holds(html, "nb", text);
    heft_text_free(html);
    heft_model_free(model);
    heft_table_free(t);
}

/* A table that names no class is told, not an error. */
static void page_without_truth(void **state)
{
    (void)state;
    heft_model *model;
    char       *html;
    heft_table *t = table_make(2, true), *blind = table_make(2, false);
    model = fit(t, "nb", NULL);
    OK(heft_report_html(model, blind, NULL, &html, &err));
    assert_page(html, "nb");
    assert_holds(html, "nb", "cannot be compared with anything");
    heft_text_free(html);
    heft_model_free(model);
    heft_table_free(t), heft_table_free(blind);
}

/* Rows that the model was trained on are named, in any order and after a change of one cell not. */
static void training_rows_are_recognised(void **state)
{
    (void)state;
    heft_ctx    ctx;
    heft_model *model, *again;
    heft_table *t = table_make(3, true), *turned;
    size_t      order[N];
    bool        same;
    model = fit(t, "nb", NULL);
    OK(heft_model_save(model, "fingerprint.heft", &err));
    OK(heft_model_load("fingerprint.heft", &again, &err));
    remove("fingerprint.heft");
    for (size_t i = 0; i < N; i++) order[i] = N - 1 - i;
    OK(heft_ctx_open(&ctx, &err, NULL));
    OK(heft_table_take(&ctx, t, order, N, &turned));
    OK(heft_trained_on(&ctx, again, turned, &same));
    assert_true(same);
    heft_table_free(turned);
    OK(heft_table_take(&ctx, t, order, N - 1, &turned));
    OK(heft_trained_on(&ctx, again, turned, &same));
    assert_false(same);
    heft_table_free(turned);
    ((double *)t->cols[0].cells)[5] += 1e-9;
    OK(heft_trained_on(&ctx, again, t, &same));
    assert_false(same);
    heft_ctx_clear(&ctx);
    heft_model_free(model), heft_model_free(again);
    heft_table_free(t);
}

/* Every method's figures can be cross-validated with its settings. */
static void figures_can_be_cross_validated(void **state)
{
    (void)state;
    heft_table *t = table_make(2, true);
    char       *html;
    for (size_t k = 0; k < heft_methods_count(); k++) {
        heft_model *model = fit(t, heft_methods_at(k)->name, NULL);
        OK(heft_report_html(model, t, &(heft_report_plan){.folds = 3}, &html, &err));
        assert_page(html, heft_methods_at(k)->name);
        assert_holds(html, heft_methods_at(k)->name, "in 3-fold cross-validation on 90 rows");
        assert_null(strstr(html, "id=\"optimistic\""));
        heft_text_free(html);
        assert_int_equal(
            heft_report_html(model, NULL, &(heft_report_plan){.folds = 3}, &html, &err),
            HEFT_EINVAL);
        assert_null(html);
        heft_model_free(model);
    }
    heft_table_free(t);
}

/* A model of a hundred thousand attributes gives a page of a bounded size. */
static void large_models_are_bounded(void **state)
{
    (void)state;
    enum { ROWS = 40, COLS = 100000, PER_ROW = 50 };
    heft_table *t;
    heft_model *model;
    char       *html;
    size_t      start[ROWS + 1];
    uint32_t    col[ROWS * PER_ROW];
    double      val[ROWS * PER_ROW];
    int32_t     y[ROWS];
    for (size_t i = 0; i <= ROWS; i++) start[i] = i * PER_ROW;
    for (size_t e = 0; e < ROWS * PER_ROW; e++) {
        col[e] = (uint32_t)(e % PER_ROW * 2000 + e / PER_ROW);
        val[e] = 1 + (double)(e % 7);
    }
    for (size_t i = 0; i < ROWS; i++) y[i] = (int32_t)(i % 2);
    OK(heft_table_create(ROWS, &t, &err));
    OK(heft_table_add_sparse(t, COLS, start, col, val, NULL, &err));
    OK(heft_table_set_target(t, "class", y, classes, 2, &err));
    model = fit(t, "nb", NULL);
    OK(heft_report_html(model, t, NULL, &html, &err));
    assert_page(html, "large");
    assert_true(strlen(html) < 300000);
    heft_text_free(html);
    heft_model_free(model);
    heft_table_free(t);
}

static heft_results *compare(size_t n_data, const char *const *methods)
{
    heft_results           *results;
    heft_table             *a = table_make(2, true), *b = table_make(3, true);
    const heft_table *const data[] = {a, b};
    OK(heft_evaluate(data, (const char *[]){"<b>set", "two"}, n_data,
                     &(heft_eval_plan){.methods = methods, .folds = 3}, &results, &err));
    heft_table_free(a), heft_table_free(b);
    return results;
}

/* A comparison's page has the table and its plots; the rank plot needs two of everything. */
static void comparisons_have_a_page(void **state)
{
    (void)state;
    char             *html;
    const char *const three[] = {"nb", "gnb", "cfwnb", NULL};
    heft_results     *r = compare(2, three);
    OK(heft_results_text(r, "html", &html, &err));
    assert_page(html, "two sets");
    assert_holds(html, "two sets", "id=\"results\"");
    assert_holds(html, "two sets", "<bdi>&lt;b&gt;set</bdi>");
    assert_holds(html, "two sets", "\"name\": \"\\u003cb\\u003eset\"");
    /* q(3) sqrt(3 4 / (6 2)) = 2.344 */
    assert_holds(html, "two sets", "\"critical_difference\": 2.343");
    heft_text_free(html);
    heft_results_free(r);
    r = compare(1, three);
    OK(heft_results_text(r, "html", &html, &err));
    assert_page(html, "one set");
    assert_null(strstr(html, "\"critical_difference\": 2"));
    for (size_t k = 0; k < 3; k++) { /* measures by method, without scripts */
        char line[80];
        snprintf(line, sizeof line, "<th scope=\"row\"><bdi>%s</bdi></th><td class=\"n\">",
                 three[k]);
        assert_holds(html, "one set", line);
    }
    heft_text_free(html);
    heft_results_free(r);
}

/* A page of results that cannot be had is an error, wherever memory runs out. */
static void comparisons_survive_no_memory(void **state)
{
    (void)state;
    heft_results *r = compare(2, (const char *const[]){"nb", "gnb", NULL});
    const size_t  before = heft_alloc_count();
    char         *html;
    OK(heft_results_text(r, "html", &html, &err));
    const size_t n = heft_alloc_count() - before;
    heft_text_free(html);
    for (size_t k = 1; k <= n; k++) {
        heft_fail_alloc_at(k, true);
        html = (char *)&err;
        const heft_status st = heft_results_text(r, "html", &html, &err);
        heft_fail_alloc_at(0, false);
        if (st != HEFT_ENOMEM || html) fail_msg("allocation %zu of %zu: status %d", k, n, (int)st);
    }
    heft_results_free(r);
}

/* Memory that runs out anywhere is an error, and nothing is lost. */
static void no_memory_is_an_error(void **state)
{
    (void)state;
    static const char *const methods[] = {"nb", "auto"};
    heft_table              *t = table_make(2, true);
    for (size_t m = 0; m < 2; m++) {
        char       *html = NULL;
        heft_model *model = fit(t, methods[m], NULL);
        OK(heft_report_html(model, t, NULL, &html, &err)); /* terms are kept with the model */
        heft_text_free(html);
        const size_t before = heft_alloc_count();
        OK(heft_report_html(model, t, NULL, &html, &err));
        const size_t n = heft_alloc_count() - before;
        heft_text_free(html);
        for (size_t k = 1; k <= n; k += n / 60 + 1) {
            heft_fail_alloc_at(k, true);
            html = (char *)&err;
            const heft_status st = heft_report_html(model, t, NULL, &html, &err);
            heft_fail_alloc_at(0, false);
            if (st != HEFT_ENOMEM || html)
                fail_msg("%s: allocation %zu of %zu: status %d", methods[m], k, n, (int)st);
            heft_fail_alloc_at(k, true);
            const heft_status again = heft_report_json(model, t, NULL, &html, &err);
            heft_fail_alloc_at(0, false);
            if (again != HEFT_ENOMEM && again != HEFT_OK)
                fail_msg("%s: data, allocation %zu: status %d", methods[m], k, (int)again);
            heft_text_free(html);
        }
        heft_model_free(model);
    }
    heft_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_has_a_page),
        cmocka_unit_test(every_method_has_data),
        cmocka_unit_test(nomograms_agree_or_are_absent),
        cmocka_unit_test(page_tells_the_accuracy),
        cmocka_unit_test(training_rows_are_recognised),
        cmocka_unit_test(figures_can_be_cross_validated),
        cmocka_unit_test(page_without_truth),
        cmocka_unit_test(large_models_are_bounded),
        cmocka_unit_test(comparisons_have_a_page),
        cmocka_unit_test(comparisons_survive_no_memory),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
