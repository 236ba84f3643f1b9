/* main.c - heft: the command-line program. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

const cli_command *const cli_commands[] = {
    &cli_check,   &cli_train,      &cli_predict, &cli_evaluate, &cli_inspect,
    &cli_explain, &cli_methods,    &cli_convert, &cli_report,   &cli_export,
    &cli_merge,   &cli_completion, NULL,
};

static const cli_command *find_command(const char *name)
{
    for (size_t i = 0; cli_commands[i]; i++)
        if (strcmp(cli_commands[i]->name, name) == 0) return cli_commands[i];
    return NULL;
}

static const char *command_name(const void *from, size_t i)
{
    (void)from;
    return cli_commands[i]->name;
}

static int unknown_command(const cli *c, const char *name)
{
    const size_t n = sizeof cli_commands / sizeof *cli_commands - 1;
    const char  *near = cli_nearest(name, n, command_name, NULL);
    return cli_wrong(c, "unknown command '%s'%s%s%s", name, near ? "; did you mean " : "",
                     near ? near : "", near ? "?" : "");
}

/* Say which operand is missing if only one of MODEL and DATA was given: the content of the file
 * tells which one it is. */
static int second_missing(const cli *c)
{
    const cli_command *k = c->command;
    const char        *given = c->operands[0];
    const bool         data = access(given, R_OK) == 0 && !heft_is_model_file(given);
    return cli_wrong(c, "%s needs %s (%s %s): heft %s %s", k->name,
                     data ? "MODEL, the file that train wrote" : "DATA, the file with the rows",
                     given, data ? "is not a model" : "is taken for MODEL", k->name, k->synopsis);
}

static int check_operands(const cli *c)
{
    const cli_command *k = c->command;
    if (c->n_operands == 1 && k->least == 2) return second_missing(c);
    if (c->n_operands < k->least)
        return cli_wrong(c, "%s needs %s: heft %s %s", k->name,
                         k->operand     ? "an argument"
                         : k->least > 1 ? "two files"
                                        : "a file",
                         k->name, k->synopsis);
    if (k->most >= 0 && c->n_operands > k->most)
        return cli_wrong(c, "unexpected argument '%s'", c->operands[k->most]);
    return CLI_DONE;
}

static int show_version(void)
{
    printf("heft %s\n", heft_version());
    return CLI_DONE;
}

static int run(cli *c, int argc, char **argv)
{
    const int at = cli_parse(c, argc, argv, 1);
    if (at < 0) return CLI_USAGE;
    if (c->version) return show_version();
    const bool  asks_help = at < argc && strcmp(argv[at], "help") == 0;
    const char *name = asks_help   ? argv[at + 1]
                       : at < argc ? argv[at]
                                   : NULL; /* argv[argc] is NULL, so the name may be NULL too */
    if ((asks_help || c->help) && !name) {
        cli_help_overview(cli_commands);
        return CLI_DONE;
    }
    if (!name) return cli_wrong(c, "no command given");
    const cli_command *command = find_command(name);
    if (!command) return unknown_command(c, name);
    c->command = command;
    if (command->prepare) command->prepare();
    if (!asks_help && cli_parse(c, argc, argv, at + 1) < 0) return CLI_USAGE;
    if (asks_help || c->help) {
        cli_help(command);
        return CLI_DONE;
    }
    if (c->version) return show_version();
    int status = check_operands(c);
    if (status == CLI_DONE && command->ranks && !cli_comm(c) && cli_launched() > 1)
        status = cli_ranks_apart();
    if (status == CLI_DONE) status = cli_check_files(c);
    if (status != CLI_DONE) return status;
    cli_talk_setup(c);
    if (!command->ranks && !cli_is_first(c)) return CLI_DONE; /* only rank 0 runs it */
    return command->run(c);
}

enum { LARGE_ARRAY = 4 << 20 }; /* size in bytes from which malloc maps an array by itself */

int main(int argc, char **argv)
{
    /* Without its size a struct is taken to be that of version 1.0, without later fields. */
    cli c = {.run.size = sizeof c.run,
             .source.size = sizeof c.source,
             .config.size = sizeof c.config,
             .plan.size = sizeof c.plan,
             .exporting.size = sizeof c.exporting};
#ifdef M_MMAP_THRESHOLD
    /* Give large arrays back to the system when they are freed. By default the C library keeps
     * them for later, in pieces that seldom fit; they were half of the memory of a fit with many
     * classes. */
    (void)mallopt(M_MMAP_THRESHOLD, LARGE_ARRAY);
#endif
    heft_set_message_syntax(HEFT_SYNTAX_PROGRAM);
    cli_ranks_open(&c, &argc, &argv);
    cli_talk_init(&c);
    if (!cli_is_first(&c) && !freopen("/dev/null", "w", stdout)) return CLI_FAILED;
    int status = cli_ranks_check(&c, argc, argv);
    if (status == CLI_DONE) status = run(&c, argc, argv);
    /* cli_end reports an output that could not be written. */
    if (status == CLI_DONE) status = cli_end(&c, HEFT_OK);
    free(c.params);
    free(c.given.imports);
    return cli_ranks_close(&c, status);
}
