/* fold_task.h - one fold of an evaluation: fit on the training rows, predict the test rows. */
#pragma once

#include "eval/eval_run.h"

typedef struct heft_fold_rows { /* one fold's rows */
    const heft_table *train, *test;
    heft_table       *own_train, *own_test;
    size_t           *rows; /* rows[k]: number of test row k in the data set */
    size_t            n_test;
} heft_fold_rows;

/* What a method is to do at this place; `prepared`: the table already is, under `whole`. */
heft_config heft_place_config(const heft_eval_run *r, const heft_eval_place *at, bool prepared);
/* The group's array of predictions, and its length; several folds may ask for it at once. */
heft_status heft_predicted_of(heft_ctx *ctx, heft_eval_group *g, const heft_eval_set *set,
                              double **out, size_t *length);
/* Decide on the test rows of a fold and put what was predicted among that of the other folds.
 * spot[c]: where class c of the model is among those of the set; fresh: the probabilities. */
void heft_put_predicted(const heft_model *model, const uint32_t *spot, const heft_fold_rows *p,
                        const double *fresh, const heft_eval_set *set, double *predicted);
/* Accuracy and macro F1 of a fold whose predictions are there. */
heft_status heft_measure_fold(heft_ctx *ctx, const heft_fold_rows *p, const heft_eval_set *set,
                              const double *predicted, heft_eval_fold *out);
/* Where folds are dealt out to ranks the group and the cell are left unfinished. arg: the run. */
heft_status heft_run_task(heft_ctx *ctx, void *arg, size_t task);
/* n tasks, in parallel where there are enough of them. */
heft_status heft_run_all(heft_ctx *ctx, size_t n, heft_task_fn *fn, void *arg);
/* The work of one fold of data set d, by its size. */
size_t heft_task_work(const heft_eval_run *r, size_t d);
