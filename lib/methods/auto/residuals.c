/* residuals.c - the scores of rows while trees are added, and how far their probabilities are from
 * their classes.
 *
 * Scores count from that of the row's class: the sum of their exponentials is 1 / p of that class.
 * Above 80 they are taken as 80, so that exp does not overflow. */
#include "methods/auto/residuals.h"

#include "base/lanes.h"
#include "base/vec.h"

enum { CACHED = 4096 }; /* numbers that several loops in turn find in the cache */

/* ---- two classes ---- */

HEFT_WIDE static void two_classes(const heft_residual_rows *rows)
{
    const uint16_t *restrict y = rows->y;
    float *restrict F = rows->F, *restrict R = rows->R, *restrict inverse = rows->inverse;
    const size_t n = rows->n;
    for (size_t i = 0; rows->leaf && i < n; i++) F[i] += rows->value[rows->leaf[i]];
    for (size_t i = 0; i < n; i++) R[i] = y[i] ? -F[i] : F[i]; /* of the other class */
    heft_exp_floats(R, n);
    for (size_t i = 0; i < n; i++) {
        inverse[i] = 1 + R[i];
        R[i] = (y[i] ? -R[i] : R[i]) / inverse[i];
    }
}

/* ---- more classes ---- */

HEFT_INLINE float sum_of_four(const heft_four *v)
{
    return (*v)[0] + (*v)[1] + ((*v)[2] + (*v)[3]);
}

HEFT_INLINE float sum_of_eight(const heft_eight *v)
{
    const heft_four *half = (const heft_four *)v, sum = half[0] + half[1];
    return sum_of_four(&sum);
}

HEFT_INLINE float sum_of_sixteen(const heft_sixteen *v)
{
    const heft_eight *half = (const heft_eight *)v, sum = half[0] + half[1];
    return sum_of_eight(&sum);
}

/* The loops for vectors of one kind. In turn: F += the value of the leaf, and R = F less that of
 * the row's class; exp; its sum, which is 1 / p of that class; R = p - [y = c] and g, the sum of R
 * over the classes `in`. */
#define CLASSES(name, lanes, width, sum_of)                                                        \
    HEFT_INLINE void name##_add(float *restrict F, const float *restrict v, size_t stride)         \
    {                                                                                              \
        for (size_t c = 0; c < stride; c += (width)) *(lanes *)(F + c) += *(const lanes *)(v + c); \
    }                                                                                              \
                                                                                                   \
    HEFT_INLINE void name##_less(const float *restrict F, float own, size_t stride,                \
                                 float *restrict R)                                                \
    {                                                                                              \
        for (size_t c = 0; c < stride; c += (width))                                               \
            *(lanes *)(R + c) = *(const lanes *)(F + c) - own;                                     \
    }                                                                                              \
                                                                                                   \
    HEFT_INLINE float name##_sum(const float *R, size_t stride)                                    \
    {                                                                                              \
        lanes sum = *(const lanes *)R;                                                             \
        for (size_t c = (width); c < stride; c += (width)) sum += *(const lanes *)(R + c);         \
        return sum_of(&sum);                                                                       \
    }                                                                                              \
                                                                                                   \
    HEFT_INLINE float name##_left(float *restrict R, float         p, const float *restrict one,   \
                                  const float *restrict in, size_t stride)                         \
    {                                                                                              \
        lanes sum = {0};                                                                           \
        for (size_t c = 0; c < stride; c += (width)) {                                             \
            const lanes left = *(const lanes *)(R + c) * p - *(const lanes *)(one + c);            \
            *(lanes *)(R + c) = left;                                                              \
            sum += left * *(const lanes *)(in + c);                                                \
        }                                                                                          \
        return sum_of(&sum);                                                                       \
    }                                                                                              \
                                                                                                   \
    HEFT_INLINE void name(const heft_residual_rows *l, size_t stride)                              \
    {                                                                                              \
        const uint16_t *restrict y = l->y;                                                         \
        const uint8_t *restrict leaf = l->leaf;                                                    \
        const float *restrict value = l->value, *restrict one = l->one, *restrict in = l->in;      \
        float *restrict F = l->F, *restrict R = l->R;                                              \
        const size_t n = l->n;                                                                     \
        float        p[CACHED / (width)];                                                          \
        for (size_t i = 0; leaf && i < n; i++)                                                     \
            name##_add(F + i * stride, value + leaf[i] * stride, stride);                          \
        for (size_t i = 0; i < n; i++)                                                             \
            name##_less(F + i * stride, F[i * stride + y[i]], stride, R + i * stride);             \
        heft_exp_floats(R, n *stride);                                                             \
        for (size_t i = 0; i < n; i++) l->inverse[i] = name##_sum(R + i * stride, stride);         \
        for (size_t i = 0; i < n; i++) p[i] = 1 / l->inverse[i];                                   \
        for (size_t i = 0; i < n; i++)                                                             \
            l->g[i] = name##_left(R + i * stride, p[i], one + y[i] * stride, in, stride);          \
    }

CLASSES(by_four, heft_four, 4, sum_of_four)
CLASSES(by_eight, heft_eight, 8, sum_of_eight)
CLASSES(by_sixteen, heft_sixteen, 16, sum_of_sixteen)

HEFT_WIDE static void many_classes(const heft_residual_rows *l)
{
    if (l->stride == 4) by_four(l, 4);
    else if (l->stride == 8) by_eight(l, 8);
    else if (l->stride == 16) by_sixteen(l, 16);
    else if (l->stride == 32) by_sixteen(l, 32);
    else by_sixteen(l, l->stride);
}

void heft_residual_step(const heft_residual_rows *rows)
{
    heft_residual_rows part = *rows;
    const size_t       most = rows->stride < CACHED ? CACHED / rows->stride : 1;
    for (size_t lo = 0; lo < rows->n; lo += most) {
        part.n = rows->n - lo < most ? rows->n - lo : most;
        part.leaf = rows->leaf ? rows->leaf + lo : NULL;
        part.y = rows->y + lo;
        part.F = rows->F + lo * rows->stride;
        part.R = rows->R + lo * rows->stride;
        part.g = rows->K == 2 ? NULL : rows->g + lo;
        part.inverse = rows->inverse + lo;
        if (rows->K == 2) two_classes(&part);
        else many_classes(&part);
    }
}

/* ---- sums ---- */

/* sum and curve += those of the residuals r. */
HEFT_INLINE void add_eight(const heft_eight *r, heft_eight_bits *sum, heft_eight_bits *curve)
{
    const float           scale = 1 << HEFT_SUM_BITS;
    const heft_eight_bits bits = *(const heft_eight_bits *)r & 0x7fffffff;
    const heft_eight      size = *(const heft_eight *)&bits;
    *sum += __builtin_convertvector(*r * scale, heft_eight_bits);
    *curve += __builtin_convertvector(size * (1 - size) * scale, heft_eight_bits);
}

/* Two rows at a time; a line more is read. */
HEFT_INLINE void add_four_classes(const float *R, const uint32_t *index, size_t n, int32_t *sum,
                                  int32_t *curve)
{
    heft_eight_bits s = {0}, q = {0};
    heft_eight      r;
    for (size_t k = 0; k < n / 2; k++) {
        const float *a = R + 4 * (size_t)index[2 * k], *b = R + 4 * (size_t)index[2 * k + 1];
        r = HEFT_SHUFFLE(*(const heft_eight *)a, *(const heft_eight *)b, 0, 1, 2, 3, 8, 9, 10, 11);
        add_eight(&r, &s, &q);
    }
    if (n % 2) {
        const float *last = R + 4 * (size_t)index[n - 1];
        r = (heft_eight){last[0], last[1], last[2], last[3]};
        add_eight(&r, &s, &q);
    }
    for (size_t c = 0; c < 4; c++) {
        sum[c] += s[c] + s[c + 4];
        curve[c] += q[c] + q[c + 4];
    }
}

HEFT_WIDE static void add_rows(const float *R, const uint32_t *index, size_t n, size_t stride,
                               int32_t *sum, int32_t *curve)
{
    if (stride == 4) {
        add_four_classes(R, index, n, sum, curve);
        return;
    }
    for (size_t c = 0; c < stride; c += 8) {
        heft_eight_bits s = {0}, q = {0};
        for (size_t k = 0; k < n; k++)
            add_eight((const heft_eight *)(R + index[k] * stride + c), &s, &q);
        *(heft_eight_bits *)(sum + c) += s;
        *(heft_eight_bits *)(curve + c) += q;
    }
}

void heft_residual_sums(const float *R, const uint32_t *index, size_t n, size_t stride,
                        int32_t *sum, int32_t *curve)
{
    add_rows(R, index, n, stride, sum, curve);
}
