/* cmd_convert.c - heft convert DATA [-o FILE] [--to FORMAT] [preparation] */
#include <ctype.h>
#include <string.h>

#include "cli.h"

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, offsetof(cli, output), "FILE",
     "write to FILE (default: standard output)", 0},
    {"to", 0, CLI_WRITTEN, offsetof(cli, to), "FORMAT",
     "output format (default: from the name of FILE; csv on standard output)", 0},
    {"like", 0, CLI_TEXT, offsetof(cli, given.like), "MODEL",
     "prepare the data as MODEL does, instead of learning the preparation from DATA", 0},
#define IF_SELECT(owner, field, name, letter, kind, least, value, help)                            \
    ROW(owner, field, name, letter, kind, least, value "|MODEL",                                   \
        help ", or the columns that MODEL uses")
#include "settings_table.h"
    {0},
};

static const cli_group groups[] = {
    {"Conversion", options},
    {"Data", cli_data_options},
    {"Preparation, learned from DATA (default: none)", cli_prepare_options},
    {"General", cli_common_options},
    {0},
};

/* Whether --select names a model file and not a way to select attributes. */
static bool names_model(const char *select)
{
    const char *word = NULL;
    for (const cli_option *o = options; o->name; o++)
        if (strcmp(o->name, "select") == 0) word = o->value;
    if (!select) return false;
    for (; word; word = strchr(word, '|')) {
        word += *word == '|';
        if (islower((unsigned char)*word) && strncmp(select, word, strcspn(word, "|:")) == 0)
            return false;
    }
    return true;
}

static int run(cli *c)
{
    heft_status  st = HEFT_OK;
    heft_table  *data = NULL, *prepared = NULL, *reduced = NULL;
    heft_model  *model = NULL, *chooser = NULL;
    heft_config *how = &c->config;
    const char  *by_model = names_model(how->select) ? how->select : NULL;
    if (by_model) how->select = NULL;
    const bool  learn = how->select || cli_any_given(c, cli_prepare_options);
    const char *out = c->output ? c->output : "-";
    const char *format = c->to ? c->to : cli_is_stdout(out) ? "csv" : NULL;

    if (learn && c->given.like)
        return cli_wrong(
            c, "--like cannot be combined with preparation options: MODEL has its own preparation");
    cli_flow(c, out);
    how->method = "nb"; /* this method needs no preparation by itself */
    const int status = cli_check_config(c, how);
    if (status != CLI_DONE) return status;
    if (by_model) CLI_TRY(cli_load(c, by_model, &chooser));
    if (c->given.like) CLI_TRY(cli_load(c, c->given.like, &model));
    c->source.like = model;
    if (!learn) {
        CLI_TRY(heft_convert_file(c->operands[0], &c->source, chooser, out, format, &c->err));
        goto done;
    }
    CLI_TRY(heft_read(c->operands[0], &c->source, &data, &c->err));
    if (chooser) {
        CLI_TRY(heft_model_select(chooser, data, &reduced, &c->err));
        heft_table_free(data);
        data = reduced, reduced = NULL;
    }
    CLI_TRY(heft_fit(data, how, &model, &c->err));
    /* Under a memory limit the data are freed, and read again while they are prepared. */
    if (c->run.memory && !cli_is_stdout(c->operands[0])) {
        heft_table_free(data);
        data = NULL;
        c->source.like = model;
        CLI_TRY(heft_convert_file(c->operands[0], &c->source, chooser, out, format, &c->err));
        goto done;
    }
    CLI_TRY(heft_model_prepare(model, data, &prepared, &c->err));
    CLI_TRY(heft_write(prepared, out, format, &c->run, &c->err));
done:
    if (st == HEFT_OK) cli_tell_written(c, c->output);
    heft_table_free(prepared);
    heft_table_free(data);
    heft_model_free(chooser);
    heft_model_free(model);
    return cli_end(c, st);
}

const cli_command cli_convert = {
    .name = "convert",
    .summary = "convert data to another format, raw or prepared",
    .synopsis = "DATA [-o FILE] [--to FORMAT] [options]",
    .about = "Read data in one format and write them in another. With a preparation option, the "
             "table is written as a method would see it. With --select MODEL, other programs can "
             "train on the columns that a model uses.",
    .examples = "  heft convert iris.arff -o iris.csv\n"
                "  heft convert adult.csv --drop id -t income -o adult.arff\n"
                "  heft convert iris.csv --discretize mdl -o cut.csv\n"
                "  heft convert genes.arff --select genes.heft -o few.csv\n"
                "  heft convert test.csv --like iris.heft --to csv\n",
    .least = 1,
    .most = 1,
    .groups = groups,
    .run = run,
};
