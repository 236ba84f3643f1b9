/* report_evidence.c - what the values of an attribute say of the classes: their distribution by
 * class or, where the method has terms of its own, the evidence that they add to the scores; and
 * the strongest pairs of attributes. */
#include <math.h>
#include <stdio.h>

#include "pages/page.h"

enum {
    SHOWN = 8,
    SHOWN_CLASSES = 6,
    VALUES = 10,
    CURVE = 160,
    DENSITY = 120,
    PAIRS = 15,
    ROW = 18
};
static const double WIDTH = 420, LEFT = 130;

typedef struct plot { /* n values or points of attribute j */
    const heft_page *p;
    const heft_term *term;
    size_t           j, n, K; /* K: classes drawn */
    double          *at;      /* n x all classes */
    heft_scale       x, y;    /* of a curve; values use x alone */
    const char      *id;
} plot;

/* The least and the largest number that is drawn, 0 included. */
static void widen(const plot *g, heft_scale *s)
{
    for (size_t k = 0; k < g->n; k++)
        for (size_t c = 0; c < g->K; c++) {
            s->lo = fmin(s->lo, g->at[k * g->p->K + c]);
            s->hi = fmax(s->hi, g->at[k * g->p->K + c]);
        }
    if (!(s->hi > s->lo)) s->hi = s->lo + 1;
}

/* Bars, one group per value. */
static void draw_values(plot *g)
{
    heft_buf    *out = g->p->out;
    const double step = 7 * (double)g->K + 8, foot = step * (double)g->n + 8;
    const bool   shares = g->p->t.shared;
    char         value[256], style[16];
    g->x = (heft_scale){0, shares, LEFT, WIDTH - 12};
    if (!shares) widen(g, &g->x);
    const double zero = heft_scale_at(&g->x, 0);
    heft_svg_open(out, g->id, WIDTH, foot + 20,
                  shares ? "share of each value by class" : "evidence of each value by class");
    heft_svg_axis_x(out, &g->x, foot, 4);
    for (uint32_t v = 0; v < g->n; v++) {
        const double y = 6 + step * v;
        heft_svg_text(out, "end", LEFT - 6, y + step / 2,
                      heft_prep_value(&g->p->model->prep, g->j, v, value, sizeof value), 16);
        for (size_t c = 0; c < g->K; c++) {
            const double x = heft_scale_at(&g->x, g->at[v * g->p->K + c]);
            snprintf(style, sizeof style, "c%zu", c % HEFT_HTML_COLOURS);
            heft_svg_rect(out, style, fmin(x, zero), y + 7 * (double)c, fmax(fabs(x - zero), 0.8),
                          6, -1, NULL);
        }
    }
    heft_svg_close(out);
    if (g->n < g->term->n_codes)
        heft_put(out, "<p>The first %z of %z values.</p>\n", g->n, g->term->n_codes);
}

static heft_status find_values(plot *g)
{
    const heft_page *p = g->p;
    g->n = g->term->n_codes < VALUES ? g->term->n_codes : VALUES;
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, g->at, g->n * p->K);
    for (uint32_t v = 0; v < g->n; v++)
        if (!p->t.shared) heft_term_value(&p->t, g->j, v, NAN, g->at + v * p->K);
        else
            for (size_t c = 0; c < g->K; c++)
                g->at[v * p->K + c] = heft_term_share(g->term, p->K, v, c);
    return HEFT_OK;
}

/* Lines, one per class. */
static void draw_curve(const plot *g)
{
    heft_buf        *out = g->p->out;
    const heft_scale x = g->x, y = g->y;
    char             style[32];
    heft_svg_open(out, g->id, WIDTH, 172,
                  g->p->t.shared ? "density by class" : "evidence of the number by class");
    if (!g->p->t.shared) heft_svg_axis_y(out, &y, x.from, x.to);
    heft_svg_axis_x(out, &x, y.from, g->p->t.shared ? y.to : y.from);
    for (size_t c = 0; c < g->K; c++) {
        snprintf(style, sizeof style, "bold l%zu", c % HEFT_HTML_COLOURS);
        heft_svg_path_open(out, style);
        for (size_t k = 0; k < g->n; k++)
            heft_svg_point(out, k == 0, x.from + (x.to - x.from) * (double)k / (double)(g->n - 1),
                           heft_scale_at(&y, g->at[k * g->p->K + c]));
        heft_svg_path_close(out);
    }
    heft_svg_close(out);
}

static heft_status find_density(plot *g)
{
    const heft_page *p = g->p;
    g->n = DENSITY;
    g->x = (heft_scale){0, 1, 12, WIDTH - 12};
    g->y = (heft_scale){0, 0, 150, 10};
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, g->at, g->n * p->K);
    heft_page_spans(p, g->term, g->K, 3, &g->x);
    for (size_t k = 0; k < g->n; k++) {
        double *at = g->at + k * p->K;
        heft_lik_number(g->term->lik, p->K,
                        g->x.lo + (g->x.hi - g->x.lo) * (double)k / (double)(g->n - 1), at);
        for (size_t c = 0; c < g->K; c++) {
            at[c] = exp(fmin(at[c], 700));
            g->y.hi = fmax(g->y.hi, at[c]);
        }
    }
    return HEFT_OK;
}

static heft_status find_evidence(plot *g)
{
    const heft_page      *p = g->p;
    const heft_attr_prep *prep = &p->model->prep.attr[g->j];
    const size_t          n = g->term->n_cuts;
    double                lo = -1, hi = 1;
    g->n = CURVE;
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, g->at, g->n * p->K);
    if (n) lo = g->term->cuts[0], hi = g->term->cuts[n - 1];
    const double pad = hi > lo ? (hi - lo) / 20 : 1;
    lo -= pad;
    hi += pad;
    for (size_t k = 0; k < g->n; k++)
        heft_term_value(&p->t, g->j, 0, lo + (hi - lo) * (double)k / (double)(g->n - 1),
                        g->at + k * p->K);
    g->x = (heft_scale){lo / prep->factor + prep->shift, hi / prep->factor + prep->shift, 44,
                        WIDTH - 12};
    g->y = (heft_scale){0, 0, 150, 10};
    widen(g, &g->y);
    return HEFT_OK;
}

static heft_status draw_attribute(const heft_page *p, size_t j, const char *id)
{
    plot g = {.p = p,
              .term = &p->t.attr[j],
              .j = j,
              .K = p->K < SHOWN_CLASSES ? p->K : SHOWN_CLASSES,
              .id = id};
    if (!g.term->numeric) {
        HEFT_CHECK(find_values(&g));
        draw_values(&g);
    } else {
        HEFT_CHECK(p->t.shared ? find_density(&g) : find_evidence(&g));
        draw_curve(&g);
    }
    return HEFT_OK;
}

static void draw_pairs(const heft_page *p)
{
    const size_t all = p->t.n_interactions, n = all < PAIRS ? all : PAIRS;
    char         caption[120];
    heft_buf     name = {0};
    if (n == 0) return;
    const heft_scale s = {0, fmax(p->t.interaction[p->t.strongest[0]].size, 1e-300), LEFT + 90,
                          WIDTH - 50};
    snprintf(caption, sizeof caption, "The strongest of %zu pairs, mean size of their evidence",
             all);
    heft_html_figure(p->out, caption);
    heft_svg_open(p->out, "pairs", WIDTH, (double)n * ROW + 8, "evidence of pairs of attributes");
    for (size_t k = 0; k < n; k++) {
        const heft_interaction *pair = &p->t.interaction[p->t.strongest[k]];
        const double            y = 4 + (double)k * ROW, to = heft_scale_at(&s, pair->size);
        const char *hint = heft_hint(&name, "%18q with %18q", heft_page_attr(p, pair->attr[0]),
                                     heft_page_attr(p, pair->attr[1]));
        heft_svg_text(p->out, "end", s.from - 6, y + 12, hint ? hint : "", 34);
        heft_svg_rect(p->out, "up", s.from, y + 2, fmax(to - s.from, 0.8), ROW - 5, -1, hint);
        heft_svg_number(p->out, "soft small", to + 4, y + 12, pair->size, 3);
    }
    heft_svg_close(p->out);
    heft_html_figure_end(p->out);
    heft_buf_clear(&name);
}

heft_status heft_page_evidence(const heft_page *p)
{
    char id[40];
    if (p->t.shared && !(p->t.attr[0].lik && p->model->fitted.log_prior)) return HEFT_OK;
    heft_html_section(
        p->out, "evidence", "What speaks for which class",
        p->t.shared ? "The distribution of each attribute by class, the heaviest attributes first: "
                      "shares of the values, or densities (after scaling, where there is any)."
                    : "Evidence of the values of an attribute alone, the heaviest attributes "
                      "first: what a value adds to the score of each class (mean 0 over the "
                      "classes). Pairs of values add theirs to it.");
    draw_pairs(p);
    for (size_t k = 0; k < p->n_attr && k < SHOWN; k++) {
        const size_t j = p->order[k].j;
        if (heft_term_silent(&p->t.attr[j])) continue;
        heft_html_figure(p->out, heft_page_attr(p, j));
        heft_html_legend(p->out, p->K < SHOWN_CLASSES ? p->K : SHOWN_CLASSES, heft_page_legend, p);
        snprintf(id, sizeof id, "evidence-%zu", k);
        HEFT_CHECK(draw_attribute(p, j, id));
        heft_html_figure_end(p->out);
    }
    heft_html_section_end(p->out);
    return HEFT_OK;
}
