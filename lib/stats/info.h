/* info.h - entropy H, mutual information I(X;Y) and conditional mutual information I(X;Z|Y) of
 * counts, in natural logarithms. Probabilities are counts divided by their total. */
#pragma once

#include <stddef.h>

/* Entropy H = -sum_k p_k log p_k with p_k proportional to n[k], k = 0..size-1; 0 if all n[k] are
 * 0. */
double heft_entropy(const double *n, size_t size);

/* I(X;Y) = sum P(x,y) log[P(x,y) / (P(x) P(y))] from the counts cell[x * n_y + y], their sums over
 * y (x_sum) and over x (y_sum), and their total. Terms where P(x,y) or P(x) P(y) is below `least`
 * are left out: 0 leaves out none, and Weka uses 1e-6. The result is never negative. */
double heft_information(const double *cell, const double *x_sum, const double *y_sum, double total,
                        size_t n_x, size_t n_y, double least);

/* I(X;Y) from n_x lines of n_y counts, minus (q - 1)(n_y - 1) / 2n, where q is the number of lines
 * with a count above 0 and n is the total. The difference removes what independent X and Y have on
 * average, so that attributes with many and with few values can be ranked by it. The result is
 * never negative. */
double heft_information_beyond_chance(const double *cell, size_t n_x, size_t n_y);

typedef struct heft_triple_counts { /* joint counts of X, Z and Y, and their sums */
    size_t        n_x, n_z, n_y;
    const double *cell; /* count of (x, z, y) at [(z * n_x + x) * n_y + y] */
    const double *xy;   /* count of (x, y) at [x * n_y + y] */
    const double *zy;   /* count of (z, y) at [z * n_y + y] */
    const double *y;    /* count of y at [y] */
    double        total;
} heft_triple_counts;

/* I(X;Z|Y) = sum P(x,z,y) log[P(x,z,y) P(y) / (P(x,y) P(z,y))]. Terms where P(x,z,y) P(y) or
 * P(x,y) P(z,y) is below `least` are left out. If `least` is above 0, the remaining terms may add
 * up to a negative number. */
double heft_information_given(const heft_triple_counts *t, double least);
