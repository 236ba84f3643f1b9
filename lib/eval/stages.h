/* stages.h - changes to training rows that test how robust a method is. */
#pragma once

#include "eval/eval.h"

/* Reduce rows[*n], the training rows of fold `draw`, to those that the stage learns from: nested
 * from stage to stage, with the classes in about the same shares. EUNSUPPORTED when there are too
 * few. */
heft_status heft_stage_learn(heft_ctx *ctx, const heft_stage *stage, const heft_table *table,
                             uint64_t draw, size_t *rows, size_t *n);
/* Give round(noise * n) of the table's rows another class that the table has. The rows changed at a
 * lower noise are among those changed at a higher one. */
heft_status heft_stage_noise(heft_ctx *ctx, const heft_stage *stage, uint64_t draw,
                             heft_table *table);
