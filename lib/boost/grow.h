/* grow.h - one tree, grown on rows that have a first and a second derivative of the loss.
 *
 *   gain of a split  GL^2/(HL + 1) + GR^2/(HR + 1) - G^2/(H + 1)
 *
 * With more than 4 nominal values 11 takes the place of 1, and with HEFT_MOST_PLAIN or more what
 * chance can be expected to gain is taken from it.
 *
 * The leaf whose best split gains most is split first. A leaf whose path has tested `order`
 * attributes is split further on these alone. A side has at least 10 rows and H of 0.001.
 *
 * All sums are sums of whole numbers (histograms.h): the tree does not depend on the order of the
 * rows, nor on how they are spread over several processes. */
#pragma once

#include "boost/histograms.h"

typedef struct heft_leaf_split { /* the best split of a leaf */
    double        gain;          /* 0: none */
    heft_row_sums left;          /* of the rows that go left */
    uint32_t      attr, at, n_listed;
    uint32_t      listed[HEFT_MOST_LISTED];
} heft_leaf_split;

typedef struct heft_node {
    size_t          first, n; /* its rows in `index` */
    heft_row_sums   all;      /* of the rows of all processes */
    heft_histograms of;       /* overwritten by other nodes where histograms are not kept */
    unsigned        n_path;
    uint32_t        path[3];
    heft_leaf_split best;
    int             child[2]; /* -1: none */
    int ahead[2]; /* its children, which may be made before it is known that it is split */
    int turn;     /* when it became part of the tree; -1: it did not */
} heft_node;

/* They include nodes that are made ahead and do not become part of the tree. */
enum { HEFT_MOST_SPLITS = 2 * HEFT_MOST_LEAVES, HEFT_MOST_NODES = 2 * HEFT_MOST_SPLITS + 1 };

typedef struct heft_growth {
    heft_packed_rows rows;
    unsigned         order;
    size_t           most_leaves;
    /* of one tree */
    uint32_t *use; /* the attributes */
    size_t    n_use;
    uint32_t *counted; /* the same in the order in which they are counted */
    uint32_t *index;   /* the rows; after growing in the order of the leaves */
    size_t    n_rows;
    heft_node node[HEFT_MOST_NODES];        /* the first is the root */
    size_t    n_nodes, n_leaves, n_counted; /* n_counted: histograms taken from the pool */
    /* while growing */
    uint32_t *spare;     /* room for the rows that go right */
    bool     *goes_left; /* by code of one attribute; all false between two splits */
    bool     *flags;     /* by attribute; all false */
    int64_t  *pool;      /* n_pool histograms */
    size_t    n_pool;    /* 1: histograms are not kept */
    size_t   *went_left; /* by piece of the rows of a leaf: how many */
} heft_growth;

/* Memory for trees; `rows` is set as heft_packed_rows_open wants it. */
heft_status heft_growth_open(heft_ctx *ctx, heft_arena *arena, heft_growth *growth);
/* A tree on the rows index[0..n_rows) and the attributes use[0..n_use). */
heft_status heft_growth_tree(heft_ctx *ctx, heft_growth *growth);
/* The sums of the derivatives over the rows of a node. */
void heft_growth_sums(const heft_growth *growth, const heft_node *node, double *G, double *H);
