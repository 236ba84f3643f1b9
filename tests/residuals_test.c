/* residuals_test.c - probabilities, residuals and their sums in vectors, against plain loops in
 * double precision. */
#include "fixture.h"

#include "boost/residuals.h"

enum { MOST_ROWS = 1100, MOST_CLASSES = 100, MOST_STRIDE = 112, LEAVES = 5 };

typedef struct rows {
    heft_residual_rows of;
    uint8_t            leaf[MOST_ROWS];
    uint16_t           y[MOST_ROWS];
    float              factor[LEAVES * MOST_STRIDE], in[MOST_STRIDE];
    float              P[MOST_ROWS * MOST_STRIDE], before[MOST_ROWS * MOST_STRIDE];
    float              scale[MOST_ROWS], g[MOST_ROWS], own[MOST_ROWS];
} rows;

/* n rows of K classes whose log-odds are up to `size`. */
static rows *make(size_t n, size_t K, double size)
{
    rows        *r = test_calloc(1, sizeof *r);
    const size_t stride = heft_residual_stride(K);
    heft_rng     rng;
    heft_rng_init(&rng, 7 * n + K, 0);
    r->of = (heft_residual_rows){n,    K,    stride,   r->leaf, r->factor, r->in,
                                 r->y, r->P, r->scale, r->g,    r->own};
    for (size_t i = 0; i < n; i++) {
        r->leaf[i] = (uint8_t)heft_rng_below(&rng, LEAVES);
        r->y[i] = (uint16_t)heft_rng_below(&rng, K);
        r->scale[i] = (float)(0.5 + heft_rng_real(&rng));
        for (size_t c = 0; c < (K == 2 ? 1 : K); c++)
            r->P[i * stride + c] = (float)exp(size * (heft_rng_real(&rng) - (K == 2 ? 0.5 : 1)));
    }
    for (size_t k = 0; k < LEAVES * stride; k++)
        r->factor[k] = (float)exp(heft_rng_real(&rng) - 0.5);
    for (size_t c = 0; c < K && K > 2; c++) r->in[c] = heft_rng_below(&rng, 2) ? 1 : 0;
    memcpy(r->before, r->P, sizeof r->P);
    return r;
}

/* The probabilities of row i by the plain rule. */
static void plain(const rows *r, size_t i, double *p)
{
    const size_t K = r->of.K, stride = r->of.stride;
    const float *before = r->before + i * stride, *factor = r->factor + r->leaf[i] * stride;
    double       sum = 0;
    for (size_t c = 0; c < K; c++) {
        const size_t at = K == 2 ? 0 : c;
        p[c] = K == 2 && c == 0 ? 1 : (double)before[at] * (double)factor[at];
        sum += p[c];
    }
    for (size_t c = 0; c < K; c++) p[c] /= sum;
}

static void check_step(size_t n, size_t K, double size)
{
    rows        *r = make(n, K, size);
    const size_t stride = r->of.stride;
    heft_residual_step(&r->of);
    for (size_t i = 0; i < n; i++) {
        double p[MOST_CLASSES] = {0}, g = 0;
        plain(r, i, p);
        assert_true(fabs((double)r->own[i] / p[r->y[i]] - 1) < 2e-6);
        for (size_t c = K == 2; c < K; c++)
            g += (K == 2 ? 1 : (double)r->in[c]) * (p[c] - (r->y[i] == c));
        assert_true(fabs((double)r->g[i] - g) < 2e-6);
        for (size_t c = 0; c < K && K > 2; c++)
            assert_true(fabs((double)(r->P[i * stride + c] * r->scale[i]) / p[c] - 1) < 2e-6);
        if (K == 2) assert_true(fabs((double)r->P[i] / p[1] * p[0] - 1) < 2e-6);
        for (size_t c = K; c < stride; c++) assert_true(r->P[i * stride + c] < 1e-17f);
    }
    test_free(r);
}

static void steps_are_those_of_plain_loops(void **state)
{
    (void)state;
    const size_t classes[] = {2, 3, 4, 5, 8, 9, 16, 17, 26, 32, 33, 100};
    for (size_t k = 0; k < sizeof classes / sizeof *classes; k++)
        for (size_t n = 1; n <= MOST_ROWS; n = n < 5 ? n + 1 : n * 7 - 3) {
            check_step(n, classes[k], 3);
            check_step(n, classes[k], 25);
        }
}

/* However often the same tree is added: probabilities remain probabilities, none becomes 0, and
 * many steps are as good as one. */
static void many_steps_do_no_harm(void **state)
{
    (void)state;
    for (size_t K = 2; K <= 20; K += 3) {
        rows        *r = make(500, K, 3);
        const size_t stride = r->of.stride;
        for (size_t k = 0; k < LEAVES * stride; k++) r->factor[k] = powf(r->factor[k], 0.125f);
        for (int step = 0; step < 3000; step++) {
            heft_residual_step(&r->of);
            for (size_t i = 0; i < 500 && step == 19; i++) {
                double p[MOST_CLASSES], sum = 0;
                for (size_t c = 0; c < K; c++) {
                    const size_t at = K == 2 ? 0 : c;
                    p[c] = K == 2 && c == 0
                               ? 1
                               : (double)r->before[i * stride + at] *
                                     pow((double)r->factor[r->leaf[i] * stride + at], 20);
                    sum += p[c];
                }
                assert_true(fabs((double)r->own[i] * sum / p[r->y[i]] - 1) < 1e-5);
            }
        }
        for (size_t i = 0; i < 500; i++) {
            double sum = 0;
            assert_true(r->own[i] > (K == 2 ? 1e-31f : 1e-19f) && r->own[i] <= 1.000001f);
            assert_true(fabsf(r->g[i]) <= 1.000001f);
            for (size_t c = 0; c < stride && K > 2; c++)
                sum += (double)(r->P[i * stride + c] * r->scale[i]);
            if (K > 2) assert_true(fabs(sum - 1) < 1e-5);
        }
        test_free(r);
    }
}

/* After 1,000 trees the probabilities are those of the sums of their values. */
static void products_are_those_of_sums(void **state)
{
    (void)state;
    enum { ROWS = 300, TREES = 1000 };
    for (size_t K = 2; K <= 26; K += 8) {
        rows        *r = make(ROWS, K, 3);
        const size_t stride = r->of.stride, columns = K == 2 ? 1 : K;
        double      *score = test_calloc(ROWS * columns, sizeof *score), worst = 0;
        heft_rng     rng;
        heft_rng_init(&rng, K, 0);
        for (size_t i = 0; i < ROWS; i++)
            for (size_t c = 0; c < columns; c++)
                score[i * columns + c] = log((double)r->P[i * stride + c]);
        for (int tree = 0; tree < TREES; tree++) {
            double value[LEAVES * MOST_STRIDE];
            for (size_t k = 0; k < LEAVES * stride; k++) {
                value[k] = 0.2 * (heft_rng_real(&rng) - 0.5);
                r->factor[k] = (float)exp(value[k]);
            }
            for (size_t i = 0; i < ROWS; i++) {
                r->leaf[i] = (uint8_t)heft_rng_below(&rng, LEAVES);
                for (size_t c = 0; c < columns; c++)
                    score[i * columns + c] += value[r->leaf[i] * stride + c];
            }
            heft_residual_step(&r->of);
        }
        for (size_t i = 0; i < ROWS; i++) {
            double sum = K == 2;
            for (size_t c = 0; c < columns; c++) sum += exp(score[i * columns + c]);
            const double top = K == 2 ? (r->y[i] ? exp(score[i]) : 1) : exp(score[i * K + r->y[i]]);
            worst = fmax(worst, fabs((double)r->own[i] * sum / top - 1));
        }
        assert_true(worst < 1e-5);
        test_free(score);
        test_free(r);
    }
}

/* Sums of whole numbers: exactly those of a loop over the rows. */
static void sums_are_those_of_plain_loops(void **state)
{
    (void)state;
    for (size_t K = 3; K <= 40; K = K < 10 ? K + 1 : K + 15)
        for (size_t n = 0; n <= HEFT_FEW_ROWS; n += n < 4 ? 1 : 255) {
            rows        *r = make(HEFT_FEW_ROWS, K, 2);
            const size_t stride = r->of.stride;
            const float  one = 1 << HEFT_SUM_BITS;
            int32_t      sums[LEAVES * 2 * MOST_STRIDE], want[LEAVES * 2 * MOST_STRIDE];
            for (size_t k = 0; k < LEAVES * 2 * stride; k++) sums[k] = want[k] = (int32_t)k;
            heft_residual_step(&r->of);
            heft_residual_sums(r->P, r->scale, r->leaf, n, stride, sums);
            for (size_t i = 0; i < n; i++)
                for (size_t c = 0; c < stride; c++) {
                    const float p = r->P[i * stride + c] * r->scale[i];
                    int32_t    *sum = want + r->leaf[i] * 2 * stride + c;
                    sum[0] += (int32_t)(p * one + 0.5f);
                    sum[stride] += (int32_t)((p - p * p) * one + 0.5f);
                }
            assert_memory_equal(sums, want, LEAVES * 2 * stride * sizeof *sums);
            test_free(r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_those_of_plain_loops),
        cmocka_unit_test(many_steps_do_no_harm),
        cmocka_unit_test(products_are_those_of_sums),
        cmocka_unit_test(sums_are_those_of_plain_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
