/* bootstrap.c - the measures of bootstrap draws of test rows. The rows are sorted once. A draw only
 * changes how often each row counts, so that it costs O(rows x classes) and no sort. */
#include "eval/bootstrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/rows.h"
#include "eval/signif.h"

enum { BLOCK = 50 }; /* number of draws per task */

/* A stream of random numbers other than that of the folds. */
#define STREAM 0x6b6f6f7473747261u

typedef struct drawing {
    const heft_sorted *s;
    size_t             n;            /* number of rows to draw from */
    const size_t      *first, *rows; /* rows[first[c] .. first[c + 1] - 1] are of class c */
    uint64_t           seed;
    double            *draws;
} drawing;

static heft_status draw_block(heft_ctx *ctx, void *arg, size_t block)
{
    const drawing     *d = arg;
    const heft_sorted *s = d->s;
    uint32_t          *count, *weight;
    double            *room;
    heft_measures      m;
    HEFT_CHECK(heft_check_cancel(ctx));
    HEFT_ALLOC(ctx, &ctx->scratch, count, d->n);
    HEFT_ALLOC(ctx, &ctx->scratch, weight, s->n);
    HEFT_ALLOC(ctx, &ctx->scratch, room, 5 * s->n_class);
    for (size_t k = block * BLOCK; k < (block + 1) * BLOCK; k++) {
        heft_rng rng;
        heft_rng_init(&rng, d->seed ^ STREAM, k);
        memset(count, 0, d->n * sizeof *count);
        for (size_t c = 0; c < s->n_class; c++) {
            const size_t n = d->first[c + 1] - d->first[c];
            for (size_t i = 0; i < n; i++) count[d->rows[d->first[c] + heft_rng_below(&rng, n)]]++;
        }
        for (size_t i = 0; i < s->n; i++) weight[i] = count[s->place[i]];
        heft_measure_sorted(s, weight, room, &m);
        double *to = d->draws + k * HEFT_N_DRAWN;
        to[0] = m.n ? (double)m.right / (double)m.n : (double)NAN;
        for (size_t i = 0; i < HEFT_N_MEASURES; i++) to[i + 1] = m.value[i];
    }
    return HEFT_OK;
}

heft_status heft_bootstrap(heft_ctx *ctx, const heft_outcomes *rows, const uint16_t *y,
                           double *draws)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t K = rows->n_class;
    size_t      *first, *by_class;
    heft_sorted  s;
    HEFT_CHECK(heft_outcomes_sort(ctx, rows, &s));
    HEFT_ALLOC(ctx, &ctx->scratch, first, K + 2);
    HEFT_ALLOC(ctx, &ctx->scratch, by_class, rows->n);
    for (size_t i = 0; i < rows->n; i++)
        if (y[i] < K) first[y[i] + 2]++;
    size_t *next = first + 1; /* next[c] becomes first[c + 1] */
    for (size_t c = 0; c < K; c++) next[c + 1] += next[c];
    for (size_t i = 0; i < rows->n; i++)
        if (y[i] < K) by_class[next[y[i]]++] = i;
    drawing d = {&s, rows->n, first, by_class, ctx->seed, draws};
    return heft_run(ctx, HEFT_DRAWS / BLOCK, draw_block, &d);
}

const char *heft_drawn_name(size_t k)
{
    return k ? heft_measures_at(k - 1)->name : "accuracy";
}

/* Returns a quantile of v, which is sorted, by linear interpolation. */
static double quantile(const double *v, size_t n, double share)
{
    const double at = share * (double)(n - 1);
    const size_t k = (size_t)at;
    return k + 1 < n ? v[k] + (at - (double)k) * (v[k + 1] - v[k]) : v[n - 1];
}

void heft_percentiles(double *v, size_t n, double alpha, double *low, double *high)
{
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(v[i])) v[m++] = v[i];
    *low = *high = (double)NAN;
    if (m == 0) return;
    qsort(v, m, sizeof *v, heft_by_value);
    *low = quantile(v, m, alpha / 2);
    *high = quantile(v, m, 1 - alpha / 2);
}
