/* auto_plan.h - what the default method does with a table, by its size and the effort. */
#pragma once

#include "boost/boost.h"
#include "methods/auto/coding.h"

enum { HEFT_EFFORT_COUNT, HEFT_EFFORT_LEAN, HEFT_EFFORT_FULL };
enum { HEFT_MOST_LEARNED = 10000 }; /* rows; above, no weights are learned where trees are grown */
enum { HEFT_MOST_SETS = 3 };        /* of trees from all rows */
enum { HEFT_LEAF_NUMBERS = 2621440 /* 20 MB */ };

typedef struct heft_plan {
    size_t          n_rows; /* that weights and trees learn from: all, or some that are drawn */
    bool            learns, boosts;
    unsigned        counts_at, pairs_at; /* resolutions: a set for counts, one for learned pairs */
    size_t          n_pairs;             /* that are learned */
    long            iterations, last_iterations;
    size_t          held_target; /* held-out rows wanted */
    heft_boost_rule boost;       /* but for order, most_attrs and draw */
    size_t          n_sets;      /* of trees from all rows: their mean is taken */
    double          more_rounds; /* of them, for each of those without a fold */
    double folds_share; /* of the trees of the folds, which stay in the model; 0: they do not */
} heft_plan;

/* n_rows of a plan: of all rows, those that are learned from. */
size_t heft_plan_rows(size_t n_rows, size_t n_class);
/* distinct: the rows that differ from all others, of equal ones one: how much there is to learn
 * from, whatever their weights. */
heft_plan heft_plan_of(int effort, double distinct, size_t n_rows, size_t n_class);
