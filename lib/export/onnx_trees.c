/* onnx_trees.c - trees as nodes of an ONNX graph.
 *
 * TreeEnsembleRegressor gives single precision. So it finds the leaf of each tree, a small whole
 * number, and the evidence is gathered from a table of doubles. Its features are the spots of
 * numeric attributes, and for each list of codes that a split has, 0 for codes of the list and 1
 * for others. */
#include <stdlib.h>
#include <string.h>

#include "export/onnx_terms.h"

typedef struct list { /* the list of codes that a split sends left */
    const heft_tree_split *split;
    const uint32_t        *codes;
    size_t                 number;
} list;

typedef struct features {
    size_t  n_numeric, n_lists;
    size_t *attr;       /* n_numeric */
    size_t *numeric_of; /* n_attr: its number among them */
    list   *lists;      /* n_lists */
    size_t *list_of;    /* n_splits */
} features;

typedef struct nodes { /* attributes of TreeEnsembleRegressor */
    size_t n, n_leaves;
    size_t at_tree, at_split, at_node, at_leaf; /* what comes next; nodes and leaves of the tree */
    int64_t *tree, *node, *feature, *yes, *no, *leaf_tree, *leaf_node, *leaf_target;
    float   *value, *leaf;
    heft_buf modes;
} nodes;

static int by_codes(const void *a, const void *b)
{
    const list *x = a, *y = b;
    if (x->split->attr != y->split->attr) return x->split->attr < y->split->attr ? -1 : 1;
    if (x->split->n_listed != y->split->n_listed)
        return x->split->n_listed < y->split->n_listed ? -1 : 1;
    return memcmp(x->codes, y->codes, x->split->n_listed * sizeof *x->codes);
}

/* Finds the numeric attributes with a split, and the lists of codes that differ. */
static heft_status find_features(heft_onnx_walk *w, features *f)
{
    const heft_trees *trees = w->t->trees;
    size_t            n = 0;
    list             *all;
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, w->t->n_attr, f->attr, f->numeric_of);
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, trees->n_splits, f->list_of, all);
    for (size_t j = 0; j < w->t->n_attr; j++) f->numeric_of[j] = SIZE_MAX;
    for (size_t k = 0; k < trees->n_splits; k++) {
        const heft_tree_split *s = &trees->split[k];
        if (s->n_listed) {
            all[n++] = (list){s, trees->listed + s->at, k};
        } else if (f->numeric_of[s->attr] == SIZE_MAX) {
            f->numeric_of[s->attr] = f->n_numeric;
            f->attr[f->n_numeric++] = s->attr;
        }
    }
    if (n) qsort(all, n, sizeof *all, by_codes);
    for (size_t k = 0; k < n; k++) {
        const size_t number = all[k].number;
        if (f->n_lists == 0 || by_codes(&all[f->n_lists - 1], &all[k]) != 0)
            all[f->n_lists++] = all[k];
        f->list_of[number] = f->n_lists - 1;
    }
    f->lists = all;
    return HEFT_OK;
}

/* Spots of numbers, as the trees have them: [N, n_numeric]. */
static heft_status numeric_features(heft_onnx_walk *w, const features *f, heft_onnx_value *out)
{
    heft_onnx *g = w->g;
    int64_t   *column, *missing, *as;
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, f->n_numeric, column, missing, as);
    for (size_t k = 0; k < f->n_numeric; k++) {
        const size_t j = f->attr[k];
        column[k] = w->spot_of[j];
        missing[k] = (int64_t)w->t->attr[j].n_codes;
        as[k] = (int64_t)w->t->tree_missing[j] - 1;
    }
    const heft_onnx_value spot = heft_onnx_columns(g, w->spots, column, f->n_numeric);
    const heft_onnx_value none =
        HEFT_ONNX(g, "Equal", spot, heft_onnx_ints(g, missing, f->n_numeric, 0));
    const heft_onnx_value code =
        HEFT_ONNX(g, "Where", none, heft_onnx_ints(g, as, f->n_numeric, 0), spot);
    *out = heft_onnx_cast(g, code, HEFT_ONNX_FLOAT);
    return HEFT_OK;
}

/* 0 where the code is in the list, else 1: [N, n_lists]. */
static heft_status list_features(heft_onnx_walk *w, const features *f, heft_onnx_value *out)
{
    heft_onnx *g = w->g;
    int64_t   *column, *from;
    uint8_t   *outside;
    size_t     n = 0;
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, f->n_lists, column, from);
    for (size_t k = 0; k < f->n_lists; k++) {
        from[k] = (int64_t)n;
        column[k] = w->spot_of[f->lists[k].split->attr];
        n += w->t->attr[f->lists[k].split->attr].n_codes + 2;
    }
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, outside, n);
    for (size_t k = 0, at = 0; k < f->n_lists; k++) {
        const heft_tree_split *s = f->lists[k].split;
        for (size_t v = 0; v < w->t->attr[s->attr].n_codes + 2; v++, at++) {
            const size_t line = heft_onnx_line(w->t, s->attr, v);
            outside[at] = 1;
            for (size_t m = 0; m < s->n_listed; m++)
                if (f->lists[k].codes[m] == line) outside[at] = 0;
        }
    }
    const heft_onnx_value spot = heft_onnx_columns(g, w->spots, column, f->n_lists);
    const heft_onnx_value at = HEFT_ONNX(g, "Add", spot, heft_onnx_ints(g, from, f->n_lists, 0));
    const heft_onnx_value bit = heft_onnx_gather(g, heft_onnx_bytes(g, outside, n), at, 0);
    *out = heft_onnx_cast(g, bit, HEFT_ONNX_FLOAT);
    return HEFT_OK;
}

/* Adds the next n leaves of a tree and the splits between them. A tree has at most 32 leaves. */
static void put_subtree(heft_onnx_walk *w, const features *f, nodes *to, size_t n)
{
    const size_t k = to->n++, own = to->at_node++;
    to->tree[k] = (int64_t)to->at_tree;
    to->node[k] = (int64_t)own;
    heft_onnx_add_text(&to->modes, n == 1 ? "LEAF" : "BRANCH_LEQ");
    if (n == 1) {
        const size_t m = to->n_leaves++;
        to->leaf_tree[m] = to->leaf_target[m] = (int64_t)to->at_tree;
        to->leaf_node[m] = (int64_t)own;
        to->leaf[m] = (float)to->at_leaf++;
        return;
    }
    const size_t           number = to->at_split++;
    const heft_tree_split *s = &w->t->trees->split[number];
    to->feature[k] =
        (int64_t)(s->n_listed ? f->n_numeric + f->list_of[number] : f->numeric_of[s->attr]);
    to->value[k] = s->n_listed ? 0.5F : (float)s->at - 0.5F; /* lines below `at` go left */
    to->yes[k] = (int64_t)(own + 1);
    to->no[k] = (int64_t)(own + 2 * (size_t)s->left);
    put_subtree(w, f, to, s->left);
    put_subtree(w, f, to, n - s->left);
}

/* The leaf of each tree: [N, n_trees]. */
static heft_status find_leaves(heft_onnx_walk *w, const features *f, heft_onnx_value cells,
                               heft_onnx_value *out)
{
    const heft_trees *trees = w->t->trees;
    heft_arena       *arena = &w->ctx->scratch;
    const size_t      n = trees->n_splits + trees->n_leaves;
    nodes             to = {0};
    HEFT_ALLOCS(w->ctx, arena, n, to.tree, to.node, to.feature, to.yes, to.no, to.value);
    HEFT_ALLOCS(w->ctx, arena, trees->n_leaves, to.leaf_tree, to.leaf_node, to.leaf_target,
                to.leaf);
    for (; to.at_tree < trees->n_trees; to.at_tree++) {
        to.at_node = to.at_leaf = 0;
        put_subtree(w, f, &to, trees->tree[to.at_tree].n_leaves);
    }
    heft_onnx_set(w->g, "n_targets", (int64_t)trees->n_trees);
    heft_onnx_set_ints(w->g, "nodes_treeids", to.tree, n);
    heft_onnx_set_ints(w->g, "nodes_nodeids", to.node, n);
    heft_onnx_set_ints(w->g, "nodes_featureids", to.feature, n);
    heft_onnx_set_ints(w->g, "nodes_truenodeids", to.yes, n);
    heft_onnx_set_ints(w->g, "nodes_falsenodeids", to.no, n);
    heft_onnx_set_floats(w->g, "nodes_values", to.value, n);
    heft_onnx_set_list(w->g, "nodes_modes", HEFT_ONNX_STRINGS, &to.modes);
    heft_onnx_set_ints(w->g, "target_treeids", to.leaf_tree, to.n_leaves);
    heft_onnx_set_ints(w->g, "target_nodeids", to.leaf_node, to.n_leaves);
    heft_onnx_set_ints(w->g, "target_ids", to.leaf_target, to.n_leaves);
    heft_onnx_set_floats(w->g, "target_weights", to.leaf, to.n_leaves);
    *out =
        heft_onnx_cast(w->g, HEFT_ONNX(w->g, "ml.TreeEnsembleRegressor", cells), HEFT_ONNX_INT64);
    return HEFT_OK;
}

void heft_onnx_leaf(const heft_terms *t, size_t k, double *out)
{
    const double *value = t->trees->value + k * t->trees->n_columns;
    const double  two[] = {-value[0], value[0]};
    heft_terms_spread(t, t->n_columns == 2 ? two : value, out);
}

/* The evidence of the leaves `at` [N, n_trees], over all trees. */
static heft_status add_leaves(heft_onnx_walk *w, heft_onnx_value at)
{
    const heft_trees *trees = w->t->trees;
    const size_t      n = trees->n_trees, most = heft_onnx_part(w);
    const size_t      term = w->t->n_attr + w->t->joint.n;
    heft_onnx_value   sum = 0;
    double           *table;
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, table, trees->n_leaves * w->K);
    for (size_t k = 0; k < trees->n_leaves; k++) heft_onnx_leaf(w->t, k, table + k * w->K);
    const heft_onnx_value lines = heft_onnx_doubles(w->g, table, trees->n_leaves, w->K);
    for (size_t lo = 0; lo < n; lo += most) {
        const size_t          m = n - lo < most ? n - lo : most;
        const heft_onnx_value some = m == n ? at : heft_onnx_slice(w->g, at, lo, lo + m);
        const heft_onnx_value part = heft_onnx_sum(w->g, heft_onnx_gather(w->g, lines, some, 0), 1);
        sum = lo ? HEFT_ONNX(w->g, "Add", sum, part) : part;
    }
    return heft_onnx_add(w, heft_onnx_unsqueeze(w->g, sum, 1), &term, 1);
}

heft_status heft_onnx_trees(heft_onnx_walk *w)
{
    const heft_trees *trees = w->t->trees;
    features          f = {0};
    heft_onnx_value   cells[2], leaf = 0;
    size_t            n = 0;
    int64_t          *first;
    if (!trees || trees->n_splits == 0) return HEFT_OK;
    HEFT_CHECK(find_features(w, &f));
    if (f.n_numeric) HEFT_CHECK(numeric_features(w, &f, &cells[n++]));
    if (f.n_lists) HEFT_CHECK(list_features(w, &f, &cells[n++]));
    HEFT_CHECK(find_leaves(w, &f, heft_onnx_concat(w->g, cells, n), &leaf));
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, first, trees->n_trees);
    for (size_t t = 0; t + 1 < trees->n_trees; t++)
        first[t + 1] = first[t] + trees->tree[t].n_leaves;
    return add_leaves(w,
                      HEFT_ONNX(w->g, "Add", leaf, heft_onnx_ints(w->g, first, trees->n_trees, 0)));
}
