/* association.h - information measures on coded columns, for all filters. In nats.
 *
 *   H(A)     = -sum_v P(v) log P(v)
 *   I(A;B)   = H(A) + H(B) - H(A,B)
 *   SU(A,B)  = 2 I(A;B) / (H(A) + H(B))                symmetric uncertainty
 *   GR(A;C)  = I(A;C) / H(A)                           gain ratio
 *            = sum_v P(v) KL( P(C|v) || P(C) ) / H(A)  the Kullback-Leibler weight
 *
 * A probability is a fraction of the weight of those rows in which both columns are present. A
 * column with a single value has entropy 0 exactly, and every measure of it is 0, never 0/0. */
#pragma once

#include "stats/suffstats.h"

/* ---- two columns, from a table of counts ------------------------------------------------ */

typedef struct heft_info {
    double n;        /* weight of the rows in which both are present */
    double h_a, h_b; /* entropies H(A) and H(B) */
    double mutual;   /* I(A;B), never below 0                        */
} heft_info;

/* Information of two columns A and B from their table of counts: n_a lines of n_b counts. */
heft_info heft_info_of(const double *table, size_t n_a, size_t n_b);
/* Information of attribute j, which has n_codes codes, and the class. */
heft_info heft_info_class(const heft_counts *counts, size_t j, uint32_t n_codes);
double    heft_gain_ratio(const heft_info *info);
double    heft_uncertainty(const heft_info *info);

/* ---- many columns ------------------------------------------------------------------------ */

typedef struct heft_code_column {
    size_t      n;       /* number of values that occur; a missing cell has code n */
    bool        missing; /* whether a cell of the column is missing */
    bool        wide;    /* whether codes are uint32_t; otherwise they are uint8_t */
    const void *code;    /* n_rows codes, numbered without gaps over the values that occur */
    double      entropy; /* entropy over the rows in which the column is present */
} heft_code_column;

typedef struct heft_columns { /* read only once built */
    size_t                n_rows, n_attr;
    size_t                n_all;  /* number of rows of all processes */
    heft_code_column     *col;    /* n_attr + 1 columns: the attributes, then the class */
    const double         *weight; /* weights of the rows; NULL if all are 1 */
    double                total;  /* sum of the weights over all processes */
    size_t                n_log;
    double               *xlogx;     /* table of x log x for whole numbers x below n_log */
    const heft_suffstats *suffstats; /* used instead of rows if not NULL: then n_rows is 0 and no
                                        column has codes */
} heft_columns;

static inline uint32_t heft_column_code(const heft_code_column *c, size_t i)
{
    return c->wide ? ((const uint32_t *)c->code)[i] : ((const uint8_t *)c->code)[i];
}

/* Makes the columns of rows whose attributes are all coded (recode.h). Sparse rows are written out
 * with one byte per cell; if that takes more than a gigabyte, the result is EUNSUPPORTED with a
 * message that states the size. Memory is from `arena`. Cost: O(n m).
 * Values, entropies and the total are computed over the rows of all processes.
 * If `known` is not NULL and has pair counts, the columns use these counts and no rows. */
heft_status heft_columns_build(heft_ctx *ctx, const heft_rows *coded, const heft_suffstats *known,
                               heft_arena *arena, heft_columns **out);

/* sum[j] = sum over the other attributes k of I(A_j;A_k), without keeping a matrix of pairs. `who`
 * names the caller in messages: above 10,000 attributes a warning states the number of pairs, above
 * 100,000 the result is EUNSUPPORTED. Several attributes with few values are counted at once. All
 * rows must be in this process. Cost: O(n m^2) at most; memory O(n m). */
heft_status heft_mutual_sums(heft_ctx *ctx, const heft_columns *cols, const char *who, double *sum);

/* out[n_attr + 1] = the correlation of column j (n_attr is the class) with every column including
 * itself, as defined by CFS in Weka 3.6: the symmetric uncertainty, with missing cells distributed
 * over the values in proportion to their counts. A correlation below 1e-6 becomes 0 if one of the
 * two columns is the class, and `unrelated` between two attributes. Weka uses 1 for that, which
 * treats unrelated attributes like equal ones. The rows of all processes are counted; if weights
 * are whole numbers, the bits do not depend on the number of processes. Cost: O(n m). */
heft_status heft_correlation_row(heft_ctx *ctx, const heft_columns *cols, size_t j, float unrelated,
                                 float *out);
