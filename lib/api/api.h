/* api.h - what the files of the public calls share. */
#pragma once

#include "base/ctx.h"
#include "data/read.h"

/* Opens a public call with a parameter `err`: ctx is its context until the function returns. */
#define HEFT_ENTER(threads, seed, talk)                                                            \
    __attribute__((cleanup(heft_ctx_clear))) heft_ctx call_;                                       \
    heft_ctx *const                                   ctx = &call_;                                \
    heft_ctx_init(ctx, err, (threads), (seed), (talk))

/* All of a public call that is one expression: EINVAL, naming the call, unless `given` holds. */
#define HEFT_CALL(given, threads, talk, expr)                                                      \
    HEFT_ENTER(threads, 0, talk);                                                                  \
    return (given) ? (expr) : heft_need(ctx, false, __func__)

/* A public call that cannot fail: the value of one expression. */
#define HEFT_GET(type, call, expr)                                                                 \
    type call                                                                                      \
    {                                                                                              \
        return (expr);                                                                             \
    }

/* What a reader has to know of a model, in scratch memory. */
heft_status heft_expect_of(heft_ctx *ctx, const heft_model *model, heft_expect *out);

/* EINVAL naming the call when an argument is NULL. */
heft_status heft_need(heft_ctx *ctx, bool there, const char *what);
/* EINVAL where the table has no row i. */
heft_status heft_check_row(heft_ctx *ctx, const heft_table *data, size_t i);
#ifdef __clang_analyzer__
#define heft_need(ctx, there, what) ((there) ? HEFT_OK : (heft_need((ctx), 0, (what)), HEFT_EINVAL))
#endif
