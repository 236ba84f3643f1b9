/* resume_test.c - results in a file: taken from it when all they depend on is the same, never else.
 */
#include "fixture.h"

#include "eval/resume.h"

enum { ROWS = 60, NUMBERS = 3 };

static const char *const class_names[3] = {"a", "b", "c"};
static const char *const methods[] = {"nb", "cfwnb", "klnb", NULL};
static const char *const params[] = {"normalise=sum", NULL};
static const char *const colon[] = {"nb", "cfwnb", "klnb:normalise=sum", NULL};
static const char *const other[] = {"nb", "cfwnb", "klnb:normalise=none", NULL};
static const char *const alias[] = {"klnb", "cfw", "nb", NULL};

typedef struct change { /* of the table */
    double shift;       /* of one cell */
    size_t row;
    int    relabel, weight;
} change;

static heft_table *some_table(uint64_t seed, change how)
{
    heft_rng rng;
    double   x[NUMBERS][ROWS], w[ROWS];
    int32_t  y[ROWS];
    heft_rng_init(&rng, seed, 0);
    for (size_t i = 0; i < ROWS; i++) {
        y[i] = (int32_t)(i % 3);
        w[i] = i == 7 ? 2 : 1;
        for (size_t j = 0; j < NUMBERS; j++) x[j][i] = y[i] + 3 * heft_rng_real(&rng);
    }
    x[1][how.row] += how.shift;
    if (how.relabel) y[how.row] = (y[how.row] + 1) % 3;
    frame f = {.n_rows = ROWS,
               .n_cols = NUMBERS,
               .y = y,
               .classes = class_names,
               .n_class = 3,
               .weight = how.weight ? w : NULL};
    for (size_t j = 0; j < NUMBERS; j++) f.cols[j] = (field){.numbers = x[j]};
    return table_of(&f);
}

static char path[256];

static int set_up(void **state)
{
    (void)state;
    strcpy(path, temp_path(".json"));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

static char *content(void)
{
    const blob b = read_bytes(path);
    assert_true(b.n > 0);
    return (char *)b.data;
}

static heft_results *evaluate_as(const heft_table *table, const char *name,
                                 const heft_eval_plan *plan)
{
    heft_results *results;
    OK(heft_evaluate(&table, &name, 1, plan, &results, &err));
    return results;
}

static size_t n_reused(const heft_results *r)
{
    size_t n = 0;
    for (size_t s = 0; s < heft_results_stages(r); s++)
        for (size_t m = 0; m < heft_results_methods(r); m++)
            n += heft_results_cell(r, s, 0, m)->reused;
    return n;
}

/* Run and forget: how many cells came from the file. */
static size_t reused_by(const heft_table *table, const char *name, const heft_eval_plan *plan)
{
    heft_results *r = evaluate_as(table, name, plan);
    const size_t  n = n_reused(r);
    heft_results_free(r);
    return n;
}

static void same_bits(const heft_cell *a, const heft_cell *b)
{
    assert_null(a->failure);
    assert_int_equal(a->n_folds, b->n_folds);
    assert_memory_equal(a->per_fold, b->per_fold, a->n_folds * sizeof *a->per_fold);
    assert_int_equal(a->n_classes, b->n_classes);
    assert_memory_equal(a->confusion, b->confusion,
                        a->n_classes * a->n_classes * sizeof *a->confusion);
    assert_memory_equal(a->per_fold_macro_f1, b->per_fold_macro_f1,
                        a->n_folds * sizeof *a->per_fold_macro_f1);
    assert_true(a->macro_f1_folds == b->macro_f1_folds);
    assert_true(a->accuracy == b->accuracy && a->accuracy_sd == b->accuracy_sd &&
                a->accuracy_pooled == b->accuracy_pooled);
    assert_memory_equal(a->measures, b->measures, heft_measure_count() * sizeof *a->measures);
}

static void a_second_run_computes_nothing(void **state)
{
    /* All cells come from the file, bit for bit, and the file stays as it was to the byte. */
    (void)state;
    heft_table    *table = some_table(1, (change){0});
    heft_eval_plan plan = {.methods = methods, .folds = 4, .repeats = 2, .noise = "0,0.2"};
    heft_results  *plain = evaluate_as(table, "some", &plan);
    plan.resume = path;
    heft_results *first = evaluate_as(table, "some", &plan);
    char         *before = content();
    heft_results *second = evaluate_as(table, "some", &plan);
    char         *after = content();
    assert_int_equal(n_reused(first), 0);
    assert_int_equal(n_reused(second), 6);
    for (size_t k = 0; k < 6; k++) {
        same_bits(heft_results_cell(plain, k / 3, 0, k % 3),
                  heft_results_cell(first, k / 3, 0, k % 3));
        same_bits(heft_results_cell(plain, k / 3, 0, k % 3),
                  heft_results_cell(second, k / 3, 0, k % 3));
    }
    assert_string_equal(before, after);
    plan.fresh = true;
    assert_int_equal(reused_by(table, "some", &plan), 0);
    free(before);
    free(after);
    heft_results_free(plain);
    heft_results_free(first);
    heft_results_free(second);
    heft_table_free(table);
}

static void what_matters_is_known(void **state)
{
    /* Any change of data or settings computes anew; what changes nothing does not. */
    (void)state;
    heft_table          *table = some_table(1, (change){0});
    const heft_eval_plan base = {
        .methods = methods, .folds = 4, .resume = path, .config = &(heft_config){.params = params}};
    heft_eval_plan    t[13];
    const char *const names[] = {"some", "another"};
    for (size_t k = 0; k < 13; k++) t[k] = base;
    t[0].folds = 5;
    t[1].repeats = 2;
    t[2].config = &(heft_config){.params = params, .run = RUN(.seed = 2)};
    t[3].split = "weka";
    t[4].protocol = "whole";
    t[5].config = &(heft_config){.params = params, .discretize = "width:4"};
    t[6].config = &(heft_config){.params = params, .smoothing = "m:2"};
    t[7].noise = "0.1";
    t[8].learn = "0.9";
    t[9].dimensions = "2";
    t[10].test = table;
    t[11].config = &(heft_config){.params = params, .unseen = "zero"};
    t[12].config = &(heft_config){.params = params, .calibrate = "temperature"};
    for (size_t k = 0; k < 13; k++) {
        unlink(path);
        assert_int_equal(reused_by(table, "some", &base), 0);
        assert_int_equal(reused_by(table, "some", &t[k]), 0);
        assert_int_equal(reused_by(table, "some", &t[k]), 3);
    }
    unlink(path);
    reused_by(table, "some", &base);
    assert_int_equal(reused_by(table, names[1], &base), 0);
    const change changes[] = {
        {.shift = 1e-9}, {.shift = 0.5, .row = ROWS - 1}, {.relabel = 1, .row = 9}, {.weight = 1}};
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        heft_table *changed = some_table(1, changes[k]);
        reused_by(table, "some", &base);
        assert_int_equal(reused_by(changed, "some", &base), 0);
        heft_table_free(changed);
    }
    heft_table_free(table);
}

static void what_does_not_matter_is_not(void **state)
{
    /* The same method under another name, its parameter by another way, other threads, another
     * test or level, another order, fewer or more methods. */
    (void)state;
    heft_table    *table = some_table(1, (change){0});
    heft_eval_plan plan = {
        .methods = methods, .folds = 4, .resume = path, .config = &(heft_config){.params = params}};
    reused_by(table, "some", &plan);
    plan.config = &(heft_config){.params = params, .run = RUN(.threads = 1)};
    plan.paired = "plain", plan.alpha = 0.1;
    assert_int_equal(reused_by(table, "some", &plan), 3);
    plan.methods = alias;
    assert_int_equal(reused_by(table, "some", &plan), 3);
    plan.methods = colon;
    plan.config = NULL;
    assert_int_equal(reused_by(table, "some", &plan), 3);
    plan.methods = other;
    assert_int_equal(reused_by(table, "some", &plan), 2);
    plan.methods = colon + 1;
    assert_int_equal(reused_by(table, "some", &plan), 1);
    plan.noise = "0,0.1";
    assert_int_equal(reused_by(table, "some", &plan), 2); /* noise 0 is no noise */
    heft_table_free(table);
}

static void folds_matter_row_by_row(void **state)
{
    /* Folds from a file are known by what they say, not by the file's name. */
    (void)state;
    heft_table *table = some_table(1, (change){0});
    char        folds[256];
    strcpy(folds, temp_path(".folds"));
    const heft_eval_plan plan = {.methods = methods, .folds_file = folds, .resume = path};
    for (size_t k = 0; k < 3; k++) {
        FILE *file = fopen(folds, "wb");
        for (size_t i = 0; i < ROWS; i++) fprintf(file, "%zu\n", (k == 2 && i < 2 ? 1 - i : i) % 4);
        fclose(file);
        assert_int_equal(reused_by(table, "some", &plan), k == 1 ? 3 : 0);
    }
    unlink(folds);
    heft_table_free(table);
}

typedef struct patience {
    size_t asked, most;
} patience;

static bool enough(void *user)
{
    patience *p = user;
    return ++p->asked > p->most;
}

static void a_stopped_run_goes_on(void **state)
{
    /* Stopped in the middle, the file holds the finished cells and says that it is a part; the next
     * run takes them and ends with the figures of an undisturbed one. */
    (void)state;
    heft_table    *table = some_table(1, (change){0});
    heft_eval_plan plan = {
        .methods = methods, .folds = 5, .config = &(heft_config){.run = RUN(.threads = 1)}};
    heft_results     *plain = evaluate_as(table, "some", &plan), *results;
    patience          p = {0};
    const heft_host   host = {.cancelled = enough, .user = &p};
    const heft_table *data = table;
    plan.resume = path;
    plan.config = &(heft_config){.run = RUN(.threads = 1, .host = &host)};
    while (access(path, R_OK) != 0) { /* ever later, until a cell was finished */
        p = (patience){.most = p.most + 2};
        assert_int_equal(heft_evaluate(&data, (const char *[]){"some"}, 1, &plan, &results, &err),
                         HEFT_ECANCELLED);
    }
    char *part = content();
    assert_non_null(strstr(part, "\"partial\": true"));
    free(part);
    plan.config = NULL;
    results = evaluate_as(table, "some", &plan);
    assert_true(n_reused(results) > 0 && n_reused(results) < 3);
    for (size_t m = 0; m < 3; m++)
        same_bits(heft_results_cell(plain, 0, 0, m), heft_results_cell(results, 0, 0, m));
    part = content();
    assert_null(strstr(part, "\"partial\""));
    free(part);
    heft_results_free(plain);
    heft_results_free(results);
    heft_table_free(table);
}

static void other_files_are_left_alone(void **state)
{
    /* What is not a file of results is refused and stays; an empty file is as good as none. */
    (void)state;
    static const char *const foreign[] = {"a,b,class\n1,2,x\n", "{\"x\": 1}", "[1, 2]",
                                          "{\"heft\": \"0.1\"}", "{\"heft\": 1, \"datasets\": []}"};
    heft_table              *table = some_table(1, (change){0});
    const heft_table        *data = table;
    heft_eval_plan           plan = {.methods = methods, .folds = 3, .resume = path};
    heft_results            *results;
    for (size_t k = 0; k < sizeof foreign / sizeof *foreign; k++) {
        write_text(path, foreign[k]);
        assert_int_equal(heft_evaluate(&data, NULL, 1, &plan, &results, &err), HEFT_EFORMAT);
        assert_non_null(strstr(err.text, "does not hold results of heft"));
        char *still = content();
        assert_string_equal(still, foreign[k]);
        free(still);
    }
    write_text(path, "");
    assert_int_equal(reused_by(table, "some", &plan), 0);
    assert_int_equal(reused_by(table, "some", &plan), 3);
    plan.resume = "/nowhere/at/all.json";
    assert_int_equal(heft_evaluate(&data, NULL, 1, &plan, &results, &err), HEFT_EIO);
    plan.resume = "/tmp";
    assert_int_equal(heft_evaluate(&data, NULL, 1, &plan, &results, &err), HEFT_EINVAL);
    heft_table_free(table);
}

static void is_refused(const heft_table *table, const heft_eval_plan *plan)
{
    heft_results *results;
    assert_int_equal(heft_evaluate(&table, (const char *[]){"some"}, 1, plan, &results, &err),
                     HEFT_EFORMAT);
    assert_null(results);
    if (!strstr(err.text, path)) fail_msg("%s", err.text);
}

/* Change one thing in every cell of the file. */
static void spoil(const char *name, json_t *value)
{
    json_error_t why;
    json_t      *root = json_load_file(path, 0, &why);
    assert_non_null(root);
    json_t *cells =
        json_object_get(json_array_get(json_object_get(root, "datasets"), 0), "methods");
    for (size_t m = 0; m < json_array_size(cells); m++) {
        if (value) json_object_set(json_array_get(cells, m), name, value);
        else json_object_del(json_array_get(cells, m), name);
    }
    assert_int_equal(json_dump_file(root, path, 0), 0);
    json_decref(value);
    json_decref(root);
}

static void spoiled_cells_are_refused(void **state)
{
    /* A cell that is not whole, or not what was written, ends the run with a sentence. One without
     * its key, or with a failure, is computed again, and nothing of it remains. */
    (void)state;
    heft_table          *table = some_table(1, (change){0});
    const heft_eval_plan plan = {.methods = methods, .folds = 3, .resume = path};
    heft_results        *plain =
        evaluate_as(table, "some", &(heft_eval_plan){.methods = methods, .folds = 3});
    const struct {
        const char *name;
        json_t     *value;
    } spoils[] = {{"accuracy", json_real(1.5)},
                  {"accuracy", json_string("1")},
                  {"per_fold", json_array()},
                  {"confusion", json_pack("[[i]]", 1)},
                  {"confusion", json_pack("[[iii][iii][iis]]", 9, 9, 9, 9, 9, 9, 9, 9, "9")},
                  {"confusion", NULL},
                  {"key", NULL},
                  {"failure", json_string("why")},
                  {"auc", json_true()},
                  {"log_loss", json_integer(-1)},
                  {"calibration_error", NULL}};
    for (size_t k = 0; k < sizeof spoils / sizeof *spoils; k++) {
        const bool lost =
            strcmp(spoils[k].name, "key") == 0 || strcmp(spoils[k].name, "failure") == 0;
        reused_by(table, "some", &plan);
        spoil(spoils[k].name, spoils[k].value);
        if (!lost) {
            is_refused(table, &plan);
            remove(path);
        }
        heft_results *again = evaluate_as(table, "some", &plan);
        for (size_t m = 0; m < 3; m++) {
            assert_false(heft_results_cell(again, 0, 0, m)->reused);
            same_bits(heft_results_cell(again, 0, 0, m), heft_results_cell(plain, 0, 0, m));
        }
        heft_results_free(again);
    }
    assert_int_equal(reused_by(table, "some", &plan), 3);
    heft_results_free(plain);
    heft_table_free(table);
}

/* No changed digit of a cell is taken for a figure. */
static void damaged_bytes_are_noticed(void **state)
{
    (void)state;
    heft_table    *table = some_table(1, (change){0});
    heft_eval_plan plan = {.methods = methods, .folds = 3, .resume = path};
    reused_by(table, "some", &plan);
    const blob  whole = read_bytes(path);
    const char *from = strstr((const char *)whole.data, "\"methods\"");
    const char *to = strstr((const char *)whole.data, "\"summary\"");
    size_t      refused = 0, computed = 0;
    assert_true(from && to && from < to);
    for (size_t at = (size_t)(from - (const char *)whole.data); at < whole.n; at++) {
        unsigned char *digit = &whole.data[at];
        heft_results  *results;
        if ((const char *)digit >= to || *digit < '0' || *digit > '9' || at % 5) continue;
        const unsigned char was = *digit;
        const char         *number = (const char *)digit;
        while (strchr("0123456789.e-", number[-1])) number--;
        const double before = strtod(number, NULL);
        *digit = was == '9' ? '3' : (unsigned char)(was + 1);
        const bool same = strtod(number, NULL) == before; /* beyond what a double holds */
        write_bytes(path, whole.data, whole.n);
        *digit = was;
        if (same) continue;
        if (heft_evaluate((const heft_table *const *)&table, (const char *[]){"some"}, 1, &plan,
                          &results, &err) != HEFT_OK) {
            refused++;
            continue;
        }
        size_t reused = 0; /* only what lost its key is computed again */
        for (size_t m = 0; m < 3; m++) reused += heft_results_cell(results, 0, 0, m)->reused;
        if (reused == 3)
            fail_msg("byte %zu: taken for whole: %.80s", at, (const char *)whole.data + at - 40);
        computed++;
        heft_results_free(results);
    }
    assert_true(refused >= 60);
    assert_true(computed < refused);
    free(whole.data);
    heft_table_free(table);
}

static void memory_may_run_out(void **state)
{
    /* A failed allocation at any place of reading or writing the file is ENOMEM. */
    (void)state;
    static const char *const two[] = {"nb", "gnb", NULL};
    heft_table              *table = some_table(1, (change){0});
    const heft_eval_plan     plan = {.methods = two,
                                     .folds = 2,
                                     .resume = path,
                                     .config = &(heft_config){.run = RUN(.threads = 1)}};
    every_allocation_fails(table, &plan);
    heft_table_free(table);
}

#define WITH_FILE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FILE(a_second_run_computes_nothing),
        WITH_FILE(what_matters_is_known),
        WITH_FILE(what_does_not_matter_is_not),
        WITH_FILE(folds_matter_row_by_row),
        WITH_FILE(a_stopped_run_goes_on),
        WITH_FILE(other_files_are_left_alone),
        WITH_FILE(spoiled_cells_are_refused),
        WITH_FILE(damaged_bytes_are_noticed),
        WITH_FILE(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
