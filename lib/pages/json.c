/* json.c - the JSON of pages. */
#include "pages/json.h"

#include <math.h>
#include <string.h>

#include "base/marks.h"

/* Begins a member or an element: a comma unless it is the first one, then the name. */
static void begin(heft_buf *out, const char *name)
{
    const char last = out->length && !out->failed ? out->data[out->length - 1] : '[';
    if (!strchr("[{:", last)) heft_buf_add(out, ",", 1);
    if (name) heft_put(out, "\"%s\":", name);
}

void heft_json_open(heft_buf *out, const char *name, char bracket)
{
    begin(out, name);
    heft_buf_add(out, &bracket, 1);
}

void heft_json_close(heft_buf *out, char bracket)
{
    heft_buf_add(out, &bracket, 1);
}

void heft_json_null(heft_buf *out, const char *name)
{
    begin(out, name);
    heft_buf_text(out, "null");
}

void heft_json_flag(heft_buf *out, const char *name, bool yes)
{
    begin(out, name);
    heft_buf_text(out, yes ? "true" : "false");
}

void heft_json_size(heft_buf *out, const char *name, size_t n)
{
    begin(out, name);
    heft_put(out, "%z", n);
}

void heft_json_class(heft_buf *out, const char *name, size_t c)
{
    if (c == SIZE_MAX) heft_json_null(out, name);
    else heft_json_size(out, name, c);
}

void heft_json_number(heft_buf *out, const char *name, double x)
{
    begin(out, name);
    heft_put(out, isfinite(x) ? "%6g" : "null", x);
}

void heft_json_exact(heft_buf *out, const char *name, double x)
{
    begin(out, name);
    heft_put(out, "%n", x);
}

void heft_json_numbers(heft_buf *out, const char *name, const double *x, size_t n)
{
    if (!x) {
        heft_json_null(out, name);
        return;
    }
    heft_json_open(out, name, '[');
    for (size_t k = 0; k < n; k++) heft_json_number(out, NULL, x[k]);
    heft_json_close(out, ']');
}

void heft_json_sizes(heft_buf *out, const char *name, const size_t *x, size_t n)
{
    heft_json_open(out, name, '[');
    for (size_t k = 0; k < n; k++) heft_json_size(out, NULL, x[k]);
    heft_json_close(out, ']');
}

/* Writes a JSON string with the characters escaped that must not stand in a script element. A quote
 * is escaped as a number, so that no text looks like an attribute of HTML. */
static void put_string(heft_buf *out, const char *text)
{
    HEFT_SIDE_TEXT(plain, out);
    heft_buf_json(&plain, text);
    heft_put(out, "\"");
    for (size_t k = 1; k + 1 < plain.length; k++) { /* without its quotes */
        const uint8_t c = (uint8_t)plain.data[k];
        const bool    c1 = c == 0xc2 && (uint8_t)plain.data[k + 1] < 0xa0;
        if (c1) heft_buf_printf(out, "\\u00%02x", (unsigned)(uint8_t)plain.data[++k]);
        else if (c == '\\' && plain.data[k + 1] == '"') heft_put(out, "\\u0022"), k++;
        else if (c == '\\') heft_buf_add(out, plain.data + k, 2), k++;
        else if (c == '<' || c == '>' || c == '&' || c == 0x7f)
            heft_buf_printf(out, "\\u00%02x", (unsigned)c);
        else heft_buf_add(out, plain.data + k, 1);
    }
    heft_put(out, "\"");
}

void heft_json_text(heft_buf *out, const char *name, const char *text)
{
    begin(out, name);
    if (text) put_string(out, text);
    else heft_buf_text(out, "null");
}

void heft_json_name(heft_buf *out, const char *name, const char *text)
{
    size_t n = HEFT_JSON_NAME;
    char   cut[HEFT_JSON_NAME + 4];
    if (!text || strlen(text) <= HEFT_JSON_NAME) {
        heft_json_text(out, name, text);
        return;
    }
    while (n > 0 && ((uint8_t)text[n] & 0xc0) == 0x80) n--; /* not inside a character */
    memcpy(cut, text, n);
    memcpy(cut + n, "\xe2\x80\xa6", 4);
    heft_json_text(out, name, cut);
}

void heft_json_format(heft_buf *out, const char *name, const char *format, ...)
{
    char    rendered[HEFT_RENDERED_SIZE];
    va_list args;
    HEFT_SIDE_TEXT(text, out);
    va_start(args, format);
    heft_vput(&text, heft_render(rendered, sizeof rendered, format), args);
    va_end(args);
    heft_json_text(out, name, heft_buf_string(&text));
}

/* The end of a word of heft_json_put, which is at most as long as the buffer. */
static const char *take_name(const char *word, heft_buf *name)
{
    const size_t n = strcspn(word, ": ");
    if (word[n] != ':') return word; /* a bracket alone */
    heft_buf_add(name, word, n);
    return word + n + 1;
}

void heft_json_put(heft_buf *out, const char *members, ...)
{
    va_list args;
    va_start(args, members);
    for (const char *s = members; *s; s += *s == ' ') {
        HEFT_SIDE_TEXT(text, out);
        s = take_name(s, &text);
        const char *name = text.length ? heft_buf_string(&text) : NULL;
        const char  what = *s++;
        if (what == '{' || what == '[') heft_json_open(out, name, what);
        else if (what == '}' || what == ']') heft_json_close(out, what);
        else if (what == 'b') heft_json_flag(out, name, va_arg(args, int));
        else if (what == 'z') heft_json_size(out, name, va_arg(args, size_t));
        else if (what == 'c') heft_json_class(out, name, va_arg(args, size_t));
        else if (what == 'g') heft_json_number(out, name, va_arg(args, double));
        else if (what == 'n') heft_json_exact(out, name, va_arg(args, double));
        else if (what == 's') heft_json_text(out, name, va_arg(args, const char *));
        else if (what == 'm') heft_json_name(out, name, va_arg(args, const char *));
        else heft_json_null(out, name);
    }
    va_end(args);
}
