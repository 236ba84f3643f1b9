/* eval_run.c - an evaluation while it runs: its memory, its numbering and its failures. */
#include "eval/eval_run.h"

#include <string.h>

heft_status heft_text_in(heft_ctx *ctx, heft_arena *arena, const char *text, const char **out)
{
    *out = heft_arena_text(arena, text);
    return *out ? HEFT_OK : heft_no_memory(ctx, strlen(text) + 1, 1);
}

heft_eval_place heft_place_of(const heft_eval_run *r, size_t task)
{
    const heft_results *res = r->results;
    const size_t        cell = task / (res->folds * res->repeats), row = cell / res->n_method;
    return (heft_eval_place){.cell = cell,
                             .stage = row / res->n_data,
                             .d = row % res->n_data,
                             .m = cell % res->n_method,
                             .repeat = task / res->folds % res->repeats,
                             .fold = task % res->folds};
}

size_t heft_n_folds(const heft_eval_run *r, size_t cell)
{
    return r->sets[cell / r->results->n_method % r->results->n_data].folds * r->results->repeats;
}

heft_status heft_make_cells(heft_ctx *ctx, heft_eval_run *r)
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
    HEFT_NEW(ctx, r->folds, r->n_tasks);
    for (size_t g = 0; g < n_groups; g++) atomic_init(&r->groups[g].left, res->folds);
    if (r->plan->keep_predictions) {
        HEFT_ALLOC(ctx, &res->arena, res->kept, n_groups);
        res->n_kept = n_groups;
    }
    for (size_t c = 0; c < r->n_cells; c++) {
        const size_t    d = c / res->n_method % res->n_data, k = res->sets[d].n_class;
        heft_eval_cell *work = &r->cells[c];
        res->cells[c] = (heft_cell){.dataset = res->sets[d].name,
                                    .method = res->methods[c % res->n_method],
                                    .n_classes = k,
                                    .classes = res->sets[d].classes};
        atomic_init(&work->failed, SIZE_MAX);
        atomic_init(&work->left, per_cell);
        atomic_init(&work->finished, false);
        HEFT_ALLOCS(ctx, &res->arena, per_cell, work->per_fold, work->macro_f1);
        HEFT_ALLOC(ctx, &res->arena, work->measures, HEFT_N_MEASURES);
        HEFT_ALLOC(ctx, &res->arena, work->per_class, k);
        if (r->plan->intervals) HEFT_ALLOC(ctx, &res->arena, work->intervals, 2 * HEFT_N_DRAWN);
        if (k <= HEFT_MOST_CONFUSED) HEFT_ALLOC(ctx, &res->arena, work->confusion, k * k);
    }
    return HEFT_OK;
}

void heft_group_clear(heft_eval_group *g)
{
    heft_free(atomic_exchange(&g->predicted, NULL));
    heft_free(g->confusion);
    heft_free(g->per_class);
    heft_free(g->draws);
    g->confusion = NULL;
    g->per_class = NULL;
    g->draws = NULL;
}

void heft_run_clear(heft_eval_run *r)
{
    const heft_results *res = r->results;
    if (r->cells)
        for (size_t c = 0; c < r->n_cells; c++) heft_table_delete(r->cells[c].prepared);
    for (size_t g = 0; r->groups && g < r->n_cells * res->repeats; g++)
        heft_group_clear(&r->groups[g]);
    if (r->folds)
        for (size_t t = 0; t < r->n_tasks; t++) heft_free(r->folds[t].failure);
    if (r->sets)
        for (size_t k = 0; k < 3 * res->n_data; k++) heft_table_delete(r->sets[k / 3].owned[k % 3]);
    heft_free(r->folds);
}

/* ---- failures ---- */

heft_status heft_name_failure(heft_ctx *ctx, const char *name, heft_status st)
{
    char text[sizeof ctx->err->text];
    if (st == HEFT_OK || st == HEFT_ENOMEM || st == HEFT_ECANCELLED) return st;
    memcpy(text, ctx->err->text, sizeof text);
    const char *shown = HEFT_SHOW(name, 60);
    if (strncmp(text, shown, strlen(shown)) == 0) return st;
    return heft_fail(ctx, st, "%s: %.400s", shown, text);
}

bool heft_stops_evaluation(heft_status st)
{
    return st == HEFT_EINVAL || st == HEFT_ENOMEM || st == HEFT_ECANCELLED;
}

heft_status heft_note_failure(heft_ctx *ctx, heft_eval_run *r, size_t cell, size_t fold,
                              const char *why)
{
    heft_eval_fold *f = &r->folds[cell * r->results->folds * r->results->repeats + fold];
    f->failure = heft_copy_text(why);
    if (!f->failure) return heft_no_memory(ctx, strlen(why) + 1, 1);
    size_t lowest = atomic_load(&r->cells[cell].failed);
    while (fold < lowest && !atomic_compare_exchange_weak(&r->cells[cell].failed, &lowest, fold))
        continue;
    return HEFT_OK;
}

heft_status heft_tolerate_failure(heft_ctx *ctx, heft_eval_run *r, size_t cell, size_t fold,
                                  heft_status st)
{
    if (st == HEFT_OK || heft_stops_evaluation(st)) return st;
    return heft_note_failure(ctx, r, cell, fold, ctx->err->text);
}

heft_status heft_name_failures(heft_ctx *ctx, heft_eval_run *r)
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
