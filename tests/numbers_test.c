/* numbers_test.c - tables that are hard on arithmetic, through every method: whatever the numbers,
 * probabilities are distributions, log probabilities are no NaN and do not exceed 0, and bits do
 * not depend on the number of threads. */
#include "fixture.h"

#include <float.h>

#include "train/fit.h"

enum { ROWS = 60, ATTRS = 4, MOST_CLASS = 40 };

typedef struct hard {
    const char *name;
    size_t      n_class;
    double (*cell)(size_t i, size_t j, int32_t y, heft_rng *rng);
    int32_t (*class)(size_t i, heft_rng *rng);
} hard;

static double separable(size_t i, size_t j, int32_t y, heft_rng *rng)
{
    (void)i, (void)rng;
    return 10.0 * y + (double)j;
}

static double noise(size_t i, size_t j, int32_t y, heft_rng *rng)
{
    (void)i, (void)j, (void)y;
    return heft_rng_real(rng);
}

static double constant(size_t i, size_t j, int32_t y, heft_rng *rng)
{
    (void)i, (void)y, (void)rng;
    return (double)j;
}

static double denormal(size_t i, size_t j, int32_t y, heft_rng *rng)
{
    (void)rng;
    return 5e-324 * (double)(i % 7 + j + (size_t)y);
}

static double both_ends(size_t i, size_t j, int32_t y, heft_rng *rng)
{
    static const double ends[] = {DBL_MAX, -DBL_MAX, 5e-324, -5e-324, 0, 1e308, DBL_MIN, 1};
    (void)rng;
    return ends[(i * 3 + j + (size_t)y) % (sizeof ends / sizeof *ends)];
}

static double far_away(size_t i, size_t j, int32_t y, heft_rng *rng)
{
    (void)j, (void)rng;
    return i == 0 ? 1e300 : 1e15 + y; /* one outlier, and differences of the last bits */
}

static double missing(size_t i, size_t j, int32_t y, heft_rng *rng)
{
    (void)y;
    return (i + j) % 3 ? NAN : heft_rng_real(rng);
}

static double few_values(size_t i, size_t j, int32_t y, heft_rng *rng)
{
    (void)rng;
    return (double)((i >> j) & 1) + (y == 1 ? 0 : -0.0);
}

static int32_t in_turn(size_t i, heft_rng *rng)
{
    (void)rng;
    return (int32_t)(i % 3);
}

static int32_t at_random(size_t i, heft_rng *rng)
{
    (void)i;
    return (int32_t)heft_rng_below(rng, 2);
}

/* One row each but for class 0, which has the rest. */
static int32_t single(size_t i, heft_rng *rng)
{
    (void)rng;
    return i < MOST_CLASS ? (int32_t)i : 0;
}

static const hard tables[] = {
    {"separable", 3, separable, in_turn},       {"random", 2, noise, at_random},
    {"constant", 3, constant, in_turn},         {"denormal", 3, denormal, in_turn},
    {"both ends", 3, both_ends, in_turn},       {"far away", 3, far_away, in_turn},
    {"missing", 3, missing, in_turn},           {"few values", 2, few_values, at_random},
    {"single rows", MOST_CLASS, noise, single},
};

static heft_table *hard_table(const hard *h)
{
    static const char *names[MOST_CLASS];
    static char        text[MOST_CLASS][8];
    heft_rng           rng;
    double             cells[ATTRS][ROWS];
    int32_t            y[ROWS];
    frame f = {.n_rows = ROWS, .n_cols = ATTRS, .y = y, .classes = names, .n_class = h->n_class};
    heft_rng_init(&rng, 7, 0);
    for (size_t c = 0; c < MOST_CLASS; c++) {
        snprintf(text[c], sizeof text[c], "c%zu", c);
        names[c] = text[c];
    }
    for (size_t i = 0; i < ROWS; i++) y[i] = h->class(i, &rng);
    for (size_t j = 0; j < ATTRS; j++) {
        for (size_t i = 0; i < ROWS; i++) cells[j][i] = h->cell(i, j, y[i], &rng);
        f.cols[j] = (field){.numbers = cells[j]};
    }
    return table_of(&f);
}

static void check_one(const char *method, const hard *h, const heft_table *t,
                      const heft_table *other)
{
    static double p[ROWS * MOST_CLASS], q[ROWS * MOST_CLASS];
    heft_model   *model, *again;
    if (heft_fit(t, &(heft_config){.method = method, .run = RUN(.threads = 1)}, &model, &err) !=
        HEFT_OK)
        fail_msg("%s, %s: %s", method, h->name, err.text);
    again = fit(t, method, &(heft_config){.run = RUN(.threads = 3)});
    const heft_table *seen[] = {t, other};
    for (int k = 0; k < 2; k++) {
        const size_t cells = ROWS * h->n_class;
        OK(heft_predict_proba(model, seen[k], p, &err));
        OK(heft_predict_proba(again, seen[k], q, &err));
        if (memcmp(p, q, cells * sizeof *p)) fail_msg("%s, %s: threads", method, h->name);
        OK(heft_predict_log_proba(model, seen[k], q, &err));
        for (size_t i = 0; i < ROWS; i++) {
            double sum = 0;
            for (size_t c = i * h->n_class; c < (i + 1) * h->n_class; c++) {
                if (!(p[c] >= 0 && p[c] <= 1) || !(q[c] <= 1e-9))
                    fail_msg("%s, %s: row %zu: %g, log %g", method, h->name, i, p[c], q[c]);
                sum += p[c];
            }
            if (fabs(sum - 1) > 1e-9) fail_msg("%s, %s: row %zu: %.17g", method, h->name, i, sum);
        }
    }
    heft_model_free(model), heft_model_free(again);
}

static void hard_tables(void **state)
{
    (void)state;
    heft_table *ends = hard_table(&tables[4]); /* rows unlike any that was learned from */
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        heft_table *t = hard_table(&tables[k]);
        for (size_t m = 0; m < heft_method_count(); m++)
            check_one(heft_method_at(m)->name, &tables[k], t, ends);
        heft_table_free(t);
    }
    heft_table_free(ends);
}

/* An infinity is no number of a table: it is refused with the name of its column. */
static void infinities_are_refused(void **state)
{
    (void)state;
    heft_table  *t;
    const double cells[] = {1, INFINITY}, more[] = {-INFINITY, 0};
    OK(heft_table_create(2, &t, &err));
    assert_int_equal(heft_table_add_numbers(t, "far", cells, 1, &err), HEFT_EINVAL);
    assert_non_null(strstr(err.text, "far"));
    assert_int_equal(heft_table_add_matrix(t, MATRIX(2, 1, more, 1, 1, NULL), false, &err),
                     HEFT_EINVAL);
    assert_int_equal(heft_table_attributes(t), 0);
    heft_table_free(t);
}

/* A hundred thousand attributes, for methods whose work grows with their number alone. */
static void very_wide_tables(void **state)
{
    (void)state;
    static const char *const methods[] = {"nb", "swnb", "klnb"};
    enum { WIDE = 100 * 1000, FEW = 4 };
    heft_table       *t;
    heft_rng          rng;
    const char *const classes[] = {"a", "b"};
    int32_t           y[FEW];
    double           *cells = malloc(sizeof *cells * WIDE * FEW), p[FEW * 2];
    heft_rng_init(&rng, 3, 0);
    for (size_t k = 0; k < (size_t)WIDE * FEW; k++) cells[k] = heft_rng_real(&rng);
    for (int i = 0; i < FEW; i++) y[i] = i % 2;
    OK(heft_table_create(FEW, &t, &err));
    OK(heft_table_add_matrix(t, MATRIX(FEW, WIDE, cells, WIDE, 1, NULL), false, &err));
    OK(heft_table_set_target(t, "class", y, classes, 2, &err));
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        heft_model *model;
        if (heft_fit(t, &(heft_config){.method = methods[m]}, &model, &err) != HEFT_OK)
            fail_msg("%s: %s", methods[m], err.text);
        OK(heft_predict_proba(model, t, p, &err));
        for (int i = 0; i < FEW; i++) NEAR(p[2 * i] + p[2 * i + 1], 1, 1e-9);
        heft_model_free(model);
    }
    heft_table_free(t);
    free(cells);
}

/* x0 is about 1, x1 about `unit`; rows lo..hi-1. */
static heft_table *beside(double unit, size_t lo, size_t hi)
{
    static const char *const names[] = {"a", "b"};
    heft_table              *t;
    heft_rng                 rng;
    double                   x[2][ROWS];
    int32_t                  y[ROWS];
    heft_rng_init(&rng, 5, 0);
    for (size_t i = 0; i < ROWS; i++) {
        y[i] = (int32_t)(i % 2);
        x[0][i] = heft_rng_real(&rng) + 0.2 * y[i];
        x[1][i] = (heft_rng_real(&rng) + 0.3 * y[i]) * unit;
    }
    OK(heft_table_create(hi - lo, &t, &err));
    OK(heft_table_add_numbers(t, "x0", x[0] + lo, 1, &err));
    OK(heft_table_add_numbers(t, "x1", x[1] + lo, 1, &err));
    OK(heft_table_set_target(t, "class", y + lo, names, 2, &err));
    return t;
}

/* A column whose squares overflow leaves the other columns alone: classes have the probabilities
 * they have when it is measured in another unit, from one fit and from two that were merged. */
static void a_far_column_leaves_the_others_alone(void **state)
{
    static const char *const methods[] = {"nb", "klnb", "lnb"};
    const double             units[] = {1, 0x1p700};
    (void)state;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        static double p[2][2 * ROWS], q[2 * ROWS];
        for (size_t k = 0; k < 2; k++) {
            heft_table       *whole = beside(units[k], 0, ROWS);
            heft_table       *first = beside(units[k], 0, 20), *rest = beside(units[k], 20, ROWS);
            heft_model       *one, *parts[2], *both;
            const heft_config config = {.method = methods[m], .run = RUN(.threads = 1)};
            OK(heft_fit(whole, &config, &one, &err));
            OK(heft_predict_proba(one, whole, p[k], &err));
            if (strcmp(methods[m], "nb") == 0) {
                OK(heft_fit(first, &config, &parts[0], &err));
                OK(heft_fit(rest, &config, &parts[1], &err));
                OK(heft_model_merge((const heft_model *const *)parts, 2, &both, &err));
                OK(heft_predict_proba(both, whole, q, &err));
                for (size_t i = 0; i < (size_t)2 * ROWS; i++) NEAR(p[k][i], q[i], 1e-12);
                heft_model_free(parts[0]), heft_model_free(parts[1]), heft_model_free(both);
            }
            heft_model_free(one);
            heft_table_free(whole), heft_table_free(first), heft_table_free(rest);
        }
        for (size_t i = 0; i < (size_t)2 * ROWS; i++) NEAR(p[0][i], p[1][i], 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_tables),
        cmocka_unit_test(infinities_are_refused),
        cmocka_unit_test(very_wide_tables),
        cmocka_unit_test(a_far_column_leaves_the_others_alone),
    };
    return cmocka_run_group_tests_name("numbers", tests, NULL, NULL);
}
