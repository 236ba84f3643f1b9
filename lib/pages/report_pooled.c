/* report_pooled.c - the evidence of a pooled score: what the values of an attribute say alone, and
 * the strongest pairs. A nomogram would have to leave the pairs out, so there is none. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "explain/grid.h"
#include "explain/spots.h"
#include "methods/auto/pair_terms.h"
#include "pages/page.h"

enum { SHOWN = 8, SHOWN_CLASSES = 6, VALUES = 10, CURVE = 160, BONDS = 15, ROW = 18 };
static const double WIDTH = 420, LEFT = 130;

typedef struct plot { /* evidence[n x declared classes] of n values of an attribute */
    const heft_page *p;
    size_t           j, n, K; /* K: classes drawn */
    heft_spots       spots;
    double          *evidence;
    heft_scale       e;
} plot;

static void style_of(char out[32], const char *kind, size_t c)
{
    snprintf(out, 32, "%s%zu", kind, c % HEFT_HTML_COLOURS);
}

/* Room for all that is drawn, 0 included. */
static void find_scale(plot *g)
{
    for (size_t k = 0; k < g->n; k++)
        for (size_t c = 0; c < g->K; c++) {
            g->e.lo = fmin(g->e.lo, g->evidence[k * g->p->K + c]);
            g->e.hi = fmax(g->e.hi, g->evidence[k * g->p->K + c]);
        }
    if (!(g->e.hi > g->e.lo)) g->e.hi = g->e.lo + 1;
}

static void draw_values(plot *g, const char *id)
{
    heft_buf    *out = g->p->out;
    const double step = 7 * (double)g->K + 8, foot = step * (double)g->n + 8;
    char         value[256], style[32];
    g->e.from = LEFT;
    g->e.to = WIDTH - 12;
    find_scale(g);
    const double zero = heft_scale_at(&g->e, 0);
    heft_svg_open(out, id, WIDTH, foot + 20, "evidence of each value by class");
    heft_svg_axis_x(out, &g->e, foot, 4);
    for (uint32_t v = 0; v < g->n; v++) {
        const double y = 6 + step * v;
        heft_svg_text(out, "end", LEFT - 6, y + step / 2,
                      heft_prep_value(&g->p->model->prep, g->j, v, value, sizeof value), 16);
        for (size_t c = 0; c < g->K; c++) {
            const double x = heft_scale_at(&g->e, g->evidence[v * g->p->K + c]);
            style_of(style, "c", c);
            heft_svg_rect(out, style, fmin(x, zero), y + 7 * (double)c, fmax(fabs(x - zero), 0.8),
                          6, -1, NULL);
        }
    }
    heft_svg_close(out);
    if (g->n < g->spots.n_codes)
        heft_buf_printf(out, "<p>The first %zu of %zu values.</p>\n", g->n, g->spots.n_codes);
}

static void draw_curve(plot *g, const heft_scale *x, const char *id)
{
    heft_buf *out = g->p->out;
    char      style[32];
    g->e.from = 150;
    g->e.to = 10;
    find_scale(g);
    heft_svg_open(out, id, WIDTH, 172, "evidence of the number by class");
    heft_svg_axis_y(out, &g->e, x->from, x->to);
    heft_svg_axis_x(out, x, g->e.from, g->e.from);
    for (size_t c = 0; c < g->K; c++) {
        style_of(style, "bold l", c);
        heft_svg_path_open(out, style);
        for (size_t k = 0; k < g->n; k++)
            heft_svg_point(out, k == 0,
                           x->from + (x->to - x->from) * (double)k / (double)(g->n - 1),
                           heft_scale_at(&g->e, g->evidence[k * g->p->K + c]));
        heft_svg_path_close(out);
    }
    heft_svg_close(out);
}

/* What the prepared number says: its line, and its slope. */
static void number_says(const heft_pooled *pooled, const heft_pooled_attr *a, double number,
                        double *own, double *out)
{
    const double *line = a->table + heft_line_number(&a->lines, number) * pooled->n_class;
    const double  z = heft_line_scaled(&a->lines, number);
    for (size_t c = 0; c < pooled->n_class; c++)
        own[c] = line[c] + (a->slope ? a->slope[c] * z : 0);
    heft_spot_numbers(pooled, own, 0, out);
}

static heft_status draw_number(plot *g, const heft_pooled *pooled, const char *id)
{
    const heft_pooled_attr *a = g->spots.attr;
    const heft_attr_prep   *prep = &g->p->model->prep.attr[g->j];
    const size_t            n = g->spots.n_cuts;
    double                 *own, lo = -1, hi = 1;

    HEFT_ALLOC(g->p->ctx, &g->p->ctx->scratch, own, pooled->n_class);
    if (n) lo = g->spots.cuts[0], hi = g->spots.cuts[n - 1];
    const double pad = hi > lo ? (hi - lo) / 20 : 1;
    lo -= pad;
    hi += pad;
    for (size_t k = 0; k < g->n; k++)
        number_says(pooled, a, lo + (hi - lo) * (double)k / (double)(g->n - 1), own,
                    g->evidence + k * g->p->K);
    const heft_scale x = {lo / prep->factor + prep->shift, hi / prep->factor + prep->shift, 44,
                          WIDTH - 12};
    draw_curve(g, &x, id);
    return HEFT_OK;
}

static heft_status draw_attribute(const heft_page *p, const heft_pooled *pooled, size_t j,
                                  const char *id)
{
    plot g = {.p = p, .j = j, .K = p->K < SHOWN_CLASSES ? p->K : SHOWN_CLASSES};

    g.spots = heft_spots_of(p->model, pooled, j);
    g.n = g.spots.attr->lines.numeric ? CURVE : g.spots.n_codes < VALUES ? g.spots.n_codes : VALUES;
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, g.evidence, g.n * p->K);
    if (g.spots.attr->lines.numeric) {
        HEFT_CHECK(draw_number(&g, pooled, id));
    } else {
        for (size_t v = 0; v < g.n; v++)
            heft_spot_numbers(pooled,
                              g.spots.attr->table + heft_spot_line(&g.spots, v) * pooled->n_class,
                              0, g.evidence + v * p->K);
        draw_values(&g, id);
    }
    return HEFT_OK;
}

static heft_status draw_bonds(const heft_page *p, const heft_pooled *pooled)
{
    heft_pair_terms b;
    char            caption[120];

    HEFT_CHECK(heft_pair_terms_open(p->ctx, pooled, &b));
    if (b.n == 0) return HEFT_OK;
    const size_t     n = b.n < BONDS ? b.n : BONDS;
    const heft_scale s = {0, fmax(b.pair[b.order[0]].size, 1e-300), LEFT + 90, WIDTH - 50};
    snprintf(caption, sizeof caption, "The strongest of %zu pairs, mean size of their evidence",
             b.n);
    heft_html_figure(p->out, caption);
    heft_svg_open(p->out, "pairs", WIDTH, (double)n * ROW + 8, "evidence of pairs of attributes");
    for (size_t k = 0; k < n; k++) {
        const heft_pair_term *pair = &b.pair[b.order[k]];
        const double          y = 4 + (double)k * ROW, to = heft_scale_at(&s, pair->size);
        heft_buf              name = {0};
        heft_buf_name(&name, heft_page_attr(p, pair->i), 18);
        heft_buf_text(&name, " with ");
        heft_buf_name(&name, heft_page_attr(p, pair->j), 18);
        heft_buf_add(&name, "", 1);
        heft_svg_text(p->out, "end", s.from - 6, y + 12, name.failed ? "" : name.data, 34);
        heft_svg_rect(p->out, "up", s.from, y + 2, fmax(to - s.from, 0.8), ROW - 5, -1,
                      name.failed ? NULL : name.data);
        heft_svg_number(p->out, "soft small", to + 4, y + 12, pair->size, 3);
        heft_buf_clear(&name);
    }
    heft_svg_close(p->out);
    heft_html_figure_end(p->out);
    return HEFT_OK;
}

heft_status heft_page_pooled(const heft_page *p)
{
    const heft_pooled *pooled = heft_pooled_of(p->model->method, &p->model->fitted);
    char               id[40];
    if (!pooled) return HEFT_OK;
    heft_html_section(p->out, "evidence", "What speaks for which class",
                      "Evidence of the values of an attribute alone, the heaviest attributes "
                      "first: what a value adds to the score of each class (mean 0 over the "
                      "classes). Pairs of values add theirs to it.");
    HEFT_CHECK(draw_bonds(p, pooled));
    for (size_t k = 0; k < p->n_attr && k < SHOWN; k++) {
        heft_html_figure(p->out, heft_page_attr(p, p->order[k].j));
        heft_html_legend(p->out, p->K < SHOWN_CLASSES ? p->K : SHOWN_CLASSES, heft_page_legend, p);
        snprintf(id, sizeof id, "evidence-%zu", k);
        HEFT_CHECK(draw_attribute(p, pooled, p->order[k].j, id));
        heft_html_figure_end(p->out);
    }
    heft_html_section_end(p->out);
    return HEFT_OK;
}
