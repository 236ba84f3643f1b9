/* config.c - the configuration that made a model, driven by the list of settings. */
#include "model/config.h"

#include <string.h>

#include "base/put.h"
#include "base/setting_words.h"
#include "heft_methods.h"

/* ---- the settings of heft_config ---- */

typedef struct setting {
    const char       *name;
    heft_setting_kind kind;
    size_t            at; /* offset of the field in heft_config */
} setting;

static const setting SETTINGS[] = {
#define OF_heft_config(field, name, kind) {name, HEFT_SETTING_##kind, offsetof(heft_config, field)},
#define OF_heft_source(field, name, kind)
#define OF_heft_runtime(field, name, kind)
#define OF_heft_eval_plan(field, name, kind)
#define OF_heft_predictions(field, name, kind)
#define OF_heft_export_options(field, name, kind)
#define HEFT_SETTING(group, owner, field, name, letter, kind, least, value, python, fallback,      \
                     help)                                                                         \
    OF_##owner(field, name, kind)
#include "base/settings.def"
};

enum { N_SETTINGS = sizeof SETTINGS / sizeof *SETTINGS };

static bool is_text(const setting *s)
{
    return s->kind == HEFT_SETTING_TEXT || s->kind == HEFT_SETTING_WORD ||
           s->kind == HEFT_SETTING_METHOD;
}

static void *field_of(const heft_config *config, const setting *s)
{
    return (char *)(uintptr_t)config + s->at;
}

static const char *text_of(const heft_config *config, const setting *s)
{
    return *(const char **)field_of(config, s);
}

static const setting *find_setting(const char *name)
{
    for (size_t k = 0; k < N_SETTINGS; k++)
        if (strcmp(SETTINGS[k].name, name) == 0) return &SETTINGS[k];
    return NULL;
}

const char *heft_config_text(const heft_config *config, size_t k, const char **name)
{
    for (const setting *s = SETTINGS; s < SETTINGS + N_SETTINGS; s++) {
        if (!is_text(s) || k-- > 0) continue;
        *name = s->name;
        return text_of(config, s);
    }
    *name = NULL;
    return NULL;
}

/* The first word of such a setting is none. How unseen values count is not a step and stays. */
void heft_config_prepared(heft_config *config)
{
    for (const setting *s = SETTINGS; s < SETTINGS + N_SETTINGS; s++)
        if (heft_setting_prepares(s->name) && s->at != offsetof(heft_config, unseen))
            *(const char **)field_of(config, s) = heft_setting_word(s->name, 0);
}

/* ---- decisions in words ---- */

static heft_status take_text(heft_ctx *ctx, heft_buf *buf, heft_arena *arena, const char **out)
{
    const bool failed = buf->failed;
    char      *text;
    *out = text = failed ? NULL : heft_arena_text(arena, heft_buf_string(buf));
    heft_buf_clear(buf);
    return text ? HEFT_OK : heft_no_memory(ctx, 1, 1);
}

static void put_class(heft_buf *out, const heft_dict *classes, size_t c)
{
    heft_buf_text(out, "\"");
    for (const char *s = heft_dict_text(classes, (uint32_t)c); *s; s++) {
        if (*s == '"') heft_buf_text(out, "\"");
        heft_buf_add(out, s, 1);
    }
    heft_buf_text(out, "\"");
}

/* Write the costs as a list without those that have their default value (1 for an error, 0
 * otherwise). If all have it, the last one is written, because a list is never empty. */
static heft_status cost_text(heft_ctx *ctx, const heft_model *model, heft_arena *arena,
                             const char **out)
{
    const heft_dict *classes = model->prep.classes;
    const size_t     n = heft_dict_size(classes);
    const double    *cost = model->decision.cost;
    heft_buf         buf = {0};
    for (size_t k = 0; k < n * n; k++) {
        const double usual = k % (n + 1) ? 1 : 0;
        if (cost[k] == usual && (k + 1 < n * n || buf.length)) continue;
        heft_buf_text(&buf, buf.length ? "," : "");
        put_class(&buf, classes, k / n);
        heft_buf_text(&buf, ":");
        put_class(&buf, classes, k % n);
        heft_buf_text(&buf, "=");
        heft_buf_double(&buf, cost[k]);
    }
    return take_text(ctx, &buf, arena, out);
}

static heft_status threshold_text(heft_ctx *ctx, const heft_model *model, heft_arena *arena,
                                  const char **out)
{
    const heft_decision *rule = &model->decision;
    heft_buf             item = {0}, buf = {0};
    heft_buf_text(&item, heft_dict_text(model->prep.classes, (uint32_t)rule->chosen));
    heft_buf_text(&item, "=");
    heft_buf_double(&item, rule->threshold);
    heft_buf_csv(&buf, heft_buf_string(&item), ',');
    buf.failed |= item.failed;
    heft_buf_clear(&item);
    return take_text(ctx, &buf, arena, out);
}

static heft_status decision_of(heft_ctx *ctx, const heft_model *model, heft_arena *arena,
                               heft_config *out)
{
    const heft_decision *rule = &model->decision;
    out->cost = out->threshold = out->tune = NULL;
    if (rule->tuned) out->tune = heft_tuning_word(rule->tuned);
    else if (rule->kind == HEFT_THRESHOLD)
        HEFT_CHECK(threshold_text(ctx, model, arena, &out->threshold));
    if (rule->cost) HEFT_CHECK(cost_text(ctx, model, arena, &out->cost));
    return HEFT_OK;
}

/* ---- what the caller gave ---- */

static void set_preparation(const heft_prep_words *words, heft_config *out)
{
    out->discretize = words->discretize;
    out->impute = words->impute;
    out->scale = words->scale;
    out->unseen = words->unseen;
}

static heft_status add_given(heft_ctx *ctx, heft_model *model, const char *name, const char *value)
{
    heft_kept_settings *g = &model->set;
    HEFT_CHECK(heft_arena_copy(ctx, &model->arena, name, &g->given[g->n_given]));
    return heft_arena_copy(ctx, &model->arena, value, &g->value[g->n_given++]);
}

static heft_status keep_setting(heft_ctx *ctx, const heft_config *config, const setting *s,
                                heft_model *model)
{
    if (is_text(s) && text_of(config, s)) {
        const char *text = text_of(config, s);
        if (s->at == offsetof(heft_config, cost) && heft_costs_in_file(text) &&
            model->decision.cost)
            HEFT_CHECK(cost_text(ctx, model, &ctx->scratch, &text));
        return add_given(ctx, model, s->name, text);
    }
    if (s->kind == HEFT_SETTING_FLAG && *(const bool *)field_of(config, s))
        return add_given(ctx, model, s->name, "yes");
    if (s->kind == HEFT_SETTING_SECONDS && *(const double *)field_of(config, s) != 0) {
        char number[32];
        heft_format_double(number, *(const double *)field_of(config, s));
        return add_given(ctx, model, s->name, number);
    }
    if (s->kind == HEFT_SETTING_PARAM)
        for (const char *const *p = config->params; p && *p; p++)
            HEFT_CHECK(add_given(ctx, model, s->name, *p));
    return HEFT_OK;
}

heft_status heft_config_keep(heft_ctx *ctx, const heft_config *config, heft_model *model)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_kept_settings *g = &model->set;
    heft_config         own = *config;
    heft_prep_words     words;
    size_t              most = N_SETTINGS;
    if (config->like) {
        heft_prep_describe(&model->prep.spec, &words);
        set_preparation(&words, &own);
    }
    for (const char *const *p = config->params; p && *p; p++) most++;
    g->n_given = 0;
    g->seed = ctx->seed;
    HEFT_ALLOCS(ctx, &model->arena, most, g->given, g->value);
    for (size_t k = 0; k < N_SETTINGS; k++)
        HEFT_CHECK(keep_setting(ctx, &own, &SETTINGS[k], model));
    if (!g->n_given) g->given = g->value = NULL; /* the file then has no tensors for settings */
    return HEFT_OK;
}

/* The configuration that was given. A setting that this version does not know is left out. */
static heft_status given_of(heft_ctx *ctx, const heft_model *model, heft_arena *arena,
                            heft_config *out)
{
    const heft_kept_settings *g = &model->set;
    const char              **params;
    size_t                    n_params = 0;
    HEFT_ALLOC(ctx, arena, params, g->n_given + 1);
    for (size_t k = 0; k < g->n_given; k++) {
        const setting *s = g->given[k] ? find_setting(g->given[k]) : NULL;
        const char    *value = g->value[k];
        double         x;
        if (!s || !value) continue;
        if (is_text(s)) *(const char **)field_of(out, s) = value;
        else if (s->kind == HEFT_SETTING_FLAG) *(bool *)field_of(out, s) = true;
        else if (s->kind == HEFT_SETTING_PARAM) params[n_params++] = value;
        else if (s->kind == HEFT_SETTING_SECONDS &&
                 heft_parse_double(value, value + strlen(value), &x) == HEFT_NUM_OK)
            *(double *)field_of(out, s) = x;
    }
    if (n_params) out->params = params;
    return HEFT_OK;
}

heft_status heft_config_of(heft_ctx *ctx, const heft_model *model, bool as_given, heft_arena *arena,
                           heft_config *out)
{
    const heft_prep_spec *spec = &model->prep.spec;
    heft_prep_words      *words;
    *out = (heft_config){0};
    HEFT_CHECK(given_of(ctx, model, arena, out));
    if (as_given && model->set.seed) return HEFT_OK;
    HEFT_ALLOC(ctx, arena, words, 1);
    heft_prep_describe(spec, words);
    out->method = model->method->name;
    HEFT_CHECK(heft_params_list(ctx, model->param_names, model->param_values, model->n_params,
                                arena, &out->params));
    set_preparation(words, out);
    out->smoothing = model->method->caps & HEFT_SMOOTHS ? NULL : model->set.smoothing;
    out->prior = model->set.prior;
    out->class_weight = model->set.class_weight;
    if (heft_setting_is("select", 0, out->select)) out->select = NULL;
    out->calibrate = model->calibration.kind == HEFT_CALIBRATE_NONE
                         ? NULL
                         : heft_calibration_word(model->calibration.kind);
    return decision_of(ctx, model, arena, out);
}

heft_status heft_config_copy(heft_ctx *ctx, const heft_config *from, heft_arena *arena,
                             heft_config *out)
{
    const char **params;
    char        *text;
    size_t       n = 0;
    *out = *from;
    for (const setting *s = SETTINGS; s < SETTINGS + N_SETTINGS; s++) {
        if (!is_text(s) || !text_of(from, s)) continue;
        HEFT_CHECK(heft_arena_copy(ctx, arena, text_of(from, s), &text));
        *(const char **)field_of(out, s) = text;
    }
    if (!from->params) return HEFT_OK;
    while (from->params[n]) n++;
    HEFT_ALLOC(ctx, arena, params, n + 1);
    for (size_t k = 0; k < n; k++) {
        HEFT_CHECK(heft_arena_copy(ctx, arena, from->params[k], &text));
        params[k] = text;
    }
    out->params = params;
    return HEFT_OK;
}

/* ---- comparison ---- */

static bool differ(const char *a, const char *b)
{
    return a != b && (!a || !b || strcmp(a, b) != 0);
}

heft_config_difference heft_config_compare(const heft_config *a, const heft_config *b)
{
    for (const setting *s = SETTINGS; s < SETTINGS + N_SETTINGS; s++) {
        if (is_text(s) && differ(text_of(a, s), text_of(b, s)))
            return (heft_config_difference){s->name, text_of(a, s), text_of(b, s)};
        if (s->kind != HEFT_SETTING_PARAM) continue;
        const char *const none = NULL, *const *p = a->params ? a->params : &none,
                          *const *q = b->params ? b->params : &none;
        for (; *p || *q; p += *p != NULL, q += *q != NULL)
            if (differ(*p, *q)) return (heft_config_difference){s->name, *p, *q};
    }
    return (heft_config_difference){0};
}
