/* stages.h - changes to training rows that test how robust a method is. */
#pragma once

#include "eval/eval.h"

/* Keep of the training rows of fold `draw` of `table` those that the stage learns from: nested from
 * stage to stage, in about the shares of the classes. EUNSUPPORTED when there are too few. */
heft_status heft_stage_learn(heft_ctx *ctx, const heft_stage *stage, const heft_table *table,
                             uint64_t draw, size_t *rows, size_t *n);
/* Give round(noise * n) of the table's rows another of the classes it has; those of a lower noise
 * are among those of a higher one. */
heft_status heft_stage_noise(heft_ctx *ctx, const heft_stage *stage, uint64_t draw,
                             heft_table *table);
