/* used.h - which attributes a model uses. */
#pragma once

#include "model/model.h"

/* The columns of `table` that the model uses, in the table's order; cells as they are. A column is
 * used where some class, value or class pair gives it a weight other than 0; a method with a
 * parameter `threshold` (swnb) sets the bar there. */
heft_status heft_used_table(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                            heft_table **out);
