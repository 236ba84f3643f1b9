/* residuals_test.c - probabilities, residuals and their sums in vectors, against plain loops in
 * double precision. */
#include "fixture.h"

#include "methods/auto/residuals.h"

enum { MOST_ROWS = 1100, MOST_CLASSES = 100, MOST_STRIDE = 112, LEAVES = 5 };

typedef struct rows {
    heft_residual_rows of;
    uint8_t            leaf[MOST_ROWS];
    uint16_t           y[MOST_ROWS];
    float value[LEAVES * MOST_STRIDE], one[MOST_CLASSES * MOST_STRIDE], in[MOST_STRIDE];
    float F[MOST_ROWS * MOST_STRIDE], before[MOST_ROWS * MOST_STRIDE];
    float R[(MOST_ROWS + 1) * MOST_STRIDE], g[MOST_ROWS], inverse[MOST_ROWS];
} rows;

/* n rows of K classes with scores up to `size`. */
static rows *make(size_t n, size_t K, double size)
{
    rows        *r = test_calloc(1, sizeof *r);
    const size_t stride = heft_residual_stride(K);
    heft_rng     rng;
    heft_rng_init(&rng, 7 * n + K, 0);
    r->of = (heft_residual_rows){n,     K,    stride, r->leaf, r->value, r->one,
                                 r->in, r->y, r->F,   r->R,    r->g,     r->inverse};
    for (size_t i = 0; i < n; i++) {
        r->leaf[i] = (uint8_t)heft_rng_below(&rng, LEAVES);
        r->y[i] = (uint16_t)heft_rng_below(&rng, K);
        for (size_t c = 0; c < stride; c++)
            r->F[i * stride + c] =
                c < K ? (float)(size * (2 * heft_rng_real(&rng) - 1)) : HEFT_NO_SCORE;
    }
    for (size_t k = 0; k < LEAVES; k++)
        for (size_t c = 0; c < (K == 2 ? 1 : K); c++)
            r->value[k * stride + c] = (float)(heft_rng_real(&rng) - 0.5);
    for (size_t c = 0; c < K && K > 2; c++) {
        r->one[c * stride + c] = 1;
        r->in[c] = heft_rng_below(&rng, 2) ? 1 : 0;
    }
    memcpy(r->before, r->F, sizeof r->F);
    return r;
}

/* The scores of row i by the plain rule, as probabilities. */
static void plain(const rows *r, size_t i, bool adds, double *p)
{
    const size_t K = r->of.K, stride = r->of.stride;
    const float *f = r->before + i * stride, *v = r->value + r->leaf[i] * stride;
    double       top = -INFINITY, sum = 0;
    for (size_t c = 0; c < K; c++) {
        const size_t at = K == 2 ? 0 : c;
        const float  score = adds ? f[at] + v[at] : f[at];
        p[c] = K == 2 && c == 0 ? 0 : (double)score;
        top = fmax(top, p[c]);
    }
    for (size_t c = 0; c < K; c++) sum += p[c] = exp(p[c] - top);
    for (size_t c = 0; c < K; c++) p[c] /= sum;
}

static void check_step(size_t n, size_t K, double size, bool adds)
{
    rows        *r = make(n, K, size);
    const size_t stride = r->of.stride;
    if (!adds) r->of.leaf = NULL;
    heft_residual_step(&r->of);
    for (size_t i = 0; i < n; i++) {
        double p[MOST_CLASSES] = {0}, g = 0;
        plain(r, i, adds, p);
        const double own = p[r->y[i]];
        assert_true(fabs((double)r->inverse[i] * own - 1) < 1e-5);
        for (size_t c = K == 2; c < K; c++) {
            const double left = p[c] - (r->y[i] == c);
            assert_true(fabs((double)r->R[i * stride + (K == 2 ? 0 : c)] - left) < 2e-6);
            g += (double)r->in[c] * left;
        }
        for (size_t c = K; c < stride; c++)
            assert_true(r->R[i * stride + c] == 0 && r->F[i * stride + c] == HEFT_NO_SCORE);
        if (K > 2) assert_true(fabs((double)r->g[i] - g) < 1e-5);
    }
    test_free(r);
}

static void steps_are_those_of_plain_loops(void **state)
{
    (void)state;
    const size_t classes[] = {2, 3, 4, 5, 8, 9, 16, 17, 26, 32, 33, 100};
    for (size_t k = 0; k < sizeof classes / sizeof *classes; k++)
        for (size_t n = 1; n <= MOST_ROWS; n = n < 5 ? n + 1 : n * 7 - 3)
            for (int adds = 0; adds < 2; adds++) {
                check_step(n, classes[k], 3, adds);
                check_step(n, classes[k], 38, adds);
            }
}

/* Above 80 scores are taken as 80: residuals remain residuals. */
static void large_scores_do_no_harm(void **state)
{
    (void)state;
    for (size_t K = 2; K <= 20; K += 3) {
        rows *r = make(500, K, 3000);
        heft_residual_step(&r->of);
        for (size_t i = 0; i < 500; i++) {
            const float *left = r->R + i * r->of.stride;
            double       sum = 0;
            assert_true(r->inverse[i] >= 1 && r->inverse[i] < 1e37f);
            for (size_t c = 0; c < r->of.stride; c++) {
                assert_true(fabsf(left[c]) <= 1);
                sum += (double)left[c];
            }
            if (K > 2) assert_true(fabs(sum) < 1e-5);
        }
        test_free(r);
    }
}

/* Sums of whole numbers: exactly those of a loop over the rows. */
static void sums_are_those_of_plain_loops(void **state)
{
    (void)state;
    for (size_t K = 3; K <= 40; K = K < 10 ? K + 1 : K + 15)
        for (size_t n = 0; n <= HEFT_FEW_ROWS; n += n < 4 ? 1 : 15) {
            rows        *r = make(200, K, 2);
            const size_t stride = r->of.stride;
            uint32_t     index[HEFT_FEW_ROWS];
            int32_t      sum[MOST_STRIDE], curve[MOST_STRIDE];
            for (size_t c = 0; c < stride; c++) sum[c] = curve[c] = 5;
            for (size_t i = 0; i < n; i++) index[i] = (uint32_t)(199 - 3 * i);
            heft_residual_step(&r->of);
            heft_residual_sums(r->R, index, n, stride, sum, curve);
            for (size_t c = 0; c < stride; c++) {
                int32_t plain_sum = 5, plain_curve = 5;
                for (size_t i = 0; i < n; i++) {
                    const float one = r->R[index[i] * stride + c], size = fabsf(one);
                    plain_sum += (int32_t)(one * (float)(1 << HEFT_SUM_BITS));
                    plain_curve += (int32_t)(size * (1 - size) * (float)(1 << HEFT_SUM_BITS));
                }
                assert_int_equal(sum[c], plain_sum);
                assert_int_equal(curve[c], plain_curve);
            }
            test_free(r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_those_of_plain_loops),
        cmocka_unit_test(large_scores_do_no_harm),
        cmocka_unit_test(sums_are_those_of_plain_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
