/* results_details.c - everything about each cell: measures, figures of each class and the confusion
 * matrix. */
#include <math.h>
#include <stdio.h>

#include "base/grid.h"
#include "eval/bootstrap.h"
#include "eval/results.h"

enum { CLASS_BYTES = 14, MOST_SHOWN = 20 /* most classes that are shown */ };

static void add_class(heft_grid *g, const heft_cell *cell, size_t c)
{
    char number[32];
    snprintf(number, sizeof number, "class %zu", c + 1);
    heft_put_name(&g->text, cell->classes ? cell->classes[c] : number, CLASS_BYTES, g->style);
    heft_grid_end(g);
}

static void add_number(heft_grid *g, double x, int decimals)
{
    heft_put_fixed(&g->text, x, decimals);
    heft_grid_end(g);
}

/* Add the heads of the two columns of an interval: "95% from" and "to". */
static void add_interval_heads(heft_grid *g, double alpha)
{
    heft_grid_put(g, "%3g%% from\tto", 100 * (1 - alpha));
}

/* Write one line per measure, the accuracy first, with intervals if there are some. */
static void put_measures(const heft_results_set *set, const heft_cell *cell, double alpha,
                         heft_buf *out)
{
    const bool drawn = cell->intervals != NULL;
    heft_grid  g = heft_figures_grid(HEFT_PLAIN, drawn ? 4 : 2);
    heft_grid_put(&g, "measure\tvalue");
    if (drawn) add_interval_heads(&g, alpha);
    for (size_t k = 0; k < HEFT_N_DRAWN; k++) {
        const heft_measure_info *m = k ? heft_measures_at(k - 1) : NULL;
        const double             x = k ? cell->measures[k - 1] : cell->accuracy;
        const int                decimals = m ? m->decimals : 4;
        if (m && (!decimals || (m->optional && isnan(x)))) continue;
        const char *of = m ? heft_measure_class(set, k - 1) : NULL;
        heft_put(&g.text, "%s", m ? m->title : "accuracy");
        heft_grid_put(&g, of ? " (%14w)" : "", of, HEFT_PLAIN);
        add_number(&g, x, decimals);
        if (drawn) add_number(&g, cell->intervals[2 * k], decimals);
        if (drawn) add_number(&g, cell->intervals[2 * k + 1], decimals);
        if (k == 0) {
            heft_grid_put(&g, "baseline");
            add_number(&g, cell->measures[HEFT_MEASURE_AT(baseline)], decimals);
            if (drawn) heft_grid_put(&g, "\t");
        }
    }
    heft_grid_print(&g, out);
}

static void put_classes(const heft_cell *cell, heft_style style, heft_buf *out)
{
    const size_t n = cell->n_classes;
    heft_grid    g = heft_figures_grid(style, HEFT_N_CLASS_FIGURES + 1);
    heft_grid_put(&g, "class");
    for (size_t k = 0; k < HEFT_N_CLASS_FIGURES; k++)
        heft_grid_put(&g, "%s", heft_class_figure_list[k].title);
    for (size_t c = 0; c < n; c++) {
        add_class(&g, cell, c);
        for (size_t k = 0; k < HEFT_N_CLASS_FIGURES; k++) {
            const double x = heft_class_figure_of(&cell->per_class[c], k);
            const int    decimals = heft_class_figure_list[k].decimals;
            /* Numbers of rows are means over the repeats, so they may have a fraction. */
            add_number(&g, x, decimals || x == floor(x) ? decimals : 1);
        }
    }
    heft_grid_print(&g, out);
}

static void put_matrix(const heft_cell *cell, heft_style style, heft_buf *out)
{
    const size_t n = cell->n_classes;
    heft_grid    g = heft_figures_grid(style, n + 1);
    heft_grid_put(&g, style == HEFT_PLAIN ? "actual \\ predicted" : "actual, predicted");
    for (size_t c = 0; c < n; c++) add_class(&g, cell, c);
    for (size_t k = 0; k < n * n; k++) {
        if (k % n == 0) add_class(&g, cell, k / n);
        heft_grid_put(&g, "%z", cell->confusion[k]);
    }
    heft_grid_print(&g, out);
}

typedef struct confused { /* number of rows of an element off the diagonal, and its index */
    size_t rows, at;
} confused;

/* Write the confusions with the most rows, if there are too many classes to show the matrix. */
static void put_confusions(const heft_cell *cell, heft_buf *out)
{
    const size_t n = cell->n_classes;
    confused     worst[MOST_SHOWN + 1]; /* sorted; the last is space for one more */
    size_t       found = 0;
    heft_grid    g = {.n_cols = 3, .align = "llr", .head = true};
    for (size_t k = 0; k < n * n; k++) {
        if (!cell->confusion[k] || k / n == k % n) continue;
        size_t i = found;
        for (; i > 0 && cell->confusion[k] > worst[i - 1].rows; i--) worst[i] = worst[i - 1];
        worst[i] = (confused){cell->confusion[k], k};
        found += found < MOST_SHOWN;
    }
    if (!found) return;
    heft_put(out, "\nThe most frequent of the confusions; the JSON results have the matrix.\n\n");
    heft_grid_put(&g, "actual\tpredicted\trows");
    for (size_t i = 0; i < found; i++) {
        add_class(&g, cell, worst[i].at / n);
        add_class(&g, cell, worst[i].at % n);
        heft_grid_put(&g, "%z", worst[i].rows);
    }
    heft_grid_print(&g, out);
}

static void put_cell(const heft_results_set *set, const heft_cell *cell, double alpha, bool all,
                     heft_buf *buf)
{
    const bool many = cell->n_classes > MOST_SHOWN;
    put_measures(set, cell, alpha, buf);
    heft_buf_text(buf, "\n");
    if (many && !all) {
        heft_put_marked(buf, "The figures of %z classes: {advice details}\n", cell->n_classes);
        return;
    }
    if (!cell->per_class) return; /* imported cells have none */
    put_classes(cell, HEFT_PLAIN, buf);
    if (!cell->confusion) return; /* more than HEFT_MOST_CONFUSED classes */
    if (many) {
        put_confusions(cell, buf);
        return;
    }
    heft_buf_text(buf, "\n");
    put_matrix(cell, HEFT_PLAIN, buf);
}

void heft_results_details(const heft_results *results, bool all, heft_buf *buf)
{
    const size_t n = results->n_data * results->n_method;
    for (size_t k = 0; k < heft_n_stages(results) * n; k++) {
        const heft_results at = heft_results_at(results, k / n);
        const heft_cell   *cell = &results->cells[k];
        if (cell->failure) continue;
        if (buf->length) heft_buf_text(buf, "\n");
        heft_put_place(buf, &at, cell, HEFT_PLAIN);
        heft_buf_text(buf, "\n\n");
        put_cell(&results->sets[k % n / results->n_method], cell, heft_results_alpha(results), all,
                 buf);
    }
}

/* ---- for documents ---- */

/* Begin a table with its own caption and label, because tables float in LaTeX. */
static void open_table(heft_buf *buf, const heft_results *results, heft_style style,
                       const char *caption, const char *label)
{
    if (style != HEFT_LATEX) {
        heft_put(buf, "\n%s\n\n", caption);
        return;
    }
    heft_put(buf, "\\begin{table}\n\\centering\\small\n\\caption{%s: ", caption);
    heft_put_about(buf, results, style);
    heft_buf_text(buf, ".}\n");
    heft_put_label(buf, results, label);
}

static void close_table(heft_buf *buf, heft_style style)
{
    if (style == HEFT_LATEX) heft_buf_text(buf, "\\end{table}\n");
}

/* Write a table with a line for each cell and a column for each measure that some cell has. */
static void put_all_measures(const heft_results *results, heft_style style, heft_buf *buf)
{
    const size_t n = heft_n_stages(results) * results->n_data * results->n_method;
    const size_t per_stage = results->n_data * results->n_method;
    bool         shown[HEFT_N_MEASURES] = {0};
    size_t       n_shown = 0;
    for (size_t m = 0; m < HEFT_N_MEASURES; m++) {
        for (size_t k = 0; k < n && heft_measures_at(m)->decimals; k++)
            shown[m] |= !results->cells[k].failure && !isnan(results->cells[k].measures[m]);
        n_shown += shown[m];
    }
    heft_grid g = heft_figures_grid(style, n_shown + 1);
    heft_grid_put(&g, "data, method");
    for (size_t m = 0; m < HEFT_N_MEASURES; m++)
        if (shown[m]) heft_grid_put(&g, "%s", heft_measures_at(m)->title);
    for (size_t k = 0; k < n; k++) {
        const heft_results at = heft_results_at(results, k / per_stage);
        const heft_cell   *cell = &results->cells[k];
        if (cell->failure) continue;
        heft_put_place(&g.text, &at, cell, style);
        heft_grid_end(&g);
        for (size_t m = 0; m < HEFT_N_MEASURES; m++)
            if (shown[m]) add_number(&g, cell->measures[m], heft_measures_at(m)->decimals);
    }
    heft_grid_print(&g, buf);
}

void heft_results_appendix(const heft_results *results, heft_style style, heft_buf *buf)
{
    const size_t n = heft_n_stages(results) * results->n_data * results->n_method;
    bool         any = false;
    for (size_t k = 0; k < n; k++) any |= !results->cells[k].failure;
    if (!any) return;
    open_table(buf, results, style, "Measures", "measures");
    put_all_measures(results, style, buf);
    close_table(buf, style);
    const heft_cell *only = &results->cells[0];
    if (n > 1 || only->n_classes > MOST_SHOWN || !only->per_class) return;
    open_table(buf, results, style, "Figures of each class", "classes");
    put_classes(only, style, buf);
    close_table(buf, style);
    open_table(buf, results, style, "Confusion matrix", "confusion");
    put_matrix(only, style, buf);
    close_table(buf, style);
}
