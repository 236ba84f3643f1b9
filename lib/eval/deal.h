/* deal.h - dividing the folds of an evaluation among ranks that all have all rows. */
#pragma once

#include "eval/eval_run.h"

/* Run all tasks. Afterwards every rank has all results. */
heft_status heft_run_dealt(heft_ctx *ctx, heft_eval_run *r);
