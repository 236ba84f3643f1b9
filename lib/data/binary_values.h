/* binary_values.h - values as binary formats store them: decimals, short floats, varints, and the
 * text that a file would have for a number. Private to data/. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HEFT_VALUE_TEXT = 96 }; /* bytes that the text of a number or date takes, the 0 included */

/* A floating-point number of two bytes. */
double heft_half_value(uint16_t bits);
/* A whole number of n (1 to 32) bytes in two's complement, the highest byte first, divided by ten
 * to the power of `scale`: -12345 with the scale 2 is -123.45. Rounded to the nearest double,
 * infinite where none is large enough. */
double heft_decimal_value(const uint8_t *bytes, size_t n, int scale);
/* Write the decimal number as text, for a scale of 0 to 76. */
void heft_decimal_text(const uint8_t *bytes, size_t n, int scale, char out[HEFT_VALUE_TEXT]);
/* The shortest text of a number, "inf" or "-inf", empty for NaN; returns its length. At least 8
 * bytes of `out` are written. */
size_t heft_number_text(double x, char out[32]);

/* A whole number of up to 64 bits, 7 in a byte, the lowest first; *at moves behind it. False: there
 * is none. */
static inline bool heft_take_varint(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        const uint64_t byte = *(*at)++;
        *out |= (byte & 127) << shift;
        if (byte < 128) return true;
    }
    return false;
}

/* Signed numbers are stored as 0, -1, 1, -2, ... */
static inline int64_t heft_unzigzag(uint64_t x)
{
    return (int64_t)((x >> 1) ^ (~(x & 1) + 1));
}
