/* svg.h - marks of a plot. Coordinates are in the plot's units, y downwards; classes name colours
 * and styles of html.c. Texts are escaped. */
#pragma once

#include "pages/html.h"

typedef struct heft_scale { /* values lo..hi at from..to; values outside stay at the ends */
    double lo, hi, from, to;
} heft_scale;

double heft_scale_at(const heft_scale *s, double x);
/* A round step that cuts [lo, hi] into at most n pieces. */
double heft_round_step(double lo, double hi, int n);

/* A text for heft_svg_rect and heft_svg_dot, formatted by heft_put; it overwrites the buffer. NULL
 * after a failed allocation. */
const char *heft_hint(heft_buf *buf, const char *format, ...);

void heft_svg_open(heft_buf *out, const char *id, double width, double height, const char *label);
void heft_svg_close(heft_buf *out);

/* opacity < 0: full. `hint` (shown on hover) is a finished text or NULL. */
void heft_svg_rect(heft_buf *out, const char *style, double x, double y, double w, double h,
                   double opacity, const char *hint);
void heft_svg_line(heft_buf *out, const char *style, double x1, double y1, double x2, double y2);
void heft_svg_dot(heft_buf *out, const char *style, double x, double y, double r, const char *hint);
void heft_svg_path_open(heft_buf *out, const char *style); /* then points, then close */
void heft_svg_point(heft_buf *out, bool first, double x, double y);
void heft_svg_path_close(heft_buf *out);
void heft_svg_text(heft_buf *out, const char *style, double x, double y, const char *text,
                   size_t most);
void heft_svg_number(heft_buf *out, const char *style, double x, double y, double number,
                     int digits);

/* Ticks with numbers below a horizontal axis at y, or left of a vertical one at x; grid lines reach
 * to `across`. */
void heft_svg_axis_x(heft_buf *out, const heft_scale *s, double y, double across);
void heft_svg_axis_y(heft_buf *out, const heft_scale *s, double x, double across);

/* A confusion matrix, count[truth * n + predicted], as a plot of the given width. */
void heft_svg_confusion(heft_buf *out, const char *id, double width, size_t n,
                        const char *const *classes, const size_t *count);
