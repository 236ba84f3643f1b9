/* ctx.c - errors, messages, cancellation and clocks. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/ctx.h"

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/marks.h"
#include "base/utf8.h"

/* macros when the analyzer reads this */
#undef heft_fail
#undef heft_no_memory

int heft_cores(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
    const int n = CPU_COUNT(&allowed);
    return n < 1 ? 1 : n > 256 ? 256 : n;
}

/* Number of threads to use if `asked` were requested; 0 asks for one per core. It is limited to a
 * few per core, because more only cost time and memory. */
static int threads_for(int asked)
{
    enum { FOR_EACH = 4 };
    if (asked == 1) return 1;
    const int cores = heft_cores();
    return asked < 1 ? cores : asked < FOR_EACH * cores ? asked : FOR_EACH * cores;
}

void heft_ctx_init(heft_ctx *ctx, heft_error *err, int threads, uint64_t seed,
                   const heft_host *host)
{
    memset(ctx, 0, sizeof *ctx);
    ctx->err = err ? err : &ctx->own;
    ctx->err->code = HEFT_OK;
    ctx->err->text[0] = 0;
    ctx->threads = threads_for(threads);
    ctx->seed = seed ? seed : 1;
    ctx->host = host;
}

void heft_ctx_clear(heft_ctx *ctx)
{
    heft_arena_clear(&ctx->scratch);
    if (!ctx->spill) return;
    (void)heft_spill_swap(ctx->before);
    heft_spill_release(ctx->spill);
    ctx->spill = NULL;
}

heft_status heft_ctx_limit(heft_ctx *ctx, size_t memory)
{
    char why[512];
    if (memory == 0) return HEFT_OK;
    if (memory < HEFT_MEMORY_LEAST)
        return heft_fail(ctx, HEFT_EINVAL,
                         "{memory}: %zu bytes are not enough to work with (use %zuM or more)",
                         memory, HEFT_MEMORY_LEAST >> 20);
    ctx->spill = heft_spill_create(memory, ctx->folder, why, sizeof why);
    if (!ctx->spill) return heft_fail(ctx, HEFT_EIO, "{memory}: %s", why);
    ctx->before = heft_spill_swap(ctx->spill);
    if (why[0]) heft_say(ctx, HEFT_WARNING, "%s", why);
    return HEFT_OK;
}

/* A sentence is one line that a terminal can take, whatever names of files and columns are in it.
 */
static void sentence(char *out, size_t size, const char *format, va_list args)
{
    char      text[sizeof((heft_error *)NULL)->text], rendered[HEFT_RENDERED_SIZE];
    const int n =
        vsnprintf(text, sizeof text, heft_render(rendered, sizeof rendered, format), args);
    if (n < 0) text[0] = 0;
    heft_show(out, size, text, strlen(text), size);
}

heft_status heft_fail(heft_ctx *ctx, heft_status code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ctx->err->code = code;
    sentence(ctx->err->text, sizeof ctx->err->text, format, args);
    va_end(args);
    return code;
}

heft_status heft_fail_at(heft_ctx *ctx, heft_status code, const char *name, size_t line,
                         const char *format, ...)
{
    char    text[sizeof ctx->err->text], rendered[HEFT_RENDERED_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, heft_render(rendered, sizeof rendered, format), args);
    va_end(args);
    return heft_fail(ctx, code, "%s:%zu: %s", name, line, text);
}

heft_status heft_no_memory(heft_ctx *ctx, size_t n, size_t size)
{
    size_t bytes;
    if (!heft_product(n, size, &bytes))
        return heft_fail(ctx, HEFT_ENOMEM,
                         "the data are too large: %zu items of %zu bytes do not fit in memory", n,
                         size);
    if (*heft_spill_failure()) return heft_fail(ctx, HEFT_ENOMEM, "%s", heft_spill_failure());
    return heft_fail(ctx, HEFT_ENOMEM,
                     heft_memory_limit()
                         ? "out of memory: %zu bytes could not be allocated (use fewer rows or "
                           "attributes, or a machine with more memory)"
                         : "out of memory: %zu bytes could not be allocated (use fewer rows or "
                           "attributes, or {advice limit-memory})",
                     bytes);
}

/* Tasks run on several threads; the host gets one message at a time. */
static pthread_mutex_t voice = PTHREAD_MUTEX_INITIALIZER;

void heft_say(heft_ctx *ctx, heft_level level, const char *format, ...)
{
    if (!ctx->host || !ctx->host->log) return;
    char    text[512];
    va_list args;
    va_start(args, format);
    sentence(text, sizeof text, format, args);
    va_end(args);
    pthread_mutex_lock(&voice);
    ctx->host->log(ctx->host->user, level, text);
    pthread_mutex_unlock(&voice);
}

void heft_progress(heft_ctx *ctx, const char *what, double done)
{
    if (!ctx->host || !ctx->host->progress) return;
    pthread_mutex_lock(&voice);
    ctx->host->progress(ctx->host->user, what, done);
    pthread_mutex_unlock(&voice);
}

void heft_steps_add(heft_ctx *ctx, heft_steps *steps, size_t n)
{
    char text[128];
    atomic_fetch_add(&steps->done, n);
    if (!ctx->host || !ctx->host->progress) return;
    pthread_mutex_lock(&voice);
    const size_t done = atomic_load(&steps->done);
    snprintf(text, sizeof text, "%s%s%s", steps->what, *steps->note ? ": " : "", steps->note);
    ctx->host->progress(ctx->host->user, text,
                        done < steps->all ? (double)done / (double)steps->all : 1);
    pthread_mutex_unlock(&voice);
}

void heft_steps_note(heft_ctx *ctx, heft_steps *steps, const char *format, ...)
{
    va_list args;
    if (!ctx->host || !ctx->host->progress) return;
    va_start(args, format);
    pthread_mutex_lock(&voice);
    vsnprintf(steps->note, sizeof steps->note, format, args);
    pthread_mutex_unlock(&voice);
    va_end(args);
}

heft_status heft_check_cancel(heft_ctx *ctx)
{
    if (ctx->host && ctx->host->cancelled && ctx->host->cancelled(ctx->host->user))
        return heft_fail(ctx, HEFT_ECANCELLED, "cancelled");
    return HEFT_OK;
}

heft_status heft_arena_copy(heft_ctx *ctx, heft_arena *arena, const char *text, char **out)
{
    *out = text ? heft_arena_text(arena, text) : NULL;
    return *out || !text ? HEFT_OK : heft_no_memory(ctx, strlen(text) + 1, 1);
}

heft_status heft_heap_copy(heft_ctx *ctx, const char *text, char **out)
{
    *out = text ? heft_copy_text(text) : NULL;
    return *out || !text ? HEFT_OK : heft_no_memory(ctx, strlen(text) + 1, 1);
}

static double seconds_on(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double heft_clock(void)
{
    return seconds_on(CLOCK_MONOTONIC);
}

double heft_work_seconds(const heft_ctx *ctx)
{
    return seconds_on(ctx->threads > 1 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID);
}
