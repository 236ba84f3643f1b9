/* predict_csv.h - predictions as CSV: one line per row with the predicted class and, where asked
 * for, the probability of every class. The file is complete or absent. */
#pragma once

#include "data/read.h"
#include "model/model.h"

typedef struct heft_csv_plan {
    const heft_model *model;
    const char       *path; /* where to write; "-": standard output */
    bool              proba;
} heft_csv_plan;

typedef struct heft_score_count { /* of the rows whose class is known to the model */
    size_t right, known;
} heft_score_count;

heft_status heft_predict_csv(heft_ctx *ctx, const heft_csv_plan *plan, const heft_table *data,
                             heft_score_count *count);
/* The rows of a file, in blocks; what is in memory does not grow with their number. */
heft_status heft_predict_csv_stream(heft_ctx *ctx, const heft_csv_plan *plan, const char *from,
                                    const heft_source *how, const heft_expect *expect,
                                    heft_score_count *count);
/* Every rank has a part of the rows; rank 0 writes all lines. The count is that of all ranks. */
heft_status heft_predict_csv_ranks(heft_ctx *ctx, const heft_csv_plan *plan, const heft_table *data,
                                   heft_score_count *count);
