/* collective_cost.c - what a collective call costs, by the communicator of the program itself.
 *
 *     mpicc -O2 -Iinclude -Ibuild/include -Icli bench/collective_cost.c cli/ranks_mpi.c \
 *         -o collective_cost
 *     mpirun -n 4 ./collective_cost
 *
 * bench/network.py builds it and runs it over shared memory and over networks. Each line: the kind
 * of exchange, bytes a rank gives, then microseconds a call: the least and the median of the
 * batches. */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* ---- what ranks_mpi.c wants of the program ---- */

double cli_clock(void)
{
    return MPI_Wtime();
}

void cli_talk_alone(void)
{
}

void cli_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

void cli_notice(const cli *c, const char *format, ...)
{
    (void)c;
    (void)format;
}

const char *heft_version(void)
{
    return "collective_cost";
}

/* ---- measuring ---- */

typedef struct exchange {
    const char *name;
    size_t      bytes; /* a rank gives */
    int         calls; /* in a batch */
} exchange;

enum { BATCHES = 25, PACKET = 528 };

static const exchange exchanges[] = {
    {"packet", PACKET, 200},             /* every collective call begins with one */
    {"sum of 64 numbers", 512, 200},     /* as it is done for a short vector */
    {"sum of 4096 numbers", 32768, 50},  /* all gather, each adds up */
    {"sum of 2^20 numbers", 8388608, 3}, /* each adds up its piece */
    {"whole numbers, 2^20", 8388608, 3},
};

static void exchange_once(const heft_comm *c, const exchange *e, char *mine, char *all,
                          size_t *length)
{
    int bad;
    if (strcmp(e->name, "packet") == 0) {
        for (int r = 0; r < c->n_ranks; r++) length[r] = e->bytes;
        bad = c->allgather(c->user, mine, length, all);
    } else if (strncmp(e->name, "sum", 3) == 0) {
        bad = c->allreduce_doubles(c->user, (double *)(void *)mine, e->bytes / sizeof(double));
    } else {
        bad = c->allreduce_ints(c->user, (int64_t *)(void *)mine, e->bytes / sizeof(int64_t));
    }
    if (bad) MPI_Abort(MPI_COMM_WORLD, 1);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    cli    c = {0};
    double took[BATCHES];
    cli_ranks_open(&c, &argc, &argv);
    if (c.ranks.comm.n_ranks < 2) {
        fputs("start it with mpirun, on two ranks or more\n", stderr);
        return cli_ranks_close(&c, 1);
    }
    if (cli_ranks_check(&c, argc, argv)) return cli_ranks_close(&c, 1);
    const size_t size = (size_t)c.ranks.comm.n_ranks;
    char        *mine = calloc(1, 8388608), *all = calloc(size, PACKET);
    size_t      *length = calloc(size, sizeof *length);
    if (!mine || !all || !length) return cli_ranks_close(&c, 1);
    for (size_t k = 0; k < sizeof exchanges / sizeof *exchanges; k++) {
        const exchange *e = &exchanges[k];
        for (int b = -2; b < BATCHES; b++) { /* two to warm up */
            const double began = MPI_Wtime();
            for (int i = 0; i < e->calls; i++) exchange_once(&c.ranks.comm, e, mine, all, length);
            if (b >= 0) took[b] = (MPI_Wtime() - began) / e->calls * 1e6;
        }
        qsort(took, BATCHES, sizeof *took, by_size);
        if (c.ranks.comm.rank == 0)
            printf("%d ranks: %-20s %8zu bytes %12.1f us least %12.1f us median\n",
                   c.ranks.comm.n_ranks, e->name, e->bytes, took[0], took[BATCHES / 2]);
    }
    free(mine);
    free(all);
    free(length);
    return cli_ranks_close(&c, 0);
}
