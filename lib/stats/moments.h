/* moments.h - mean and spread of a numeric attribute per class, from additive sums.
 *
 * The sums are sum w (x - a) and sum w (x - a)^2, where `a` is the smallest value of the class (0
 * in sparse rows). They are summed exactly and stored as two doubles (about 32 digits). A mean far
 * from 0 therefore costs no precision, and the bits depend neither on the order of the rows nor on
 * the number of processes. The sums of two models can be added (heft_sums_add_line) to the same
 * precision. */
#pragma once

#include "prep/prep.h"

/* Numbers stored for each attribute and class, a "line". The value of a sum is X + X_LOW. */
enum {
    HEFT_SUM_N,      /* weight n of the observed cells */
    HEFT_SUM_UNLIKE, /* 0 if all observed cells are equal (to HEFT_SUM_FIRST), otherwise 1 */
    HEFT_SUM_FIRST,  /* smallest value a; 0 if n is 0, and in sparse rows also if cells differ */
    HEFT_SUM_X,      /* sum w (x - a) scale */
    HEFT_SUM_X_LOW,
    HEFT_SUM_XX, /* sum w ((x - a) scale)^2 */
    HEFT_SUM_XX_LOW,
    HEFT_N_SUMS
};

#define HEFT_SUM_SCALE_SMALL 0x1p-600

typedef struct heft_sums {
    size_t   n_attr, n_class, n_numeric;
    bool     from_zero; /* whether a = 0, as in sparse rows, instead of the smallest value */
    double  *scale;     /* per numeric attribute: 1, or HEFT_SUM_SCALE_SMALL if squares overflow */
    double  *cells;     /* n_numeric x n_class lines of HEFT_N_SUMS numbers */
    double **by_class;  /* per attribute: its lines in `cells`; NULL if the attribute is coded */
} heft_sums;

typedef struct heft_moments { /* one attribute; n_class + 1 entries per array, the last entry over
                                 all classes */
    double *n;                /* weight of the observed cells */
    double *mean;             /* weighted mean; 0 if n is 0 */
    double *spread;           /* sqrt(sum w (x - mean)^2), finite */
    double *sd;               /* standard deviation with divisor n - 1 (n if n <= 1), finite */
    double *unlike;           /* 0 if and only if all observed cells are equal (to `first`) */
    double *first;            /* smallest value; see HEFT_SUM_FIRST */
} heft_moments;

/* Sums over the rows of all processes. The zeros that sparse rows do not store are included, at a
 * cost of O(entries). The class of every row must be known. Numbers may also be in rows->matrix. */
heft_status heft_sums_of(heft_ctx *ctx, const heft_rows *rows, heft_arena *arena, heft_sums *out);
/* Allocates sums for the attributes that are not coded and sets them to 0. */
heft_status heft_sums_new(heft_ctx *ctx, const heft_attr *attr, size_t n_attr, size_t n_class,
                          heft_arena *arena, heft_sums *out);
/* Index of the numeric attribute j among the numeric attributes. */
size_t heft_sums_place(const heft_sums *sums, size_t j);
/* Adds line `from`, which has scale `from_scale`, to line `to` of the k-th numeric attribute, as if
 * the rows of `from` came after those of `to`. */
void heft_sums_add_line(const heft_sums *sums, size_t k, double *to, const double *from,
                        double from_scale);
bool heft_sums_finite(const heft_sums *sums);
/* Sets the scale of attributes whose sums overflowed to HEFT_SUM_SCALE_SMALL. Returns true if a
 * scale was changed; the caller must then compute the sums again. */
bool heft_sums_rescale(heft_sums *sums);

/* Compute mean and spread from sums, or from rows. out[j].n is NULL if attribute j is coded. */
heft_status heft_moments_from(heft_ctx *ctx, const heft_sums *sums, heft_arena *arena,
                              heft_moments **out);
heft_status heft_moments_of(heft_ctx *ctx, const heft_rows *rows, heft_arena *arena,
                            heft_moments **out);
