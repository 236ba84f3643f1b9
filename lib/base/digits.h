/* digits.h - whole numbers to digits, sixteen at a time, without a branch or a table.
 *
 * Two numbers of eight digits each become four numbers of four digits, eight of two and sixteen of
 * one, side by side. */
#pragma once

#include <string.h>

#include "base/decimal.h"

/* The eight digits of m < 10^8, the first in the lowest place. */
static inline uint64_t heft_digits_of(uint64_t m)
{
    const uint64_t fours = m / 10000 | (m % 10000) << 32;
    const uint64_t hundreds = ((fours * 10486) >> 20) & 0x0000007f0000007fu;
    const uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
    const uint64_t tens = ((twos * 103) >> 10) & 0x000f000f000f000fu;
    return tens | (twos - 10 * tens) << 8;
}

static inline void heft_put_eight(char *out, uint64_t digits)
{
    uint64_t text = digits + HEFT_EACH_BYTE('0');
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    text = __builtin_bswap64(text);
#endif
    memcpy(out, &text, sizeof text);
}

/* Writes sixteen digits: eight of `first`, eight of `last`, both below 10^8. Returns how many there
 * are without the zeros at the end. */
static inline size_t heft_put_sixteen(char *out, uint64_t first, uint64_t last)
{
    const uint64_t left = heft_digits_of(first), right = heft_digits_of(last);
    heft_put_eight(out, left);
    heft_put_eight(out + 8, right);
    if (right) return 16 - (size_t)__builtin_clzll(right) / 8;
    return left ? 8 - (size_t)__builtin_clzll(left) / 8 : 0;
}
