/* pool.c - threads that sleep until there is work. They are started when first needed, ended when
 * the library is unloaded, and started anew in a forked child, which inherits none of them. */
#include "base/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { MOST = 255, STACK = 1 << 20 };

typedef struct job {
    heft_pool_fn *fn;
    void         *arg;
    size_t        n;
    atomic_size_t next;
} job;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t  work = PTHREAD_COND_INITIALIZER, finished = PTHREAD_COND_INITIALIZER;
static pthread_once_t  once = PTHREAD_ONCE_INIT;

/* All under the lock. */
static pthread_t     thread[MOST];
static int           n_threads; /* started */
static job          *current;   /* NULL: nothing to join */
static unsigned long round_no;  /* of the current job, so that a thread joins it once */
static int           places;    /* threads that may still join it */
static int           active;    /* threads that have joined and not left */
static bool          in_use, stopping;

static _Thread_local int inside;

static void work_off(job *j)
{
    inside++;
    for (size_t i; (i = atomic_fetch_add(&j->next, 1)) < j->n;) j->fn(j->arg, i);
    inside--;
}

static void *live(void *unused)
{
    unsigned long seen = 0;
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!stopping) {
        if (!current || places == 0 || seen == round_no) {
            pthread_cond_wait(&work, &lock);
            continue;
        }
        job *j = current;
        seen = round_no;
        places--;
        active++;
        pthread_mutex_unlock(&lock);
        work_off(j);
        pthread_mutex_lock(&lock);
        if (--active == 0) pthread_cond_signal(&finished);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Start threads until there are `wanted`; fewer where the system refuses. Under the lock. */
static void start_threads(int wanted)
{
    pthread_attr_t attr;
    if (wanted > MOST) wanted = MOST;
    if (n_threads >= wanted || pthread_attr_init(&attr) != 0) return;
    pthread_attr_setstacksize(&attr, STACK);
    while (n_threads < wanted && pthread_create(&thread[n_threads], &attr, live, NULL) == 0)
        n_threads++;
    pthread_attr_destroy(&attr);
}

/* ---- forks and the end ---- */

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
    current = NULL;
    active = 0;
    in_use = false;
    inside = 0;
    pthread_cond_init(&work, NULL);
    pthread_cond_init(&finished, NULL);
    pthread_mutex_unlock(&lock);
}

static void watch_forks(void)
{
    (void)pthread_atfork(before_fork, in_parent, in_child);
}

#if defined(__GNUC__)
__attribute__((destructor))
#endif
static void
end_threads(void)
{
    pthread_mutex_lock(&lock);
    stopping = true;
    pthread_cond_broadcast(&work);
    pthread_mutex_unlock(&lock);
    for (int k = 0; k < n_threads; k++) pthread_join(thread[k], NULL);
    n_threads = 0;
    stopping = false;
}

/* ---- public ---- */

int heft_pool_inside(void)
{
    return inside;
}

void heft_pool_run(int threads, size_t n, heft_pool_fn *fn, void *arg)
{
    job j = {.fn = fn, .arg = arg, .n = n};
    atomic_init(&j.next, 0);
    bool shared = false;
    if (threads > 1 && n > 1 && !inside) {
        pthread_once(&once, watch_forks);
        pthread_mutex_lock(&lock);
        if (!in_use && !stopping) {
            shared = in_use = true;
            start_threads(threads - 1);
            current = &j;
            places = threads - 1;
            round_no++;
            pthread_cond_broadcast(&work);
        }
        pthread_mutex_unlock(&lock);
    }
    work_off(&j);
    if (!shared) return;
    pthread_mutex_lock(&lock);
    current = NULL;
    while (active > 0) pthread_cond_wait(&finished, &lock);
    in_use = false;
    pthread_mutex_unlock(&lock);
}

int heft_pool_side(pthread_t *side, void *(*fn)(void *), void *arg)
{
    sigset_t all, before;
    sigfillset(&all); /* signals are for the host's threads */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int code = pthread_create(side, NULL, fn, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}
