/* auto_invariance_test.c - what must not change the answers of the default method: the order of
 * rows, columns, classes and values in tables full of ties, the size of weights, and copies of
 * rows. */
#include "fixture.h"

#include "base/codes.h"
#include "base/dict.h"
#include "data/table.h"

/* ---- orders ---- */

enum { MOST_ROWS = 640, MOST_CLASSES = 3, COLUMNS = 4 };

typedef struct tied { /* a table full of ties */
    frame   f;
    double  number[COLUMNS][MOST_ROWS];
    int32_t code[COLUMNS][MOST_ROWS], y[MOST_ROWS];
} tied;

static const char *const some_values[] = {"one", "two", "three", "four", "five"};
static const char *const some_classes[] = {"left", "balanced", "right"};

static void link_columns(tied *t, size_t n_cols, bool nominal, size_t n_values)
{
    t->f.n_cols = n_cols;
    t->f.y = t->y;
    t->f.classes = some_classes;
    for (size_t j = 0; j < n_cols; j++) {
        for (size_t i = 0; i < t->f.n_rows; i++) t->code[j][i] = (int32_t)t->number[j][i];
        t->f.cols[j] =
            nominal ? (field){.codes = t->code[j], .values = some_values, .n_values = n_values}
                    : (field){.numbers = t->number[j]};
    }
}

/* Weights and distances on both arms: the columns of an arm take each other's place, and so do the
 * arms with their classes. */
static void fill_scale(tied *t, bool nominal)
{
    memset(t, 0, sizeof *t);
    t->f.n_rows = 625, t->f.n_class = 3;
    for (size_t i = 0; i < 625; i++) {
        const size_t of[COLUMNS] = {i / 125, i / 25 % 5, i / 5 % 5, i % 5};
        for (size_t j = 0; j < COLUMNS; j++) t->number[j][i] = (double)of[j];
        const size_t left = (of[0] + 1) * (of[1] + 1), right = (of[2] + 1) * (of[3] + 1);
        t->y[i] = left > right ? 0 : left == right ? 1 : 2;
    }
    link_columns(t, COLUMNS, nominal, 5);
}

/* Two columns of three values. With `noise` no two columns are alike. */
static void fill_three(tied *t, bool noise)
{
    heft_rng rng;
    heft_rng_init(&rng, 4, 0);
    memset(t, 0, sizeof *t);
    t->f.n_rows = 90, t->f.n_class = 3;
    for (size_t i = 0; i < 90; i++) {
        t->number[0][i] = (double)(i / 3 % 3), t->number[1][i] = (double)(i % 3);
        t->y[i] = i / 3 % 3 > i % 3 ? 0 : i / 3 % 3 == i % 3 ? 1 : 2;
        if (noise && heft_rng_below(&rng, 4) == 0) t->y[i] = (int32_t)heft_rng_below(&rng, 3);
    }
    link_columns(t, 2, true, 3);
}

/* Two of the columns are equal. */
static void fill_equal(tied *t)
{
    heft_rng rng;
    heft_rng_init(&rng, 5, 0);
    memset(t, 0, sizeof *t);
    t->f.n_rows = 300, t->f.n_class = 2;
    for (size_t i = 0; i < 300; i++) {
        for (size_t j = 0; j < 3; j++) t->number[j][i] = (double)heft_rng_below(&rng, 5);
        t->number[3][i] = t->number[1][i];
        t->y[i] = t->number[0][i] + t->number[1][i] + 3 * heft_rng_real(&rng) > 5;
    }
    link_columns(t, COLUMNS, false, 0);
}

/* Probabilities of the rows as they are in `asked`, classes in the order of some_classes. */
static double *answers(const frame *train, const frame *asked)
{
    frame       ask = *asked;
    heft_table *t = table_of(train), *q;
    ask.backward_columns = train->backward_columns;
    q = table_of(&ask);
    const size_t K = train->n_class;
    double      *p = fit_posterior(t, q, "auto", NULL);
    for (size_t i = 0; i < ask.n_rows && train->turned_classes; i++)
        for (size_t c = 0; c < K / 2; c++) {
            const double moved = p[i * K + c];
            p[i * K + c] = p[i * K + K - 1 - c];
            p[i * K + K - 1 - c] = moved;
        }
    heft_table_free(t), heft_table_free(q);
    return p;
}

static size_t n_changed;

static void compare(const char *table, const frame *f, const double *p, const frame *other,
                    const char *what)
{
    double      *q = answers(other, f);
    const double apart = largest_difference(p, q, f->n_rows * f->n_class);
    if (!(apart <= 1e-9)) {
        print_error("%s, %s: probabilities differ by up to %g\n", table, what, apart);
        n_changed++;
    }
    free(q);
}

static void compare_orders(const char *table, const frame *f)
{
    size_t   order[MOST_ROWS];
    heft_rng rng;
    frame    shuffled = *f, columns = *f, classes = *f, values = *f, all = *f;
    heft_rng_init(&rng, 6, 0);
    for (size_t i = 0; i < f->n_rows; i++) order[i] = i;
    heft_rng_shuffle(&rng, order, f->n_rows);
    shuffled.order = all.order = order;
    columns.backward_columns = all.backward_columns = true;
    classes.turned_classes = all.turned_classes = true;
    for (size_t j = 0; j < f->n_cols; j++) values.cols[j].turned = all.cols[j].turned = true;
    double *p = answers(f, f);
    compare(table, f, p, &shuffled, "rows in another order");
    compare(table, f, p, &columns, "columns in another order");
    compare(table, f, p, &classes, "classes in another order");
    compare(table, f, p, &values, "values in another order");
    compare(table, f, p, &all, "all in another order");
    free(p);
}

static void orders_do_not_matter(void **state)
{
    (void)state;
    static tied t;
    n_changed = 0;
    fill_scale(&t, false), compare_orders("scale", &t.f);
    fill_scale(&t, true), compare_orders("scale of values", &t.f);
    fill_three(&t, false), compare_orders("two columns of three values", &t.f);
    fill_three(&t, true), compare_orders("two noisy columns of three values", &t.f);
    fill_equal(&t), compare_orders("two equal columns", &t.f);
    assert_int_equal(n_changed, 0);
}

/* ---- weights and copies ---- */

enum { SPLITS = 5 };

typedef struct split {
    heft_table *train, *test;
    size_t      n_test, *y; /* classes of the test rows */
} split;

static size_t class_at(const heft_table *t, size_t i)
{
    return heft_code_at(t->target->cells, t->target->width, i);
}

static heft_table *taken(const heft_table *t, const size_t *rows, size_t n)
{
    heft_ctx    ctx;
    heft_table *out;
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    OK(heft_table_take(&ctx, t, rows, n, &out));
    heft_ctx_clear(&ctx);
    return out;
}

static split split_of(const heft_table *t, uint64_t seed)
{
    const size_t n = t->n_rows * 2 / 3;
    size_t      *order = calloc(t->n_rows, sizeof *order);
    heft_rng     rng;
    split        s = {.n_test = t->n_rows - n};
    heft_rng_init(&rng, seed, 0);
    for (size_t i = 0; i < t->n_rows; i++) order[i] = i;
    heft_rng_shuffle(&rng, order, t->n_rows);
    s.train = taken(t, order, n);
    s.test = taken(t, order + n, s.n_test);
    s.y = calloc(s.n_test, sizeof *s.y);
    for (size_t i = 0; i < s.n_test; i++) s.y[i] = class_at(s.test, i);
    free(order);
    return s;
}

static double *answers_of(const heft_table *train, const split *s, const double *weight)
{
    heft_table *t = taken(train, NULL, train->n_rows);
    if (weight) assert_int_equal(heft_table_set_weights(t, weight, &err), HEFT_OK);
    double *p = fit_posterior(t, s->test, "auto", NULL);
    heft_table_free(t);
    return p;
}

static double loss_of(const split *s, const double *p)
{
    double sum = 0;
    for (size_t i = 0; i < s->n_test; i++) sum -= log(fmax(p[2 * i + s->y[i]], 1e-15));
    return sum / (double)s->n_test;
}

static double auc_of(const split *s, const double *p)
{
    double above = 0, pairs = 0;
    for (size_t i = 0; i < s->n_test; i++)
        for (size_t k = 0; k < s->n_test; k++) {
            const double a = p[2 * i + 1], b = p[2 * k + 1];
            if (s->y[i] != 1 || s->y[k] != 0) continue;
            above += a > b ? 1 : a == b ? 0.5 : 0;
            pairs++;
        }
    return above / pairs;
}

/* The rows k times, one table after the other. */
static heft_table *pasted(const heft_table *t, size_t k)
{
    size_t *rows = calloc(k * t->n_rows, sizeof *rows);
    for (size_t i = 0; i < k * t->n_rows; i++) rows[i] = i % t->n_rows;
    heft_table *out = taken(t, rows, k * t->n_rows);
    free(rows);
    return out;
}

/* The rows of the rarer class again and again, until there are as many as of the other. */
static heft_table *levelled(const heft_table *t)
{
    size_t n[2] = {0}, *rows = calloc(2 * t->n_rows, sizeof *rows), m = t->n_rows;
    for (size_t i = 0; i < t->n_rows; i++) n[class_at(t, i)]++;
    const size_t rare = n[1] < n[0];
    for (size_t i = 0; i < m; i++) rows[i] = i;
    for (size_t i = 0; n[rare] < n[!rare]; i = (i + 1) % t->n_rows)
        if (class_at(t, i) == rare) rows[m++] = i, n[rare]++;
    heft_table *out = taken(t, rows, m);
    free(rows);
    return out;
}

/* Rows of weight 0 are no rows. */
static void compare_without(const split *s)
{
    const size_t n = s->train->n_rows;
    double      *weight = calloc(n, sizeof *weight);
    size_t      *rows = calloc(n, sizeof *rows), kept = 0;
    for (size_t i = 0; i < n; i++) {
        weight[i] = i % 3 > 0;
        if (i % 3) rows[kept++] = i;
    }
    heft_table *fewer = taken(s->train, rows, kept);
    double     *p = answers_of(fewer, s, NULL), *q = answers_of(s->train, s, weight);
    assert_memory_equal(p, q, s->n_test * 2 * sizeof *p);
    heft_table_free(fewer);
    free(p), free(q), free(weight), free(rows);
}

/* All weights k, and weights times k, change no bit. */
static void compare_sizes(const split *s, const double *weight)
{
    static const double sizes[] = {3, 10, 1000, 0.001};
    const size_t        n = s->train->n_rows;
    double             *scaled = calloc(n, sizeof *scaled);
    for (int drawn = 0; drawn < 2; drawn++) {
        double *p = answers_of(s->train, s, drawn ? weight : NULL);
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            for (size_t i = 0; i < n; i++) scaled[i] = sizes[k] * (drawn ? weight[i] : 1);
            double *q = answers_of(s->train, s, scaled);
            assert_memory_equal(p, q, s->n_test * 2 * sizeof *p);
            free(q);
        }
        free(p);
    }
    free(scaled);
}

enum { LOSS, LOSS_WEIGHTED, LOSS_TWICE, LOSS_THRICE, LOSS_TEN, AUC, AUC_LEVELLED, N_FIGURES };

static void add_figures(const split *s, const double *weight, double *sum)
{
    static const size_t often[] = {2, 3, 10};
    double             *p = answers_of(s->train, s, NULL);
    sum[LOSS] += loss_of(s, p);
    sum[AUC] += auc_of(s, p);
    free(p);
    p = answers_of(s->train, s, weight);
    sum[LOSS_WEIGHTED] += loss_of(s, p);
    free(p);
    for (size_t k = 0; k < 3; k++) {
        heft_table *t = pasted(s->train, often[k]);
        p = answers_of(t, s, NULL);
        sum[LOSS_TWICE + k] += loss_of(s, p);
        free(p), heft_table_free(t);
    }
    heft_table *t = levelled(s->train);
    p = answers_of(t, s, NULL);
    sum[AUC_LEVELLED] += auc_of(s, p);
    free(p), heft_table_free(t);
}

/* Means of five splits: loss and area under the curve of rows that were not learned from. */
static void check_weights_and_copies(const char *path)
{
    heft_table *t;
    double      mean[N_FIGURES] = {0};
    heft_rng    rng;
    heft_rng_init(&rng, 7, 0);
    OK(heft_read(path, NULL, &t, &err));
    for (uint64_t k = 0; k < SPLITS; k++) {
        split   s = split_of(t, k);
        double *weight = calloc(s.train->n_rows, sizeof *weight);
        for (size_t i = 0; i < s.train->n_rows; i++) weight[i] = 1 + 6 * heft_rng_real(&rng);
        if (k == 0) compare_sizes(&s, weight), compare_without(&s);
        add_figures(&s, weight, mean);
        free(weight), free(s.y);
        heft_table_free(s.train), heft_table_free(s.test);
    }
    for (size_t k = 0; k < N_FIGURES; k++) mean[k] /= SPLITS;
    print_message("%s: loss %.4f, weighted %.4f, pasted %.4f %.4f %.4f, AUC %.4f %.4f\n", path,
                  mean[LOSS], mean[LOSS_WEIGHTED], mean[LOSS_TWICE], mean[LOSS_THRICE],
                  mean[LOSS_TEN], mean[AUC], mean[AUC_LEVELLED]);
    assert_true(mean[LOSS_WEIGHTED] <= mean[LOSS] + 0.02);
    for (size_t k = LOSS_TWICE; k <= LOSS_TEN; k++) assert_true(mean[k] <= mean[LOSS] + 0.03);
    assert_true(mean[AUC_LEVELLED] >= mean[AUC] - 0.01);
    heft_table_free(t);
}

static void weights_and_copies_of_loans(void **state)
{
    char path[1024];
    (void)state;
    snprintf(path, sizeof path, "%s/examples/loans.csv", getenv("HEFT_ROOT"));
    check_weights_and_copies(path);
}

static void weights_and_copies_of_data_sets(void **state)
{
    static const char *const names[] = {"credit-g.arff", "breast-w.arff", "diabetes.arff"};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const char *path = data_file(names[k]);
        if (!path) skip();
        check_weights_and_copies(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_do_not_matter),
        cmocka_unit_test(weights_and_copies_of_loans),
        FIGURES_TEST(weights_and_copies_of_data_sets),
    };
    return cmocka_run_group_tests_name("auto_invariance", tests, NULL, NULL);
}
