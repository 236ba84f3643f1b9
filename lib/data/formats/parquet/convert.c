/* convert.c - single values: whole numbers, decimals, short floats, dates and times, as numbers and
 * as the text that other programs write for them. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/formats/parquet/reader.h"

/* ---- decimals ---- */

/* The digits of a whole number of up to 32 bytes, the highest first, in two's complement, with a
 * point before the last `scale`. */
static void decimal_text(const uint8_t *bytes, size_t n, unsigned scale, char out[HEFT_VALUE_TEXT])
{
    enum { MOST = 32 };
    const bool negative = bytes[0] >= 128;
    uint8_t    x[MOST];                 /* the number without its sign */
    char       digits[HEFT_VALUE_TEXT]; /* the lowest first */
    size_t     n_digits = 0, at = 0;
    unsigned   carry = negative;
    for (size_t k = MOST; k-- > 0;) {
        const size_t  from = k + n;
        const uint8_t byte = from >= MOST ? bytes[from - MOST] : negative ? 255 : 0;
        carry += negative ? 255u - byte : byte;
        x[k] = (uint8_t)carry;
        carry >>= 8;
    }
    for (size_t from = 0; from < MOST || n_digits <= scale;) {
        unsigned rest = 0;
        for (size_t k = from; k < MOST; k++) {
            rest = rest << 8 | x[k];
            x[k] = (uint8_t)(rest / 10);
            rest %= 10;
        }
        digits[n_digits++] = (char)('0' + rest);
        while (from < MOST && x[from] == 0) from++;
    }
    if (negative) out[at++] = '-';
    while (n_digits > 0) {
        if (n_digits == scale) out[at++] = '.';
        out[at++] = digits[--n_digits];
    }
    out[at] = 0;
}

/* -12345 with the scale 2 is -123.45, to the nearest double. */
static double decimal_number(const uint8_t *bytes, size_t n, unsigned scale)
{
    char     text[HEFT_VALUE_TEXT];
    uint64_t low = bytes[0] >= 128 ? ~(uint64_t)0 : 0;
    double   x = 0;
    for (size_t k = 0; k < n; k++) low = low << 8 | bytes[k];
    const int64_t whole = (int64_t)low, exact = (int64_t)1 << 53;
    if (FLT_EVAL_METHOD == 0 && n <= 8 && whole <= exact && whole >= -exact && scale <= 22)
        return (double)whole / heft_powers_of_ten[scale];
    decimal_text(bytes, n, scale, text);
    (void)heft_parse_double(text, text + strlen(text), &x);
    return x;
}

static void whole_bytes(int64_t raw, uint8_t out[8])
{
    for (size_t k = 0; k < 8; k++) out[k] = (uint8_t)((uint64_t)raw >> (56 - 8 * k));
}

/* ---- short floats ---- */

static double half_number(const char *p)
{
    const unsigned bits = (unsigned)(uint8_t)p[0] | (unsigned)(uint8_t)p[1] << 8;
    const int      exponent = (int)(bits >> 10 & 31);
    const double   fraction = bits & 1023;
    const double   x = exponent == 31  ? (fraction > 0 ? NAN : INFINITY)
                       : exponent == 0 ? ldexp(fraction, -24)
                                       : ldexp(fraction + 1024, exponent - 25);
    return bits >> 15 ? -x : x;
}

/* ---- dates ---- */

/* The date of a day since 1970-01-01, in the Gregorian calendar. */
static size_t date_text(int64_t day, char *out, size_t size)
{
    /* years begin with March here, and eras of 400 years with year 0 */
    const int64_t  shifted = day + 719468;
    const int64_t  era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    const unsigned of_era = (unsigned)(shifted - era * 146097);
    const unsigned year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const unsigned of_year = of_era - (365 * year + year / 4 - year / 100);
    const unsigned place = (5 * of_year + 2) / 153, month = place < 10 ? place + 3 : place - 9;
    const unsigned of_month = of_year - (153 * place + 2) / 5 + 1;
    const int64_t  full = era * 400 + year + (month <= 2);
    return (size_t)snprintf(out, size, "%04" PRId64 "-%02u-%02u", full, month, of_month);
}

static void stamp_text(int64_t raw, heft_parquet_meaning unit, char out[HEFT_VALUE_TEXT])
{
    const int64_t second = unit == HEFT_MEANS_MILLISECONDS   ? 1000
                           : unit == HEFT_MEANS_MICROSECONDS ? 1000000
                                                             : 1000000000;
    const int     places = second == 1000 ? 3 : second == 1000000 ? 6 : 9;
    const int64_t part = (raw % second + second) % second;
    const int64_t seconds = raw / second - (raw % second < 0);
    const int64_t of_day = (seconds % 86400 + 86400) % 86400;
    size_t        at = date_text((seconds - of_day) / 86400, out, HEFT_VALUE_TEXT);
    at += (size_t)snprintf(out + at, HEFT_VALUE_TEXT - at, " %02d:%02d:%02d", (int)(of_day / 3600),
                           (int)(of_day / 60 % 60), (int)(of_day % 60));
    if (part) snprintf(out + at, HEFT_VALUE_TEXT - at, ".%0*" PRId64, places, part);
}

/* ---- all ---- */

double heft_raw_number(const heft_parquet_column *c, int64_t raw)
{
    uint8_t bytes[8];
    double  x;
    memcpy(&x, &raw, sizeof x);
    if (c->type == HEFT_PARQUET_FLOAT || c->type == HEFT_PARQUET_DOUBLE) return x;
    if (c->meaning == HEFT_MEANS_DECIMAL) {
        whole_bytes(raw, bytes);
        return decimal_number(bytes, sizeof bytes, c->scale);
    }
    if (c->meaning != HEFT_MEANS_UNSIGNED) return (double)raw;
    return c->type == HEFT_PARQUET_INT32 ? (double)(uint32_t)raw : (double)(uint64_t)raw;
}

size_t heft_raw_text(const heft_parquet_column *c, int64_t raw, char out[HEFT_VALUE_TEXT])
{
    uint8_t bytes[8];
    double  x;
    out[0] = 0;
    if (c->type == HEFT_PARQUET_FLOAT || c->type == HEFT_PARQUET_DOUBLE) {
        memcpy(&x, &raw, sizeof x);
        if (isfinite(x)) heft_format_double(out, x);
        else if (!isnan(x)) snprintf(out, HEFT_VALUE_TEXT, "%s", x < 0 ? "-inf" : "inf");
    } else if (c->meaning == HEFT_MEANS_DECIMAL) {
        whole_bytes(raw, bytes);
        decimal_text(bytes, sizeof bytes, c->scale, out);
    } else if (c->meaning == HEFT_MEANS_DATE) {
        date_text(raw, out, HEFT_VALUE_TEXT);
    } else if (c->meaning >= HEFT_MEANS_MILLISECONDS) {
        stamp_text(raw, c->meaning, out);
    } else if (c->meaning == HEFT_MEANS_UNSIGNED) {
        snprintf(out, HEFT_VALUE_TEXT, "%" PRIu64,
                 c->type == HEFT_PARQUET_INT32 ? (uint64_t)(uint32_t)raw : (uint64_t)raw);
    } else {
        snprintf(out, HEFT_VALUE_TEXT, "%" PRId64, raw);
    }
    return strlen(out);
}

bool heft_bytes_number(const heft_parquet_column *c, const heft_span *bytes, double *out)
{
    if (bytes->length == 0 || bytes->length > 32) return false;
    if (c->meaning == HEFT_MEANS_HALF) *out = half_number(bytes->text);
    else *out = decimal_number((const uint8_t *)bytes->text, bytes->length, c->scale);
    return true;
}

bool heft_bytes_text(const heft_parquet_column *c, const heft_span *bytes,
                     char out[HEFT_VALUE_TEXT])
{
    int64_t raw;
    double  x;
    if (bytes->length == 0 || bytes->length > 32) return false;
    if (c->meaning == HEFT_MEANS_HALF) {
        x = half_number(bytes->text);
        memcpy(&raw, &x, sizeof x);
        heft_raw_text(&(heft_parquet_column){.type = HEFT_PARQUET_DOUBLE}, raw, out);
    } else decimal_text((const uint8_t *)bytes->text, bytes->length, c->scale, out);
    return true;
}
