/* report_curves.c - of a comparison's page: how accuracy goes with noise, rows and attributes, and
 * which classes are taken for which. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "explain/grid.h"
#include "pages/compare.h"

enum { FIGURES = 12, CLASSES = 20, POINTS = 400 };
static const double BASE = 232; /* of the curves */

/* ---- curves ---- */

/* One per list of the plan: noise, learn, dimensions. */
static const struct axis {
    const char *id, *caption, *label;
} axes[] = {
    {"curve-noise", "Accuracy (%) against wrong classes in the training rows",
     "training rows of wrong class, %"},
    {"curve-learn", "Accuracy (%) against training rows", "training rows"},
    {"curve-dimensions", "Accuracy (%) against attributes", "attributes"},
};
enum { AXES = sizeof axes / sizeof *axes };

/* Where the stage is on axis a. */
static double along(const heft_comparison *g, size_t a, size_t stage)
{
    const heft_stage *s = heft_results_stage(g->all, stage);
    const char       *text = s->dimensions ? s->dimensions : "0";
    double            x = 0;
    if (a < 2) return a == 0 ? 100 * s->noise : s->learn;
    heft_parse_double(text, text + strcspn(text, "%"), &x);
    return x;
}

/* The stages that differ from the first along one axis only: points of the curve. */
static size_t points_of(const heft_comparison *g, size_t a, size_t *stage)
{
    size_t n = 0;
    for (size_t s = 0; s < heft_results_stages(g->all) && n < POINTS; s++) {
        bool on = true;
        for (size_t b = 0; b < AXES; b++) on = on && (b == a || along(g, b, s) == along(g, b, 0));
        if (on) stage[n++] = s;
    }
    return n;
}

/* Mean accuracy of a method at a stage, over the data sets it could do at all points. */
static double height(const heft_comparison *g, const size_t *stage, size_t n, size_t at, size_t m)
{
    double sum = 0, count = 0;
    for (size_t d = 0; d < g->all->n_data; d++) {
        bool whole = true;
        for (size_t k = 0; k < n; k++)
            whole = whole && !heft_results_cell_at(g->all, stage[k], d, m)->failure;
        if (!whole) continue;
        sum += heft_results_cell_at(g->all, stage[at], d, m)->accuracy;
        count++;
    }
    return count > 0 ? 100 * sum / count : (double)NAN;
}

static void draw_curve(const heft_comparison *g, size_t a, const size_t *stage, size_t n, size_t m,
                       const heft_scale *x, const heft_scale *y)
{
    char   style[24];
    double u[POINTS], h[POINTS];
    for (size_t k = 0; k < n; k++) {
        u[k] = heft_scale_at(x, along(g, a, stage[k]));
        h[k] = height(g, stage, n, k, m);
        if (isnan(h[k])) return; /* then all are */
    }
    snprintf(style, sizeof style, "bold l%zu", m % HEFT_HTML_COLOURS);
    heft_svg_path_open(g->out, style);
    for (size_t k = 0; k < n; k++) heft_svg_point(g->out, k == 0, u[k], heft_scale_at(y, h[k]));
    heft_svg_path_close(g->out);
    for (size_t k = 0; k < n; k++)
        heft_compare_dot(g, m, u[k], heft_scale_at(y, h[k]), 3.2, ", ",
                         heft_results_stage(g->all, stage[k])->name, h[k]);
}

static void write_curve(const heft_comparison *g, size_t which, const size_t *stage, size_t n)
{
    const struct axis *a = &axes[which];
    heft_scale         x = {INFINITY, -INFINITY, 44, HEFT_COMPARE_WIDTH - 16};
    heft_scale         y = {INFINITY, -INFINITY, BASE, 14};
    for (size_t k = 0; k < n; k++) {
        heft_compare_reach(&x, along(g, which, stage[k]));
        for (size_t m = 0; m < g->n_method; m++) heft_compare_reach(&y, height(g, stage, n, k, m));
    }
    if (!isfinite(y.lo)) return;
    heft_compare_widen(&y);
    y.hi = fmin(y.hi, 100);
    heft_compare_open(g, a->id, a->caption, a->caption, BASE + 34);
    heft_svg_axis_x(g->out, &x, y.from, y.to);
    heft_svg_axis_y(g->out, &y, x.from, x.to);
    for (size_t m = 0; m < g->n_method; m++) draw_curve(g, which, stage, n, m, &x, &y);
    heft_svg_text(g->out, "soft small mid", (x.from + x.to) / 2, BASE + 28,
                  which == 1 && x.hi <= 1 ? "share of the training rows" : a->label, 60);
    heft_svg_close(g->out);
    if (g->all->n_data > 1)
        heft_put(g->out, "<p>The mean over the data sets that a method did throughout.</p>\n");
    heft_html_figure_end(g->out);
}

void heft_compare_curves(const heft_comparison *g)
{
    size_t stage[POINTS];
    bool   any = false;
    for (size_t a = 0; a < AXES; a++) {
        const size_t n = points_of(g, a, stage);
        if (n < 2) continue;
        if (!any)
            heft_html_section(g->out, "curves", "Curves",
                              "What the methods learned from was changed; what they were tested on "
                              "was not.");
        any = true;
        write_curve(g, a, stage, n);
    }
    if (any) heft_html_section_end(g->out);
}

/* ---- confusion ---- */

static void write_matrix(const heft_comparison *g, size_t d, size_t m)
{
    const heft_cell *cell = heft_results_cell(g->r, d, m);
    char             id[64];
    heft_buf         caption = {0};
    heft_put(&caption, "%60q, %60q", cell->dataset, cell->method);
    heft_html_figure(g->out, heft_buf_string(&caption));
    snprintf(id, sizeof id, "confusion-%zu-%zu", d, m);
    heft_svg_confusion(g->out, id, HEFT_COMPARE_WIDTH, cell->n_class, g->r->sets[d].classes,
                       cell->confusion);
    heft_html_figure_end(g->out);
    heft_buf_clear(&caption);
}

void heft_compare_confusion(const heft_comparison *g)
{
    size_t shown = 0, there = 0;
    for (size_t k = 0; k < g->r->n_data * g->r->n_method; k++) {
        const heft_cell *cell = &g->r->cells[k];
        if (cell->failure || !cell->confusion || cell->n_class > CLASSES) continue;
        if (!g->r->sets[k / g->r->n_method].classes || ++there > FIGURES) continue;
        if (shown++ == 0)
            heft_html_section(g->out, "confusions", "Confusion",
                              "Rows are the truth, columns what was predicted; all repeats "
                              "together.");
        write_matrix(g, k / g->r->n_method, k % g->r->n_method);
    }
    if (!shown) return;
    heft_html_section_end(g->out);
    if (there > shown)
        heft_put(g->out, "<p>The first %z of %z; the others are in the JSON file.</p>\n", shown,
                 there);
}
