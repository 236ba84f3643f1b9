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

/* 10^(bytes above the point), of which `point` is the top bit; 1 where there is none. */
HEFT_INLINE double power_behind(uint64_t point)
{
    const double p1 = point & 0x0080008000800080u ? 10 : 1;
    const double p2 = point & 0x0000808000008080u ? 100 : 1;
    const double p4 = point & 0x0000000080808080u ? 10000 : 1;
    return p1 * p2 * p4;
}

/* A whole number below 2^52 as a double. */
HEFT_INLINE double to_double(uint64_t x)
{
    double y;
    x |= (uint64_t)0x433 << 52; /* the bits of 2^52 */
    memcpy(&y, &x, sizeof y);
    return y - 4503599627370496.0;
}

/* Does what heft_eight_digits does with vector instructions, which have no products of 8-byte
 * words: it uses sums of shifted words. */
HEFT_INLINE double eight_digits(uint64_t d)
{
    d = ((d << 3) + (d << 1) + (d >> 8)) & 0x00ff00ff00ff00ffu;
    const uint64_t first = d & 0x000000ff000000ffu;
    d = (first << 6) + (first << 5) + (first << 2) + ((d >> 16) & 0x000000ff000000ffu);
    return to_double(d & 0xffffffffu) * 10000 + to_double(d >> 32);
}

HEFT_WIDE static uint64_t read_all(const heft_decimals *restrict from, uint64_t mark,
                                   double *restrict out, uint64_t *restrict odd)
{
    const uint64_t ones = HEFT_EACH_BYTE(1), tops = HEFT_EACH_BYTE(0x80);
    uint64_t       any = 0;
    for (size_t i = 0; i < from->n; i++) {
        const uint64_t negative = where_equal(from->first[i], '-');
        const uint64_t length = from->length[i] + negative, others = (64 - 8 * length) & 63;
        const uint64_t w = (from->tail[i] ^ HEFT_EACH_BYTE('0')) >> others << others;
        const uint64_t v = w ^ (ones * mark), hits = (v - ones) & ~v & tops;
        const uint64_t point = hits & (~hits + 1), before = (point >> 7) - 1;
        const uint64_t moved = (w & ~(before << 8 | 0xff)) | (w & before) << 8;
        const uint64_t whole = where_equal(point, 0), d = (w & whole) | (moved & ~whole);
        const uint64_t alone = where_equal(w, mark << 56) & tops; /* a point, no digits or zeros */
        const uint64_t longer = ~(uint64_t)0 * (length - 1 > 7);  /* or none */
        const uint64_t wrong = ((d | (d + HEFT_EACH_BYTE(0x76))) & tops) | alone | longer;
        const double   x = eight_digits(d) / power_behind(point);
        out[i] = negative ? -x : x;
        odd[i] = wrong;
        any |= wrong;
    }
    return any;
}

bool heft_short_decimals(const heft_decimals *d, char mark, double *out, uint64_t *odd)
{
    const uint64_t any = read_all(d, (uint64_t)(unsigned char)(mark ^ '0'), out, odd);
    if (FLT_EVAL_METHOD != 0)
        for (size_t i = 0; i < d->n; i++) odd[i] = 1;
    return any || FLT_EVAL_METHOD != 0;
}
