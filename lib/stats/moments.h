/* moments.h - mean and spread of a numeric attribute per class, from sums that add up.
 *
 * The sums are of x - a and (x - a)^2, with `a` the least value of the class (0 in sparse rows).
 * They are summed exactly and kept as two doubles (about 32 digits): the size of the mean costs no
 * precision, and the bits do not depend on the order of the rows, nor on the number of processes
 * that have them. Adding up the sums of two models (heft_sums_add_line) is right to these digits.
 */
#pragma once

#include "prep/prep.h"

/* What is kept for an attribute and class. A sum takes two numbers, which must be added. */
enum {
    HEFT_SUM_N,      /* weight of the observed cells */
    HEFT_SUM_UNLIKE, /* 0 when they are all equal, then to `first`; else 1 */
    HEFT_SUM_FIRST,  /* least value, a; 0 where n is 0, in sparse rows also where they differ */
    HEFT_SUM_X,      /* sum w (x - a) scale */
    HEFT_SUM_X_LOW,
    HEFT_SUM_XX, /* sum w ((x - a) scale)^2 */
    HEFT_SUM_XX_LOW,
    HEFT_N_SUMS
};

#define HEFT_SUM_SCALE_SMALL 0x1p-600

typedef struct heft_sums {
    size_t   n_attr, n_class, n_numeric;
    bool     from_zero; /* a = 0, as in sparse rows, in place of the least value */
    double  *scale;     /* n_numeric: 1, or HEFT_SUM_SCALE_SMALL where squares would overflow */
    double  *cells;     /* n_numeric x n_class x HEFT_N_SUMS */
    double **by_class;  /* by attribute: where its cells are; NULL for a coded one */
} heft_sums;

typedef struct heft_moments { /* one attribute; n_class + 1 entries, the last over all classes */
    double *n;                /* weight of the observed cells */
    double *mean;             /* 0 where n is 0 */
    double *spread;           /* sqrt(sum w (x - mean)^2), finite */
    double *sd;               /* standard deviation, divisor n - 1 (n where n <= 1), finite */
    double *unlike;           /* 0 exactly when all observed cells are equal, then to `first` */
    double *first;
} heft_moments;

/* On sparse rows implicit zeros take part: O(entries). The class of every row must be known. Takes
 * rows->matrix. */
heft_status heft_sums_of(heft_ctx *ctx, const heft_rows *rows, heft_arena *arena, heft_sums *out);
/* Room for sums of the attributes that are not `coded`, all 0. */
heft_status heft_sums_new(heft_ctx *ctx, const heft_attr *attr, size_t n_attr, size_t n_class,
                          heft_arena *arena, heft_sums *out);
/* The place of attribute j, which is not coded, among the numeric ones. */
size_t heft_sums_place(const heft_sums *sums, size_t j);
/* Line `from` of one set of sums, at scale `from_scale`, into line `to` of numeric attribute k, as
 * if its rows had come after those of `to`. */
void heft_sums_add_line(const heft_sums *sums, size_t k, double *to, const double *from,
                        double from_scale);
bool heft_sums_finite(const heft_sums *sums);
/* Attributes whose sums have overflowed are scaled down; true where there are such that were not:
 * then sum again. */
bool heft_sums_rescale(heft_sums *sums);

/* out[j].n is NULL for coded attributes. */
heft_status heft_moments_from(heft_ctx *ctx, const heft_sums *sums, heft_arena *arena,
                              heft_moments **out);
heft_status heft_moments_of(heft_ctx *ctx, const heft_rows *rows, heft_arena *arena,
                            heft_moments **out);
