/* kfold.h - rows dealt into five folds, class by class.
 *
 * The rows of a class are dealt in an order drawn from their content and the seed, not from their
 * place (stats/keys.h): the parts do not depend on the order of rows, columns, values or
 * classes, nor on the names of any of them, nor on a power of two by which a number is scaled. Rows
 * of the same content take each other's place.
 *
 * Weights are dealt like repeated rows: in the order of the class a row of weight w takes the
 * stretch [a, a + w), and what lies between k and k + 1 goes to part k mod 5. So a row of weight 1
 * among such rows is in one part, one of weight 3 in three. Where a weight is not whole, each row
 * is in one part, with all of its weight: what is held out must not be seen elsewhere. */
#pragma once

#include "learn/sample.h"

enum { HEFT_KFOLD = 5 };

typedef struct heft_dealing { /* rows in the order in which they are dealt: class after class */
    size_t  n;                /* of this process */
    size_t *row;              /* places in the sample */
    size_t *place; /* of each in the order of all processes; NULL: all rows are here, in order */
    double *from;  /* weight before each; NULL with place, and where all weights are 1 */
    size_t  n_all; /* of all processes */
    bool    apart; /* each row is in one part */
} heft_dealing;

/* Of the rows of all processes `n_wanted` are taken, all or every k-th in the order, so that
 * classes keep their shares. The sample must be all of its rows. Memory from `arena`. Processes
 * exchange 24 bytes for each of their rows that differs from the others, 32 with weights, in
 * portions; where not all rows are taken, for at most 8 rows around each that is taken. */
heft_status heft_kfold_order(heft_ctx *ctx, const heft_sample *sample, size_t n_wanted,
                             heft_arena *arena, heft_dealing *out);

typedef struct heft_fold_part { /* rows of a sample with what a part leaves of their weights */
    size_t    n;
    size_t   *row;    /* places in the rows of the sample */
    size_t   *place;  /* in the order; NULL: of the other four */
    double   *weight; /* NULL: all 1 */
    uint16_t *y;
} heft_fold_part;

/* The rows of part k, and those of the other four. Cost: O(n). */
heft_status heft_kfold_split(heft_ctx *ctx, const heft_sample *sample, const heft_dealing *dealing,
                             size_t k, heft_arena *arena, heft_fold_part *held,
                             heft_fold_part *others);
