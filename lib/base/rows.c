/* rows.c - sums over rows in fixed blocks, and independent tasks. The only file that knows threads.
 */
#include "base/rows.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#endif

/* A forked child inherits the parent's idea of a thread pool but not the threads: a parallel
 * region would wait for them for ever. So a child works serially. */
static atomic_bool    forked;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void in_child(void)
{
    atomic_store(&forked, true);
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, in_child);
}

int heft_cores(void)
{
#ifdef _OPENMP
    const int n = omp_get_num_procs();
#else
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
#endif
    return n < 1 ? 1 : n > 256 ? 256 : (int)n;
}

static int team_size(const heft_ctx *ctx, size_t n_tasks)
{
#ifdef _OPENMP
    pthread_once(&once, watch_forks);
    if (atomic_load(&forked) || omp_in_parallel() || ctx->threads <= 1 || n_tasks < 2) return 1;
    return (size_t)ctx->threads < n_tasks ? ctx->threads : (int)n_tasks;
#else
    (void)ctx, (void)n_tasks, (void)watch_forks, (void)once;
    return 1;
#endif
}

/* Rows per block: large enough that zeroing and adding a slice costs little beside the work, and
 * a function of width alone, so that the order of sums is fixed. */
static size_t block_rows(size_t width)
{
    return width < 1024 ? 4096 : width < (size_t)1 << 18 ? width * 4 : (size_t)1 << 20;
}

/* Slices alive at once: bounded in number and in memory. The order of additions does not depend
 * on it. */
static size_t wave_size(size_t width, size_t n_blocks)
{
    size_t wave = ((size_t)1 << 22) / width;
    if (wave > 16) wave = 16;
    if (wave < 2) wave = 2;
    return wave < n_blocks ? wave : n_blocks;
}

heft_status heft_sum_rows(heft_ctx *ctx, size_t n, size_t width, heft_row_fn *fn, const void *arg,
                          double *out)
{
    heft_status  st = HEFT_OK;
    const size_t block = block_rows(width);
    const size_t n_blocks = n ? (n - 1) / block + 1 : 0;
    memset(out, 0, width * sizeof *out);
    if (n_blocks == 0 || width == 0) return HEFT_OK;
    if (n_blocks == 1) {
        fn(arg, 0, n, out);
        return HEFT_OK;
    }
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    const size_t    wave = wave_size(width, n_blocks);
    size_t          cells;
    double         *slice;
    const int       team = team_size(ctx, n_blocks);
    /* Serially one slice is enough: the additions happen in the same order. */
    if (!heft_product(team > 1 ? wave : 1, width, &cells)) return heft_no_memory(ctx, wave, width);
    HEFT_ARENA(ctx, &ctx->scratch, slice, cells);
    if (team == 1) {
        for (size_t b = 0; b < n_blocks; b++) {
            memset(slice, 0, width * sizeof *slice);
            fn(arg, b * block, b + 1 == n_blocks ? n : (b + 1) * block, slice);
            for (size_t k = 0; k < width; k++) out[k] += slice[k];
        }
        goto done;
    }
#ifdef _OPENMP
    for (size_t first = 0; first < n_blocks; first += wave) {
        const size_t last = first + wave < n_blocks ? first + wave : n_blocks;
        memset(slice, 0, (last - first) * width * sizeof *slice);
#pragma omp parallel for num_threads(team) schedule(dynamic, 1)
        for (size_t b = first; b < last; b++)
            fn(arg, b * block, b + 1 == n_blocks ? n : (b + 1) * block,
               slice + (b - first) * width);
        for (size_t b = first; b < last; b++)
            for (size_t k = 0; k < width; k++) out[k] += slice[(b - first) * width + k];
    }
#endif
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

/* ---- tasks ---- */

typedef struct failure {
    size_t     index;
    heft_error err;
} failure;

static void record(failure *worst, size_t i, heft_status st, const heft_error *err)
{
#ifdef _OPENMP
#pragma omp critical(heft_task_failure)
#endif
    if (i < worst->index) {
        worst->index = i;
        worst->err = *err;
        worst->err.code = st;
    }
}

static void one_task(heft_ctx *parent, heft_task_fn *fn, void *arg, size_t i, failure *worst)
{
    heft_error err;
    heft_ctx   child;
    heft_ctx_init(&child, &err, 1, parent->seed, parent->talk);
    const heft_status st = fn(&child, arg, i);
    heft_ctx_clear(&child);
    if (st != HEFT_OK) record(worst, i, st, &err);
}

heft_status heft_run(heft_ctx *ctx, size_t n, heft_task_fn *fn, void *arg)
{
    failure   worst = {.index = SIZE_MAX};
    const int team = team_size(ctx, n);
    if (team == 1) {
        for (size_t i = 0; i < n && worst.index == SIZE_MAX; i++) one_task(ctx, fn, arg, i, &worst);
    }
#ifdef _OPENMP
    else {
#pragma omp        parallel for num_threads(team) schedule(dynamic, 1)
        for (size_t i = 0; i < n; i++) {
                   size_t seen;
#pragma omp atomic read
            seen = worst.index;
            if (i < seen) one_task(ctx, fn, arg, i, &worst);
        }
    }
#endif
    if (worst.index == SIZE_MAX) return HEFT_OK;
    *ctx->err = worst.err;
    return worst.err.code;
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
