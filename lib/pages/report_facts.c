/* report_facts.c - the parts of a report's document that are facts and figures: the model, the data
 * and what figures were computed on, the headline, measures, classes, confusion and details. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/num.h"
#include "pages/page.h"

enum {
    CONFUSED = 40,
    WORST = 15,
    CLASSES = 200,
    WEIGHT_ROWS = 20,
    WEIGHT_COLUMNS = 24,
};

/* ---- sentences ---- */

void heft_json_parts(heft_buf *out, const char *const *part, size_t n)
{
    HEFT_SIDE_TEXT(text, out);
    for (size_t k = 0; k < n; k++) heft_buf_text(&text, part[k]);
    heft_json_put(out, "text:s parts:[", heft_buf_string(&text));
    for (size_t k = 0; k < n; k++) heft_json_text(out, NULL, part[k]);
    heft_json_close(out, ']');
}

/* ---- the head ---- */

static void put_date(heft_buf *out)
{
    const time_t now = time(NULL);
    struct tm    at;
    char         text[16] = "";
    if (gmtime_r(&now, &at)) strftime(text, sizeof text, "%Y-%m-%d", &at);
    heft_json_text(out, "created", text);
}

void heft_page_begin(heft_buf *out, const char *page, const char *title)
{
    heft_json_put(out, "{ format:s version:z page:s heft:s", "heft page", (size_t)1, page,
                  HEFT_VERSION);
    put_date(out);
    heft_json_text(out, "title", title);
}

/* ---- the model ---- */

static void put_decision(const heft_page *p, heft_buf *out)
{
    static const char *const kinds[] = {"most probable", "threshold", "cost"};
    const heft_decision     *d = &p->model->decision;
    HEFT_SIDE_TEXT(text, out);
    heft_decision_tell(&text, d, p->model->prep.classes);
    heft_json_put(out, "decision:{ kind:s text:s class:c threshold:g", kinds[d->kind],
                  heft_buf_string(&text), d->kind == HEFT_THRESHOLD ? d->chosen : SIZE_MAX,
                  d->kind == HEFT_THRESHOLD ? d->threshold : (double)NAN);
    if (d->kind == HEFT_LEAST_COST) {
        heft_json_open(out, "cost", '[');
        for (size_t c = 0; c < p->K; c++) heft_json_numbers(out, NULL, d->cost + c * p->K, p->K);
        heft_json_close(out, ']');
    } else {
        heft_json_null(out, "cost");
    }
    heft_json_close(out, '}');
}

static void put_prior(const heft_page *p, heft_buf *out)
{
    const double *log_prior = p->model->fitted.log_prior;
    if (!log_prior) {
        heft_json_null(out, "prior");
        return;
    }
    const double total = heft_logsumexp(log_prior, p->K);
    heft_json_open(out, "prior", '[');
    for (size_t c = 0; c < p->K; c++) heft_json_number(out, NULL, exp(log_prior[c] - total));
    heft_json_close(out, ']');
}

static void put_names(heft_buf *out, const char *name, const char *const *text, size_t n)
{
    heft_json_open(out, name, '[');
    for (size_t k = 0; k < n; k++) heft_json_name(out, NULL, text[k]);
    heft_json_close(out, ']');
}

heft_status heft_report_facts(const heft_page *p)
{
    const heft_model *m = p->model;
    heft_buf         *out = p->out;
    const bool        two = p->K == 2;
    HEFT_SIDE_TEXT(settings, out);
    HEFT_CHECK(heft_inspect_settings(p->ctx, m, &settings));
    heft_json_put(out, "model:{ method:s method_title:s method_source:s target:m", m->method->name,
                  m->method->title, m->method->source, m->prep.target);
    put_names(out, "classes", p->classes, p->K);
    put_prior(p, out);
    heft_json_put(out,
                  "one:c zero:c positive:c n_attributes:z training_rows:g seconds:g additive:b "
                  "shared:b sparse:b unit:b settings:s parameters:{",
                  two ? p->one : SIZE_MAX, two ? p->zero : SIZE_MAX, two ? p->positive : SIZE_MAX,
                  p->n_attr, m->fitted.training.rows, m->fitted.training.seconds, p->additive,
                  p->t.shared, m->prep.sparse, m->prep.spec.scaling == HEFT_SCALE_UNIT,
                  heft_buf_string(&settings));
    for (size_t k = 0; k < m->n_params; k++)
        heft_json_name(out, m->param_names[k], m->param_values[k]);
    heft_json_close(out, '}');
    put_decision(p, out);
    heft_json_close(out, '}');
    return HEFT_OK;
}

/* ---- the data, and what figures were computed on ---- */

size_t heft_page_source(const heft_page *p, heft_buf *before, const char *part[3])
{
    const heft_page_outcomes *o = p->outcomes;
    if (o->folds) heft_put(before, "in %z-fold cross-validation ", o->folds);
    heft_put(before, "on %s of ", HEFT_COUNT_OF(o->n_known, "row"));
    part[0] = heft_buf_string(before);
    part[1] = heft_page_table_name(p);
    part[2] =
        o->folds     ? ": every row is predicted by a model that was not trained on it"
        : o->trained ? ", on which the model was trained"
        : p->model->fingerprint.n_rows
            ? ""
            : " (the model does not tell whether it was trained on these rows; if it was, the "
              "figures are too good)";
    return 3;
}

static void put_source(const heft_page *p, heft_buf *out)
{
    const heft_page_outcomes *o = p->outcomes;
    const char               *part[3];
    HEFT_SIDE_TEXT(before, out);
    if (!o) {
        heft_json_null(out, "source");
        return;
    }
    heft_json_put(out, "source:{ kind:s folds:z rows:z",
                  o->folds                       ? "folds"
                  : o->trained                   ? "training"
                  : p->model->fingerprint.n_rows ? "other"
                                                 : "untold",
                  o->folds, o->n_known);
    heft_json_parts(out, part, heft_page_source(p, &before, part));
    heft_json_close(out, '}');
}

void heft_report_data(const heft_page *p)
{
    const heft_page_outcomes *o = p->outcomes;
    heft_buf                 *out = p->out;
    if (!p->table) {
        heft_json_null(out, "data");
    } else {
        heft_json_put(out, "data:{ name:m rows:z with_class:z weighted:b", heft_page_table_name(p),
                      p->table->n_rows, o ? o->n_known : 0, p->table->weight != NULL);
        put_names(out, "classes", o ? o->classes : p->classes, o ? o->K : p->K);
        if (o) heft_json_sizes(out, "counts", o->count, o->K);
        else heft_json_null(out, "counts");
        heft_json_put(out, "unknown_rows:z }", o ? o->unknown.n_rows : 0);
    }
    put_source(p, out);
}

/* ---- headline and measures ---- */

void heft_page_note(const heft_page *p, heft_buf *out)
{
    const heft_page_outcomes *o = p->outcomes;
    char                      list[200];
    if (o && o->unknown.n_rows)
        heft_put(out, "%s of a class that the model does not know (%s) %s counted as wrong.",
                 HEFT_COUNT_OF(o->unknown.n_rows, "row"),
                 heft_show_classes(o->unknown.classes, list, sizeof list),
                 o->unknown.n_rows == 1 ? "is" : "are");
    if (o && o->trained && !o->folds && out->length) heft_put(out, " ");
    if (o && o->trained && !o->folds)
        heft_put_marked(out, "Figures on training rows: the model has seen these rows and their "
                             "classes, so every figure that compares predictions with classes is "
                             "too good. Give rows that it was not trained on, or run "
                             "{command report MODEL DATA --cv 10}.");
    else if (!o && p->table)
        heft_put(out, "No row of the table has a class, so the predictions cannot be compared with "
                      "anything.");
    else if (!o)
        heft_put_marked(out, "How good the model is cannot be said without data: {command report "
                             "MODEL DATA} compares its predictions with known classes.");
}

static void put_figures(const heft_lead *lead, heft_buf *out)
{
    heft_json_open(out, "figures", '[');
    if (lead->any)
        for (size_t k = 0; k < HEFT_N_LEAD; k++) {
            const heft_lead_figure *f = &lead->figure[k];
            heft_json_put(out, "{ title:s value:g", f->title, f->value);
            heft_json_flag(out, "percent", lead->of_class && k < 2); /* a share of rows */
            heft_json_put(out, "baseline:g class:c }", f->baseline > 0 ? f->baseline : (double)NAN,
                          lead->of_class ? lead->rarest : SIZE_MAX);
        }
    heft_json_close(out, ']');
}

void heft_report_headline(const heft_page *p)
{
    const heft_page_outcomes *o = p->outcomes;
    heft_buf                 *out = p->out;
    const heft_lead lead = o ? heft_lead_of(o->by_class, o->K, o->all.value) : (heft_lead){0};
    HEFT_SIDE_TEXT(note, out);
    heft_page_note(p, &note);
    heft_json_put(out, "headline:{ kind:s accuracy:g baseline:g frequent:c rarest:c below:b",
                  !o         ? "none"
                  : lead.any ? "rare"
                             : "accuracy",
                  o ? heft_page_accuracy(o) : (double)NAN, o ? lead.baseline : (double)NAN,
                  o ? lead.frequent : SIZE_MAX, o ? lead.rarest : SIZE_MAX, lead.below);
    put_figures(&lead, out);
    heft_json_put(out, "warning:s note:s }", o && note.length ? heft_buf_string(&note) : NULL,
                  o ? NULL : heft_buf_string(&note));
}

static void put_measure(heft_buf *out, const heft_measure_info *info, double value, size_t class)
{
    heft_json_put(out, "{ name:s title:s value:g better:s class:c description:s }", info->name,
                  info->title, value, info->higher_is_better ? "higher" : "lower", class,
                  info->description);
}

bool heft_page_measure(const heft_page *p, size_t k, size_t *of_class)
{
    const heft_page_outcomes *o = p->outcomes;
    *of_class = o->K == 2 && heft_measure_of_class(k) ? p->positive : SIZE_MAX;
    return (heft_measures_at(k)->decimals || k == HEFT_MEASURE_AT(baseline)) &&
           !isnan(o->all.value[k]);
}

static void put_class(const heft_page_outcomes *o, size_t c, heft_buf *out)
{
    const heft_class_figures *f = &o->by_class[c];
    heft_json_put(
        out,
        "{ class:z support:z predicted:g precision:g recall:g f1:g auc:g average_precision:g }", c,
        o->count[c], f->predicted, f->precision, f->recall, f->f1, f->auc, f->average_precision);
}

void heft_report_measures(const heft_page *p)
{
    static const heft_measure_info accuracy = {.name = "accuracy",
                                               .title = "accuracy",
                                               .higher_is_better = true,
                                               .description = "share of rows predicted right"};
    const heft_page_outcomes      *o = p->outcomes;
    heft_buf                      *out = p->out;
    size_t                         of;
    heft_json_open(out, "measures", '[');
    if (o) {
        put_measure(out, &accuracy, heft_page_accuracy(o), SIZE_MAX);
        for (size_t k = 0; k < HEFT_N_MEASURES; k++)
            if (heft_page_measure(p, k, &of))
                put_measure(out, heft_measures_at(k), o->all.value[k], of);
    }
    heft_json_put(out, "] per_class:[");
    if (o)
        for (size_t c = 0; c < o->K && c < CLASSES; c++) put_class(o, c, out);
    heft_json_close(out, ']');
}

/* ---- confusion ---- */

typedef struct confusion {
    size_t n, *cell, *row, *shown; /* n x n; sums of rows; the classes shown */
} confusion;

/* Counts the cells of the most frequent classes, in the order of the model. */
static heft_status count_cells(const heft_page *p, confusion *m)
{
    const heft_page_outcomes *o = p->outcomes;
    size_t                   *place, at = 0;
    bool                     *in;
    m->n = o->K < CONFUSED ? o->K : CONFUSED;
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, m->cell, m->n * m->n);
    HEFT_ALLOCS(p->ctx, &p->ctx->scratch, m->n, m->row, m->shown);
    HEFT_ALLOCS(p->ctx, &p->ctx->scratch, o->K, place, in);
    for (size_t k = 0; k < m->n; k++) in[o->frequent[k]] = true;
    for (size_t c = 0; c < o->K; c++) {
        place[c] = in[c] ? at : SIZE_MAX;
        if (in[c]) m->shown[at++] = c;
    }
    for (size_t i = 0; i < o->n; i++) {
        if (o->y[i] >= o->K || place[o->y[i]] == SIZE_MAX) continue;
        m->row[place[o->y[i]]]++;
        if (place[o->guess[i]] != SIZE_MAX) m->cell[place[o->y[i]] * m->n + place[o->guess[i]]]++;
    }
    return HEFT_OK;
}

/* Lists the cells off the diagonal with the most rows. */
static heft_status put_confusions(const heft_page *p, const confusion *m)
{
    heft_attr_rank *order;
    size_t          n = 0;
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, order, m->n * m->n);
    for (size_t k = 0; k < m->n * m->n; k++)
        if (m->cell[k] && k / m->n != k % m->n)
            order[n++] = (heft_attr_rank){k, (double)m->cell[k], 0};
    if (n) qsort(order, n, sizeof *order, heft_attr_rank_compare);
    for (size_t k = 0; k < n && k < WORST; k++) {
        const size_t a = order[k].j / m->n, b = order[k].j % m->n;
        heft_json_put(p->out, "{ actual:z predicted:z rows:z share:g }", m->shown[a], m->shown[b],
                      m->cell[order[k].j], order[k].size / (double)m->row[a]);
    }
    return HEFT_OK;
}

heft_status heft_report_confusion(const heft_page *p)
{
    confusion m = {0};
    heft_buf *out = p->out;
    if (!p->outcomes) {
        heft_json_null(out, "confusion");
    } else {
        HEFT_CHECK(count_cells(p, &m));
        heft_json_open(out, "confusion", '{');
        heft_json_sizes(out, "classes", m.shown, m.n);
        heft_json_open(out, "cells", '[');
        for (size_t a = 0; a < m.n; a++) heft_json_sizes(out, NULL, m.cell + a * m.n, m.n);
        heft_json_close(out, ']');
        heft_json_sizes(out, "rows", m.row, m.n);
        heft_json_put(out, "n_classes:z }", p->outcomes->K);
    }
    heft_json_open(out, "confusions", '[');
    if (p->outcomes) HEFT_CHECK(put_confusions(p, &m));
    heft_json_close(out, ']');
    return HEFT_OK;
}

/* ---- details ---- */

static void put_fact(heft_buf *out, const char *name, const char *format, ...)
{
    va_list args;
    HEFT_SIDE_TEXT(value, out);
    va_start(args, format);
    heft_vput(&value, format, args);
    va_end(args);
    heft_json_put(out, "{ name:s value:s }", name, heft_buf_string(&value));
}

static void put_training(const heft_training *t, heft_buf *out)
{
    put_fact(out, "trained on", "%10g %s, %3g s", t->rows, t->rows == 1 ? "row" : "rows",
             t->seconds);
    if (t->iterative) {
        HEFT_SIDE_TEXT(fit, out);
        heft_inspect_fit(&fit, t);
        put_fact(out, "fit", "%s", heft_buf_string(&fit));
    }
    for (size_t k = 0; k < t->n_facts; k++) {
        const heft_fact *f = &t->facts[k];
        char             title[HEFT_TITLE_BYTES];
        heft_fact_title(f->name, title);
        if (f->text) put_fact(out, title, "%s", f->text);
        else put_fact(out, title, "%6g", f->number);
    }
}

/* Writes what weight k of attribute j belongs to. */
static void put_owner(const heft_page *p, size_t j, size_t k)
{
    char value[200];
    if (p->t.per == HEFT_PER_CLASS_PAIR)
        heft_json_format(p->out, NULL, "%60q against %60q", p->classes[p->t.class_pair[k].a],
                         p->classes[p->t.class_pair[k].b]);
    else if (p->t.per == HEFT_PER_CLASS) heft_json_name(p->out, NULL, p->classes[k]);
    else
        heft_json_name(p->out, NULL,
                       heft_prep_value(&p->model->prep, j, (uint32_t)k, value, sizeof value));
}

/* Writes the weights where an attribute has several: one per class, value or class pair. */
static void put_weights(const heft_page *p)
{
    static const char *const per[] = {[HEFT_PER_CLASS] = "class",
                                      [HEFT_PER_VALUE] = "value",
                                      [HEFT_PER_CLASS_PAIR] = "class pair"};
    heft_buf                *out = p->out;
    if (p->t.per == HEFT_PER_ATTR || !p->differ || !p->n_attr) {
        heft_json_null(out, "weights");
        return;
    }
    heft_json_put(out, "weights:{ per:s list:[", per[p->t.per]);
    for (size_t k = 0; k < p->n_attr && k < WEIGHT_ROWS; k++) {
        const size_t j = p->rank[k], all = heft_term_weights(&p->t, j);
        const size_t n = all < WEIGHT_COLUMNS ? all : WEIGHT_COLUMNS;
        heft_json_put(out, "{ attribute:z owners:[", p->bounds.place[j]);
        for (size_t c = 0; c < n; c++) put_owner(p, j, c);
        heft_json_put(out, "] values:[");
        for (size_t c = 0; c < n; c++) heft_json_number(out, NULL, heft_term_weight(&p->t, j, c));
        heft_json_put(out, "] }");
    }
    heft_json_put(out, "] }");
}

heft_status heft_report_details(const heft_page *p)
{
    const heft_model *m = p->model;
    heft_buf         *out = p->out;
    HEFT_SIDE_TEXT(v, out);
    heft_json_open(out, "details", '[');
    put_fact(out, "method", "%s: %s", m->method->name, m->method->title);
    put_fact(out, "source", "%s", m->method->source);
    put_fact(out, "size", "%s, %s%s", HEFT_COUNT_OF(p->K, "class"),
             HEFT_COUNT_OF(p->n_attr, "attribute"), m->prep.sparse ? ", sparse" : "");
    HEFT_CHECK(heft_inspect_settings(p->ctx, m, &v));
    put_fact(out, "settings", "%s", heft_buf_string(&v));
    v.length = 0;
    for (size_t k = 0; k < m->n_params; k++)
        heft_put(&v, "%s%60q=%80q", k ? " " : "", m->param_names[k], m->param_values[k]);
    if (m->n_params) put_fact(out, "parameters", "%s", heft_buf_string(&v));
    v.length = 0;
    heft_decision_tell(&v, &m->decision, m->prep.classes);
    put_fact(out, "decision", "%s", heft_buf_string(&v));
    put_training(&m->fitted.training, out);
    heft_json_close(out, ']');
    put_weights(p);
    return HEFT_OK;
}
