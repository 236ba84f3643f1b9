/* grow.h - one tree, grown on rows that have a first and a second derivative of the loss.
 *
 *   gain of a split  GL^2/(HL + 1) + GR^2/(HR + 1) - G^2/(H + 1)
 *
 * that is twice the decrease of the quadratic approximation of the loss, with a ridge of 1 (Chen
 * and Guestrin, XGBoost, eq. 7). Attributes with more than 4 nominal values have a ridge of 11: a
 * split on them is the best of many. With HEFT_MOST_PLAIN or more, what chance can be expected to
 * gain is subtracted as well.
 *
 * The leaf whose best split gains most is split first. A leaf whose path has tested `order`
 * attributes, at most HEFT_MOST_LEAVES - 1, is split further on these alone. A side has at least 10
 * rows and H of 0.001.
 *
 * All sums are sums of whole numbers (histograms.h): the tree does not depend on the order of the
 * rows, nor on how they are spread over several processes. */
#pragma once

#include "boost/histograms.h"

typedef struct heft_leaf_split { /* the best split of a leaf */
    double        gain;          /* 0: none */
    heft_row_sums left;          /* the sums of the rows that go left */
    uint32_t      attr, at, n_listed;
    uint32_t      listed[HEFT_MOST_LISTED];
} heft_leaf_split;

typedef struct heft_node {
    size_t          first, n; /* its rows in `index` */
    heft_row_sums   all;      /* sums over its rows in all processes */
    heft_histograms sums;     /* overwritten by other nodes if histograms are not kept */
    unsigned        n_path;
    uint32_t        path[HEFT_MOST_LEAVES - 1];
    heft_leaf_split best;
    int             child[2]; /* -1: none */
    int             ahead[2]; /* its children; made before it is known that it is split, or -1 */
    int             turn;     /* when it became part of the tree; -1: it did not */
} heft_node;

/* These numbers include nodes that are made ahead and do not become part of the tree. */
enum { HEFT_MOST_SPLITS = 2 * HEFT_MOST_LEAVES, HEFT_MOST_NODES = 2 * HEFT_MOST_SPLITS + 1 };

typedef struct heft_growth {
    heft_packed_rows rows;
    unsigned         order;
    size_t           most_leaves;
    /* What one tree is grown on, and the tree: */
    heft_attr_list use;     /* the attributes */
    uint32_t      *counted; /* the same attributes in the order in which they are counted */
    uint32_t      *index;   /* the rows; after growing in the order of the leaves */
    size_t         n_rows;
    heft_node      node[HEFT_MOST_NODES]; /* the first is the root */
    size_t         n_nodes, n_leaves;
    size_t         n_counted; /* histograms taken from the pool */
    /* Memory used while it grows: */
    uint32_t *spare;     /* the rows that go right */
    bool     *goes_left; /* by code of one attribute; all false between two splits */
    bool     *flags;     /* by attribute; all false */
    int64_t  *pool;      /* n_pool histograms */
    size_t    n_pool;    /* 1: histograms are not kept */
    size_t   *went_left; /* how many rows of each piece of a leaf go left */
} heft_growth;

/* Allocates memory for trees; `rows` is set as heft_packed_rows_open wants it. */
heft_status heft_growth_open(heft_ctx *ctx, heft_arena *arena, heft_growth *growth);
/* Grows a tree on the rows index[0..n_rows) and the attributes `use`. */
heft_status heft_growth_tree(heft_ctx *ctx, heft_growth *growth);
/* The sums of the derivatives over the rows of a node. */
void heft_growth_sums(const heft_growth *growth, const heft_node *node, double *G, double *H);
