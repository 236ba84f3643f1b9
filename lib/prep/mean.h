/* mean.h - means and ends of columns. What a mean is made of can be joined: that of one part of the
 * rows with that of another. */
#pragma once

#include <stddef.h>

typedef struct heft_mean {
    double sum, lost; /* sum of the shrunk numbers, and the sum of its rounding errors */
    double total;     /* weight */
    double lo, hi;
} heft_mean;

/* A power of 2 that keeps sums of numbers up to `top` from overflowing. */
double heft_mean_shrink(double top);
/* `zeros` is the weight of zeros that are not stored. */
heft_mean heft_mean_begin(double zeros);
/* One number; a NaN is left out. */
void heft_mean_take(heft_mean *m, double weight, double x, double shrink);
/* n numbers of weight 1, of which lo and hi are known: these stay as they are. */
void heft_mean_take_all(heft_mean *m, const double *x, size_t n, double shrink);
void heft_mean_join(heft_mean *whole, const heft_mean *part);

/* The ends of n numbers and of *lo and *hi. A NaN counts as `fill`; where this is one too, it is
 * left out. */
void heft_ends(const double *x, size_t n, double fill, double *lo, double *hi);
