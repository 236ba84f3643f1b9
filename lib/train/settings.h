/* settings.h - a configuration, checked: the words a user gave and what they mean. */
#pragma once

#include "methods/registry.h"
#include "model/model.h"
#include "train/choose.h"

/* Attribute selection before any method: learned from the training rows, and all a model keeps of
 * it is which attributes it has.
 *
 *   gain-ratio:N, mutual-information:N   the N attributes that say most about the class, N a number
 *                                        or a share such as 2.5%; ties to the earlier column
 *   cfs                                  the set of stats/cfs.h
 *   none                                 all
 *
 * The measures see the columns as the method's preparation makes them. Numbers that it leaves as
 * they are count as cut by mdl; in a sparse table by presence, zero or not. */
typedef enum heft_choice {
    HEFT_CHOOSE_ALL,
    HEFT_CHOOSE_RATIO,
    HEFT_CHOOSE_MUTUAL,
    HEFT_CHOOSE_CFS
} heft_choice;

typedef struct heft_select {
    heft_choice choice;
    double      number;  /* of attributes, or */
    bool        percent; /* of all attributes */
} heft_select;

typedef struct heft_settings {
    heft_config        config; /* as given, with what config.like brings */
    const heft_method *method;
    heft_value        *values; /* of the method's options; of alternatives the first */
    heft_choices       choices;
    heft_prep_spec     spec;
    const char        *smoothing_word, *prior_word; /* given, or the method's own */
    heft_smoothing     smoothing;
    heft_select        select;
    heft_calibrating   calibrating;
    heft_tuning        tuning;
    const double      *class_weight; /* by class of the model, once it is known; NULL: all 1 */
    double             until;        /* heft_clock at which the fit is to end, 0: no limit */
    bool               skip_unknown; /* parameters the method does not have are ignored */
} heft_settings;

/* Checks everything that can be checked without data; what `out` points to is in scratch memory
 * or in `config`. Class names are checked when the classes are known. */
heft_status heft_settings_of(heft_ctx *ctx, const heft_config *config, bool skip_unknown,
                             heft_settings *out);

/* The table with the attributes selected, in their order; *out is NULL where nothing is to be
 * selected. Rows of unknown class or weight 0 must have been left out. */
heft_status heft_select_table(heft_ctx *ctx, const heft_table *table, const heft_prep_spec *spec,
                              const heft_select *select, heft_table **out);
