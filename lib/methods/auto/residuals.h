/* residuals.h - the scores of rows while trees are added, and how far their probabilities are from
 * their classes.
 *
 * A row has `stride` floats for its K classes: 1 for two classes (the score of the second less that
 * of the first), 4 for up to four, 8 for up to eight, else a multiple of 16. Scores beyond K are
 * HEFT_NO_SCORE, and the values of leaves there are 0. */
#pragma once

#include <stddef.h>
#include <stdint.h>

static const float HEFT_NO_SCORE = -1e9f;

typedef struct heft_residual_rows {
    size_t          n, K, stride;
    const uint8_t  *leaf;  /* of each row; NULL: no tree is added */
    const float    *value; /* of each leaf: `stride` numbers */
    const float    *one;   /* K x stride: 1 for the class; more than two classes */
    const float    *in;    /* stride: 1 for the classes that g is the sum of; the same */
    const uint16_t *y;
    float          *F, *R;   /* n x stride */
    float          *g;       /* n; the same */
    float          *inverse; /* n */
} heft_residual_rows;

static inline size_t heft_residual_stride(size_t K)
{
    return K == 2 ? 1 : K <= 4 ? 4 : K <= 8 ? 8 : (K + 15) / 16 * 16;
}

/* F += the value of the row's leaf, and then, with p = softmax(F),
 *
 *   R_c = p_c - [y = c],  g = sum of R_c over the classes `in`,  inverse = 1 / p_y, below 6e34 K
 *
 * Two classes: R of the second class; g is not written. */
void heft_residual_step(const heft_residual_rows *rows);

enum { HEFT_SUM_BITS = 24, HEFT_FEW_ROWS = 64 };

/* sum[c], curve[c] += R_c and |R_c| (1 - |R_c|) of the rows index[0..n), in steps of
 * 2^-HEFT_SUM_BITS: at most HEFT_FEW_ROWS of them, so that 32 bits hold their sums. More than two
 * classes. A line behind the last row is read. */
void heft_residual_sums(const float *R, const uint32_t *index, size_t n, size_t stride,
                        int32_t *sum, int32_t *curve);
