/* all.h - sums, maxima and lists over all rows, wherever they are.
 *
 * Rows may be spread over several processes (ranks; see comm.h). What a step learns from rows it
 * learns from all of them, through heft_sum_rows (rows.h) and the functions below. Each must be
 * reached by all ranks at the same step. In a single process they change nothing. */
#pragma once

#include "base/ctx.h"
#include "base/double_double.h"

/* Whether all rows are in this process, so that merging would change nothing. */
static inline bool heft_is_single(const heft_ctx *ctx)
{
    return !ctx->comm || ctx->comm->n_ranks < 2;
}

/* How many processes have a part of the rows. */
static inline size_t heft_n_ranks(const heft_ctx *ctx)
{
    return heft_is_single(ctx) ? 1 : (size_t)ctx->comm->n_ranks;
}

/* Divides the work on n things that all processes have: this process does lo..hi - 1. */
static inline void heft_my_range(const heft_ctx *ctx, size_t n, size_t *lo, size_t *hi)
{
    const size_t size = heft_n_ranks(ctx), rank = size > 1 ? (size_t)ctx->comm->rank : 0;
    *lo = n * rank / size;
    *hi = n * (rank + 1) / size;
}

/* v becomes the sum, or the largest, over all ranks; the same bits on every rank. */
heft_status heft_all_sum(heft_ctx *ctx, double *v, size_t n);
heft_status heft_all_add(heft_ctx *ctx, int64_t *v, size_t n);
heft_status heft_all_max(heft_ctx *ctx, double *v, size_t n);
/* Sums with the same bits however the terms are spread over the ranks: `t` is added double-double,
 * and `v` holds numbers that add up exactly. */
heft_status heft_all_sum_exact(heft_ctx *ctx, heft_dd *t, size_t n_t, double *v, size_t n);

/* The same for numbers that may wrap around, as keys drawn from content do. */
heft_status heft_all_add_keys(heft_ctx *ctx, uint64_t *v, size_t n);
/* Numbers things over all ranks, n of them here: *before are on lower ranks, *all on all ranks. */
heft_status heft_all_place(heft_ctx *ctx, size_t n, size_t *before, size_t *all);

typedef struct heft_gathered { /* what each rank gave: part r is bytes start[r]..start[r + 1] - 1 */
    size_t  n, mine;           /* parts; that of this process */
    char   *bytes;
    size_t *start; /* n + 1 */
} heft_gathered;

/* On the heap, also on failure; in a single process it is a copy. */
heft_status heft_all_gather(heft_ctx *ctx, const void *mine, size_t n, heft_gathered *out);
void        heft_gathered_clear(heft_gathered *gathered);
