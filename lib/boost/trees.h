/* trees.h - trees over coded attributes, each with up to 32 leaves.
 *
 * A split sends a row left where its code is at most `at` (numeric), or in a short list of codes
 * (nominal); every other code, also one never seen, goes right. The leaves of a tree are numbered
 * from left to right. Splits are stored in pre-order with the number of leaves to their left, which
 * determines the tree. */
#pragma once

#include "base/codes.h"
#include "base/ctx.h"

enum { HEFT_MOST_LEAVES = 32, HEFT_MOST_LISTED = 32 };

typedef struct heft_tree_split {
    uint32_t attr;
    uint32_t at;       /* numeric: codes above it go right; nominal: where its list begins */
    uint8_t  n_listed; /* nominal: the codes that go left; 0: numeric */
    uint8_t  left;     /* leaves to the left */
} heft_tree_split;

typedef struct heft_tree {
    uint8_t n_leaves;
    size_t  split, leaf; /* its first split and its first leaf (heft_trees_index) */
} heft_tree;

typedef struct heft_trees {
    size_t n_trees, n_splits, n_listed, n_leaves;
    size_t n_columns; /* numbers per leaf: 1 for two classes (added to the second, subtracted from
                         the first), else one per class */
    heft_tree       *tree;
    heft_tree_split *split;
    uint32_t        *listed; /* codes that go left, increasing within a list */
    double          *value;  /* n_leaves x n_columns */
} heft_trees;

typedef struct heft_tree_codes { /* the codes of one attribute */
    const void *codes;
    unsigned    width;
} heft_tree_codes;

/* Fills in the first splits and first leaves of all trees. false: the splits do not form trees. */
bool heft_trees_index(heft_trees *trees);
/* Whether the splits form trees. */
bool heft_trees_valid(const heft_trees *trees);
/* leaf[i]: the leaf of row lo + i in tree t, for n rows. column[attr]. */
void heft_tree_leaves(const heft_trees *trees, size_t t, const heft_tree_codes *column, size_t lo,
                      size_t n, uint8_t *leaf);
