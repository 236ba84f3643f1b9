/* section_curves.c - ROC and precision-recall curves with their areas: of two classes the curve of
 * one, of more each frequent class against the rest. */
#include <math.h>
#include <stdlib.h>

#include "pages/page.h"

enum { CURVES = 6, STEPS = 200 };
static const double LEFT = 52, RIGHT = 326;

typedef struct scored {
    double q;
    bool   positive;
} scored;

typedef struct curve { /* class c against the rest */
    size_t  c, n;
    double  positives, negatives;
    scored *v; /* n, the highest probability first */
} curve;

static int by_score(const void *pa, const void *pb)
{
    const scored *a = pa, *b = pb;
    return (a->q < b->q) - (a->q > b->q);
}

static heft_status find_curve(const heft_page *p, size_t c, curve *out)
{
    const heft_page_outcomes *o = p->outcomes;
    *out = (curve){.c = c, .positives = (double)o->count[c]};
    out->negatives = (double)o->n_known - out->positives;
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, out->v, o->n_known);
    for (size_t i = 0; i < o->n; i++)
        if (o->y[i] < o->K) out->v[out->n++] = (scored){o->proba[i * o->K + c], o->y[i] == c};
    qsort(out->v, out->n, sizeof *out->v, by_score);
    return HEFT_OK;
}

/* Steps too small to be seen are left out. */
static void draw(const heft_page *p, const curve *g, bool roc, const heft_scale *x,
                 const heft_scale *y)
{
    double hit = 0, miss = 0, drawn[2] = {0, roc ? 0 : 1};
    heft_svg_path_open(p->out, g->c);
    if (roc) heft_svg_point(p->out, true, x->from, y->from);
    for (size_t at = 0, n = 0; at < g->n; n++) {
        const double q = g->v[at].q;
        for (; at < g->n && g->v[at].q == q; at++) g->v[at].positive ? hit++ : miss++;
        const double to[2] = {roc ? miss / g->negatives : hit / g->positives,
                              roc ? hit / g->positives : hit / (hit + miss)};
        if (n && at < g->n && fabs(to[0] - drawn[0]) < 1.0 / STEPS &&
            fabs(to[1] - drawn[1]) < 1.0 / STEPS)
            continue;
        if (!roc && !n) heft_svg_point(p->out, true, x->from, heft_scale_at(y, to[1]));
        heft_svg_point(p->out, false, heft_scale_at(x, to[0]), heft_scale_at(y, to[1]));
        drawn[0] = to[0];
        drawn[1] = to[1];
    }
    heft_svg_path_close(p->out);
}

static void put_plot(const heft_page *p, const curve *g, size_t n, bool roc)
{
    const heft_scale x = {0, 1, LEFT, RIGHT}, y = {0, 1, 262, 10};
    const char     **classes = p->outcomes->classes;
    heft_html_figure(p->out, roc ? "ROC" : "Precision and recall");
    heft_put(p->out, "<p class=\"chips\">%s ",
             roc ? "Area under the curve:" : "Average precision:");
    for (size_t k = 0; k < n; k++) {
        const heft_class_figures *of = &p->outcomes->by_class[g[k].c];
        heft_put(p->out,
                 "<span class=\"chip\"><i class=\"b%z\"></i><bdi>%200h</bdi> "
                 "<strong>%3f</strong></span> ",
                 g[k].c % HEFT_HTML_COLOURS, classes[g[k].c],
                 roc ? of->auc : of->average_precision);
    }
    heft_put(p->out, "</p>\n");
    heft_svg_open_small(p->out, roc ? "roc" : "pr", 298,
                        roc ? "ROC curves" : "precision-recall curves");
    heft_svg_axes(p->out, &x, &y);
    if (roc) heft_svg_line(p->out, "dash", x.from, y.from, x.to, y.to);
    for (size_t k = 0; k < n; k++) {
        const double share = g[k].positives / (g[k].positives + g[k].negatives);
        if (!roc && n == 1)
            heft_svg_line(p->out, "dash", x.from, heft_scale_at(&y, share), x.to,
                          heft_scale_at(&y, share));
        draw(p, &g[k], roc, &x, &y);
    }
    heft_svg_title_x(p->out, &x, y.from, roc ? "share of other rows taken for it" : "recall");
    heft_svg_title_y(p->out, &y, LEFT, roc ? "share of its rows found" : "precision");
    heft_plot_end(p->out, "<p>%s%s</p>\n",
                  roc      ? "Dashed: guessing. "
                  : n == 1 ? "Dashed: the share of the class, which guessing gives."
                           : "",
                  n > 1 ? "Each class against the rest." : "");
}

heft_status heft_page_curves(const heft_page *p)
{
    const heft_page_outcomes *o = p->outcomes;
    const bool                two = o->K == 2;
    curve                     curves[CURVES];
    size_t                    n = 0;
    for (size_t k = 0; k < o->K && n < CURVES; k++) {
        const size_t c = two ? p->positive : o->frequent[k];
        if (o->count[c] > 0 && o->count[c] < o->n_known) HEFT_CHECK(find_curve(p, c, &curves[n++]));
        if (two) break;
    }
    if (!n) return HEFT_OK;
    put_plot(p, curves, n, true);
    put_plot(p, curves, n, false);
    return HEFT_OK;
}
