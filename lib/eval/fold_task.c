/* fold_task.c - one fold of an evaluation: fit on the training rows, predict the test rows. */
#include "eval/fold_task.h"

#include <math.h>
#include <string.h>

#include "base/comm.h"
#include "eval/fold_results.h"
#include "eval/resume.h"
#include "eval/stages.h"
#include "learn/folds.h"
#include "model/config.h"
#include "predict/predict.h"
#include "train/fit.h"

heft_config heft_place_config(const heft_eval_run *r, const heft_eval_place *at, bool prepared)
{
    heft_config config = *r->plan->config;
    config.method = r->methods[at->m].method->name;
    config.params = r->methods[at->m].params;
    if (r->select[at->stage]) config.select = r->select[at->stage];
    if (prepared) heft_config_prepared(&config);
    return config;
}

/* Collect the rows that a fold tests, or those that it trains on. Without folds these are all n
 * rows. Returns their number. */
static size_t take_rows(const heft_eval_set *set, const heft_eval_place *at, bool tested, size_t n,
                        size_t *rows)
{
    if (!set->test)
        return heft_rows_of_fold(set->fold + at->repeat * set->n, set->n, at->fold, tested, rows);
    for (size_t i = 0; i < n; i++) rows[i] = i;
    return n;
}

static heft_status split(heft_ctx *ctx, const heft_eval_run *r, const heft_eval_place *at,
                         const heft_table *table, heft_fold_rows *out)
{
    const heft_eval_set *set = &r->sets[at->d];
    const heft_stage    *stage = &r->results->stages[at->stage];
    const size_t         most = set->n > table->n_rows ? set->n : table->n_rows;
    const uint64_t       draw = at->repeat * r->results->folds + at->fold;
    HEFT_NEW(ctx, out->rows, most);
    HEFT_KNOWN(set->test || set->fold);
    size_t n_train = take_rows(set, at, false, table->n_rows, out->rows);
    out->train = table;
    if (!set->test || stage->noise > 0 || stage->learn != 1) {
        HEFT_CHECK(heft_stage_learn(ctx, stage, table, draw, out->rows, &n_train));
        HEFT_CHECK(heft_table_take(ctx, table, out->rows, n_train, &out->own_train));
        /* A prior that names classes declares them, so that they are kept even without rows. */
        if (r->plan->config->prior && strchr(r->plan->config->prior, '='))
            out->own_train->target->inferred = false;
        HEFT_CHECK(heft_table_trim_values(ctx, table, &out->own_train));
        if (stage->noise > 0) HEFT_CHECK(heft_stage_noise(ctx, stage, draw, out->own_train));
        out->train = out->own_train;
    }
    out->n_test = take_rows(set, at, true, set->n, out->rows);
    out->test = set->test;
    if (set->test) return HEFT_OK;
    HEFT_CHECK(heft_table_take(ctx, table, out->rows, out->n_test, &out->own_test));
    out->test = out->own_test;
    return HEFT_OK;
}

heft_status heft_predicted_of(heft_ctx *ctx, heft_eval_group *g, const heft_eval_set *set,
                              double **out, size_t *length)
{
    *out = atomic_load(&g->predicted);
    if (!heft_product(set->n, set->n_class + 2, length))
        return heft_no_memory(ctx, set->n, set->n_class + 2);
    if (*out) return HEFT_OK;
    double *fresh;
    HEFT_NEW(ctx, fresh, *length);
    if (atomic_compare_exchange_strong(&g->predicted, out, fresh)) *out = fresh;
    else heft_free(fresh);
    return HEFT_OK;
}

/* Refuse a stage with more attributes than the data have: its results would be those of all
 * attributes, under a wrong name. */
static heft_status check_width(heft_ctx *ctx, const heft_eval_run *r, const heft_eval_place *at)
{
    const heft_stage *stage = &r->results->stages[at->stage];
    const size_t      n = r->results->sets[at->d].n_attr;
    const char       *text = stage->dimensions;
    double            wanted;
    if (!text || heft_parse_double(text, text + strlen(text), &wanted) != HEFT_NUM_OK)
        return HEFT_OK; /* all attributes, or a percentage */
    if (wanted <= (double)n) return HEFT_OK;
    return heft_fail(ctx, HEFT_EUNSUPPORTED,
                     "{dimensions}: %s attributes were asked for, and the data have %zu (use at "
                     "most %zu)",
                     text, n, n);
}

/* Compute the posteriors of the test rows; each rank computes those of one range of the rows. This
 * is not for models whose training rows are spread over ranks: these need all ranks for every row.
 */
static heft_status posteriors_by_ranks(heft_ctx *ctx, const heft_model *model,
                                       const heft_table *test, size_t n_class, double *out)
{
    const size_t          n = test->n_rows;
    size_t                lo, hi;
    HEFT_FREED size_t    *rows = NULL;
    HEFT_OWN(heft_table) *mine = NULL;
    heft_my_range(ctx, n, &lo, &hi);
    HEFT_NEW(ctx, rows, hi - lo);
    for (size_t i = lo; i < hi; i++) rows[i - lo] = i;
    HEFT_CHECK(heft_table_take(ctx, test, rows, hi - lo, &mine));
    HEFT_CHECK(heft_posterior(ctx, model, mine, out + lo * n_class));
    HEFT_CHECK(
        heft_all_sum(ctx, out, n * n_class)); /* they are 0 where another rank computed them */
    return HEFT_OK;
}

/* Set spot[c] to the class of the data set that is class c of the model. A model may lack classes
 * that its training rows lack, and has no others. */
static heft_status place_classes(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                                 uint32_t *spot)
{
    const heft_dict *own = model->prep.classes, *all = table->target->dict;
    for (uint32_t c = 0; c < heft_dict_size(own); c++) {
        spot[c] = heft_dict_same(all, own, c);
        if (spot[c] == HEFT_DICT_NONE)
            return heft_fail(ctx, HEFT_EINVAL,
                             "class '%.100s' of the model to train like is not in the data",
                             heft_dict_text(own, c));
    }
    return HEFT_OK;
}

/* Returns the cost of predicting class `guess` of the model for a row of class `actual`. If the
 * model does not know the actual class, it is the largest cost of the matrix. */
static double cost_of(const heft_decision *rule, size_t n_class, size_t actual, size_t guess)
{
    double most = 0;
    if (actual < n_class) return rule->cost[actual * n_class + guess];
    for (size_t k = 0; k < n_class * n_class; k++) most = fmax(most, rule->cost[k]);
    return most;
}

void heft_put_predicted(const heft_model *model, const uint32_t *spot, const heft_fold_rows *p,
                        const double *fresh, const heft_eval_set *set, double *predicted)
{
    const size_t n_model = model->fitted.n_class, K = set->n_class;
    const bool   costed = model->decision.cost != NULL;
    double      *guess = predicted + set->n * K, *cost = guess + set->n;
    for (size_t k = 0; k < p->n_test; k++) {
        const double *row = fresh + k * n_model;
        const size_t  i = p->rows[k], best = heft_decide(&model->decision, row, n_model);
        size_t        actual = 0; /* class of the model; n_model: the model does not know it */
        for (size_t c = 0; c < n_model; c++) predicted[i * K + spot[c]] = row[c];
        guess[i] = (double)spot[best];
        if (!costed) continue;
        while (actual < n_model && spot[actual] != set->y[i]) actual++;
        cost[i] = cost_of(&model->decision, n_model, actual, best);
    }
}

heft_status heft_measure_fold(heft_ctx *ctx, const heft_fold_rows *p, const heft_eval_set *set,
                              const double *predicted, heft_eval_fold *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const double *guess = predicted + set->n * set->n_class;
    double       *support, *guessed, *hit, right = 0;
    HEFT_ALLOCS(ctx, &ctx->scratch, set->n_class, support, guessed, hit);
    for (size_t k = 0; k < p->n_test; k++) {
        const size_t i = p->rows[k], c = (size_t)guess[i], y = set->y[i];
        guessed[c]++;
        if (y < set->n_class) support[y]++;
        if (y != c) continue;
        hit[c]++;
        right++;
    }
    out->accuracy = right / (double)p->n_test;
    out->macro_f1 = heft_macro_f1(support, guessed, hit, set->n_class);
    return HEFT_OK;
}

static void heft_fold_rows_clear(heft_fold_rows *p)
{
    heft_table_delete(p->own_train);
    heft_table_delete(p->own_test);
    heft_free(p->rows);
}

static heft_status fit_and_predict(heft_ctx *ctx, heft_eval_run *r, size_t task,
                                   const heft_eval_place *at, heft_eval_group *g)
{
    const heft_eval_set       *set = &r->sets[at->d];
    const heft_table          *table = set->table; /* the table that is divided into folds */
    const heft_results        *res = r->results;
    const heft_config          config = heft_place_config(r, at, res->design.whole);
    heft_eval_fold            *out = &r->folds[task];
    HEFT_OWN(heft_model)      *model = NULL;
    HEFT_LOCAL(heft_fold_rows) p = {0};
    HEFT_FREED double         *fresh = NULL;
    double                    *predicted;
    HEFT_FREED uint32_t       *spot = NULL;
    size_t                     length;
    if (res->design.whole)
        table = r->cells[(r->same_select[at->stage] * res->n_data + at->d) * res->n_method + at->m]
                    .prepared;
    HEFT_CHECK(check_width(ctx, r, at));
    HEFT_CHECK(heft_check_probabilities(ctx, set->table, set->n, set->n_class));
    HEFT_CHECK(split(ctx, r, at, table, &p));
    const double began = heft_work_seconds(ctx);
    HEFT_CHECK(heft_fit_table(ctx, p.train, &config, true, &model));
    out->fit_seconds = heft_work_seconds(ctx) - began;
    const size_t n_model = model->fitted.n_class;
    HEFT_NEW(ctx, spot, n_model);
    HEFT_CHECK(place_classes(ctx, model, table, spot));
    HEFT_NEW(ctx, fresh, heft_times(p.n_test, n_model));
    const double fitted = heft_work_seconds(ctx);
    HEFT_CHECK(heft_is_single(ctx) || model->comm
                   ? heft_posterior(ctx, model, p.test, fresh)
                   : posteriors_by_ranks(ctx, model, p.test, n_model, fresh));
    out->predict_seconds = heft_work_seconds(ctx) - fitted;
    heft_table_delete(p.own_train); /* free memory before the posteriors need it */
    heft_table_delete(p.own_test);
    p.own_train = p.own_test = NULL;
    HEFT_CHECK(heft_predicted_of(ctx, g, set, &predicted, &length));
    heft_put_predicted(model, spot, &p, fresh, set, predicted);
    HEFT_CHECK(heft_measure_fold(ctx, &p, set, predicted, out));
    out->costed = model->decision.cost != NULL;
    return HEFT_OK;
}

size_t heft_task_work(const heft_eval_run *r, size_t d)
{
    return r->sets[d].n * (r->results->sets[d].n_attr + 1);
}

heft_status heft_run_task(heft_ctx *ctx, void *arg, size_t task)
{
    heft_eval_run        *r = arg;
    const heft_results   *res = r->results;
    const heft_host      *host = ctx->host;
    const heft_eval_place at = heft_place_of(r, task);
    const size_t          fold = at.repeat * res->folds + at.fold;
    heft_eval_group      *g = &r->groups[task / res->folds];
    if (res->cells[at.cell].reused) return HEFT_OK;
    heft_status st = heft_check_cancel(ctx);
    if (st != HEFT_OK) return st;
    ctx->host = &r->quiet;
    /* After a failure, later folds are not run. Earlier folds are, so that the failure of the first
     * fold that fails is reported, whatever the order of the threads. */
    if (at.fold < r->sets[at.d].folds && fold < atomic_load(&r->cells[at.cell].failed))
        st = fit_and_predict(ctx, r, task, &at, g);
    if (r->plan->parts) st = heft_comm_end(ctx, st);           /* all ranks get one status */
    if (!heft_stops_evaluation(st)) ctx->error_shared = false; /* the next task may run */
    st = heft_tolerate_failure(ctx, r, at.cell, fold, st);
    if (st == HEFT_OK && !r->dealt) st = heft_finish_group(ctx, r, g, &at);
    ctx->host = host;
    HEFT_CHECK(heft_name_failure(ctx, res->sets[at.d].name, st));
    if (r->dealt) return HEFT_OK;
    if (atomic_fetch_sub(&r->cells[at.cell].left, 1) == 1)
        HEFT_CHECK(heft_finish_cell(ctx, r, at.cell));
    else HEFT_CHECK(heft_resume_save(ctx, r, false, false));
    const size_t size = heft_task_work(r, at.d), done = atomic_fetch_add(&r->done, size) + size;
    heft_progress(ctx, "evaluating", done >= r->work ? 1 : (double)done / (double)r->work);
    return HEFT_OK;
}

/* If there are few tasks for many threads, the tasks run one after another, each with all threads.
 */
heft_status heft_run_all(heft_ctx *ctx, size_t n, heft_task_fn *fn, void *arg)
{
    if (n > (size_t)ctx->threads / 2 && n > 1 && heft_is_single(ctx))
        return heft_run(ctx, n, fn, arg);
    for (size_t i = 0; i < n; i++) HEFT_CHECK(fn(ctx, arg, i));
    return HEFT_OK;
}
