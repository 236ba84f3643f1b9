/* html.h - one self-contained page: no network, light and dark, for screen and paper; and the marks
 * of its plots. Coordinates are in the plot's units, y downwards; classes name
 * colours and styles of html.c. Texts are escaped where nothing else is said. */
#pragma once

#include "base/put.h"

enum { HEFT_HTML_COLOURS = 10 }; /* .c0 to .c9 */
#define HEFT_PLOT_WIDTH  420.0
#define HEFT_SMALL_WIDTH 336.0 /* three in a row, or one on a phone, with text of its size */

/* The head of the page, up to and with <body>; `style` is NULL, or more lines of style ended by
 * NULL. */
void heft_html_begin(heft_buf *out, const char *title, const char *const *style);
/* Opens a page with a headline and a paragraph. `title` is escaped, `lead` is not. */
void heft_html_open(heft_buf *out, const char *title, const char *lead, const char *const *style);
/* A whole page: `still` is HTML for readers without scripts, which the script replaces by what it
 * draws from the document `json`. `title` is escaped. */
void heft_html_page(heft_buf *out, const char *title, const char *still, const char *json);
void heft_html_long(heft_buf *out, const char *text); /* escaped text of any length */
void heft_html_date(heft_buf *out);                   /* today's */
void heft_html_close(heft_buf *out);
/* A section shows its figures side by side where they fit. Its title and note are not escaped. */
void heft_html_section(heft_buf *out, const char *id, const char *title, const char *note);
void heft_html_section_end(heft_buf *out);
/* The colours of n things by name, the first HEFT_HTML_COLOURS of them. */
void heft_html_legend(heft_buf *out, size_t n, const char *const *names);
/* A line of a table of two columns; the value is formatted by heft_put. */
void heft_html_fact(heft_buf *out, const char *name, const char *format, ...);

/* The lines of a confusion matrix of n classes below its open <table ...> tag, up to
 * </table></div>; the colours are shares of the lines. `cell` has n x n counts, `total` the rows of
 * each actual class. */
typedef struct heft_confusion {
    size_t             n, turned_from; /* with more classes than that, column heads are turned */
    const size_t      *cell, *total;
    const char *const *classes;
} heft_confusion;
void heft_html_confusion(heft_buf *out, const heft_confusion *m);

/* A figure with its plots. Its end may write more below the plot, formatted by heft_put. */
void heft_html_figure(heft_buf *out, const char *caption);
/* Opens a plot HEFT_SMALL_WIDTH wide. */
void heft_svg_open_small(heft_buf *out, const char *id, double height, const char *label);
/* Opens a figure and a plot in it, HEFT_PLOT_WIDTH wide. */
void heft_plot_open(heft_buf *out, const char *caption, const char *id, double height,
                    const char *label);
void heft_plot_end(heft_buf *out, const char *below, ...);

typedef struct heft_scale { /* values lo..hi at from..to; values outside stay at the ends */
    double lo, hi, from, to;
} heft_scale;

double heft_scale_at(const heft_scale *s, double x);
void   heft_scale_reach(heft_scale *s, double x); /* as far as x; NAN changes nothing */

typedef struct heft_box { /* its upper left corner, width and height */
    double x, y, w, h;
} heft_box;

/* `hint` is NULL or what hovering shows, formatted by heft_put. */
void heft_svg_rect(heft_buf *out, const char *style, heft_box at, const char *hint, ...);
void heft_svg_dot(heft_buf *out, const char *style, double x, double y, double r, const char *hint,
                  ...);
void heft_svg_line(heft_buf *out, const char *style, double x1, double y1, double x2, double y2);
void heft_svg_path_open(heft_buf *out, size_t colour); /* then points, then close */
void heft_svg_point(heft_buf *out, bool first, double x, double y);
void heft_svg_path_close(heft_buf *out);
void heft_svg_text(heft_buf *out, const char *style, double x, double y, const char *text,
                   size_t most);
/* A label in lines of about `width`, the first at y; at most HEFT_SVG_LABEL bytes of it. Gives the
 * number of lines; out == NULL: nothing is written. */
enum { HEFT_SVG_LABEL = 72, HEFT_SVG_LINE = 14 };
size_t heft_svg_lines(heft_buf *out, const char *style, double x, double y, const char *text,
                      double width);
double heft_svg_width(const char *text, size_t most); /* about, of the first `most` bytes */
void   heft_svg_number(heft_buf *out, const char *style, double x, double y, double number,
                       int digits);

/* Ticks with numbers below a horizontal axis at y, or left of a vertical one at x; grid lines reach
 * to `across`. */
void heft_svg_axis_x(heft_buf *out, const heft_scale *s, double y, double across);
void heft_svg_axis_y(heft_buf *out, const heft_scale *s, double x, double across);
/* Titles of the axes, below and to the left of such axes; formatted by heft_put and escaped. */
void heft_svg_title_x(heft_buf *out, const heft_scale *s, double y, const char *format, ...);
void heft_svg_title_y(heft_buf *out, const heft_scale *s, double x, const char *format, ...);
/* Draws both axes, at the lower left corner of the plot. */
void heft_svg_axes(heft_buf *out, const heft_scale *x, const heft_scale *y);

/* Returns a round step that cuts [lo, hi] into at most n pieces. */
double heft_round_step(double lo, double hi, int n);
