/* residuals.c - the probabilities of rows while trees are added, and how far they are from the
 * classes of the rows. */
#include "boost/residuals.h"

#include "base/lanes.h"

/* ---- two classes ---- */

HEFT_WIDE static void two_classes(const heft_residual_rows *rows)
{
    const uint16_t *restrict y = rows->y;
    const uint8_t *restrict leaf = rows->leaf;
    const float *restrict factor = rows->factor;
    float *restrict P = rows->P, *restrict g = rows->g, *restrict own = rows->own;
    const size_t n = rows->n;
    for (size_t i = 0; i < n; i++) P[i] *= factor[leaf[i]];
    if (!g) {
        for (size_t i = 0; i < n; i++) P[i] = heft_odds_within(P[i]);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const float odds = heft_odds_within(P[i]);
        const float first = 1 / (1 + odds), second = odds * first;
        P[i] = odds;
        g[i] = y[i] ? -first : second;
        own[i] = y[i] ? second : first;
    }
}

/* ---- more classes ---- */

/* The sums of the first four lanes and of the others. */
HEFT_INLINE void add_fours(const heft_eight *both, float *all, float *part)
{
    const heft_eight two = *both + HEFT_SHUFFLE(*both, *both, 1, 0, 3, 2, 5, 4, 7, 6);
    const heft_eight four = two + HEFT_SHUFFLE(two, two, 2, 3, 0, 1, 6, 7, 4, 5);
    *all = four[0];
    *part = four[4];
}

HEFT_INLINE void sums_of_four(const heft_four *a, const heft_four *b, float *all, float *part)
{
    heft_eight both;
    ((heft_four *)&both)[0] = *a;
    ((heft_four *)&both)[1] = *b;
    add_fours(&both, all, part);
}

HEFT_INLINE void sums_of_eight(const heft_eight *a, const heft_eight *b, float *all, float *part)
{
    const heft_eight both = HEFT_SHUFFLE(*a, *b, 0, 1, 2, 3, 8, 9, 10, 11) +
                            HEFT_SHUFFLE(*a, *b, 4, 5, 6, 7, 12, 13, 14, 15);
    add_fours(&both, all, part);
}

HEFT_INLINE void sums_of_sixteen(const heft_sixteen *a, const heft_sixteen *b, float *all,
                                 float *part)
{
    const heft_eight *half = (const heft_eight *)a, *other = (const heft_eight *)b;
    const heft_eight  one = half[0] + half[1], two = other[0] + other[1];
    sums_of_eight(&one, &two, all, part);
}

/* The loop for vectors of one kind. */
#define CLASSES(name, lanes, width, sums_of)                                                       \
    HEFT_INLINE void name(const heft_residual_rows *l, size_t stride)                              \
    {                                                                                              \
        const heft_residual_rows r = *l;                                                           \
        const float *restrict in = r.in;                                                           \
        for (size_t i = 0; i < r.n; i++) {                                                         \
            const float *restrict factor = r.factor + r.leaf[i] * stride;                          \
            float *restrict P = r.P + i * stride;                                                  \
            const float scale = r.scale[i];                                                        \
            lanes       all = {0}, part = {0};                                                     \
            for (size_t c = 0; c < stride; c += (width)) {                                         \
                const lanes p =                                                                    \
                    *(const lanes *)(P + c) * scale * *(const lanes *)(factor + c) + HEFT_LEAST_P; \
                *(lanes *)(P + c) = p;                                                             \
                all += p;                                                                          \
                part += p * *(const lanes *)(in + c);                                              \
            }                                                                                      \
            r.own[i] = P[r.y[i]];                                                                  \
            sums_of(&all, &part, &r.scale[i], &r.g[i]);                                            \
        }                                                                                          \
    }

CLASSES(by_four, heft_four, 4, sums_of_four)
CLASSES(by_eight, heft_eight, 8, sums_of_eight)
CLASSES(by_sixteen, heft_sixteen, 16, sums_of_sixteen)

HEFT_WIDE static void many_classes(const heft_residual_rows *l)
{
    if (l->stride == 4) by_four(l, 4);
    else if (l->stride == 8) by_eight(l, 8);
    else if (l->stride == 16) by_sixteen(l, 16);
    else if (l->stride == 32) by_sixteen(l, 32);
    else by_sixteen(l, l->stride);
    float *restrict scale = l->scale, *restrict g = l->g, *restrict own = l->own;
    for (size_t i = 0; i < l->n; i++) {
        scale[i] = 1 / scale[i];
        g[i] *= scale[i];
        own[i] *= scale[i];
    }
    for (size_t i = 0; i < l->n; i++) g[i] -= l->in[l->y[i]];
}

void heft_residual_step(const heft_residual_rows *rows)
{
    if (rows->K == 2) two_classes(rows);
    else many_classes(rows);
}

/* ---- sums ---- */

/* The loop for vectors of one kind. */
#define SUMS(name, lanes, bits, width)                                                             \
    HEFT_INLINE void name(const float *restrict P, const float *restrict scale,                    \
                          const uint8_t *restrict leaf, size_t n, size_t stride,                   \
                          int32_t *restrict sums)                                                  \
    {                                                                                              \
        const float one = 1 << HEFT_SUM_BITS;                                                      \
        for (size_t i = 0; i < n; i++)                                                             \
            for (size_t c = 0; c < stride; c += (width)) {                                         \
                int32_t    *sum = sums + leaf[i] * 2 * stride + c, *curve = sum + stride;          \
                const lanes p = *(const lanes *)(P + i * stride + c) * scale[i], steps = p * one;  \
                *(bits *)sum += __builtin_convertvector(steps + 0.5f, bits);                       \
                *(bits *)curve += __builtin_convertvector((steps - steps * p) + 0.5f, bits);       \
            }                                                                                      \
    }

SUMS(sums_by_four, heft_four, heft_four_bits, 4)
SUMS(sums_by_eight, heft_eight, heft_eight_bits, 8)
SUMS(sums_by_sixteen, heft_sixteen, heft_sixteen_bits, 16)

HEFT_WIDE static void add_rows(const float *P, const float *scale, const uint8_t *leaf, size_t n,
                               size_t stride, int32_t *sums)
{
    if (stride == 4) sums_by_four(P, scale, leaf, n, 4, sums);
    else if (stride == 8) sums_by_eight(P, scale, leaf, n, 8, sums);
    else if (stride == 16) sums_by_sixteen(P, scale, leaf, n, 16, sums);
    else if (stride == 32) sums_by_sixteen(P, scale, leaf, n, 32, sums);
    else sums_by_sixteen(P, scale, leaf, n, stride, sums);
}

void heft_residual_sums(const float *P, const float *scale, const uint8_t *leaf, size_t n,
                        size_t stride, int32_t *sums)
{
    add_rows(P, scale, leaf, n, stride, sums);
}
