/* model.h - a model: preparation + method + fitted state, all in one arena. */
#ifndef HEFT_MODEL_MODEL_H
#define HEFT_MODEL_MODEL_H

#include "model/calibration.h"
#include "model/fitted.h"
#include "prep/prep.h"
#include "stats/tally.h"

struct heft_method;

struct heft_model {
    heft_arena                arena;
    const struct heft_method *method;
    size_t                    n_params; /* the method's options as used, as text */
    char                    **param_names, **param_values;
    char                     *smoothing, *prior; /* as text, for inspect */
    heft_prep                 prep;
    heft_fitted               fitted;
    heft_calibration          calibration;
    heft_tally               *tally; /* what merging needs of the rows; NULL: not kept */
    uint8_t         *filled; /* with it, by attribute: 1 where a training cell was imputed */
    char            *label;  /* the file it came from, for messages; or NULL */
    const heft_comm *comm;   /* its training rows are spread over these ranks; NULL: whole */
};

#endif
