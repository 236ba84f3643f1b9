/* pairs.h - pairs of attributes whose evidence is part of a pooled score (pooled.h): the tables of
 * a pair at all resolutions taken together. */
#ifndef HEFT_METHODS_AUTO_PAIR_TERMS_H
#define HEFT_METHODS_AUTO_PAIR_TERMS_H

#include "methods/auto/pooled.h"

typedef struct heft_pair_term {
    uint32_t i, j; /* attributes, i < j */
    double   size; /* of its evidence, the mean over rows and classes */
} heft_pair_term;

typedef struct heft_pair_terms {
    size_t          n;
    heft_pair_term *pair;  /* by i, then j */
    size_t         *order; /* n places in pair: the most evidence first */
    size_t         *of;    /* the pair of each table of the pooled score */
} heft_pair_terms;

/* Scratch memory. */
heft_status heft_pair_terms_open(heft_ctx *ctx, const heft_pooled *pooled, heft_pair_terms *out);
/* Row i taken apart: alone[(1 + n_attr) x n_declared] without the pairs, the bias first;
 * together[n x n_declared], a line for each pair. All lines together are the score. */
heft_status heft_pair_terms_row(heft_ctx *ctx, const heft_pooled *pooled,
                                const heft_pair_terms *pairs, const heft_rows *rows, size_t i,
                                double *alone, double *together);

#endif
