/* predict_csv.h - predictions as CSV: one line per row with the predicted class and, where asked
 * for, the probability of every class. The file is complete or absent. */
#pragma once

#include "base/text.h"
#include "data/read.h"
#include "heft_stream.h"
#include "predict/predict.h"

/* What else is written of rows, by folders that know more of models. */
typedef struct heft_csv_row {
    const heft_rows *rows; /* prepared */
    size_t           i;    /* the row among these */
    size_t           at;   /* the row in the table of `begin` */
    const double    *proba;
    size_t           decided; /* the predicted class */
} heft_csv_row;

typedef struct heft_csv_more {
    void *arg;
    bool  instead; /* of predictions: `header` and `row` write whole lines, and there is no proba */
    size_t width;  /* cells of a row, roughly */
    /* Before the rows of a table, which are rows `first`, ... of all, counted from 0. What it makes
     * in scratch memory is there until the next table. */
    heft_status (*begin)(heft_ctx *ctx, void *arg, const heft_table *table, size_t first);
    void (*header)(const void *arg, heft_buf *out);
    /* Called by several threads at once. */
    heft_status (*row)(heft_ctx *ctx, const void *arg, const heft_csv_row *row, heft_buf *out);
} heft_csv_more;

typedef struct heft_csv_plan {
    const heft_model    *model;
    const char          *path; /* where to write; "-": standard output */
    bool                 proba, actual;
    const heft_csv_more *more;  /* behind the probabilities, or instead; NULL: nothing */
    size_t               only;  /* with `instead`: write this row alone, counted from 1; 0: all */
    bool                 ranks; /* every rank has a part of the rows; rank 0 writes all lines */
    const heft_table    *data;  /* the rows; NULL: those of a file, in blocks */
    const char          *from;
    const heft_source   *how;
    const heft_expect   *expect;
} heft_csv_plan;

/* ",what(<class>)" for each class: names of columns. */
void heft_csv_class_columns(heft_buf *out, const heft_dict *classes, const char *what);
/* `tally` is of the rows of all ranks. */
heft_status heft_predict_csv(heft_ctx *ctx, const heft_csv_plan *plan, heft_tally *tally);
