/* boost_test.c - the boosted member of the default method: its codes, and what must and must not
 * change its trees. */
#include "boosting.h"

#include "methods/auto/geomean.h"
#include "methods/auto/pooled.h"

/* ---- bins.h ---- */

/* At most 128 numbers have a code each; more have cuts behind the first number that reaches i/128
 * of the weight. Gaps have the lowest code, or that of the median. */
static void codes_follow_their_definition(void **state)
{
    (void)state;
    grid            *g = grid_make(1024, 2, 21);
    forest           f;
    heft_bins        bins;
    heft_tree_codes *column;
    void            *heap;
    for (size_t i = 0; i < g->n; i++) g->weight[i] = (double)(i % 4 == 3 ? 2 : i % 4 + 1);
    g->weighted = true; /* 16 rows for each of the bins */
    grid_link(g);
    forest_open(&f, g);
    OK(heft_bins_learn(&f.ctx, &g->sample, f.keys.keys, false, 0, &f.arena, &bins));
    OK(heft_bins_fill(&f.ctx, &bins, &g->sample, &f.arena, &column, &heap));
    assert_int_equal(bins.n_attr, N_COLS);
    for (size_t k = 0; k < bins.n_attr; k++) {
        const heft_bin_attr *a = &bins.attr[k];
        const double        *x = g->number[a->attr];
        if (a->nominal) continue;
        assert_int_equal(a->own_missing, a->attr == 2);
        for (size_t i = 0; i < g->n; i++) {
            double total = 0, below = 0, distinct = 0;
            if (isnan(x[i])) {
                assert_int_equal(heft_code_at(column[k].codes, column[k].width, i), 0);
                continue;
            }
            for (size_t r = 0; r < g->n; r++) {
                bool first = x[r] < x[i];
                for (size_t s = 0; s < r && first; s++) first = x[s] != x[r];
                distinct += first;
                total += isnan(x[r]) ? 0 : g->weight[r];
                below += x[r] < x[i] ? g->weight[r] : 0;
            }
            /* the cuts between x and all below it */
            double want = a->attr == 1 ? distinct : floor(below / total * HEFT_BINS);
            if (a->attr != 1) want = fmin(want, HEFT_BINS - 1);
            assert_int_equal(heft_code_at(column[k].codes, column[k].width, i),
                             (int)want + a->own_missing);
        }
        if (a->own_missing) continue;
        double low = 0, high = 0;
        for (size_t i = 0; i < g->n; i++) {
            low += x[i] < a->median ? g->weight[i] : 0;
            high += x[i] > a->median ? g->weight[i] : 0;
        }
        assert_true(low < 1024 && high <= 1024); /* of 2048 */
        assert_int_equal(a->missing, heft_cut_code(a->cuts, a->n_cuts, a->median));
    }
    heft_free(heap);
    forest_free(&f);
    free(g);
}

/* ---- what trees may and may not depend on ---- */

/* No path tests more attributes than the order, and some path tests as many. */
static void paths_keep_to_the_order(void **state)
{
    (void)state;
    for (size_t K = 2; K <= 4; K += 2)
        for (unsigned order = 1; order <= 3; order++) {
            grid  *g = grid_make(1200, K, 22);
            forest f;
            forest_grow(&f, g, rule_on(K == 2 ? 1 : 0.7, order, 40));
            assert_int_equal(f.boosted.trees.n_trees, 40);
            assert_int_equal(longest_of(&f.boosted.trees), order);
            forest_free(&f);
            free(g);
        }
}

/* Another order of rows, columns, values and classes, another unit: the same bits. (Constant
 * columns never get here: see answers_stay_the_same.) */
static void order_and_names_change_no_bit(void **state)
{
    (void)state;
    for (size_t K = 2; K <= 5; K += 3) {
        grid  *g = grid_make(1500, K, 23);
        forest plain;
        forest_grow(&plain, g, rule_on(K == 2 ? 1 : 0.7, 3, 25));
        for (change how = ROWS; how < MAPPED; how++) {
            if (how == CONSTANT) continue;
            grid  *other = grid_change(g, how);
            forest f;
            forest_grow(&f, other, rule_on(K == 2 ? 1 : 0.7, 3, 25));
            same_trees(&plain.boosted, g, &f.boosted, other, how);
            for (size_t k = 0; k < f.boosted.bins.n_attr && how == COLUMNS; k++)
                assert_int_equal(f.boosted.bins.attr[k].attr,
                                 N_COLS - 1 - plain.boosted.bins.attr[k].attr);
            forest_free(&f);
            free(other);
        }
        forest_free(&plain);
        free(g);
    }
}

/* A map that increases keeps the splits of a number with at most 128 values, where the same rows
 * and attributes are drawn. */
static void increasing_maps_change_no_bit(void **state)
{
    (void)state;
    grid                 *g = grid_make(1500, 3, 24), *mapped = grid_change(g, MAPPED);
    forest                plain, f;
    const heft_boost_rule rule = rule_of(3, 25);
    forest_grow(&plain, g, rule);
    forest_open(&f, mapped);
    forest_fit(&f, &mapped->sample, &plain.keys, rule);
    same_trees(&plain.boosted, g, &f.boosted, mapped, MAPPED);
    forest_free(&plain), forest_free(&f);
    free(g), free(mapped);
}

/* Threads that share the work of one fit, in pieces of the rows, change no bit. */
static void threads_change_no_bit(void **state)
{
    (void)state;
    for (size_t K = 2; K <= 6; K += 2)
        for (int weighted = 0; weighted < 2; weighted++) {
            grid                 *g = grid_make(66000, K, 28);
            const heft_boost_rule rule = rule_on(weighted && K == 4 ? 0.7 : 1, 3, 5);
            forest                one, many;
            for (size_t i = 0; i < g->n; i++) g->weight[i] = 1 + (double)(i % 3) / 4;
            g->weighted = weighted;
            grid_link(g);
            forest_grow(&one, g, rule);
            forest_open(&many, g);
            many.ctx.threads = 4;
            forest_fit(&many, &g->sample, &many.keys, rule);
            same_trees(&one.boosted, g, &many.boosted, g, ROWS);
            forest_free(&one), forest_free(&many);
            free(g);
        }
}

/* After the even rounds the rate grows with the rounds: the values of the first tree behind them
 * do, and it is the same tree otherwise. */
static void rates_grow_after_even_rounds(void **state)
{
    (void)state;
    enum { EVEN = 10 };
    for (size_t K = 2; K <= 3; K++) {
        grid           *g = grid_make(1200, K, 29);
        heft_boost_rule rule = rule_of(3, EVEN + 1);
        forest          a, b;
        forest_grow(&a, g, rule);
        rule.even_rounds = EVEN;
        forest_grow(&b, g, rule);
        const heft_trees *t = &a.boosted.trees, *u = &b.boosted.trees;
        assert_int_equal(t->n_leaves, u->n_leaves);
        for (size_t k = 0; k < t->n_leaves * t->n_columns; k++) {
            const double more = k < t->tree[EVEN].leaf * t->n_columns ? 1 : (EVEN + 1.0) / EVEN;
            NEAR(u->value[k], more * t->value[k], 1e-12);
        }
        forest_free(&a), forest_free(&b);
        free(g);
    }
}

/* Rows of whole weights are as many rows. */
static void weights_are_repetitions(void **state)
{
    (void)state;
    for (size_t K = 2; K <= 4; K += 2) {
        grid  *g = grid_make(1200, K, 25), *long_one = grid_copy(g);
        forest a, b;
        g->weighted = true;
        long_one->n = 0;
        for (size_t i = 0; i < g->n; i++) {
            g->weight[i] = (double)(1 + i % 3);
            for (size_t k = 0; k <= i % 3; k++) copy_row(g, i, long_one, long_one->n++);
        }
        grid_link(g), grid_link(long_one);
        forest_grow(&a, g, rule_on(K == 2 ? 1 : 0.7, 3, 25));
        forest_grow(&b, long_one, rule_on(K == 2 ? 1 : 0.7, 3, 25));
        same_trees(&a.boosted, g, &b.boosted, long_one, ROWS);
        assert_memory_equal(a.boosted.start, b.boosted.start, K * sizeof(double));
        forest_free(&a), forest_free(&b);
        free(g), free(long_one);
    }
}

/* Boosting ends at the round of least held-out loss; that loss and the scores are those of the
 * trees kept. */
static void held_rows_end_it(void **state)
{
    (void)state;
    for (size_t K = 2; K <= 3; K++) {
        enum { HELD = 300 };
        grid            *g = grid_make(1200, K, 26);
        size_t           row[1200];
        double           score[HELD * 3], loss = 0;
        heft_tree_codes *column;
        void            *heap;
        forest           f;
        for (size_t i = 0; i < g->n; i++) row[i] = i;
        heft_sample held = g->sample, learn = g->sample;
        held.n = HELD, learn.n = g->n - HELD;
        held.row = row, learn.row = row + HELD;
        learn.y = g->class + HELD;
        heft_boost_rule rule = rule_of(3, 400);
        forest_open(&f, g);
        f.watch = (heft_boost_watch){.held = &held, .score = score};
        forest_fit(&f, &learn, &f.keys, rule);
        const heft_trees *t = &f.boosted.trees;
        assert_true(f.watch.best > 0 && f.watch.best < 400);
        assert_int_equal(t->n_trees, f.watch.best);
        OK(heft_bins_fill(&f.ctx, &f.boosted.bins, &held, &f.arena, &column, &heap));
        for (size_t i = 0; i < HELD; i++) {
            double        s[3];
            const double *effect = heft_value_effects_of(&f.boosted.effects, t->n_trees) +
                                   (size_t)g->value[N_COLS - 1][i] * t->n_columns;
            memcpy(s, f.boosted.start, K * sizeof *s);
            if (K == 2) s[1] += effect[0];
            for (size_t c = 0; K > 2 && c < K; c++) s[c] += effect[c];
            for (size_t k = 0; k < t->n_trees; k++) {
                const double *v =
                    t->value + (t->tree[k].leaf + walk(t, k, column, i)) * t->n_columns;
                if (K == 2) s[0] -= v[0], s[1] += v[0];
                for (size_t c = 0; K > 2 && c < K; c++) s[c] += v[c];
            }
            heft_log_normalise(s, K);
            for (size_t c = 0; c < K; c++) NEAR(score[i * K + c], s[c], 1e-4);
            loss -= s[held.y[i]] / HELD;
        }
        NEAR(f.watch.loss, loss, 1e-4);
        heft_free(heap);
        forest_free(&f);
        free(g);
    }
}

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
    static const char *const orders[] = {"order=1", "order=2", "order=3"};
    grid                    *g = grid_make(700, 2, 28);
    heft_table              *t = grid_table(g, NULL);
    for (size_t k = 0; k < 3; k++) {
        heft_model        *model = fit(t, "auto", WITH(orders[k]));
        const heft_pooled *own = model->fitted.own;
        assert_true(own->trees.n_trees > 0 && longest_of(&own->trees) == k + 1);
        assert_true(fact(model, "weight of boosted evidence")->number > 0);
        heft_model_free(model);
    }
    heft_table_free(t);
    free(g);
}

/* A model that is saved and loaded answers with the same bits. */
static void files_keep_every_bit(void **state)
{
    (void)state;
    for (size_t K = 2; K <= 4; K += 2) {
        grid       *g = grid_make(700, K, 29);
        heft_table *t = grid_table(g, NULL);
        heft_model *model = fit(t, "auto", NULL), *again;
        char        path[256];
        snprintf(path, sizeof path, "%s", temp_path(".heft"));
        OK(heft_model_save(model, path, &err));
        OK(heft_model_load(path, &again, &err));
        double *p = posterior(model, t), *q = posterior(again, t);
        assert_memory_equal(p, q, g->n * K * sizeof *p);
        same_values(&((const heft_pooled *)model->fitted.own)->trees,
                    &((const heft_pooled *)again->fitted.own)->trees, false);
        unlink(path);
        free(p), free(q);
        heft_model_free(model), heft_model_free(again);
        heft_table_free(t);
        free(g);
    }
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
        cmocka_unit_test(codes_follow_their_definition),
        cmocka_unit_test(paths_keep_to_the_order),
        cmocka_unit_test(order_and_names_change_no_bit),
        cmocka_unit_test(increasing_maps_change_no_bit),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(rates_grow_after_even_rounds),
        cmocka_unit_test(weights_are_repetitions),
        cmocka_unit_test(held_rows_end_it),
        FIGURES_TEST(answers_stay_the_same),
        cmocka_unit_test(the_model_keeps_to_the_order),
        cmocka_unit_test(files_keep_every_bit),
        cmocka_unit_test(the_pool_is_no_worse),
        cmocka_unit_test(nothing_to_split),
        cmocka_unit_test(few_rows_and_one_class),
        cmocka_unit_test(identifiers_take_no_part),
    };
    return cmocka_run_group_tests_name("boost", tests, NULL, NULL);
}
