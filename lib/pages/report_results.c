/* report_results.c - a comparison of methods as a page: its head, and the order of its sections. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pages/compare.h"
#include "pages/lead.h"
#include "pages/report.h"

extern const char *const heft_compare_script[], *const heft_compare_style[];

/* ---- the head ---- */

static void put_how(const heft_compare *g)
{
    const heft_results *r = g->r;
    char                seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, r->seed);
    heft_put(g->out, "<p>");
    heft_put_split(g->out, r);
    if (!r->design.tested)
        heft_put(g->out, ", %s, seed %s%s%s", HEFT_COUNT_OF(r->repeats, "repeat"), seed,
                 r->design.weka ? ", Weka's splits" : "",
                 r->design.whole
                     ? "; the preparation was learned on all rows, test rows too, so the "
                       "results are optimistic"
                     : "");
    if (heft_n_stages(g->all) > 1)
        heft_put(g->out, "; if not stated otherwise, the figures are for %100h",
                 heft_stage_at(g->all, g->full)->name);
    heft_put(g->out, ".</p>\n");
    const char *before = "<p>Imported accuracies, without other measures: ";
    for (size_t m = 0; m < r->n_method; m++) {
        if (!r->cells[m].imported) continue;
        heft_put(g->out, "%s<bdi>%200h</bdi>", before, r->methods[m]);
        before = ", ";
    }
    if (*before == ',') heft_put(g->out, ".</p>\n");
}

static void put_contents(const heft_compare *g)
{
    heft_put(g->out, "<nav aria-label=\"sections\">");
    if (!g->one) heft_put(g->out, "<a href=\"#table\">Table</a> ");
    if (heft_n_stages(g->all) > 1) heft_put(g->out, "<a href=\"#curves\">Curves</a> ");
    if (!g->one) heft_put(g->out, "<a href=\"#plots\">Plots</a> ");
    if (g->r->n_method > 1) heft_put(g->out, "<a href=\"#significance\">Significance</a> ");
    heft_put(g->out, "<a href=\"#cells\">Details</a></nav>\n");
}

static void put_head(const heft_compare *g)
{
    const heft_results *r = g->r;
    const bool          one = r->n_method == 1;
    heft_html_begin(g->out, "Comparison of methods", heft_compare_style);
    heft_put(g->out, "<header>\n<p class=\"over\">Comparison of methods &middot; ");
    heft_html_date(g->out);
    heft_put(g->out, "</p>\n<h1>");
    if (one) heft_put(g->out, "<bdi>%200h</bdi> on ", r->methods[0]);
    else
        heft_put(g->out, "%s on ",
                 HEFT_COUNT_OF(r->n_method, r->design.saved ? "model" : "method"));
    if (r->n_data == 1) heft_put(g->out, "<bdi>%200h</bdi></h1>\n", r->sets[0].name);
    else heft_put(g->out, "%s</h1>\n", HEFT_COUNT_OF(r->n_data, "data set"));
    put_how(g);
    heft_compare_legend(g);
    put_contents(g);
    heft_put(g->out, "</header>\n");
}

/* ---- the measure ---- */

static void put_menu(const heft_compare *g)
{
    heft_put(g->out, "<div id=\"choose\" class=\"choose\" hidden><label "
                     "for=\"measure\">Measure</label> <select id=\"measure\">");
    for (size_t k = 0; k < HEFT_N_DRAWN; k++)
        if (g->applies[k])
            heft_put(g->out, "<option value=\"%s\"%s>%s</option>", heft_drawn_name(k),
                     k ? "" : " selected", k ? heft_compare_title(k) : "accuracy");
    heft_put(g->out, "</select></div>\n");
}

static size_t best_method(const heft_compare *g, const heft_places *p, size_t k)
{
    const double sign = heft_compare_higher(k) ? 1 : -1;
    size_t       best = SIZE_MAX;
    for (size_t m = 0; m < g->r->n_method; m++)
        if (isfinite(p->of[m].value) &&
            (best == SIZE_MAX || sign * p->of[m].value > sign * p->of[best].value + HEFT_SAME))
            best = m;
    return best;
}

static void put_big(const heft_compare *g, double x, size_t k)
{
    heft_buf_fixed(g->out, x, k ? heft_compare_decimals(k) : 1);
    heft_put(g->out, "%s", k ? "" : "%");
}

static void put_against_first(const heft_compare *g, const heft_places *p, size_t k, size_t best)
{
    const heft_results *r = g->r;
    if (best != 0 && isfinite(p->of[0].value)) {
        heft_put(g->out, "<p><bdi>%200h</bdi>, the first %s: ", r->methods[0],
                 r->design.saved ? "model" : "method");
        put_big(g, p->of[0].value, k);
        heft_put(g->out, ".</p>\n");
    }
}

/* Whether the best is so by more than chance, in words. */
static heft_status put_verdict(const heft_compare *g, const heft_places *p, size_t k, size_t best)
{
    heft_verdict v;
    if (p->n < 2) return HEFT_OK;
    HEFT_CHECK(heft_judge(g->ctx, g->r, &g->s, best, &v));
    if (k)
        v = (heft_verdict){isnan(p->cd) ? NULL : "Friedman's test", true, p->friedman.chi2_p, 0, 0};
    heft_put(g->out, "<p class=\"chance\">");
    if (v.test) heft_put_verdict(g->out, &v, g->s.alpha);
    else heft_put(g->out, "Whether the difference is more than chance is not tested");
    heft_put(g->out, ".</p>\n");
    return HEFT_OK;
}

/* The method with the highest average precision of the rare class on the only data set, where
 * accuracy says little there; SIZE_MAX: accuracies can lead. */
static size_t leading_method(const heft_compare *g)
{
    size_t best = SIZE_MAX;
    double most = -1;
    bool   any = false;
    if (g->r->n_data == 1)
        for (size_t m = 0; m < g->r->n_method; m++) {
            const heft_cell *cell = heft_cell_of(g->r, 0, m);
            if (cell->failure) continue;
            const heft_lead lead = heft_cell_lead(cell);
            any = any || lead.any;
            if (lead.figure[HEFT_N_LEAD - 1].value > most + HEFT_SAME)
                best = m, most = lead.figure[HEFT_N_LEAD - 1].value;
        }
    return any ? best : SIZE_MAX;
}

static void put_rare(const heft_compare *g, size_t best)
{
    const heft_cell *cell = heft_cell_of(g->r, 0, best);
    const heft_lead  lead = heft_cell_lead(cell);
    heft_compare_by(g, "div", 0);
    if (g->r->n_method > 1)
        heft_put(g->out, "<p><strong><bdi>%200h</bdi></strong> has the highest %s of %s:</p>\n",
                 cell->method, lead.figure[HEFT_N_LEAD - 1].title,
                 HEFT_COUNT_OF(g->r->n_method, g->r->design.saved ? "model" : "method"));
    heft_put(g->out, "<div class=\"headline rare\">");
    heft_html_lead(g->out, &lead, cell->classes, cell->accuracy, "",
                   g->r->folds > 1 ? "on all test rows of a repeat" : "on the test rows");
    heft_put(g->out, "</div></div>\n");
}

/* The data sets on which the best method is no better than the baseline. */
static void put_baseline(const heft_compare *g, size_t best)
{
    size_t n = 0, below = 0;
    for (size_t d = 0; d < g->r->n_data; d++) {
        const heft_cell *cell = heft_cell_of(g->r, d, best);
        if (cell->failure) continue;
        n++;
        below += heft_cell_lead(cell).below;
    }
    const heft_cell *cell = heft_cell_of(g->r, 0, best);
    if (!cell->per_class) return;
    if (g->r->n_data == 1) {
        const heft_lead lead = heft_cell_lead(cell);
        heft_html_baseline(g->out, &lead, cell->classes);
    } else if (below)
        heft_put(g->out,
                 "<p><strong>On %z of %s it is not above the baseline</strong>, which always "
                 "predicts the most frequent class.</p>\n",
                 below, HEFT_COUNT_OF(n, "data set"));
}

/* The best method, by measure k. */
static heft_status put_headline(const heft_compare *g, size_t k)
{
    const heft_results *r = g->r;
    heft_places         p;
    HEFT_CHECK(heft_compare_rank(g, k, &p));
    const size_t best = best_method(g, &p, k), leading = k ? SIZE_MAX : leading_method(g);
    if (leading != SIZE_MAX) {
        put_rare(g, leading);
        return HEFT_OK;
    }
    heft_compare_by(g, "div", k);
    if (best == SIZE_MAX) {
        heft_put(g->out, "<p class=\"note\">No data set has figures of every method.</p></div>\n");
        return HEFT_OK;
    }
    heft_put(g->out, "<div class=\"headline\"><div class=\"big\">");
    put_big(g, p.of[best].value, k);
    heft_put(g->out, "</div><div>\n<p>%s%s of <strong><bdi>%200h</bdi></strong>",
             p.n_sets > 1 ? "mean " : "", k ? heft_compare_title(k) : "accuracy", r->methods[best]);
    if (p.n > 1)
        heft_put(g->out, ", the best of %s",
                 HEFT_COUNT_OF(p.n, r->design.saved ? "model" : "method"));
    if (p.n_sets > 1) heft_put(g->out, ", over %s", HEFT_COUNT_OF(p.n_sets, "data set"));
    if (p.n_sets > 1 && p.n > 1) heft_put(g->out, "; its mean rank is %2f", p.of[best].rank);
    if (heft_n_stages(g->all) > 1)
        heft_put(g->out, "; stage: %100h", heft_stage_at(g->all, g->full)->name);
    heft_put(g->out, ".</p>\n");
    put_against_first(g, &p, k, best);
    HEFT_CHECK(put_verdict(g, &p, k, best));
    if (k == 0) put_baseline(g, best);
    if (k)
        heft_put(g->out, "<p>%s is better. %s: %400h.</p></div></div></div>\n",
                 heft_compare_higher(k) ? "Higher" : "Lower", heft_compare_title(k),
                 heft_measures_at(k - 1)->description);
    else
        heft_put(g->out,
                 "<p>The share of test rows that are predicted right%s.</p></div></div></div>\n",
                 r->folds > 1 ? ", mean over the folds" : "");
    return HEFT_OK;
}

/* ---- the page ---- */

/* Measures that are shown to people and that some cell has. */
static void find_measures(heft_compare *g)
{
    g->applies[0] = true;
    for (size_t k = 1; k < HEFT_N_DRAWN; k++)
        for (size_t i = 0; i < g->r->n_data * g->r->n_method && !g->applies[k]; i++)
            g->applies[k] = heft_measures_at(k - 1)->decimals > 0 &&
                            isfinite(heft_compare_value(&g->r->cells[i], k));
}

static heft_status put_plots(const heft_compare *g)
{
    heft_html_section(g->out, "plots", "Plots", NULL);
    HEFT_CHECK(heft_compare_ranks(g));
    heft_compare_sets(g);
    heft_compare_time(g);
    heft_html_section_end(g->out);
    return HEFT_OK;
}

heft_status heft_report_results(heft_ctx *ctx, const heft_results *results, heft_buf *out)
{
    const size_t       full = heft_results_headline(results);
    const heft_results first = heft_results_at(results, full);
    heft_compare       g = {.ctx = ctx, .all = results, .r = &first, .full = full, .out = out};
    HEFT_CHECK(heft_summarise(ctx, &first, &g.s));
    g.n_method = first.n_method < HEFT_COMPARE_METHODS ? first.n_method : HEFT_COMPARE_METHODS;
    g.n_data = first.n_data < HEFT_COMPARE_SETS ? first.n_data : HEFT_COMPARE_SETS;
    g.one = first.n_data * first.n_method == 1;
    find_measures(&g);
    put_head(&g);
    put_menu(&g);
    for (size_t k = 0; k < HEFT_N_DRAWN; k++)
        if (g.applies[k]) HEFT_CHECK(put_headline(&g, k));
    if (!g.one) HEFT_CHECK(heft_compare_table(&g));
    heft_compare_curves(&g);
    if (!g.one) HEFT_CHECK(put_plots(&g));
    heft_compare_tests(&g);
    heft_compare_cells(&g);
    heft_put(out, "<script>\n");
    for (const char *const *line = heft_compare_script; *line; line++) heft_buf_text(out, *line);
    heft_put(out, "</script>\n");
    heft_html_close(out);
    return HEFT_OK;
}

heft_status heft_results_render(heft_ctx *ctx, const heft_results *results, const char *format,
                                char **text)
{
    heft_status st = HEFT_OK;
    heft_buf    buf = {0};
    HEFT_TRY(strcmp(format, "html") == 0 ? heft_report_results(ctx, results, &buf)
                                         : heft_results_format(ctx, results, format, &buf));
    HEFT_TRY(heft_buf_take(ctx, &buf, text));
done:
    heft_buf_clear(&buf);
    return st;
}
