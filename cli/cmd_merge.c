/* cmd_merge.c - heft merge MODEL... -o MODEL */
#include <unistd.h>

#include "cli.h"

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, offsetof(cli, output), "MODEL",
     "file for the merged model (required)", 0},
#define IF_DECIDE(owner, field, name, letter, kind, least, value, help)                            \
    ROW(owner, field, name, letter, kind, least, value, help ", as the rule of the merged model")
#include "settings_table.h"
    {0},
};

static const cli_group groups[] = {
    {"Merging", options},
    {"General", cli_common_options},
    {0},
};

static int run(cli *c)
{
    heft_status  st = HEFT_OK;
    const size_t n = (size_t)c->n_operands;
    heft_model  *whole = NULL;

    if (!c->output) return cli_wrong(c, "merge needs -o MODEL");
    if (cli_is_stdout(c->output) && isatty(STDOUT_FILENO))
        return cli_wrong(c, "cannot write a model to a terminal; name a file with -o");
    const int status = cli_check_rule(c);
    if (status != CLI_DONE) return status;
    CLI_TRY(heft_model_merge_files((const char *const *)c->operands, n, &whole, &c->err));
    CLI_TRY(cli_set_rule(c, whole));
    CLI_TRY(heft_model_save(whole, c->output, &c->err));
    if (c->verbose > 1)
        for (size_t k = 0; k < n; k++) cli_tell_size(c, c->operands[k], "read");
    cli_tell_written(c, c->output);
    const size_t n_attr = heft_model_attributes(whole), n_class = heft_model_classes(whole);
    cli_notice(c, "%zu %s model%s merged: %zu attribute%s, %zu class%s; written to %s", n,
               heft_model_method(whole), cli_s(n), n_attr, cli_s(n_attr), n_class,
               n_class == 1 ? "" : "es", cli_is_stdout(c->output) ? "standard output" : c->output);
done:
    heft_model_free(whole);
    return cli_end(c, st);
}

const cli_command cli_merge = {
    .name = "merge",
    .summary = "merge models that were trained on parts of the data",
    .synopsis = "MODEL... -o MODEL",
    .about =
        "Merge models that were trained on parts of the data, on one machine or many, into the "
        "model that training on all the data would have given. This works for methods that "
        "learn by counting ('heft methods NAME' says which); columns and settings must be the "
        "same. If the preparation is learned from the data (cut points, means, scales), train "
        "the parts with --like and one common model.",
    .examples = "  heft merge monday.heft tuesday.heft -o week.heft\n"
                "  heft train part1.csv -m aode -o p1.heft\n"
                "  heft train part2.csv --like p1.heft -o p2.heft\n"
                "  heft merge p1.heft p2.heft -o all.heft\n",
    .least = 1,
    .most = -1,
    .groups = groups,
    .run = run,
};
