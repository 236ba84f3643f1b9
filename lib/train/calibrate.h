/* calibrate.h - the calibration of a method's scores, learned from rows it was not trained on. */
#pragma once

#include "train/fit.h"

/* Five folds of the table, stratified by class and drawn by the seed, are each scored by a model of
 * the other four, preparation included, and the model's calibration is learned from these scores,
 * in the way settings->calibrating names. Below ten rows the scores stay as they are. `table`: rows
 * of known class and weight above 0. Cost: five more fits. */
heft_status heft_calibrate_model(heft_ctx *ctx, const heft_table *table,
                                 const heft_settings *settings, heft_model *model);

/* From scores[n x n_class], log-normalised, of held-out rows; rows whose own class has no finite
 * score are ignored. out->kind is given, its arrays are filled in.
 * loss[2]: the mean loss before and after. */
heft_status heft_calibration_fit(heft_ctx *ctx, double *scores, const uint16_t *y,
                                 const double *weight, size_t n, size_t n_class,
                                 heft_calibration *out, double loss[2]);
