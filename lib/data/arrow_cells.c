/* arrow_cells.c - the elements of Arrow arrays as numbers and codes. Buffers need not be aligned:
 * elements are copied out. Numbers are those that the same cells would give as text in a file. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/arrow.h"

/* ---- numbers ---- */

static double half_value(uint16_t h)
{
    const int    exponent = h >> 10 & 31, fraction = h & 1023;
    const double x = exponent == 31  ? (fraction ? NAN : INFINITY)
                     : exponent == 0 ? ldexp(fraction, -24)
                                     : ldexp(1024 + fraction, exponent - 25);
    return h >> 15 ? -x : x;
}

/* The text of a decimal of 4, 8 or 16 bytes in out[64]: its digits, and where the point is. */
static size_t decimal_text(const unsigned char *p, heft_arrow_type type, char out[64])
{
    uint32_t limb[4]; /* the lowest first */
    char     digits[48];
    size_t   n = 0, at = 0;
    memcpy(limb, p, type.width);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (unsigned a = 0, b = type.width / 4 - 1; a < b; a++, b--) {
        const uint32_t t = limb[a];
        limb[a] = limb[b], limb[b] = t;
    }
#endif
    const bool negative = limb[type.width / 4 - 1] >> 31;
    for (unsigned k = type.width / 4; k < 4; k++) limb[k] = negative ? UINT32_MAX : 0;
    uint64_t carry = negative;
    for (unsigned k = 0; k < 4; k++) {
        carry += negative ? ~limb[k] : limb[k];
        limb[k] = (uint32_t)carry;
        carry >>= 32;
    }
    for (bool more = true; more;) { /* divided by ten, until nothing is left */
        uint64_t rest = 0;
        more = false;
        for (unsigned k = 4; k-- > 0;) {
            rest = rest << 32 | limb[k];
            limb[k] = (uint32_t)(rest / 10);
            rest %= 10;
            more = more || limb[k];
        }
        digits[n++] = (char)('0' + rest);
    }
    if (negative) out[at++] = '-';
    while (n) out[at++] = digits[--n];
    return at + (size_t)snprintf(out + at, 64 - at, "e%d", -type.digits);
}

/* A decimal that fits 8 bytes; false: it does not. */
static bool small_decimal(const unsigned char *p, unsigned width, int64_t *out)
{
    int32_t narrow;
    int64_t pair[2]; /* low, high */
    *out = 0;
    if (width == 4) memcpy(&narrow, p, 4), *out = narrow;
    if (width == 8) memcpy(out, p, 8);
    if (width < 16) return true;
    memcpy(pair, p, 16);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    *out = pair[1], pair[1] = pair[0], pair[0] = *out;
#endif
    *out = pair[0];
    return pair[1] == (pair[0] < 0 ? -1 : 0);
}

static double decimal_value(const unsigned char *p, heft_arrow_type type)
{
    const int64_t most = (int64_t)1 << 53;
    char          text[64];
    double        x = NAN;
    int64_t       small = 0;
    /* both numbers are exact then, and their quotient is rounded once */
    if (FLT_EVAL_METHOD == 0 && type.digits >= 0 && type.digits <= 22 &&
        small_decimal(p, type.width, &small) && small >= -most && small <= most)
        return (double)small / heft_powers_of_ten[type.digits];
    const size_t n = decimal_text(p, type, text);
    if (heft_parse_double(text, text + n, &x) == HEFT_NUM_OVERFLOW) x = INFINITY;
    return x;
}

#define NUMBERS(type_, value)                                                                      \
    for (size_t i = 0; i < part->n; i++) {                                                         \
        type_ v;                                                                                   \
        memcpy(&v, cells + i * sizeof v, sizeof v);                                                \
        out[i] = (double)(value);                                                                  \
    }

void heft_arrow_numbers(const heft_arrow_part *part, double *out)
{
    const heft_arrow_type type = part->type;
    const unsigned char  *cells = part->cells + part->first * type.width;
    switch (type.what) {
    case HEFT_ARROW_SIGNED:
        if (type.width == 1) NUMBERS(int8_t, v)
        else if (type.width == 2) NUMBERS(int16_t, v)
        else if (type.width == 4) NUMBERS(int32_t, v)
        else NUMBERS(int64_t, v)
        break;
    case HEFT_ARROW_UNSIGNED:
        if (type.width == 1) NUMBERS(uint8_t, v)
        else if (type.width == 2) NUMBERS(uint16_t, v)
        else if (type.width == 4) NUMBERS(uint32_t, v)
        else NUMBERS(uint64_t, v)
        break;
    case HEFT_ARROW_FLOAT:
        if (type.width == 2) NUMBERS(uint16_t, half_value(v))
        else if (type.width == 4) NUMBERS(float, v)
        else NUMBERS(double, v)
        break;
    case HEFT_ARROW_DECIMAL:
        for (size_t i = 0; i < part->n; i++) out[i] = decimal_value(cells + i * type.width, type);
        break;
    case HEFT_ARROW_BOOL:
        for (size_t i = 0; i < part->n; i++)
            out[i] = heft_arrow_bit(part->cells, part->first + i) ? 1 : 0;
        break;
    default:
        for (size_t i = 0; i < part->n; i++) out[i] = NAN;
    }
    if (part->valid)
        for (size_t i = 0; i < part->n; i++)
            if (!heft_arrow_known(part, i)) out[i] = NAN;
}

heft_status heft_arrow_finite(heft_ctx *ctx, const char *name, const double *cells, size_t n,
                              size_t row)
{
    size_t odd = 0; /* without a branch */
    for (size_t i = 0; i < n; i++) odd += !(cells[i] - cells[i] == 0);
    if (odd)
        for (size_t i = 0; i < n; i++)
            if (isinf(cells[i]))
                return heft_fail(ctx, HEFT_EINVAL, "column '%s', row %zu: not a finite number",
                                 HEFT_SHOW_NAME(name), row + i);
    return HEFT_OK;
}

/* ---- texts ---- */

static heft_status bad(heft_ctx *ctx, const char *name, const heft_arrow_part *part, size_t i,
                       const char *what)
{
    const size_t element = part->first - (size_t)part->array->offset + i + 1;
    return heft_fail(
        ctx, HEFT_EFORMAT,
        "column '%s': element %zu of the Arrow array %s (report it to the program that "
        "made it)",
        HEFT_SHOW_NAME(name), element, what);
}

static int64_t offset_at(const heft_arrow_part *part, size_t i)
{
    const unsigned char *at = part->cells + (part->first + i) * part->type.width;
    int32_t              narrow;
    int64_t              wide;
    if (part->type.width == 8) return memcpy(&wide, at, 8), wide;
    return memcpy(&narrow, at, 4), narrow;
}

/* Before a text is looked at: one that is too long shows by the offsets behind it. */
static heft_status check_offsets(heft_ctx *ctx, const char *name, const heft_arrow_part *part)
{
    const char *data = part->array->buffers[2];
    for (size_t i = 0; i < part->n; i++) {
        const int64_t from = offset_at(part, i), to = offset_at(part, i + 1);
        if (from < 0 || to < from || (uint64_t)to > PTRDIFF_MAX)
            return bad(ctx, name, part, i, "has offsets that decrease");
        if (to > from && !data) return bad(ctx, name, part, i, "has no text");
    }
    return HEFT_OK;
}

/* 16 bytes: the length and, up to 12 bytes, the text itself; else four bytes of it, the number of
 * a buffer and the place in it. */
static heft_status by_view(heft_ctx *ctx, const char *name, const heft_arrow_part *part, size_t i,
                           const char **text, size_t *length)
{
    const unsigned char *view = part->cells + (part->first + i) * 16;
    const void *const   *buffers = part->array->buffers;
    const int64_t        n_buffers = part->array->n_buffers;
    int32_t              size, which, at;
    int64_t              all;
    memcpy(&size, view, 4);
    memcpy(&which, view + 8, 4);
    memcpy(&at, view + 12, 4);
    if (size < 0) return bad(ctx, name, part, i, "has a negative length");
    *length = (size_t)size;
    *text = (const char *)view + 4;
    if (size <= 12) return HEFT_OK;
    if (which < 0 || which >= n_buffers - 3 || at < 0)
        return bad(ctx, name, part, i, "points to no buffer");
    memcpy(&all, (const char *)buffers[n_buffers - 1] + 8 * (int64_t)which, 8);
    if ((int64_t)at + size > all) return bad(ctx, name, part, i, "ends behind its buffer");
    *text = (const char *)buffers[2 + which] + at;
    return HEFT_OK;
}

/* A number as text, in out: whole ones with all their digits. NaN has none. */
static const char *number_text(const heft_arrow_part *part, size_t i, char out[64])
{
    heft_arrow_part      one = *part;
    const unsigned char *at = part->cells + (part->first + i) * part->type.width;
    double               x;
    int64_t              whole;
    uint64_t             natural;
    one.first += i, one.n = 1;
    heft_arrow_numbers(&one, &x);
    if (part->type.what == HEFT_ARROW_SIGNED && part->type.width == 8)
        memcpy(&whole, at, 8), snprintf(out, 64, "%" PRId64, whole);
    else if (part->type.what == HEFT_ARROW_UNSIGNED && part->type.width == 8)
        memcpy(&natural, at, 8), snprintf(out, 64, "%" PRIu64, natural);
    else if (part->type.what == HEFT_ARROW_BOOL) snprintf(out, 64, "%s", x > 0 ? "True" : "False");
    else if (isfinite(x)) heft_format_double(out, x);
    else snprintf(out, 64, "%s", isnan(x) ? "" : x < 0 ? "-inf" : "inf");
    return isnan(x) ? NULL : out;
}

/* A text that was not there before. */
static heft_status check_text(heft_ctx *ctx, const char *name, const heft_arrow_part *part,
                              size_t i, const char *text, size_t n)
{
    for (size_t at = 0; at < n;) {
        const size_t step = text[at] ? heft_utf8_at(text + at, n - at) : 0;
        if (step == 0)
            return bad(ctx, name, part, i,
                       text[at] ? "is not UTF-8" : "has a byte of value zero in it");
        at += step;
    }
    return HEFT_OK;
}

heft_status heft_arrow_texts(heft_ctx *ctx, const char *name, const heft_arrow_part *part,
                             int32_t *codes, heft_dict *values)
{
    const bool  offsets = part->type.what == HEFT_ARROW_TEXT;
    const char *data = offsets ? part->array->buffers[2] : NULL;
    if (offsets) HEFT_CHECK(check_offsets(ctx, name, part));
    for (size_t i = 0; i < part->n; i++) {
        char        number[64];
        const char *text = "";
        size_t      length = 0;
        uint32_t    code;
        codes[i] = -1;
        if (!heft_arrow_known(part, i)) continue;
        if (offsets) {
            const int64_t from = offset_at(part, i);
            if (data) text = data + from;
            length = (size_t)(offset_at(part, i + 1) - from);
        } else if (part->type.what == HEFT_ARROW_VIEW)
            HEFT_CHECK(by_view(ctx, name, part, i, &text, &length));
        else {
            text = number_text(part, i, number);
            if (!text) continue;
            length = strlen(text);
        }
        const size_t n = heft_dict_size(values);
        if (n == INT32_MAX) return bad(ctx, name, part, i, "is one value too many");
        HEFT_CHECK(heft_dict_add(ctx, values, text, length, &code));
        if (code == n) HEFT_CHECK(check_text(ctx, name, part, i, text, length));
        codes[i] = (int32_t)code;
    }
    return HEFT_OK;
}

#define INDICES(type_)                                                                             \
    for (size_t i = 0; i < part->n; i++) {                                                         \
        type_ v;                                                                                   \
        codes[i] = -1;                                                                             \
        if (!heft_arrow_known(part, i)) continue;                                                  \
        memcpy(&v, cells + i * sizeof v, sizeof v);                                                \
        if ((uint64_t)v >= size) return bad(ctx, name, part, i, "is no index of its dictionary");  \
        codes[i] = (int32_t)v;                                                                     \
    }

heft_status heft_arrow_indices(heft_ctx *ctx, const char *name, const heft_arrow_part *part,
                               size_t size, int32_t *codes)
{
    const unsigned       width = part->type.width;
    const bool           is_signed = part->type.what == HEFT_ARROW_SIGNED;
    const unsigned char *cells = part->cells + part->first * width;
    if (size > INT32_MAX) size = INT32_MAX;
    if (width == 1 && is_signed) INDICES(int8_t)
    else if (width == 1) INDICES(uint8_t)
    else if (width == 2 && is_signed) INDICES(int16_t)
    else if (width == 2) INDICES(uint16_t)
    else if (width == 4 && is_signed) INDICES(int32_t)
    else if (width == 4) INDICES(uint32_t)
    else if (is_signed) INDICES(int64_t)
    else INDICES(uint64_t)
    return HEFT_OK;
}
