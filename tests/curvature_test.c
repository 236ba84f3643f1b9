/* curvature_test.c - lnb, dnb and gdnb on many rows, where second derivatives guide the minimiser:
 * few evaluations, the minimum, and bits that depend on nothing but what the rows contain. */
#include "fixture.h"

#include "model/model.h"

enum { ROWS = 40000, N_NOM = 5, N_NUM = 2, M = N_NOM + N_NUM, VALUES = 4 };

static const char *const methods[] = {"lnb", "dnb", "gdnb"};

typedef struct many {
    int32_t nom[N_NOM][ROWS], y[ROWS];
    double  num[N_NUM][ROWS], weight[ROWS];
    size_t  order[2 * ROWS];
} many;

/* Attributes depend on the class and on one another; a third of the rows is of class 0. */
static many *draw(void)
{
    many    *t = calloc(1, sizeof *t);
    heft_rng rng;
    assert_non_null(t);
    heft_rng_init(&rng, 4, 1);
    for (size_t i = 0; i < ROWS; i++) {
        const int32_t y = heft_rng_below(&rng, 3) > 0, shared = (int32_t)heft_rng_below(&rng, 3);
        t->y[i] = y;
        for (size_t j = 0; j < N_NOM; j++) {
            const uint64_t what = heft_rng_below(&rng, 6);
            t->nom[j][i] = what == 0   ? y
                           : what == 1 ? shared
                                       : (int32_t)heft_rng_below(&rng, VALUES);
        }
        for (size_t j = 0; j < N_NUM; j++)
            t->num[j][i] = heft_rng_real(&rng) + heft_rng_real(&rng) + 0.2 * (y + shared);
        t->weight[i] = (double)(1 + heft_rng_below(&rng, 3));
    }
    for (size_t i = 0; i < 2 * ROWS; i++) t->order[i] = i % ROWS;
    return t;
}

static frame frame_of(const many *t, size_t n_cols)
{
    static const char *const values[] = {"a", "b", "c", "d"}, *const classes[] = {"p", "q"};
    frame f = {.n_rows = ROWS, .n_cols = n_cols, .y = t->y, .classes = classes, .n_class = 2};
    for (size_t j = 0; j < N_NOM; j++)
        f.cols[j] = (field){.codes = t->nom[j], .values = values, .n_values = VALUES};
    for (size_t j = N_NOM; j < n_cols; j++) f.cols[j] = (field){.numbers = t->num[j - N_NOM]};
    return f;
}

static heft_model *fitted_to(const frame *f, const char *method, int threads)
{
    heft_table  *t = table_of(f);
    heft_runtime run = {.threads = threads};
    heft_model  *m = fit(t, method, &(heft_config){.run = &run});
    heft_table_free(t);
    return m;
}

static void assert_same(const heft_model *a, const heft_model *b, bool backward)
{
    const size_t m = a->fitted.n_attr;
    for (size_t j = 0; j < m; j++)
        assert_true(a->fitted.weights.w[j] == b->fitted.weights.w[backward ? m - 1 - j : j]);
    assert_true(a->fitted.weights.w0 == b->fitted.weights.w0);
    assert_true(a->fitted.training.objective_final == b->fitted.training.objective_final);
    assert_int_equal(a->fitted.training.evaluations, b->fitted.training.evaluations);
}

/* The loss is that of a search to the last digit, after few evaluations. */
static void few_evaluations_find_the_minimum(void **state)
{
    many *t = *state;
    for (size_t k = 0; k < 3; k++) {
        const frame  f = frame_of(t, M);
        heft_model  *a = fitted_to(&f, methods[k], 1);
        heft_table  *table = table_of(&f);
        heft_model  *b = fit(table, methods[k], WITH("tol=0", "pgtol=1e-7"));
        const double most = b->fitted.training.objective_final * (1 + 1e-10);
        assert_true(a->fitted.training.converged);
        assert_true(a->fitted.training.evaluations < 15);
        assert_true(a->fitted.training.objective_final <= most);
        heft_model_free(a), heft_model_free(b);
        heft_table_free(table);
    }
}

/* Other threads, another order of rows or columns: the same bits, with numbers and with columns
 * of few values, whose equal rows are merged. */
static void order_and_threads_change_no_bit(void **state)
{
    many    *t = *state;
    heft_rng rng;
    heft_rng_init(&rng, 6, 1);
    for (size_t k = 0; k < 6; k++) {
        frame       f = frame_of(t, k < 3 ? N_NOM : M);
        heft_model *a = fitted_to(&f, methods[k % 3], 1), *b = fitted_to(&f, methods[k % 3], 3);
        assert_same(a, b, false);
        heft_model_free(b);
        heft_rng_shuffle(&rng, t->order, ROWS);
        f.order = t->order;
        f.backward_columns = true;
        b = fitted_to(&f, methods[k % 3], 2);
        assert_same(a, b, true);
        heft_model_free(a), heft_model_free(b);
    }
}

/* A row of weight 2 counts as two rows. */
static void weights_count_rows(void **state)
{
    many   *t = *state;
    double *twice = malloc(ROWS * sizeof *twice);
    assert_non_null(twice);
    for (size_t i = 0; i < ROWS; i++) twice[i] = 2, t->order[i] = t->order[ROWS + i] = i;
    for (size_t k = 0; k < 3; k++) {
        frame f = frame_of(t, N_NOM), g = f;
        f.weight = twice;
        g.order = t->order;
        g.n_rows = 2 * ROWS;
        heft_model *a = fitted_to(&f, methods[k], 1), *b = fitted_to(&g, methods[k], 1);
        assert_same(a, b, false);
        heft_model_free(a), heft_model_free(b);
    }
    free(twice);
}

static int open_rows(void **state)
{
    *state = draw();
    return 0;
}

static int close_rows(void **state)
{
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_evaluations_find_the_minimum),
        cmocka_unit_test(order_and_threads_change_no_bit),
        cmocka_unit_test(weights_count_rows),
    };
    return cmocka_run_group_tests_name("curvature", tests, open_rows, close_rows);
}
