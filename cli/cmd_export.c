/* cmd_export.c - heft export MODEL --to FORMAT [-o FILE] */
#include <stdio.h>
#include <string.h>

#include "cli.h"

static char words[200], help[600]; /* of --to */

static cli_option options[] = {
    {"to", 0, CLI_WORD, offsetof(cli, to), words, help, 0},
    {"output", 'o', CLI_TEXT, offsetof(cli, output), "FILE",
     "file to write (default: standard output)", 0},
    {0},
};

/* The library lists the formats; the first is the default. */
static void prepare(void)
{
    const heft_export_info *e;
    for (size_t k = 0; (e = heft_export_at(k)); k++) {
        const size_t at = strlen(words), told = strlen(help);
        snprintf(words + at, sizeof words - at, "%s%s", k ? "|" : "", e->name);
        snprintf(help + told, sizeof help - told, "%s%s%s",
                 k == 0                  ? ""
                 : heft_export_at(k + 1) ? ", "
                                         : ", or ",
                 e->about, k ? "" : " (default)");
    }
}

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
    CLI_TRY(heft_export_text(model, c->to ? c->to : heft_export_at(0)->name, &text, &c->err));
    CLI_TRY(heft_text_write(c->output ? c->output : "-", text, &c->err));
done:
    heft_text_free(text);
    heft_model_free(model);
    return cli_end(c, st);
}

const cli_command cli_export = {
    .name = "export",
    .summary = "export a model to C or JSON",
    .synopsis = "MODEL [--to FORMAT] [-o FILE]",
    .about =
        "Write a model for use without heft: as a C99 file that needs only the standard library "
        "and gives the same probabilities as 'heft predict', or as JSON with all tables, "
        "densities and preparation steps. This works for methods whose score is a sum over "
        "attributes.",
    .examples = "  heft export iris.heft --to c -o iris.c\n"
                "  heft export iris.heft --to json | jq .score.terms\n",
    .least = 1,
    .most = 1,
    .groups = groups,
    .prepare = prepare,
    .run = run,
};
