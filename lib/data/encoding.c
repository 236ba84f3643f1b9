/* encoding.c - text that is not UTF-8.
 *
 * A byte that belongs to no UTF-8 character is taken as one of Windows-1252, which holds Latin-1,
 * and rewritten as UTF-8. What a byte becomes depends on its line alone, not on where a text is
 * cut. */
#include <string.h>

#include "data/batch.h"

/* The characters of bytes 0x80 to 0x9f; those that Windows-1252 does not define are controls. */
static const uint16_t upper[32] = {0x20ac, 0x81,   0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                   0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d,   0x017d, 0x8f,
                                   0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                   0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d,   0x017e, 0x0178};

static bool is_ascii(const char *p, size_t n)
{
    unsigned char all = 0;
    for (size_t i = 0; i < n; i++) all |= (unsigned char)p[i];
    return all < 0x80;
}

static bool is_utf8(const char *p, size_t n)
{
    if (is_ascii(p, n)) return true;
    for (size_t k; n > 0; p += k, n -= k)
        if (!(k = heft_utf8_at(p, n))) return false;
    return true;
}

/* The line as UTF-8 at `to`, unless that is NULL; returns its length there. */
static size_t convert(char *to, const char *p, size_t n)
{
    size_t length = 0;
    for (size_t k; n > 0; p += k, n -= k) {
        char        utf8[3];
        const char *from = p;
        size_t      size = k = heft_utf8_at(p, n);
        if (size == 0) {
            const unsigned char byte = (unsigned char)*p;
            const unsigned      c = byte < 0xa0 ? upper[byte - 0x80] : byte;
            k = 1;
            size = c < 0x800 ? 2 : 3;
            from = utf8;
            utf8[0] = size == 2 ? (char)(0xc0 | c >> 6) : (char)(0xe0 | c >> 12);
            utf8[1] = size == 2 ? (char)(0x80 | (c & 0x3f)) : (char)(0x80 | (c >> 6 & 0x3f));
            utf8[2] = (char)(0x80 | (c & 0x3f));
        }
        if (to) memcpy(to + length, from, size);
        length += size;
    }
    return length;
}

/* Find the length of a text as UTF-8, line by line, and write the text to `to` unless that is NULL.
 */
static size_t convert_lines(char *to, const char *p, size_t n, size_t *first)
{
    size_t length = 0, number = 0;
    for (const char *end = p + n, *next; p < end; p = next, number++) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        next = newline ? newline + 1 : end;
        const size_t here = (size_t)(next - p);
        if (is_utf8(p, here)) {
            if (to) memcpy(to + length, p, here);
            length += here;
            continue;
        }
        if (*first == SIZE_MAX) *first = number;
        length += convert(to ? to + length : NULL, p, here);
    }
    return length;
}

heft_status heft_chunk_to_utf8(heft_ctx *ctx, heft_chunk *chunk, size_t *line)
{
    size_t first = SIZE_MAX;
    *line = 0;
    if (chunk->ascii) return HEFT_OK;
    const size_t length = convert_lines(NULL, chunk->text, chunk->length, &first);
    if (first == SIZE_MAX) return HEFT_OK;
    const size_t capacity = HEFT_CHUNK_FRONT + length + 1 + HEFT_CHUNK_PAD;
    char        *space = heft_alloc0(capacity, 1);
    if (!space) return heft_no_memory(ctx, capacity, 1);
    convert_lines(space + HEFT_CHUNK_FRONT, chunk->text, chunk->length, &first);
    heft_free(chunk->space);
    chunk->space = space;
    chunk->text = space + HEFT_CHUNK_FRONT;
    chunk->length = length;
    chunk->capacity = capacity;
    *line = chunk->first_line + first;
    return HEFT_OK;
}

heft_status heft_line_to_utf8(heft_ctx *ctx, heft_arena *arena, char **p, size_t n)
{
    char *text;
    if (is_utf8(*p, n)) return HEFT_OK;
    HEFT_ALLOC(ctx, arena, text, convert(NULL, *p, n) + 1 + HEFT_CHUNK_PAD);
    convert(text, *p, n);
    *p = text;
    return HEFT_OK;
}
