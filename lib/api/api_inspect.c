/* api_inspect.c - the public calls that show what a model learned. */
#include "api/api.h"
#include "explain/explain.h"
#include "explain/view.h"
#include "heft_inspect.h"
#include "model/config.h"

#define TERM_INFO HEFT_STRUCT(heft_term_info, strength)

/* ---- settings ---- */

typedef struct own_config { /* the result of heft_model_config */
    heft_config  config;
    heft_runtime run;
    heft_arena   arena;
} own_config;

void heft_config_free(heft_config *config)
{
    own_config *own = (own_config *)(void *)config;
    if (!own) return;
    heft_arena_clear(&own->arena);
    heft_free(own);
}

heft_status heft_model_config(const heft_model *model, bool as_given, heft_config **out,
                              heft_error *err)
{
    HEFT_ENTER(HEFT_ONE_THREAD);
    heft_config config;
    HEFT_CHECK(heft_need(ctx, model && out, __func__));
    *out = NULL;
    HEFT_CHECK(heft_config_of(ctx, model, as_given, &ctx->scratch, &config));
    own_config *own;
    HEFT_NEW(ctx, own, 1);
    const heft_status st = heft_config_copy(ctx, &config, &own->arena, &own->config);
    own->config.size = sizeof own->config;
    own->run = (heft_runtime){.size = sizeof own->run, .seed = model->set.seed};
    if (model->set.seed) own->config.run = &own->run;
    if (st == HEFT_OK) *out = &own->config;
    else heft_config_free(&own->config);
    return st;
}

heft_status heft_model_source(const heft_model *model, heft_source *out, heft_error *err)
{
    HEFT_OPEN(model && out, HEFT_ONE_THREAD);
    const heft_prep  *prep = &model->prep;
    const heft_source own = {.target = prep->target,
                             .positive = prep->positive,
                             .missing = prep->missing && *prep->missing ? prep->missing : NULL,
                             .decimal_mark = prep->decimal_mark ? *prep->decimal_mark : '\0'};
    return heft_struct_give(ctx, HEFT_SOURCE, &own, out);
}

/* ---- attributes ---- */

heft_status heft_model_attribute(const heft_model *model, size_t j, heft_attribute *out,
                                 heft_error *err)
{
    heft_attribute own;
    HEFT_OPEN(model && out, HEFT_ONE_THREAD);
    HEFT_CHECK(heft_check_attribute(ctx, j, model->prep.n_attr, "model"));
    heft_view_attribute(model, j, &own);
    return heft_struct_give(ctx, HEFT_ATTRIBUTE, &own, out);
}

size_t heft_model_value(const heft_model *model, size_t j, size_t v, char *out, size_t size)
{
    if (out && size) out[0] = 0;
    return model ? heft_view_value(model, j, v, out, size) : 0;
}

heft_status heft_model_prior(const heft_model *model, double *prior, heft_error *err)
{
    HEFT_CALL(model && prior, HEFT_ONE_THREAD, heft_view_prior(ctx, model, prior));
}

HEFT_GET(heft_weighting, heft_model_weighting(const heft_model *model), heft_view_weighting(model))
HEFT_GET(double, heft_model_weight(const heft_model *model, size_t j, size_t c, size_t v),
         heft_view_weight(model, j, c, v))

double heft_model_importance(const heft_model *model, size_t j, double *error)
{
    const bool known = model && model->fitted.importance && j < model->fitted.n_attr;
    if (error) *error = known ? model->fitted.importance_error[j] : (double)NAN;
    return known ? model->fitted.importance[j] : (double)NAN;
}

heft_status heft_model_pair_weights(const heft_model *model, size_t a, size_t b, double *prior,
                                    double *weights, heft_error *err)
{
    HEFT_CALL(model && prior && weights, HEFT_ONE_THREAD,
              heft_view_pair(ctx, model, a, b, prior, weights));
}

heft_status heft_model_likelihood(const heft_model *model, size_t j, double x, double *log_p,
                                  heft_error *err)
{
    HEFT_OPEN(model && log_p, HEFT_ONE_THREAD);
    HEFT_CHECK(heft_check_attribute(ctx, j, model->prep.n_attr, "model"));
    return heft_view_likelihood(ctx, model, j, x, log_p);
}

size_t heft_model_terms(const heft_model *model)
{
    size_t   n;
    heft_ctx ctx;
    heft_ctx_init(&ctx, NULL, 1, 0, NULL);
    const heft_status st = heft_view_terms(&ctx, model, &n);
    heft_ctx_clear(&ctx);
    return st == HEFT_OK ? n : 0;
}

heft_status heft_model_term(const heft_model *model, size_t t, heft_term_info *out, heft_error *err)
{
    heft_term_info own;
    HEFT_OPEN(model && out, HEFT_ONE_THREAD);
    HEFT_CHECK(heft_view_term(ctx, model, t, &own));
    return heft_struct_give(ctx, TERM_INFO, &own, out);
}

heft_status heft_model_evidence(const heft_model *model, const double *row, double *evidence,
                                heft_error *err)
{
    HEFT_CALL(model && (row || model->prep.n_attr == 0) && evidence, HEFT_ONE_THREAD,
              heft_view_evidence(ctx, model, row, evidence));
}

heft_status heft_explain_terms(const heft_model *model, const heft_table *data, size_t i,
                               double *evidence, heft_error *err)
{
    HEFT_OPEN(model && data && evidence, HEFT_ONE_THREAD);
    HEFT_CHECK(heft_check_row(ctx, data, i));
    return heft_row_terms(ctx, model, data, i, evidence);
}

/* ---- tables as the model sees them ---- */

heft_status heft_model_prepare(const heft_model *model, const heft_table *data, heft_table **out,
                               heft_error *err)
{
    if (out) *out = NULL;
    HEFT_CALL(model && data && out, NULL, heft_prep_table(ctx, &model->prep, data, out));
}

heft_status heft_model_select(const heft_model *model, const heft_table *data, heft_table **out,
                              heft_error *err)
{
    if (out) *out = NULL;
    HEFT_CALL(model && data && out, HEFT_ONE_THREAD, heft_used_table(ctx, model, data, out));
}
