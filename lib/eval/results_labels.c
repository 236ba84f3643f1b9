/* results_labels.c - what the tables of results share: their grid, and the names of data sets,
 * methods and stages. */
#include "base/put.h"
#include "eval/results.h"

enum { NAME_BYTES = 28, SCREEN = 100 };

heft_grid heft_figures_grid(heft_style style, size_t n_cols)
{
    return (heft_grid){
        .style = style, .n_cols = n_cols, .align = "lr", .screen = SCREEN, .head = true};
}

void heft_put_place(heft_buf *buf, const heft_results *results, const heft_cell *cell,
                    heft_style style)
{
    const heft_stage *stage = heft_stage_at(results, 0);
    heft_put(buf, "%28w, %28w%s%100w", cell->dataset, style, cell->method, style,
             *stage->name ? ", " : "", stage->name, style);
}

void heft_put_about(heft_buf *buf, const heft_results *results, heft_style style)
{
    if (results->n_method == 1) heft_put(buf, "%28w", results->methods[0], style);
    else heft_put(buf, "%s", HEFT_COUNT_OF(results->n_method, "method"));
    if (results->n_data == 1) heft_put(buf, " on %28w", results->sets[0].name, style);
    else heft_put(buf, " on %s", HEFT_COUNT_OF(results->n_data, "data set"));
}

static bool is_plain(char c) /* unlike isalnum, does not depend on the locale */
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Characters other than ASCII letters and digits become hyphens. */
void heft_put_label(heft_buf *buf, const heft_results *results, const char *what)
{
    const char *name = results->n_data == 1 ? results->sets[0].name : "results";
    heft_buf_text(buf, "\\label{tab:");
    for (size_t k = 0; name[k] && k < NAME_BYTES; k++)
        heft_buf_add(buf, is_plain(name[k]) ? &name[k] : "-", 1);
    heft_put(buf, "-%s}\n", what);
}
