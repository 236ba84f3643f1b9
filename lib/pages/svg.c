/* svg.c - rectangles, lines, dots, paths, texts and axes. */
#include "pages/svg.h"

#include <math.h>

#include "explain/grid.h"

static void put(heft_buf *out, const char *name, double x)
{
    heft_buf_printf(out, " %s=\"", name);
    heft_buf_fixed(out, isfinite(x) ? x : 0, 1);
    heft_buf_text(out, "\"");
}

static void put_end(heft_buf *out, const char *element, const char *hint)
{
    if (!hint) {
        heft_buf_text(out, "/>\n");
        return;
    }
    heft_buf_text(out, "><title>");
    heft_html_text(out, hint, 300);
    heft_buf_printf(out, "</title></%s>\n", element);
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
    heft_buf_printf(out, "<svg id=\"%s\" viewBox=\"0 0 ", id);
    heft_buf_fixed(out, width, 0);
    heft_buf_text(out, " ");
    heft_buf_fixed(out, height, 0);
    heft_buf_text(out, "\" role=\"img\" aria-label=\"");
    heft_html_text(out, label, 200);
    heft_buf_text(out, "\">\n");
}

void heft_svg_close(heft_buf *out)
{
    heft_buf_text(out, "</svg>\n");
}

void heft_svg_rect(heft_buf *out, const char *style, double x, double y, double w, double h,
                   double opacity, const char *hint)
{
    heft_buf_printf(out, "<rect class=\"%s\"", style);
    put(out, "x", x);
    put(out, "y", y);
    put(out, "width", fmax(w, 0));
    put(out, "height", fmax(h, 0));
    if (opacity >= 0) {
        heft_buf_text(out, " fill-opacity=\"");
        heft_buf_fixed(out, fmin(opacity, 1), 3);
        heft_buf_text(out, "\"");
    }
    put_end(out, "rect", hint);
}

void heft_svg_line(heft_buf *out, const char *style, double x1, double y1, double x2, double y2)
{
    heft_buf_printf(out, "<line class=\"%s\"", style);
    put(out, "x1", x1);
    put(out, "y1", y1);
    put(out, "x2", x2);
    put(out, "y2", y2);
    heft_buf_text(out, "/>\n");
}

void heft_svg_dot(heft_buf *out, const char *style, double x, double y, double r, const char *hint)
{
    heft_buf_printf(out, "<circle class=\"%s\"", style);
    put(out, "cx", x);
    put(out, "cy", y);
    put(out, "r", r);
    put_end(out, "circle", hint);
}

void heft_svg_path_open(heft_buf *out, const char *style)
{
    heft_buf_printf(out, "<path class=\"%s\" d=\"", style);
}

void heft_svg_point(heft_buf *out, bool first, double x, double y)
{
    heft_buf_text(out, first ? "M" : "L");
    heft_buf_fixed(out, isfinite(x) ? x : 0, 1);
    heft_buf_text(out, " ");
    heft_buf_fixed(out, isfinite(y) ? y : 0, 1);
}

void heft_svg_path_close(heft_buf *out)
{
    heft_buf_text(out, "\"/>\n");
}

static void text_open(heft_buf *out, const char *style, double x, double y)
{
    heft_buf_printf(out, "<text class=\"%s\"", style);
    put(out, "x", x);
    put(out, "y", y);
    heft_buf_text(out, ">");
}

void heft_svg_text(heft_buf *out, const char *style, double x, double y, const char *text,
                   size_t most)
{
    text_open(out, style, x, y);
    heft_html_text(out, text, most);
    heft_buf_text(out, "</text>\n");
}

void heft_svg_number(heft_buf *out, const char *style, double x, double y, double number,
                     int digits)
{
    text_open(out, style, x, y);
    heft_buf_short(out, number, digits);
    heft_buf_text(out, "</text>\n");
}

/* First tick of a scale, and how many there are. */
static int ticks(const heft_scale *s, double *first, double *step)
{
    *step = heft_round_step(s->lo, s->hi, 5);
    *first = ceil(s->lo / *step - 1e-9) * *step;
    const double n = floor((s->hi - *first) / *step + 1e-9) + 1;
    return n >= 1 && n <= 12 ? (int)n : 0;
}

void heft_svg_axis_x(heft_buf *out, const heft_scale *s, double y, double across)
{
    double    first, step;
    const int n = ticks(s, &first, &step);
    for (int k = 0; k < n; k++) {
        const double v = fabs(first + k * step) < step * 1e-9 ? 0 : first + k * step;
        const double x = heft_scale_at(s, v);
        heft_svg_line(out, "grid", x, y, x, across);
        heft_svg_number(out, "soft mid small", x, y + 13, v, 4);
    }
    heft_svg_line(out, "axis", s->from, y, s->to, y);
}

void heft_svg_axis_y(heft_buf *out, const heft_scale *s, double x, double across)
{
    double    first, step;
    const int n = ticks(s, &first, &step);
    for (int k = 0; k < n; k++) {
        const double v = fabs(first + k * step) < step * 1e-9 ? 0 : first + k * step;
        const double y = heft_scale_at(s, v);
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
        heft_buf_name(&hint, classes[a], 60);
        heft_buf_text(&hint, " taken for ");
        heft_buf_name(&hint, classes[b], 60);
        heft_buf_printf(&hint, ": %zu", count[a * n + b]);
        heft_buf_add(&hint, "", 1);
        heft_svg_rect(out, a == b ? "up" : "down", left + side * (double)b + 0.5, y + 0.5, side - 1,
                      side - 1, 0.06 + 0.7 * share, hint.failed ? NULL : hint.data);
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
