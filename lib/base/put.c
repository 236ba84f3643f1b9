/* put.c - formatted text for documents. */
#include "base/put.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/marks.h"

enum { LONGEST_NAME = 200, LONGEST_HTML = 400 };

const char *heft_buf_string(heft_buf *buf)
{
    heft_buf_add(buf, "", 1);
    if (buf->failed) return "";
    buf->length--;
    return buf->data;
}

void heft_html_text(heft_buf *buf, const char *text, size_t most)
{
    static const char        special[] = "<>&\"'";
    static const char *const escaped[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
    char                     shown[4 * LONGEST_HTML + 8];
    const char              *s = shown;
    heft_show(shown, sizeof shown, text, strlen(text), most < LONGEST_HTML ? most : LONGEST_HTML);
    while (*s) {
        const size_t plain = strcspn(s, special);
        heft_buf_add(buf, s, plain);
        s += plain;
        if (*s) heft_buf_text(buf, escaped[strchr(special, *s++) - special]);
    }
}

void heft_buf_short(heft_buf *buf, double x, int digits)
{
    const double size = fabs(x);
    const size_t from = buf->length;
    if (!isfinite(x) || x == 0) {
        heft_buf_text(buf, x == 0 ? "0" : isnan(x) ? "?" : x > 0 ? "inf" : "-inf");
        return;
    }
    int        power = (int)floor(log10(size));
    const bool plain = size >= 1e-4 && size < 1e7;
    if (plain) {
        heft_buf_fixed(buf, x, power + 1 >= digits ? 0 : digits - 1 - power);
    } else {
        const double unit = pow(10, power < -300 ? -300 : power);
        double       lead = x / unit / (power < -300 ? pow(10, power + 300) : 1);
        if (fabs(lead) >= 10 - 0.5 * pow(10, 1 - digits)) lead /= 10, power++;
        heft_buf_fixed(buf, lead, digits - 1);
    }
    if (!buf->failed && memchr(buf->data + from, '.', buf->length - from)) {
        while (buf->data[buf->length - 1] == '0') buf->length--;
        if (buf->data[buf->length - 1] == '.') buf->length--;
    }
    if (!plain) heft_buf_printf(buf, "e%d", power);
}

void heft_buf_json(heft_buf *buf, const char *text)
{
    static const char names[] = "\b\t\n\f\r\"\\";
    const char       *named;
    if (!text) {
        heft_buf_text(buf, "null");
        return;
    }
    heft_buf_add(buf, "\"", 1);
    for (size_t n = strlen(text), step; n > 0; text += step, n -= step) {
        const uint8_t c = (uint8_t)*text;
        step = 1;
        if ((named = strchr(names, c))) {
            const char escaped[2] = {'\\', "btnfr\"\\"[named - names]};
            heft_buf_add(buf, escaped, 2);
        } else if (c < 0x20) {
            heft_buf_printf(buf, "\\u%04x", (unsigned)c);
        } else {
            step = heft_buf_utf8(buf, text, n);
        }
    }
    heft_buf_add(buf, "\"", 1);
}

void heft_buf_json_number(heft_buf *buf, double x)
{
    if (isfinite(x)) heft_buf_double(buf, x);
    else heft_buf_text(buf, "null");
}

void heft_put_name(heft_buf *out, const char *name, size_t most, heft_style style)
{
    static const char *const escaped[3] = {"", "|\\`*_<[", "&%$#_{}"}; /* with a backslash */
    static const char        chars[] = "\\~^<>|\"";
    static const char *const names[] = {"backslash", "asciitilde", "asciicircum", "less",
                                        "greater",   "bar",        "quotedbl"};
    char                     shown[2048];
    heft_show(shown, sizeof shown, name, strlen(name), most);
    for (const char *s = shown; *s; s++) {
        if (strchr(escaped[style], *s)) heft_buf_text(out, "\\");
        const char *at = style == HEFT_LATEX ? strchr(chars, *s) : NULL;
        if (at) heft_buf_printf(out, "\\text%s{}", names[at - chars]);
        else heft_buf_add(out, s, 1);
    }
}

void heft_vput(heft_buf *out, const char *format, va_list args)
{
    while (*format) {
        const size_t plain = strcspn(format, "%");
        size_t       digits = 0;
        heft_buf_add(out, format, plain);
        format += plain;
        if (!*format) break;
        while (*++format >= '0' && *format <= '9') digits = 10 * digits + (size_t)(*format - '0');
        const char what = *format++;
        if (what == 's') heft_buf_text(out, va_arg(args, const char *));
        else if (what == 'c') heft_buf_printf(out, "%c", va_arg(args, int));
        else if (what == 'z') heft_buf_printf(out, "%zu", va_arg(args, size_t));
        else if (what == 'l') heft_buf_printf(out, "%ld", va_arg(args, long));
        else if (what == 'g') heft_buf_short(out, va_arg(args, double), (int)digits);
        else if (what == 'f') heft_buf_fixed(out, va_arg(args, double), (int)digits);
        else if (what == 'h') heft_html_text(out, va_arg(args, const char *), digits);
        else if (what == 'j') heft_buf_json(out, va_arg(args, const char *));
        else if (what == 'n') heft_buf_json_number(out, va_arg(args, double));
        else if (what == 'k') heft_buf_csv(out, va_arg(args, const char *), ',');
        else if (what == 'w') {
            const char *name = va_arg(args, const char *);
            heft_put_name(out, name, digits, (heft_style)va_arg(args, int));
        } else if (what == 'q') {
            char         shown[4 * LONGEST_NAME + 8];
            const char  *text = va_arg(args, const char *);
            const size_t most = digits < LONGEST_NAME ? digits : LONGEST_NAME;
            if (most) heft_buf_text(out, heft_show(shown, sizeof shown, text, strlen(text), most));
        } else if (what == 'v') {
            const double *list = va_arg(args, const double *);
            const size_t  n = va_arg(args, size_t);
            heft_buf_text(out, "[");
            for (size_t k = 0; k < n; k++) {
                if (k) heft_buf_text(out, ", ");
                heft_buf_json_number(out, list[k]);
            }
            heft_buf_text(out, "]");
        } else if (what == '.') { /* %.0s: text that a front end leaves out */
            (void)va_arg(args, const char *);
            format += strlen("0s");
        } else {
            assert(what == '%');
            heft_buf_text(out, "%");
        }
    }
}

void heft_put(heft_buf *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    heft_vput(out, format, args);
    va_end(args);
}

void heft_put_marked(heft_buf *out, const char *format, ...)
{
    char    rendered[HEFT_RENDERED_SIZE];
    va_list args;
    va_start(args, format);
    heft_vput(out, heft_render(rendered, sizeof rendered, format), args);
    va_end(args);
}
