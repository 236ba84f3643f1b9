/* num.h - numeric functions used everywhere. Scores become posteriors through these functions and
 * those of vec.h and lanes.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

double heft_logsumexp(const double *v, size_t n); /* log sum exp(v_i); -inf for all -inf or n = 0 */
double heft_sigmoid(double t);                    /* 1 / (1 + exp(-t)) */
double heft_xlogx(double x);                      /* x log x, 0 at 0 */
/* v <- exp(v - logsumexp(v)); all -inf becomes the uniform distribution. */
void   heft_softmax(double *v, size_t n);
size_t heft_argmax(const double *v, size_t n); /* lowest index on a tie; NaN never wins */
/* Whether 0 <= part[k] <= whole[k] for all n numbers, up to rounding error. */
bool heft_is_part(const double *part, const double *whole, size_t n);

/* The inner product of a[n] and b[n], added up in their order. */
static inline double heft_dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

/* Number of elements of the increasing array v[0..n - 1] that are below x. */
#define HEFT_LOWER_BOUND(name, type)                                                               \
    static inline size_t name(const type *v, size_t n, type x)                                     \
    {                                                                                              \
        size_t lo = 0, hi = n;                                                                     \
        while (lo < hi) {                                                                          \
            const size_t mid = lo + (hi - lo) / 2;                                                 \
            if (v[mid] < x) lo = mid + 1;                                                          \
            else hi = mid;                                                                         \
        }                                                                                          \
        return lo;                                                                                 \
    }
HEFT_LOWER_BOUND(heft_lower_bound, double)
HEFT_LOWER_BOUND(heft_lower_bound_u64, uint64_t)

/* x rounded to a multiple of a power of two d, where grain = 1.5 * 2^52 d. Rounded numbers add up
 * exactly, in any order, while sums stay below 2^53 d, which is above the grain. |x| must be below
 * a third of the grain. */
static inline double heft_rounded(double x, double grain)
{
    return (x + grain) - grain;
}
