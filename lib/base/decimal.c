/* decimal.c - many short decimal numbers at once: steps on words of 8 bytes without a branch, which
 * compilers turn into vector code. The same as heft_short_decimal, bit by bit. */
#include "base/decimal.h"

#include <string.h>

#include "base/wide.h"

/* All bits where a == b, else none. */
HEFT_INLINE uint64_t where_equal(uint64_t a, uint64_t b)
{
    return ~(uint64_t)0 * (a == b);
}

/* The bits of the double 10^(bytes above the point), of which `point` is the top bit; of 1 where
 * there is none. */
HEFT_INLINE uint64_t power_behind(uint64_t point)
{
    static const uint64_t bits[8] = {0x416312d000000000u, 0x412e848000000000u, 0x40f86a0000000000u,
                                     0x40c3880000000000u, 0x408f400000000000u, 0x4059000000000000u,
                                     0x4024000000000000u, 0x3ff0000000000000u};
    uint64_t              power = where_equal(point, 0) & bits[7];
    for (int k = 0; k < 8; k++) power |= where_equal(point, (uint64_t)0x80 << 8 * k) & bits[k];
    return power;
}

/* As heft_eight_digits, with products that are sums of a few shifted numbers. */
HEFT_INLINE uint64_t eight_digits(uint64_t d)
{
    d = ((d << 3) + (d << 1) + (d >> 8)) & 0x00ff00ff00ff00ffu;
    const uint64_t first = d & 0x000000ff000000ffu;
    d = (first << 6) + (first << 5) + (first << 2) + ((d >> 16) & 0x000000ff000000ffu);
    const uint64_t high = d & 0xffffffffu;
    return (high << 13) + (high << 10) + (high << 9) + (high << 8) + (high << 4) + (d >> 32);
}

HEFT_WIDE static uint64_t read_all(const uint64_t *restrict word, const uint64_t *restrict sign,
                                   size_t n, uint64_t mark, double *restrict out,
                                   uint64_t *restrict odd)
{
    const uint64_t ones = HEFT_EACH_BYTE(1), tops = HEFT_EACH_BYTE(0x80);
    uint64_t       any = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t w = word[i], v = w ^ (ones * mark), hits = (v - ones) & ~v & tops;
        const uint64_t point = hits & (~hits + 1), before = (point >> 7) - 1;
        const uint64_t moved = (w & ~(before << 8 | 0xff)) | (w & before) << 8;
        const uint64_t whole = where_equal(point, 0), d = (w & whole) | (moved & ~whole);
        const uint64_t alone = where_equal(w, mark << 56) & tops; /* a point, no digits or zeros */
        const uint64_t wrong = ((d | (d + HEFT_EACH_BYTE(0x76))) & tops) | alone;
        const uint64_t digits = eight_digits(d) | (uint64_t)0x433 << 52; /* and 2^52 */
        const uint64_t power = power_behind(point);
        double         x, y, p;
        uint64_t       z;
        memcpy(&x, &digits, sizeof x);
        memcpy(&p, &power, sizeof p);
        y = (x - 4503599627370496.0) / p;
        memcpy(&z, &y, sizeof z);
        z |= sign[i];
        memcpy(&out[i], &z, sizeof z);
        odd[i] = wrong;
        any |= wrong;
    }
    return any;
}

bool heft_short_decimals(const uint64_t *word, const uint64_t *sign, size_t n, char mark,
                         double *out, uint64_t *odd)
{
    const uint64_t any = read_all(word, sign, n, (uint64_t)(unsigned char)(mark ^ '0'), out, odd);
    for (size_t i = 0; FLT_EVAL_METHOD != 0 && i < n; i++) odd[i] = 1;
    return any || FLT_EVAL_METHOD != 0;
}
