/* num.c - log-sum-exp and the logistic pieces; exp, log, log(1 + e) and the logistic function of
 * many values (vec.h) as straight-line polynomials. */
#include "base/num.h"

#include <math.h>
#include <string.h>

#include "base/double_double.h"
#include "base/lanes.h"
#include "base/vec.h"

double heft_logsumexp(const double *v, size_t n)
{
    double hi = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        if (v[i] > hi) hi = v[i];
    if (!isfinite(hi)) return hi; /* all -inf, a +inf, or an empty list */
    for (size_t i = 0; i < n; i++) sum += exp(v[i] - hi);
    return hi + log(sum);
}

double heft_sigmoid(double t)
{
    if (t >= 0) return 1 / (1 + exp(-t));
    const double e = exp(t);
    return e / (1 + e);
}

double heft_xlogx(double x)
{
    return x > 0 ? x * log(x) : 0;
}

void heft_softmax(double *v, size_t n)
{
    double hi = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        if (v[i] > hi) hi = v[i];
    if (!isfinite(hi)) { /* no class takes part: nothing is known */
        for (size_t i = 0; i < n; i++) v[i] = 1 / (double)n;
        return;
    }
    for (size_t i = 0; i < n; i++) sum += v[i] = exp(v[i] - hi);
    for (size_t i = 0; i < n; i++) v[i] /= sum;
}

size_t heft_argmax(const double *v, size_t n)
{
    size_t best = 0;
    double top = v[0];
    for (size_t i = 1; i < n; i++) { /* without a branch: none could be predicted */
        const bool wins = (v[i] > top) | (isnan(top) & !isnan(v[i]));
        best = wins ? i : best;
        top = wins ? v[i] : top;
    }
    return best;
}

bool heft_is_part(const double *part, const double *whole, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (!(part[k] >= 0 && part[k] <= whole[k] * (1 + 1e-9) + 1e-9)) return false;
    return true;
}

/* ---- many values ---- */

#define LOG2_E 1.44269504088896340736
#define LN2_HI 6.93147180369123816490e-01 /* the upper 32 bits of log 2: times k it is exact */
#define LN2_LO 1.90821492927058770002e-10
#define LN2    6.93147180559945309417e-01
#define ROUND                                                                                      \
    6755399441055744.0 /* 1.5 * 2^52: adding it leaves the nearest integer in the last bits */

/* Polynomials are evaluated in pairs of terms, pairs of pairs and so on: the shortest chains of
 * operations that wait for one another. */

/* exp(t) for -708 <= t <= 709: t = k log 2 + r, |r| <= log(2)/2, Taylor to r^13. */
static inline double exp_core(double t)
{
    const double shifted = t * LOG2_E + ROUND;
    const double k = shifted - ROUND;
    const double r = (t - k * LN2_HI) - k * LN2_LO;
    const double r2 = r * r, r4 = r2 * r2;
    const double a = (1.0 / 2 + r * (1.0 / 6)) + r2 * (1.0 / 24 + r * (1.0 / 120));
    const double b = (1.0 / 720 + r * (1.0 / 5040)) + r2 * (1.0 / 40320 + r * (1.0 / 362880));
    const double c =
        (1.0 / 3628800 + r * (1.0 / 39916800)) + r2 * (1.0 / 479001600 + r * (1.0 / 6227020800.0));
    const double p = a + r4 * (b + r4 * c);
    uint64_t     bits;
    double       power;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits << 52) + UINT64_C(0x3ff0000000000000); /* 2^k */
    memcpy(&power, &bits, sizeof power);
    return (1 + (r + r2 * p)) * power;
}

/* atanh(s) for z = s^2 and |s| <= 0.172, Taylor to s^21. */
static inline double atanh_core(double s, double z)
{
    const double z2 = z * z, z4 = z2 * z2;
    const double a = (1.0 / 3 + z * (1.0 / 5)) + z2 * (1.0 / 7 + z * (1.0 / 9));
    const double b = (1.0 / 11 + z * (1.0 / 13)) + z2 * (1.0 / 15 + z * (1.0 / 17));
    const double c = 1.0 / 19 + z * (1.0 / 21);
    const double p = a + z4 * (b + z4 * c);
    return s + s * z * p;
}

/* log(x) for normal x > 0: x = 2^k m, 1/sqrt 2 <= m < sqrt 2, and with s = (m-1)/(m+1) log m is
 * 2 atanh(s). */
static inline double log_core(double x)
{
    uint64_t bits, power;
    double   m, k;
    memcpy(&bits, &x, sizeof bits);
    /* From the bits of 1/sqrt 2 on: the exponent of x / (1/sqrt 2), rounded down. */
    const uint64_t above = bits - UINT64_C(0x3fe6a09e667f3bcd) + (UINT64_C(1) << 62);
    bits -= (above & UINT64_C(0xfff0000000000000)) - (UINT64_C(1) << 62);
    memcpy(&m, &bits, sizeof m);
    power = (above >> 52) | UINT64_C(0x4330000000000000); /* 2^52 + the exponent + 1024 */
    memcpy(&k, &power, sizeof k);
    k -= 4503599627370496.0 + 1024;
    const double s = (m - 1) / (m + 1);
    return k * LN2_HI + (2 * atanh_core(s, s * s) + k * LN2_LO);
}

/* log(1 + e) for 0 <= e <= 1: with s = e/(2+e), or from log 2 down with s = (e-1)/(e+3), it is
 * 2 atanh(s). */
static inline double log1p_core(double e)
{
    const double upper = e > 0.41421356237309515 ? 1.0 : 0.0;
    const double s = (e - upper) / (2 + e + upper);
    const double z = e > 1e-60 ? s * s : 0; /* no denormal numbers: they are slow */
    return upper * LN2 + 2 * atanh_core(s, z);
}

HEFT_WIDE static void exp_all(double *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double t = v[i];
        const double inside = t < -708 ? -708 : t > 709 ? 709 : t;
        const double e = exp_core(inside);
        v[i] = t < -708 ? 0 : e;
    }
}

HEFT_WIDE static void log_all(double *v, size_t n)
{
    for (size_t i = 0; i < n; i++) v[i] = log_core(v[i]);
}

HEFT_WIDE static void log1pexp_all(const double *t, size_t n, double *value, double *slope)
{
    for (size_t i = 0; i < n; i++) {
        const double z = t[i], down = -fabs(z);
        const double e = exp_core(down < -700 ? -700 : down); /* in (0, 1] */
        value[i] = (z > 0 ? z : 0) + log1p_core(e);
        slope[i] = (z > 0 ? 1 : e) / (1 + e);
    }
}

HEFT_WIDE static void sigmoid_all(double *t, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double z = t[i], down = -fabs(z);
        const double e = exp_core(down < -700 ? -700 : down);
        t[i] = (z > 0 ? 1 : e) / (1 + e);
    }
}

HEFT_WIDE static void exp_floats(float *v, size_t n)
{
    float last[16] = {0};
    for (; n >= 16; n -= 16, v += 16) heft_exp_sixteen((heft_sixteen *)v);
    if (n == 0) return;
    for (size_t i = 0; i < n; i++) last[i] = v[i];
    heft_exp_sixteen((heft_sixteen *)last);
    for (size_t i = 0; i < n; i++) v[i] = last[i];
}

void heft_exp_floats(float *v, size_t n)
{
    exp_floats(v, n);
}

void heft_exp_all(double *v, size_t n)
{
    exp_all(v, n);
}

void heft_log_all(double *v, size_t n)
{
    log_all(v, n);
}

void heft_log1pexp_all(const double *t, size_t n, double *value, double *slope)
{
    log1pexp_all(t, n, value, slope);
}

void heft_sigmoid_all(double *t, size_t n)
{
    sigmoid_all(t, n);
}

void heft_softmax_all(double *v, size_t n, size_t k, double *lse)
{
    enum { CHUNK = 64 }; /* rows whose maxima are kept at a time */
    double hi[CHUNK];
    for (size_t first = 0; first < n; first += CHUNK) {
        const size_t rows = n - first < CHUNK ? n - first : CHUNK;
        double      *block = v + first * k;
        for (size_t i = 0; i < rows; i++) {
            double *row = block + i * k;
            hi[i] = -INFINITY;
            for (size_t c = 0; c < k; c++) hi[i] = row[c] > hi[i] ? row[c] : hi[i];
            const double shift = isfinite(hi[i]) ? hi[i] : 0;
            for (size_t c = 0; c < k; c++) row[c] = isfinite(hi[i]) ? row[c] - shift : 0;
        }
        exp_all(block, rows * k);
        for (size_t i = 0; i < rows; i++) {
            double *row = block + i * k;
            double  high = 1, low = 0; /* no term is above 1: quick sums are exact */
            for (size_t c = 0; c < k; c++) {
                const heft_dd s = heft_quick_sum(high, row[c]);
                high = s.high, low += s.low;
            }
            const double sum = high - 1 + low;
            for (size_t c = 0; c < k; c++) row[c] /= sum;
            if (lse) lse[first + i] = isfinite(hi[i]) ? hi[i] + log(sum) : hi[i];
        }
    }
}
