/* cholesky.h - linear equations with a symmetric positive definite matrix a = F F', stored by rows.
 * First F replaces the lower triangle of a; then the equations with F and with F' are solved. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Replace the lower triangle of a[m x m] by its Cholesky factor. Returns false if a is not positive
 * definite. */
static inline bool heft_cholesky(double *a, size_t m)
{
    for (size_t j = 0; j < m; j++) {
        for (size_t i = j; i < m; i++) {
            double sum = a[i * m + j];
            for (size_t k = 0; k < j; k++) sum -= a[i * m + k] * a[j * m + k];
            if (i == j && !(sum > 0 && isfinite(sum))) return false;
            a[i * m + j] = i == j ? sqrt(sum) : sum / a[j * m + j];
        }
    }
    return true;
}

/* v becomes F^-1 v, where the lower triangle of f is the Cholesky factor F. */
static inline void heft_solve_lower(const double *f, size_t m, double *v)
{
    for (size_t i = 0; i < m; i++) {
        for (size_t k = 0; k < i; k++) v[i] -= f[i * m + k] * v[k];
        v[i] /= f[i * m + i];
    }
}

/* v becomes F'^-1 v. */
static inline void heft_solve_upper(const double *f, size_t m, double *v)
{
    for (size_t i = m; i-- > 0;) {
        for (size_t k = i + 1; k < m; k++) v[i] -= f[k * m + i] * v[k];
        v[i] /= f[i * m + i];
    }
}
