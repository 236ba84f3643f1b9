/* memory_table.h - tables made of arrays in the caller's memory, and read back into such arrays.
 *
 * Columns of numbers are copied in blocks of 64 x 64 cells, so that a matrix stored row by row is
 * read once and not once per column; where a column's cells are adjacent they can be borrowed
 * instead. Every function adds all that it was given or, on failure, nothing. */
#pragma once

#include "data/table.h"
#include "heft_memory.h"

typedef struct heft_given_codes { /* a nominal column as the caller has it */
    const char        *name;
    const int32_t     *codes; /* indices into `values`; others, such as -1, are missing */
    size_t             stride;
    const char *const *values;
    size_t             n_values;
} heft_given_codes;

typedef struct heft_csr { /* compressed sparse rows; heft_table_add_sparse describes the arrays */
    size_t             n_cols;
    const size_t      *start;
    const uint32_t    *col;
    const double      *val;
    const char *const *names; /* NULL: c1, c2, ... */
} heft_csr;

/* Adds the columns of a matrix; with `borrow`, columns of adjacent cells are not copied. */
heft_status heft_table_put_matrix(heft_ctx *ctx, heft_table *table, const heft_matrix *given,
                                  bool borrow);
heft_status heft_table_put_codes(heft_ctx *ctx, heft_table *table, const heft_given_codes *column);
heft_status heft_table_put_sparse(heft_ctx *ctx, heft_table *table, const heft_csr *rows);
/* The class column; the table must not have one. */
heft_status heft_table_put_target(heft_ctx *ctx, heft_table *table, const heft_given_codes *column);
/* A copy of one weight per row: finite and not negative. */
heft_status heft_table_put_weights(heft_ctx *ctx, heft_table *table, const double *weights);

/* cells[n_rows]: column j as numbers; of a nominal column the codes. NaN where a cell is missing.
 */
void heft_table_get_cells(const heft_table *table, size_t j, double *cells);
/* The class of row i; -1 where it has none. */
int32_t heft_table_class_of(const heft_table *table, size_t i);
/* counts[n_class + 2]: the rows of each class that have a weight above 0; rows without a class;
 * rows with a class and weight 0. */
heft_status heft_table_count_classes(heft_ctx *ctx, const heft_table *table, int64_t *counts);
