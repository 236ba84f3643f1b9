/* api.h - what the files of the public calls share. */
#pragma once

#include "base/ctx.h"
#include "data/read.h"

/* The body of a public call: a context around one statement that sets st. */
#define HEFT_CALL(threads, talk, body)                                                             \
    heft_ctx    ctx;                                                                               \
    heft_status st = HEFT_OK;                                                                      \
    heft_ctx_init(&ctx, err, (threads), 0, (talk));                                                \
    body;                                                                                          \
    heft_ctx_clear(&ctx);                                                                          \
    return st

/* The same for a call that needs what `given` stands for: EINVAL, naming the call, without it. */
#define HEFT_CALL_WITH(given, threads, talk, expr)                                                 \
    HEFT_CALL(threads, talk, st = (given) ? (expr) : heft_need(&ctx, false, __func__))

/* What a reader has to know of a model, in scratch memory. */
heft_status heft_expect_of(heft_ctx *ctx, const heft_model *model, heft_expect *out);

/* EINVAL naming the call when an argument is NULL. */
heft_status heft_need(heft_ctx *ctx, bool there, const char *what);
/* EINVAL where the table has no row i. */
heft_status heft_check_row(heft_ctx *ctx, const heft_table *data, size_t i);
#ifdef __clang_analyzer__
#define heft_need(ctx, there, what) ((there) ? HEFT_OK : (heft_need((ctx), 0, (what)), HEFT_EINVAL))
#endif
