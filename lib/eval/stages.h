/* stages.h - changes to training rows that test how robust a method is. */
#pragma once

#include "eval/eval.h"

/* Reduce rows[*n], the training rows of fold `draw`, to those that the stage learns from. The rows
 * of a smaller stage are among those of a larger one, and classes keep about their frequencies.
 * EUNSUPPORTED if there are too few rows. */
heft_status heft_stage_learn(heft_ctx *ctx, const heft_stage *stage, const heft_table *table,
                             uint64_t draw, size_t *rows, size_t *n);
/* Give round(noise * n) of the n rows of the table another class that occurs in the table. The rows
 * changed at a lower noise are among those changed at a higher one. */
heft_status heft_stage_noise(heft_ctx *ctx, const heft_stage *stage, uint64_t draw,
                             heft_table *table);
