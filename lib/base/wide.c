/* wide.c - which vector instructions may be used. */
#include "base/wide.h"

#include <stdatomic.h>

static atomic_int most = HEFT_SIMD_AVX512;

bool heft_simd_allowed(heft_simd simd)
{
    return atomic_load_explicit(&most, memory_order_relaxed) >= (int)simd;
}

void heft_simd_allow(heft_simd simd)
{
    atomic_store(&most, (int)simd);
}
