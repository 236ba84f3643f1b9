/* tree_paths.h - the paths of trees: the box of codes that a leaf is, and sets of its attributes.
 *
 * A walk through each tree keeps the box of the path: for a numeric attribute a range of codes, for
 * a nominal one the codes listed, or all but those.
 *
 * Sets of two and three of n places have numbers: a < b has b (b - 1) / 2 + a, and a < b < c comes
 * after all pairs and has c (c - 1) (c - 2) / 6 + b (b - 1) / 2 + a. They are used for the places
 * of attributes in a leaf and in a tree. */
#pragma once

#include "base/wide.h"
#include "boost/interactions.h"

/* ---- sets of places ---- */

enum {
    HEFT_MOST_SETS = HEFT_PATH_ATTRS * (HEFT_PATH_ATTRS - 1) / 2 +
                     HEFT_PATH_ATTRS * (HEFT_PATH_ATTRS - 1) * (HEFT_PATH_ATTRS - 2) / 6
};

static inline size_t heft_pairs_of(size_t n)
{
    return n * (n - 1) / 2;
}

static inline size_t heft_triples_of(size_t n)
{
    return n < 3 ? 0 : n * (n - 1) * (n - 2) / 6;
}

static inline size_t heft_sets_of(size_t n)
{
    return n < 2 ? 0 : heft_pairs_of(n) + heft_triples_of(n);
}

/* number[heft_sets_of(n)] = the numbers that the sets of n places have among those of the tree. */
HEFT_INLINE void heft_number_sets(const uint32_t *restrict place, size_t n, size_t n_tree,
                                  uint32_t *restrict number)
{
    size_t k = 0;
    for (size_t b = 1; b < n; b++)
        for (size_t a = 0; a < b; a++) number[k++] = (uint32_t)heft_pairs_of(place[b]) + place[a];
    for (size_t c = 2; c < n; c++)
        for (size_t b = 1; b < c; b++) {
            const size_t at =
                heft_pairs_of(n_tree) + heft_triples_of(place[c]) + heft_pairs_of(place[b]);
            for (size_t a = 0; a < b; a++) number[k++] = (uint32_t)at + place[a];
        }
}

/* ---- walking ---- */

typedef struct heft_path_side {  /* one side of a box: the codes of one attribute */
    uint32_t        attr, place; /* its number, and its place among those of the tree */
    uint32_t        tested, right;
    uint32_t        lo, hi; /* numeric: from lo to hi */
    bool            others; /* nominal: all codes but those of the list */
    size_t          n_list;
    const uint32_t *list; /* increasing */
} heft_path_side;

typedef struct heft_path {
    size_t         n;
    heft_path_side of[HEFT_PATH_ATTRS]; /* by attribute */
} heft_path;

typedef struct heft_walk {
    const heft_trees *trees;
    size_t            tree, leaf; /* at a leaf: its place among all leaves */
    size_t            n_attr;
    uint32_t          attr[HEFT_PATH_ATTRS]; /* the attributes of the tree, increasing */
    void (*visit)(struct heft_walk *walk, const heft_path *path);
    heft_status (*end)(struct heft_walk *walk); /* after the leaves of a tree; NULL: nothing */
    void *arg;
} heft_walk;

/* Visits the leaves of all trees, which must be indexed. */
heft_status heft_walk_trees(heft_walk *walk);
/* Returns the most attributes that a path tests. */
size_t heft_trees_width(const heft_trees *trees);

/* A set of two or three places of the tree, with its number. */
typedef heft_status heft_set_visit(heft_walk *w, const heft_interaction *set, size_t number);

/* Visits all sets of two and three attributes of the tree that is being walked. */
heft_status heft_each_set(heft_walk *walk, heft_set_visit *visit);

/* ---- shares ---- */

typedef struct heft_path_attr { /* an attribute that trees test */
    uint32_t n_codes;
    double   total; /* fraction of the rows that have any of the codes */
    double  *below; /* numeric: n_codes + 1 sums over the lower codes */
    /* tree_effects.c uses the fields below. */
    double *table;  /* numeric: n_codes + 1 differences; nominal: n_codes lines */
    double *always; /* added to every code */
} heft_path_attr;

static inline uint32_t heft_tree_code(const heft_tree_attr *attr, uint32_t line)
{
    if (!attr->numeric) return line;
    return line == attr->n_lines - 1 ? attr->missing : line + 1;
}

/* attr[n_attr]: those that trees test are opened, without tables; the others have no codes. Scratch
 * memory. */
heft_status heft_path_attrs(heft_ctx *ctx, const heft_expansion *x, heft_path_attr **attr);
/* The codes of a numeric side, as a range [*lo, *end). */
void heft_side_range(const heft_path_attr *attr, const heft_path_side *side, uint32_t *lo,
                     uint32_t *end);
/* Returns the fraction of the training rows whose code is on the side. */
double heft_side_share(const heft_expansion *x, const heft_path_attr *a, const heft_path_side *s);
