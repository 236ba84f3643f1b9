/* predict_csv.h - predictions as CSV: one line per row with the predicted class and, where asked
 * for, the probability of every class. The file is complete or absent. */
#pragma once

#include "data/read.h"
#include "model/model.h"

typedef struct heft_csv_plan {
    const heft_model  *model;
    const char        *path; /* where to write; "-": standard output */
    bool               proba;
    bool               ranks; /* every rank has a part of the rows; rank 0 writes all lines */
    const heft_table  *data;  /* the rows; NULL: those of a file, in blocks */
    const char        *from;
    const heft_source *how;
    const heft_expect *expect;
} heft_csv_plan;

typedef struct heft_score_count { /* of the rows that have a class; on all ranks */
    size_t right, known;
} heft_score_count;

heft_status heft_predict_csv(heft_ctx *ctx, const heft_csv_plan *plan, heft_score_count *count);
