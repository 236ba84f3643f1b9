/* boost.h - boosted trees in which no path tests more than three attributes.
 *
 * Round t fits one tree to the loss of all classes together:
 *
 *   p = softmax(F)
 *   S = a random set of the classes (two classes: the second)
 *   g_i = p_iS - [y_i in S],  h_i = p_iS (1 - p_iS)
 *   a tree of up to 16 or 24 leaves, grown on all rows or a random 0.7 of them, and on a random 0.7
 *     of the attributes, or about 100 of many, the split of largest gain first (grow.h)
 *   v_c = -rate G_c / (K/(K-1) H_c + ridge) in each leaf, within 10 rates;  F_i += v(leaf of i)
 *
 * with the rate of the round, and a ridge of 1, or (4/K)^2 for many classes.
 *
 * The score also has effects of single values of the attributes that have many (value_effects.h).
 *
 * A path that has tested `order` attributes is split further on these alone, so that a leaf is a
 * box over at most `order` attributes and the model a sum of evidence of so many.
 *
 * All sums over rows are sums of whole numbers (g and h are rounded first), and all draws are keyed
 * by content (stats/keys.h): the trees do not depend on the order of rows and columns, nor on
 * names. A row of whole weight w is w rows.
 *
 * Rows may be spread over several processes: each has the codes and scores of its own, and they add
 * up histograms and the sums of leaves (base/all.h). */
#pragma once

#include "boost/value_effects.h"

enum { HEFT_MANY_CLASSES = 8 }; /* above: a smaller ridge, and steps that soon become longer */

typedef struct heft_boost_rule {
    double   rate;
    size_t   even_rounds; /* from then on the rate grows in proportion to the rounds; 0: never */
    size_t   most_rounds, patience;
    unsigned order;
    size_t   most_leaves;
    double   rows;       /* share of them that each tree is grown on */
    size_t   most_attrs; /* those with the most information on the class; the others take no part */
    uint64_t draw;       /* what random draws are keyed by besides content */
    bool     shift;      /* the cuts are drawn, too */
} heft_boost_rule;

typedef struct heft_boost_keys {
    const heft_keys *keys; /* keys made from all rows; no two are equal */
    const uint64_t  *row;  /* by row; used again where a tree is grown on a part of the rows only */
} heft_boost_keys;

typedef struct heft_boosted {
    heft_bins  bins;
    heft_trees trees; /* attributes by their places in `bins`; columns by class of the sample */
    double    *start; /* n_class: score before any tree */
    heft_value_effects effects;
    double             share; /* of the scores of several, added */
} heft_boosted;

/* When to stop: either rows held out, */
typedef struct heft_boost_watch {
    const heft_sample *held;  /* NULL: none */
    double            *score; /* n x n_class: log-posteriors of the held rows in the best round */
    size_t             best;  /* out: that round */
    double             loss;  /* out: and its mean loss */
    /* or a number of rounds, which another thread may still be finding out: SIZE_MAX until then;
     * there may be more trees when it is known */
    const atomic_size_t *rounds;
    double               until; /* heft_clock at which to stop, 0: never; one tree is grown */
    bool                 late;  /* out: it stopped there */
    heft_steps          *steps; /* NULL, or it adds so many in all */
    size_t               n_steps;
} heft_boost_watch;

/* A fit that can be interrupted and continued, also on another thread. What it is given must live
 * as long. It is closed also where it could not be opened. Trees are heap memory:
 * heft_boosted_clear, also after a failure. */
typedef struct heft_boosting heft_boosting;

heft_status heft_boost_open(heft_ctx *ctx, const heft_sample *sample, const heft_boost_keys *keys,
                            const heft_boost_rule *rule, heft_boost_watch *watch, heft_arena *arena,
                            heft_boosted *out, heft_boosting **fit);
/* Some rounds. *more: whether there are others; else the trees are complete. */
heft_status heft_boost_go_on(heft_ctx *ctx, heft_boosting *b, bool *more);
void        heft_boost_close(heft_boosting *b);
/* Drops the trees after the first n. */
void heft_boosted_keep(heft_boosted *boosted, size_t n);
void heft_boosted_clear(heft_boosted *boosted);
