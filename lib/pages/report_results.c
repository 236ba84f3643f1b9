/* report_results.c - a comparison of methods as a page: the table, mean ranks with the critical
 * difference, accuracy against time, and every data set. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/grid.h"
#include "pages/compare.h"
#include "pages/report.h"

#define SPACE_FOR_MARK "<span style=\"display:inline-block;width:.9em\">"

enum { SETS = 60, METHODS = 20, ROW = 18 };
static const double WIDTH = HEFT_COMPARE_WIDTH, LEFT = 140;

static const char *method_name(const void *comparison, size_t m)
{
    const heft_comparison *g = comparison;
    return g->r->methods[m];
}

void heft_compare_dot(const heft_comparison *g, size_t m, double x, double y, double radius,
                      const char *link, const char *place, double value)
{
    char     style[24];
    heft_buf hint = {0};
    snprintf(style, sizeof style, "c%zu", m % HEFT_HTML_COLOURS);
    heft_svg_dot(g->out, style, x, y, radius,
                 heft_hint(&hint, "%60q%s%100q: %4g", g->r->methods[m], link, place, value));
    heft_buf_clear(&hint);
}

void heft_compare_open(const heft_comparison *g, const char *id, const char *caption,
                       const char *label, double height)
{
    heft_html_figure(g->out, caption);
    heft_html_legend(g->out, g->n_method, method_name, g);
    heft_svg_open(g->out, id, WIDTH, height, label);
}

void heft_compare_close(const heft_comparison *g)
{
    heft_svg_close(g->out);
    heft_html_figure_end(g->out);
}

void heft_compare_reach(heft_scale *s, double x)
{
    s->lo = fmin(s->lo, x);
    s->hi = fmax(s->hi, x);
}

void heft_compare_widen(heft_scale *s)
{
    const double add = fmax((s->hi - s->lo) * 0.08, 0.1);
    s->lo -= add;
    s->hi += add;
}

/* ---- table ---- */

static void write_cell(const heft_comparison *g, size_t d, size_t m)
{
    static const char *const marks[3] = {"&minus;", "", "+"};
    const heft_cell         *cell = heft_results_cell(g->r, d, m);
    if (cell->failure) {
        heft_put(g->out, "<td class=\"n\" title=\"%300h\">failed</td>", cell->failure);
        return;
    }
    heft_put(g->out, "<td class=\"n%s\">%2f", heft_results_best(g->r, d, m) ? " best" : "",
             100 * cell->accuracy);
    if (cell->n_folds > 1) heft_put(g->out, " &plusmn; %2f", 100 * cell->accuracy_sd);
    /* space for the mark also where there is none, so that the figures stay in line */
    heft_put(g->out, SPACE_FOR_MARK "%s</span></td>", marks[heft_results_mark(g->r, d, m) + 1]);
}

/* Mean accuracies, or mean ranks. */
static void write_means(const heft_comparison *g, bool ranks)
{
    heft_put(g->out, "<tr><th>mean %s</th><td></td>", ranks ? "rank" : "accuracy");
    for (size_t m = 0; m < g->n_method; m++) {
        const heft_method_summary *r = &g->s.by_method[m];
        const double               x = ranks ? r->mean_rank : 100 * r->mean_accuracy;
        heft_put(g->out, "<td class=\"n\">");
        if (isfinite(x)) heft_buf_fixed(g->out, x, 2);
        heft_put(g->out, SPACE_FOR_MARK "</span></td>");
    }
    heft_put(g->out, "</tr>\n");
}

static void write_table(const heft_comparison *g)
{
    const heft_results *r = g->r;
    heft_put(g->out, "<div class=\"scroll\"><table id=\"results\">\n<tr><th>data set</th>"
                     "<th class=\"n\">rows</th>");
    for (size_t m = 0; m < g->n_method; m++)
        heft_put(g->out, "<th class=\"n\">%60h</th>", r->methods[m]);
    heft_put(g->out, "</tr>\n");
    for (size_t d = 0; d < g->n_data; d++) {
        heft_put(g->out, "<tr><td>%60h</td><td class=\"n\">%z</td>", r->sets[d].name,
                 r->sets[d].n_rows);
        for (size_t m = 0; m < g->n_method; m++) write_cell(g, d, m);
        heft_put(g->out, "</tr>\n");
    }
    for (int ranks = 0; g->s.n_complete > 1 && ranks < 2; ranks++) write_means(g, ranks);
    heft_put(g->out, "</table></div>\n");
    if (r->n_method > 1 && r->folds > 1)
        heft_put(g->out,
                 "<p>Bold: the best. + and &minus;: significantly better and worse than %60h (%s "
                 "t, level %4g).</p>\n",
                 r->methods[0], r->plain ? "paired" : "corrected resampled paired", g->s.alpha);
    if (g->n_data < r->n_data || g->n_method < r->n_method)
        heft_put(g->out, "<p>The first %z of %z data sets and %z of %z methods.</p>\n", g->n_data,
                 r->n_data, g->n_method, r->n_method);
}

/* ---- ranks ---- */

typedef struct placed {
    size_t m;
    double rank;
} placed;

static int by_rank(const void *pa, const void *pb)
{
    const placed *a = pa, *b = pb;
    return a->rank != b->rank ? (a->rank > b->rank) - (a->rank < b->rank)
                              : (a->m > b->m) - (a->m < b->m);
}

/* Bars join methods that do not differ; none lies within another. Gives the place below them;
 * with g == NULL nothing is drawn. */
static double draw_groups(const heft_comparison *g, const placed *v, size_t n, double cd,
                          const heft_scale *s, double y)
{
    size_t reached = 0;
    if (!isfinite(cd)) return y;
    for (size_t a = 0; a < n; a++) {
        size_t b = a;
        while (b + 1 < n && v[b + 1].rank - v[a].rank < cd) b++;
        if (b > a && b > reached) {
            if (g)
                heft_svg_line(g->out, "thick", heft_scale_at(s, v[a].rank) - 3, y,
                              heft_scale_at(s, v[b].rank) + 3, y);
            y += 9;
        }
        reached = b > reached ? b : reached;
    }
    return y;
}

static size_t place_methods(const heft_comparison *g, placed *v)
{
    size_t n = 0;
    for (size_t m = 0; m < g->r->n_method && n < METHODS; m++)
        if (g->s.by_method[m].ran && isfinite(g->s.by_method[m].mean_rank))
            v[n++] = (placed){m, g->s.by_method[m].mean_rank};
    qsort(v, n, sizeof *v, by_rank);
    return n;
}

static void write_ranks(const heft_comparison *g)
{
    placed           v[METHODS];
    const size_t     n = place_methods(g, v);
    const double     k = (double)g->s.n_ran, cd = g->s.nemenyi;
    const heft_scale s = {1, k, LEFT, WIDTH - 44};
    if (g->s.n_complete < 2 || g->s.n_ran < 2 || n < 2) return;
    const double foot = draw_groups(NULL, v, n, cd, &s, 62) + ROW * (double)n + 4;
    heft_html_figure(g->out, "Mean ranks (1 is best) and Nemenyi's critical difference");
    heft_svg_open(g->out, "ranks", WIDTH, foot, "mean ranks with the critical difference");
    heft_svg_axis_x(g->out, &s, 34, 34);
    if (isfinite(cd)) {
        const double to = heft_scale_at(&s, fmin(1 + cd, k));
        heft_svg_line(g->out, "thick", s.from, 12, to, 12);
        heft_svg_text(g->out, "end small", LEFT - 8, 16, "critical difference", 30);
        heft_svg_number(g->out, "small", to + 6, 16, cd, 3);
    }
    for (int side = -1; side <= 1; side += 2) {
        const double x = heft_scale_at(&s, (k + 1) / 2 + side * g->s.rank_bound);
        heft_svg_line(g->out, "dash", x, 34, x, foot);
    }
    double y = draw_groups(g, v, n, cd, &s, 62);
    for (size_t i = 0; i < n; i++, y += ROW) {
        const double x = heft_scale_at(&s, v[i].rank);
        heft_svg_text(g->out, "end", LEFT - 8, y + 8, g->r->methods[v[i].m], 17);
        heft_svg_line(g->out, "grid", LEFT, y + 4, x, y + 4);
        heft_compare_dot(g, v[i].m, x, y + 4, 4.5, "", "", v[i].rank);
    }
    heft_svg_close(g->out);
    heft_put(g->out, "<p>A bar joins methods that do not differ. Between the dashed lines all "
                     "would lie if they were equal (permutations).</p>\n");
    heft_html_figure_end(g->out);
}

/* ---- accuracy against time ---- */

typedef struct spot {
    double seconds, accuracy; /* as drawn: a power of ten, percent; NAN: no figures */
} spot;

/* Means over the data sets that the method could do. */
static spot spot_of(const heft_comparison *g, size_t m)
{
    double n = 0, accuracy = 0, seconds = 0;
    for (size_t d = 0; d < g->r->n_data; d++) {
        const heft_cell *cell = heft_results_cell(g->r, d, m);
        if (cell->failure) continue;
        accuracy += cell->accuracy;
        seconds += cell->fit_seconds + cell->predict_seconds;
        n++;
    }
    if (n <= 0) return (spot){(double)NAN, (double)NAN};
    return (spot){log10(fmax(seconds / n, 1e-6)), 100 * (accuracy / n)};
}

static void write_time(const heft_comparison *g)
{
    heft_scale x = {INFINITY, -INFINITY, 50, WIDTH - 20}, y = {INFINITY, -INFINITY, 240, 20};
    spot       at[METHODS];
    for (size_t m = 0; m < g->n_method; m++) {
        at[m] = spot_of(g, m);
        heft_compare_reach(&x, at[m].seconds); /* fmin and fmax pass over NAN */
        heft_compare_reach(&y, at[m].accuracy);
    }
    if (!isfinite(x.lo)) return;
    heft_compare_widen(&x);
    heft_compare_widen(&y);
    heft_compare_open(g, "time", "Mean accuracy (%) against time to fit and predict",
                      "accuracy against time", 278);
    heft_svg_axis_x(g->out, &x, y.from, y.to);
    heft_svg_axis_y(g->out, &y, x.from, x.to);
    for (size_t m = 0; m < g->n_method; m++) {
        const double u = heft_scale_at(&x, at[m].seconds), v = heft_scale_at(&y, at[m].accuracy);
        if (isnan(at[m].accuracy)) continue;
        heft_compare_dot(g, m, u, v, 5.5, "", "", at[m].accuracy);
        heft_svg_text(g->out, "small mid soft", u, v - 9, g->r->methods[m], 17);
    }
    heft_svg_text(g->out, "soft small mid", WIDTH / 2, 272,
                  "seconds over all folds, as a power of ten", 50);
    heft_compare_close(g);
}

/* ---- every data set ---- */

static void draw_set(const heft_comparison *g, size_t d, const heft_scale *s)
{
    const double y = 10 + ROW * (double)d;
    heft_svg_text(g->out, "end", LEFT - 8, y + 8, g->r->sets[d].name, 17);
    heft_svg_line(g->out, "grid", s->from, y + 4, s->to, y + 4);
    for (size_t m = 0; m < g->n_method; m++) {
        const heft_cell *cell = heft_results_cell(g->r, d, m);
        if (cell->failure) continue;
        heft_compare_dot(g, m, heft_scale_at(s, 100 * cell->accuracy),
                         y + 4 + 9 * (((double)m + 0.5) / (double)g->n_method - 0.5), 3.8, " on ",
                         cell->dataset, 100 * cell->accuracy);
    }
}

static void write_sets(const heft_comparison *g)
{
    heft_scale   s = {100, 100, LEFT, WIDTH - 16};
    const double foot = 10 + ROW * (double)g->n_data;
    if (g->n_data == 0) return;
    for (size_t d = 0; d < g->n_data; d++)
        for (size_t m = 0; m < g->n_method; m++) {
            const heft_cell *cell = heft_results_cell(g->r, d, m);
            if (!cell->failure) s.lo = fmin(s.lo, 100 * cell->accuracy);
        }
    s.lo = fmax(0, fmin(s.lo - 2, 95));
    heft_compare_open(g, "sets", "Accuracy (%) on every data set",
                      "accuracy by data set and method", foot + 24);
    heft_svg_axis_x(g->out, &s, foot + 2, 4);
    for (size_t d = 0; d < g->n_data; d++) draw_set(g, d, &s);
    heft_compare_close(g);
}

/* ---- tests ---- */

/* A cell with an optional letter before its number; empty where there is none. */
static void write_number(const heft_comparison *g, const char *letter, double x)
{
    heft_put(g->out, "<td class=\"n\">");
    if (isfinite(x)) heft_put(g->out, "%s%4g", letter, x);
    heft_put(g->out, "</td>");
}

static void write_test(const heft_comparison *g, const char *name, const char *letter, double x,
                       double p)
{
    heft_put(g->out, "<tr><td>%s</td>", name);
    write_number(g, letter, x);
    write_number(g, "", p);
    heft_put(g->out, "</tr>\n");
}

static void write_overall(const heft_comparison *g)
{
    heft_buf why = {0};
    if (!g->s.has_ranks) {
        heft_no_ranks(&why, g->r, &g->s);
        heft_put(g->out, "<p>There are %s.</p>\n", heft_buf_string(&why));
        g->out->failed |= why.failed;
        heft_buf_clear(&why);
        return;
    }
    heft_put(g->out,
             "<table id=\"tests\">\n<tr><th>over %z data sets: all methods equal?</th><th "
             "class=\"n\">statistic</th><th class=\"n\">p</th></tr>\n",
             g->s.n_complete);
    write_test(g, "Friedman", "&chi;&sup2; = ", g->s.friedman.chi2, g->s.friedman.chi2_p);
    write_test(g, "Iman and Davenport", "F = ", g->s.friedman.f, g->s.friedman.p);
    write_test(g, "Quade", "F = ", g->s.quade.f, g->s.quade.p);
    heft_put(g->out, "</table>\n");
}

/* Each method against the first. */
static void write_against(const heft_comparison *g)
{
    heft_put(g->out,
             "<div class=\"scroll\"><table id=\"rivals\">\n<tr><th>against %60h</th>"
             "<th class=\"n\">win/tie/loss</th><th class=\"n\">signs p</th>"
             "<th class=\"n\">significant</th><th class=\"n\">Wilcoxon p</th>"
             "<th class=\"n\">Holm p</th></tr>\n",
             g->r->methods[0]);
    for (size_t m = 1; m < g->n_method; m++) {
        const heft_method_summary *r = &g->s.by_method[m];
        heft_put(g->out, "<tr><td>%60h</td><td class=\"n\">%z/%z/%z</td>", g->r->methods[m],
                 r->wins, r->ties, r->losses);
        write_number(g, "", r->sign_p);
        heft_put(g->out, "<td class=\"n\">%z/%z/%z</td>", r->better,
                 r->wins + r->ties + r->losses - r->better - r->worse, r->worse);
        write_number(g, "", r->wilcoxon);
        write_number(g, "", r->wilcoxon_holm);
        heft_put(g->out, "</tr>\n");
    }
    heft_put(g->out, "</table></div>\n<p>Holm: Wilcoxon's p adjusted for the number of "
                     "methods.</p>\n");
}

/* ---- public ---- */

static void write_lead(const heft_comparison *g, char *lead, size_t size)
{
    const heft_results *r = g->r;
    const char *stage = heft_results_stages(g->all) > 1 ? heft_results_stage(g->all, 0)->name : "";
    if (r->tested) snprintf(lead, size, "Trained on one table, tested on another.");
    else
        snprintf(lead, size, "%zu-fold cross-validation, %zu %s, seed %llu%s%s%s%.100s.", r->folds,
                 r->repeats, r->repeats == 1 ? "time" : "times", (unsigned long long)r->seed,
                 r->weka ? ", Weka's splits" : "",
                 r->whole ? "; preparation learned on all rows, test rows too" : "",
                 *stage ? "; below, unless said otherwise: " : "", stage);
}

heft_status heft_report_results(heft_ctx *ctx, const heft_results *results, heft_buf *out)
{
    const heft_results first = heft_results_at(results, 0);
    heft_comparison    g = {.all = results, .r = &first, .out = out};
    char               lead[400];
    HEFT_CHECK(heft_summarise(ctx, &first, &g.s));
    g.n_method = first.n_method < METHODS ? first.n_method : METHODS;
    g.n_data = first.n_data < SETS ? first.n_data : SETS;
    write_lead(&g, lead, sizeof lead);
    heft_html_open(out, "Methods compared", lead);
    write_table(&g);
    heft_compare_curves(&g);
    heft_html_section(out, "plots", "Plots", NULL);
    write_ranks(&g);
    write_time(&g);
    write_sets(&g);
    heft_html_section_end(out);
    if (first.n_method > 1) {
        heft_put(out, "<section id=\"significance\">\n<h2>Tests</h2>\n");
        write_overall(&g);
        write_against(&g);
        heft_put(out, "</section>\n");
    }
    heft_compare_confusion(&g);
    heft_html_close(out);
    return HEFT_OK;
}
