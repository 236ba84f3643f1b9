/* decimal.h - reads short decimal numbers, whose first and last character are known, 8 characters
 * at a time and without a branch per character. */
#pragma once

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/powers.h"

/* Loads 8 bytes from p on; the first becomes the lowest byte of the result. */
static inline uint64_t heft_load8(const char *p)
{
    uint64_t word;
    __builtin_memcpy(&word, p, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Loads 4 bytes from p on; the first becomes the lowest byte of the result. */
static inline uint32_t heft_load4(const char *p)
{
    uint32_t word;
    __builtin_memcpy(&word, p, 4);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    return word;
}

#define HEFT_EACH_BYTE(c) (0x0101010101010101u * (uint64_t)(unsigned char)(c))

/* Finds the lowest byte that equals c: the result has only the top bit of that byte set, or is 0 if
 * there is none. */
static inline uint64_t heft_first_byte(uint64_t word, char c)
{
    const uint64_t x = word ^ HEFT_EACH_BYTE(c);
    const uint64_t hits = (x - HEFT_EACH_BYTE(1)) & ~x & HEFT_EACH_BYTE(0x80);
    return hits & (~hits + 1);
}

/* The number whose eight digits are the bytes of d (0 to 9), the lowest byte being the first digit.
 */
static inline uint64_t heft_eight_digits(uint64_t d)
{
    d = d * 10 + (d >> 8); /* pairs, in every other byte */
    return (((d & 0x000000ff000000ffu) * 0x000f424000000064u) +
            (((d >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u)) >>
           32;
}

static inline bool heft_are_digits(uint64_t d)
{
    return ((d | (d + HEFT_EACH_BYTE(0x76))) & HEFT_EACH_BYTE(0x80)) == 0;
}

/* [s, end) is [-]digits[.digits] with `mark` as the point, at most 16 characters behind the sign,
 * and a double holds its digits exactly: then *out is the number, correctly rounded. False: it may
 * be a number all the same (heft_parse_double). Reads 8 bytes from s on and behind the sign. */
static inline bool heft_short_decimal(const char *s, const char *end, char mark, double *out)
{
    const bool negative = *s == '-';
    s += negative;
    const size_t n = (size_t)(end - s);
    uint64_t     low = heft_load8(s) ^ HEFT_EACH_BYTE('0'), high = 0, after = 0;
    if (FLT_EVAL_METHOD != 0 || n - 1 >= 16) return false;
    /* the digits end with the highest byte of `low`, those before it of `high` */
    if (n <= 8) {
        low <<= 64 - 8 * n;
    } else {
        high = low << (128 - 8 * n);
        low = heft_load8(end - 8) ^ HEFT_EACH_BYTE('0');
    }
    uint64_t point = heft_first_byte(low, mark ^ '0');
    if (point) { /* the bytes before the point move one byte up */
        const uint64_t before = (point >> 7) - 1;
        after = 7 - ((uint64_t)__builtin_ctzll(point) >> 3);
        low = (low & ~(before << 8 | 0xff)) | (low & before) << 8 | high >> 56;
        high <<= 8;
    } else if (n > 8 && (point = heft_first_byte(high, mark ^ '0'))) {
        const uint64_t before = (point >> 7) - 1;
        after = 15 - ((uint64_t)__builtin_ctzll(point) >> 3);
        high = (high & ~(before << 8 | 0xff)) | (high & before) << 8;
    }
    if (!heft_are_digits(low) || !heft_are_digits(high) || (n == 1 && point)) return false;
    const uint64_t m = heft_eight_digits(low) + 100000000 * heft_eight_digits(high);
    if (m > (uint64_t)1 << 53) return false;
    const double x = (double)(int64_t)m / heft_powers_of_ten[after];
    *out = negative ? -x : x;
    return true;
}

enum { HEFT_DECIMALS = 256 };

typedef struct heft_decimals { /* the texts of n numbers */
    size_t   n;
    uint64_t tail[HEFT_DECIMALS]; /* last 8 bytes of each text; the last one is the highest byte */
    uint64_t length[HEFT_DECIMALS];
    uint64_t first[HEFT_DECIMALS]; /* first character of each text */
} heft_decimals;

/* Stores [s, end) as text i. Reads the 8 bytes before `end`, and the byte at s. */
static inline void heft_decimals_put(heft_decimals *d, size_t i, const char *s, const char *end)
{
    d->tail[i] = heft_load8(end - 8);
    d->length[i] = (uint64_t)(end - s);
    d->first[i] = (unsigned char)*s;
}

/* Reads all numbers that have at most 8 characters after the sign, with vector instructions and the
 * results of heft_short_decimal. If odd[i] is not 0 afterwards, number i must be read by other
 * means and out[i] is undefined. Returns whether there is such a number. */
bool heft_short_decimals(const heft_decimals *d, char mark, double *out, uint64_t *odd);
