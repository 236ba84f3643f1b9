/* kfold.c - rows dealt into five parts, class by class. */
#include "methods/auto/kfold.h"

#include <math.h>

#include "base/rows.h"
#include "base/sort.h"
#include "stats/keys.h"

/* ---- order ---- */

heft_status heft_kfold_order(heft_ctx *ctx, const heft_sample *sample, heft_arena *arena,
                             size_t **order)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t n = sample->n, none = sample->n_class;
    heft_ranked *v, *spare;
    size_t      *turn, next = 0;
    HEFT_ALLOC(ctx, arena, *order, n);
    HEFT_ALLOCS(ctx, &ctx->scratch, n, v, spare);
    HEFT_ALLOC(ctx, &ctx->scratch, turn, sample->n_class);
    HEFT_CHECK(heft_keys_order(ctx, sample->rows, *order));
    /* Classes come in the order of their first rows. */
    for (size_t c = 0; c < sample->n_class; c++) turn[c] = none;
    HEFT_ROWS (i, n) {
        size_t *t = &turn[sample->y[(*order)[i]]];
        if (*t == none) *t = next++;
        v[i] = (heft_ranked){*t, (*order)[i]};
    }
    heft_order_sort(v, spare, n);
    HEFT_ROWS (i, n) (*order)[i] = v[i].row;
    return HEFT_OK;
}

/* ---- dealing ---- */

/* How much of [from, from + w) lies in part k. */
static double share_of(double from, double w, size_t k)
{
    const double rounds = floor(w / HEFT_KFOLD), end = from + w - rounds * HEFT_KFOLD;
    double       share = k < HEFT_KFOLD ? rounds : 0;
    for (double cell = floor(from); cell < end; cell++)
        if ((size_t)fmod(cell, HEFT_KFOLD) == k) share += fmin(cell + 1, end) - fmax(cell, from);
    return share;
}

heft_status heft_kfold_split(heft_ctx *ctx, const heft_sample *sample, const size_t *at, size_t n,
                             size_t k, heft_arena *arena, heft_fold_part *held,
                             heft_fold_part *others)
{
    heft_fold_part *parts[2] = {held, others};
    double          from = 0;
    for (int p = 0; p < 2; p++) {
        *parts[p] = (heft_fold_part){0};
        HEFT_ALLOCS(ctx, arena, n, parts[p]->at, parts[p]->row, parts[p]->y);
        if (sample->weight) HEFT_ALLOC(ctx, arena, parts[p]->weight, n);
    }
    HEFT_ROWS (i, n) {
        const double w = sample->weight ? sample->weight[at[i]] : 1;
        double       in = sample->weight ? share_of(from, w, k) : i % HEFT_KFOLD == k;
        from += w;
        if (in < 1e-9 * w) in = 0; /* what rounding leaves */
        if (w - in < 1e-9 * w) in = w;
        for (int p = 0; p < 2; p++) {
            heft_fold_part *part = parts[p];
            const double    weight = p == 0 ? in : w - in;
            if (!(weight > 0)) continue;
            part->at[part->n] = i;
            part->row[part->n] = sample->row ? sample->row[at[i]] : at[i];
            part->y[part->n] = sample->y[at[i]];
            if (part->weight) part->weight[part->n] = weight;
            part->n++;
        }
    }
    return HEFT_OK;
}
