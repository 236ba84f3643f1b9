/* auto_boosted_test.c - the boosted member of the default method: what its model keeps, and what
 * must not change its answers. */
#include <sys/stat.h>

#include "boosting.h"

#include "methods/auto/pooled.h"
#include "model/model.h"

/* ---- the model ---- */

static const char *const letters[] = {"c6", "c5", "c4", "c3", "c2", "c1", "c0"};

static double *answers(const grid *train, const char *const *names, int threads)
{
    heft_table *t = grid_table(train, names);
    heft_config how = {.params = PARAMS("effort=lean"), .run = RUN(.threads = threads)};
    double     *p = fit_posterior(t, t, "auto", &how);
    heft_table_free(t);
    return p;
}

/* What the answers of a changed grid differ by. */
static double difference(const grid *g, const double *p, change how)
{
    grid        *other = grid_change(g, how);
    heft_table  *test = NULL;
    heft_table  *train = grid_table(other, NULL);
    const size_t K = g->K;
    double       most = 0;
    if (how == ROWS) test = grid_table(g, NULL);
    double *q = fit_posterior(train, test ? test : train, "auto", NULL);
    for (size_t i = 0; i < g->n; i++)
        for (size_t c = 0; c < K; c++)
            most = fmax(most, fabs(q[i * K + (how == CLASSES ? K - 1 - c : c)] - p[i * K + c]));
    heft_table_free(test), heft_table_free(train);
    free(q), free(other);
    return most;
}

/* Threads, names, units and constant columns change no bit of an answer; the order of rows,
 * columns, values and classes nothing beyond rounding, which is single precision where the learned
 * evidence takes part. It does not where the weights add up to many rows. */
static void answers_stay_the_same(void **state)
{
    (void)state;
    enum { N = 700, K = 3 };
    for (int many = 0; many < 2; many++) {
        grid *g = grid_make(N, K, 27);
        g->weighted = many;
        for (size_t i = 0; i < N && many; i++) g->weight[i] = 20;
        grid_link(g);
        double      *p = answers(g, NULL, 1), *q = answers(g, letters, 1);
        const double rounding = many ? 1e-12 : 1e-3;
        assert_memory_equal(p, q, N * K * sizeof *p);
        free(q), q = answers(g, NULL, 3);
        assert_memory_equal(p, q, N * K * sizeof *p);
        assert_true(difference(g, p, CONSTANT) == 0);
        assert_true(difference(g, p, SCALED) == 0);
        NEAR(difference(g, p, ROWS), 0, 1e-12);
        NEAR(difference(g, p, COLUMNS), 0, rounding);
        NEAR(difference(g, p, VALUES), 0, rounding);
        NEAR(difference(g, p, CLASSES), 0, rounding);
        free(p), free(q), free(g);
    }
}

/* The order bounds the trees of the model, and with order 1 a tree is evidence of one attribute. */
static void the_model_keeps_to_the_order(void **state)
{
    (void)state;
    static const char *const orders[] = {"order=1", "order=2", "order=3", "order=any"};
    grid                    *g = grid_make(700, 2, 28);
    heft_table              *t = grid_table(g, NULL);
    for (size_t k = 0; k < 4; k++) {
        heft_model        *model = fit(t, "auto", WITH(orders[k]));
        const heft_pooled *own = model->fitted.own;
        const size_t       longest = longest_of(&own->trees);
        assert_true(own->trees.n_trees > 0 && (k < 3 ? longest == k + 1 : longest > 3));
        assert_true((own->listed != NULL) == (k == 3) && (own->remainder > 0) == (k == 3));
        assert_true(fact(model, "weight of boosted evidence")->number > 0);
        heft_model_free(model);
    }
    heft_table_free(t);
    free(g);
}

/* The class depends on one attribute, or on four that have to be known together. */
static void set_class(grid *g, bool four)
{
    for (size_t i = 0; i < g->n; i++) {
        const bool low = g->number[0][i] < 0.5, few = g->number[1][i] < 10;
        const bool chosen = g->value[N_NUM][i] < 2 ? low : few;
        g->y[i] = four ? chosen != (g->value[N_NUM + 1][i] < 2) : low;
        if (i % 10 == 0) g->y[i] = i % 20 == 0;
    }
    grid_link(g);
}

/* The order that is chosen is any where held-out rows need more than three attributes together, and
 * three otherwise; the model is then that of the order. */
static void the_order_is_chosen(void **state)
{
    (void)state;
    static const char *const orders[] = {"order=3", "order=any"};
    for (int four = 0; four < 2; four++) {
        grid *g = grid_make(6000, 2, 31);
        set_class(g, four);
        heft_table *t = grid_table(g, NULL);
        double     *p = fit_posterior(t, t, "auto", NULL);
        for (int k = 0; k < 2; k++) {
            heft_config how = {.params = PARAMS(orders[k])};
            double     *q = fit_posterior(t, t, "auto", &how);
            assert_int_equal(memcmp(p, q, g->n * 2 * sizeof *p) == 0, k == four);
            free(q);
        }
        heft_table_free(t);
        free(p), free(g);
    }
}

/* Both models have the same terms, and explain a row with the same bits. */
static void same_terms(const heft_model *a, const heft_model *b, const heft_table *t)
{
    const size_t n = heft_model_terms(a), bytes = (1 + n) * heft_model_classes(a) * sizeof(double);
    double      *p = malloc(bytes), *q = malloc(bytes);
    assert_int_equal(heft_model_terms(b), n);
    for (size_t k = 0; k < n; k++) {
        heft_term_info x = {.size = sizeof x}, y = {.size = sizeof y};
        OK(heft_model_term(a, k, &x, &err));
        OK(heft_model_term(b, k, &y, &err));
        assert_int_equal(x.n_attributes, y.n_attributes);
        assert_memory_equal(x.attributes, y.attributes, sizeof x.attributes);
        assert_true(x.strength == y.strength);
    }
    OK(heft_explain_terms(a, t, 3, p, &err));
    OK(heft_explain_terms(b, t, 3, q, &err));
    assert_memory_equal(p, q, bytes);
    free(p), free(q);
}

/* A model that is saved and loaded answers with the same bits. */
static void files_keep_every_bit(void **state)
{
    (void)state;
    for (size_t k = 0; k < 4; k++) {
        const size_t K = k % 2 ? 4 : 2;
        grid        *g = grid_make(700, K, 29);
        heft_table  *t = grid_table(g, NULL);
        heft_model  *model = fit(t, "auto", k < 2 ? NULL : WITH("order=any")), *again;
        char         path[256];
        snprintf(path, sizeof path, "%s", temp_path(".heft"));
        OK(heft_model_save(model, path, &err));
        OK(heft_model_load(path, &again, &err));
        double *p = posterior(model, t), *q = posterior(again, t);
        assert_memory_equal(p, q, g->n * K * sizeof *p);
        const size_t bytes = g->m * sizeof *model->fitted.importance;
        assert_memory_equal(model->fitted.importance, again->fitted.importance, bytes);
        assert_memory_equal(model->fitted.importance_error, again->fitted.importance_error, bytes);
        for (size_t j = 0; j < g->m; j++) {
            const heft_pooled_attr *one = &((const heft_pooled *)model->fitted.own)->attr[j];
            const heft_pooled_attr *two = &((const heft_pooled *)again->fitted.own)->attr[j];
            assert_memory_equal(one->error, two->error, one->lines.n_lines);
        }
        same_values(&((const heft_pooled *)model->fitted.own)->trees,
                    &((const heft_pooled *)again->fitted.own)->trees, false);
        same_terms(model, again, t);
        unlink(path);
        free(p), free(q);
        heft_model_free(model), heft_model_free(again);
        heft_table_free(t);
        free(g);
    }
}

/* Tables and leaves take 16 and 32 bits for a number, and models of versions that wrote 64 bits can
 * still be read. */
static void numbers_are_packed(void **state)
{
    (void)state;
    grid        *g = grid_make(700, 4, 31);
    heft_table  *t = grid_table(g, NULL);
    heft_model  *model = fit(t, "auto", NULL), *again;
    heft_pooled *own = model->fitted.own;
    double      *p = posterior(model, t);
    long long    size[2];
    size_t       cells = 0;
    char         path[256];
    snprintf(path, sizeof path, "%s", temp_path(".heft"));
    for (size_t k = 0; k < own->n_pairs; k++) cells += own->pair[k].n_cells;
    const size_t leaves = own->trees.n_leaves;
    assert_true(cells > 100 && leaves > 100);
    for (int older = 0; older < 2; older++) {
        struct stat file;
        if (older) {
            for (size_t k = 0; k < own->n_pairs; k++) own->pair[k].step = 0;
            own->leaf_step = 0;
        }
        OK(heft_model_save(model, path, &err));
        assert_int_equal(stat(path, &file), 0);
        size[older] = (long long)file.st_size;
        OK(heft_model_load(path, &again, &err));
        double *q = posterior(again, t);
        assert_memory_equal(p, q, g->n * 4 * sizeof *p);
        unlink(path);
        free(q);
        heft_model_free(again);
    }
    const size_t saved = 4 * (6 * cells + 4 * leaves), steps = 8 * (own->n_pairs + 1);
    assert_true(size[1] - size[0] > (long long)(saved - steps) - 1000);
    free(p);
    heft_model_free(model);
    heft_table_free(t);
    free(g);
}

/* The mix of least loss, pulled towards equal parts: no member alone is better by more than the
 * pull. The evidence of three attributes together needs the trees. */
static void the_pool_is_no_worse(void **state)
{
    (void)state;
    enum { N = 1500, K = 2 };
    grid        *g = grid_make(N, K, 30), *other = grid_make(N, K, 31);
    heft_table  *train = grid_table(g, NULL), *test = grid_table(other, NULL);
    heft_model  *model = fit(train, "auto", NULL);
    const double folds = fact(model, "held-out folds")->number, held = N * folds / 5;
    const double pool = fact(model, "held-out loss")->number;
    /* 30/2 |(0, 1, 0) - (1/3, 1/3, 1/3)|^2 = 10 */
    assert_true(pool <= fact(model, "leave-one-out loss")->number + 10 / (held - 1));
    double *p = posterior(model, test),
           *q = fit_posterior(train, test, "auto", WITH("effort=count"));
    double pooled = 0, counted = 0;
    for (size_t i = 0; i < N; i++) {
        pooled -= log(p[i * K + (size_t)other->y[i]]) / N;
        counted -= log(q[i * K + (size_t)other->y[i]]) / N;
    }
    assert_true(pooled < counted);
    NEAR(pooled, pool, 0.05);
    free(p), free(q);
    heft_model_free(model);
    heft_table_free(train), heft_table_free(test);
    free(g), free(other);
}

/* ---- little to learn from ---- */

/* No attribute, only gaps, or constant columns: no tree, and the class frequencies. */
static void nothing_to_split(void **state)
{
    (void)state;
    enum { N = 60 };
    grid  *g = grid_make(N, 2, 32);
    forest f;
    double share = 0;
    for (size_t i = 0; i < N; i++) {
        g->number[0][i] = NAN;
        g->value[1][i] = -1;
        share += g->y[i] / (double)N;
    }
    g->nominal[1] = true;
    g->n_values[1] = 3;
    for (g->m = 0; g->m <= 2; g->m++) { /* without a column, of gaps, of gaps of both kinds */
        grid_link(g);
        forest_grow(&f, g, rule_of(3, 10));
        assert_int_equal(f.boosted.bins.n_attr, 0);
        assert_int_equal(f.boosted.trees.n_trees, 0);
        NEAR(f.boosted.start[1], log((share * N + 0.5) / (N + 1)), 1e-12);
        forest_free(&f);
        double *p = answers(g, NULL, 1);
        for (size_t i = 0; i < N; i++) NEAR(p[2 * i + 1], share, 1e-12);
        free(p);
    }
    free(g);
}

/* One class; fewer than ten rows: no tree, and probabilities. */
static void few_rows_and_one_class(void **state)
{
    (void)state;
    for (size_t n = 2; n < 14; n++) {
        grid *g = grid_make(n, 2, 33);
        g->y[0] = 0, g->y[1] = 1;
        grid_link(g);
        heft_table        *t = grid_table(g, NULL);
        heft_model        *model = fit(t, "auto", NULL);
        const heft_pooled *own = model->fitted.own;
        double            *p = posterior(model, t);
        if (n < 10) assert_int_equal(own->trees.n_trees, 0);
        for (size_t i = 0; i < n; i++) NEAR(p[2 * i] + p[2 * i + 1], 1, 1e-12);
        free(p);
        heft_model_free(model);
        heft_table_free(t);
        for (size_t i = 0; i < n; i++) g->y[i] = 1;
        p = answers(g, NULL, 1);
        for (size_t i = 0; i < n; i++) assert_true(p[2 * i] == 0 && p[2 * i + 1] == 1);
        free(p), free(g);
    }
}

/* ---- columns that name the rows ---- */

static char heard[512];

static void hear(void *user, heft_level level, const char *text)
{
    (void)user;
    if (level == HEFT_WARNING) snprintf(heard, sizeof heard, "%s", text);
}

/* A nominal column in which nearly every row has its own value changes no answer, and a warning
 * names it; one with fewer values takes part. */
static void identifiers_take_no_part(void **state)
{
    (void)state;
    enum { N = 400, K = 2 };
    static char        text[N][8];
    static const char *names[N];
    int32_t            id[N], half[N];
    const heft_host    host = {.log = hear};
    grid              *g = grid_make(N, K, 34);
    for (size_t i = 0; i < N; i++) {
        snprintf(text[i], sizeof text[i], "r%zu", i);
        names[i] = text[i];
        id[i] = (int32_t)(i < 20 ? 0 : i); /* 381 values of 400 */
        half[i] = (int32_t)(i / 2);
    }
    double *p = answers(g, NULL, 1);
    for (int named = 0; named < 2; named++) {
        heft_table *t = grid_table(g, NULL);
        heft_model *model;
        OK(heft_table_add_codes(t, named ? "name of the row" : "of two rows", named ? id : half, 1,
                                names, N, &err));
        heard[0] = 0;
        model = fit(t, "auto", &(heft_config){.run = RUN(.threads = 1, .host = &host)});
        double *q = posterior(model, t);
        if (named) {
            assert_non_null(strstr(heard, "column 'name of the row' takes no part"));
            assert_memory_equal(p, q, N * K * sizeof *p);
            assert_true(model->fitted.weights.w[N_COLS] == 0);
        } else assert_null(strstr(heard, "takes no part"));
        free(q);
        heft_model_free(model);
        heft_table_free(t);
    }
    free(p), free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIGURES_TEST(answers_stay_the_same),        cmocka_unit_test(the_model_keeps_to_the_order),
        cmocka_unit_test(the_order_is_chosen),      cmocka_unit_test(files_keep_every_bit),
        cmocka_unit_test(numbers_are_packed),       cmocka_unit_test(the_pool_is_no_worse),
        cmocka_unit_test(nothing_to_split),         cmocka_unit_test(few_rows_and_one_class),
        cmocka_unit_test(identifiers_take_no_part),
    };
    return cmocka_run_group_tests_name("auto_boosted", tests, NULL, NULL);
}
