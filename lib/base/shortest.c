/* shortest.c - a double as the shortest decimal text that reads back.
 *
 * The algorithm is Schubfach (R. Giulietti, "The Schubfach way to render doubles", 2020). A double
 * c * 2^q is the one nearest to every number of its rounding interval. With 10^k the greatest power
 * of ten that is at most as long as the interval, the interval holds a multiple of 10^k, and at
 * most one multiple of 10^(k+1). The latter, if there is one, is the shortest text; else the
 * multiple of 10^k that is nearest to the double. Three products with one 128-bit power of ten
 * tell: they keep whether they were exact in their last bit (rounding to odd), and that is enough
 * for comparisons with whole numbers. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/text.h"

__extension__ typedef unsigned __int128 wide;

/* ---- powers of ten ---- */

enum { STEP = 27, LOWEST = -11 * STEP };

/* clang-format off */
/* 10^(27 q) for q = -11..12 in 192 bits with the top bit set, cut off. */
static const uint64_t coarse_power[][3] = {
    {0xa76c582338ed2621u, 0xaf2af2b80af6f24eu, 0x657c8f4d43323a36u},
    {0x873e4f75e2224e68u, 0x5a7744a6e804a291u, 0xcc35eddfcf0996d7u},
    {0xda7f5bf590966848u, 0xaf39a475506a899eu, 0xa30294cc2934e662u},
    {0xb080392cc4349decu, 0xbd8d794d96aacfb3u, 0xfe13a5c86af64418u},
    {0x8e938662882af53eu, 0x547eb47b7282ee9cu, 0x41b0230e1421487du},
    {0xe65829b3046b0afau, 0x0cb4a5a3112a5112u, 0xa3b561b1cb208396u},
    {0xba121a4650e4ddebu, 0x92f34d62616ce413u, 0x21a0183e10583cd3u},
    {0x964e858c91ba2655u, 0x3a6a07f8d510f86fu, 0xe9082f25e9c5e9ecu},
    {0xf2d56790ab41c2a2u, 0xfae27299423fb9c3u, 0x3695dad7e8858901u},
    {0xc428d05aa4751e4cu, 0xaa97e14c3c26b886u, 0x96842dc95323f5a8u},
    {0x9e74d1b791e07e48u, 0x775ea264cf55347du, 0xca49f1c05120c9c7u},
    {0x8000000000000000u, 0x0000000000000000u, 0x0000000000000000u},
    {0xcecb8f27f4200f3au, 0x0000000000000000u, 0x0000000000000000u},
    {0xa70c3c40a64e6c51u, 0x999090b65f67d924u, 0x0000000000000000u},
    {0x86f0ac99b4e8dafdu, 0x69a028bb3ded71a3u, 0xdf9f915627c04e28u},
    {0xda01ee641a708de9u, 0xe80e6f4820cc9495u, 0xd74baad03bc1d8d3u},
    {0xb01ae745b101e9e4u, 0x5ec05dcff72e7f8fu, 0xc04c79ffe324301fu},
    {0x8e41ade9fbebc27du, 0x14588f13be847307u, 0x23bd6a2059c002f5u},
    {0xe5d3ef282a242e81u, 0x8f1668c8a86da5fau, 0xf0b5ccf5176ecc7cu},
    {0xb9a74a0637ce2ee1u, 0x6d953e2bd7173692u, 0x88efb0037ac08bdeu},
    {0x95f83d0a1fb69cd9u, 0x4abdaf101564f98eu, 0x0d5a4af7b3a98e47u},
    {0xf24a01a73cf2dccfu, 0xbc633b39673c8cecu, 0x3d9c44cd2f36917cu},
    {0xc3b8358109e84f07u, 0x0a862f80ec4700c8u, 0x02606ea01029dc37u},
    {0x9e19db92b4e31ba9u, 0x6c07a2c26a8346d1u, 0x4944d9f52cd0dec2u},
};

/* 5^r: 10^r without its power of two. */
static const uint64_t fine_power[STEP] = {
    1u, 5u, 25u, 125u, 625u, 3125u, 15625u, 78125u, 390625u, 1953125u, 9765625u, 48828125u,
    244140625u, 1220703125u, 6103515625u, 30517578125u, 152587890625u, 762939453125u,
    3814697265625u, 19073486328125u, 95367431640625u, 476837158203125u, 2384185791015625u,
    11920928955078125u, 59604644775390625u, 298023223876953125u, 1490116119384765625u,
};

static const char pairs[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
    "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
/* clang-format on */

/* floor(log2(10^k)), for |k| <= 350. */
static int power_log2(int k)
{
    return (int)(((long)k * 217706) >> 16);
}

/* The top 128 bits of 10^k, cut off, plus 1. The 192 bits of the coarse power are enough for all
 * k from LOWEST to 324: a test compares with exact powers. */
static wide power_above(int k)
{
    const int       q = (k - LOWEST) / STEP, r = (k - LOWEST) % STEP;
    const uint64_t  fine = fine_power[r] << __builtin_clzll(fine_power[r]);
    const uint64_t *coarse = coarse_power[q];
    const wide      low = ((wide)coarse[1] * fine) + (uint64_t)(((wide)coarse[2] * fine) >> 64);
    const wide      high = (wide)coarse[0] * fine + (uint64_t)(low >> 64);
    const bool      short_by_one = !(uint64_t)(high >> 127);
    return (short_by_one ? high << 1 | ((uint64_t)low >> 63) : high) + 1;
}

/* power * x / 2^128, rounded to odd: cut off, and the last bit set where something was cut off. A
 * remainder of 1 in the upper part comes from the 1 in power_above, and counts as exact. */
static uint64_t round_to_odd(wide power, uint64_t x)
{
    const wide product = (power >> 64) * x + (uint64_t)(((wide)(uint64_t)power * x) >> 64);
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
    const int      k = (int)(((int64_t)q * 1262611 - (near_below ? 524031 : 0)) >> 22);
    const int      shift = q + power_log2(-k) + 1;
    const wide     power = power_above(-k);
    const uint64_t odd = c & 1; /* the ends of the interval belong to it where c is even */
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
