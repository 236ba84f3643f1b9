/* cmd_check.c - heft check DATA [--json FILE] [-o FILE.html] [--top N] */
#include "cli.h"

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, offsetof(cli, output), "FILE",
     "also write a page with the distribution of every column to FILE (HTML)", 0},
    {"json", 0, CLI_TEXT, offsetof(cli, json), "FILE",
     "also write everything to FILE as JSON; if FILE is -, print only the JSON", 0},
    {"top", 0, CLI_NUMBER, offsetof(cli, top), "N",
     "show the N columns that say most about the class (default: 100)", 1},
    {0},
};

static const cli_group groups[] = {
    {"Check", options},
    {"Data", cli_data_options},
    {"General", cli_common_options},
    {0},
};

static heft_status write_as(cli *c, const heft_check *check, const char *format, const char *path)
{
    heft_status st = HEFT_OK;
    char       *text = NULL;
    CLI_TRY(heft_check_text(check, format, &text, &c->err));
    CLI_TRY(cli_write(c, path, text));
done:
    heft_text_free(text);
    return st;
}

static int run(cli *c)
{
    heft_status           st = HEFT_OK;
    heft_table           *data = NULL;
    heft_check           *check = NULL;
    const heft_check_plan plan = {.top = c->top ? (size_t)c->top : CLI_USUAL_TOP, .run = &c->run};

    if (cli_is_stdout(c->json) && cli_is_stdout(c->output))
        return cli_wrong(c, "only one of --json and --output can be standard output");
    c->source.size = sizeof c->source;
    c->source.any_classes = true;
    CLI_TRY(heft_read(c->operands[0], &c->source, &data, &c->err));
    CLI_TRY(heft_check_table(data, &plan, &check, &c->err));
    if (c->json) CLI_TRY(write_as(c, check, "json", c->json));
    if (c->output) CLI_TRY(write_as(c, check, "html", c->output));
    if (c->output && !cli_is_stdout(c->output)) cli_notice(c, "page written to %s", c->output);
    if (!cli_is_stdout(c->json) && !cli_is_stdout(c->output))
        CLI_TRY(write_as(c, check, "text", "-"));
done:
    heft_check_free(check);
    heft_table_free(data);
    return cli_end(c, st);
}

const cli_command cli_check = {
    .name = "check",
    .summary = "look at a table: its columns, and what looks wrong",
    .synopsis = "DATA [--json FILE] [-o FILE] [options]",
    .about =
        "Show what every column of DATA holds: its kind, the share of missing cells, how many "
        "different values it has, how much it tells about the class by itself (0% nothing, 100% "
        "everything), and its range or most frequent values. Below follows what looks wrong "
        "with the data, most serious first, and what to do about it. The command ends with "
        "status 0 whatever it finds.",
    .examples = "  heft check iris.csv\n"
                "  heft check loans.csv -t repaid -o loans.html\n"
                "  heft check genes.arff --top 20 --json - | jq '.findings[].code'\n",
    .least = 1,
    .most = 1,
    .groups = groups,
    .run = run,
};
