/* settings.h - a configuration, checked: the words a user gave and what they mean. */
#pragma once

#include "methods/registry.h"
#include "model/model.h"
#include "train/choose.h"
#include "train/select.h"

typedef struct heft_settings {
    heft_config        config; /* as given, with what config.like brings */
    const heft_method *method;
    heft_value        *values; /* the method's options as used; the first of alternatives */
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

/* The files that the settings name besides the data, counted from 0; NULL past the last one. */
const char *heft_settings_file(const heft_settings *settings, size_t index);
