/* measures.c - what a set of predictions is worth. Rows count once each, whatever their weights. */
#include "eval/eval.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"

/* Rows of known class, grouped by class: rows[first[c] .. first[c+1]-1]. */
typedef struct groups {
    size_t *first, *rows, n;
} groups;

static heft_status group_rows(heft_ctx *ctx, const uint16_t *y, size_t n, size_t n_class,
                              groups *out)
{
    HEFT_ALLOC(ctx, &ctx->scratch, out->first, n_class + 2);
    HEFT_ALLOC(ctx, &ctx->scratch, out->rows, n);
    size_t *next = out->first + 1; /* next[c] ends as first[c + 1] */
    for (size_t i = 0; i < n; i++)
        if (y[i] < n_class) out->first[y[i] + 2]++;
    for (size_t c = 0; c < n_class; c++) out->first[c + 2] += out->first[c + 1];
    for (size_t i = 0; i < n; i++)
        if (y[i] < n_class) out->rows[next[y[i]]++] = i;
    out->n = out->first[n_class];
    return HEFT_OK;
}

static heft_status check_finite(heft_ctx *ctx, const double *proba, size_t n, size_t n_class)
{
    for (size_t k = 0; k < n * n_class; k++)
        if (!isfinite(proba[k]))
            return heft_fail(ctx, HEFT_ENUMERIC, "row %zu: a predicted probability is not finite",
                             k / n_class + 1);
    return HEFT_OK;
}

/* Unweighted mean of 2 tp / (2 tp + fp + fn) over the classes that occur as truth or prediction. */
static double macro_f1(const size_t *truth, const size_t *predicted, const size_t *hit,
                       size_t n_class)
{
    double sum = 0;
    size_t present = 0;
    for (size_t c = 0; c < n_class; c++) {
        const size_t both = truth[c] + predicted[c]; /* = 2 tp + fp + fn */
        if (both == 0) continue;
        present++;
        sum += 2 * (double)hit[c] / (double)both;
    }
    return present ? sum / (double)present : 0;
}

static heft_status measure_classes(heft_ctx *ctx, const double *proba, const groups *g,
                                   size_t n_class, heft_measures *out)
{
    size_t *truth, *predicted, *hit;
    HEFT_ALLOC(ctx, &ctx->scratch, truth, n_class);
    HEFT_ALLOC(ctx, &ctx->scratch, predicted, n_class);
    HEFT_ALLOC(ctx, &ctx->scratch, hit, n_class);
    for (size_t c = 0; c < n_class; c++) {
        truth[c] = g->first[c + 1] - g->first[c];
        for (size_t k = g->first[c]; k < g->first[c + 1]; k++) {
            const size_t guess = heft_argmax(proba + g->rows[k] * n_class, n_class);
            predicted[guess]++;
            hit[c] += guess == c;
        }
        out->right += hit[c];
    }
    out->accuracy = g->n ? (double)out->right / (double)g->n : 0;
    out->micro_f1 = out->accuracy; /* one label a row: every miss is one fp and one fn */
    out->macro_f1 = macro_f1(truth, predicted, hit, n_class);
    return HEFT_OK;
}

/* Log loss and Brier score of the rows in their own order. */
static void measure_losses(const double *proba, const uint16_t *y, size_t n, size_t n_class,
                           heft_measures *out)
{
    double log_sum = 0, square_sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (y[i] >= n_class) continue;
        const double *p = proba + i * n_class;
        log_sum -= log(fmin(fmax(p[y[i]], HEFT_LEAST_PROBABILITY), 1));
        for (size_t c = 0; c < n_class; c++) {
            const double d = p[c] - (c == y[i]);
            square_sum += d * d;
        }
    }
    out->log_loss = out->n ? log_sum / (double)out->n : 0;
    out->brier = out->n ? square_sum / (double)out->n : 0;
}

/* Expected calibration error (Naeini, Cooper and Hauskrecht 2015): rows by their highest
 * probability in bins [k/10, (k+1)/10), the last with 1; the share right against its mean. */
static void measure_calibration(const double *proba, const uint16_t *y, size_t n, size_t n_class,
                                heft_measures *out)
{
    double said[HEFT_BINS] = {0}, right[HEFT_BINS] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (y[i] >= n_class) continue;
        const size_t guess = heft_argmax(proba + i * n_class, n_class);
        const double p = proba[i * n_class + guess];
        const size_t b = p * HEFT_BINS < HEFT_BINS ? (size_t)fmax(p * HEFT_BINS, 0) : HEFT_BINS - 1;
        said[b] += p;
        right[b] += guess == y[i];
    }
    for (size_t b = 0; b < HEFT_BINS; b++) sum += fabs(right[b] - said[b]);
    out->calibration_error = out->n ? sum / (double)out->n : 0;
}

/* ---- area under the ROC curve ---- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Number of v[0..n-1], increasing, that are < x, or <= x with `equal`. */
static size_t count_below(const double *v, size_t n, double x, bool equal)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (v[mid] < x || (equal && v[mid] == x)) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

/* Sum over the other classes b of A(a|b): the chance that a row of a has a higher p_a than a row of
 * b, ties counted half. `own` is room for the scores of class a. */
static double areas_of(const double *proba, const groups *g, size_t n_class, size_t a, double *own)
{
    const size_t n_own = g->first[a + 1] - g->first[a];
    double       sum = 0;
    for (size_t k = 0; k < n_own; k++) own[k] = proba[g->rows[g->first[a] + k] * n_class + a];
    qsort(own, n_own, sizeof *own, by_value);
    for (size_t b = 0; b < n_class; b++) {
        const size_t n_other = g->first[b + 1] - g->first[b];
        double       won = 0; /* whole and half pairs: exact */
        if (b == a || n_other == 0) continue;
        for (size_t k = g->first[b]; k < g->first[b + 1]; k++) {
            const double s = proba[g->rows[k] * n_class + a];
            const size_t less = count_below(own, n_own, s, false);
            const size_t most = count_below(own, n_own, s, true);
            won += (double)(n_own - most) + 0.5 * (double)(most - less);
        }
        sum += won / ((double)n_own * (double)n_other);
    }
    return sum;
}

/* Two classes: the area of p_1. More: Hand and Till's mean over ordered pairs of the classes
 * present (Machine Learning 45, 2001, eq. 7). Cost: n log n for each class. */
static heft_status measure_auc(heft_ctx *ctx, const double *proba, const groups *g, size_t n_class,
                               heft_measures *out)
{
    double *own, sum = 0;
    size_t  present = 0;
    out->auc = (double)NAN;
    for (size_t c = 0; c < n_class; c++) present += g->first[c + 1] > g->first[c];
    if (present < 2) return HEFT_OK;
    HEFT_ALLOC(ctx, &ctx->scratch, own, g->n);
    if (n_class == 2) {
        out->auc = areas_of(proba, g, n_class, 1, own);
        return HEFT_OK;
    }
    for (size_t a = 0; a < n_class; a++)
        if (g->first[a + 1] > g->first[a]) sum += areas_of(proba, g, n_class, a, own);
    out->auc = sum / ((double)present * (double)(present - 1));
    return HEFT_OK;
}

heft_status heft_measure(heft_ctx *ctx, const double *proba, const uint16_t *y, size_t n,
                         size_t n_class, heft_measures *out)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    groups          g = {0};
    *out = (heft_measures){.auc = (double)NAN};
    HEFT_TRY(check_finite(ctx, proba, n, n_class));
    HEFT_TRY(group_rows(ctx, y, n, n_class, &g));
    out->n = g.n;
    HEFT_TRY(measure_classes(ctx, proba, &g, n_class, out));
    measure_losses(proba, y, n, n_class, out);
    measure_calibration(proba, y, n, n_class, out);
    HEFT_TRY(measure_auc(ctx, proba, &g, n_class, out));
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

void heft_confuse(const double *proba, const uint16_t *y, size_t n, size_t n_class, size_t *matrix)
{
    for (size_t i = 0; i < n; i++)
        if (y[i] < n_class) matrix[y[i] * n_class + heft_argmax(proba + i * n_class, n_class)]++;
}
