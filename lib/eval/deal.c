/* deal.c - the folds of an evaluation dealt out to ranks that all have all the rows.
 *
 * Tasks go in waves of whole groups. Of a wave each rank does every size-th task, alone; then the
 * ranks tell one another what came of theirs and add up the posteriors, each of which one rank has
 * made, and all of them measure the groups. */
#include <string.h>

#include "base/comm.h"
#include "eval/running.h"

typedef struct wave {
    run   *r;
    size_t first, n; /* tasks */
    size_t rank, size;
} wave;

typedef struct outcome { /* of one task, as ranks tell one another */
    uint64_t    task, failed;
    fold_result found; /* the failure's text is below */
    char        failure[sizeof((heft_error *)0)->text];
} outcome;

static size_t task_of(const wave *w, size_t i)
{
    return w->first + i * w->size + w->rank;
}

static size_t share_of(const wave *w)
{
    return w->n > w->rank ? (w->n - w->rank - 1) / w->size + 1 : 0;
}

static heft_status dealt_task(heft_ctx *ctx, void *arg, size_t i)
{
    const wave *w = arg;
    return heft_run_task(ctx, w->r, task_of(w, i));
}

/* ---- telling ---- */

static void tell(const run *r, size_t task, outcome *out)
{
    const fold_result *fold = &r->folds[task];
    *out = (outcome){.task = task, .found = *fold};
    out->found.failure = NULL;
    if (!fold->failure) return;
    out->failed = 1;
    strncpy(out->failure, fold->failure, sizeof out->failure - 1);
}

static heft_status hear(heft_ctx *ctx, run *r, const outcome *from)
{
    const size_t task = (size_t)from->task;
    const place  at = heft_place_of(r, task);
    const size_t fold = at.repeat * r->results->folds + at.fold;
    fold_result *to = &r->folds[task];
    char        *failure = to->failure;
    if (from->failed && !failure) {
        failure = heft_copy_text(from->failure);
        if (!failure) return heft_no_memory(ctx, sizeof from->failure, 1);
    }
    if (from->failed && fold < atomic_load(&r->failed[at.cell]))
        atomic_store(&r->failed[at.cell], fold);
    *to = from->found;
    to->failure = failure;
    return HEFT_OK;
}

/* What came of all tasks of the wave, on every rank. */
static heft_status exchange(heft_ctx *ctx, const wave *w)
{
    heft_status   st = HEFT_OK;
    const size_t  mine = share_of(w);
    outcome      *own = NULL;
    heft_gathered all = {0};
    HEFT_HEAP(ctx, own, mine);
    for (size_t i = 0; i < mine; i++) tell(w->r, task_of(w, i), &own[i]);
    HEFT_TRY(heft_all_gather(ctx, own, mine * sizeof *own, &all));
    for (size_t at = 0; at < all.start[w->size]; at += sizeof *own) {
        outcome one;
        memcpy(&one, all.bytes + at, sizeof one);
        HEFT_TRY(hear(ctx, w->r, &one));
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
    if (atomic_load(&r->failed[at.cell]) >= (at.repeat + 1) * folds) {
        HEFT_CHECK(heft_posteriors_of(ctx, &r->groups[g], set, &proba));
        HEFT_CHECK(heft_all_sum(ctx, proba, set->n * set->n_class));
    }
    atomic_store(&r->groups[g].left, 1);
    HEFT_CHECK(heft_finish_group(ctx, r, &r->groups[g], &at));
    if (at.repeat + 1 == r->results->repeats) HEFT_CHECK(heft_finish_cell(ctx, r, at.cell));
    return HEFT_OK;
}

/* Groups of a wave: enough tasks to keep all ranks busy. */
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
    wave             w = {.r = r, .rank = heft_comm_rank(ctx), .size = heft_all_parts(ctx)};
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
