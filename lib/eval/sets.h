/* sets.h - the data sets of an evaluation: which rows count, and their folds. */
#pragma once

#include "eval/eval_run.h"

heft_status heft_read_sets(heft_ctx *ctx, heft_eval_run *r, const heft_table *const *data,
                           const char *const *names);
