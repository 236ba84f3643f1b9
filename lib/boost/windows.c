/* windows.c - many rows, of which the first trees are grown on parts. */
#include "boost/windows.h"

#include <string.h>

#include "base/rows.h"
#include "boost/residuals.h"

enum { TREES_AT_ONCE = 64 }; /* trees whose factors are kept while they are added */

heft_status heft_windows_open(heft_ctx *ctx, heft_arena *arena, size_t n_attr, heft_windows *w,
                              heft_boost_rows *rows)
{
    if (!w->first) {
        size_t *whole;
        HEFT_ALLOC(ctx, arena, whole, 2);
        whole[1] = w->all.n;
        w->first = whole;
    }
    HEFT_ALLOC(ctx, arena, w->n_trees, w->n);
    w->n_now = w->n;
    *rows = w->all;
    HEFT_ALLOC(ctx, arena, rows->column, n_attr);
    memcpy(rows->column, w->all.column, n_attr * sizeof *rows->column);
    return HEFT_OK;
}

void heft_windows_show(heft_windows *w, size_t k, size_t n, heft_boost_rows *rows,
                       heft_packed_rows *packed)
{
    const heft_boost_rows *all = &w->all;
    const size_t           lo = w->first[k], before = w->first[w->now];
    rows->n = packed->n = w->first[k + n] - lo;
    rows->y = all->y + lo;
    rows->P = all->P + lo * all->classes->stride;
    if (all->scale) rows->scale = all->scale + lo;
    if (all->weight) packed->weight = rows->weight = all->weight + lo;
    for (size_t j = 0; j < packed->m; j++) {
        heft_joint *joint = packed->joints.attr ? &packed->joints.attr[j] : NULL;
        rows->column[j].codes = (const char *)all->column[j].codes + lo * all->column[j].width;
        if (joint && joint->cell) joint->cell = joint->cell - before + lo;
    }
    w->now = k;
    w->n_now = n;
}

typedef struct adding { /* some trees, to be added to the rows of a window */
    const heft_boost_rows *rows;
    const heft_last_tree  *last;
    size_t                 first, n; /* the rows */
    size_t                 tree, n_trees;
    float                 *factor; /* the factors of each tree, leaf by leaf */
} adding;

static void add_piece(void *arg, size_t piece)
{
    const adding *a = arg;
    size_t        first, end;
    heft_piece_rows(a->n, piece, &first, &end);
    HEFT_BLOCKS_OF (HEFT_STEP_ROWS, from, to, end - first) {
        const size_t lo = a->first + first + from, hi = a->first + first + to;
        for (size_t t = 0; t < a->n_trees; t++) {
            heft_last_tree one = *a->last;
            one.factor = a->factor + t * HEFT_MOST_LEAVES * one.classes->stride;
            heft_tree_step(&one, a->tree + t, a->rows, lo, hi);
        }
    }
}

heft_status heft_windows_add_trees(heft_ctx *ctx, const heft_windows *w, size_t k,
                                   const heft_last_tree *last, size_t n_trees)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t line = HEFT_MOST_LEAVES * last->classes->stride;
    adding       a = {.rows = &w->all, .last = last, .first = w->first[k]};
    HEFT_ALLOC(ctx, &ctx->scratch, a.factor, TREES_AT_ONCE * line);
    a.n = w->first[k + 1] - w->first[k];
    for (a.tree = w->n_trees[k]; a.tree < n_trees; a.tree += a.n_trees) {
        a.n_trees = n_trees - a.tree < TREES_AT_ONCE ? n_trees - a.tree : TREES_AT_ONCE;
        for (size_t t = 0; t < a.n_trees; t++)
            heft_tree_factors(last, a.tree + t, a.factor + t * line);
        heft_run_pieces(ctx, heft_n_pieces(a.n), add_piece, &a);
        HEFT_CHECK(heft_check_cancel(ctx));
    }
    w->n_trees[k] = n_trees;
    return HEFT_OK;
}
