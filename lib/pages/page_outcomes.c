/* page_outcomes.c - the rows of a table whose class is known, and what is predicted for them: by
 * the model, or by cross-validation with its method and settings. */
#include <stdlib.h>
#include <string.h>

#include "learn/folds.h"
#include "model/config.h"
#include "model/fingerprint.h"
#include "pages/page.h"
#include "train/fit.h"

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
    const size_t c = p->K + heft_dict_find(o->unknown.classes, heft_dict_text(target->dict, v),
                                           heft_dict_length(target->dict, v));
    return c < o->K ? c : o->K - 1;
}

/* Lines of `from` probabilities become lines of `to`; the classes added have probability 0. */
static void widen(double *proba, size_t n, size_t from, size_t to)
{
    for (size_t i = n; to > from && i-- > 0;) {
        memmove(proba + i * to, proba + i * from, from * sizeof *proba);
        for (size_t c = from; c < to; c++) proba[i * to + c] = 0;
    }
}

static heft_status sort_classes(const heft_page *p, heft_page_outcomes *o)
{
    heft_attr_rank *order;
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, order, o->K);
    for (size_t c = 0; c < o->K; c++) order[c] = (heft_attr_rank){c, (double)o->count[c], 0};
    qsort(order, o->K, sizeof *order, heft_by_standing);
    for (size_t c = 0; c < o->K; c++) o->frequent[c] = order[c].j;
    return HEFT_OK;
}

/* ---- cross-validation ---- */

/* The class of the model that a class of the fold's model is. */
static heft_status place_classes(const heft_page *p, const heft_model *fold, size_t **out)
{
    const heft_dict *classes = fold->prep.classes;
    HEFT_ALLOC(p->ctx, &p->ctx->scratch, *out, heft_dict_size(classes));
    for (uint32_t c = 0; c < heft_dict_size(classes); c++) {
        const uint32_t v = heft_dict_find(p->model->prep.classes, heft_dict_text(classes, c),
                                          heft_dict_length(classes, c));
        (*out)[c] = v == HEFT_DICT_NONE ? p->K : v;
    }
    return HEFT_OK;
}

static heft_status predict_fold(const heft_page *p, const heft_config *config, const uint16_t *fold,
                                size_t f, heft_page_outcomes *o)
{
    heft_status st = HEFT_OK;
    heft_table *train = NULL, *test = NULL;
    heft_model *model = NULL;
    double     *proba = NULL;
    size_t     *rows = NULL, *place;
    HEFT_HEAP(p->ctx, rows, o->n);
    HEFT_TRY(heft_table_take(p->ctx, p->table, rows, heft_rows_of_fold(fold, o->n, f, false, rows),
                             &train));
    HEFT_TRY(heft_fit_table(p->ctx, train, config, false, &model));
    const size_t n = heft_rows_of_fold(fold, o->n, f, true, rows), K = model->fitted.n_class;
    HEFT_HEAP(p->ctx, proba, n * K + 1);
    HEFT_TRY(heft_table_take(p->ctx, p->table, rows, n, &test));
    HEFT_TRY(heft_posterior(p->ctx, model, test, proba));
    HEFT_TRY(place_classes(p, model, &place));
    for (size_t r = 0; r < n; r++) {
        double *to = o->proba + rows[r] * o->K;
        for (size_t c = 0; c < K; c++)
            if (place[c] < p->K) to[place[c]] = proba[r * K + c];
    }
done:
    heft_free(rows);
    heft_free(proba);
    heft_model_free(model);
    heft_table_free(test);
    heft_table_free(train);
    return st;
}

/* heft_fit_table clears the scratch memory of its context, so the folds have one of their own. */
static heft_status cross_validate(const heft_page *p, heft_page_outcomes *o)
{
    heft_status st = HEFT_OK;
    heft_config config;
    uint16_t   *fold = NULL, *y = NULL;
    HEFT_HEAP(p->ctx, fold, o->n);
    HEFT_HEAP(p->ctx, y, o->n);
    for (size_t i = 0; i < o->n; i++) y[i] = o->y[i] < o->K ? o->y[i] : UINT16_MAX;
    HEFT_TRY(heft_config_of(p->ctx, p->model, false, &p->ctx->scratch, &config));
    config.cost = config.threshold = config.tune = NULL; /* the model's own rule decides */
    const heft_sample sample = {.n = o->n, .y = y, .n_class = o->K};
    HEFT_TRY(heft_folds_deal(
        p->ctx, &(heft_fold_plan){.sample = &sample, .n_folds = o->folds, .seed = p->ctx->seed},
        fold));
    memset(o->proba, 0, o->n * o->K * sizeof *o->proba);
    const heft_arena scratch = p->ctx->scratch;
    for (size_t f = 0; f < o->folds; f++) {
        p->ctx->scratch = (heft_arena){0};
        st = predict_fold(p, &config, fold, f, o);
        heft_arena_clear(&p->ctx->scratch);
        p->ctx->scratch = scratch;
        if (st != HEFT_OK) goto done;
    }
done:
    heft_free(y);
    heft_free(fold);
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
    heft_table_free(some);
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

void heft_page_source(const heft_page *p, heft_buf *out)
{
    const heft_page_outcomes *o = p->outcomes;
    const char *name = p->table->name && p->table->name[0] ? p->table->name : "the table";
    if (o->folds)
        heft_put(out,
                 "in %z-fold cross-validation on %s of <bdi>%200h</bdi>: every row is "
                 "predicted by a model that was not trained on it",
                 o->folds, HEFT_COUNT_OF(o->n_known, "row"), name);
    else if (o->trained)
        heft_put(out,
                 "on %s of <bdi>%200h</bdi>, <strong>on which the model was "
                 "trained</strong>",
                 HEFT_COUNT_OF(o->n_known, "row"), name);
    else
        heft_put(out, "on %s of <bdi>%200h</bdi>%s", HEFT_COUNT_OF(o->n_known, "row"), name,
                 p->model->fingerprint.n_rows
                     ? ""
                     : " (the model does not tell whether it was trained on these rows; if it was, "
                       "the figures are too good)");
}
