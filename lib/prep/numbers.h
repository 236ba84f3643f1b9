/* numbers.h - the numbers of one raw column, dense or sparse, the lengths of rows, and scaling. It
 * is for prep/, and for code elsewhere that must repeat its arithmetic bit by bit
 * (export/export_c.c). */
#pragma once

#include <math.h>

#include "base/bycol.h"
#include "base/rows.h"
#include "prep/prep.h"

/* Arrange the entries of a sparse table, or of sparse rows, by column. */
static inline heft_status heft_sparse_bycol(heft_ctx *ctx, const heft_sparse *s, size_t n_rows,
                                            size_t m, heft_bycol *out)
{
    return heft_bycol_build(ctx, &(heft_byrow){s->start, s->col, s->val}, n_rows, m, out);
}

/* A function that heft_each_entry calls with the row, column and value of every entry of a sparse
 * table, row by row. */
typedef void heft_entry_fn(void *arg, size_t i, size_t j, double x);

static inline void heft_each_entry(const heft_table *table, heft_entry_fn *fn, void *arg)
{
    const heft_sparse *s = table->sparse;
    HEFT_ROWS (i, table->n_rows)
        for (size_t k = s->start[i]; k < s->start[i + 1]; k++) fn(arg, i, s->col[k], s->val[k]);
}

/* The numbers of one column: an array of cells, or, if cells is NULL, n entries val[k] of the rows
 * row[k] with zeros in all other rows. */
typedef struct heft_numbers {
    const double *cells;
    size_t        n;
    const size_t *row;
    const double *val;
    bool          has_fill; /* missing numbers are replaced by `fill` */
    double        fill;
} heft_numbers;

/* Returns the numbers of a column of the table, with what attribute `a` imputes. bycol is used if
 * the table is sparse. */
heft_numbers heft_numbers_of(const heft_attr_prep *a, const heft_table *table,
                             const heft_column *col, const heft_bycol *bycol);

/* How rows are scaled to unit length: x in row i becomes (x * scale[i]) / length[i]. scale[i] is a
 * power of 2 that keeps squares from overflowing and underflowing. */
typedef struct heft_unit {
    double *scale, *length; /* NULL: rows stay as they are */
} heft_unit;

/* Compute the lengths of rows over the given columns, added in their order, in scratch memory. */
heft_status heft_unit_learn(heft_ctx *ctx, const heft_numbers *sources, size_t n_sources,
                            size_t n_rows, bool sparse, heft_unit *out);
/* Compute the lengths of rows over all numeric columns of a sparse table, added in their order. */
heft_status heft_unit_learn_sparse(heft_ctx *ctx, const heft_table *table,
                                   const heft_attr_prep *attr, heft_unit *out);
/* Returns the power of 2 for a row whose largest absolute number is `top`. */
double heft_unit_scale(double top);

static inline double heft_unit_apply(double x, double scale, double length)
{
    return length > 0 ? x * scale / length : x;
}

double heft_scaled_far(const heft_attr_prep *a, double x); /* if heft_scaled overflows */

/* Returns (x - shift) * factor, which is finite for every finite x; NaN stays NaN. */
static inline double heft_scaled(const heft_attr_prep *a, double x)
{
    const double y = (x - a->shift) * a->factor;
    return isinf(y) || (isnan(y) && !isnan(x)) ? heft_scaled_far(a, x) : y;
}

/* Returns the interval that has code 0. In sparse rows, where cells that are not stored have code
 * 0, this is the interval that contains 0, which exchanges codes with the lowest interval.
 * Otherwise it is interval 0. */
uint32_t heft_zero_interval(const heft_prep *prep, size_t j);

static inline uint32_t heft_swap_zero(uint32_t code, uint32_t zero)
{
    return code == zero ? 0 : code == 0 ? zero : code;
}

/* Returns the number of declared values or intervals; 0 for numbers. */
uint32_t heft_attr_codes(const heft_attr_prep *a);

/* Returns an attribute as its preparation makes it, without cells. */
static inline heft_attr heft_attr_of(const heft_attr_prep *a)
{
    const uint32_t n = heft_attr_codes(a);
    const bool     by_code = a->kind == HEFT_NOMINAL || a->cut;
    return (heft_attr){.coded = by_code, .n_codes = n, .width = by_code ? heft_code_width(n) : 8};
}
