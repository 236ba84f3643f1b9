/* value_effects.h - evidence of single values of the attributes that have many, learned beside the
 * trees.
 *
 * A split parts few values from the others, and of many values it finds those that look good by
 * chance. An attribute with HEFT_MOST_PLAIN values or more therefore has random effects, as they
 * are called in statistics: a number b_vc for each value v and class c, which is added to the score
 * of the class and is treated as drawn from a normal distribution with mean 0 and variance s^2.
 *
 *   G, H         sums of p_c - [y = c] and of p_c (1 - p_c) over the rows of the value
 *   G0 = G - H b                        about what G would be without the effect
 *   s^2          where sum G0^2/(1 + s^2 H)^2 = sum H/(1 + s^2 H), over values and classes: the
 *                most likely one; 0 where the first sum is not larger for s^2 = 0, and then b = 0
 *   b = -G0 / (K/(K-1) H + 1/s^2)       two classes, the second: -G0 / (H + 1/s^2)
 *
 * Where classes are rare these approximations are poor: b changes by at most 2 at a time and is
 * within 10, s^2 is at most 9.
 *
 * Missing cells and unknown values have no effect.
 *
 * Pairs of such attributes that say more together than by themselves (value_pairs.h) have effects
 * of their joint cells in the same way, beside those of the values.
 *
 * They are set before the first tree and again after 1, 2, 4, 8, ... trees. */
#pragma once

#include "boost/value_pairs.h"

enum { HEFT_MOST_EFFECTS = 16 }; /* how often they are set at most */

typedef struct heft_value_effects {
    size_t          n_attr;    /* attributes that have effects */
    size_t          n_columns; /* numbers per value: 1 for two classes, else one per class */
    size_t          n_values;  /* values of all these attributes, and cells of all pairs */
    uint32_t       *attr;      /* n_attr: their places among the attributes of the rows */
    size_t          n_pairs;
    heft_value_pair pair[HEFT_MOST_VALUE_PAIRS];
    size_t *first; /* n_attr + n_pairs + 1: where the values of each begin, in the order of codes,
                      then the cells of each pair */
    size_t  n_tables;
    size_t  after[HEFT_MOST_EFFECTS]; /* the number of trees after which a table was set */
    double *table[HEFT_MOST_EFFECTS]; /* n_values x n_columns: the effects from then on */
} heft_value_effects;

/* Lists the attributes of `bins` that have effects. One whose effects would take too much memory
 * has none. */
heft_status heft_value_effects_open(heft_ctx *ctx, const heft_bins *bins, const heft_sample *sample,
                                    heft_arena *arena, heft_value_effects *out);
/* Finds the pairs that have effects, once those of the values are set, and the cells of all rows.
 */
heft_status heft_value_effects_pairs(heft_ctx *ctx, heft_boost_rows *rows, heft_boost_rows *held,
                                     const heft_keys *keys, heft_arena *arena, heft_arena *work,
                                     heft_value_effects *effects);
/* Sets the effects anew after `n_trees`, and the probabilities of `rows` and of the rows held out
 * (NULL: none) accordingly. */
heft_status heft_value_effects_set(heft_ctx *ctx, const heft_boost_rows *rows,
                                   const heft_boost_rows *held, size_t n_trees, heft_arena *arena,
                                   heft_value_effects *effects);
/* The table that goes with the first n trees; NULL: there is none. */
const double *heft_value_effects_of(const heft_value_effects *effects, size_t n_trees);
