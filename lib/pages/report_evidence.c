/* report_evidence.c - what the values of an attribute say of the classes: their distribution by
 * class or, where the method has terms of its own, the evidence that they add to the scores; and
 * the strongest pairs and triples of attributes.
 *
 * The nomogram of a two-class model: every attribute is a line on which its values stand at
 * d_j(x) = w(1,j,x) log P(x|1) - w(0,j,x) log P(x|0), their sum with the prior's is the log-odds of
 * class 1, and the last line reads it as a probability. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pages/page.h"

enum {
    SHOWN = 8,
    SHOWN_CLASSES = 6,
    VALUES = 10,
    CURVE = 160,
    DENSITY = 120,
    LISTED = 15, /* pairs, and triples */
    ROW = 18
};
enum { LINES = 12, MARKS = 7 }; /* of the nomogram */
static const double WIDTH = HEFT_PLOT_WIDTH, LEFT = 130;

typedef struct plot { /* n values or points of attribute j */
    const heft_page *p;
    const heft_term *term;
    size_t           j, n, K; /* K: classes drawn */
    double          *at;      /* n x all classes */
    heft_scale       x, y;    /* of a curve; values use x alone */
    const char      *id;
} plot;

/* Where the densities of the first K classes have their mass, to s->lo and s->hi. */
static void find_spans(const heft_page *p, const heft_term *term, size_t K, double reach,
                       heft_scale *s)
{
    s->lo = INFINITY;
    s->hi = -INFINITY;
    for (size_t c = 0; c < K; c++) {
        double lo, hi;
        if (isinf(p->model->fitted.log_prior[c]) || !heft_term_span(term, c, reach, &lo, &hi))
            continue;
        heft_scale_reach(s, lo);
        heft_scale_reach(s, hi);
    }
    if (!isfinite(s->lo)) s->lo = 0, s->hi = 1;
    if (!(s->hi > s->lo)) s->lo -= 1, s->hi += 1;
}

/* The least and the largest number that is drawn, 0 included. */
static void widen(const plot *g, heft_scale *s)
{
    for (size_t k = 0; k < g->n; k++)
        for (size_t c = 0; c < g->K; c++) heft_scale_reach(s, g->at[k * g->p->K + c]);
    if (!(s->hi > s->lo)) s->hi = s->lo + 1;
}

/* Bars, one group per value. */
static void draw_values(plot *g)
{
    heft_buf    *out = g->p->out;
    const double step = 7 * (double)g->K + 8, foot = step * (double)g->n + 8;
    const bool   shares = g->p->t.shared;
    const size_t all = g->p->K;
    char         value[256], style[16];
    for (uint32_t k = 0; k < g->n; k++)
        if (!shares) heft_term_value(&g->p->t, g->j, k, NAN, g->at + k * all);
        else
            for (size_t c = 0; c < g->K; c++)
                g->at[k * all + c] = heft_term_share(g->term, all, k, c);
    g->x = (heft_scale){0, shares, LEFT, WIDTH - 12};
    if (!shares) widen(g, &g->x);
    const double zero = heft_scale_at(&g->x, 0);
    heft_svg_open(out, g->id, foot + 20,
                  shares ? "share of each value by class" : "evidence of each value by class");
    heft_svg_axis_x(out, &g->x, foot, 4);
    for (uint32_t v = 0; v < g->n; v++) {
        const double y = 6 + step * v;
        heft_svg_text(out, "end", LEFT - 6, y + step / 2,
                      heft_prep_value(&g->p->model->prep, g->j, v, value, sizeof value), 16);
        for (size_t c = 0; c < g->K; c++) {
            const double x = heft_scale_at(&g->x, g->at[v * all + c]);
            snprintf(style, sizeof style, "c%zu", c % HEFT_HTML_COLOURS);
            heft_svg_rect(out, style, fmin(x, zero), y + 7 * (double)c, fmax(fabs(x - zero), 0.8),
                          6, -1, NULL);
        }
    }
    heft_plot_end(out,
                  g->n < g->term->n_codes ? "<p>The first %z of %z values are shown.</p>\n" : "",
                  g->n, g->term->n_codes);
}

/* Lines, one per class. */
static void draw_curve(const plot *g)
{
    heft_buf        *out = g->p->out;
    const heft_scale x = g->x, y = g->y;
    heft_svg_open(out, g->id, 172,
                  g->p->t.shared ? "density by class" : "evidence of the number by class");
    if (!g->p->t.shared) heft_svg_axis_y(out, &y, x.from, x.to);
    heft_svg_axis_x(out, &x, y.from, g->p->t.shared ? y.to : y.from);
    for (size_t c = 0; c < g->K; c++) {
        heft_svg_path_open(out, c);
        for (size_t k = 0; k < g->n; k++)
            heft_svg_point(out, k == 0, x.from + (x.to - x.from) * (double)k / (double)(g->n - 1),
                           heft_scale_at(&y, g->at[k * g->p->K + c]));
        heft_svg_path_close(out);
    }
    heft_plot_end(out, "");
}

static void find_density(plot *g)
{
    const heft_page *p = g->p;
    g->x = (heft_scale){0, 1, 12, WIDTH - 12};
    g->y = (heft_scale){0, 0, 150, 10};
    find_spans(p, g->term, g->K, 3, &g->x);
    for (size_t k = 0; k < g->n; k++) {
        double *at = g->at + k * p->K;
        heft_lik_number(g->term->lik, p->K,
                        g->x.lo + (g->x.hi - g->x.lo) * (double)k / (double)(g->n - 1), at);
        for (size_t c = 0; c < g->K; c++) {
            at[c] = exp(fmin(at[c], 700));
            g->y.hi = fmax(g->y.hi, at[c]);
        }
    }
}

static void find_evidence(plot *g)
{
    const heft_page      *p = g->p;
    const heft_attr_prep *prep = &p->model->prep.attr[g->j];
    const size_t          n = g->term->n_cuts;
    double                lo = -1, hi = 1;
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
}

/* The strongest pairs or triples. */
static void draw_joint(const heft_page *p, int which)
{
    const heft_terms     *t = &p->t;
    const heft_joint_list list = heft_joint_list_of(t, which);
    const size_t          n = list.n < LISTED ? list.n : LISTED;
    char                  caption[120], title[60];
    heft_buf              name = {0};
    if (n == 0) return;
    const heft_scale s = {0, fmax(heft_joint_most(t), 1e-300), LEFT + 90, WIDTH - 50};
    snprintf(caption, sizeof caption,
             "Strongest %s of attributes (%zu of %zu), by the mean size of their evidence",
             list.what, n, list.n);
    snprintf(title, sizeof title, "evidence of %s of attributes", list.what);
    heft_plot_open(p->out, caption, list.what, (double)n * ROW + 8, title);
    for (size_t k = 0; k < n; k++) {
        const heft_interaction *of = &t->interaction[t->strongest[list.first + k]];
        const double            y = 4 + (double)k * ROW, to = heft_scale_at(&s, of->size);
        name.length = 0;
        for (size_t m = 0; m < of->n; m++)
            heft_put(&name, "%s%18q",
                     m == 0       ? ""
                     : of->n == 2 ? " with "
                                  : ", ",
                     heft_attr_name(t, of->attr[m]));
        heft_svg_text(p->out, "end", s.from - 6, y + 12, heft_buf_string(&name), 34);
        heft_svg_rect(p->out, "up", s.from, y + 2, fmax(to - s.from, 0.8), ROW - 5, -1, "%s",
                      heft_buf_string(&name));
        heft_svg_number(p->out, "soft small", to + 4, y + 12, of->size, 3);
    }
    heft_plot_end(p->out, "");
    p->out->failed |= name.failed;
    heft_buf_clear(&name);
}

heft_status heft_page_evidence(const heft_page *p)
{
    char id[40];
    if (p->t.shared && !(p->t.attr[0].lik && p->model->fitted.log_prior)) return HEFT_OK;
    heft_html_section(p->out, "evidence", "Evidence by attribute",
                      p->t.shared ? "The distribution of each attribute in each class, the most "
                                    "important attributes first: shares of the values, or "
                                    "densities (of the scaled numbers, if numbers are scaled)."
                                  : "What each value of an attribute adds to the score of each "
                                    "class (mean 0 over the classes), the most important "
                                    "attributes first. Pairs and triples of values add their "
                                    "own evidence.");
    for (int which = 0; which < HEFT_JOINT_LISTS; which++) draw_joint(p, which);
    for (size_t k = 0; k < p->n_attr && k < SHOWN; k++) {
        const size_t     j = p->order[k].j, K = p->K < SHOWN_CLASSES ? p->K : SHOWN_CLASSES;
        const heft_term *term = &p->t.attr[j];
        plot             g = {.p = p, .term = term, .j = j, .K = K, .id = id};
        if (heft_term_silent(term)) continue;
        g.n = term->numeric            ? p->t.shared ? DENSITY : CURVE
              : term->n_codes < VALUES ? term->n_codes
                                       : VALUES;
        HEFT_ALLOC(p->ctx, &p->ctx->scratch, g.at, g.n * p->K);
        heft_html_figure(p->out, p->model->prep.attr[j].name);
        heft_html_legend(p->out, K, p->classes);
        snprintf(id, sizeof id, "evidence-%zu", k);
        if (!term->numeric) draw_values(&g);
        else if (p->t.shared) find_density(&g);
        else find_evidence(&g);
        if (term->numeric) draw_curve(&g);
    }
    heft_html_section_end(p->out);
    return HEFT_OK;
}

/* ---- nomogram ---- */

typedef struct mark { /* a value on its attribute's line */
    double   odds, number;
    uint32_t code;
} mark;

typedef struct nomogram {
    const heft_page *p;
    size_t           n, one, zero; /* attributes; the classes compared */
    size_t           attr[LINES], n_marks[LINES];
    mark             at[LINES][MARKS];
    double           prior, lo, hi;
} nomogram;

/* Up to MARKS values of attribute j and where they stand. */
static size_t find_marks(const nomogram *g, size_t j, mark *out)
{
    const heft_term *term = &g->p->t.attr[j];
    heft_scale       s = {0, 1, 0, 1};
    double           part[2];
    size_t           n = MARKS;
    if (term->numeric) find_spans(g->p, term, 2, 2, &s);
    else n = term->n_codes < MARKS ? term->n_codes : MARKS;
    for (size_t k = 0; k < n; k++) {
        out[k].code = (uint32_t)(term->numeric ? 0 : k * term->n_codes / n);
        out[k].number = s.lo + (s.hi - s.lo) * (double)k / (MARKS - 1);
        heft_term_value(&g->p->t, j, out[k].code, out[k].number, part);
        heft_calibrate_lines(&g->p->model->calibration, 1, 2, part);
        out[k].odds = part[1] - part[0];
    }
    return n;
}

static void find_lines(nomogram *g)
{
    const double *scale = g->p->model->calibration.scale, *start = g->p->t.start;
    g->prior = start[1] - start[0];
    if (scale) g->prior *= scale[0];
    g->lo = fmin(-1, g->prior);
    g->hi = fmax(1, g->prior);
    for (size_t k = 0; k < g->p->n_attr && g->n < LINES; k++) {
        const size_t j = g->p->order[k].j;
        if (heft_term_silent(&g->p->t.attr[j])) continue;
        g->attr[g->n] = j;
        g->n_marks[g->n] = find_marks(g, j, g->at[g->n]);
        for (size_t m = 0; m < g->n_marks[g->n]; m++) {
            g->lo = fmin(g->lo, fmax(g->at[g->n][m].odds, -10));
            g->hi = fmax(g->hi, fmin(g->at[g->n][m].odds, 10));
        }
        g->n++;
    }
}

static void draw_line(const nomogram *g, size_t k, const heft_scale *s)
{
    heft_buf        *out = g->p->out;
    const size_t     j = g->attr[k];
    const double     y = 70 + 36 * (double)k;
    double           last[2] = {-INFINITY, -INFINITY};
    const heft_prep *prep = &g->p->model->prep;
    char             value[256];
    heft_buf         text = {0};
    heft_svg_text(out, "end", LEFT - 6, y + 4, g->p->model->prep.attr[j].name, 16);
    heft_svg_line(out, "grid", s->from, y, s->to, y);
    for (size_t m = 0; m < g->n_marks[k]; m++) {
        const double x = heft_scale_at(s, g->at[k][m].odds);
        const size_t side = m % 2;
        text.length = 0;
        if (g->p->t.attr[j].numeric) /* in the units of the data */
            heft_put(&text, "%3g", g->at[k][m].number / prep->attr[j].factor + prep->attr[j].shift);
        else
            heft_put(&text, "%14q",
                     heft_prep_value(prep, j, g->at[k][m].code, value, sizeof value));
        const char *name = heft_buf_string(&text);
        heft_svg_dot(out, g->at[k][m].odds < 0 ? "down" : "up", x, y, 3.5, "%s", name);
        if (fabs(x - last[side]) < 4 * (double)strlen(name) + 14) continue; /* it would overlap */
        heft_svg_text(out, "mid small", x, side ? y + 14 : y - 7, name, 14);
        last[side] = x;
    }
    out->failed |= text.failed;
    heft_buf_clear(&text);
}

static void draw_probability(const nomogram *g, double y)
{
    static const double shares[] = {0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99};
    const heft_scale    s = {-5, 5, LEFT, WIDTH - 16};
    heft_buf           *out = g->p->out;
    heft_svg_text(out, "end", LEFT - 6, y + 4, "total", 17);
    heft_svg_axis_x(out, &s, y, y - 4);
    heft_svg_text(out, "end", LEFT - 6, y + 44, "probability", 17);
    heft_svg_line(out, "axis", s.from, y + 40, s.to, y + 40);
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
        const double x = heft_scale_at(&s, log(shares[k] / (1 - shares[k])));
        heft_svg_line(out, "axis", x, y + 36, x, y + 40);
        heft_svg_number(out, "mid small soft", x, y + 54, shares[k], 3);
    }
}

/* Of a model with interactions it would have to leave these out. */
void heft_page_nomogram(const heft_page *p)
{
    const heft_terms *t = &p->t;
    nomogram          g = {.p = p};
    heft_buf          caption = {0};
    if (!heft_terms_complete(t) || !t->shared || p->K != 2 || t->class_pair) return;
    if (isinf(t->start[0]) || isinf(t->start[1])) return;
    if (p->model->calibration.kind == HEFT_VECTOR) return; /* no sum of log-odds */
    find_lines(&g);
    const heft_scale s = {g.lo, g.hi, LEFT, WIDTH - 16};
    const double     foot = 70 + 36 * (double)g.n;
    heft_put(&caption, "Log-odds for %40q against %40q", p->classes[1], p->classes[0]);
    heft_html_section(p->out, "nomogram-section", "Nomogram",
                      "Read the log-odds of the prior and of each value, add them up, and read the "
                      "probability below the total.");
    heft_plot_open(p->out, heft_buf_string(&caption), "nomogram", foot + 86, "nomogram");
    heft_svg_axis_x(p->out, &s, 14, 14);
    heft_svg_text(p->out, "end soft", LEFT - 6, 18, "log-odds", 17);
    heft_svg_text(p->out, "end", LEFT - 6, 44, "(prior)", 17);
    heft_svg_line(p->out, "grid", s.from, 40, s.to, 40);
    heft_svg_dot(p->out, g.prior < 0 ? "down" : "up", heft_scale_at(&s, g.prior), 40, 3.5, "prior");
    for (size_t k = 0; k < g.n; k++) draw_line(&g, k, &s);
    draw_probability(&g, foot + 6);
    heft_plot_end(p->out, "");
    heft_html_section_end(p->out);
    heft_buf_clear(&caption);
}
