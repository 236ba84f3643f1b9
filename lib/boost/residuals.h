/* residuals.h - the probabilities of rows while trees are added, and how far they are from the
 * classes of the rows.
 *
 * A tree adds the value of a leaf to the scores of a row, that is, it multiplies the probabilities
 * by the exponential of that value: only those of the leaves are computed.
 *
 * A row has `stride` floats for its K classes: 4 for up to four, 8 for up to eight, else a multiple
 * of 16. They are its probabilities but for a common factor; those beyond K are 0 or next to it.
 * Two classes have one float, the odds of the second. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct heft_residual_rows {
    size_t          n, K, stride;
    const uint8_t  *leaf;   /* by row */
    const float    *factor; /* `stride` numbers per leaf */
    const float    *in; /* stride: 1 for the classes that g is the sum of; not for two classes */
    const uint16_t *y;
    float          *P;     /* n x stride */
    float          *scale; /* n: the p of the row are scale P; not for two classes */
    float          *g;     /* n; two classes: may be NULL, then neither g nor own are set */
    float          *own;   /* n */
} heft_residual_rows;

/* A number that is added to each p, so that none becomes 0. Its square is still a normal float:
 * with smaller numbers a processor takes many times as long for a product. */
static const float HEFT_LEAST_P = 1e-18f;

/* The odds, within 1e-30 and 1e30, so that neither they nor their inverse leave the range of
 * floats. */
static inline float heft_odds_within(float odds)
{
    const float least = 1e-30f;
    return odds < least ? least : odds > 1 / least ? 1 / least : odds;
}

static inline size_t heft_residual_stride(size_t K)
{
    return K == 2 ? 1 : K <= 4 ? 4 : K <= 8 ? 8 : (K + 15) / 16 * 16;
}

/* Multiplies P by the factors of the leaf of each row, and sets
 *
 *   g = sum of p_c - [y = c] over the classes `in`, or of the second of two;  own = p_y
 *
 * A p that would be less than 1e-18 is about that; odds are within 1e-30 and 1e30. */
void heft_residual_step(const heft_residual_rows *rows);

enum { HEFT_SUM_BITS = 20, HEFT_FEW_ROWS = 1024 };

/* For n rows, at most HEFT_FEW_ROWS, so that 32 bits hold the sums: those of p_c and of
 * p_c (1 - p_c) in steps of 2^-HEFT_SUM_BITS are added to the 2 stride numbers of the row's leaf.
 * More than two classes. */
void heft_residual_sums(const float *P, const float *scale, const uint8_t *leaf, size_t n,
                        size_t stride, int32_t *sums);
