/* decide_fit.c - the rule by which a model decides, as a configuration gives it. */
#include "train/fit.h"

heft_status heft_rule_of(heft_ctx *ctx, const heft_settings *s, const heft_table *table,
                         heft_model *model)
{
    const heft_config *config = &s->config;
    const heft_model  *like = config->like;
    const heft_dict   *classes = model->prep.classes;
    const size_t       K = heft_dict_size(classes);
    if (like && !config->cost && !config->threshold && !config->tune)
        return heft_decision_copy(ctx, &like->decision, like->prep.classes, classes, &model->arena,
                                  &model->decision);
    HEFT_CHECK(heft_decision_parse(ctx, config->cost, config->threshold,
                                   like ? classes : table->target->dict, classes, &model->arena,
                                   &model->decision));
    if (s->tuning && K > 2)
        return heft_fail(ctx, HEFT_EINVAL,
                         "--tune chooses a threshold between two classes, and there are %zu (use "
                         "--cost without --tune, or --positive VALUE to make two)",
                         K);
    return HEFT_OK;
}
