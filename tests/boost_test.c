/* boost_test.c - boosted trees: their codes, and what must and must not change them. */
#include "boosting.h"

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
    OK(heft_bins_learn(&f.ctx, &g->sample, &f.keys, false, 0, &f.arena, &bins));
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
    forest_fit(&f, &mapped->sample, &plain, rule);
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
            forest_fit(&many, &g->sample, &many, rule);
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
        forest_fit(&f, &learn, &f, rule);
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
            const double all = heft_logsumexp(s, K);
            for (size_t c = 0; c < K; c++) s[c] -= all;
            for (size_t c = 0; c < K; c++) NEAR(score[i * K + c], s[c], 1e-4);
            loss -= s[held.y[i]] / HELD;
        }
        NEAR(f.watch.loss, loss, 1e-4);
        heft_free(heap);
        forest_free(&f);
        free(g);
    }
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
    };
    return cmocka_run_group_tests_name("boost", tests, NULL, NULL);
}
