/* cmd_explain.c - heft explain MODEL DATA [--row N] [--json FILE] [--csv FILE] */
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"

static const cli_option options[] = {
    {"row", 0, CLI_NUMBER, offsetof(cli, row), "N",
     "explain only row N, counting from 1 (default: all rows)", 1},
    {"top", 0, CLI_NUMBER, offsetof(cli, top), "N",
     "list the N attributes with the strongest evidence (default: 100)", 1},
    {"json", 0, CLI_TEXT, offsetof(cli, json), "FILE",
     "also write JSON to FILE, an object with --row and an array without; if FILE is -, print "
     "only the JSON",
     0},
    {"csv", 0, CLI_TEXT, offsetof(cli, csv), "FILE",
     "write all terms of the scores of all rows (or of --row) to FILE as CSV, in place of the "
     "text: row,term,value, then a column score(CLASS) for each class; if FILE is -, to standard "
     "output",
     0},
    {0},
};

static const cli_group groups[] = {
    {"Explanation", options},
    {"Data", cli_data_options},
    {"General", cli_common_options},
    {0},
};

static heft_status print_rows(cli *c, const heft_model *model, const heft_table *data, size_t first,
                              size_t last)
{
    const size_t top = (size_t)(c->top ? c->top : CLI_USUAL_TOP);
    for (size_t i = first; i < last; i++) {
        char       *text = NULL;
        heft_status st = heft_explain_text(model, data, i, "text", top, &text, &c->err);
        if (st == HEFT_OK && i > first) st = cli_write(c, "-", "\n");
        if (st == HEFT_OK) st = cli_write(c, "-", text);
        heft_text_free(text);
        if (st != HEFT_OK) return st;
        if (c->host.cancelled(c->host.user)) return HEFT_ECANCELLED;
    }
    return HEFT_OK;
}

static heft_status write_json(cli *c, const heft_model *model, const heft_table *data, size_t first,
                              size_t last)
{
    heft_status st = HEFT_OK;
    cli_text    all = {0};
    char       *one = NULL;

    if (!c->row) CLI_TRY(cli_text_add(&all, "[\n", &c->err));
    for (size_t i = first; i < last; i++) {
        CLI_TRY(heft_explain_text(model, data, i, "json", 0, &one, &c->err));
        if (i > first) CLI_TRY(cli_text_add(&all, ",\n", &c->err));
        CLI_TRY(cli_text_add(&all, one, &c->err));
        heft_text_free(one);
        one = NULL;
        if (c->host.cancelled(c->host.user)) CLI_TRY(HEFT_ECANCELLED);
    }
    if (!c->row) CLI_TRY(cli_text_add(&all, "]\n", &c->err));
    CLI_TRY(cli_write(c, c->json, all.data));
done:
    heft_text_free(one);
    free(all.data);
    return st;
}

static int run(cli *c)
{
    heft_status st = HEFT_OK;
    heft_model *model = NULL;
    heft_table *data = NULL;

    if (c->csv && (c->json || c->top))
        return cli_wrong(c, "--csv cannot be combined with %s (run explain once for each)",
                         c->json ? "--json" : "--top");
    if (c->csv) cli_flow(c, c->csv);
    CLI_TRY(cli_load(c, c->operands[0], &model));
    if (c->csv) {
        CLI_TRY(
            heft_explain_file(model, c->operands[1], &c->source, (size_t)c->row, c->csv, &c->err));
        cli_tell_written(c, c->csv);
        goto done;
    }
    c->source.like = model;
    CLI_TRY(heft_read(c->operands[1], &c->source, &data, &c->err));
    const size_t n = heft_table_rows(data);
    if (c->row && (size_t)c->row > n) {
        snprintf(c->err.text, sizeof c->err.text,
                 "%.200s: there is no row %d (the file has %zu row%s)", c->operands[1], c->row, n,
                 n == 1 ? "" : "s");
        CLI_TRY(HEFT_EINVAL);
    }
    const size_t first = c->row ? (size_t)c->row - 1 : 0, last = c->row ? (size_t)c->row : n;
    if (c->json) CLI_TRY(write_json(c, model, data, first, last));
    if (!cli_is_stdout(c->json)) CLI_TRY(print_rows(c, model, data, first, last));
done:
    heft_table_free(data);
    heft_model_free(model);
    return cli_end(c, st);
}

const cli_command cli_explain = {
    .name = "explain",
    .summary = "show why a row was assigned its class",
    .synopsis = "MODEL DATA [--row N] [--top N] [--json FILE] [--csv FILE] [options]",
    .about =
        "Show how much the prior and each attribute contribute to the score of each class. This "
        "works for methods whose score is a sum over attributes. With --csv each line has one term "
        "of one row: the prior, an attribute, or attributes with ' x ' between them; by class the "
        "terms of a row add up to its score, and the softmax of the scores is the probability.",
    .examples = "  heft explain iris.heft iris.csv --row 71\n"
                "  heft explain iris.heft new.csv --top 5\n"
                "  heft explain iris.heft new.csv --row 1 --json -\n"
                "  heft explain iris.heft new.csv --csv terms.csv\n",
    .least = 2,
    .most = 2,
    .groups = groups,
    .run = run,
};
