/* digits.h - whole numbers to digits, sixteen at a time, without a branch or a table.
 *
 * Two numbers of eight digits each become four numbers of four digits, eight of two and sixteen of
 * one, side by side. All versions write the same. */
#pragma once

#include <string.h>

#include "base/decimal.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

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
static inline size_t heft_put_sixteen_plain(char *out, uint64_t first, uint64_t last)
{
    const uint64_t left = heft_digits_of(first), right = heft_digits_of(last);
    heft_put_eight(out, left);
    heft_put_eight(out + 8, right);
    if (right) return 16 - (size_t)__builtin_clzll(right) / 8;
    return left ? 8 - (size_t)__builtin_clzll(left) / 8 : 0;
}

#ifdef __SSE2__
static inline size_t heft_put_sixteen(char *out, uint64_t first, uint64_t last)
{
    const __m128i  m = _mm_set_epi64x((long long)last, (long long)first);
    const __m128i  q = _mm_srli_epi64(_mm_mul_epu32(m, _mm_set1_epi64x(109951163)), 40);
    const __m128i  r = _mm_sub_epi64(m, _mm_mul_epu32(q, _mm_set1_epi64x(10000)));
    const __m128i  fours = _mm_or_si128(q, _mm_slli_epi64(r, 32));
    const __m128i  hundreds = _mm_srli_epi16(_mm_mulhi_epu16(fours, _mm_set1_epi32(10486)), 4);
    const __m128i  rest = _mm_sub_epi16(fours, _mm_mullo_epi16(hundreds, _mm_set1_epi16(100)));
    const __m128i  twos = _mm_or_si128(hundreds, _mm_slli_epi32(rest, 16));
    const __m128i  tens = _mm_srli_epi16(_mm_mullo_epi16(twos, _mm_set1_epi16(103)), 10);
    const __m128i  ones = _mm_sub_epi16(twos, _mm_mullo_epi16(tens, _mm_set1_epi16(10)));
    const __m128i  digits = _mm_or_si128(tens, _mm_slli_epi16(ones, 8));
    const __m128i  zeros = _mm_cmpeq_epi8(digits, _mm_setzero_si128());
    const unsigned others = ~(unsigned)_mm_movemask_epi8(zeros) & 0xffff;
    _mm_storeu_si128((__m128i *)(void *)out, _mm_add_epi8(digits, _mm_set1_epi8('0')));
    return 31 - (size_t)__builtin_clz(others << 1 | 1);
}
#else
static inline size_t heft_put_sixteen(char *out, uint64_t first, uint64_t last)
{
    return heft_put_sixteen_plain(out, first, last);
}
#endif
