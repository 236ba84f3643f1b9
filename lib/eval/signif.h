/* signif.h - tests whether a difference is more than chance: over the folds of one data set, over
 * the rows of one test table, and over several data sets.
 *
 * The choice of tests follows Demsar, Statistical Comparisons of Classifiers over Multiple Data
 * Sets, Journal of Machine Learning Research 7, 2006. Folds of one data set share training rows, so
 * that the plain t-test finds too many differences; Nadeau and Bengio's correction is the default.
 */
#pragma once

#include "base/ctx.h"

/* Two accuracies that differ by less than this are tied. */
#define HEFT_SAME 1e-9

/* ---- one data set ---- */

typedef struct heft_difference {
    double mean, t, p; /* if all differences are equal, t is NAN and p that of n equal signs */
} heft_difference;

/* Returns the paired t-test of a - b over n folds, two-sided, with n - 1 degrees of freedom. The
 * variance of the mean is that of the differences times (1/n + ratio). A ratio of 0 gives the plain
 * test; test rows / training rows gives the corrected resampled test (Nadeau and Bengio 2003). */
heft_difference heft_paired_t(const double *a, const double *b, size_t n, double ratio);

/* ---- two models on the same rows ---- */

typedef struct heft_drawn_difference {
    double difference, low, high; /* difference and its interval (bootstrap.h) */
    double p;                     /* two-sided, from the fraction of draws of the other sign */
} heft_drawn_difference;

typedef struct heft_row_tests {                   /* a model compared with the first */
    size_t                only_first, only_other; /* rows that only one model predicts right */
    double                mcnemar_p;
    bool                  exact; /* p is exact; else chi-squared with continuity correction */
    heft_drawn_difference log_loss, auc;
} heft_row_tests;

/* Compute McNemar's test from the two counts, two-sided. It is exact if at most 1000 rows differ.
 */
void heft_mcnemar(heft_row_tests *t);

/* ---- several data sets ---- */

/* Compare doubles in increasing order, for qsort. */
int heft_by_value(const void *a, const void *b);
/* Rank n numbers: the largest has rank 1, ties have their mean rank. Cost: O(n^2), which is fine
 * for numbers of methods or data sets. */
void heft_rank(const double *v, size_t n, double *rank);

typedef struct heft_friedman {
    double chi2, chi2_p; /* Friedman's statistic, adjusted for ties */
    double f, p;         /* Iman and Davenport's; f is NAN if all data sets have the same order */
} heft_friedman;

/* Friedman's test of rank[n_sets][n_methods], with Iman and Davenport's statistic. */
heft_friedman heft_friedman_test(const double *rank, size_t n_sets, size_t n_methods);

typedef struct heft_quade {
    double f, p; /* f is NAN if every data set has the same order, as in heft_friedman */
} heft_quade;

/* Quade's test. It weights each data set by the rank of its largest difference between methods.
 * `value` and `rank` are n_sets x n_methods. */
heft_status heft_quade_test(heft_ctx *ctx, const double *value, const double *rank, size_t n_sets,
                            size_t n_methods, heft_quade *out);

/* Returns Nemenyi's critical difference: two of k methods differ significantly if their mean ranks
 * over n data sets are at least this far apart. */
double heft_nemenyi(size_t k, size_t n, double alpha);

/* Find the next group of mean ranks that differ by less than cd and are not within an earlier
 * group. rank[n] is in increasing order. group[2] must be zeros at first; it stores where to
 * continue and the last rank of the group, which begins at *first. Returns false if there is no
 * other group. */
bool heft_rank_group(const double *rank, size_t n, double cd, size_t group[2], size_t *first);

/* Returns the one-sided p of the mean rank of method j: how likely such a low mean rank is if all
 * methods are equal. It uses the normal approximation with the variance of the observed ranks (Lazy
 * cell-weighted naive Bayes, section 4). */
double heft_mean_rank_p(const double *rank, size_t n_sets, size_t n_methods, size_t j);

/* Wilcoxon's signed-rank test, two-sided. Differences of zero are dropped; ties have their mean
 * rank. Up to 50 differences p is exact: it is computed from all 2^m patterns of signs on the
 * observed ranks. Above that, p is by the normal approximation, with the variance adjusted for ties
 * and without continuity correction. z is always the statistic of that approximation: the sum of
 * the ranks where a is above b, minus its expectation, in standard deviations. It is 0 if there are
 * no differences. */
heft_status heft_wilcoxon(heft_ctx *ctx, const double *a, const double *b, size_t n, double *p,
                          double *z);

/* Returns p of the two-sided sign test. Half of the ties count as wins and half as losses; an odd
 * tie is left out. */
double heft_sign_p(size_t wins, size_t ties, size_t losses);
/* Returns p of the one-sided sign test: the probability that n fair coins, n being the number of
 * data sets, show at least wins + ties / 2 heads. */
double heft_sign_upper_p(size_t wins, size_t ties, size_t losses);

/* Adjust n p-values by Holm's step-down method for multiple tests. NAN stays NAN and is not
 * counted. `out` may be `p`. */
heft_status heft_holm(heft_ctx *ctx, const double *p, size_t n, double *out);

/* Compute the half width of bounds around the common mean of value[n_sets][n_methods] that contain
 * all column means at once with probability 1 - alpha if the methods are equal. It is a quantile of
 * the largest distance of a column mean, over random permutations within each data set. */
enum { HEFT_PERMUTATIONS = 9999 };
heft_status heft_permutation_bound(heft_ctx *ctx, const double *value, size_t n_sets,
                                   size_t n_methods, double alpha, uint64_t seed, double *half);
