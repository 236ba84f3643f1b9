/* thread_pool.c - threads that sleep until there is work. Only spill.c starts another thread.
 *
 * They are started when first needed and ended when the library is unloaded. A forked child
 * inherits none of them and starts its own.
 *
 * A call that shares its work opens a job, and threads join it. A thread of the call may open
 * another job for a piece of its own work; threads that have nothing left to do join that one.
 *
 * Why not OpenMP: libgomp's threads spin as long as they wait (twice the CPU time on a busy
 * machine), hang in a forked child, and cannot be followed by ThreadSanitizer. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/spill.h"

enum { MOST = 255 /* threads */, STACK = 2 << 20 /* bytes */, AWAKE = 2000 /* looks */ };

typedef struct job {
    heft_piece_fn *fn;
    void          *arg;
    size_t         n;
    atomic_size_t  next;
    int            joined; /* threads that work on it, without the one that opened it */
    struct job    *before; /* in the list of open jobs */
} job;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t  work = PTHREAD_COND_INITIALIZER, finished = PTHREAD_COND_INITIALIZER;
static pthread_once_t  once = PTHREAD_ONCE_INIT;

/* All are protected by the lock, but `idle` may be read without it. */
static pthread_t   thread[MOST];
static int         n_threads; /* started */
static int         cores;     /* that they may use */
static job        *open_jobs; /* of the call that uses the pool: the last one opened */
static atomic_int  idle;      /* threads of that call that have nothing to do */
static bool        in_use, stopping;
static atomic_uint changes; /* of what threads wait for */

static _Thread_local int  inside;  /* tasks and pieces that this thread is in */
static _Thread_local bool in_call; /* this thread works for the call that uses the pool */

static void tell(pthread_cond_t *cond)
{
    atomic_fetch_add(&changes, 1);
    pthread_cond_broadcast(cond);
}

/* Waits for a change; where every thread has a core, awake for about as long as it takes to wake
 * one, some 50 microseconds. */
static void await(pthread_cond_t *cond)
{
    const unsigned before = atomic_load(&changes);
    const int      most = n_threads < cores ? AWAKE : 0;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < most && atomic_load(&changes) == before; i++) heft_pause();
    pthread_mutex_lock(&lock);
    if (atomic_load(&changes) == before) pthread_cond_wait(cond, &lock);
}

static void work_off(job *j)
{
    const bool before = in_call;
    in_call = true;
    inside++;
    for (size_t i; (i = atomic_fetch_add(&j->next, 1)) < j->n;) j->fn(j->arg, i);
    inside--;
    in_call = before;
}

/* A job with pieces that nobody has taken; NULL: there is none. */
static job *find_open(void)
{
    job *j = open_jobs;
    while (j && atomic_load(&j->next) >= j->n) j = j->before;
    return j;
}

/* Joins a job and works on it, without the lock. False: no job is open, or the call may not use
 * another thread. */
static bool join_job(void)
{
    job *j = atomic_load(&idle) > 0 ? find_open() : NULL;
    if (!j) return false;
    atomic_fetch_sub(&idle, 1);
    j->joined++;
    pthread_mutex_unlock(&lock);
    work_off(j);
    pthread_mutex_lock(&lock);
    atomic_fetch_add(&idle, 1);
    if (--j->joined == 0) tell(&finished);
    return true;
}

static void open_job(job *j)
{
    j->before = open_jobs;
    open_jobs = j;
    for (int k = atomic_load(&idle); k > 0; k--) pthread_cond_signal(&work);
    tell(&finished); /* threads that wait for another job may join this one */
}

static void close_job(const job *j)
{
    job **at = &open_jobs;
    while (*at != j) at = &(*at)->before;
    *at = j->before;
}

static void *live(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!stopping)
        if (!join_job()) await(&work);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&lock);
}

static void in_child(void)
{
    n_threads = 0;
    open_jobs = NULL;
    atomic_store(&idle, 0);
    in_use = false;
    in_call = false;
    inside = 0;
    pthread_cond_init(&work, NULL);
    pthread_cond_init(&finished, NULL);
    pthread_mutex_unlock(&lock);
}

static void watch_forks(void)
{
    (void)pthread_atfork(before_fork, in_parent, in_child);
}

__attribute__((destructor)) static void end_threads(void)
{
    pthread_mutex_lock(&lock);
    stopping = true;
    tell(&work);
    pthread_mutex_unlock(&lock);
    for (int k = 0; k < n_threads; k++) pthread_join(thread[k], NULL);
    n_threads = 0;
    stopping = false;
}

/* A new thread is often put where its creator runs, and the two take turns there until the system
 * finds out, some milliseconds later. So it is moved; from then on it may run anywhere. */
static void move_away(pthread_t one)
{
    cpu_set_t allowed, others;
    const int here = sched_getcpu();
    if (here < 0 || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    others = allowed;
    CPU_CLR((size_t)here, &others);
    if (CPU_COUNT(&others) == 0) return;
    (void)pthread_setaffinity_np(one, sizeof others, &others);
    (void)pthread_setaffinity_np(one, sizeof allowed, &allowed);
}

/* Brings the pool to `wanted` threads, or to fewer where the system refuses. */
static void start_threads(int wanted)
{
    pthread_attr_t attr;
    if (n_threads >= wanted || pthread_attr_init(&attr) != 0) return;
    cores = heft_cores();
    pthread_attr_setstacksize(&attr, STACK);
    while (n_threads < wanted && pthread_create(&thread[n_threads], &attr, live, NULL) == 0)
        move_away(thread[n_threads++]);
    pthread_attr_destroy(&attr);
}

static void run_serially(size_t n, heft_piece_fn *fn, void *arg)
{
    inside++; /* no job: its atomic counter would wait for everything that a task has written */
    for (size_t i = 0; i < n; i++) {
        fn(arg, i);
        heft_spill_release_pages();
    }
    inside--;
}

void heft_pool_run(int threads, size_t n, heft_piece_fn *fn, void *arg)
{
    job  j = {.fn = fn, .arg = arg, .n = n};
    bool shared = false;
    atomic_init(&j.next, 0);
    if (threads > 1 && n > 1 && !inside) {
        pthread_once(&once, watch_forks);
        pthread_mutex_lock(&lock);
        if (!in_use && !stopping) {
            shared = in_use = true;
            const int others = threads - 1 < MOST ? threads - 1 : MOST;
            start_threads(others);
            atomic_store(&idle, others < n_threads ? others : n_threads);
            open_job(&j);
        }
        pthread_mutex_unlock(&lock);
    }
    if (!shared) {
        run_serially(n, fn, arg);
        return;
    }
    work_off(&j);
    pthread_mutex_lock(&lock);
    atomic_fetch_add(&idle, 1);
    while (j.joined > 0)
        if (!join_job()) await(&finished);
    close_job(&j);
    atomic_store(&idle, 0);
    in_use = false;
    pthread_mutex_unlock(&lock);
}

bool heft_idle_threads(const heft_ctx *ctx)
{
    return in_call ? atomic_load(&idle) > 0 && !heft_spill_current() : ctx->threads > 1 && !inside;
}

void heft_run_pieces(heft_ctx *ctx, size_t n, heft_piece_fn *fn, void *arg)
{
    job j = {.fn = fn, .arg = arg, .n = n};
    if (!in_call) {
        heft_pool_run(ctx->threads, n, fn, arg);
        return;
    }
    if (n < 2 || atomic_load(&idle) <= 0 || heft_spill_current()) {
        run_serially(n, fn, arg);
        return;
    }
    atomic_init(&j.next, 0);
    pthread_mutex_lock(&lock);
    open_job(&j);
    pthread_mutex_unlock(&lock);
    work_off(&j);
    pthread_mutex_lock(&lock);
    close_job(&j);
    while (j.joined > 0) await(&finished);
    pthread_mutex_unlock(&lock);
}

bool heft_inside_task(void)
{
    return inside > 0;
}

int heft_cores(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
    const int n = CPU_COUNT(&allowed);
    return n < 1 ? 1 : n > 256 ? 256 : n;
}
