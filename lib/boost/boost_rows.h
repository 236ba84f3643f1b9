/* boost_rows.h - rows while trees are added to them: their classes, weights, codes and
 * probabilities. Rows that trees are grown on and rows held out are kept the same way. */
#pragma once

#include "boost/bins.h"

enum { HEFT_STEP_ROWS = 1024 }; /* rows of one step */

typedef struct heft_boost_classes { /* numbered by their keys */
    size_t    K, stride;            /* stride: floats of a row (residuals.h) */
    uint32_t *in_sample;            /* of each class: its number in the sample */
    uint16_t *number;               /* of each class of the sample: its number here */
    uint64_t *key;
    float    *drawn; /* stride: 1 for the classes of the next tree */
} heft_boost_classes;

typedef struct heft_boost_rows {
    size_t             n; /* rows of this process */
    const heft_sample *sample;
    uint16_t          *y;
    int64_t           *weight; /* in units; NULL: all 1 */
    heft_tree_codes   *column;
    float             *P;     /* n x stride: probabilities, but for a factor */
    float             *scale; /* n: that factor; more than two classes */
} heft_boost_rows;

typedef struct heft_last_tree { /* what the last tree does to the probabilities */
    const heft_boost_classes *classes;
    const heft_trees         *trees;
    float                    *factor; /* stride for each leaf: exp of its values */
} heft_last_tree;

/* Classes, weights as whole multiples of the unit, and probabilities at the start; the codes are
 * the caller's. start: the scores before any tree, by class of the sample. */
heft_status heft_boost_rows_open(heft_ctx *ctx, heft_arena *arena,
                                 const heft_boost_classes *classes, const heft_sample *sample,
                                 const double *start, double unit, heft_boost_rows *rows);
/* Memory for the factors. Before the first tree they are 1. */
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
