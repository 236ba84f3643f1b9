/* compare_table.c - data sets by methods: a heat table for each measure. */
#include <math.h>

#include "pages/compare.h"

/* Writes a mark whose title names the classes that are never predicted right. */
static void put_missed(const heft_compare *g, const heft_cell *cell)
{
    size_t c = heft_cell_missed(cell, 0), n = 0;
    if (c >= cell->n_classes) return;
    heft_put(g->out, " <b class=\"missed\" title=\"no row is predicted right of class ");
    for (; c < cell->n_classes && n < 8; c = heft_cell_missed(cell, c + 1), n++)
        heft_put(g->out, "%s%60h", n ? ", " : "", cell->classes ? cell->classes[c] : "?");
    heft_put(g->out, "\">!</b>");
}

static void put_cell(const heft_compare *g, size_t d, size_t m, size_t k, const heft_scale *row)
{
    static const char *const marks[3] = {"&minus;", "", "+"};
    const heft_cell         *cell = heft_cell_of(g->r, d, m);
    const double             x = heft_compare_value(cell, k);
    const bool               best = heft_compare_best(g, d, m, k);
    heft_buf                *out = g->out;
    if (cell->failure) {
        heft_put(out, "<td title=\"%300h\">failed</td>", cell->failure);
        return;
    }
    if (isnan(x)) {
        heft_put(out, "<td></td>");
        return;
    }
    if (row->hi > row->lo)
        heft_put(out, "<td class=\"cell right\" style=\"--o:%2f\">", heft_scale_at(row, x));
    else heft_put(out, "<td>");
    heft_put(out, best ? "<strong>" : "<span>");
    heft_buf_fixed(out, x, heft_compare_decimals(k));
    heft_put(out, best ? "</strong>" : "</span>");
    if (k == 0) heft_put(out, "%s", marks[heft_results_mark(g->r, d, m) + 1]);
    put_missed(g, cell);
    if (k == 0 && cell->n_folds > 1)
        heft_put(out, " <small>&plusmn;&nbsp;%2f</small>", 100 * cell->accuracy_sd);
    heft_put(out, "</td>");
}

/* Whether the baseline is shown: beside accuracies, where the rows of each class are known. */
static bool shows_baseline(const heft_compare *g, size_t k)
{
    const heft_cell *cell = heft_cell_present(g->r, 0);
    return k == 0 && cell && cell->per_class;
}

static void put_line(const heft_compare *g, size_t d, size_t k)
{
    const bool higher = heft_compare_higher(k);
    heft_scale row = {INFINITY, -INFINITY, higher ? 0 : 1, higher ? 1 : 0};
    for (size_t m = 0; m < g->n_method; m++)
        heft_scale_reach(&row, heft_compare_value(heft_cell_of(g->r, d, m), k));
    heft_put(g->out, "<tr><th scope=\"row\"><bdi>%500h</bdi> <small class=\"soft\">%s</small></th>",
             g->r->sets[d].name, HEFT_COUNT_OF(g->r->sets[d].n_rows, "row"));
    for (size_t m = 0; m < g->n_method; m++) put_cell(g, d, m, k, &row);
    const heft_cell *any = heft_cell_present(g->r, d);
    if (any && shows_baseline(g, k))
        heft_put(g->out, "<td class=\"base\">%2f</td>", 100 * heft_cell_lead(any).baseline);
    heft_put(g->out, "</tr>\n");
}

static void put_means(const heft_compare *g, const heft_places *p, size_t k)
{
    if (p->n_sets < 2) return;
    for (int ranks = 0; ranks < (p->n > 1 ? 2 : 1); ranks++) {
        heft_put(g->out, "<tr class=\"mean\"><th scope=\"row\">mean%s</th>", ranks ? " rank" : "");
        for (size_t m = 0; m < g->n_method; m++) {
            const double x = ranks ? p->of[m].rank : p->of[m].value;
            heft_compare_number(g, "<td>", x, ranks ? 2 : heft_compare_decimals(k));
        }
        heft_put(g->out, "</tr>\n");
    }
}

static void put_notes(const heft_compare *g, const heft_places *p, size_t k)
{
    const heft_results *r = g->r;
    heft_put(g->out, "<p>");
    if (r->n_method > 1)
        heft_put(g->out, "Bold and underlined: the best. The stronger the colour, the better the "
                         "method among the others on this data set. ");
    if (k == 0 && r->n_method > 1 && r->folds > 1)
        heft_put(g->out,
                 "+ and &minus;: significantly better and worse than <bdi>%60h</bdi> (%s t-test, "
                 "level %4g). ",
                 r->methods[0], r->design.plain ? "paired" : "corrected resampled paired",
                 g->s.alpha);
    if (k == 0 && r->folds > 1) heft_put(g->out, "&plusmn;: standard deviation over the folds. ");
    if (shows_baseline(g, k)) heft_put(g->out, "Baseline: always the most frequent class. ");
    bool missed = false;
    for (size_t i = 0; i < r->n_data * r->n_method && !missed; i++)
        missed = !r->cells[i].failure && heft_cell_missed(&r->cells[i], 0) < r->cells[i].n_classes;
    if (missed) heft_put(g->out, "!: no row of some class is predicted right. ");
    if (p->n_sets > 1 && p->n_sets < r->n_data)
        heft_put(g->out, "Means are over the %s where every method has a figure.",
                 HEFT_COUNT_OF(p->n_sets, "data set"));
    heft_put(g->out, "</p>\n");
}

static heft_status put_table(const heft_compare *g, size_t k)
{
    heft_places p;
    char        id[HEFT_COMPARE_ID];
    HEFT_CHECK(heft_compare_rank(g, k, &p));
    heft_compare_by(g, "div", k);
    heft_put(g->out,
             "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s by data set and "
             "method\"><table class=\"heat matrix compare\" id=\"%s\">\n<tr><th "
             "class=\"corner\">%s</th>",
             heft_compare_title(k), heft_compare_id(id, "results", k), heft_compare_title(k));
    for (size_t m = 0; m < g->n_method; m++) {
        heft_put(g->out, "<th scope=\"col\" class=\"up\">");
        heft_compare_sign(g, m);
        heft_put(g->out, "<bdi>%500h</bdi></th>", g->r->methods[m]);
    }
    heft_put(g->out, "%s</tr>\n",
             shows_baseline(g, k) ? "<th scope=\"col\" class=\"up base\">baseline</th>" : "");
    for (size_t d = 0; d < g->n_data; d++) put_line(g, d, k);
    put_means(g, &p, k);
    heft_put(g->out, "</table></div>\n");
    put_notes(g, &p, k);
    heft_put(g->out, "</div>\n");
    return HEFT_OK;
}

heft_status heft_compare_table(const heft_compare *g)
{
    const heft_results *r = g->r;
    heft_put(g->out, "<section id=\"table\">\n<h2>Data sets and methods</h2>\n");
    for (size_t k = 0; k < HEFT_N_DRAWN; k++)
        if (g->applies[k]) HEFT_CHECK(put_table(g, k));
    if (g->n_data < r->n_data || g->n_method < r->n_method)
        heft_put(g->out, "<p>The first %z of %z data sets and %z of %z methods are shown.</p>\n",
                 g->n_data, r->n_data, g->n_method, r->n_method);
    heft_put(g->out, "</section>\n");
    return HEFT_OK;
}
