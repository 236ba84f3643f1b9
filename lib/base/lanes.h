/* lanes.h - vectors of floats, and their exponential. If the processor has no vectors of that size,
 * compilers split them into smaller ones with the same operations on the same numbers, so the
 * results have the same bits. */
#pragma once

#include <stdint.h>

#include "base/wide.h"

typedef float   heft_four __attribute__((vector_size(16), aligned(4), may_alias));
typedef float   heft_eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef float   heft_sixteen __attribute__((vector_size(64), aligned(4), may_alias));
typedef int32_t heft_four_bits __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t heft_eight_bits __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t heft_sixteen_bits __attribute__((vector_size(64), aligned(4), may_alias));

/* Eight of the sixteen lanes of two vectors. */
#ifdef __clang__
#define HEFT_SHUFFLE(a, b, ...) __builtin_shufflevector((a), (b), __VA_ARGS__)
#else
#define HEFT_SHUFFLE(a, b, ...) __builtin_shuffle((a), (b), (heft_eight_bits){__VA_ARGS__})
#endif

/* v <- exp(v) with relative error 2e-7. Values above 80 are treated as 80, and the result below -87
 * is 0. With r = v - k log 2, |r| <= log(2)/2, exp(v) is 2^k times the Taylor polynomial of exp(r)
 * to r^7. */
HEFT_INLINE void heft_exp_sixteen(heft_sixteen *v)
{
    typedef uint32_t words __attribute__((vector_size(64), aligned(4), may_alias));
    const float round = 12582912.0f; /* 1.5 * 2^23: adding it leaves an integer in the last bits */
    const heft_sixteen      most = (heft_sixteen){0} + 80.0f;
    const heft_sixteen_bits below = *v < most;
    const heft_sixteen_bits least =
        (*(const heft_sixteen_bits *)v & below) | (*(const heft_sixteen_bits *)&most & ~below);
    const heft_sixteen x = *(const heft_sixteen *)&least;
    const heft_sixteen shifted = x * 1.44269504f + round;
    const heft_sixteen k = shifted - round;
    const heft_sixteen r = (x - k * 0.693359375f) + k * 2.12194440e-4f;
    const heft_sixteen r2 = r * r;
    const heft_sixteen p = (0.5f + r * (1.0f / 6)) + r2 * (1.0f / 24 + r * (1.0f / 120)) +
                           (r2 * r2) * (1.0f / 720 + r * (1.0f / 5040));
    const words             power = (*(const words *)&shifted << 23) + (127u << 23);
    const heft_sixteen      e = (1 + (r + r2 * p)) * *(const heft_sixteen *)&power;
    const heft_sixteen_bits keep = x > -87.0f;
    const heft_sixteen_bits bits = *(const heft_sixteen_bits *)&e & keep;
    *v = *(const heft_sixteen *)&bits;
}
