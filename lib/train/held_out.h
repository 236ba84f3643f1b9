/* held_out.h - what is learned from held-out rows: parameters with alternatives, the calibration of
 * a model and its threshold.
 *
 * A model is too sure of the rows that it was trained on. So the training rows are dealt to five
 * folds, and each fold is scored by a model that was trained on the other four (as Platt
 * suggested, 1999). The scores of all rows together are the data for calibration and threshold. */
#pragma once

#include "train/settings.h"

/* The type of heft_fit_table (fit.h), which uses this header and is given to it. */
typedef heft_status heft_fit_call(heft_ctx *ctx, const heft_table *table, const heft_config *config,
                                  bool skip_unknown, heft_model **out);

typedef struct heft_held_out {  /* what models of folds are fitted to, and how */
    const heft_table    *table; /* rows of known class and weight above 0 */
    const heft_settings *settings;
    const heft_prep     *prep; /* preparation of the model, which has all classes */
    heft_fit_call       *fit;
} heft_held_out;

typedef struct heft_held { /* training rows, scored by models that were not trained on them */
    size_t          n;     /* number of rows of this process */
    const uint16_t *y;
    const double   *weight; /* NULL: all 1 */
    const double   *scores; /* n x n_class log-normalised scores */
    const size_t   *place;  /* place of each among the rows of all processes; NULL: all are here, in
                               order */
} heft_held;

/* Calibrate the model, choose its threshold, or both, as the settings say. The rows are dealt to
 * five folds by their content and the seed (learn/folds.h). Each fold is scored by a model of the
 * other four, preparation included, and both are learned from these scores. A model of fewer than
 * ten rows stays as it is. factor[n_class] has the class weights by which the weights of rows were
 * multiplied; NULL: none. The rows may be spread over several processes if the method allows it.
 * Cost: five more fits. */
heft_status heft_learn_held_out(heft_ctx *ctx, const heft_held_out *from, const double *factor,
                                heft_model *model);

typedef struct heft_chosen {
    const char *const *params; /* parameters of the combination that was chosen */
    const char        *note;   /* text with the held-out accuracy of each alternative */
} heft_chosen;

/* Choose the combination of settings->choices with the highest accuracy on the five folds of
 * heft_learn_held_out; the first wins a tie, and with fewer than ten rows the first is taken. `out`
 * is in the arena. Cost: five fits for each combination. */
heft_status heft_choose(heft_ctx *ctx, const heft_held_out *from, heft_arena *arena,
                        heft_chosen *out);

/* ---- calibrate.c ---- */

/* Learn the calibration of the model; model->calibration.kind says which kind. */
heft_status heft_calibrate_model(heft_ctx *ctx, const heft_held *held, heft_model *model);

/* Learn a calibration of the kind out->kind from held-out rows. Rows whose own class has no finite
 * score are ignored. loss[2] is the mean loss before and after. */
heft_status heft_calibration_fit(heft_ctx *ctx, const heft_held *held, size_t n_class,
                                 heft_calibration *out, double loss[2]);

/* ---- decide_fit.c ---- */

/* Set the threshold at which the measure is best on the held-out rows. It is a threshold of the
 * positive class, or of the class with less weight if there is no positive class. Class weights are
 * taken out of the weights of rows, because the measure describes the rows as they are. */
heft_status heft_tune_model(heft_ctx *ctx, const heft_held *held, heft_tuning tuning,
                            const double *factor, heft_model *model);
