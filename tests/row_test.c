/* row_test.c - heft_predict_row gives the bits of heft_predict_proba: every method, every
 * preparation, dense and sparse models. */
#include "fixture.h"

#include <pthread.h>

#include "base/mem.h"
#include "methods/registry.h"
#include "model/model.h"

enum { ROWS = 90, NUMBERS = 4, NOMINALS = 4, COLS = NUMBERS + NOMINALS, VALUES = 4 };

static const char *const letters[] = {"a", "b", "c", "d", "never"};

typedef struct data {
    double  x[NUMBERS][ROWS];
    int32_t v[NOMINALS][ROWS], y[ROWS];
} data;

/* Columns lean towards the class; `gaps` leaves cells out; `strange` has values never seen and
 * numbers far away. */
static void fill(data *d, uint64_t seed, size_t n_class, bool gaps, bool strange)
{
    heft_rng rng;
    heft_rng_init(&rng, seed, 0);
    for (size_t i = 0; i < ROWS; i++) {
        d->y[i] = (int32_t)heft_rng_below(&rng, n_class);
        for (size_t j = 0; j < NUMBERS; j++) {
            d->x[j][i] = d->y[i] * (double)j + 3 * heft_rng_real(&rng) - 1;
            if (j == 3) d->x[j][i] = heft_rng_below(&rng, 3) ? 0 : d->x[j][i];
            if (strange && heft_rng_below(&rng, 12) == 0) d->x[j][i] *= 1e200;
            if (gaps && heft_rng_below(&rng, 9) == 0) d->x[j][i] = (double)NAN;
        }
        for (size_t j = 0; j < NOMINALS; j++) {
            d->v[j][i] = (int32_t)heft_rng_below(&rng, 2) ? d->y[i] % VALUES
                                                          : (int32_t)heft_rng_below(&rng, VALUES);
            if (strange && heft_rng_below(&rng, 8) == 0) d->v[j][i] = VALUES;
            if (gaps && heft_rng_below(&rng, 9) == 0) d->v[j][i] = -1;
        }
    }
}

static heft_table *dense_table(const data *d, size_t n_class, size_t n_values)
{
    frame f = {.n_rows = ROWS, .n_cols = COLS, .y = d->y, .classes = letters, .n_class = n_class};
    for (size_t j = 0; j < NUMBERS; j++) f.cols[j] = (field){.numbers = d->x[j]};
    for (size_t j = 0; j < NOMINALS; j++)
        f.cols[NUMBERS + j] = (field){.codes = d->v[j], .values = letters, .n_values = n_values};
    return table_of(&f);
}

/* The numbers alone, as sparse rows. */
static heft_table *sparse_table(const data *d, size_t n_class)
{
    size_t      start[ROWS + 1] = {0}, n = 0;
    uint32_t    col[ROWS * NUMBERS];
    double      val[ROWS * NUMBERS];
    heft_table *t;
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < NUMBERS; j++) {
            if (d->x[j][i] == 0) continue;
            col[n] = (uint32_t)j;
            val[n++] = d->x[j][i];
        }
        start[i + 1] = n;
    }
    OK(heft_table_create(ROWS, &t, &err));
    OK(heft_table_add_sparse(t, NUMBERS, start, col, val, NULL, &err));
    OK(heft_table_set_target(t, "class", d->y, letters, n_class, &err));
    return t;
}

/* Row i as heft_predict_row takes it. Columns are named x0, x1, ... or c1, c2, ... */
static void take_row(const heft_model *model, const data *d, size_t i, double *row)
{
    for (size_t k = 0; k < heft_model_attributes(model); k++) {
        const char  *name = model_column(model, k);
        const size_t j = (size_t)atoi(name + 1) - (name[0] == 'c');
        if (j < NUMBERS) row[k] = d->x[j][i];
        else if (d->v[j - NUMBERS][i] < 0) row[k] = (double)NAN;
        else row[k] = d->v[j - NUMBERS][i];
    }
}

static void assert_same_rows(const heft_model *model, const data *d, const heft_table *t,
                             const char *label)
{
    const size_t K = heft_model_classes(model);
    double      *p = posterior(model, t), row[COLS], got[8];
    const bool   additive = !model->method->score;
    for (size_t i = 0; i < ROWS; i++) {
        take_row(model, d, i, row);
        if (additive) heft_fail_alloc_at(1, true); /* it takes no memory */
        const heft_status st = heft_predict_row(model, row, got, &err);
        heft_fail_alloc_at(0, false);
        if (st != HEFT_OK) fail_msg("%s: %s", label, err.text);
        if (memcmp(got, p + i * K, K * sizeof *got) != 0)
            fail_msg("%s, row %zu: %.17g instead of %.17g", label, i, got[0], p[i * K]);
    }
    free(p);
}

static const heft_config ways[] = {
    {0},
    {.scale = "unit"},
    {.scale = "unit", .discretize = "width:3", .impute = "mean"},
    {.scale = "minmax", .impute = "mean"},
    {.discretize = "width:4"},
    {.discretize = "mdl", .impute = "mean"},
    {.discretize = "frequency:3", .unseen = "zero"},
    {.unseen = "zero", .impute = "mean"},
    {.discretize = "presence"},
    {.calibrate = "temperature"},
    {.calibrate = "vector", .impute = "mean"},
    {.select = "gain-ratio:3"},
    {.prior = "b=0"},
    {.prior = "uniform", .smoothing = "m:2"},
};

static size_t compare_ways(const data *train, const heft_table *t, const data *other,
                           const heft_table *test)
{
    size_t n = 0;
    for (size_t m = 0; m < heft_methods_count(); m++)
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
            heft_config config = ways[k];
            heft_model *model;
            char        label[64];
            config.method = heft_methods_at(m)->name;
            config.run = RUN(.threads = 1);
            snprintf(label, sizeof label, "%s, way %zu", config.method, k);
            if (heft_fit(t, &config, &model, &err) != HEFT_OK) continue; /* it cannot do this */
            assert_same_rows(model, train, t, label);
            assert_same_rows(model, other, test, label);
            heft_model_free(model);
            n++;
        }
    return n;
}

static void dense_rows(void **state)
{
    (void)state;
    for (size_t n_class = SANITIZED ? 3 : 2; n_class <= 3; n_class++)
        for (int gaps = SANITIZED; gaps < 2; gaps++) {
            data train, other;
            fill(&train, n_class, n_class, gaps, false);
            fill(&other, 10 + n_class, n_class, gaps, true);
            heft_table *t = dense_table(&train, n_class, VALUES),
                       *test = dense_table(&other, n_class, VALUES + 1);
            const size_t n = compare_ways(&train, t, &other, test);
            assert_true(n > heft_methods_count() * 6);
            heft_table_free(t), heft_table_free(test);
        }
}

static void sparse_rows(void **state)
{
    (void)state;
    for (int gaps = SANITIZED; gaps < 2; gaps++) {
        data train, other;
        fill(&train, 31, 3, gaps, false);
        fill(&other, 32, 3, gaps, true);
        heft_table *t = sparse_table(&train, 3), *test = sparse_table(&other, 3);
        assert_true(compare_ways(&train, t, &other, test) > 60);
        heft_table_free(t), heft_table_free(test);
    }
}

/* No attributes, more classes than the stack has room for, numbers that are none. */
static void edges(void **state)
{
    (void)state;
    enum { MANY = 400 };
    static char        text[MANY][8];
    static const char *names[MANY];
    static int32_t     y[2 * MANY];
    static double      x[2 * MANY], p[2 * MANY * MANY], got[MANY];
    for (int c = 0; c < MANY; c++) {
        snprintf(text[c], sizeof text[c], "k%d", c);
        names[c] = text[c];
        for (int i = 0; i < 2; i++) y[2 * c + i] = c, x[2 * c + i] = c % 20 + i * 0.1;
    }
    heft_table *t = table_of(&(frame){.n_rows = 2 * MANY,
                                      .n_cols = 1,
                                      .cols = {{.numbers = x}},
                                      .y = y,
                                      .classes = names,
                                      .n_class = MANY});
    heft_model *model = fit(t, "nb", &(heft_config){.discretize = "none"});
    OK(heft_predict_proba(model, t, p, &err));
    for (size_t i = 0; i < 2 * MANY; i += 37) {
        OK(heft_predict_row(model, &x[i], got, &err));
        assert_memory_equal(got, p + i * MANY, sizeof got);
    }
    assert_int_equal(heft_predict_row(model, (double[]){INFINITY}, got, &err), HEFT_EINVAL);
    assert_non_null(strstr(err.text, "'x0': not a finite number"));
    assert_int_equal(heft_predict_row(model, NULL, got, &err), HEFT_EINVAL);
    assert_int_equal(heft_predict_row(model, x, NULL, NULL), HEFT_EINVAL);
    heft_model_free(model);
    heft_table_free(t);
    t = table_of(&(frame){.n_rows = 4, .y = y, .classes = names, .n_class = 2});
    model = fit(t, "nb", NULL);
    OK(heft_predict_row(model, NULL, got, &err));
    NEAR(got[0] + got[1], 1, 1e-15);
    heft_model_free(model);
    heft_table_free(t);
}

/* ---- threads ---- */

typedef struct sharing {
    const heft_model *model;
    const data       *d;
    const double     *p;
    bool              good;
} sharing;

static void *predict_often(void *arg)
{
    sharing *s = arg;
    double   row[COLS], got[3];
    s->good = true;
    for (size_t k = 0; k < 20 * ROWS; k++) {
        take_row(s->model, s->d, k % ROWS, row);
        s->good = s->good && heft_predict_row(s->model, row, got, NULL) == HEFT_OK &&
                  memcmp(got, s->p + k % ROWS * 3, sizeof got) == 0;
    }
    return NULL;
}

static void threads_share_a_model(void **state)
{
    static const char *const methods[] = {"nb", "auto", "lcwnb"};
    data                     d;
    (void)state;
    fill(&d, 7, 3, true, false);
    heft_table *t = dense_table(&d, 3, VALUES);
    for (size_t m = 0; m < 3; m++) {
        heft_model *model = fit(t, methods[m], NULL);
        double     *p = posterior(model, t);
        sharing     s[4];
        pthread_t   thread[4];
        for (size_t k = 0; k < 4; k++) {
            s[k] = (sharing){model, &d, p, false};
            pthread_create(&thread[k], NULL, predict_often, &s[k]);
        }
        for (size_t k = 0; k < 4; k++) pthread_join(thread[k], NULL);
        for (size_t k = 0; k < 4; k++) assert_true(s[k].good);
        free(p);
        heft_model_free(model);
    }
    heft_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_rows),
        cmocka_unit_test(sparse_rows),
        cmocka_unit_test(edges),
        cmocka_unit_test(threads_share_a_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
