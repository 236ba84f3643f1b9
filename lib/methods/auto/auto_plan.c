/* auto_plan.c - what the default method does with a table, by its size and the effort.
 *
 * The figures behind the limits are in docs/notes/auto.md. */
#include "methods/auto/auto_plan.h"

#include "boost/boost_tree.h"
#include "learn/folds.h"

enum {
    FEW_ROWS = 2000, /* fewer rows have pairs at 5 bins, counts at 5 and 10; else 10, and also 20 */
    MANY_ROWS = 1000000,
    DRAWN_ROWS = 200000,
    MANY_SCORES = 20000000, /* rows times classes */
    HELD_TARGET = 1000,     /* rows that are held out */
    LEAST_TARGET = 400,     /* rows held out if there are too many classes for trees */
    HELD_SCORES = 400000,   /* rows times classes: fewer rows are held out with many classes */
    SMALL_ROWS = 4000,      /* fewer rows have three sets of smaller trees, on 0.7 of the rows */
    LARGE_ROWS = 10000,     /* more rows have faster steps, and two sets that average them out, */
    VAST_ROWS = 100000,     /* up to this number */
    FEW_LEAVES = 16,
    MANY_LEAVES = 24,
    LEAST_ROUNDS = 100,
    BOOST_SCORES = 200000000
};

static const double FEW_DRAWN = 0.7;

typedef struct steps { /* the steps of boosting */
    double rate;
    size_t even_rounds, most_rounds, patience;
} steps;

static const steps SLOW = {0.1, 1260, 2500, 60}, USUAL = {0.13, 970, 2000, 45},
                   FAST = {0.18, 700, 2000, 35}, GROWING = {0.18, 250, 2000, 35};

/* Memory grows with rows times classes. */
size_t heft_plan_rows(size_t n_rows, size_t n_class)
{
    const bool   draws = n_rows > MANY_ROWS || n_rows * n_class > MANY_SCORES;
    const size_t most =
        n_class > MANY_SCORES / 2 / DRAWN_ROWS ? MANY_SCORES / 2 / n_class : DRAWN_ROWS;
    return draws && most < n_rows ? most : n_rows;
}

/* Returns how many sets of trees are grown. There are not two if the limit on leaf numbers would
 * end their rounds early. */
static size_t sets_of(int effort, double rows, size_t K)
{
    const bool fit = HEFT_LEAF_NUMBERS / (2 * MANY_LEAVES * K) >= FAST.most_rounds;
    if (effort == HEFT_EFFORT_FULL || rows < SMALL_ROWS) return HEFT_MOST_SETS;
    return rows > LARGE_ROWS && rows <= VAST_ROWS && fit ? 2 : 1;
}

static const steps *steps_of(int effort, double rows, size_t K)
{
    if (effort == HEFT_EFFORT_FULL) return &SLOW;
    if (rows <= LARGE_ROWS) return &USUAL;
    return K > HEFT_MANY_CLASSES ? &GROWING : &FAST;
}

/* The leaves of all sets from all rows have at most HEFT_LEAF_NUMBERS numbers. */
static void boost(int effort, double rows, size_t K, heft_plan *out)
{
    const bool   small = rows < SMALL_ROWS;
    const size_t leaves = small ? FEW_LEAVES : MANY_LEAVES;
    const steps *by = steps_of(effort, rows, K);
    out->n_sets = sets_of(effort, rows, K);
    const size_t fit = HEFT_LEAF_NUMBERS / (leaves * K * out->n_sets);
    out->boost = (heft_boost_rule){.rate = by->rate,
                                   .even_rounds = by->even_rounds,
                                   .most_rounds = fit < by->most_rounds ? fit : by->most_rounds,
                                   .patience = by->patience,
                                   .most_leaves = leaves,
                                   .rows = small ? FEW_DRAWN : 1};
    out->boosts = out->boost.most_rounds >= LEAST_ROUNDS && out->n_rows <= BOOST_SCORES / K;
    out->more_rounds = small ? 1 : (double)HEFT_KFOLD / (HEFT_KFOLD - 1);
    /* the folds together count half as much as a set from all rows */
    out->folds_weight = small ? 0 : 1 / (2 * (double)out->n_sets + 1);
}

heft_plan heft_plan_of(int effort, double distinct, size_t n_rows, size_t n_class)
{
    const unsigned at_few = 1u << HEFT_AT_5 | 1u << HEFT_AT_10;
    const bool     few = distinct < FEW_ROWS, full = effort == HEFT_EFFORT_FULL;
    heft_plan      plan = {.n_rows = heft_plan_rows(n_rows, n_class),
                           .n_pairs = full ? 500 : 200,
                           .iterations = full ? 25 : 12,
                           .last_iterations = full ? 40 : 30,
                           .counts_at = few ? at_few : at_few | 1u << HEFT_AT_20,
                           .pairs_at = few ? HEFT_AT_5 : HEFT_AT_10};
    boost(effort, distinct, n_class, &plan);
    plan.learns = effort != HEFT_EFFORT_COUNT && !(plan.boosts && n_rows > HEFT_MOST_LEARNED);
    plan.held_target = !plan.boosts                          ? LEAST_TARGET
                       : n_class > HELD_SCORES / HELD_TARGET ? HELD_SCORES / n_class
                                                             : HELD_TARGET;
    return plan;
}
