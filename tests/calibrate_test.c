/* calibrate_test.c - probabilities brought in line with held-out rows, for every method. */
#include "fixture.h"

#include <float.h>

#include "base/ctx.h"
#include "base/mem.h"
#include "model/method.h"
#include "train/held_out.h"

enum { N_ATTR = 5, MOST = 600, MOST_CLASSES = 4 };

static const char *const kinds[] = {"temperature", "vector"};
static const char *const classes[] = {"no", "yes", "may be", "once"};
static const char *const values[] = {"a", "b", "c", "d"};

typedef struct rows {
    size_t  n, K;
    int32_t x[MOST][N_ATTR], y[MOST];
    double  weight[MOST];
} rows;

/* Attributes 1 to 4 repeat attribute 0, with some noise: naive Bayes is far too sure. */
static void fill(rows *r, size_t n, size_t K, uint64_t seed)
{
    heft_rng rng;
    heft_rng_init(&rng, seed, 1);
    *r = (rows){.n = n, .K = K};
    for (size_t i = 0; i < n; i++) {
        r->y[i] = (int32_t)heft_rng_below(&rng, K);
        r->weight[i] = 0.5 + heft_rng_real(&rng);
        const bool    tell = heft_rng_below(&rng, 2) == 0;
        const int32_t v = tell ? r->y[i] : (int32_t)heft_rng_below(&rng, 4);
        for (size_t j = 0; j < N_ATTR; j++)
            r->x[i][j] = heft_rng_below(&rng, 12) ? v : (int32_t)heft_rng_below(&rng, 4);
    }
}

/* Declared: one class more than the rows have. */
static heft_table *rows_table(const rows *r, const double *weight)
{
    frame f = {.n_rows = r->n,
               .n_cols = N_ATTR,
               .y = r->y,
               .classes = classes,
               .n_class = r->K + 1,
               .weight = weight};
    for (size_t j = 0; j < N_ATTR; j++)
        f.cols[j] = (field){.codes = &r->x[0][j], .step = N_ATTR, .values = values, .n_values = 4};
    return table_of(&f);
}

static double log_loss(const double *p, const rows *r)
{
    double sum = 0;
    for (size_t i = 0; i < r->n; i++) sum -= log(fmax(p[i * (r->K + 1) + (size_t)r->y[i]], 1e-15));
    return sum / (double)r->n;
}

static size_t best_of(const double *p, size_t n)
{
    size_t best = 0;
    for (size_t c = 1; c < n; c++)
        if (p[c] > p[best]) best = c;
    return best;
}

static void assert_distribution(const char *method, const double *p, size_t K)
{
    double sum = 0;
    for (size_t c = 0; c < K; c++) {
        if (!(p[c] >= 0 && p[c] <= 1)) fail_msg("%s: a probability of %g", method, p[c]);
        sum += p[c];
    }
    if (!(fabs(sum - 1) < 1e-12)) fail_msg("%s: they sum to %.17g", method, sum);
}

/* The parts of a calibrated score sum to it, and its softmax is the posterior. */
static void assert_explained(const heft_model *model, const heft_table *t, const double *p)
{
    const size_t K = heft_model_classes(model);
    double       parts[(1 + N_ATTR) * MOST_CLASSES], score[MOST_CLASSES];
    for (size_t i = 0; i < 5; i++) {
        double            top = -INFINITY, sum = 0;
        const heft_status st = heft_explain_row(model, t, i, parts, score, &err);
        if (st == HEFT_EUNSUPPORTED && strstr(err.text, "vote")) return; /* of pairs of classes */
        OK(st);
        for (size_t c = 0; c < K; c++) top = fmax(top, score[c]);
        for (size_t c = 0; c < K; c++) sum += exp(score[c] - top);
        for (size_t c = 0; c < K; c++) {
            double s = 0;
            for (size_t j = 0; j <= N_ATTR; j++) s += parts[j * K + c];
            if (isfinite(score[c])) NEAR(s, score[c], 1e-11 * (1 + fabs(s)));
            NEAR(exp(score[c] - top) / sum, p[i * K + c], 1e-9);
        }
    }
}

/* Every method: distributions, the same bits for any number of threads and after saving, no
 * prediction changed by a temperature, explanations that add up. */
static void every_method_can_be_calibrated(void **state)
{
    (void)state;
    rows *r = malloc(sizeof *r);
    fill(r, 120, 3, 3);
    heft_table *t = rows_table(r, NULL);
    for (size_t m = 0; m < heft_method_count(); m++)
        for (size_t k = 0; k < 2; k++) {
            const heft_method_info *info = heft_method_at(m);
            heft_model *plain = fit(t, info->name, &(heft_config){.run = RUN(.threads = 1)}),
                       *again;
            heft_model *one =
                fit(t, info->name, &(heft_config){.calibrate = kinds[k], .run = RUN(.threads = 1)});
            heft_model *four =
                fit(t, info->name, &(heft_config){.calibrate = kinds[k], .run = RUN(.threads = 4)});
            char  *bytes;
            size_t length;
            OK(heft_model_to_bytes(one, &bytes, &length, &err));
            OK(heft_model_from_bytes(bytes, length, &again, &err));
            double *p = posterior(one, t), *q = posterior(four, t), *s = posterior(again, t);
            double *before = posterior(plain, t);
            assert_memory_equal(p, q, r->n * 4 * sizeof *p);
            assert_memory_equal(p, s, r->n * 4 * sizeof *p);
            for (size_t i = 0; i < r->n; i++) {
                const double *was = before + i * 4;
                assert_distribution(info->name, p + i * 4, 4);
                if (k == 0 && was[best_of(was, 4)] < 1) /* no tie by rounding */
                    assert_int_equal(best_of(p + i * 4, 4), best_of(was, 4));
            }
            if (info->explains) assert_explained(one, t, p);
            free(p), free(q), free(s), free(before);
            heft_text_free(bytes);
            heft_model_free(plain), heft_model_free(one);
            heft_model_free(four), heft_model_free(again);
        }
    heft_table_free(t);
    free(r);
}

/* Of rows not trained on: too sure before, better after; two classes and three. */
static void over_confidence_goes(void **state)
{
    (void)state;
    static const char *const methods[] = {"nb", "aode", "cfwnb"};
    rows                    *train = malloc(sizeof *train), *test = malloc(sizeof *test);
    for (size_t K = 2; K <= 3; K++) {
        fill(train, 300, K, 5);
        fill(test, MOST, K, 6);
        heft_table *t = rows_table(train, NULL), *ask = rows_table(test, NULL);
        for (size_t m = 0; m < 3; m++) {
            heft_model *plain = fit(t, methods[m], NULL);
            double     *p = posterior(plain, ask);
            for (size_t k = 0; k < 2; k++) {
                heft_model *model = fit(t, methods[m], &(heft_config){.calibrate = kinds[k]});
                double     *q = posterior(model, ask);
                if (!(log_loss(q, test) < log_loss(p, test) - 0.005))
                    fail_msg("%s, %s, %zu classes: log-loss %g after %g", methods[m], kinds[k], K,
                             log_loss(q, test), log_loss(p, test));
                free(q);
                heft_model_free(model);
            }
            free(p);
            heft_model_free(plain);
        }
        heft_table_free(t), heft_table_free(ask);
    }
    free(train), free(test);
}

/* Fewer than ten rows: as it is. A class of one row: no harm. */
static void small_tables_work(void **state)
{
    (void)state;
    rows *r = malloc(sizeof *r);
    for (size_t n = 6; n <= 14; n += 4)
        for (size_t k = 0; k < 2; k++) {
            fill(r, n, 3, 8);
            for (size_t i = 0; i < n; i++) r->y[i] = i == 0 ? 2 : (int32_t)(i % 2);
            heft_table *t = rows_table(r, NULL);
            heft_model *model = fit(t, "nb", &(heft_config){.calibrate = kinds[k]}),
                       *plain = fit(t, "nb", NULL);
            double *p = posterior(model, t), *q = posterior(plain, t);
            for (size_t i = 0; i < n; i++) assert_distribution("nb", p + i * 4, 4);
            assert_int_equal(memcmp(p, q, n * 4 * sizeof *p) == 0, n < 10);
            free(p), free(q);
            heft_model_free(model), heft_model_free(plain);
            heft_table_free(t);
        }
    free(r);
}

/* Weights of 1 are no weights; others are heeded. */
static void weights_count(void **state)
{
    (void)state;
    rows  *r = malloc(sizeof *r);
    double ones[MOST];
    for (size_t i = 0; i < MOST; i++) ones[i] = 1;
    fill(r, 150, 2, 9);
    heft_table *tables[] = {rows_table(r, NULL), rows_table(r, ones), rows_table(r, r->weight)};
    double     *p[3];
    for (size_t k = 0; k < 3; k++) {
        heft_model *model = fit(tables[k], "nb", &(heft_config){.calibrate = "vector"});
        p[k] = posterior(model, tables[0]);
        heft_model_free(model);
    }
    assert_memory_equal(p[0], p[1], r->n * 3 * sizeof **p);
    assert_memory_not_equal(p[0], p[2], r->n * 3 * sizeof **p);
    for (size_t k = 0; k < 3; k++) heft_table_free(tables[k]), free(p[k]);
    free(r);
}

/* Rows in another order give the same calibration. Some rows are equal but for their weights, whose
 * sums are exact. auto learns in single precision, in the order of the rows. */
static void the_order_of_rows_does_not_count(void **state)
{
    (void)state;
    rows    *r = malloc(sizeof *r), *other = malloc(sizeof *other);
    size_t   order[MOST];
    heft_rng rng;
    heft_rng_init(&rng, 21, 0);
    fill(r, 150, 3, 12);
    for (size_t i = 0; i < 30; i++) {
        memcpy(r->x[i + 60], r->x[i], sizeof r->x[i]);
        r->y[i + 60] = r->y[i];
    }
    for (size_t i = 0; i < r->n; i++) order[i] = i, r->weight[i] = (double)(4 + i % 7) / 8;
    heft_rng_shuffle(&rng, order, r->n);
    *other = *r;
    for (size_t i = 0; i < r->n; i++) {
        memcpy(other->x[i], r->x[order[i]], sizeof r->x[i]);
        other->y[i] = r->y[order[i]];
        other->weight[i] = r->weight[order[i]];
    }
    for (size_t m = 0; m < heft_method_count(); m++)
        for (size_t k = 0; k < 4; k++) {
            const heft_method_info *info = heft_method_at(m);
            const bool              weighted = k / 2;
            if (weighted && !info->weights) continue;
            heft_table *one = rows_table(r, weighted ? r->weight : NULL),
                       *two = rows_table(other, weighted ? other->weight : NULL);
            const heft_config config = {.calibrate = kinds[k % 2]};
            double           *p = fit_posterior(one, one, info->name, &config),
                   *q = fit_posterior(two, one, info->name, &config);
            const double apart = largest_difference(p, q, r->n * (r->K + 1));
            if (apart > (strcmp(info->name, "auto") == 0 ? 0.002 : 0))
                fail_msg("%s, %s%s: probabilities differ by %g", info->name, kinds[k % 2],
                         weighted ? ", with weights" : "", apart);
            free(p), free(q);
            heft_table_free(one), heft_table_free(two);
        }
    free(r), free(other);
}

/* Scores drawn so that b s + a is right: b and a are found. */
static void what_was_put_in_is_found(void **state)
{
    (void)state;
    enum { N = 20000, K = 3 };
    const double scale[K] = {0.25, 0.4, 0.5}, shift[K] = {0.5, 0, -0.5};
    double      *scores = malloc(N * K * sizeof *scores);
    uint16_t    *y = malloc(N * sizeof *y);
    double       found[K], moved[K], loss[2];
    heft_rng     rng;
    heft_ctx     ctx;
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    heft_rng_init(&rng, 4, 4);
    for (size_t i = 0; i < N; i++) {
        double *s = scores + i * K, p[K], all = 0, sum = 0, at = heft_rng_real(&rng);
        for (size_t c = 0; c < K; c++) s[c] = 16 * heft_rng_real(&rng);
        for (size_t c = 0; c < K; c++) all += exp(s[c]);
        for (size_t c = 0; c < K; c++) s[c] -= log(all);
        for (size_t c = 0; c < K; c++) sum += p[c] = exp(scale[c] * s[c] + shift[c]);
        for (y[i] = 0; y[i] + 1 < K && (at -= p[y[i]] / sum) > 0; y[i]++) continue;
    }
    const heft_held  held = {N, y, NULL, scores, NULL};
    heft_calibration c = {.kind = HEFT_VECTOR, .scale = found, .shift = moved};
    OK(heft_calibration_fit(&ctx, &held, K, &c, loss));
    for (size_t k = 0; k < K; k++) {
        NEAR(found[k], scale[k], 0.03);
        NEAR(moved[k] - moved[1], shift[k] - shift[1], 0.12);
    }
    assert_true(loss[1] < loss[0]);
    c.kind = HEFT_TEMPERATURE;
    OK(heft_calibration_fit(&ctx, &held, K, &c, loss));
    assert_true(found[0] == found[1] && found[1] == found[2]);
    assert_true(found[0] > 0.25 && found[0] < 0.5);
    heft_ctx_clear(&ctx);
    free(scores), free(y);
}

/* A word that does not exist is refused by name, with and without data. */
static void bad_words_are_refused(void **state)
{
    (void)state;
    heft_model       *model;
    const heft_config config = {.method = "nb", .calibrate = "magic"};
    rows             *r = malloc(sizeof *r);
    fill(r, 30, 2, 1);
    heft_table *t = rows_table(r, NULL);
    assert_int_equal(heft_config_check(&config, &err), HEFT_EINVAL);
    assert_non_null(strstr(err.text, "magic"));
    assert_int_equal(heft_fit(t, &config, &model, &err), HEFT_EINVAL);
    assert_non_null(strstr(err.text, "temperature"));
    heft_table_free(t);
    free(r);
}

/* Memory that cannot be had ends in ENOMEM, wherever it is. */
static void memory_may_run_out(void **state)
{
    (void)state;
    rows *r = malloc(sizeof *r);
    fill(r, 40, 2, 2);
    heft_table *t = rows_table(r, NULL);
    for (size_t n = 1, through = 0; !through; n++) {
        heft_model *model = NULL;
        heft_fail_alloc_at(n, n % 2 == 0);
        const heft_status st = heft_fit(
            t, &(heft_config){.method = "nb", .calibrate = "vector", .run = RUN(.threads = 1)},
            &model, &err);
        heft_fail_alloc_at(0, false);
        if (st != HEFT_OK && st != HEFT_ENOMEM) fail_msg("allocation %zu: %s", n, err.text);
        through = st == HEFT_OK;
        heft_model_free(model);
    }
    heft_table_free(t);
    free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_can_be_calibrated),
        cmocka_unit_test(over_confidence_goes),
        cmocka_unit_test(small_tables_work),
        cmocka_unit_test(weights_count),
        FIGURES_TEST(the_order_of_rows_does_not_count),
        cmocka_unit_test(what_was_put_in_is_found),
        cmocka_unit_test(bad_words_are_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
