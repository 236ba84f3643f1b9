/* shortest.c - a double as the shortest decimal text that reads back.
 *
 * The algorithm is Schubfach (R. Giulietti, "The Schubfach way to render doubles", 2020). A double
 * c * 2^q is the one nearest to every number of its rounding interval. With 10^k the greatest power
 * of ten that is at most as long as the interval, the interval holds a multiple of 10^k, and at
 * most one multiple of 10^(k+1). The latter, if there is one, is the shortest text; else the
 * multiple of 10^k that is nearest to the double. Three products with one 128-bit power of ten
 * tell: they keep whether they were exact in their last bit (rounding to odd), and that is enough
 * for comparisons with whole numbers. */
#include <math.h>
#include <string.h>

#include "base/powers.h"
#include "base/text.h"

/* clang-format off */
static const char pairs[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
    "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
/* clang-format on */

/* power * x / 2^128, rounded to odd: cut off, and the last bit set where something was cut off. A
 * remainder of 1 in the upper part comes from the 1 that the power has too much, and counts as
 * exact. */
static uint64_t round_to_odd(heft_wide power, uint64_t x)
{
    const heft_wide product =
        (power >> 64) * x + (uint64_t)(((heft_wide)(uint64_t)power * x) >> 64);
    return (uint64_t)(product >> 64) | ((uint64_t)product > 1);
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
    const uint64_t at = round_to_odd(power, (4 * c) << shift);
    const uint64_t low = round_to_odd(power, (4 * c - 2 + near_below) << shift) + odd;
    const uint64_t high = round_to_odd(power, (4 * c + 2) << shift) - odd;
    const uint64_t s = at / 4;
    if (s >= 10) {
        const uint64_t tens = s / 10;
        const bool     below = low <= 40 * tens, above = 40 * tens + 40 <= high;
        if (below != above) return (decimal){tens + above, k + 1};
    }
    const bool below = low <= 4 * s, above = 4 * s + 4 <= high;
    if (below != above) return (decimal){s + above, k};
    const uint64_t middle = 4 * s + 2;
    return (decimal){s + (at > middle || (at == middle && (s & 1))), k};
}

/* `n` digits of m < 10^n at out. */
static void put_digits(char *out, uint64_t m, size_t n)
{
    for (; n >= 2; n -= 2, m /= 100) memcpy(out + n - 2, pairs + 2 * (m % 100), 2);
    if (n) out[0] = (char)('0' + m);
}

/* How many digits m > 0 has; m < 10^19. */
static size_t n_digits(uint64_t m)
{
    static const uint64_t power[] = {
        0,
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
        100000000000000000u,
        1000000000000000000u,
    };
    const size_t guess = (size_t)(64 - __builtin_clzll(m)) * 1233 >> 12; /* log10(2) */
    return guess + (m >= power[guess]);
}

/* m < 10^17. */
static size_t put_integer(char *out, uint64_t m)
{
    const size_t n = m ? n_digits(m) : 1;
    if (n > 8) {
        put_digits(out, m / 100000000, n - 8);
        put_digits(out + n - 8, m % 100000000, 8);
    } else {
        put_digits(out, m, n);
    }
    return n;
}

/* ---- text ---- */

/* n digits with the point after the first `before` of them; before may lie outside 1..n. */
static size_t put_plain(char *out, const char *digits, size_t n, int before)
{
    const size_t whole = before > 0 ? (size_t)before : 0;
    if (before <= 0) {
        const size_t zeros = 2 + (size_t)-before;
        memcpy(out, "0.0000", 6);
        memcpy(out + zeros, digits, n);
        return zeros + n;
    }
    memcpy(out, digits, n < whole ? n : whole);
    if (n <= whole) {
        memset(out + n, '0', whole - n);
        return whole;
    }
    out[whole] = '.';
    memcpy(out + whole + 1, digits + whole, n - whole);
    return n + 1;
}

static size_t put_scientific(char *out, const char *digits, size_t n, int exponent)
{
    size_t at = 0;
    out[at++] = digits[0];
    if (n > 1) {
        out[at++] = '.';
        memcpy(out + at, digits + 1, n - 1);
        at += n - 1;
    }
    out[at++] = 'e';
    if (exponent < 0) out[at++] = '-', exponent = -exponent;
    return at + put_integer(out + at, (uint64_t)exponent);
}

size_t heft_format_double(char out[32], double x)
{
    size_t at = 0;
    if (!isfinite(x) || x == 0) return memcpy(out, "0", 2), 1;
    if (x < 0) out[at++] = '-', x = -x;
    if (x < 9007199254740992.0 && x == (double)(uint64_t)x) {
        at += put_integer(out + at, (uint64_t)x);
    } else {
        char          digits[24] = {0};
        const decimal d = shortest(x);
        size_t        n = put_integer(digits, d.m);
        const int     before = d.k + (int)n;
        while (n > 1 && digits[n - 1] == '0') n--;
        at += before >= -4 && before <= 16 ? put_plain(out + at, digits, n, before)
                                           : put_scientific(out + at, digits, n, before - 1);
    }
    out[at] = 0;
    return at;
}
