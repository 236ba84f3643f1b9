/* deal.c - the folds of an evaluation dealt out to ranks that all have all the rows.
 *
 * Tasks go in batches of whole groups. Of a batch each rank does every size-th task, alone. Then
 * the ranks exchange the outcomes and add up the posteriors, each of which one rank has computed,
 * and all of them measure the groups. */
#include <string.h>

#include "base/comm.h"
#include "eval/running.h"

typedef struct batch {
    run   *r;
    size_t first, n; /* tasks */
    size_t rank, size;
} batch;

typedef struct outcome { /* of one task, as ranks exchange them */
    uint64_t task;
    double   accuracy, fit_seconds, predict_seconds;
    char     failure[sizeof((heft_error *)0)->text]; /* "": none */
} outcome;

static size_t task_of(const batch *w, size_t i)
{
    return w->first + i * w->size + w->rank;
}

static size_t share_of(const batch *w)
{
    return w->n > w->rank ? (w->n - w->rank - 1) / w->size + 1 : 0;
}

static heft_status dealt_task(heft_ctx *ctx, void *arg, size_t i)
{
    const batch *w = arg;
    return heft_run_task(ctx, w->r, task_of(w, i));
}

/* ---- exchange ---- */

static void pack(const run *r, size_t task, outcome *out)
{
    const fold_result *fold = &r->folds[task];
    *out = (outcome){task, fold->accuracy, fold->fit_seconds, fold->predict_seconds, ""};
    if (fold->failure) strncpy(out->failure, fold->failure, sizeof out->failure - 1);
}

static heft_status unpack(heft_ctx *ctx, run *r, const outcome *from)
{
    const place  at = heft_place_of(r, (size_t)from->task);
    fold_result *to = &r->folds[from->task];
    to->accuracy = from->accuracy;
    to->fit_seconds = from->fit_seconds;
    to->predict_seconds = from->predict_seconds;
    if (!*from->failure || to->failure) return HEFT_OK;
    return heft_note_failure(ctx, r, at.cell, at.repeat * r->results->folds + at.fold,
                             from->failure);
}

/* The outcomes of all tasks of the batch, on every rank. */
static heft_status exchange(heft_ctx *ctx, const batch *w)
{
    heft_status   st = HEFT_OK;
    const size_t  mine = share_of(w);
    outcome      *own = NULL;
    heft_gathered all = {0};
    HEFT_HEAP(ctx, own, mine);
    for (size_t i = 0; i < mine; i++) pack(w->r, task_of(w, i), &own[i]);
    HEFT_TRY(heft_all_gather(ctx, own, mine * sizeof *own, &all));
    for (size_t at = 0; at < all.start[w->size]; at += sizeof *own) {
        outcome one;
        memcpy(&one, all.bytes + at, sizeof one);
        HEFT_TRY(unpack(ctx, w->r, &one));
    }
done:
    heft_gathered_clear(&all);
    heft_free(own);
    return st;
}

/* ---- finishing ---- */

/* The posteriors of a group: 0 where they are another rank's. */
static heft_status finish(heft_ctx *ctx, run *r, size_t g)
{
    const size_t    folds = r->results->folds;
    const place     at = heft_place_of(r, g * folds);
    const eval_set *set = &r->sets[at.d];
    double         *proba;
    if (r->results->cells[at.cell].reused) return HEFT_OK;
    if (atomic_load(&r->cells[at.cell].failed) >= (at.repeat + 1) * folds) {
        HEFT_CHECK(heft_posteriors_of(ctx, &r->groups[g], set, &proba));
        HEFT_CHECK(heft_all_sum(ctx, proba, set->n * set->n_class));
    }
    atomic_store(&r->groups[g].left, 1);
    HEFT_CHECK(heft_finish_group(ctx, r, &r->groups[g], &at));
    if (at.repeat + 1 == r->results->repeats) HEFT_CHECK(heft_finish_cell(ctx, r, at.cell));
    return HEFT_OK;
}

/* Groups of a batch: enough tasks for all threads of all ranks. */
static size_t groups_of(const heft_ctx *ctx, const run *r)
{
    const size_t wanted = 4 * heft_all_parts(ctx) * (size_t)ctx->threads;
    return (wanted - 1) / r->results->folds + 1;
}

heft_status heft_run_dealt(heft_ctx *ctx, run *r)
{
    heft_status      st = HEFT_OK;
    const heft_comm *comm = ctx->comm;
    const size_t     folds = r->results->folds, n_groups = r->n_tasks / folds;
    const size_t     at_once = groups_of(ctx, r);
    batch            w = {.r = r, .rank = heft_comm_rank(ctx), .size = heft_all_parts(ctx)};
    for (size_t g = 0; g < n_groups; g += at_once) {
        const size_t groups = n_groups - g < at_once ? n_groups - g : at_once;
        w.first = g * folds;
        w.n = groups * folds;
        ctx->comm = NULL; /* a fold is the work of one rank */
        st = heft_run_all(ctx, share_of(&w), dealt_task, &w);
        ctx->comm = comm;
        if (st != HEFT_OK) goto done;
        HEFT_TRY(exchange(ctx, &w));
        for (size_t k = 0; k < groups; k++) HEFT_TRY(finish(ctx, r, g + k));
        heft_progress(ctx, "evaluating", (double)(g + groups) / (double)n_groups);
    }
done:
    return st;
}
