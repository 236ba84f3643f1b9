/* bootstrap.h - how far measures would vary with other test rows: the stratified bootstrap (Efron,
 * Tibshirani 1993). Each draw takes test rows with replacement, as many of each class as there are,
 * and measures them. The quantiles of the measures over all draws give an interval. */
#pragma once

#include "eval/measures.h"

enum {
    HEFT_DRAWS = 2000,                 /* number of draws */
    HEFT_N_DRAWN = HEFT_N_MEASURES + 1 /* figures of a draw: the accuracy, then the measures */
};

/* Compute draws[HEFT_DRAWS x HEFT_N_DRAWN]. The rows of a draw depend on the seed and on the
 * classes y[n] of all n rows, so that they are the same for all methods. Only drawn rows that count
 * in `rows` are measured. */
heft_status heft_bootstrap(heft_ctx *ctx, const heft_outcomes *rows, const uint16_t *y,
                           double *draws);
/* Returns the name of figure k of a draw: "accuracy", then the names of the measures. */
const char *heft_drawn_name(size_t k);
/* Sort v and set *low and *high to its alpha/2 and 1 - alpha/2 quantiles. NAN numbers are left out;
 * if there are no others, the quantiles are NAN. */
void heft_percentiles(double *v, size_t n, double alpha, double *low, double *high);
