/* structs_test.c - structs of programs that were built for another version of heft. */
#include "fixture.h"

#include "base/structs.h"

/* ---- the two functions ---- */

typedef struct grown { /* version 1.0 ended with `b`; version 1.1 added `c` and `d` */
    size_t      size;
    int         a;
    const char *b;
    double      c;
    bool        d;
} grown;

#define GROWN HEFT_STRUCT(grown, b)

typedef struct newer { /* what a program of version 1.2 has */
    grown  known;
    double e;
} newer;

enum { FIRST = offsetof(grown, b) + sizeof(const char *) };

static heft_ctx ctx;

static int begin(void **state)
{
    (void)state;
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    return 0;
}

static void taken(void **state)
{
    (void)state;
    grown       to;
    const grown all = {sizeof all, 1, "b", 3, true};
    OK(heft_struct_take(&ctx, GROWN, &all, &to));
    assert_memory_equal(&to, &all, sizeof to);
    const grown first = {0, 1, "b", 3,
                         true}; /* what is behind the fields of 1.0 is not looked at */
    OK(heft_struct_take(&ctx, GROWN, &first, &to));
    assert_true(to.a == 1 && to.b == first.b && to.c == 0 && !to.d);
    const grown old = {FIRST, 1, "b", 3, true};
    OK(heft_struct_take(&ctx, GROWN, &old, &to));
    assert_true(to.a == 1 && to.b == old.b && to.c == 0 && !to.d);
    const grown middle = {offsetof(grown, d), 1, "b", 3, true};
    OK(heft_struct_take(&ctx, GROWN, &middle, &to));
    assert_true(to.c == 3 && !to.d);
    OK(heft_struct_take(&ctx, GROWN, NULL, &to));
    assert_true(to.a == 0 && !to.b && to.c == 0 && !to.d);
    newer later = {.known = all};
    later.known.size = sizeof later;
    OK(heft_struct_take(&ctx, GROWN, &later, &to));
    assert_true(to.c == 3 && to.d);
    later.e = 1;
    assert_int_equal(heft_struct_take(&ctx, GROWN, &later, &to), HEFT_EINVAL);
    assert_non_null(strstr(err.text, "grown: the program was built for a newer heft"));
    const grown bad = {FIRST - 1, 1, "b", 3, true};
    assert_int_equal(heft_struct_take(&ctx, GROWN, &bad, &to), HEFT_EINVAL);
    assert_non_null(strstr(err.text, "grown: size is"));
}

static void given(void **state)
{
    (void)state;
    const grown from = {0, 1, "b", 3, true};
    grown       to = {.c = 9};
    OK(heft_struct_give(&ctx, GROWN, &from, &to));
    assert_true(to.size == 0 && to.a == 1 && to.b == from.b && to.c == 9 && !to.d);
    to = (grown){.size = offsetof(grown, d)};
    OK(heft_struct_give(&ctx, GROWN, &from, &to));
    assert_true(to.size == offsetof(grown, d) && to.c == 3 && !to.d);
    newer later = {.known = {.size = sizeof later}, .e = 9};
    OK(heft_struct_give(&ctx, GROWN, &from, &later));
    assert_true(later.known.size == sizeof later && later.known.d && later.e == 0);
    to.size = 3;
    assert_int_equal(heft_struct_give(&ctx, GROWN, &from, &to), HEFT_EINVAL);
}

/* ---- public structs ---- */

/* Calls `call` with a struct of the type in `name`: of size 0 and sizeof it succeeds; too small, or
 * with a byte set behind it, it names the struct. */
typedef heft_status call_fn(void *room);

static void check_input(const char *name, const void *good, size_t size, call_fn *call)
{
    char         room[1024];
    const size_t sizes[] = {0, size, size + 8, size + 8, 12};
    const char   last[] = {0, 0, 0, 1, 0};
    char         says[64];
    assert_true(size + 8 <= sizeof room);
    snprintf(says, sizeof says, "%s: ", name);
    for (size_t k = 0; k < 5; k++) {
        memset(room, 0, sizeof room);
        memcpy(room, good, size);
        memcpy(room, &sizes[k], sizeof sizes[k]);
        room[size + 7] = last[k];
        const heft_status st = call(room);
        if (k < 3 ? st != HEFT_OK : st != HEFT_EINVAL) fail_msg("%s, %zu: %s", name, k, err.text);
        if (k >= 3 && strncmp(err.text, says, strlen(says)) != 0) fail_msg("'%s'", err.text);
    }
}

static heft_table *table;
static const char *path;

static heft_status fit_with(const heft_config *config)
{
    heft_model       *model = NULL;
    const heft_status st = heft_fit(table, config, &model, &err);
    heft_model_free(model);
    return st;
}

static heft_status call_config(void *room)
{
    const heft_status st = fit_with(room);
    assert_int_equal(heft_config_check(room, &err), st);
    return st;
}

static heft_status call_runtime(void *room)
{
    return fit_with(&(heft_config){.method = "nb", .run = room});
}

static heft_status call_host(void *room)
{
    return fit_with(&(heft_config){.method = "nb", .run = RUN(.host = room)});
}

static heft_status call_comm(void *room)
{
    return fit_with(&(heft_config){.method = "nb", .run = RUN(.comm = room)});
}

static heft_status call_source(void *room)
{
    heft_table       *t = NULL;
    const heft_status st = heft_read(path, room, &t, &err);
    heft_table_free(t);
    return st;
}

static heft_status call_export(void *room)
{
    char             *text = NULL;
    heft_model       *model = fit(table, "nb", NULL);
    const heft_status st = heft_export_text(model, room, &text, NULL, &err);
    heft_text_free(text);
    heft_model_free(model);
    return st;
}

static heft_status call_plan(void *room)
{
    heft_results     *results = NULL;
    const heft_table *data = table;
    const heft_status st = heft_evaluate(&data, NULL, 1, room, &results, &err);
    heft_results_free(results);
    return st;
}

static heft_status call_matrix(void *room)
{
    heft_table *t;
    OK(heft_table_create(2, &t, &err));
    const heft_status st = heft_table_add_matrix(t, room, false, &err);
    heft_table_free(t);
    return st;
}

static heft_status call_predictions(void *room)
{
    heft_model       *model = fit(table, "nb", NULL);
    const heft_status st = heft_predict_table(model, table, in_folder("p.csv"), room, NULL, &err);
    heft_model_free(model);
    return st;
}

static heft_table *small_table(void)
{
    static const char *const names[] = {"a", "b"};
    static const int32_t     v[] = {0, 1, 1, 0}, y[] = {0, 1, 1, 0};
    static const double      x[] = {1, 2, 3, 4};
    return table_of(
        &(frame){.n_rows = 4,
                 .n_cols = 2,
                 .cols = {{"x", .numbers = x}, {"v", .codes = v, .values = names, .n_values = 2}},
                 .y = y,
                 .classes = names,
                 .n_class = 2});
}

static void inputs(void **state)
{
    (void)state;
    const double cells[] = {1, 2};
    table = small_table();
    path = write_text(in_folder("t.csv"), "x,class\n1,a\n2,b\n");
    check_input("heft_config", &(heft_config){.method = "nb"}, sizeof(heft_config), call_config);
    check_input("heft_runtime", RUN(.threads = 1), sizeof(heft_runtime), call_runtime);
    check_input("heft_host", &(heft_host){0}, sizeof(heft_host), call_host);
    check_input("heft_comm", &(heft_comm){.n_ranks = 1}, sizeof(heft_comm), call_comm);
    check_input("heft_source", &(heft_source){.header = 1}, sizeof(heft_source), call_source);
    check_input("heft_export_options", &(heft_export_options){.format = "json"},
                sizeof(heft_export_options), call_export);
    check_input("heft_eval_plan",
                &(heft_eval_plan){.folds = 2, .config = &(heft_config){.method = "nb"}},
                sizeof(heft_eval_plan), call_plan);
    check_input("heft_matrix", MATRIX(2, 1, cells, 1, 1, NULL), sizeof(heft_matrix), call_matrix);
    check_input("heft_predictions", &(heft_predictions){.proba = true}, sizeof(heft_predictions),
                call_predictions);
    heft_table_free(table);
}

/* ---- structs that the caller gets ---- */

static void outputs(void **state)
{
    (void)state;
    table = small_table();
    heft_model *model = fit(table, "nb", &(heft_config){.discretize = "width:2"});
    struct {
        heft_attribute a;
        double         more;
    } own = {.a = {.size = sizeof own}, .more = 5};
    OK(heft_model_attribute(model, 0, &own.a, &err));
    assert_true(own.a.size == sizeof own && own.more == 0 && own.a.n_cuts == 1);
    assert_true(own.a.cuts[0] == 2.5 && own.a.n_values == 2 && isnan(own.a.fill));
    own.a = (heft_attribute){0}, own.more = 5;
    OK(heft_table_attribute(table, 1, &own.a, &err));
    assert_true(own.a.size == 0 && own.more == 5 && own.a.kind == HEFT_NOMINAL);
    own.a.size = 1;
    assert_int_equal(heft_table_attribute(table, 1, &own.a, &err), HEFT_EINVAL);
    assert_int_equal(heft_model_attribute(model, 1, &own.a, &err), HEFT_EINVAL);
    own.a.size = 0;
    assert_int_equal(heft_table_attribute(table, 2, &own.a, &err), HEFT_EINVAL);
    assert_int_equal(heft_model_attribute(model, 2, &own.a, &err), HEFT_EINVAL);
    heft_tally tally = {.size = sizeof tally};
    OK(heft_predict_table(model, table, in_folder("p.csv"), NULL, &tally, &err));
    assert_true(tally.n_rows == 4 && tally.n_labelled == 4 && tally.size == sizeof tally);
    tally.size = 8;
    assert_int_equal(heft_predict_table(model, table, in_folder("p.csv"), NULL, &tally, &err),
                     HEFT_EINVAL);
    heft_term_info term = {.size = 1};
    assert_int_equal(heft_model_term(model, 0, &term, &err), HEFT_EINVAL);
    term.size = sizeof term;
    OK(heft_model_term(model, 1, &term, &err));
    assert_true(term.n_attributes == 1 && term.attributes[0] == 1 && isnan(term.strength));
    heft_model_free(model);
    heft_table_free(table);
}

static void the_version_is_one(void **state)
{
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", HEFT_VERSION_MAJOR, HEFT_VERSION_MINOR,
             HEFT_VERSION_PATCH);
    assert_string_equal(heft_version(), text);
    assert_string_equal(HEFT_VERSION, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(taken, begin),
                                       cmocka_unit_test_setup(given, begin), IN_FOLDER(inputs),
                                       IN_FOLDER(outputs), cmocka_unit_test(the_version_is_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
