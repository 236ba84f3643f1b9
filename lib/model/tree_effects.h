/* tree_effects.h - the evidence of trees as an exact sum over one, two and three attributes.
 *
 * A leaf adds v where each attribute j of its path has a code in a set B_j. Let U be these
 * attributes, q_j the share of the training rows whose code is in B_j, d_j = [x_j in B_j] - q_j:
 *
 *   v prod_{j in U} [x_j in B_j]  =  v sum over V in U of  prod_{j in V} d_j  prod_{j in U\V} q_j
 *
 * Empty V: part of the start of the score. One attribute: added to its table. Two or three: an
 * interaction. Such a term has mean 0 over each of its attributes, by the shares of its lines, so
 * that an attribute has all that it says alone. */
#pragma once

#include "model/term.h"

typedef struct heft_leaf_box {
    uint8_t  n;                        /* attributes, increasing */
    uint32_t tested[HEFT_JOINT_ATTRS]; /* of each: its splits on the path, by place in the tree */
    uint32_t right[HEFT_JOINT_ATTRS];  /* those of them at which the leaf is to the right */
    double   share[HEFT_JOINT_ATTRS];  /* q */
    uint32_t part_of[4];               /* interactions: attributes 01, 02, 12, then 012 */
} heft_leaf_box;

typedef struct heft_tree_effects { /* numbers by the columns of the tables */
    const heft_trees *trees;
    const heft_terms *terms;
    heft_leaf_box    *box;   /* n_leaves */
    double           *start; /* n_columns */
    double          **table; /* n_attr: a line each; NULL: no tree tests the attribute */
} heft_tree_effects;

/* No path tests more than HEFT_JOINT_ATTRS attributes. The trees are indexed. */
bool heft_trees_narrow(const heft_trees *trees);
/* The sets of attributes that joint terms and trees have evidence of: pairs, then triples, by their
 * attributes. */
heft_status heft_interactions_find(heft_ctx *ctx, const heft_terms *terms, heft_arena *arena,
                                   heft_interaction **out, size_t *n);
/* The place of a set of n attributes among these interactions; SIZE_MAX: it is not there. */
size_t heft_interaction_at(const heft_interaction *list, size_t n_list, const uint32_t *attr,
                           size_t n);

/* Of terms that have trees and all interactions; refers to them. Scratch memory. Cost: O(leaves
 * classes + lines of the tables). */
heft_status heft_tree_effects_open(heft_ctx *ctx, const heft_terms *terms, heft_tree_effects *out);
/* together[n_interactions x n_columns] += the interactions of a row, given the line of each
 * attribute. `only`: leaves without this interaction may be left out; SIZE_MAX: none. */
void heft_tree_effects_row(const heft_tree_effects *effects, const uint32_t *line, size_t only,
                           double *together);
