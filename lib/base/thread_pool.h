/* thread_pool.h - the threads that share the work of a call.
 *
 * Sums over rows and tasks that may fail (rows.h) run on them. Pieces of work, below, have neither
 * a context nor an error. */
#pragma once

#include "base/ctx.h"

/* Piece i of some work. */
typedef void heft_piece_fn(void *arg, size_t i);

/* Calls fn(arg, i) for every i < n, on up to `threads` threads including the caller's, and returns
 * when all calls have returned. The calls are serial inside a task, and where the system gives no
 * thread. Several threads of a program may do so at the same time: they share the threads of the
 * pool, of which there are as many as the most demanding call has asked for so far. For base alone:
 * others use rows.h. */
void heft_pool_run(int threads, size_t n, heft_piece_fn *fn, void *arg);
/* Calls fn(arg, i) for every i < n inside a task: on the caller's thread and on threads that have
 * no other work. The pieces must not allocate. It saves time if a piece takes much longer than
 * waking a thread. */
void heft_run_pieces(heft_ctx *ctx, size_t n, heft_piece_fn *fn, void *arg);
/* Whether another thread could take a piece at this moment. */
bool heft_idle_threads(const heft_ctx *ctx);
/* Whether the caller runs inside a task or a piece, where heft_pool_run is serial. */
bool heft_inside_task(void);

/* Tells the processor that this thread is waiting in a loop for another thread. */
static inline void heft_pause(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#endif
}
