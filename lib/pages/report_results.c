/* report_results.c - a comparison of methods as a page: the table, mean ranks with the critical
 * difference, accuracy against time, noise, rows and attributes, every data set, and which classes
 * are taken for which. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "eval/results.h"
#include "pages/html.h"
#include "pages/report.h"

#define SPACE_FOR_MARK "<span style=\"display:inline-block;width:.9em\">"

enum { SETS = 60, METHODS = 20, ROW = 18, FIGURES = 12, CLASSES = 20, POINTS = 400 };
static const double WIDTH = HEFT_PLOT_WIDTH, LEFT = 140, BASE = 232 /* of the curves */;

typedef struct comparison {
    const heft_results *all; /* every stage */
    const heft_results *r;   /* the first one */
    heft_summary        s;
    size_t              n_method, n_data; /* shown */
    heft_buf           *out;
} comparison;

/* A dot in the colour of method m; hovering shows "method<link><place>: value". */
static void put_dot(const comparison *g, size_t m, double x, double y, double radius,
                    const char *link, const char *place, double value)
{
    char style[24];
    snprintf(style, sizeof style, "c%zu", m % HEFT_HTML_COLOURS);
    heft_svg_dot(g->out, style, x, y, radius, "%60q%s%100q: %4g", g->r->methods[m], link, place,
                 value);
}

/* A figure with a legend of the methods and a plot in it. */
static void open_plot(const comparison *g, const char *id, const char *caption, const char *label,
                      double height)
{
    heft_html_figure(g->out, caption);
    heft_html_legend(g->out, g->n_method, g->r->methods);
    heft_svg_open(g->out, id, height, label);
}

/* Leave some space at both ends of a scale. */
static void widen(heft_scale *s)
{
    const double add = fmax((s->hi - s->lo) * 0.08, 0.1);
    s->lo -= add;
    s->hi += add;
}

/* ---- table ---- */

static void write_cell(const comparison *g, size_t d, size_t m)
{
    static const char *const marks[3] = {"&minus;", "", "+"};
    const heft_cell         *cell = heft_cell_of(g->r, d, m);
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

static void write_table(const comparison *g)
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
    for (int ranks = 0; g->s.n_complete > 1 && ranks < 2; ranks++) {
        heft_put(g->out, "<tr><th>mean %s</th><td></td>", ranks ? "rank" : "accuracy");
        for (size_t m = 0; m < g->n_method; m++) {
            const heft_method_summary *one = &g->s.by_method[m];
            const double               x = ranks ? one->mean_rank : 100 * one->mean_accuracy;
            heft_put(g->out, isfinite(x) ? "<td class=\"n\">%2f" : "<td class=\"n\">", x);
            heft_put(g->out, SPACE_FOR_MARK "</span></td>");
        }
        heft_put(g->out, "</tr>\n");
    }
    heft_put(g->out, "</table></div>\n");
    if (r->n_method > 1 && r->folds > 1)
        heft_put(g->out,
                 "<p>Bold: the best. + and &minus;: significantly better and worse than %60h (%s "
                 "t-test, level %4g).</p>\n",
                 r->methods[0], r->plain ? "paired" : "corrected resampled paired", g->s.alpha);
    if (g->n_data < r->n_data || g->n_method < r->n_method)
        heft_put(g->out, "<p>The first %z of %z data sets and %z of %z methods are shown.</p>\n",
                 g->n_data, r->n_data, g->n_method, r->n_method);
}

/* ---- ranks ---- */

typedef struct placed {
    size_t m;
    double rank;
} placed;

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

static void write_ranks(const comparison *g)
{
    placed           v[METHODS];
    size_t           n = 0;
    const double     k = (double)g->s.n_ran, cd = g->s.nemenyi;
    const heft_scale s = {1, k, LEFT, WIDTH - 44};
    for (size_t m = 0; m < g->r->n_method && n < METHODS; m++) {
        const double rank = g->s.by_method[m].mean_rank;
        size_t       at = n;
        if (!g->s.by_method[m].ran || !isfinite(rank)) continue;
        for (; at > 0 && v[at - 1].rank > rank; at--) v[at] = v[at - 1];
        v[at] = (placed){m, rank};
        n++;
    }
    if (g->s.n_complete < 2 || g->s.n_ran < 2 || n < 2) return;
    const double foot = draw_groups(NULL, v, n, cd, &s, 62) + ROW * (double)n + 4;
    heft_plot_open(g->out, "Mean ranks (1 is best) and Nemenyi's critical difference", "ranks",
                   foot, "mean ranks with the critical difference");
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
        put_dot(g, v[i].m, x, y + 4, 4.5, "", "", v[i].rank);
    }
    heft_plot_end(
        g->out,
        "<p>A bar joins methods whose mean ranks do not differ significantly. If all methods were "
        "equal, all would lie between the dashed lines (permutation bounds).</p>\n");
}

/* ---- accuracy against time ---- */

static void write_time(const comparison *g)
{
    heft_scale x = {INFINITY, -INFINITY, 50, WIDTH - 20}, y = {INFINITY, -INFINITY, 240, 20};
    double     at[METHODS][2]; /* as drawn: a power of ten, percent; NAN: no figures */
    for (size_t m = 0; m < g->n_method; m++) {
        double n = 0, accuracy = 0, seconds = 0; /* of the data sets that the method could do */
        for (size_t d = 0; d < g->r->n_data; d++) {
            const heft_cell *cell = heft_cell_of(g->r, d, m);
            if (cell->failure) continue;
            accuracy += cell->accuracy;
            seconds += cell->fit_seconds + cell->predict_seconds;
            n++;
        }
        at[m][0] = n > 0 ? log10(fmax(seconds / n, 1e-6)) : (double)NAN;
        at[m][1] = n > 0 ? 100 * (accuracy / n) : (double)NAN;
        heft_scale_reach(&x, at[m][0]);
        heft_scale_reach(&y, at[m][1]);
    }
    if (!isfinite(x.lo)) return;
    widen(&x);
    widen(&y);
    open_plot(g, "time", "Mean accuracy (%) against time to fit and predict",
              "accuracy against time", 278);
    heft_svg_axes(g->out, &x, &y);
    for (size_t m = 0; m < g->n_method; m++) {
        const double u = heft_scale_at(&x, at[m][0]), v = heft_scale_at(&y, at[m][1]);
        if (isnan(at[m][1])) continue;
        put_dot(g, m, u, v, 5.5, "", "", at[m][1]);
        heft_svg_text(g->out, "small mid soft", u, v - 9, g->r->methods[m], 17);
    }
    heft_svg_text(g->out, "soft small mid", WIDTH / 2, 272, "seconds over all folds (power of ten)",
                  50);
    heft_plot_end(g->out, "");
}

/* ---- every data set ---- */

static void write_sets(const comparison *g)
{
    heft_scale   s = {100, 100, LEFT, WIDTH - 16};
    const double foot = 10 + ROW * (double)g->n_data;
    if (g->n_data == 0) return;
    for (size_t d = 0; d < g->n_data; d++)
        for (size_t m = 0; m < g->n_method; m++) {
            const heft_cell *cell = heft_cell_of(g->r, d, m);
            if (!cell->failure) s.lo = fmin(s.lo, 100 * cell->accuracy);
        }
    s.lo = fmax(0, fmin(s.lo - 2, 95));
    open_plot(g, "sets", "Accuracy (%) on every data set", "accuracy by data set and method",
              foot + 24);
    heft_svg_axis_x(g->out, &s, foot + 2, 4);
    for (size_t d = 0; d < g->n_data; d++) {
        const double y = 14 + ROW * (double)d;
        heft_svg_text(g->out, "end", LEFT - 8, y + 4, g->r->sets[d].name, 17);
        heft_svg_line(g->out, "grid", s.from, y, s.to, y);
        for (size_t m = 0; m < g->n_method; m++) {
            const heft_cell *cell = heft_cell_of(g->r, d, m);
            if (cell->failure) continue;
            put_dot(g, m, heft_scale_at(&s, 100 * cell->accuracy),
                    y + 9 * (((double)m + 0.5) / (double)g->n_method - 0.5), 3.8, " on ",
                    cell->dataset, 100 * cell->accuracy);
        }
    }
    heft_plot_end(g->out, "");
}

/* ---- curves ---- */

/* One per list of the plan: noise, learn, dimensions. */
static const struct axis {
    const char *id, *caption, *label;
} axes[] = {
    {"curve-noise", "Accuracy (%) against wrong classes in the training rows",
     "training rows with a wrong class, %"},
    {"curve-learn", "Accuracy (%) against training rows", "training rows"},
    {"curve-dimensions", "Accuracy (%) against attributes", "attributes"},
};
enum { AXES = sizeof axes / sizeof *axes };

/* Where the stage is on axis a. */
static double along(const comparison *g, size_t a, size_t stage)
{
    const heft_stage *s = heft_results_stage(g->all, stage);
    const char       *text = s->dimensions ? s->dimensions : "0";
    double            x = 0;
    if (a < 2) return a == 0 ? 100 * s->noise : s->learn;
    heft_parse_double(text, text + strcspn(text, "%"), &x);
    return x;
}

/* Mean accuracy of a method at a stage, over the data sets it could do at all points. */
static double height(const comparison *g, const size_t *stage, size_t n, size_t at, size_t m)
{
    double sum = 0, count = 0;
    for (size_t d = 0; d < g->all->n_data; d++) {
        bool whole = true;
        for (size_t k = 0; k < n; k++)
            whole = whole && !heft_results_cell(g->all, stage[k], d, m)->failure;
        if (!whole) continue;
        sum += heft_results_cell(g->all, stage[at], d, m)->accuracy;
        count++;
    }
    return count > 0 ? 100 * sum / count : (double)NAN;
}

static void draw_curve(const comparison *g, size_t a, const size_t *stage, size_t n, size_t m,
                       const heft_scale *x, const heft_scale *y)
{
    double u[POINTS], h[POINTS];
    for (size_t k = 0; k < n; k++) {
        u[k] = heft_scale_at(x, along(g, a, stage[k]));
        h[k] = height(g, stage, n, k, m);
        if (isnan(h[k])) return; /* then all are */
    }
    heft_svg_path_open(g->out, m);
    for (size_t k = 0; k < n; k++) heft_svg_point(g->out, k == 0, u[k], heft_scale_at(y, h[k]));
    heft_svg_path_close(g->out);
    for (size_t k = 0; k < n; k++)
        put_dot(g, m, u[k], heft_scale_at(y, h[k]), 3.2, ", ",
                heft_results_stage(g->all, stage[k])->name, h[k]);
}

static void write_curve(const comparison *g, size_t which, const size_t *stage, size_t n)
{
    const struct axis *a = &axes[which];
    heft_scale         x = {INFINITY, -INFINITY, 44, WIDTH - 16};
    heft_scale         y = {INFINITY, -INFINITY, BASE, 14};
    for (size_t k = 0; k < n; k++) {
        heft_scale_reach(&x, along(g, which, stage[k]));
        for (size_t m = 0; m < g->n_method; m++) heft_scale_reach(&y, height(g, stage, n, k, m));
    }
    if (!isfinite(y.lo)) return;
    widen(&y);
    y.hi = fmin(y.hi, 100);
    open_plot(g, a->id, a->caption, a->caption, BASE + 34);
    heft_svg_axes(g->out, &x, &y);
    for (size_t m = 0; m < g->n_method; m++) draw_curve(g, which, stage, n, m, &x, &y);
    heft_svg_text(g->out, "soft small mid", (x.from + x.to) / 2, BASE + 28,
                  which == 1 && x.hi <= 1 ? "share of the training rows" : a->label, 60);
    heft_plot_end(g->out, g->all->n_data == 1 ? ""
                                              : "<p>Each point is the mean over the data sets that "
                                                "the method completed at all points.</p>\n");
}

static void write_curves(const comparison *g)
{
    const size_t full = heft_results_headline(g->all);
    size_t       stage[POINTS];
    bool         any = false;
    for (size_t a = 0; a < AXES; a++) {
        size_t n = 0; /* stages that differ from the full one along this axis only */
        for (size_t s = 0; s < heft_results_stages(g->all) && n < POINTS; s++) {
            bool on = true;
            for (size_t b = 0; b < AXES; b++)
                on = on && (b == a || along(g, b, s) == along(g, b, full));
            if (on) stage[n++] = s;
        }
        if (n < 2) continue;
        if (!any)
            heft_html_section(g->out, "curves", "Curves",
                              "The training rows were changed; the test rows were not.");
        any = true;
        write_curve(g, a, stage, n);
    }
    if (any) heft_html_section_end(g->out);
}

/* ---- confusion ---- */

static void write_confusions(const comparison *g)
{
    size_t   shown = 0, there = 0;
    char     id[64];
    heft_buf caption = {0};
    for (size_t k = 0; k < g->r->n_data * g->r->n_method; k++) {
        const heft_cell *cell = &g->r->cells[k];
        if (cell->failure || !cell->confusion || cell->n_classes > CLASSES) continue;
        const size_t d = k / g->r->n_method, m = k % g->r->n_method;
        if (!g->r->sets[d].classes || ++there > FIGURES) continue;
        if (shown++ == 0)
            heft_html_section(g->out, "confusions", "Confusion",
                              "Rows are actual classes, columns are predicted classes; all repeats "
                              "are added up.");
        caption.length = 0;
        heft_put(&caption, "%60q, %60q", cell->dataset, cell->method);
        heft_html_figure(g->out, heft_buf_string(&caption));
        snprintf(id, sizeof id, "confusion-%zu-%zu", d, m);
        heft_svg_confusion(g->out, id, cell->n_classes, g->r->sets[d].classes, cell->confusion);
        heft_plot_end(g->out, "");
    }
    heft_buf_clear(&caption);
    if (!shown) return;
    heft_html_section_end(g->out);
    if (there > shown)
        heft_put(g->out,
                 "<p>The first %z of %z matrices are shown; the others are in the JSON file.</p>\n",
                 shown, there);
}

/* ---- tests ---- */

/* A cell with an optional letter before its number; empty where there is none. */
static void write_number(const comparison *g, const char *letter, double x)
{
    heft_put(g->out, "<td class=\"n\">");
    if (isfinite(x)) heft_put(g->out, "%s%4g", letter, x);
    heft_put(g->out, "</td>");
}

/* All measures, a line per data set and method. */
static void write_measures(const comparison *g)
{
    bool applies[HEFT_N_MEASURES] = {false};
    for (size_t k = 0; k < g->r->n_data * g->r->n_method * HEFT_N_MEASURES; k++) {
        const heft_cell *cell = &g->r->cells[k / HEFT_N_MEASURES];
        const size_t     i = k % HEFT_N_MEASURES;
        const bool       there = !cell->failure && isfinite(cell->measures[i]);
        applies[i] |= heft_measure_at(i)->decimals && (there || !heft_measure_at(i)->optional);
    }
    heft_html_section(g->out, "measures", "Measures",
                      "Computed over all test rows of a repeat, and averaged over the repeats.");
    heft_put(g->out, "<div class=\"scroll\"><table>\n<tr><th>data</th><th>method</th>");
    for (size_t i = 0; i < HEFT_N_MEASURES; i++)
        if (applies[i]) heft_put(g->out, "<th class=\"n\">%s</th>", heft_measure_at(i)->title);
    heft_put(g->out, "</tr>\n");
    for (size_t k = 0; k < g->r->n_data * g->r->n_method; k++) {
        const heft_cell *cell = &g->r->cells[k];
        if (cell->failure) continue;
        heft_put(g->out, "<tr><td>%60h</td><td>%60h</td>", cell->dataset, cell->method);
        for (size_t i = 0; i < HEFT_N_MEASURES; i++)
            if (applies[i]) write_number(g, "", cell->measures[i]);
        heft_put(g->out, "</tr>\n");
    }
    heft_put(g->out, "</table></div>\n");
    heft_html_section_end(g->out);
}

static void write_overall(const comparison *g)
{
    const struct {
        const char *name, *letter;
        double      x, p;
    } tests[] = {{"Friedman", "&chi;&sup2; = ", g->s.friedman.chi2, g->s.friedman.chi2_p},
                 {"Iman and Davenport", "F = ", g->s.friedman.f, g->s.friedman.p},
                 {"Quade", "F = ", g->s.quade.f, g->s.quade.p}};
    if (!g->s.has_ranks) {
        heft_put(g->out, "<p>There are ");
        heft_no_ranks(g->out, g->r, &g->s);
        heft_put(g->out, ".</p>\n");
        return;
    }
    heft_put(g->out,
             "<table id=\"tests\">\n<tr><th>over %z data sets: are all methods equal?</th><th "
             "class=\"n\">statistic</th><th class=\"n\">p</th></tr>\n",
             g->s.n_complete);
    for (size_t k = 0; k < 3; k++) {
        heft_put(g->out, "<tr><td>%s</td>", tests[k].name);
        write_number(g, tests[k].letter, tests[k].x);
        write_number(g, "", tests[k].p);
        heft_put(g->out, "</tr>\n");
    }
    heft_put(g->out, "</table>\n");
}

/* Each method against the first. */
static void write_against(const comparison *g)
{
    heft_put(g->out,
             "<div class=\"scroll\"><table id=\"rivals\">\n<tr><th>compared with %60h</th><th "
             "class=\"n\">win/tie/loss</th><th class=\"n\">sign test p</th><th "
             "class=\"n\">significant</th><th class=\"n\">Wilcoxon p</th><th class=\"n\">Holm "
             "p</th></tr>\n",
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
    heft_put(g->out,
             "</table></div>\n<p>Holm p: Wilcoxon p adjusted for the number of comparisons.</p>\n");
}

/* ---- the page ---- */

heft_status heft_report_results(heft_ctx *ctx, const heft_results *results, heft_buf *out)
{
    const size_t       full = heft_results_headline(results);
    const heft_results first = heft_results_at(results, full);
    comparison         g = {.all = results, .r = &first, .out = out};
    const char        *stage =
        heft_results_stages(results) > 1 ? heft_results_stage(results, full)->name : "";
    char     lead[400];
    heft_buf how = {0};
    HEFT_CHECK(heft_summarise(ctx, &first, &g.s));
    g.n_method = first.n_method < METHODS ? first.n_method : METHODS;
    g.n_data = first.n_data < SETS ? first.n_data : SETS;
    heft_put_split(&how, &first);
    snprintf(lead, sizeof lead, "%s.", heft_buf_string(&how));
    if (!first.tested)
        snprintf(lead, sizeof lead, "%s, %s, seed %llu%s%s%s%.100s.", heft_buf_string(&how),
                 HEFT_COUNT_OF(first.repeats, "repeat"), (unsigned long long)first.seed,
                 first.weka ? ", Weka's splits" : "",
                 first.whole ? "; the preparation was learned on all rows, test rows too, so the "
                               "results are optimistic"
                             : "",
                 *stage ? "; if not stated otherwise, the figures are for " : "", stage);
    heft_buf_clear(&how);
    heft_html_open(out, "Comparison of methods", lead);
    write_table(&g);
    write_measures(&g);
    write_curves(&g);
    heft_html_section(out, "plots", "Plots", NULL);
    write_ranks(&g);
    write_time(&g);
    write_sets(&g);
    heft_html_section_end(out);
    if (first.n_method > 1) {
        heft_put(out, "<section id=\"significance\">\n<h2>Significance tests</h2>\n");
        write_overall(&g);
        write_against(&g);
        heft_put(out, "</section>\n");
    }
    write_confusions(&g);
    heft_html_close(out);
    return HEFT_OK;
}
