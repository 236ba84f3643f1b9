/* svg.c - rectangles, lines, dots, paths, texts and axes. */
#include "pages/svg.h"

#include <math.h>

static double shown(double x)
{
    return isfinite(x) ? x : 0;
}

const char *heft_hint(heft_buf *buf, const char *format, ...)
{
    va_list args;
    buf->length = 0;
    va_start(args, format);
    heft_vput(buf, format, args);
    va_end(args);
    const char *text = heft_buf_string(buf);
    return buf->failed ? NULL : text;
}

static void put_end(heft_buf *out, const char *element, const char *hint)
{
    if (hint) heft_put(out, "><title>%300h</title></%s>\n", hint, element);
    else heft_put(out, "/>\n");
}

double heft_scale_at(const heft_scale *s, double x)
{
    const double share = s->hi > s->lo ? (x - s->lo) / (s->hi - s->lo) : 0.5;
    return s->from + (s->to - s->from) * (isfinite(share) ? fmin(fmax(share, 0), 1) : 0.5);
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

void heft_svg_open(heft_buf *out, const char *id, double width, double height, const char *label)
{
    heft_put(out, "<svg id=\"%s\" viewBox=\"0 0 %0f %0f\" role=\"img\" aria-label=\"%200h\">\n", id,
             width, height, label);
}

void heft_svg_close(heft_buf *out)
{
    heft_put(out, "</svg>\n");
}

void heft_svg_rect(heft_buf *out, const char *style, double x, double y, double w, double h,
                   double opacity, const char *hint)
{
    heft_put(out, "<rect class=\"%s\" x=\"%1f\" y=\"%1f\" width=\"%1f\" height=\"%1f\"", style,
             shown(x), shown(y), shown(fmax(w, 0)), shown(fmax(h, 0)));
    if (opacity >= 0) heft_put(out, " fill-opacity=\"%3f\"", fmin(opacity, 1));
    put_end(out, "rect", hint);
}

void heft_svg_line(heft_buf *out, const char *style, double x1, double y1, double x2, double y2)
{
    heft_put(out, "<line class=\"%s\" x1=\"%1f\" y1=\"%1f\" x2=\"%1f\" y2=\"%1f\"/>\n", style,
             shown(x1), shown(y1), shown(x2), shown(y2));
}

void heft_svg_dot(heft_buf *out, const char *style, double x, double y, double r, const char *hint)
{
    heft_put(out, "<circle class=\"%s\" cx=\"%1f\" cy=\"%1f\" r=\"%1f\"", style, shown(x), shown(y),
             shown(r));
    put_end(out, "circle", hint);
}

void heft_svg_path_open(heft_buf *out, const char *style)
{
    heft_put(out, "<path class=\"%s\" d=\"", style);
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

void heft_svg_number(heft_buf *out, const char *style, double x, double y, double number,
                     int digits)
{
    heft_put(out, "<text class=\"%s\" x=\"%1f\" y=\"%1f\">", style, shown(x), shown(y));
    heft_buf_short(out, number, digits);
    heft_put(out, "</text>\n");
}

/* Tick k of a scale; false past the last. */
static bool tick(const heft_scale *s, int k, double *v, double *at)
{
    const double step = heft_round_step(s->lo, s->hi, 5);
    const double first = ceil(s->lo / step - 1e-9) * step;
    const double n = floor((s->hi - first) / step + 1e-9) + 1;
    *v = fabs(first + k * step) < step * 1e-9 ? 0 : first + k * step;
    *at = heft_scale_at(s, *v);
    return n <= 12 && k < n;
}

void heft_svg_axis_x(heft_buf *out, const heft_scale *s, double y, double across)
{
    double v, x;
    for (int k = 0; tick(s, k, &v, &x); k++) {
        heft_svg_line(out, "grid", x, y, x, across);
        heft_svg_number(out, "soft mid small", x, y + 13, v, 4);
    }
    heft_svg_line(out, "axis", s->from, y, s->to, y);
}

void heft_svg_axis_y(heft_buf *out, const heft_scale *s, double x, double across)
{
    double v, y;
    for (int k = 0; tick(s, k, &v, &y); k++) {
        heft_svg_line(out, "grid", x, y, across, y);
        heft_svg_number(out, "soft end small", x - 4, y + 4, v, 4);
    }
    heft_svg_line(out, "axis", x, s->from, x, s->to);
}

/* ---- confusion ---- */

static void confusion_row(heft_buf *out, size_t n, const char *const *classes, const size_t *count,
                          size_t a, double left, double side)
{
    const double y = 20 + side * (double)a;
    double       all = 0;
    for (size_t b = 0; b < n; b++) all += (double)count[a * n + b];
    heft_svg_text(out, "end", left - 6, y + side / 2 + 4, classes[a], 14);
    if (side >= 34)
        heft_svg_text(out, "mid small soft", left + side * ((double)a + 0.5), 14, classes[a],
                      side > 50 ? 9 : 6);
    for (size_t b = 0; b < n; b++) {
        const double here = (double)count[a * n + b], share = all > 0 ? here / all : 0;
        heft_buf     hint = {0};
        heft_svg_rect(
            out, a == b ? "up" : "down", left + side * (double)b + 0.5, y + 0.5, side - 1, side - 1,
            0.06 + 0.7 * share,
            heft_hint(&hint, "%60q taken for %60q: %z", classes[a], classes[b], count[a * n + b]));
        if (side >= 22 && here > 0)
            heft_svg_number(out, "mid small", left + side * ((double)b + 0.5), y + side / 2 + 4,
                            here, 9);
        heft_buf_clear(&hint);
    }
}

void heft_svg_confusion(heft_buf *out, const char *id, double width, size_t n,
                        const char *const *classes, const size_t *count)
{
    const double left = 116, side = fmin((width - left - 4) / (double)n, 60);
    heft_svg_open(out, id, width, 24 + side * (double)n, "confusion matrix");
    for (size_t a = 0; a < n; a++) confusion_row(out, n, classes, count, a, left, side);
    heft_svg_close(out);
}
