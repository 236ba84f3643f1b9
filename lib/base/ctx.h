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
    heft_error       own;     /* used when the caller gave none */
    int              threads; /* >= 1 */
    uint64_t         seed;
    const heft_host *host;         /* may be NULL */
    const heft_comm *comm;         /* NULL: alone (comm.h) */
    bool             error_shared; /* all ranks have the error */
    heft_arena       scratch;
    const char      *folder; /* for spill files; NULL: the usual one */
    heft_spill      *spill;  /* this call's limit on memory, NULL: none of its own */
    heft_spill      *before; /* what the thread had then */
    heft_host        own_host;
    heft_comm        own_comm;
} heft_ctx;

void heft_ctx_init(heft_ctx *ctx, heft_error *err, int threads, uint64_t seed,
                   const heft_host *host);
void heft_ctx_clear(heft_ctx *ctx);
/* From here to heft_ctx_clear the call keeps resident memory near `memory` bytes (0: no limit);
 * what is larger goes to a spill file in ctx->folder. */
heft_status heft_ctx_limit(heft_ctx *ctx, size_t memory);

/* Record the failure and return `code`. One sentence: where, what was found, what to do. */
__attribute__((format(printf, 3, 4))) heft_status heft_fail(heft_ctx *ctx, heft_status code,
                                                            const char *format, ...);
/* The same, the sentence beginning with "name:line: ". */
__attribute__((format(printf, 5, 6))) heft_status heft_fail_at(heft_ctx *ctx, heft_status code,
                                                               const char *name, size_t line,
                                                               const char *format, ...);
heft_status heft_no_memory(heft_ctx *ctx, size_t n, size_t size);
#ifdef __clang_analyzer__ /* it sees one file at a time, and must be told what these return */
#define heft_fail(ctx, code, ...)    (heft_fail((ctx), (code), __VA_ARGS__), (code))
#define heft_no_memory(ctx, n, size) (heft_no_memory((ctx), (n), (size)), HEFT_ENOMEM)
#endif

__attribute__((format(printf, 3, 4))) void heft_say(heft_ctx *ctx, heft_level level,
                                                    const char *format, ...);
void heft_progress(heft_ctx *ctx, const char *what, double done);

/* Work of about `all` steps, which threads report as they do them. The progress that the host sees
 * never goes back. */
typedef struct heft_steps {
    const char   *what;
    size_t        all;
    atomic_size_t done;
    char          note[64]; /* how far it is, in words; the host gets it behind `what` */
} heft_steps;
void heft_steps_add(heft_ctx *ctx, heft_steps *steps, size_t n);
/* Another note, from the next report on. */
__attribute__((format(printf, 3, 4))) void heft_steps_note(heft_ctx *ctx, heft_steps *steps,
                                                           const char *format, ...);

/* HEFT_OK, or HEFT_ECANCELLED with its sentence. Call it once per pass, not per row. */
heft_status heft_check_cancel(heft_ctx *ctx);

/* Give scratch memory back down to `mark`, unless the caller asked for its results there. */
static inline void heft_scratch_rewind(heft_ctx *ctx, const heft_arena *results, heft_mark mark)
{
    if (results != &ctx->scratch) heft_arena_rewind(&ctx->scratch, mark);
}

/* Scratch memory taken from here to the end of the enclosing block is given back there, however the
 * block is left. HEFT_SCRATCH_SCOPE_BUT does not where `results` is the scratch arena itself: then
 * the results of the function are in it. */
typedef struct heft_scope {
    heft_arena *arena; /* NULL: nothing is given back */
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

/* *out = a copy of the text in `arena`, or on the heap (NULL stays NULL). */
heft_status heft_arena_copy(heft_ctx *ctx, heft_arena *arena, const char *text, char **out);
heft_status heft_heap_copy(heft_ctx *ctx, const char *text, char **out);

int    heft_cores(void); /* cores this process may use */
double heft_clock(void); /* seconds; only moves forward */
/* Processor time of this thread; where the call has several threads, heft_clock. */
double heft_work_seconds(const heft_ctx *ctx);

/* In a function with `heft_status st = HEFT_OK;` and one label `done`, which cleans up. */
#define HEFT_TRY(expr)                                                                             \
    do {                                                                                           \
        st = (expr);                                                                               \
        if (st != HEFT_OK) goto done;                                                              \
    } while (0)

/* In a function with nothing to clean up: return the status of `expr` unless it is HEFT_OK. */
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

/* The same in a function with a label `done`, which cleans up; and from the heap (heft_free). */
#define HEFT_ARENA(ctx, arena, p, n)                                                               \
    HEFT_TRY(((p) = heft_arena_alloc((arena), (n), sizeof *(p)))                                   \
                 ? HEFT_OK                                                                         \
                 : (heft_no_memory((ctx), (n), sizeof *(p)), HEFT_ENOMEM))
#define HEFT_HEAP(ctx, p, n)                                                                       \
    HEFT_TRY(((p) = heft_alloc0((n), sizeof *(p)))                                                 \
                 ? HEFT_OK                                                                         \
                 : (heft_no_memory((ctx), (n), sizeof *(p)), HEFT_ENOMEM))

/* Several of the same length, up to eight: HEFT_ALLOCS(ctx, &ctx->scratch, n, a, b, c). */
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

/* The heap array p gets n elements, or return ENOMEM; then p is as it was. */
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
