/* heft_memory.h - matrices, sparse rows and saved models in the caller's memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef HEFT_MEMORY_H
#define HEFT_MEMORY_H

#include "heft.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers in memory: cell (i, j) is cells[i * row_stride + j * col_stride]. */
typedef struct heft_matrix {
    size_t             size;
    size_t             n_rows, n_cols;
    const double      *cells;
    ptrdiff_t          row_stride, col_stride;
    const char *const *names; /* names of the columns; NULL: c1, c2, ... */
    /* The fields below are used by heft_fit_matrix alone. */
    const char        *target;  /* name of the class column; NULL: "class" */
    const int32_t     *codes;   /* class of each row; -1: missing */
    const char *const *classes; /* names of the classes */
    size_t             n_classes;
    const double      *weights; /* weight of each row; NULL: all 1 */
} heft_matrix;

/* Add the columns to a table with as many rows. All are added, or on failure none. With `borrow`,
 * columns whose cells are adjacent (row_stride 1) are not copied: they must then stay unchanged
 * until the table is freed. Cost: one pass, in blocks that fit in the cache. */
HEFT_API heft_status heft_table_add_matrix(heft_table *table, const heft_matrix *matrix,
                                           bool borrow, heft_error *err);
/* Compressed sparse rows: row i has the entries start[i] .. start[i + 1] - 1 of col and val. The
 * table must not have other attributes. */
HEFT_API heft_status heft_table_add_sparse(heft_table *table, size_t n_cols, const size_t *start,
                                           const uint32_t *col, const double *val,
                                           const char *const *names, heft_error *err);

/* The values of nominal attributes become those that rows have, sorted, as heft_read would find
 * them in a file of the same cells; their indices change. Values that were declared with
 * heft_table_add_codes but that no row has are removed, so that training does not count them. Cost:
 * one pass over the codes. */
HEFT_API heft_status heft_table_values_of_rows(heft_table *table, heft_error *err);

/* heft_fit on a matrix. Where the method needs only sums of the numbers (nb without preparation) no
 * table is made. The model is the same. */
HEFT_API heft_status heft_fit_matrix(const heft_matrix *data, const heft_config *config,
                                     heft_model **out, heft_error *err);

/* The bytes of a model file; freed with heft_text_free. */
HEFT_API heft_status heft_model_to_bytes(const heft_model *model, char **bytes, size_t *length,
                                         heft_error *err);
HEFT_API heft_status heft_model_from_bytes(const void *bytes, size_t length, heft_model **out,
                                           heft_error *err);

#ifdef __cplusplus
}
#endif
#endif
