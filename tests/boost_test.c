/* boost_test.c - boosted trees: their codes, and what must and must not change them. */
#include "boosting.h"

#include "boost/contributions.h"
#include "boost/windows.h"

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
    OK(heft_bins_learn(&f.ctx, &g->sample, g->sample.n, &f.keys, NULL, &f.arena, &bins));
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
        for (unsigned order = 1; order <= 5; order++) {
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

/* A bin at the end of a column is half as heavy as its neighbour, down to 16 rows; a rare class has
 * bins where its rows are. */
static void tails_and_rare_classes_have_bins(void **state)
{
    (void)state;
    enum { N = 40960, FROM = 20000, TO = 20300 };
    for (int rare = 0; rare < 2; rare++) {
        grid     *g = grid_make(N, 2, 22);
        forest    f;
        heft_bins bins;
        size_t    inside = 0, low = 0, high = 0;
        for (size_t i = 0; i < N; i++) { /* each number once, in an order far from theirs */
            const size_t at = i * 12345 % N;
            g->number[0][i] = (double)at;
            g->y[i] = rare ? at >= FROM && at < TO && at % 3 == 0 : at % 2 == 0;
        }
        grid_link(g);
        forest_open(&f, g);
        OK(heft_bins_learn(&f.ctx, &g->sample, g->sample.n, &f.keys, NULL, &f.arena, &bins));
        const heft_bin_attr *a = bins.attr;
        while (a->attr != 0) a++;
        assert_int_equal(a->n_cuts, HEFT_BINS - 1);
        for (size_t k = 0; k < a->n_cuts; k++) {
            inside += a->cuts[k] >= FROM && a->cuts[k] < TO;
            low += a->cuts[k] < N / HEFT_BINS;
            high += a->cuts[k] > N - N / HEFT_BINS - 1;
        }
        if (rare) { /* 100 rows count as much as a quarter of all */
            assert_true(inside >= 20 && inside <= 40);
        } else { /* 16 or more of about 320 rows */
            assert_int_equal(low, 4);
            assert_int_equal(high, 4);
            assert_true(a->cuts[0] >= 15 && a->cuts[0] < 32);
            assert_int_equal(inside, 1);
        }
        forest_free(&f);
        free(g);
    }
}

/* ---- windows.h ---- */

enum { WINDOWS = 3, WINDOW_ROWS = 4000, WINDOWED = WINDOWS * WINDOW_ROWS };

static const size_t first_of[WINDOWS + 1] = {0, 4100, 8500, WINDOWED}; /* not of equal size */

/* A row that is shown again has all trees that were grown meanwhile, those of its class and its
 * codes, whichever windows were shown before. */
static void rows_of_a_window_get_all_trees(void **state)
{
    (void)state;
    for (size_t K = 2; K <= 3; K++) {
        grid              *g = grid_make(WINDOWED, K, 31);
        forest             f;
        heft_windows       w = {.n = WINDOWS, .first = first_of};
        heft_boost_rows    rows;
        heft_packed_rows   packed = {.bins = &f.boosted.bins, .unit = 1};
        float              in[4] = {0};
        uint32_t           same[3] = {0, 1, 2};
        uint16_t           number[3] = {0, 1, 2};
        heft_boost_classes classes = {
            .K = K, .stride = K == 2 ? 1 : 4, .in_sample = same, .number = number, .drawn = in};
        forest_grow(&f, g, rule_on(1, 3, 150));
        const heft_trees *t = &f.boosted.trees;
        w.all = (heft_boost_rows){.sample = &g->sample, .classes = &classes, .unit = 1};
        OK(heft_bins_fill(&f.ctx, &f.boosted.bins, &g->sample, &f.arena, &w.all.column,
                          &w.all.codes));
        OK(heft_boost_rows_open(&f.ctx, &f.arena, f.boosted.start, false, &w.all));
        OK(heft_windows_open(&f.ctx, &f.arena, f.boosted.bins.n_attr, &w, &rows));
        assert_int_equal(rows.n, WINDOWED);
        packed.column = rows.column, packed.n = rows.n;
        OK(heft_packed_rows_open(&f.ctx, &f.arena, &packed));
        heft_last_tree last = {.classes = &classes, .trees = t};
        OK(heft_last_tree_open(&f.ctx, &f.arena, &last));
        for (size_t k = 0, step = 0; step < 7; step++, k = (k + 2) % WINDOWS) {
            const size_t n = step < 4 || k + 2 > WINDOWS ? 1 : 2; /* windows at once */
            for (size_t l = k; l < k + n; l++)
                OK(heft_windows_add_trees(&f.ctx, &w, l, &last, 21 * (step + 1)));
            heft_windows_show(&w, k, n, &rows, &packed);
            assert_int_equal(rows.n, first_of[k + n] - first_of[k]);
            assert_int_equal(packed.n, rows.n);
            for (size_t i = 0; i < rows.n; i += 7) {
                double       s[3];
                const float *p = rows.P + i * classes.stride;
                memcpy(s, f.boosted.start, K * sizeof *s);
                assert_int_equal(rows.y[i], g->y[first_of[k] + i]);
                for (size_t j = 0; j < 21 * (step + 1); j++) {
                    const double *v =
                        t->value + (t->tree[j].leaf + walk(t, j, rows.column, i)) * t->n_columns;
                    if (K == 2) s[0] -= v[0], s[1] += v[0];
                    for (size_t c = 0; K > 2 && c < K; c++) s[c] += v[c];
                }
                if (K == 2) NEAR(log((double)p[0]), s[1] - s[0], 1e-4);
                for (size_t c = 1; K > 2 && c < K; c++)
                    NEAR(log((double)p[c] / (double)p[0]), s[c] - s[0], 1e-4);
            }
            for (size_t j = 0; j < packed.m; j++) {
                const heft_joint *joint = &packed.joints.attr[j];
                if (!joint->cell) continue;
                for (size_t i = 0; i < rows.n; i++)
                    assert_int_equal(joint->cell[i] / joint->step % f.boosted.bins.attr[j].n_codes,
                                     heft_code_at(rows.column[j].codes, rows.column[j].width, i));
            }
        }
        heft_free(w.all.codes);
        forest_free(&f);
        free(g);
    }
}

/* Trees of which the first are grown on windows are about as good as those grown on all rows, and
 * better than those grown on the rows of one; the order of the rows of a window and threads change
 * no bit. */
static void windows_serve_as_all_rows(void **state)
{
    (void)state;
    for (size_t K = 2; K <= 3; K++) {
        enum { HELD = 6000 };
        grid           *g = grid_make(WINDOWED + HELD, K, 32);
        size_t          row[WINDOWED + HELD];
        forest          plain, one, other, few;
        heft_boost_rule rule = rule_on(K == 3 ? 0.7 : 1, 3, 400);
        rule.most_leaves = 8;
        rule.rate = 0.1;
        for (size_t i = 0; i < g->n; i++) row[i] = i;
        heft_sample held = g->sample, learn = g->sample, turned = g->sample, first = g->sample;
        first.n = first_of[1];
        held.n = HELD, learn.n = turned.n = WINDOWED;
        held.row = row + WINDOWED, held.y = g->class + WINDOWED;
        forest_open(&plain, g), forest_open(&one, g), forest_open(&other, g), forest_open(&few, g);
        plain.watch.held = one.watch.held = other.watch.held = few.watch.held = &held;
        one.window = other.window = first_of;
        one.n_windows = other.n_windows = WINDOWS;
        forest_fit(&plain, &learn, &plain, rule);
        forest_fit(&one, &learn, &one, rule);
        forest_fit(&few, &first, &few, rule);
        uint16_t y[WINDOWED];
        for (size_t k = 0; k < WINDOWS; k++) /* the rows of each window backwards */
            for (size_t i = first_of[k]; i < first_of[k + 1]; i++)
                row[i] = first_of[k] + first_of[k + 1] - 1 - i;
        for (size_t i = 0; i < WINDOWED; i++) y[i] = g->class[row[i]];
        turned.row = row, turned.y = y;
        other.ctx.threads = 3;
        forest_fit(&other, &turned, &other, rule);
        same_trees(&one.boosted, g, &other.boosted, g, ROWS);
        assert_true(one.watch.best > 32); /* every window had its turn */
        assert_true(one.watch.loss == other.watch.loss);
        if (one.watch.loss > 1.06 * plain.watch.loss || one.watch.loss > 0.985 * few.watch.loss)
            fail_msg("%zu classes: loss %g, and %g of all rows, %g of a window", K, one.watch.loss,
                     plain.watch.loss, few.watch.loss);
        forest_free(&plain), forest_free(&one), forest_free(&other), forest_free(&few);
        free(g);
    }
}

/* The scores of row i with the cell of attribute j (SIZE_MAX: none) that row r has. */
static void score_with(const forest *f, const grid *g, heft_tree_codes *column, size_t i, size_t j,
                       size_t r, double *out)
{
    const heft_boosted       *b = &f->boosted;
    const heft_value_effects *e = &b->effects;
    const double             *effect = heft_value_effects_of(e, b->trees.n_trees);
    const size_t              C = b->trees.n_columns;
    uint32_t                  code[MOST_COLS];
    heft_tree_codes           cells[MOST_COLS];
    double                    sum[4] = {0};
    for (size_t k = 0; k < b->bins.n_attr; k++) {
        const size_t from = b->bins.attr[k].attr == j ? r : i;
        code[k] = heft_code_at(column[k].codes, column[k].width, from);
        cells[k] = (heft_tree_codes){&code[k], 4};
    }
    for (size_t t = 0; t < b->trees.n_trees; t++)
        for (size_t c = 0; c < C; c++)
            sum[c] +=
                b->trees.value[(b->trees.tree[t].leaf + walk(&b->trees, t, cells, 0)) * C + c];
    for (size_t k = 0; k < e->n_attr; k++) {
        const uint32_t v = g->cell[e->attr[k]][e->attr[k] == j ? r : i];
        for (size_t c = 0; c < C && v < g->n_values[e->attr[k]]; c++)
            sum[c] += effect[(e->first[k] + v) * C + c] / (C == 1 ? 2 : 1);
    }
    for (size_t k = 0; k < e->n_pairs; k++) {
        const uint32_t *attr = e->pair[k].attr;
        const uint64_t  v = g->cell[attr[0]][attr[0] == j ? r : i];
        const uint64_t  w = g->cell[attr[1]][attr[1] == j ? r : i], q = g->n_values[attr[1]];
        for (size_t at = 0; at < e->pair[k].n_cells; at++)
            for (size_t c = 0; c < C && e->pair[k].key[at] == v * q + w; c++)
                sum[c] += effect[(e->first[e->n_attr + k] + at) * C + c] / (C == 1 ? 2 : 1);
    }
    for (size_t c = 0; c < C; c++) out[C == 1 ? 1 : c] = sum[c];
    if (C == 1) out[0] = -sum[0];
}

/* What an attribute adds to a score is the score less its mean over the attribute's cells. */
static void contributions_are_differences_from_means(void **state)
{
    (void)state;
    enum { N = 800, ASKED = 6 };
    size_t n_pairs = 0;
    for (size_t K = 2; K <= 4; K += 2) {
        grid  *g = grid_make(N, K, 61);
        forest f;
        g->n_values[4] = 40; /* two attributes of many values, which decide together */
        for (size_t i = 0; i < N; i++) {
            g->weight[i] = 1 + (double)(i % 3);
            g->value[4][i] = g->value[5][i] < 30 ? g->value[5][i] + (int32_t)(i % 2) * 7 : 3;
            if (i % 4) g->y[i] = (g->value[5][i] * 5 + (int32_t)(i % 2)) % (int32_t)K;
        }
        g->weighted = true;
        grid_link(g);
        forest_grow(&f, g, rule_of(3, 30));
        assert_true(f.boosted.effects.n_attr > 0);
        n_pairs += f.boosted.effects.n_pairs;
        heft_tree_codes *column;
        void            *codes = NULL;
        OK(heft_bins_fill(&f.ctx, &f.boosted.bins, &g->sample, &f.arena, &column, &codes));
        const size_t      row[ASKED] = {0, 3, 77, 200, 201, N - 1};
        const heft_sample asked = {.rows = &g->rows, .n = ASKED, .row = row, .n_class = K};
        double            out[ASKED * MOST_COLS * 4] = {0};
        OK(heft_boosted_contributions(&f.ctx, &f.boosted, &g->sample, &asked, out));
        for (size_t a = 0; a < ASKED; a++)
            for (size_t j = 0; j < g->m; j++) {
                double score[4], mean[4] = {0}, total = 0;
                score_with(&f, g, column, row[a], SIZE_MAX, 0, score);
                for (size_t r = 0; r < N; r++) {
                    double other[4];
                    score_with(&f, g, column, row[a], j, r, other);
                    for (size_t c = 0; c < K; c++) mean[c] += g->weight[r] * other[c];
                    total += g->weight[r];
                }
                for (size_t c = 0; c < K; c++)
                    NEAR(out[(a * g->m + j) * K + c], score[c] - mean[c] / total, 1e-9);
            }
        double **single; /* the mean over all rows of what a code says by itself is 0 */
        OK(heft_boosted_mains(&f.ctx, &f.boosted, &g->sample, &single));
        for (size_t k = 0; k < f.boosted.bins.n_attr; k++) {
            const size_t C = f.boosted.trees.n_columns;
            double       sum[4] = {0}, size = 0;
            for (size_t i = 0; i < N; i++)
                for (size_t c = 0; c < C; c++) {
                    const size_t v = heft_code_at(column[k].codes, column[k].width, i);
                    sum[c] += g->weight[i] * single[k][v * C + c];
                    size += fabs(single[k][v * C + c]);
                }
            for (size_t c = 0; c < C; c++) NEAR(sum[c], 0, 1e-9 * (1 + size));
        }
        heft_free(codes);
        forest_free(&f);
        free(g);
    }
    assert_true(n_pairs > 0);
}

/* Columns of two codes are counted eight at once: of 400 a tree sees 0.7, and the one that tells is
 * the first split of about so many trees. Of 400 columns of numbers it sees a quarter. */
static void trees_see_most_columns_of_two_codes(void **state)
{
    (void)state;
    enum { N = 300, M = 400, ROUNDS = 40 };
    double    *x = calloc(N * M, sizeof *x);
    heft_attr *attr = calloc(M, sizeof *attr);
    uint64_t  *row_key = calloc(N, sizeof *row_key);
    uint16_t   y[N];
    for (int numbers = 0; numbers < 2; numbers++) {
        heft_rng rng;
        forest   f = {0};
        size_t   first = 0;
        heft_rng_init(&rng, 61, 0);
        for (size_t i = 0; i < N; i++) y[i] = (uint16_t)(i % 2);
        for (size_t k = 0; k < N * M; k++) {
            const double u = heft_rng_real(&rng);
            x[k] = k < N && k % 10 ? (double)(k % 2) + (numbers ? u : 0) : numbers ? u : u < 0.5;
        }
        for (size_t j = 0; j < M; j++) attr[j] = (heft_attr){.numbers = x + j * N};
        const heft_rows   rows = {.n_rows = N, .n_attr = M, .n_class = 2, .attr = attr, .y = y};
        const heft_sample sample = {.rows = &rows, .n = N, .y = y, .n_class = 2};
        heft_ctx_init(&f.ctx, &err, 1, 1, NULL);
        OK(heft_keys_of(&f.ctx, &rows, &f.arena, &f.keys));
        OK(heft_keys_part(&f.ctx, NULL, NULL, &f.keys));
        f.row_key = row_key;
        heft_boost_rule rule = rule_on(1, 1, ROUNDS);
        rule.rate = 0.01;
        forest_fit(&f, &sample, &f, rule);
        for (size_t t = 0; t < ROUNDS; t++)
            first += f.boosted.bins.attr[f.boosted.trees.split[f.boosted.trees.tree[t].split].attr]
                         .attr == 0;
        if (numbers) assert_true(first >= ROUNDS / 10 && first <= ROUNDS / 2);
        else assert_true(first > ROUNDS / 2 && first < ROUNDS);
        forest_free(&f);
    }
    free(x), free(attr), free(row_key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_follow_their_definition),
        cmocka_unit_test(tails_and_rare_classes_have_bins),
        cmocka_unit_test(trees_see_most_columns_of_two_codes),
        cmocka_unit_test(paths_keep_to_the_order),
        cmocka_unit_test(order_and_names_change_no_bit),
        cmocka_unit_test(increasing_maps_change_no_bit),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(rates_grow_after_even_rounds),
        cmocka_unit_test(weights_are_repetitions),
        cmocka_unit_test(held_rows_end_it),
        cmocka_unit_test(contributions_are_differences_from_means),
        cmocka_unit_test(rows_of_a_window_get_all_trees),
        cmocka_unit_test(windows_serve_as_all_rows),
    };
    return cmocka_run_group_tests_name("boost", tests, NULL, NULL);
}
