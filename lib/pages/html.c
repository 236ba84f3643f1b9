/* html.c - the frame of a page: escaping, style, sections. */
#include "pages/html.h"

extern const char *const heft_page_style[]; /* the lines of page.css, then NULL */

/* The colours of things, as fills and as strokes. */
static void write_colours(heft_buf *out)
{
    for (size_t k = 0; k < HEFT_HTML_COLOURS; k++)
        heft_put(out, "svg .c%z{fill:var(--c%z)}svg .l%z{stroke:var(--c%z)}\n", k, k, k, k);
}

void heft_html_open(heft_buf *out, const char *title, const char *lead)
{
    heft_put(out,
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<link rel=\"icon\" href=\"data:,\">\n<title>%200h</title>\n<style>\n",
             title);
    for (const char *const *line = heft_page_style; *line; line++) heft_buf_text(out, *line);
    write_colours(out);
    heft_put(out, "</style>\n</head>\n<body>\n<h1>%200h</h1>\n<p>%s</p>\n", title, lead);
}

void heft_html_close(heft_buf *out)
{
    heft_put(out, "<p>Written by heft %s.</p>\n</body>\n</html>\n", heft_version());
}

void heft_html_section(heft_buf *out, const char *id, const char *title, const char *note)
{
    heft_put(out, "<section id=\"%s\">\n<h2>%s</h2>\n", id, title);
    if (note) heft_put(out, "<p>%s</p>\n", note);
    heft_put(out, "<div class=\"figures\">\n");
}

void heft_html_section_end(heft_buf *out)
{
    heft_put(out, "</div>\n</section>\n");
}

void heft_html_figure(heft_buf *out, const char *caption)
{
    heft_put(out, "<figure><figcaption>%120h</figcaption>\n", caption);
}

void heft_html_figure_end(heft_buf *out)
{
    heft_put(out, "</figure>\n");
}

void heft_html_legend(heft_buf *out, size_t n, const char *(*name)(const void *, size_t),
                      const void *from)
{
    heft_put(out, "<div class=\"legend\">");
    for (size_t k = 0; k < n && k < HEFT_HTML_COLOURS; k++)
        heft_put(out,
                 "<span><svg viewBox=\"0 0 10 10\"><rect class=\"c%z\" width=\"10\" "
                 "height=\"10\"/></svg>%40h</span>",
                 k, name(from, k));
    if (n > HEFT_HTML_COLOURS) heft_put(out, "<span>(%z more)</span>", n - HEFT_HTML_COLOURS);
    heft_put(out, "</div>\n");
}

void heft_html_fact(heft_buf *out, const char *name, const char *format, ...)
{
    heft_buf value = {0};
    va_list  args;
    va_start(args, format);
    heft_vput(&value, format, args);
    va_end(args);
    heft_put(out, "<tr><th>%80h</th><td>%400h</td></tr>\n", name, heft_buf_string(&value));
    out->failed |= value.failed;
    heft_buf_clear(&value);
}
