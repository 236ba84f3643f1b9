/* compare_plots.c - each measure against time, and on every data set. */
#include <math.h>

#include "pages/compare.h"

enum { SHORT = 24 /* bytes of a name beside a point */ };
static const double WIDTH = HEFT_SMALL_WIDTH, LEFT = 128, EDGE = 16;

/* ---- against time ---- */

/* Finds the means of a method over the data sets that it completed; NAN: there is none. */
static void find_means(const heft_compare *g, size_t m, size_t k, double *seconds, double *value)
{
    double n = 0;
    *seconds = *value = 0;
    for (size_t d = 0; d < g->r->n_data; d++) {
        const heft_cell *cell = heft_cell_of(g->r, d, m);
        const double     x = heft_compare_value(cell, k);
        if (isnan(x)) continue;
        *value += x;
        *seconds += cell->fit_seconds + cell->predict_seconds;
        n++;
    }
    *value = n > 0 ? *value / n : (double)NAN;
    *seconds = n > 0 ? fmax(*seconds / n, 1e-6) : (double)NAN;
}

/* Draws a logarithmic axis; the scale is in powers of ten. There are numbers at 1, 2 and 5 of a
 * decade where there are few decades. */
static void draw_decades(heft_buf *out, const heft_scale *x, const heft_scale *y)
{
    const bool few = x->hi - x->lo < 2.2;
    for (double e = floor(x->lo); e <= ceil(x->hi); e++)
        for (int digit = 1; digit < 10; digit++) {
            const double power = e + log10(digit), at = heft_scale_at(x, power);
            if (power < x->lo - 1e-9 || power > x->hi + 1e-9) continue;
            heft_svg_line(out, digit == 1 ? "grid decade" : "grid", at, y->from, at,
                          digit == 1 ? y->to : y->from - 4);
            if (digit == 1 || (few && (digit == 2 || digit == 5)))
                heft_svg_number(out, "soft mid small", at, y->from + 14, pow(10, e) * digit, 2);
        }
    heft_svg_line(out, "axis", x->from, y->from, x->to, y->from);
}

static bool meet(const heft_box *a, const heft_box *b)
{
    return a->x < b->x + b->w && b->x < a->x + a->w && a->y < b->y + b->h && b->y < a->y + a->h;
}

/* Draws the label of point m where it covers nothing drawn before; none where there is no such
 * place. */
static void put_label(const heft_compare *g, heft_box *taken, size_t *n, size_t m, double u,
                      double v)
{
    static const double sides[4][2] = {{0, -9}, {0, 17}, {1, 4}, {-1, 4}};
    const double        wide = heft_svg_width(g->r->methods[m], SHORT);
    for (size_t k = 0; k < 4; k++) {
        const double   mid = u + sides[k][0] * (wide / 2 + 9), base = v + sides[k][1];
        const heft_box own = {mid - wide / 2, base - 11, wide, 14};
        bool           is_free = own.x > 44 && own.x + wide < WIDTH && own.y > 0 && base < 220;
        for (size_t i = 0; i < *n && is_free; i++) is_free = !meet(&own, &taken[i]);
        if (!is_free) continue;
        heft_svg_text(g->out, "small mid", mid, base, g->r->methods[m], SHORT);
        taken[(*n)++] = own;
        return;
    }
}

static void put_time(const heft_compare *g, size_t k)
{
    heft_scale x = {INFINITY, -INFINITY, 50, WIDTH - 22}, y = {INFINITY, -INFINITY, 220, 20};
    double     at[HEFT_COMPARE_METHODS][2];
    heft_box   taken[2 * HEFT_COMPARE_METHODS];
    size_t     n = 0;
    char       id[HEFT_COMPARE_ID];
    for (size_t m = 0; m < g->n_method; m++) {
        find_means(g, m, k, &at[m][0], &at[m][1]);
        at[m][0] = log10(at[m][0]);
        heft_scale_reach(&x, at[m][0]);
        heft_scale_reach(&y, at[m][1]);
    }
    if (!isfinite(x.lo)) return;
    const double more = fmax(0.15, (1.2 - (x.hi - x.lo)) / 2);
    x.lo -= more;
    x.hi += more;
    heft_compare_widen(&y, k);
    heft_compare_figure(g, k, "%s against time", k ? heft_compare_title(k) : "Accuracy");
    heft_compare_legend(g);
    heft_svg_open_small(g->out, heft_compare_id(id, "time", k), 256, "a measure against time");
    draw_decades(g->out, &x, &y);
    heft_svg_axis_y(g->out, &y, x.from, x.to);
    for (size_t m = 0; m < g->n_method; m++) {
        const double u = heft_scale_at(&x, at[m][0]), v = heft_scale_at(&y, at[m][1]);
        if (isnan(at[m][1])) continue;
        heft_compare_dot(g, m, u, v, 5.5, heft_compare_title(k), at[m][1]);
        taken[n++] = (heft_box){u - 6, v - 6, 12, 12};
    }
    for (size_t m = 0; m < g->n_method; m++)
        if (!isnan(at[m][1]))
            put_label(g, taken, &n, m, heft_scale_at(&x, at[m][0]), heft_scale_at(&y, at[m][1]));
    heft_svg_title_x(g->out, &x, y.from, "seconds to fit and predict%s (logarithmic)",
                     g->r->folds > 1 ? ", all folds" : "");
    heft_svg_title_y(g->out, &y, x.from, "%s%s", g->r->n_data > 1 ? "mean " : "",
                     heft_compare_title(k));
    heft_plot_end(g->out, "<p>%s</p>",
                  heft_compare_higher(k) ? "Better: up and to the left."
                                         : "Better: down and to the left.");
}

void heft_compare_time(const heft_compare *g)
{
    if (g->r->n_method < 2) return;
    for (size_t k = 0; k < HEFT_N_DRAWN; k++)
        if (g->applies[k]) put_time(g, k);
}

/* ---- on every data set ---- */

/* Finds the whiskers of a dot: the interval, or the standard deviation over folds. */
static bool find_whiskers(const heft_cell *cell, size_t k, double *low, double *high)
{
    if (heft_compare_interval(cell, k, low, high)) return true;
    if (cell->failure || k || cell->n_folds < 2) return false;
    *low = 100 * fmax(0, cell->accuracy - cell->accuracy_sd);
    *high = 100 * fmin(1, cell->accuracy + cell->accuracy_sd);
    return true;
}

/* Returns the name of a line of the plot: a data set, or a method where there is one data set. */
static const char *line_name(const heft_compare *g, size_t i)
{
    return g->n_data == 1 ? g->r->methods[i] : g->r->sets[i].name;
}

static double line_height(const heft_compare *g, size_t i)
{
    const size_t lines = heft_svg_lines(NULL, "", 0, 0, line_name(g, i), HEFT_COMPARE_LABEL);
    const double methods = g->n_data == 1 ? 14 : 4 + 5 * (double)g->n_method;
    return 8 + fmax(HEFT_SVG_LINE * (double)lines, methods);
}

static void draw_cell(const heft_compare *g, size_t d, size_t m, size_t k, const heft_scale *s,
                      double y)
{
    const heft_cell *cell = heft_cell_of(g->r, d, m);
    const double     x = heft_compare_value(cell, k);
    double           low, high;
    if (isnan(x)) return;
    if (g->n_data == 1 && find_whiskers(cell, k, &low, &high))
        heft_svg_line(g->out, "whisker", heft_scale_at(s, low), y, heft_scale_at(s, high), y);
    heft_compare_dot(g, m, heft_scale_at(s, x), y, g->n_data == 1 ? 5 : 4, cell->dataset, x);
}

static void put_sets(const heft_compare *g, size_t k)
{
    const bool   one = g->n_data == 1;
    const size_t n = one ? g->n_method : g->n_data;
    heft_scale   s = {INFINITY, -INFINITY, LEFT, WIDTH - EDGE};
    double       foot = 8, low, high;
    char         id[HEFT_COMPARE_ID];
    for (size_t i = 0; i < g->n_data * g->n_method; i++) {
        const heft_cell *cell = heft_cell_of(g->r, i / g->n_method, i % g->n_method);
        heft_scale_reach(&s, heft_compare_value(cell, k));
        if (!one || !find_whiskers(cell, k, &low, &high)) continue;
        heft_scale_reach(&s, low);
        heft_scale_reach(&s, high);
    }
    if (!isfinite(s.lo)) return;
    heft_compare_widen(&s, k);
    for (size_t i = 0; i < n; i++) foot += line_height(g, i);
    heft_compare_figure(g, k, one ? "%s of every method" : "%s on every data set",
                        k ? heft_compare_title(k) : "Accuracy");
    if (!one) heft_compare_legend(g);
    heft_svg_open_small(g->out, heft_compare_id(id, "sets", k), foot + 36,
                        "a measure by data set and method");
    heft_svg_axis_x(g->out, &s, foot, 4);
    heft_svg_title_x(g->out, &s, foot, "%s", heft_compare_title(k));
    double y = 8;
    for (size_t i = 0; i < n; i++) {
        const double tall = line_height(g, i);
        heft_svg_lines(g->out, "end", LEFT - 8, y + HEFT_SVG_LINE, line_name(g, i),
                       HEFT_COMPARE_LABEL);
        heft_svg_line(g->out, "grid", s.from, y + tall, s.to, y + tall);
        for (size_t m = 0; m < g->n_method; m++)
            if (!one || m == i)
                draw_cell(g, one ? 0 : i, m, k, &s, y + (one ? tall / 2 : 9 + 5 * (double)m));
        y += tall;
    }
    heft_plot_end(g->out, !one                       ? ""
                          : g->r->cells[0].intervals ? "<p>Lines: confidence intervals.</p>"
                          : k == 0 && g->r->folds > 1
                              ? "<p>Lines: one standard deviation over the folds.</p>"
                              : "");
}

void heft_compare_sets(const heft_compare *g)
{
    for (size_t k = 0; k < HEFT_N_DRAWN; k++)
        if (g->applies[k]) put_sets(g, k);
}
