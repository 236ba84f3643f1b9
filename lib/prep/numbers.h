/* numbers.h - the numbers of one raw column, whichever way a table holds them, and the lengths of
 * rows. For prep/, and for what repeats its arithmetic elsewhere (export/export_c.c). */
#pragma once

#include <math.h>

#include "base/bycol.h"
#include "base/rows.h"
#include "prep/prep.h"

/* The entries of a sparse table, or of sparse rows, by column. */
static inline heft_status heft_sparse_bycol(heft_ctx *ctx, const heft_sparse *s, size_t n_rows,
                                            size_t m, heft_bycol *out)
{
    return heft_bycol_build(ctx, &(heft_byrow){s->start, s->col, s->val}, n_rows, m, out);
}

/* fn(arg, row, column, value) for every entry of a sparse table, by row, then column. */
typedef void heft_entry_fn(void *arg, size_t i, size_t j, double x);

static inline void heft_each_entry(const heft_table *table, heft_entry_fn *fn, void *arg)
{
    const heft_sparse *s = table->sparse;
    HEFT_ROWS (i, table->n_rows)
        for (size_t k = s->start[i]; k < s->start[i + 1]; k++) fn(arg, i, s->col[k], s->val[k]);
}

/* Numbers of one column: cells, or (cells == NULL) n entries with zeros between them. */
typedef struct heft_numbers {
    const double *cells;
    size_t        n;
    const size_t *row;
    const double *val;
    bool          has_fill; /* NaN stands for this one */
    double        fill;
} heft_numbers;

/* Those of a column of the table, as attribute `a` has them; bycol: of a sparse table. */
heft_numbers heft_numbers_of(const heft_attr_prep *a, const heft_table *table,
                             const heft_column *col, const heft_bycol *bycol);

/* What divides row i under --scale unit: x becomes (x * scale[i]) / length[i]. `scale` is a power
 * of 2 that keeps squares within the doubles. */
typedef struct heft_unit {
    double *scale, *length; /* NULL: rows stay as they are */
} heft_unit;

/* Lengths over the given columns, added in their order; memory from the context's scratch. */
heft_status heft_unit_learn(heft_ctx *ctx, const heft_numbers *sources, size_t n_sources,
                            size_t n_rows, bool sparse, heft_unit *out);
/* The same over the numeric columns of a sparse table, all of them, in their order. */
heft_status heft_unit_learn_sparse(heft_ctx *ctx, const heft_table *table,
                                   const heft_attr_prep *attr, heft_unit *out);
/* The power of 2 for a row whose largest number is `top`. */
double heft_unit_scale(double top);

static inline double heft_unit_apply(double x, double scale, double length)
{
    return length > 0 ? x * scale / length : x;
}

double heft_scaled_far(const heft_attr_prep *a, double x); /* where the plain formula overflows */

/* (x - shift) * factor, finite whatever x; NaN stays. */
static inline double heft_scaled(const heft_attr_prep *a, double x)
{
    const double y = (x - a->shift) * a->factor;
    return isinf(y) || (isnan(y) && !isnan(x)) ? heft_scaled_far(a, x) : y;
}

/* In rows that are sparse the interval of 0 must have code 0: it changes places with the lowest
 * one. Gives the interval that has code 0; 0 where nothing changes places. */
uint32_t heft_zero_interval(const heft_prep *prep, size_t j);

static inline uint32_t heft_swap_zero(uint32_t code, uint32_t zero)
{
    return code == zero ? 0 : code == 0 ? zero : code;
}

/* Declared values, or intervals; 0 for numbers. */
uint32_t heft_attr_codes(const heft_attr_prep *a);

/* An attribute as its preparation makes it, without cells. */
static inline heft_attr heft_attr_of(const heft_attr_prep *a)
{
    const uint32_t n = heft_attr_codes(a);
    const bool     by_code = a->kind == HEFT_NOMINAL || a->cut;
    return (heft_attr){.coded = by_code, .n_codes = n, .width = by_code ? heft_code_width(n) : 8};
}
