/* compare_curves.c - each measure against noise, training rows and attributes. */
#include <math.h>
#include <string.h>

#include "pages/compare.h"

enum { POINTS = 400 };
static const double WIDTH = HEFT_SMALL_WIDTH, BASE = 220;

/* One per list of the plan: noise, learn, dimensions. */
static const struct axis {
    const char *id, *caption, *label;
} axes[] = {
    {"curve-noise", "wrong classes in the training rows", "training rows with a wrong class, %"},
    {"curve-learn", "training rows", "training rows"},
    {"curve-dimensions", "attributes", "attributes"},
};
enum { AXES = sizeof axes / sizeof *axes };

typedef struct curve { /* the stages of a curve */
    size_t axis, stage[POINTS], n;
} curve;

/* Returns where a stage lies on axis a. */
static double along(const heft_compare *g, size_t a, size_t stage)
{
    const heft_stage *s = heft_stage_at(g->all, stage);
    const char       *text = s->dimensions ? s->dimensions : "0";
    double            x = 0;
    if (a < 2) return a == 0 ? 100 * s->noise : s->learn;
    heft_parse_double(text, text + strcspn(text, "%"), &x);
    return x;
}

/* Returns the title of the axis: shares are below 1, or written with %. */
static const char *label_of(const heft_compare *g, const curve *c, double most)
{
    const char *text = heft_stage_at(g->all, c->stage[0])->dimensions;
    if (c->axis == 1 && most <= 1) return "share of the training rows";
    if (c->axis == 2 && text && strchr(text, '%')) return "share of the attributes, %";
    return axes[c->axis].label;
}

/* Returns the mean of measure k at a stage, over the data sets that the method completed at all
 * points. */
static double height(const heft_compare *g, const curve *c, size_t at, size_t m, size_t k)
{
    double sum = 0, count = 0;
    for (size_t d = 0; d < g->all->n_data; d++) {
        bool whole = true;
        for (size_t i = 0; i < c->n && whole; i++)
            whole = !isnan(heft_compare_value(heft_cell_in_stage(g->all, c->stage[i], d, m), k));
        if (!whole) continue;
        sum += heft_compare_value(heft_cell_in_stage(g->all, c->stage[at], d, m), k);
        count++;
    }
    return count > 0 ? sum / count : (double)NAN;
}

static void draw_curve(const heft_compare *g, const curve *c, size_t m, size_t k,
                       const heft_scale *x, const heft_scale *y)
{
    if (isnan(height(g, c, 0, m, k))) return; /* then all are */
    heft_put(g->out, "<path class=\"bold l%z%s\" d=\"", m % HEFT_HTML_COLOURS,
             m < HEFT_HTML_COLOURS ? "" : " dash");
    for (size_t i = 0; i < c->n; i++)
        heft_svg_point(g->out, i == 0, heft_scale_at(x, along(g, c->axis, c->stage[i])),
                       heft_scale_at(y, height(g, c, i, m, k)));
    heft_svg_path_close(g->out);
    for (size_t i = 0; i < c->n; i++) {
        const double h = height(g, c, i, m, k);
        heft_compare_dot(g, m, heft_scale_at(x, along(g, c->axis, c->stage[i])),
                         heft_scale_at(y, h), 3.5, heft_stage_at(g->all, c->stage[i])->name, h);
    }
}

static void put_curve(const heft_compare *g, const curve *c, size_t k)
{
    heft_scale x = {INFINITY, -INFINITY, 50, WIDTH - 14}, y = {INFINITY, -INFINITY, BASE, 14};
    char       id[HEFT_COMPARE_ID];
    for (size_t i = 0; i < c->n; i++) {
        heft_scale_reach(&x, along(g, c->axis, c->stage[i]));
        for (size_t m = 0; m < g->n_method; m++) heft_scale_reach(&y, height(g, c, i, m, k));
    }
    if (!isfinite(y.lo)) return;
    heft_compare_widen(&y, k);
    heft_compare_figure(g, k, "%s against %s", k ? heft_compare_title(k) : "Accuracy",
                        axes[c->axis].caption);
    heft_compare_legend(g);
    heft_svg_open_small(g->out, heft_compare_id(id, axes[c->axis].id, k), BASE + 36,
                        axes[c->axis].caption);
    heft_svg_axes(g->out, &x, &y);
    for (size_t m = 0; m < g->n_method; m++) draw_curve(g, c, m, k, &x, &y);
    heft_svg_title_x(g->out, &x, BASE, "%s", label_of(g, c, x.hi));
    heft_svg_title_y(g->out, &y, x.from, "%s%s", g->r->n_data > 1 ? "mean " : "",
                     heft_compare_title(k));
    heft_plot_end(g->out, g->all->n_data == 1 ? ""
                                              : "<p>Each point is the mean over the data sets that "
                                                "the method completed at all points.</p>\n");
}

void heft_compare_curves(const heft_compare *g)
{
    bool  any = false;
    curve c;
    for (size_t a = 0; a < AXES; a++) {
        c.axis = a;
        c.n = 0; /* stages that differ from the full one along this axis only */
        for (size_t s = 0; s < heft_n_stages(g->all) && c.n < POINTS; s++) {
            bool on = true;
            for (size_t b = 0; b < AXES; b++)
                on = on && (b == a || along(g, b, s) == along(g, b, g->full));
            if (on) c.stage[c.n++] = s;
        }
        if (c.n < 2) continue;
        if (!any)
            heft_html_section(g->out, "curves", "Curves",
                              "The training rows were changed; the test rows were not.");
        any = true;
        for (size_t k = 0; k < HEFT_N_DRAWN; k++)
            if (g->applies[k]) put_curve(g, &c, k);
    }
    if (any) heft_html_section_end(g->out);
}
