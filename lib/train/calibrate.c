/* calibrate.c - the calibration of scores, learned from rows that the scoring model was not trained
 * on: temperature scaling and vector scaling (Guo, Pleiss, Sun, Weinberger 2017). */
#include "train/held_out.h"

#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/num.h"
#include "base/text.h"
#include "learn/mixing.h"

enum { MAX_ITER = 200 };

static const double PULL = 1, LEAST_SCALE = 1e-3; /* the order of the classes must stay */
static const double LOWEST = -700;                /* smaller log-probabilities count as this one */

/* Record a note for inspect, such as "temperature: 0.43 (held-out loss 0.61 to 0.42)". */
static heft_status note(heft_ctx *ctx, heft_model *model, const double loss[2])
{
    const heft_calibration *c = &model->calibration;
    heft_buf                text = {0};
    HEFT_FREED char        *taken = NULL;
    double                  lo = INFINITY, hi = -INFINITY;
    for (size_t k = 0; k < model->fitted.n_class; k++) {
        lo = fmin(lo, c->scale[k]);
        hi = fmax(hi, c->scale[k]);
    }
    heft_buf_printf(&text, "%s: scores multiplied by ", heft_calibration_word(c->kind));
    heft_buf_fixed(&text, lo, 4);
    if (hi > lo) heft_buf_text(&text, " to ");
    if (hi > lo) heft_buf_fixed(&text, hi, 4);
    heft_buf_text(&text, ", held-out loss from ");
    heft_buf_fixed(&text, loss[0], 4);
    heft_buf_text(&text, " to ");
    heft_buf_fixed(&text, loss[1], 4);
    HEFT_CHECK(heft_buf_take(ctx, &text, &taken));
    return heft_fact_copy(ctx, &model->fitted, "calibration", taken);
}

/* Copy the rows whose own class has a finite score to scratch memory; others cannot be learned
 * from. */
static heft_status take_usable(heft_ctx *ctx, const heft_held *held, size_t K, heft_held *out)
{
    const size_t n = held->n;
    double      *scores, *weight = NULL;
    uint16_t    *y;
    size_t      *place, kept = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, scores, n * K);
    HEFT_ALLOCS(ctx, &ctx->scratch, n, y, place);
    if (held->weight) HEFT_ALLOC(ctx, &ctx->scratch, weight, n);
    for (size_t i = 0; i < n; i++) {
        const double *from = held->scores + i * K;
        if (!isfinite(from[held->y[i]])) continue;
        for (size_t c = 0; c < K; c++) scores[kept * K + c] = fmax(from[c], LOWEST);
        y[kept] = held->y[i];
        place[kept] = held->place ? held->place[i] : i;
        if (weight) weight[kept] = held->weight[i];
        kept++;
    }
    *out = (heft_held){kept, y, weight, scores, place};
    return HEFT_OK;
}

/* Compute the mean log loss of the rows, and their total weight. */
static heft_status mean_loss(heft_ctx *ctx, const heft_held *held, size_t K, double *loss,
                             double *weight)
{
    enum { LOSS, WEIGHT };
    heft_dd sum[2] = {{0, 0}, {0, 0}};
    for (size_t i = 0; i < held->n; i++) {
        const double *s = held->scores + i * K, w = held->weight ? held->weight[i] : 1;
        const double  one = w * (heft_logsumexp(s, K) - s[held->y[i]]);
        sum[LOSS] = heft_dd_add(sum[LOSS], (heft_dd){one, 0});
        sum[WEIGHT] = heft_dd_add(sum[WEIGHT], (heft_dd){w, 0});
    }
    HEFT_CHECK(heft_all_sum_exact(ctx, sum, 2, NULL, 0));
    *weight = sum[WEIGHT].high;
    *loss = *weight > 0 ? sum[LOSS].high / *weight : 0;
    return HEFT_OK;
}

heft_status heft_calibration_fit(heft_ctx *ctx, const heft_held *held, size_t n_class,
                                 heft_calibration *out, double loss[2])
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t K = n_class;
    double      *centre, *pull, *scale, *start, weight;
    heft_held    used;
    heft_minimum how;
    for (size_t c = 0; c < K; c++) out->scale[c] = 1, out->shift[c] = 0;
    HEFT_CHECK(take_usable(ctx, held, K, &used));
    HEFT_CHECK(mean_loss(ctx, &used, K, &loss[0], &weight));
    loss[1] = loss[0];
    if (!(weight > 0)) return HEFT_OK;
    HEFT_ALLOCS(ctx, &ctx->scratch, K, centre, pull, scale, start);
    for (size_t c = 0; c < K; c++) centre[c] = 1, pull[c] = PULL;
    heft_mixing mixing = {.n = used.n,
                          .n_class = K,
                          .n_members = 1,
                          .member = &used.scores,
                          .y = used.y,
                          .weight = used.weight,
                          .place = used.place,
                          .centre = centre,
                          .strength = pull,
                          .max_iter = MAX_ITER};
    HEFT_CHECK(heft_mixing_fit(ctx, &mixing, scale, NULL, &loss[1], &how));
    for (size_t c = 1; c < K; c++) scale[c] = scale[0];
    if (out->kind == HEFT_VECTOR) { /* the search begins at the best temperature */
        memcpy(start, scale, K * sizeof *start);
        mixing.n_members = K;
        mixing.by_class = true;
        mixing.shift = PULL;
        mixing.start = start;
        HEFT_CHECK(heft_mixing_fit(ctx, &mixing, scale, out->shift, &loss[1], &how));
    }
    for (size_t c = 0; c < K; c++) out->scale[c] = fmax(scale[c], LEAST_SCALE);
    return HEFT_OK;
}

heft_status heft_calibrate_model(heft_ctx *ctx, const heft_held *held, heft_model *model)
{
    heft_calibration *c = &model->calibration;
    double            loss[2];
    HEFT_ALLOCS(ctx, &model->arena, model->fitted.n_class, c->scale, c->shift);
    HEFT_CHECK(heft_calibration_fit(ctx, held, model->fitted.n_class, c, loss));
    return note(ctx, model, loss);
}
