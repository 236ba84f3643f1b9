/* evaluate.c - runs an evaluation. For every data set, method, repeat and fold a task fits a model
 * on the training rows and predicts the others. The outcome of a task is stored by its number, so
 * that results depend neither on the number of threads nor on their order. */
#include "base/comm.h"
#include "eval/deal.h"
#include "eval/fold_task.h"
#include "eval/import.h"
#include "eval/plan.h"
#include "eval/resume.h"
#include "eval/sets.h"
#include "train/fit.h"

static heft_status prepare_task(heft_ctx *ctx, void *arg, size_t cell)
{
    heft_eval_run        *r = arg;
    const heft_eval_place at = heft_place_of(r, cell * r->results->folds * r->results->repeats);
    const heft_host      *host = ctx->host;
    const size_t          layer = r->results->n_data * r->results->n_method;
    bool needed = false; /* some cell that uses this table must still be computed */
    for (size_t s = 0; s < r->results->n_stage; s++)
        needed |=
            r->same_select[s] == at.stage && !r->results->cells[s * layer + cell % layer].reused;
    heft_status st = heft_check_cancel(ctx);
    if (st == HEFT_OK && !needed) return HEFT_OK;
    ctx->host = &r->quiet;
    const heft_config config = heft_place_config(r, &at, false);
    if (st == HEFT_OK)
        st = heft_prepare_whole(ctx, r->sets[at.d].table, &config, &r->cells[cell].prepared);
    st = heft_tolerate_failure(ctx, r, cell, 0, st);
    ctx->host = host;
    return heft_name_failure(ctx, r->results->sets[at.d].name, st);
}

static heft_status run_cells(heft_ctx *ctx, heft_eval_run *r)
{
    heft_status         st = HEFT_OK;
    const heft_comm    *comm = ctx->comm;
    const heft_results *res = r->results;
    const size_t        per_cell = res->folds * res->repeats, layer = res->n_data * res->n_method;
    HEFT_TRY(heft_make_cells(ctx, r));
    HEFT_TRY(heft_resume_read(ctx, r));
    for (size_t c = 0; c < r->n_cells; c++) {
        const size_t size = heft_task_work(r, c / res->n_method % res->n_data) * per_cell;
        r->work += size;
        if (res->cells[c].reused) atomic_fetch_add(&r->done, size);
    }
    if (ctx->host) {
        r->quiet = (heft_host){.cancelled = ctx->host->cancelled, .user = ctx->host->user};
        if (res->design.tested) r->quiet.log = ctx->host->log;
        if (r->n_tasks == 1) r->quiet.progress = ctx->host->progress;
    }
    r->dealt = !heft_is_single(ctx) && !r->plan->parts;
    if (r->dealt) ctx->comm = NULL; /* every rank has all rows */
    if (res->design.whole) HEFT_TRY(heft_run_all(ctx, r->n_cells, prepare_task, r));
    if (res->design.whole)
        for (size_t c = 0; c < r->n_cells; c++) {
            /* If a table could not be prepared, the cells of all stages that use it fail. */
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

heft_status heft_evaluate_tables(heft_ctx *ctx, const heft_eval_plan *plan,
                                 const heft_table *const *data, const char *const *names,
                                 size_t n_data, heft_results **out)
{
    heft_status   st = HEFT_OK;
    heft_eval_run r = {.plan = plan};
    *out = NULL;
    for (size_t d = 0; d < n_data; d++)
        if (!data[d])
            HEFT_TRY(heft_fail(ctx, HEFT_EINVAL, "data set %zu of %zu is NULL", d + 1, n_data));
    HEFT_HEAP(ctx, r.results, 1);
    r.results->n_data = n_data;
    HEFT_TRY(heft_read_plan(ctx, &r));
    HEFT_TRY(heft_read_sets(ctx, &r, data, names));
    HEFT_TRY(heft_imports_read(ctx, &r));
    r.draw = plan->intervals;
    HEFT_TRY(run_cells(ctx, &r));
    HEFT_TRY(heft_name_failures(ctx, &r));
    HEFT_TRY(heft_imports_add(ctx, &r));
done:
    if (r.cells && st == HEFT_OK) {
        atomic_store(&r.resume.dirty, true);
        st = heft_resume_save(ctx, &r, false, true);
    } else if (r.cells) { /* keep finished cells in the resume file, and report the first error */
        const heft_error said = *ctx->err;
        (void)heft_resume_save(ctx, &r, false, true);
        *ctx->err = said;
    }
    st = heft_comm_end(ctx, st);
    if (r.results) heft_run_clear(&r);
    if (st == HEFT_OK) *out = r.results, r.results = NULL;
    heft_results_delete(r.results);
    return st;
}
