/* boost_held.c - rows held out from boosting: their loss after each round, and the best round. */
#include "boost/boost_held.h"

#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/rows.h"
#include "base/vec.h"
#include "boost/histograms.h"

heft_status heft_watched_rows_open(heft_ctx *ctx, heft_arena *arena,
                                   const heft_boost_classes *classes, const heft_sample *sample,
                                   const double *start, double unit, heft_watched_rows *held)
{
    HEFT_CHECK(heft_boost_rows_open(ctx, arena, classes, sample, start, unit, &held->rows));
    HEFT_ALLOC(ctx, arena, held->best_P, held->rows.n * classes->stride);
    return HEFT_OK;
}

heft_status heft_watched_rows_add(heft_ctx *ctx, const heft_last_tree *last,
                                  const heft_watched_rows *held, double *loss)
{
    float   own[HEFT_STEP_ROWS], g[HEFT_STEP_ROWS];
    double  log_of[HEFT_STEP_ROWS];
    int64_t sum[2] = {0}; /* losses, weights */
    HEFT_BLOCKS_OF (HEFT_STEP_ROWS, lo, hi, held->rows.n) {
        heft_last_tree_step(last, &held->rows, NULL, lo, hi, g, own);
        for (size_t i = 0; i < hi - lo; i++) log_of[i] = (double)own[i];
        heft_log_all(log_of, hi - lo);
        for (size_t i = 0; i < hi - lo; i++) {
            const int64_t w = heft_units(held->rows.weight, lo + i);
            sum[0] -= (int64_t)(log_of[i] * 0x1p20) * w;
            sum[1] += w;
        }
    }
    HEFT_CHECK(heft_all_add(ctx, sum, 2));
    *loss = sum[1] ? (double)sum[0] / (double)sum[1] * 0x1p-20 : 0;
    return HEFT_OK;
}

void heft_watched_rows_keep(const heft_boost_classes *classes, const heft_watched_rows *held)
{
    memcpy(held->best_P, held->rows.P, held->rows.n * classes->stride * sizeof *held->best_P);
}

void heft_watched_rows_scores(const heft_boost_classes *classes, const heft_watched_rows *held,
                              double *score)
{
    const size_t K = classes->K;
    const double lowest = log(1e-15);
    HEFT_ROWS (i, held->rows.n) {
        const float *p = held->best_P + i * classes->stride;
        double      *s = score + i * K, sum = 0;
        for (size_t c = 0; c < K; c++) { /* an order that the names of the classes do not change */
            const double one = K > 2 ? (double)p[c] : c ? (double)p[0] : 1;
            s[classes->in_sample[c]] = log(one);
            sum += one;
        }
        for (size_t c = 0; c < K; c++) s[c] = fmax(s[c] - log(sum), lowest);
    }
}
