/* signif.c - is a difference more than chance? Paired t over folds, ranks over data sets. */
#include "eval/eval.h"

#include <math.h>

/* ---- tails ---- */

/* Continued fraction of the incomplete beta function, by Lentz's method: good to the last digits
 * for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
    const double tiny = 1e-300;
    double       c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double h = d;
    for (int m = 1; m <= 10000; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 + even * d, c = 1 + even / c;
        d = 1 / (fabs(d) < tiny ? tiny : d), c = fabs(c) < tiny ? tiny : c;
        h *= d * c;
        d = 1 + odd * d, c = 1 + odd / c;
        d = 1 / (fabs(d) < tiny ? tiny : d), c = fabs(c) < tiny ? tiny : c;
        h *= d * c;
        if (fabs(d * c - 1) < 1e-16) break;
    }
    return h;
}

/* lgamma itself writes a global. */
static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

/* I_x(a, b), with y = 1 - x given by the caller, who may know it better. */
static double incomplete_beta(double x, double y, double a, double b)
{
    if (x <= 0) return 0;
    if (y <= 0) return 1;
    const double front =
        exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log(y));
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(x, a, b) / a;
    return 1 - front * beta_fraction(y, b, a) / b;
}

double heft_student_p(double t, double df)
{
    const double s = t * t;
    return incomplete_beta(df / (df + s), s / (df + s), df / 2, 0.5);
}

double heft_fisher_p(double f, double df1, double df2)
{
    const double s = df1 * f;
    return incomplete_beta(df2 / (df2 + s), s / (df2 + s), df2 / 2, df1 / 2);
}

/* ---- one data set ---- */

heft_difference heft_paired_t(const double *a, const double *b, size_t n, double ratio)
{
    heft_difference out = {.p = 1};
    double          mean = 0, squares = 0, largest = 0;
    for (size_t k = 0; k < n; k++) mean += (a[k] - b[k]) / (double)n;
    for (size_t k = 0; k < n; k++) {
        const double d = a[k] - b[k];
        squares += (d - mean) * (d - mean);
        largest = fmax(largest, fabs(d));
    }
    out.mean = mean;
    if (n < 2 || largest <= HEFT_SAME) return out;
    const double spread = sqrt(squares / (double)(n - 1) * (1 / (double)n + ratio));
    if (spread <= HEFT_SAME * largest) { /* t has no bound: count signs, all n of them alike */
        out.t = (double)NAN;
        out.p = ldexp(1, 1 - (int)(n < 2000 ? n : 2000));
        return out;
    }
    out.t = mean / spread;
    out.p = heft_student_p(out.t, (double)(n - 1));
    return out;
}

/* ---- several data sets ---- */

void heft_rank(const double *v, size_t n, double *rank)
{
    for (size_t i = 0; i < n; i++) {
        size_t above = 0, same = 0;
        for (size_t k = 0; k < n; k++) {
            if (fabs(v[k] - v[i]) <= HEFT_SAME) same++;
            else above += v[k] > v[i];
        }
        rank[i] = (double)above + ((double)same + 1) / 2;
    }
}

/* Ways to hand out one data set's ranks: k!, divided by t! for each group of t ties; its logarithm.
 */
static double log_orders(const double *rank, size_t k)
{
    double log_ways = log_gamma((double)k + 1);
    for (size_t j = 0; j < k; j++) {
        double before = 1; /* the how-manieth of its group method j is */
        for (size_t i = 0; i < j; i++) before += rank[i] == rank[j];
        log_ways -= log(before);
    }
    return log_ways;
}

heft_friedman heft_friedman_test(const double *rank, size_t n_sets, size_t n_methods)
{
    heft_friedman out = {.p = 1};
    const double  b = (double)n_sets, k = (double)n_methods, centre = b * (k + 1) / 2;
    double        between = 0, total = -b * k * (k + 1) * (k + 1) / 4;
    for (size_t j = 0; j < n_methods; j++) {
        double sum = 0;
        for (size_t i = 0; i < n_sets; i++) {
            const double r = rank[i * n_methods + j];
            sum += r;
            total += r * r;
        }
        between += (sum - centre) * (sum - centre);
    }
    if (n_sets < 2 || n_methods < 2 || total <= HEFT_SAME) return out; /* nothing, or all ties */
    out.chi2 = (k - 1) * between / total;
    const double rest = b * (k - 1) - out.chi2;
    if (rest <= HEFT_SAME * b * (k - 1)) { /* F has no bound: count orders, all b of them alike */
        out.f = (double)NAN;
        out.p = exp(-(b - 1) * log_orders(rank, n_methods));
        return out;
    }
    out.f = (b - 1) * out.chi2 / rest;
    out.p = heft_fisher_p(out.f, k - 1, (k - 1) * (b - 1));
    return out;
}

enum { EXACT = 25, SUMS = EXACT * (EXACT + 1) / 2 + 1 };

/* Two-sided: twice the share of the 2^n sign patterns whose rank sum is at most `sum`. */
static double exact_p(size_t n, double sum)
{
    double ways[SUMS] = {1}, below = 0;
    for (size_t r = 1; r <= n; r++)
        for (size_t s = r * (r + 1) / 2; s >= r; s--) ways[s] += ways[s - r];
    for (size_t s = 0; (double)s <= sum; s++) below += ways[s];
    return fmin(1, 2 * ldexp(below, -(int)n));
}

heft_status heft_wilcoxon(heft_ctx *ctx, const double *a, const double *b, size_t n, double *p)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    double         *size, *rank, plus = 0, ties = 0;
    size_t          m = 0;
    bool           *up;
    HEFT_ARENA(ctx, &ctx->scratch, size, n);
    HEFT_ARENA(ctx, &ctx->scratch, rank, n);
    HEFT_ARENA(ctx, &ctx->scratch, up, n);
    for (size_t i = 0; i < n; i++) {
        const double d = a[i] - b[i];
        if (fabs(d) <= HEFT_SAME) continue;
        up[m] = d > 0;
        size[m++] = -fabs(d); /* heft_rank gives 1 to the largest, here the smallest difference */
    }
    heft_rank(size, m, rank);
    for (size_t i = 0; i < m; i++) {
        double same = 0;
        for (size_t k = 0; k < m; k++) same += fabs(size[k] - size[i]) <= HEFT_SAME;
        ties += same * same - 1; /* sums to t^3 - t over each group of t */
        if (up[i]) plus += rank[i];
    }
    const double w = (double)m, all = w * (w + 1) / 2;
    if (m == 0) *p = 1;
    else if (m <= EXACT && ties < 0.5) *p = exact_p(m, fmin(plus, all - plus));
    else {
        const double variance = w * (w + 1) * (2 * w + 1) / 24 - ties / 48;
        *p = erfc(fabs(plus - all / 2) / sqrt(2 * variance));
    }
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}
