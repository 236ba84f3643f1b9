/* ctx.h - the inner context: where an error goes, how many threads, the seed, scratch memory,
 * the host's callbacks. One is made on the stack by each public call, and one by heft_run for each
 * of its tasks. */
#pragma once

#include "base/mem.h"
#include "heft.h"
#include "heft_host.h"
#include "heft_ranks.h"

typedef struct heft_ctx {
    heft_error      *err;     /* never NULL */
    heft_error       own;     /* target of `err` if the caller passed no heft_error */
    int              threads; /* number of threads, at least 1 */
    uint64_t         seed;
    const heft_host *host;         /* the host's callbacks; may be NULL */
    const heft_comm *comm;         /* the ranks of the run (comm.h); NULL in a single process */
    bool             error_shared; /* whether all ranks have this error */
    heft_arena       scratch;      /* arena for temporary memory */
    const char      *folder;       /* folder for spill files; NULL for the default */
    heft_spill      *spill;        /* memory limit set by this call; NULL if it set none */
    heft_spill      *before;       /* memory limit of the thread before this call */
    heft_host        own_host;
    heft_comm        own_comm;
} heft_ctx;

void heft_ctx_init(heft_ctx *ctx, heft_error *err, int threads, uint64_t seed,
                   const heft_host *host);
void heft_ctx_clear(heft_ctx *ctx);
/* Until heft_ctx_clear, the call keeps resident memory near `memory` bytes (0: no limit) and moves
 * arrays that do not fit to a spill file in ctx->folder. */
heft_status heft_ctx_limit(heft_ctx *ctx, size_t memory);

/* Records the failure and returns `code`. The message is one sentence that says where, what was
 * found and what to do. */
__attribute__((format(printf, 3, 4))) heft_status heft_fail(heft_ctx *ctx, heft_status code,
                                                            const char *format, ...);
/* heft_fail with a message that begins with "name:line: ". */
__attribute__((format(printf, 5, 6))) heft_status heft_fail_at(heft_ctx *ctx, heft_status code,
                                                               const char *name, size_t line,
                                                               const char *format, ...);
heft_status heft_no_memory(heft_ctx *ctx, size_t n, size_t size);
#ifdef __clang_analyzer__ /* the analyzer sees one file at a time and must be told the results */
#define heft_fail(ctx, code, ...)    (heft_fail((ctx), (code), __VA_ARGS__), (code))
#define heft_no_memory(ctx, n, size) (heft_no_memory((ctx), (n), (size)), HEFT_ENOMEM)
#endif

__attribute__((format(printf, 3, 4))) void heft_say(heft_ctx *ctx, heft_level level,
                                                    const char *format, ...);
void heft_progress(heft_ctx *ctx, const char *what, double done);

/* Progress of work that has about `all` steps. Threads report steps as they finish them; the
 * progress that the host sees never decreases. */
typedef struct heft_steps {
    const char   *what;
    size_t        all;
    atomic_size_t done;
    char          note[64]; /* progress in words, which the host receives after `what` */
} heft_steps;
void heft_steps_add(heft_ctx *ctx, heft_steps *steps, size_t n);
/* Replaces the note; the host receives it with the next report. */
__attribute__((format(printf, 3, 4))) void heft_steps_note(heft_ctx *ctx, heft_steps *steps,
                                                           const char *format, ...);

/* Returns HEFT_ECANCELLED and records a message if the host has cancelled the call, otherwise
 * HEFT_OK. Call it once per pass, not per row. */
heft_status heft_check_cancel(heft_ctx *ctx);

/* Memory taken from ctx->scratch between HEFT_SCRATCH_SCOPE and the end of the enclosing block is
 * freed there, however the block is left. HEFT_SCRATCH_SCOPE_BUT frees nothing if `results` is
 * ctx->scratch itself, because the results of the function are then in it. */
typedef struct heft_scope {
    heft_arena *arena; /* NULL if nothing is freed */
    heft_mark   mark;
} heft_scope;

static inline void heft_scope_end(const heft_scope *scope)
{
    if (scope->arena) heft_arena_rewind(scope->arena, scope->mark);
}

#define HEFT_SCRATCH_SCOPE(ctx) HEFT_SCRATCH_SCOPE_BUT(ctx, NULL)
#define HEFT_SCRATCH_SCOPE_BUT(ctx, results)                                                       \
    __attribute__((cleanup(heft_scope_end), unused)) const heft_scope scope_ = {                   \
        (const heft_arena *)(results) == &(ctx)->scratch ? NULL : &(ctx)->scratch,                 \
        heft_arena_mark(&(ctx)->scratch)}

/* *out = a copy of the text, in `arena` or on the heap. A copy of NULL is NULL. */
heft_status heft_arena_copy(heft_ctx *ctx, heft_arena *arena, const char *text, char **out);
heft_status heft_heap_copy(heft_ctx *ctx, const char *text, char **out);

int    heft_cores(void); /* cores this process may use */
double heft_clock(void); /* monotonic clock in seconds */
/* Processor time of this thread in seconds, or heft_clock if the call has several threads. */
double heft_work_seconds(const heft_ctx *ctx);

/* Goes to the label `done`, which cleans up, unless `expr` is HEFT_OK. For functions that declare
 * `heft_status st = HEFT_OK;`. */
#define HEFT_TRY(expr)                                                                             \
    do {                                                                                           \
        st = (expr);                                                                               \
        if (st != HEFT_OK) goto done;                                                              \
    } while (0)

/* Returns the status of `expr` unless it is HEFT_OK. For functions with nothing to clean up. */
#define HEFT_CHECK(expr)                                                                           \
    do {                                                                                           \
        const heft_status status_ = (expr);                                                        \
        if (status_ != HEFT_OK) return status_;                                                    \
    } while (0)

/* p = n zeroed elements from the arena, or return ENOMEM: for functions that use HEFT_CHECK. */
#define HEFT_ALLOC(ctx, arena, p, n)                                                               \
    do {                                                                                           \
        (p) = heft_arena_alloc((arena), (n), sizeof *(p));                                         \
        if (!(p)) return heft_no_memory((ctx), (n), sizeof *(p));                                  \
    } while (0)

/* p = n lines of `width` zeroed elements in the arena, or return ENOMEM. */
#define HEFT_TABLE(ctx, arena, p, n, width)                                                        \
    do {                                                                                           \
        size_t cells_;                                                                             \
        if (!heft_product((n), (width), &cells_)) return heft_no_memory((ctx), (n), (width));      \
        HEFT_ALLOC(ctx, arena, p, cells_);                                                         \
    } while (0)

/* HEFT_ALLOC for functions with a label `done` that cleans up. HEFT_HEAP takes the memory from the
 * heap (heft_free). */
#define HEFT_ARENA(ctx, arena, p, n)                                                               \
    HEFT_TRY(((p) = heft_arena_alloc((arena), (n), sizeof *(p)))                                   \
                 ? HEFT_OK                                                                         \
                 : (heft_no_memory((ctx), (n), sizeof *(p)), HEFT_ENOMEM))
#define HEFT_HEAP(ctx, p, n)                                                                       \
    HEFT_TRY(((p) = heft_alloc0((n), sizeof *(p)))                                                 \
                 ? HEFT_OK                                                                         \
                 : (heft_no_memory((ctx), (n), sizeof *(p)), HEFT_ENOMEM))

/* Allocate up to eight arrays of the same length: HEFT_ALLOCS(ctx, &ctx->scratch, n, a, b, c). */
#define HEFT_ALLOCS(ctx, arena, n, ...) HEFT_EACH_(HEFT_ALLOC, ctx, arena, n, __VA_ARGS__)
#define HEFT_ARENAS(ctx, arena, n, ...) HEFT_EACH_(HEFT_ARENA, ctx, arena, n, __VA_ARGS__)
/* clang-format off */
#define HEFT_EACH_(m, x, a, n, ...) do {                                                           \
    HEFT_NINTH_(__VA_ARGS__, HEFT_8_, HEFT_7_, HEFT_6_, HEFT_5_, HEFT_4_, HEFT_3_, HEFT_2_,        \
                HEFT_1_, 0)(m, x, a, n, __VA_ARGS__); } while (0)
#define HEFT_NINTH_(a, b, c, d, e, f, g, h, ninth, ...) ninth
#define HEFT_1_(m, x, a, n, p)      m(x, a, p, n)
#define HEFT_2_(m, x, a, n, p, ...) m(x, a, p, n); HEFT_1_(m, x, a, n, __VA_ARGS__)
#define HEFT_3_(m, x, a, n, p, ...) m(x, a, p, n); HEFT_2_(m, x, a, n, __VA_ARGS__)
#define HEFT_4_(m, x, a, n, p, ...) m(x, a, p, n); HEFT_3_(m, x, a, n, __VA_ARGS__)
#define HEFT_5_(m, x, a, n, p, ...) m(x, a, p, n); HEFT_4_(m, x, a, n, __VA_ARGS__)
#define HEFT_6_(m, x, a, n, p, ...) m(x, a, p, n); HEFT_5_(m, x, a, n, __VA_ARGS__)
#define HEFT_7_(m, x, a, n, p, ...) m(x, a, p, n); HEFT_6_(m, x, a, n, __VA_ARGS__)
#define HEFT_8_(m, x, a, n, p, ...) m(x, a, p, n); HEFT_7_(m, x, a, n, __VA_ARGS__)
/* clang-format on */

/* Resizes the heap array p to n elements, or returns ENOMEM and leaves p unchanged. */
#define HEFT_RESIZE(ctx, p, n)                                                                     \
    do {                                                                                           \
        void *resized_ = heft_resize((p), (n), sizeof *(p));                                       \
        if (!resized_) return heft_no_memory((ctx), (n), sizeof *(p));                             \
        (p) = resized_;                                                                            \
    } while (0)

/* p = n zeroed elements from the heap, or return ENOMEM: for functions that use HEFT_CHECK. The
 * owner of p frees it. */
#define HEFT_NEW(ctx, p, n)                                                                        \
    do {                                                                                           \
        (p) = heft_alloc0((n), sizeof *(p));                                                       \
        if (!(p)) return heft_no_memory((ctx), (n), sizeof *(p));                                  \
    } while (0)
