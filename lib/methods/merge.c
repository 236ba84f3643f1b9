/* merge.c - models of parts into the model of the whole.
 *
 * What each model kept of its rows (stats/tally.h) is added up under one preparation, whose values
 * and classes are those of all parts, and fitted as rows would be: methods that see rows through a
 * tally alone cannot tell the difference. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "methods/fit.h"
#include "methods/store.h"
#include "model/sound.h"

typedef struct merging {
    heft_ctx                *ctx;
    const heft_model *const *models;
    size_t                   n;
    const heft_model        *first;
    heft_model              *out;
    heft_tally_part         *parts;
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

/* "a.heft", or "model 2" for one that came from no file. */
static shown model_name(const merging *m, size_t k)
{
    shown       s;
    const char *label = m->models[k]->label;
    if (label && strcmp(label, "memory") != 0 && strcmp(label, "-") != 0) return text_of(label);
    snprintf(s.text, sizeof s.text, "model %zu", k + 1);
    return s;
}

/* ---- may they be merged? ---- */

static heft_status not_mergeable(const merging *m, const heft_method *method)
{
    char   names[200] = "";
    size_t used = 0;
    for (size_t k = 0; k < heft_methods_count() && used < sizeof names; k++)
        if (heft_methods_at(k)->tally)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                     heft_methods_at(k)->name);
    return heft_fail(m->ctx, HEFT_EUNSUPPORTED,
                     "method %s learns from the rows themselves, not from counts that add up: its "
                     "models cannot be merged (those of %s can)",
                     method->name, names);
}

/* The parts of a tally that the method needs for such attributes. */
static unsigned needed(const heft_model *model)
{
    const heft_prep *prep = &model->prep;
    unsigned         parts = model->method->tally;
    bool             numbers = false;
    for (size_t j = 0; j < prep->n_attr; j++)
        numbers = numbers || (prep->attr[j].kind == HEFT_NUMBER && !prep->attr[j].cut);
    if (!numbers) parts &= ~(unsigned)(HEFT_TALLY_SUMS | HEFT_TALLY_VALUES);
    return parts & ~(unsigned)HEFT_TALLY_COMPLETE;
}

static heft_status check_kept(const merging *m, size_t k)
{
    const heft_model *model = m->models[k];
    const shown       name = model_name(m, k);
    if (!model->method->tally) return not_mergeable(m, model->method);
    if (model->calibration.kind != HEFT_AS_IT_IS)
        return heft_fail(m->ctx, HEFT_EUNSUPPORTED,
                         "%s is calibrated by rows held out of its own part, which says nothing of "
                         "the whole (train the parts without --calibrate)",
                         name.text);
    if (!model->tally)
        return heft_fail(m->ctx, HEFT_EUNSUPPORTED,
                         "%s does not hold the counts that merging needs: an older heft wrote it "
                         "(train it again)",
                         name.text);
    unsigned lacking = needed(model) & ~heft_tally_parts(model->tally);
    if (model->method->pairs) lacking &= ~(unsigned)HEFT_TALLY_PAIRS;
    for (size_t j = 0; j < model->prep.n_attr && lacking & HEFT_TALLY_PAIRS; j++) {
        const heft_attr_prep *a = &model->prep.attr[j];
        if (a->kind == HEFT_NUMBER && !a->cut)
            return heft_fail(
                m->ctx, HEFT_EUNSUPPORTED,
                "%s: method %s compares every two attributes, and '%s' is numeric: its "
                "models can be merged when numbers are discretised (by one model's "
                "cuts: --like)",
                name.text, model->method->name, text_of(a->name).text);
    }
    if (lacking)
        return heft_fail(
            m->ctx, HEFT_EUNSUPPORTED,
            "%s does not hold the %s that merging models of method %s needs: they were "
            "too many to keep%s (train the parts with --part)",
            name.text, lacking & HEFT_TALLY_PAIRS ? "pair counts" : "distinct values",
            model->method->name, lacking & HEFT_TALLY_PAIRS ? ", or cells are missing" : "");
    return HEFT_OK;
}

static heft_status differ(const merging *m, size_t k, const char *what, const char *one,
                          const char *other, const char *advice)
{
    const shown a = model_name(m, 0), b = model_name(m, k), x = text_of(one), y = text_of(other);
    return heft_fail(m->ctx, HEFT_EINVAL, "the %s differ: '%s' in %s, '%s' in %s (%s)", what,
                     x.text, a.text, y.text, b.text, advice);
}

/* Method, parameters and estimates are the same. */
static heft_status check_settings(const merging *m, size_t k)
{
    const heft_model *a = m->first, *b = m->models[k];
    const char *const again = "train the parts alike";
    if (a->method != b->method)
        return differ(m, k, "methods", a->method->name, b->method->name, again);
    for (size_t p = 0; p < a->n_params; p++)
        if (strcmp(a->param_values[p], b->param_values[p]) != 0) {
            char what[80];
            snprintf(what, sizeof what, "values of parameter %.40s", a->param_names[p]);
            return differ(m, k, what, a->param_values[p], b->param_values[p], again);
        }
    if (strcmp(a->smoothing, b->smoothing) != 0)
        return differ(m, k, "settings of --smoothing", a->smoothing, b->smoothing, again);
    if (strcmp(a->prior, b->prior) != 0)
        return differ(m, k, "settings of --prior", a->prior, b->prior, again);
    if (strcmp(a->prep.target, b->prep.target) != 0)
        return differ(m, k, "class columns", a->prep.target, b->prep.target,
                      "name one with --target");
    return HEFT_OK;
}

static heft_status check_spec(const merging *m, size_t k)
{
    const heft_prep_spec *a = &m->first->prep.spec, *b = &m->models[k]->prep.spec;
    char                  one[200], other[200];
    heft_prep_describe(a, one, sizeof one);
    heft_prep_describe(b, other, sizeof other);
    if (strcmp(one, other) != 0 || a->unseen_zero != b->unseen_zero)
        return differ(m, k, "preparations", one, other, "train the parts alike, or with --like");
    if (m->first->prep.sparse != m->models[k]->prep.sparse)
        return heft_fail(m->ctx, HEFT_EINVAL,
                         "one of %s and %s is of a sparse table and the other is not",
                         model_name(m, 0).text, model_name(m, k).text);
    return HEFT_OK;
}

static bool was_selected(const heft_model *model)
{
    for (size_t k = 0; k < model->fitted.training.n_facts; k++)
        if (strcmp(model->fitted.training.facts[k].name, "select") == 0) return true;
    return false;
}

/* One model may have chosen the attributes; the others then were trained like it. */
static heft_status check_selection(const merging *m)
{
    size_t n = 0;
    for (size_t k = 0; k < m->n; k++) n += was_selected(m->models[k]);
    if (n < 2) return HEFT_OK;
    return heft_fail(m->ctx, HEFT_EINVAL,
                     "%zu of the models selected attributes by their own rows (--select once, and "
                     "train the other parts with --like that model)",
                     n);
}

static heft_status learned_apart(const merging *m, size_t k, const char *attribute,
                                 const char *what)
{
    const shown a = model_name(m, 0), b = model_name(m, k), x = text_of(attribute);
    return heft_fail(m->ctx, HEFT_EINVAL,
                     "column '%s': %s and %s learned different %s from their own rows (train all "
                     "parts with --like one model)",
                     x.text, a.text, b.text, what);
}

/* What the preparation learned for an attribute is the same. Fills of nominal ones come later. */
static heft_status check_attr(const merging *m, size_t k, const heft_attr_prep *a,
                              const heft_attr_prep *b)
{
    const shown x = text_of(a->name);
    if (a->kind != b->kind)
        return heft_fail(m->ctx, HEFT_EINVAL,
                         "column '%s' is %s in %s and %s in %s (train the parts with --like one "
                         "model, or say --numeric or --nominal)",
                         x.text, a->kind == HEFT_NUMBER ? "numeric" : "nominal",
                         model_name(m, 0).text, b->kind == HEFT_NUMBER ? "numeric" : "nominal",
                         model_name(m, k).text);
    if (a->cut != b->cut || a->n_cuts != b->n_cuts ||
        (a->n_cuts && memcmp(a->cuts, b->cuts, a->n_cuts * sizeof *a->cuts) != 0))
        return learned_apart(m, k, a->name, "cuts");
    if (a->shift != b->shift || a->factor != b->factor)
        return learned_apart(m, k, a->name, "scales");
    if (a->kind == HEFT_NUMBER && (a->has_fill != b->has_fill || a->fill != b->fill))
        return learned_apart(m, k, a->name, "means for missing cells");
    return HEFT_OK;
}

/* ---- one preparation for all ---- */

static heft_status no_column(const merging *m, const char *name, size_t has, size_t lacks)
{
    const shown x = text_of(name);
    return heft_fail(m->ctx, HEFT_EINVAL,
                     "%s has a column '%s' and %s has none (train the parts "
                     "on the same columns, or with --like one model)",
                     model_name(m, has).text, x.text, model_name(m, lacks).text);
}

/* Names of the attributes of all models; of dense ones they must be the same. */
static heft_status union_names(const merging *m, heft_dict **out)
{
    heft_status st = HEFT_OK;
    uint32_t    code;
    HEFT_TRY(heft_dict_create(m->ctx, out));
    for (size_t k = 0; k < m->n; k++) {
        const heft_prep *prep = &m->models[k]->prep;
        for (size_t j = 0; j < prep->n_attr; j++) {
            const size_t before = heft_dict_size(*out);
            const char  *name = prep->attr[j].name;
            HEFT_TRY(heft_dict_add(m->ctx, *out, name, strlen(name), &code));
            if (k && code == before && !prep->sparse) HEFT_TRY(no_column(m, name, k, 0));
        }
    }
done:
    return st;
}

/* attr[] of part k: which attribute of its model each name is. */
static heft_status find_attributes(const merging *m, size_t k, const heft_dict *names)
{
    heft_status      st = HEFT_OK;
    const heft_prep *prep = &m->models[k]->prep;
    size_t          *attr;
    HEFT_ARENA(m->ctx, &m->ctx->scratch, attr, heft_dict_size(names));
    for (size_t j = 0; j < heft_dict_size(names); j++) attr[j] = SIZE_MAX;
    for (size_t j = 0; j < prep->n_attr; j++)
        attr[heft_dict_find(names, prep->attr[j].name, strlen(prep->attr[j].name))] = j;
    for (uint32_t j = 0; j < heft_dict_size(names) && !prep->sparse; j++)
        if (attr[j] == SIZE_MAX) HEFT_TRY(no_column(m, heft_dict_text(names, j), 0, k));
    m->parts[k].attr = attr;
done:
    return st;
}

static heft_status map_codes(heft_ctx *ctx, const heft_dict *from, const heft_dict *to,
                             const uint32_t **out)
{
    heft_status st = HEFT_OK;
    uint32_t   *map;
    HEFT_ARENA(ctx, &ctx->scratch, map, heft_dict_size(from));
    for (uint32_t v = 0; v < heft_dict_size(from); v++)
        map[v] = heft_dict_find(to, heft_dict_text(from, v), heft_dict_length(from, v));
    *out = map;
done:
    return st;
}

/* The values of attribute j in all models, and where the codes of each went. */
static heft_status union_values(const merging *m, size_t j, heft_attr_prep *to)
{
    heft_status st = HEFT_OK;
    heft_dict **dicts;
    size_t      n = 0;
    HEFT_ARENA(m->ctx, &m->ctx->scratch, dicts, m->n);
    for (size_t k = 0; k < m->n; k++) {
        const size_t at = m->parts[k].attr[j];
        if (at != SIZE_MAX) dicts[n++] = m->models[k]->prep.attr[at].dict;
    }
    HEFT_TRY(heft_dict_union(m->ctx, dicts, n, &to->dict));
    if (m->first->prep.sparse && !heft_dict_equal(to->dict, dicts[0]))
        HEFT_TRY(heft_fail(m->ctx, HEFT_EUNSUPPORTED,
                           "column '%s': the values of a nominal column of sparse tables differ "
                           "between the models (declare the same values in every part)",
                           text_of(to->name).text));
    for (size_t k = 0; k < m->n; k++) {
        const size_t     at = m->parts[k].attr[j];
        const uint32_t **code = (const uint32_t **)m->parts[k].code;
        if (at == SIZE_MAX || heft_dict_equal(to->dict, m->models[k]->prep.attr[at].dict)) continue;
        HEFT_TRY(map_codes(m->ctx, m->models[k]->prep.attr[at].dict, to->dict, &code[at]));
    }
done:
    return st;
}

static heft_status union_classes(const merging *m)
{
    heft_status st = HEFT_OK;
    heft_dict **dicts;
    HEFT_ARENA(m->ctx, &m->ctx->scratch, dicts, m->n);
    for (size_t k = 0; k < m->n; k++) dicts[k] = m->models[k]->prep.classes;
    HEFT_TRY(heft_dict_union(m->ctx, dicts, m->n, &m->out->prep.classes));
    if (heft_dict_size(m->out->prep.classes) >= UINT16_MAX)
        HEFT_TRY(heft_fail(m->ctx, HEFT_EINVAL, "the models have more than %u classes together",
                           UINT16_MAX - 1u));
    for (size_t k = 0; k < m->n; k++)
        HEFT_TRY(map_codes(m->ctx, dicts[k], m->out->prep.classes, &m->parts[k].class));
done:
    return st;
}

/* The attribute as the first model that has it learned it, in the arena of the new one. */
static heft_status copy_attr(const merging *m, size_t j, heft_attr_prep *to)
{
    heft_status           st = HEFT_OK;
    heft_arena           *arena = &m->out->arena;
    const heft_attr_prep *from = NULL;
    for (size_t k = 0; k < m->n; k++) {
        const size_t at = m->parts[k].attr[j];
        if (at == SIZE_MAX) continue;
        if (from) HEFT_TRY(check_attr(m, k, from, &m->models[k]->prep.attr[at]));
        else from = &m->models[k]->prep.attr[at];
    }
    HEFT_KNOWN(from);
    *to = *from;
    to->dict = NULL;
    to->cuts = NULL;
    to->name = heft_arena_text(arena, from->name);
    if (!to->name) HEFT_TRY(heft_no_memory(m->ctx, strlen(from->name) + 1, 1));
    if (to->n_cuts) {
        HEFT_ARENA(m->ctx, arena, to->cuts, to->n_cuts);
        memcpy(to->cuts, from->cuts, to->n_cuts * sizeof *to->cuts);
    }
    if (from->dict) HEFT_TRY(union_values(m, j, to));
done:
    return st;
}

static heft_status merge_preps(const merging *m)
{
    heft_status st = HEFT_OK;
    heft_prep  *prep = &m->out->prep;
    heft_dict  *names = NULL;

    HEFT_TRY(union_names(m, &names));
    const size_t n_attr = heft_dict_size(names);
    for (size_t k = 0; k < m->n; k++) {
        const uint32_t **code;
        HEFT_TRY(find_attributes(m, k, names));
        HEFT_ARENA(m->ctx, &m->ctx->scratch, code, m->models[k]->prep.n_attr);
        m->parts[k].code = code;
    }
    prep->spec = m->first->prep.spec;
    prep->sparse = m->first->prep.sparse;
    prep->arena = &m->out->arena;
    prep->target = heft_arena_text(&m->out->arena, m->first->prep.target);
    if (!prep->target) HEFT_TRY(heft_no_memory(m->ctx, strlen(m->first->prep.target), 1));
    HEFT_TRY(union_classes(m));
    HEFT_ARENA(m->ctx, &m->out->arena, prep->attr, n_attr);
    prep->n_attr = n_attr;
    for (size_t j = 0; j < n_attr; j++) HEFT_TRY(copy_attr(m, j, &prep->attr[j]));
done:
    heft_dict_free(names);
    return st;
}

/* ---- fills of nominal attributes ---- */

static const char *fill_text(const heft_attr_prep *a)
{
    return a->has_fill ? heft_dict_text(a->dict, (uint32_t)a->fill) : "";
}

/* The heaviest value, the lowest code on a tie: as imputation learns it. */
static double mode_of(const heft_tally *t, size_t j)
{
    size_t best = 0;
    double most = -1;
    for (size_t v = 0; v < t->attr[j].n_codes; v++) {
        double sum = 0;
        for (size_t c = 0; c < t->n_class; c++) sum += t->counts.cell[j][v * t->n_class + c];
        if (sum > most) most = sum, best = v;
    }
    return (double)best;
}

/* Where no part had a cell to fill the counts say what the whole would fill with; otherwise the
 * parts must have filled alike. */
static heft_status settle_fill(const merging *m, size_t j, const heft_tally *tally)
{
    heft_attr_prep *to = &m->out->prep.attr[j];
    bool            filled = false, any = false;
    size_t          first = SIZE_MAX;
    for (size_t k = 0; k < m->n; k++) {
        const size_t at = m->parts[k].attr[j];
        if (at == SIZE_MAX) continue;
        filled = filled || m->models[k]->filled[at];
        any = any || m->models[k]->prep.attr[at].has_fill;
        if (first == SIZE_MAX) first = k;
    }
    m->out->filled[j] = filled;
    if (to->kind != HEFT_NOMINAL || !any) return HEFT_OK;
    const heft_attr_prep *a = &m->models[first]->prep.attr[m->parts[first].attr[j]];
    bool                  same = true;
    for (size_t k = first; k < m->n && same; k++) {
        const size_t at = m->parts[k].attr[j];
        if (at == SIZE_MAX) continue;
        same = strcmp(fill_text(a), fill_text(&m->models[k]->prep.attr[at])) == 0;
        if (!same && filled) return learned_apart(m, k, to->name, "values for missing cells");
    }
    to->has_fill = true;
    to->fill = same && a->has_fill
                   ? (double)heft_dict_find(to->dict, fill_text(a), strlen(fill_text(a)))
                   : mode_of(tally, j);
    return HEFT_OK;
}

/* ---- the whole ---- */

static heft_status merge_tallies(const merging *m, heft_attr *attr, heft_tally *tally)
{
    heft_status      st = HEFT_OK;
    const heft_prep *prep = &m->out->prep;
    for (size_t j = 0; j < prep->n_attr; j++) {
        attr[j].n_codes = (uint32_t)heft_prep_codes(&prep->attr[j], &attr[j].coded);
        attr[j].width = attr[j].coded ? heft_code_width(attr[j].n_codes) : 8;
    }
    for (size_t k = 0; k < m->n; k++) {
        const heft_model *model = m->models[k];
        m->parts[k].tally = model->tally;
        m->parts[k].pairs =
            model->method->pairs ? model->method->pairs(&model->fitted) : &model->tally->pairs;
    }
    HEFT_TRY(heft_tally_merge(m->ctx, m->parts, m->n, attr, prep->n_attr,
                              heft_dict_size(prep->classes), needed(m->first), &m->ctx->scratch,
                              tally));
    HEFT_ARENA(m->ctx, &m->out->arena, m->out->filled, prep->n_attr);
    for (size_t j = 0; j < prep->n_attr; j++) HEFT_TRY(settle_fill(m, j, tally));
done:
    return st;
}

/* What is kept: what a fit on all rows would have kept. */
static heft_status keep_tally(const merging *m, const heft_tally *tally)
{
    heft_tally kept = *tally;
    if (m->first->method->pairs) kept.pairs.cell = NULL; /* in the method's own state */
    return heft_tally_copy(m->ctx, &kept, &m->out->arena, &m->out->tally);
}

static heft_status fit_tally(const merging *m, const heft_attr *attr, const heft_tally *tally)
{
    heft_status       st = HEFT_OK;
    size_t            start[1] = {0};
    const heft_sparse none = {.start = start};
    const heft_config config = {.like = m->first};
    const heft_prep  *prep = &m->out->prep;
    heft_config       now;
    const heft_rows   rows = {.n_attr = prep->n_attr,
                              .n_class = heft_dict_size(prep->classes),
                              .attr = attr,
                              .sparse = prep->sparse ? &none : NULL,
                              .tally = tally};
    char              fault[256];
    HEFT_TRY(heft_config_like(m->ctx, &config, &now));
    HEFT_TRY(heft_fit_prepared(m->ctx, &now, false, &rows, m->out));
    if (heft_model_fault(m->out, fault, sizeof fault))
        HEFT_TRY(heft_fail(m->ctx, HEFT_ENUMERIC, "the merged model is not sound: %s", fault));
done:
    return st;
}

/* Training seconds add up; the note of a selection stays. */
static heft_status keep_notes(const merging *m)
{
    heft_status    st = HEFT_OK;
    heft_training *t = &m->out->fitted.training;
    for (size_t k = 0; k < m->n; k++) {
        const heft_training *from = &m->models[k]->fitted.training;
        t->seconds += from->seconds;
        for (size_t f = 0; f < from->n_facts; f++) {
            char *text;
            if (strcmp(from->facts[f].name, "select") != 0 || !from->facts[f].text) continue;
            text = heft_arena_text(&m->out->arena, from->facts[f].text);
            if (!text) HEFT_TRY(heft_no_memory(m->ctx, strlen(from->facts[f].text), 1));
            heft_fact_text(&m->out->fitted, "select", text);
        }
    }
done:
    return st;
}

heft_status heft_merge(heft_ctx *ctx, const heft_model *const *models, size_t n, heft_model **out)
{
    heft_status st = HEFT_OK;
    merging     m = {.ctx = ctx, .models = models, .n = n, .first = models[0]};
    heft_attr  *attr;
    heft_tally  tally;

    *out = NULL;
    for (size_t k = 0; k < n; k++) {
        HEFT_TRY(check_kept(&m, k));
        HEFT_TRY(check_settings(&m, k));
        HEFT_TRY(check_spec(&m, k));
    }
    HEFT_TRY(check_selection(&m));
    HEFT_TRY(heft_model_new(ctx, &m.out));
    m.out->method = m.first->method;
    HEFT_ARENA(ctx, &ctx->scratch, m.parts, n);
    HEFT_TRY(merge_preps(&m));
    HEFT_ARENA(ctx, &ctx->scratch, attr, m.out->prep.n_attr);
    HEFT_TRY(merge_tallies(&m, attr, &tally));
    HEFT_TRY(keep_tally(&m, &tally));
    HEFT_TRY(fit_tally(&m, attr, &tally));
    HEFT_TRY(keep_notes(&m));
    *out = m.out, m.out = NULL;
done:
    heft_model_free(m.out);
    return st;
}
