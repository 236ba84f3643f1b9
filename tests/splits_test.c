/* splits_test.c - the split search against a plain one that tries everything. */
#include "boosting.h"

enum { KINDS = 11, MOST_CLASS = 3, TWIN_COLS = 3, TWIN_ROUNDS = 6 };

typedef struct twin { /* a few kinds of rows; all rows of a kind are drawn, or none */
    const heft_boosted    *b;
    const heft_tree_codes *column;
    size_t                 K, n;
    const grid            *g;
    double                 F[KINDS * MOST_CLASS][MOST_CLASS], p[KINDS * MOST_CLASS][MOST_CLASS];
    double                 slope[KINDS * MOST_CLASS], curve[KINDS * MOST_CLASS];
    heft_boost_rule        rule;
    unsigned               drawn, use; /* sets of kinds and of attributes, as bits */
} twin;

static bool is_drawn(const twin *w, size_t i)
{
    return w->drawn >> (i / w->K) & 1;
}

static void probabilities(twin *w)
{
    for (size_t i = 0; i < w->n; i++) {
        memcpy(w->p[i], w->F[i], sizeof w->p[i]);
        heft_softmax(w->p[i], w->K);
    }
}

/* The values of the leaves are those of the rows drawn. */
static bool values_fit(const twin *w, size_t t)
{
    const heft_trees *trees = &w->b->trees;
    const size_t      K = w->K, columns = trees->n_columns, first = trees->tree[t].leaf;
    double            G[HEFT_MOST_LEAVES][MOST_CLASS] = {{0}}, H[HEFT_MOST_LEAVES][MOST_CLASS];
    memset(H, 0, sizeof H);
    for (size_t i = 0; i < w->n; i++) {
        const size_t leaf = walk(trees, t, w->column, i);
        for (size_t c = 0; is_drawn(w, i) && c < K; c++) {
            G[leaf][c] += w->g->weight[i] * (w->p[i][c] - (w->g->y[i] == (int)c));
            H[leaf][c] += w->g->weight[i] * w->p[i][c] * (1 - w->p[i][c]);
        }
    }
    for (size_t leaf = 0; leaf < trees->tree[t].n_leaves; leaf++)
        for (size_t c = 0; c < columns; c++) {
            const size_t of = columns == 1 ? 1 : c;
            const double factor = K == 2 ? 1 : (double)K / (double)(K - 1);
            double       v = -w->rule.rate * G[leaf][of] / (factor * H[leaf][of] + 1);
            v = fmax(fmin(v, 10 * w->rule.rate), -10 * w->rule.rate) / (K == 2 ? 2 : 1);
            if (fabs(v - trees->value[(first + leaf) * columns + c]) > 2e-4) return false;
        }
    return true;
}

typedef struct side {
    double g, h, n;
} side;

static side sum_of(const twin *w, const bool *in)
{
    side s = {0};
    for (size_t i = 0; i < w->n; i++) {
        if (!in[i]) continue;
        s.g += w->g->weight[i] * w->slope[i];
        s.h += w->g->weight[i] * w->curve[i];
        s.n += w->g->weight[i];
    }
    return s;
}

/* What parting the rows in `in` into those in `left` and the others gains; 0 where it may not be.
 */
static double gain_of(const twin *w, const bool *in, const bool *left, double ridge)
{
    const side all = sum_of(w, in), l = sum_of(w, left);
    const side r = {all.g - l.g, all.h - l.h, all.n - l.n};
    if (l.n < 10 || r.n < 10 || l.h < 0.001 || r.h < 0.001) return 0;
    return l.g * l.g / (l.h + ridge) + r.g * r.g / (r.h + ridge) - all.g * all.g / (all.h + ridge);
}

static uint32_t code_of(const twin *w, size_t k, size_t i)
{
    return heft_code_at(w->column[k].codes, w->column[k].width, i);
}

static double ridge_of(const heft_bin_attr *a)
{
    return a->nominal && a->n_values > 4 ? 11 : 1;
}

/* The largest gain of any threshold of attribute k. */
static double best_threshold(const twin *w, size_t k, const bool *in)
{
    double best = 0;
    for (uint32_t at = 0; at + 1 < w->b->bins.attr[k].n_codes; at++) {
        bool left[KINDS * MOST_CLASS];
        for (size_t i = 0; i < w->n; i++) left[i] = in[i] && code_of(w, k, i) <= at;
        best = fmax(best, gain_of(w, in, left, 1));
    }
    return best;
}

/* The largest gain of any prefix, from either end, of the codes in the order of G/(H + 10). */
static double best_prefix(const twin *w, size_t k, const bool *in)
{
    const heft_bin_attr *a = &w->b->bins.attr[k];
    double               best = 0;
    for (int end = 0; end < 2; end++) {
        bool     left[KINDS * MOST_CLASS] = {false};
        uint32_t taken = 0;
        for (;;) {
            int    next = -1;
            double least = INFINITY;
            for (uint32_t code = 0; code + 1 < a->n_codes; code++) {
                bool here[KINDS * MOST_CLASS];
                for (size_t i = 0; i < w->n; i++) here[i] = in[i] && code_of(w, k, i) == code;
                const side   s = sum_of(w, here);
                const double place = (end ? -1 : 1) * s.g / (s.h + 10);
                if (s.n < a->least || taken >> code & 1 || place >= least) continue;
                least = place;
                next = (int)code;
            }
            if (next < 0) break;
            taken |= (uint32_t)1 << next;
            for (size_t i = 0; i < w->n; i++)
                left[i] |= in[i] && code_of(w, k, i) == (uint32_t)next;
            best = fmax(best, gain_of(w, in, left, ridge_of(a)));
        }
    }
    return best;
}

static double best_gain(const twin *w, const bool *in, const uint32_t *path, size_t n_path)
{
    double best = 0;
    for (uint32_t k = 0; k < w->b->bins.n_attr; k++) {
        bool allowed = w->use >> k & 1;
        if (n_path == w->rule.order) {
            allowed = false;
            for (size_t q = 0; q < n_path; q++) allowed |= path[q] == k;
        }
        if (!allowed) continue;
        const bool nominal = w->b->bins.attr[k].nominal;
        best = fmax(best, nominal ? best_prefix(w, k, in) : best_threshold(w, k, in));
    }
    return best;
}

/* Every split from `at` on has the largest gain there is for its rows; a leaf has none that gains.
 */
static bool splits_are_best(const twin *w, size_t at, size_t n, const bool *in,
                            const uint32_t *path, size_t n_path, bool full)
{
    const heft_trees *t = &w->b->trees;
    const double      best = best_gain(w, in, path, n_path);
    uint32_t          longer[TWIN_COLS + 1];
    bool              left[KINDS * MOST_CLASS], right[KINDS * MOST_CLASS], known = false;
    if (n == 1) return full || best < 0.01;
    const heft_tree_split *s = &t->split[at];
    for (size_t q = 0; q < n_path; q++) {
        longer[q] = path[q];
        known |= path[q] == s->attr;
    }
    if (!known) longer[n_path++] = s->attr;
    if (!(w->use >> s->attr & 1)) return false;
    for (size_t i = 0; i < w->n; i++) {
        left[i] = in[i] && goes_left(t, s, code_of(w, s->attr, i));
        right[i] = in[i] && !left[i];
    }
    const double gain = gain_of(w, in, left, ridge_of(&w->b->bins.attr[s->attr]));
    if (gain < best - 1e-3 * (1 + best)) return false;
    return splits_are_best(w, at + 1, s->left, left, longer, n_path, full) &&
           splits_are_best(w, at + s->left, n - s->left, right, longer, n_path, full);
}

/* Some draw of kinds, attributes and classes explains tree t. */
static bool is_explained(twin *w, size_t t)
{
    const heft_tree *tree = &w->b->trees.tree[t];
    bool             in[KINDS * MOST_CLASS];
    const unsigned   all = (1u << KINDS) - 1;
    for (w->drawn = w->rule.rows < 1 ? 1 : all; w->drawn <= all; w->drawn++) {
        if (!values_fit(w, t)) continue;
        for (size_t i = 0; i < w->n; i++) in[i] = is_drawn(w, i);
        for (unsigned classes = 1; classes + 1 < 1u << w->K; classes++) {
            for (size_t i = 0; i < w->n; i++) {
                double p = 0;
                for (size_t c = 0; c < w->K; c++) p += classes >> c & 1 ? w->p[i][c] : 0;
                w->slope[i] = p - (classes >> w->g->y[i] & 1);
                w->curve[i] = p * (1 - p);
            }
            for (w->use = 1; w->use < 1u << w->b->bins.n_attr; w->use++)
                if (splits_are_best(w, tree->split, tree->n_leaves, in, NULL, 0,
                                    tree->n_leaves == w->rule.most_leaves))
                    return true;
        }
    }
    return false;
}

static void step_forward(twin *w, size_t t)
{
    const heft_trees *trees = &w->b->trees;
    for (size_t i = 0; i < w->n; i++) {
        const double *v =
            trees->value + (trees->tree[t].leaf + walk(trees, t, w->column, i)) * trees->n_columns;
        if (w->K == 2) w->F[i][1] += v[0], w->F[i][0] -= v[0];
        for (size_t c = 0; w->K > 2 && c < w->K; c++) w->F[i][c] += v[c];
    }
}

/* KINDS kinds of rows: two numbers, one with gaps, and a value, with gaps; a row of each class for
 * each kind, of a weight drawn; some kinds are rare. */
static grid *kinds_make(size_t K, uint64_t seed)
{
    grid    *g = calloc(1, sizeof *g);
    heft_rng rng;
    heft_rng_init(&rng, seed, 0);
    g->n = KINDS * K, g->m = TWIN_COLS, g->K = K, g->weighted = true;
    g->nominal[2] = true;
    g->n_values[2] = 9;
    for (size_t i = 0; i < g->n; i++) {
        const size_t kind = i / K;
        g->number[0][i] = (double)(kind * 7 % KINDS);
        g->number[1][i] = kind % 4 == 3 ? NAN : (double)(kind % 4);
        g->value[2][i] = (int32_t)(kind * 3 % 10) - 1;
        g->y[i] = (int32_t)(i % K);
        g->weight[i] = (double)(kind % 3 == 0 ? 1 : 1 + heft_rng_below(&rng, 16));
    }
    grid_link(g);
    return g;
}

/* Tree after tree, some draw makes every split the best that plain loops find, and gives the values
 * of the leaves. */
static void splits_are_the_best(void **state)
{
    (void)state;
    for (size_t K = 2; K <= MOST_CLASS; K++)
        for (unsigned order = 1; order <= 3; order++)
            for (uint64_t seed = 0; seed < 8; seed++) {
                grid                 *g = kinds_make(K, 30 + seed);
                forest                f;
                heft_tree_codes      *column;
                void                 *heap;
                const heft_boost_rule rule = rule_on(seed % 2 ? 0.7 : 1, order, TWIN_ROUNDS);
                forest_grow(&f, g, rule);
                OK(heft_bins_fill(&f.ctx, &f.boosted.bins, &g->sample, &f.arena, &column, &heap));
                twin *w = calloc(1, sizeof *w);
                *w = (twin){
                    .b = &f.boosted, .column = column, .K = K, .n = g->n, .g = g, .rule = rule};
                for (size_t i = 0; i < g->n; i++)
                    for (size_t c = 0; c < K; c++) w->F[i][c] = f.boosted.start[c];
                assert_int_equal(f.boosted.trees.n_trees, TWIN_ROUNDS);
                for (size_t t = 0; t < TWIN_ROUNDS; t++) {
                    probabilities(w);
                    if (!is_explained(w, t))
                        fail_msg("%zu classes, order %u: no draw explains tree %zu", K, order, t);
                    step_forward(w, t);
                }
                heft_free(heap);
                free(w);
                forest_free(&f);
                free(g);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_are_the_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
