/* auto_plan.c - what the default method does with a table, by its size and the effort.
 *
 * The figures behind the limits are in docs/notes/auto.md. */
#include "methods/auto/auto_plan.h"

#include <math.h>

#include "boost/boost_tree.h"
#include "boost/residuals.h"
#include "boost/tree_effects.h"
#include "learn/folds.h"

enum {
    FEW_ROWS = 2000, /* fewer rows have pairs at 5 bins, counts at 5 and 10; else 10, and also 20 */
    MANY_ROWS = 1000000,     /* the rows of a window, where there are more */
    MANY_SCORES = 20000000,  /* rows times classes of a window */
    HELD_PART = 10,          /* windows are so many times as large as the rows held out, */
    HELD_MANY_PART = 5,      /* and where scores bound both, so many times */
    MOST_SCORES = 200000000, /* scores of all windows that are kept, */
    FREE_SCORES = 32,        /* unless a row has at most so many */
    MOST_WINDOWS = 6000,     /* their parts have numbers of 16 bits */
    DRAWN_PART = 5,          /* members that take no windows learn from this part of one */
    HELD_TARGET = 1000,      /* rows that are held out */
    LEAST_TARGET = 400,      /* rows held out if there are too many classes for trees */
    HELD_SCORES = 400000,    /* rows times classes: fewer rows are held out with many classes */
    SMALL_ROWS = 4000,       /* fewer rows have three sets of smaller trees, on 0.7 of the rows */
    LARGE_ROWS = 10000,      /* more rows have faster steps, and two sets that average them out, */
    VAST_ROWS = 100000,      /* up to this number */
    SMALL_SETS = 3,
    FEW_LEAVES = 16,
    MANY_LEAVES = 24,
    LEAST_ROUNDS = 100,
    MORE_ROUNDS = 800 /* rounds that one window may have more than many windows */
};

static const double FEW_DRAWN = 0.7;
static const double MOST_FASTER = 3.6; /* the slowest steps become at most the fastest ones */

typedef struct steps { /* the steps of boosting */
    double rate;
    size_t even_rounds, most_rounds, patience;
} steps;

static const steps SLOW = {0.05, 2500, 6000, 120}, USUAL = {0.13, 970, 2000, 45},
                   FAST = {0.21, 600, 2000, 30}, GROWING = {0.21, 215, 2000, 30},
                   MANY = {0.3, 800, 1200, 35}; /* with many rows chance counts for little */

static size_t many_rows = MANY_ROWS;

void heft_plan_many_rows(size_t n_rows)
{
    many_rows = n_rows ? n_rows : MANY_ROWS;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Most rounds of boosting for n_sets sets from all rows: their leaves have at most
 * HEFT_LEAF_NUMBERS numbers. */
static size_t rounds_that_fit(size_t leaves, size_t K, size_t n_sets)
{
    return HEFT_LEAF_NUMBERS / (leaves * K * (n_sets ? n_sets : 1));
}

/* Memory grows with rows times classes. Trees are grown on windows; counted evidence is calibrated,
 * and weights are learned, on rows that are drawn. */
heft_row_plan heft_plan_rows(int effort, size_t n_rows, size_t K, size_t most)
{
    const size_t  scores = heft_residual_stride(K);
    const size_t  fits = least(many_rows, MANY_SCORES / K), window = least(fits, most);
    heft_row_plan plan = {.n_taken = n_rows, .n_parts = HEFT_KFOLD, .n_windows = 1};
    if (n_rows <= window) return plan;
    if (effort == HEFT_EFFORT_COUNT || rounds_that_fit(MANY_LEAVES, K, 1) < LEAST_ROUNDS) {
        plan.n_taken = least(n_rows, least(many_rows / DRAWN_PART, MANY_SCORES / 2 / K));
        return plan;
    }
    plan.many = true;
    if (scores > FREE_SCORES) plan.n_taken = least(n_rows, MOST_SCORES / scores);
    plan.n_windows = least(plan.n_taken / window, MOST_WINDOWS);
    if (plan.n_windows < 1) plan.n_windows = 1;
    plan.n_parts = plan.n_windows * (fits < many_rows ? HELD_MANY_PART : HELD_PART);
    return plan;
}

/* Trees whose paths may test any number of attributes have use for more leaves, and so have those
 * of many rows. */
static size_t leaves_of(const heft_plan_for *of)
{
    if (of->distinct < SMALL_ROWS) return FEW_LEAVES;
    const bool many = of->rows->many && of->n_class <= HEFT_MANY_CLASSES;
    return of->order > HEFT_JOINT_ATTRS || many ? HEFT_MOST_LEAVES : MANY_LEAVES;
}

/* Returns how many sets of trees are grown at most. There are not two if the limit on leaf numbers
 * would end their rounds early. */
static size_t sets_of(const heft_plan_for *of)
{
    const bool fit = rounds_that_fit(MANY_LEAVES, of->n_class, 2) >= FAST.most_rounds;
    if (of->effort == HEFT_EFFORT_FULL) return HEFT_MOST_SETS;
    if (of->distinct < SMALL_ROWS) return SMALL_SETS;
    return of->distinct > LARGE_ROWS && of->distinct <= VAST_ROWS && fit ? 2 : 1;
}

/* The steps of boosting in at most so many rounds. Slow steps that need more are made faster: a fit
 * that stops too early is worse than one of larger steps. */
static steps steps_of(const heft_plan_for *of, size_t most_rounds)
{
    const bool full = of->effort == HEFT_EFFORT_FULL;
    steps      many = MANY;
    many.most_rounds += MORE_ROUNDS / of->rows->n_windows;
    steps by = full                              ? SLOW
               : of->distinct <= LARGE_ROWS      ? USUAL
               : of->n_class > HEFT_MANY_CLASSES ? GROWING
               : of->rows->many                  ? many
                                                 : FAST;
    if (by.most_rounds <= most_rounds) return by;
    if (full) {
        const double faster = fmin((double)by.most_rounds / (double)(most_rounds + 1), MOST_FASTER);
        by.rate *= faster;
        by.even_rounds = (size_t)((double)by.even_rounds / faster);
        by.patience = (size_t)((double)by.patience / faster);
    }
    by.most_rounds = most_rounds;
    return by;
}

/* Sets the fractions of the attributes that trees are grown on. Several sets of slow steps gain
 * from trees that differ: they have all attributes and fewer in turn, the folds something between.
 */
static void set_attrs(const heft_plan_for *of, heft_plan *out)
{
    const double most = of->distinct < SMALL_ROWS ? FEW_DRAWN : 1;
    const double least = of->effort == HEFT_EFFORT_FULL ? FEW_DRAWN : most;
    out->set_attrs[0] = most;
    out->set_attrs[1] = least;
    out->boost.attrs = (most + least) / 2;
}

static void boost(const heft_plan_for *of, heft_plan *out)
{
    const bool   small = of->distinct < SMALL_ROWS;
    const size_t leaves = leaves_of(of);
    out->n_sets = out->rows.many ? 0 : sets_of(of);
    out->sets_rounds = rounds_that_fit(leaves, of->n_class, 1);
    /* how many rounds slow steps take, and then how many sets there is room for, is found later */
    const size_t room = of->effort == HEFT_EFFORT_FULL ? 1 : out->n_sets;
    const steps  by = steps_of(of, rounds_that_fit(leaves, of->n_class, room));
    out->boost = (heft_boost_rule){.rate = by.rate,
                                   .even_rounds = by.even_rounds,
                                   .most_rounds = by.most_rounds,
                                   .patience = by.patience,
                                   .order = of->order,
                                   .most_leaves = leaves,
                                   .rows = small ? FEW_DRAWN : 1};
    set_attrs(of, out);
    out->boosts = out->boost.most_rounds >= LEAST_ROUNDS;
    out->more_rounds = small || out->rows.many ? 1 : (double)HEFT_KFOLD / (HEFT_KFOLD - 1);
    out->keeps_folds = !small || out->rows.many;
    out->compares_orders = !small;
}

heft_plan heft_plan_of(const heft_plan_for *of)
{
    const unsigned at_few = 1u << HEFT_AT_5 | 1u << HEFT_AT_10;
    const size_t   n_class = of->n_class;
    const bool     few = of->distinct < FEW_ROWS, full = of->effort == HEFT_EFFORT_FULL;
    heft_plan      plan = {.rows = *of->rows,
                           .n_pairs = full ? 500 : 200,
                           .iterations = full ? 25 : 12,
                           .last_iterations = full ? 40 : 30,
                           .counts_at = few ? at_few : at_few | 1u << HEFT_AT_20,
                           .pairs_at = few ? HEFT_AT_5 : HEFT_AT_10};
    boost(of, &plan);
    plan.learns =
        of->effort != HEFT_EFFORT_COUNT && !(plan.boosts && of->n_rows > HEFT_MOST_LEARNED);
    plan.held_target = !plan.boosts                          ? LEAST_TARGET
                       : n_class > HELD_SCORES / HELD_TARGET ? HELD_SCORES / n_class
                                                             : HELD_TARGET;
    return plan;
}
