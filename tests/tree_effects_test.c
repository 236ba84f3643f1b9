/* tree_effects_test.c - the evidence of trees, unfolded: against a plain enumeration of leaves and
 * subsets. */
#include "fixture.h"

#include "boost/tree_effects.h"
#include "boost/tree_paths.h"

/* ---- trees made by hand ---- */

enum { ATTRS = 6, TREES = 30, MOST_LINES = 9, MOST_K = 4, ROWS = 40 };

typedef struct forest {
    heft_ctx        ctx;
    heft_expansion  t;
    heft_tree_attr  attr[ATTRS];
    double          share[ATTRS][MOST_LINES];
    uint32_t        listed[TREES * HEFT_MOST_LEAVES * HEFT_MOST_LISTED];
    heft_trees      trees;
    heft_tree       tree[TREES];
    heft_tree_split split[TREES * HEFT_MOST_LEAVES];
    double          value[TREES * HEFT_MOST_LEAVES * MOST_K];
    heft_rng        rng;
} forest;

static uint32_t lines_of(const forest *f, size_t j)
{
    return f->attr[j].n_lines;
}

/* A random subtree in pre-order, of a path that has tested `seen`, at most `order` attributes. */
static void grow(forest *f, size_t n_leaves, const bool *seen, size_t order)
{
    bool   now[ATTRS];
    size_t j, n_seen = 0;
    if (n_leaves == 1) return;
    memcpy(now, seen, sizeof now);
    for (size_t k = 0; k < ATTRS; k++) n_seen += seen[k];
    do j = heft_rng_below(&f->rng, ATTRS);
    while (n_seen == order && !seen[j]);
    now[j] = true;
    heft_tree_split *s = &f->split[f->trees.n_splits++];
    *s = (heft_tree_split){.attr = (uint32_t)j};
    s->left = (uint8_t)(1 + heft_rng_below(&f->rng, n_leaves - 1));
    if (f->attr[j].numeric) {
        s->at = (uint32_t)heft_rng_below(&f->rng, lines_of(f, j));
    } else {
        s->at = (uint32_t)f->trees.n_listed;
        for (uint32_t v = 0; v < lines_of(f, j); v++)
            if (heft_rng_below(&f->rng, 3) == 0) f->listed[s->at + s->n_listed++] = v;
        if (!s->n_listed) f->listed[s->at + s->n_listed++] = 1;
        f->trees.n_listed += s->n_listed;
    }
    const size_t left = s->left;
    grow(f, left, now, order);
    grow(f, n_leaves - left, now, order);
}

static void forest_make(forest *f, size_t K, size_t order, uint64_t seed)
{
    memset(f, 0, sizeof *f);
    heft_ctx_init(&f->ctx, &err, 1, 1, NULL);
    heft_rng_init(&f->rng, seed, 0);
    f->trees = (heft_trees){.n_columns = K == 2 ? 1 : K,
                            .tree = f->tree,
                            .split = f->split,
                            .listed = f->listed,
                            .value = f->value};
    f->t = (heft_expansion){.n_attr = ATTRS, .n_columns = K, .attr = f->attr, .trees = &f->trees};
    for (size_t j = 0; j < ATTRS; j++) {
        const uint32_t n = MOST_LINES - (uint32_t)j;
        double         sum = 0;
        f->attr[j] = (heft_tree_attr){.numeric = j < 2,
                                      .n_lines = n,
                                      .missing = j == 0 ? 0 : 3, /* below all, or as another line */
                                      .share = f->share[j]};
        for (size_t l = 0; l < n; l++) sum += f->share[j][l] = heft_rng_real(&f->rng);
        for (size_t l = 0; l < n; l++) f->share[j][l] /= sum;
    }
    for (size_t t = 0; t < TREES; t++) {
        f->tree[t].n_leaves = (uint8_t)(1 + heft_rng_below(&f->rng, HEFT_MOST_LEAVES));
        f->trees.n_leaves += f->tree[t].n_leaves;
        f->trees.n_trees++;
        grow(f, f->tree[t].n_leaves, (const bool[ATTRS]){false}, order);
    }
    for (size_t k = 0; k < f->trees.n_leaves * f->trees.n_columns; k++)
        f->value[k] = heft_rng_real(&f->rng) - 0.5;
    assert_true(heft_trees_index(&f->trees));
}

/* ---- the twin ---- */

static uint32_t code_of(const forest *f, size_t j, uint32_t line)
{
    if (!f->attr[j].numeric) return line;
    return line + 1 == lines_of(f, j) ? f->attr[j].missing : line + 1;
}

/* The row of these lines goes to leaf l of tree t as far as attribute j is asked. */
static bool in_box(const forest *f, size_t t, size_t l, size_t j, uint32_t line, bool *tested)
{
    size_t at = f->tree[t].split, lo = 0, n = f->tree[t].n_leaves;
    bool   in = true;
    while (n > 1) { /* down the path of the leaf */
        const heft_tree_split *s = &f->split[at];
        const bool             leaf_right = l >= lo + s->left;
        if (s->attr == j) {
            const uint32_t code = code_of(f, j, line);
            bool           right = s->n_listed ? true : code > s->at;
            for (size_t k = 0; k < s->n_listed; k++) right &= f->listed[s->at + k] != code;
            *tested = true;
            in &= right == leaf_right;
        }
        at += leaf_right ? s->left : 1; /* pre-order: the left part has left - 1 splits */
        lo += leaf_right ? s->left : 0;
        n = leaf_right ? n - s->left : s->left;
    }
    return in;
}

/* out[K] = the term of the attributes in `set` (bits), at these lines; 0: the start. */
static void twin(const forest *f, unsigned set, const uint32_t *line, double *out)
{
    const size_t K = f->t.n_columns, C = f->trees.n_columns;
    memset(out, 0, K * sizeof *out);
    for (size_t t = 0; t < TREES; t++)
        for (size_t l = 0; l < f->tree[t].n_leaves; l++) {
            const double *v = f->value + (f->tree[t].leaf + l) * C;
            double        by = 1;
            for (size_t j = 0; j < ATTRS; j++) {
                bool   tested = false;
                double q = 0;
                for (uint32_t x = 0; x < lines_of(f, j); x++)
                    if (in_box(f, t, l, j, x, &tested)) q += f->share[j][x];
                if (!tested) by *= set >> j & 1 ? 0 : 1;
                else by *= set >> j & 1 ? in_box(f, t, l, j, line[j], &tested) - q : q;
            }
            for (size_t c = 0; c < K; c++) out[c] += by * (C > 1 ? v[c] : c ? v[0] : -v[0]);
        }
}

static unsigned bits_of(const heft_interaction *of)
{
    unsigned set = 0;
    for (size_t k = 0; k < of->n; k++) set |= 1u << of->attr[k];
    return set;
}

/* Each attribute of the set in turn: the mean over its lines is 0. */
static void check_means(const forest *f, const heft_tree_effects *e, size_t k, uint32_t *line)
{
    const size_t            K = f->t.n_columns;
    const heft_interaction *of = &f->t.interaction[k];
    for (size_t m = 0; m < of->n; m++) {
        const uint32_t j = of->attr[m], kept = line[j];
        double         mean[MOST_K] = {0};
        for (line[j] = 0; line[j] < lines_of(f, j); line[j]++) {
            double one[MOST_K] = {0};
            heft_tree_effects_one(e, line, k, one);
            for (size_t c = 0; c < K; c++) mean[c] += f->share[j][line[j]] * one[c];
        }
        line[j] = kept;
        for (size_t c = 0; c < K; c++) NEAR(mean[c], 0, 1e-12);
    }
}

static bool is_listed(const forest *f, unsigned set)
{
    for (size_t k = 0; k < f->t.n_interactions; k++)
        if (bits_of(&f->t.interaction[k]) == set) return true;
    return false;
}

/* The remainder and its shares, from all sets that are not listed. */
static void check_remainder(const forest *f, const uint32_t *line, const heft_joint_sums *sums)
{
    const size_t K = f->t.n_columns;
    double       rest[MOST_K] = {0}, share[ATTRS * MOST_K] = {0}, one[MOST_K];
    for (unsigned set = 0; set < 1u << ATTRS; set++) {
        size_t n = 0;
        for (size_t j = 0; j < ATTRS; j++) n += set >> j & 1;
        if (n < 2 || is_listed(f, set)) continue;
        twin(f, set, line, one);
        for (size_t c = 0; c < K; c++) {
            rest[c] += one[c];
            for (size_t j = 0; j < ATTRS; j++)
                if (set >> j & 1) share[j * K + c] += one[c] / (double)n;
        }
    }
    for (size_t c = 0; c < K; c++) NEAR(sums->remainder[c], rest[c], 1e-12);
    for (size_t k = 0; k < ATTRS * K; k++) NEAR(sums->shares[k], share[k], 1e-12);
}

/* The start and the tables are those of the twin, and tables have mean 0. */
static void check_singles(const forest *f, const heft_tree_effects *e)
{
    const size_t K = f->t.n_columns;
    uint32_t     line[ATTRS] = {0};
    double       told[MOST_K];
    twin(f, 0, line, told);
    for (size_t c = 0; c < K; c++) NEAR(e->start[c], told[c], 1e-12);
    for (size_t j = 0; j < ATTRS; j++) {
        double mean[MOST_K] = {0};
        for (line[j] = 0; e->table[j] && line[j] < lines_of(f, j); line[j]++) {
            twin(f, 1u << j, line, told);
            for (size_t c = 0; c < K; c++) {
                NEAR(e->table[j][line[j] * K + c], told[c], 1e-12);
                mean[c] += f->share[j][line[j]] * told[c];
            }
        }
        for (size_t c = 0; c < K; c++) NEAR(mean[c], 0, 1e-12);
        line[j] = 0;
    }
}

/* Several rows at once have the bits of one. The others are in the first lines of all attributes.
 */
static void check_at_once(const heft_tree_effects *e, uint32_t *line, const heft_joint_sums *one)
{
    enum { R = HEFT_ROWS_AT_ONCE };
    const size_t    K = e->expansion.n_columns, n = e->expansion.n_interactions * K;
    uint32_t        zero[ATTRS] = {0}, *lines[R];
    double         *all = calloc((n + K + ATTRS * K) * R, sizeof *all);
    heft_joint_sums sums = {all, all + n * R, all + (n + K) * R};
    for (size_t r = 0; r < R; r++) lines[r] = r == 5 ? line : zero;
    heft_tree_effects_rows(e, lines, R, &sums);
    for (size_t k = 0; k < n; k++) assert_true(sums.together[k * R + 5] == one->together[k]);
    for (size_t k = 0; k < K; k++) assert_true(sums.remainder[k * R + 5] == one->remainder[k]);
    for (size_t k = 0; k < ATTRS * K; k++) assert_true(sums.shares[k * R + 5] == one->shares[k]);
    free(all);
}

/* One row: every interaction is that of the twin, and all terms add up to the values of its leaves.
 */
static void check_row(forest *f, const heft_tree_effects *e, bool closely)
{
    const size_t    K = f->t.n_columns, n = f->t.n_interactions;
    double          sum[MOST_K], all[MOST_K] = {0}, told[MOST_K], rest[MOST_K] = {0};
    double          shares[ATTRS * MOST_K] = {0};
    double         *together = calloc(n * K + 1, sizeof *together);
    uint32_t        line[ATTRS], codes[ATTRS];
    heft_tree_codes column[ATTRS];
    heft_joint_sums sums = {together, rest, shares};
    for (size_t j = 0; j < ATTRS; j++) {
        line[j] = (uint32_t)heft_rng_below(&f->rng, lines_of(f, j));
        codes[j] = code_of(f, j, line[j]);
        column[j] = (heft_tree_codes){&codes[j], 4};
    }
    heft_tree_effects_rows(e, (uint32_t *[]){line}, 1, &sums);
    check_at_once(e, line, &sums);
    memcpy(sum, e->start, K * sizeof *sum);
    for (size_t j = 0; j < ATTRS; j++)
        for (size_t c = 0; e->table[j] && c < K; c++) sum[c] += e->table[j][line[j] * K + c];
    for (size_t k = 0; k < n; k++) {
        double one[MOST_K] = {0};
        heft_tree_effects_one(e, line, k, one);
        if (closely) twin(f, bits_of(&f->t.interaction[k]), line, told);
        for (size_t c = 0; c < K; c++) {
            if (closely) NEAR(together[k * K + c], told[c], 1e-12);
            NEAR(one[c], together[k * K + c], 1e-12);
            sum[c] += together[k * K + c];
        }
        if (closely) check_means(f, e, k, line);
    }
    if (closely) check_remainder(f, line, &sums);
    for (size_t t = 0; t < TREES; t++) {
        uint8_t leaf;
        heft_tree_leaves(&f->trees, t, column, 0, 1, &leaf);
        const double *v = f->value + (f->tree[t].leaf + leaf) * f->trees.n_columns;
        for (size_t c = 0; c < K; c++) all[c] += K > 2 ? v[c] : c ? v[0] : -v[0];
    }
    for (size_t c = 0; c < K; c++) NEAR(sum[c] + rest[c], all[c], 1e-12);
    free(together);
}

/* `left_out`: so many of the interactions are not listed. */
static void check_forest(size_t K, size_t order, size_t left_out, uint64_t seed)
{
    forest           *f = malloc(sizeof *f);
    heft_tree_effects e;
    heft_interaction *list = NULL;
    forest_make(f, K, order, seed);
    assert_int_equal(heft_trees_width(&f->trees), order);
    OK(heft_interactions_find(&f->ctx, &f->t, &f->ctx.scratch, &list, &f->t.n_interactions));
    if (order == 1) assert_int_equal(f->t.n_interactions, 0);
    else assert_true(f->t.n_interactions > left_out);
    for (size_t k = 0; k < left_out; k++)
        list[3 * k] = list[--f->t.n_interactions]; /* spread over pairs and triples */
    heft_interactions_sort(list, f->t.n_interactions);
    f->t.interaction = list;
    for (size_t k = 0; k < f->t.n_interactions; k++) {
        assert_in_range(list[k].n, 2, order < 3 ? order : 3);
        assert_int_equal(heft_interaction_at(list, f->t.n_interactions, list[k].attr, list[k].n),
                         k);
    }
    OK(heft_tree_effects_open(&f->ctx, &f->t, &e));
    assert_int_equal(e.wide, order > 3 || left_out);
    check_singles(f, &e);
    for (size_t i = 0; i < ROWS; i++) check_row(f, &e, i < (order > 3 ? 2 : 4));
    heft_ctx_clear(&f->ctx);
    free(f);
}

static void every_leaf_is_unfolded_exactly(void **state)
{
    (void)state;
    for (size_t order = 1; order <= ATTRS; order++)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            check_forest(2, order, 0, seed);
            check_forest(MOST_K, order, 0, 10 + seed);
        }
}

/* Interactions that are not listed are part of the remainder, also those of narrow leaves. */
static void what_is_not_listed_remains(void **state)
{
    (void)state;
    for (size_t order = 3; order <= ATTRS; order++) {
        check_forest(2, order, 5, 20 + order);
        check_forest(MOST_K, order, 5, 30 + order);
    }
}

/* A tree whose only path has 31 attributes: the polynomials have their highest degree. Of the sums
 * over all sets only the totals can be told: v or 0, and shares that add up to the remainder. */
static void the_longest_path_adds_up(void **state)
{
    (void)state;
    enum { N = HEFT_PATH_ATTRS, LINES = 3 };
    heft_ctx          ctx;
    heft_tree         tree = {.n_leaves = HEFT_MOST_LEAVES};
    heft_tree_split   split[N];
    uint32_t          listed[N];
    double            value[HEFT_MOST_LEAVES], share[LINES] = {0.3, 0.6, 0.1};
    heft_tree_attr    attr[N];
    heft_tree_effects e;
    heft_interaction *list = NULL;
    for (uint32_t j = 0; j < N; j++) {
        split[j] = (heft_tree_split){.attr = j, .at = j, .n_listed = 1, .left = 1};
        listed[j] = j % LINES;
        attr[j] = (heft_tree_attr){.n_lines = LINES, .share = share};
    }
    for (size_t l = 0; l < HEFT_MOST_LEAVES; l++) value[l] = 1 + (double)l;
    heft_trees     trees = {1, N, N, HEFT_MOST_LEAVES, 1, &tree, split, listed, value};
    heft_expansion x = {.trees = &trees, .n_columns = 2, .n_attr = N, .attr = attr};
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    assert_true(heft_trees_index(&trees));
    OK(heft_interactions_find(&ctx, &x, &ctx.scratch, &list, &x.n_interactions));
    x.interaction = list;
    /* all pairs, and those of 4495 triples that are strongest */
    assert_in_range(x.n_interactions, N * (N - 1) / 2 + 1, N * (N - 1) / 2 + HEFT_MOST_JOINT);
    OK(heft_tree_effects_open(&ctx, &x, &e));
    assert_true(e.wide);
    double *together = calloc(x.n_interactions * 2, sizeof *together);
    for (uint32_t row = 0; row <= N; row++) { /* it leaves the path at attribute `row` */
        uint32_t line[N];
        double   sum = e.start[1], rest[2] = {0}, shares[2 * N] = {0}, parts = 0;
        for (uint32_t j = 0; j < N; j++) line[j] = (j + (j < row)) % LINES;
        memset(together, 0, x.n_interactions * 2 * sizeof *together);
        heft_tree_effects_rows(&e, (uint32_t *[]){line}, 1,
                               &(heft_joint_sums){together, rest, shares});
        for (size_t j = 0; j < N; j++) {
            sum += e.table[j][2 * line[j] + 1];
            parts += shares[2 * j + 1];
        }
        for (size_t k = 0; k < x.n_interactions; k++) sum += together[2 * k + 1];
        NEAR(sum + rest[1], value[row], 1e-11);
        NEAR(parts, rest[1], 1e-11);
    }
    free(together);
    heft_ctx_clear(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_leaf_is_unfolded_exactly),
        cmocka_unit_test(what_is_not_listed_remains),
        cmocka_unit_test(the_longest_path_adds_up),
    };
    return cmocka_run_group_tests_name("tree_effects", tests, NULL, NULL);
}
