/* boost_tree.h - a tree that was grown becomes one of a list of trees: its splits, its leaves, the
 * sums of the rows in each leaf, and the values that follow from them. */
#pragma once

#include "boost/boost_rows.h"
#include "boost/grow.h"

enum { HEFT_LEAF_PARTS = 4 }; /* of the rows, each with its sums of leaves */

typedef struct heft_leaf_sums { /* of the rows of each leaf, and of those not grown on */
    int64_t *all;               /* 2 stride numbers each: of p, of p (1 - p) */
    int32_t *few;               /* the same of a few rows; else 0 */
} heft_leaf_sums;

typedef struct heft_boost_tree {
    const heft_growth        *grow;
    const heft_boost_rows    *rows;
    const heft_boost_classes *classes;
    heft_trees               *trees;
    double                    rate; /* of the next tree */
    /* of the last tree */
    uint8_t         *leaf; /* of each row; the number of leaves: the tree was not grown on it */
    const heft_node *node[HEFT_MOST_LEAVES]; /* of each leaf */
    heft_leaf_sums   sums[HEFT_LEAF_PARTS];
    size_t           n_parts;
    /* memory of `trees`, in elements */
    size_t most_trees, most_splits, most_listed, most_values;
} heft_boost_tree;

/* Memory for the leaves; the first four fields are set. */
heft_status heft_boost_tree_open(heft_ctx *ctx, heft_arena *arena, heft_boost_tree *boost_tree);
/* Appends the tree that `grow` has to `trees`. */
heft_status heft_boost_tree_store(heft_ctx *ctx, heft_boost_tree *boost_tree);
