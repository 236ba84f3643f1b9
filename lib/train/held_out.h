/* held_out.h - what is learned from held-out rows: the calibration of a model and its threshold. */
#pragma once

#include "train/settings.h"

typedef struct heft_held { /* training rows, scored by models that were not trained on them */
    size_t          n;     /* number of rows of this process */
    const uint16_t *y;
    const double   *weight; /* NULL: all 1 */
    const double   *scores; /* n x n_class, log-normalised */
    const size_t   *place;  /* place of each among the rows of all processes; NULL: all are here, in
                               order */
} heft_held;

/* Calibrate the model, choose its threshold, or both, as the settings say. The rows are dealt to
 * five folds by their content and the seed (learn/folds.h). Each fold is scored by a model of the
 * other four, preparation included, and both are learned from these scores. A model of fewer than
 * ten rows stays as it is. `table` has rows of known class and weight above 0. factor[n_class] is
 * what their weights were multiplied by; NULL: by nothing. The rows may be spread over several
 * processes if the method allows it. Cost: five more fits. */
heft_status heft_learn_held_out(heft_ctx *ctx, const heft_table *table,
                                const heft_settings *settings, const double *factor,
                                heft_model *model);

/* right[k] is the number of rows whose class is predicted right with combination k of
 * settings->choices, on the same five folds. `prep` has the classes. *n is the number of rows; it
 * is 0, and so is right[], where there are fewer than ten. */
heft_status heft_held_out_right(heft_ctx *ctx, const heft_table *table,
                                const heft_settings *settings, const heft_prep *prep, size_t *right,
                                size_t *n);

/* ---- calibrate.c ---- */

/* Learn the calibration of the kind model->calibration.kind. */
heft_status heft_calibrate_model(heft_ctx *ctx, const heft_held *held, heft_model *model);

/* Learn a calibration of the kind out->kind from held-out rows. Rows whose own class has no finite
 * score are ignored. loss[2] is the mean loss before and after. */
heft_status heft_calibration_fit(heft_ctx *ctx, const heft_held *held, size_t n_class,
                                 heft_calibration *out, double loss[2]);

/* ---- decide_fit.c ---- */

/* Set the threshold at which the measure is best on the held-out rows. It is a threshold of the
 * positive class, or without one of the class with less weight. Weights of classes do not count
 * here: the measure is of the rows as they are. */
heft_status heft_tune_model(heft_ctx *ctx, const heft_held *held, heft_tuning tuning,
                            const double *factor, heft_model *model);
