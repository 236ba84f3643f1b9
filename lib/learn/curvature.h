/* curvature.h - second derivatives, by the attribute weights, of a loss that has one score per row.
 *
 *   H_jk = sum_i w_i s_i l_ij l_ik         s_i: second derivative of the loss by the score of row i
 *
 * The matrix guides a minimiser and needs few digits, so a sample of the rows is enough. The sample
 * is drawn by the rows' scores, so that it depends neither on the order of rows, nor on whether
 * equal rows were merged, nor on the ranks. The factors are rounded to so few digits that every sum
 * is exact. */
#pragma once

#include "learn/objective.h"

enum {
    HEFT_MOST_BENT = 128,       /* most weights for which second derivatives are computed */
    HEFT_ENOUGH_ROWS = 1 << 12, /* rows in a sample, about; up to twice as many are all taken */
    HEFT_ENOUGH_EACH = 64       /* rows in a sample per weight, if that is more */
};

typedef struct heft_drawn {
    uint8_t *in;    /* whether each row is in the sample (heft_drawn_mark); NULL if all rows are */
    unsigned shift; /* about one row in 2^shift is taken */
    size_t   n;     /* number of rows in the sample, valid after heft_drawn_end */
    size_t  *row;   /* rows of the sample; NULL if all rows are taken */
} heft_drawn;

/* Prepares a sample for n_var weights. Memory is from `arena`. */
heft_status heft_drawn_begin(heft_ctx *ctx, const heft_evidence *ev, size_t n_var,
                             heft_arena *arena, heft_drawn *out);
/* Marks the rows of a tile that are in the sample. It must be called for every tile, with scores
 * computed from the same weights; any thread may call it. */
void        heft_drawn_mark(const heft_drawn *sample, const heft_tile *tile, const double *scores);
heft_status heft_drawn_end(heft_ctx *ctx, const heft_evidence *ev, heft_arena *arena,
                           heft_drawn *sample);

typedef struct heft_hessian {
    const heft_evidence *ev; /* rows with one score each: n_base is 1 */
    const heft_drawn    *sample;
    size_t               n_var;
    const size_t        *var;    /* attribute of each weight; SIZE_MAX for the weight of the base */
    double               base;   /* factor of the base weight, the same in every row */
    const double        *spread; /* spread of each attribute (heft_evidence_spread) */
    /* Replaces scores[n] by the second derivatives of the loss by these scores, from 0 to 1. */
    void (*second)(const void *user, double *scores, size_t n);
    const void *user;
} heft_hessian;

/* out[n_var x n_var] = the second derivatives at the weights of `head`. *known becomes false if the
 * sampled rows contain too little information; then `out` is not valid. */
heft_status heft_evidence_hessian(heft_ctx *ctx, const heft_hessian *bend, const heft_head *head,
                                  double *out, bool *known);
