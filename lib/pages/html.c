/* html.c - the frame of a page: style, sections; and the marks of its plots. */
#include "pages/html.h"

#include <math.h>
#include <string.h>
#include <time.h>

extern const char *const heft_page_style[]; /* the lines of page.css, then NULL */
/* The lines of style.css and of the joined modules of assets/, then NULL. */
extern const char *const heft_pages_style[], *const heft_pages_script[];

/* The page may run its own script and show its own pictures, and load nothing. */
#define ALONE                                                                                      \
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"

void heft_html_begin(heft_buf *out, const char *title, const char *const *style)
{
    heft_put(out,
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"" ALONE "\">\n"
             "<link rel=\"icon\" href=\"data:,\">\n<title>%200h</title>\n<style>\n",
             title);
    for (const char *const *line = heft_page_style; *line; line++) heft_buf_text(out, *line);
    for (; style && *style; style++) heft_buf_text(out, *style);
    for (size_t k = 0; k < HEFT_HTML_COLOURS; k++) /* as fills and as strokes */
        heft_put(out,
                 "svg .c%z{fill:var(--c%z)}svg .l%z{stroke:var(--c%z)}.b%z{background:var(--c%z)}"
                 ".t%z{color:var(--c%z)}.cell.b%z{--k:var(--c%z)}\n",
                 k, k, k, k, k, k, k, k, k, k);
    heft_put(out, "</style>\n</head>\n<body>\n");
}

void heft_html_open(heft_buf *out, const char *title, const char *lead, const char *const *style)
{
    heft_html_begin(out, title, style);
    heft_put(out, "<h1>%200h</h1>\n<p>%s</p>\n", title, lead);
}

/* Writes a JSON text so that it can stand in a script element: what could end the element, and
 * control characters, which JSON has in strings only, are escaped. */
static void put_data(heft_buf *out, const char *json)
{
    for (const char *s = json; *s;) {
        const size_t  plain = strcspn(s, "<>&\x7f\xc2");
        const uint8_t c = (uint8_t)s[plain], next = c ? (uint8_t)s[plain + 1] : 0;
        heft_buf_add(out, s, plain);
        s += plain + (c ? 1 : 0);
        if (c == 0xc2 && next >= 0x80 && next < 0xa0) { /* U+0080 to U+009F */
            heft_buf_printf(out, "\\u00%02x", (unsigned)next);
            s++;
        } else if (c == 0xc2) heft_buf_add(out, "\xc2", 1);
        else if (c) heft_buf_printf(out, "\\u00%02x", (unsigned)c);
    }
}

void heft_html_page(heft_buf *out, const char *title, const char *still, const char *json)
{
    heft_put(out,
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"" ALONE "\">\n"
             "<link rel=\"icon\" href=\"data:,\">\n<title>%200h</title>\n<style>\n",
             title);
    for (const char *const *line = heft_pages_style; *line; line++) heft_buf_text(out, *line);
    heft_put(out, "</style>\n</head>\n<body>\n<main id=\"page\">\n%s</main>\n", still);
    heft_put(out, "<footer>Written by heft %s.</footer>\n", HEFT_VERSION);
    heft_put(out, "<script type=\"application/json\" id=\"data\">");
    put_data(out, json);
    heft_put(out, "</script>\n<script>\n");
    for (const char *const *line = heft_pages_script; *line; line++) heft_buf_text(out, *line);
    heft_put(out, "</script>\n</body>\n</html>\n");
}

void heft_html_long(heft_buf *out, const char *text)
{
    for (size_t n = strlen(text); n;) {
        char   part[301];
        size_t cut = n < 300 ? n : 300;
        while (cut < n && cut > 200 && ((unsigned char)text[cut] & 0xc0) == 0x80) cut--;
        memcpy(part, text, cut);
        part[cut] = 0;
        heft_html_text(out, part, 400);
        text += cut;
        n -= cut;
    }
}

void heft_html_date(heft_buf *out)
{
    static const char *const months[] = {"January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December"};
    const time_t             now = time(NULL);
    struct tm                at;
    if (!gmtime_r(&now, &at)) return;
    heft_put(out, "<time>%l %s %l</time>", (long)at.tm_mday, months[at.tm_mon],
             (long)at.tm_year + 1900);
}

void heft_html_close(heft_buf *out)
{
    heft_put(out, "<p>Written by heft %s.</p>\n</body>\n</html>\n", HEFT_VERSION);
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

void heft_html_legend(heft_buf *out, size_t n, const char *const *names)
{
    heft_put(out, "<div class=\"legend\">");
    for (size_t k = 0; k < n && k < HEFT_HTML_COLOURS; k++)
        heft_put(out,
                 "<span><svg viewBox=\"0 0 10 10\"><rect class=\"c%z\" width=\"10\" "
                 "height=\"10\"/></svg>%40h</span>",
                 k, names[k]);
    if (n > HEFT_HTML_COLOURS) heft_put(out, "<span>(%z more)</span>", n - HEFT_HTML_COLOURS);
    heft_put(out, "</div>\n");
}

void heft_html_fact(heft_buf *out, const char *name, const char *format, ...)
{
    va_list args;
    HEFT_SIDE_TEXT(value, out);
    va_start(args, format);
    heft_vput(&value, format, args);
    va_end(args);
    heft_put(out, "<tr><th>%80h</th><td>%400h</td></tr>\n", name, heft_buf_string(&value));
}

void heft_html_confusion(heft_buf *out, const heft_confusion *m)
{
    heft_put(out, "<tr><th class=\"corner\">actual &darr; predicted &rarr;</th>");
    for (size_t b = 0; b < m->n; b++)
        heft_put(out, "<th scope=\"col\" class=\"up%s\"><span><bdi>%200h</bdi></span></th>",
                 m->n > m->turned_from ? " turn" : "", m->classes[b]);
    for (size_t a = 0; a < m->n; a++) {
        heft_put(out, "</tr>\n<tr><th scope=\"row\"><bdi>%200h</bdi></th>", m->classes[a]);
        for (size_t b = 0; b < m->n; b++) {
            const size_t here = m->cell[a * m->n + b];
            if (here)
                heft_put(out, "<td class=\"cell %s\" style=\"--o:%2f\">%z</td>",
                         a == b ? "right" : "wrong", (double)here / (double)m->total[a], here);
            else heft_put(out, "<td></td>");
        }
    }
    heft_put(out, "</tr>\n</table></div>\n");
}

/* ---- plots ---- */

void heft_html_figure(heft_buf *out, const char *caption)
{
    heft_put(out, "<figure><figcaption>%120h</figcaption>\n", caption);
}

static void open_wide(heft_buf *out, const char *id, double width, double height, const char *label)
{
    heft_put(out, "<svg id=\"%s\" viewBox=\"0 0 %0f %0f\" role=\"img\" aria-label=\"%200h\">\n", id,
             width, height, label);
}

void heft_svg_open_small(heft_buf *out, const char *id, double height, const char *label)
{
    open_wide(out, id, HEFT_SMALL_WIDTH, height, label);
}

void heft_plot_open(heft_buf *out, const char *caption, const char *id, double height,
                    const char *label)
{
    heft_html_figure(out, caption);
    open_wide(out, id, HEFT_PLOT_WIDTH, height, label);
}

void heft_plot_end(heft_buf *out, const char *below, ...)
{
    va_list args;
    heft_put(out, "</svg>\n");
    va_start(args, below);
    heft_vput(out, below, args);
    va_end(args);
    heft_put(out, "</figure>\n");
}

static double shown(double x)
{
    return isfinite(x) ? x : 0;
}

static void put_end(heft_buf *out, const char *element, const char *hint, va_list args)
{
    HEFT_SIDE_TEXT(text, out);
    if (hint) heft_vput(&text, hint, args);
    if (hint) heft_put(out, "><title>%300h</title></%s>\n", heft_buf_string(&text), element);
    else heft_put(out, "/>\n");
}

double heft_scale_at(const heft_scale *s, double x)
{
    const double share = s->hi > s->lo ? (x - s->lo) / (s->hi - s->lo) : 0.5;
    return s->from + (s->to - s->from) * (isfinite(share) ? fmin(fmax(share, 0), 1) : 0.5);
}

void heft_scale_reach(heft_scale *s, double x)
{
    s->lo = fmin(s->lo, x);
    s->hi = fmax(s->hi, x);
}

void heft_svg_rect(heft_buf *out, const char *style, heft_box at, const char *hint, ...)
{
    va_list args;
    heft_put(out, "<rect class=\"%s\" x=\"%1f\" y=\"%1f\" width=\"%1f\" height=\"%1f\"", style,
             shown(at.x), shown(at.y), shown(fmax(at.w, 0)), shown(fmax(at.h, 0)));
    va_start(args, hint);
    put_end(out, "rect", hint, args);
    va_end(args);
}

void heft_svg_line(heft_buf *out, const char *style, double x1, double y1, double x2, double y2)
{
    heft_put(out, "<line class=\"%s\" x1=\"%1f\" y1=\"%1f\" x2=\"%1f\" y2=\"%1f\"/>\n", style,
             shown(x1), shown(y1), shown(x2), shown(y2));
}

void heft_svg_dot(heft_buf *out, const char *style, double x, double y, double r, const char *hint,
                  ...)
{
    va_list args;
    heft_put(out, "<circle class=\"%s\" cx=\"%1f\" cy=\"%1f\" r=\"%1f\"", style, shown(x), shown(y),
             shown(r));
    va_start(args, hint);
    put_end(out, "circle", hint, args);
    va_end(args);
}

void heft_svg_path_open(heft_buf *out, size_t colour)
{
    heft_put(out, "<path class=\"bold l%z\" d=\"", colour % HEFT_HTML_COLOURS);
}

void heft_svg_point(heft_buf *out, bool first, double x, double y)
{
    heft_put(out, "%s%1f %1f", first ? "M" : "L", shown(x), shown(y));
}

void heft_svg_path_close(heft_buf *out)
{
    heft_put(out, "\"/>\n");
}

void heft_svg_text(heft_buf *out, const char *style, double x, double y, const char *text,
                   size_t most)
{
    heft_put(out, "<text class=\"%s\" x=\"%1f\" y=\"%1f\">", style, shown(x), shown(y));
    heft_html_text(out, text, most);
    heft_put(out, "</text>\n");
}

/* Returns about how wide a character of 12 pixels is. */
static double width_of(const char *s)
{
    const unsigned char c = (unsigned char)*s;
    if (c >= 0xe1) return 14; /* ideographs and pictures */
    if (strchr("iljtfrI.,:;'|!()[] -", c)) return 5;
    if (strchr("mwMW@%", c)) return 12;
    return c >= 'A' && c <= 'Z' ? 9 : 7.5;
}

double heft_svg_width(const char *text, size_t most)
{
    char   safe[4 * HEFT_SVG_LABEL];
    double width = 0;
    heft_show(safe, sizeof safe, text, strlen(text), most);
    for (const char *s = safe; *s; s += heft_utf8_at(s, strlen(s))) width += width_of(s);
    return width;
}

/* The length of the first line of s, `width` pixels wide: to the end, after a sign that ends a
 * word, or in the middle of a word. */
static size_t line_length(const char *s, double width)
{
    size_t at = 0, end_of_word = 0;
    for (double used = 0; s[at]; at += heft_utf8_at(s + at, strlen(s + at))) {
        used += width_of(s + at);
        if (used > width && at) return end_of_word ? end_of_word : at;
        if (strchr(" -_,;./:", s[at])) end_of_word = at + 1;
    }
    return at;
}

size_t heft_svg_lines(heft_buf *out, const char *style, double x, double y, const char *text,
                      double width)
{
    char        safe[4 * HEFT_SVG_LABEL], line[4 * HEFT_SVG_LABEL];
    const char *s = safe;
    size_t      n = 0;
    heft_show(safe, sizeof safe, text, strlen(text), HEFT_SVG_LABEL);
    if (out) heft_put(out, "<text class=\"%s\">", style);
    do {
        const size_t length = line_length(s, width);
        memcpy(line, s, length);
        line[length] = 0;
        if (out)
            heft_put(out, "<tspan x=\"%1f\" y=\"%1f\">%255h</tspan>", shown(x),
                     shown(y + HEFT_SVG_LINE * (double)n), line);
        s += length;
        n++;
    } while (*s);
    if (out) heft_put(out, "</text>\n");
    return n;
}

void heft_svg_number(heft_buf *out, const char *style, double x, double y, double number,
                     int digits)
{
    heft_put(out, "<text class=\"%s\" x=\"%1f\" y=\"%1f\">", style, shown(x), shown(y));
    heft_buf_short(out, number, digits);
    heft_put(out, "</text>\n");
}

double heft_round_step(double lo, double hi, int n)
{
    static const double nice[] = {1, 2, 2.5, 5, 10};
    const double        least = (hi - lo) / n;
    if (!(least > 0) || !isfinite(least)) return 1;
    const double unit = pow(10, floor(log10(least)));
    for (size_t k = 0; k < sizeof nice / sizeof *nice; k++)
        if (nice[k] * unit >= least * (1 - 1e-9)) return nice[k] * unit;
    return 10 * unit;
}

/* Draws a horizontal axis at y = `at`, or a vertical one at x = `at`. */
static void put_axis(heft_buf *out, const heft_scale *s, double at, double across, bool vertical)
{
    const double step = heft_round_step(s->lo, s->hi, 5);
    const double first = ceil(s->lo / step - 1e-9) * step;
    const double n = floor((s->hi - first) / step + 1e-9) + 1;
    for (int k = 0; k < (n <= 12 ? n : 0); k++) {
        const double v = fabs(first + k * step) < step * 1e-9 ? 0 : first + k * step;
        const double to = heft_scale_at(s, v);
        if (vertical) heft_svg_line(out, "grid", at, to, across, to);
        else heft_svg_line(out, "grid", to, at, to, across);
        if (vertical) heft_svg_number(out, "soft end small", at - 4, to + 4, v, 4);
        else heft_svg_number(out, "soft mid small", to, at + 13, v, 4);
    }
    if (vertical) heft_svg_line(out, "axis", at, s->from, at, s->to);
    else heft_svg_line(out, "axis", s->from, at, s->to, at);
}

void heft_svg_axis_x(heft_buf *out, const heft_scale *s, double y, double across)
{
    put_axis(out, s, y, across, false);
}

void heft_svg_axis_y(heft_buf *out, const heft_scale *s, double x, double across)
{
    put_axis(out, s, x, across, true);
}

/* Writes an escaped text at x, y; turned: it is read from below. */
static void put_title(heft_buf *out, double x, double y, bool turned, const char *format,
                      va_list args)
{
    HEFT_SIDE_TEXT(text, out);
    heft_vput(&text, format, args);
    heft_put(out, "<text class=\"mid small\" ");
    if (turned) heft_put(out, "transform=\"translate(%1f %1f) rotate(-90)\">", x, y);
    else heft_put(out, "x=\"%1f\" y=\"%1f\">", x, y);
    heft_put(out, "%80h</text>\n", heft_buf_string(&text));
}

void heft_svg_title_x(heft_buf *out, const heft_scale *s, double y, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_title(out, (s->from + s->to) / 2, y + 28, false, format, args);
    va_end(args);
}

void heft_svg_title_y(heft_buf *out, const heft_scale *s, double x, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_title(out, x - 34, (s->from + s->to) / 2, true, format, args);
    va_end(args);
}

void heft_svg_axes(heft_buf *out, const heft_scale *x, const heft_scale *y)
{
    heft_svg_axis_x(out, x, y->from, y->to);
    heft_svg_axis_y(out, y, x->from, x->to);
}
