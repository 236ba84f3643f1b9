/* moments.h - mean and spread of a numeric attribute per class; two passes, never the mean of
 * squares less the squared mean. */
#ifndef HEFT_STATS_MOMENTS_H
#define HEFT_STATS_MOMENTS_H

#include "prep/prep.h"

typedef struct heft_moments { /* one attribute; n_class + 1 entries, the last over all classes */
    double *n;                /* weight of the observed cells */
    double *mean;             /* 0 where n is 0 */
    double *spread;           /* sqrt(sum w (x - mean)^2), finite */
    double *unlike;           /* 0 exactly when all observed cells are equal, then to `first` */
    double *first;
} heft_moments;

/* out[j].n is NULL for coded attributes. On sparse rows implicit zeros take part: O(entries).
 * The class of every row must be known. */
heft_status heft_moments_of(heft_ctx *ctx, const heft_rows *rows, heft_arena *arena,
                            heft_moments **out);

/* Standard deviation with divisor n - 1 (n where n <= 1), finite. */
double heft_moments_sd(const heft_moments *m, size_t c);

#endif
