/* tails.c - tail probabilities of Student's t, Fisher's F, chi-squared, the normal distribution,
 * fair coins, and the range of normal numbers. */
#include "stats/tails.h"

#include <math.h>

/* ---- log Gamma, after Moshier, Methods and Programs for Mathematical Functions (Cephes) ----
 *
 * For x < 13 the recurrence Gamma(x + 1) = x Gamma(x) leads to [2, 3], where a rational function is
 * used; for larger x Stirling's series. lgamma() of the C library is not used, because its last
 * bits differ between libraries, and a choice between nearly equal scores depends on them. */

static const double STIRLING[] = {8.11614167470508450300e-4, -5.95061904284301438324e-4,
                                  7.93650340457716943945e-4, -2.77777777730099687205e-3,
                                  8.33333333333331927722e-2};
static const double ABOVE[] = {-1.37825152569120859100e3, -3.88016315134637840924e4,
                               -3.31612992738871184744e5, -1.16237097492762307383e6,
                               -1.72173700820839662146e6, -8.53555664245765465627e5};
static const double BELOW[] = {+1.00000000000000000000e0, -3.51815701436523470549e2,
                               -1.70642106651881159223e4, -2.20528590553854454839e5,
                               -1.13933444367982507207e6, -2.53252307177582951285e6,
                               -2.01889141433532773231e6};
static const double HALF_LOG_TWO_PI = 0.91893853320467274178;

static double polynomial(const double *coefficient, int degree, double x)
{
    double y = coefficient[0];
    for (int k = 1; k <= degree; k++) y = y * x + coefficient[k];
    return y;
}

/* log Gamma(x) for 0 < x < 13. */
static double small(double x)
{
    double z = 1;
    for (; x >= 3; z *= x) x -= 1;
    for (; x < 2; x += 1) z /= x;
    x -= 2;
    return x == 0 ? log(z) : log(z) + x * polynomial(ABOVE, 5, x) / polynomial(BELOW, 6, x);
}

double heft_log_gamma(double x)
{
    if (x < 13) return small(x);
    const double y = (x - 0.5) * log(x) - x + HALF_LOG_TWO_PI, p = 1 / (x * x);
    if (x > 1e8) return y;
    if (x >= 1000)
        return y + ((7.9365079365079365079365e-4 * p - 2.7777777777777777777778e-3) * p +
                    0.0833333333333333333333) /
                       x;
    return y + polynomial(STIRLING, 4, p) / x;
}

/* ---- tails ---- */

/* One step of Lentz's method for a continued fraction: multiplies h so that it includes the term
 * n / (b + ...), and returns the factor. */
static double lentz(double n, double b, double *c, double *d, double *h)
{
    const double tiny = 1e-300;
    *d = b + n * *d, *c = b + n / *c;
    *d = 1 / (fabs(*d) < tiny ? tiny : *d), *c = fabs(*c) < tiny ? tiny : *c;
    *h *= *d * *c;
    return *d * *c;
}

/* Continued fraction of the incomplete beta function, by Lentz's method. It converges quickly for
 * x < (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
    const double tiny = 1e-300;
    double       c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double h = d;
    for (int m = 1; m <= 10000; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        lentz(even, 1, &c, &d, &h);
        if (fabs(lentz(odd, 1, &c, &d, &h) - 1) < 1e-16) break;
    }
    return h;
}

/* Regularised incomplete beta function I_x(a, b). The caller passes y = 1 - x, because it can often
 * compute y without cancellation. */
static double incomplete_beta(double x, double y, double a, double b)
{
    if (x <= 0) return 0;
    if (y <= 0) return 1;
    const double front = exp(heft_log_gamma(a + b) - heft_log_gamma(a) - heft_log_gamma(b) +
                             a * log(x) + b * log(y));
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

/* Q(a, x), the upper incomplete gamma function divided by Gamma(a): for x < a + 1 as 1 minus the
 * series of its complement, otherwise by a continued fraction (Lentz). */
static double upper_gamma(double a, double x)
{
    const double front = exp(a * log(x) - x - heft_log_gamma(a)), tiny = 1e-300;
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (double k = a + 1; term > sum * 1e-17; k++) sum += term *= x / k;
        return 1 - front * sum;
    }
    double b = x + 1 - a, c = 1 / tiny, d = 1 / b, h = d;
    for (int k = 1; k <= 10000; k++) {
        const double n = -k * (k - a);
        b += 2;
        if (fabs(lentz(n, b, &c, &d, &h) - 1) < 1e-16) break;
    }
    return front * h;
}

double heft_chi2_p(double x, double df)
{
    return x <= 0 ? 1 : upper_gamma(df / 2, x / 2);
}

double heft_normal_p(double z)
{
    return erfc(-z / sqrt(2)) / 2;
}

double heft_coin_p(size_t x, size_t n)
{
    double p = 0, ways = 1; /* ways: number of ways to get k heads in n throws */
    if (x == 0) return 1;
    if (n <= 1000)
        for (size_t k = n; k >= x; k--) {
            p += ldexp(ways, -(int)n);
            ways = ways * (double)k / (double)(n - k + 1);
        }
    else
        for (size_t k = n; k >= x; k--)
            p += exp(heft_log_gamma((double)n + 1) - heft_log_gamma((double)k + 1) -
                     heft_log_gamma((double)(n - k) + 1) - (double)n * log(2));
    return fmin(p, 1);
}

/* P(range <= q) = k * integral of phi(z) (Phi(z) - Phi(z - q))^(k-1) dz, where z is the largest of
 * the k numbers. For a smooth integrand that vanishes at both ends the trapezoid rule converges
 * faster than any power of the step. */
static double range_below(size_t k, double q)
{
    const double step = 1.0 / 32, density = 1 / sqrt(2 * acos(-1));
    double       sum = 0;
    for (double z = -9; z <= 9; z += step)
        sum +=
            density * exp(-z * z / 2) * pow(heft_normal_p(z) - heft_normal_p(z - q), (double)k - 1);
    return (double)k * step * sum;
}

double heft_range_q(size_t k, double alpha)
{
    double lo = 0, hi = 1;
    while (range_below(k, hi) < 1 - alpha && hi < 64) hi *= 2;
    for (int i = 0; i < 60; i++) {
        const double mid = (lo + hi) / 2;
        if (range_below(k, mid) < 1 - alpha) lo = mid;
        else hi = mid;
    }
    return (lo + hi) / 2;
}
