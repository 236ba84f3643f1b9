/* report_results.c - a comparison of methods as a page: the table, mean ranks with the critical
 * difference, accuracy against time, and every data set. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/results.h"
#include "report/grid.h"
#include "report/report.h"
#include "report/svg.h"

enum { SETS = 60, METHODS = 20, ROW = 18 };
static const double WIDTH = 420, LEFT = 140;

typedef struct comparison {
    const heft_results *r;
    heft_summary        s;
    size_t              n_method, n_data; /* shown */
    heft_buf           *out;
} comparison;

static const char *method_name(const void *from, size_t m)
{
    const comparison *g = from;
    return g->r->methods[m];
}

/* "method on set: 0.953", for hovering. */
static const char *hint_of(heft_buf *hint, const char *a, const char *b, double x)
{
    hint->length = 0;
    heft_buf_name(hint, a, 60);
    if (b) {
        heft_buf_text(hint, " on ");
        heft_buf_name(hint, b, 60);
    }
    heft_buf_text(hint, ": ");
    heft_buf_short(hint, x, 4);
    heft_buf_add(hint, "", 1);
    return hint->failed ? NULL : hint->data;
}

/* ---- table ---- */

static void write_cell(const comparison *g, const heft_cell *cell, double best)
{
    if (cell->failure) {
        heft_buf_text(g->out, "<td class=\"n\" title=\"");
        heft_html_text(g->out, cell->failure, 300);
        heft_buf_text(g->out, "\">failed</td>");
        return;
    }
    heft_buf_text(g->out, cell->accuracy >= best - HEFT_SAME ? "<td class=\"n best\">"
                                                             : "<td class=\"n\">");
    heft_buf_fixed(g->out, 100 * cell->accuracy, 2);
    if (cell->n_folds > 1) {
        heft_buf_text(g->out, " &plusmn; ");
        heft_buf_fixed(g->out, 100 * cell->accuracy_sd, 2);
    }
    heft_buf_text(g->out, "</td>");
}

static double best_of(const comparison *g, size_t d)
{
    double best = -INFINITY;
    for (size_t m = 0; m < g->r->n_method; m++) {
        const heft_cell *cell = heft_results_cell(g->r, d, m);
        if (!cell->failure) best = fmax(best, cell->accuracy);
    }
    return best;
}

static void write_line(const comparison *g, const char *name, const double *x, double times,
                       int decimals)
{
    heft_buf_printf(g->out, "<tr><th>%s</th><td></td>", name);
    for (size_t m = 0; m < g->n_method; m++) {
        heft_buf_text(g->out, "<td class=\"n\">");
        if (isfinite(x[m])) heft_buf_fixed(g->out, times * x[m], decimals);
        heft_buf_text(g->out, "</td>");
    }
    heft_buf_text(g->out, "</tr>\n");
}

static void write_table(const comparison *g)
{
    double mean[METHODS], rank[METHODS];
    heft_buf_text(g->out, "<div class=\"scroll\"><table id=\"results\">\n<tr><th>data set</th>"
                          "<th class=\"n\">rows</th>");
    for (size_t m = 0; m < g->n_method; m++) {
        heft_buf_text(g->out, "<th class=\"n\">");
        heft_html_text(g->out, g->r->methods[m], 60);
        heft_buf_text(g->out, "</th>");
        mean[m] = g->s.rivals[m].mean_accuracy;
        rank[m] = g->s.rivals[m].mean_rank;
    }
    heft_buf_text(g->out, "</tr>\n");
    for (size_t d = 0; d < g->n_data; d++) {
        heft_buf_text(g->out, "<tr><td>");
        heft_html_text(g->out, g->r->sets[d].name, 60);
        heft_buf_printf(g->out, "</td><td class=\"n\">%zu</td>", g->r->sets[d].n_rows);
        for (size_t m = 0; m < g->n_method; m++)
            write_cell(g, heft_results_cell(g->r, d, m), best_of(g, d));
        heft_buf_text(g->out, "</tr>\n");
    }
    if (g->s.n_complete > 1) {
        write_line(g, "mean accuracy", mean, 100, 2);
        write_line(g, "mean rank", rank, 1, 2);
    }
    heft_buf_text(g->out, "</table></div>\n");
    if (g->n_data < g->r->n_data || g->n_method < g->r->n_method)
        heft_buf_printf(g->out, "<p>The first %zu of %zu data sets and %zu of %zu methods.</p>\n",
                        g->n_data, g->r->n_data, g->n_method, g->r->n_method);
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
static double draw_groups(const comparison *g, const placed *v, size_t n, double cd,
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

static size_t place_methods(const comparison *g, placed *v)
{
    size_t n = 0;
    for (size_t m = 0; m < g->r->n_method && n < METHODS; m++)
        if (g->s.rivals[m].ran && isfinite(g->s.rivals[m].mean_rank))
            v[n++] = (placed){m, g->s.rivals[m].mean_rank};
    qsort(v, n, sizeof *v, by_rank);
    return n;
}

static void write_ranks(const comparison *g)
{
    placed           v[METHODS];
    const size_t     n = place_methods(g, v);
    const double     k = (double)g->s.n_ran, cd = g->s.nemenyi;
    const heft_scale s = {1, k, LEFT, WIDTH - 44};
    char             style[16];
    heft_buf         hint = {0};
    if (g->s.n_complete < 2 || g->s.n_ran < 2 || n < 2) return;
    const double foot = draw_groups(NULL, v, n, cd, &s, 62) + ROW * (double)n + 4;
    heft_html_figure(g->out, "Mean ranks (1 is best) and Nemenyi's critical difference at 5%");
    heft_svg_open(g->out, "ranks", WIDTH, foot, "mean ranks with the critical difference");
    heft_svg_axis_x(g->out, &s, 34, 34);
    if (isfinite(cd)) {
        const double to = heft_scale_at(&s, fmin(1 + cd, k));
        heft_svg_line(g->out, "thick", s.from, 12, to, 12);
        heft_svg_text(g->out, "end small", LEFT - 8, 16, "critical difference", 30);
        heft_svg_number(g->out, "small", to + 6, 16, cd, 3);
    }
    double y = draw_groups(g, v, n, cd, &s, 62);
    for (size_t i = 0; i < n; i++, y += ROW) {
        const double x = heft_scale_at(&s, v[i].rank);
        snprintf(style, sizeof style, "c%zu", v[i].m % HEFT_HTML_COLOURS);
        heft_svg_text(g->out, "end", LEFT - 8, y + 8, g->r->methods[v[i].m], 17);
        heft_svg_line(g->out, "grid", LEFT, y + 4, x, y + 4);
        heft_svg_dot(g->out, style, x, y + 4, 4.5,
                     hint_of(&hint, g->r->methods[v[i].m], NULL, v[i].rank));
    }
    heft_svg_close(g->out);
    heft_buf_text(g->out, isfinite(cd) ? "<p>A bar joins methods that do not differ.</p>\n"
                                       : "<p>More than 20 methods: no critical difference.</p>\n");
    heft_html_figure_end(g->out);
    heft_buf_clear(&hint);
}

/* ---- accuracy against time ---- */

static void mean_of(const comparison *g, size_t m, double *accuracy, double *seconds)
{
    double n = 0;
    *accuracy = *seconds = 0;
    for (size_t d = 0; d < g->r->n_data; d++) {
        const heft_cell *cell = heft_results_cell(g->r, d, m);
        if (cell->failure) continue;
        *accuracy += cell->accuracy;
        *seconds += cell->fit_seconds + cell->predict_seconds;
        n++;
    }
    *accuracy = n > 0 ? *accuracy / n : (double)NAN;
    *seconds = n > 0 ? fmax(*seconds / n, 1e-6) : (double)NAN;
}

static void widen(heft_scale *s, double least)
{
    const double add = fmax((s->hi - s->lo) * 0.08, least);
    s->lo -= add;
    s->hi += add;
}

static void write_time(const comparison *g)
{
    heft_scale x = {INFINITY, -INFINITY, 50, WIDTH - 20}, y = {INFINITY, -INFINITY, 240, 20};
    heft_buf   hint = {0};
    char       style[16];
    for (size_t m = 0; m < g->n_method; m++) {
        double a, t;
        mean_of(g, m, &a, &t);
        if (isnan(a)) continue;
        x.lo = fmin(x.lo, log10(t)), x.hi = fmax(x.hi, log10(t));
        y.lo = fmin(y.lo, 100 * a), y.hi = fmax(y.hi, 100 * a);
    }
    if (!isfinite(x.lo)) return;
    widen(&x, 0.1);
    widen(&y, 0.1);
    heft_html_figure(g->out, "Mean accuracy (%) against time to fit and predict");
    heft_html_legend(g->out, g->n_method, method_name, g);
    heft_svg_open(g->out, "time", WIDTH, 278, "accuracy against time");
    heft_svg_axis_x(g->out, &x, y.from, y.to);
    heft_svg_axis_y(g->out, &y, x.from, x.to);
    for (size_t m = 0; m < g->n_method; m++) {
        double a, t;
        mean_of(g, m, &a, &t);
        if (isnan(a)) continue;
        snprintf(style, sizeof style, "c%zu", m % HEFT_HTML_COLOURS);
        heft_svg_dot(g->out, style, heft_scale_at(&x, log10(t)), heft_scale_at(&y, 100 * a), 5.5,
                     hint_of(&hint, g->r->methods[m], NULL, 100 * a));
        heft_svg_text(g->out, "small mid soft", heft_scale_at(&x, log10(t)),
                      heft_scale_at(&y, 100 * a) - 9, g->r->methods[m], 17);
    }
    heft_svg_text(g->out, "soft small mid", WIDTH / 2, 272,
                  "seconds over all folds, as a power of ten", 50);
    heft_svg_close(g->out);
    heft_html_figure_end(g->out);
    heft_buf_clear(&hint);
}

/* ---- every data set ---- */

static void draw_set(const comparison *g, size_t d, const heft_scale *s, heft_buf *hint)
{
    const double y = 10 + ROW * (double)d;
    char         style[16];
    heft_svg_text(g->out, "end", LEFT - 8, y + 8, g->r->sets[d].name, 17);
    heft_svg_line(g->out, "grid", s->from, y + 4, s->to, y + 4);
    for (size_t m = 0; m < g->n_method; m++) {
        const heft_cell *cell = heft_results_cell(g->r, d, m);
        if (cell->failure) continue;
        snprintf(style, sizeof style, "c%zu", m % HEFT_HTML_COLOURS);
        heft_svg_dot(g->out, style, heft_scale_at(s, 100 * cell->accuracy),
                     y + 4 + 9 * (((double)m + 0.5) / (double)g->n_method - 0.5), 3.8,
                     hint_of(hint, cell->method, cell->dataset, 100 * cell->accuracy));
    }
}

static void write_sets(const comparison *g)
{
    heft_scale s = {100, 100, LEFT, WIDTH - 16};
    heft_buf   hint = {0};
    for (size_t d = 0; d < g->n_data; d++)
        for (size_t m = 0; m < g->n_method; m++) {
            const heft_cell *cell = heft_results_cell(g->r, d, m);
            if (!cell->failure) s.lo = fmin(s.lo, 100 * cell->accuracy);
        }
    s.lo = fmax(0, fmin(s.lo - 2, 95));
    const double foot = 10 + ROW * (double)g->n_data;
    heft_html_figure(g->out, "Accuracy (%) on every data set");
    heft_html_legend(g->out, g->n_method, method_name, g);
    heft_svg_open(g->out, "sets", WIDTH, foot + 24, "accuracy by data set and method");
    heft_svg_axis_x(g->out, &s, foot + 2, 4);
    for (size_t d = 0; d < g->n_data; d++) draw_set(g, d, &s, &hint);
    heft_svg_close(g->out);
    heft_html_figure_end(g->out);
    heft_buf_clear(&hint);
}

/* ---- public ---- */

static void write_lead(const comparison *g, char *lead, size_t size)
{
    const heft_results *r = g->r;
    if (r->tested) snprintf(lead, size, "Trained on one table, tested on another.");
    else
        snprintf(lead, size, "%zu-fold cross-validation, %zu %s, seed %llu%s%s.", r->folds,
                 r->repeats, r->repeats == 1 ? "time" : "times", (unsigned long long)r->seed,
                 r->weka ? ", Weka's splits" : "",
                 r->whole ? "; preparation learned on all rows, test rows too" : "");
}

heft_status heft_report_results(heft_ctx *ctx, const heft_results *results, heft_buf *out)
{
    heft_status st = HEFT_OK;
    comparison  g = {.r = results, .out = out};
    char        lead[200];
    heft_buf    p = {0};
    HEFT_TRY(heft_summarise(ctx, results, &g.s));
    g.n_method = results->n_method < METHODS ? results->n_method : METHODS;
    g.n_data = results->n_data < SETS ? results->n_data : SETS;
    write_lead(&g, lead, sizeof lead);
    heft_html_open(out, "Methods compared", lead);
    write_table(&g);
    if (g.s.has_ranks) {
        heft_buf_text(&p, "Friedman test over the data sets (Iman and Davenport): p = ");
        heft_buf_short(&p, g.s.friedman.p, 3);
        heft_buf_add(&p, "", 1);
        out->failed |= p.failed;
    }
    heft_html_section(out, "plots", "Plots", p.data);
    write_ranks(&g);
    write_time(&g);
    if (g.n_data) write_sets(&g);
    heft_html_section_end(out);
    heft_html_close(out);
done:
    heft_buf_clear(&p);
    return st;
}
