/* cmd_evaluate.c - heft evaluate DATA... [-m METHOD,...] [--cv K] ...
 *                  heft evaluate MODEL... --test FILE */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

static const cli_option options[] = {
    {"method", 'm', CLI_TEXT, offsetof(cli, config.method), "METHOD,...",
     "methods to compare (default: auto,nb); parameters of a method follow a colon, as in "
     "nb,lcwnb:kappa=5",
     0},
    {"param", 'p', CLI_PARAM, 0, "NAME=VALUE",
     "parameter for every method that has it; of alternatives, as in 'kappa=5|10|20', inner folds "
     "choose; may be repeated",
     0},
#define IF_EVALUATE ROW
#define IF_DRAW     ROW
#include "settings_table.h"
    {"details", 0, CLI_FLAG, offsetof(cli, details), NULL,
     "print all measures, the figures of each class and the confusion matrix for every data set "
     "and method (default: only where there is one of each)",
     0},
    {"predictions", 0, CLI_TEXT, offsetof(cli, predictions), "FILE",
     "also write the predictions of all test rows as CSV: actual and predicted class, and the "
     "probabilities",
     0},
    {"curves", 0, CLI_TEXT, offsetof(cli, curves), "FILE",
     "also write the points of ROC and precision-recall curves as CSV: counts for each class and "
     "threshold",
     0},
    {"json", 0, CLI_TEXT, offsetof(cli, json), "FILE",
     "also write the results as JSON; results that FILE already contains are not computed again",
     0},
    {"csv", 0, CLI_TEXT, offsetof(cli, csv), "FILE", "also write the results as CSV", 0},
    {"fold-csv", 0, CLI_TEXT, offsetof(cli, fold_csv), "FILE",
     "also write the results of each fold as CSV: data, method, repeat (from 1), fold (from 0), "
     "accuracy and macro F1",
     0},
    {"markdown", 0, CLI_TEXT, offsetof(cli, markdown), "FILE",
     "also write the results as a Markdown table", 0},
    {"latex", 0, CLI_TEXT, offsetof(cli, latex), "FILE",
     "also write the results as a LaTeX table (booktabs)", 0},
    {"figure", 0, CLI_TEXT, offsetof(cli, figure), "FILE",
     "also draw mean ranks and their critical difference (Nemenyi), as SVG (FILE.svg) or as TikZ "
     "for LaTeX (FILE.tex); needs two methods and two data sets",
     0},
    {"report", 0, CLI_TEXT, offsetof(cli, report), "FILE", "also write the results as an HTML page",
     0},
    {0},
};

/* Settings of training, which a saved model no longer takes. */
static const cli_option training[] = {
#define IF_SELECT   ROW
#define IF_PREPARE  ROW
#define IF_UNSEEN   ROW
#define IF_ESTIMATE ROW
#define IF_BALANCE  ROW
#include "settings_table.h"
    {0},
};

static const cli_group groups[] = {
    {"Evaluation", options},
    {"Data", cli_data_options},
    {"Preparation (default: each method's own)", cli_select_options},
    {"Estimation", cli_estimate_options},
    {"Decision", cli_decision_options},
    {"General", cli_common_options},
    {0},
};

/* ---- the list of methods ---- */

/* Cut `list` in place at each `mark`. The caller frees *items, which is NULL-terminated. */
static heft_status cut(char *list, char mark, char ***items, heft_error *err)
{
    size_t n = 1;
    for (const char *s = list; *s; s++) n += *s == mark;
    *items = calloc(n + 1, sizeof **items);
    if (!*items) return cli_no_memory(err);
    for (size_t i = 0; i < n; i++) {
        (*items)[i] = list;
        list += strcspn(list, (char[]){mark, 0});
        if (*list) *list++ = 0;
    }
    return HEFT_OK;
}

static bool knows(const heft_method_info *m, const char *param)
{
    const size_t length = strcspn(param, "=");
    for (const heft_option_info *const *o = m->options; *o; o++)
        if (strlen((*o)->name) == length && memcmp((*o)->name, param, length) == 0) return true;
    return false;
}

/* Check one method, "name:param=value:...", as heft_fit would get it: with its own parameters and
 * with those parameters of -p that it knows. The latter are marked in `used`. */
static int check_method(cli *c, const char *spec, bool *used)
{
    int          status = -1; /* means that there is no memory */
    char        *copy = strdup(spec), **parts = NULL;
    const char **params = NULL;
    size_t       n = 0;
    if (!copy || cut(copy, ':', &parts, &c->err) != HEFT_OK) goto done;
    while (parts[n]) n++;
    params = calloc(n + c->n_params, sizeof *params);
    if (!params) goto done;
    n = 0;
    status = c->n_params ? cli_check_method(parts[0]) : CLI_DONE;
    if (status != CLI_DONE) goto done;
    for (size_t k = 0; k < c->n_params; k++)
        if (knows(heft_method_find(parts[0]), c->params[k])) {
            params[n++] = c->params[k];
            used[k] = true;
        }
    for (size_t k = 1; parts[k]; k++) params[n++] = parts[k];
    heft_config config = c->config;
    config.method = parts[0];
    config.params = params;
    status = cli_check_config(c, &config);
done:
    if (status < 0) status = cli_end(c, cli_no_memory(&c->err));
    free(params);
    free(parts);
    free(copy);
    return status;
}

static int check_methods(cli *c, const char *const *methods)
{
    int   status = CLI_DONE;
    bool *used = calloc(c->n_params + 1, sizeof *used);
    if (!used) return cli_end(c, cli_no_memory(&c->err));
    for (size_t i = 0; status == CLI_DONE && methods[i]; i++)
        status = check_method(c, methods[i], used);
    for (size_t k = 0; status == CLI_DONE && k < c->n_params; k++)
        if (!used[k])
            status = cli_wrong(c, "none of the methods has a parameter '%.*s'",
                               (int)strcspn(c->params[k], "="), c->params[k]);
    free(used);
    return status;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = text ? strlen(text) : 0, m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

typedef struct output { /* a file of results other than that of --json */
    const char *path, *form;
    bool        rows; /* the file has predictions or curves and is written row by row */
} output;

enum { N_OUTPUTS = 8 };

static void list_outputs(const cli *c, output out[N_OUTPUTS])
{
    const char  *drawn = ends_with(c->figure, ".tex") ? "tikz" : "svg";
    const output list[N_OUTPUTS] = {
        {c->csv, "csv", false},
        {c->fold_csv, "folds", false},
        {c->markdown, "markdown", false},
        {c->latex, "latex", false},
        {c->report, "html", false},
        {c->predictions, "predictions", true},
        {c->curves, "curves", true},
        {c->figure, drawn, false}, /* last, because some results cannot be drawn: the other files
                                      are written before this one fails */
    };
    memcpy(out, list, sizeof list);
}

/* Returns the number of outputs to standard output; if there is one, the table is not printed. */
static int n_stdout(const cli *c)
{
    output out[N_OUTPUTS];
    int    n = cli_is_stdout(c->json);
    list_outputs(c, out);
    for (size_t k = 0; k < N_OUTPUTS; k++) n += cli_is_stdout(out[k].path);
    return n;
}

/* strtod is safe here, because the program never leaves the C locale. */
static bool read_level(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return *text && !*end && *out > 0 && *out < 1;
}

/* Check --cv and --holdout, and put their numbers into the plan. */
static int check_split(cli *c)
{
    heft_eval_plan *t = &c->plan;
    char           *end = NULL;
    t->leave_one_out = c->given.folds && strcmp(c->given.folds, "loo") == 0;
    if (c->given.folds && !t->leave_one_out) {
        const long folds = strtol(c->given.folds, &end, 10);
        if (end == c->given.folds || *end || folds < 2 || folds > 1000000)
            return cli_wrong(c, "--cv takes a whole number (2 or more) or loo, not '%s'",
                             c->given.folds);
        t->folds = (int)folds;
    }
    if (t->leave_one_out && t->repeats)
        return cli_wrong(c, "--cv loo cannot be combined with --repeat: there is only one way to "
                            "leave out every row once");
    if (t->leave_one_out && t->split)
        return cli_wrong(c, "--cv loo cannot be combined with --split");
    if (c->given.holdout && !read_level(c->given.holdout, &t->holdout))
        return cli_wrong(c, "--holdout takes a share of the rows between 0 and 1, not '%s'",
                         c->given.holdout);
    if (c->given.holdout && (c->given.folds || t->split || t->folds_file || c->given.test))
        return cli_wrong(c, "--holdout cannot be combined with --cv, --split, --folds or --test");
    return CLI_DONE;
}

static int check_usage(cli *c)
{
    const heft_eval_plan *t = &c->plan;
    const int             status = check_split(c);
    if (status != CLI_DONE) return status;
    if (c->given.test && (c->given.folds || t->repeats || t->split || t->folds_file))
        return cli_wrong(c, "--test cannot be combined with --cv, --repeat, --split or --folds");
    if (c->given.test && c->n_operands > 1 && !c->saved)
        return cli_wrong(c, "--test takes only one DATA file");
    if (t->folds_file && (c->given.folds || t->repeats || t->split))
        return cli_wrong(c, "--folds cannot be combined with --cv, --repeat or --split");
    if ((c->predictions || c->curves) && (t->noise || t->learn || t->dimensions))
        return cli_wrong(c,
                         "--predictions and --curves cannot be combined with --noise, --learn or "
                         "--dimensions");
    if (t->folds_file && c->n_operands > 1) return cli_wrong(c, "--folds takes only one DATA file");
    if (c->given.alpha && !read_level(c->given.alpha, &c->plan.alpha))
        return cli_wrong(c, "--alpha takes a number between 0 and 1, not '%s'", c->given.alpha);
    if (t->fresh && !c->json) return cli_wrong(c, "--fresh needs --json FILE");
    if (c->figure && !ends_with(c->figure, ".svg") && !ends_with(c->figure, ".tex"))
        return cli_wrong(c, "--figure takes a file that ends in .svg or .tex, not '%s'", c->figure);
    if (c->figure && c->n_operands < 2)
        return cli_wrong(c, "--figure needs at least two data sets: mean ranks are over data sets");
    if (c->given.imports && (t->noise || t->learn || t->dimensions))
        return cli_wrong(c, "--import cannot be combined with --noise, --learn or --dimensions");
    if (c->given.imports && c->saved)
        return cli_wrong(c, "--import cannot be combined with saved models: it is for folds");
    if (c->figure && c->config.method && !c->given.imports && !strchr(c->config.method, ','))
        return cli_wrong(c, "--figure needs at least two methods (-m %s,nb)", c->config.method);
    if (n_stdout(c) > 1)
        return cli_wrong(c, "only one of --json, --csv, --fold-csv, --markdown, --latex, "
                            "--report, --predictions and --curves can write to standard output");
    return CLI_DONE;
}

/* ---- results ---- */

static heft_status write_as(cli *c, const heft_results *results, const char *format,
                            const char *path)
{
    heft_status st = HEFT_OK;
    char       *text = NULL;
    if (!path) return HEFT_OK;
    CLI_TRY(heft_results_text(results, format, &text, &c->err));
    CLI_TRY(cli_write(c, path, text));
done:
    heft_text_free(text);
    return st;
}

/* Print the table, then the details of each cell if they were asked for. If there is only one cell,
 * its measures follow, because a table of one accuracy says little. */
static heft_status print_table(cli *c, const heft_results *results)
{
    heft_status st = HEFT_OK;
    CLI_TRY(write_as(c, results, "table", "-"));
    const bool single = heft_results_datasets(results) * heft_results_methods(results) *
                            heft_results_stages(results) ==
                        1;
    if ((!c->details && !single) || (single && heft_results_cell(results, 0, 0, 0)->failure))
        goto done;
    CLI_TRY(cli_write(c, "-", "\n"));
    CLI_TRY(write_as(c, results, c->details ? "details" : "measures", "-"));
done:
    return st;
}

/* Write a CSV file of predictions, or of the curves drawn from them. */
static heft_status write_rows(cli *c, const heft_results *results, const char *what,
                              const char *path)
{
    if (!path) return HEFT_OK;
    if (cli_is_stdout(path)) cli_bar_end();
    const heft_status st = heft_results_write(results, what, path, &c->err);
    if (st == HEFT_OK) cli_tell_written(c, path);
    return st;
}

static heft_status write_all(cli *c, const heft_results *results)
{
    heft_status st = HEFT_OK;
    output      out[N_OUTPUTS];
    list_outputs(c, out);
    /* With a resume file the results are in it already: it is the file of --json. */
    if (!c->plan.resume) CLI_TRY(write_as(c, results, "json", c->json));
    if (n_stdout(c) == 0) CLI_TRY(print_table(c, results));
    for (size_t k = 0; k < N_OUTPUTS; k++)
        CLI_TRY((out[k].rows ? write_rows : write_as)(c, results, out[k].form, out[k].path));
done:
    return st;
}

static void tell_reused(const cli *c, const heft_results *results)
{
    const size_t n_data = heft_results_datasets(results), n_method = heft_results_methods(results);
    size_t       reused = 0, all = 0;
    for (size_t k = 0; k < n_data * n_method * heft_results_stages(results); k++) {
        const heft_cell *cell = heft_results_cell(results, k / (n_data * n_method),
                                                  k / n_method % n_data, k % n_method);
        reused += cell->reused;
        all += !cell->imported;
    }
    if (reused)
        cli_notice(c, "%s: %zu of %zu result%s reused (--fresh computes all again)", c->json,
                   reused, all, all == 1 ? "" : "s");
}

/* Report each method that failed on a data set. Returns whether there is one. */
static bool tell_failures(const heft_results *results)
{
    bool any = false;
    for (size_t s = 0; s < heft_results_stages(results); s++)
        for (size_t d = 0; d < heft_results_datasets(results); d++)
            for (size_t m = 0; m < heft_results_methods(results); m++) {
                const heft_cell *cell = heft_results_cell(results, s, d, m);
                const char      *stage = heft_results_stage(results, s)->name;
                if (!cell->failure) continue;
                cli_error("%s, %s%s%s: %s", cell->dataset, cell->method, *stage ? ", " : "", stage,
                          cell->failure);
                any = true;
            }
    return any;
}

/* Choose how several ranks divide the work. With a test file, and methods that can all be fitted on
 * distributed rows, the ranks fit every method together, each on a range of the training rows.
 * Otherwise each rank has all rows, and the folds are divided among the ranks. */
static void choose_ranks(cli *c, char **methods)
{
    const heft_eval_plan *t = &c->plan;
    bool                  all = c->given.test && methods && !t->noise && !t->learn &&
               !(t->protocol && strcmp(t->protocol, "whole") == 0);
    for (size_t i = 0; all && methods[i]; i++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(methods[i], ":"), methods[i]);
        const heft_method_info *m = heft_method_find(name);
        all = m && m->ranks;
    }
    c->plan.parts = all && cli_comm(c);
    c->source.whole = !c->plan.parts;
}

/* ---- the command ---- */

typedef struct inputs {
    size_t       n;
    heft_table **data; /* data sets; with saved models, the test rows as read for each model */
    char       **names;
    const char **shown; /* names as results show them; paths if two data files have the same name */
    heft_table  *test;
    heft_model **models; /* saved models; NULL: the operands are data files */
} inputs;

/* Read the test file with the kinds of columns that the training data have, whatever its own cells
 * suggest. A model of the training data without any preparation tells the reader these kinds. */
static heft_status read_test(cli *c, inputs *in)
{
    heft_status       st = HEFT_OK;
    heft_model       *kinds = NULL;
    heft_source       how = c->source;
    heft_runtime      run = c->run;
    const heft_config plain = {.method = "nb", .run = &run};
    if (!c->plan.parts) run.comm = NULL;
    CLI_TRY(heft_fit(in->data[0], &plain, &kinds, &c->err));
    how.like = kinds;
    how.whole = true;
    CLI_TRY(heft_read(c->given.test, &how, &in->test, &c->err));
    c->plan.test = in->test;
done:
    heft_model_free(kinds);
    return st;
}

static heft_status read_inputs(cli *c, inputs *in)
{
    heft_status st = HEFT_OK;
    in->n = (size_t)c->n_operands;
    in->data = calloc(in->n, sizeof *in->data);
    in->names = calloc(in->n, sizeof *in->names);
    in->shown = calloc(in->n, sizeof *in->shown);
    if (!in->data || !in->names || !in->shown) return cli_no_memory(&c->err);
    for (size_t d = 0; d < in->n; d++) {
        CLI_TRY(heft_read(c->operands[d], &c->source, &in->data[d], &c->err));
        CLI_TRY(heft_check_warn(in->data[d], NULL, in->n > 1, &c->run, &c->err));
        in->names[d] = heft_data_name(c->operands[d]);
        if (!in->names[d]) return cli_no_memory(&c->err);
        in->shown[d] = in->names[d];
        for (size_t i = 0; i < d; i++)
            if (strcmp(in->names[i], in->names[d]) == 0)
                in->shown[i] = c->operands[i], in->shown[d] = c->operands[d];
    }
    if (c->given.test) CLI_TRY(read_test(c, in));
done:
    return st;
}

/* Read the models, and for each model the test rows with its kinds of columns. */
static heft_status read_models(cli *c, inputs *in)
{
    heft_status  st = HEFT_OK;
    const size_t n = (size_t)c->n_operands;
    in->n = n;
    in->data = calloc(n, sizeof *in->data);
    in->names = calloc(n, sizeof *in->names);
    in->models = calloc(n, sizeof *in->models);
    if (!in->data || !in->names || !in->models) return cli_no_memory(&c->err);
    for (size_t k = 0; k < n; k++) {
        heft_source how = c->source;
        char       *slash = strrchr(c->operands[k], '/');
        CLI_TRY(cli_load(c, c->operands[k], &in->models[k]));
        if (c->config.cost || c->config.threshold)
            CLI_TRY(heft_model_set_decision(in->models[k], c->config.cost, c->config.threshold,
                                            &c->err));
        in->names[k] = slash ? slash + 1 : c->operands[k];
        for (size_t i = 0; i < k; i++) /* two models of the same name: show their paths */
            if (strcmp(in->names[i], in->names[k]) == 0)
                in->names[i] = c->operands[i], in->names[k] = c->operands[k];
        how.like = in->models[k];
        how.whole = true;
        CLI_TRY(heft_read(c->given.test, &how, &in->data[k], &c->err));
    }
done:
    return st;
}

static heft_status evaluate_models(cli *c, const inputs *in, heft_results **out)
{
    heft_config  config = c->config;
    heft_runtime run = c->run;
    char        *name = heft_data_name(c->given.test);
    if (!name) return cli_no_memory(&c->err);
    run.comm = NULL; /* every rank has all rows, and the first one writes */
    config.run = &run;
    c->plan.config = &config;
    const heft_status st = heft_evaluate_models(
        (const heft_model *const *)in->models, (const heft_table *const *)in->data,
        (const char *const *)in->names, in->n, name, &c->plan, out, &c->err);
    heft_text_free(name);
    return st;
}

static void free_inputs(inputs *in)
{
    for (size_t d = 0; d < in->n; d++) {
        if (in->data) heft_table_free(in->data[d]);
        /* With saved models the names are operands. */
        if (in->names && !in->models) heft_text_free(in->names[d]);
        if (in->models) heft_model_free(in->models[d]);
    }
    heft_table_free(in->test);
    free(in->data);
    free(in->names);
    free(in->shown);
    free(in->models);
}

/* A run can be resumed from a plain file, not from a stream. */
static bool can_resume(const cli *c)
{
    struct stat info;
    if (!c->json || cli_is_stdout(c->json) || c->saved) return false;
    return stat(c->json, &info) != 0 || S_ISREG(info.st_mode);
}

/* Whether a path names a saved model, judged by its content. A file that does not exist is judged
 * by its name, so that the message says that this model is missing. */
static bool names_model(const char *path)
{
    struct stat info;
    if (heft_is_model_file(path)) return true;
    return ends_with(path, ".heft") && stat(path, &info) != 0;
}

/* Set c->saved if the operands are saved models. A mixture of models and data is refused. */
static int find_models(cli *c)
{
    int n = 0;
    for (int k = 0; k < c->n_operands; k++) n += names_model(c->operands[k]);
    c->saved = n > 0;
    if (n == 0) return CLI_DONE;
    if (n < c->n_operands) return cli_wrong(c, "saved models and data files cannot be mixed");
    if (!c->given.test) return cli_wrong(c, "saved models need --test FILE");
    const heft_eval_plan *t = &c->plan;
    if (c->config.method || c->n_params || t->noise || t->learn || t->dimensions || t->protocol ||
        cli_any_given(c, training))
        return cli_wrong(c, "saved models are evaluated as they are: leave out the options for "
                            "training (--cost and --threshold can be given)");
    return CLI_DONE;
}

/* Refuse outputs that cannot be written, before any long work is done. */
static int check_outputs(cli *c)
{
    output      out[N_OUTPUTS];
    heft_status st = HEFT_OK;
    if (!cli_is_first(c)) return CLI_DONE;
    list_outputs(c, out);
    for (size_t k = 0; st == HEFT_OK && k < N_OUTPUTS; k++)
        if (out[k].path && !cli_is_stdout(out[k].path))
            st = heft_output_check(out[k].path, &c->err);
    return st == HEFT_OK ? CLI_DONE : cli_end(c, st);
}

static int run(cli *c)
{
    heft_status   st = HEFT_OK;
    inputs        in = {0};
    heft_results *results = NULL;
    char         *list = NULL, **methods = NULL;
    bool          failures = false;
    const double  began = cli_clock();
    int           status = find_models(c);
    if (status == CLI_DONE) status = check_usage(c);
    if (status == CLI_DONE) status = check_outputs(c);
    if (status != CLI_DONE) return status;

    if (c->config.method) {
        list = strdup(c->config.method);
        st = list ? cut(list, ',', &methods, &c->err) : cli_no_memory(&c->err);
        if (!methods) goto done;
        status = check_methods(c, (const char *const *)methods);
    } else {
        status = cli_check_config(c, &c->config);
    }
    if (status != CLI_DONE) goto done;
    c->config.method = NULL;
    c->plan.methods = (const char *const *)methods;
    choose_ranks(c, methods);
    if (can_resume(c)) c->plan.resume = c->json;
    c->plan.keep_predictions = c->predictions || c->curves;
    CLI_TRY(c->saved ? read_models(c, &in) : read_inputs(c, &in));
    CLI_TRY(c->saved ? evaluate_models(c, &in, &results)
                     : heft_evaluate((const heft_table *const *)in.data, in.shown, in.n, &c->plan,
                                     &results, &c->err));
    if (c->verbose > 0 && !c->saved)
        cli_notice(c, "evaluated %zu data set%s with %zu method%s in %.3f s", in.n, cli_s(in.n),
                   heft_results_methods(results), cli_s(heft_results_methods(results)),
                   cli_clock() - began);
    if (c->plan.resume) tell_reused(c, results);
    if (cli_is_first(c)) CLI_TRY(write_all(c, results));
    failures = tell_failures(results);
done:
    heft_results_free(results);
    free_inputs(&in);
    free(methods);
    free(list);
    if (status != CLI_DONE) return status;
    status = cli_end(c, st);
    return status == CLI_DONE && failures ? CLI_FAILED : status;
}

const cli_command cli_evaluate = {
    .name = "evaluate",
    .summary = "compare methods by cross-validation, or test saved models",
    .synopsis = "DATA... [-m METHOD,...] [options]",
    .about =
        "Measure how well methods predict the class column, by default with stratified "
        "10-fold cross-validation. The table shows the mean and the standard deviation of the "
        "accuracy for each data set and method, and marks the best; with several methods, "
        "mean ranks and significance tests follow. Saved models can be given instead of DATA, with "
        "--test FILE: they are tested on FILE and compared with the first. If a FILE is -, it is "
        "written to standard "
        "output instead of the table.",
    .examples = "  heft evaluate iris.csv\n"
                "  heft evaluate *.arff -m nb,gnb --cv 10 --repeat 10 --json results.json\n"
                "  heft evaluate loans.csv -m nb,lnb --noise 0,0.1,0.2,0.3 --report noise.html\n"
                "  heft evaluate train.csv --test test.csv --discretize mdl\n"
                "  heft evaluate iris.arff --split weka --seed 1\n"
                "  heft evaluate loans.csv -m nb,auto --details --predictions out-of-fold.csv\n"
                "  heft evaluate old.heft new.heft --test test.csv --intervals\n",
    .least = 1,
    .most = -1,
    .groups = groups,
    .ranks = true,
    .run = run,
};
