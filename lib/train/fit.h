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

/* ---- decide_fit.c ---- */

/* The model's rule of decision as the settings say, before it is fitted; --tune comes later.
 * `table`: has all classes that may be named. */
heft_status heft_rule_of(heft_ctx *ctx, const heft_settings *settings, const heft_table *table,
                         heft_model *model);

/* ---- held_out.c ---- */

typedef struct heft_held { /* training rows, scored by models that were not trained on them */
    size_t          n;     /* of this process */
    const uint16_t *y;
    const double   *weight; /* NULL: all 1 */
    const double   *scores; /* n x n_class, log-normalised */
    const size_t   *place; /* of each among those of all processes; NULL: they are here, in order */
} heft_held;

/* Calibrate the model, choose its threshold, or both, as the settings say. Five folds of the table,
 * stratified by class and drawn by the seed and by what rows hold, not by where they stand, are
 * each scored by a model of the other four, preparation included, and both are learned from these
 * scores. Below ten rows the model stays as it is. `table`: rows of known class and weight above 0.
 * factor[n_class]: what their weights were multiplied by, class by class; NULL: nothing. Rows may
 * be spread over several processes where those of the method may be. Cost: five more fits. */
heft_status heft_learn_held_out(heft_ctx *ctx, const heft_table *table,
                                const heft_settings *settings, const double *factor,
                                heft_model *model);

/* ---- calibrate.c ---- */

/* The calibration of kind model->calibration.kind. */
heft_status heft_calibrate_model(heft_ctx *ctx, const heft_held *held, heft_model *model);

/* From held-out rows; those whose own class has no finite score are ignored. out->kind is given,
 * its arrays are filled in. loss[2]: the mean loss before and after. */
heft_status heft_calibration_fit(heft_ctx *ctx, const heft_held *held, size_t n_class,
                                 heft_calibration *out, double loss[2]);

/* ---- tune.c ---- */

/* The threshold at which the measure is best on the held-out rows, for the positive class, else the
 * class of less weight. Weights of classes do not count here. */
heft_status heft_tune_model(heft_ctx *ctx, const heft_held *held, heft_tuning tuning,
                            const double *factor, heft_model *model);

typedef struct heft_tuned {
    double threshold, value; /* the measure there; the mean cost for HEFT_TUNE_COST */
    double usual;            /* the measure at 0.5 */
} heft_tuned;

/* Row i is of the class where is[i] is set, which has the probability p[i]. cost[2 *
 * actual + predicted], 1 is the class. `alone`: F1 is that of the class, else the mean of both. Of
 * thresholds that are equally good: 0.5, else the middle between two probabilities that is nearest
 * to it. */
heft_status heft_tune_threshold(heft_ctx *ctx, const double *p, const uint8_t *is,
                                const double *weight, size_t n, heft_tuning tuning, bool alone,
                                const double cost[4], heft_tuned *out);

/* ---- root_rank.c ---- */

/* *what: the method or the option that needs the rows of all ranks in one place, as messages name
 * it; NULL: none does, or this process has all rows. factor: weights of the classes of the table,
 * or NULL. */
heft_status heft_needs_root(heft_ctx *ctx, const heft_settings *settings, const heft_table *table,
                            const double *factor, const char **what);
/* heft_fit_table on rank 0 with the rows of all ranks, which `what` needs there; every rank gets
 * the model. */
heft_status heft_fit_on_root(heft_ctx *ctx, const heft_table *table, const heft_settings *settings,
                             const char *what, heft_model **out);

/* ---- weights.c ---- */

/* (*factor)[n]: the weight of each class of the table, as --class-weight says; NULL: there are no
 * weights of classes. A balanced class has the sum n / K of the K classes that rows have. Sums are
 * over the rows of all ranks. Scratch memory. */
heft_status heft_class_factors(heft_ctx *ctx, const heft_table *table, const char *word,
                               double **factor);
/* (*weight)[n_rows], on the heap: the weights of the rows times these factors; NULL without. With
 * `shifts` (HEFT_SHIFTS_CLASSES) only a factor of 0 is applied. */
heft_status heft_weigh_classes(heft_ctx *ctx, const heft_table *table, const double *factor,
                               bool shifts, double **weight);
/* The factors in the order of the model's classes. */
heft_status heft_place_factors(heft_ctx *ctx, const heft_table *table, const heft_model *model,
                               double **factor);
/* What inspect shows of these. */
heft_status heft_note_classes(heft_ctx *ctx, const double *factor, heft_model *model);

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
