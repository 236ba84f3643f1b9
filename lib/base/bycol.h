/* bycol.h - the entries of sparse rows, column by column. */
#pragma once

#include "base/ctx.h"

typedef struct heft_byrow { /* entries of row i: start[i]..start[i + 1] - 1 */
    const size_t   *start;
    const uint32_t *col;
    const double   *val;
} heft_byrow;

typedef struct heft_bycol { /* entries of a column are in order of rows */
    size_t *start;          /* m + 1 */
    size_t *row;
    double *val;
} heft_bycol;

/* The n_rows rows by their m columns. Cost: O(entries + columns), in the context's scratch. */
heft_status heft_bycol_build(heft_ctx *ctx, const heft_byrow *s, size_t n_rows, size_t m,
                             heft_bycol *out);
