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

/* ---- calibrate.c ---- */

/* Five folds of the table, stratified by class and drawn by the seed and by what rows hold, not by
 * where they stand, are each scored by a model of the other four, preparation included, and the
 * model's calibration is learned from these scores, in the way settings->calibrating names. Below
 * ten rows the scores stay as they are. `table`: rows of known class and weight above 0. Cost: five
 * more fits. */
heft_status heft_calibrate_model(heft_ctx *ctx, const heft_table *table,
                                 const heft_settings *settings, heft_model *model);

/* From scores[n x n_class], log-normalised, of held-out rows; rows whose own class has no finite
 * score are ignored. out->kind is given, its arrays are filled in.
 * loss[2]: the mean loss before and after. */
heft_status heft_calibration_fit(heft_ctx *ctx, double *scores, const uint16_t *y,
                                 const double *weight, size_t n, size_t n_class,
                                 heft_calibration *out, double loss[2]);

/* ---- root_rank.c ---- */

/* The method or the option that needs the rows of all ranks in one place, as messages name it;
 * NULL: none does, or this process has all rows. */
const char *heft_needs_root(const heft_ctx *ctx, const heft_settings *settings);
/* heft_fit_table on rank 0 with the rows of all ranks; every rank gets the model. */
heft_status heft_fit_on_root(heft_ctx *ctx, const heft_table *table, const heft_settings *settings,
                             heft_model **out);

/* ---- weights.c ---- */

/* *out: the table with scaled weights, where they are far from numbers of rows; NULL: as they are.
 * Weights that cannot be used beside the others are refused. All are above 0. */
heft_status heft_scale_weights(heft_ctx *ctx, const heft_table *table, heft_table **out);
/* Neither refused nor scaled by the above. */
bool heft_weights_ordinary(const double *weight, size_t n);

/* ---- merge.c ---- */

/* The model of all rows from models of parts; models NULL: from n files, of which one at a time is
 * in memory. Scratch memory is cleared. */
heft_status heft_merge(heft_ctx *ctx, const heft_model *const *models, const char *const *paths,
                       size_t n, heft_model **out);
