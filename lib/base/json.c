/* json.c - text for JSON documents. */
#include "base/json.h"

#include <math.h>
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
    size_t n = strlen(text);
    while (n > 0) {
        const size_t k = heft_utf8_at(text, n);
        if (k == 0) return false;
        text += k;
        n -= k;
    }
    return true;
}

void heft_buf_json(heft_buf *buf, const char *text)
{
    static const char names[] = "\b\t\n\f\r";
    const char       *named;
    size_t            n = strlen(text);
    heft_buf_add(buf, "\"", 1);
    while (n > 0) {
        const uint8_t c = (uint8_t)*text;
        const size_t  k = heft_utf8_at(text, n);
        if (k == 0) {
            const char latin[2] = {(char)(0xc0 | c >> 6), (char)(0x80 | (c & 0x3f))};
            heft_buf_add(buf, latin, 2);
        } else if (c == '"' || c == '\\') {
            const char escaped[2] = {'\\', (char)c};
            heft_buf_add(buf, escaped, 2);
        } else if (c < 0x20 && (named = strchr(names, c)) && *named) {
            const char escaped[2] = {'\\', "btnfr"[named - names]};
            heft_buf_add(buf, escaped, 2);
        } else if (c < 0x20) {
            heft_buf_printf(buf, "\\u%04x", (unsigned)c);
        } else {
            heft_buf_add(buf, text, k);
        }
        text += k ? k : 1;
        n -= k ? k : 1;
    }
    heft_buf_add(buf, "\"", 1);
}

void heft_buf_json_number(heft_buf *buf, double x)
{
    if (isfinite(x)) heft_buf_double(buf, x);
    else heft_buf_text(buf, "null");
}
