/* predict_csv.h - predictions as CSV: one line per row with the predicted class and, where asked
 * for, the probability of every class. The file is complete or absent. */
#pragma once

#include "data/read.h"
#include "heft_stream.h"
#include "model/model.h"

typedef struct heft_csv_plan {
    const heft_model  *model;
    const char        *path; /* where to write; "-": standard output */
    bool               proba, actual;
    bool               ranks; /* every rank has a part of the rows; rank 0 writes all lines */
    const heft_table  *data;  /* the rows; NULL: those of a file, in blocks */
    const char        *from;
    const heft_source *how;
    const heft_expect *expect;
} heft_csv_plan;

/* `tally` is of the rows of all ranks. */
heft_status heft_predict_csv(heft_ctx *ctx, const heft_csv_plan *plan, heft_tally *tally);
