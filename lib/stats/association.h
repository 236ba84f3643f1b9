/* association.h - information measures on coded columns, for all filters. In nats.
 *
 *   H(A)     = -sum_v P(v) log P(v)
 *   I(A;B)   = H(A) + H(B) - H(A,B)
 *   SU(A,B)  = 2 I(A;B) / (H(A) + H(B))                symmetric uncertainty
 *   GR(A;C)  = I(A;C) / H(A)                           gain ratio
 *            = sum_v P(v) KL( P(C|v) || P(C) ) / H(A)  the Kullback-Leibler weight
 *
 * Probabilities are shares of the rows in which both are present, weighted. What occurs with one
 * value only has entropy 0 exactly, and a measure of it is 0, never 0/0. */
#pragma once

#include "stats/suffstats.h"

/* ---- two columns, from a table of counts ------------------------------------------------ */

typedef struct heft_info {
    double n;        /* weight of the rows in which both are present */
    double h_a, h_b; /* entropies                                    */
    double mutual;   /* I(A;B), never below 0                        */
} heft_info;

/* table: n_a lines of n_b counts. */
heft_info heft_info_of(const double *table, size_t n_a, size_t n_b);
/* Attribute j and the class; n_codes of the attribute. */
heft_info heft_info_class(const heft_counts *counts, size_t j, uint32_t n_codes);
double    heft_gain_ratio(const heft_info *info);
double    heft_uncertainty(const heft_info *info);

/* ---- many columns ------------------------------------------------------------------------ */

typedef struct heft_code_column {
    size_t      n;       /* values that occur; code n: missing                                 */
    bool        missing; /* a cell is                                                          */
    bool        wide;    /* codes are uint32_t, otherwise uint8_t                              */
    const void *code;    /* n_rows, renumbered by first use of the values that occur           */
    double      entropy; /* over the rows in which it is present                               */
} heft_code_column;

typedef struct heft_columns { /* read only once built */
    size_t                n_rows, n_attr;
    size_t                n_all;  /* rows of all processes */
    heft_code_column     *col;    /* n_attr + 1: the attributes, then the class */
    const double         *weight; /* NULL: all 1 */
    double                total;
    size_t                n_log;
    double               *xlogx;     /* x log x of whole x below n_log */
    const heft_suffstats *suffstats; /* in place of rows: n_rows is 0 and no column has codes */
} heft_columns;

static inline uint32_t heft_column_code(const heft_code_column *c, size_t i)
{
    return c->wide ? ((const uint32_t *)c->code)[i] : ((const uint8_t *)c->code)[i];
}

/* Columns of rows whose attributes are all coded (recode.h); sparse rows are written out, one byte
 * per cell, unless that takes more than a gigabyte: EUNSUPPORTED, with the size it would
 * take. Memory from `arena`. Cost: O(n m).
 * Values, entropies and the total are those of the rows of all processes.
 * Where `known` (NULL: nothing) has the pairs, the columns stand on it alone. */
heft_status heft_columns_build(heft_ctx *ctx, const heft_rows *coded, const heft_suffstats *known,
                               heft_arena *arena, heft_columns **out);

/* sum[j] = sum over the other attributes k of I(A_j;A_k); no matrix of pairs is kept. `who` asks,
 * for messages: above 10,000 attributes the number of pairs is said before it is tried, above
 * 100,000 it is EUNSUPPORTED. Attributes of few values are counted several at once. All rows must
 * be in this process. Cost: O(n m^2) at most; memory O(n m). */
heft_status heft_mutual_sums(heft_ctx *ctx, const heft_columns *cols, const char *who, double *sum);

/* out[n_attr + 1] = the correlation of column j (n_attr: the class) with every column, itself
 * among them, as CFS in Weka 3.6 has it: the symmetric uncertainty, missing cells shared out over
 * the values in proportion to them. One below 1e-6 is 0 with the class, and `unrelated` between two
 * attributes: 1 in Weka, where attributes without any relation count as equal ones. Of the rows of
 * all processes, with the same bits where weights are whole numbers. Cost: O(n m). */
heft_status heft_correlation_row(heft_ctx *ctx, const heft_columns *cols, size_t j, float unrelated,
                                 float *out);
