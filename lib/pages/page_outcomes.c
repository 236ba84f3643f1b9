/* page_outcomes.c - the rows of a table whose class is known, and what is predicted for them: by
 * the model, or by cross-validation with its method and settings. */
#include <stdlib.h>
#include <string.h>

#include "model/config.h"
#include "model/fingerprint.h"
#include "pages/page.h"

enum { MOST_UNKNOWN = 100 };

/* ---- classes ---- */

/* The classes that only rows have follow the model's; of very many the last stands for the rest. */
static heft_status name_classes(const heft_page *p, heft_page_outcomes *o)
{
    const size_t more = heft_dict_size(o->unknown.classes);
    o->K = p->K + (more < MOST_UNKNOWN ? more : MOST_UNKNOWN);
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, o->classes, o->K);
    for (size_t c = 0; c < o->K; c++)
        o->classes[c] =
            c < p->K ? p->classes[c] : heft_dict_text(o->unknown.classes, (uint32_t)(c - p->K));
    return HEFT_OK;
}

/* The number of a class that the model does not know. */
static size_t place_unknown(const heft_page *p, const heft_page_outcomes *o, size_t i)
{
    const heft_column *target = p->table->target;
    const uint32_t     v = heft_code_at(target->cells, target->width, i);
    const size_t       c = p->K + heft_dict_same(o->unknown.classes, target->dict, v);
    return c < o->K ? c : o->K - 1;
}

/* Lines of `from` probabilities become lines of `to`; the classes added have probability 0. */
static void widen(double *proba, size_t n, size_t from, size_t to)
{
    if (to == from) return;
    for (size_t i = n; i-- > 0;) {
        memmove(proba + i * to, proba + i * from, from * sizeof *proba);
        for (size_t c = from; c < to; c++) proba[i * to + c] = 0;
    }
}

static heft_status sort_classes(const heft_page *p, heft_page_outcomes *o)
{
    heft_attr_rank *order;
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, order, o->K);
    for (size_t c = 0; c < o->K; c++) order[c] = (heft_attr_rank){c, (double)o->count[c], 0};
    qsort(order, o->K, sizeof *order, heft_attr_rank_compare);
    for (size_t c = 0; c < o->K; c++) o->frequent[c] = order[c].j;
    return HEFT_OK;
}

/* ---- cross-validation ---- */

/* place[c]: where class c of the evaluation, which numbers the table's classes, is among those of
 * the page. */
static heft_status place_classes(const heft_page *p, const heft_page_outcomes *o,
                                 const heft_cell *cell, size_t **place)
{
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, *place, cell->n_classes);
    for (size_t c = 0; c < cell->n_classes; c++) {
        (*place)[c] = 0;
        while ((*place)[c] < p->K && strcmp(o->classes[(*place)[c]], cell->classes[c]) != 0)
            ++(*place)[c];
    }
    return HEFT_OK;
}

/* What the evaluation predicted for the rows that have a class. */
static heft_status take_predicted(const heft_page *p, const heft_results *results,
                                  heft_page_outcomes *o)
{
    const heft_cell *cell = heft_cell_in_stage(results, 0, 0, 0);
    const size_t     n = heft_predicted_rows(results, 0, 0, 0, NULL), K = cell->n_classes;
    size_t          *row, *place, cells;
    double          *proba;
    if (cell->failure) return heft_fail(p->ctx, HEFT_EUNSUPPORTED, "%s", cell->failure);
    if (!heft_product(n, K, &cells)) return heft_no_memory(p->ctx, n, K);
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, row, n);
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, proba, cells);
    HEFT_CHECK(place_classes(p, o, cell, &place));
    heft_predicted_rows(results, 0, 0, 0, &(heft_predicted){.row = row, .proba = proba});
    for (size_t k = 0; k < n; k++)
        for (size_t c = 0; c < K; c++)
            if (place[c] < p->K) o->proba[row[k] * o->K + place[c]] = proba[k * K + c];
    return HEFT_OK;
}

/* A copy of the table with the columns of the model. A model that selects attributes selects them
 * again in each fold, from all columns. */
static heft_status model_columns(const heft_page *p, const heft_config *config, heft_table **out)
{
    const heft_prep *prep = &p->model->prep;
    size_t          *cols, n = 0;
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, cols, p->table->n_cols);
    for (size_t j = 0; j < p->table->n_cols; j++) {
        bool used = config->select != NULL;
        for (size_t a = 0; a < prep->n_attr && !used; a++)
            used = strcmp(p->table->cols[j].name, prep->attr[a].name) == 0;
        if (used) cols[n++] = j;
    }
    return heft_table_keep(p->ctx, p->table, cols, n, out);
}

/* The classes become those of a model of one class against the rest. */
static heft_status take_positive(const heft_page *p, heft_table *own)
{
    const heft_prep *prep = &p->model->prep;
    const heft_dict *dict = own->target->dict;
    uint32_t        *map;
    if (!prep->positive || own->positive) return HEFT_OK;
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, map, heft_dict_size(dict));
    for (uint32_t v = 0; v < heft_dict_size(dict); v++) {
        const char *text = heft_dict_text(dict, v);
        map[v] = heft_prep_class(prep, text, strlen(text));
    }
    HEFT_CHECK(heft_column_recode(p->ctx, own->target, prep->classes, map, own->n_rows));
    return heft_heap_copy(p->ctx, prep->positive, &own->positive);
}

/* Alternatives of a parameter are chosen anew in each fold: the model's choice has seen all rows.
 */
static heft_status take_alternatives(const heft_page *p, heft_config *config)
{
    heft_config given;
    HEFT_CHECK(heft_config_of(p->ctx, p->model, true, &p->ctx->scratch, &given));
    for (const char *const *param = given.params; param && *param; param++)
        if (strchr(*param, '|')) config->params = given.params;
    return HEFT_OK;
}

/* The model's method and settings, cross-validated on the table. The model's own rule decides. */
static heft_status cross_validate(const heft_page *p, heft_page_outcomes *o)
{
    HEFT_SCRATCH_SCOPE(p->ctx);
    heft_config     config;
    heft_results   *results = NULL;
    heft_table     *own = NULL;
    heft_ctx        inner;
    const heft_host quiet = {.cancelled = p->ctx->host ? p->ctx->host->cancelled : NULL,
                             .progress = p->ctx->host ? p->ctx->host->progress : NULL,
                             .user = p->ctx->host ? p->ctx->host->user : NULL};
    HEFT_CHECK(heft_config_of(p->ctx, p->model, false, &p->ctx->scratch, &config));
    HEFT_CHECK(take_alternatives(p, &config));
    config.cost = config.threshold = config.tune = NULL;
    config.part = false;
    config.time_limit = 0;
    const heft_eval_plan plan = {
        .config = &config, .folds = (int)o->folds, .keep_predictions = true};
    heft_ctx_init(&inner, p->ctx->err, p->ctx->threads, p->ctx->seed, &quiet);
    inner.comm = p->ctx->comm;
    memset(o->proba, 0, o->n * o->K * sizeof *o->proba);
    heft_status st = model_columns(p, &config, &own);
    if (st == HEFT_OK) st = take_positive(p, own);
    if (st == HEFT_OK)
        st = heft_evaluate_tables(&inner, &plan, (const heft_table *const[]){own}, NULL, 1,
                                  &results);
    heft_ctx_clear(&inner);
    if (st == HEFT_OK) st = take_predicted(p, results, o);
    heft_results_delete(results);
    heft_table_delete(own);
    return st;
}

/* ---- predictions and outcomes ---- */

heft_status heft_page_posterior(const heft_page *p, const size_t *rows, size_t n, double *proba)
{
    heft_status      st = HEFT_OK;
    heft_table      *some = NULL;
    const heft_host *host = p->ctx->host;
    heft_host        quiet = host ? *host : (heft_host){0};
    quiet.log = NULL;
    HEFT_CHECK(heft_table_take(p->ctx, p->table, rows, n, &some));
    if (host && p->outcomes) p->ctx->host = &quiet;
    st = heft_posterior(p->ctx, p->model, some, proba);
    p->ctx->host = host;
    heft_table_delete(some);
    return st;
}

static heft_status predict(const heft_page *p, heft_page_outcomes *o)
{
    if (o->folds) return cross_validate(p, o);
    HEFT_CHECK(heft_posterior(p->ctx, p->model, p->table, o->proba));
    widen(o->proba, o->n, p->K, o->K);
    return HEFT_OK;
}

static heft_status find_truth(const heft_page *p, heft_page_outcomes *o)
{
    int32_t *truth;
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, truth, o->n);
    HEFT_CHECK(heft_true_classes(p->ctx, p->model, p->table, truth, &o->unknown));
    HEFT_CHECK(heft_warn_unknown(p->ctx, p->model, p->table->name, &o->unknown));
    HEFT_CHECK(name_classes(p, o));
    HEFT_ALLOCS(p->ctx, &p->ctx->scratch, o->n, o->y, o->guess);
    HEFT_ALLOCS(p->ctx, &p->ctx->scratch, o->K, o->count, o->frequent, o->by_class);
    for (size_t i = 0; i < o->n; i++) {
        const size_t c = truth[i] == HEFT_NO_CLASS        ? o->K
                         : truth[i] == HEFT_UNKNOWN_CLASS ? place_unknown(p, o, i)
                                                          : (size_t)truth[i];
        o->y[i] = (uint16_t)c;
        if (c < o->K) o->count[c]++, o->n_known++;
    }
    return sort_classes(p, o);
}

heft_status heft_page_predict(heft_page *p, size_t folds)
{
    heft_ctx           *ctx = p->ctx;
    heft_page_outcomes *o;
    size_t              cells;
    HEFT_ALLOC(ctx, &ctx->scratch, o, 1);
    p->outcomes = o;
    o->n = p->table->n_rows;
    o->folds = folds;
    HEFT_CHECK(find_truth(p, o));
    HEFT_CHECK(heft_check_probabilities(ctx, p->table, o->n, o->K));
    if (!heft_product(o->n, o->K, &cells)) return heft_no_memory(ctx, o->n, o->K * sizeof(double));
    o->proba = heft_alloc(cells ? cells : 1, sizeof *o->proba);
    if (!o->proba) return heft_no_memory(ctx, cells, sizeof *o->proba);
    if (!o->n_known) return HEFT_OK;
    HEFT_CHECK(predict(p, o));
    for (size_t i = 0; i < o->n; i++) {
        o->guess[i] = (uint16_t)heft_decide(&p->model->decision, o->proba + i * o->K, p->K);
        o->n_wrong += o->y[i] < o->K && o->guess[i] != o->y[i];
    }
    HEFT_CHECK(heft_trained_on(ctx, p->model, p->table, &o->trained));
    return heft_measure(ctx,
                        &(heft_outcomes){.proba = o->proba,
                                         .y = o->y,
                                         .guess = o->guess,
                                         .n = o->n,
                                         .n_class = o->K,
                                         .positive = p->positive},
                        &o->all, o->by_class);
}

void heft_page_outcomes_clear(heft_page_outcomes *o)
{
    if (!o) return;
    heft_free(o->proba);
    heft_unknown_clear(&o->unknown);
}
