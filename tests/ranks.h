/* ranks.h - several ranks in one process: each a thread, joined by a barrier and shared memory. For
 * tests of what ranks do together, without any engine. */
#ifndef HEFT_TESTS_RANKS_H
#define HEFT_TESTS_RANKS_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "heft_ranks.h"
#include "model/model.h"

enum { MOST_RANKS = 8 };

typedef struct ranks { /* what the threads share */
    pthread_mutex_t lock;
    pthread_cond_t  moved;
    int             size, waiting;
    unsigned        turn;
    int             broken; /* a rank has left: nobody waits for it */
    const void     *slot[MOST_RANKS];
    size_t          bytes;    /* given to the communicator, by all */
    size_t          gathered; /* of these, shown to every rank as they are */
    size_t          largest;  /* the most that a rank showed at once */
} ranks;

typedef struct rank_seat {
    ranks    *all;
    heft_comm comm;
} rank_seat;

static inline int ranks_wait(ranks *all)
{
    pthread_mutex_lock(&all->lock);
    const unsigned turn = all->turn;
    if (++all->waiting == all->size) {
        all->waiting = 0;
        all->turn++;
        pthread_cond_broadcast(&all->moved);
    }
    while (turn == all->turn && !all->broken) pthread_cond_wait(&all->moved, &all->lock);
    const int broken = all->broken;
    pthread_mutex_unlock(&all->lock);
    return broken;
}

static inline void ranks_break(ranks *all)
{
    pthread_mutex_lock(&all->lock);
    all->broken = 1;
    pthread_cond_broadcast(&all->moved);
    pthread_mutex_unlock(&all->lock);
}

/* Everyone shows `mine`; then everyone looks. */
static inline int ranks_show(rank_seat *seat, const void *mine, size_t n)
{
    pthread_mutex_lock(&seat->all->lock);
    seat->all->slot[seat->comm.rank] = mine;
    seat->all->bytes += n;
    pthread_mutex_unlock(&seat->all->lock);
    return ranks_wait(seat->all);
}

static inline int ranks_doubles(void *user, double *v, size_t n)
{
    rank_seat *seat = user;
    double    *sum = calloc(n + 1, sizeof *sum);
    int        bad = !sum || ranks_show(seat, v, n * sizeof *v);
    for (int r = 0; !bad && r < seat->comm.n_ranks; r++)
        for (size_t k = 0; k < n; k++) sum[k] += ((const double *)seat->all->slot[r])[k];
    bad = bad || ranks_wait(seat->all);
    if (!bad && n) memcpy(v, sum, n * sizeof *v);
    free(sum);
    return bad;
}

static inline int ranks_ints(void *user, int64_t *v, size_t n)
{
    rank_seat *seat = user;
    int64_t   *sum = calloc(n + 1, sizeof *sum);
    int        bad = !sum || ranks_show(seat, v, n * sizeof *v);
    for (int r = 0; !bad && r < seat->comm.n_ranks; r++)
        for (size_t k = 0; k < n; k++) sum[k] += ((const int64_t *)seat->all->slot[r])[k];
    bad = bad || ranks_wait(seat->all);
    if (!bad && n) memcpy(v, sum, n * sizeof *v);
    free(sum);
    return bad;
}

static inline int ranks_gather(void *user, const void *mine, const size_t *length, void *all)
{
    rank_seat   *seat = user;
    char        *to = all;
    const size_t n = length[seat->comm.rank];
    int          bad = ranks_show(seat, mine, n);
    pthread_mutex_lock(&seat->all->lock);
    seat->all->gathered += n;
    if (n > seat->all->largest) seat->all->largest = n;
    pthread_mutex_unlock(&seat->all->lock);
    for (int r = 0; !bad && r < seat->comm.n_ranks; to += length[r++])
        if (length[r]) memcpy(to, seat->all->slot[r], length[r]);
    return bad || ranks_wait(seat->all);
}

static inline int ranks_broadcast(void *user, void *bytes, size_t n, int root)
{
    rank_seat *seat = user;
    int        bad = ranks_show(seat, bytes, seat->comm.rank == root ? n : 0);
    if (!bad && seat->comm.rank != root && n) memcpy(bytes, seat->all->slot[root], n);
    return bad || ranks_wait(seat->all);
}

static inline void ranks_abort(void *user, const char *text)
{
    (void)text;
    ranks_break(((rank_seat *)user)->all);
}

/* A rank's work: its communicator is seat->comm. */
typedef void rank_fn(const heft_comm *comm, void *arg);

typedef struct rank_job {
    rank_seat seat;
    rank_fn  *fn;
    void     *arg;
} rank_job;

static inline void *ranks_start(void *arg)
{
    rank_job *job = arg;
    job->fn(&job->seat.comm, job->arg);
    return NULL;
}

/* fn on `size` ranks at once; what they exchanged. */
static inline ranks ranks_watch(int size, rank_fn *fn, void *arg)
{
    ranks     all = {.size = size};
    rank_job  job[MOST_RANKS];
    pthread_t thread[MOST_RANKS];
    pthread_mutex_init(&all.lock, NULL);
    pthread_cond_init(&all.moved, NULL);
    for (int r = 0; r < size; r++) {
        job[r] = (rank_job){.seat = {.all = &all}, .fn = fn, .arg = arg};
        job[r].seat.comm = (heft_comm){.user = &job[r].seat,
                                       .rank = r,
                                       .n_ranks = size,
                                       .allreduce_doubles = ranks_doubles,
                                       .allreduce_ints = ranks_ints,
                                       .allgather = ranks_gather,
                                       .broadcast = ranks_broadcast,
                                       .abort = ranks_abort};
    }
    for (int r = 1; r < size; r++) pthread_create(&thread[r], NULL, ranks_start, &job[r]);
    ranks_start(&job[0]);
    for (int r = 1; r < size; r++) pthread_join(thread[r], NULL);
    pthread_cond_destroy(&all.moved);
    pthread_mutex_destroy(&all.lock);
    return all;
}

/* The bytes they exchanged. */
static inline size_t ranks_run(int size, rank_fn *fn, void *arg)
{
    return ranks_watch(size, fn, arg).bytes;
}

/* All bytes but the time that training took. */
static inline void same_file(heft_model *a, heft_model *b)
{
    char  *p, *q;
    size_t n, m;
    a->fitted.training.seconds = b->fitted.training.seconds = 0;
    OK(heft_model_to_bytes(a, &p, &n, &err));
    OK(heft_model_to_bytes(b, &q, &m, &err));
    assert_int_equal(n, m);
    assert_memory_equal(p, q, n);
    heft_text_free(p), heft_text_free(q);
}

#endif
