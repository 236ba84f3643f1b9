/* cmd_export.c - heft export MODEL --to FORMAT [-o FILE] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static char words[200], help[600]; /* the words of --to, and its help */

static cli_option options[] = {
    {"to", 0, CLI_WORD, offsetof(cli, exporting.format), words, help, 0},
    {"output", 'o', CLI_TEXT, offsetof(cli, output), "FILE",
     "file to write (default: standard output)", 0},
#define IF_EXPORT ROW
#include "settings_table.h"
    {0},
};

/* Take the words of --to from the library's list of formats, whose first one is the default. */
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
             " (default: from the ending of FILE; %s for standard output)",
             heft_export_at(0)->name);
}

static const cli_group groups[] = {
    {"Export", options},
    {"General", cli_common_options},
    {0},
};

/* *out is the name of the header beside the C file: FILE.h for FILE.c. The caller frees it. */
static heft_status name_header(cli *c, char **out)
{
    const char  *path = c->output;
    const size_t n = path ? strlen(path) : 0;
    if (n < 3 || strcmp(path + n - 2, ".c") != 0) {
        snprintf(c->err.text, sizeof c->err.text,
                 "--with-header: the C file needs a name that ends in .c (use -o FILE.c)");
        return HEFT_EINVAL;
    }
    *out = strdup(path);
    if (!*out) return cli_no_memory(&c->err);
    (*out)[n - 1] = 'h';
    return HEFT_OK;
}

static bool is_binary(const char *name)
{
    const heft_export_info *e;
    if (!name) return false;
    for (size_t k = 0; (e = heft_export_at(k)); k++)
        if (strcmp(name, e->name) == 0) return e->binary;
    return false;
}

static int run(cli *c)
{
    heft_status st = HEFT_OK;
    heft_model *model = NULL;
    char       *header = NULL;
    const char *path = c->output ? c->output : "-";

    if (cli_is_stdout(path) && is_binary(c->exporting.format) && isatty(STDOUT_FILENO))
        return cli_wrong(c, "cannot write format %s to a terminal; name a file with -o",
                         c->exporting.format);
    if (c->given.header) CLI_TRY(name_header(c, &header));
    c->exporting.header = header;
    CLI_TRY(cli_load(c, c->operands[0], &model));
    if (cli_is_stdout(path)) cli_bar_end();
    CLI_TRY(heft_export_file(model, path, &c->exporting, &c->err));
    cli_tell_written(c, path);
    cli_tell_written(c, header);
done:
    free(header);
    heft_model_free(model);
    return cli_end(c, st);
}

const cli_command cli_export = {
    .name = "export",
    .summary = "export a model to C, ONNX and other formats",
    .synopsis = "MODEL [--to FORMAT] [-o FILE]",
    .about =
        "Write a model for use without heft: as a C99 file that needs only the standard library, "
        "as an ONNX graph, as PMML, as one SELECT for databases, or as JSON with all tables, "
        "densities "
        "and preparation steps. All give the same probabilities as 'heft predict'. This works for "
        "all methods except the lazy ones (lcwnb, lwnb, iclnb), which keep their training rows.",
    .examples = "  heft export iris.heft -o iris.c --with-header\n"
                "  heft export iris.heft -o iris.onnx\n"
                "  heft export iris.heft -o iris.sql --table flowers --id number\n"
                "  heft export iris.heft -o iris.pmml\n"
                "  heft export iris.heft -o iris.json\n"
                "  heft export iris.heft --to json | jq .score.nodes\n",
    .least = 1,
    .most = 1,
    .groups = groups,
    .prepare = prepare,
    .run = run,
};
