/* deal.c - the folds of an evaluation divided among ranks that all have all rows.
 *
 * Tasks are run in batches of complete groups. With n ranks, each rank runs every n-th task of a
 * batch. Then the ranks exchange the outcomes and add up the predictions: each prediction was
 * computed by one rank and is 0 on the others. Every rank then measures all groups of the batch, so
 * that all have the same results. */
#include <string.h>

#include "base/comm.h"
#include "eval/deal.h"
#include "eval/fold_results.h"
#include "eval/fold_task.h"

typedef struct batch {
    heft_eval_run *r;
    size_t         first, mine; /* first task of the batch; number of tasks of this rank */
    size_t         rank, size;
} batch;

typedef struct outcome { /* the result of one task, as ranks exchange it */
    uint64_t       task;
    heft_eval_fold fold; /* `failure` of this struct is not used */
    char           failure[sizeof((heft_error *)0)->text]; /* why the task failed; "": it did not */
} outcome;

/* Returns the number of the i-th task of this rank. */
static size_t task_of(const batch *w, size_t i)
{
    return w->first + i * w->size + w->rank;
}

static heft_status dealt_task(heft_ctx *ctx, void *arg, size_t i)
{
    const batch *w = arg;
    return heft_run_task(ctx, w->r, task_of(w, i));
}

/* Give the outcomes of all tasks of the batch to every rank. */
static heft_status exchange(heft_ctx *ctx, const batch *w)
{
    const size_t              folds = w->r->results->folds;
    HEFT_FREED outcome       *own = NULL;
    HEFT_LOCAL(heft_gathered) all = {0};
    HEFT_NEW(ctx, own, w->mine);
    for (size_t i = 0; i < w->mine; i++) {
        const heft_eval_fold *fold = &w->r->folds[task_of(w, i)];
        own[i] = (outcome){.task = task_of(w, i), .fold = *fold};
        own[i].fold.failure = NULL;
        if (fold->failure) strncpy(own[i].failure, fold->failure, sizeof own[i].failure - 1);
    }
    HEFT_CHECK(heft_all_gather(ctx, own, w->mine * sizeof *own, &all));
    for (size_t k = 0; k < all.start[w->size]; k += sizeof *own) {
        outcome one;
        memcpy(&one, all.bytes + k, sizeof one);
        const heft_eval_place at = heft_place_of(w->r, (size_t)one.task);
        heft_eval_fold       *to = &w->r->folds[one.task];
        one.fold.failure = to->failure;
        *to = one.fold;
        if (*one.failure && !to->failure)
            HEFT_CHECK(
                heft_note_failure(ctx, w->r, at.cell, at.repeat * folds + at.fold, one.failure));
    }
    return HEFT_OK;
}

/* Add up the predictions of a group over all ranks, and measure the group. */
static heft_status finish(heft_ctx *ctx, heft_eval_run *r, size_t g)
{
    const size_t          folds = r->results->folds;
    const heft_eval_place at = heft_place_of(r, g * folds);
    double               *predicted;
    size_t                length;
    if (r->results->cells[at.cell].reused) return HEFT_OK;
    if (atomic_load(&r->cells[at.cell].failed) >= (at.repeat + 1) * folds) {
        HEFT_CHECK(heft_predicted_of(ctx, &r->groups[g], &r->sets[at.d], &predicted, &length));
        HEFT_CHECK(heft_all_sum(ctx, predicted, length));
    }
    atomic_store(&r->groups[g].left, 1);
    HEFT_CHECK(heft_finish_group(ctx, r, &r->groups[g], &at));
    if (at.repeat + 1 == r->results->repeats) HEFT_CHECK(heft_finish_cell(ctx, r, at.cell));
    return HEFT_OK;
}

heft_status heft_run_dealt(heft_ctx *ctx, heft_eval_run *r)
{
    const heft_comm *comm = ctx->comm;
    const size_t     folds = r->results->folds, n_groups = r->n_tasks / folds;
    batch            w = {.r = r, .rank = heft_comm_rank(ctx), .size = heft_n_ranks(ctx)};
    /* A batch has enough tasks for all threads of all ranks. */
    const size_t at_once = (4 * w.size * (size_t)ctx->threads - 1) / folds + 1;
    for (size_t g = 0; g < n_groups; g += at_once) {
        const size_t groups = n_groups - g < at_once ? n_groups - g : at_once, n = groups * folds;
        w.first = g * folds;
        w.mine = n > w.rank ? (n - w.rank - 1) / w.size + 1 : 0;
        ctx->comm = NULL; /* one rank runs a fold without the others */
        const heft_status st = heft_run_all(ctx, w.mine, dealt_task, &w);
        ctx->comm = comm;
        if (st != HEFT_OK) return st;
        HEFT_CHECK(exchange(ctx, &w));
        for (size_t k = 0; k < groups; k++) HEFT_CHECK(finish(ctx, r, g + k));
        heft_progress(ctx, "evaluating", (double)(g + groups) / (double)n_groups);
    }
    return HEFT_OK;
}
