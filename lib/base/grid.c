/* grid.c - tables of text: for a terminal, in Markdown, in LaTeX. */
#include "base/grid.h"

#include <math.h>
#include <string.h>

enum { GAP = 2 };

typedef struct layout { /* positions and widths of the cells of a grid */
    const heft_grid *grid;
    size_t           n_lines;
    heft_buf         memory; /* holds the next two arrays */
    size_t          *width;  /* per column: number of characters of its widest cell */
    size_t          *at;     /* per cell: offset of its zero-terminated text */
} layout;

/* ---- the cells ---- */

void heft_grid_end(heft_grid *grid)
{
    heft_buf_add(&grid->text, "\t", 1);
}

void heft_grid_put(heft_grid *grid, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    heft_vput(&grid->text, format, args);
    va_end(args);
    heft_grid_end(grid);
}

/* Columns on a terminal: bytes that do not continue a UTF-8 character. */
static size_t width_of(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static char align_of(const heft_grid *grid, size_t col)
{
    const size_t n = strlen(grid->align);
    return grid->align[col < n ? col : n - 1];
}

static const char *cell_at(const layout *l, size_t line, size_t col)
{
    return l->grid->text.data + l->at[line * l->grid->n_cols + col];
}

/* Find the cells and measure the columns. False: no memory. */
static bool lay_out(heft_grid *grid, layout *l)
{
    size_t n_cells = 0;
    for (size_t k = 0; k < grid->text.length; k++) n_cells += grid->text.data[k] == '\t';
    *l = (layout){.grid = grid, .n_lines = n_cells / grid->n_cols};
    l->width = (void *)heft_buf_space(&l->memory, (grid->n_cols + n_cells) * sizeof *l->width);
    if (!l->width) return false;
    memset(l->width, 0, grid->n_cols * sizeof *l->width);
    l->at = l->width + grid->n_cols;
    char *cell = grid->text.data;
    for (size_t k = 0; k < n_cells; k++, cell += strlen(cell) + 1) {
        size_t *width = &l->width[k % grid->n_cols];
        cell[strcspn(cell, "\t")] = 0;
        l->at[k] = (size_t)(cell - grid->text.data);
        if (width_of(cell) > *width) *width = width_of(cell);
    }
    return true;
}

/* ---- printing ---- */

void heft_put_many(heft_buf *out, const char *text, size_t n)
{
    while (n--) heft_buf_text(out, text);
}

/* The first cell of a line and the cells from `from` to `to` - 1. */
static void put_line(heft_buf *out, const layout *l, size_t line, size_t from, size_t to)
{
    size_t blanks = 0; /* before the next text */
    for (size_t k = 0; k < to; k = k ? k + 1 : from) {
        const char  *text = cell_at(l, line, k);
        const size_t length = strlen(text), pad = l->width[k] - width_of(text);
        const bool   right = align_of(l->grid, k) == 'r';
        size_t       shown = length;
        while (shown && text[shown - 1] == ' ') shown--;
        if (right) blanks += pad;
        if (shown) {
            heft_put_many(out, " ", blanks);
            heft_buf_add(out, text, shown);
            blanks = 0;
        }
        blanks += length - shown + (right ? 0 : pad) + GAP;
    }
    heft_buf_text(out, "\n");
}

/* The first column and as many others beside it as the screen holds; the rest below. */
static void put_panels(heft_buf *out, const layout *l)
{
    const heft_grid *g = l->grid;
    size_t           from = 1;
    do {
        size_t to = from, width = l->width[0];
        for (; to < g->n_cols; to++) {
            const size_t wider = width + GAP + l->width[to];
            if (g->screen && to > from && wider > g->screen) break;
            width = wider;
        }
        if (from > 1) heft_buf_text(out, "\n");
        for (size_t i = 0; i < l->n_lines; i++) {
            if ((g->head && i == 1) || (g->rule && i == g->rule)) {
                heft_put_many(out, "-", width);
                heft_buf_text(out, "\n");
            }
            put_line(out, l, i, from, to);
        }
        from = to;
    } while (from < g->n_cols);
}

/* The line below the head in Markdown. */
static void put_alignment(heft_buf *out, const heft_grid *g)
{
    heft_buf_text(out, "|");
    for (size_t k = 0; k < g->n_cols; k++)
        heft_buf_text(out, align_of(g, k) == 'r' ? "---:|" : "---|");
    heft_buf_text(out, "\n");
}

/* Markdown or LaTeX: the same lines between other marks. */
static void put_marked_up(heft_buf *out, const layout *l)
{
    const heft_grid *g = l->grid;
    const bool       latex = g->style == HEFT_LATEX;
    if (latex) heft_buf_text(out, "\\begin{tabular}{");
    if (latex)
        for (size_t k = 0; k < g->n_cols; k++) heft_buf_add(out, &(const char){align_of(g, k)}, 1);
    if (latex) heft_buf_text(out, "}\n\\toprule\n");
    for (size_t i = 0; i < l->n_lines; i++) {
        if (latex && g->rule && i == g->rule) heft_buf_text(out, "\\midrule\n");
        if (!latex) heft_buf_text(out, "| ");
        for (size_t k = 0; k < g->n_cols; k++) {
            if (k) heft_buf_text(out, latex ? " & " : " | ");
            heft_buf_text(out, cell_at(l, i, k));
        }
        heft_buf_text(out, latex ? " \\\\\n" : " |\n");
        if (i == 0 && latex) heft_buf_text(out, "\\midrule\n");
        if (i == 0 && !latex) put_alignment(out, g);
    }
    if (latex) heft_buf_text(out, "\\bottomrule\n\\end{tabular}\n");
}

void heft_grid_print(heft_grid *grid, heft_buf *out)
{
    layout l = {0};
    if (grid->text.failed || !lay_out(grid, &l)) out->failed = true;
    else if (grid->style == HEFT_PLAIN) put_panels(out, &l);
    else put_marked_up(out, &l);
    heft_buf_clear(&l.memory);
    heft_buf_clear(&grid->text);
}

/* ---- texts ---- */

void heft_put_fixed(heft_buf *out, double x, int decimals)
{
    if (isfinite(x)) heft_buf_fixed(out, x, decimals);
    else heft_buf_text(out, "-");
}

const char *heft_bar(char out[HEFT_BAR], char mark, size_t length, double fraction)
{
    const double n = isfinite(fraction) && fraction > 0 ? ceil(fraction * (double)length) : 0;
    memset(out, 0, HEFT_BAR);
    memset(out, mark, n < (double)length ? (size_t)n : length);
    return out;
}
