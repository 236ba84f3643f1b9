/* root_rank.h - fitting on rank 0, for methods and settings that need all rows in one place. */
#pragma once

#include "train/held_out.h"

/* Set *what to the method or the setting that needs the rows of all ranks in one place, as messages
 * name it. It is NULL if there is none, or if this process has all rows. `factor` has the class
 * weights of the table, or is NULL. */
heft_status heft_needs_root(heft_ctx *ctx, const heft_settings *settings, const heft_table *table,
                            const double *factor, const char **what);
/* Call `fit` on rank 0 with the rows of all ranks, and give the model to every rank. `what` is the
 * result of heft_needs_root, for messages. */
heft_status heft_fit_on_root(heft_ctx *ctx, const heft_table *table, const heft_settings *settings,
                             const char *what, heft_fit_call *fit, heft_model **out);
