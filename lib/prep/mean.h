/* mean.h - means, minima and maxima of columns.
 *
 * A heft_mean is a sum that can be merged: those of two ranges of the rows give that of both. Sums
 * keep their rounding errors apart (compensated summation; Neumaier 1974), and numbers are
 * multiplied by a power of 2 beforehand, so that neither rounding nor overflow spoils a mean. */
#pragma once

#include <stddef.h>

typedef struct heft_mean {
    double sum, lost; /* sum of numbers times weight and `shrink`; its rounding errors */
    double total;     /* total weight */
    double lo, hi;    /* minimum and maximum */
} heft_mean;

/* Returns a power of 2 that keeps sums of numbers up to `top` from overflowing when these are
 * multiplied by it. */
double heft_mean_shrink(double top);
/* Returns the mean of no rows but of zeros that are not stored, whose weight is `zeros`. */
heft_mean heft_mean_begin(double zeros);
/* Add one number; a NaN is left out. */
void heft_mean_take(heft_mean *m, double weight, double x, double shrink);
/* Add n numbers of weight 1. lo and hi do not change: the caller has set them already. */
void heft_mean_take_all(heft_mean *m, const double *x, size_t n, double shrink);
void heft_mean_join(heft_mean *whole, const heft_mean *part);

/* Lower *lo and raise *hi to the minimum and maximum of n numbers. A NaN counts as `fill`; if
 * `fill` is NaN too, it is left out. */
void heft_ends(const double *x, size_t n, double fill, double *lo, double *hi);
