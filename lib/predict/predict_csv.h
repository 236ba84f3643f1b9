/* predict_csv.h - predictions as CSV: one line per row with the predicted class and, where asked
 * for, the probability of every class. The file is complete or absent. */
#pragma once

#include "base/text.h"
#include "data/read.h"
#include "heft_stream.h"
#include "predict/predict.h"

/* A row that is written, for columns that other folders add. */
typedef struct heft_csv_row {
    const heft_rows *rows; /* prepared rows */
    size_t           i;    /* index of the row among the prepared rows */
    size_t           at;   /* index of the row in the table that `begin` got */
    const double    *proba;
    size_t           decided; /* the predicted class */
} heft_csv_row;

typedef struct heft_csv_more {
    void *arg;
    bool  instead; /* `header` and `row` write whole lines in place of predictions, and there is no
                      proba */
    size_t width;  /* approximate number of cells that `row` writes */
    /* Called before the rows of a table, of which the first is row number `first` of all rows,
     * counted from 0. What it allocates in scratch memory stays until the next table. */
    heft_status (*begin)(heft_ctx *ctx, void *arg, const heft_table *table, size_t first);
    void (*header)(const void *arg, heft_buf *out);
    /* Writes the columns of one row. It is called by several threads at once. */
    heft_status (*row)(heft_ctx *ctx, const void *arg, const heft_csv_row *row, heft_buf *out);
} heft_csv_more;

typedef struct heft_csv_plan {
    const heft_model    *model;
    const char          *path; /* where to write; "-": standard output */
    bool                 proba, actual;
    const heft_csv_more *more; /* columns after the probabilities, or lines in their place; NULL:
                                  none */
    size_t only;               /* with `instead`: write this row alone, counted from 1; 0: all */
    bool   ranks;              /* whether the rows are spread over the ranks; rank 0 writes all
                                  lines */
    const heft_table  *data;   /* the rows; NULL: the rows of a file, in blocks */
    const char        *from;
    const heft_source *how;
    const heft_expect *expect;
} heft_csv_plan;

/* Writes the names of one column per class: ",what(<class>)" for each class. */
void heft_csv_class_columns(heft_buf *out, const heft_dict *classes, const char *what);
/* Writes the predictions that the plan describes. `tally` counts the rows of all ranks. */
heft_status heft_predict_csv(heft_ctx *ctx, const heft_csv_plan *plan, heft_tally *tally);
