/* evaluate.c - every data set, method, repeat and fold: fit on the training rows, judge on the
 * others. Each of these is one task; what it finds is stored by its number, so the results do not
 * depend on how many threads there are or which was first. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/comm.h"
#include "base/num.h"
#include "base/rows.h"
#include "base/text.h"
#include "data/unite.h"
#include "eval/eval.h"
#include "methods/fit.h"

typedef struct entrant { /* one method with its parameters */
    const heft_method *method;
    const char       **params; /* the trial's, then its own, which win */
} entrant;

typedef struct arena_set {   /* one data set */
    const heft_table *table; /* rows of known class; joined with the test rows under `whole` */
    const heft_table *test;  /* rows of known class; NULL: the test rows are by fold */
    heft_table       *owned[3];
    size_t            n, n_class; /* rows measured over, and the classes they may have */
    uint16_t         *y;          /* n; UINT16_MAX: a row that is only trained on */
    uint16_t         *fold;       /* repeats x n; NULL with `test` */
} arena_set;

typedef struct group {       /* the folds of one data set, method and repeat */
    _Atomic(double *) proba; /* n x n_class: made by the first fold to need it, freed by the last */
    atomic_size_t     left;
    heft_measures     measures;
} group;

typedef struct fold_result {
    double accuracy, fit_seconds, predict_seconds;
    char  *failure; /* heap */
} fold_result;

typedef struct run {
    const heft_trial *trial;
    heft_results     *results;
    entrant          *entrants;
    arena_set        *sets;
    heft_table      **prepared; /* n_data x n_method, under `whole` */
    group            *groups;   /* n_data x n_method x repeats */
    fold_result      *folds;    /* n_data x n_method x repeats x folds: the tasks */
    atomic_size_t    *failed;   /* n_data x n_method: lowest fold that failed, SIZE_MAX: none */
    size_t            n_tasks;
    atomic_size_t     n_done;
    heft_talk         quiet; /* what methods inside the tasks may say to the host */
    bool              dealt; /* other ranks have other folds: groups are finished with them */
    size_t            first; /* task of the wave at hand, for this rank's share of it */
    size_t            rank, size;
} run;

/* ---- what is asked for ---- */

static heft_status text_in(heft_ctx *ctx, heft_arena *arena, const char *text, char **out)
{
    *out = heft_arena_text(arena, text);
    return *out ? HEFT_OK : heft_no_memory(ctx, strlen(text) + 1, 1);
}

/* "name:a=1:b=2" with the trial's parameters before its own. */
static heft_status read_entrant(heft_ctx *ctx, const heft_trial *trial, heft_arena *arena,
                                const char *label, entrant *out)
{
    heft_status st = HEFT_OK;
    size_t      n_shared = 0, n = 0;
    char       *copy;
    heft_value *values;
    HEFT_TRY(text_in(ctx, arena, label, &copy));
    while (trial->config.params && trial->config.params[n_shared]) n_shared++;
    for (const char *s = copy; *s; s++) n += *s == ':';
    HEFT_ARENA(ctx, arena, out->params, n_shared + n + 1);
    for (size_t k = 0; k < n_shared; k++)
        HEFT_TRY(text_in(ctx, arena, trial->config.params[k], (char **)(void *)&out->params[k]));
    n = n_shared;
    for (char *at = strchr(copy, ':'); at; at = strchr(at, ':')) {
        *at++ = 0;
        out->params[n++] = at;
    }
    HEFT_TRY(heft_method_of(ctx, copy, &out->method));
    HEFT_TRY(heft_params_parse(ctx, out->method, out->params, true, &ctx->scratch, &values));
    HEFT_TRY(
        heft_params_parse(ctx, out->method, out->params + n_shared, false, &ctx->scratch, &values));
done:
    return st;
}

/* Every parameter given to all methods must belong to one of them. */
static heft_status check_shared(heft_ctx *ctx, const run *r)
{
    const char *const *params = r->trial->config.params;
    for (; params && *params; params++) {
        bool known = false;
        for (size_t m = 0; m < r->results->n_method; m++)
            known = known || heft_params_known(r->entrants[m].method, *params);
        if (!known)
            return heft_fail(ctx, HEFT_EINVAL,
                             "no method of this evaluation has a parameter '%.*s'",
                             (int)strcspn(*params, "="), *params);
    }
    return HEFT_OK;
}

static heft_status read_methods(heft_ctx *ctx, run *r)
{
    heft_status        st = HEFT_OK;
    heft_results      *res = r->results;
    const char        *only[2] = {r->trial->config.method, NULL};
    const char *const *labels = r->trial->methods;
    if (!only[0]) only[0] = HEFT_DEFAULT_METHOD;
    if (!labels || !labels[0]) labels = only;
    while (labels[res->n_method]) res->n_method++;
    HEFT_ARENA(ctx, &res->arena, res->methods, res->n_method);
    HEFT_ARENA(ctx, &res->arena, r->entrants, res->n_method);
    for (size_t m = 0; m < res->n_method; m++) {
        char *label;
        for (size_t k = 0; k < m; k++)
            if (strcmp(res->methods[k], labels[m]) == 0)
                HEFT_TRY(heft_fail(ctx, HEFT_EINVAL, "method '%.80s' is listed twice", labels[m]));
        HEFT_TRY(read_entrant(ctx, r->trial, &res->arena, labels[m], &r->entrants[m]));
        HEFT_TRY(text_in(ctx, &res->arena, labels[m], &label));
        res->methods[m] = label;
    }
    HEFT_TRY(check_shared(ctx, r));
done:
    return st;
}

static heft_status read_trial(heft_ctx *ctx, run *r)
{
    const heft_trial *t = r->trial;
    heft_results     *res = r->results;
    if (t->protocol && strcmp(t->protocol, "honest") != 0 && strcmp(t->protocol, "whole") != 0)
        return heft_fail(ctx, HEFT_EINVAL, "protocol '%.60s': it is honest or whole", t->protocol);
    if (t->split && strcmp(t->split, "heft") != 0 && strcmp(t->split, "weka") != 0)
        return heft_fail(ctx, HEFT_EINVAL, "split '%.60s': it is heft or weka", t->split);
    if (t->folds < 0 || t->repeats < 0)
        return heft_fail(ctx, HEFT_EINVAL, "%d folds, %d repeats: they cannot be negative",
                         t->folds, t->repeats);
    if (t->test && t->folds_file)
        return heft_fail(ctx, HEFT_EINVAL, "a test table and a file of folds exclude each other");
    if (t->test && res->n_data != 1)
        return heft_fail(ctx, HEFT_EINVAL, "a test table goes with one data set, not with %zu",
                         res->n_data);
    res->whole = t->protocol && strcmp(t->protocol, "whole") == 0;
    if (t->parts && (!t->test || res->whole))
        return heft_fail(ctx, HEFT_EINVAL,
                         "parts of the training rows go with a test table and the honest protocol");
    res->from_file = t->folds_file != NULL;
    res->tested = t->test != NULL;
    res->weka = !res->from_file && !res->tested && t->split && strcmp(t->split, "weka") == 0;
    res->folds = res->tested ? 1 : t->folds ? (size_t)t->folds : 10;
    res->repeats = res->tested || !t->repeats ? 1 : (size_t)t->repeats;
    res->seed = ctx->seed;
    return HEFT_OK;
}

/* ---- data sets ---- */

/* rows[0 .. *n-1]: those of known class. */
static heft_status known_rows(heft_ctx *ctx, const heft_table *table, bool part, size_t *rows,
                              size_t *n)
{
    if (!table->target)
        return heft_fail(ctx, HEFT_EINVAL, "there is no class column (name one with --target)");
    const size_t n_class = heft_dict_size(table->target->dict);
    *n = 0;
    if (n_class >= UINT16_MAX)
        return heft_fail(ctx, HEFT_EINVAL, "column '%.100s' has %zu classes: is it the class?",
                         table->target->name, n_class);
    for (size_t i = 0; i < table->n_rows; i++)
        if (heft_code_at(table->target->cells, table->target->width, i) < n_class) rows[(*n)++] = i;
    if (*n == 0 && !part) return heft_fail(ctx, HEFT_EINVAL, "no row has a class");
    return HEFT_OK;
}

/* The rows of known class of a table: itself, or a copy that goes to *owned. */
static heft_status only_known(heft_ctx *ctx, const heft_table *table, bool part, size_t *rows,
                              size_t *n, heft_table **owned, const heft_table **out)
{
    heft_status st = HEFT_OK;
    *out = table;
    HEFT_TRY(known_rows(ctx, table, part, rows, n));
    if (*n == table->n_rows) return HEFT_OK;
    heft_say(ctx, HEFT_WARNING, "%s: %zu of %zu rows have no class and are left out",
             table->name ? table->name : "table", table->n_rows - *n, table->n_rows);
    HEFT_TRY(heft_table_take(ctx, table, rows, *n, owned));
    *out = *owned;
done:
    return st;
}

/* Each fold needs a row to test and one to train on. */
static heft_status check_used(heft_ctx *ctx, const uint16_t *fold, size_t n, size_t folds)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    size_t         *count;
    HEFT_ARENA(ctx, &ctx->scratch, count, folds);
    for (size_t i = 0; i < n; i++) count[fold[i]]++;
    for (size_t f = 0; f < folds; f++)
        if (count[f] == 0 || count[f] == n)
            HEFT_TRY(heft_fail(ctx, HEFT_EINVAL,
                               "fold %zu holds %zu of the %zu rows of known class", f, count[f],
                               n));
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

/* The file has a line for every row, also those without a class. */
static heft_status folds_from_file(heft_ctx *ctx, run *r, arena_set *set, size_t n_rows,
                                   const size_t *rows)
{
    heft_status   st = HEFT_OK;
    heft_results *res = r->results;
    uint16_t     *all;
    HEFT_TRY(heft_folds_file(ctx, r->trial->folds_file, n_rows, &res->arena, &res->repeats, &all,
                             &res->folds));
    set->fold = all; /* packed in place: repeat by repeat, known rows only */
    for (size_t k = 0; k < res->repeats; k++) {
        for (size_t i = 0; i < set->n; i++) set->fold[k * set->n + i] = all[k * n_rows + rows[i]];
        HEFT_TRY(check_used(ctx, set->fold + k * set->n, set->n, res->folds));
    }
done:
    return st;
}

static heft_status make_folds(heft_ctx *ctx, run *r, arena_set *set, size_t n_rows,
                              const size_t *rows)
{
    heft_status         st = HEFT_OK;
    const heft_results *res = r->results;
    size_t              cells;
    if (res->from_file) return folds_from_file(ctx, r, set, n_rows, rows);
    if (!heft_product(res->repeats, set->n, &cells))
        return heft_no_memory(ctx, res->repeats, set->n);
    HEFT_ARENA(ctx, &r->results->arena, set->fold, cells);
    for (size_t k = 0; k < res->repeats; k++) {
        uint16_t *fold = set->fold + k * set->n;
        HEFT_TRY(res->weka ? heft_folds_weka(ctx, set->y, set->n, res->folds, res->seed + k, fold)
                           : heft_folds_stratified(ctx, set->y, set->n, set->n_class, res->folds,
                                                   res->seed, k, fold));
    }
done:
    return st;
}

static void copy_classes(const heft_table *table, uint16_t *y)
{
    for (size_t i = 0; i < table->n_rows; i++)
        y[i] = (uint16_t)heft_code_at(table->target->cells, table->target->width, i);
}

/* The test rows' classes in the training table's order; classes it does not know follow it: no
 * prediction can be right for them. */
static heft_status match_classes(heft_ctx *ctx, const heft_dict *known, arena_set *set)
{
    heft_status        st = HEFT_OK;
    const heft_column *target = set->test->target;
    uint16_t          *place;
    HEFT_ARENA(ctx, &ctx->scratch, place, heft_dict_size(target->dict));
    for (uint32_t c = 0; c < heft_dict_size(target->dict); c++) {
        const uint32_t code = heft_dict_find(known, heft_dict_text(target->dict, c),
                                             heft_dict_length(target->dict, c));
        place[c] = code == HEFT_DICT_NONE ? UINT16_MAX : (uint16_t)code;
    }
    for (size_t i = 0; i < set->n; i++) {
        uint16_t *c = &place[heft_code_at(target->cells, target->width, i)];
        if (*c == UINT16_MAX && set->n_class == UINT16_MAX - 1)
            return heft_fail(ctx, HEFT_EUNSUPPORTED, "the two tables have too many classes");
        if (*c == UINT16_MAX) *c = (uint16_t)set->n_class++;
        set->y[i] = *c;
    }
done:
    return st;
}

/* Train on the data, test on another table. Under `whole` both become one, in two folds of which
 * the first is tested. */
static heft_status add_test(heft_ctx *ctx, run *r, arena_set *set)
{
    heft_status  st = HEFT_OK;
    heft_arena  *arena = &r->results->arena;
    size_t      *rows = NULL;
    const size_t n_train = set->table->n_rows;
    HEFT_HEAP(ctx, rows, r->trial->test->n_rows);
    HEFT_TRY(only_known(ctx, r->trial->test, false, rows, &set->n, &set->owned[1], &set->test));
    if (!r->results->whole) {
        HEFT_ARENA(ctx, arena, set->y, set->n);
        HEFT_TRY(match_classes(ctx, set->table->target->dict, set));
        goto done;
    }
    HEFT_TRY(heft_table_join(ctx, set->table, set->test, &set->owned[2]));
    set->table = set->owned[2];
    set->test = NULL;
    set->n = set->table->n_rows;
    set->n_class = heft_dict_size(set->table->target->dict);
    if (set->n_class >= UINT16_MAX)
        HEFT_TRY(heft_fail(ctx, HEFT_EUNSUPPORTED, "the two tables have too many classes"));
    HEFT_ARENA(ctx, arena, set->y, set->n);
    HEFT_ARENA(ctx, arena, set->fold, set->n);
    copy_classes(set->table, set->y);
    for (size_t i = 0; i < n_train; i++) set->y[i] = UINT16_MAX, set->fold[i] = 1;
done:
    heft_free(rows);
    return st;
}

static heft_status add_set(heft_ctx *ctx, run *r, const heft_table *table, arena_set *set)
{
    heft_status st = HEFT_OK;
    size_t     *rows = NULL;
    if (r->trial->parts) HEFT_TRY(heft_table_united(ctx, table, &set->owned[2]));
    if (set->owned[2]) table = set->owned[2];
    HEFT_HEAP(ctx, rows, table->n_rows);
    HEFT_TRY(only_known(ctx, table, r->trial->parts, rows, &set->n, &set->owned[0], &set->table));
    set->n_class = heft_dict_size(table->target->dict);
    if (r->trial->test) {
        HEFT_TRY(add_test(ctx, r, set));
        goto done;
    }
    HEFT_ARENA(ctx, &r->results->arena, set->y, set->n);
    copy_classes(set->table, set->y);
    HEFT_TRY(make_folds(ctx, r, set, table->n_rows, rows));
done:
    heft_free(rows);
    return st;
}

/* Put the name of the data set before what went wrong with it. */
static heft_status name_failure(heft_ctx *ctx, const char *name, heft_status st)
{
    char shown[80], text[sizeof ctx->err->text];
    if (st == HEFT_OK || st == HEFT_ENOMEM || st == HEFT_ECANCELLED) return st;
    memcpy(text, ctx->err->text, sizeof text);
    heft_show(shown, sizeof shown, name, strlen(name), 60);
    if (strncmp(text, shown, strlen(shown)) == 0) return st;
    return heft_fail(ctx, st, "%s: %.400s", shown, text);
}

static heft_status read_sets(heft_ctx *ctx, run *r, const heft_table *const *data,
                             const char *const *names)
{
    heft_status   st = HEFT_OK;
    heft_results *res = r->results;
    HEFT_ARENA(ctx, &res->arena, res->sets, res->n_data);
    HEFT_ARENA(ctx, &res->arena, r->sets, res->n_data);
    for (size_t d = 0; d < res->n_data; d++) {
        char       *name;
        const char *given = names && names[d] ? names[d] : data[d]->name ? data[d]->name : "data";
        HEFT_TRY(text_in(ctx, &res->arena, given, &name));
        HEFT_TRY(name_failure(ctx, name, add_set(ctx, r, data[d], &r->sets[d])));
        res->sets[d] = (heft_results_set){name, r->sets[d].n, data[d]->n_cols, r->sets[d].n_class};
        int64_t trained = (int64_t)r->sets[d].table->n_rows;
        if (r->trial->parts) HEFT_TRY(heft_comm_add(ctx, &trained, 1));
        if (r->sets[d].test) res->sets[d].n_rows += (size_t)trained;
    }
done:
    return st;
}

/* ---- one fold ---- */

/* What a method is to do: under `whole` the table is already prepared. */
static heft_config config_of(const run *r, const heft_ctx *ctx, size_t m, bool prepared)
{
    heft_config config = r->trial->config;
    config.method = r->entrants[m].method->name;
    config.params = r->entrants[m].params;
    config.seed = ctx->seed;
    config.threads = ctx->threads;
    config.talk = ctx->talk;
    if (prepared) config.discretize = config.impute = config.scale = config.select = "none";
    return config;
}

/* Processor time of this thread; the time on the clock where the rows are shared by several. */
static double seconds(const heft_ctx *ctx)
{
    struct timespec t;
    clock_gettime(ctx->threads > 1 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct parts { /* one fold's rows */
    const heft_table *train, *test;
    heft_table       *own_train, *own_test;
    size_t           *rows; /* rows[k]: where test row k stands in the data set */
    size_t            n_test;
} parts;

static void parts_clear(parts *p)
{
    heft_table_free(p->own_train);
    heft_table_free(p->own_test);
    heft_free(p->rows);
}

static heft_status split(heft_ctx *ctx, const arena_set *set, const heft_table *table,
                         const uint16_t *fold, size_t f, parts *out)
{
    heft_status st = HEFT_OK;
    size_t      n_train = 0;
    HEFT_HEAP(ctx, out->rows, set->n);
    if (set->test) {
        for (size_t i = 0; i < set->n; i++) out->rows[i] = i;
        out->n_test = set->n;
        out->train = table;
        out->test = set->test;
        return HEFT_OK;
    }
    for (size_t i = 0; i < set->n; i++)
        if (fold[i] != f) out->rows[n_train++] = i;
    HEFT_TRY(heft_table_take(ctx, table, out->rows, n_train, &out->own_train));
    for (size_t i = 0; i < set->n; i++)
        if (fold[i] == f) out->rows[out->n_test++] = i;
    HEFT_TRY(heft_table_take(ctx, table, out->rows, out->n_test, &out->own_test));
    out->train = out->own_train;
    out->test = out->own_test;
done:
    return st;
}

/* The group's array of posteriors; several folds may ask for it at once. */
static heft_status posteriors_of(heft_ctx *ctx, group *g, const arena_set *set, double **out)
{
    size_t cells;
    *out = atomic_load(&g->proba);
    if (*out) return HEFT_OK;
    if (!heft_product(set->n, set->n_class, &cells))
        return heft_no_memory(ctx, set->n, set->n_class);
    double *fresh = heft_alloc0(cells, sizeof *fresh);
    if (!fresh) return heft_no_memory(ctx, cells, sizeof *fresh);
    if (atomic_compare_exchange_strong(&g->proba, out, fresh)) *out = fresh;
    else heft_free(fresh);
    return HEFT_OK;
}

/* Put the posteriors of the test rows in their places; share of them that is right. */
static double place_posteriors(const parts *p, const arena_set *set, const double *from,
                               size_t n_model, double *to)
{
    size_t right = 0;
    for (size_t k = 0; k < p->n_test; k++) {
        const double *row = from + k * n_model;
        right += heft_argmax(row, n_model) == set->y[p->rows[k]];
        memcpy(to + p->rows[k] * set->n_class, row, n_model * sizeof *row);
    }
    return (double)right / (double)p->n_test;
}

/* The posteriors of the test rows, of which each rank makes its share; a model that is spread out
 * is asked by all of them for every row. */
static heft_status posteriors_by_ranks(heft_ctx *ctx, const heft_model *model,
                                       const heft_table *test, size_t n_class, double *out)
{
    heft_status  st = HEFT_OK;
    const size_t rank = heft_comm_rank(ctx), size = heft_comm_size(ctx), n = test->n_rows;
    const size_t lo = n * rank / size, hi = n * (rank + 1) / size;
    size_t      *rows = NULL;
    heft_table  *mine = NULL;
    if (size == 1 || model->comm) return heft_posterior(ctx, model, test, out);
    HEFT_HEAP(ctx, rows, hi - lo);
    for (size_t i = lo; i < hi; i++) rows[i - lo] = i;
    HEFT_TRY(heft_table_take(ctx, test, rows, hi - lo, &mine));
    HEFT_TRY(heft_posterior(ctx, model, mine, out + lo * n_class));
    HEFT_TRY(heft_comm_sum(ctx, out, n * n_class)); /* 0 where it is another's */
done:
    heft_free(rows);
    heft_table_free(mine);
    return st;
}

static heft_status fit_and_judge(heft_ctx *ctx, run *r, size_t task, group *g)
{
    heft_status         st = HEFT_OK;
    const heft_results *res = r->results;
    const size_t        f = task % res->folds, k = task / res->folds % res->repeats;
    const size_t        cell = task / (res->folds * res->repeats);
    const size_t        m = cell % res->n_method, d = cell / res->n_method;
    const arena_set    *set = &r->sets[d];
    const heft_table   *table = res->whole ? r->prepared[cell] : set->table;
    const heft_config   config = config_of(r, ctx, m, res->whole);
    fold_result        *out = &r->folds[task];
    heft_model         *model = NULL;
    parts               p = {0};
    double             *fresh = NULL, *proba;
    HEFT_TRY(split(ctx, set, table, set->fold ? set->fold + k * set->n : NULL, f, &p));
    const double began = seconds(ctx);
    HEFT_TRY(heft_fit_table(ctx, p.train, &config, true, &model));
    out->fit_seconds = seconds(ctx) - began;
    const size_t n_model = heft_dict_size(table->target->dict);
    size_t       cells;
    if (!heft_product(p.n_test, n_model, &cells)) HEFT_TRY(heft_no_memory(ctx, p.n_test, n_model));
    HEFT_HEAP(ctx, fresh, cells);
    const double fitted = seconds(ctx);
    HEFT_TRY(posteriors_by_ranks(ctx, model, p.test, n_model, fresh));
    out->predict_seconds = seconds(ctx) - fitted;
    HEFT_TRY(posteriors_of(ctx, g, set, &proba));
    out->accuracy = place_posteriors(&p, set, fresh, n_model, proba);
done:
    heft_free(fresh);
    heft_model_free(model);
    parts_clear(&p);
    return st;
}

/* A method that cannot do a data set does not end the evaluation. */
static bool stops_all(heft_status st)
{
    return st == HEFT_EINVAL || st == HEFT_ENOMEM || st == HEFT_ECANCELLED;
}

static heft_status note_failure(heft_ctx *ctx, run *r, size_t task, size_t cell, size_t fold)
{
    r->folds[task].failure = heft_copy_text(ctx->err->text);
    if (!r->folds[task].failure) return heft_no_memory(ctx, sizeof ctx->err->text, 1);
    size_t lowest = atomic_load(&r->failed[cell]);
    while (fold < lowest && !atomic_compare_exchange_weak(&r->failed[cell], &lowest, fold))
        continue;
    return HEFT_OK;
}

/* The last fold of a group measures it, unless a fold of this repeat or an earlier one failed. What
 * goes wrong here is told as the failure of the repeat's first fold, whichever fold was last. */
static heft_status finish_group(heft_ctx *ctx, run *r, group *g, size_t cell, size_t repeat)
{
    heft_status st = HEFT_OK;
    if (atomic_fetch_sub(&g->left, 1) != 1) return HEFT_OK;
    const size_t     folds = r->results->folds, first = repeat * folds;
    const arena_set *set = &r->sets[cell / r->results->n_method];
    double          *proba = atomic_exchange(&g->proba, NULL);
    if (proba && atomic_load(&r->failed[cell]) >= first + folds)
        st = heft_measure(ctx, proba, set->y, set->n, set->n_class, &g->measures);
    if (st != HEFT_OK && !stops_all(st))
        st = note_failure(ctx, r, cell * folds * r->results->repeats + first, cell, first);
    heft_free(proba);
    return st;
}

static heft_status run_task(heft_ctx *ctx, void *arg, size_t task)
{
    heft_status         st = HEFT_OK;
    run                *r = arg;
    const heft_results *res = r->results;
    const heft_talk    *talk = ctx->talk;
    const size_t        per_cell = res->folds * res->repeats, cell = task / per_cell,
                 fold = task % per_cell;
    group *g = &r->groups[task / res->folds];
    HEFT_TRY(heft_check_cancel(ctx));
    ctx->talk = &r->quiet;
    /* After a failure later folds need not run; earlier ones do, so that the failure told is
     * always that of the first. */
    if (fold < atomic_load(&r->failed[cell])) st = fit_and_judge(ctx, r, task, g);
    if (r->trial->parts) st = heft_comm_end(ctx, st); /* one outcome on all ranks */
    if (!stops_all(st)) ctx->told = false;            /* the next method is tried */
    if (st != HEFT_OK && !stops_all(st)) st = note_failure(ctx, r, task, cell, fold);
    if (st == HEFT_OK && !r->dealt) st = finish_group(ctx, r, g, cell, fold / res->folds);
    ctx->talk = talk;
    HEFT_TRY(name_failure(ctx, res->sets[cell / res->n_method].name, st));
    heft_progress(ctx, "evaluating",
                  (double)(atomic_fetch_add(&r->n_done, 1) + 1) / (double)r->n_tasks);
done:
    return st;
}

/* ---- all of them ---- */

static heft_status prepare_task(heft_ctx *ctx, void *arg, size_t cell)
{
    run             *r = arg;
    const size_t     m = cell % r->results->n_method, d = cell / r->results->n_method;
    const heft_talk *talk = ctx->talk;
    heft_status      st = heft_check_cancel(ctx);
    ctx->talk = &r->quiet;
    const heft_config config = config_of(r, ctx, m, false);
    if (st == HEFT_OK) st = heft_prepare_whole(ctx, r->sets[d].table, &config, &r->prepared[cell]);
    if (st != HEFT_OK && !stops_all(st))
        st = note_failure(ctx, r, cell * r->results->folds * r->results->repeats, cell, 0);
    ctx->talk = talk;
    return name_failure(ctx, r->results->sets[d].name, st);
}

/* ---- folds dealt out to ranks ---- */

typedef struct outcome { /* of one task, as ranks tell one another */
    uint64_t task;
    double   accuracy, fit_seconds, predict_seconds;
    uint64_t failed;
    char     failure[sizeof((heft_error *)0)->text];
} outcome;

/* Task i of this rank's share of the wave. */
static heft_status dealt_task(heft_ctx *ctx, void *arg, size_t i)
{
    run *r = arg;
    return run_task(ctx, r, r->first + i * r->size + r->rank);
}

static size_t share_of(const run *r, size_t n)
{
    return n > r->rank ? (n - r->rank - 1) / r->size + 1 : 0;
}

static void tell_outcome(const run *r, size_t task, outcome *out)
{
    const fold_result *fold = &r->folds[task];
    *out = (outcome){task, fold->accuracy, fold->fit_seconds, fold->predict_seconds, 0, ""};
    if (!fold->failure) return;
    out->failed = 1;
    strncpy(out->failure, fold->failure, sizeof out->failure - 1);
}

static heft_status hear_outcome(heft_ctx *ctx, run *r, const outcome *from)
{
    const size_t per_cell = r->results->folds * r->results->repeats;
    const size_t task = (size_t)from->task, cell = task / per_cell, fold = task % per_cell;
    fold_result *to = &r->folds[task];
    if (from->failed && !to->failure) {
        to->failure = heft_copy_text(from->failure);
        if (!to->failure) return heft_no_memory(ctx, sizeof from->failure, 1);
    }
    if (from->failed && fold < atomic_load(&r->failed[cell])) atomic_store(&r->failed[cell], fold);
    to->accuracy = from->accuracy;
    to->fit_seconds = from->fit_seconds;
    to->predict_seconds = from->predict_seconds;
    return HEFT_OK;
}

/* What came of the n tasks of the wave, on every rank. */
static heft_status exchange_outcomes(heft_ctx *ctx, run *r, size_t n)
{
    heft_status   st = HEFT_OK;
    const size_t  mine = share_of(r, n);
    outcome      *own = NULL;
    heft_gathered all = {0};
    HEFT_HEAP(ctx, own, mine);
    for (size_t i = 0; i < mine; i++) tell_outcome(r, r->first + i * r->size + r->rank, &own[i]);
    HEFT_TRY(heft_comm_gather(ctx, own, mine * sizeof *own, &all));
    for (size_t at = 0; at < all.start[r->size]; at += sizeof *own) {
        outcome one;
        memcpy(&one, all.bytes + at, sizeof one);
        HEFT_TRY(hear_outcome(ctx, r, &one));
    }
done:
    heft_gathered_clear(&all);
    heft_free(own);
    return st;
}

/* The posteriors of a group are made by several ranks, each its folds, and 0 elsewhere. */
static heft_status finish_dealt(heft_ctx *ctx, run *r, size_t group_index)
{
    heft_status      st = HEFT_OK;
    const size_t     repeats = r->results->repeats, cell = group_index / repeats;
    const size_t     repeat = group_index % repeats, last = (repeat + 1) * r->results->folds;
    group           *g = &r->groups[group_index];
    const arena_set *set = &r->sets[cell / r->results->n_method];
    double          *proba;
    if (atomic_load(&r->failed[cell]) >= last) {
        HEFT_TRY(posteriors_of(ctx, g, set, &proba));
        HEFT_TRY(heft_comm_sum(ctx, proba, set->n * set->n_class));
    }
    atomic_store(&g->left, 1);
    HEFT_TRY(finish_group(ctx, r, g, cell, repeat));
done:
    return st;
}

/* Groups of a wave: enough tasks to keep all ranks busy, few enough posteriors to hold. */
static size_t wave_of(const heft_ctx *ctx, const run *r)
{
    const size_t wanted = 4 * r->size * (size_t)ctx->threads, folds = r->results->folds;
    return (wanted - 1) / folds + 1;
}

static heft_status run_all(heft_ctx *ctx, run *r, size_t n, heft_task_fn *fn);

static heft_status run_dealt(heft_ctx *ctx, run *r)
{
    heft_status      st = HEFT_OK;
    const heft_comm *comm = ctx->comm;
    const size_t     folds = r->results->folds, n_groups = r->n_tasks / folds;
    const size_t     wave = wave_of(ctx, r);
    for (size_t g = 0; g < n_groups; g += wave) {
        const size_t groups = n_groups - g < wave ? n_groups - g : wave;
        r->first = g * folds;
        ctx->comm = NULL; /* a fold is the work of one rank */
        st = run_all(ctx, r, share_of(r, groups * folds), dealt_task);
        ctx->comm = comm;
        HEFT_TRY(st);
        HEFT_TRY(exchange_outcomes(ctx, r, groups * folds));
        for (size_t k = 0; k < groups; k++) HEFT_TRY(finish_dealt(ctx, r, g + k));
    }
done:
    ctx->comm = comm;
    return st;
}

/* With few tasks for many threads the tasks go one by one and share the threads inside. */
static heft_status run_all(heft_ctx *ctx, run *r, size_t n, heft_task_fn *fn)
{
    heft_status st = HEFT_OK;
    if (n > (size_t)ctx->threads / 2 && n > 1 && heft_alone(ctx)) return heft_run(ctx, n, fn, r);
    for (size_t i = 0; i < n; i++) HEFT_TRY(fn(ctx, r, i));
done:
    return st;
}

static heft_status run_cells(heft_ctx *ctx, run *r)
{
    heft_status   st = HEFT_OK;
    heft_results *res = r->results;
    size_t        n_cells, n_groups;
    if (!heft_product(res->n_data, res->n_method, &n_cells) ||
        !heft_product(n_cells, res->repeats, &n_groups) ||
        !heft_product(n_groups, res->folds, &r->n_tasks))
        return heft_fail(ctx, HEFT_EINVAL, "too many data sets, methods, repeats and folds");
    HEFT_ARENA(ctx, &res->arena, r->failed, n_cells);
    HEFT_ARENA(ctx, &res->arena, r->groups, n_groups);
    HEFT_ARENA(ctx, &res->arena, r->prepared, n_cells);
    HEFT_HEAP(ctx, r->folds, r->n_tasks);
    for (size_t c = 0; c < n_cells; c++) atomic_init(&r->failed[c], SIZE_MAX);
    for (size_t g = 0; g < n_groups; g++) atomic_init(&r->groups[g].left, res->folds);
    if (ctx->talk) {
        r->quiet = (heft_talk){.cancelled = ctx->talk->cancelled, .user = ctx->talk->user};
        if (res->tested) r->quiet.log = ctx->talk->log;
        if (r->n_tasks == 1) r->quiet.progress = ctx->talk->progress;
    }
    r->rank = heft_comm_rank(ctx);
    r->size = heft_comm_size(ctx);
    r->dealt = !heft_alone(ctx) && !r->trial->parts;
    const heft_comm *comm = ctx->comm;
    ctx->comm = NULL; /* every rank has all rows */
    if (res->whole) st = run_all(ctx, r, n_cells, prepare_task);
    ctx->comm = comm;
    HEFT_TRY(st);
    HEFT_TRY(r->dealt ? run_dealt(ctx, r) : run_all(ctx, r, r->n_tasks, run_task));
done:
    return st;
}

/* ---- figures ---- */

/* Mean and sample standard deviation of the fold accuracies. */
static void sum_folds(const fold_result *folds, double *per_fold, heft_cell *out)
{
    const double n = (double)out->n_folds;
    double       squares = 0;
    for (size_t k = 0; k < out->n_folds; k++) {
        per_fold[k] = folds[k].accuracy;
        out->accuracy += folds[k].accuracy / n;
        out->fit_seconds += folds[k].fit_seconds;
        out->predict_seconds += folds[k].predict_seconds;
    }
    for (size_t k = 0; k < out->n_folds; k++)
        squares += (per_fold[k] - out->accuracy) * (per_fold[k] - out->accuracy);
    out->accuracy_sd = out->n_folds > 1 ? sqrt(squares / (n - 1)) : 0;
    out->per_fold = per_fold;
}

/* The measures over all rows of a repeat, averaged over the repeats. */
static void sum_repeats(const group *groups, size_t repeats, heft_cell *out)
{
    const double n = (double)repeats;
    size_t       right = 0, rows = 0;
    for (size_t k = 0; k < repeats; k++) {
        const heft_measures *m = &groups[k].measures;
        right += m->right;
        rows += m->n;
        out->micro_f1 += m->micro_f1 / n;
        out->macro_f1 += m->macro_f1 / n;
        out->log_loss += m->log_loss / n;
        out->brier += m->brier / n;
        out->auc += m->auc / n;
    }
    out->accuracy_pooled = (double)right / (double)rows;
}

static heft_status fill_cells(heft_ctx *ctx, run *r)
{
    heft_status   st = HEFT_OK;
    heft_results *res = r->results;
    const size_t  n_cells = res->n_data * res->n_method, per_cell = res->folds * res->repeats;
    HEFT_ARENA(ctx, &res->arena, res->cells, n_cells);
    for (size_t c = 0; c < n_cells; c++) {
        heft_cell         *cell = &res->cells[c];
        const fold_result *folds = r->folds + c * per_cell;
        const size_t       failed = atomic_load(&r->failed[c]);
        double            *per_fold;
        cell->dataset = res->sets[c / res->n_method].name;
        cell->method = res->methods[c % res->n_method];
        if (failed != SIZE_MAX) {
            char *why;
            HEFT_TRY(text_in(ctx, &res->arena, folds[failed].failure, &why));
            cell->failure = why;
            continue;
        }
        cell->n_folds = per_cell;
        HEFT_ARENA(ctx, &res->arena, per_fold, per_cell);
        sum_folds(folds, per_fold, cell);
        sum_repeats(r->groups + c * res->repeats, res->repeats, cell);
    }
done:
    return st;
}

static void run_clear(run *r)
{
    const heft_results *res = r->results;
    const size_t        n_cells = res ? res->n_data * res->n_method : 0;
    for (size_t c = 0; r->prepared && c < n_cells; c++) heft_table_free(r->prepared[c]);
    for (size_t g = 0; r->groups && g < n_cells * res->repeats; g++)
        heft_free(atomic_load(&r->groups[g].proba));
    for (size_t t = 0; r->folds && t < r->n_tasks; t++) heft_free(r->folds[t].failure);
    for (size_t d = 0; r->sets && d < res->n_data; d++)
        for (size_t k = 0; k < 3; k++) heft_table_free(r->sets[d].owned[k]);
    heft_free(r->folds);
}

heft_status heft_evaluate(const heft_table *const *data, const char *const *names, size_t n_data,
                          const heft_trial *trial, heft_results **out, heft_error *err)
{
    heft_status             st = HEFT_OK;
    static const heft_trial plain = {0};
    run                     r = {.trial = trial ? trial : &plain};
    heft_ctx                ctx;
    const heft_config      *config = &r.trial->config;
    heft_ctx_init(&ctx, err, config->threads, config->seed, config->talk);
    if (out) *out = NULL;
    HEFT_TRY(heft_comm_check(&ctx, r.trial->comm));
    ctx.comm = r.trial->comm;
    if (!data || !n_data || !out)
        HEFT_TRY(heft_fail(&ctx, HEFT_EINVAL,
                           "heft_evaluate needs a data set and a place for the results"));
    for (size_t d = 0; d < n_data; d++)
        if (!data[d])
            HEFT_TRY(heft_fail(&ctx, HEFT_EINVAL, "data set %zu of %zu is NULL", d + 1, n_data));
    HEFT_HEAP(&ctx, r.results, 1);
    r.results->n_data = n_data;
    HEFT_TRY(read_trial(&ctx, &r));
    HEFT_TRY(read_methods(&ctx, &r));
    HEFT_TRY(read_sets(&ctx, &r, data, names));
    HEFT_TRY(run_cells(&ctx, &r));
    HEFT_TRY(fill_cells(&ctx, &r));
done:
    st = heft_comm_end(&ctx, st);
    run_clear(&r);
    if (st == HEFT_OK) *out = r.results;
    else heft_results_free(r.results);
    heft_ctx_clear(&ctx);
    return st;
}
