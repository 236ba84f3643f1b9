/* thread_pool.c - threads that sleep until there is work. Only spill.c starts another thread.
 *
 * They are started when first needed and ended when the library is unloaded. A forked child
 * inherits none of them and starts its own.
 *
 * A call is one use of the pool by a thread of the program (heft_pool_run). It opens a job, which
 * is a list of pieces, and threads of the pool join the job and take pieces until none is left. A
 * thread that works for the call may open another job for a part of its own piece
 * (heft_run_pieces), and threads that have nothing left to do join that one. Several calls can be
 * open at the same time: the threads of the pool join the job that was opened last, of any call
 * that may still use another thread, and come back for the others. No call waits for another: its
 * own thread takes pieces, too, and never leaves its call, so that it ends even if no thread of
 * the pool ever comes. Results do not depend on any of this, because pieces write to places of
 * their own and are put together in their order.
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

typedef struct call {
    atomic_int idle; /* threads that it may still use; changed under the lock, read without it */
} call;

typedef struct job {
    call          *call;
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

/* The lock protects all of these. */
static pthread_t   thread[MOST];
static int         n_threads; /* threads that were started */
static int         cores;     /* cores that they may use */
static job        *open_jobs; /* the last one opened comes first */
static bool        stopping;
static atomic_uint changes; /* counts every event that a thread may be waiting for */

static _Thread_local int   inside;  /* tasks and pieces that this thread is in */
static _Thread_local call *in_call; /* the call that this thread works for, or NULL */

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
    call *before = in_call;
    in_call = j->call;
    inside++;
    for (size_t i; (i = atomic_fetch_add(&j->next, 1)) < j->n;) j->fn(j->arg, i);
    inside--;
    in_call = before;
}

/* Whether a thread could join the job: it has pieces that nobody has taken, and its call may use
 * another thread. */
static bool is_open(job *j)
{
    return atomic_load(&j->call->idle) > 0 && atomic_load(&j->next) < j->n;
}

/* Joins a job of `own`, or of any call for NULL, and works on it without the lock. False: there is
 * none. */
static bool join_job(const call *own)
{
    job *j = open_jobs;
    while (j && ((own && j->call != own) || !is_open(j))) j = j->before;
    if (!j) return false;
    call *c = j->call;
    atomic_fetch_sub(&c->idle, 1);
    j->joined++;
    pthread_mutex_unlock(&lock);
    work_off(j);
    pthread_mutex_lock(&lock);
    atomic_fetch_add(&c->idle, 1);
    if (--j->joined == 0) tell(&finished);
    return true;
}

static void open_job(job *j)
{
    j->before = open_jobs;
    open_jobs = j;
    for (int k = atomic_load(&j->call->idle); k > 0; k--) pthread_cond_signal(&work);
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
        if (!join_job(NULL)) await(&work);
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
    in_call = NULL;
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
    call own;
    job  j = {.call = &own, .fn = fn, .arg = arg, .n = n};
    if (threads < 2 || n < 2 || inside) {
        run_serially(n, fn, arg);
        return;
    }
    const int others = threads - 1 < MOST ? threads - 1 : MOST;
    atomic_init(&j.next, 0);
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&lock);
    if (!stopping) start_threads(others);
    atomic_init(&own.idle, others < n_threads ? others : n_threads);
    open_job(&j);
    pthread_mutex_unlock(&lock);
    work_off(&j);
    pthread_mutex_lock(&lock);
    atomic_fetch_add(&own.idle, 1); /* this thread may help with the jobs of its pieces */
    while (j.joined > 0)
        if (!join_job(&own)) await(&finished);
    close_job(&j);
    pthread_mutex_unlock(&lock);
}

bool heft_idle_threads(const heft_ctx *ctx)
{
    return in_call ? atomic_load(&in_call->idle) > 0 && !heft_spill_current()
                   : ctx->threads > 1 && !inside;
}

void heft_run_pieces(heft_ctx *ctx, size_t n, heft_piece_fn *fn, void *arg)
{
    job j = {.call = in_call, .fn = fn, .arg = arg, .n = n};
    if (!in_call) {
        heft_pool_run(ctx->threads, n, fn, arg);
        return;
    }
    if (n < 2 || atomic_load(&in_call->idle) <= 0 || heft_spill_current()) {
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
