/* report_nomogram.c - the nomogram of a two-class model: every attribute is a line on which its
 * values stand at d_j(x) = w(1,j,x) log P(x|1) - w(0,j,x) log P(x|0), their sum with the prior's is
 * the log-odds of class 1, and the last line reads it as a probability. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pages/page.h"

enum { LINES = 12, MARKS = 7 };
static const double WIDTH = 420, LEFT = 130;

void heft_page_spans(const heft_page *p, const heft_term *term, size_t K, double reach,
                     heft_scale *s)
{
    s->lo = INFINITY;
    s->hi = -INFINITY;
    for (size_t c = 0; c < K; c++) {
        double lo, hi;
        if (isinf(p->model->fitted.log_prior[c]) || !heft_term_span(term, c, reach, &lo, &hi))
            continue;
        s->lo = fmin(s->lo, lo);
        s->hi = fmax(s->hi, hi);
    }
    if (!isfinite(s->lo)) s->lo = 0, s->hi = 1;
    if (!(s->hi > s->lo)) s->lo -= 1, s->hi += 1;
}

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
    if (term->numeric) heft_page_spans(g->p, term, 2, 2, &s);
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

/* The value in the units of the data. */
static void mark_name(const nomogram *g, size_t j, const mark *m, char *out, size_t size)
{
    const heft_prep *prep = &g->p->model->prep;
    heft_buf         text = {0};
    if (!g->p->t.attr[j].numeric) {
        char value[256];
        heft_prep_value(prep, j, m->code, value, sizeof value);
        heft_show(out, size, value, strlen(value), 14);
        return;
    }
    heft_put(&text, "%3g", m->number / prep->attr[j].factor + prep->attr[j].shift);
    snprintf(out, size, "%s", heft_buf_string(&text));
    heft_buf_clear(&text);
}

static void draw_line(const nomogram *g, size_t k, const heft_scale *s)
{
    heft_buf    *out = g->p->out;
    const size_t j = g->attr[k];
    const double y = 70 + 36 * (double)k;
    double       last[2] = {-INFINITY, -INFINITY};
    char         name[80];
    heft_svg_text(out, "end", LEFT - 6, y + 4, heft_page_attr(g->p, j), 16);
    heft_svg_line(out, "grid", s->from, y, s->to, y);
    for (size_t m = 0; m < g->n_marks[k]; m++) {
        const double x = heft_scale_at(s, g->at[k][m].odds);
        const size_t side = m % 2;
        mark_name(g, j, &g->at[k][m], name, sizeof name);
        heft_svg_dot(out, g->at[k][m].odds < 0 ? "down" : "up", x, y, 3.5, name);
        if (fabs(x - last[side]) < 4 * (double)strlen(name) + 14) continue; /* it would overlap */
        heft_svg_text(out, "mid small", x, side ? y + 14 : y - 7, name, 14);
        last[side] = x;
    }
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

/* Of a model with joint terms it would have to leave the pairs out. */
void heft_page_nomogram(const heft_page *p)
{
    const heft_terms *t = &p->t;
    nomogram          g = {.p = p};
    char              caption[200], a[80], b[80];
    if (!heft_terms_complete(t) || !t->shared || p->K != 2 || t->class_pair) return;
    if (isinf(t->start[0]) || isinf(t->start[1])) return;
    if (p->model->calibration.kind == HEFT_VECTOR) return; /* no sum of log-odds */
    find_lines(&g);
    const heft_scale s = {g.lo, g.hi, LEFT, WIDTH - 16};
    const double     foot = 70 + 36 * (double)g.n;
    heft_show(a, sizeof a, heft_page_class(p, 1), strlen(heft_page_class(p, 1)), 40);
    heft_show(b, sizeof b, heft_page_class(p, 0), strlen(heft_page_class(p, 0)), 40);
    snprintf(caption, sizeof caption, "Log-odds for %s against %s", a, b);
    heft_html_section(p->out, "nomogram-section", "Nomogram",
                      "Read off the log-odds of each value and of the prior, add them up, and read "
                      "the probability below the total.");
    heft_html_figure(p->out, caption);
    heft_svg_open(p->out, "nomogram", WIDTH, foot + 86, "nomogram");
    heft_svg_axis_x(p->out, &s, 14, 14);
    heft_svg_text(p->out, "end soft", LEFT - 6, 18, "log-odds", 17);
    heft_svg_text(p->out, "end", LEFT - 6, 44, "(prior)", 17);
    heft_svg_line(p->out, "grid", s.from, 40, s.to, 40);
    heft_svg_dot(p->out, g.prior < 0 ? "down" : "up", heft_scale_at(&s, g.prior), 40, 3.5, "prior");
    for (size_t k = 0; k < g.n; k++) draw_line(&g, k, &s);
    draw_probability(&g, foot + 6);
    heft_svg_close(p->out);
    heft_html_figure_end(p->out);
    heft_html_section_end(p->out);
}
