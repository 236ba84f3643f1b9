/* grid.h - text in columns. */
#pragma once

#include "base/put.h"

enum { HEFT_GRID_COLS = 6, HEFT_BAR = 16 };

/* Cells are added row by row; a failed allocation is remembered in `cells`. The last column is
 * written as it is, the others padded: to the right where right[k]. */
typedef struct heft_grid {
    size_t   n_cols, n_cells, width[HEFT_GRID_COLS];
    bool     right[HEFT_GRID_COLS];
    heft_buf cells; /* each ended by a 0 */
} heft_grid;

/* Cells separated by tabs; `text` is emptied. */
void heft_grid_text(heft_grid *grid, heft_buf *text);
/* The same, formatted by heft_put. */
void heft_grid_put(heft_grid *grid, const char *format, ...);
/* Up to `length` marks (below HEFT_BAR), all of them for a share of 1. */
const char *heft_bar(char out[HEFT_BAR], char mark, size_t length, double share);
/* The rows, without blanks at line ends; empties the grid. */
void heft_grid_print(heft_grid *grid, heft_buf *out);
