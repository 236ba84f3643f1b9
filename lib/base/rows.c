/* rows.c - sums over rows in fixed blocks, and independent tasks; no other file uses threads. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/rows.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "base/comm.h"

int heft_cores(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
    const int n = CPU_COUNT(&allowed);
    return n < 1 ? 1 : n > 256 ? 256 : n;
}

/* ---- the pool ----
 *
 * Threads that sleep until there is work. They are started when first needed, ended when the
 * library is unloaded, and started anew in a forked child, which inherits none of them.
 *
 * Why not OpenMP: libgomp's threads spin while they wait (twice the CPU time on a busy machine),
 * hang in a forked child, and cannot be followed by ThreadSanitizer. */

enum { MOST = 255, STACK = 1 << 20 };

typedef void pool_fn(void *arg, size_t i);

typedef struct job {
    pool_fn      *fn;
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

__attribute__((destructor)) static void end_threads(void)
{
    pthread_mutex_lock(&lock);
    stopping = true;
    pthread_cond_broadcast(&work);
    pthread_mutex_unlock(&lock);
    for (int k = 0; k < n_threads; k++) pthread_join(thread[k], NULL);
    n_threads = 0;
    stopping = false;
}

/* fn(arg, i) for every i < n, on up to `threads` threads, the caller's among them; returns when all
 * are done. Serial inside a task, when the pool is in use by another thread, and where no thread
 * can be had. */
static void run_pool(int threads, size_t n, pool_fn *fn, void *arg)
{
    job            j = {.fn = fn, .arg = arg, .n = n};
    bool           shared = false;
    pthread_attr_t attr;
    atomic_init(&j.next, 0);
    if (threads > 1 && n > 1 && !inside) {
        pthread_once(&once, watch_forks);
        pthread_mutex_lock(&lock);
        if (!in_use && !stopping) {
            shared = in_use = true;
            places = threads - 1 < MOST ? threads - 1 : MOST;
            /* fewer where the system refuses */
            if (n_threads < places && pthread_attr_init(&attr) == 0) {
                pthread_attr_setstacksize(&attr, STACK);
                while (n_threads < places &&
                       pthread_create(&thread[n_threads], &attr, live, NULL) == 0)
                    n_threads++;
                pthread_attr_destroy(&attr);
            }
            current = &j;
            round_no++;
            pthread_cond_broadcast(&work);
        }
        pthread_mutex_unlock(&lock);
    }
    if (!shared) { /* an atomic step would wait for all that a task has written */
        inside++;
        for (size_t i = 0; i < n; i++) fn(arg, i);
        inside--;
        return;
    }
    work_off(&j);
    pthread_mutex_lock(&lock);
    current = NULL;
    while (active > 0) pthread_cond_wait(&finished, &lock);
    in_use = false;
    pthread_mutex_unlock(&lock);
}

/* ---- sums ---- */

/* Slices alive at once: bounded in number and in memory. The order of additions does not depend
 * on it. Under a limit on memory they must not end in the scratch file: they are written all over.
 */
static size_t wave_size(size_t width, size_t n_blocks)
{
    const size_t limit = heft_memory_limit(), least = limit ? 1 : 2;
    const size_t fits = limit ? limit / 16 / (width * sizeof(double)) : SIZE_MAX;
    size_t       wave = ((size_t)1 << 22) / width;
    if (wave > fits) wave = fits;
    if (wave > 64) wave = 64;
    if (wave < least) wave = least;
    return wave < n_blocks ? wave : n_blocks;
}

typedef struct summing {
    heft_row_fn *fn;
    const void  *arg;
    size_t       n, block, width, first; /* first block of the wave */
    double      *slice;
} summing;

static void sum_block(void *arg, size_t k)
{
    const summing *s = arg;
    const size_t   lo = (s->first + k) * s->block;
    double        *acc = s->slice + k * s->width;
    memset(acc, 0, s->width * sizeof *acc);
    s->fn(s->arg, lo, s->n - lo < s->block ? s->n : lo + s->block, acc);
    heft_spill_release_pages();
}

static void add_plainly(const void *arg, const double *slice, size_t width, double *out)
{
    (void)arg;
    for (size_t v = 0; v < width; v++) out[v] += slice[v];
}

heft_status heft_sum_here(heft_ctx *ctx, size_t n, size_t width, heft_row_fn *fn, const void *arg,
                          double *out)
{
    return heft_sum_rows_by(ctx, n, width, fn, add_plainly, arg, out);
}

heft_status heft_sum_rows_by(heft_ctx *ctx, size_t n, size_t width, heft_row_fn *fn,
                             heft_slice_fn *add, const void *arg, double *out)
{
    /* Rows per block: large enough that zeroing and adding a slice costs little beside the work,
     * and a function of width alone, so that the order of sums is fixed. */
    const size_t block = width < 1024              ? 4096
                         : width < (size_t)1 << 18 ? width * 4
                                                   : (size_t)1 << 20;
    const size_t n_blocks = n ? (n - 1) / block + 1 : 0;
    memset(out, 0, width * sizeof *out);
    if (n_blocks == 0 || width == 0) return HEFT_OK;
    if (n_blocks == 1) return fn(arg, 0, n, out), HEFT_OK;
    HEFT_SCRATCH_SCOPE(ctx);
    /* Serially one slice is enough: the additions happen in the same order. */
    const size_t wave = ctx->threads > 1 && !inside ? wave_size(width, n_blocks) : 1;
    summing      sums = {.fn = fn, .arg = arg, .n = n, .block = block, .width = width};
    HEFT_ALLOC(ctx, &ctx->scratch, sums.slice, wave * width);
    for (sums.first = 0; sums.first < n_blocks; sums.first += wave) {
        const size_t here = n_blocks - sums.first < wave ? n_blocks - sums.first : wave;
        run_pool(ctx->threads, here, sum_block, &sums);
        for (size_t k = 0; k < here; k++) add(arg, sums.slice + k * width, width, out);
    }
    return HEFT_OK;
}

heft_status heft_sum_rows(heft_ctx *ctx, size_t n, size_t width, heft_row_fn *fn, const void *arg,
                          double *out)
{
    HEFT_CHECK(heft_sum_here(ctx, n, width, fn, arg, out));
    return heft_all_sum(ctx, out, width);
}

/* ---- tasks ---- */

typedef struct running {
    heft_ctx       *parent;
    heft_spill     *spill; /* the caller's limit on memory holds for its tasks */
    heft_task_fn   *fn;
    void           *arg;
    pthread_mutex_t lock;
    atomic_size_t   failed; /* lowest index that failed, SIZE_MAX: none */
    heft_error      err;    /* its sentence; under the lock */
} running;

static void one_task(void *arg, size_t i)
{
    running   *run = arg;
    heft_error err;
    heft_ctx   child;
    if (i > atomic_load(&run->failed)) return; /* the work has failed already */
    heft_spill *before = heft_spill_swap(run->spill);
    heft_ctx_init(&child, &err, 1, run->parent->seed, run->parent->host);
    const heft_status st = run->fn(&child, run->arg, i);
    heft_ctx_clear(&child);
    (void)heft_spill_swap(before);
    heft_spill_release_pages();
    if (st == HEFT_OK) return;
    pthread_mutex_lock(&run->lock);
    if (i < atomic_load(&run->failed)) {
        atomic_store(&run->failed, i);
        run->err = err;
        run->err.code = st;
    }
    pthread_mutex_unlock(&run->lock);
}

heft_status heft_run(heft_ctx *ctx, size_t n, heft_task_fn *fn, void *arg)
{
    running run = {.parent = ctx, .spill = heft_spill_current(), .fn = fn, .arg = arg};
    atomic_init(&run.failed, SIZE_MAX);
    pthread_mutex_init(&run.lock, NULL);
    run_pool(ctx->threads, n, one_task, &run);
    pthread_mutex_destroy(&run.lock);
    if (atomic_load(&run.failed) == SIZE_MAX) return HEFT_OK;
    *ctx->err = run.err;
    return run.err.code;
}

/* ---- chains ---- */

typedef struct link { /* a slot */
    enum { FREE, BUSY, READY } state;
    heft_status st;
    heft_error  err;
} link;

/* All but the first three under the lock. Task t has slot order[t % n_slots]. */
typedef struct linking {
    const heft_chain *chain;
    void             *arg;
    running           run;
    pthread_cond_t    change;
    link             *slot;
    size_t           *order;
    size_t            n_taken, n_ended;
    bool              taking, ending; /* somebody is */
    bool              stop;           /* no more are taken */
    size_t            n_waiting;
    heft_status       st;
} linking;

/* One step of the task in a slot, without the lock. */
static heft_status one_step(linking *l, heft_step_fn *fn, size_t slot, bool *more)
{
    heft_ctx child;
    pthread_mutex_unlock(&l->run.lock);
    heft_spill *before = heft_spill_swap(l->run.spill);
    heft_ctx_init(&child, &l->slot[slot].err, 1, l->run.parent->seed, l->run.parent->host);
    const heft_status st = fn(&child, l->arg, slot, more);
    heft_ctx_clear(&child);
    (void)heft_spill_swap(before);
    heft_spill_release_pages();
    pthread_mutex_lock(&l->run.lock);
    if (l->n_waiting) pthread_cond_broadcast(&l->change);
    return st;
}

/* Takes a task into a free slot and works on it. */
static void take_task(linking *l, size_t slot)
{
    link *own = &l->slot[slot];
    bool  more = true;
    l->taking = true;
    own->state = BUSY;
    own->st = one_step(l, l->chain->take, slot, &more);
    l->taking = false;
    if (!more || own->st != HEFT_OK) l->stop = true;
    if (!more && own->st == HEFT_OK) {
        own->state = FREE;
        return;
    }
    l->order[l->n_taken++ % l->chain->n_slots] = slot;
    if (own->st == HEFT_OK) own->st = one_step(l, l->chain->work, slot, &more);
    own->state = READY;
}

/* Ends the next task, unless one before it has failed. */
static void end_task(linking *l, size_t slot)
{
    link *own = &l->slot[slot];
    bool  more = true;
    l->ending = true;
    if (own->st == HEFT_OK && l->st == HEFT_OK) own->st = one_step(l, l->chain->end, slot, &more);
    if (own->st != HEFT_OK && l->st == HEFT_OK) {
        l->st = own->st;
        l->run.err = own->err;
    }
    if (!more || l->st != HEFT_OK) l->stop = true;
    own->state = FREE;
    l->n_ended++;
    l->ending = false;
    if (l->n_waiting) pthread_cond_broadcast(&l->change);
}

/* What a thread does until there is nothing left for it. */
static void follow_chain(void *arg, size_t unused)
{
    linking     *l = arg;
    const size_t n = l->chain->n_slots;
    (void)unused;
    pthread_mutex_lock(&l->run.lock);
    for (;;) {
        const size_t next = l->order[l->n_ended % n];
        size_t       slot = 0;
        while (slot < n && l->slot[slot].state != FREE) slot++;
        if (!l->ending && l->n_ended < l->n_taken && l->slot[next].state == READY) {
            end_task(l, next);
        } else if (!l->stop && !l->taking && slot < n) {
            take_task(l, slot);
        } else if (l->stop) { /* those who work on a task will end it, and the ready ones behind */
            break;
        } else {
            l->n_waiting++;
            pthread_cond_wait(&l->change, &l->run.lock);
            l->n_waiting--;
        }
    }
    pthread_mutex_unlock(&l->run.lock);
}

heft_status heft_run_chain(heft_ctx *ctx, const heft_chain *chain, void *arg)
{
    HEFT_SCRATCH_SCOPE(ctx);
    linking l = {.chain = chain, .arg = arg, .run = {.parent = ctx, .spill = heft_spill_current()}};
    for (bool more = true; more && ctx->threads == 1;) {
        HEFT_CHECK(chain->take(ctx, arg, 0, &more));
        if (!more) return HEFT_OK;
        HEFT_CHECK(chain->work(ctx, arg, 0, &more));
        HEFT_CHECK(chain->end(ctx, arg, 0, &more));
    }
    if (ctx->threads == 1) return HEFT_OK;
    HEFT_ALLOCS(ctx, &ctx->scratch, chain->n_slots, l.slot, l.order);
    pthread_mutex_init(&l.run.lock, NULL);
    pthread_cond_init(&l.change, NULL);
    run_pool(ctx->threads, (size_t)ctx->threads, follow_chain, &l);
    pthread_cond_destroy(&l.change);
    pthread_mutex_destroy(&l.run.lock);
    if (l.st != HEFT_OK) *ctx->err = l.run.err, ctx->err->code = l.st;
    return l.st;
}

heft_status heft_all_run(heft_ctx *ctx, size_t n, heft_task_fn *fn, void *arg)
{
    heft_status st = HEFT_OK;
    if (heft_all_here(ctx)) return heft_run(ctx, n, fn, arg);
    for (size_t i = 0; st == HEFT_OK && i < n; i++) {
        heft_ctx child;
        heft_ctx_init(&child, ctx->err, ctx->threads, ctx->seed, ctx->host);
        child.comm = ctx->comm;
        st = fn(&child, arg, i);
        ctx->told = child.told;
        heft_ctx_clear(&child);
    }
    return st;
}

typedef struct blocks {
    heft_block_fn *fn;
    void          *arg;
    size_t         n_rows, block;
} blocks;

static heft_status one_block(heft_ctx *ctx, void *arg, size_t b)
{
    const blocks *k = arg;
    const size_t  lo = b * k->block;
    return k->fn(ctx, k->arg, lo, k->n_rows - lo < k->block ? k->n_rows : lo + k->block);
}

heft_status heft_run_blocks(heft_ctx *ctx, size_t n_rows, size_t block, heft_block_fn *fn,
                            void *arg)
{
    blocks k = {fn, arg, n_rows, block};
    return heft_run(ctx, n_rows ? (n_rows - 1) / block + 1 : 0, one_block, &k);
}
