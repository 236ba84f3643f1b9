/* structs.c - structs that programs built for other versions of heft fill in, and the context of a
 * call that is to run as one of them says. */
#include "base/structs.h"

#include <string.h>

#include "base/comm.h"

/* *out = the size of the caller's struct. */
static heft_status size_of(heft_ctx *ctx, const heft_struct *as, const void *theirs, size_t *out)
{
    memcpy(out, theirs, sizeof *out);
    if (*out == 0) *out = as->first;
    if (*out >= as->first) return HEFT_OK;
    return heft_fail(ctx, HEFT_EINVAL,
                     "%s: size is %zu, less than in any version of heft (set it to sizeof(%s), or "
                     "to 0)",
                     as->name, *out, as->name);
}

heft_status heft_struct_take(heft_ctx *ctx, const heft_struct *as, const void *from, void *to)
{
    const char *bytes = from;
    size_t      size;
    memset(to, 0, as->size);
    if (!from) return HEFT_OK;
    HEFT_CHECK(size_of(ctx, as, from, &size));
    for (size_t k = as->size; k < size; k++)
        if (bytes[k])
            return heft_fail(ctx, HEFT_EINVAL,
                             "%s: the program was built for a newer heft and sets a field beyond "
                             "byte %zu, which version %s does not have",
                             as->name, as->size, HEFT_VERSION);
    memcpy(to, from, size < as->size ? size : as->size);
    return HEFT_OK;
}

heft_status heft_struct_fits(heft_ctx *ctx, const heft_struct *as, const void *to)
{
    size_t size;
    return size_of(ctx, as, to, &size);
}

heft_status heft_struct_give(heft_ctx *ctx, const heft_struct *as, const void *from, void *to)
{
    size_t size;
    HEFT_CHECK(size_of(ctx, as, to, &size));
    const size_t known = size < as->size ? size : as->size, skip = sizeof size;
    memcpy((char *)to + skip, (const char *)from + skip, known - skip);
    memset((char *)to + known, 0, size - known);
    return HEFT_OK;
}

heft_status heft_ctx_open(heft_ctx *ctx, heft_error *err, const heft_runtime *run)
{
    heft_runtime own;
    heft_ctx_init(ctx, err, 1, 0, NULL);
    HEFT_CHECK(heft_struct_take(ctx, HEFT_RUNTIME, run, &own));
    heft_ctx_init(ctx, err, own.threads, own.seed, NULL);
    ctx->folder = own.scratch;
    if (own.host) {
        HEFT_CHECK(heft_struct_take(ctx, HEFT_HOST, own.host, &ctx->own_host));
        ctx->host = &ctx->own_host;
    }
    if (own.comm) {
        HEFT_CHECK(heft_struct_take(ctx, HEFT_COMM, own.comm, &ctx->own_comm));
        HEFT_CHECK(heft_comm_check(ctx, &ctx->own_comm));
        ctx->comm = &ctx->own_comm;
    }
    const heft_status st = heft_ctx_limit(ctx, own.memory);
    return st == HEFT_OK ? HEFT_OK : heft_comm_end(ctx, st); /* the other ranks get the error */
}
