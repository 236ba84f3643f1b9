/* wide.h - HEFT_WIDE before a function: where the loader can choose, it also gets versions for
 * wider vectors. The same operations on the same numbers: the same bits. The function must be
 * static: gcc exports others from the shared library whatever visibility they have.
 *
 * Not under ThreadSanitizer, whose own start comes after the loader's choice, nor under
 * AddressSanitizer: the same source three times over takes minutes to compile there. With clang
 * only where HEFT_CLONES asks for it, as tools/wheels does. */
#pragma once

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) &&                              \
    (!defined(__clang__) || defined(HEFT_CLONES)) && !defined(__SANITIZE_THREAD__) &&              \
    !defined(__SANITIZE_ADDRESS__)
#define HEFT_WIDE      __attribute__((target_clones("avx512f", "avx2", "default")))
#define HEFT_WIDE_AVX2 __attribute__((target_clones("avx2", "default")))
#else
#define HEFT_WIDE
#define HEFT_WIDE_AVX2
#endif

/* Inlined into each caller, so that arguments that are constants there are constants in the loops,
 * and the loops are compiled for the vectors of the caller. */
#define HEFT_INLINE static inline __attribute__((always_inline))
