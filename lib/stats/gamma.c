/* gamma.c - log Gamma after Moshier, Methods and Programs for Mathematical Functions (Cephes):
 * below 13 by recurrence to [2, 3] and a rational function there, above by Stirling's series. Every
 * C library has a log Gamma, but no two the same last bits, and a choice between equal scores hangs
 * on those. */
#include "stats/gamma.h"

#include <math.h>

static const double STIRLING[] = {8.11614167470508450300e-4, -5.95061904284301438324e-4,
                                  7.93650340457716943945e-4, -2.77777777730099687205e-3,
                                  8.33333333333331927722e-2};
static const double ABOVE[] = {-1.37825152569120859100e3, -3.88016315134637840924e4,
                               -3.31612992738871184744e5, -1.16237097492762307383e6,
                               -1.72173700820839662146e6, -8.53555664245765465627e5};
static const double BELOW[] = {1,
                               -3.51815701436523470549e2,
                               -1.70642106651881159223e4,
                               -2.20528590553854454839e5,
                               -1.13933444367982507207e6,
                               -2.53252307177582951285e6,
                               -2.01889141433532773231e6};
static const double HALF_LOG_TWO_PI = 0.91893853320467274178;

static double polynomial(const double *coefficient, int degree, double x)
{
    double y = coefficient[0];
    for (int k = 1; k <= degree; k++) y = y * x + coefficient[k];
    return y;
}

static double small(double x)
{
    double z = 1;
    while (x >= 3) {
        x -= 1;
        z *= x;
    }
    while (x < 2) {
        z /= x;
        x += 1;
    }
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
