/* powers.h - powers of ten in 128 bits, for converting numbers from text and to text. */
#pragma once

__extension__ typedef unsigned __int128 heft_wide;

extern const double heft_powers_of_ten[23]; /* 1e0..1e22, all exact */

enum { HEFT_LOWEST_POWER = -351, HEFT_HIGHEST_POWER = 350 };

/* The highest 128 bits of 10^k, truncated. The highest bit is set and stands for
 * 2^heft_power_log2(k). */
heft_wide heft_power_of_ten(int k);

/* floor(log2(10^k)) */
static inline int heft_power_log2(int k)
{
    return (int)(((long)k * 217706) >> 16);
}
