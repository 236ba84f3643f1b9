/* fold_results.h - the measures of a group and the figures of a cell, from the outcomes of folds.
 */
#pragma once

#include "eval/eval_run.h"

/* Compute the mean and sample standard deviation of a cell's fold accuracies. */
void heft_sum_accuracies(heft_cell *cell);
/* Must be called after each fold of a group. After the last fold, the group is measured. */
heft_status heft_finish_group(heft_ctx *ctx, heft_eval_run *r, heft_eval_group *g,
                              const heft_eval_place *at);
/* Compute the figures of a cell whose repeats are all measured. No other thread uses the cell. */
heft_status heft_finish_cell(heft_ctx *ctx, heft_eval_run *r, size_t cell);
