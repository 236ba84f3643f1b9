/* plan.h - reading what an evaluation is asked to do. */
#pragma once

#include "eval/eval_run.h"

/* Read and check the settings, methods and stages of the plan. */
heft_status heft_read_plan(heft_ctx *ctx, heft_eval_run *r);
