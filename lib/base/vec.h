/* vec.h - the exponentials of num.h for many values at once: plain loops without calls or
 * branches, which compilers turn into vector code. Relative error below 1e-15; the same bits
 * whatever the vector width. For the losses over rows, where they are most of the work. */
#pragma once

#include <stddef.h>

/* v_i <- exp(v_i). The result is 0 below -708 (also for -inf) and exp(709) above 709. */
void heft_exp_all(double *v, size_t n);
/* v_i <- exp(v_i) in single precision with relative error 2e-7. Values above 80 are treated as 80,
 * and the result below -87 is 0. */
void heft_exp_floats(float *v, size_t n);
/* v_i <- log(v_i), for normal numbers above 0. */
void heft_log_all(double *v, size_t n);
/* value_i = log(1 + exp(t_i)), slope_i = 1 / (1 + exp(-t_i)), for finite t. Values beyond -700 and
 * 700 are treated as if exp(-|t|) were exp(-700). `slope` may be t. */
void heft_log1pexp_all(const double *t, size_t n, double *value, double *slope);
/* t_i <- 1 / (1 + exp(-t_i)). */
void heft_sigmoid_all(double *t, size_t n);
/* n rows of k scores, each row as heft_softmax; lse[n] gets the log-sum-exps unless NULL. The order
 * of a row's scores changes no bit of its results. */
void heft_softmax_all(double *v, size_t n, size_t k, double *lse);
