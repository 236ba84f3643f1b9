/* mean.c - means and ends of columns.
 *
 * Each addition to a sum has to wait for the one before it. So a column has LANES independent sums:
 * row i is added to lane i % LANES, and the lanes are joined at the end. */
#include "prep/mean.h"

#include <math.h>
#include <string.h>

#include "base/rows.h"
#include "base/wide.h"

enum { LANES = 32 };

double heft_mean_shrink(double top)
{
    int e = 0;
    if (top > 0x1p20 || top < 0x1p-20) (void)frexp(top, &e);
    return ldexp(1, e < -1000 ? 1000 : -e);
}

heft_mean heft_mean_begin(double zeros)
{
    const double end = zeros > 0 ? 0 : (double)INFINITY;
    return (heft_mean){.total = zeros, .lo = end, .hi = 0.0 - end};
}

static void add(heft_mean *m, double term)
{
    const double next = m->sum + term;
    m->lost += fabs(m->sum) >= fabs(term) ? (m->sum - next) + term : (term - next) + m->sum;
    m->sum = next;
}

void heft_mean_take(heft_mean *m, double weight, double x, double shrink)
{
    if (isnan(x) || !(weight > 0)) return;
    add(m, weight * (x * shrink));
    m->total += weight;
    m->lo = fmin(m->lo, x);
    m->hi = fmax(m->hi, x);
}

void heft_mean_join(heft_mean *whole, const heft_mean *part)
{
    add(whole, part->sum);
    whole->lost += part->lost;
    whole->total += part->total;
    whole->lo = fmin(whole->lo, part->lo);
    whole->hi = fmax(whole->hi, part->hi);
}

/* ---- many numbers ---- */

typedef struct lanes {
    double sum[LANES], lost[LANES], total[LANES];
} lanes;

/* Add n numbers to the lanes; n is a multiple of LANES. The rounding error of each addition is
 * exact, as in `add`, but is found without a branch. */
HEFT_WIDE static void add_lanes(const double *x, size_t n, double shrink, lanes *restrict s)
{
    for (size_t i = 0; i < n; i += LANES)
        for (size_t l = 0; l < LANES; l++) {
            const double v = x[i + l] * shrink, term = v == v ? v : 0, one = v == v ? 1 : 0;
            const double next = s->sum[l] + term, back = next - s->sum[l];
            s->lost[l] += (s->sum[l] - (next - back)) + (term - back);
            s->sum[l] = next;
            s->total[l] += one;
        }
}

HEFT_WIDE static void widen_lanes(const double *x, size_t n, double fill, double *restrict lo,
                                  double *restrict hi)
{
    for (size_t i = 0; i < n; i += LANES)
        for (size_t l = 0; l < LANES; l++) {
            const double v = x[i + l] == x[i + l] ? x[i + l] : fill;
            lo[l] = v < lo[l] ? v : lo[l];
            hi[l] = v > hi[l] ? v : hi[l];
        }
}

/* Copy the last numbers of a column, from `lo` on, and fill up with `pad` to LANES numbers. */
static void take_rest(const double *x, size_t lo, size_t n, double pad, double *out)
{
    for (size_t l = 0; l < LANES; l++) out[l] = lo + l < n ? x[lo + l] : pad;
}

void heft_mean_take_all(heft_mean *m, const double *x, size_t n, double shrink)
{
    const size_t whole = n / LANES * LANES;
    lanes        s = {0};
    double       rest[LANES];
    HEFT_ROW_BLOCKS (lo, hi, whole) add_lanes(x + lo, hi - lo, shrink, &s);
    take_rest(x, whole, n, NAN, rest);
    add_lanes(rest, LANES, shrink, &s);
    for (size_t l = 0; l < LANES; l++)
        heft_mean_join(m, &(heft_mean){s.sum[l], s.lost[l], s.total[l], m->lo, m->hi});
}

void heft_ends(const double *x, size_t n, double fill, double *lo, double *hi)
{
    const size_t whole = n / LANES * LANES;
    double       low[LANES], high[LANES], rest[LANES];
    for (size_t l = 0; l < LANES; l++) low[l] = *lo, high[l] = *hi;
    HEFT_ROW_BLOCKS (from, to, whole) widen_lanes(x + from, to - from, fill, low, high);
    if (whole < n) {
        take_rest(x, whole, n, x[whole], rest);
        widen_lanes(rest, LANES, fill, low, high);
    }
    for (size_t l = 0; l < LANES; l++) {
        if (low[l] < *lo) *lo = low[l];
        if (high[l] > *hi) *hi = high[l];
    }
}
