/* utf8.c - characters of UTF-8, and text that is safe to show. */
#include "base/utf8.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

size_t heft_utf8_at(const char *s, size_t n)
{
    static const struct {
        uint32_t low; /* the least character that needs as many bytes */
        uint8_t  mask, mark;
    } forms[] = {{0, 0x80, 0}, {0x80, 0xe0, 0xc0}, {0x800, 0xf0, 0xe0}, {0x10000, 0xf8, 0xf0}};

    for (size_t k = 0; k < 4 && k < n; k++) {
        const uint8_t first = (uint8_t)s[0];
        if ((first & forms[k].mask) != forms[k].mark) continue;
        uint32_t c = first & (uint8_t)~forms[k].mask;
        for (size_t i = 1; i <= k; i++) {
            if (((uint8_t)s[i] & 0xc0) != 0x80) return 0;
            c = c << 6 | ((uint8_t)s[i] & 0x3f);
        }
        return c >= forms[k].low && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff) ? k + 1 : 0;
    }
    return 0;
}

bool heft_utf8_valid(const char *text)
{
    for (size_t n = strlen(text), k; n > 0; text += k, n -= k)
        if ((k = heft_utf8_at(text, n)) == 0) return false;
    return true;
}

/* Control characters: C0, DEL, C1 in its two-byte form, and what changes lines or the direction of
 * writing (U+2028 to U+202E, U+2066 to U+2069), which can make a line read as another. */
static bool is_control(const unsigned char *p, size_t k)
{
    if (k == 1) return p[0] < 0x20 || p[0] == 0x7f;
    if (k == 2) return p[0] == 0xc2 && p[1] < 0xa0;
    if (k != 3 || p[0] != 0xe2) return false;
    return p[1] == 0x80 ? p[2] >= 0xa8 && p[2] <= 0xae
                        : p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9;
}

const char *heft_show(char *out, size_t size, const char *text, size_t length, size_t most)
{
    static const char    ellipsis[] = "...";
    const unsigned char *p = (const unsigned char *)text;
    size_t               at = 0, cut = 0, i = 0; /* cut: the last place that leaves room for it */
    if (size == 0) return out;
    while (i < length) {
        size_t     k = heft_utf8_at(text + i, length - i);
        const bool plain = k > 0 && !is_control(p + i, k);
        if (!plain) k = 1;
        const size_t need = plain ? k : 4;
        if (i + k > most || at + need + 1 > size) break;
        if (plain) memcpy(out + at, text + i, k);
        else snprintf(out + at, 5, "\\x%02x", p[i]);
        at += need;
        i += k;
        if (at + sizeof ellipsis <= size && i + strlen(ellipsis) <= most) cut = at;
    }
    if (i < length) {
        at = cut;
        for (const char *e = ellipsis; *e && at + 1 < size; e++) out[at++] = *e;
    }
    out[at] = 0;
    return out;
}
