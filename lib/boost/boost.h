/* boost.h - gradient-boosted trees over coded columns.
 *
 * The idea. A score F_c(x) for every class c begins at the log-frequencies of the classes, and each
 * round adds a tree to it: the tree divides the rows into boxes of codes, its leaves, and adds a
 * number per class to the scores of the rows in each leaf. What is minimised is the loss of the
 * posterior, p = softmax(F):
 *
 *   L = sum_i w_i (-log p_i,y_i)
 *
 * Derivatives. By the score of class c the loss of row i has the derivatives p_ic - [y_i = c] and
 * p_ic (1 - p_ic). One tree serves all classes. Where it is split is decided for a random set S of
 * the classes (two classes: the second), as if a row were to be told in S or not:
 *
 *   g_i = p_iS - [y_i in S]        h_i = p_iS (1 - p_iS) = |g_i| (1 - |g_i|)
 *   gain of a split = G_l^2/(H_l + 1) + G_r^2/(H_r + 1) - G^2/(H + 1)           (grow.h)
 *
 * with G and H the sums of g and h over the rows of a leaf (l, r: of its two sides). The tree has
 * up to 16, 24 or 32 leaves and is grown on all rows and attributes or a random 0.7 of both, or
 * about 100 of many attributes, the split of largest gain first.
 *
 * Values of leaves. A Newton step for each class by itself, from the sums of its own derivatives:
 *
 *   v_c = -rate G_c / (K/(K-1) H_c + ridge)        within 10 rates;     F_i += v(leaf of i)
 *
 * K/(K-1) because the diagonal of the Hessian alone understates it where the scores of all classes
 * move at once. The ridge is 1, or (4/K)^2 for many classes (boost_tree.c).
 *
 * Interactions can be bounded. A path that has tested `order` attributes is split further on these
 * alone, so that a leaf is a box over at most `order` attributes. The sum of all trees expands
 * exactly into terms of one, two and three attributes and a remainder of larger sets, which is 0
 * for order 3 (tree_effects.h): the model can be read.
 *
 * Single values of attributes that have many, and joint values of two such attributes, get effects
 * of their own (value_effects.h).
 *
 * The same bits everywhere. g, h and p are rounded to whole numbers of small steps before they are
 * added, and sums of whole numbers do not depend on their order: neither on threads, nor on the
 * order of rows, nor on how rows are spread over processes, which add up their histograms and the
 * sums of leaves (base/all.h). All draws are keyed by content (stats/keys.h), so that the trees do
 * not depend on the order of columns or on names either. A row of whole weight w is w rows.
 *
 * The parts, in the order in which they use each other:
 *
 *   trees.h, tree_paths.h     trees as data, the leaves of rows; the boxes of leaves
 *   interactions.h, tree_effects.h  the expansion into terms
 *   bins.h                    columns as codes, up to 128 for a number
 *   joints.h, histograms.h    sums of g and h by code, for all attributes, in few passes
 *   sides.h, grow.h           the best split of a leaf; its rows go to two sides
 *   residuals.h, boost_rows.h the probabilities of rows while trees are added; held-out loss
 *   windows.h                 parts of the rows that take turns, if there are many rows
 *   boost_tree.h              a grown tree becomes one of the list, with values in its leaves
 *   value_pairs.h             pairs of attributes of many values that decide together
 *   value_effects.h           effects of single values and of joint ones
 *   boost.h                   rounds, draws, when to stop
 *
 * docs/boost.md tells the same story for those who change it. */
#pragma once

#include "boost/value_effects.h"

typedef struct heft_boost_rule {
    double   rate;
    size_t   even_rounds; /* later rounds have a rate in proportion to their number; 0: never */
    size_t   most_rounds;
    size_t   patience; /* a fit stops after so many rounds without a lower held-out loss */
    unsigned order;    /* most attributes that a path may test */
    size_t   most_leaves;
    double   rows;       /* the fraction of the rows that each tree is grown on, */
    double   attrs;      /* and that of the attributes, unless they are many */
    size_t   most_attrs; /* only so many attributes take part: the most informative ones */
    uint64_t draw;       /* random draws are keyed by this and by content */
    bool     shift;      /* the cuts of numbers are drawn too */
} heft_boost_rule;

typedef struct heft_boost_input { /* what trees are grown on */
    const heft_sample *sample;    /* columns, weights and classes */
    const heft_keys   *keys;      /* made from all rows; no two keys are equal */
    const uint64_t    *row_key;   /* by row of the columns; only needed if rule.rows < 1 */
    /* Where the rows of each window begin in the sample, and n; NULL: all rows are grown on. */
    const size_t *window;
    size_t        n_windows;
    size_t        n_cut; /* numbers are cut by so many rows at most, the first */
} heft_boost_input;

typedef struct heft_boosted { /* a fitted sum of trees */
    heft_arena         arena; /* the memory of bins, start and effects */
    heft_bins          bins;
    heft_trees         trees; /* attributes by place in `bins`, columns by class of the sample */
    double            *start; /* n_class: the scores before any tree */
    heft_value_effects effects;
    double             weight; /* for the caller: the weight of these scores among several */
} heft_boosted;

/* When a fit stops: by the loss of rows held out, or after a given number of rounds. */
typedef struct heft_boost_watch {
    const heft_sample *held;  /* NULL: none */
    double            *score; /* n x n_class, or NULL: held-out log-posteriors in the best round */
    size_t             best;  /* out: the round of the lowest held-out loss */
    double             loss;  /* out: the mean held-out loss in that round */
    /* The number of rounds, which another thread may still be finding out: SIZE_MAX until then.
     * When it is known there may be more trees already. NULL: not given. */
    const atomic_size_t *rounds;
    double               until;    /* heft_clock at which to stop after the first tree; 0: never */
    bool                 late;     /* out: the fit stopped at `until` */
    heft_steps          *steps;    /* progress counter, may be NULL; */
    size_t               n_steps;  /* the fit adds this many steps in total, */
    size_t               reported; /* and has added so many */
} heft_boost_watch;

/* A fit that can be interrupted and continued, also on another thread. What the
 * arguments point to must live until it is closed. It is closed also if it could not be opened;
 * `out` is cleared by heft_boosted_clear, also after a failure. */
typedef struct heft_boosting heft_boosting;

heft_status heft_boost_open(heft_ctx *ctx, const heft_boost_input *input,
                            const heft_boost_rule *rule, heft_boost_watch *watch, heft_boosted *out,
                            heft_boosting **fit);
/* Does some rounds. *more: whether others follow; if not, the trees are complete. */
heft_status heft_boost_go_on(heft_ctx *ctx, heft_boosting *b, bool *more);
void        heft_boost_close(heft_boosting *b);
/* Drops the trees after the first n. */
void heft_boosted_keep(heft_boosted *boosted, size_t n);
void heft_boosted_clear(heft_boosted *boosted);
