/* results_details.c - everything about each cell: measures, figures of each class and the confusion
 * matrix. */
#include <math.h>
#include <stdio.h>

#include "base/put.h"
#include "eval/bootstrap.h"
#include "eval/text_grid.h"

enum { CLASS_BYTES = 14, MOST_SHOWN = 20 /* classes whose figures are shown */ };

static void add_class(heft_text_grid *g, const heft_cell *cell, size_t c)
{
    char number[32];
    snprintf(number, sizeof number, "class %zu", c + 1);
    heft_put_name(&g->text, cell->classes ? cell->classes[c] : number, CLASS_BYTES, g->style);
    heft_text_grid_end_cell(g);
}

static void add_text(heft_text_grid *g, const char *text)
{
    heft_buf_text(&g->text, text);
    heft_text_grid_end_cell(g);
}

static void add_number(heft_text_grid *g, double x, int decimals)
{
    heft_put_fixed(&g->text, x, decimals);
    heft_text_grid_end_cell(g);
}

/* "95% from", "to" */
static void add_interval_heads(heft_text_grid *g, double alpha)
{
    heft_put(&g->text, "%3g%% from", 100 * (1 - alpha));
    heft_text_grid_end_cell(g);
    add_text(g, "to");
}

/* One line per measure, the accuracy first, with its interval where there are some. */
static heft_status put_measures(heft_ctx *ctx, const heft_cell *cell, double alpha, heft_buf *out)
{
    const bool     drawn = cell->intervals != NULL;
    heft_text_grid g;
    HEFT_CHECK(heft_text_grid_open(ctx, HEFT_PLAIN, drawn ? 4 : 2, HEFT_N_MEASURES + 2, &g));
    add_text(&g, "measure");
    add_text(&g, "value");
    if (drawn) add_interval_heads(&g, alpha);
    for (size_t k = 0; k < HEFT_N_DRAWN; k++) {
        const heft_measure_info *m = k ? heft_measure_at(k - 1) : NULL;
        const double             x = k ? cell->measures[k - 1] : cell->accuracy;
        const int                decimals = m ? m->decimals : 4;
        if (m && (!decimals || (m->optional && isnan(x)))) continue;
        add_text(&g, m ? m->title : "accuracy");
        add_number(&g, x, decimals);
        if (drawn) add_number(&g, cell->intervals[2 * k], decimals);
        if (drawn) add_number(&g, cell->intervals[2 * k + 1], decimals);
    }
    heft_text_grid_put(out, &g);
    return HEFT_OK;
}

static heft_status put_classes(heft_ctx *ctx, const heft_cell *cell, heft_style style,
                               heft_buf *out)
{
    const size_t   n = cell->n_classes;
    heft_text_grid g;
    HEFT_CHECK(heft_text_grid_open(ctx, style, HEFT_N_CLASS_FIGURES + 1, n + 1, &g));
    add_text(&g, "class");
    for (size_t k = 0; k < HEFT_N_CLASS_FIGURES; k++) add_text(&g, heft_class_figure_list[k].title);
    for (size_t c = 0; c < n; c++) {
        add_class(&g, cell, c);
        for (size_t k = 0; k < HEFT_N_CLASS_FIGURES; k++) {
            const double x = heft_class_figure_of(&cell->per_class[c], k);
            const int    decimals = heft_class_figure_list[k].decimals;
            /* numbers of rows are means over the repeats */
            add_number(&g, x, decimals || x == floor(x) ? decimals : 1);
        }
    }
    heft_text_grid_put(out, &g);
    return HEFT_OK;
}

static heft_status put_matrix(heft_ctx *ctx, const heft_cell *cell, heft_style style, heft_buf *out)
{
    const size_t   n = cell->n_classes;
    heft_text_grid g;
    HEFT_CHECK(heft_text_grid_open(ctx, style, n + 1, n + 1, &g));
    add_text(&g, style == HEFT_PLAIN ? "actual \\ predicted" : "actual, predicted");
    for (size_t c = 0; c < n; c++) add_class(&g, cell, c);
    for (size_t k = 0; k < n * n; k++) {
        if (k % n == 0) add_class(&g, cell, k / n);
        heft_buf_printf(&g.text, "%zu", cell->confusion[k]);
        heft_text_grid_end_cell(&g);
    }
    heft_text_grid_put(out, &g);
    return HEFT_OK;
}

static heft_status put_cell(heft_ctx *ctx, const heft_cell *cell, double alpha, heft_buf *buf)
{
    HEFT_CHECK(put_measures(ctx, cell, alpha, buf));
    if (cell->n_classes > MOST_SHOWN || !cell->per_class) {
        heft_buf_printf(buf,
                        "\nThe figures of %zu classes are too many to show here; the JSON results "
                        "have them.\n",
                        cell->n_classes);
        return HEFT_OK;
    }
    heft_buf_text(buf, "\n");
    HEFT_CHECK(put_classes(ctx, cell, HEFT_PLAIN, buf));
    heft_buf_text(buf, "\n");
    return put_matrix(ctx, cell, HEFT_PLAIN, buf);
}

heft_status heft_results_details(heft_ctx *ctx, const heft_results *results, heft_buf *buf)
{
    const size_t n = results->n_data * results->n_method;
    for (size_t k = 0; k < heft_results_stages(results) * n; k++) {
        HEFT_SCRATCH_SCOPE(ctx);
        const heft_results at = heft_results_at(results, k / n);
        const heft_cell   *cell = &results->cells[k];
        if (cell->failure) continue;
        if (buf->length) heft_buf_text(buf, "\n");
        heft_put_place(buf, &at, cell, HEFT_PLAIN);
        heft_buf_text(buf, "\n\n");
        HEFT_CHECK(put_cell(ctx, cell, heft_results_alpha(results), buf));
    }
    return HEFT_OK;
}

/* ---- for documents ---- */

/* A table with a caption of its own: LaTeX lets it float. */
static void open_table(heft_buf *buf, heft_style style, const char *caption)
{
    if (style == HEFT_LATEX)
        heft_put(buf, "\\begin{table}\n\\centering\\small\n\\caption{%s}\n", caption);
    else heft_put(buf, "\n%s\n\n", caption);
}

static void close_table(heft_buf *buf, heft_style style)
{
    if (style == HEFT_LATEX) heft_buf_text(buf, "\\end{table}\n");
}

/* A line for each cell, a column for each measure that some cell has. */
static heft_status put_all_measures(heft_ctx *ctx, const heft_results *results, heft_style style,
                                    heft_buf *buf)
{
    const size_t   n = heft_results_stages(results) * results->n_data * results->n_method;
    const size_t   per_stage = results->n_data * results->n_method;
    bool           shown[HEFT_N_MEASURES] = {0};
    size_t         n_shown = 0;
    heft_text_grid g;
    for (size_t m = 0; m < HEFT_N_MEASURES; m++) {
        for (size_t k = 0; k < n && heft_measure_at(m)->decimals; k++)
            shown[m] |= !results->cells[k].failure && !isnan(results->cells[k].measures[m]);
        n_shown += shown[m];
    }
    HEFT_CHECK(heft_text_grid_open(ctx, style, n_shown + 1, n + 1, &g));
    add_text(&g, "data, method");
    for (size_t m = 0; m < HEFT_N_MEASURES; m++)
        if (shown[m]) add_text(&g, heft_measure_at(m)->title);
    for (size_t k = 0; k < n; k++) {
        const heft_results at = heft_results_at(results, k / per_stage);
        const heft_cell   *cell = &results->cells[k];
        if (cell->failure) continue;
        heft_put_place(&g.text, &at, cell, style);
        heft_text_grid_end_cell(&g);
        for (size_t m = 0; m < HEFT_N_MEASURES; m++)
            if (shown[m]) add_number(&g, cell->measures[m], heft_measure_at(m)->decimals);
    }
    heft_text_grid_put(buf, &g);
    return HEFT_OK;
}

heft_status heft_results_appendix(heft_ctx *ctx, const heft_results *results, heft_style style,
                                  heft_buf *buf)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t n = heft_results_stages(results) * results->n_data * results->n_method;
    bool         any = false;
    for (size_t k = 0; k < n; k++) any |= !results->cells[k].failure;
    if (!any) return HEFT_OK;
    open_table(buf, style, "Measures");
    HEFT_CHECK(put_all_measures(ctx, results, style, buf));
    close_table(buf, style);
    const heft_cell *only = &results->cells[0];
    if (n > 1 || only->n_classes > MOST_SHOWN || !only->per_class) return HEFT_OK;
    open_table(buf, style, "Figures of each class");
    HEFT_CHECK(put_classes(ctx, only, style, buf));
    close_table(buf, style);
    open_table(buf, style, "Confusion matrix");
    HEFT_CHECK(put_matrix(ctx, only, style, buf));
    close_table(buf, style);
    return HEFT_OK;
}
