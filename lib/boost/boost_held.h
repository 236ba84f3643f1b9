/* boost_held.h - rows held out from boosting: their loss after each round, and the best round. */
#pragma once

#include "boost/boost_rows.h"

typedef struct heft_watched_rows {
    heft_boost_rows rows;
    float          *best_P; /* P in the best round */
} heft_watched_rows;

/* As heft_boost_rows_open, with memory for the best round. */
heft_status heft_watched_rows_open(heft_ctx *ctx, heft_arena *arena,
                                   const heft_boost_classes *classes, const heft_sample *sample,
                                   const double *start, double unit, heft_watched_rows *held);
/* Adds the last tree. *loss: the mean loss over the rows of all processes. */
heft_status heft_watched_rows_add(heft_ctx *ctx, const heft_last_tree *last,
                                  const heft_watched_rows *held, double *loss);
/* Keeps the present probabilities as those of the best round. */
void heft_watched_rows_keep(const heft_boost_classes *classes, const heft_watched_rows *held);
/* n x K: log-posteriors of the best round, in the order of the classes of the sample. */
void heft_watched_rows_scores(const heft_boost_classes *classes, const heft_watched_rows *held,
                              double *score);
