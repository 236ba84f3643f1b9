/* merge.c - the model of all rows from models of parts (disjoint sets of rows).
 *
 * Each model keeps sufficient statistics of its rows (stats/suffstats.h). They are added up under
 * one preparation, which has the values and classes of all parts, and the method is fitted to the
 * sums. For methods that use rows only through sufficient statistics the result is the model that
 * all rows together would give. Models are read one at a time, and only what the result needs is
 * kept: a thousand models take no more memory than two. */
#include "train/merge.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/marks.h"
#include "base/setting_words.h"
#include "model/config.h"
#include "model/state.h"
#include "model/store.h"
#include "train/fit.h"

/* The values of an attribute, or the classes, of all models so far, in order of first appearance.
 */
typedef struct words {
    heft_dict *dict;
    bool       differ; /* the lists of the models were not all equal */
    bool       sorted; /* if they differ: every list was sorted */
} words;

typedef struct column { /* an attribute of the merged model */
    heft_attr_prep prep;
    words          values;
    bool           filled;     /* some model imputed a cell */
    bool           any_fill;   /* some model knows what to impute */
    bool           first_fill; /* the first model with this column knows what to impute */
    char          *fill;       /* what the first model with this column imputes, as text */
    size_t         unlike;     /* first model that imputes another value; SIZE_MAX: none */
} column;

typedef struct merging {
    heft_ctx          *ctx;
    const heft_model  *now; /* the current model, number k */
    size_t             k;
    heft_config        config, given;     /* settings of the first model: as used, and as given */
    heft_decision      rule;              /* decision rule of the first model */
    heft_dict         *rule_classes;      /* classes of that rule */
    double             seconds;           /* training time of all models */
    char              *select, *selected; /* how a model selected attributes, and how many */
    heft_model        *out;
    heft_dict         *names;
    column            *cols;
    size_t             n_cols, capacity;
    words              classes;
    heft_suffstats_sum sum;
    heft_arena         arena;  /* memory for the merge */
    heft_arena         step;   /* memory for the current model */
    char             **labels; /* names of the models so far */
} merging;

/* ---- names for messages ---- */

typedef struct shown {
    char text[160];
} shown;

static shown text_of(const char *text)
{
    shown s;
    heft_show(s.text, sizeof s.text, text, strlen(text), 60);
    return s;
}

/* Returns the name of model k for messages: "a.heft", or "model 2" if it came from no file. */
static shown model_name(const merging *m, size_t k)
{
    shown       s;
    const char *label = m->labels[k];
    if (label && strcmp(label, "memory") != 0 && strcmp(label, "-") != 0) return text_of(label);
    snprintf(s.text, sizeof s.text, "model %zu", k + 1);
    return s;
}

/* ---- may they be merged? ---- */

static bool adds_up(const heft_method *method)
{
    return method->suffstats != 0;
}

/* Returns which sufficient statistics the method needs for the attributes of the model. */
static unsigned needed(const heft_model *model)
{
    const heft_prep *prep = &model->prep;
    unsigned         parts = model->method->suffstats;
    bool             numbers = false;
    for (size_t j = 0; j < prep->n_attr; j++)
        numbers = numbers || (prep->attr[j].kind == HEFT_NUMERIC && !prep->attr[j].cut);
    if (!numbers) parts &= ~(unsigned)(HEFT_STATS_SUMS | HEFT_STATS_VALUES);
    return parts & ~(unsigned)HEFT_STATS_COMPLETE;
}

static heft_status check_kept(const merging *m)
{
    const heft_model *model = m->now;
    const shown       name = model_name(m, m->k);
    if (!model->method->suffstats) {
        char names[200];
        heft_methods_list(adds_up, names, sizeof names);
        return heft_fail(m->ctx, HEFT_EUNSUPPORTED,
                         "method %s learns from the rows themselves, not from counts that add up: "
                         "its models cannot be merged (those of %s can)",
                         model->method->name, names);
    }
    if (model->calibration.kind != HEFT_CALIBRATE_NONE)
        return heft_fail(m->ctx, HEFT_EUNSUPPORTED,
                         "%s is calibrated on rows held out of its own part, which cannot be "
                         "merged (train the parts without {calibrate})",
                         name.text);
    if (heft_setting_is("class-weight", 0, model->set.class_weight))
        return heft_fail(
            m->ctx, HEFT_EUNSUPPORTED,
            "%s was trained with {class-weight=balanced}, which counts the rows of its own part "
            "({advice give-class-weights}, the same for all parts)",
            name.text);
    if (!model->suffstats)
        return heft_fail(
            m->ctx, HEFT_EUNSUPPORTED,
            "%s does not have the counts that merging needs ({advice train-again-part})",
            name.text);
    unsigned lacking = needed(model) & ~heft_suffstats_parts(model->suffstats);
    if (model->method->pairs) lacking &= ~(unsigned)HEFT_STATS_PAIRS;
    for (size_t j = 0; j < model->prep.n_attr && lacking & HEFT_STATS_PAIRS; j++) {
        const heft_attr_prep *a = &model->prep.attr[j];
        if (a->kind == HEFT_NUMERIC && !a->cut)
            return heft_fail(
                m->ctx, HEFT_EUNSUPPORTED,
                "%s: method %s compares pairs of attributes, and '%s' is numeric: its models can "
                "be merged only if numbers are discretised ({advice cuts-of-one-model})",
                name.text, model->method->name, text_of(a->name).text);
    }
    if (lacking)
        return heft_fail(m->ctx, HEFT_EUNSUPPORTED,
                         "%s does not have the %s that merging models of method %s needs: there "
                         "were too many to keep%s ({advice train-part})",
                         name.text, lacking & HEFT_STATS_PAIRS ? "pair counts" : "distinct values",
                         model->method->name,
                         lacking & HEFT_STATS_PAIRS ? ", or values are missing" : "");
    return HEFT_OK;
}

static heft_status differ(const merging *m, const char *what, const char *one, const char *other,
                          const char *advice)
{
    return heft_fail(m->ctx, HEFT_EINVAL, "the %s differ: '%s' in %s, '%s' in %s%s",
                     HEFT_MARKED(what), text_of(one ? one : "").text, model_name(m, 0).text,
                     text_of(other ? other : "").text, model_name(m, m->k).text,
                     HEFT_MARKED(advice));
}

/* Get the settings of the current model that must be equal in all models. Left out are the
 * selection of attributes, which at most one model may have done, and decision rules, which are
 * compared by their classes and not by their texts. */
static heft_status settings_of(merging *m, heft_config *out)
{
    HEFT_CHECK(heft_config_of(m->ctx, m->now, false, &m->step, out));
    out->select = out->cost = out->threshold = out->tune = NULL;
    out->part = false;
    return HEFT_OK;
}

/* Refuse models that were trained with different settings or have different decision rules. */
static heft_status check_settings(merging *m)
{
    const heft_model *model = m->now;
    const heft_prep  *own = &m->out->prep;
    const char *const p = own->positive, *const q = model->prep.positive;
    heft_config config;
    HEFT_CHECK(settings_of(m, &config));
    const heft_config_difference d = heft_config_compare(&m->config, &config);
    if (d.setting) {
        char       what[80];
        const bool method = strcmp(d.setting, "method") == 0;
        const bool param = strcmp(d.setting, "param") == 0;
        snprintf(what, sizeof what,
                 method  ? "methods"
                 : param ? "parameters"
                         : "settings of {%s}",
                 d.setting);
        return differ(m, what, d.one, d.other,
                      " (train all parts with the same settings, or {advice like-one-model})");
    }
    if (!heft_decision_equal(&m->rule, m->rule_classes, &model->decision, model->prep.classes))
        return heft_fail(m->ctx, HEFT_EINVAL,
                         "%s and %s decide by different rules (train all parts with the same "
                         "settings of {cost} and {threshold})",
                         model_name(m, 0).text, model_name(m, m->k).text);
    if (strcmp(own->target, model->prep.target) != 0)
        return differ(m, "class columns", own->target, model->prep.target,
                      " ({advice name-target})");
    if (p != q && (!p || !q || strcmp(p, q) != 0))
        return differ(m, "settings of {positive}", p, q,
                      " (train all parts with the same settings)");
    if (own->sparse != model->prep.sparse)
        return heft_fail(m->ctx, HEFT_EINVAL, "only one of %s and %s was trained on a sparse table",
                         model_name(m, 0).text, model_name(m, m->k).text);
    return HEFT_OK;
}

/* Keep the note on selected attributes, which one model may have; the others were then trained like
 * it. Add up the training times. */
static heft_status keep_notes(merging *m)
{
    const heft_training *from = &m->now->fitted.training;
    heft_config          config;
    HEFT_CHECK(heft_config_of(m->ctx, m->now, false, &m->step, &config));
    m->seconds += from->seconds;
    m->out->fingerprint.n_rows += m->now->fingerprint.n_rows;
    m->out->fingerprint.sum += m->now->fingerprint.sum;
    if (!config.select) return HEFT_OK;
    if (m->select)
        return heft_fail(m->ctx, HEFT_EINVAL,
                         "two of the models selected attributes on their own rows ({advice "
                         "select-once})");
    HEFT_CHECK(heft_arena_copy(m->ctx, &m->arena, config.select, &m->select));
    for (size_t f = 0; f < from->n_facts; f++)
        if (strcmp(from->facts[f].name, "select") == 0 && from->facts[f].text)
            HEFT_CHECK(heft_arena_copy(m->ctx, &m->arena, from->facts[f].text, &m->selected));
    return HEFT_OK;
}

static heft_status learned_apart(const merging *m, size_t k, const char *attribute,
                                 const char *what)
{
    return heft_fail(m->ctx, HEFT_EINVAL,
                     "column '%s': %s and %s learned different %s from their own rows ({advice "
                     "train-like-one-model})",
                     text_of(attribute).text, model_name(m, 0).text, model_name(m, k).text, what);
}

/* Refuse models whose preparations learned different things for an attribute. Fill-in values of
 * nominal attributes are compared later (settle_fill). */
static heft_status check_attr(const merging *m, const heft_attr_prep *a, const heft_attr_prep *b)
{
    const size_t k = m->k;
    if (a->kind != b->kind)
        return heft_fail(m->ctx, HEFT_EINVAL,
                         "column '%s' is %s in %s and %s in %s ({advice "
                         "train-like-one-model}, or {advice set-kind})",
                         text_of(a->name).text, a->kind == HEFT_NUMERIC ? "numeric" : "nominal",
                         model_name(m, 0).text, b->kind == HEFT_NUMERIC ? "numeric" : "nominal",
                         model_name(m, k).text);
    const char *what = NULL;
    if (a->cut != b->cut || a->n_cuts != b->n_cuts ||
        (a->n_cuts && memcmp(a->cuts, b->cuts, a->n_cuts * sizeof *a->cuts) != 0))
        what = "cuts";
    else if (a->shift != b->shift || a->factor != b->factor) what = "scales";
    else if (a->kind == HEFT_NUMERIC && (a->has_fill != b->has_fill || a->fill != b->fill))
        what = "means for missing values";
    return what ? learned_apart(m, k, a->name, what) : HEFT_OK;
}

/* ---- values and classes of all models ---- */

/* Add the values of one model. map[v] is the merged code of its value v, in the arena m->step. */
static heft_status add_words(merging *m, words *w, heft_dict *more, uint32_t **map)
{
    const size_t n = heft_dict_size(more);
    heft_dict   *own = NULL;
    HEFT_ALLOC(m->ctx, &m->step, *map, n);
    for (uint32_t v = 0; v < n; v++) (*map)[v] = v;
    if (!w->dict) w->dict = heft_dict_share(more);
    if (!w->differ && heft_dict_equal(w->dict, more)) return HEFT_OK;
    if (!w->differ) { /* the dictionary belongs to a model, and must not be changed */
        HEFT_CHECK(heft_dict_is_sorted(m->ctx, w->dict, &w->sorted));
        HEFT_CHECK(heft_dict_copy(m->ctx, w->dict, &own));
        heft_dict_free(w->dict);
        w->dict = own;
        w->differ = true;
    }
    if (w->sorted) HEFT_CHECK(heft_dict_is_sorted(m->ctx, more, &w->sorted));
    for (uint32_t v = 0; v < n; v++)
        HEFT_CHECK(heft_dict_add(m->ctx, w->dict, heft_dict_text(more, v),
                                 heft_dict_length(more, v), &(*map)[v]));
    return HEFT_OK;
}

/* Put the values into the order of the merged model: sorted if they were sorted in every model,
 * else by first appearance. *map has the new codes; NULL: codes stay. */
static heft_status order_words(merging *m, words *w, uint32_t **map)
{
    heft_dict *ordered = NULL;
    *map = NULL;
    if (!w->differ || !w->sorted) return HEFT_OK;
    HEFT_ALLOC(m->ctx, &m->arena, *map, heft_dict_size(w->dict));
    HEFT_CHECK(heft_dict_sorted(m->ctx, w->dict, &ordered, *map));
    heft_dict_free(w->dict);
    w->dict = ordered;
    return HEFT_OK;
}

/* ---- one preparation for all ---- */

static heft_status no_column(const merging *m, const char *name, size_t has, size_t lacks)
{
    return heft_fail(m->ctx, HEFT_EINVAL,
                     "%s has a column '%s' and %s has none (train the parts "
                     "on the same columns, or {advice like-one-model})",
                     model_name(m, has).text, text_of(name).text, model_name(m, lacks).text);
}

static const char *fill_text(const heft_attr_prep *a)
{
    return a->dict && a->has_fill ? heft_dict_text(a->dict, (uint32_t)a->fill) : "";
}

/* Add a column, prepared as the first model that has it learned. */
static heft_status new_column(merging *m, const heft_attr_prep *from)
{
    heft_arena *arena = &m->out->arena;
    HEFT_GROW(m->ctx, m->cols, m->capacity, m->n_cols + 1, 16);
    column *c = &m->cols[m->n_cols];
    *c = (column){.prep = *from, .unlike = SIZE_MAX, .first_fill = from->has_fill};
    c->prep.dict = NULL;
    c->prep.cuts = NULL;
    m->n_cols++;
    HEFT_CHECK(heft_arena_copy(m->ctx, arena, from->name, &c->prep.name));
    HEFT_CHECK(heft_arena_copy(m->ctx, &m->arena, fill_text(from), &c->fill));
    if (c->prep.n_cuts) {
        HEFT_ALLOC(m->ctx, arena, c->prep.cuts, c->prep.n_cuts);
        memcpy(c->prep.cuts, from->cuts, c->prep.n_cuts * sizeof *c->prep.cuts);
    }
    return HEFT_OK;
}

/* Set attr[j] to the attribute of the current model that belongs to column j. Models of dense
 * tables must have the same columns. */
static heft_status find_columns(merging *m, size_t **attr)
{
    const heft_prep *prep = &m->now->prep;
    uint32_t        *code;
    HEFT_ALLOC(m->ctx, &m->step, code, prep->n_attr);
    for (size_t j = 0; j < prep->n_attr; j++) {
        const char *name = prep->attr[j].name;
        HEFT_CHECK(heft_dict_add(m->ctx, m->names, name, strlen(name), &code[j]));
        if (code[j] < m->n_cols) continue;
        if (m->k && !prep->sparse) HEFT_CHECK(no_column(m, name, m->k, 0));
        HEFT_CHECK(new_column(m, &prep->attr[j]));
    }
    HEFT_ALLOC(m->ctx, &m->step, *attr, m->n_cols);
    for (size_t j = 0; j < m->n_cols; j++) (*attr)[j] = SIZE_MAX;
    for (size_t j = 0; j < prep->n_attr; j++) (*attr)[code[j]] = j;
    if (!prep->sparse)
        for (size_t j = 0; j < m->n_cols; j++)
            if ((*attr)[j] == SIZE_MAX) HEFT_CHECK(no_column(m, m->cols[j].prep.name, 0, m->k));
    return HEFT_OK;
}

/* Compare what the current model learned for a column, and add its values. */
static heft_status take_column(merging *m, column *c, size_t at, const uint32_t **code)
{
    const heft_attr_prep *a = &m->now->prep.attr[at];
    uint32_t             *map;
    HEFT_CHECK(check_attr(m, &c->prep, a));
    c->filled = c->filled || m->now->filled[at];
    c->any_fill = c->any_fill || a->has_fill;
    if (c->unlike == SIZE_MAX && strcmp(c->fill, fill_text(a)) != 0) c->unlike = m->k;
    if (!a->dict) return HEFT_OK;
    HEFT_CHECK(add_words(m, &c->values, a->dict, &map));
    *code = map;
    if (m->out->prep.sparse && c->values.differ)
        HEFT_CHECK(heft_fail(m->ctx, HEFT_EUNSUPPORTED,
                             "column '%s': the values of a nominal column of sparse tables differ "
                             "between the models (declare the same values in every part)",
                             text_of(c->prep.name).text));
    c->prep.dict = c->values.dict;
    return HEFT_OK;
}

/* ---- one model more ---- */

static heft_status copy_mark(const merging *m, const char *from, char **to)
{
    return from ? heft_arena_copy(m->ctx, &m->out->arena, from, to) : HEFT_OK;
}

/* Keep the settings of the first model. The other models must have the same, and the merged model
 * is fitted with them. */
static heft_status keep_first(merging *m)
{
    const heft_model *from = m->now;
    heft_prep        *prep = &m->out->prep;
    heft_config       config;
    HEFT_CHECK(settings_of(m, &config));
    HEFT_CHECK(heft_config_copy(m->ctx, &config, &m->arena, &m->config));
    HEFT_CHECK(heft_config_of(m->ctx, from, true, &m->step, &config));
    HEFT_CHECK(heft_config_copy(m->ctx, &config, &m->arena, &m->given));
    m->rule_classes = heft_dict_share(from->prep.classes);
    HEFT_CHECK(heft_decision_copy(m->ctx, &from->decision, from->prep.classes, from->prep.classes,
                                  &m->arena, &m->rule));
    HEFT_CHECK(copy_mark(m, from->prep.target, &prep->target));
    HEFT_CHECK(copy_mark(m, from->prep.decimal_mark, &prep->decimal_mark));
    HEFT_CHECK(copy_mark(m, from->prep.missing, &prep->missing));
    HEFT_CHECK(copy_mark(m, from->prep.positive, &prep->positive));
    prep->spec = from->prep.spec;
    prep->sparse = from->prep.sparse;
    prep->arena = &m->out->arena;
    m->out->method = from->method;
    heft_suffstats_sum_init(&m->sum, needed(from));
    return HEFT_OK;
}

static heft_status add_suffstats(merging *m, const size_t *at, const uint32_t *const *code,
                                 const uint32_t *class)
{
    const heft_model *model = m->now;
    heft_attr        *attr;
    HEFT_ALLOC(m->ctx, &m->step, attr, m->n_cols);
    for (size_t j = 0; j < m->n_cols; j++) attr[j] = heft_attr_of(&m->cols[j].prep);
    const heft_suffstats_part part = {.suffstats = model->suffstats,
                                      .pairs = model->method->pairs
                                                   ? model->method->pairs(&model->fitted)
                                                   : &model->suffstats->pairs,
                                      .attr = at,
                                      .code = code,
                                      .class = class};
    return heft_suffstats_sum_add(m->ctx, &m->sum, &part, attr, m->n_cols,
                                  heft_dict_size(m->classes.dict));
}

static heft_status add_model(merging *m, const heft_model *model)
{
    size_t          *attr;
    const uint32_t **code;
    uint32_t *class;
    heft_arena_clear(&m->step); /* memory for the model before */
    m->now = model;
    m->labels[m->k] = model->label ? heft_arena_text(&m->arena, model->label) : NULL;
    HEFT_CHECK(check_kept(m));
    if (m->k == 0) HEFT_CHECK(keep_first(m));
    HEFT_CHECK(check_settings(m));
    HEFT_CHECK(keep_notes(m));
    HEFT_CHECK(find_columns(m, &attr));
    HEFT_ALLOC(m->ctx, &m->step, code, model->prep.n_attr);
    HEFT_CHECK(add_words(m, &m->classes, model->prep.classes, &class));
    HEFT_CHECK(heft_check_classes(m->ctx, "the models together", heft_dict_size(m->classes.dict)));
    for (size_t j = 0; j < m->n_cols; j++)
        if (attr[j] != SIZE_MAX) HEFT_CHECK(take_column(m, &m->cols[j], attr[j], &code[attr[j]]));
    HEFT_CHECK(add_suffstats(m, attr, code, class));
    m->k++;
    return HEFT_OK;
}

/* ---- what is imputed for nominal attributes ---- */

/* Find the most frequent value, which is what imputation fills in. */
static heft_status find_mode(heft_ctx *ctx, const heft_suffstats *t, size_t j,
                             const heft_dict *dict, double *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t n = t->attr[j].n_codes;
    double      *sum;
    HEFT_ALLOC(ctx, &ctx->scratch, sum, n);
    for (size_t v = 0; v < n; v++)
        for (size_t c = 0; c < t->n_class; c++) sum[v] += t->counts.cell[j][v * t->n_class + c];
    *out = n ? (double)heft_mode(dict, sum, n) : 0;
    return HEFT_OK;
}

/* Decide what to fill missing cells with. If no part had a cell to fill, the counts tell what a fit
 * on all rows would fill with. Otherwise the parts must have filled with the same value. */
static heft_status settle_fill(const merging *m, size_t j, const heft_suffstats *suffstats)
{
    const column   *c = &m->cols[j];
    heft_attr_prep *to = &m->out->prep.attr[j];
    m->out->filled[j] = c->filled;
    if (to->kind != HEFT_NOMINAL || !c->any_fill) return HEFT_OK;
    const bool same = c->unlike == SIZE_MAX;
    if (!same && c->filled) return learned_apart(m, c->unlike, to->name, "fill-in values");
    to->has_fill = true;
    if (!same || !c->first_fill) return find_mode(m->ctx, suffstats, j, to->dict, &to->fill);
    to->fill = (double)heft_dict_find(to->dict, c->fill, strlen(c->fill));
    return HEFT_OK;
}

/* ---- the merged model ---- */

/* Complete the preparation of the merged model. `code` and `class` map the codes used so far to the
 * final ones. */
static heft_status finish_prep(merging *m, const uint32_t **code, const uint32_t **class)
{
    heft_prep *prep = &m->out->prep;
    uint32_t  *map;
    HEFT_CHECK(order_words(m, &m->classes, &map));
    if (!map) {
        HEFT_ALLOC(m->ctx, &m->arena, map, heft_dict_size(m->classes.dict));
        for (uint32_t c = 0; c < heft_dict_size(m->classes.dict); c++) map[c] = c;
    }
    *class = map;
    prep->classes = heft_dict_share(m->classes.dict);
    HEFT_ALLOC(m->ctx, &m->out->arena, prep->attr, m->n_cols);
    for (size_t j = 0; j < m->n_cols; j++) {
        column *c = &m->cols[j];
        if (c->values.dict) HEFT_CHECK(order_words(m, &c->values, &map));
        code[j] = c->values.dict ? map : NULL;
        prep->attr[j] = c->prep;
        prep->attr[j].dict = c->values.dict ? heft_dict_share(c->values.dict) : NULL;
        prep->n_attr = j + 1;
    }
    return HEFT_OK;
}

static heft_status fit_suffstats(const merging *m)
{
    const heft_sparse none = {.start = (size_t[]){0}};
    const heft_prep  *prep = &m->out->prep;
    const heft_rows   rows = {.n_attr = prep->n_attr,
                              .n_class = heft_dict_size(prep->classes),
                              .attr = m->out->suffstats->attr,
                              .sparse = prep->sparse ? &none : NULL};
    heft_settings     settings;
    char              fault[HEFT_FAULT];
    HEFT_CHECK(heft_settings_of(m->ctx, &m->config, false, &settings));
    HEFT_CHECK(heft_decision_copy(m->ctx, &m->rule, m->rule_classes, prep->classes, &m->out->arena,
                                  &m->out->decision));
    HEFT_CHECK(heft_fit_prepared(m->ctx, &settings, NULL, &rows, m->out));
    if (!heft_state_fault(&heft_model_state, m->out, m->out, fault)) return HEFT_OK;
    return heft_fail(m->ctx, HEFT_ENUMERIC, "the merged model is not valid: %s", fault);
}

static heft_status finish(merging *m)
{
    const uint32_t **code, *class = NULL;
    heft_suffstats  *suffstats;
    HEFT_ALLOC(m->ctx, &m->arena, code, m->n_cols);
    HEFT_CHECK(finish_prep(m, code, &class));
    HEFT_ALLOC(m->ctx, &m->out->arena, suffstats, 1);
    HEFT_CHECK(heft_suffstats_sum_end(m->ctx, &m->sum, code, class, &m->out->arena, suffstats));
    heft_suffstats_sum_clear(&m->sum);
    HEFT_ALLOC(m->ctx, &m->out->arena, m->out->filled, m->n_cols);
    for (size_t j = 0; j < m->n_cols; j++) HEFT_CHECK(settle_fill(m, j, suffstats));
    m->out->suffstats = suffstats;
    HEFT_CHECK(fit_suffstats(m));
    if (m->out->method->pairs) suffstats->pairs.cell = NULL; /* the method's state has them */
    m->out->fitted.training.seconds += m->seconds;
    m->given.select = m->select;
    HEFT_CHECK(heft_config_keep(m->ctx, &m->given, m->out));
    return m->selected ? heft_fact_copy(m->ctx, &m->out->fitted, "select", m->selected) : HEFT_OK;
}

static void merging_clear(merging *m)
{
    heft_model_delete(m->out);
    heft_suffstats_sum_clear(&m->sum);
    for (size_t j = 0; j < m->n_cols; j++) heft_dict_free(m->cols[j].values.dict);
    heft_dict_free(m->classes.dict);
    heft_dict_free(m->rule_classes);
    heft_dict_free(m->names);
    heft_free(m->cols);
    heft_free(m->labels);
    heft_arena_clear(&m->arena);
    heft_arena_clear(&m->step);
}

heft_status heft_merge(heft_ctx *ctx, const heft_model *const *models, const char *const *paths,
                       size_t n, heft_model **out)
{
    HEFT_LOCAL(merging) m = {.ctx = ctx};
    *out = NULL;
    HEFT_CHECK(heft_model_new(ctx, &m.out));
    HEFT_CHECK(heft_dict_create(ctx, &m.names));
    HEFT_NEW(ctx, m.labels, n);
    for (size_t k = 0; k < n; k++) {
        HEFT_CHECK(heft_check_cancel(ctx));
        HEFT_OWN(heft_model) *own = NULL;
        if (!models) HEFT_CHECK(heft_store_load(ctx, paths[k], heft_methods_find, &own));
        HEFT_CHECK(add_model(&m, models ? models[k] : own));
        heft_arena_clear(&ctx->scratch);
    }
    HEFT_CHECK(finish(&m));
    *out = m.out, m.out = NULL;
    return HEFT_OK;
}
