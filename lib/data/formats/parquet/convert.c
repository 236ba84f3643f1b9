/* convert.c - single values: whole numbers, decimals, short floats, dates and times, as numbers and
 * as the text that other programs write for them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "data/formats/parquet/reader.h"

static void whole_bytes(int64_t raw, uint8_t out[8])
{
    for (size_t k = 0; k < 8; k++) out[k] = (uint8_t)((uint64_t)raw >> (56 - 8 * k));
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
        return heft_decimal_value(bytes, sizeof bytes, c->scale);
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
        heft_number_text(x, out);
    } else if (c->meaning == HEFT_MEANS_DECIMAL) {
        whole_bytes(raw, bytes);
        heft_decimal_text(bytes, sizeof bytes, c->scale, out);
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

static double half_number(const char *p)
{
    return heft_half_value((uint16_t)((uint8_t)p[0] | (unsigned)(uint8_t)p[1] << 8));
}

bool heft_bytes_number(const heft_parquet_column *c, const heft_span *bytes, double *out)
{
    if (bytes->length == 0 || bytes->length > 32) return false;
    if (c->meaning == HEFT_MEANS_HALF) *out = half_number(bytes->text);
    else *out = heft_decimal_value((const uint8_t *)bytes->text, bytes->length, c->scale);
    return true;
}

bool heft_bytes_text(const heft_parquet_column *c, const heft_span *bytes,
                     char out[HEFT_VALUE_TEXT])
{
    if (bytes->length == 0 || bytes->length > 32) return false;
    if (c->meaning == HEFT_MEANS_HALF) heft_number_text(half_number(bytes->text), out);
    else heft_decimal_text((const uint8_t *)bytes->text, bytes->length, c->scale, out);
    return true;
}
