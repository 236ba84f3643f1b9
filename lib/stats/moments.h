/* moments.h - mean, scatter, minimum and maximum of a numeric attribute per class; two passes, never
 * the mean of squares less the squared mean. */
#ifndef HEFT_STATS_MOMENTS_H
#define HEFT_STATS_MOMENTS_H

#include "prep/prep.h"

typedef struct heft_moments { /* one attribute; n_class + 1 entries, the last over all classes */
    double *n;       /* weight of the observed cells */
    double *mean;
    double *scatter; /* sum w (x - mean)^2 */
    double *min, *max;
} heft_moments;

/* out[j].n is NULL for coded attributes. On sparse rows implicit zeros take part: O(entries). */
heft_status heft_moments_of(heft_ctx *ctx, const heft_rows *rows, heft_arena *arena,
                            heft_moments **out);

#endif
