/* compare_cells.c - one method on one data set: all measures, the classes, the confusion matrix. */
#include <math.h>

#include "pages/compare.h"
#include "pages/lead.h"

enum { FIGURES = 60, CLASSES = 26, FEW_CLASSES = 6 };

/* ---- measures ---- */

static void put_interval(const heft_compare *g, const heft_cell *cell, size_t k)
{
    double low, high;
    heft_put(g->out, "<td class=\"n\">");
    if (heft_compare_interval(cell, k, &low, &high)) {
        heft_buf_fixed(g->out, low, heft_compare_decimals(k));
        heft_put(g->out, " to ");
        heft_buf_fixed(g->out, high, heft_compare_decimals(k));
    }
    heft_put(g->out, "</td>");
}

static void put_measures(const heft_compare *g, const heft_cell *cell, size_t d, size_t m)
{
    heft_put(g->out,
             "<figure><figcaption>Measures</figcaption>\n<div class=\"scroll\" tabindex=\"0\" "
             "role=\"region\" aria-label=\"measures\"><table id=\"measures-%z-%z\">\n"
             "<tr><th>measure</th><th class=\"n\">value</th>",
             d, m);
    if (cell->intervals)
        heft_put(g->out, "<th class=\"n\">%3g%% interval</th>", 100 * (1 - g->s.alpha));
    heft_put(g->out, "</tr>\n");
    for (size_t k = 0; k < HEFT_N_DRAWN; k++) {
        const double x = heft_compare_value(cell, k);
        if (!g->applies[k]) continue;
        heft_put(g->out, "<tr><th scope=\"row\">%s", k ? "" : heft_compare_title(0));
        if (k) heft_html_measure(g->out, k - 1, heft_measure_class(&g->r->sets[d], k - 1));
        heft_compare_number(g, "</th><td class=\"n\">", x, heft_compare_decimals(k));
        if (cell->intervals) put_interval(g, cell, k);
        heft_put(g->out, "</tr>\n");
        if (k == 0 && cell->per_class)
            heft_put(g->out,
                     "<tr><th scope=\"row\">baseline, %%</th><td class=\"n\">%2f</td>%s</tr>\n",
                     100 * heft_cell_lead(cell).baseline, cell->intervals ? "<td></td>" : "");
    }
    if (!cell->imported)
        for (int predict = 0; predict < 2; predict++)
            heft_put(
                g->out, "<tr><th scope=\"row\">seconds to %s</th><td class=\"n\">%3g</td>%s</tr>\n",
                predict ? "predict" : "fit", predict ? cell->predict_seconds : cell->fit_seconds,
                cell->intervals ? "<td></td>" : "");
    heft_put(g->out, "</table></div></figure>\n");
}

/* ---- classes ---- */

static void put_classes(const heft_compare *g, const heft_cell *cell, size_t d, size_t m)
{
    if (!cell->per_class || !cell->classes) return;
    heft_put(g->out,
             "<figure class=\"wide\"><figcaption>Classes</figcaption>\n<div class=\"scroll\" "
             "tabindex=\"0\" "
             "role=\"region\" aria-label=\"classes\"><table id=\"classes-%z-%z\">\n"
             "<tr><th>class</th>",
             d, m);
    for (size_t k = 0; k < HEFT_N_CLASS_FIGURES; k++)
        heft_put(g->out, "<th class=\"n\">%s</th>", heft_class_figure_list[k].title);
    heft_put(g->out, "</tr>\n");
    for (size_t c = 0; c < cell->n_classes && c < CLASSES; c++) {
        const bool missed = heft_cell_missed(cell, c) == c;
        heft_put(g->out, "<tr><th scope=\"row\"><bdi>%200h</bdi>%s</th>", cell->classes[c],
                 missed ? " <b class=\"missed\" title=\"no row is predicted right\">!</b>" : "");
        for (size_t k = 0; k < HEFT_N_CLASS_FIGURES; k++) {
            const double x = heft_class_figure_of(&cell->per_class[c], k);
            const int    decimals = heft_class_figure_list[k].decimals;
            if (decimals) heft_compare_number(g, "<td class=\"n\">", x, decimals);
            else if (isfinite(x)) heft_put(g->out, "<td class=\"n\">%6g</td>", x);
            else heft_put(g->out, "<td class=\"n\"></td>");
        }
        heft_put(g->out, "</tr>\n");
    }
    heft_put(g->out, "</table></div>\n");
    if (cell->n_classes > CLASSES)
        heft_put(g->out, "<p>The first %z of %z classes are shown.</p>", (size_t)CLASSES,
                 cell->n_classes);
    heft_put(g->out, "</figure>\n");
}

/* ---- confusion ---- */

static void put_confusion(const heft_compare *g, const heft_cell *cell, size_t d, size_t m)
{
    const size_t n = cell->n_classes;
    size_t       total[CLASSES] = {0};
    if (!cell->confusion || !cell->classes || n > CLASSES) return;
    for (size_t k = 0; k < n * n; k++) total[k / n] += cell->confusion[k];
    heft_put(g->out,
             "<figure><figcaption>Confusion matrix</figcaption>\n<div class=\"scroll\" "
             "tabindex=\"0\" role=\"region\" aria-label=\"confusion matrix\"><table class=\"heat "
             "matrix%s\" id=\"confusion-%z-%z\">\n",
             n > 14 ? " many" : "", d, m);
    heft_html_confusion(g->out,
                        &(heft_confusion){n, FEW_CLASSES, cell->confusion, total, cell->classes});
    heft_put(g->out, "<p>Rows of all repeats. Colours: the share of the rows of the actual "
                     "class.</p></figure>\n");
}

/* ---- cells ---- */

void heft_compare_cells(const heft_compare *g)
{
    const size_t n = g->n_data * g->n_method;
    heft_put(g->out, "<section id=\"cells\">\n<h2>%s</h2>\n",
             g->one ? "Measures and classes" : "Every data set and method");
    if (g->r->folds > 1)
        heft_put(g->out,
                 "<p>Measures are computed over all test rows of a repeat and averaged over "
                 "the repeats; the accuracy is the mean over the folds.</p>\n");
    for (size_t i = 0; i < n && i < FIGURES; i++) {
        const size_t     d = i / g->n_method, m = i % g->n_method;
        const heft_cell *cell = heft_cell_of(g->r, d, m);
        if (!g->one) {
            heft_put(g->out, "<details class=\"one\"><summary><bdi>%200h</bdi>, ", cell->dataset);
            heft_compare_sign(g, m);
            heft_put(g->out, "<bdi>%200h</bdi></summary>\n", cell->method);
        }
        if (cell->failure)
            heft_put(g->out, "<p class=\"error\"><bdi>%500h</bdi></p>\n", cell->failure);
        else {
            heft_put(g->out, "<div class=\"figures two\">\n");
            put_measures(g, cell, d, m);
            put_confusion(g, cell, d, m);
            put_classes(g, cell, d, m);
            heft_put(g->out, "</div>\n");
        }
        if (!g->one) heft_put(g->out, "</details>\n");
    }
    if (g->r->n_data * g->r->n_method > FIGURES)
        heft_put(g->out, "<p>The first %z of %z are shown; the others are in the JSON file.</p>\n",
                 (size_t)FIGURES, g->r->n_data * g->r->n_method);
    heft_put(g->out, "</section>\n");
}
