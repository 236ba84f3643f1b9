/* boost_rows.c - rows while trees are added to them. */
#include "boost/boost_rows.h"

#include <math.h>
#include <string.h>

#include "base/rows.h"
#include "base/vec.h"
#include "boost/residuals.h"

heft_status heft_boost_rows_open(heft_ctx *ctx, heft_arena *arena,
                                 const heft_boost_classes *classes, const heft_sample *sample,
                                 const double *start, double unit, heft_boost_rows *rows)
{
    const size_t    K = classes->K;
    const uint32_t *class_of = classes->in_sample;
    rows->n = sample->n;
    rows->sample = sample;
    HEFT_ALLOC(ctx, arena, rows->y, rows->n);
    HEFT_ALLOC(ctx, arena, rows->P, (rows->n + 1) * classes->stride); /* residuals.h */
    if (K > 2) HEFT_ALLOC(ctx, arena, rows->scale, rows->n);
    if (sample->weight) HEFT_ALLOC(ctx, arena, rows->weight, rows->n);
    HEFT_ROWS (i, rows->n) {
        float *p = rows->P + i * classes->stride;
        rows->y[i] = classes->number[sample->y[i]];
        if (sample->weight) rows->weight[i] = llrint(sample->weight[i] / unit);
        if (K == 2) p[0] = (float)exp(start[class_of[1]] - start[class_of[0]]);
        else rows->scale[i] = 1;
        for (size_t c = 0; c < K && K > 2; c++) p[c] = (float)exp(start[class_of[c]]);
    }
    return HEFT_OK;
}

heft_status heft_last_tree_open(heft_ctx *ctx, heft_arena *arena, heft_last_tree *last)
{
    HEFT_ALLOC(ctx, arena, last->factor, HEFT_MOST_LEAVES * last->classes->stride);
    heft_last_tree_unset(last);
    return HEFT_OK;
}

void heft_last_tree_unset(const heft_last_tree *last)
{
    for (size_t k = 0; k < HEFT_MOST_LEAVES * last->classes->stride; k++) last->factor[k] = 1;
}

/* Two classes have the difference of both scores. */
void heft_last_tree_set(const heft_last_tree *last)
{
    const heft_trees *t = last->trees;
    const heft_tree  *tree = &t->tree[t->n_trees - 1];
    const size_t      K = last->classes->K, stride = last->classes->stride;
    double            v[HEFT_STEP_ROWS];
    for (size_t k = 0; k < tree->n_leaves; k++)
        HEFT_BLOCKS_OF (HEFT_STEP_ROWS, lo, hi, t->n_columns) {
            const double *value = t->value + (tree->leaf + k) * t->n_columns;
            for (size_t c = lo; c < hi; c++) v[c - lo] = (K == 2 ? 2 : 1) * value[c];
            heft_exp_all(v, hi - lo);
            for (size_t c = lo; c < hi; c++) last->factor[k * stride + c] = (float)v[c - lo];
        }
}

/* Before the first tree all rows are in one leaf. */
void heft_last_tree_step(const heft_last_tree *last, const heft_boost_rows *rows,
                         const uint8_t *known, size_t lo, size_t hi, float *g, float *own)
{
    const heft_trees *t = last->trees;
    const size_t      stride = last->classes->stride;
    uint8_t           leaf[HEFT_STEP_ROWS];
    if (t->n_trees == 0) memset(leaf, 0, sizeof leaf);
    else if (!known) heft_tree_leaves(t, t->n_trees - 1, rows->column, lo, hi - lo, leaf);
    heft_residual_step(&(heft_residual_rows){.n = hi - lo,
                                             .K = last->classes->K,
                                             .stride = stride,
                                             .leaf = t->n_trees && known ? known + lo : leaf,
                                             .factor = last->factor,
                                             .in = last->classes->drawn,
                                             .y = rows->y + lo,
                                             .P = rows->P + lo * stride,
                                             .scale = rows->scale ? rows->scale + lo : NULL,
                                             .g = g,
                                             .own = own});
}
