/* comm.h - the ranks of a run (heft_comm in heft_ranks.h), for code that must know about them:
 * reading a byte range of a file, fitting on the root rank, public calls. Code that computes
 * statistics of rows uses all.h instead.
 *
 * Every function here is called by all ranks at the same step, or by none. Each collective begins
 * with a small packet from every rank that tells whether it has failed and which step it is at: a
 * failure on one rank becomes the same error on every rank at the next collective. A public call
 * that ranks make together ends with heft_comm_end. */
#pragma once

#include "base/all.h"

static inline size_t heft_comm_rank(const heft_ctx *ctx)
{
    return heft_is_single(ctx) ? 0 : (size_t)ctx->comm->rank;
}

/* Returns EINVAL if the caller's struct cannot be used. */
heft_status heft_comm_check(heft_ctx *ctx, const heft_comm *comm);

/* Copies n bytes from rank `root` to all ranks. */
heft_status heft_comm_broadcast(heft_ctx *ctx, void *bytes, size_t n, size_t root);

/* The last collective of a public call. `st` is the status of this rank; the result is HEFT_OK if
 * all ranks succeeded, otherwise the error of the lowest rank that failed. */
heft_status heft_comm_end(heft_ctx *ctx, heft_status st);
