/* calibration.c - scores brought to probabilities that can be trusted. */
#include "model/calibration.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "model/mixing.h"

enum { MAX_ITER = 200 };

static const double PULL = 1, LEAST_SCALE = 1e-3; /* the order of the classes must stay */
static const double LOWEST = -700;                /* of a log-probability that is learned from */

static const char *const words[] = {
    [HEFT_AS_IT_IS] = "none", [HEFT_TEMPERATURE] = "temperature", [HEFT_VECTOR] = "vector"};

heft_status heft_calibration_parse(heft_ctx *ctx, const char *word, heft_calibrating *out)
{
    *out = HEFT_AS_IT_IS;
    if (!word) return HEFT_OK;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcmp(words[k], word) == 0) {
            *out = (heft_calibrating)k;
            return HEFT_OK;
        }
    return heft_fail(ctx, HEFT_EINVAL,
                     "calibrate: '%.60s' is not known (it takes none, temperature or vector)",
                     word);
}

const char *heft_calibration_word(heft_calibrating kind)
{
    return words[kind];
}

/* Rows that can be learned from move to the front. Returns how many there are. */
static size_t usable(double *scores, uint16_t *y, double *weight, size_t n, size_t K)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        double *from = scores + i * K, *to = scores + kept * K;
        if (!isfinite(from[y[i]])) continue;
        for (size_t c = 0; c < K; c++) to[c] = fmax(from[c], LOWEST);
        y[kept] = y[i];
        if (weight) weight[kept] = weight[i];
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
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    const size_t    K = n_class;
    uint16_t       *own_y;
    double         *own_weight = NULL, *centre, *pull, *scale, *start;
    heft_minimum    how;

    for (size_t c = 0; c < K; c++) out->scale[c] = 1, out->shift[c] = 0;
    HEFT_ARENA(ctx, &ctx->scratch, own_y, n);
    if (n) memcpy(own_y, y, n * sizeof *y);
    if (weight) {
        HEFT_ARENA(ctx, &ctx->scratch, own_weight, n);
        memcpy(own_weight, weight, n * sizeof *weight);
    }
    const size_t used = usable(scores, own_y, own_weight, n, K);
    loss[0] = loss[1] = mean_loss(scores, own_y, own_weight, used, K);
    if (used == 0) goto done;
    HEFT_ARENA(ctx, &ctx->scratch, centre, K);
    HEFT_ARENA(ctx, &ctx->scratch, pull, K);
    HEFT_ARENA(ctx, &ctx->scratch, scale, K);
    HEFT_ARENA(ctx, &ctx->scratch, start, K);
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
    HEFT_TRY(heft_mixing_fit(ctx, &mixing, scale, NULL, &loss[1], &how));
    for (size_t c = 1; c < K; c++) scale[c] = scale[0];
    if (out->kind == HEFT_VECTOR) { /* from the best temperature */
        memcpy(start, scale, K * sizeof *start);
        mixing.n_members = K;
        mixing.by_class = true;
        mixing.shift = PULL;
        mixing.start = start;
        HEFT_TRY(heft_mixing_fit(ctx, &mixing, scale, out->shift, &loss[1], &how));
    }
    for (size_t c = 0; c < K; c++) out->scale[c] = fmax(scale[c], LEAST_SCALE);
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

void heft_calibrate(const heft_calibration *calibration, size_t n, size_t n_class, double *scores)
{
    if (!calibration->scale) return;
    for (size_t i = 0; i < n; i++) {
        double      *s = scores + i * n_class;
        const double all = calibration->kind == HEFT_VECTOR ? heft_logsumexp(s, n_class) : 0;
        for (size_t c = 0; c < n_class; c++)
            if (isfinite(s[c]) && isfinite(all))
                s[c] = calibration->scale[c] * (s[c] - all) + calibration->shift[c];
    }
}

void heft_calibrate_lines(const heft_calibration *calibration, size_t n, size_t n_class,
                          double *lines)
{
    if (!calibration->scale) return;
    for (size_t k = 0; k < n * n_class; k++)
        if (isfinite(lines[k])) lines[k] *= calibration->scale[k % n_class];
}

void heft_calibrate_parts(const heft_calibration *calibration, size_t n, size_t n_class,
                          double *parts, double *room)
{
    if (!calibration->scale) return;
    memset(room, 0, n_class * sizeof *room);
    for (size_t k = 0; k < n * n_class; k++) room[k % n_class] += parts[k];
    const double all = heft_logsumexp(room, n_class);
    heft_calibrate_lines(calibration, n, n_class, parts);
    if (calibration->kind != HEFT_VECTOR || !isfinite(all)) return;
    for (size_t c = 0; c < n_class; c++)
        if (isfinite(parts[c])) parts[c] += calibration->shift[c] - calibration->scale[c] * all;
}
