/* rows.h - loops over rows, and tasks. All other files use threads through this one.
 *
 * Every loop over the rows of a table must use one of these, because they keep the process within
 * its memory limit (spill.h).
 *
 * heft_sum_rows divides rows into blocks whose size depends on the width alone, sums each block
 * into its own slice and adds the slices in block order. The result therefore has the same bits for
 * any number of threads. heft_run runs independent tasks. Inside a task everything is serial,
 * except heft_run_pieces (thread_pool.h). */
#pragma once

#include "base/ctx.h"
#include "base/spill.h"
#include "base/thread_pool.h"

/* ---- serial loops ---- */

static inline bool heft_row_step(size_t i)
{
    if (i % 64 == 0) heft_spill_release_pages();
    return true;
}

/* Call this before accessing a row far from the previous one, because the system may bring in 64 KB
 * for it. */
static inline void heft_release_pages(void)
{
    heft_spill_release_pages();
}

/* HEFT_ROWS (i, n) loops over i = 0..n - 1: rows, or other items whose number grows with the rows.
 */
#define HEFT_ROWS(i, n)       HEFT_RANGE (i, 0, n)
#define HEFT_RANGE(i, lo, hi) for (size_t i = (lo); i < (hi) && heft_row_step(i); i++)

/* HEFT_ROW_BLOCKS loops over blocks of rows lo..hi - 1, for inner loops that should vectorise. */
#define HEFT_BLOCK_ROWS            ((size_t)1 << 15)
#define HEFT_ROW_BLOCKS(lo, hi, n) HEFT_BLOCKS_OF (HEFT_BLOCK_ROWS, lo, hi, n)
#define HEFT_BLOCKS_OF(size, lo, hi, n)                                                            \
    for (size_t lo = 0, hi;                                                                        \
         lo < (n) && (heft_spill_release_pages(), hi = (n)-lo < (size) ? (n) : lo + (size), true); \
         lo = hi)

/* ---- sums and tasks ---- */

/* acc[0..width-1] += the contribution of rows lo..hi-1. Must not allocate. */
typedef void heft_row_fn(const void *arg, size_t lo, size_t hi, double *acc);

/* Sums over the rows of all processes. Each process passes its own n rows, and all receive the same
 * bits. */
heft_status heft_sum_rows(heft_ctx *ctx, size_t n, size_t width, heft_row_fn *fn, const void *arg,
                          double *out);
/* Sums over the rows of this process, or over items that are not rows. */
heft_status heft_sum_here(heft_ctx *ctx, size_t n, size_t width, heft_row_fn *fn, const void *arg,
                          double *out);
/* heft_sum_here for functions whose work per row grows with the width, so that blocks have fewer
 * rows. */
heft_status heft_sum_wide(heft_ctx *ctx, size_t n, size_t width, heft_row_fn *fn, const void *arg,
                          double *out);

/* Sums over the rows of this process that are not added number by number: add(arg, slice, width,
 * out) merges the sums of a block into those of the blocks before it. */
typedef void heft_slice_fn(const void *arg, const double *slice, size_t width, double *out);

heft_status heft_sum_rows_by(heft_ctx *ctx, size_t n, size_t width, heft_row_fn *fn,
                             heft_slice_fn *add, const void *arg, double *out);

/* Task i of n. `ctx` belongs to the task: its scratch arena is empty and it has one thread. The
 * error of the failed task with the lowest index is passed to the caller's context. Tasks must
 * write to separate memory. Inside a task, the functions of all.h see the rows of this process
 * only. */
typedef heft_status heft_task_fn(heft_ctx *ctx, void *arg, size_t i);

heft_status heft_run(heft_ctx *ctx, size_t n, heft_task_fn *fn, void *arg);
/* Runs tasks that use the functions of all.h. With several processes, the tasks run one after the
 * other and the threads work inside them; n must be the same in all processes. */
heft_status heft_all_run(heft_ctx *ctx, size_t n, heft_task_fn *fn, void *arg);

/* Tasks that go on in turns: fn is called for task i until it makes *more false, on any thread, but
 * never twice at once. The first n_first tasks have their turns before the others. Of each kind
 * those that have had fewer come first, so that all threads have work almost until the end. No more
 * tasks have begun and not ended than there are threads, and one. On one thread, and over several
 * processes, one task after the other. */
typedef heft_status heft_turn_fn(heft_ctx *ctx, void *arg, size_t i, bool *more);

heft_status heft_run_turns(heft_ctx *ctx, size_t n, size_t n_first, heft_turn_fn *fn, void *arg);

/* n rows in pieces, for heft_run_pieces: how many there are, and the rows lo .. hi - 1 of one. */
#define HEFT_PIECE_ROWS ((size_t)1 << 14)

static inline size_t heft_n_pieces(size_t n)
{
    return (n + HEFT_PIECE_ROWS - 1) / HEFT_PIECE_ROWS;
}

static inline void heft_piece_rows(size_t n, size_t piece, size_t *lo, size_t *hi)
{
    *lo = piece * HEFT_PIECE_ROWS;
    *hi = n - *lo < HEFT_PIECE_ROWS ? n : *lo + HEFT_PIECE_ROWS;
}

/* A chain of tasks of three steps each: `take` fetches what is next, `work` does something with it,
 * `end` ends it. There is one take at a time, works go on beside each other, and there is one end
 * at a time, in the order of the takes. From its take to its end a task has a slot to itself. *more
 * is true; a take that finds nothing makes it false, and so does an end after which no further
 * tasks are wanted: those that were taken are ended all the same. The error is that of the first
 * task, in their order, that has one; the tasks behind it are dropped. */
typedef heft_status heft_step_fn(heft_ctx *ctx, void *arg, size_t slot, bool *more);

typedef struct heft_chain {
    heft_step_fn *take, *work, *end;
    size_t        n_slots;
} heft_chain;

heft_status heft_run_chain(heft_ctx *ctx, const heft_chain *chain, void *arg);

/* heft_run over blocks of `block` rows: fn gets lo and hi. */
typedef heft_status heft_block_fn(heft_ctx *ctx, void *arg, size_t lo, size_t hi);

heft_status heft_run_blocks(heft_ctx *ctx, size_t n_rows, size_t block, heft_block_fn *fn,
                            void *arg);
