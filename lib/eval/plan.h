/* plan.h - what an evaluation is asked for. */
#pragma once

#include "eval/eval_run.h"

/* Settings, methods and stages. */
heft_status heft_read_plan(heft_ctx *ctx, heft_eval_run *r);
