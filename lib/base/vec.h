/* vec.h - the exponentials of num.h for many values at once: plain loops without calls or
 * branches, which compilers turn into vector code. Relative error below 1e-15; the same bits
 * whatever the vector width. For the losses over rows, where they are most of the work. */
#pragma once

#include <stddef.h>

/* v_i <- exp(v_i). Below -708 (also -inf) it is 0, above 709 it is exp(709): the caller shifts. */
void heft_exp_all(double *v, size_t n);
/* v_i <- exp(v_i) in single precision, v_i taken as 80 above it: relative error 2e-7; 0 below -87.
 */
void heft_exp_floats(float *v, size_t n);
/* v_i <- log(v_i), for normal numbers above 0. */
void heft_log_all(double *v, size_t n);
/* value_i = log(1 + exp(t_i)), slope_i = 1 / (1 + exp(-t_i)). Finite t, taken as -700 below it;
 * `slope` may be t. */
void heft_log1pexp_all(const double *t, size_t n, double *value, double *slope);
/* t_i <- 1 / (1 + exp(-t_i)). */
void heft_sigmoid_all(double *t, size_t n);
/* n rows of k scores, each row as heft_softmax; lse[n] gets the log-sum-exps unless NULL. The order
 * of a row's scores changes no bit of its results. */
void heft_softmax_all(double *v, size_t n, size_t k, double *lse);
