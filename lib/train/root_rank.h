/* root_rank.h - fitting on rank 0 what needs the rows of all ranks in one place. */
#pragma once

#include "train/settings.h"

/* *what: the method or the option that needs the rows of all ranks in one place, as messages name
 * it; NULL: none does, or this process has all rows. factor: weights of the classes of the table,
 * or NULL. */
heft_status heft_needs_root(heft_ctx *ctx, const heft_settings *settings, const heft_table *table,
                            const double *factor, const char **what);
/* heft_fit_table on rank 0 with the rows of all ranks, which `what` needs there; every rank gets
 * the model. */
heft_status heft_fit_on_root(heft_ctx *ctx, const heft_table *table, const heft_settings *settings,
                             const char *what, heft_model **out);
