/* fit.h - from a table and a configuration to a model. */
#pragma once

#include "train/settings.h"

/* Rows of unknown class or weight 0 are left out. With `skip_unknown` parameters that the method
 * does not have are ignored. */
heft_status heft_fit_table(heft_ctx *ctx, const heft_table *table, const heft_config *config,
                           bool skip_unknown, heft_model **out);
/* Refuse rows of one class only, unless the method takes them: then warn. For the rows of a user;
 * a fold of a cross-validation may be such. */
heft_status heft_refuse_one_class(heft_ctx *ctx, const heft_table *table,
                                  const heft_config *config);
/* The rest of a model whose preparation is known, from rows so prepared. Where model->suffstats is
 * NULL it is counted here, as far as the method and merging need it; `table` then is where the rows
 * came from. */
heft_status heft_fit_prepared(heft_ctx *ctx, const heft_settings *settings, const heft_table *table,
                              const heft_rows *rows, heft_model *model);
/* The method's preparation learned on all rows of `table`, and the table so prepared. */
heft_status heft_prepare_whole(heft_ctx *ctx, const heft_table *table, const heft_config *config,
                               heft_table **out);

/* decide_fit.c: the model's rule of decision as the settings say, before it is fitted; --tune comes
 * later. `table` has all classes that may be named. */
heft_status heft_rule_of(heft_ctx *ctx, const heft_settings *settings, const heft_table *table,
                         heft_model *model);
/* What inspect shows of the weights of classes. */
heft_status heft_note_classes(heft_ctx *ctx, const double *factor, heft_model *model);
