/* local.c - naive Bayes on counts weighted around the query; training rows spread over ranks. */
#include "methods/lazy/local.h"
#include "learn/basis.h"

#include <math.h>
#include <string.h>

#include "base/all.h"
#include "methods/lazy/hamming.h"

enum {
    GROUP = 16,           /* factors between two logarithms */
    BLOCK = 64,           /* queries of one task */
    MOST_BYTES = 1 << 25, /* most bytes of a block that is counted on all ranks */
    MOST_QUERIES = 4096   /* most queries of such a block */
};

static const double TIE = 1e-11; /* rounding of a score, relative to 1 + its size */

heft_status heft_lazy_fit(heft_ctx *ctx, const heft_task *task, heft_fitted *out, heft_lazy **own)
{
    HEFT_ALLOC(ctx, task->arena, *own, 1);
    (*own)->nb.keeps_constant = heft_keeps_constant(task);
    HEFT_CHECK(heft_neighbours_pack(ctx, task->rows, task->prep, task->method->name, task->arena,
                                    &(*own)->nb));
    out->own = *own;
    return heft_fit_basis(ctx, task, out, NULL);
}

heft_status heft_lazy_gather(heft_ctx *ctx, heft_fitted *fitted)
{
    return heft_neighbours_gather(ctx, fitted->arena, &((heft_lazy *)fitted->own)->nb);
}

/* No factor exceeds 1e16 or falls below 1e-16 of the other kind, so GROUP of them stay within the
 * range of doubles and one logarithm serves them all. */
static double score_of(const heft_neighbours *nb, double rho, double s, const double *t)
{
    const double weight = rho * s;
    double       log_q = log(1 + weight);
    for (size_t lo = 0; lo < nb->n_attr; lo += GROUP) {
        const size_t hi = nb->n_attr - lo < GROUP ? nb->n_attr : lo + GROUP;
        double       above = 1, below = 1;
        for (size_t k = lo; k < hi; k++) {
            above *= 1 + rho * t[k];
            below *= nb->n_values[k] + weight;
        }
        log_q += log(above / below);
    }
    return log_q;
}

void heft_lazy_answer(const heft_asking *job, size_t row, size_t c, double rho, double s,
                      const double *t)
{
    const heft_neighbours *nb = &job->own->nb;
    const size_t           K = nb->n_class;
    if (job->parts) {
        job->parts[c] = log(1 + rho * s);
        for (size_t k = 0; k < nb->n_attr; k++)
            job->parts[(1 + (size_t)nb->attr[k]) * K + c] =
                log((1 + rho * t[k]) / (nb->n_values[k] + rho * s));
        return;
    }
    double *score = job->log_joint + row * K, best = -INFINITY;
    score[c] = score_of(nb, rho, s, t);
    if (c + 1 < K) return;
    for (size_t k = 0; k < K; k++) best = score[k] > best ? score[k] : best;
    for (size_t k = 0; k < K; k++)
        if (best - score[k] <= TIE * (1 + fabs(best))) score[k] = best;
}

/* ---- training rows on several ranks ---- */

typedef struct block { /* queries first..first+n-1 */
    const heft_asking *job;
    heft_weigh_fn     *weigh;
    size_t             first, n;
    size_t             levels, each; /* number of counts of a query by class and distance, and in
                                        all */
    uint32_t *count; /* n x each: the levels of all classes, then the agreements, class by class */
} block;

static heft_status count_queries(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    block                 *b = arg;
    const heft_neighbours *nb = &b->job->own->nb;
    const size_t           m = nb->n_attr, L = m + 1, n = hi - lo;
    heft_probe             probe;
    double                *level;
    HEFT_CHECK(heft_probe_init(ctx, nb, false, &ctx->scratch, &probe));
    HEFT_ALLOC(ctx, &ctx->scratch, level, L * HEFT_PROBE);
    heft_probe_load(&probe, b->job->rows, b->first + lo, n);
    for (size_t c = 0; c < nb->n_class; c++) {
        if (nb->start[c] == nb->start[c + 1]) continue; /* all 0 */
        heft_probe_class(&probe, c, n, level);
        for (size_t q = 0; q < n; q++) {
            uint32_t *counts = b->count + (lo + q) * b->each;
            for (size_t l = 0; l < L; l++) counts[c * L + l] = (uint32_t)level[l * HEFT_PROBE + q];
            heft_probe_counts(&probe, q, c, counts + b->levels + c * L * m);
        }
    }
    return HEFT_OK;
}

/* Adds the counts over the ranks, two in a 64-bit number: sums stay below 2^31 each. */
static heft_status add_counts(heft_ctx *ctx, block *b)
{
    const size_t        n = b->n * b->each, pairs = (n + 1) / 2;
    HEFT_FREED int64_t *packed = NULL;
    HEFT_NEW(ctx, packed, pairs);
    for (size_t k = 0; k < n; k++) packed[k / 2] |= (int64_t)b->count[k] << (k % 2 ? 32 : 0);
    HEFT_CHECK(heft_all_add(ctx, packed, pairs));
    for (size_t k = 0; k < n; k++)
        b->count[k] = (uint32_t)((uint64_t)packed[k / 2] >> (k % 2 ? 32 : 0));
    return HEFT_OK;
}

static heft_status score_queries(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const block           *b = arg;
    const heft_neighbours *nb = &b->job->own->nb;
    const size_t           m = nb->n_attr, L = m + 1, K = nb->n_class;
    double                *level, *weight, *t;
    uint32_t              *total;
    HEFT_ALLOCS(ctx, &ctx->scratch, K * L, level, weight);
    HEFT_ALLOCS(ctx, &ctx->scratch, L, t, total);
    for (size_t q = lo; q < hi; q++) {
        const uint32_t *counts = b->count + q * b->each, *agree = counts + b->levels;
        for (size_t k = 0; k < K * L; k++) level[k] = counts[k];
        const double rho = b->weigh(b->job, level, K, m, total, weight);
        for (size_t c = 0; c < K; c++) {
            double s = 0;
            memset(t, 0, m * sizeof *t);
            for (size_t l = c * L; l < (c + 1) * L; l++) {
                if (level[l] == 0 || weight[l] == 0) continue;
                s += weight[l] * level[l];
                heft_hamming_add(weight[l], agree + l * m, m, t);
            }
            heft_lazy_answer(b->job, b->first + q, c, rho, s, t);
        }
    }
    return HEFT_OK;
}

typedef struct telling { /* argument of told_block, which counts the queries that are answered */
    heft_asking   *job;
    heft_block_fn *fn;
    heft_steps     steps;
} telling;

static heft_status told_block(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    telling *t = arg;
    HEFT_CHECK(t->fn(ctx, t->job, lo, hi));
    heft_steps_add(ctx, &t->steps, hi - lo);
    return HEFT_OK;
}

heft_status heft_lazy_score(heft_ctx *ctx, heft_asking *job, heft_block_fn *fn,
                            heft_weigh_fn *weigh)
{
    HEFT_FREED uint32_t   *count = NULL;
    const heft_neighbours *nb = &job->own->nb;
    const size_t           L = nb->n_attr + 1, n_rows = job->rows->n_rows;
    block                  b = {.job = job, .weigh = weigh, .levels = nb->n_class * L};
    size_t                 cells;
    if (!nb->spread) {
        telling t = {job, fn, {.what = "predicting", .all = n_rows}};
        return heft_run_blocks(ctx, n_rows, BLOCK, told_block, &t);
    }
    if (!heft_product(b.levels, L, &b.each)) return heft_no_memory(ctx, b.levels, L);
    size_t most = MOST_BYTES / sizeof *b.count / (b.each + 1) / HEFT_PROBE * HEFT_PROBE;
    most = most < HEFT_PROBE ? HEFT_PROBE : most > MOST_QUERIES ? MOST_QUERIES : most;
    if (most > n_rows) most = n_rows;
    if (!heft_product(most, b.each, &cells)) return heft_no_memory(ctx, most, b.each);
    HEFT_NEW(ctx, count, cells + HEFT_HAMMING_PAD);
    b.count = count;
    for (; b.first < n_rows; b.first += b.n) {
        b.n = n_rows - b.first < most ? n_rows - b.first : most;
        HEFT_CHECK(heft_check_cancel(ctx));
        memset(b.count, 0, b.n * b.each * sizeof *b.count);
        HEFT_CHECK(heft_run_blocks(ctx, b.n, HEFT_PROBE, count_queries, &b));
        HEFT_CHECK(add_counts(ctx, &b));
        HEFT_CHECK(heft_run_blocks(ctx, b.n, HEFT_PROBE, score_queries, &b));
        heft_progress(ctx, "predicting", (double)(b.first + b.n) / (double)n_rows);
    }
    return HEFT_OK;
}
