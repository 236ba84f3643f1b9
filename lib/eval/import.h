/* import.h - accuracies of other programs beside those of an evaluation. */
#pragma once

#include "eval/eval_run.h"

/* Reads the files of the plan: CSV with the columns data, method, repeat, fold and accuracy. Every
 * method has an accuracy for each fold of each data set. Refuses anything else with its line. */
heft_status heft_imports_read(heft_ctx *ctx, heft_eval_run *r);
/* After the last task: the methods read are further methods of the results. */
heft_status heft_imports_add(heft_ctx *ctx, heft_eval_run *r);
