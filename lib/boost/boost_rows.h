/* boost_rows.h - rows while trees are added to them: their classes, weights, codes and
 * probabilities.
 *
 * Rows that trees are grown on and rows held out are kept the same way. A tree is added to both by
 * multiplying the probabilities of a row by the factors of its leaf (residuals.h); the held-out
 * rows then have a loss, and the probabilities of the best round are kept. */
#pragma once

#include "boost/bins.h"

enum { HEFT_STEP_ROWS = 1024 }; /* rows that one call of heft_last_tree_step handles at most */

/* Classes are numbered by their keys during a fit, so that their names do not change a bit. */
typedef struct heft_boost_classes {
    size_t    K, stride; /* stride: floats per row (residuals.h) */
    uint32_t *in_sample; /* K: the number of each class in the sample */
    uint16_t *number;    /* K: the number here of each class of the sample */
    uint64_t *key;
    float    *drawn; /* stride: 1 for the classes of the next tree */
} heft_boost_classes;

typedef struct heft_boost_rows {
    const heft_sample        *sample;
    const heft_boost_classes *classes;
    double                    unit; /* a weight of 1 unit */
    size_t                    n;    /* rows of this process */
    uint16_t                 *y;
    int64_t                  *weight; /* in units; NULL: all 1 */
    heft_tree_codes          *column; /* the codes of each attribute, in `codes` */
    void                     *codes;  /* heap memory */
    float                    *P;      /* n x stride: the probabilities, up to a factor per row */
    float                    *scale;  /* n: that factor; NULL for two classes */
    float                    *best_P; /* P in the best round; NULL: the rows are not held out */
    uint32_t                **cell;   /* by pair of values with effects: the cell of each row */
} heft_boost_rows;

typedef struct heft_last_tree { /* what the last tree does to the probabilities */
    const heft_boost_classes *classes;
    const heft_trees         *trees;
    float                    *factor; /* stride per leaf: the exponentials of its values */
} heft_last_tree;

/* Sets the classes, the weights as whole multiples of the unit, and the probabilities before any
 * tree. The caller has set sample, classes, unit and the codes. start: the scores before any tree,
 * by class of the sample. */
heft_status heft_boost_rows_open(heft_ctx *ctx, heft_arena *arena, const double *start,
                                 bool held_out, heft_boost_rows *rows);
/* Allocates the factors. Before the first tree they are 1. */
heft_status heft_last_tree_open(heft_ctx *ctx, heft_arena *arena, heft_last_tree *last);
/* Sets all factors to 1. */
void heft_last_tree_unset(const heft_last_tree *last);
/* Sets the factors to those of the last tree. */
void heft_last_tree_set(const heft_last_tree *last);
/* Adds the last tree to rows lo .. hi - 1, at most HEFT_STEP_ROWS, and gives their residuals and
 * the probabilities of their own classes (heft_residual_step). `known`: the leaves of all rows, or
 * NULL. */
void heft_last_tree_step(const heft_last_tree *last, const heft_boost_rows *rows,
                         const uint8_t *known, size_t lo, size_t hi, float *g, float *own);

/* factor: the factors of tree `of`. */
void heft_tree_factors(const heft_last_tree *last, size_t of, float *factor);
/* Adds tree t, whose factors `tree` has, to rows lo .. hi - 1, at most HEFT_STEP_ROWS. */
void heft_tree_step(const heft_last_tree *tree, size_t t, const heft_boost_rows *rows, size_t lo,
                    size_t hi);

/* ---- rows held out ---- */

/* Adds the last tree to all rows. *loss: the mean loss over the rows of all processes. */
heft_status heft_boost_held_add(heft_ctx *ctx, const heft_last_tree *last,
                                const heft_boost_rows *held, double *loss);
/* Keeps the present probabilities as those of the best round. */
void heft_boost_held_keep(const heft_boost_rows *held);
/* score[n x K]: log-posteriors of the best round, in the order of the classes of the sample. */
void heft_boost_held_scores(const heft_boost_rows *held, double *score);
