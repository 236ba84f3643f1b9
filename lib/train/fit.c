/* fit.c - from a table to a model: rows that count, preparation, fit, calibration. */
#include "train/fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/comm.h"
#include "base/num.h"
#include "base/rows.h"
#include "base/text.h"
#include "train/calibrate.h"
#include "train/select.h"

static const double DENSE_LIMIT = 1073741824.0; /* bytes a sparse table may take when densified */

/* What is kept for merging besides counts and sums: bytes, and additions spent on it. More when the
 * rows are said to be a part. */
static const double KEPT_MOST = 16777216, KEPT_WORK = 1e8, PART_MOST = 1073741824;
/* Values that the method has no other use for: sorting them is to cost little beside the fit. */
static const double KEPT_VALUES = 1048576;

heft_status heft_method_of(heft_ctx *ctx, const char *name, const heft_method **out)
{
    char   known[400] = "";
    size_t used = 0;

    *out = heft_methods_find(name ? name : HEFT_DEFAULT_METHOD);
    if (*out) return HEFT_OK;
    for (size_t k = 0; k < heft_methods_count() && used < sizeof known; k++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", k ? ", " : "",
                                 heft_methods_at(k)->name);
    return heft_fail(ctx, HEFT_EINVAL, "unknown method '%.60s' (there are %s)", name, known);
}

/* ---- what the method asks for ---- */

heft_status heft_spec_of(heft_ctx *ctx, const heft_method *method, const heft_config *config,
                         heft_prep_spec *out)
{
    const heft_prep_spec nothing = {.mdl_scale = 1};
    heft_prep_spec       own;
    const heft_status    st = heft_prep_parse(ctx, &method->prepare, &nothing, &own);
    return st == HEFT_OK ? heft_prep_parse(ctx, config, &own, out) : st;
}

/* Missing cells of each attribute, on all ranks. */
static heft_status count_missing(heft_ctx *ctx, const heft_table *table, int64_t **out)
{
    HEFT_ALLOC(ctx, &ctx->scratch, *out, table->n_cols);
    for (size_t j = 0; j < table->n_cols; j++) (*out)[j] = (int64_t)table->cols[j].n_missing;
    HEFT_CHECK(heft_all_add(ctx, *out, table->n_cols));
    return HEFT_OK;
}

/* `names`: the attributes of a preparation that is given; NULL: every column. */
static bool is_attribute(const heft_prep *names, const heft_column *col, size_t j)
{
    if (!names || (j < names->n_attr && strcmp(names->attr[j].name, col->name) == 0)) return true;
    for (size_t k = 0; k < names->n_attr; k++)
        if (strcmp(names->attr[k].name, col->name) == 0) return true;
    return false;
}

static heft_status check_caps(heft_ctx *ctx, const heft_method *method, const heft_prep_spec *spec,
                              const heft_table *table, const heft_prep *names)
{
    int64_t          *missing;
    const heft_status st = count_missing(ctx, table, &missing);
    if (st != HEFT_OK) return st;
    for (size_t j = 0; j < table->n_cols; j++) {
        const heft_column *col = &table->cols[j];
        char               name[128];
        if (!is_attribute(names, col, j)) continue;
        heft_show(name, sizeof name, col->name, strlen(col->name), 100);
        if (col->kind == HEFT_NUMBER && spec->cutting == HEFT_CUT_NONE &&
            !(method->caps & HEFT_TAKES_NUMBERS))
            return heft_fail(ctx, HEFT_EUNSUPPORTED,
                             "method %s needs nominal attributes, and '%s' is numeric (use "
                             "--discretize width:10 or mdl)",
                             method->name, name);
        if (missing[j] && !spec->impute && !(method->caps & HEFT_TAKES_MISSING))
            return heft_fail(ctx, HEFT_EUNSUPPORTED,
                             "method %s cannot use missing cells, and '%s' has %zu (use --impute "
                             "mean)",
                             method->name, name, (size_t)missing[j]);
    }
    if (table->weight && !(method->caps & HEFT_TAKES_WEIGHTS))
        return heft_fail(ctx, HEFT_EUNSUPPORTED, "method %s cannot use instance weights",
                         method->name);
    return HEFT_OK;
}

/* Rows that teach: class known, weight above 0. *out is NULL when that is every row. */
static heft_status usable_rows(heft_ctx *ctx, const heft_table *table, heft_table **out)
{
    heft_status  st = HEFT_OK;
    const size_t K = heft_dict_size(table->target->dict);
    size_t      *rows = NULL, n = 0, unknown = 0;
    int64_t      all[3]; /* usable, of unknown class, in all: over the ranks */

    *out = NULL;
    HEFT_HEAP(ctx, rows, table->n_rows);
    HEFT_ROWS (i, table->n_rows) {
        const bool known = heft_code_at(table->target->cells, table->target->width, i) < K;
        unknown += !known;
        if (known && (!table->weight || table->weight[i] > 0)) rows[n++] = i;
    }
    all[0] = (int64_t)n, all[1] = (int64_t)unknown, all[2] = (int64_t)table->n_rows;
    HEFT_TRY(heft_all_add(ctx, all, 3));
    if (all[1] && heft_comm_rank(ctx) == 0)
        heft_say(ctx, HEFT_WARNING, "%s: %lld of %lld rows have no class and are left out",
                 table->name ? table->name : "table", (long long)all[1], (long long)all[2]);
    if (all[0] == 0)
        HEFT_TRY(heft_fail(ctx, HEFT_EINVAL, "%s: no row has both a class and a weight above 0",
                           table->name ? table->name : "table"));
    if (n < table->n_rows) HEFT_TRY(heft_table_take(ctx, table, rows, n, out));
done:
    heft_free(rows);
    return st;
}

/* The training table: usable rows, dense unless the method takes sparse rows. */
static heft_status training_table(heft_ctx *ctx, const heft_method *method, const heft_table *table,
                                  heft_table **subset, heft_table **dense, const heft_table **use)
{
    *use = table;
    if (!table->target)
        HEFT_CHECK(heft_fail(ctx, HEFT_EINVAL, "%s has no class column (name one with --target)",
                             table->name ? table->name : "the table"));
    HEFT_CHECK(heft_check_classes(ctx, table->target->name, heft_dict_size(table->target->dict)));
    HEFT_CHECK(usable_rows(ctx, table, subset));
    if (*subset) *use = *subset;
    if (!(*use)->sparse || method->caps & HEFT_TAKES_SPARSE) return HEFT_OK;
    const double bytes = 8.0 * (double)(*use)->n_rows * (double)(*use)->n_cols;
    if (bytes > DENSE_LIMIT) /* on one rank: then on all, by the next meeting */
        HEFT_CHECK(
            heft_fail(ctx, HEFT_EUNSUPPORTED,
                      "method %s has no sparse form, and this table would take %.0f MB dense "
                      "(use a sparse method, or fewer attributes)",
                      method->name, bytes / 1e6));
    HEFT_CHECK(heft_table_densify(ctx, *use, dense));
    *use = *dense;
    return HEFT_OK;
}

/* ---- models ---- */

static heft_status keep_words(heft_ctx *ctx, heft_model *model, const heft_value *values,
                              const char *smoothing, const char *prior)
{
    heft_arena        *arena = &model->arena;
    const heft_option *options = model->method->options;

    while (options && options[model->n_params].name) model->n_params++;
    HEFT_ALLOC(ctx, arena, model->param_names, model->n_params);
    HEFT_ALLOC(ctx, arena, model->param_values, model->n_params);
    HEFT_KNOWN(values && options);
    for (size_t k = 0; k < model->n_params; k++) {
        HEFT_CHECK(heft_arena_copy(ctx, arena, options[k].name, &model->param_names[k]));
        HEFT_CHECK(heft_arena_copy(ctx, arena, values[k].as_text, &model->param_values[k]));
    }
    HEFT_CHECK(heft_arena_copy(ctx, arena, smoothing, &model->smoothing));
    return heft_arena_copy(ctx, arena, prior, &model->prior);
}

static const char *first_of(const char *a, const char *b, const char *c)
{
    return a ? a : b ? b : c;
}

heft_status heft_fit_prepared(heft_ctx *ctx, const heft_config *config, bool skip_unknown,
                              const heft_rows *rows, heft_model *model)
{
    const heft_method *method = model->method;
    const char *smoothing = first_of(config->smoothing, method->prepare.smoothing, "laplace");
    const char *prior = first_of(config->prior, method->prepare.prior, "smoothed");
    heft_task   task = {.method = method,
                        .rows = rows,
                        .known = model->suffstats,
                        .prep = &model->prep,
                        .arena = &model->arena};
    heft_value *values = NULL;

    HEFT_CHECK(
        heft_params_parse(ctx, method, config->params, skip_unknown, &model->arena, &values));
    task.values = values;
    HEFT_CHECK(heft_smoothing_parse(ctx, smoothing, &task.smoothing));
    HEFT_CHECK(heft_prior_parse(ctx, prior, model->prep.classes, &model->arena, &task.prior));
    HEFT_CHECK(keep_words(ctx, model, values, smoothing, prior));
    HEFT_CHECK(method->fit(ctx, &task, &model->fitted));
    if (!method->score || method->caps & HEFT_ADDITIVE)
        HEFT_CHECK(heft_fitted_seal(ctx, &model->fitted, model->prep.sparse));
    return HEFT_OK;
}

/* What inspect shows of --select. */
static heft_status note_selection(heft_ctx *ctx, heft_model *model, const char *how, size_t of)
{
    char text[200], *kept;
    snprintf(text, sizeof text, "%.80s: %zu of %zu attributes", how, model->prep.n_attr, of);
    HEFT_CHECK(heft_arena_copy(ctx, &model->arena, text, &kept));
    heft_fact_text(&model->fitted, "select", kept);
    return HEFT_OK;
}

/* ---- what merging will need ---- */

/* Which attributes had cells imputed. */
static heft_status note_filled(heft_ctx *ctx, const heft_table *table, heft_model *model)
{
    int64_t *missing;
    HEFT_CHECK(count_missing(ctx, table, &missing));
    HEFT_ALLOC(ctx, &model->arena, model->filled, model->prep.n_attr);
    for (size_t j = 0; j < model->prep.n_attr; j++) {
        const heft_attr_prep *a = &model->prep.attr[j];
        const bool            here = j < table->n_cols && strcmp(table->cols[j].name, a->name) == 0;
        const size_t at = here ? j : a->has_fill ? heft_table_find(table, a->name) : SIZE_MAX;
        model->filled[j] = a->has_fill && at != SIZE_MAX && missing[at] > 0;
    }
    return HEFT_OK;
}

heft_status heft_take_suffstats(heft_ctx *ctx, bool part, const heft_table *table,
                                const heft_rows *rows, heft_model *model)
{
    const heft_method *method = model->method;
    const unsigned     parts = method->suffstats & ~(method->pairs ? HEFT_STATS_PAIRS : 0u);
    const bool         spare = parts & HEFT_STATS_SUMS; /* values are for merging alone */
    const double       most = part ? PART_MOST : spare ? KEPT_VALUES : KEPT_MOST;
    heft_suffstats     counted;
    if (!parts) return HEFT_OK;
    HEFT_CHECK(heft_suffstats_rows(ctx, rows, parts, most, part ? INFINITY : KEPT_WORK,
                                   &ctx->scratch, &counted));
    HEFT_CHECK(heft_suffstats_copy(ctx, &counted, &model->arena, &model->suffstats));
    return note_filled(ctx, table, model);
}

/* ---- fitting like another model ---- */

static heft_status check_words(heft_ctx *ctx, const heft_config *config)
{
    const char *const given[][2] = {
        {"--discretize", config->discretize}, {"--impute", config->impute},
        {"--scale", config->scale},           {"--select", config->select},
        {"--unseen", config->unseen},
    };
    for (size_t k = 0; config->like && k < sizeof given / sizeof *given; k++)
        if (given[k][1])
            return heft_fail(ctx, HEFT_EINVAL,
                             "%s: training like a model takes over its preparation (leave it out)",
                             given[k][0]);
    return HEFT_OK;
}

heft_status heft_config_like(heft_ctx *ctx, const heft_config *config, heft_config *out)
{
    const heft_model  *like = config->like;
    const heft_method *method = NULL;
    const char       **params;

    *out = *config;
    if (!like) return HEFT_OK;
    HEFT_CHECK(check_words(ctx, config));
    if (!config->method) out->method = like->method->name;
    HEFT_CHECK(heft_method_of(ctx, out->method, &method));
    if (method != like->method) return HEFT_OK;
    if (!config->smoothing) out->smoothing = like->smoothing;
    if (!config->prior) out->prior = like->prior;
    if (config->params && config->params[0]) return HEFT_OK;
    HEFT_ALLOC(ctx, &ctx->scratch, params, like->n_params + 1);
    for (size_t k = 0; k < like->n_params; k++) {
        const size_t a = strlen(like->param_names[k]), b = strlen(like->param_values[k]);
        char        *text;
        HEFT_ALLOC(ctx, &ctx->scratch, text, a + b + 2);
        snprintf(text, a + b + 2, "%s=%s", like->param_names[k], like->param_values[k]);
        params[k] = text;
    }
    out->params = params;
    return HEFT_OK;
}

/* Learned from the table, or taken from another model. */
static heft_status make_prep(heft_ctx *ctx, const heft_config *config, const heft_table *table,
                             const heft_prep_spec *spec, heft_model *model)
{
    if (!config->like) return heft_prep_fit(ctx, table, spec, &model->arena, &model->prep);
    return heft_prep_like(ctx, &config->like->prep, table, &model->arena, &model->prep);
}

heft_status heft_fit_table(heft_ctx *ctx, const heft_table *table, const heft_config *asked,
                           bool skip_unknown, heft_model **out)
{
    heft_status       st = HEFT_OK;
    const double      began = heft_clock();
    heft_config       now;
    heft_model       *model = NULL;
    heft_table       *subset = NULL, *dense = NULL, *selected = NULL;
    const heft_table *use = NULL;
    heft_prepared     prepared = {0};
    heft_prep_spec    spec;
    const char       *whole;

    *out = NULL;
    const heft_config *config = &now;
    HEFT_TRY(heft_config_like(ctx, asked, &now));
    HEFT_TRY(heft_model_new(ctx, &model));
    HEFT_TRY(heft_method_of(ctx, config->method, &model->method));
    HEFT_TRY(heft_needs_root(ctx, model->method, config, &whole));
    if (whole) {
        st = heft_fit_on_root(ctx, table, config, model->method, whole, skip_unknown, out);
        goto done;
    }
    HEFT_TRY(training_table(ctx, model->method, table, &subset, &dense, &use));
    HEFT_TRY(heft_spec_of(ctx, model->method, config, &spec));
    if (config->like) spec = config->like->prep.spec;
    HEFT_TRY(heft_select_table(ctx, use, &spec, config->select, &selected));
    if (selected) use = selected;
    HEFT_TRY(check_caps(ctx, model->method, &spec, use, config->like ? &config->like->prep : NULL));
    HEFT_TRY(make_prep(ctx, config, use, &spec, model));
    HEFT_TRY(heft_prep_apply(ctx, &model->prep, use, &prepared));
    HEFT_TRY(heft_take_suffstats(ctx, config->part, use, &prepared.rows, model));
    HEFT_TRY(heft_fit_prepared(ctx, config, skip_unknown, &prepared.rows, model));
    HEFT_TRY(heft_calibrate_model(ctx, subset ? subset : table, config, skip_unknown, model));
    if (selected) HEFT_TRY(note_selection(ctx, model, config->select, table->n_cols));
    if (!heft_all_here(ctx) && model->method->gather) model->comm = ctx->comm;
    model->fitted.training.seconds = heft_clock() - began;
    *out = model, model = NULL;
done:
    heft_prepared_clear(&prepared);
    heft_table_free(selected);
    heft_table_free(dense);
    heft_table_free(subset);
    heft_model_free(model);
    heft_arena_clear(&ctx->scratch);
    return st;
}

heft_status heft_prepare_whole(heft_ctx *ctx, const heft_table *table, const heft_config *config,
                               heft_table **out)
{
    heft_status        st = HEFT_OK;
    const heft_method *method;
    heft_arena         arena = {0};
    heft_prep          prep = {0};
    heft_prep_spec     spec;
    heft_table        *selected = NULL;

    *out = NULL;
    HEFT_TRY(heft_method_of(ctx, config->method, &method));
    HEFT_TRY(heft_spec_of(ctx, method, config, &spec));
    HEFT_TRY(heft_select_table(ctx, table, &spec, config->select, &selected));
    if (selected) table = selected;
    HEFT_TRY(heft_prep_fit(ctx, table, &spec, &arena, &prep));
    HEFT_TRY(heft_prep_table(ctx, &prep, table, out));
done:
    heft_table_free(selected);
    heft_prep_clear(&prep);
    heft_arena_clear(&arena);
    return st;
}
