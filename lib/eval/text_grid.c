/* text_grid.c - tables of text: for a terminal, in Markdown, in LaTeX. */
#include "eval/text_grid.h"

#include <math.h>
#include <string.h>

enum { SCREEN = 100, GAP = 2 };

/* Characters that need a backslash. */
static const char *const escaped[3] = {"", "|\\`*_<[", "&%$#_{}"};

/* A name as it can be shown: cut, without control characters, escaped for the style. */
void heft_put_name(heft_buf *buf, const char *name, size_t most, heft_style style)
{
    static const char        chars[] = "\\~^<>|\"";
    static const char *const names[] = {"backslash", "asciitilde", "asciicircum", "less",
                                        "greater",   "bar",        "quotedbl"};
    char                     shown[2048];
    heft_show(shown, sizeof shown, name, strlen(name), most);
    for (const char *s = shown; *s; s++) {
        if (strchr(escaped[style], *s)) heft_buf_text(buf, "\\");
        const char *at = style == HEFT_LATEX ? strchr(chars, *s) : NULL;
        if (at) heft_buf_printf(buf, "\\text%s{}", names[at - chars]);
        else heft_buf_add(buf, s, 1);
    }
}

void heft_put_fixed(heft_buf *buf, double x, int decimals)
{
    if (isfinite(x)) heft_buf_fixed(buf, x, decimals);
    else heft_buf_text(buf, "-");
}

heft_status heft_text_grid_open(heft_ctx *ctx, heft_style style, size_t n_cols, size_t most_lines,
                                heft_text_grid *g)
{
    size_t cells;
    *g = (heft_text_grid){.style = style, .n_cols = n_cols};
    if (!heft_product(n_cols, most_lines, &cells)) return heft_no_memory(ctx, n_cols, most_lines);
    HEFT_ALLOC(ctx, &ctx->scratch, g->at, cells);
    HEFT_ALLOC(ctx, &ctx->scratch, g->width, n_cols);
    return HEFT_OK;
}

/* What was written to g->text since the last cell is the next one. */
void heft_text_grid_end_cell(heft_text_grid *g)
{
    heft_buf_add(&g->text, "", 1);
    g->at[g->n_cells++] = g->begin;
    g->begin = g->text.length;
}

static const char *cell_text(const heft_text_grid *g, size_t line, size_t col)
{
    return g->text.data + g->at[line * g->n_cols + col];
}

/* Columns on a screen: bytes that do not continue a UTF-8 character. */
static size_t width_of(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

void heft_put_many(heft_buf *buf, const char *text, size_t n)
{
    while (n--) heft_buf_text(buf, text);
}

/* The first column and as many methods side by side as the screen holds, right-aligned, without
 * blanks at the end of a line; the others below. */
static void put_panels(heft_buf *buf, const heft_text_grid *g)
{
    for (size_t from = 1; from < g->n_cols;) {
        size_t to = from, width = g->width[0];
        do width += GAP + g->width[to++];
        while (to < g->n_cols && width + GAP + g->width[to] <= SCREEN);
        if (from > 1) heft_buf_text(buf, "\n");
        for (size_t i = 0; i < g->n_cells / g->n_cols; i++) {
            size_t blanks = g->width[0] - width_of(cell_text(g, i, 0));
            if (i == 1 || (g->rule && i == g->rule)) {
                heft_put_many(buf, "-", width);
                heft_buf_text(buf, "\n");
            }
            heft_buf_text(buf, cell_text(g, i, 0));
            for (size_t k = from; k < to; k++) {
                const char  *text = cell_text(g, i, k);
                const size_t length = strlen(text);
                size_t       shown = length;
                blanks += GAP + g->width[k] - width_of(text);
                while (shown && text[shown - 1] == ' ') shown--;
                if (shown) heft_put_many(buf, " ", blanks);
                heft_buf_add(buf, text, shown);
                blanks = (shown ? 0 : blanks) + length - shown;
            }
            heft_buf_text(buf, "\n");
        }
        from = to;
    }
}

/* Markdown or LaTeX: the same lines between other marks. */
static void put_marked_up(heft_buf *buf, const heft_text_grid *g)
{
    const bool latex = g->style == HEFT_LATEX;
    if (latex) {
        heft_buf_text(buf, "\\begin{tabular}{l");
        heft_put_many(buf, "r", g->n_cols - 1);
        heft_buf_text(buf, "}\n\\toprule\n");
    }
    for (size_t i = 0; i < g->n_cells / g->n_cols; i++) {
        if (latex && g->rule && i == g->rule) heft_buf_text(buf, "\\midrule\n");
        if (!latex) heft_buf_text(buf, "| ");
        for (size_t k = 0; k < g->n_cols; k++) {
            if (k) heft_buf_text(buf, latex ? " & " : " | ");
            heft_buf_text(buf, cell_text(g, i, k));
        }
        heft_buf_text(buf, latex ? " \\\\\n" : " |\n");
        if (i) continue;
        heft_buf_text(buf, latex ? "\\midrule\n" : "|---|");
        if (!latex) heft_put_many(buf, "---:|", g->n_cols - 1);
        if (!latex) heft_buf_text(buf, "\n");
    }
    if (latex) heft_buf_text(buf, "\\bottomrule\n\\end{tabular}\n");
}

/* Write the grid and free its texts. */
void heft_text_grid_put(heft_buf *buf, heft_text_grid *g)
{
    for (size_t k = 0; k < g->n_cells && !g->text.failed; k++) {
        const size_t width = width_of(g->text.data + g->at[k]);
        if (width > g->width[k % g->n_cols]) g->width[k % g->n_cols] = width;
    }
    if (g->text.failed) buf->failed = true;
    else if (g->style == HEFT_PLAIN) put_panels(buf, g);
    else put_marked_up(buf, g);
    heft_buf_clear(&g->text);
}

/* "data set, method, stage" */
void heft_put_place(heft_buf *buf, const heft_results *results, const heft_cell *cell,
                    heft_style style)
{
    const heft_stage *stage = heft_results_stage(results, 0);
    heft_put_name(buf, cell->dataset, HEFT_NAME_BYTES, style);
    heft_buf_text(buf, ", ");
    heft_put_name(buf, cell->method, HEFT_NAME_BYTES, style);
    if (*stage->name) heft_buf_text(buf, ", ");
    heft_put_name(buf, stage->name, HEFT_STAGE_BYTES, style);
}
