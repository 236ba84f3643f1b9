/* tree_effects.h - the evidence of trees as an exact sum of terms of few attributes and a
 * remainder.
 *
 * A leaf adds v where each attribute j of its path has a code in a set B_j. Let U be these
 * attributes, q_j the fraction of the training rows whose code is in B_j, d_j = [x_j in B_j] - q_j:
 *
 *   v prod_{j in U} [x_j in B_j]  =  v sum over V in U of  prod_{j in V} d_j  prod_{j in U\V} q_j
 *
 * Empty V: part of the start of the score. One attribute: added to its table. Two or three: an
 * interaction. Such a term has mean 0 over each of its attributes, weighted by the fractions of its
 * lines, so that an attribute has all that it says alone.
 *
 * The remainder is the sum over all other V: those of four and more attributes, and the pairs and
 * triples that are not listed because there are too many (heft_interactions_find). No such V is
 * visited. For a leaf the sum over all V is v or 0, from which the start, the attributes and the
 * listed interactions are taken. In equal parts of each V, attribute j has of all V together
 *
 *   v d_j integral from 0 to 1 over t of  prod_{k in U, k != j} (q_k + d_k t)
 *
 * because the factor of t^s is the sum over the V of s + 1 attributes, and its integral divides it
 * by s + 1. The polynomial has at most degree 30, so that a Gauss rule of 16 nodes is exact. */
#pragma once

#include "boost/interactions.h"

typedef struct heft_box_side { /* the codes of one attribute that a leaf has */
    uint32_t tested;           /* the splits of the attribute on the path, as bits */
    uint32_t right;            /* the splits at which the leaf is to the right */
    uint32_t place;            /* where the attribute stands among those of the tree */
    double   share;            /* q */
} heft_box_side;

typedef struct heft_leaf_box {
    uint8_t  n;     /* sides, by attribute */
    bool     rest;  /* it has a part of the remainder */
    uint32_t has;   /* the places of its attributes, as bits */
    size_t   first; /* its first side */
} heft_leaf_box;

typedef struct heft_tree_sets { /* the attributes of a tree, and its interactions */
    size_t    n;
    uint32_t *attr; /* n, increasing */
    uint32_t *part; /* the interaction of places a < b is part[b (b - 1) / 2 + a], followed by those
                       of a < b < c in the same manner; UINT32_MAX: it is not listed */
} heft_tree_sets;

typedef struct heft_gauss { /* n nodes between 0 and 1: exact for polynomials up to degree 2 n - 1
                             */
    size_t n;
    double at[HEFT_MOST_LEAVES / 2], weight[HEFT_MOST_LEAVES / 2];
} heft_gauss;

typedef struct heft_tree_effects { /* numbers by the columns of the tables */
    heft_expansion  expansion;
    heft_tree_sets *sets; /* n_trees */
    heft_leaf_box  *box;  /* n_leaves */
    heft_box_side  *side;
    double         *start; /* n_columns */
    double        **table; /* n_attr: a line each; NULL: no tree tests the attribute */
    bool            wide;  /* there is a remainder */
    heft_gauss      gauss[HEFT_MOST_LEAVES / 2 + 1]; /* by number of nodes */
} heft_tree_effects;

/* The evidence of n rows that no attribute has alone; the numbers of the rows stand next to each
 * other. */
typedef struct heft_joint_sums {
    double *together;  /* n_interactions x n_columns x n */
    double *remainder; /* n_columns x n; NULL: neither it nor `shares` is wanted */
    double *shares;    /* n_attr x n_columns x n: the remainder in equal parts of each V */
} heft_joint_sums;

enum { HEFT_ROWS_AT_ONCE = 8 };

/* Sorts a list of sets of attributes together with those that the trees have evidence of: pairs,
 * then triples, by their attributes, each once. *list is replaced by memory from `arena`.
 *
 * Where a path tests more than three attributes there can be very many. At most HEFT_MOST_JOINT
 * pairs and as many triples are listed then, besides those of the given list: those with the
 * largest sums over leaves of max |v| prod_{j in V} sqrt(q_j (1 - q_j)) prod_{j in U\V} q_j. */
heft_status heft_interactions_find(heft_ctx *ctx, const heft_expansion *x, heft_arena *arena,
                                   heft_interaction **list, size_t *n);

/* `out` refers to what the expansion points to. Scratch memory. Cost: O(leaves classes + lines of
 * the tables), and O(n^3) for a path of n attributes. */
heft_status heft_tree_effects_open(heft_ctx *ctx, const heft_expansion *expansion,
                                   heft_tree_effects *out);
/* Adds the joint evidence of n rows, given the line of each attribute for each. n is 1 or
 * HEFT_ROWS_AT_ONCE, which is several times as fast per row and gives the same bits. */
void heft_tree_effects_rows(const heft_tree_effects *effects, uint32_t *const *line, size_t n,
                            const heft_joint_sums *out);
/* together[n_columns] += one interaction of a row. */
void heft_tree_effects_one(const heft_tree_effects *effects, const uint32_t *line, size_t which,
                           double *together);
