/* curvature.h - the second derivatives of a loss of one score, by the weights of the attributes.
 *
 *   H_jk = sum_i w_i s_i l_ij l_ik         s_i: the second derivative by the score of row i
 *
 * They guide a minimiser and need few digits: from many rows a sample is enough. It is drawn by
 * what the rows contain, so that it depends neither on their order, their merging, nor the ranks.
 * The factors are rounded to so few digits that every sum is exact. */
#pragma once

#include "learn/objective.h"

enum {
    HEFT_MOST_BENT = 128,       /* weights */
    HEFT_ENOUGH_ROWS = 1 << 12, /* rows in a sample; up to twice as many are all taken */
    HEFT_ENOUGH_EACH = 64       /* the same for each weight */
};

typedef struct heft_drawn {
    uint8_t *in;    /* n_rows, by heft_drawn_mark; NULL: all rows are taken */
    unsigned shift; /* one row in 2^shift is */
    size_t   n;     /* after heft_drawn_end */
    size_t  *row;   /* NULL: all rows are taken */
} heft_drawn;

/* Memory from the arena. */
heft_status heft_drawn_begin(heft_ctx *ctx, const heft_evidence *ev, size_t n_var,
                             heft_arena *arena, heft_drawn *out);
/* Called for every tile, with scores at the same weights. Runs on any thread. */
void        heft_drawn_mark(const heft_drawn *sample, const heft_tile *tile, const double *scores);
heft_status heft_drawn_end(heft_ctx *ctx, const heft_evidence *ev, heft_arena *arena,
                           heft_drawn *sample);

typedef struct heft_hessian {
    const heft_evidence *ev; /* n_base is 1 */
    const heft_drawn    *sample;
    size_t               n_var;
    const size_t        *var;    /* attribute of a weight, or SIZE_MAX: that of the base ...      */
    double               base;   /* ... whose factor is this in every row                         */
    const double        *spread; /* by attribute, as from heft_evidence_spread                    */
    /* scores[n] become the second derivatives of the loss by them, from 0 to 1 */
    void (*second)(const void *user, double *scores, size_t n);
    const void *user;
} heft_hessian;

/* out[n_var x n_var] at the weights of `head`. *known: false where the rows tell too little. */
heft_status heft_evidence_hessian(heft_ctx *ctx, const heft_hessian *bend, const heft_head *head,
                                  double *out, bool *known);
