/* double_double.h - arithmetic on numbers that are the unevaluated sum of two doubles (about 106
 * bits), for sums that must not depend on how the terms are grouped. It uses the error-free
 * transformations of Dekker (1971) and Knuth, which need strict IEEE arithmetic without contraction
 * or reassociation; the build sets the compiler options for that. */
#pragma once

typedef struct heft_dd {
    double high, low;
} heft_dd;

/* a + b exactly. */
static inline heft_dd heft_two_sum(double a, double b)
{
    const double s = a + b, t = s - a;
    return (heft_dd){s, (a - (s - t)) + (b - t)};
}

/* a + b exactly, if |a| >= |b|. */
static inline heft_dd heft_quick_sum(double a, double b)
{
    const double s = a + b;
    return (heft_dd){s, b - (s - a)};
}

/* a * b exactly, if nothing overflows or underflows. */
static inline heft_dd heft_two_product(double a, double b)
{
    const double p = a * b, split = 134217729; /* 2^27 + 1 */
    const double sa = split * a, ah = sa - (sa - a), al = a - ah;
    const double sb = split * b, bh = sb - (sb - b), bl = b - bh;
    return (heft_dd){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

static inline heft_dd heft_two_square(double a)
{
    const double p = a * a, s = 134217729 * a, h = s - (s - a), l = a - h;
    return (heft_dd){p, ((h * h - p) + 2 * h * l) + l * l};
}

static inline heft_dd heft_dd_add(heft_dd a, heft_dd b)
{
    const heft_dd s = heft_two_sum(a.high, b.high), t = heft_two_sum(a.low, b.low);
    const heft_dd u = heft_quick_sum(s.high, s.low + t.high);
    return heft_quick_sum(u.high, u.low + t.low);
}

/* Adds x to a sum whose value is high + low. It takes less work than heft_dd_add and is precise
 * enough for few terms. */
static inline heft_dd heft_dd_plus(heft_dd sum, double x)
{
    const heft_dd s = heft_two_sum(sum.high, x);
    return (heft_dd){s.high, sum.low + s.low};
}

static inline heft_dd heft_dd_minus(heft_dd a)
{
    return (heft_dd){-a.high, -a.low};
}

static inline heft_dd heft_dd_times(heft_dd a, heft_dd b)
{
    const heft_dd p = heft_two_product(a.high, b.high);
    return heft_quick_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

static inline heft_dd heft_dd_scale(heft_dd a, double b)
{
    const heft_dd p = heft_two_product(a.high, b);
    return heft_quick_sum(p.high, p.low + a.low * b);
}

/* a / b, if b is not 0. */
static inline heft_dd heft_dd_over(heft_dd a, double b)
{
    const double  q = a.high / b;
    const heft_dd p = heft_two_product(q, b);
    return heft_quick_sum(q, ((a.high - p.high) - p.low + a.low) / b);
}
