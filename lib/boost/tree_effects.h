/* tree_effects.h - the evidence of trees as an exact sum over one, two and three attributes.
 *
 * A leaf adds v where each attribute j of its path has a code in a set B_j. Let U be these
 * attributes, q_j the fraction of the training rows whose code is in B_j, d_j = [x_j in B_j] - q_j:
 *
 *   v prod_{j in U} [x_j in B_j]  =  v sum over V in U of  prod_{j in V} d_j  prod_{j in U\V} q_j
 *
 * Empty V: part of the start of the score. One attribute: added to its table. Two or three: an
 * interaction. Such a term has mean 0 over each of its attributes, weighted by the fractions of its
 * lines, so that an attribute has all that it says alone. */
#pragma once

#include "boost/trees.h"

enum { HEFT_JOINT_ATTRS = 3 }; /* attributes that a term may have at most */

typedef struct heft_interaction { /* all evidence of the same two or three attributes */
    size_t   n;
    uint32_t attr[HEFT_JOINT_ATTRS]; /* increasing */
    double   size;                   /* mean size of its evidence over training rows and classes */
} heft_interaction;

typedef struct heft_tree_attr { /* how the lines of an attribute's table become codes of trees */
    bool          numeric;      /* line + 1 is the code; else the line itself */
    uint32_t      n_lines;      /* the last one is that of missing cells */
    uint32_t      missing;      /* numeric: the code of missing cells */
    const double *share;        /* n_lines: the fraction of the training rows with each */
} heft_tree_attr;

typedef struct heft_expansion { /* what trees are expanded into */
    const heft_trees       *trees;
    size_t                  n_columns; /* columns of the tables; if 2, the leaves have one number */
    size_t                  n_attr;
    const heft_tree_attr   *attr;
    size_t                  n_interactions;
    const heft_interaction *interaction; /* pairs, then triples, by their attributes */
} heft_expansion;

typedef struct heft_leaf_box {
    uint8_t  n;                        /* attributes, increasing */
    uint32_t tested[HEFT_JOINT_ATTRS]; /* the splits of each on the path, as bits */
    uint32_t right[HEFT_JOINT_ATTRS];  /* the splits at which the leaf is to the right */
    double   share[HEFT_JOINT_ATTRS];  /* q */
    uint32_t part_of[4];               /* interactions: attributes 01, 02, 12, then 012 */
} heft_leaf_box;

typedef struct heft_tree_effects { /* numbers by the columns of the tables */
    heft_expansion expansion;
    heft_leaf_box *box;   /* n_leaves */
    double        *start; /* n_columns */
    double       **table; /* n_attr: a line each; NULL: no tree tests the attribute */
} heft_tree_effects;

/* Whether no path tests more than HEFT_JOINT_ATTRS attributes. The trees must be indexed. */
bool heft_trees_narrow(const heft_trees *trees);
/* Sorts a list of sets of attributes together with those that the trees have evidence of: pairs,
 * then triples, by their attributes, each once. *list is replaced by memory from `arena`. */
heft_status heft_interactions_find(heft_ctx *ctx, const heft_trees *trees, heft_arena *arena,
                                   heft_interaction **list, size_t *n);
/* The place of a set of n attributes among these interactions; SIZE_MAX: it is not there. */
size_t heft_interaction_at(const heft_interaction *list, size_t n_list, const uint32_t *attr,
                           size_t n);

/* The expansion has all interactions of its trees; `out` refers to what it points to. Scratch
 * memory. Cost: O(leaves classes + lines of the tables). */
heft_status heft_tree_effects_open(heft_ctx *ctx, const heft_expansion *expansion,
                                   heft_tree_effects *out);
/* together[n_interactions x n_columns] += the interactions of a row, given the line of each
 * attribute. `only`: leaves without this interaction may be left out; SIZE_MAX: none. */
void heft_tree_effects_row(const heft_tree_effects *effects, const uint32_t *line, size_t only,
                           double *together);
