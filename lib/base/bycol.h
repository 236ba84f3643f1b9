/* bycol.h - the entries of sparse rows sorted by column. */
#pragma once

#include "base/ctx.h"

typedef struct heft_byrow { /* entries of row i: start[i]..start[i + 1] - 1 */
    const size_t   *start;
    const uint32_t *col;
    const double   *val;
} heft_byrow;

typedef struct heft_bycol { /* entries of column j: start[j]..start[j + 1] - 1, in order of rows */
    size_t *start;          /* m + 1 offsets for m columns */
    size_t *row;
    double *val;
} heft_bycol;

/* Sorts the entries of n_rows rows with m columns. Memory is from ctx->scratch. Cost: O(entries +
 * columns). */
heft_status heft_bycol_build(heft_ctx *ctx, const heft_byrow *s, size_t n_rows, size_t m,
                             heft_bycol *out);
