/* score_parts.c - parts of a score that several formats need. */
#include "export/score_parts.h"

#include <float.h>
#include <limits.h>
#include <string.h>

#include "prep/numbers.h"

/* ---- cut points ---- */

static const uint64_t SIGN = (uint64_t)1 << 63;

/* Doubles as whole numbers of the same order, and back. */
static uint64_t place_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & SIGN ? ~bits : bits | SIGN;
}

static double at_place(uint64_t place)
{
    const uint64_t bits = place & SIGN ? place & ~SIGN : ~place;
    double         x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Scaling is monotone, rounding included, so the doubles on either side of a cut are found by
 * bisection. */
double heft_raw_cut(const heft_attr_prep *a, double cut)
{
    uint64_t lo = place_of(-DBL_MAX), hi = place_of(DBL_MAX);
    if (a->shift == 0 && a->factor == 1) return cut;
    if (heft_scaled(a, DBL_MAX) <= cut) return DBL_MAX;
    if (!(heft_scaled(a, -DBL_MAX) <= cut)) return -INFINITY;
    while (hi - lo > 1) {
        const uint64_t mid = lo + (hi - lo) / 2;
        if (heft_scaled(a, at_place(mid)) <= cut) lo = mid;
        else hi = mid;
    }
    return at_place(lo);
}

bool heft_scale_limits(double shift, double factor, double *lo, double *hi)
{
    const double most = nextafter(DBL_MAX, 0);
    *hi = heft_raw_cut(&(heft_attr_prep){.shift = shift, .factor = factor}, most);
    *lo = -heft_raw_cut(&(heft_attr_prep){.shift = -shift, .factor = factor}, most);
    return (shift != 0 || factor != 1) && (*lo > -DBL_MAX || *hi < DBL_MAX);
}

/* ---- tables ---- */

int heft_unit_power(const double *x, size_t n, size_t step, int *most)
{
    int least = INT_MAX;
    *most = INT_MIN;
    for (size_t k = 0; k < n * step; k += step) {
        int e;
        if (x[k] == 0) continue;
        if (!isfinite(x[k])) return INT_MAX;
        uint64_t whole = (uint64_t)ldexp(fabs(frexp(x[k], &e)), 53);
        if (e > *most) *most = e;
        for (e -= 53; whole % 2 == 0; e++) whole /= 2;
        if (e < least) least = e;
    }
    return least;
}

/* ---- densities ---- */

double heft_density_weight(const heft_terms *t, size_t j, size_t c)
{
    const heft_weights *weights = &t->fitted->weights;
    return weights->folded || t->class_pair ? 1 : heft_weight_at(weights, t->n_class, j, c, 0);
}

heft_normal heft_normal_of(const heft_terms *t, size_t j, size_t c)
{
    const heft_term *term = &t->attr[j];
    const size_t     K = t->n_class;
    const double    *p = term->normal;
    if (p) return (heft_normal){false, p[c], p[K + c], p[2 * K + c], p[3 * K + c]};
    const double sd = term->lik->sd[c], mean = term->lik->mean[c], w = heft_density_weight(t, j, c);
    if (sd == 0) return (heft_normal){true, w * HEFT_LOG_OFF_POINT, mean, 0, 0};
    return (heft_normal){false, w * (-HEFT_LOG_TWO_PI_HALF - log(sd)), mean, 1 / sd, w / 2};
}
