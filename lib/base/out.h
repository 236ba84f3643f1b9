/* out.h - output files that are either complete or absent: data are written to a temporary file
 * beside the target, flushed to the disk, and renamed. The path "-" is standard output. */
#pragma once

#include "base/ctx.h"

typedef struct heft_out heft_out;

heft_status heft_out_open(heft_ctx *ctx, const char *path, heft_out **result);
heft_status heft_out_write(heft_ctx *ctx, heft_out *out, const void *data, size_t length);
heft_status heft_out_commit(heft_ctx *ctx, heft_out *out); /* frees out in any case */
void        heft_out_abandon(heft_out *out);               /* removes the temporary; NULL is fine */
HEFT_OWNED(heft_out, heft_out_abandon)
/* Writes a complete file: opens it, writes `text` and commits. */
heft_status heft_out_text(heft_ctx *ctx, const char *path, const char *text);
/* Returns EIO if the file could not be written; changes nothing. */
heft_status heft_out_check(heft_ctx *ctx, const char *path);
