/* grid.h - text in columns. */
#ifndef HEFT_EXPLAIN_GRID_H
#define HEFT_EXPLAIN_GRID_H

#include "base/text.h"

enum { HEFT_GRID_COLS = 6 };

/* Cells are added row by row; a failed allocation is remembered in `cells`. The last column is
 * written as it is, the others padded: to the right where right[k]. */
typedef struct heft_grid {
    size_t   n_cols, n_cells, width[HEFT_GRID_COLS];
    bool     right[HEFT_GRID_COLS];
    heft_buf cells; /* each ended by a 0 */
} heft_grid;

/* One cell; names and values of users are made safe for a terminal and cut at `most` bytes. */
void heft_grid_add(heft_grid *grid, const char *text);
void heft_grid_name(heft_grid *grid, const char *text, size_t most);
/* The rows, each after `indent` blanks, without blanks at line ends; empties the grid. */
void heft_grid_print(heft_grid *grid, size_t indent, heft_buf *out);
void heft_grid_clear(heft_grid *grid);

/* A name of the user's, safe for a terminal, at most `most` bytes. */
void heft_buf_name(heft_buf *buf, const char *text, size_t most);
/* A number in at most `digits` significant digits, without trailing zeros. */
void heft_buf_short(heft_buf *buf, double x, int digits);

#endif
