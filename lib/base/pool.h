/* pool.h - a few sleeping threads. Only rows.c uses it: methods know nothing of threads.
 *
 * Why not OpenMP: libgomp's threads spin while they wait (twice the CPU time on a busy machine),
 * hang in a forked child, and cannot be followed by ThreadSanitizer. */
#pragma once

#include <pthread.h>
#include <stddef.h>

typedef void heft_pool_fn(void *arg, size_t i);

/* fn(arg, i) for every i < n, on up to `threads` threads, the caller's among them; returns when all
 * are done. Serial inside a task, when the pool is in use by another thread, and where no thread
 * can be had. */
void heft_pool_run(int threads, size_t n, heft_pool_fn *fn, void *arg);

/* The calling thread is running a task. */
int heft_pool_inside(void);

/* A thread of its own that runs no tasks and sees no signals, for what must go on beside them
 * (spill.c). 0, or the system's error. The caller joins it. */
int heft_pool_side(pthread_t *side, void *(*fn)(void *), void *arg);
