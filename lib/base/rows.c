/* rows.c - sums over rows in fixed blocks, tasks, tasks in turns, and chains of tasks. They run on
 * the threads of thread_pool.c.
 *
 * Sums have the same bits for any number of threads, because what is added to what is decided
 * before a thread begins: rows are cut into blocks whose size is a function of the width of the
 * sum, each block is summed by itself into a slice, and the slices are added in the order of the
 * blocks. A wave of at most 64 slices exists at a time, which bounds memory; one thread needs a
 * single slice, and adds in the same order.
 *
 * Tasks are independent, and each gets a context of its own, so that errors and scratch memory are
 * not shared. Of several failures the one with the lowest index is reported, as a serial run would,
 * whatever the threads did first. Turns are for tasks of very different length (the fits of
 * the members of auto): a task gives its thread back between its steps, and those that have had few
 * turns go first, so that no long task is left alone at the end. Chains are for files: one thread
 * at a time takes the next chunk, many work on theirs, and one at a time ends them in order. */
#include "base/rows.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/comm.h"

/* ---- sums ---- */

/* Number of slices that exist at once, bounded in number and in memory. The order of additions does
 * not depend on it. Under a limit on memory the slices must not go to the spill file, because each
 * is written as a whole. */
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

static heft_status sum_blocks(heft_ctx *ctx, size_t n, size_t block, size_t width, heft_row_fn *fn,
                              heft_slice_fn *add, const void *arg, double *out)
{
    const size_t n_blocks = n ? (n - 1) / block + 1 : 0;
    memset(out, 0, width * sizeof *out);
    if (n_blocks == 0 || width == 0) return HEFT_OK;
    if (n_blocks == 1) return fn(arg, 0, n, out), HEFT_OK;
    HEFT_SCRATCH_SCOPE(ctx);
    /* Serially one slice is enough: the additions happen in the same order. */
    const size_t wave = ctx->threads > 1 && !heft_inside_task() ? wave_size(width, n_blocks) : 1;
    summing      sums = {.fn = fn, .arg = arg, .n = n, .block = block, .width = width};
    sums.slice = heft_arena_raw(&ctx->scratch, wave * width, sizeof(double));
    if (!sums.slice) return heft_no_memory(ctx, wave * width, sizeof(double));
    for (sums.first = 0; sums.first < n_blocks; sums.first += wave) {
        const size_t here = n_blocks - sums.first < wave ? n_blocks - sums.first : wave;
        heft_pool_run(ctx->threads, here, sum_block, &sums);
        for (size_t k = 0; k < here; k++) add(arg, sums.slice + k * width, width, out);
    }
    return HEFT_OK;
}

/* Rows per block: large enough that zeroing and adding a slice costs little beside the work, and a
 * function of width alone, so that the order of sums is fixed. */
static size_t block_rows(size_t width)
{
    return width < 1024 ? 4096 : width < (size_t)1 << 18 ? width * 4 : (size_t)1 << 20;
}

heft_status heft_sum_here(heft_ctx *ctx, size_t n, size_t width, heft_row_fn *fn, const void *arg,
                          double *out)
{
    return sum_blocks(ctx, n, block_rows(width), width, fn, add_plainly, arg, out);
}

heft_status heft_sum_wide(heft_ctx *ctx, size_t n, size_t width, heft_row_fn *fn, const void *arg,
                          double *out)
{
    enum { LEAST = 256, MOST = 4096 };
    size_t rows = ((size_t)1 << 18) / (width + 1);
    if (rows < LEAST) rows = LEAST;
    if (rows > MOST) rows = MOST;
    return sum_blocks(ctx, n, rows, width, fn, add_plainly, arg, out);
}

heft_status heft_sum_rows_by(heft_ctx *ctx, size_t n, size_t width, heft_row_fn *fn,
                             heft_slice_fn *add, const void *arg, double *out)
{
    return sum_blocks(ctx, n, block_rows(width), width, fn, add, arg, out);
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
    heft_error      err;    /* message of that task; the lock protects it */
} running;

static void one_task(void *arg, size_t i)
{
    running   *run = arg;
    heft_error err;
    heft_ctx   child;
    if (i > atomic_load(&run->failed)) return; /* an earlier task has failed */
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

/* The error of the lowest index, if there is one. */
static heft_status end_running(heft_ctx *ctx, running *run)
{
    pthread_mutex_destroy(&run->lock);
    if (atomic_load(&run->failed) == SIZE_MAX) return HEFT_OK;
    *ctx->err = run->err;
    return run->err.code;
}

heft_status heft_run(heft_ctx *ctx, size_t n, heft_task_fn *fn, void *arg)
{
    running run = {.parent = ctx, .spill = heft_spill_current(), .fn = fn, .arg = arg};
    atomic_init(&run.failed, SIZE_MAX);
    pthread_mutex_init(&run.lock, NULL);
    heft_pool_run(ctx->threads, n, one_task, &run);
    return end_running(ctx, &run);
}

/* ---- turns ---- */

typedef struct turning {
    heft_turn_fn *fn;
    void         *arg;
    size_t        n, n_first, most_open;
    running       run;
    /* all under the lock */
    size_t  n_open; /* tasks that have begun and not ended */
    size_t *turns;  /* turns that each task has had, the present one included */
    bool   *taken;  /* whether the task has a turn now, or has ended */
} turning;

/* The task that gets the next turn: the one that has had the fewest turns among the waiting tasks
 * below n_first, or, if none of these waits, among all. n: no task waits. No task is begun while
 * most_open tasks are open. */
static size_t next_task(const turning *t)
{
    size_t best = t->n;
    for (size_t i = 0; i < t->n && i < atomic_load(&t->run.failed); i++) {
        if (i == t->n_first && best < t->n) break;
        if (t->taken[i] || (t->turns[i] == 0 && t->n_open == t->most_open)) continue;
        if (best == t->n || t->turns[i] < t->turns[best]) best = i;
    }
    return best;
}

static heft_status one_turn(heft_ctx *ctx, void *arg, size_t i)
{
    turning          *t = arg;
    bool              more = true;
    const heft_status st = t->fn(ctx, t->arg, i, &more);
    pthread_mutex_lock(&t->run.lock);
    t->taken[i] = !more || st != HEFT_OK;
    t->n_open -= t->taken[i];
    pthread_mutex_unlock(&t->run.lock);
    return st;
}

static heft_status all_turns(heft_ctx *ctx, void *arg, size_t i)
{
    const turning *t = arg;
    for (bool more = true; more;) HEFT_CHECK(t->fn(ctx, t->arg, i, &more));
    return HEFT_OK;
}

/* Gives the calling thread turns until no task waits. From then on every task that is left has a
 * thread. */
static void take_turns(void *arg, size_t unused)
{
    turning *t = arg;
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&t->run.lock);
        const size_t i = next_task(t);
        if (i < t->n) {
            t->taken[i] = true;
            t->n_open += t->turns[i]++ == 0;
        }
        pthread_mutex_unlock(&t->run.lock);
        if (i == t->n) return;
        one_task(&t->run, i);
    }
}

heft_status heft_run_turns(heft_ctx *ctx, size_t n, size_t n_first, heft_turn_fn *fn, void *arg)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t threads = (size_t)ctx->threads < n ? (size_t)ctx->threads : n;
    turning      t = {.fn = fn, .arg = arg, .n = n, .n_first = n_first, .most_open = threads + 1};
    if (threads < 2 || heft_inside_task() || !heft_is_single(ctx))
        return heft_all_run(ctx, n, all_turns, &t);
    HEFT_ALLOCS(ctx, &ctx->scratch, n, t.turns, t.taken);
    t.run = (running){.parent = ctx, .spill = heft_spill_current(), .fn = one_turn, .arg = &t};
    atomic_init(&t.run.failed, SIZE_MAX);
    pthread_mutex_init(&t.run.lock, NULL);
    heft_pool_run(ctx->threads, threads, take_turns, &t);
    return end_running(ctx, &t.run);
}

/* ---- chains ---- */

typedef struct link {                 /* a slot */
    enum { FREE, BUSY, READY } state; /* READY: to be ended */
    heft_status st;
    heft_error  err;
} link;

/* All but the first three are under the lock. Task t has slot order[t % n_slots]. */
typedef struct linking {
    const heft_chain *chain;
    void             *arg;
    running           run;
    pthread_cond_t    change;
    link             *slot;
    size_t           *order;
    size_t            n_taken, n_ended;
    bool              taking, ending; /* whether a thread is taking, or ending, a task */
    bool              stop;           /* whether no more tasks are taken */
    size_t            n_waiting;
    heft_status       st;
} linking;

/* Runs one step of the task in a slot, without holding the lock. */
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

/* Works on the chain until there is nothing left for the calling thread. */
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
        } else if (l->stop) { /* threads that work on tasks end them, and the ready ones behind */
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
    const bool serial = ctx->threads == 1 || chain->n_slots == 1;
    if (serial)
        for (bool more = true; more;) {
            HEFT_CHECK(chain->take(ctx, arg, 0, &more));
            if (!more) return HEFT_OK;
            HEFT_CHECK(chain->work(ctx, arg, 0, &more));
            HEFT_CHECK(chain->end(ctx, arg, 0, &more));
        }
    if (serial) return HEFT_OK;
    HEFT_ALLOCS(ctx, &ctx->scratch, chain->n_slots, l.slot, l.order);
    pthread_mutex_init(&l.run.lock, NULL);
    pthread_cond_init(&l.change, NULL);
    heft_pool_run(ctx->threads, (size_t)ctx->threads, follow_chain, &l);
    pthread_cond_destroy(&l.change);
    pthread_mutex_destroy(&l.run.lock);
    if (l.st != HEFT_OK) *ctx->err = l.run.err, ctx->err->code = l.st;
    return l.st;
}

heft_status heft_all_run(heft_ctx *ctx, size_t n, heft_task_fn *fn, void *arg)
{
    heft_status st = HEFT_OK;
    if (heft_is_single(ctx)) return heft_run(ctx, n, fn, arg);
    for (size_t i = 0; st == HEFT_OK && i < n; i++) {
        heft_ctx child;
        heft_ctx_init(&child, ctx->err, ctx->threads, ctx->seed, ctx->host);
        child.comm = ctx->comm;
        st = fn(&child, arg, i);
        ctx->error_shared = child.error_shared;
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
