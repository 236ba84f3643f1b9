/* calibrate.c - the calibration of a method's scores, learned from rows it was not trained on. */
#include "train/fit.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "learn/mixing.h"

enum { MAX_ITER = 200 };

static const double PULL = 1, LEAST_SCALE = 1e-3; /* the order of the classes must stay */
static const double LOWEST = -700;                /* of a log-probability that is learned from */

/* What inspect shows: "temperature: 0.43 (held-out loss 0.61 to 0.42)". */
static heft_status note(heft_ctx *ctx, heft_model *model, const double loss[2])
{
    const heft_calibration *c = &model->calibration;
    heft_buf                text = {0};
    char                   *taken;
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
    const heft_status st = heft_fact_copy(ctx, &model->fitted, "calibration", taken);
    heft_free(taken);
    return st;
}

/* Rows that can be learned from move to the front, their classes and weights to y and weight.
 * Returns how many there are. */
static size_t usable(double *scores, const uint16_t *from_y, const double *from_weight, size_t n,
                     size_t K, uint16_t *y, double *weight)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        double *from = scores + i * K, *to = scores + kept * K;
        if (!isfinite(from[from_y[i]])) continue;
        for (size_t c = 0; c < K; c++) to[c] = fmax(from[c], LOWEST);
        y[kept] = from_y[i];
        if (weight) weight[kept] = from_weight[i];
        kept++;
    }
    return kept;
}

static double mean_loss(const double *scores, const uint16_t *y, const double *weight, size_t n,
                        size_t K)
{
    double sum = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        const double w = weight ? weight[i] : 1;
        sum -= w * (scores[i * K + y[i]] - heft_logsumexp(scores + i * K, K));
        all += w;
    }
    return all > 0 ? sum / all : 0;
}

heft_status heft_calibration_fit(heft_ctx *ctx, double *scores, const uint16_t *y,
                                 const double *weight, size_t n, size_t n_class,
                                 heft_calibration *out, double loss[2])
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t K = n_class;
    uint16_t    *own_y;
    double      *own_weight = NULL, *centre, *pull, *scale, *start;
    heft_minimum how;
    for (size_t c = 0; c < K; c++) out->scale[c] = 1, out->shift[c] = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, own_y, n);
    if (weight) HEFT_ALLOC(ctx, &ctx->scratch, own_weight, n);
    const size_t used = usable(scores, y, weight, n, K, own_y, own_weight);
    loss[0] = loss[1] = mean_loss(scores, own_y, own_weight, used, K);
    if (used == 0) return HEFT_OK;
    HEFT_ALLOCS(ctx, &ctx->scratch, K, centre, pull, scale, start);
    for (size_t c = 0; c < K; c++) centre[c] = 1, pull[c] = PULL;
    const double *member = scores;
    heft_mixing   mixing = {.n = used,
                            .n_class = K,
                            .n_members = 1,
                            .member = &member,
                            .y = own_y,
                            .weight = own_weight,
                            .centre = centre,
                            .strength = pull,
                            .max_iter = MAX_ITER};
    HEFT_CHECK(heft_mixing_fit(ctx, &mixing, scale, NULL, &loss[1], &how));
    for (size_t c = 1; c < K; c++) scale[c] = scale[0];
    if (out->kind == HEFT_VECTOR) { /* from the best temperature */
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
    HEFT_SCRATCH_SCOPE(ctx);
    heft_calibration *c = &model->calibration;
    const size_t      K = model->fitted.n_class;
    double           *scores, loss[2];
    HEFT_ALLOC(ctx, &ctx->scratch, scores, held->n * K);
    memcpy(scores, held->scores, held->n * K * sizeof *scores);
    HEFT_ALLOCS(ctx, &model->arena, K, c->scale, c->shift);
    HEFT_CHECK(heft_calibration_fit(ctx, scores, held->y, held->weight, held->n, K, c, loss));
    return note(ctx, model, loss);
}
