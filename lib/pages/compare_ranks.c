/* compare_ranks.c - mean ranks by each measure, with the critical difference. */
#include <math.h>

#include "pages/compare.h"

enum { FIRST_BAR = 64 };
static const double LEFT = 128, RIGHT = HEFT_SMALL_WIDTH - 14, AXIS = 40;

typedef struct diagram {
    size_t     m[HEFT_COMPARE_METHODS]; /* methods, that of the lowest rank first */
    double     rank[HEFT_COMPARE_METHODS];
    size_t     n;
    double     cd;
    heft_scale s;
} diagram;

static void sort_methods(const heft_compare *g, const heft_places *p, diagram *d)
{
    for (size_t m = 0; m < g->n_method; m++) {
        const double rank = p->of[m].rank;
        size_t       at = d->n;
        if (!isfinite(rank)) continue;
        for (; at > 0 && d->rank[at - 1] > rank; at--)
            d->rank[at] = d->rank[at - 1], d->m[at] = d->m[at - 1];
        d->rank[at] = rank;
        d->m[at] = m;
        d->n++;
    }
}

/* Bars join methods that do not differ; none lies within another. Gives the place below them;
 * with g == NULL nothing is drawn. */
static double draw_groups(const heft_compare *g, const diagram *d, double y)
{
    size_t group[2] = {0, 0}, first;
    if (!isfinite(d->cd)) return y;
    for (; heft_rank_group(d->rank, d->n, d->cd, group, &first); y += 9)
        if (g)
            heft_svg_line(g->out, "thick", heft_scale_at(&d->s, d->rank[first]) - 3, y,
                          heft_scale_at(&d->s, d->rank[group[1]]) + 3, y);
    return y;
}

static double row_height(const heft_compare *g, size_t m)
{
    const size_t lines = heft_svg_lines(NULL, "", 0, 0, g->r->methods[m], HEFT_COMPARE_LABEL);
    return 8 + HEFT_SVG_LINE * (double)lines;
}

/* Draws the critical difference as a length above the axis. */
static void draw_difference(const heft_compare *g, const diagram *d)
{
    if (!isfinite(d->cd)) return;
    const double to = heft_scale_at(&d->s, fmin(1 + d->cd, d->s.hi));
    heft_svg_line(g->out, "thick", d->s.from, 12, to, 12);
    heft_svg_text(g->out, "end small", LEFT - 8, 16, "critical difference", 30);
    heft_svg_number(g->out, to > RIGHT - 30 ? "small end" : "small", to > RIGHT - 30 ? to : to + 6,
                    to > RIGHT - 30 ? 27 : 16, d->cd, 3);
}

static void draw_methods(const heft_compare *g, const diagram *d, double y)
{
    for (size_t i = 0; i < d->n; i++) {
        const size_t m = d->m[i];
        const double high = row_height(g, m), x = heft_scale_at(&d->s, d->rank[i]);
        heft_svg_lines(g->out, "end", LEFT - 10, y + HEFT_SVG_LINE - 1, g->r->methods[m],
                       HEFT_COMPARE_LABEL);
        heft_svg_line(g->out, "grid", LEFT, y + high / 2, x, y + high / 2);
        heft_compare_dot(g, m, x, y + high / 2, 5, "mean rank", d->rank[i]);
        heft_svg_number(g->out, x > RIGHT - 40 ? "small end" : "small",
                        x > RIGHT - 40 ? x - 8 : x + 8, y + high / 2 + 4, d->rank[i], 3);
        y += high;
    }
}

static void put_diagram(const heft_compare *g, size_t k, const heft_places *p, const diagram *d)
{
    char         id[HEFT_COMPARE_ID];
    const double top = draw_groups(NULL, d, FIRST_BAR) + 2;
    double       foot = top + 4;
    for (size_t i = 0; i < d->n; i++) foot += row_height(g, d->m[i]);
    heft_compare_figure(g, k, "Mean ranks by %s (1 is best)",
                        k ? heft_compare_title(k) : "accuracy");
    heft_svg_open_small(g->out, heft_compare_id(id, "ranks", k), foot,
                        "mean ranks with the critical difference");
    draw_difference(g, d);
    heft_svg_axis_x(g->out, &d->s, AXIS, AXIS);
    if (k == 0)
        for (int side = -1; side <= 1; side += 2) {
            const double x = heft_scale_at(&d->s, (d->s.hi + 1) / 2 + side * g->s.rank_bound);
            heft_svg_line(g->out, "dash", x, AXIS, x, foot);
        }
    draw_groups(g, d, FIRST_BAR);
    draw_methods(g, d, top);
    heft_put(g->out, "</svg>\n<p>");
    if (isfinite(d->cd))
        heft_put(g->out, "A thick bar joins methods whose mean ranks do not differ significantly "
                         "(Nemenyi). ");
    if (k == 0)
        heft_put(g->out, "If all methods were equal, all would lie between the dashed lines "
                         "(permutation bounds). ");
    heft_put(g->out, "Friedman's test over %s: p = %3g.</p></figure>\n",
             HEFT_COUNT_OF(p->n_sets, "data set"), p->friedman.chi2_p);
}

heft_status heft_compare_ranks(const heft_compare *g)
{
    for (size_t k = 0; k < HEFT_N_DRAWN; k++) {
        heft_places p;
        diagram     d = {.n = 0};
        if (!g->applies[k]) continue;
        HEFT_CHECK(heft_compare_rank(g, k, &p));
        if (p.n_sets < 2 || p.n < 2) continue;
        d.cd = p.cd;
        d.s = (heft_scale){1, (double)p.n, LEFT, RIGHT};
        sort_methods(g, &p, &d);
        if (d.n > 1) put_diagram(g, k, &p, &d);
    }
    return HEFT_OK;
}
