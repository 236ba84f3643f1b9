/* evaluate.c - every data set, method, repeat and fold: fit on the training rows, predict the
 * others. Each of these is one task; what it finds is stored by its number, so the results do not
 * depend on the number of threads or on their order. */
#include <math.h>
#include <string.h>

#include "base/comm.h"
#include "base/num.h"
#include "base/rows.h"
#include "base/structs.h"
#include "eval/running.h"

/* ---- one fold ---- */

place heft_place_of(const run *r, size_t task)
{
    const heft_results *res = r->results;
    const size_t        cell = task / (res->folds * res->repeats), row = cell / res->n_method;
    return (place){.cell = cell,
                   .stage = row / res->n_data,
                   .d = row % res->n_data,
                   .m = cell % res->n_method,
                   .repeat = task / res->folds % res->repeats,
                   .fold = task % res->folds};
}

/* What a method is to do: under `whole` the table is already prepared. */
static heft_config config_of(const run *r, const place *at, bool prepared)
{
    heft_config config = *r->plan->config;
    config.method = r->methods[at->m].method->name;
    config.params = r->methods[at->m].params;
    if (r->select[at->stage]) config.select = r->select[at->stage];
    if (prepared) config.discretize = config.impute = config.scale = config.select = "none";
    return config;
}

static heft_status split(heft_ctx *ctx, const run *r, const place *at, const heft_table *table,
                         parts *out)
{
    const eval_set   *set = &r->sets[at->d];
    const heft_stage *stage = &r->results->stages[at->stage];
    const uint16_t   *fold = set->fold ? set->fold + at->repeat * set->n : NULL;
    const size_t      most = set->n > table->n_rows ? set->n : table->n_rows;
    const uint64_t    draw = at->repeat * r->results->folds + at->fold;
    size_t            n_train = 0;
    out->rows = heft_alloc0(most, sizeof *out->rows);
    if (!out->rows) return heft_no_memory(ctx, most, sizeof *out->rows);
    HEFT_KNOWN(set->test || fold);
    for (size_t i = 0; i < (set->test ? table->n_rows : set->n); i++)
        if (set->test || fold[i] != at->fold) out->rows[n_train++] = i;
    out->train = table;
    if (!set->test || stage->noise > 0 || stage->learn != 1) {
        HEFT_CHECK(heft_stage_learn(ctx, stage, table, draw, out->rows, &n_train));
        HEFT_CHECK(heft_table_take(ctx, table, out->rows, n_train, &out->own_train));
        /* a prior that names classes declares them */
        if (r->plan->config->prior && strchr(r->plan->config->prior, '='))
            out->own_train->target->inferred = false;
        HEFT_CHECK(heft_table_trim_values(ctx, out->own_train));
        if (stage->noise > 0) HEFT_CHECK(heft_stage_noise(ctx, stage, draw, out->own_train));
        out->train = out->own_train;
    }
    for (size_t i = 0; i < set->n; i++)
        if (set->test || fold[i] == at->fold) out->rows[out->n_test++] = i;
    out->test = set->test;
    if (set->test) return HEFT_OK;
    HEFT_CHECK(heft_table_take(ctx, table, out->rows, out->n_test, &out->own_test));
    out->test = out->own_test;
    return HEFT_OK;
}

heft_status heft_predicted_of(heft_ctx *ctx, group *g, const eval_set *set, double **out,
                              size_t *length)
{
    *out = atomic_load(&g->predicted);
    if (!heft_product(set->n, set->n_class + 2, length))
        return heft_no_memory(ctx, set->n, set->n_class + 2);
    if (*out) return HEFT_OK;
    double *fresh = heft_alloc0(*length, sizeof *fresh);
    if (!fresh) return heft_no_memory(ctx, *length, sizeof *fresh);
    if (atomic_compare_exchange_strong(&g->predicted, out, fresh)) *out = fresh;
    else heft_free(fresh);
    return HEFT_OK;
}

/* More attributes than there are would be all of them under another name. */
static heft_status check_width(heft_ctx *ctx, const run *r, const place *at)
{
    const heft_stage *stage = &r->results->stages[at->stage];
    const size_t      n = r->results->sets[at->d].n_attr;
    const char       *text = stage->dimensions;
    double            wanted;
    if (!text || heft_parse_double(text, text + strlen(text), &wanted) != HEFT_NUM_OK)
        return HEFT_OK; /* all, or a share */
    if (wanted <= (double)n) return HEFT_OK;
    return heft_fail(ctx, HEFT_EUNSUPPORTED,
                     "--dimensions: %s attributes were asked for, and the data have %zu (use at "
                     "most %zu)",
                     text, n, n);
}

/* The posteriors of the test rows, of which each rank makes its share; a model that is spread out
 * is asked by all of them for every row. */
static heft_status posteriors_by_ranks(heft_ctx *ctx, const heft_model *model,
                                       const heft_table *test, size_t n_class, double *out)
{
    heft_status  st = HEFT_OK;
    const size_t n = test->n_rows;
    size_t       lo, hi, *rows = NULL;
    heft_table  *mine = NULL;
    heft_all_share(ctx, n, &lo, &hi);
    HEFT_HEAP(ctx, rows, hi - lo);
    for (size_t i = lo; i < hi; i++) rows[i - lo] = i;
    HEFT_TRY(heft_table_take(ctx, test, rows, hi - lo, &mine));
    HEFT_TRY(heft_posterior(ctx, model, mine, out + lo * n_class));
    HEFT_TRY(heft_all_sum(ctx, out, n * n_class)); /* 0 where it is another's */
done:
    heft_free(rows);
    heft_table_free(mine);
    return st;
}

/* Where the classes of a model are among those of the data set. A model can lack classes that its
 * training rows lack, and has no other. */
static heft_status place_classes(heft_ctx *ctx, const heft_model *model, const heft_table *table,
                                 uint32_t *spot)
{
    const heft_dict *own = model->prep.classes, *all = table->target->dict;
    for (uint32_t c = 0; c < heft_dict_size(own); c++) {
        spot[c] = heft_dict_find(all, heft_dict_text(own, c), heft_dict_length(own, c));
        if (spot[c] == HEFT_DICT_NONE)
            return heft_fail(ctx, HEFT_EINVAL,
                             "class '%.100s' of the model to train like is not in the data",
                             heft_dict_text(own, c));
    }
    return HEFT_OK;
}

/* What it costs to predict class `guess` of the model for a row of class `actual`; the largest cost
 * of the matrix where the model does not know the class. */
static double cost_of(const heft_decision *rule, size_t n_class, size_t actual, size_t guess)
{
    double most = 0;
    if (actual < n_class) return rule->cost[actual * n_class + guess];
    for (size_t k = 0; k < n_class * n_class; k++) most = fmax(most, rule->cost[k]);
    return most;
}

size_t heft_put_predicted(const heft_model *model, const uint32_t *spot, const parts *p,
                          const double *fresh, const eval_set *set, double *predicted)
{
    const size_t n_model = model->fitted.n_class, K = set->n_class;
    const bool   costed = model->decision.cost != NULL;
    double      *guess = predicted + set->n * K, *cost = guess + set->n;
    size_t       right = 0;
    for (size_t k = 0; k < p->n_test; k++) {
        const double *row = fresh + k * n_model;
        const size_t  i = p->rows[k], best = heft_decide(&model->decision, row, n_model);
        size_t        actual = 0; /* in the model's order; n_model: it does not know it */
        right += spot[best] == set->y[i];
        for (size_t c = 0; c < n_model; c++) predicted[i * K + spot[c]] = row[c];
        guess[i] = (double)spot[best];
        if (!costed) continue;
        while (actual < n_model && spot[actual] != set->y[i]) actual++;
        cost[i] = cost_of(&model->decision, n_model, actual, best);
    }
    return right;
}

static heft_status fit_and_predict(heft_ctx *ctx, run *r, size_t task, const place *at, group *g)
{
    heft_status         st = HEFT_OK;
    const eval_set     *set = &r->sets[at->d];
    const heft_table   *table = set->table; /* that the folds are cut from */
    const heft_results *res = r->results;
    const heft_config   config = config_of(r, at, res->whole);
    fold_result        *out = &r->folds[task];
    heft_model         *model = NULL;
    parts               p = {0};
    double             *fresh = NULL, *predicted;
    uint32_t           *spot = NULL;
    size_t              cells, length;
    if (res->whole)
        table = r->cells[(r->same_select[at->stage] * res->n_data + at->d) * res->n_method + at->m]
                    .prepared;
    HEFT_TRY(check_width(ctx, r, at));
    HEFT_TRY(heft_check_probabilities(ctx, set->table, set->n, set->n_class));
    HEFT_TRY(split(ctx, r, at, table, &p));
    const double began = heft_work_seconds(ctx);
    HEFT_TRY(heft_fit_table(ctx, p.train, &config, true, &model));
    out->fit_seconds = heft_work_seconds(ctx) - began;
    const size_t n_model = model->fitted.n_class;
    HEFT_HEAP(ctx, spot, n_model);
    HEFT_TRY(place_classes(ctx, model, table, spot));
    if (!heft_product(p.n_test, n_model, &cells)) HEFT_TRY(heft_no_memory(ctx, p.n_test, n_model));
    HEFT_HEAP(ctx, fresh, cells);
    const double fitted = heft_work_seconds(ctx);
    HEFT_TRY(heft_all_here(ctx) || model->comm
                 ? heft_posterior(ctx, model, p.test, fresh)
                 : posteriors_by_ranks(ctx, model, p.test, n_model, fresh));
    out->predict_seconds = heft_work_seconds(ctx) - fitted;
    heft_table_free(p.own_train); /* before the posteriors of all rows take memory */
    heft_table_free(p.own_test);
    p.own_train = p.own_test = NULL;
    HEFT_TRY(heft_predicted_of(ctx, g, set, &predicted, &length));
    out->accuracy =
        (double)heft_put_predicted(model, spot, &p, fresh, set, predicted) / (double)p.n_test;
    out->costed = model->decision.cost != NULL;
done:
    heft_free(fresh);
    heft_free(spot);
    heft_model_free(model);
    heft_table_free(p.own_train);
    heft_table_free(p.own_test);
    heft_free(p.rows);
    return st;
}

/* A method that cannot do a data set does not end the evaluation. */
static bool stops_all(heft_status st)
{
    return st == HEFT_EINVAL || st == HEFT_ENOMEM || st == HEFT_ECANCELLED;
}

heft_status heft_note_failure(heft_ctx *ctx, run *r, size_t cell, size_t fold, const char *why)
{
    fold_result *f = &r->folds[cell * r->results->folds * r->results->repeats + fold];
    f->failure = heft_copy_text(why);
    if (!f->failure) return heft_no_memory(ctx, strlen(why) + 1, 1);
    size_t lowest = atomic_load(&r->cells[cell].failed);
    while (fold < lowest && !atomic_compare_exchange_weak(&r->cells[cell].failed, &lowest, fold))
        continue;
    return HEFT_OK;
}

/* A failure that does not end the evaluation becomes that of the fold. */
static heft_status tolerate(heft_ctx *ctx, run *r, size_t cell, size_t fold, heft_status st)
{
    if (st == HEFT_OK || stops_all(st)) return st;
    return heft_note_failure(ctx, r, cell, fold, ctx->err->text);
}

/* ---- what comes of the folds ---- */

/* Mean and sample standard deviation of the fold accuracies. */
static void sum_folds(const fold_result *folds, size_t n_folds, double *per_fold, heft_cell *out)
{
    const double n = (double)n_folds;
    double       squares = 0;
    out->n_folds = n_folds;
    for (size_t k = 0; k < out->n_folds; k++) {
        per_fold[k] = folds[k].accuracy;
        out->accuracy += folds[k].accuracy / n;
        out->fit_seconds += folds[k].fit_seconds;
        out->predict_seconds += folds[k].predict_seconds;
    }
    out->fit_seconds = rint(out->fit_seconds * 1e6) / 1e6; /* as results are written */
    out->predict_seconds = rint(out->predict_seconds * 1e6) / 1e6;
    for (size_t k = 0; k < out->n_folds; k++)
        squares += (per_fold[k] - out->accuracy) * (per_fold[k] - out->accuracy);
    out->accuracy_sd = out->n_folds > 1 ? sqrt(squares / (n - 1)) : 0;
    out->per_fold = per_fold;
}

/* The measures over all rows of a repeat, averaged over the repeats. */
static void sum_repeats(const group *groups, size_t repeats, const cell_work *work, heft_cell *out)
{
    const double n = (double)repeats;
    const size_t n_confusion = work->confusion ? out->n_classes * out->n_classes : 0;
    double      *measures = work->measures;
    size_t      *confusion = work->confusion, right = 0, rows = 0;
    for (size_t i = 0; i < HEFT_N_MEASURES; i++) measures[i] = 0; /* a damaged file may have */
    for (size_t i = 0; i < n_confusion; i++) confusion[i] = 0;    /* left numbers here       */
    for (size_t c = 0; c < out->n_classes; c++) work->per_class[c] = (heft_class_figures){0};
    for (size_t k = 0; k < repeats; k++) {
        const heft_measures *m = &groups[k].measures;
        right += m->right;
        rows += m->n;
        for (size_t i = 0; i < HEFT_N_MEASURES; i++) measures[i] += m->value[i] / n;
        for (size_t i = 0; i < n_confusion; i++) confusion[i] += groups[k].confusion[i];
        for (size_t c = 0; c < out->n_classes; c++)
            for (size_t i = 0; i < HEFT_N_CLASS_FIGURES; i++)
                *heft_class_figure(&work->per_class[c], i) +=
                    *heft_class_figure(&groups[k].per_class[c], i) / n;
    }
    out->accuracy_pooled = (double)right / (double)rows;
    out->measures = measures;
    out->confusion = confusion;
    out->per_class = work->per_class;
}

/* The intervals of the measures averaged over the repeats: the rows are drawn alike in all. */
static heft_status sum_draws(heft_ctx *ctx, const run *r, const group *groups,
                             const cell_work *work, heft_cell *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t repeats = r->results->repeats;
    double      *v;
    HEFT_ALLOC(ctx, &ctx->scratch, v, HEFT_DRAWS);
    for (size_t i = 0; i < HEFT_N_DRAWN; i++) {
        for (size_t k = 0; k < HEFT_DRAWS; k++) {
            v[k] = 0;
            for (size_t g = 0; g < repeats; g++)
                v[k] += groups[g].draws[k * HEFT_N_DRAWN + i] / (double)repeats;
        }
        heft_percentiles(v, HEFT_DRAWS, heft_results_alpha(r->results), &work->intervals[2 * i],
                         &work->intervals[2 * i + 1]);
    }
    out->intervals = work->intervals;
    return HEFT_OK;
}

static void free_group(group *g)
{
    heft_free(atomic_exchange(&g->predicted, NULL));
    heft_free(g->confusion);
    heft_free(g->per_class);
    heft_free(g->draws);
    g->confusion = NULL;
    g->per_class = NULL;
    g->draws = NULL;
}

size_t heft_n_folds(const run *r, size_t cell)
{
    return r->sets[cell / r->results->n_method % r->results->n_data].folds * r->results->repeats;
}

/* All repeats are measured; no other thread touches the cell. */
heft_status heft_finish_cell(heft_ctx *ctx, run *r, size_t cell)
{
    const heft_results *res = r->results;
    const size_t        per_cell = res->folds * res->repeats;
    heft_cell          *out = &res->cells[cell];
    group              *groups = r->groups + cell * res->repeats;
    if (atomic_load(&r->cells[cell].failed) == SIZE_MAX) {
        sum_folds(r->folds + cell * per_cell, heft_n_folds(r, cell), r->cells[cell].per_fold, out);
        sum_repeats(groups, res->repeats, &r->cells[cell], out);
        if (r->plan->intervals) HEFT_CHECK(sum_draws(ctx, r, groups, &r->cells[cell], out));
        atomic_store(&r->cells[cell].finished, true);
        atomic_store(&r->resume.dirty, true);
    }
    for (size_t k = 0; k < res->repeats; k++) free_group(&groups[k]);
    return heft_resume_save(ctx, r, out->fit_seconds + out->predict_seconds > 1, false);
}

/* The rows of a group that are tested and what was predicted for them: memory from the scratch. */
static heft_status group_outcomes(heft_ctx *ctx, const run *r, const double *predicted,
                                  const place *at, heft_outcomes *out)
{
    const heft_results *res = r->results;
    const eval_set     *set = &r->sets[at->d];
    const fold_result  *folds = &r->folds[(at->cell * res->repeats + at->repeat) * res->folds];
    const uint16_t     *fold = set->fold ? set->fold + at->repeat * set->n : NULL;
    const double       *guess = predicted + set->n * set->n_class;
    uint16_t           *y, *whole;
    HEFT_ALLOCS(ctx, &ctx->scratch, set->n, y, whole);
    for (size_t i = 0; i < set->n; i++) {
        y[i] = !fold || fold[i] < res->folds ? set->y[i] : UINT16_MAX;
        whole[i] = (uint16_t)guess[i];
    }
    *out = (heft_outcomes){.proba = predicted,
                           .y = y,
                           .guess = whole,
                           .cost = folds[0].costed ? guess + set->n : NULL,
                           .n = set->n,
                           .n_class = set->n_class};
    return HEFT_OK;
}

/* The last fold of a group measures it, unless a fold of this repeat or an earlier one failed. What
 * goes wrong here is reported as the failure of the repeat's first fold, whichever was last. */
heft_status heft_finish_group(heft_ctx *ctx, run *r, group *g, const place *at)
{
    heft_status st = HEFT_OK;
    if (atomic_fetch_sub(&g->left, 1) != 1) return HEFT_OK;
    const size_t    folds = r->results->folds, first = at->repeat * folds;
    const eval_set *set = &r->sets[at->d];
    heft_outcomes   rows;
    HEFT_SCRATCH_SCOPE(ctx);
    double *predicted = atomic_exchange(&g->predicted, NULL);
    if (predicted && atomic_load(&r->cells[at->cell].failed) >= first + folds) {
        HEFT_TRY(group_outcomes(ctx, r, predicted, at, &rows));
        HEFT_HEAP(ctx, g->per_class, set->n_class);
        HEFT_TRY(heft_measure(ctx, &rows, &g->measures, g->per_class));
        if (r->draw) {
            HEFT_HEAP(ctx, g->draws, (size_t)HEFT_DRAWS * HEFT_N_DRAWN);
            HEFT_TRY(heft_bootstrap(ctx, &rows, set->y, g->draws));
        }
        if (!r->cells[at->cell].confusion) goto done;
        HEFT_HEAP(ctx, g->confusion, set->n_class * set->n_class);
        heft_confuse(&rows, g->confusion);
    }
done:
    if (st == HEFT_OK && predicted && r->results->kept) {
        r->results->kept[g - r->groups] = predicted;
        predicted = NULL;
    }
    heft_free(predicted);
    return tolerate(ctx, r, at->cell, first, st);
}

/* The work of one fold, by the size of the data. */
static size_t work_of(const run *r, size_t d)
{
    return r->sets[d].n * (r->results->sets[d].n_attr + 1);
}

heft_status heft_run_task(heft_ctx *ctx, void *arg, size_t task)
{
    run                *r = arg;
    const heft_results *res = r->results;
    const heft_host    *host = ctx->host;
    const place         at = heft_place_of(r, task);
    const size_t        fold = at.repeat * res->folds + at.fold;
    group              *g = &r->groups[task / res->folds];
    if (res->cells[at.cell].reused) return HEFT_OK;
    heft_status st = heft_check_cancel(ctx);
    if (st != HEFT_OK) return st;
    ctx->host = &r->quiet;
    /* After a failure later folds need not run; earlier ones do, so that the failure reported is
     * always that of the first. */
    if (at.fold < r->sets[at.d].folds && fold < atomic_load(&r->cells[at.cell].failed))
        st = fit_and_predict(ctx, r, task, &at, g);
    if (r->plan->parts) st = heft_comm_end(ctx, st); /* one outcome on all ranks */
    if (!stops_all(st)) ctx->told = false;           /* the next method is tried */
    st = tolerate(ctx, r, at.cell, fold, st);
    if (st == HEFT_OK && !r->dealt) st = heft_finish_group(ctx, r, g, &at);
    ctx->host = host;
    HEFT_CHECK(heft_name_failure(ctx, res->sets[at.d].name, st));
    if (r->dealt) return HEFT_OK;
    if (atomic_fetch_sub(&r->cells[at.cell].left, 1) == 1)
        HEFT_CHECK(heft_finish_cell(ctx, r, at.cell));
    else HEFT_CHECK(heft_resume_save(ctx, r, false, false));
    const size_t size = work_of(r, at.d), done = atomic_fetch_add(&r->done, size) + size;
    heft_progress(ctx, "evaluating", done >= r->work ? 1 : (double)done / (double)r->work);
    return HEFT_OK;
}

/* ---- all of them ---- */

static heft_status prepare_task(heft_ctx *ctx, void *arg, size_t cell)
{
    run             *r = arg;
    const place      at = heft_place_of(r, cell * r->results->folds * r->results->repeats);
    const heft_host *host = ctx->host;
    const size_t     layer = r->results->n_data * r->results->n_method;
    bool             needed = false; /* by some cell that is still to be computed */
    for (size_t s = 0; s < r->results->n_stage; s++)
        needed |=
            r->same_select[s] == at.stage && !r->results->cells[s * layer + cell % layer].reused;
    heft_status st = heft_check_cancel(ctx);
    if (st == HEFT_OK && !needed) return HEFT_OK;
    ctx->host = &r->quiet;
    const heft_config config = config_of(r, &at, false);
    if (st == HEFT_OK)
        st = heft_prepare_whole(ctx, r->sets[at.d].table, &config, &r->cells[cell].prepared);
    st = tolerate(ctx, r, cell, 0, st);
    ctx->host = host;
    return heft_name_failure(ctx, r->results->sets[at.d].name, st);
}

/* With few tasks for many threads the tasks go one by one and share the threads inside. */
heft_status heft_run_all(heft_ctx *ctx, size_t n, heft_task_fn *fn, void *arg)
{
    if (n > (size_t)ctx->threads / 2 && n > 1 && heft_all_here(ctx))
        return heft_run(ctx, n, fn, arg);
    for (size_t i = 0; i < n; i++) HEFT_CHECK(fn(ctx, arg, i));
    return HEFT_OK;
}

heft_status heft_make_cells(heft_ctx *ctx, run *r)
{
    heft_results *res = r->results;
    const size_t  per_cell = res->folds * res->repeats;
    size_t        n_groups;
    if (!heft_product(res->n_data, res->n_method, &r->n_cells) ||
        !heft_product(r->n_cells, res->n_stage, &r->n_cells) ||
        !heft_product(r->n_cells, res->repeats, &n_groups) ||
        !heft_product(n_groups, res->folds, &r->n_tasks))
        return heft_fail(ctx, HEFT_EINVAL,
                         "there are too many data sets, methods, repeats and folds");
    HEFT_ALLOCS(ctx, &res->arena, r->n_cells, res->cells, r->cells);
    HEFT_ALLOC(ctx, &res->arena, r->groups, n_groups);
    r->folds = heft_alloc0(r->n_tasks, sizeof *r->folds);
    if (!r->folds) return heft_no_memory(ctx, r->n_tasks, sizeof *r->folds);
    for (size_t g = 0; g < n_groups; g++) atomic_init(&r->groups[g].left, res->folds);
    if (r->plan->keep_predictions) {
        HEFT_ALLOC(ctx, &res->arena, res->kept, n_groups);
        res->n_kept = n_groups;
    }
    for (size_t c = 0; c < r->n_cells; c++) {
        const size_t d = c / res->n_method % res->n_data, k = res->sets[d].n_class;
        cell_work   *work = &r->cells[c];
        res->cells[c] = (heft_cell){.dataset = res->sets[d].name,
                                    .method = res->methods[c % res->n_method],
                                    .n_classes = k,
                                    .classes = res->sets[d].classes};
        atomic_init(&work->failed, SIZE_MAX);
        atomic_init(&work->left, per_cell);
        atomic_init(&work->finished, false);
        HEFT_ALLOC(ctx, &res->arena, work->per_fold, per_cell);
        HEFT_ALLOC(ctx, &res->arena, work->measures, HEFT_N_MEASURES);
        HEFT_ALLOC(ctx, &res->arena, work->per_class, k);
        if (r->plan->intervals) HEFT_ALLOC(ctx, &res->arena, work->intervals, 2 * HEFT_N_DRAWN);
        if (k <= HEFT_MOST_CONFUSED) HEFT_ALLOC(ctx, &res->arena, work->confusion, k * k);
    }
    return HEFT_OK;
}

static heft_status run_cells(heft_ctx *ctx, run *r)
{
    heft_status         st = HEFT_OK;
    const heft_comm    *comm = ctx->comm;
    const heft_results *res = r->results;
    const size_t        per_cell = res->folds * res->repeats, layer = res->n_data * res->n_method;
    HEFT_TRY(heft_make_cells(ctx, r));
    HEFT_TRY(heft_resume_read(ctx, r));
    for (size_t c = 0; c < r->n_cells; c++) {
        const size_t size = work_of(r, c / res->n_method % res->n_data) * per_cell;
        r->work += size;
        if (res->cells[c].reused) atomic_fetch_add(&r->done, size);
    }
    if (ctx->host) {
        r->quiet = (heft_host){.cancelled = ctx->host->cancelled, .user = ctx->host->user};
        if (res->tested) r->quiet.log = ctx->host->log;
        if (r->n_tasks == 1) r->quiet.progress = ctx->host->progress;
    }
    r->dealt = !heft_all_here(ctx) && !r->plan->parts;
    if (r->dealt) ctx->comm = NULL; /* every rank has all rows */
    if (res->whole) HEFT_TRY(heft_run_all(ctx, r->n_cells, prepare_task, r));
    for (size_t c = 0; res->whole && c < r->n_cells; c++) {
        /* what could not be prepared fails in every stage that would have used it */
        const size_t from = r->same_select[c / layer] * layer + c % layer;
        if (from != c && atomic_load(&r->cells[from].failed) == 0)
            HEFT_TRY(heft_note_failure(ctx, r, c, 0, r->folds[from * per_cell].failure));
    }
    ctx->comm = comm;
    HEFT_TRY(r->dealt ? heft_run_dealt(ctx, r) : heft_run_all(ctx, r->n_tasks, heft_run_task, r));
done:
    ctx->comm = comm;
    return st;
}

void heft_run_clear(run *r)
{
    const heft_results *res = r->results;
    for (size_t c = 0; r->cells && c < r->n_cells; c++) heft_table_free(r->cells[c].prepared);
    for (size_t g = 0; r->groups && g < r->n_cells * res->repeats; g++) free_group(&r->groups[g]);
    for (size_t t = 0; r->folds && t < r->n_tasks; t++) heft_free(r->folds[t].failure);
    for (size_t k = 0; r->sets && k < 3 * res->n_data; k++)
        heft_table_free(r->sets[k / 3].owned[k % 3]);
    heft_free(r->folds);
}

heft_status heft_name_failures(heft_ctx *ctx, run *r)
{
    for (size_t c = 0; c < r->n_cells; c++) {
        const size_t failed = atomic_load(&r->cells[c].failed), folds = r->n_tasks / r->n_cells;
        if (failed == SIZE_MAX || r->results->cells[c].reused) continue;
        HEFT_CHECK(heft_text_in(ctx, &r->results->arena, r->folds[c * folds + failed].failure,
                                &r->results->cells[c].failure));
        atomic_store(&r->cells[c].finished, true);
        atomic_store(&r->resume.dirty, true);
    }
    return HEFT_OK;
}

heft_status heft_evaluate(const heft_table *const *data, const char *const *names, size_t n_data,
                          const heft_eval_plan *plan, heft_results **out, heft_error *err)
{
    heft_status    st = HEFT_OK;
    heft_eval_plan own;
    heft_config    config;
    run            r = {.plan = &own};
    heft_ctx       ctx;
    if (out) *out = NULL;
    heft_ctx_init(&ctx, err, 1, 0, NULL);
    HEFT_TRY(heft_struct_take(&ctx, HEFT_STRUCT(heft_eval_plan, parts), plan, &own));
    HEFT_TRY(heft_struct_take(&ctx, HEFT_CONFIG, own.config, &config));
    own.config = &config;
    HEFT_TRY(heft_ctx_open(&ctx, err, config.run));
    if (!data || !n_data || !out)
        HEFT_TRY(heft_fail(&ctx, HEFT_EINVAL,
                           "heft_evaluate needs a data set and a place for the results"));
    for (size_t d = 0; d < n_data; d++)
        if (!data[d])
            HEFT_TRY(heft_fail(&ctx, HEFT_EINVAL, "data set %zu of %zu is NULL", d + 1, n_data));
    HEFT_HEAP(&ctx, r.results, 1);
    r.results->n_data = n_data;
    HEFT_TRY(heft_read_plan(&ctx, &r));
    HEFT_TRY(heft_read_sets(&ctx, &r, data, names));
    r.draw = own.intervals;
    HEFT_TRY(run_cells(&ctx, &r));
    HEFT_TRY(heft_name_failures(&ctx, &r));
done:
    if (r.cells && st == HEFT_OK) {
        atomic_store(&r.resume.dirty, true);
        st = heft_resume_save(&ctx, &r, false, true);
    } else if (r.cells) { /* what was finished stays; the first thing that went wrong is reported */
        const heft_error said = *ctx.err;
        (void)heft_resume_save(&ctx, &r, false, true);
        *ctx.err = said;
    }
    st = heft_comm_end(&ctx, st);
    heft_run_clear(&r);
    HEFT_KNOWN(st != HEFT_OK || out);
    if (st == HEFT_OK) *out = r.results, r.results = NULL;
    heft_results_free(r.results);
    heft_ctx_clear(&ctx);
    return st;
}
