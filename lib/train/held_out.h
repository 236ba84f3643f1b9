/* held_out.h - what is learned from held-out rows: the calibration of a model and its threshold. */
#pragma once

#include "train/settings.h"

typedef struct heft_held { /* training rows, scored by models that were not trained on them */
    size_t          n;     /* of this process */
    const uint16_t *y;
    const double   *weight; /* NULL: all 1 */
    const double   *scores; /* n x n_class, log-normalised */
    const size_t   *place; /* of each among those of all processes; NULL: they are here, in order */
} heft_held;

/* Calibrate the model, choose its threshold, or both, as the settings say. Five folds of the table,
 * stratified by class and drawn by the seed and by what rows hold, not by where they stand, with
 * equal rows in the same fold, are each scored by a model of the other four, preparation included,
 * and both are learned from these scores. Below ten rows the model stays as it is. `table`: rows of
 * known class and weight above 0. factor[n_class]: what their weights were multiplied by, class by
 * class; NULL: nothing. Rows may be spread over several processes where those of the method may be.
 * Cost: five more fits. */
heft_status heft_learn_held_out(heft_ctx *ctx, const heft_table *table,
                                const heft_settings *settings, const double *factor,
                                heft_model *model);

/* right[k]: the rows whose class models with combination k of settings->choices predict, on the
 * same five folds. `prep` has the classes. *n: the rows; 0: they are fewer than ten and right[] is
 * 0. */
heft_status heft_held_out_right(heft_ctx *ctx, const heft_table *table,
                                const heft_settings *settings, const heft_prep *prep, size_t *right,
                                size_t *n);

/* ---- calibrate.c ---- */

/* The calibration of kind model->calibration.kind. */
heft_status heft_calibrate_model(heft_ctx *ctx, const heft_held *held, heft_model *model);

/* From held-out rows; those whose own class has no finite score are ignored. out->kind is given,
 * its arrays are filled in. loss[2]: the mean loss before and after. */
heft_status heft_calibration_fit(heft_ctx *ctx, const heft_held *held, size_t n_class,
                                 heft_calibration *out, double loss[2]);

/* ---- decide_fit.c ---- */

/* The threshold at which the measure is best on the held-out rows, for the positive class, else the
 * class of less weight. Weights of classes do not count here. */
heft_status heft_tune_model(heft_ctx *ctx, const heft_held *held, heft_tuning tuning,
                            const double *factor, heft_model *model);
