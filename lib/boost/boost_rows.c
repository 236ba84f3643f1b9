/* boost_rows.c - rows while trees are added to them, and the loss of those held out. */
#include "boost/boost_rows.h"

#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/rows.h"
#include "base/vec.h"
#include "boost/histograms.h"
#include "boost/residuals.h"

heft_status heft_boost_rows_open(heft_ctx *ctx, heft_arena *arena, const double *start,
                                 bool held_out, heft_boost_rows *rows)
{
    const heft_sample *sample = rows->sample;
    const size_t       K = rows->classes->K, stride = rows->classes->stride;
    const uint32_t    *class_of = rows->classes->in_sample;
    rows->n = sample->n;
    HEFT_ALLOC(ctx, arena, rows->y, rows->n);
    HEFT_ALLOC(ctx, arena, rows->P, (rows->n + 1) * stride); /* residuals.h */
    if (held_out) HEFT_ALLOC(ctx, arena, rows->best_P, rows->n * stride);
    if (K > 2) HEFT_ALLOC(ctx, arena, rows->scale, rows->n);
    if (sample->weight) HEFT_ALLOC(ctx, arena, rows->weight, rows->n);
    HEFT_ROWS (i, rows->n) {
        float *p = rows->P + i * stride;
        rows->y[i] = rows->classes->number[sample->y[i]];
        if (sample->weight) rows->weight[i] = llrint(sample->weight[i] / rows->unit);
        if (K == 2) {
            p[0] = (float)exp(start[class_of[1]] - start[class_of[0]]);
            continue;
        }
        rows->scale[i] = 1;
        for (size_t c = 0; c < K; c++) p[c] = (float)exp(start[class_of[c]]);
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
void heft_tree_factors(const heft_last_tree *last, size_t of, float *factor)
{
    const heft_trees *t = last->trees;
    const heft_tree  *tree = &t->tree[of];
    const size_t      K = last->classes->K, stride = last->classes->stride;
    double            v[HEFT_STEP_ROWS];
    for (size_t k = 0; k < tree->n_leaves; k++)
        HEFT_BLOCKS_OF (HEFT_STEP_ROWS, lo, hi, t->n_columns) {
            const double *value = t->value + (tree->leaf + k) * t->n_columns;
            for (size_t c = lo; c < hi; c++) v[c - lo] = (K == 2 ? 2 : 1) * value[c];
            heft_exp_all(v, hi - lo);
            for (size_t c = lo; c < hi; c++) factor[k * stride + c] = (float)v[c - lo];
        }
}

void heft_last_tree_set(const heft_last_tree *last)
{
    heft_tree_factors(last, last->trees->n_trees - 1, last->factor);
}

/* Rows lo .. hi - 1, which are in these leaves of a tree with these factors. */
static heft_residual_rows step_of(const heft_last_tree *last, const heft_boost_rows *rows,
                                  const uint8_t *leaf, size_t lo, size_t hi)
{
    const size_t stride = last->classes->stride;
    return (heft_residual_rows){.n = hi - lo,
                                .K = last->classes->K,
                                .stride = stride,
                                .leaf = leaf,
                                .factor = last->factor,
                                .in = last->classes->drawn,
                                .y = rows->y + lo,
                                .P = rows->P + lo * stride,
                                .scale = rows->scale ? rows->scale + lo : NULL};
}

/* Before the first tree all rows are in one leaf. */
void heft_last_tree_step(const heft_last_tree *last, const heft_boost_rows *rows,
                         const uint8_t *known, size_t lo, size_t hi, float *g, float *own)
{
    const heft_trees *t = last->trees;
    uint8_t           leaf[HEFT_STEP_ROWS];
    if (t->n_trees == 0) memset(leaf, 0, sizeof leaf);
    else if (!known) heft_tree_leaves(t, t->n_trees - 1, rows->column, lo, hi - lo, leaf);
    heft_residual_rows step = step_of(last, rows, t->n_trees && known ? known + lo : leaf, lo, hi);
    step.g = g;
    step.own = own;
    heft_residual_step(&step);
}

void heft_tree_step(const heft_last_tree *tree, size_t t, const heft_boost_rows *rows, size_t lo,
                    size_t hi)
{
    uint8_t leaf[HEFT_STEP_ROWS];
    float   g[HEFT_STEP_ROWS], own[HEFT_STEP_ROWS];
    heft_tree_leaves(tree->trees, t, rows->column, lo, hi - lo, leaf);
    heft_residual_rows step = step_of(tree, rows, leaf, lo, hi);
    if (step.K > 2) step.g = g, step.own = own;
    heft_residual_step(&step);
}

/* ---- rows held out ---- */

heft_status heft_boost_held_add(heft_ctx *ctx, const heft_last_tree *last,
                                const heft_boost_rows *held, double *loss)
{
    float   own[HEFT_STEP_ROWS], g[HEFT_STEP_ROWS];
    double  log_of[HEFT_STEP_ROWS];
    int64_t sum[2] = {0}; /* losses, weights */
    HEFT_BLOCKS_OF (HEFT_STEP_ROWS, lo, hi, held->n) {
        heft_last_tree_step(last, held, NULL, lo, hi, g, own);
        for (size_t i = 0; i < hi - lo; i++) log_of[i] = (double)own[i];
        heft_log_all(log_of, hi - lo);
        for (size_t i = 0; i < hi - lo; i++) {
            const int64_t w = heft_units(held->weight, lo + i);
            sum[0] -= (int64_t)(log_of[i] * 0x1p20) * w;
            sum[1] += w;
        }
    }
    HEFT_CHECK(heft_all_add(ctx, sum, 2));
    *loss = sum[1] ? (double)sum[0] / (double)sum[1] * 0x1p-20 : 0;
    return HEFT_OK;
}

void heft_boost_held_keep(const heft_boost_rows *held)
{
    memcpy(held->best_P, held->P, held->n * held->classes->stride * sizeof *held->best_P);
}

/* Classes are added in the order of their numbers, which their names do not change. */
void heft_boost_held_scores(const heft_boost_rows *held, double *score)
{
    const heft_boost_classes *classes = held->classes;
    const size_t              K = classes->K;
    const double              lowest = log(1e-15);
    HEFT_ROWS (i, held->n) {
        const float *p = held->best_P + i * classes->stride;
        double      *s = score + i * K, sum = 0;
        for (size_t c = 0; c < K; c++) {
            const double one = K > 2 ? (double)p[c] : c ? (double)p[0] : 1;
            s[classes->in_sample[c]] = log(one);
            sum += one;
        }
        for (size_t c = 0; c < K; c++) s[c] = fmax(s[c] - log(sum), lowest);
    }
}
