/* ranks_none.c - takes the place of ranks_mpi.c in a program built without MPI, which always runs
 * as a single process. */
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

int cli_ranks_apart(void)
{
    cli_error("several processes were started by mpirun, but this heft was built without MPI: each "
              "of them would do all of the work (build it with: meson setup build-mpi "
              "-Dmpi=enabled)");
    return CLI_USAGE;
}

int cli_ranks_close(cli *c, int status)
{
    (void)c;
    return status;
}
