/* honest_test.c - values and classes that a file does not declare are learned from the rows that
 * count: evaluating a CSV file gives the figures, bit for bit, of training on each fold's rows as a
 * file of their own; rows without a class or a weight add nothing to a model. */
#include "fixture.h"

#include "data/table.h"
#include "eval/eval.h"
#include "heft_stream.h"
#include "model/model.h"

enum { FOLDS = 4, MOST_ROWS = 1000 };

/* ---- a file and its parts ---- */

typedef struct lines { /* of a CSV file without quoted line ends */
    blob   text;
    size_t n; /* rows; line 0 is the header */
    char  *line[MOST_ROWS + 1];
} lines;

static lines read_lines(const char *path)
{
    lines f = {.text = read_bytes(path)};
    char *at = (char *)f.text.data;
    for (; *at; f.n++) {
        char *end = strchr(at, '\n');
        assert_non_null(end);
        assert_true(f.n <= MOST_ROWS);
        *end = 0;
        f.line[f.n] = at;
        at = end + 1;
    }
    f.n--;
    return f;
}

/* Row i is in fold i % FOLDS: rare classes and values are absent from some. */
static void write_part(const lines *f, size_t fold, bool test, const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%s\n", f->line[0]);
    for (size_t i = 0; i < f->n; i++)
        if ((i % FOLDS == fold) == test) fprintf(file, "%s\n", f->line[i + 1]);
    assert_int_equal(fclose(file), 0);
}

/* The kinds of the columns are those that the whole file shows. */
static heft_source kinds_of(const heft_table *table)
{
    static char lists[2][4096];
    lists[0][0] = lists[1][0] = 0;
    for (size_t j = 0; j < table->n_cols; j++) {
        char *list = lists[table->cols[j].kind == HEFT_NOMINAL];
        snprintf(list + strlen(list), 24, "%s%zu", *list ? "," : "", j + 1);
    }
    return (heft_source){.target = table->target->name, .numeric = lists[0], .nominal = lists[1]};
}

/* ---- the comparison ---- */

/* Posteriors of the fold's rows, by a model of a file of the others; 0 for classes it lacks. */
static void predict_part(const lines *f, const heft_table *all, size_t fold, const char *method,
                         const heft_config *config, double *proba)
{
    const heft_source how = kinds_of(all);
    const heft_dict  *classes = all->target->dict;
    const size_t      K = heft_dict_size(classes);
    heft_table       *train, *test;
    write_part(f, fold, false, in_folder("train.csv"));
    write_part(f, fold, true, in_folder("test.csv"));
    OK(heft_read(in_folder("train.csv"), &how, &train, &err));
    heft_model *model = fit(train, method, config);
    heft_source like = how;
    like.like = model;
    OK(heft_read(in_folder("test.csv"), &like, &test, &err));
    double *own = posterior(model, test);
    for (size_t k = 0; k < heft_table_rows(test); k++)
        for (size_t c = 0; c < heft_model_classes(model); c++) {
            const char    *name = heft_model_class_name(model, c);
            const uint32_t to = heft_dict_find(classes, name, strlen(name));
            assert_true(to < K);
            proba[(k * FOLDS + fold) * K + to] = own[k * heft_model_classes(model) + c];
        }
    free(own);
    heft_model_free(model);
    heft_table_free(train);
    heft_table_free(test);
}

static void folds_equal_files(const char *file, const char *method, const heft_config *config)
{
    char csv[600];
    snprintf(csv, sizeof csv, "%s", file); /* paths in a folder are few */
    const lines   f = read_lines(csv);
    char          folds[MOST_ROWS * 2 + 1];
    uint16_t      y[MOST_ROWS];
    heft_table   *all;
    heft_measures wanted;
    heft_ctx      ctx;
    heft_config   words = config ? *config : (heft_config){0};
    OK(heft_read(csv, NULL, &all, &err));
    assert_int_equal(heft_table_rows(all), f.n);
    const size_t K = heft_table_classes(all);
    double      *proba = calloc(f.n * K, sizeof *proba);
    for (size_t i = 0; i < f.n; i++) {
        y[i] = (uint16_t)heft_table_class(all, i);
        snprintf(folds + 2 * i, 3, "%zu\n", i % FOLDS);
    }
    write_text(in_folder("folds"), folds);
    for (size_t fold = 0; fold < FOLDS; fold++) predict_part(&f, all, fold, method, config, proba);
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    OK(heft_measure(&ctx,
                    &(heft_outcomes){.proba = proba, .y = y, .n = f.n, .n_class = K, .positive = 1},
                    &wanted, NULL));
    heft_ctx_clear(&ctx);

    heft_results *results = evaluate(all, &(heft_eval_plan){.methods = (const char *[]){method, 0},
                                                            .config = &words,
                                                            .folds_file = in_folder("folds")});
    const heft_cell *cell = heft_results_cell(results, 0, 0, 0);
    if (cell->failure) fail_msg("%s: %s", method, cell->failure);
    for (size_t k = 0; k < heft_measure_count(); k++)
        if (memcmp(&cell->measures[k], &wanted.value[k], sizeof(double)) != 0 &&
            !(isnan(cell->measures[k]) && isnan(wanted.value[k])))
            fail_msg("%s with %s: %s is %.17g, of files %.17g", csv, method,
                     heft_measure_at(k)->name, cell->measures[k], wanted.value[k]);
    heft_results_free(results);
    heft_table_free(all);
    free(proba);
    free(f.text.data);
}

static void csv_of(const char *arff, const char *csv)
{
    heft_table *table;
    OK(heft_read(arff, NULL, &table, &err));
    OK(heft_write(table, csv, "csv", NULL, &err));
    heft_table_free(table);
}

/* Rare classes and values, missing cells, a column of words and numbers. */
static void folds_of_a_made_file(void **state)
{
    static const char *const methods[] = {"nb",    "gnb",  "tan",    "aode", "hnb",  "cfwnb",
                                          "lcwnb", "lnb",  "wanbia", "rnb",  "vwnb", "treenb",
                                          "auto",  "swnb", "sbc",    "iclnb"};
    heft_rng                 rng;
    FILE                    *file = fopen(in_folder("made.csv"), "w");
    (void)state;
    assert_non_null(file);
    heft_rng_init(&rng, 7, 0);
    fprintf(file, "a,b,c,kind\n");
    for (int i = 0; i < 160; i++) {
        const int c = i == 17 ? 9 : i % 40 == 3 ? 7 : (int)heft_rng_below(&rng, 3);
        const int a = (int)heft_rng_below(&rng, 5) + c;
        fprintf(file, "v%d,", a);
        if (i == 30) fprintf(file, "?,word,");
        else fprintf(file, "%d.5,%d,", (int)heft_rng_below(&rng, 20) + 3 * c, i == 64 ? 111 : a);
        fprintf(file, "k%d\n", c);
    }
    assert_int_equal(fclose(file), 0);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        folds_equal_files(in_folder("made.csv"), methods[m],
                          &(heft_config){.discretize = "width:4", .impute = "mean"});
    folds_equal_files(in_folder("made.csv"), "nb", NULL);
    folds_equal_files(in_folder("made.csv"), "nb", &(heft_config){.unseen = "zero"});
    folds_equal_files(in_folder("made.csv"), "nb", &(heft_config){.calibrate = "vector"});
    folds_equal_files(in_folder("made.csv"), "nb", &(heft_config){.select = "cfs"});
}

static void folds_of_public_files(void **state)
{
    static const char *const sets[] = {"primary-tumor", "audiology", "vote",
                                       "labor",         "lymph",     "zoo"};
    static const char *const methods[] = {"nb", "tan", "cfwnb", "wanbia", "lcwnb"};
    (void)state;
    for (size_t d = 0; d < sizeof sets / sizeof *sets; d++) {
        char name[40];
        snprintf(name, sizeof name, "%s.arff", sets[d]);
        const char *arff = data_file(name);
        if (!arff) continue;
        csv_of(arff, in_folder("set.csv"));
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
            folds_equal_files(in_folder("set.csv"), methods[m],
                              &(heft_config){.discretize = "width:5", .impute = "mean"});
        folds_equal_files(in_folder("set.csv"), "nb", NULL);
    }
}

static void folds_of_an_example(void **state)
{
    char path[600];
    (void)state;
    snprintf(path, sizeof path, "%s/examples/loans.csv", getenv("HEFT_ROOT"));
    heft_table *table;
    OK(heft_read(path, NULL, &table, &err));
    OK(heft_write(table, in_folder("loans.csv"), "csv", NULL, &err));
    heft_table_free(table);
    folds_equal_files(in_folder("loans.csv"), "nb", NULL);
    folds_equal_files(in_folder("loans.csv"), "tan", &(heft_config){.discretize = "mdl"});
}

/* ---- rows that do not count ---- */

static heft_model *model_of(const char *text, const char *weight)
{
    heft_table *table;
    write_text(in_folder("rows.csv"), text);
    OK(heft_read(in_folder("rows.csv"), &(heft_source){.target = "y", .weight = weight}, &table,
                 &err));
    heft_model *model = fit(table, "nb", NULL);
    heft_table_free(table);
    return model;
}

static void rows_that_do_not_count_add_nothing(void **state)
{
    (void)state;
    heft_model *plain = model_of("x,w,y\na,1,yes\nb,1,no\na,2,yes\n", "w");
    heft_model *light = model_of("x,w,y\na,1,yes\nb,1,no\na,2,yes\nq,0,new\nr,1,?\n", "w");
    char       *one = inspect(plain, "json", 0), *two = inspect(light, "json", 0);
    assert_int_equal(heft_model_classes(light), 2);
    for (char *s = one; (s = strstr(s, "\"seconds\": ")); s++) s[11] = 0;
    for (char *s = two; (s = strstr(s, "\"seconds\": ")); s++) s[11] = 0;
    assert_string_equal(one, two);
    assert_int_equal(heft_dict_size(light->prep.attr[0].dict), 2);
    heft_text_free(one);
    heft_text_free(two);
    heft_model_free(plain);
    heft_model_free(light);
}

/* A table of rows by turns of weight 1 and 2. With `light` rows of weight 0 stand between them,
 * some of a class and of values that no other row has. */
static heft_table *turns(bool light)
{
    heft_table *table;
    FILE       *file = fopen(in_folder("turns.csv"), "w");
    assert_non_null(file);
    fprintf(file, "x,z,w,y\n");
    for (int i = 0; i < 60; i++) {
        if (light && i % 4 == 1) fprintf(file, "q,99,0,%s\n", i % 8 == 1 ? "new" : "yes");
        if (light && i % 20 == 7) fprintf(file, "r,-5,0,?\n");
        fprintf(file, "%c,%d,%d,%s\n", "abc"[i * 7 % 11 % 3], i * 5 % 13, 1 + i % 2,
                i * 3 % 7 < 3 ? "yes" : "no");
    }
    assert_int_equal(fclose(file), 0);
    OK(heft_read(in_folder("turns.csv"), &(heft_source){.target = "y", .weight = "w"}, &table,
                 &err));
    return table;
}

/* The measures and confusion matrices as text. */
static char *figures(const heft_table *table, const heft_eval_plan *plan)
{
    char         *text;
    heft_results *results = evaluate(table, plan);
    assert_int_equal(results->sets[0].n_rows, plan->test ? 120 : 60);
    assert_int_equal(results->sets[0].n_class, 2);
    OK(heft_results_text(results, "details", &text, &err));
    heft_results_free(results);
    return text;
}

static void rows_of_weight_0_are_in_no_fold(void **state)
{
    (void)state;
    heft_table *plain = turns(false), *light = turns(true);
    for (int k = 0; k < 5; k++) {
        heft_eval_plan plan = {.methods = (const char *[]){"nb", "lnb", NULL},
                               .folds = k == 1 ? 60 : 3,
                               .split = k == 2 ? "weka" : NULL,
                               .protocol = k == 4 ? "whole" : NULL};
        heft_eval_plan same = plan;
        if (k > 2) plan.folds = same.folds = 0, plan.test = light, same.test = plain;
        char *one = figures(plain, &same), *two = figures(light, &plan);
        assert_string_equal(one, two);
        heft_text_free(one), heft_text_free(two);
    }
    heft_table_free(plain), heft_table_free(light);
}

/* predict writes a line for them and does not count them. */
static void rows_of_weight_0_are_not_tested(void **state)
{
    (void)state;
    heft_table *plain = turns(false), *light = turns(true);
    heft_model *model = fit(plain, "nb", NULL);
    heft_tally  one = {.size = sizeof one}, two = one;
    const char *to = in_folder("out.csv");
    OK(heft_predict_table(model, plain, to, NULL, &one, &err));
    OK(heft_predict_table(model, light, to, NULL, &two, &err));
    assert_int_equal(one.n_rows, heft_table_rows(plain));
    assert_int_equal(two.n_rows, heft_table_rows(light));
    assert_int_equal(two.n_labelled, one.n_labelled);
    assert_int_equal(two.n_right, one.n_right);
    assert_int_equal(two.n_unknown, 0);
    const lines out = read_lines(to);
    assert_int_equal(out.n, heft_table_rows(light));
    free(out.text.data);
    heft_model_free(model);
    heft_table_free(plain), heft_table_free(light);
}

/* A declared value has its share of the smoothing although no row has it. */
static void declared_values_stay(void **state)
{
    heft_table *table;
    (void)state;
    write_text(in_folder("d.arff"), "@relation d\n@attribute x {a,b,q}\n@attribute y {no,yes,new}\n"
                                    "@data\na,yes\nb,no\na,yes\n");
    OK(heft_read(in_folder("d.arff"), NULL, &table, &err));
    heft_model *model = fit(table, "nb", NULL);
    assert_int_equal(heft_model_classes(model), 3);
    assert_int_equal(heft_dict_size(model->prep.attr[0].dict), 3);
    heft_model_free(model);
    heft_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(folds_of_a_made_file),
        IN_FOLDER(folds_of_public_files),
        IN_FOLDER(folds_of_an_example),
        IN_FOLDER(rows_that_do_not_count_add_nothing),
        IN_FOLDER(rows_of_weight_0_are_in_no_fold),
        IN_FOLDER(rows_of_weight_0_are_not_tested),
        IN_FOLDER(declared_values_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
