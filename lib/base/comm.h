/* comm.h - the one door to other ranks (heft_comm in heft.h).
 *
 * Every function here is called by all ranks at the same place, or by none; alone it does nothing
 * and costs nothing. Each meeting begins with a small packet of every rank that says whether it has
 * failed and where it is: a failure on one rank becomes the same error on every rank at
 * the next meeting, so that nobody waits for ever. A public call that ranks make together ends
 * with heft_comm_end. */
#ifndef HEFT_BASE_COMM_H
#define HEFT_BASE_COMM_H

#include "base/ctx.h"
#include "base/double_double.h"

static inline bool heft_alone(const heft_ctx *ctx)
{
    return !ctx->comm || ctx->comm->size < 2;
}

static inline size_t heft_comm_size(const heft_ctx *ctx)
{
    return heft_alone(ctx) ? 1 : (size_t)ctx->comm->size;
}

static inline size_t heft_comm_rank(const heft_ctx *ctx)
{
    return heft_alone(ctx) ? 0 : (size_t)ctx->comm->rank;
}

/* EINVAL where the caller's struct cannot be used. */
heft_status heft_comm_check(heft_ctx *ctx, const heft_comm *comm);

/* v becomes the sum, or the largest, over the ranks; the same bits on all of them. */
heft_status heft_comm_sum(heft_ctx *ctx, double *v, size_t n);
heft_status heft_comm_add(heft_ctx *ctx, int64_t *v, size_t n);
/* Sums that are the same bits however the terms are spread over the ranks: `t` is added
 * double-double, and `v` holds numbers that add up exactly. */
heft_status heft_comm_sum_exact(heft_ctx *ctx, heft_dd *t, size_t n_t, double *v, size_t n);
heft_status heft_comm_max(heft_ctx *ctx, double *v, size_t n);

typedef struct heft_gathered { /* what each rank gave: bytes start[r]..start[r + 1] - 1 */
    char   *bytes;
    size_t *start; /* size + 1 */
} heft_gathered;

/* On the heap, also on failure; alone it is a copy. */
heft_status heft_comm_gather(heft_ctx *ctx, const void *mine, size_t n, heft_gathered *out);
void        heft_gathered_clear(heft_gathered *gathered);

heft_status heft_comm_broadcast(heft_ctx *ctx, void *bytes, size_t n, size_t root);

/* The last meeting of a public call: `st` is how this rank fared; the answer is how all did. */
heft_status heft_comm_end(heft_ctx *ctx, heft_status st);

#endif
