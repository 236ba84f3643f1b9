/* put.c - formatted text for documents. */
#include "base/put.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { LONGEST_NAME = 200, LONGEST_HTML = 400 };

const char *heft_buf_string(heft_buf *buf)
{
    heft_buf_add(buf, "", 1);
    if (buf->failed) return "";
    buf->length--;
    return buf->data;
}

void heft_buf_name(heft_buf *buf, const char *text, size_t most)
{
    char shown[4 * LONGEST_NAME + 8];
    heft_buf_text(buf, heft_show(shown, sizeof shown, text, strlen(text),
                                 most < LONGEST_NAME ? most : LONGEST_NAME));
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

/* The text added since `from` without trailing zeros. */
static void trim_zeros(heft_buf *buf, size_t from)
{
    if (buf->failed || !memchr(buf->data + from, '.', buf->length - from)) return;
    while (buf->data[buf->length - 1] == '0') buf->length--;
    if (buf->data[buf->length - 1] == '.') buf->length--;
}

void heft_buf_short(heft_buf *buf, double x, int digits)
{
    const double size = fabs(x);
    if (!isfinite(x)) {
        heft_buf_text(buf, isnan(x) ? "?" : x > 0 ? "inf" : "-inf");
    } else if (size == 0) {
        heft_buf_text(buf, "0");
    } else if (size >= 1e-4 && size < 1e7) {
        const int    before = (int)floor(log10(size)) + 1;
        const size_t from = buf->length;
        heft_buf_fixed(buf, x, before >= digits ? 0 : digits - before);
        trim_zeros(buf, from);
    } else {
        int          power = (int)floor(log10(size));
        const double unit = pow(10, power < -300 ? -300 : power);
        double       lead = x / unit / (power < -300 ? pow(10, power + 300) : 1);
        const size_t from = buf->length;
        if (fabs(lead) >= 10 - 0.5 * pow(10, 1 - digits)) lead /= 10, power++;
        heft_buf_fixed(buf, lead, digits - 1);
        trim_zeros(buf, from);
        heft_buf_printf(buf, "e%d", power);
    }
}

void heft_buf_json_list(heft_buf *buf, const double *x, size_t n)
{
    heft_buf_text(buf, "[");
    for (size_t k = 0; k < n; k++) {
        if (k) heft_buf_text(buf, ", ");
        heft_buf_json_number(buf, x[k]);
    }
    heft_buf_text(buf, "]");
}

static void put_json(heft_buf *out, const char *text)
{
    if (text) heft_buf_json(out, text);
    else heft_buf_text(out, "null");
}

void heft_vput(heft_buf *out, const char *format, va_list args)
{
    while (*format) {
        const size_t  plain = strcspn(format, "%");
        const double *list;
        int           digits = 0;
        char          one;
        heft_buf_add(out, format, plain);
        format += plain;
        if (!*format) break;
        while (*++format >= '0' && *format <= '9') digits = 10 * digits + (*format - '0');
        switch (*format++) {
        case 's':
            heft_buf_text(out, va_arg(args, const char *));
            break;
        case 'c':
            one = (char)va_arg(args, int);
            heft_buf_add(out, &one, 1);
            break;
        case 'z':
            heft_buf_printf(out, "%zu", va_arg(args, size_t));
            break;
        case 'l':
            heft_buf_printf(out, "%ld", va_arg(args, long));
            break;
        case 'g':
            heft_buf_short(out, va_arg(args, double), digits);
            break;
        case 'f':
            heft_buf_fixed(out, va_arg(args, double), digits);
            break;
        case 'q':
            heft_buf_name(out, va_arg(args, const char *), (size_t)digits);
            break;
        case 'h':
            heft_html_text(out, va_arg(args, const char *), (size_t)digits);
            break;
        case 'j':
            put_json(out, va_arg(args, const char *));
            break;
        case 'n':
            heft_buf_json_number(out, va_arg(args, double));
            break;
        case 'v':
            list = va_arg(args, const double *);
            heft_buf_json_list(out, list, va_arg(args, size_t));
            break;
        default:
            assert(format[-1] == '%');
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
