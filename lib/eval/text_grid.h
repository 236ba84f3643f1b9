/* text_grid.h - tables of text: lines of a first column and others, for a terminal, in Markdown, in
 * LaTeX. */
#pragma once

#include "eval/results.h"

enum { HEFT_NAME_BYTES = 28, HEFT_STAGE_BYTES = 100 };

typedef struct heft_text_grid {
    heft_style style;
    size_t     n_cols, n_cells;
    size_t     pad;   /* blanks behind a cell, in line with star and sign of the accuracies */
    size_t     rule;  /* a rule is drawn above this line; 0: none */
    heft_buf   text;  /* all cells, each with a 0 behind it */
    size_t     begin; /* of the cell that is being written */
    size_t    *at;    /* by cell: where it begins */
    size_t    *width; /* by column: characters of its widest cell */
} heft_text_grid;

/* Memory from the scratch of ctx; the texts are freed by heft_text_grid_put. */
heft_status heft_text_grid_open(heft_ctx *ctx, heft_style style, size_t n_cols, size_t most_lines,
                                heft_text_grid *g);
/* What was written to g->text since the last cell is the next one. */
void heft_text_grid_end_cell(heft_text_grid *g);
/* Write the grid and free its texts. */
void heft_text_grid_put(heft_buf *buf, heft_text_grid *g);

/* A name as it can be shown: cut at `most` bytes, without control characters, escaped for the
 * style. */
void heft_put_name(heft_buf *buf, const char *name, size_t most, heft_style style);
/* A number, or - where it is not finite. */
void heft_put_fixed(heft_buf *buf, double x, int decimals);
void heft_put_many(heft_buf *buf, const char *text, size_t n);
/* "data set, method, stage" */
void heft_put_place(heft_buf *buf, const heft_results *results, const heft_cell *cell,
                    heft_style style);
