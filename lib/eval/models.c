/* models.c - evaluates saved models on test rows: all measures, and tests whether each model
 * differs from the first one on the same rows. */
#include <math.h>
#include <string.h>

#include "eval/fold_results.h"
#include "eval/fold_task.h"
#include "predict/predict.h"

typedef struct saved {
    const heft_model *const *models;
    const heft_table *const *tests; /* by model: the test rows, the same in all tables */
    const char *const       *names;
    size_t                   n;
    heft_dict     *classes; /* classes of the first model, then those that only rows have */
    heft_fold_rows rows;    /* the rows that count */
    bool         **right;   /* by model and row that counts: the prediction is right */
} saved;

/* ---- what must be the same ---- */

static heft_status check_models(heft_ctx *ctx, const saved *s)
{
    const heft_prep *first = &s->models[0]->prep;
    char             own[400], theirs[400];
    for (size_t k = 0; k < s->n; k++) {
        const heft_prep *prep = &s->models[k]->prep;
        for (size_t i = 0; i < k; i++)
            if (strcmp(s->names[i], s->names[k]) == 0)
                return heft_fail(ctx, HEFT_EINVAL, "model '%.80s' is listed twice", s->names[k]);
        if (strcmp(prep->target, first->target) != 0)
            return heft_fail(ctx, HEFT_EINVAL,
                             "%.80s predicts column '%s' and %.80s predicts column '%s' (compare "
                             "models of the same class column)",
                             s->names[0], HEFT_SHOW_NAME(first->target), s->names[k],
                             HEFT_SHOW_NAME(prep->target));
        bool same = heft_dict_size(prep->classes) == heft_dict_size(first->classes);
        for (uint32_t c = 0; same && c < heft_dict_size(prep->classes); c++)
            same = heft_dict_same(first->classes, prep->classes, c) != HEFT_DICT_NONE;
        if (!same)
            return heft_fail(ctx, HEFT_EINVAL,
                             "the models do not have the same classes: %.80s has %.150s, and %.80s "
                             "has %.150s (compare models of the same classes)",
                             s->names[0], heft_show_classes(first->classes, own, sizeof own),
                             s->names[k], heft_show_classes(prep->classes, theirs, sizeof theirs));
    }
    return HEFT_OK;
}

/* Set y to the class of each row of table k, as a code of s->classes; UINT16_MAX means that the row
 * does not count. */
static heft_status read_classes(heft_ctx *ctx, saved *s, size_t k, uint16_t *y)
{
    const heft_table        *table = s->tests[k];
    const heft_prep         *prep = &s->models[k]->prep;
    const heft_column       *target = table->target;
    HEFT_LOCAL(heft_unknown) unknown = {0};
    HEFT_FREED int32_t      *truth = NULL;
    if (!target)
        return heft_fail(ctx, HEFT_EINVAL,
                         "%s: there is no class column '%s' to compare the predictions with",
                         heft_table_label(table), HEFT_SHOW_NAME(prep->target));
    HEFT_NEW(ctx, truth, table->n_rows);
    HEFT_CHECK(heft_true_classes(ctx, s->models[k], table, truth, &unknown));
    for (size_t i = 0; i < table->n_rows; i++) {
        uint32_t code = 0;
        y[i] = UINT16_MAX;
        if (truth[i] == HEFT_NO_CLASS) continue;
        const bool       known = truth[i] >= 0;
        const heft_dict *from = known ? prep->classes : target->dict;
        const uint32_t   c =
            known ? (uint32_t)truth[i] : heft_code_at(target->cells, target->width, i);
        HEFT_CHECK(heft_dict_add(ctx, s->classes, heft_dict_text(from, c),
                                 heft_dict_length(from, c), &code));
        HEFT_CHECK(heft_check_classes(ctx, "the test data", heft_dict_size(s->classes)));
        y[i] = (uint16_t)code;
    }
    if (k == 0) HEFT_CHECK(heft_warn_unknown(ctx, s->models[k], table->name, &unknown));
    return HEFT_OK;
}

/* Find the rows that count, and their classes. */
static heft_status read_rows(heft_ctx *ctx, heft_eval_run *r, saved *s)
{
    heft_eval_set *set = r->sets;
    const size_t   n = s->tests[0]->n_rows;
    uint16_t      *again;
    HEFT_ALLOCS(ctx, &r->results->arena, n, set->y, set->row);
    HEFT_ALLOCS(ctx, &ctx->scratch, n, again, s->rows.rows);
    HEFT_CHECK(heft_dict_copy(ctx, s->models[0]->prep.classes, &s->classes));
    for (size_t k = 0; k < s->n; k++) {
        const bool same = s->tests[k]->n_rows == n;
        if (same) HEFT_CHECK(read_classes(ctx, s, k, k ? again : set->y));
        if (!same || (k && memcmp(again, set->y, n * sizeof *again) != 0))
            return heft_fail(ctx, HEFT_EINVAL,
                             "the test tables of %.80s and %.80s do not have the same rows",
                             s->names[0], s->names[k]);
    }
    for (size_t i = 0; i < n; i++) {
        set->row[i] = i;
        if (set->y[i] != UINT16_MAX) s->rows.rows[s->rows.n_test++] = i;
    }
    if (s->rows.n_test == 0)
        return heft_fail(ctx, HEFT_EINVAL, "%s: no row has a class in column '%s'%s",
                         heft_table_label(s->tests[0]), HEFT_SHOW_NAME(s->tests[0]->target->name),
                         s->tests[0]->weight ? " and a weight above 0" : "");
    set->n = n;
    set->n_class = heft_dict_size(s->classes);
    set->positive = heft_positive_class(s->classes, s->models[0]->prep.positive);
    set->folds = 1;
    return heft_check_probabilities(ctx, s->tests[0], n, set->n_class);
}

/* ---- one model ---- */

static heft_status test_model(heft_ctx *ctx, heft_eval_run *r, saved *s, size_t k)
{
    const heft_model     *model = s->models[k];
    const heft_eval_set  *set = r->sets;
    const size_t          K = model->fitted.n_class;
    const heft_eval_place at = heft_place_of(r, k);
    heft_eval_fold       *out = &r->folds[k];
    double               *predicted;
    HEFT_FREED double    *all = NULL, *fresh = NULL;
    HEFT_FREED uint32_t  *spot = NULL;
    size_t                length;
    const size_t          cells = heft_times(set->n, K);
    HEFT_NEW(ctx, all, cells);
    HEFT_NEW(ctx, fresh, cells);
    HEFT_NEW(ctx, spot, K);
    for (uint32_t c = 0; c < K; c++) spot[c] = heft_dict_same(s->classes, model->prep.classes, c);
    const double began = heft_work_seconds(ctx);
    HEFT_CHECK(heft_name_failure(ctx, s->names[k], heft_posterior(ctx, model, s->tests[k], all)));
    out->predict_seconds = heft_work_seconds(ctx) - began;
    for (size_t i = 0; i < s->rows.n_test; i++)
        memcpy(fresh + i * K, all + s->rows.rows[i] * K, K * sizeof *fresh);
    HEFT_CHECK(heft_predicted_of(ctx, &r->groups[k], set, &predicted, &length));
    heft_put_predicted(model, spot, &s->rows, fresh, set, predicted);
    HEFT_CHECK(heft_measure_fold(ctx, &s->rows, set, predicted, out));
    out->costed = model->decision.cost != NULL;
    for (size_t i = 0; i < s->rows.n_test; i++) {
        const size_t row = s->rows.rows[i];
        s->right[k][i] = predicted[set->n * set->n_class + row] == set->y[row];
    }
    return heft_finish_group(ctx, r, &r->groups[k], &at);
}

/* ---- two models ---- */

/* Compute the difference of a measure between model k and the first one, its bootstrap interval,
 * and p from the fraction of draws in which the difference has the other sign. */
static void compare_draws(const heft_eval_run *r, size_t k, size_t drawn, double *v,
                          heft_drawn_difference *out)
{
    const double *a = r->groups[k].draws, *b = r->groups[0].draws;
    size_t        below = 0, above = 0, n = 0;
    const size_t  m = drawn - 1;
    out->difference = r->groups[k].measures.value[m] - r->groups[0].measures.value[m];
    for (size_t i = 0; i < HEFT_DRAWS; i++) {
        v[i] = a[i * HEFT_N_DRAWN + drawn] - b[i * HEFT_N_DRAWN + drawn];
        below += v[i] <= 0;
        above += v[i] >= 0;
        if (!isnan(v[i])) n++;
    }
    const double least = (double)(below < above ? below : above);
    out->p = n ? fmin(1, 2 * (least + 1) / ((double)n + 1)) : (double)NAN;
    heft_percentiles(v, HEFT_DRAWS, heft_results_alpha(r->results), &out->low, &out->high);
}

static heft_status compare_models(heft_ctx *ctx, heft_eval_run *r, const saved *s)
{
    heft_row_tests *tests;
    double         *v;
    HEFT_ALLOC(ctx, &r->results->arena, tests, s->n);
    HEFT_ALLOC(ctx, &ctx->scratch, v, HEFT_DRAWS);
    for (size_t k = 1; k < s->n; k++) {
        for (size_t i = 0; i < s->rows.n_test; i++) {
            tests[k].only_first += s->right[0][i] && !s->right[k][i];
            tests[k].only_other += s->right[k][i] && !s->right[0][i];
        }
        heft_mcnemar(&tests[k]);
        tests[k].log_loss = tests[k].auc = (heft_drawn_difference){NAN, NAN, NAN, NAN};
        if (!r->groups[0].draws || !r->groups[k].draws) continue;
        compare_draws(r, k, 1 + HEFT_MEASURE_AT(log_loss), v, &tests[k].log_loss);
        compare_draws(r, k, 1 + HEFT_MEASURE_AT(auc), v, &tests[k].auc);
    }
    r->results->row_tests = tests;
    return HEFT_OK;
}

/* ---- all models ---- */

static heft_status describe(heft_ctx *ctx, heft_eval_run *r, const saved *s, const char *name)
{
    heft_results        *res = r->results;
    const heft_eval_set *set = r->sets;
    heft_results_set    *shown;
    HEFT_ALLOC(ctx, &res->arena, shown, 1);
    HEFT_ALLOC(ctx, &res->arena, res->methods, s->n);
    *shown = (heft_results_set){.n_rows = s->rows.n_test,
                                .n_attr = s->tests[0]->n_cols,
                                .n_class = set->n_class,
                                .positive = set->positive,
                                .n_measured = set->n,
                                .y = set->y,
                                .row = set->row};
    HEFT_CHECK(heft_text_in(ctx, &res->arena, name ? name : "data", &shown->name));
    HEFT_ALLOC(ctx, &res->arena, shown->classes, set->n_class);
    for (uint32_t c = 0; c < set->n_class; c++)
        HEFT_CHECK(
            heft_text_in(ctx, &res->arena, heft_dict_text(s->classes, c), &shown->classes[c]));
    for (size_t k = 0; k < s->n; k++)
        HEFT_CHECK(heft_text_in(ctx, &res->arena, s->names[k], &res->methods[k]));
    res->sets = shown;
    return HEFT_OK;
}

static heft_status test_models(heft_ctx *ctx, heft_eval_run *r, saved *s, const char *name)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_results *res = r->results;
    *res = (heft_results){.n_data = 1,
                          .n_method = s->n,
                          .n_stage = 1,
                          .folds = 1,
                          .repeats = 1,
                          .seed = ctx->seed,
                          .design = {.tested = true, .saved = true, .alpha = r->plan->alpha}};
    HEFT_ALLOC(ctx, &res->arena, r->sets, 1);
    HEFT_CHECK(check_models(ctx, s));
    HEFT_CHECK(read_rows(ctx, r, s));
    HEFT_CHECK(describe(ctx, r, s, name));
    HEFT_CHECK(heft_make_cells(ctx, r));
    HEFT_ALLOC(ctx, &ctx->scratch, s->right, s->n);
    for (size_t k = 0; k < s->n; k++) {
        HEFT_ALLOC(ctx, &ctx->scratch, s->right[k], s->rows.n_test);
        HEFT_CHECK(test_model(ctx, r, s, k));
        heft_progress(ctx, "evaluating", (double)(k + 1) / (double)s->n);
    }
    if (s->n > 1) HEFT_CHECK(compare_models(ctx, r, s));
    for (size_t k = 0; k < s->n; k++) HEFT_CHECK(heft_finish_cell(ctx, r, k));
    return heft_name_failures(ctx, r);
}

heft_status heft_evaluate_saved(heft_ctx *ctx, const heft_saved *given, const heft_eval_plan *plan,
                                heft_results **out)
{
    heft_status   st = HEFT_OK;
    heft_eval_run r = {.plan = plan, .draw = plan->intervals || given->n > 1};
    saved         s = {
                .models = given->models, .tests = given->tests, .names = given->names, .n = given->n};
    for (size_t k = 0; k < given->n; k++)
        if (!given->models[k] || !given->tests[k] || !given->names[k])
            return heft_fail(ctx, HEFT_EINVAL,
                             "model %zu of %zu: it, its test table or its name is NULL", k + 1,
                             given->n);
    if (!(plan->alpha >= 0 && plan->alpha < 1))
        return heft_fail(ctx, HEFT_EINVAL, "alpha must be between 0 and 1");
    HEFT_HEAP(ctx, r.results, 1);
    HEFT_TRY(test_models(ctx, &r, &s, given->name));
done:
    heft_dict_free(s.classes);
    if (r.results) heft_run_clear(&r);
    if (st == HEFT_OK) *out = r.results, r.results = NULL;
    heft_results_delete(r.results);
    return st;
}
