/* import.h - accuracies of other programs, shown and tested beside those of an evaluation. */
#pragma once

#include "eval/eval_run.h"

/* Read the files of the plan: CSV with the columns data, method, repeat, fold and accuracy. Every
 * method must have an accuracy for each fold of each data set. Errors name the line. */
heft_status heft_imports_read(heft_ctx *ctx, heft_eval_run *r);
/* Add the imported methods to the results, after the last task. */
heft_status heft_imports_add(heft_ctx *ctx, heft_eval_run *r);
