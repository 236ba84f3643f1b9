/* boost_tree.c - a tree that was grown becomes one of a list of trees.
 *
 * The tree was grown on the derivatives of one set of classes; its leaves get a value for every
 * class, from sums of p_c - [y = c] and p_c (1 - p_c) over the rows of the leaf. They are sums of
 * whole numbers: p is rounded to steps of 2^-HEFT_SUM_BITS, 32 bits hold the sums of a few rows,
 * and these are then added in 64 bits.
 *
 * Cost: O(n K) for the sums; two classes need none, since the histograms have them. */
#include "boost/boost_tree.h"

#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/array.h"
#include "base/rows.h"
#include "base/wide.h"
#include "boost/residuals.h"

static const double MOST_STEP = 10; /* largest value of a leaf, in learning rates */

/* Appends the splits at and below `node` in pre-order, and numbers the leaves there. */
static void add_splits(heft_boost_tree *b, const heft_node *node, uint8_t *n_leaves)
{
    heft_trees *t = b->trees;
    uint8_t     side[2];
    *n_leaves = 1;
    if (node->child[0] < 0) {
        const uint8_t number = (uint8_t)(t->n_leaves++ - t->tree[t->n_trees].leaf);
        b->node[number] = node;
        return;
    }
    const heft_leaf_split *c = &node->best;
    heft_tree_split       *s = &t->split[t->n_splits++];
    *s = (heft_tree_split){.attr = c->attr, .at = c->at, .n_listed = (uint8_t)c->n_listed};
    if (c->n_listed) {
        s->at = (uint32_t)t->n_listed;
        memcpy(t->listed + t->n_listed, c->listed, c->n_listed * sizeof *c->listed);
        t->n_listed += c->n_listed;
    }
    for (int k = 0; k < 2; k++) add_splits(b, &b->grow->node[node->child[k]], &side[k]);
    s->left = side[0];
    *n_leaves = (uint8_t)(side[0] + side[1]);
}

/* sums += w few; few = 0. */
HEFT_WIDE static void move_few(int32_t *restrict few, size_t n, int64_t w, int64_t *restrict sums)
{
    if (w == 1)
        for (size_t k = 0; k < n; k++) sums[k] += few[k];
    else
        for (size_t k = 0; k < n; k++) sums[k] += few[k] * w;
    memset(few, 0, n * sizeof *few);
}

static void mark_rows(void *arg, size_t leaf)
{
    const heft_boost_tree *b = arg;
    const heft_node       *l = b->node[leaf];
    for (size_t k = 0; k < l->n; k++) b->leaf[b->grow->index[l->first + k]] = (uint8_t)leaf;
}

/* Adds the sums of rows lo .. hi - 1 to those of their leaves. With weights, hi is lo + 1. */
static void add_sums(const heft_boost_tree *b, size_t lo, size_t hi, const heft_leaf_sums *sums)
{
    const heft_boost_rows *rows = b->rows;
    const int64_t          w = heft_units(rows->weight, lo);
    const size_t           stride = b->rows->classes->stride, line = 2 * stride;
    const size_t           first = rows->weight ? b->leaf[lo] * line : 0;
    const size_t           n = rows->weight ? line : (b->grow->n_leaves + 1) * line;
    heft_residual_sums(rows->P + lo * stride, rows->scale + lo, b->leaf + lo, hi - lo, stride,
                       sums->few);
    move_few(sums->few + first, n, w, sums->all + first);
    for (size_t i = lo; i < hi; i++)
        sums->all[b->leaf[i] * line + rows->y[i]] -= w * (1 << HEFT_SUM_BITS);
}

static void sum_part(void *arg, size_t part)
{
    const heft_boost_tree *b = arg;
    const size_t           n_sums = (b->grow->n_leaves + 1) * 2 * b->rows->classes->stride;
    const size_t           first = b->rows->n * part / b->n_parts;
    const size_t           end = b->rows->n * (part + 1) / b->n_parts;
    memset(b->sums[part].all, 0, n_sums * sizeof *b->sums[part].all);
    HEFT_BLOCKS_OF (b->rows->weight ? 1 : HEFT_FEW_ROWS, lo, hi, end - first)
        add_sums(b, first + lo, first + hi, &b->sums[part]);
}

/* sums[0]: the sums of p - [y = c] and of p (1 - p) in each leaf, over the rows of all processes.
 */
static heft_status sum_leaves(heft_ctx *ctx, heft_boost_tree *b)
{
    const size_t n = b->grow->n_leaves * 2 * b->rows->classes->stride;
    heft_run_pieces(ctx, b->n_parts, sum_part, b);
    for (size_t part = 1; part < b->n_parts; part++)
        for (size_t k = 0; k < n; k++) b->sums[0].all[k] += b->sums[part].all[k];
    return heft_all_add(ctx, b->sums[0].all, n);
}

/* Returns the ridge that is added to H. With many classes most are unlikely in a leaf and have an H
 * far below 1, so that a ridge of 1 would hold them back for hundreds of rounds. */
static double ridge_of(size_t K)
{
    return K > HEFT_MANY_CLASSES ? 16.0 / ((double)K * (double)K) : 1;
}

/* v_c = -rate G_c / (K/(K-1) H_c + ridge). Two classes: half of it is added to the second and taken
 * from the first, with the sums of the histograms. */
static void leaf_values(const heft_boost_tree *b, size_t leaf, double *value)
{
    const size_t K = b->rows->classes->K;
    const double step = ldexp(b->grow->rows.unit, -HEFT_SUM_BITS), rate = b->rate,
                 most = MOST_STEP * rate;
    const double factor = (double)K / (double)(K - 1), ridge = ridge_of(K);
    if (K == 2) {
        double G, H;
        heft_growth_sums(b->grow, b->node[leaf], &G, &H);
        const double v = -rate * G / (H + 1);
        *value = (v > most ? most : v < -most ? -most : v) / 2;
        return;
    }
    const int64_t *sum = b->sums[0].all + leaf * 2 * b->rows->classes->stride,
                  *curve = sum + b->rows->classes->stride;
    for (size_t c = 0; c < K; c++) {
        const double G = (double)sum[c] * step, H = (double)curve[c] * step;
        const double v = -rate * G / (factor * H + ridge);
        value[c] = v > most ? most : v < -most ? -most : v;
    }
}

heft_status heft_boost_tree_open(heft_ctx *ctx, heft_arena *arena, heft_boost_tree *b)
{
    const size_t n = (HEFT_MOST_LEAVES + 1) * 2 * b->rows->classes->stride;
    b->n_parts = heft_n_pieces(b->rows->n) < HEFT_LEAF_PARTS ? 1 : HEFT_LEAF_PARTS;
    if (b->rows->classes->K > 2)
        for (size_t part = 0; part < b->n_parts; part++)
            HEFT_ALLOCS(ctx, arena, n, b->sums[part].all, b->sums[part].few);
    HEFT_ALLOC(ctx, arena, b->leaf, b->rows->n);
    return HEFT_OK;
}

heft_status heft_boost_tree_store(heft_ctx *ctx, heft_boost_tree *b)
{
    heft_trees  *t = b->trees;
    const size_t listed = t->n_listed + HEFT_MOST_LEAVES * HEFT_MOST_LISTED;
    const size_t values = (t->n_leaves + HEFT_MOST_LEAVES) * t->n_columns;
    HEFT_GROW(ctx, t->tree, b->most_trees, t->n_trees + 1, 0);
    HEFT_GROW(ctx, t->split, b->most_splits, t->n_splits + HEFT_MOST_LEAVES, 0);
    HEFT_GROW(ctx, t->listed, b->most_listed, listed, 0);
    HEFT_GROW(ctx, t->value, b->most_values, values, 0);
    heft_tree *tree = &t->tree[t->n_trees];
    *tree = (heft_tree){.split = t->n_splits, .leaf = t->n_leaves};
    if (b->grow->n_rows < b->rows->n) memset(b->leaf, (int)b->grow->n_leaves, b->rows->n);
    add_splits(b, &b->grow->node[0], &tree->n_leaves);
    heft_run_pieces(ctx, tree->n_leaves, mark_rows, b);
    if (b->rows->classes->K > 2) HEFT_CHECK(sum_leaves(ctx, b));
    for (size_t k = 0; k < tree->n_leaves; k++)
        leaf_values(b, k, t->value + (tree->leaf + k) * t->n_columns);
    t->n_trees++;
    return HEFT_OK;
}
