/* ranks_mpi.c - ranks joined by MPI. This is the only file that uses MPI; it is built with
 * -Dmpi=enabled.
 *
 * MPI_Allreduce may add numbers in any order, and a sum of doubles depends on the order. Here sums
 * are added in the order of the ranks, so that no bit of a result depends on the network. Every
 * rank gathers short vectors and adds them up itself. A long vector is cut into ranges; each rank
 * adds up one range, and the sums are gathered. */
#define _GNU_SOURCE /* for sched_getaffinity and usleep */
#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

enum {
    SHORT = 1 << 15, /* vectors of at most this many numbers on all ranks together are gathered */
    PIECE = 1 << 22, /* numbers of a long vector that are added up in one exchange */
    BYTES = 1 << 28, /* most bytes of a message, because MPI counts in int */
    FAREWELL = 5     /* seconds that a failed rank waits for the other ranks to end */
};

/* For the check at the start and the exit status, apart from the collectives of the library. */
static MPI_Comm aside = MPI_COMM_NULL;

static struct counted { /* bytes that this rank has sent, and its CPU time in collectives */
    unsigned long long calls, bytes;
    clock_t            time;
} counted;

static void count(size_t bytes)
{
    counted.calls++;
    counted.bytes += bytes;
}

/* ---- sums ---- */

static int sum_short(const heft_comm *c, double *v, int n)
{
    const size_t size = (size_t)c->n_ranks, width = (size_t)n;
    double      *all = malloc(size * width * sizeof *all);
    if (!all) return 1;
    const int bad = MPI_Allgather(v, n, MPI_DOUBLE, all, n, MPI_DOUBLE, MPI_COMM_WORLD);
    if (!bad)
        for (size_t k = 0; k < width; k++) {
            double sum = all[k];
            for (size_t r = 1; r < size; r++) sum += all[r * width + k];
            v[k] = sum;
        }
    free(all);
    return bad != MPI_SUCCESS;
}

/* Rank r adds up part[r] numbers from at[r] on; then every rank gets all sums. */
static int sum_long(const heft_comm *c, double *v, int n)
{
    const int size = c->n_ranks, rank = c->rank;
    int      *layout = calloc((size_t)size * 4, sizeof *layout);
    int      *part = layout, *at = layout + size, *own = at + size, *place = own + size;
    int       bad = !layout;
    double   *all = NULL;
    if (!bad)
        for (int r = 0; r < size; r++) {
            at[r] = (int)((long long)n * r / size);
            part[r] = (int)((long long)n * (r + 1) / size) - at[r];
        }
    const int mine = bad ? 0 : part[rank];
    if (!bad)
        for (int r = 0; r < size; r++) {
            own[r] = mine;
            place[r] = r * mine;
        }
    if (!bad) all = malloc(((size_t)size * (size_t)mine + 1) * sizeof *all);
    bad = bad || !all ||
          MPI_Alltoallv(v, part, at, MPI_DOUBLE, all, own, place, MPI_DOUBLE, MPI_COMM_WORLD);
    if (!bad)
        for (int k = 0; k < mine; k++) {
            double sum = all[k];
            for (int r = 1; r < size; r++) sum += all[(size_t)r * (size_t)mine + (size_t)k];
            v[at[rank] + k] = sum;
        }
    bad =
        bad || MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DOUBLE, v, part, at, MPI_DOUBLE, MPI_COMM_WORLD);
    free(all);
    free(layout);
    return bad;
}

static int sum_doubles(void *user, double *v, size_t n)
{
    const heft_comm *c = user;
    count(n * sizeof *v);
    if (n * (size_t)c->n_ranks <= SHORT) return sum_short(c, v, (int)n);
    for (size_t lo = 0; lo < n; lo += PIECE) {
        const size_t part = n - lo < PIECE ? n - lo : PIECE;
        if (sum_long(c, v + lo, (int)part)) return 1;
    }
    return 0;
}

static int sum_ints(void *user, int64_t *v, size_t n)
{
    (void)user;
    count(n * sizeof *v);
    for (size_t lo = 0; lo < n; lo += PIECE) {
        const size_t part = n - lo < PIECE ? n - lo : PIECE;
        if (MPI_Allreduce(MPI_IN_PLACE, v + lo, (int)part, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD))
            return 1;
    }
    return 0;
}

/* ---- copies ---- */

static int copy_out(void *user, void *bytes, size_t n, int root)
{
    const heft_comm *c = user;
    char            *p = bytes;
    if (c->rank == root) count(n);
    for (size_t lo = 0; lo < n; lo += BYTES) {
        const size_t part = n - lo < BYTES ? n - lo : BYTES;
        if (MPI_Bcast(p + lo, (int)part, MPI_BYTE, root, MPI_COMM_WORLD)) return 1;
    }
    return 0;
}

static int copy_all(void *user, const void *mine, const size_t *length, void *all)
{
    const heft_comm *c = user;
    const int        size = c->n_ranks;
    size_t           total = 0;
    char            *to = all;
    for (int r = 0; r < size; r++) total += length[r];
    if (total > BYTES) { /* one rank after another, because counts of MPI are int */
        int bad = 0;
        for (int r = 0; !bad && r < size; to += length[r++]) {
            if (r == c->rank && length[r]) memcpy(to, mine, length[r]);
            bad = copy_out(user, to, length[r], r);
        }
        return bad;
    }
    count(length[c->rank]);
    int *part = calloc((size_t)size * 2, sizeof *part), *at = part + size;
    if (!part) return 1;
    for (int r = 0; r < size; r++) {
        part[r] = (int)length[r];
        if (r > 0) at[r] = at[r - 1] + part[r - 1];
    }
    const int bad =
        MPI_Allgatherv(mine, part[c->rank], MPI_BYTE, all, part, at, MPI_BYTE, MPI_COMM_WORLD);
    free(part);
    return bad != MPI_SUCCESS;
}

/* ---- the functions of heft_comm ---- */

/* Measure the CPU time of a collective. MPI waits in a busy loop, so that waiting counts as CPU
 * time and must be subtracted from that of the work. */
#define TIMED(call)                                                                                \
    const clock_t began = clock();                                                                 \
    const int     bad = call;                                                                      \
    counted.time += clock() - began;                                                               \
    return bad

static int add_doubles(void *user, double *v, size_t n)
{
    TIMED(sum_doubles(user, v, n));
}

static int add_ints(void *user, int64_t *v, size_t n)
{
    TIMED(sum_ints(user, v, n));
}

static int broadcast(void *user, void *bytes, size_t n, int root)
{
    TIMED(copy_out(user, bytes, n, root));
}

static int gather(void *user, const void *mine, const size_t *length, void *all)
{
    TIMED(copy_all(user, mine, length, all));
}

static void give_up(void *user, const char *text)
{
    (void)user;
    cli_talk_alone(); /* rank 0, which normally prints, may have ended */
    cli_error("%s", text);
    MPI_Abort(MPI_COMM_WORLD, CLI_FAILED);
}

/* ---- public ---- */

static unsigned long long fingerprint(unsigned long long h, const char *text)
{
    do h = (h ^ (unsigned char)*text) * 0x100000001b3ULL;
    while (*text++);
    return h;
}

/* Whether all ranks have the same version and arguments. Otherwise they would call different
 * collectives and wait for each other for ever. */
static bool all_alike(int argc, char **argv)
{
    unsigned long long mine = fingerprint(0xcbf29ce484222325ULL, heft_version()), range[2];
    for (int k = 1; k < argc; k++) mine = fingerprint(mine, argv[k]);
    range[0] = mine, range[1] = ~mine; /* one maximum gives the largest and the least */
    if (MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_UNSIGNED_LONG_LONG, MPI_MAX, aside)) return false;
    return range[0] == ~range[1];
}

/* Returns the number of cores of this rank: those that it is bound to, or if it may use all cores
 * of the machine, their number divided by the number of ranks on the machine. */
static int cores_of_rank(void)
{
    cpu_set_t  allowed;
    MPI_Comm   here;
    int        neighbours = 1;
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    int cores = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here) == 0) {
        MPI_Comm_size(here, &neighbours);
        MPI_Comm_free(&here);
    }
    if (cores >= online) cores /= neighbours;
    return cores < 1 ? 1 : cores;
}

void cli_ranks_open(cli *c, int *argc, char ***argv)
{
    int threads;
    if (cli_launched() == 0) return; /* opening MPI takes long even for one process */
    if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &threads) != MPI_SUCCESS) return;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    c->ranks.open = true;
    c->ranks.comm = (heft_comm){.user = &c->ranks.comm,
                                .allreduce_doubles = add_doubles,
                                .allreduce_ints = add_ints,
                                .allgather = gather,
                                .broadcast = broadcast,
                                .abort = give_up};
    MPI_Comm_rank(MPI_COMM_WORLD, &c->ranks.comm.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &c->ranks.comm.n_ranks);
    if (c->ranks.comm.n_ranks > 1) c->ranks.cores = cores_of_rank();
}

int cli_ranks_check(cli *c, int argc, char **argv)
{
    if (!c->ranks.open || c->ranks.comm.n_ranks < 2) return CLI_DONE;
    if (MPI_Comm_dup(MPI_COMM_WORLD, &aside) == MPI_SUCCESS && all_alike(argc, argv))
        return CLI_DONE;
    cli_error("the ranks were started with different options or versions of heft (start all "
              "ranks with the same command)");
    return CLI_USAGE;
}

int cli_ranks_apart(void)
{
    cli_error("several processes were started, but each of them finds itself alone: mpirun belongs "
              "to another MPI library than heft was built with (use the mpirun of that library)");
    return CLI_USAGE;
}

/* Returns the highest exit status of all ranks. If only this rank has failed, the others may wait
 * for ever in a collective that it does not call; after FAREWELL seconds it aborts all ranks. */
static int last_word(const cli *c, int status)
{
    MPI_Request  asked = MPI_REQUEST_NULL;
    int          worst = status, all = 0;
    const double since = cli_clock();
    if (aside == MPI_COMM_NULL) return status;
    const int bad = MPI_Iallreduce(&status, &worst, 1, MPI_INT, MPI_MAX, aside, &asked);
    if (!bad)
        while (MPI_Test(&asked, &all, MPI_STATUS_IGNORE) == MPI_SUCCESS && !all) {
            if (status != CLI_DONE && cli_clock() - since > FAREWELL) {
                cli_talk_alone();
                cli_error("rank %d: %s", c->ranks.comm.rank,
                          c->err.text[0] ? c->err.text : "failed, the other ranks did not");
                MPI_Abort(MPI_COMM_WORLD, status);
            }
            usleep(1000);
        }
    (void)MPI_Wait(&asked, MPI_STATUS_IGNORE); /* the request is complete, or was never started */
    return bad ? status : worst;
}

int cli_ranks_close(cli *c, int status)
{
    int worst = status;
    if (!c->ranks.open) return status;
    if (c->ranks.comm.n_ranks > 1) {
        struct rusage used;
        if (c->verbose > 0 && c->ranks.comm.rank == 0 && getrusage(RUSAGE_SELF, &used) == 0)
            cli_notice(c,
                       "rank 0 of %d: %llu exchanges, %llu bytes sent; %.2f s of CPU time besides, "
                       "at most %ld MB of memory",
                       c->ranks.comm.n_ranks, counted.calls, counted.bytes,
                       (double)(clock() - counted.time) / CLOCKS_PER_SEC, used.ru_maxrss / 1024);
        worst = last_word(c, status);
        if (aside != MPI_COMM_NULL) MPI_Comm_free(&aside);
    }
    MPI_Finalize();
    return worst;
}
