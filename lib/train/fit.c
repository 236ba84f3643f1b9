/* fit.c - from a table to a model: choosing rows, preparation, fit, calibration. fit.h has an
 * overview. */
#include "train/fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/comm.h"
#include "base/rows.h"
#include "base/text.h"
#include "decide/class_weight.h"
#include "model/config.h"
#include "model/fingerprint.h"
#include "model/state.h"
#include "train/held_out.h"
#include "train/root_rank.h"
#include "train/weights.h"

static const double DENSE_LIMIT = 1073741824.0; /* most bytes of a sparse table made dense */

/* Limits of the statistics that are kept only so that models can be merged: most bytes, most
 * additions to compute them, and most bytes if the caller has said that the model will be merged.
 */
static const double KEPT_MOST = 16777216, KEPT_WORK = 1e8, PART_MOST = 1073741824;
/* Most values that are kept for merging only: sorting them must cost little compared with the fit.
 */
static const double KEPT_VALUES = 1048576;

/* ---- what the method asks for ---- */

/* Count the missing cells of each attribute on all ranks. */
static heft_status count_missing(heft_ctx *ctx, const heft_table *table, int64_t **out)
{
    HEFT_ALLOC(ctx, &ctx->scratch, *out, table->n_cols);
    for (size_t j = 0; j < table->n_cols; j++) (*out)[j] = (int64_t)table->cols[j].n_missing;
    return heft_all_add(ctx, *out, table->n_cols);
}

/* Whether column j is an attribute. `names` is a given preparation with its attributes; if it is
 * NULL, every column is an attribute. */
static bool is_attribute(const heft_prep *names, const heft_column *col, size_t j)
{
    if (!names || (j < names->n_attr && strcmp(names->attr[j].name, col->name) == 0)) return true;
    for (size_t k = 0; k < names->n_attr; k++)
        if (strcmp(names->attr[k].name, col->name) == 0) return true;
    return false;
}

static heft_status check_caps(heft_ctx *ctx, const heft_settings *s, const heft_table *table)
{
    const heft_method *method = s->method;
    const unsigned     caps = method->caps;
    const heft_prep   *names = s->config.like ? &s->config.like->prep : NULL;
    int64_t           *missing;
    HEFT_CHECK(count_missing(ctx, table, &missing));
    for (size_t j = 0; j < table->n_cols; j++) {
        const heft_column *col = &table->cols[j];
        if (!is_attribute(names, col, j)) continue;
        const char *name = HEFT_SHOW(col->name, 100);
        if (col->kind == HEFT_NUMERIC && s->spec.cutting == HEFT_CUT_NONE &&
            !(caps & HEFT_TAKES_NUMBERS))
            return heft_fail(ctx, HEFT_EUNSUPPORTED,
                             "method %s needs nominal attributes, and '%s' is numeric (use "
                             "{discretize=mdl}, for example)",
                             method->name, name);
        if (missing[j] && !s->spec.impute && !(caps & HEFT_TAKES_MISSING))
            return heft_fail(
                ctx, HEFT_EUNSUPPORTED,
                "method %s cannot use missing values, and '%s' has %zu (use {impute=mean})",
                method->name, name, (size_t)missing[j]);
    }
    if (table->weight && !(caps & HEFT_TAKES_WEIGHTS))
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "method %s cannot use instance weights (leave out {weight}, or use "
                         "another method, such as {method=nb})",
                         method->name);
    return HEFT_OK;
}

/* ---- the rows to learn from ---- */

/* Take the rows whose class is known and whose weight is above 0. *out is NULL if these are all. */
static heft_status usable_rows(heft_ctx *ctx, const heft_table *table, heft_table **out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_column *target = table->target;
    const size_t       K = heft_dict_size(target->dict);
    size_t            *counts, n, at = 0, idle = 0;
    HEFT_FREED size_t *rows = NULL;
    int64_t            all[3]; /* numbers of rows on all ranks: usable, without a class, all */
    *out = NULL;
    HEFT_ALLOC(ctx, &ctx->scratch, counts, K + 2);
    HEFT_CHECK(heft_column_count(ctx, target, table->n_rows, counts));
    HEFT_ROWS (i, table->weight ? table->n_rows : 0)
        idle += heft_code_at(target->cells, target->width, i) < K && !(table->weight[i] > 0);
    n = table->n_rows - counts[K] - counts[K + 1] - idle;
    all[0] = (int64_t)n, all[1] = (int64_t)(counts[K] + counts[K + 1]);
    all[2] = (int64_t)table->n_rows;
    HEFT_CHECK(heft_all_add(ctx, all, 3));
    if (all[1] && heft_comm_rank(ctx) == 0)
        heft_say(ctx, HEFT_WARNING, "%s: %lld of %s %s no class and %s left out",
                 heft_table_label(table), (long long)all[1], HEFT_COUNT_OF((size_t)all[2], "row"),
                 all[1] == 1 ? "has" : "have", all[1] == 1 ? "is" : "are");
    if (all[0] == 0)
        return heft_fail(ctx, HEFT_EINVAL, "%s: no row has both a class and a weight above 0",
                         heft_table_label(table));
    if (n == table->n_rows) return HEFT_OK;
    HEFT_NEW(ctx, rows, n);
    HEFT_ROWS (i, table->n_rows)
        if (heft_code_at(target->cells, target->width, i) < K &&
            (!table->weight || table->weight[i] > 0))
            rows[at++] = i;
    return heft_table_take(ctx, table, rows, n, out);
}

/* Leave out columns that are empty on all ranks. Such a column has no kind, so rows to be predicted
 * may have anything in it. A model that will be merged keeps such a column, because the rows of
 * other models may have cells in it. *out is NULL if no column is empty. */
static heft_status leave_out_empty(heft_ctx *ctx, const heft_settings *s, const heft_table *table,
                                   heft_table **out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    int64_t *missing, n_rows = (int64_t)table->n_rows;
    size_t  *cols, n = 0;
    *out = NULL;
    if (s->config.part || s->config.like) return HEFT_OK;
    HEFT_CHECK(count_missing(ctx, table, &missing));
    HEFT_CHECK(heft_all_add(ctx, &n_rows, 1));
    HEFT_ALLOC(ctx, &ctx->scratch, cols, table->n_cols);
    for (size_t j = 0; j < table->n_cols; j++) {
        const heft_column *col = &table->cols[j];
        if (col->kind != HEFT_NUMERIC || !col->inferred || missing[j] < n_rows) cols[n++] = j;
    }
    return n < table->n_cols ? heft_table_keep(ctx, table, cols, n, out) : HEFT_OK;
}

/* The tables between the user's rows and the rows to prepare. Each is made from the one before it,
 * or is the same table if nothing changes. */
typedef struct training_rows {
    const heft_table *all;    /* the table as given, with the weights of classes */
    const heft_table *usable; /* rows to learn from, without values and classes of other rows */
    const heft_table *use;    /* rows to prepare: dense if need be, only selected columns */
    double           *weight; /* weights of `all` if they were changed, or NULL */
    heft_table        weighted, *subset, *dense, *filled, *selected;
} training_rows;

static void training_rows_clear(training_rows *t)
{
    heft_table_delete(t->selected);
    heft_table_delete(t->filled);
    heft_table_delete(t->dense);
    heft_table_delete(t->subset);
    heft_free(t->weight);
}

/* Set t->all to the table with its weights multiplied by factor[class], or to the table itself if
 * `factor` is NULL. */
static heft_status weigh_rows(heft_ctx *ctx, const heft_settings *s, const heft_table *table,
                              const double *factor, training_rows *t)
{
    t->all = table;
    HEFT_CHECK(
        heft_weigh_classes(ctx, table, factor, s->method->caps & HEFT_SHIFTS_CLASSES, &t->weight));
    if (!t->weight) return HEFT_OK;
    t->weighted = *table; /* all but the weights is borrowed */
    t->weighted.weight = t->weight;
    t->all = &t->weighted;
    return HEFT_OK;
}

static heft_status take_usable_rows(heft_ctx *ctx, training_rows *t)
{
    const heft_table *table = t->all;
    heft_table       *scaled;
    if (!table->target)
        return heft_fail(ctx, HEFT_EINVAL, "%s has no class column ({advice name-target})",
                         heft_table_label(table));
    HEFT_CHECK(heft_check_classes(ctx, table->target->name, heft_dict_size(table->target->dict)));
    HEFT_CHECK(usable_rows(ctx, table, &t->subset));
    HEFT_CHECK(heft_table_trim_values(ctx, table, &t->subset));
    t->usable = t->subset ? t->subset : table;
    HEFT_CHECK(heft_scale_weights(ctx, t->usable, &scaled));
    if (scaled) {
        heft_table_delete(t->subset);
        t->usable = t->subset = scaled;
    }
    t->use = t->usable;
    return HEFT_OK;
}

/* Make sparse rows dense if the method does not take them. */
static heft_status densify_rows(heft_ctx *ctx, const heft_settings *s, training_rows *t)
{
    if (!t->use->sparse || s->method->caps & HEFT_TAKES_SPARSE) return HEFT_OK;
    const double bytes = 8.0 * (double)t->use->n_rows * (double)t->use->n_cols;
    if (bytes > DENSE_LIMIT) /* if one rank fails, the next collective fails on all */
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "method %s cannot use sparse rows, and as a dense table these would take "
                         "%.0f MB (use {method=nb} or {method=swnb}, or fewer attributes)",
                         s->method->name, bytes / 1e6);
    HEFT_CHECK(heft_table_densify(ctx, t->use, &t->dense));
    t->use = t->dense;
    return HEFT_OK;
}

/* Leave out columns of t->use that are empty or not selected. */
static heft_status choose_columns(heft_ctx *ctx, const heft_settings *s, training_rows *t)
{
    HEFT_CHECK(leave_out_empty(ctx, s, t->use, &t->filled));
    if (t->filled) t->use = t->filled;
    HEFT_CHECK(heft_select_table(ctx, t->use, &s->spec, &s->select, &t->selected));
    if (t->selected) t->use = t->selected;
    return HEFT_OK;
}

/* Make all tables of t. The caller clears them, also after a failure. */
static heft_status make_training_rows(heft_ctx *ctx, const heft_settings *s,
                                      const heft_table *table, const double *factor,
                                      training_rows *t)
{
    HEFT_CHECK(weigh_rows(ctx, s, table, factor, t));
    HEFT_CHECK(take_usable_rows(ctx, t));
    HEFT_CHECK(densify_rows(ctx, s, t));
    return choose_columns(ctx, s, t);
}

heft_status heft_refuse_one_class(heft_ctx *ctx, const heft_table *table, const heft_config *config)
{
    const heft_column *target = table->target;
    const size_t       K = target ? heft_dict_size(target->dict) : 0;
    double             range[2] = {-(double)K, -1}; /* lowest class, negated, and highest */
    double            *factor;
    if (!target) return HEFT_OK; /* heft_fit_table refuses it */
    HEFT_CHECK(heft_class_factors(ctx, table, config->class_weight, &factor));
    for (size_t i = 0; i < table->n_rows && !(-range[0] < range[1]); i++) {
        const uint32_t code = heft_code_at(target->cells, target->width, i);
        if (code >= K || (table->weight && !(table->weight[i] > 0))) continue;
        if (factor && !(factor[code] > 0)) continue;
        range[0] = fmax(range[0], -(double)code);
        range[1] = fmax(range[1], (double)code);
    }
    HEFT_CHECK(heft_all_max(ctx, range, 2));
    if (-range[0] < range[1]) return HEFT_OK;
    char column[128];
    heft_show(column, sizeof column, target->name, strlen(target->name), 100);
    if (range[1] < 0)
        return heft_fail(ctx, HEFT_EINVAL,
                         "%s: no row has a class in column '%s' and a weight above 0 ({advice "
                         "choose-target})",
                         heft_table_label(table), column);
    const uint32_t     only = (uint32_t)range[1];
    const char        *class_name = HEFT_SHOW_PART(heft_dict_text(target->dict, only),
                                                   heft_dict_length(target->dict, only), 100);
    const heft_method *method =
        heft_methods_find(config->method ? config->method : HEFT_DEFAULT_METHOD);
    if (!method || !(method->caps & HEFT_TAKES_ONE_CLASS))
        return heft_fail(ctx, HEFT_EINVAL,
                         "{advice one-class=%s: column '%s'} ('%s'), and a classifier needs two "
                         "({advice choose-target})",
                         heft_table_label(table), column, class_name);
    heft_say(ctx, HEFT_WARNING,
             "%s: column '%s' has only one class ('%s'), so the model always predicts it",
             heft_table_label(table), column, class_name);
    return HEFT_OK;
}

/* ---- from prepared rows ---- */

/* Store the settings in the model as texts, for inspect, for the model file, and for models that
 * are trained like this one. */
static heft_status keep_words(heft_ctx *ctx, const heft_settings *s, heft_model *model)
{
    heft_arena        *arena = &model->arena;
    const heft_option *options = s->method->options;
    if (options)
        while (options[model->n_params].name) model->n_params++;
    HEFT_ALLOCS(ctx, arena, model->n_params, model->param_names, model->param_values);
    HEFT_KNOWN((s->values && options) || model->n_params == 0);
    for (size_t k = 0; k < model->n_params; k++) {
        HEFT_CHECK(heft_arena_copy(ctx, arena, options[k].name, &model->param_names[k]));
        HEFT_CHECK(heft_arena_copy(ctx, arena, s->values[k].as_text, &model->param_values[k]));
        s->values[k].as_text = model->param_values[k]; /* methods may keep this pointer */
    }
    if (s->config.class_weight)
        HEFT_CHECK(heft_arena_copy(ctx, arena, s->config.class_weight, &model->set.class_weight));
    HEFT_CHECK(heft_arena_copy(ctx, arena, s->smoothing_word, &model->set.smoothing));
    HEFT_CHECK(heft_arena_copy(ctx, arena, s->prior_word, &model->set.prior));
    return heft_config_keep(ctx, &s->config, model);
}

/* Fail with the name of the cell that is not finite. This is called if sums over a matrix are not
 * finite, because the cells of a matrix are not checked before the fit. */
static heft_status name_infinite(heft_ctx *ctx, const heft_matrix *m, const heft_prep *prep)
{
    for (size_t j = 0; j < m->n_cols; j++)
        for (size_t i = 0; i < m->n_rows; i++)
            if (isinf(m->cells[(ptrdiff_t)i * m->row_stride + (ptrdiff_t)j * m->col_stride]))
                return heft_fail(ctx, HEFT_EINVAL, "column '%.100s', row %zu: not a finite number",
                                 prep->attr[j].name, i + 1);
    return heft_fail(ctx, HEFT_ENUMERIC, "the numbers are too large to add up");
}

/* Compute model->suffstats, for the fit and for merging, if the method uses rows only through
 * sufficient statistics. */
static heft_status take_suffstats(heft_ctx *ctx, const heft_settings *s, const heft_table *table,
                                  const heft_rows *rows, heft_model *model)
{
    const heft_method *method = s->method;
    const unsigned     parts = method->suffstats & ~(method->pairs ? HEFT_STATS_PAIRS : 0u);
    const bool         spare = parts & HEFT_STATS_SUMS; /* values are only for merging */
    const double       most = s->config.part ? PART_MOST : spare ? KEPT_VALUES : KEPT_MOST;
    int64_t           *missing;
    if (!parts) return HEFT_OK;
    HEFT_CHECK(count_missing(ctx, table, &missing));
    HEFT_ALLOC(ctx, &model->arena, model->filled, model->prep.n_attr);
    for (size_t j = 0; j < model->prep.n_attr; j++) {
        const heft_attr_prep *a = &model->prep.attr[j];
        const bool            here = j < table->n_cols && strcmp(table->cols[j].name, a->name) == 0;
        const size_t at = here ? j : a->has_fill ? heft_table_find(table, a->name) : SIZE_MAX;
        model->filled[j] = a->has_fill && at != SIZE_MAX && missing[at] > 0;
    }
    HEFT_ALLOC(ctx, &model->arena, model->suffstats, 1);
    HEFT_CHECK(heft_suffstats_rows(ctx, rows, parts, most, s->config.part ? INFINITY : KEPT_WORK,
                                   &model->arena, model->suffstats));
    if (rows->matrix && !heft_sums_finite(&model->suffstats->sums))
        return name_infinite(ctx, rows->matrix, &model->prep);
    return HEFT_OK;
}

heft_status heft_fit_prepared(heft_ctx *ctx, const heft_settings *s, const heft_table *table,
                              const heft_rows *rows, heft_model *model)
{
    const heft_method *method = s->method;
    heft_task          task = {.method = method,
                               .values = s->values,
                               .rows = rows,
                               .prep = &model->prep,
                               .smoothing = s->smoothing,
                               .class_weight = s->class_weight,
                               .time_limit = s->config.time_limit,
                               .until = s->until,
                               .arena = &model->arena};
    model->method = method;
    /* A method that describes a score of its own needs no means by class. */
    const bool own = method->terms && !(method->caps & HEFT_ADDITIVE);
    HEFT_CHECK(heft_check_count_tables(ctx, rows, !own));
    HEFT_CHECK(
        heft_prior_parse(ctx, s->prior_word, model->prep.classes, &model->arena, &task.prior));
    HEFT_CHECK(keep_words(ctx, s, model));
    if (!model->suffstats) HEFT_CHECK(take_suffstats(ctx, s, table, rows, model));
    task.known = model->suffstats;
    HEFT_CHECK(method->fit(ctx, &task, &model->fitted));
    if (!method->score || method->caps & HEFT_ADDITIVE)
        HEFT_CHECK(heft_fitted_seal(ctx, &model->fitted, model->prep.sparse));
    return HEFT_OK;
}

/* ---- what -v and -vv say ---- */

enum { MOST_TOLD = 20 }; /* the most attributes that are listed */

static void tell_selected(heft_ctx *ctx, const heft_settings *s, const training_rows *t)
{
    if (t->selected)
        heft_say(ctx, HEFT_INFO, "selected %zu of %s (%.100s)", t->selected->n_cols,
                 HEFT_COUNT_OF(t->all->n_cols, "attribute"), s->config.select);
}

/* "prepared 8 attributes: 4 cut into 7 intervals, 8 filled where missing" */
static void tell_prepared(heft_ctx *ctx, const heft_prep *prep)
{
    size_t cut = 0, intervals = 0, filled = 0, scaled = 0, at = 0;
    char   text[200] = "";
    for (size_t j = 0; j < prep->n_attr; j++) {
        const heft_attr_prep *a = &prep->attr[j];
        cut += a->cut;
        intervals += a->cut ? a->n_cuts + 1 : 0;
        filled += a->has_fill;
        scaled += a->shift != 0 || a->factor != 1;
    }
    if (cut)
        at = (size_t)snprintf(text, sizeof text, ": %zu cut into %s", cut,
                              HEFT_COUNT_OF(intervals, "interval"));
    if (filled)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s %zu filled where missing",
                               at ? "," : ":", filled);
    if (scaled) snprintf(text + at, sizeof text - at, "%s %zu scaled", at ? "," : ":", scaled);
    heft_say(ctx, HEFT_INFO, "prepared %s%s", HEFT_COUNT_OF(prep->n_attr, "attribute"),
             *text ? text : ", none of which is changed");
    for (size_t j = 0; j < prep->n_attr && j < MOST_TOLD; j++)
        if (prep->attr[j].cut)
            heft_say(ctx, HEFT_DETAIL, "attribute '%.100s' has %s", prep->attr[j].name,
                     HEFT_COUNT_OF(prep->attr[j].n_cuts, "cut point"));
}

static void tell_fit(heft_ctx *ctx, const heft_model *model, double seconds)
{
    const heft_training *t = &model->fitted.training;
    const char          *name = model->method->name;
    if (!t->iterative) heft_say(ctx, HEFT_INFO, "method %s: fitted in %.3f s", name, seconds);
    else
        heft_say(ctx, HEFT_INFO, "method %s: %s in %.3f s, objective %.6g to %.6g; %s", name,
                 HEFT_COUNT_OF((size_t)t->iterations, "iteration"), seconds, t->objective_initial,
                 t->objective_final, t->stopped_by ? t->stopped_by : "done");
    heft_say(ctx, HEFT_DETAIL, "method %s: the weights of the rows sum to %.10g", name, t->rows);
    if (t->iterative)
        heft_say(ctx, HEFT_DETAIL, "method %s: the objective was evaluated %ld times", name,
                 t->evaluations);
    for (size_t k = 0; k < t->n_facts; k++)
        if (t->facts[k].text)
            heft_say(ctx, HEFT_DETAIL, "%s: %s", t->facts[k].name, t->facts[k].text);
        else heft_say(ctx, HEFT_DETAIL, "%s: %.6g", t->facts[k].name, t->facts[k].number);
}

/* ---- from a table ---- */

static heft_status refuse_fault(heft_ctx *ctx, const heft_table *table, const heft_model *model)
{
    char fault[HEFT_FAULT];
    if (!heft_state_fault(&heft_model_state, model, model, fault)) return HEFT_OK;
    return heft_fail(ctx, HEFT_ENUMERIC,
                     "%s: method %s learns a model that no file can hold: %s (look for extreme "
                     "numbers)",
                     heft_table_label(table), model->method->name, fault);
}

/* Record for inspect how attributes were selected. */
static heft_status note_selection(heft_ctx *ctx, const heft_settings *s, const heft_table *table,
                                  heft_model *model)
{
    char text[200];
    snprintf(text, sizeof text, "%.80s: %zu of %s", s->config.select, model->prep.n_attr,
             HEFT_COUNT_OF(table->n_cols, "attribute"));
    return heft_fact_copy(ctx, &model->fitted, "select", text);
}

/* Fit the model with the parameters that were chosen. */
static heft_status fit_chosen(heft_ctx *ctx, const heft_table *table, const heft_settings *s,
                              const heft_chosen *chosen, heft_model **out)
{
    heft_config config = s->config;
    config.params = chosen->params;
    HEFT_CHECK(heft_fit_table(ctx, table, &config, s->skip_unknown, out));
    heft_status st = heft_fact_copy(ctx, &(*out)->fitted, "chosen", chosen->note);
    if (st == HEFT_OK) st = heft_config_keep(ctx, &s->config, *out); /* with all alternatives */
    if (st != HEFT_OK) heft_model_delete(*out), *out = NULL;
    return st;
}

heft_status heft_fit_table(heft_ctx *ctx, const heft_table *table, const heft_config *config,
                           bool skip_unknown, heft_model **out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const double              began = heft_clock();
    heft_settings             s;
    HEFT_LOCAL(training_rows) t = {0};
    HEFT_OWN(heft_model)     *model = NULL;
    HEFT_LOCAL(heft_prepared) prepared = {0};
    double                   *factor = NULL;
    const char               *needs_root;
    heft_chosen               chosen;
    *out = NULL;
    HEFT_CHECK(heft_settings_of(ctx, config, skip_unknown, &s));
    if (table->target) HEFT_CHECK(heft_class_factors(ctx, table, s.config.class_weight, &factor));
    HEFT_CHECK(heft_needs_root(ctx, &s, table, factor, &needs_root));
    if (needs_root) return heft_fit_on_root(ctx, table, &s, needs_root, heft_fit_table, out);
    HEFT_CHECK(make_training_rows(ctx, &s, table, factor, &t));
    HEFT_CHECK(check_caps(ctx, &s, t.use));
    HEFT_CHECK(heft_model_new(ctx, &model));
    HEFT_CHECK(config->like
                   ? heft_prep_like(ctx, &config->like->prep, t.use, &model->arena, &model->prep)
                   : heft_prep_fit(ctx, t.use, &s.spec, &model->arena, &model->prep));
    const heft_held_out held_out = {t.usable, &s, &model->prep, heft_fit_table};
    if (s.choices.n) {
        HEFT_CHECK(heft_choose(ctx, &held_out, &model->arena, &chosen));
        HEFT_CHECK(fit_chosen(ctx, table, &s, &chosen, out));
        (*out)->fitted.training.seconds = heft_clock() - began;
        return HEFT_OK;
    }
    HEFT_CHECK(heft_rule_of(ctx, &s, t.all, model));
    if (factor) HEFT_CHECK(heft_place_factors(ctx, t.all, &model->prep, &factor));
    if (s.method->caps & HEFT_SHIFTS_CLASSES) s.class_weight = factor;
    HEFT_CHECK(heft_fingerprint_of(ctx, &model->prep, t.use, &model->fingerprint));
    HEFT_CHECK(heft_prep_apply(ctx, &model->prep, t.use, &prepared));
    tell_selected(ctx, &s, &t);
    tell_prepared(ctx, &model->prep);
    HEFT_CHECK(heft_fit_prepared(ctx, &s, t.use, &prepared.rows, model));
    HEFT_CHECK(refuse_fault(ctx, table, model));
    if (s.calibrating != HEFT_CALIBRATE_NONE || s.tuning)
        HEFT_CHECK(heft_learn_held_out(ctx, &held_out, factor, model));
    if (factor) HEFT_CHECK(heft_note_classes(ctx, factor, model));
    if (t.selected) HEFT_CHECK(note_selection(ctx, &s, table, model));
    if (!heft_is_single(ctx) && model->method->gather) heft_model_spread(ctx, model);
    model->fitted.training.seconds = heft_clock() - began;
    tell_fit(ctx, model, model->fitted.training.seconds);
    *out = model, model = NULL;
    return HEFT_OK;
}

heft_status heft_prepare_whole(heft_ctx *ctx, const heft_table *table, const heft_config *config,
                               heft_table **out)
{
    heft_settings             s;
    HEFT_LOCAL(heft_arena)    arena = {0};
    HEFT_LOCAL(heft_prep)     prep = {0};
    HEFT_LOCAL(training_rows) t = {.use = table};
    *out = NULL;
    HEFT_CHECK(heft_settings_of(ctx, config, true, &s));
    HEFT_CHECK(choose_columns(ctx, &s, &t));
    HEFT_CHECK(heft_prep_fit(ctx, t.use, &s.spec, &arena, &prep));
    return heft_prep_table(ctx, &prep, t.use, out);
}
