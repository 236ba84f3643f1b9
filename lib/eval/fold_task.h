/* fold_task.h - one fold of an evaluation: fit on the training rows, predict the test rows. */
#pragma once

#include "eval/eval_run.h"

typedef struct heft_fold_rows { /* the rows of one fold */
    const heft_table *train, *test;
    heft_table       *own_train, *own_test; /* tables to free, or NULL */
    size_t           *rows;                 /* by test row: its number in the data set */
    size_t            n_test;
} heft_fold_rows;

/* Returns the configuration of a task. `prepared` says that the table is prepared already, as it is
 * under the protocol `whole`. */
heft_config heft_place_config(const heft_eval_run *r, const heft_eval_place *at, bool prepared);
/* Get the group's array of predictions and its length. Several folds may ask for it at once; the
 * first allocates it. */
heft_status heft_predicted_of(heft_ctx *ctx, heft_eval_group *g, const heft_eval_set *set,
                              double **out, size_t *length);
/* Predict the classes of the test rows of a fold from the probabilities `fresh`, and store both in
 * `predicted`, the array of the group. spot[c] is the class of the data set that is class c of the
 * model. */
void heft_put_predicted(const heft_model *model, const uint32_t *spot, const heft_fold_rows *p,
                        const double *fresh, const heft_eval_set *set, double *predicted);
/* Compute the accuracy and macro F1 of a fold from its predictions. */
heft_status heft_measure_fold(heft_ctx *ctx, const heft_fold_rows *p, const heft_eval_set *set,
                              const double *predicted, heft_eval_fold *out);
/* Run one task; arg is the run. If folds are divided among ranks, the group and the cell are not
 * finished here, because that needs the outcomes of other ranks. */
heft_status heft_run_task(heft_ctx *ctx, void *arg, size_t task);
/* Run n tasks, in parallel if there are enough of them. */
heft_status heft_run_all(heft_ctx *ctx, size_t n, heft_task_fn *fn, void *arg);
/* Returns the work of one fold of data set d, for progress; it grows with the size of the data. */
size_t heft_task_work(const heft_eval_run *r, size_t d);
