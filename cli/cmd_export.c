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
        snprintf(help + told, sizeof help - told, "%s%s",
                 k == 0                  ? ""
                 : heft_export_at(k + 1) ? ", "
                                         : ", or ",
                 e->about);
    }
    snprintf(help + strlen(help), sizeof help - strlen(help),
             " (default: from the ending of FILE, else %s)", heft_export_at(0)->name);
}

static const cli_group groups[] = {
    {"Export", options},
    {"General", cli_common_options},
    {0},
};

/* --to, else the format that the ending of -o names, else the first. */
static const char *format_of(const cli *c)
{
    const char             *end = c->output ? strrchr(c->output, '.') : NULL;
    const heft_export_info *e;
    if (c->to) return c->to;
    for (size_t k = 0; end && (e = heft_export_at(k)); k++)
        if (strcmp(end, e->ending) == 0) return e->name;
    return heft_export_at(0)->name;
}

static int run(cli *c)
{
    heft_status st = HEFT_OK;
    heft_model *model = NULL;
    char       *text = NULL;

    CLI_TRY(cli_load(c, c->operands[0], &model));
    CLI_TRY(heft_export_text(model, format_of(c), &text, &c->err));
    CLI_TRY(cli_write(c, c->output ? c->output : "-", text));
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
        "densities and preparation steps. This works for all methods except rnb and the lazy "
        "and one-dependence methods.",
    .examples = "  heft export iris.heft -o iris.c\n"
                "  heft export iris.heft -o iris.json\n"
                "  heft export iris.heft --to json | jq .score.terms\n",
    .least = 1,
    .most = 1,
    .groups = groups,
    .prepare = prepare,
    .run = run,
};
