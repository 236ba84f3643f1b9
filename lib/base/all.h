/* all.h - sums, maxima and lists over all rows, wherever they are.
 *
 * Rows may be spread over several processes (ranks; see comm.h). Every statistic is computed over
 * the rows of all processes, through heft_sum_rows (rows.h) and the functions below. All ranks must
 * call each function at the same step. In a single process they change nothing. */
#pragma once

#include "base/ctx.h"
#include "base/double_double.h"

/* Whether all rows are in this process, so that merging would change nothing. */
static inline bool heft_is_single(const heft_ctx *ctx)
{
    return !ctx->comm || ctx->comm->n_ranks < 2;
}

/* Number of processes that the rows are spread over. */
static inline size_t heft_n_ranks(const heft_ctx *ctx)
{
    return heft_is_single(ctx) ? 1 : (size_t)ctx->comm->n_ranks;
}

/* Divides work on n items that every process has: this process does items *lo..*hi - 1. */
static inline void heft_my_range(const heft_ctx *ctx, size_t n, size_t *lo, size_t *hi)
{
    const size_t size = heft_n_ranks(ctx), rank = size > 1 ? (size_t)ctx->comm->rank : 0;
    *lo = n * rank / size;
    *hi = n * (rank + 1) / size;
}

/* Replace v[n] by the sums (sum for doubles, add for integers) or the maxima over all ranks, with
 * the same bits on every rank. */
heft_status heft_all_sum(heft_ctx *ctx, double *v, size_t n);
heft_status heft_all_add(heft_ctx *ctx, int64_t *v, size_t n);
heft_status heft_all_max(heft_ctx *ctx, double *v, size_t n);
/* Sums over all ranks whose bits do not depend on how the terms are distributed: t[n_t] is added in
 * double-double arithmetic, and v[n] must hold numbers whose sums are exact. */
heft_status heft_all_sum_exact(heft_ctx *ctx, heft_dd *t, size_t n_t, double *v, size_t n);

/* Replaces v[n] by the sums over all ranks modulo 2^64, for keys (stats/keys.h). */
heft_status heft_all_add_keys(heft_ctx *ctx, uint64_t *v, size_t n);
/* Numbers items over all ranks, if this rank has n of them: *before = the number on lower ranks,
 * *all = the number on all ranks. */
heft_status heft_all_place(heft_ctx *ctx, size_t n, size_t *before, size_t *all);

/* The bytes that every rank gave: those of rank r are start[r]..start[r + 1] - 1. */
typedef struct heft_gathered {
    size_t  n, mine; /* number of ranks, and the rank of this process */
    char   *bytes;
    size_t *start; /* n + 1 offsets */
} heft_gathered;

/* Gathers n bytes of each rank on all ranks. The result is on the heap and must be cleared also
 * after a failure. In a single process it is a copy of `mine`. */
heft_status heft_all_gather(heft_ctx *ctx, const void *mine, size_t n, heft_gathered *out);
void        heft_gathered_clear(heft_gathered *gathered);
