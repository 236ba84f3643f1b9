/* mem.h - allocation on the heap, and arenas on top of it.
 *
 * The library allocates through heft_alloc and friends: sizes are multiplied with an overflow
 * check, and tests can make the n-th allocation fail. They return NULL on failure; callers report
 * it with heft_no_memory (ctx.h). Exceptions are the records of spill.c, which is below this file,
 * and what other libraries (JSON, compression) allocate by themselves. */
#pragma once

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/spill.h"

void *heft_alloc(size_t n, size_t size); /* uninitialised; n == 0 gives a valid pointer */
/* Allocates cells of n rows that will be read in order. Under a memory limit (spill.h) such arrays
 * are the first to be placed in the spill file, because reading in order is fast there. heft_resize
 * treats arrays that it enlarges in the same way. */
void *heft_alloc_rows(size_t n, size_t size);
void *heft_alloc0(size_t n, size_t size);          /* zeroed */
void *heft_resize(void *p, size_t n, size_t size); /* on failure p stays valid */
void  heft_free(void *p);
/* Variables that are released when their block is left, however it is left. All of them must be
 * initialised. HEFT_FREED double *x: heft_free(x). HEFT_LOCAL(type) x: type_clear(&x).
 * HEFT_OWN(type) *x: the function of HEFT_OWNED(type, function), called with x. */
void heft_free_at(void *variable);
#define HEFT_FREED       __attribute__((cleanup(heft_free_at)))
#define HEFT_CLEARED(fn) __attribute__((cleanup(fn)))
#define HEFT_LOCAL(type) HEFT_CLEARED(type##_clear) type
#define HEFT_OWN(type)   HEFT_CLEARED(type##_end) type
#define HEFT_OWNED(type, fn)                                                                       \
    static inline void type##_end(type **variable)                                                 \
    {                                                                                              \
        fn(*variable);                                                                             \
    }

char *heft_copy_text(const char *text);
char *heft_copy_span(const char *text, size_t length); /* adds the terminating 0 */

/* Sets *out = a * b and returns true if the product fits into size_t. */
bool heft_product(size_t a, size_t b, size_t *out);
/* Returns a * b, or SIZE_MAX when that does not fit: no array can have so many elements, so an
 * allocation of them fails. */
size_t heft_times(size_t a, size_t b);

/* For tests: the n-th allocation from now fails (and all after it when `sticky`); 0: none. */
void   heft_fail_alloc_at(size_t n, bool sticky);
size_t heft_alloc_count(void);

typedef struct heft_fault { /* a call that tests make fail, here or in io.c */
    atomic_size_t n_calls;  /* number of calls so far, counted only while a failure is planned */
    atomic_size_t at;       /* number of the call that fails; 0 if none does */
    atomic_bool   sticky;
} heft_fault;

void heft_fault_plan(heft_fault *fault, size_t at, bool sticky);
bool heft_fault_due(heft_fault *fault); /* asked once per call */

/* An arena hands out memory that is freed all at once. With heft_arena_mark and heft_arena_rewind
 * it works as a stack of temporary memory. Memory is 64-byte aligned. Two threads must not use an
 * arena at the same time. */
typedef struct heft_arena_block heft_arena_block;
typedef struct heft_arena {
    heft_arena_block *last;
    heft_arena_block
        *spare; /* largest block that a rewind freed, kept for the next allocation; may be NULL */
} heft_arena;

typedef struct heft_mark {
    heft_arena_block *block;
    size_t            used;
} heft_mark;

void     *heft_arena_alloc(heft_arena *arena, size_t n, size_t size); /* zeroed */
void     *heft_arena_raw(heft_arena *arena, size_t n, size_t size);   /* with any content */
char     *heft_arena_text(heft_arena *arena, const char *text);
heft_mark heft_arena_mark(const heft_arena *arena);
void      heft_arena_rewind(heft_arena *arena, heft_mark mark);
void      heft_arena_clear(heft_arena *arena);

/* HEFT_KNOWN(fact): the fact holds here, but the static analyzer, which sees one file at a time,
 * cannot know it. Debug builds assert it; release builds (NDEBUG) contain nothing. */
#ifdef __clang_analyzer__
#define HEFT_KNOWN(fact) ((fact) ? (void)0 : __builtin_unreachable())
#else
#define HEFT_KNOWN(fact) assert(fact)
#endif
