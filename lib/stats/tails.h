/* tails.h - tails of distributions: how likely a value as far out is. */
#pragma once

#include <stddef.h>

double heft_student_p(double t, double df);             /* P(|T| >= |t|) */
double heft_fisher_p(double f, double df1, double df2); /* P(F >= f) */
double heft_chi2_p(double x, double df);                /* P(X >= x) */
double heft_normal_p(double z);                         /* P(Z <= z) */
/* P(X >= x) for X of n fair coins. */
double heft_coin_p(size_t x, size_t n);
/* What the range of k standard normal numbers exceeds with probability alpha: the studentised
 * range with infinite degrees of freedom. k >= 2, 0 < alpha < 1. */
double heft_range_q(size_t k, double alpha);

/* log Gamma(x), x > 0, with the same bits on every machine; relative error below 1e-15 away from 1
 * and 2. */
double heft_log_gamma(double x);
