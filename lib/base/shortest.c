/* shortest.c - a double as the shortest decimal text that reads back.
 *
 * The algorithm is Schubfach (R. Giulietti, "The Schubfach way to render doubles", 2020). A double
 * c * 2^q is the one nearest to every number of its rounding interval. With 10^k the greatest power
 * of ten that is at most as long as the interval, the interval holds a multiple of 10^k, and at
 * most one multiple of 10^(k+1). The latter, if there is one, is the shortest text; else the
 * multiple of 10^k that is nearest to the double. Products of the double and of the ends of its
 * interval with one 128-bit power of ten tell: they keep whether they were exact in their last bit
 * (rounding to odd), and that is enough for comparisons with whole numbers. */
#include <math.h>
#include <string.h>

#include "base/digits.h"
#include "base/powers.h"
#include "base/text.h"

/* A power of ten times a whole number below 2^64; they add up and can be subtracted. */
typedef struct product {
    heft_wide high, low; /* high * 2^64 + low */
} product;

static product times(heft_wide power, uint64_t x)
{
    return (product){(power >> 64) * x, (heft_wide)(uint64_t)power * x};
}

/* Divided by 2^128 and rounded to odd: cut off, and the last bit set where something was cut off. A
 * remainder of 1 in the upper part comes from the 1 that the power has too much, and counts as
 * exact. */
static uint64_t round_to_odd(heft_wide high, heft_wide low)
{
    const heft_wide sum = high + (uint64_t)(low >> 64);
    return (uint64_t)(sum >> 64) | ((uint64_t)sum > 1);
}

/* ---- digits ---- */

typedef struct decimal {
    uint64_t m;
    int      k; /* m * 10^k */
} decimal;

/* x > 0, finite. */
static decimal shortest(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
    const int      exponent = (int)(bits >> 52);
    const uint64_t c = exponent ? fraction | (uint64_t)1 << 52 : fraction;
    const int      q = (exponent ? exponent : 1) - 1075;
    /* Below a power of two doubles are twice as dense. */
    const bool near_below = fraction == 0 && exponent > 1;
    /* floor(log10(2^q)), or floor(log10(3/4 2^q)) */
    const int       k = (int)(((int64_t)q * 1262611 - (near_below ? 524031 : 0)) >> 22);
    const int       shift = q + heft_power_log2(-k) + 1;
    const heft_wide power = heft_power_of_ten(-k) + 1;
    const uint64_t  odd = c & 1; /* the ends of the interval belong to it where c is even */
    /* four times the double and the ends of its interval, in units of 10^k */
    const product p = times(power, (4 * c) << shift);
    const product up = times(power, (uint64_t)2 << shift),
                  down = times(power, (uint64_t)(2 - near_below) << shift);
    const uint64_t at = round_to_odd(p.high, p.low);
    const uint64_t low = round_to_odd(p.high - down.high, p.low - down.low) + odd;
    const uint64_t high = round_to_odd(p.high + up.high, p.low + up.low) - odd;
    /* Both candidates, and then a choice without a branch: no processor could predict it. */
    const uint64_t s = at / 4, tens = s / 10, middle = 4 * s + 2;
    const bool     tens_below = low <= 40 * tens, tens_above = 40 * tens + 40 <= high;
    const bool     below = low <= 4 * s, above = 4 * s + 4 <= high;
    const bool     nearer = (at > middle) | ((at == middle) & (s & 1));
    const uint64_t shorter = (s >= 10) & (tens_below != tens_above);
    const uint64_t m = s + ((below != above) ? above : nearer);
    return (decimal){m ^ ((m ^ (tens + tens_above)) & -shorter), k + (int)shorter};
}

enum { MOST_DIGITS = 17 };

/* Number of digits of m, 0 < m < 10^17. *scaled = m with zeros appended, MOST_DIGITS digits in
 * all. */
static size_t n_digits(uint64_t m, uint64_t *scaled)
{
    static const uint64_t power[] = {1u,
                                     10u,
                                     100u,
                                     1000u,
                                     10000u,
                                     100000u,
                                     1000000u,
                                     10000000u,
                                     100000000u,
                                     1000000000u,
                                     10000000000u,
                                     100000000000u,
                                     1000000000000u,
                                     10000000000000u,
                                     100000000000000u,
                                     1000000000000000u,
                                     10000000000000000u,
                                     100000000000000000u};
    const size_t          guess = (size_t)(64 - __builtin_clzll(m)) * 1233 >> 12; /* log10(2) */
    const size_t          n = guess + (m >= power[guess]);
    *scaled = m * power[MOST_DIGITS - n];
    return n;
}

/* A number of MOST_DIGITS digits, of which the first is not 0, as text. Returns how many there are
 * without the zeros at the end. */
static size_t put_digits(char *out, uint64_t scaled)
{
    const uint64_t eight = 100000000, high = scaled / eight, first = high / eight;
    out[0] = (char)('0' + first);
    return 1 + heft_put_sixteen(out + 1, high - first * eight, scaled - high * eight);
}

/* ---- text ---- */

/* 0 < m < 10^17. Writes MOST_DIGITS characters, of which as many as it returns are the number. */
static size_t put_integer(char *out, uint64_t m)
{
    uint64_t     scaled;
    const size_t n = n_digits(m, &scaled);
    (void)put_digits(out, scaled);
    return n;
}

/* Digits with the point after the first `before` of them, which may lie outside of them. */
static size_t put_plain(char *out, uint64_t scaled, int before)
{
    if (before <= 0) {
        const size_t zeros = 2 + (size_t)-before;
        memcpy(out, "0.0000", 6);
        return zeros + put_digits(out + zeros, scaled);
    }
    const size_t whole = (size_t)before, n = put_digits(out + 1, scaled);
    memmove(out, out + 1, whole); /* zeros follow the digits */
    if (n <= whole) return whole;
    out[whole] = '.';
    return n + 1;
}

static size_t put_scientific(char *out, uint64_t scaled, int exponent)
{
    size_t at = put_digits(out + 1, scaled);
    out[0] = out[1];
    out[1] = '.';
    at += at > 1; /* with the point */
    out[at++] = 'e';
    if (exponent < 0) out[at++] = '-', exponent = -exponent;
    if (exponent >= 100) out[at++] = (char)('0' + exponent / 100);
    if (exponent >= 10) out[at++] = (char)('0' + exponent / 10 % 10);
    out[at++] = (char)('0' + exponent % 10);
    return at;
}

size_t heft_format_double(char out[32], double x)
{
    size_t at = 0;
    if (!isfinite(x) || x == 0) return memcpy(out, "0", 2), 1;
    if (x < 0) out[at++] = '-', x = -x;
    if (x < 9007199254740992.0 && x == (double)(int64_t)x) {
        at += put_integer(out + at, (uint64_t)x);
    } else {
        uint64_t      scaled;
        const decimal d = shortest(x);
        const int     before = d.k + (int)n_digits(d.m, &scaled);
        at += before >= -4 && before <= 16 ? put_plain(out + at, scaled, before)
                                           : put_scientific(out + at, scaled, before - 1);
    }
    out[at] = 0;
    return at;
}
