/* raw_cuts.c - cut points in the units of the data. Scaling is monotone, rounding included, so the
 * doubles on either side of a cut are found by bisection. */
#include "export/raw_cuts.h"

#include <float.h>
#include <string.h>

#include "prep/numbers.h"

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
