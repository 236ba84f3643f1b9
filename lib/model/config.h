/* config.h - the configuration that made a model.
 *
 * A model keeps the settings that its caller gave, as texts (heft_model.set). How the settings were
 * used is found from the model's preparation, parameters, estimates, calibration and decision rule.
 * It is therefore known for files of earlier versions as well, which do not have the given
 * settings. The settings are the rows of base/settings.def whose owner is heft_config: a new one is
 * saved, compared and printed without a change here. */
#pragma once

#include "model/model.h"

/* Keep the settings that the caller gave in model->set, with the seed of the context. A file of
 * costs is kept as the list of its costs, because the file may no longer exist when the model is
 * used. A model that was trained like another one keeps the preparation that it took from it. */
heft_status heft_config_keep(heft_ctx *ctx, const heft_config *config, heft_model *model);

/* The configuration of a model: every setting as it was used, or, where `as_given` is set, as the
 * caller gave it. A fit on the same rows with the latter gives the same model. NULL means that
 * nothing was chosen or done; config.like and config.run are always NULL. New texts are in the
 * arena, others in the model. */
heft_status heft_config_of(heft_ctx *ctx, const heft_model *model, bool as_given, heft_arena *arena,
                           heft_config *out);

/* Make a copy of a configuration whose texts are all in the arena. */
heft_status heft_config_copy(heft_ctx *ctx, const heft_config *from, heft_arena *arena,
                             heft_config *out);

/* The value of setting number k among the settings that are texts, NULL where it is not given.
 * *name becomes its name, or NULL where k is past the end. */
const char *heft_config_text(const heft_config *config, size_t k, const char **name);

/* Turn off every step of the preparation for rows that are prepared already. */
void heft_config_prepared(heft_config *config);

typedef struct heft_config_difference {
    const char *setting;     /* name of the setting; NULL: the configurations are equal */
    const char *one, *other; /* values in the two configurations; NULL: not given */
} heft_config_difference;

/* The first setting that differs between two configurations. */
heft_config_difference heft_config_compare(const heft_config *a, const heft_config *b);
