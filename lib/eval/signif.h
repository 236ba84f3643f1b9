/* signif.h - is a difference more than chance? Tests over the folds of one data set, and over
 * several data sets. */
#pragma once

#include "base/ctx.h"

/* Two accuracies nearer than this are a tie. */
#define HEFT_SAME 1e-9

/* ---- one data set ---- */

typedef struct heft_difference {
    double mean, t, p; /* t is NAN, p that of n equal signs, where all differences are the same */
} heft_difference;

/* Paired t of a - b over n folds, n - 1 degrees of freedom, two-sided. The variance of the mean is
 * that of the differences times 1/n + ratio: ratio 0 is the plain test, test rows / training rows
 * the corrected resampled one (Nadeau and Bengio 2003). */
heft_difference heft_paired_t(const double *a, const double *b, size_t n, double ratio);

/* ---- the same rows ---- */

typedef struct heft_drawn_difference {
    double difference, low, high; /* with its interval (bootstrap.h) */
    double p;                     /* two-sided: drawn differences on the other side of 0 */
} heft_drawn_difference;

typedef struct heft_row_tests {                   /* a model against the first */
    size_t                only_first, only_other; /* rows that only one of them predicts right */
    double                mcnemar_p;
    bool                  exact; /* or with the chi-squared distribution, continuity corrected */
    heft_drawn_difference log_loss, auc;
} heft_row_tests;

/* McNemar's test from the two counts, two-sided; exact up to 1000 rows that differ. */
void heft_mcnemar(heft_row_tests *t);

/* ---- several data sets ---- */

/* Increasing order of doubles, for qsort. */
int heft_by_value(const void *a, const void *b);
/* 1 for the largest; ties share the mean rank. Cost: n^2, n a number of methods or data sets. */
void heft_rank(const double *v, size_t n, double *rank);

typedef struct heft_friedman {
    double chi2, chi2_p; /* Friedman's statistic, adjusted for ties */
    double f, p; /* Iman and Davenport's; f is NAN, p that of equal orders, where all rank alike */
} heft_friedman;

/* rank[n_sets][n_methods]. */
heft_friedman heft_friedman_test(const double *rank, size_t n_sets, size_t n_methods);

typedef struct heft_quade {
    double f, p; /* as in heft_friedman where every data set has the same order */
} heft_quade;

/* Quade's test: data sets count by the rank of their largest difference. value and rank are
 * n_sets x n_methods. */
heft_status heft_quade_test(heft_ctx *ctx, const double *value, const double *rank, size_t n_sets,
                            size_t n_methods, heft_quade *out);

/* Nemenyi: mean ranks of k methods over n data sets differ where they differ by this much. */
double heft_nemenyi(size_t k, size_t n, double alpha);

/* The next group of mean ranks, given in rising order, that differ by less than cd and do not lie
 * within an earlier group. group[2], zeros at first: the rank to go on with, and after a call the
 * last of the group that begins with *first. False: there is no other. */
bool heft_rank_group(const double *rank, size_t n, double cd, size_t group[2], size_t *first);

/* One-sided: how likely a mean rank as low as that of method j is when all are equal, by the normal
 * approximation with the variance of the ranks as they are (Lazy cell-weighted naive Bayes,
 * section 4). */
double heft_mean_rank_p(const double *rank, size_t n_sets, size_t n_methods, size_t j);

/* Wilcoxon's signed ranks, two-sided; zero differences are dropped, ties share the mean rank. Up to
 * 50 differences p is exact: the share of the 2^m patterns of signs on these very ranks; beyond
 * that by the normal approximation, its variance adjusted for ties, without continuity correction.
 * z is the statistic of that approximation, however few the differences: the distance of the sum of
 * the ranks where a is above b from what is expected, in standard deviations; 0 without any. */
heft_status heft_wilcoxon(heft_ctx *ctx, const double *a, const double *b, size_t n, double *p,
                          double *z);

/* Two-sided; ties are shared out evenly, an odd one is left out. */
double heft_sign_p(size_t wins, size_t ties, size_t losses);
/* One-sided: at least as many heads of n fair coins as there are wins and half the ties, n being
 * the number of data sets. */
double heft_sign_upper_p(size_t wins, size_t ties, size_t losses);

/* Holm's step-down adjustment of n p-values for being looked at together; NAN stays and does not
 * count. out may be p. */
heft_status heft_holm(heft_ctx *ctx, const double *p, size_t n, double *out);

/* The half width of bounds that hold the column means of value[n_sets][n_methods] around their
 * common mean, all of them at once, with probability 1 - alpha when the methods are equal: the
 * quantile, over random permutations inside each data set, of the largest distance. */
enum { HEFT_PERMUTATIONS = 9999 };
heft_status heft_permutation_bound(heft_ctx *ctx, const double *value, size_t n_sets,
                                   size_t n_methods, double alpha, uint64_t seed, double *half);
