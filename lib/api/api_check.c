/* api_check.c - the words of a configuration, looked at without data. */
#include <string.h>

#include "api/api.h"
#include "train/fit.h"
#include "train/select.h"

/* CLASS=P lists wait for the classes; anything else must be one of the words. */
static heft_status check_prior(heft_ctx *ctx, const char *text)
{
    heft_status     st = HEFT_OK;
    heft_dict      *none = NULL;
    heft_prior_spec prior;
    if (!text || strchr(text, '=')) return HEFT_OK;
    HEFT_TRY(heft_dict_create(ctx, &none));
    HEFT_TRY(heft_prior_parse(ctx, text, none, &ctx->scratch, &prior));
done:
    heft_dict_free(none);
    return st;
}

static heft_status check_config(heft_ctx *ctx, const heft_config *asked)
{
    const heft_method   *method = NULL;
    heft_value          *values;
    heft_prep_spec       spec;
    heft_smoothing       smoothing;
    heft_select          select;
    heft_calibrating     calibrating;
    const heft_prep_spec nothing = {.mdl_scale = 1};
    heft_config          now;
    const heft_config   *config = &now;
    HEFT_CHECK(heft_config_like(ctx, asked, &now));
    HEFT_CHECK(heft_method_of(ctx, config->method, &method));
    HEFT_CHECK(heft_params_parse(ctx, method, config->params, false, &ctx->scratch, &values));
    HEFT_CHECK(heft_prep_parse(ctx, config, &nothing, &spec));
    if (config->smoothing) HEFT_CHECK(heft_smoothing_parse(ctx, config->smoothing, &smoothing));
    HEFT_CHECK(check_prior(ctx, config->prior));
    HEFT_CHECK(heft_select_parse(ctx, config->select, &select));
    return heft_calibration_parse(ctx, config->calibrate, &calibrating);
}

heft_status heft_config_check(const heft_config *config, heft_error *err)
{
    const heft_config plain = {0};
    HEFT_CALL(1, NULL, st = check_config(&ctx, config ? config : &plain));
}
