/* bonds.h - pairs of attributes whose evidence is part of a pooled score (pooled.h): the tables of
 * a pair at all resolutions taken together. */
#ifndef HEFT_MODEL_BONDS_H
#define HEFT_MODEL_BONDS_H

#include "model/pooled.h"

typedef struct heft_bond {
    uint32_t i, j; /* attributes, i < j */
    double   size; /* of its evidence, the mean over rows and classes */
} heft_bond;

typedef struct heft_bonds {
    size_t     n;
    heft_bond *bond;  /* by i, then j */
    size_t    *order; /* n places in bond: the most evidence first */
    size_t    *of;    /* the bond of each table of the pooled score */
} heft_bonds;

/* Scratch memory. */
heft_status heft_bonds_open(heft_ctx *ctx, const heft_pooled *pooled, heft_bonds *out);
/* Row i taken apart: alone[(1 + n_attr) x n_declared] without the pairs, the bias first;
 * together[n x n_declared], a line for each bond. All lines together are the score. */
heft_status heft_bonds_row(heft_ctx *ctx, const heft_pooled *pooled, const heft_bonds *bonds,
                           const heft_rows *rows, size_t i, double *alone, double *together);

#endif
