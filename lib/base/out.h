/* out.h - an output file that is whole or absent: written beside its target, flushed, put in its
 * place. "-" is standard output. */
#pragma once

#include "base/ctx.h"

typedef struct heft_out heft_out;

heft_status heft_out_open(heft_ctx *ctx, const char *path, heft_out **result);
heft_status heft_out_write(heft_ctx *ctx, heft_out *out, const void *data, size_t length);
heft_status heft_out_commit(heft_ctx *ctx, heft_out *out); /* frees out in any case */
void        heft_out_abandon(heft_out *out);               /* removes the temporary; NULL is fine */
/* The whole of a file: open, write, commit. */
heft_status heft_out_text(heft_ctx *ctx, const char *path, const char *text);
/* EIO where the file could not be written; nothing is changed. */
heft_status heft_out_check(heft_ctx *ctx, const char *path);
