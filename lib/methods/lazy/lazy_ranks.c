/* lazy_ranks.c - counts of all ranks for a block of queries, then their scores. */
#include "methods/lazy/lazy_ranks.h"

#include <string.h>

#include "base/all.h"
#include "base/rows.h"
#include "methods/lazy/hamming.h"

enum { MOST_BYTES = 1 << 25, MOST_QUERIES = 4096 }; /* of a block */

typedef struct block { /* queries first..first+n-1 */
    const heft_neighbours *nb;
    const heft_rows       *rows;
    heft_weigh_fn         *weigh;
    const void            *user;
    double                *log_joint;
    size_t                 first, n;
    size_t                 levels, each; /* counts of a query: by class and distance; in all */
    uint32_t              *count;        /* n x each */
} block;

/* Counts of a query: the levels of all classes, then the agreements, class by class. */
static uint32_t *counts_of(const block *b, size_t q)
{
    return b->count + q * b->each;
}

static uint32_t *agreements_of(const block *b, uint32_t *counts, size_t c)
{
    const size_t m = b->nb->n_attr;
    return counts + b->levels + c * (m + 1) * m;
}

static heft_status count_queries(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    block       *b = arg;
    const size_t L = b->nb->n_attr + 1, n = hi - lo;
    heft_probe   probe;
    double      *level;
    HEFT_CHECK(heft_probe_init(ctx, b->nb, false, &ctx->scratch, &probe));
    HEFT_ALLOC(ctx, &ctx->scratch, level, L * HEFT_PROBE);
    heft_probe_load(&probe, b->rows, b->first + lo, n);
    for (size_t c = 0; c < b->nb->n_class; c++) {
        if (b->nb->start[c] == b->nb->start[c + 1]) continue; /* all 0 */
        heft_probe_class(&probe, c, n, level);
        for (size_t q = 0; q < n; q++) {
            uint32_t *counts = counts_of(b, lo + q);
            for (size_t l = 0; l < L; l++) counts[c * L + l] = (uint32_t)level[l * HEFT_PROBE + q];
            heft_probe_counts(&probe, q, c, agreements_of(b, counts, c));
        }
    }
    return HEFT_OK;
}

/* Two counts in a 64-bit number: sums over ranks stay below 2^31 each. */
static heft_status add_counts(heft_ctx *ctx, block *b)
{
    heft_status  st = HEFT_OK;
    const size_t n = b->n * b->each, pairs = (n + 1) / 2;
    int64_t     *packed = NULL;
    HEFT_HEAP(ctx, packed, pairs);
    for (size_t k = 0; k < n; k++) packed[k / 2] |= (int64_t)b->count[k] << (k % 2 ? 32 : 0);
    HEFT_TRY(heft_all_add(ctx, packed, pairs));
    for (size_t k = 0; k < n; k++)
        b->count[k] = (uint32_t)((uint64_t)packed[k / 2] >> (k % 2 ? 32 : 0));
done:
    heft_free(packed);
    return st;
}

static heft_status score_queries(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const block           *b = arg;
    const heft_neighbours *nb = b->nb;
    const size_t           m = nb->n_attr, L = m + 1, K = nb->n_class;
    double                *level, *weight, *t;
    uint32_t              *room;
    HEFT_ALLOCS(ctx, &ctx->scratch, K * L, level, weight);
    HEFT_ALLOC(ctx, &ctx->scratch, t, m);
    HEFT_ALLOC(ctx, &ctx->scratch, room, L);
    for (size_t q = lo; q < hi; q++) {
        uint32_t *counts = counts_of(b, q);
        double   *out = b->log_joint + (b->first + q) * K;
        for (size_t k = 0; k < K * L; k++) level[k] = counts[k];
        const double rho = b->weigh(b->user, level, K, m, room, weight);
        for (size_t c = 0; c < K; c++) {
            const uint32_t *agree = agreements_of(b, counts, c);
            double          s = 0;
            memset(t, 0, m * sizeof *t);
            for (size_t l = 0; l < L; l++) {
                if (level[c * L + l] == 0 || weight[c * L + l] == 0) continue;
                s += weight[c * L + l] * level[c * L + l];
                heft_hamming_add(weight[c * L + l], agree + l * m, m, t);
            }
            out[c] = heft_local_score(nb, rho, s, t);
        }
        heft_local_tie(out, K);
    }
    return HEFT_OK;
}

heft_status heft_lazy_score_ranks(heft_ctx *ctx, const heft_neighbours *nb, heft_weigh_fn *weigh,
                                  const void *user, const heft_rows *rows, double *log_joint)
{
    heft_status  st = HEFT_OK;
    const size_t L = nb->n_attr + 1;
    block        b = {.nb = nb, .rows = rows, .weigh = weigh, .user = user, .log_joint = log_joint};
    size_t       cells;
    b.levels = nb->n_class * L;
    if (!heft_product(b.levels, L, &b.each)) return heft_no_memory(ctx, b.levels, L);
    size_t most = MOST_BYTES / sizeof *b.count / (b.each + 1) / HEFT_PROBE * HEFT_PROBE;
    most = most < HEFT_PROBE ? HEFT_PROBE : most > MOST_QUERIES ? MOST_QUERIES : most;
    if (most > rows->n_rows) most = rows->n_rows;
    if (!heft_product(most, b.each, &cells)) return heft_no_memory(ctx, most, b.each);
    HEFT_HEAP(ctx, b.count, cells + HEFT_HAMMING_PAD);
    for (; b.first < rows->n_rows; b.first += b.n) {
        b.n = rows->n_rows - b.first < most ? rows->n_rows - b.first : most;
        HEFT_TRY(heft_check_cancel(ctx));
        memset(b.count, 0, b.n * b.each * sizeof *b.count);
        HEFT_TRY(heft_run_blocks(ctx, b.n, HEFT_PROBE, count_queries, &b));
        HEFT_TRY(add_counts(ctx, &b));
        HEFT_TRY(heft_run_blocks(ctx, b.n, HEFT_PROBE, score_queries, &b));
        heft_progress(ctx, "predicting", (double)(b.first + b.n) / (double)rows->n_rows);
    }
done:
    heft_free(b.count);
    return st;
}
