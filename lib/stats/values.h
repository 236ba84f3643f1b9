/* values.h - the distinct values of a numeric attribute by class, with their weight. */
#pragma once

#include "prep/numbers.h"

typedef struct heft_values { /* one attribute */
    size_t *start;           /* n_class + 1: values of class c are start[c]..start[c+1]-1 */
    double *x, *w;           /* increasing within a class; weights above 0 */
} heft_values;

/* What reading the columns of some rows takes, made once for all of them. */
typedef struct heft_value_reader {
    const heft_rows *rows;
    double          *class_sum; /* sparse rows only: weight of each class */
    heft_bycol       bycol;     /* sparse rows only: entries by column */
} heft_value_reader;

/* In scratch memory. The class of every row must be known. */
heft_status heft_values_begin(heft_ctx *ctx, const heft_rows *rows, heft_value_reader *out);
/* The observed cells of numeric attribute j, implicit zeros of sparse rows among them.
 * Cost: O(n). */
heft_status heft_values_of(heft_ctx *ctx, const heft_value_reader *reader, size_t j,
                           heft_arena *arena, heft_values *out);

typedef struct heft_value_cell { /* a value on its way into a list */
    double   x, w;
    uint32_t c;
} heft_value_cell;

/* Sort *n cells by class and value and add up equal ones, in place; *n are left. */
heft_status heft_values_join(heft_ctx *ctx, heft_value_cell *cells, size_t *n);
/* Sort n cells and make them one list; equal ones are added up. */
heft_status heft_values_pack(heft_ctx *ctx, heft_value_cell *cells, size_t n, size_t n_class,
                             heft_arena *arena, heft_values *out);

/* The values become those of all rows, wherever they are. Memory from `arena`. */
heft_status heft_values_merge(heft_ctx *ctx, size_t n_class, heft_arena *arena,
                              heft_values *values);

/* The values of all classes together: *n of them, increasing, each once. In scratch memory. */
heft_status heft_values_all(heft_ctx *ctx, const heft_values *values, size_t n_class, double **x,
                            size_t *n);
