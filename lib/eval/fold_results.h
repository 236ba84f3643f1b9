/* fold_results.h - what comes of the folds: the measures of a group, the figures of a cell. */
#pragma once

#include "eval/eval_run.h"

/* Mean and sample standard deviation of the fold accuracies of a cell that has these. */
void heft_sum_accuracies(heft_cell *cell);
/* One fold less; measure the group after the last. */
heft_status heft_finish_group(heft_ctx *ctx, heft_eval_run *r, heft_eval_group *g,
                              const heft_eval_place *at);
/* All repeats are measured; no other thread touches the cell. */
heft_status heft_finish_cell(heft_ctx *ctx, heft_eval_run *r, size_t cell);
void        heft_group_clear(heft_eval_group *g);
