/* shown_test.c - how the results of an evaluation are shown. */
#include "fixture.h"

#include "eval/results.h"

/* Two data sets and three methods, one of which fails once. */
static const double folds_of[2][3][4] = {
    {{.5, .5, .75, .75}, {.75, .5, 1, 1}, {.25, .5, .75, .5}},
    {{1, 1, .75, 1}, {1, 1, .75, 1}, {0, 0, 0, 0}},
};

static heft_results *made_results(void)
{
    static heft_results_set sets[2] = {
        {.name = "iris", .n_rows = 150, .n_attr = 4, .n_class = 3},
        {.name = "a|\x01\"\xff", .n_rows = 20, .n_attr = 7, .n_class = 2}};
    static const char   *methods[3] = {"nb", "gnb:x=1", "tan"};
    static heft_cell     cells[6];
    static heft_measures measures[2]; /* of the first cell, and of all others */
    static heft_results  results;
    results = (heft_results){.n_data = 2,
                             .n_method = 3,
                             .folds = 4,
                             .repeats = 1,
                             .seed = 1,
                             .sets = sets,
                             .methods = methods,
                             .cells = cells};
    measures[0].auc = (double)NAN, measures[1].auc = 0.5;
    for (size_t k = 0; k < 6; k++) {
        heft_cell *c = &cells[k];
        *c = (heft_cell){.dataset = sets[k / 3].name,
                         .method = methods[k % 3],
                         .n_folds = 4,
                         .per_fold = folds_of[k / 3][k % 3],
                         .measures = measures[k > 0].value};
        for (size_t f = 0; f < 4; f++) c->accuracy += c->per_fold[f] / 4;
        for (size_t f = 0; f < 4; f++)
            c->accuracy_sd += (c->per_fold[f] - c->accuracy) * (c->per_fold[f] - c->accuracy) / 3;
        c->accuracy_sd = sqrt(c->accuracy_sd);
    }
    cells[5].failure = "method tan cannot use \"weights\"";
    return &results;
}

static char *text_of(const heft_results *results, const char *format)
{
    char *text = NULL;
    if (heft_results_text(results, format, &text, &err) != HEFT_OK) fail_msg("%s", err.text);
    return text;
}

static void table_reads_well(void **state)
{
    /* The table marks the best, shows failures below, and sums up over what all could do. */
    (void)state;
    char *text = text_of(made_results(), "table");
    assert_string_equal(
        text,
        "4-fold cross-validation, seed 1, honest protocol\n"
        "Accuracy in percent, mean ± standard deviation over the folds; * marks the best\n"
        "\n"
        "data                     nb          gnb:x=1              tan\n"
        "---------------------------------------------------------------\n"
        "iris          62.50 ± 14.43    81.25 ± 23.94*   50.00 ± 20.41\n"
        "a|\\x01\"\\xff   93.75 ± 12.50*   93.75 ± 12.50*               -\n"
        "---------------------------------------------------------------\n"
        "average               62.50            81.25            50.00\n"
        "mean rank              2.00             1.00             3.00\n"
        "win/tie/loss                           1/1/0            0/0/1\n"
        "significant                            0/2/0            0/1/0\n"
        "\n"
        "win/tie/loss against nb; significantly better (+) or worse (-): corrected resampled "
        "paired t-test, "
        "level 0.05\n"
        "No tests over data sets: they need at least two data sets on which every method has a "
        "result (here: 1)\n"
        "the average and the ranks are over the 1 of 2 data sets that every method completed\n"
        "a|\\x01\"\\xff, tan: method tan cannot use \"weights\"\n");
    heft_text_free(text);
}

static void one_figure_is_plain(void **state)
{
    /* One data set and one method make a table of one line, without marks, ranks or remarks. */
    (void)state;
    heft_results one = *made_results();
    one.n_data = one.n_method = 1;
    one.design.weka = true;
    char *text = text_of(&one, "table");
    assert_string_equal(text, "4-fold cross-validation, seed 1, Weka's split, honest protocol\n"
                              "Accuracy in percent, mean ± standard deviation over the folds\n"
                              "\n"
                              "data             nb\n"
                              "-------------------\n"
                              "iris  62.50 ± 14.43\n");
    heft_text_free(text);
}

/* The measures that follow the table: a line for each cell that has figures. They are cut off. */
static void cut_measures(char *text, const char *line)
{
    char *more = strstr(text, "\nMeasures\n");
    if (!more) fail_msg("no measures in %s", text);
    assert_non_null(strstr(more, "\n| data, method | balanced accuracy | kappa | MCC |"));
    assert_non_null(strstr(more, line));
    assert_null(strstr(more, "ff, tan | ")); /* it failed */
    *more = 0;
}

static void markdown_reads_well(void **state)
{
    /* In Markdown the best is bold, and a name cannot break the table. */
    (void)state;
    heft_results *results = made_results();
    results->design.whole = results->design.weka = true;
    results->repeats = 2;
    char *text = NULL;
    assert_int_equal(heft_results_text(results, "markdown", &text, &err), HEFT_OK);
    cut_measures(text, "\n| iris, gnb:x=1 | ");
    assert_string_equal(
        text,
        "4-fold cross-validation, 2 repeats, seed 1, Weka's split, whole protocol\n\n"
        "Warning: the preparation was learned on the test rows too, so the results are "
        "optimistic\n\n"
        "Accuracy in percent, mean ± standard deviation over the folds; the best is in bold\n\n"
        "| data | nb | gnb:x=1 | tan |\n"
        "|---|---:|---:|---:|\n"
        "| iris | 62.50 ± 14.43 | **81.25 ± 23.94** | 50.00 ± 20.41 |\n"
        "| a\\|\\\\x01\"\\\\xff | **93.75 ± 12.50** | **93.75 ± 12.50** | - |\n"
        "| average | 62.50 | 81.25 | 50.00 |\n"
        "| mean rank | 2.00 | 1.00 | 3.00 |\n"
        "| win/tie/loss |  | 1/1/0 | 0/0/1 |\n"
        "| significant |  | 0/2/0 | 0/1/0 |\n"
        "\n- win/tie/loss against nb; significantly better (+) or worse (−): corrected resampled "
        "paired t-test, level 0.05\n"
        "- No tests over data sets: they need at least two data sets on which every method has a "
        "result (here: 1)\n"
        "- the average and the ranks are over the 1 of 2 data sets that every method completed\n"
        "- a\\|\\\\x01\"\\\\xff, tan: method tan cannot use \"weights\"\n");
    heft_text_free(text);
}

static void latex_reads_well(void **state)
{
    /* In LaTeX every line has its columns, the best is bold, and a name cannot break the table. */
    (void)state;
    heft_results     *results = made_results();
    heft_results_set  sets[2] = {results->sets[0], results->sets[1]};
    const char *const hostile = "50%_{a}&b$#^~\\<";
    sets[0].name = results->cells[0].dataset = hostile;
    results->sets = sets;
    char *text = text_of(results, "latex");
    for (size_t k = 0; k < 6; k++) {
        static const char *const lines[6] = {
            "\\caption{Accuracy of 3 methods on 2 data sets.\n4-fold cross-validation, seed 1, "
            "honest protocol.\nAccuracy in percent, mean $\\pm$ "
            "standard deviation over the folds; the best is in bold.\n}\n"
            "\\label{tab:results-accuracy}\n",
            "\\begin{tabular}{lrrr}\n\\toprule\ndata & nb & gnb:x=1 & tan \\\\\n\\midrule\n",
            "50\\%\\_\\{a\\}\\&b\\$\\#\\textasciicircum{}\\textasciitilde{}\\textbackslash{}"
            "\\textless{} & "
            "62.50 $\\pm$ 14.43 & \\textbf{81.25 $\\pm$ 23.94} & 50.00 $\\pm$ 20.41 \\\\\n",
            "a\\textbar{}\\textbackslash{}x01\\textquotedbl{}\\textbackslash{}xff & \\textbf{93.75",
            "\\midrule\naverage & 62.50 & 81.25 & 50.00 \\\\\n",
            ("\\bottomrule\n\\end{tabular}\n\nwin/tie/loss against nb; significantly better "
             "($\\circ$) or worse ($\\bullet$): corrected resampled paired t-test, level 0.05.\n")};
        if (!strstr(text, lines[k])) fail_msg("no '%s' in %s", lines[k], text);
    }
    heft_text_free(text);
}

static void marks_are_the_paired_test(void **state)
{
    /* + and - stand where the paired t of the chosen kind and level says so, and are counted. */
    (void)state;
    static const double far[4] = {.8, .86, 1, .95};
    heft_results       *results = made_results();
    results->cells[1].per_fold = far;
    results->cells[1].accuracy = 0.9025;
    heft_difference t;
    assert_true(heft_results_differ(results, 0, 1, &t));
    assert_true(t.p > 0.01 && t.p < 0.05 && t.mean > 0);
    assert_int_equal(heft_results_mark(results, 0, 1), 1);
    char *text = text_of(results, "table");
    assert_non_null(strstr(text, "90.25 ± 23.94*+"));
    assert_non_null(strstr(text, "significant                            1/1/0"));
    heft_text_free(text);
    results->design.alpha = 0.01;
    assert_int_equal(heft_results_mark(results, 0, 1), 0);
    results->design.plain = true;
    assert_int_equal(heft_results_mark(results, 0, 1), 1);
    assert_int_equal(heft_results_mark(results, 0, 0), 0);
    results->cells[0].per_fold = far;
    results->cells[1].per_fold = folds_of[0][0];
    results->design.alpha = 0.05;
    assert_int_equal(heft_results_mark(results, 0, 1), -1);
}

static void rounded_accuracies_tie(void **state)
{
    /* With decimals, what is printed alike ties in ranks and records, and is not changed itself. */
    (void)state;
    heft_results *results = made_results();
    results->cells[5].failure = NULL;
    results->cells[4].accuracy += 0.00004; /* 93.754 beside 93.75 */
    char *text = text_of(results, "json");
    assert_non_null(strstr(text, "\"gnb:x=1\": {\"wins\": 2, \"ties\": 0"));
    heft_text_free(text);
    results->design.decimals = 2;
    text = text_of(results, "json");
    assert_non_null(strstr(text, "\"gnb:x=1\": {\"wins\": 1, \"ties\": 1"));
    assert_non_null(strstr(text, "\"decimals\": 2"));
    assert_non_null(strstr(text, "\"accuracy\": 0.93754"));
    heft_text_free(text);
    text = text_of(results, "table");
    assert_non_null(strstr(text, "(accuracies rounded to 2 decimals)"));
    heft_text_free(text);
}

static void wide_tables_are_cut(void **state)
{
    /* However many methods there are, no line is wider than a screen, and none is lost. */
    (void)state;
    heft_results     many = *made_results();
    heft_cell        cells[40];
    const char      *methods[40];
    char             names[40][16];
    heft_results_set set = {.name = "iris", .n_rows = 150, .n_attr = 4, .n_class = 3};
    for (size_t m = 0; m < 40; m++) {
        snprintf(names[m], sizeof names[m], "method%zu", m);
        methods[m] = names[m];
        cells[m] = many.cells[0];
        cells[m].method = methods[m];
    }
    many.n_data = 1, many.n_method = 40, many.cells = cells, many.methods = methods,
    many.sets = &set;
    char  *text = text_of(&many, "table");
    size_t shown = 0;
    for (size_t m = 0; m < 40; m++) shown += strstr(text, names[m]) != NULL;
    assert_int_equal(shown, 40);
    static const char note[] = "win/tie/loss against";
    for (const char *line = text, *end; strncmp(line, note, strlen(note)) != 0; line = end + 1) {
        size_t width = 0;
        end = strchr(line, '\n');
        assert_non_null(end);
        for (const char *s = line; s < end; s++) width += ((unsigned char)*s & 0xc0) != 0x80;
        assert_true(width <= 100);
        assert_true(end == line || end[-1] != ' ');
    }
    heft_text_free(text);
}

static void json_has_its_names(void **state)
{
    /* JSON has every name that scripts rely on; undefined figures are null, names are UTF-8
     * (other bytes are taken as Latin-1). */
    (void)state;
    json_t                  *root = json_of(made_results()), *datasets, *summary, *set, *cell;
    static const char *const names[] = {
        "method",   "accuracy", "accuracy_sd", "accuracy_pooled", "per_fold",
        "micro_f1", "macro_f1", "log_loss",    "brier",           "macro_f1_folds"};
    assert_string_equal(json_string_value(json_object_get(root, "heft")), heft_version());
    assert_string_equal(json_string_value(json_object_get(root, "protocol")), "honest");
    assert_int_equal(json_integer_value(json_object_get(root, "folds")), 4);
    assert_int_equal(json_integer_value(json_object_get(root, "repeats")), 1);
    assert_int_equal(json_integer_value(json_object_get(root, "seed")), 1);
    datasets = json_object_get(root, "datasets");
    set = json_array_get(datasets, 1);
    assert_string_equal(json_string_value(json_object_get(set, "name")), "a|\x01\"\xc3\xbf");
    assert_int_equal(json_integer_value(json_object_get(set, "rows")), 20);
    assert_int_equal(json_integer_value(json_object_get(set, "attributes")), 7);
    assert_int_equal(json_integer_value(json_object_get(set, "classes")), 2);
    cell = json_array_get(json_object_get(set, "methods"), 2);
    assert_non_null(strstr(json_string_value(json_object_get(cell, "failure")), "\"weights\""));
    cell = json_array_get(json_object_get(json_array_get(datasets, 0), "methods"), 0);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        assert_non_null(json_object_get(cell, names[k]));
    assert_true(json_is_null(json_object_get(cell, "auc")));
    assert_int_equal(json_array_size(json_object_get(cell, "per_fold")), 4);
    summary = json_object_get(root, "summary");
    assert_true(json_number_value(
                    json_object_get(json_object_get(summary, "mean_accuracy"), "nb")) == 0.625);
    assert_true(json_number_value(json_object_get(json_object_get(summary, "mean_rank"), "tan")) ==
                3);
    json_t *tests = json_object_get(summary, "tests");
    assert_int_equal(json_array_size(json_object_get(tests, "paired_t")), 3);
    assert_true(json_is_null(json_object_get(tests, "friedman")));
    assert_non_null(json_object_get(tests, "note"));
    json_decref(root);
}

static void csv_has_a_line_a_cell(void **state)
{
    /* CSV has one line per data set and method; a failure has its reason and no figures. */
    (void)state;
    char  *text = text_of(made_results(), "csv");
    size_t lines = 0;
    for (const char *s = text; *s; s++) lines += *s == '\n';
    assert_int_equal(lines, 7);
    assert_non_null(strstr(text, "\niris,150,4,3,nb,honest,4,1,1,0.625,"));
    assert_non_null(strstr(
        text,
        ",tan,honest,4,1,1,,,,,,,,,,,,,,,,,,,,0,1,,\"method tan cannot use \"\"weights\"\"\",\n"));
    heft_text_free(text);
    assert_int_equal(heft_results_text(made_results(), "yaml", &text, &err), HEFT_EINVAL);
    assert_null(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_reads_well),          cmocka_unit_test(one_figure_is_plain),
        cmocka_unit_test(markdown_reads_well),       cmocka_unit_test(latex_reads_well),
        cmocka_unit_test(marks_are_the_paired_test), cmocka_unit_test(rounded_accuracies_tie),
        cmocka_unit_test(wide_tables_are_cut),       cmocka_unit_test(json_has_its_names),
        cmocka_unit_test(csv_has_a_line_a_cell),
    };
    return cmocka_run_group_tests_name("shown", tests, NULL, NULL);
}
