/* api.h - how public calls begin.
 *
 * Every public function is defined in this folder and does nothing but check its arguments, make a
 * context (base/ctx.h) and call one function of another folder. The context holds what a call needs
 * besides its arguments: the error, threads, scratch memory, the host's callbacks, the ranks. It is
 * made anew for each call and cleared when the call returns, so that calls from several threads of
 * a program do not disturb one another. Structs of the caller are copied first (base/structs.h),
 * because a program may have been compiled for an earlier version, in which they were shorter. */
#pragma once

#include "base/structs.h"
#include "data/read.h"

/* Opens a public call that has a parameter `err`: ctx is its context until the function returns.
 * `run` is a heft_runtime, or NULL for all cores; HEFT_ONE_THREAD is for calls that cannot use more
 * threads. */
#define HEFT_ENTER(run)                                                                            \
    __attribute__((cleanup(heft_ctx_clear))) heft_ctx call_;                                       \
    heft_ctx *const                                   ctx = &call_;                                \
    HEFT_CHECK(heft_ctx_open(ctx, err, (run)))
#define HEFT_ONE_THREAD (&(const heft_runtime){.threads = 1})

/* HEFT_ENTER for calls with arguments that must not be NULL: returns EINVAL, naming the call,
 * unless `given` holds. */
#define HEFT_OPEN(given, run)                                                                      \
    HEFT_ENTER(run);                                                                               \
    HEFT_CHECK(heft_need(ctx, (given), __func__))

/* HEFT_ENTER for calls whose runtime is in a struct of the caller; `own` is a copy of that
 * struct. */
#define HEFT_ENTER_WITH(as, given, own)                                                            \
    HEFT_CHECK(heft_struct_of_call((as), (given), &(own), err));                                   \
    HEFT_ENTER((own).run)

/* Calls heft_struct_take before there is a context. */
heft_status heft_struct_of_call(const heft_struct *as, const void *given, void *own,
                                heft_error *err);

/* The body of a public call that is one expression. Returns EINVAL, naming the call, unless `given`
 * holds. */
#define HEFT_CALL(given, run, expr)                                                                \
    HEFT_ENTER(run);                                                                               \
    return (given) ? (expr) : heft_need(ctx, false, __func__)

/* Defines a public call that cannot fail: the value of one expression. */
#define HEFT_GET(type, call, expr)                                                                 \
    type call                                                                                      \
    {                                                                                              \
        return (expr);                                                                             \
    }

/* Returns EINVAL and names the call if an argument is NULL. */
heft_status heft_need(heft_ctx *ctx, bool there, const char *what);
/* Returns EINVAL if the table has no row i. */
heft_status heft_check_row(heft_ctx *ctx, const heft_table *data, size_t i);
/* Returns EINVAL if there is no attribute j among n; `of` is "table" or "model". */
heft_status heft_check_attribute(heft_ctx *ctx, size_t j, size_t n, const char *of);
#ifdef __clang_analyzer__
#define heft_need(ctx, there, what) ((there) ? HEFT_OK : (heft_need((ctx), 0, (what)), HEFT_EINVAL))
#endif
