/* kfold.h - rows dealt into five folds, class by class.
 *
 * The rows of a class are dealt in an order drawn by their keys, which their content sets
 * (stats/keys.h), and the seed: the parts do not depend on where a row stands. Copies of a row
 * (copies.h) are in the same part, and so is all of the weight of a row: what is held out must not
 * be seen elsewhere. */
#pragma once

#include "stats/sample.h"

enum { HEFT_KFOLD = 5 };

typedef struct heft_dealing { /* rows in the order in which they are dealt: class after class */
    size_t   n;               /* number of rows of this process */
    size_t  *row;             /* places in the sample */
    size_t  *place;   /* place of each in the order of all processes; NULL: all rows are here */
    uint8_t *part;    /* fold that holds each row */
    double  *alike;   /* weight of each and of its copies, taken or not */
    size_t   n_all;   /* number of rows of all processes */
    size_t   n_kinds; /* number of rows of all processes, copies counted once */
} heft_dealing;

/* key[n]: of the rows, different for those of different content. Classes come in the order of their
 * numbers. Of the rows of all processes `n_wanted` are taken, all or every k-th in the order, so
 * that classes keep their shares. The sample must be all of its rows. Memory from `arena`.
 * Processes exchange 16 bytes for each of their rows that differs from the others, 24 with weights,
 * in portions; where not all rows are taken, for at most 8 rows around each that is taken. */
heft_status heft_kfold_order(heft_ctx *ctx, const heft_sample *sample, const uint64_t *key,
                             size_t n_wanted, heft_arena *arena, heft_dealing *out);

typedef struct heft_fold_part {
    size_t    n;
    size_t   *row;    /* places in the rows of the sample */
    size_t   *place;  /* in the order; NULL: of the other four */
    double   *alike;  /* weight of each and of its copies; NULL: of the other four */
    double   *weight; /* NULL: all 1 */
    uint16_t *y;
} heft_fold_part;

/* The rows of part k, and those of the other four. Cost: O(n). */
heft_status heft_kfold_split(heft_ctx *ctx, const heft_sample *sample, const heft_dealing *dealing,
                             size_t k, heft_arena *arena, heft_fold_part *held,
                             heft_fold_part *others);
