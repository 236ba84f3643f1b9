/* sql_text.c - names, literals, searches and long sums in SQL. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "export/score_parts.h"
#include "export/sql_text.h"

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

enum { ADDENDS = 4, CHAIN = 3 };
/* A text is short, because SQLite and PostgreSQL count its characters from the beginning, and long,
 * because DuckDB plans each expression anew: about 0.1 ms for one. */
enum { TEXT = 260, STEP = 35, MOST_DIGITS = 20 /* bits */ };

void heft_sql_begin_table(heft_sql_steps *s, const double *table, size_t n, size_t step)
{
    size_t       changes = 0;
    int          most;
    const int    least = heft_unit_power(table, n, step, &most);
    const bool   few = least != INT_MAX && most - least <= MOST_DIGITS;
    const size_t width = few ? (size_t)(most - least) / 3 + 2 : 14; /* of a number, about */
    for (size_t v = 1; v < n; v++) changes += table[v * step] != table[(v - 1) * step];
    *s = (heft_sql_steps){.from = s->from, .value = s->value, .unit = few ? ldexp(1, least) : 0};
    s->table = changes > 2 && STEP * changes > width * n;
    if (!s->table) s->unit = 0;
    for (size_t v = 0; v < n; v++) heft_sql_step(s, (double)v, table[v * step]);
}

void heft_sql_step(heft_sql_steps *s, double from, double value)
{
    if (s->n && s->value[s->n - 1] == value && !s->table) return;
    s->from[s->n] = from;
    s->value[s->n++] = value;
}

/* Below step k. */
static void put_below(heft_buf *out, const heft_sql_steps *s, const char *column, size_t k)
{
    if (s->numbers) heft_sql_put(out, "%s<=%d", column, s->from[k]);
    else heft_put(out, "%s<%z", column, (size_t)s->from[k]);
}

/* Numbers of a table are rounded to 12 decimals: sums of thousands of them are exact to 1e-9. The
 * shorter a text is, the sooner PostgreSQL has found its place in it. */
static void put_short(heft_buf *out, double x)
{
    HEFT_SIDE_TEXT(all, out);
    if (!(fabs(x) < 1000)) {
        heft_buf_short(out, x, 17);
        return;
    }
    heft_buf_fixed(&all, x, 12);
    const char *text = heft_buf_string(&all);
    size_t      n = strlen(text);
    while (n > 1 && text[n - 1] == '0') n--;
    if (n > 1 && text[n - 1] == '.') n--;
    if (*text == '-') heft_buf_add(out, text++, 1), n--;
    if (n > 1 && *text == '0') text++, n--;
    heft_buf_add(out, text, n);
}

void heft_sql_value(heft_buf *out, double x, bool cast)
{
    if (!(fabs(x) < 1000)) {
        heft_sql_put(out, cast ? "%f" : "%d", x);
        return;
    }
    if (cast) heft_buf_text(out, "CAST(");
    put_short(out, x);
    heft_buf_text(out, cast ? "e0 AS FLOAT8)" : "e0");
}

static double shown(const heft_sql_steps *s, size_t k)
{
    return s->unit > 0 ? s->value[k] / s->unit : s->value[k];
}

static void put_value(heft_buf *out, const heft_sql_steps *s, size_t k, bool first)
{
    if (s->codes) heft_put(out, "%z", (size_t)s->value[k]);
    else heft_sql_value(out, shown(s, k), first);
}

static size_t width_of(const heft_sql_steps *s, size_t lo, size_t hi)
{
    size_t width = 0;
    for (size_t k = lo; k < hi; k++) {
        heft_buf one = {0};
        put_short(&one, shown(s, k));
        if (one.length > width) width = one.length;
        heft_buf_clear(&one);
    }
    return width;
}

/* Steps lo..hi-1, one per whole number, as a text that is cut by position. */
static void put_text(heft_buf *out, const heft_sql_steps *s, const char *column, size_t lo,
                     size_t hi)
{
    const size_t width = width_of(s, lo, hi);
    heft_put(out, "CAST(substr('");
    for (size_t k = lo; k < hi; k++) {
        const size_t from = out->length;
        put_short(out, shown(s, k));
        while (!out->failed && out->length - from < width) heft_put(out, " ");
    }
    const long first = 1 - (long)(s->from[lo] * (double)width);
    heft_put(out, "',%s*%z%s%l,%z) AS FLOAT8)", column, width, first < 0 ? "" : "+", first, width);
}

/* Among steps lo..hi-1, of which `most` fit a text. Depth: log2 of their number. */
static void put_steps(heft_buf *out, const heft_sql_steps *s, const char *column, size_t most,
                      size_t lo, size_t hi)
{
    if (hi - lo == 1) {
        put_value(out, s, lo, true);
        return;
    }
    if (s->table && hi - lo > CHAIN && hi - lo <= most) {
        put_text(out, s, column, lo, hi);
        return;
    }
    heft_buf_text(out, "CASE");
    if (hi - lo <= CHAIN) {
        for (size_t k = lo; k + 1 < hi; k++) {
            heft_buf_text(out, " WHEN ");
            put_below(out, s, column, k + 1);
            heft_buf_text(out, " THEN ");
            put_value(out, s, k, k == lo);
        }
        heft_buf_text(out, " ELSE ");
        put_value(out, s, hi - 1, false);
    } else {
        const size_t half = (hi - lo + 1) / 2;
        const size_t texts = (half + most - 1) / most * most;
        const size_t mid = lo + (texts < hi - lo ? texts : half);
        heft_buf_text(out, " WHEN ");
        put_below(out, s, column, mid);
        heft_buf_text(out, " THEN ");
        put_steps(out, s, column, most, lo, mid);
        heft_buf_text(out, " ELSE ");
        put_steps(out, s, column, most, mid, hi);
    }
    heft_buf_text(out, " END");
}

void heft_sql_search(heft_buf *out, const heft_sql_steps *s, const char *column)
{
    const size_t width = s->table ? width_of(s, 0, s->n) : 1;
    if (s->unit > 0) heft_buf_text(out, "(");
    put_steps(out, s, column, width && width < TEXT / CHAIN ? TEXT / width : CHAIN, 0, s->n);
    if (s->unit > 0) heft_sql_put(out, ")*%d", s->unit);
}

/* ---- sums ---- */

void heft_sql_join(heft_buf *out, const char *with, size_t lo, size_t hi, heft_sql_item *part,
                   void *arg)
{
    const size_t n = hi - lo, width = (n + ADDENDS - 1) / ADDENDS;
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
