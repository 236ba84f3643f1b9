/* wide.h - HEFT_WIDE before a function compiles it also for wider vectors, and the loader chooses
 * the version. All versions do the same operations on the same numbers and give the same bits. The
 * function must be static: gcc exports others from the shared library whatever visibility they
 * have.
 *
 * It has no effect under ThreadSanitizer, which starts after the loader's choice, and under
 * AddressSanitizer, where compiling the source three times takes minutes; with clang it has one
 * only where HEFT_CLONES is defined, as in tools/wheels. */
#pragma once

#include <stdbool.h>

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) &&                              \
    (!defined(__clang__) || defined(HEFT_CLONES)) && !defined(__SANITIZE_THREAD__) &&              \
    !defined(__SANITIZE_ADDRESS__)
#define HEFT_WIDE      __attribute__((target_clones("avx512f", "avx2", "default")))
#define HEFT_WIDE_AVX2 __attribute__((target_clones("avx2", "default")))
#else
#define HEFT_WIDE
#define HEFT_WIDE_AVX2
#endif

/* Vector instructions that hand-written versions may use. Tests lower the limit to try the others.
 */
typedef enum heft_simd { HEFT_SIMD_NONE, HEFT_SIMD_AVX2, HEFT_SIMD_AVX512 } heft_simd;
bool heft_simd_allowed(heft_simd simd);
void heft_simd_allow(heft_simd simd); /* allows `simd` and everything below it */

/* Inlined into each caller, so that arguments that are constants there are constants in the loops,
 * and the loops are compiled for the vectors of the caller. */
#define HEFT_INLINE static inline __attribute__((always_inline))
