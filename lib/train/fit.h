/* fit.h - from a table and a configuration to a model.
 *
 * Training has five steps, each in a file of its own. settings.c checks the configuration and turns
 * its words into values. fit.c takes the rows to learn from: those that have a class and a weight
 * above 0, with weights of classes applied (weights.c), dense if the method needs them so, and
 * without columns that are empty or not selected (select.c). The preparation is learned from these
 * rows and applied to them, and the method fits the prepared rows. Last, held_out.c scores every
 * row by a model that was not trained on it, and the calibration and the threshold are learned from
 * these scores. Scores of rows that a model was trained on are too good to learn from.
 *
 * Two files do something else. If the rows are spread over processes and the method needs them in
 * one place, root_rank.c fits on rank 0. merge.c makes one model from the models of disjoint sets
 * of rows, for methods that use rows only through sums. In this folder a "part" is such a set of
 * rows, and the model of a part is one that is meant to be merged. */
#pragma once

#include "train/settings.h"

/* Fit a model. Rows of unknown class or weight 0 are left out. Parameters that the method does not
 * have are ignored if `skip_unknown` is set: an evaluation gives the same to several methods. */
heft_status heft_fit_table(heft_ctx *ctx, const heft_table *table, const heft_config *config,
                           bool skip_unknown, heft_model **out);
/* Refuse a table whose rows have one class only, or warn of it if the method can be fitted to it.
 * This is for tables that a user gives; the training rows of a fold may have one class. */
heft_status heft_refuse_one_class(heft_ctx *ctx, const heft_table *table,
                                  const heft_config *config);
/* Fit a model that has its preparation to rows prepared by it. If model->suffstats is NULL, it is
 * computed from the rows as far as the method and merging need it; `table` is the table from which
 * the rows were made. */
heft_status heft_fit_prepared(heft_ctx *ctx, const heft_settings *settings, const heft_table *table,
                              const heft_rows *rows, heft_model *model);
/* Learn the method's preparation from all rows of `table`, and apply it to them. */
heft_status heft_prepare_whole(heft_ctx *ctx, const heft_table *table, const heft_config *config,
                               heft_table **out);

/* decide_fit.c: give the model the decision rule of the settings, before it is fitted. A tuned
 * threshold is set after the fit. `table` has all classes that a rule may name. */
heft_status heft_rule_of(heft_ctx *ctx, const heft_settings *settings, const heft_table *table,
                         heft_model *model);
/* Record the class weights for inspect. */
heft_status heft_note_classes(heft_ctx *ctx, const double *factor, heft_model *model);
