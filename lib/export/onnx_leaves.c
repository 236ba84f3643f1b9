/* onnx_leaves.c - the leaves that rows reach in trees, as nodes of an ONNX graph.
 *
 * TreeEnsembleRegressor gives single precision. So it finds the leaf of each tree, a small whole
 * number, and the evidence is looked up in a table of doubles. Its features are the codes of
 * attributes with splits below a code, and for each list of codes that a split has, 0 for codes of
 * the list and 1 for others. */
#include "export/onnx_leaves.h"

#include <stdlib.h>
#include <string.h>

typedef heft_onnx_writer writer;

typedef struct list { /* the list of codes that a split sends left */
    const heft_graph_split *split;
    size_t                  number;
} list;

typedef struct features {
    size_t  n_numeric, n_lists;
    size_t *from;       /* n_numeric: rows of the codes */
    size_t *numeric_of; /* for each row of the codes: its number among them */
    list   *lists;      /* n_lists */
    size_t *list_of;    /* n_splits */
} features;

typedef struct nodes { /* attributes of TreeEnsembleRegressor */
    size_t   n, n_leaves;
    size_t   at_tree, at_split, at_node, at_leaf; /* numbers of those to write next */
    int64_t *tree, *node, *feature, *yes, *no, *leaf_tree, *leaf_node, *leaf_target;
    float   *value, *leaf;
    heft_buf modes;
} nodes;

static int by_codes(const void *a, const void *b)
{
    const heft_graph_split *x = ((const list *)a)->split, *y = ((const list *)b)->split;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->n_listed != y->n_listed) return x->n_listed < y->n_listed ? -1 : 1;
    return memcmp(x->listed, y->listed, x->n_listed * sizeof *x->listed);
}

/* Finds the codes with a split below one of them, and the lists of codes that differ. */
static heft_status find_features(writer *w, const heft_leaf_rule *rule, size_t n_codes, features *f)
{
    size_t n = 0;
    list  *all;
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, n_codes, f->from, f->numeric_of);
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, rule->n_splits, f->list_of, all);
    for (size_t k = 0; k < n_codes; k++) f->numeric_of[k] = SIZE_MAX;
    for (size_t k = 0; k < rule->n_splits; k++) {
        const heft_graph_split *s = &rule->split[k];
        if (s->n_listed) {
            all[n++] = (list){s, k};
        } else if (f->numeric_of[s->from] == SIZE_MAX) {
            f->numeric_of[s->from] = f->n_numeric;
            f->from[f->n_numeric++] = s->from;
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

/* Codes of numbers, where missing ones have the code that goes the same way: [N, n_numeric]. */
static heft_status numeric_features(writer *w, const features *f, const heft_leaf_rule *rule,
                                    heft_onnx_value codes, heft_onnx_value *out)
{
    heft_onnx *g = w->g;
    int64_t   *column, *missing, *as;
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, f->n_numeric, column, missing, as);
    for (size_t k = 0; k < f->n_numeric; k++) {
        column[k] = (int64_t)f->from[k];
        missing[k] = rule->missing[f->from[k]];
        as[k] = rule->missing_as[f->from[k]];
    }
    const heft_onnx_value code = heft_onnx_columns(g, codes, column, f->n_numeric);
    const heft_onnx_value none =
        HEFT_ONNX(g, "Equal", code, heft_onnx_ints(g, missing, f->n_numeric, 0));
    const heft_onnx_value known =
        HEFT_ONNX(g, "Where", none, heft_onnx_ints(g, as, f->n_numeric, 0), code);
    *out = heft_onnx_cast(g, known, HEFT_ONNX_FLOAT);
    return HEFT_OK;
}

/* 0 where the code is in the list, else 1: [N, n_lists]. Codes behind the last of the list share
 * one place. */
static heft_status list_features(writer *w, const features *f, heft_onnx_value codes,
                                 heft_onnx_value *out)
{
    heft_onnx *g = w->g;
    int64_t   *column, *from, *most;
    uint8_t   *outside;
    size_t     n = 0;
    HEFT_ALLOCS(w->ctx, &w->ctx->scratch, f->n_lists, column, from, most);
    for (size_t k = 0; k < f->n_lists; k++) {
        const heft_graph_split *s = f->lists[k].split;
        from[k] = (int64_t)n;
        column[k] = s->from;
        most[k] = (int64_t)s->listed[s->n_listed - 1] + 1;
        n += (size_t)most[k] + 1;
    }
    HEFT_ALLOC(w->ctx, &w->ctx->scratch, outside, n);
    memset(outside, 1, n);
    for (size_t k = 0; k < f->n_lists; k++)
        for (size_t m = 0; m < f->lists[k].split->n_listed; m++)
            outside[(size_t)from[k] + f->lists[k].split->listed[m]] = 0;
    const heft_onnx_value all = heft_onnx_columns(g, codes, column, f->n_lists);
    const heft_onnx_value code = HEFT_ONNX(g, "Min", all, heft_onnx_ints(g, most, f->n_lists, 0));
    const heft_onnx_value at = HEFT_ONNX(g, "Add", code, heft_onnx_ints(g, from, f->n_lists, 0));
    const heft_onnx_value bit = heft_onnx_gather(g, heft_onnx_bytes(g, outside, n), at, 0);
    *out = heft_onnx_cast(g, bit, HEFT_ONNX_FLOAT);
    return HEFT_OK;
}

/* Adds the next n leaves of a tree and the splits between them. A tree has at most 32 leaves. */
static void put_subtree(const heft_leaf_rule *rule, const features *f, nodes *to, size_t n)
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
    const size_t            number = to->at_split++;
    const heft_graph_split *s = &rule->split[number];
    to->feature[k] =
        (int64_t)(s->n_listed ? f->n_numeric + f->list_of[number] : f->numeric_of[s->from]);
    to->value[k] = s->n_listed ? 0.5F : (float)s->at - 0.5F; /* codes below `at` go left */
    to->yes[k] = (int64_t)(own + 1);
    to->no[k] = (int64_t)(own + 2 * (size_t)s->left);
    put_subtree(rule, f, to, s->left);
    put_subtree(rule, f, to, n - s->left);
}

heft_status heft_onnx_leaves(writer *w, const heft_graph_node *node, heft_onnx_value codes,
                             heft_onnx_value *out)
{
    const heft_leaf_rule *rule = node->rule;
    heft_arena           *arena = &w->ctx->scratch;
    const size_t          n_codes = w->graph->node[node->in[0]].rows;
    features              f = {0};
    nodes                 to = {0};
    heft_onnx_value       cells[2];
    size_t                n_cells = 0, n_leaves = 0;
    for (size_t k = 0; k < node->rows; k++) n_leaves += rule->n_leaves[k];
    const size_t n = rule->n_splits + n_leaves;
    HEFT_CHECK(find_features(w, rule, n_codes, &f));
    codes = heft_onnx_squeeze(w->g, codes, 2);
    if (f.n_numeric) HEFT_CHECK(numeric_features(w, &f, rule, codes, &cells[n_cells++]));
    if (f.n_lists) HEFT_CHECK(list_features(w, &f, codes, &cells[n_cells++]));
    if (n_cells == 0) cells[n_cells++] = heft_onnx_cast(w->g, codes, HEFT_ONNX_FLOAT);
    HEFT_ALLOCS(w->ctx, arena, n, to.tree, to.node, to.feature, to.yes, to.no, to.value);
    HEFT_ALLOCS(w->ctx, arena, n_leaves, to.leaf_tree, to.leaf_node, to.leaf_target, to.leaf);
    for (; to.at_tree < node->rows; to.at_tree++) {
        to.at_node = to.at_leaf = 0;
        put_subtree(rule, &f, &to, rule->n_leaves[to.at_tree]);
    }
    const heft_onnx_value cell = heft_onnx_concat(w->g, cells, n_cells);
    heft_onnx_set(w->g, "n_targets", (int64_t)node->rows);
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
    const heft_onnx_value leaf = HEFT_ONNX(w->g, "ml.TreeEnsembleRegressor", cell);
    *out = heft_onnx_unsqueeze(w->g, heft_onnx_cast(w->g, leaf, HEFT_ONNX_INT64), 2);
    return HEFT_OK;
}
