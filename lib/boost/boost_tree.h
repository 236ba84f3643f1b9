/* boost_tree.h - a tree that was grown becomes one of a list of trees: its splits, its leaves, the
 * sums of the rows in each leaf, and the values that follow from them. */
#pragma once

#include "boost/boost_rows.h"
#include "boost/grow.h"

enum { HEFT_MANY_CLASSES = 8 }; /* more classes have a smaller ridge, and steps that soon grow */
enum { HEFT_LEAF_PARTS = 4 };   /* parts of the rows whose leaves are summed side by side */

/* Sums over the rows of each leaf, and over those that the tree was not grown on: 2 stride numbers
 * each, the sums of p and then those of p (1 - p). */
typedef struct heft_leaf_sums {
    int64_t *all;
    int32_t *few; /* sums over a few rows at a time; 0 between two uses */
} heft_leaf_sums;

typedef struct heft_boost_tree {
    const heft_growth     *grow;
    const heft_boost_rows *rows;
    heft_trees            *trees;
    double                 rate; /* the learning rate of the next tree */
    /* What is known about the last tree: */
    uint8_t         *leaf; /* by row; the number of leaves: the tree was not grown on the row */
    const heft_node *node[HEFT_MOST_LEAVES]; /* by leaf */
    heft_leaf_sums   sums[HEFT_LEAF_PARTS];
    size_t           n_parts;
    /* The elements that the arrays of `trees` have memory for: */
    size_t most_trees, most_splits, most_listed, most_values;
} heft_boost_tree;

/* Allocates what the leaves need; the first three fields are set. */
heft_status heft_boost_tree_open(heft_ctx *ctx, heft_arena *arena, heft_boost_tree *boost_tree);
/* Appends the tree that `grow` has to `trees`. */
heft_status heft_boost_tree_store(heft_ctx *ctx, heft_boost_tree *boost_tree);
