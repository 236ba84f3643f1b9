/* interactions.h - the sets of two and three attributes that trees have evidence of. */
#pragma once

#include "boost/trees.h"

enum {
    HEFT_JOINT_ATTRS = 3, /* attributes that a term may have at most */
    HEFT_PATH_ATTRS = HEFT_MOST_LEAVES - 1,
    HEFT_MOST_JOINT =
        4096 /* pairs, and triples, that are listed where paths test more attributes */
};

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

/* Sorts interactions: pairs, then triples, by their attributes. */
void heft_interactions_sort(heft_interaction *list, size_t n);
/* The place of a set of n attributes among these interactions; SIZE_MAX: it is not there. */
size_t heft_interaction_at(const heft_interaction *list, size_t n_list, const uint32_t *attr,
                           size_t n);

/* ---- a table of interactions ---- */

typedef struct heft_set_table { /* distinct interactions, found by a hash of their attributes */
    heft_ctx         *ctx;
    size_t            n, room; /* a power of two */
    heft_interaction *list;    /* room */
    uint32_t         *at;      /* 2 room: places in the list + 1; 0: free */
} heft_set_table;

/* Returns where the interaction is, or where it may be put. The table is not empty. */
uint32_t *heft_set_place(const heft_set_table *sets, const heft_interaction *of);
/* Adds the set, or its size to that of the same one. Scratch memory. */
heft_status heft_set_add(heft_set_table *sets, const heft_interaction *set);
