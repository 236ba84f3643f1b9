/* local.h - what the lazy methods share: naive Bayes on counts weighted around the query.
 *
 *   log Q(c) = log(1 + rho S_c) + sum_i [ log(1 + rho T_ci) - log(q_i + rho S_c) ]
 *
 * S_c is the weight of the rows of class c, T_ci that of those which agree with the query on
 * attribute i, q_i the declared values of i (Li and Li, section 3.3: Laplace's estimates, whose
 * class denominator is common to all classes and left out). */
#pragma once

#include "methods/lazy/neighbours.h"
#include "model/method.h"

/* The shared parts of a lazy fit: rows packed into *nb; priors and tables, which inspect shows. */
heft_status heft_local_fit(heft_ctx *ctx, const heft_task *task, heft_fitted *out,
                           heft_neighbours *nb);

/* log Q(c); t in lanes. */
double heft_local_score(const heft_neighbours *nb, double rho, double s, const double *t);
/* The same taken apart, into column c of parts[(1 + n_attr) * n_class]. */
void heft_local_parts(const heft_neighbours *nb, double rho, double s, const double *t, size_t c,
                      double *parts);

/* Scores as near the largest as rounding can bring equal ones become equal to it, so that the
 * lowest class wins a tie. */
void heft_local_tie(double *score, size_t n_class);

/* How a query's rows are weighted, when that depends on the distance alone and not on the class.
 * total[l] rows are at distance l <= m; fills weight[l], and returns rho. */
typedef double heft_kernel_fn(const double *setting, const uint32_t *total, size_t m,
                              double *weight);

/* The scorer and the parts of such a method. */
heft_status heft_local_score_rows(heft_ctx *ctx, const heft_neighbours *nb, const double *setting,
                                  heft_kernel_fn *kernel, const heft_rows *rows, double *log_joint);
heft_status heft_local_part_rows(heft_ctx *ctx, const heft_neighbours *nb, const double *setting,
                                 heft_kernel_fn *kernel, const heft_rows *rows, size_t i,
                                 double *parts);
