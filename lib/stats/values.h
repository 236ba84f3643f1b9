/* values.h - the distinct values of a numeric attribute in each class, with their weights. */
#pragma once

#include "prep/numbers.h"

typedef struct heft_values { /* one attribute */
    size_t *start;           /* n_class + 1 indices: class c has values start[c]..start[c+1]-1 */
    double *x, *w;           /* values, increasing within a class, and their weights, above 0 */
} heft_values;

/* Data needed to read the numeric columns of rows one after another; prepared once. */
typedef struct heft_value_reader {
    const heft_rows *rows;
    double          *class_sum; /* weight of each class; for sparse rows only */
    heft_bycol       bycol;     /* entries sorted by column; for sparse rows only */
} heft_value_reader;

/* Prepares a reader in ctx->scratch. The class of every row must be known. */
heft_status heft_values_begin(heft_ctx *ctx, const heft_rows *rows, heft_value_reader *out);
/* Distinct values of the observed cells of numeric attribute j in this process, including the zeros
 * that sparse rows do not store. Cost: O(n) and the sorting of the values. */
heft_status heft_values_of(heft_ctx *ctx, const heft_value_reader *reader, size_t j,
                           heft_arena *arena, heft_values *out);

typedef struct heft_value_cell { /* an element of a list of values that is not sorted yet */
    double   x, w;               /* value and weight */
    uint32_t c;                  /* class */
} heft_value_cell;

/* Sorts *n cells by class and value and adds up the weights of equal cells, in place. *n becomes
 * the number of different cells. */
heft_status heft_values_join(heft_ctx *ctx, heft_value_cell *cells, size_t *n);
/* Sorts n cells, adds up the weights of equal cells, and stores the result in *out. */
heft_status heft_values_pack(heft_ctx *ctx, heft_value_cell *cells, size_t n, size_t n_class,
                             heft_arena *arena, heft_values *out);

/* Replaces the values of this process by those of all processes. Memory is from `arena`. */
heft_status heft_values_merge(heft_ctx *ctx, size_t n_class, heft_arena *arena,
                              heft_values *values);

/* The *n distinct values over all classes in increasing order, in ctx->scratch. */
heft_status heft_values_all(heft_ctx *ctx, const heft_values *values, size_t n_class, double **x,
                            size_t *n);
