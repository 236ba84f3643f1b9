/* settings.h - a checked configuration: the words that a user gave, and the values they stand for.
 * Everything after this step uses the values and need not check them again. */
#pragma once

#include "methods/registry.h"
#include "model/model.h"
#include "train/choose.h"
#include "train/select.h"

typedef struct heft_settings {
    heft_config        config; /* as given, completed by the settings of config.like */
    const heft_method *method;
    heft_value      *values; /* values of the method's parameters; of alternatives the first one */
    heft_choices     choices;
    heft_prep_spec   spec;
    const char      *smoothing_word, *prior_word; /* as given, or the method's default */
    heft_smoothing   smoothing;
    heft_select      select;
    heft_calibrating calibrating;
    heft_tuning      tuning;
    const double *class_weight; /* by class of the model, set when classes are known; NULL: all 1 */
    double        until;        /* time by heft_clock at which the fit must end; 0: no limit */
    bool          skip_unknown; /* parameters the method does not have are ignored */
} heft_settings;

/* Check everything that can be checked without data. What `out` points to is in scratch memory or
 * in `config`. Class names are checked later, when the classes are known. */
heft_status heft_settings_of(heft_ctx *ctx, const heft_config *config, bool skip_unknown,
                             heft_settings *out);

/* Returns the name of a file, other than data, that the settings name. Files are numbered from 0;
 * NULL means that there is no such file. */
const char *heft_settings_file(const heft_settings *settings, size_t index);
