/* fold_results.c - the measures of a group and the figures of a cell, from the outcomes of folds.
 */
#include "eval/fold_results.h"

#include <math.h>

#include "eval/resume.h"

void heft_sum_accuracies(heft_cell *cell)
{
    const double n = (double)cell->n_folds;
    double       squares = 0;
    for (size_t k = 0; k < cell->n_folds; k++) cell->accuracy += cell->per_fold[k] / n;
    for (size_t k = 0; k < cell->n_folds; k++)
        squares += (cell->per_fold[k] - cell->accuracy) * (cell->per_fold[k] - cell->accuracy);
    cell->accuracy_sd = cell->n_folds > 1 ? sqrt(squares / (n - 1)) : 0;
}

/* Set the figures of each fold, and their means and sums over the folds of a cell. */
static void sum_folds(const heft_eval_fold *folds, size_t n_folds, const heft_eval_cell *work,
                      heft_cell *out)
{
    out->n_folds = n_folds;
    for (size_t k = 0; k < n_folds; k++) {
        work->per_fold[k] = folds[k].accuracy;
        work->macro_f1[k] = folds[k].macro_f1;
        out->macro_f1_folds += folds[k].macro_f1 / (double)n_folds;
        out->fit_seconds += folds[k].fit_seconds;
        out->predict_seconds += folds[k].predict_seconds;
    }
    out->fit_seconds = rint(out->fit_seconds * 1e6) / 1e6; /* files have microseconds */
    out->predict_seconds = rint(out->predict_seconds * 1e6) / 1e6;
    out->per_fold = work->per_fold;
    out->per_fold_macro_f1 = work->macro_f1;
    heft_sum_accuracies(out);
}

/* Average the measures of the repeats, each of which was computed over all rows of a repeat. */
static void sum_repeats(const heft_eval_group *groups, size_t repeats, const heft_eval_cell *work,
                        heft_cell *out)
{
    const double n = (double)repeats;
    const size_t n_confusion = work->confusion ? out->n_classes * out->n_classes : 0;
    double      *measures = work->measures;
    size_t      *confusion = work->confusion, right = 0, rows = 0;
    for (size_t i = 0; i < HEFT_N_MEASURES; i++) measures[i] = 0; /* clear what a damaged */
    for (size_t i = 0; i < n_confusion; i++) confusion[i] = 0;    /* resume file left here */
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

/* Compute the intervals of the measures averaged over the repeats. This is possible because each
 * draw has the same rows in all repeats. */
static heft_status sum_draws(heft_ctx *ctx, const heft_eval_run *r, const heft_eval_group *groups,
                             const heft_eval_cell *work, heft_cell *out)
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

heft_status heft_finish_cell(heft_ctx *ctx, heft_eval_run *r, size_t cell)
{
    const heft_results *res = r->results;
    const size_t        per_cell = res->folds * res->repeats;
    heft_cell          *out = &res->cells[cell];
    heft_eval_group    *groups = r->groups + cell * res->repeats;
    if (atomic_load(&r->cells[cell].failed) == SIZE_MAX) {
        sum_folds(r->folds + cell * per_cell, heft_n_folds(r, cell), &r->cells[cell], out);
        sum_repeats(groups, res->repeats, &r->cells[cell], out);
        if (r->plan->intervals) HEFT_CHECK(sum_draws(ctx, r, groups, &r->cells[cell], out));
        atomic_store(&r->cells[cell].finished, true);
        atomic_store(&r->resume.dirty, true);
    }
    for (size_t k = 0; k < res->repeats; k++) heft_group_clear(&groups[k]);
    return heft_resume_save(ctx, r, out->fit_seconds + out->predict_seconds > 1, false);
}

/* Collect the tested rows of a group and their predictions, in scratch memory. */
static heft_status group_outcomes(heft_ctx *ctx, const heft_eval_run *r, const double *predicted,
                                  const heft_eval_place *at, heft_outcomes *out)
{
    const heft_results   *res = r->results;
    const heft_eval_set  *set = &r->sets[at->d];
    const heft_eval_fold *folds = &r->folds[(at->cell * res->repeats + at->repeat) * res->folds];
    const uint16_t       *fold = set->fold ? set->fold + at->repeat * set->n : NULL;
    const double         *guess = predicted + set->n * set->n_class;
    uint16_t             *y, *whole;
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
                           .n_class = set->n_class,
                           .positive = set->positive};
    return HEFT_OK;
}

/* Compute the measures of all folds of a group, and what else was asked for. */
static heft_status measure_group(heft_ctx *ctx, const heft_eval_run *r, heft_eval_group *g,
                                 const heft_eval_place *at, const double *predicted)
{
    const heft_eval_set *set = &r->sets[at->d];
    heft_outcomes        rows;
    HEFT_CHECK(group_outcomes(ctx, r, predicted, at, &rows));
    HEFT_NEW(ctx, g->per_class, set->n_class);
    HEFT_CHECK(heft_measure(ctx, &rows, &g->measures, g->per_class));
    if (r->draw) {
        HEFT_NEW(ctx, g->draws, (size_t)HEFT_DRAWS * HEFT_N_DRAWN);
        HEFT_CHECK(heft_bootstrap(ctx, &rows, set->y, g->draws));
    }
    if (!r->cells[at->cell].confusion) return HEFT_OK;
    HEFT_NEW(ctx, g->confusion, set->n_class * set->n_class);
    heft_confuse(&rows, g->confusion);
    return HEFT_OK;
}

/* The last fold of a group measures it, unless a fold of this or an earlier repeat failed. A
 * failure of the measurement is reported as that of the first fold of the repeat, because it is
 * chance which fold is the last to end. */
heft_status heft_finish_group(heft_ctx *ctx, heft_eval_run *r, heft_eval_group *g,
                              const heft_eval_place *at)
{
    if (atomic_fetch_sub(&g->left, 1) != 1) return HEFT_OK;
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t       folds = r->results->folds, first = at->repeat * folds;
    HEFT_FREED double *predicted = atomic_exchange(&g->predicted, NULL);
    heft_status        st = HEFT_OK;
    if (predicted && atomic_load(&r->cells[at->cell].failed) >= first + folds)
        st = measure_group(ctx, r, g, at, predicted);
    if (st == HEFT_OK && predicted && r->results->kept) {
        r->results->kept[g - r->groups] = predicted;
        predicted = NULL;
    }
    return heft_tolerate_failure(ctx, r, at->cell, first, st);
}
