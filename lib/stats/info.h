/* info.h - entropy and information of counts, in natural logarithms. */
#pragma once

#include <stddef.h>

/* H of the distribution proportional to n[k], k = 0..size-1; 0 when all are 0. */
double heft_entropy(const double *n, size_t size);

/* I(X;Y) = sum P(x,y) log[P(x,y) / (P(x) P(y))] from cell[x * n_y + y], their sums over y and over
 * x, and their total. Terms where P(x,y) or P(x) P(y) is below `least` are left out: 0 leaves out
 * none, Weka's rule is 1e-6. Never negative. */
double heft_information(const double *cell, const double *x_sum, const double *y_sum, double total,
                        size_t n_x, size_t n_y, double least);

/* I(X;Y) from n_x lines of n_y counts, less what chance alone makes of it: (q - 1)(n_y - 1) / 2n
 * for q lines that occur and n in all. Never negative: attributes of many values can be ranked by
 * it. */
double heft_information_beyond_chance(const double *cell, size_t n_x, size_t n_y);

typedef struct heft_triple_counts { /* counts of X, Z and Y together, and their sums */
    size_t        n_x, n_z, n_y;
    const double *cell; /* [(z * n_x + x) * n_y + y] */
    const double *xy;   /* [x * n_y + y] */
    const double *zy;   /* [z * n_y + y] */
    const double *y;    /* [y] */
    double        total;
} heft_triple_counts;

/* I(X;Z|Y) = sum P(x,z,y) log[P(x,z,y) P(y) / (P(x,y) P(z,y))]. Terms where P(x,z,y) P(y) or
 * P(x,y) P(z,y) is below `least` are left out: with `least` above 0 the sum of the rest may be
 * negative. */
double heft_information_given(const heft_triple_counts *counts, double least);
