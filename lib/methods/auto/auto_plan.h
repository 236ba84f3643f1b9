/* auto_plan.h - what the default method does with a table, by its size and the effort. */
#pragma once

#include "boost/boost.h"
#include "methods/auto/coding.h"

enum { HEFT_EFFORT_COUNT, HEFT_EFFORT_LEAN, HEFT_EFFORT_FULL };
enum {
    HEFT_MOST_LEARNED = 10000,  /* with more rows, no weights are learned if trees are grown */
    HEFT_MOST_SETS = 5,         /* sets of trees grown from all rows */
    HEFT_LEAF_NUMBERS = 2621440 /* numbers in the leaves of all sets: 20 MB */
};

typedef struct heft_row_plan { /* the rows that members learn from */
    size_t n_taken;            /* all, or some that are drawn */
    size_t n_parts;            /* parts of the rows, each of which may be held out */
    /* Many rows: one part is held out, the others are divided into windows (boost/windows.h), and
     * the trees of this one fit are those of the model. */
    bool   many;
    size_t n_windows;
} heft_row_plan;

typedef struct heft_plan {
    heft_row_plan   rows;
    bool            learns, boosts;
    unsigned        counts_at, pairs_at; /* resolutions: a set for counts, one for learned pairs */
    size_t          n_pairs;             /* pairs whose weights are learned */
    long            iterations, last_iterations;
    size_t          held_target;  /* held-out rows wanted */
    heft_boost_rule boost;        /* most_attrs and draw are set later */
    size_t          n_sets;       /* most sets of trees from all rows, whose mean is taken */
    size_t          sets_rounds;  /* rounds that all sets may have together, if there are several */
    double          set_attrs[2]; /* boost.attrs of the even and of the odd sets */
    double          more_rounds;  /* rounds from all rows for each round without a fold */
    bool            keeps_folds;  /* the trees of the folds are part of the model */
    bool            compares_orders; /* with order=auto; small tables gain little from a choice,
                                        and it costs them most */
} heft_plan;

/* most: the rows that a window may have, as far as time goes; SIZE_MAX: any number. */
heft_row_plan heft_plan_rows(int effort, size_t n_rows, size_t K, size_t most);
/* For tests: more rows than this are many, and a window has about as many. 0: as usual. */
void heft_plan_many_rows(size_t n_rows);

typedef struct heft_plan_for { /* what a plan depends on */
    int      effort;
    unsigned order;    /* most attributes that the path of a tree may test */
    double   distinct; /* the number of different rows, which is how much there is to learn from,
                          whatever their weights */
    size_t               n_rows, n_class;
    const heft_row_plan *rows;
} heft_plan_for;

heft_plan heft_plan_of(const heft_plan_for *of);
