/* deal.h - the folds of an evaluation dealt out to ranks. */
#pragma once

#include "eval/eval_run.h"

/* Run all tasks. In the end every rank has all results. */
heft_status heft_run_dealt(heft_ctx *ctx, heft_eval_run *r);
