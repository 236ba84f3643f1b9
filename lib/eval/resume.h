/* resume.h - results of finished cells in a file, from which a stopped run goes on. */
#pragma once

#include "eval/eval_run.h"

/* A checksum of everything in the table that an evaluation could depend on. */
uint64_t heft_table_sum(const heft_table *table);
/* The keys of all cells, and from the file of an earlier run the cells that it has. */
heft_status heft_resume_read(heft_ctx *ctx, heft_eval_run *r);
/* Some cell may have been finished: writes the file when it is due. `urgent`: a cell took long;
 * `now`: write it if it lacks anything. */
heft_status heft_resume_save(heft_ctx *ctx, heft_eval_run *r, bool urgent, bool now);
