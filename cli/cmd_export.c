/* cmd_export.c - heft export MODEL --to c|json [-o FILE] */
#include "cli.h"

static const cli_option options[] = {
    {"to", 0, CLI_WORD, offsetof(cli, to), "c|json",
     "one C99 file that scores rows without heft (default), or JSON with all that scoring takes",
     0},
    {"output", 'o', CLI_TEXT, offsetof(cli, output), "FILE", "file to write (default: -)", 0},
    {0},
};

static const cli_group groups[] = {
    {"Export", options},
    {"General", cli_common_options},
    {0},
};

static int run(cli *c)
{
    heft_status st = HEFT_OK;
    heft_model *model = NULL;
    char       *text = NULL;

    CLI_TRY(heft_model_load(c->operands[0], &model, &c->err));
    CLI_TRY(heft_model_export(model, c->to ? c->to : "c", &text, &c->err));
    CLI_TRY(heft_text_write(c->output ? c->output : "-", text, &c->err));
done:
    heft_text_free(text);
    heft_model_free(model);
    return cli_end(c, st);
}

const cli_command cli_export = {
    .name = "export",
    .summary = "write a model as plain C, or as JSON",
    .synopsis = "MODEL [--to c|json] [-o FILE]",
    .about = "Write a model for use without heft: a C99 file that needs the standard library alone "
             "and gives the probabilities of 'heft predict', or JSON with every table, density and "
             "step of the preparation. For methods whose score is a sum over attributes.",
    .examples = "  heft export iris.heft --to c -o iris.c\n"
                "  heft export iris.heft --to json | jq .score.terms\n",
    .least = 1,
    .most = 1,
    .groups = groups,
    .run = run,
};
