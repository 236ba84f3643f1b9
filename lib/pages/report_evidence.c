/* report_evidence.c - how attributes speak: their distribution by class, and the nomogram.
 *
 * Nomogram of a two-class model: every attribute is a line on which its values stand at
 *   d_j(x) = w(1,j,x) log P(x|1) - w(0,j,x) log P(x|0),
 * their sum with the prior's is the log-odds of class 1, and the last line reads it as a
 * probability. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "explain/grid.h"
#include "model/method.h"
#include "pages/page.h"

enum { SHOWN = 8, SHOWN_CLASSES = 6, VALUES = 10, CURVE = 120, LINES = 12, MARKS = 7 };
static const double WIDTH = 420, LEFT = 130;

/* ---- distributions ---- */

/* log sum_v of the table's column c: 0, unless weights are folded into it. */
static double log_mass(const heft_lik *lik, size_t K, size_t c)
{
    double largest = -INFINITY, sum = 0;
    for (size_t v = 0; v < lik->n_codes; v++) largest = fmax(largest, lik->table[v * K + c]);
    for (size_t v = 0; v < lik->n_codes; v++) sum += exp(lik->table[v * K + c] - largest);
    return largest + log(sum);
}

static void style_of(char out[16], const char *kind, size_t c)
{
    snprintf(out, 16, "%s%zu", kind, c % HEFT_HTML_COLOURS);
}

static void draw_table(const heft_page *p, size_t j, const char *id)
{
    const heft_lik  *lik = &p->model->fitted.lik[j];
    const size_t     n = lik->n_codes < VALUES ? lik->n_codes : VALUES;
    const size_t     K = p->K < SHOWN_CLASSES ? p->K : SHOWN_CLASSES;
    const double     step = 7 * (double)K + 8;
    const heft_scale s = {0, 1, LEFT, WIDTH - 12};
    char             value[256], style[16];
    const double     foot = step * (double)n + 8;
    heft_svg_open(p->out, id, WIDTH, foot + 20, "share of each value by class");
    heft_svg_axis_x(p->out, &s, foot, 4);
    for (uint32_t v = 0; v < n; v++) {
        const double y = 6 + step * v;
        heft_svg_text(p->out, "end", LEFT - 6, y + step / 2,
                      heft_prep_value(&p->model->prep, j, v, value, sizeof value), 16);
        for (size_t c = 0; c < K; c++) {
            const double share = exp(lik->table[v * p->K + c] - log_mass(lik, p->K, c));
            style_of(style, "c", c);
            heft_svg_rect(p->out, style, LEFT, y + 7 * (double)c,
                          fmax(heft_scale_at(&s, share) - LEFT, 0.8), 6, -1, NULL);
        }
    }
    heft_svg_close(p->out);
    if (n < lik->n_codes)
        heft_buf_printf(p->out, "<p>The first %zu of %lu values.</p>\n", n,
                        (unsigned long)lik->n_codes);
}

/* Where the density of class c has its mass; false: nothing was observed. */
static bool span_of(const heft_lik *lik, size_t c, double reach, double *lo, double *hi)
{
    if (lik->kind != HEFT_LIK_KERNEL) {
        *lo = lik->mean[c] - reach * lik->sd[c];
        *hi = lik->mean[c] + reach * lik->sd[c];
    } else {
        if (lik->start[c] == lik->start[c + 1]) return false;
        *lo = lik->point[lik->start[c]];
        *hi = lik->point[lik->start[c + 1] - 1];
    }
    return isfinite(*lo) && isfinite(*hi);
}

static void spans(const heft_page *p, const heft_lik *lik, size_t K, double reach, heft_scale *s)
{
    s->lo = INFINITY;
    s->hi = -INFINITY;
    for (size_t c = 0; c < K; c++) {
        double lo, hi;
        if (isinf(p->model->fitted.log_prior[c]) || !span_of(lik, c, reach, &lo, &hi)) continue;
        s->lo = fmin(s->lo, lo);
        s->hi = fmax(s->hi, hi);
    }
    if (!isfinite(s->lo)) s->lo = 0, s->hi = 1;
    if (!(s->hi > s->lo)) s->lo -= 1, s->hi += 1;
}

static heft_status draw_density(const heft_page *p, size_t j, const char *id)
{
    const heft_lik *lik = &p->model->fitted.lik[j];
    const size_t    K = p->K < SHOWN_CLASSES ? p->K : SHOWN_CLASSES;
    heft_scale      x = {0, 1, 12, WIDTH - 12}, y = {0, 0, 150, 10};
    double         *at;
    char            style[32];
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, at, CURVE * p->K);
    spans(p, lik, K, 3, &x);
    for (size_t i = 0; i < CURVE; i++) {
        heft_lik_number(lik, p->K, x.lo + (x.hi - x.lo) * (double)i / (CURVE - 1), at + i * p->K);
        for (size_t c = 0; c < K; c++) {
            at[i * p->K + c] = exp(fmin(at[i * p->K + c], 700));
            y.hi = fmax(y.hi, at[i * p->K + c]);
        }
    }
    heft_svg_open(p->out, id, WIDTH, 172, "density by class");
    heft_svg_axis_x(p->out, &x, y.from, y.to);
    for (size_t c = 0; c < K; c++) {
        snprintf(style, sizeof style, "bold l%zu", c % HEFT_HTML_COLOURS);
        heft_svg_path_open(p->out, style);
        for (size_t i = 0; i < CURVE; i++)
            heft_svg_point(p->out, i == 0, x.from + (x.to - x.from) * (double)i / (CURVE - 1),
                           heft_scale_at(&y, at[i * p->K + c]));
        heft_svg_path_close(p->out);
    }
    heft_svg_close(p->out);
    return HEFT_OK;
}

heft_status heft_page_evidence(const heft_page *p)
{
    const heft_lik *lik = p->model->fitted.lik;
    char            id[40];
    if (!lik || !p->model->fitted.log_prior) return HEFT_OK;
    heft_html_section(p->out, "evidence", "What speaks for which class",
                      "The distribution of each attribute by class, the heaviest attributes first: "
                      "shares of the values, or densities (after scaling, where there is any).");
    for (size_t k = 0; k < p->n_attr && k < SHOWN; k++) {
        const size_t j = p->order[k].j;
        if (lik[j].silent) continue;
        heft_html_figure(p->out, heft_page_attr(p, j));
        heft_html_legend(p->out, p->K < SHOWN_CLASSES ? p->K : SHOWN_CLASSES, heft_page_legend, p);
        snprintf(id, sizeof id, "evidence-%zu", k);
        if (lik[j].kind == HEFT_LIK_TABLE) draw_table(p, j, id);
        else HEFT_CHECK(draw_density(p, j, id));
        heft_html_figure_end(p->out);
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
    const heft_fitted *f = &g->p->model->fitted;
    const heft_lik    *lik = &f->lik[j];
    const bool         coded = lik->kind == HEFT_LIK_TABLE;
    heft_scale         s = {0, 1, 0, 1};
    double             part[2];
    size_t             n = MARKS;
    if (coded) n = lik->n_codes < MARKS ? lik->n_codes : MARKS;
    else spans(g->p, lik, 2, 2, &s);
    for (size_t k = 0; k < n; k++) {
        out[k].code = (uint32_t)(coded ? k * lik->n_codes / n : 0);
        out[k].number = s.lo + (s.hi - s.lo) * (double)k / (MARKS - 1);
        heft_cell_part(f, j, out[k].code, out[k].number, part);
        heft_calibrate_lines(&g->p->model->calibration, 1, 2, part);
        out[k].odds = part[1] - part[0];
    }
    return n;
}

static void find_lines(nomogram *g)
{
    const heft_fitted *f = &g->p->model->fitted;
    const double       bias = f->bias ? f->bias[1] - f->bias[0] : 0;
    const double      *scale = g->p->model->calibration.scale;
    g->prior = f->weights.w0 * (f->log_prior[1] - f->log_prior[0]) + bias;
    if (scale) g->prior *= scale[0];
    g->lo = fmin(-1, g->prior);
    g->hi = fmax(1, g->prior);
    for (size_t k = 0; k < g->p->n_attr && g->n < LINES; k++) {
        const size_t j = g->p->order[k].j;
        if (f->lik[j].silent) continue;
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
    if (g->p->model->fitted.lik[j].kind == HEFT_LIK_TABLE) {
        char value[256];
        heft_prep_value(prep, j, m->code, value, sizeof value);
        heft_show(out, size, value, strlen(value), 14);
        return;
    }
    heft_buf_short(&text, m->number / prep->attr[j].factor + prep->attr[j].shift, 3);
    heft_buf_add(&text, "", 1);
    snprintf(out, size, "%s", text.failed ? "" : text.data);
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
        if (fabs(x - last[side]) < 4 * (double)strlen(name) + 14) continue; /* no room */
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

heft_status heft_page_nomogram(const heft_page *p)
{
    const heft_fitted *f = &p->model->fitted;
    nomogram           g = {.p = p};
    char               caption[200], a[80], b[80];
    if (!(p->model->method->caps & HEFT_ADDITIVE) || p->K != 2 || p->pairs) return HEFT_OK;
    if (isinf(f->log_prior[0]) || isinf(f->log_prior[1])) return HEFT_OK;
    if (p->model->calibration.kind == HEFT_VECTOR) return HEFT_OK; /* no sum of log-odds */
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
    return HEFT_OK;
}
