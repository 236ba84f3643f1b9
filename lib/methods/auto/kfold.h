/* kfold.h - rows dealt into five folds, class by class.
 *
 * The rows of a class are dealt in an order drawn from their content and the seed, not from their
 * place (stats/keys.h): the parts do not depend on the order of rows, columns, values or
 * classes, nor on the names of any of them, nor on a power of two by which a number is scaled. Rows
 * of the same content take each other's place.
 *
 * Weights are dealt like repeated rows: in the order of the class a row of weight w takes the
 * stretch [a, a + w), and what lies between k and k + 1 goes to part k mod 5. So a row of weight 1
 * among such rows is in one part, one of weight 3 in three. */
#pragma once

#include "methods/auto/coding.h"

enum { HEFT_KFOLD = 5 };

/* order[n]: places in the sample, class after class, within a class as drawn. The sample must be
 * all of its rows. Memory from `arena`. */
heft_status heft_kfold_order(heft_ctx *ctx, const heft_sample *sample, heft_arena *arena,
                             size_t **order);

typedef struct heft_fold_part { /* rows of a sample with what a part leaves of their weights */
    size_t    n;
    size_t   *at;     /* places in the list that was dealt */
    size_t   *row;    /* and in the rows of the sample */
    double   *weight; /* NULL: all 1 */
    uint16_t *y;
} heft_fold_part;

/* Rows at[0..n) of the sample, in this order, dealt: those of part k, and those of the other four
 * (k = 5: all of them). Cost: O(n). */
heft_status heft_kfold_split(heft_ctx *ctx, const heft_sample *sample, const size_t *at, size_t n,
                             size_t k, heft_arena *arena, heft_fold_part *held,
                             heft_fold_part *others);
