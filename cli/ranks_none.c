/* ranks_none.c - a program built without an engine that joins ranks: it is always alone. */
#include "cli.h"

void cli_ranks_open(cli *c, int *argc, char ***argv)
{
    (void)c;
    (void)argc;
    (void)argv;
}

int cli_ranks_check(cli *c, int argc, char **argv)
{
    (void)c;
    (void)argc;
    (void)argv;
    return CLI_DONE;
}

int cli_ranks_close(cli *c, int status)
{
    (void)c;
    return status;
}
