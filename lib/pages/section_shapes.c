/* section_shapes.c - what the values of the most important attributes say, in log-odds on one
 * scale, and how often they occur. Two classes: the log-odds of one against the other. More: the
 * evidence for a class beside the mean of all; the reader chooses classes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pages/page.h"

enum { SHOWN = 8, SHOWN_OF_MANY = 6, MANY_CLASSES = 12, POINTS = 72, VALUES = 12, CHOSEN = 3 };
enum { LISTED_CLASSES = 30 };
static const double LEFT = 50, RIGHT = 328, TOP = 10, BASE = 128, FOOT = 170;
/* The common scale reaches as far as values that at least this share of the rows have, and at most
 * to LIMIT. */
static const double RARE = 0.005, LIMIT = 8;

typedef struct shape {      /* what the values of attribute j say */
    size_t            j, n; /* points or values */
    heft_value_spread s;
    double           *raw, *at; /* n; n x K */
} shape;

typedef struct shapes {
    const heft_page *p;
    size_t           n, n_class; /* shapes; classes that may be shown, the most frequent */
    size_t          *class_at;
    shape           *of;
    double           reach; /* how far the common scale reaches, up and down */
} shapes;

static char *colour(char out[24], const char *before, size_t c)
{
    snprintf(out, 24, "%s%zu", before, c % HEFT_HTML_COLOURS);
    return out;
}

/* ---- what is shown ---- */

/* Chooses the most frequent values, in the order of the dictionary. */
static heft_status choose_values(const heft_page *p, shape *g)
{
    heft_attr_rank *order;
    bool           *shown;
    HEFT_ALLOCS(p->ctx, &p->ctx->scratch, g->s.n, order, shown);
    for (size_t v = 0; v < g->s.n; v++)
        order[v] = (heft_attr_rank){v, g->s.share ? g->s.share[v] : 0, 0};
    if (g->s.n) qsort(order, g->s.n, sizeof *order, heft_attr_rank_compare);
    for (size_t k = 0; k < g->s.n && k < VALUES; k++) shown[order[k].j] = true;
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, g->raw, VALUES);
    for (size_t v = 0; v < g->s.n; v++)
        if (shown[v]) g->raw[g->n++] = (double)v;
    return HEFT_OK;
}

static heft_status find_shape(shapes *all, size_t j, shape *g)
{
    const heft_page *p = all->p;
    *g = (shape){.j = j};
    HEFT_CHECK(heft_page_spread(p, j, &g->s));
    if (heft_page_number(p, j)) {
        g->n = POINTS;
        HEFT_ALLOC(p->ctx, &p->ctx->scratch, g->raw, POINTS);
        for (size_t k = 0; k < POINTS; k++)
            g->raw[k] = g->s.lo + (g->s.hi - g->s.lo) * (double)k / (POINTS - 1);
    } else {
        HEFT_CHECK(choose_values(p, g));
    }
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, g->at, g->n * p->K);
    for (size_t k = 0; k < g->n; k++) {
        double      *v = g->at + k * p->K;
        const double share =
            heft_page_number(p, j) || !g->s.share ? 1 : g->s.share[(size_t)g->raw[k]];
        heft_page_value(p, j, g->raw[k], v);
        if (share < RARE) continue;
        for (size_t c = 0; c < p->K; c++)
            all->reach = fmax(all->reach, p->K == 2 ? fabs(v[1] - v[0]) : fabs(v[c]));
    }
    return HEFT_OK;
}

/* Orders the classes by their prior probability. */
static heft_status choose_classes(shapes *all)
{
    const heft_page *p = all->p;
    heft_attr_rank  *order;
    double          *prior;
    HEFT_ALLOCS(p->ctx, &p->ctx->scratch, p->K, order, prior, all->class_at);
    heft_terms_prior(&p->t, prior);
    for (size_t c = 0; c < p->K; c++) order[c] = (heft_attr_rank){c, prior[c], 0};
    qsort(order, p->K, sizeof *order, heft_attr_rank_compare);
    all->n_class = p->K < LISTED_CLASSES ? p->K : LISTED_CLASSES;
    for (size_t k = 0; k < all->n_class; k++) all->class_at[k] = order[k].j;
    return HEFT_OK;
}

/* ---- numbers ---- */

/* Draws the part of the curve on one side of 0 as an area. */
static void draw_side(const shapes *all, const shape *g, const heft_scale *x, const heft_scale *y,
                      bool above)
{
    const heft_page *p = all->p;
    heft_put(p->out, "<path class=\"area c%z\" d=\"",
             (above ? p->one : p->zero) % HEFT_HTML_COLOURS);
    heft_svg_point(p->out, true, x->from, heft_scale_at(y, 0));
    for (size_t k = 0; k < g->n; k++) {
        const double odds = g->at[2 * k + p->one] - g->at[2 * k + p->zero];
        heft_svg_point(p->out, false, heft_scale_at(x, g->raw[k]),
                       heft_scale_at(y, above ? fmax(odds, 0) : fmin(odds, 0)));
    }
    heft_svg_point(p->out, false, x->to, heft_scale_at(y, 0));
    heft_put(p->out, "Z\"/>\n");
}

static void draw_series(const shapes *all, const shape *g, const heft_scale *x, const heft_scale *y,
                        size_t k)
{
    const heft_page *p = all->p;
    const size_t     c = p->K == 2 ? p->one : all->class_at[k];
    if (p->K == 2) heft_put(p->out, "<path class=\"bold ink\" d=\"");
    else
        heft_put(p->out, "<path class=\"bold l%z k%z%s%s\" d=\"", c % HEFT_HTML_COLOURS, c,
                 c >= HEFT_HTML_COLOURS ? " dash" : "", k < CHOSEN ? "" : " off");
    for (size_t i = 0; i < g->n; i++) {
        const double *v = g->at + i * p->K;
        heft_svg_point(p->out, i == 0, heft_scale_at(x, g->raw[i]),
                       heft_scale_at(y, p->K == 2 ? v[p->one] - v[p->zero] : v[c]));
    }
    heft_svg_path_close(p->out);
}

static void draw_shares(const shapes *all, const shape *g, const heft_scale *x)
{
    double       most = 0;
    const double width = (x->to - x->from) / (double)g->s.n;
    if (g->s.share)
        for (size_t b = 0; b < g->s.n; b++) most = fmax(most, g->s.share[b]);
    if (most > 0)
        for (size_t b = 0; b < g->s.n; b++) {
            const double h = (FOOT - BASE - 8) * g->s.share[b] / most;
            if (h > 0)
                heft_svg_rect(all->p->out, "rows",
                              (heft_box){x->from + width * (double)b, FOOT - h, width * 0.9, h},
                              "%1f%% of the rows", 100 * g->s.share[b]);
        }
}

static void draw_number(const shapes *all, const shape *g, const char *id)
{
    const heft_page *p = all->p;
    const heft_scale x = {g->s.lo, g->s.hi, LEFT, RIGHT}, y = {-all->reach, all->reach, BASE, TOP};
    heft_svg_open_small(p->out, id, 204, "evidence of the number, and where the rows lie");
    heft_svg_axis_y(p->out, &y, LEFT, RIGHT);
    heft_svg_line(p->out, "axis", LEFT, heft_scale_at(&y, 0), RIGHT, heft_scale_at(&y, 0));
    draw_shares(all, g, &x);
    if (p->K == 2) {
        draw_side(all, g, &x, &y, true);
        draw_side(all, g, &x, &y, false);
    }
    for (size_t k = 0; k < (p->K == 2 ? 1 : all->n_class); k++) draw_series(all, g, &x, &y, k);
    heft_svg_axis_x(p->out, &x, FOOT, FOOT);
    heft_svg_title_y(p->out, &y, LEFT, p->K == 2 ? "log-odds" : "evidence");
    heft_svg_title_x(p->out, &x, FOOT, "%30q%s", p->model->prep.attr[g->j].name,
                     p->model->prep.spec.scaling == HEFT_SCALE_UNIT ? ", scaled" : "");
    heft_plot_end(p->out, "");
}

/* ---- values ---- */

/* Writes a bar that begins in the middle of its track. */
static void put_side(const shapes *all, const char *style, double v)
{
    const double half = 50 * fmin(fabs(v) / all->reach, 1);
    heft_put(all->p->out, "<i class=\"%s\" style=\"left:%1f%%;width:%1f%%\"></i>", style,
             v < 0 ? 50 - half : 50, half);
}

static void put_value(const shapes *all, const shape *g, size_t i)
{
    const heft_page *p = all->p;
    const double    *v = g->at + i * p->K;
    const size_t     code = (size_t)g->raw[i];
    char             style[24], text[256];
    heft_put(p->out, "<tr><th scope=\"row\"><bdi>%400h</bdi></th><td class=\"mid\">",
             heft_prep_value(&p->model->prep, g->j, (uint32_t)code, text, sizeof text));
    if (p->K == 2) {
        const double odds = v[p->one] - v[p->zero];
        put_side(all, colour(style, "b", odds > 0 ? p->one : p->zero), odds);
        heft_put(p->out, "</td><td class=\"n\">%s%2f</td>", odds > 0 ? "+" : "", odds);
    } else {
        for (size_t k = 0; k < all->n_class; k++) {
            const size_t c = all->class_at[k];
            heft_put(p->out, "<span class=\"k%z%s\">", c, k < CHOSEN ? "" : " off");
            put_side(all, colour(style, "b", c), v[c]);
            heft_put(p->out, "</span>");
        }
        heft_put(p->out, "</td>");
    }
    if (g->s.share) heft_put(p->out, "<td class=\"n soft\">%1f%%</td>", 100 * g->s.share[code]);
    heft_put(p->out, "</tr>\n");
}

static void draw_values(const shapes *all, const shape *g, const char *id)
{
    const heft_page *p = all->p;
    heft_put(p->out,
             "<table class=\"bars values\" id=\"%s\">\n<tr><th>value</th><th class=\"ends\"><span>"
             "&minus;%2g</span><span>0</span><span>+%2g</span></th>%s%s</tr>\n",
             id, all->reach, all->reach, p->K == 2 ? "<th class=\"n\">log-odds</th>" : "",
             g->s.share ? "<th class=\"n\">rows</th>" : "");
    for (size_t i = 0; i < g->n; i++) put_value(all, g, i);
    heft_put(p->out,
             g->n < g->s.n
                 ? "</table>\n<p>The %z most frequent of %z values are shown.</p></figure>\n"
                 : "</table></figure>\n",
             g->n, g->s.n);
}

/* ---- section ---- */

/* Writes the choice of classes that are shown. It is hidden until the script makes it work. */
static void put_choice(const shapes *all)
{
    const heft_page *p = all->p;
    char             style[24];
    heft_put(p->out, "<fieldset class=\"pick\" id=\"pick\" hidden><legend>Classes shown</legend>");
    for (size_t k = 0; k < all->n_class; k++) {
        const size_t c = all->class_at[k];
        heft_put(p->out,
                 "<label><input type=\"checkbox\" value=\"%z\"%s><i class=\"%s\"></i>"
                 "<bdi>%200h</bdi></label> ",
                 c, k < CHOSEN ? " checked" : "", colour(style, "b", c), p->classes[c]);
    }
    heft_put(p->out, "</fieldset>\n<noscript>"
                     "<p class=\"chips\">Shown: ");
    for (size_t k = 0; k < all->n_class && k < CHOSEN; k++)
        heft_put(p->out, "<span class=\"chip\"><i class=\"%s\"></i><bdi>%200h</bdi></span> ",
                 colour(style, "b", all->class_at[k]), p->classes[all->class_at[k]]);
    heft_put(p->out, "</p></noscript>\n");
}

static void open_section(const shapes *all)
{
    const heft_page *p = all->p;
    heft_put(p->out, "<section id=\"shapes\">\n<h2>Shapes</h2>\n<p>");
    if (p->K == 2)
        heft_put(p->out,
                 "What each value adds to the log-odds: above 0 it speaks for <b class=\"t%z\">"
                 "<bdi>%200h</bdi></b>, below 0 for <b class=\"t%z\"><bdi>%200h</bdi></b>. ",
                 p->one % HEFT_HTML_COLOURS, p->classes[p->one], p->zero % HEFT_HTML_COLOURS,
                 p->classes[p->zero]);
    else
        heft_put(p->out, "What each value adds to the score of a class, beside the mean over all "
                         "classes, in logarithms. ");
    heft_put(p->out, "All plots have the same scale. Grey: how often values occur ");
    heft_put(p->out,
             all->n && all->of[0].s.from_data ? "in the rows of <bdi>%200h</bdi>%s.</p>\n"
                                              : "in the training rows, as the model keeps "
                                                "them.</p>\n",
             p->table && p->table->name ? p->table->name : "the table",
             p->table ? "; 1% of the rows at either end are not shown" : "");
    if (p->K > 2) put_choice(all);
    heft_put(p->out, "<div class=\"figures\">\n");
}

heft_status heft_section_shapes(const heft_page *p)
{
    const size_t most = p->K > MANY_CLASSES ? SHOWN_OF_MANY : SHOWN;
    shapes       all = {.p = p, .reach = 0.5};
    char         id[40];
    if (!p->additive) return HEFT_OK;
    HEFT_CHECK(choose_classes(&all));
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, all.of, most);
    for (size_t k = 0; k < p->n_attr && all.n < most; k++)
        if (p->matter[p->rank[k]] > 0) HEFT_CHECK(find_shape(&all, p->rank[k], &all.of[all.n++]));
    if (!all.n) return HEFT_OK;
    all.reach = fmin(all.reach, LIMIT);
    open_section(&all);
    for (size_t k = 0; k < all.n; k++) {
        const shape *g = &all.of[k];
        snprintf(id, sizeof id, "shape-%zu", k);
        heft_put(p->out, "<figure><figcaption><bdi>%400h</bdi></figcaption>\n",
                 p->model->prep.attr[g->j].name);
        if (heft_page_number(p, g->j)) draw_number(&all, g, id);
        else draw_values(&all, g, id);
    }
    heft_html_section_end(p->out);
    return HEFT_OK;
}
