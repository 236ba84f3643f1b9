/* settings.c - a configuration, checked: the words a user gave and what they mean. */
#include "train/settings.h"

/* ---- training like another model ---- */

static heft_status check_words(heft_ctx *ctx, const heft_config *config)
{
    const char *const given[][2] = {
        {"--discretize", config->discretize}, {"--impute", config->impute},
        {"--scale", config->scale},           {"--select", config->select},
        {"--unseen", config->unseen},
    };
    for (size_t k = 0; k < sizeof given / sizeof *given; k++)
        if (given[k][1])
            return heft_fail(ctx, HEFT_EINVAL,
                             "%s: training like a model takes over its preparation (leave it out)",
                             given[k][0]);
    return HEFT_OK;
}

/* What config->like brings where the caller gave nothing. */
static heft_status take_like(heft_ctx *ctx, heft_settings *s)
{
    heft_config      *config = &s->config;
    const heft_model *like = config->like;
    HEFT_CHECK(check_words(ctx, config));
    if (!config->method) config->method = like->method->name;
    HEFT_CHECK(heft_method_of(ctx, config->method, &s->method));
    if (s->method != like->method) return HEFT_OK;
    if (!config->smoothing) config->smoothing = like->smoothing;
    if (!config->prior) config->prior = like->prior;
    if (!config->params || !config->params[0])
        HEFT_CHECK(heft_params_list(ctx, like->param_names, like->param_values, like->n_params,
                                    &config->params));
    return HEFT_OK;
}

/* ---- public ---- */

heft_status heft_settings_of(heft_ctx *ctx, const heft_config *config, bool skip_unknown,
                             heft_settings *out)
{
    const heft_prep_spec nothing = {.mdl_scale = 1};
    heft_prep_spec       own;
    heft_prior_spec      prior;

    *out = (heft_settings){.config = *config, .skip_unknown = skip_unknown};
    HEFT_CHECK(heft_select_parse(ctx, config->select, &out->select));
    if (config->like) HEFT_CHECK(take_like(ctx, out));
    config = &out->config;
    HEFT_CHECK(heft_method_of(ctx, config->method, &out->method));
    const heft_config *usual = &out->method->prepare;
    out->smoothing_word = config->smoothing ? config->smoothing : usual->smoothing;
    out->prior_word = config->prior ? config->prior : usual->prior;
    if (!out->smoothing_word) out->smoothing_word = "laplace";
    if (!out->prior_word) out->prior_word = "smoothed";
    HEFT_CHECK(heft_params_parse(ctx, out->method, config->params, skip_unknown, &ctx->scratch,
                                 &out->values));
    HEFT_CHECK(heft_smoothing_parse(ctx, out->smoothing_word, &out->smoothing));
    HEFT_CHECK(heft_prior_parse(ctx, out->prior_word, NULL, NULL, &prior));
    HEFT_CHECK(heft_calibration_parse(ctx, config->calibrate, &out->calibrating));
    HEFT_CHECK(heft_prep_parse(ctx, usual, &nothing, &own));
    HEFT_CHECK(heft_prep_parse(ctx, config, &own, &out->spec));
    if (config->like) out->spec = config->like->prep.spec;
    return HEFT_OK;
}
