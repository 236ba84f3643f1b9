/* settings.c - checking a configuration, and turning its words into values. */
#include "train/settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/marks.h"
#include "base/setting_words.h"
#include "base/text.h"
#include "decide/class_weight.h"
#include "model/config.h"

/* ---- training like another model ---- */

/* A model that another one is trained like gives the preparation as a whole. */
static heft_status check_words(heft_ctx *ctx, const heft_config *config)
{
    const char *name, *given = heft_config_text(config, 0, &name);
    for (size_t k = 1; name; given = heft_config_text(config, k++, &name)) {
        char mark[64];
        if (!given || !heft_setting_prepares(name)) continue;
        snprintf(mark, sizeof mark, "{%s}", name);
        return heft_fail(ctx, HEFT_EINVAL,
                         "%s cannot be combined with {advice like-preparation} (leave it out)",
                         HEFT_MARKED(mark));
    }
    return HEFT_OK;
}

/* Fill in the settings that the caller did not give from the model config->like. */
static heft_status take_like(heft_ctx *ctx, heft_settings *s)
{
    heft_config *config = &s->config, like;
    HEFT_CHECK(check_words(ctx, config));
    HEFT_CHECK(heft_config_of(ctx, config->like, false, &ctx->scratch, &like));
    if (!config->method) config->method = like.method;
    HEFT_CHECK(heft_method_of(ctx, config->method, &s->method));
    if (!config->class_weight) config->class_weight = like.class_weight;
    if (s->method != config->like->method) return HEFT_OK;
    if (!config->smoothing) config->smoothing = like.smoothing;
    if (!config->prior) config->prior = like.prior;
    if (!config->params || !config->params[0]) config->params = like.params;
    return HEFT_OK;
}

/* ---- decisions ---- */

/* Check costs, threshold, tuning and class weights, as far as this is possible without data. */
static heft_status check_decision(heft_ctx *ctx, heft_settings *s)
{
    const heft_config *c = &s->config;
    bool               balanced = false;
    HEFT_CHECK(heft_tuning_parse(ctx, c->tune, &s->tuning));
    if (s->tuning == HEFT_TUNE_COST && !c->cost)
        return heft_fail(ctx, HEFT_EINVAL, "{tune=cost} needs the costs (give them with {cost})");
    if (c->tune && c->cost && s->tuning != HEFT_TUNE_COST)
        return heft_fail(ctx, HEFT_EINVAL,
                         "{cost} cannot be combined with {tune=%s} (use {tune=cost}, or leave out "
                         "one of them)",
                         c->tune);
    if (c->tune && c->threshold)
        return heft_fail(ctx, HEFT_EINVAL,
                         "{threshold} cannot be combined with {tune} (leave out one of them)");
    if (c->tune && c->part)
        return heft_fail(
            ctx, HEFT_EINVAL,
            "{tune} cannot be combined with {advice part}: a threshold is chosen on all rows "
            "(leave it out, and {advice give-threshold})");
    HEFT_CHECK(heft_decision_words(ctx, c->cost, c->threshold));
    if (c->class_weight)
        HEFT_CHECK(heft_class_weight_parse(ctx, c->class_weight, NULL, NULL, &balanced));
    if (balanced && c->part)
        return heft_fail(
            ctx, HEFT_EINVAL,
            "{class-weight=balanced} cannot be combined with {advice part}: it counts the "
            "rows of all parts ({advice give-class-weights})");
    return HEFT_OK;
}

/* ---- what the method cannot use ---- */

/* Refuse settings that the method cannot use with any data. */
static heft_status check_method(heft_ctx *ctx, const heft_settings *s, const heft_prior_spec *prior)
{
    const heft_method *method = s->method;
    const bool         laplace = s->smoothing.laplace;
    if (method->caps & HEFT_SMOOTHS && s->config.smoothing)
        return heft_fail(ctx, HEFT_EINVAL,
                         "method %s has its own smoothing (leave out {smoothing}, or use another "
                         "method, such as {method=nb})",
                         method->name);
    if (method->caps & HEFT_ESTIMATES && !(laplace && prior->kind == HEFT_PRIOR_SMOOTHED))
        return heft_fail(ctx, HEFT_EINVAL,
                         laplace ? "method %s computes its own probabilities and does not use "
                                   "{prior} (leave it out, use {prior=smoothed}, or use another "
                                   "method)"
                                 : "method %s computes its own probabilities and does not use "
                                   "{smoothing} (leave it out, use {smoothing=laplace}, or use "
                                   "another method)",
                         method->name);
    if (s->config.class_weight && !(method->caps & (HEFT_TAKES_WEIGHTS | HEFT_SHIFTS_CLASSES)))
        return heft_fail(ctx, HEFT_EINVAL,
                         "method %s cannot use weights of rows, which {class-weight} makes (leave "
                         "it out, or use another method)",
                         method->name);
    return method->check ? method->check(ctx, s->values) : HEFT_OK;
}

/* ---- all settings ---- */

static bool stops(const heft_method *method)
{
    return method->caps & HEFT_STOPS;
}

/* Start the clock of {time-limit}. */
static heft_status set_time(heft_ctx *ctx, heft_settings *s)
{
    const double limit = s->config.time_limit;
    char         known[100];
    if (limit == 0) return HEFT_OK;
    if (!(limit > 0 && limit < INFINITY))
        return heft_fail(ctx, HEFT_EINVAL, "{time-limit}: %g is not a number of seconds above 0",
                         limit);
    heft_methods_list(stops, known, sizeof known);
    if (!stops(s->method))
        return heft_fail(ctx, HEFT_EINVAL,
                         "method %s cannot be stopped by {time-limit} (leave it out, or use %s)",
                         s->method->name, known);
    if (s->calibrating != HEFT_CALIBRATE_NONE || s->tuning)
        return heft_fail(ctx, HEFT_EINVAL,
                         s->tuning
                             ? "{tune} cannot be combined with {time-limit} (leave out one of them)"
                             : "{calibrate} cannot be combined with {time-limit} (leave out one of "
                               "them)");
    s->until = heft_clock() + limit;
    return HEFT_OK;
}

/* Read the parameters. Every combination of alternatives must be accepted; the first is read last,
 * so that its values stay. */
static heft_status read_params(heft_ctx *ctx, heft_settings *s)
{
    const heft_method *method = s->method;
    const char *const *first;
    HEFT_CHECK(
        heft_choices_first(ctx, method, s->config.params, &ctx->scratch, &s->choices, &first));
    for (size_t k = s->choices.n; k-- > 1;) {
        HEFT_CHECK(heft_params_parse(ctx, method, s->choices.params[k], s->skip_unknown,
                                     &ctx->scratch, &s->values));
        if (method->check) HEFT_CHECK(method->check(ctx, s->values));
    }
    return heft_params_parse(ctx, method, first, s->skip_unknown, &ctx->scratch, &s->values);
}

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
    if (!out->smoothing_word) out->smoothing_word = heft_setting_word("smoothing", 0);
    if (!out->prior_word) out->prior_word = heft_setting_word("prior", 0);
    HEFT_CHECK(read_params(ctx, out));
    HEFT_CHECK(heft_smoothing_parse(ctx, out->smoothing_word, &out->smoothing));
    HEFT_CHECK(heft_prior_parse(ctx, out->prior_word, NULL, NULL, &prior));
    HEFT_CHECK(heft_calibration_parse(ctx, config->calibrate, &out->calibrating));
    HEFT_CHECK(check_method(ctx, out, &prior));
    HEFT_CHECK(check_decision(ctx, out));
    HEFT_CHECK(heft_prep_parse(ctx, usual, &nothing, &own));
    HEFT_CHECK(heft_prep_parse(ctx, config, &own, &out->spec));
    if (config->like) out->spec = config->like->prep.spec;
    return set_time(ctx, out);
}

const char *heft_settings_file(const heft_settings *s, size_t index)
{
    const heft_option *options = s->method->options;
    if (options)
        for (size_t k = 0; options[k].name; k++) {
            const char *file = options[k].file ? s->values[k].as_text : "";
            if (*file && index-- == 0) return file;
        }
    const char *cost = s->config.cost;
    return cost && heft_costs_in_file(cost) && index == 0 ? cost : NULL;
}
