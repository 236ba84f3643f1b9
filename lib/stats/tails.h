/* tails.h - tail probabilities of the distributions used by statistical tests, and log Gamma. */
#pragma once

#include <stddef.h>

double heft_student_p(double t, double df);             /* P(|T| >= |t|), Student's t */
double heft_fisher_p(double f, double df1, double df2); /* P(F >= f), Fisher's F */
double heft_chi2_p(double x, double df);                /* P(X >= x), chi-squared */
double heft_normal_p(double z);                         /* P(Z <= z), standard normal */
/* P(X >= x) for the number X of heads among n fair coins. */
double heft_coin_p(size_t x, size_t n);
/* The number that the range of k standard normal numbers exceeds with probability alpha: a quantile
 * of the studentised range with infinite degrees of freedom. k >= 2, 0 < alpha < 1. */
double heft_range_q(size_t k, double alpha);

/* log Gamma(x), x > 0, with the same bits on every machine; relative error below 1e-15 away from 1
 * and 2. */
double heft_log_gamma(double x);
