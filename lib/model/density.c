/* density.c - the rounded normal of Weka's NaiveBayes, and flexible (kernel) naive Bayes.
 *
 * Rounded: precision q = mean gap between consecutive distinct training values (0.01 for a single
 * one); training and query values are rounded to multiples of q; population standard deviation, at
 * least q/6; P(x|c) = Phi((x - mean + q/2)/sd) - Phi((x - mean - q/2)/sd), at least 1e-75.
 *
 * Kernel: P(x|c) = 1/(n_c h sqrt(2 pi)) sum_i exp(-(x - x_i)^2 / (2 h^2)), h = 1/sqrt(n_c): the
 * bandwidth is in units of the data, which belong on [0, 1] (--scale minmax). Equal values are kept
 * once with their weight. */
#include "model/likelihood.h"

#include <math.h>

#include "base/num.h"

static const double LOG_TWO_PI_HALF = 0.91893853320467274178;

/* ---- rounded normal ---- */

static double to_multiple(double x, double q)
{
    const double r = nearbyint(x / q) * q;
    return isfinite(r) ? r : x;
}

/* The mean gap between neighbours among all distinct values, summed gap by gap as Weka does: values
 * that lie half-way between two multiples of it go up or down by its last bit. */
static heft_status precision_of(heft_ctx *ctx, const heft_values *v, size_t K, double *out)
{
    double *x;
    size_t  n;
    HEFT_CHECK(heft_values_all(ctx, v, K, &x, &n));
    double sum = 0;
    for (size_t i = 1; i < n; i++) sum += x[i] - x[i - 1];
    *out = sum / (double)(n > 1 ? n - 1 : 1);
    if (isinf(sum)) *out = x[n - 1] / (double)(n - 1) - x[0] / (double)(n - 1);
    if (!(*out > 0)) *out = 0.01; /* one value, or neighbours closer than a double can tell */
    return HEFT_OK;
}

static heft_status fit_rounded(heft_ctx *ctx, const heft_values *v, size_t K, heft_arena *arena,
                               heft_lik *lik)
{
    const size_t n = v->start[K];
    double       widest = 0;

    lik->kind = HEFT_LIK_ROUNDED;
    HEFT_CHECK(precision_of(ctx, v, K, &lik->precision));
    HEFT_ALLOCS(ctx, arena, K, lik->mean, lik->sd);
    for (size_t k = 0; k < n; k++) widest = fmax(widest, fabs(v->x[k]));
    const double scale = widest > 1e140 ? 0x1p-600 : 1; /* so that squares do not overflow */
    for (size_t c = 0; c < K; c++) {
        double weight = 0, sum = 0, squares = 0;
        for (size_t k = v->start[c]; k < v->start[c + 1]; k++) {
            weight += v->w[k];
            sum += v->w[k] * (to_multiple(v->x[k], lik->precision) * scale);
        }
        const double mean = weight > 0 ? sum / weight : 0;
        for (size_t k = v->start[c]; k < v->start[c + 1]; k++) {
            const double d = to_multiple(v->x[k], lik->precision) * scale - mean;
            squares += v->w[k] * d * d;
        }
        lik->sd[c] = fmax(weight > 0 ? sqrt(squares / weight) / scale : 0, lik->precision / 6);
        lik->mean[c] = mean / scale;
    }
    return HEFT_OK;
}

static double upper_tail(double z)
{
    return 0.5 * erfc(z * 0.70710678118654752440);
}

static void rounded_at(const heft_lik *lik, size_t K, double x, double *out)
{
    const double q = lik->precision, r = to_multiple(x, q);
    for (size_t c = 0; c < K; c++) {
        const double d = r - lik->mean[c], lo = (d - q / 2) / lik->sd[c],
                     hi = (d + q / 2) / lik->sd[c];
        /* in the far tail the difference must be taken where the tails are small */
        const double p =
            lo > 0 ? upper_tail(lo) - upper_tail(hi) : upper_tail(-hi) - upper_tail(-lo);
        out[c] = log(fmax(p, 1e-75));
    }
}

/* ---- kernels ---- */

static heft_status fit_kernel(heft_ctx *ctx, const heft_values *v, size_t K, heft_arena *arena,
                              heft_lik *lik)
{
    const size_t n = v->start[K];

    lik->kind = HEFT_LIK_KERNEL;
    lik->silent = n == 0;
    HEFT_ALLOC(ctx, arena, lik->start, K + 1);
    HEFT_ALLOCS(ctx, arena, n, lik->point, lik->log_mass);
    HEFT_ALLOC(ctx, arena, lik->width, K);
    for (size_t c = 0; c < K; c++) {
        double total = 0;
        for (size_t k = v->start[c]; k < v->start[c + 1]; k++) total += v->w[k];
        for (size_t k = v->start[c]; k < v->start[c + 1]; k++) {
            lik->point[k] = v->x[k];
            lik->log_mass[k] = log(v->w[k] / total);
        }
        lik->start[c + 1] = v->start[c + 1];
        lik->width[c] = total > 0 ? 1 / sqrt(total) : 1; /* h = 1/sqrt(n_c) */
    }
    return HEFT_OK;
}

/* log sum_k mass_k exp(-(x - p_k)^2 / (2 h^2)): outward from the nearest point, until what is left
 * cannot reach the last bit. */
static double kernel_sum(const double *point, const double *log_mass, size_t n, double x, double h)
{
    const size_t right = heft_lower_bound(point, n, x);
    double       best = -INFINITY;
    const bool   on_left = right == n || (right > 0 && x - point[right - 1] < point[right] - x);
    const size_t closest = on_left ? right - 1 : right;
    const double near = fmin(fabs(x - point[closest]) / h, 1e140);
    /* All points farther than `limit` together have less than e^-45 of the closest one's term. */
    const double limit = sqrt(near * near + 2 * (45 - log_mass[closest])) * h;
    size_t       a = right, b = right;
    while (a > 0 && x - point[a - 1] <= limit) a--;
    while (b < n && point[b] - x <= limit) b++;
    if (a == b) a = closest, b = closest + 1; /* rounding at enormous distances */
    for (size_t k = a; k < b; k++) {
        const double z = fmin(fabs(x - point[k]) / h, 1e140);
        best = fmax(best, log_mass[k] - 0.5 * z * z);
    }
    double sum = 0;
    for (size_t k = a; k < b; k++) {
        const double z = fmin(fabs(x - point[k]) / h, 1e140);
        sum += exp(log_mass[k] - 0.5 * z * z - best);
    }
    return best + log(sum);
}

static void kernel_at(const heft_lik *lik, size_t K, double x, double *out)
{
    double mean = 0, n = 0;
    for (size_t c = 0; c < K; c++) {
        const size_t at = lik->start[c], count = lik->start[c + 1] - at;
        if (!count) continue;
        out[c] = kernel_sum(lik->point + at, lik->log_mass + at, count, x, lik->width[c]) -
                 LOG_TWO_PI_HALF - log(lik->width[c]);
        mean += out[c];
        n++;
    }
    /* a class with nothing observed gives no evidence for or against itself: the others' mean */
    for (size_t c = 0; c < K; c++)
        if (lik->start[c + 1] == lik->start[c]) out[c] = mean / n;
}

/* ---- public ---- */

heft_status heft_densities(heft_ctx *ctx, const heft_rows *rows, const heft_suffstats *known,
                           heft_lik_kind kind, heft_arena *arena, heft_lik *liks)
{
    const size_t       K = rows->n_class;
    const heft_values *values = known ? known->values : NULL;
    heft_value_reader  reader;
    HEFT_SCRATCH_SCOPE_BUT(ctx, arena);
    if (!values) HEFT_CHECK(heft_values_begin(ctx, rows, &reader));
    for (size_t j = 0; j < rows->n_attr; j++) {
        heft_status st = HEFT_OK;
        heft_values own;
        heft_arena  space = {0};
        if (rows->attr[j].coded) continue;
        HEFT_CHECK(heft_check_cancel(ctx));
        const heft_mark here = heft_arena_mark(&ctx->scratch);
        if (!values) st = heft_values_of(ctx, &reader, j, &space, &own);
        if (st == HEFT_OK && !values) st = heft_values_merge(ctx, K, &space, &own);
        if (st == HEFT_OK)
            st = (kind == HEFT_LIK_ROUNDED ? fit_rounded : fit_kernel)(
                ctx, values ? &values[j] : &own, K, arena, &liks[j]);
        heft_arena_clear(&space);
        HEFT_CHECK(st);
        heft_scratch_rewind(ctx, arena, here);
    }
    return HEFT_OK;
}

void heft_density_at(const heft_lik *lik, size_t n_class, double x, double *out)
{
    (lik->kind == HEFT_LIK_ROUNDED ? rounded_at : kernel_at)(lik, n_class, x, out);
}
