/* grow.h - one tree, grown on rows that have a first and a second derivative of the loss.
 *
 *   gain of a split  GL^2/(HL + 1) + GR^2/(HR + 1) - G^2/(H + 1)
 *
 * The leaf whose best split gains most is split first. A leaf whose path has tested `order`
 * attributes is split further on these alone. A side has at least 10 rows and H of 0.001.
 *
 * Derivatives are rounded and packed into a word for each row, and all sums are
 * sums of whole numbers: the tree does not depend on the order of the rows, nor on how they are
 * spread over several processes, which add up their histograms. */
#pragma once

#include "methods/auto/bins.h"

typedef int32_t heft_row_word __attribute__((may_alias));

typedef struct heft_row_sums {
    int64_t g, h, n;
} heft_row_sums;

typedef struct heft_histograms { /* the sums of every code of every attribute */
    int64_t *g, *h, *n;
} heft_histograms;

typedef struct heft_leaf_split { /* the best split of a leaf */
    double        gain;          /* 0: none */
    heft_row_sums left;          /* of the rows that go left */
    uint32_t      attr, at, n_listed;
    uint32_t      listed[HEFT_MOST_LISTED];
} heft_leaf_split;

typedef struct heft_node {
    size_t          first, n; /* its rows in `index` */
    heft_row_sums   all;      /* of the rows of all processes */
    heft_histograms of;       /* not where histograms are not kept */
    unsigned        n_path;
    uint32_t        path[3];
    heft_leaf_split best;
    int             child[2]; /* -1: none */
    int ahead[2]; /* its children, if they were made before it is known that it is split */
    int turn;     /* when it became part of the tree; -1: it did not */
} heft_node;

/* Parts of the rows of a leaf that are counted each. */
enum { HEFT_MOST_PARTS = 4 };

/* Nodes made ahead, that need not become part of the tree, included. */
enum { HEFT_MOST_SPLITS = 2 * HEFT_MOST_LEAVES, HEFT_MOST_NODES = 2 * HEFT_MOST_SPLITS + 1 };

/* Whether the node is a leaf of the tree. */
static inline bool heft_is_leaf(const heft_node *node)
{
    return node->turn >= 0 && node->child[0] < 0;
}

typedef struct heft_growth {
    const heft_bins       *bins;
    const heft_tree_codes *column;
    size_t                 n, m;   /* rows of this process, attributes */
    const int64_t         *weight; /* in units; NULL: all 1 */
    double                 unit;
    unsigned               order;
    size_t                 most_leaves;
    double                 g_unit, h_unit; /* what one step of the packed numbers is */
    union {                                /* by row */
        float         *g;                  /* first derivatives, |g| <= 1; h = |g| (1 - |g|) */
        heft_row_word *word;               /* the same memory, once they are packed */
    };
    /* of one tree */
    uint32_t *use; /* the attributes */
    size_t    n_use;
    uint32_t *index; /* the rows: afterwards leaf by leaf */
    size_t    n_rows;
    heft_node node[HEFT_MOST_NODES];        /* the first is the root */
    size_t    n_nodes, n_leaves, n_counted; /* n_counted: histograms taken from the pool */
    /* while growing */
    uint32_t *spare;
    bool     *goes_left; /* of the codes of one attribute; all false between two splits */
    size_t   *bin_at;    /* m + 1: first cell of each attribute */
    int64_t  *pool;      /* n_pool histograms */
    size_t    n_pool;    /* 1: histograms are not kept */
    int64_t  *parts;     /* HEFT_MOST_PARTS - 1 histograms, or NULL */
    size_t   *went_left; /* of each piece of the rows of a leaf */
    float     by_g;      /* of packing */
} heft_growth;

static inline int64_t heft_units(const int64_t *weight, size_t i)
{
    return weight ? weight[i] : 1;
}

/* Memory for trees; bins, n and m are set. */
heft_status heft_growth_open(heft_ctx *ctx, heft_arena *arena, heft_growth *growth);
/* The bits of the largest |g| of rows lo .. hi - 1. */
int32_t heft_growth_largest(const heft_growth *growth, size_t lo, size_t hi);
/* g of all rows is packed; `largest` of them. */
heft_status heft_growth_pack(heft_ctx *ctx, heft_growth *growth, int32_t largest);
/* A tree on the rows index[0..n_rows) and the attributes use[0..n_use). */
heft_status heft_growth_tree(heft_ctx *ctx, heft_growth *growth);
/* Sums of the rows of a node: G and H. */
void heft_growth_sums(const heft_growth *growth, const heft_node *node, double *G, double *H);
