/* arrow_cells.c - the elements of Arrow arrays as numbers and codes. Buffers need not be aligned:
 * elements are copied out. Numbers are those that the same cells would give as text in a file. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/arrow.h"
#include "data/binary_values.h"

/* ---- numbers ---- */

/* A decimal of 4, 8 or 16 bytes, the lowest first on most machines. */
static double decimal_value(const unsigned char *p, heft_arrow_type type)
{
    uint8_t bytes[16];
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    memcpy(bytes, p, type.width);
#else
    for (unsigned k = 0; k < type.width; k++) bytes[k] = p[type.width - 1 - k];
#endif
    return heft_decimal_value(bytes, type.width, type.digits);
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
        if (type.width == 2) NUMBERS(uint16_t, heft_half_value(v))
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
    else heft_number_text(x, out);
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

heft_status heft_arrow_indices(heft_ctx *ctx, const char *name, const heft_arrow_part *part,
                               size_t size, int32_t *codes)
{
    enum { BLOCK = 256 };
    const double most = size < INT32_MAX ? (double)size : INT32_MAX; /* a double holds any index */
    double       index[BLOCK];
    for (size_t lo = 0; lo < part->n; lo += BLOCK) {
        heft_arrow_part block = *part;
        block.first += lo;
        block.n = part->n - lo < BLOCK ? part->n - lo : BLOCK;
        heft_arrow_numbers(&block, index);
        for (size_t i = 0; i < block.n; i++) {
            if (index[i] < 0 || index[i] >= most)
                return bad(ctx, name, part, lo + i, "is no index of its dictionary");
            codes[lo + i] = isnan(index[i]) ? -1 : (int32_t)index[i];
        }
    }
    return HEFT_OK;
}
