/* lanes.h - vectors of floats, and their exponential. Compilers split them where the processor has
 * no vectors of that size: the same operations on the same numbers, hence the same bits. */
#pragma once

#include <stdint.h>

#include "base/wide.h"

typedef float   heft_four __attribute__((vector_size(16), aligned(4), may_alias));
typedef float   heft_eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef float   heft_sixteen __attribute__((vector_size(64), aligned(4), may_alias));
typedef int32_t heft_eight_bits __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t heft_sixteen_bits __attribute__((vector_size(64), aligned(4), may_alias));

/* Eight of the sixteen lanes of two vectors. */
#ifdef __clang__
#define HEFT_SHUFFLE(a, b, ...) __builtin_shufflevector((a), (b), __VA_ARGS__)
#else
#define HEFT_SHUFFLE(a, b, ...) __builtin_shuffle((a), (b), (heft_eight_bits){__VA_ARGS__})
#endif

/* v <- exp(v), where v is taken as 80 above it: relative error 2e-7; 0 below -87. With
 * r = v - k log 2, |r| <= log(2)/2: Taylor to r^7. Adding 1.5 * 2^23 to a number leaves the nearest
 * integer in its last bits. */
#define HEFT_EXP_OF(name, lanes, lane_bits)                                                        \
    HEFT_INLINE void name(lanes *v)                                                                \
    {                                                                                              \
        const float     half = 12582912.0f;                                                        \
        const lanes     most = (lanes){0} + 80.0f;                                                 \
        const lane_bits below = *v < most;                                                         \
        const lane_bits in = (*(lane_bits *)v & below) | (*(const lane_bits *)&most & ~below);     \
        const lanes     x = *(const lanes *)&in;                                                   \
        const lanes     shifted = x * 1.44269504f + half;                                          \
        const lanes     k = shifted - half;                                                        \
        const lanes     r = (x - k * 0.693359375f) + k * 2.12194440e-4f;                           \
        const lanes     r2 = r * r;                                                                \
        const lanes     p = (0.5f + r * (1.0f / 6)) + r2 * (1.0f / 24 + r * (1.0f / 120)) +        \
                        (r2 * r2) * (1.0f / 720 + r * (1.0f / 5040));                              \
        const lane_bits power = (*(const lane_bits *)&shifted << 23) + (127 << 23);                \
        const lanes     e = (1 + (r + r2 * p)) * *(const lanes *)&power;                           \
        const lane_bits keep = x > -87.0f;                                                         \
        const lane_bits bits = *(const lane_bits *)&e & keep;                                      \
        *v = *(const lanes *)&bits;                                                                \
    }

HEFT_EXP_OF(heft_exp_eight, heft_eight, heft_eight_bits)
HEFT_EXP_OF(heft_exp_sixteen, heft_sixteen, heft_sixteen_bits)
