/* calibrate.h - the calibration of a method's scores, learned from rows it was not trained on. */
#ifndef HEFT_METHODS_CALIBRATE_H
#define HEFT_METHODS_CALIBRATE_H

#include "methods/fit.h"

/* As config->calibrate says: five folds of the table, stratified by class and drawn by the seed,
 * are each scored by a model of the other four, preparation included, and the model's calibration
 * is learned from these scores. Below ten rows it stays as it is. `table`: rows of known class and
 * weight above 0. Cost: five fits more. */
heft_status heft_calibrate_model(heft_ctx *ctx, const heft_table *table, const heft_config *config,
                                 bool skip_unknown, heft_model *model);

#endif
