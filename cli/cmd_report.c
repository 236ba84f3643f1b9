/* cmd_report.c - heft report MODEL [DATA] [--cv K] [-o FILE] [--json FILE] */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, offsetof(cli, output), "FILE",
     "HTML file to write (default: the name of MODEL with .html)", 0},
    {"json", 0, CLI_TEXT, offsetof(cli, json), "FILE",
     "write the data of the page as JSON (without -o: no page)", 0},
    {"cv", 0, CLI_NUMBER, offsetof(cli, plan.folds), "K",
     "figures of K-fold cross-validation on DATA, with the method and settings of MODEL", 2},
    {0},
};

static const cli_group groups[] = {
    {"Report", options},
    {"Data", cli_data_options},
    {"General", cli_common_options},
    {0},
};

/* Returns the name of the page, iris.html for iris.heft. The caller frees it. NULL means that there
 * is no memory. */
static char *page_name(const char *model)
{
    char        *base = cli_base_name(model, "");
    const size_t n = base ? strlen(base) : 0;
    if (n > 5 && strcmp(base + n - 5, ".heft") == 0) base[n - 5] = 0;
    char *path = base ? cli_base_name(base, ".html") : NULL;
    free(base);
    return path;
}

static int run(cli *c)
{
    heft_status st = HEFT_OK;
    heft_model *model = NULL;
    heft_table *data = NULL;
    char       *html = NULL, *json = NULL, *path = NULL;

    if (c->plan.folds && c->n_operands < 2)
        return cli_wrong(c, "--cv needs DATA: the rows to divide into folds");
    if (!c->output && !c->json) {
        path = page_name(c->operands[0]);
        if (!path) CLI_TRY(cli_no_memory(&c->err));
        c->output = path;
        if (cli_check_files(c) != CLI_DONE) {
            free(path);
            return CLI_USAGE;
        }
    }
    CLI_TRY(cli_load(c, c->operands[0], &model));
    if (c->n_operands > 1) {
        c->source.like = model;
        CLI_TRY(heft_read(c->operands[1], &c->source, &data, &c->err));
    }
    const heft_report_plan plan = {.folds = (size_t)c->plan.folds, .run = &c->run};
    if (c->json) {
        CLI_TRY(heft_report_json(model, data, &plan, &json, &c->err));
        CLI_TRY(cli_write(c, c->json, json));
    }
    if (c->output) {
        CLI_TRY(heft_report_html(model, data, &plan, &html, &c->err));
        CLI_TRY(cli_write(c, c->output, html));
        cli_notice(c, "report written to %s", c->output);
    }
done:
    heft_text_free(json);
    heft_text_free(html);
    heft_table_free(data);
    heft_model_free(model);
    const int status = cli_end(c, st);
    free(path);
    return status;
}

const cli_command cli_report = {
    .name = "report",
    .summary = "write an HTML page about a model",
    .synopsis = "MODEL [DATA] [--cv K] [-o FILE] [--json FILE] [options]",
    .about =
        "Write one self-contained HTML file: which attributes matter, what their values say, the "
        "strongest pairs as heat maps, a panel in which values can be tried out and, for two "
        "classes, a nomogram. With DATA whose classes are known, also how good the predictions "
        "are: confusion matrix, ROC and precision-recall curves, a reliability diagram, every "
        "threshold, and the most confident errors. If DATA are the rows that the model was trained "
        "on, the page says so; --cv shows cross-validated figures instead.",
    .examples = "  heft report iris.heft\n"
                "  heft report iris.heft iris.csv -o iris.html\n"
                "  heft report iris.heft iris.csv --cv 10\n"
                "  heft report iris.heft iris.csv --json iris.json\n",
    .least = 1,
    .most = 2,
    .groups = groups,
    .run = run,
};
