/* grid.h - tables of text: for a terminal, in Markdown, in LaTeX. */
#pragma once

#include "base/put.h"

/* A table. The caller sets the fields it needs, adds the cells row by row, and prints. A failed
 * allocation is remembered in `text` and handed on by heft_grid_print. */
typedef struct heft_grid {
    heft_style  style;
    size_t      n_cols;
    const char *align; /* alignment of each column, l: left, r: right; the last letter holds for
                          all further columns */
    size_t screen;     /* plain: further columns than fit into this width follow below, beside the
                          first again; 0: no limit */
    bool     head;     /* plain: a rule is drawn below the first line */
    size_t   rule;     /* a rule is drawn above this line; 0: none */
    heft_buf text;     /* all cells, each ended by a tab */
} heft_grid;

/* Cells separated by tabs, formatted by heft_put. */
void heft_grid_put(heft_grid *grid, const char *format, ...);
/* Ends a cell: the text written to grid->text since the last cell is a cell, or several cells
 * separated by tabs. */
void heft_grid_end(heft_grid *grid);
/* All lines; the plain ones have no blanks at their ends. Frees the cells. */
void heft_grid_print(heft_grid *grid, heft_buf *out);

/* A number, or - where it is not finite. */
void heft_put_fixed(heft_buf *out, double x, int decimals);
void heft_put_many(heft_buf *out, const char *text, size_t n);

enum { HEFT_BAR = 16 };

/* Up to `length` marks (below HEFT_BAR), all of them for a fraction of 1. */
const char *heft_bar(char out[HEFT_BAR], char mark, size_t length, double fraction);
