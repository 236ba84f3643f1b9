/* export_sql_text.c - names, literals, searches and long sums in SQL. */
#include <math.h>
#include <string.h>

#include "export/export_sql.h"

/* ---- names and literals ---- */

/* `length` bytes as UTF-8 between quotes, which are doubled inside. */
static void put_quoted(heft_buf *out, char quote, const char *text, size_t length)
{
    heft_buf_add(out, &quote, 1);
    for (size_t step; length > 0; text += step, length -= step) {
        if (*text == quote) heft_buf_add(out, &quote, 1);
        step = heft_buf_utf8(out, text, length);
    }
    heft_buf_add(out, &quote, 1);
}

/* The length of the quoted part that `name` begins with, 0 where it begins with none. */
static size_t quoted_part(const char *name)
{
    const char *s = name + 1;
    if (*name != '"') return 0;
    while (*s && (*s != '"' || s[1] == '"')) s += *s == '"' ? 2 : 1;
    return *s == '"' && (s[1] == '.' || !s[1]) ? (size_t)(s + 1 - name) : 0;
}

void heft_sql_table(heft_buf *out, const char *name)
{
    for (;;) {
        const size_t quoted = quoted_part(name), length = quoted ? quoted : strcspn(name, ".");
        if (quoted) heft_buf_add(out, name, length);
        else put_quoted(out, '"', name, length);
        name += length;
        if (*name != '.') return;
        heft_buf_add(out, name++, 1);
    }
}

static void put_plain(heft_buf *out, double x)
{
    char text[32];
    heft_format_double(text, x);
    heft_buf_text(out, text);
    if (!strchr(text, 'e')) heft_buf_text(out, "e0");
}

void heft_sql_put(heft_buf *out, const char *format, ...)
{
    va_list     args;
    const char *text;
    double      x;
    va_start(args, format);
    for (; *format; format++) {
        const size_t plain = strcspn(format, "%");
        heft_buf_add(out, format, plain);
        format += plain;
        if (!*format) break;
        switch (*++format) {
        case 's':
            heft_buf_text(out, va_arg(args, const char *));
            break;
        case 'n':
        case 't':
            text = va_arg(args, const char *);
            put_quoted(out, *format == 'n' ? '"' : '\'', text, strlen(text));
            break;
        case 'd':
        case 'f':
            x = va_arg(args, double);
            if (*format == 'f' || signbit(x)) heft_buf_text(out, *format == 'f' ? "CAST(" : "(");
            put_plain(out, x);
            if (*format == 'f' || signbit(x))
                heft_buf_text(out, *format == 'f' ? " AS FLOAT8)" : ")");
            break;
        default: /* %z */
            heft_put(out, "%z", va_arg(args, size_t));
        }
    }
    va_end(args);
}

/* ---- searches ---- */

/* How many of n things go into each of `fan` groups. */
static size_t group_of(size_t n, size_t fan)
{
    return (n + fan - 1) / fan;
}

void heft_sql_step(heft_sql_steps *s, double from, double value)
{
    if (s->n && s->value[s->n - 1] == value) return;
    s->from[s->n] = from;
    s->value[s->n++] = value;
}

/* Below step k. */
static void put_below(heft_buf *out, const heft_sql_steps *s, size_t k)
{
    if (s->numbers) heft_sql_put(out, "%s%z<=%d", s->column, s->of, s->from[k]);
    else heft_put(out, "%s%z<%z", s->column, s->of, (size_t)s->from[k]);
}

static void put_value(heft_buf *out, const heft_sql_steps *s, size_t k, bool first)
{
    if (s->codes) heft_put(out, "%z", (size_t)s->value[k]);
    else if (first) heft_sql_put(out, "%f", s->value[k]);
    else put_plain(out, s->value[k]);
}

/* Among steps lo..hi-1. Depth: log16 of their number. */
static void put_steps(heft_buf *out, const heft_sql_steps *s, size_t lo, size_t hi)
{
    const size_t n = hi - lo, width = group_of(n, SQL_STEPS);
    if (n == 1) {
        put_value(out, s, lo, true);
        return;
    }
    heft_buf_text(out, "CASE");
    for (size_t at = lo; at < hi; at += width) {
        const size_t end = hi - at < width ? hi : at + width;
        if (end < hi) {
            heft_buf_text(out, " WHEN ");
            put_below(out, s, end);
            heft_buf_text(out, " THEN ");
        } else {
            heft_buf_text(out, " ELSE ");
        }
        if (end - at > 1) put_steps(out, s, at, end);
        else put_value(out, s, at, at == lo);
    }
    heft_buf_text(out, " END");
}

void heft_sql_search(heft_buf *out, const heft_sql_steps *s)
{
    put_steps(out, s, 0, s->n);
}

void heft_sql_join(heft_buf *out, const char *with, size_t lo, size_t hi, heft_sql_item *part,
                   void *arg)
{
    const size_t n = hi - lo, width = group_of(n, SQL_ADDENDS);
    if (n == 1) {
        part(arg, lo, out);
        return;
    }
    heft_buf_text(out, "(");
    for (size_t at = lo; at < hi; at += width) {
        if (at > lo) heft_buf_text(out, with);
        heft_sql_join(out, with, at, hi - at < width ? hi : at + width, part, arg);
    }
    heft_buf_text(out, ")");
}
