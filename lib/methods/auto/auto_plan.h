/* auto_plan.h - what the default method does with a table, by its size and the effort. */
#pragma once

#include "boost/boost.h"
#include "methods/auto/coding.h"

enum { HEFT_EFFORT_COUNT, HEFT_EFFORT_LEAN, HEFT_EFFORT_FULL };
enum {
    HEFT_MOST_LEARNED = 10000,  /* with more rows, no weights are learned if trees are grown */
    HEFT_MOST_SETS = 3,         /* sets of trees grown from all rows */
    HEFT_LEAF_NUMBERS = 2621440 /* numbers in the leaves of all sets: 20 MB */
};

typedef struct heft_plan {
    size_t          n_rows; /* rows to learn weights and trees from: all, or some that are drawn */
    bool            learns, boosts;
    unsigned        counts_at, pairs_at; /* resolutions: a set for counts, one for learned pairs */
    size_t          n_pairs;             /* pairs whose weights are learned */
    long            iterations, last_iterations;
    size_t          held_target; /* held-out rows wanted */
    heft_boost_rule boost;       /* order, most_attrs and draw are set later */
    size_t          n_sets;      /* sets of trees from all rows, whose mean is taken */
    double          more_rounds; /* rounds from all rows for each round without a fold */
    double folds_weight; /* weight of the trees of the folds in the model; 0: they are dropped */
} heft_plan;

/* The n_rows of a plan: how many of all rows are learned from. */
size_t heft_plan_rows(size_t n_rows, size_t n_class);
/* distinct: the number of different rows, which is how much there is to learn from, whatever their
 * weights. */
heft_plan heft_plan_of(int effort, double distinct, size_t n_rows, size_t n_class);
