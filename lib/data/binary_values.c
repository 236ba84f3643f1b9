/* binary_values.c - decimals and short floats as binary formats store them. */
#include "data/binary_values.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/text.h"

double heft_half_value(uint16_t bits)
{
    const int    exponent = bits >> 10 & 31;
    const double fraction = bits & 1023;
    const double x = exponent == 31  ? (fraction > 0 ? NAN : INFINITY)
                     : exponent == 0 ? ldexp(fraction, -24)
                                     : ldexp(fraction + 1024, exponent - 25);
    return bits >> 15 ? -x : x;
}

/* The digits of the number without its sign, the lowest first; at least `least` of them. */
static size_t take_digits(const uint8_t *bytes, size_t n, size_t least,
                          char digits[HEFT_VALUE_TEXT])
{
    enum { MOST = 32 };
    const bool negative = bytes[0] >= 128;
    uint8_t    x[MOST];
    size_t     n_digits = 0;
    unsigned   carry = negative;
    for (size_t k = MOST; k-- > 0;) {
        const size_t  from = k + n;
        const uint8_t byte = from >= MOST ? bytes[from - MOST] : negative ? 255 : 0;
        carry += negative ? 255u - byte : byte;
        x[k] = (uint8_t)carry;
        carry >>= 8;
    }
    for (size_t from = 0; from < MOST || n_digits < least;) {
        unsigned rest = 0;
        for (size_t k = from; k < MOST; k++) {
            rest = rest << 8 | x[k];
            x[k] = (uint8_t)(rest / 10);
            rest %= 10;
        }
        digits[n_digits++] = (char)('0' + rest);
        while (from < MOST && x[from] == 0) from++;
    }
    return n_digits;
}

void heft_decimal_text(const uint8_t *bytes, size_t n, int scale, char out[HEFT_VALUE_TEXT])
{
    char   digits[HEFT_VALUE_TEXT];
    size_t n_digits = take_digits(bytes, n, (size_t)scale + 1, digits), at = 0;
    if (bytes[0] >= 128) out[at++] = '-';
    while (n_digits > 0) {
        if (n_digits == (size_t)scale) out[at++] = '.';
        out[at++] = digits[--n_digits];
    }
    out[at] = 0;
}

double heft_decimal_value(const uint8_t *bytes, size_t n, int scale)
{
    const int64_t exact = (int64_t)1 << 53;
    char          text[HEFT_VALUE_TEXT];
    double        x = NAN;
    while (n > 8 && bytes[0] == (bytes[1] >= 128 ? 255 : 0))
        bytes++, n--; /* leave out bytes that only repeat the sign */
    uint64_t low = bytes[0] >= 128 ? ~(uint64_t)0 : 0;
    for (size_t k = 0; k < n; k++) low = low << 8 | bytes[k];
    const int64_t whole = (int64_t)low;
    /* both numbers are exact then, and their quotient is rounded once */
    if (FLT_EVAL_METHOD == 0 && n <= 8 && whole <= exact && whole >= -exact && scale >= 0 &&
        scale <= 22)
        return (double)whole / heft_powers_of_ten[scale];
    heft_decimal_text(bytes, n, 0, text);
    const size_t length = strlen(text);
    const int    more = snprintf(text + length, sizeof text - length, "e%d", -scale);
    if (heft_parse_double(text, text + length + (size_t)more, &x) == HEFT_NUM_OVERFLOW)
        x = INFINITY;
    return x;
}

size_t heft_number_text(double x, char out[32])
{
    memset(out, 0, 32);
    if (isfinite(x)) return heft_format_double(out, x);
    if (!isnan(x)) memcpy(out, x < 0 ? "-inf" : "inf", 4);
    return strlen(out);
}
