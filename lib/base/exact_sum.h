/* exact_sum.h - sums of numbers whose bits do not depend on the order or grouping of the terms.
 *
 * Floating-point addition rounds, and what it rounds depends on what was added before. Fixed-point
 * addition does not round. So each term, a number of size at most 1 given as high + low, is cut
 * into three digits: a multiple of 2^-44, a multiple of 2^-88 below that, and a multiple of 2^-132
 * below that (Demmel and Nguyen, "Parallel reproducible summation", 2015, use the same idea with
 * bins). Adding and subtracting 1.5 * 2^52 units rounds a double to whole units. A double holds 53
 * bits, so that up to 256 digits of one kind add up without rounding; then the sums are carried
 * over into the next higher digit, and what exceeds 1 into a count of ones.
 *
 * Terms are cut one by one, and everything after that is exact: the result is the same for any
 * threads, ranks and order of rows. A term loses less than 2^-132, which is below the 106 bits of
 * a double-double number unless the term is tiny. Callers scale by a power of two, which is exact,
 * to bring their terms below 1. `low` is at most 2^-53. */
#pragma once

#include <stdint.h>

#include "base/double_double.h"

enum { HEFT_EXACT_TERMS = 256 }; /* terms that can be added before a carry */

/* Adding and subtracting one of these rounds to a multiple of 1, 2^-44, 2^-88, 2^-132. */
#define HEFT_UNIT_0 0x1.8p52
#define HEFT_UNIT_1 0x1.8p8
#define HEFT_UNIT_2 0x1.8p-36
#define HEFT_UNIT_3 0x1.8p-80

/* s1, s2, s3 += the digits of the term high + low. `type` is double or a vector of doubles. */
#define HEFT_ADD_DIGITS(type, s1, s2, s3, high, low)                                               \
    do {                                                                                           \
        const type digit_ = ((high) + HEFT_UNIT_1) - HEFT_UNIT_1, rest_ = (high)-digit_;           \
        const type from_high_ = (rest_ + HEFT_UNIT_2) - HEFT_UNIT_2;                               \
        const type from_low_ = ((low) + HEFT_UNIT_2) - HEFT_UNIT_2;                                \
        const type last_ = (rest_ - from_high_) + ((low)-from_low_);                               \
        (s1) += digit_;                                                                            \
        (s2) += from_high_ + from_low_;                                                            \
        (s3) += (last_ + HEFT_UNIT_3) - HEFT_UNIT_3;                                               \
    } while (0)

/* A sum: whole ones, and three digits. All zeros is 0. */
enum { HEFT_DIGITS = 4 };

/* After at most HEFT_EXACT_TERMS additions: digits 1 to 3 become at most half a unit of the digit
 * above them. */
static inline void heft_exact_carry(double sum[HEFT_DIGITS])
{
    const double c2 = (sum[3] + HEFT_UNIT_2) - HEFT_UNIT_2;
    sum[3] -= c2;
    sum[2] += c2;
    const double c1 = (sum[2] + HEFT_UNIT_1) - HEFT_UNIT_1;
    sum[2] -= c1;
    sum[1] += c1;
    const double c0 = (sum[1] + HEFT_UNIT_0) - HEFT_UNIT_0;
    sum[1] -= c0;
    sum[0] += c0;
}

/* The digits as whole numbers of their units. Those of many sums can be added as int64_t. */
static inline void heft_exact_digits(const double sum[HEFT_DIGITS], int64_t out[HEFT_DIGITS])
{
    static const double unit[HEFT_DIGITS] = {1, 0x1p-44, 0x1p-88, 0x1p-132};
    for (int k = 0; k < HEFT_DIGITS; k++) out[k] = (int64_t)(sum[k] / unit[k]);
}

/* Their value to about 106 bits. Equal values may have different digits; carries make them unique
 * (from 0 to 2^44 - 1 below the ones), so that equal values have equal bits. */
static inline heft_dd heft_exact_value(const int64_t digits[HEFT_DIGITS])
{
    const int64_t base = (int64_t)1 << 44;
    int64_t       carry = 0, unique[HEFT_DIGITS];
    for (int k = HEFT_DIGITS - 1; k > 0; k--) {
        const int64_t sum = digits[k] + carry, rest = sum % base;
        unique[k] = rest < 0 ? rest + base : rest;
        carry = (sum - unique[k]) / base;
    }
    const heft_dd high = heft_two_sum((double)(digits[0] + carry), (double)unique[1] * 0x1p-44);
    const heft_dd low = heft_two_sum((double)unique[2] * 0x1p-88, (double)unique[3] * 0x1p-132);
    return heft_dd_add(high, low);
}
