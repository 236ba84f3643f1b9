/* resume.h - a file of finished cells, from which a stopped evaluation can continue. */
#pragma once

#include "eval/eval_run.h"

/* Compute the keys of all cells, and take over the cells that the file of an earlier run has. */
heft_status heft_resume_read(heft_ctx *ctx, heft_eval_run *r);
/* Called when a cell may be finished. Writes the file if it is time to: at once if `urgent` (a cell
 * took long), or if `now` is set and the file lacks a finished cell. */
heft_status heft_resume_save(heft_ctx *ctx, heft_eval_run *r, bool urgent, bool now);
