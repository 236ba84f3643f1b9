/* compare_tests.c - the significance tests over data sets, of accuracies. */
#include <math.h>

#include "pages/compare.h"

/* Writes a cell with a letter before its number; empty where there is none. */
static void put_number(const heft_compare *g, const char *letter, double x)
{
    heft_put(g->out, "<td class=\"n\">");
    if (isfinite(x)) heft_put(g->out, "%s%4g", letter, x);
    heft_put(g->out, "</td>");
}

static void put_overall(const heft_compare *g)
{
    const struct {
        const char *name, *letter;
        double      x, p;
    } tests[] = {{"Friedman", "&chi;&sup2; = ", g->s.friedman.chi2, g->s.friedman.chi2_p},
                 {"Iman and Davenport", "F = ", g->s.friedman.f, g->s.friedman.p},
                 {"Quade", "F = ", g->s.quade.f, g->s.quade.p}};
    if (!g->s.has_ranks) {
        heft_put(g->out, "<p>");
        heft_no_ranks(g->out, g->r, &g->s);
        heft_put(g->out, ".</p>\n");
        return;
    }
    heft_put(g->out,
             "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"tests\"><table "
             "id=\"tests\">\n<tr><th>over %z data sets: are all methods equal?</th><th "
             "class=\"n\">statistic</th><th class=\"n\">p</th></tr>\n",
             g->s.n_complete);
    for (size_t k = 0; k < 3; k++) {
        heft_put(g->out, "<tr><td>%s</td>", tests[k].name);
        put_number(g, tests[k].letter, tests[k].x);
        put_number(g, "", tests[k].p);
        heft_put(g->out, "</tr>\n");
    }
    heft_put(g->out, "</table></div>\n");
}

/* Opens a table that compares methods, or models, with the first; `heads` are the titles of the
 * columns that follow, then NULL. */
static void open_rivals(const heft_compare *g, const char *const *heads)
{
    heft_put(g->out,
             "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"compared with the "
             "first\"><table id=\"rivals\">\n<tr><th>compared with <bdi>%100h</bdi></th>",
             g->r->methods[0]);
    for (; *heads; heads++) heft_put(g->out, "<th class=\"n\">%s</th>", *heads);
    heft_put(g->out, "</tr>\n");
}

/* Compares each method with the first over data sets. */
static void put_against(const heft_compare *g)
{
    open_rivals(g, (const char *const[]){"win/tie/loss", "sign test p", "significant", "Wilcoxon p",
                                         "Holm p", NULL});
    for (size_t m = 1; m < g->n_method; m++) {
        const heft_method_summary *r = &g->s.by_method[m];
        heft_put(g->out, "<tr><td><bdi>%100h</bdi></td><td class=\"n\">%z/%z/%z</td>",
                 g->r->methods[m], r->wins, r->ties, r->losses);
        put_number(g, "", r->sign_p);
        heft_put(g->out, "<td class=\"n\">%z/%z/%z</td>", r->better,
                 r->wins + r->ties + r->losses - r->better - r->worse, r->worse);
        put_number(g, "", r->wilcoxon);
        put_number(g, "", r->wilcoxon_holm);
        heft_put(g->out, "</tr>\n");
    }
    heft_put(g->out,
             "</table></div>\n<p>Holm p: Wilcoxon p adjusted for the number of comparisons.</p>\n");
}

/* Compares each method with the first on one data set, over its folds. */
static void put_folds(const heft_compare *g)
{
    open_rivals(g, (const char *const[]){"difference, points", "p", NULL});
    for (size_t m = 1; m < g->n_method; m++) {
        heft_difference t;
        const bool      tested = heft_results_differ(g->r, 0, m, &t);
        heft_put(g->out, "<tr><td><bdi>%100h</bdi></td>", g->r->methods[m]);
        put_number(g, "", tested ? 100 * t.mean : (double)NAN);
        put_number(g, "", tested ? t.p : (double)NAN);
        heft_put(g->out, "</tr>\n");
    }
    heft_put(g->out, "</table></div>\n<p>%s t-test over the folds.</p>\n",
             g->r->design.plain ? "Paired" : "Corrected resampled paired");
}

static void put_drawn(const heft_compare *g, const heft_drawn_difference *d)
{
    heft_put(g->out, "<td class=\"n\">");
    if (isfinite(d->difference))
        heft_put(g->out, "%4f (%4f to %4f)", d->difference, d->low, d->high);
    heft_put(g->out, "</td>");
    put_number(g, "", d->p);
}

/* Compares saved models with the first, over the test rows. */
static void put_rows(const heft_compare *g)
{
    open_rivals(g,
                (const char *const[]){"right by this one alone", "by the first alone", "McNemar p",
                                      "log loss, difference", "p", "AUC, difference", "p", NULL});
    for (size_t m = 1; m < g->n_method; m++) {
        const heft_row_tests *t = &g->r->row_tests[m];
        if (heft_cell_of(g->r, 0, m)->failure) continue;
        heft_put(g->out,
                 "<tr><td><bdi>%100h</bdi></td><td class=\"n\">%z</td><td class=\"n\">%z</td>",
                 g->r->methods[m], t->only_other, t->only_first);
        put_number(g, "", t->mcnemar_p);
        put_drawn(g, &t->log_loss);
        put_drawn(g, &t->auc);
        heft_put(g->out, "</tr>\n");
    }
    heft_put(g->out, "</table></div>\n");
}

void heft_compare_tests(const heft_compare *g)
{
    if (g->r->n_method < 2) return;
    heft_put(g->out, "<section id=\"significance\">\n<h2>Significance tests</h2>\n%s",
             g->r->row_tests ? "" : "<p>Of accuracies.</p>\n");
    if (!g->r->row_tests) put_overall(g);
    if (g->r->row_tests) put_rows(g);
    else if (g->r->n_data > 1) put_against(g);
    else if (g->r->folds > 1) put_folds(g);
    heft_put(g->out, "</section>\n");
}
