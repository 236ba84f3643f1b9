/* boost_test.c - the boosted member of the default method: trees, how they are found, and what must
 * not change them. */
#include "fixture.h"

#include "base/num.h"
#include "methods/auto/geomean.h"
#include "methods/auto/pooled.h"
#include "model/model.h"

enum { N_NUM = 3, N_NOM = 3, N_COLS = N_NUM + N_NOM, MOST_COLS = N_COLS + 1, MOST_ROWS = 12000 };

/* ---- tables ---- */

typedef struct grid { /* numbers first, then values; a negative code is a missing cell */
    size_t   n, m, K;
    bool     weighted, nominal[MOST_COLS];
    double   number[MOST_COLS][MOST_ROWS];
    int32_t  value[MOST_COLS][MOST_ROWS];
    uint32_t n_values[MOST_COLS];
    int32_t  y[MOST_ROWS];
    double   weight[MOST_ROWS];
    uint32_t cell[MOST_COLS][MOST_ROWS]; /* what follows is made by grid_link */
    uint16_t class[MOST_ROWS];
    heft_attr   attr[MOST_COLS];
    heft_rows   rows;
    heft_sample sample;
} grid;

/* The grid as prepared rows. */
static void grid_link(grid *g)
{
    for (size_t j = 0; j < g->m; j++) {
        for (size_t i = 0; i < g->n; i++)
            g->cell[j][i] = g->value[j][i] < 0 ? g->n_values[j] : (uint32_t)g->value[j][i];
        g->attr[j] = g->nominal[j] ? (heft_attr){.coded = true,
                                                 .n_codes = g->n_values[j],
                                                 .width = 4,
                                                 .codes = g->cell[j]}
                                   : (heft_attr){.numbers = g->number[j]};
    }
    for (size_t i = 0; i < g->n; i++) g->class[i] = (uint16_t)g->y[i];
    const double *weight = g->weighted ? g->weight : NULL;
    g->rows = (heft_rows){.n_rows = g->n,
                          .n_attr = g->m,
                          .n_class = g->K,
                          .attr = g->attr,
                          .y = g->class,
                          .weight = weight};
    g->sample = (heft_sample){
        .rows = &g->rows, .n = g->n, .weight = weight, .y = g->class, .n_class = g->K};
}

/* The class depends on two numbers and a value together. One number is continuous, one has 21
 * values, one has gaps; the attributes of values have 4, 6 (and gaps) and 40. */
static grid *grid_make(size_t n, size_t K, uint64_t seed)
{
    grid    *g = calloc(1, sizeof *g);
    heft_rng rng;
    heft_rng_init(&rng, seed, 0);
    g->n = n, g->m = N_COLS, g->K = K;
    for (size_t j = 0; j < N_NOM; j++) g->nominal[N_NUM + j] = true;
    g->n_values[N_NUM] = 4, g->n_values[N_NUM + 1] = 6, g->n_values[N_NUM + 2] = 40;
    for (size_t i = 0; i < n; i++) {
        const double a = heft_rng_real(&rng), b = floor(20 * heft_rng_real(&rng) + 0.5);
        g->number[0][i] = a;
        g->number[1][i] = b;
        g->number[2][i] = heft_rng_below(&rng, 8) ? heft_rng_real(&rng) + a : NAN;
        g->value[N_NUM][i] = (int32_t)heft_rng_below(&rng, 4);
        g->value[N_NUM + 1][i] = (int32_t)heft_rng_below(&rng, 7) - 1;
        g->value[N_NUM + 2][i] = (int32_t)heft_rng_below(&rng, 40);
        const size_t sum = (size_t)(a > 0.4) + (size_t)(b > 11) + (size_t)(g->value[N_NUM][i] < 2);
        g->y[i] = (int32_t)(heft_rng_below(&rng, 8) ? sum * K / 4 : heft_rng_below(&rng, K));
        if (g->value[N_NUM + 2][i] > 30 && heft_rng_below(&rng, 3)) g->y[i] = 0;
        g->weight[i] = 1;
    }
    grid_link(g);
    return g;
}

static grid *grid_copy(const grid *from)
{
    grid *g = malloc(sizeof *g);
    memcpy(g, from, sizeof *g);
    grid_link(g);
    return g;
}

static void copy_row(const grid *from, size_t i, grid *to, size_t k)
{
    for (size_t j = 0; j < from->m; j++) {
        to->number[j][k] = from->number[j][i];
        to->value[j][k] = from->value[j][i];
    }
    to->y[k] = from->y[i];
    to->weight[k] = from->weight[i];
}

static void copy_column(const grid *from, size_t j, grid *to, size_t k)
{
    to->nominal[k] = from->nominal[j];
    to->n_values[k] = from->n_values[j];
    memcpy(to->number[k], from->number[j], sizeof to->number[k]);
    memcpy(to->value[k], from->value[j], sizeof to->value[k]);
}

typedef enum change {
    ROWS,     /* in another order */
    COLUMNS,  /* in reverse order */
    VALUES,   /* numbered in reverse */
    CLASSES,  /* numbered in reverse */
    CONSTANT, /* one more column, of one number, in the middle */
    SCALED,   /* numbers times 1024 */
    MAPPED    /* the number of 21 values, by a map that increases */
} change;

static grid *grid_change(const grid *from, change how)
{
    grid    *g = grid_copy(from);
    size_t   order[MOST_ROWS];
    heft_rng rng;
    heft_rng_init(&rng, 77, 0);
    for (size_t i = 0; i < g->n; i++) order[i] = i;
    if (how == ROWS) heft_rng_shuffle(&rng, order, g->n);
    for (size_t i = 0; i < g->n; i++) copy_row(from, order[i], g, i);
    for (size_t j = 0; j < g->m && how == COLUMNS; j++) copy_column(from, g->m - 1 - j, g, j);
    if (how == CONSTANT) {
        for (size_t j = 2; j < from->m; j++) copy_column(from, j, g, j + 1);
        g->nominal[2] = false;
        for (size_t i = 0; i < g->n; i++) g->number[2][i] = 3.5;
        g->m++;
    }
    for (size_t i = 0; i < g->n; i++) {
        for (size_t j = N_NUM; j < g->m && how == VALUES; j++)
            if (g->value[j][i] >= 0) g->value[j][i] = (int32_t)g->n_values[j] - 1 - g->value[j][i];
        for (size_t j = 0; j < N_NUM && how == SCALED; j++) g->number[j][i] *= 1024;
        if (how == CLASSES) g->y[i] = (int32_t)g->K - 1 - g->y[i];
        if (how == MAPPED) g->number[1][i] = exp(g->number[1][i] / 3) - 7;
    }
    grid_link(g);
    return g;
}

static const char *const words[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j",
                                    "k", "l", "m", "n", "o", "p", "q", "r", "s", "t",
                                    "u", "v", "w", "x", "y", "z", "A", "B", "C", "D",
                                    "E", "F", "G", "H", "I", "J", "K", "L", "M", "N"};

/* The grid as a table; the names are those of `names`, or x and the place. */
static heft_table *grid_table(const grid *g, const char *const *names)
{
    frame f = {.n_rows = g->n,
               .n_cols = g->m,
               .y = g->y,
               .classes = words,
               .n_class = g->K,
               .weight = g->weighted ? g->weight : NULL};
    for (size_t j = 0; j < g->m; j++)
        f.cols[j] = g->nominal[j] ? (field){names ? names[j] : NULL, .codes = g->value[j],
                                            .values = words, .n_values = g->n_values[j]}
                                  : (field){names ? names[j] : NULL, .numbers = g->number[j]};
    return table_of(&f);
}

/* ---- forests ---- */

typedef struct forest {
    heft_ctx         ctx;
    heft_arena       arena;
    heft_boost_keys  keys;
    heft_boosted     boosted;
    heft_boost_watch watch;
} forest;

/* Of trees on a share of the rows. */
static heft_boost_rule rule_on(double rows, unsigned order, size_t rounds)
{
    return (heft_boost_rule){.most_attrs = SIZE_MAX,
                             .rate = 0.2,
                             .most_rounds = rounds,
                             .patience = 30,
                             .order = order,
                             .most_leaves = rows < 1 ? 16 : HEFT_MOST_LEAVES,
                             .rows = rows,
                             .draw = 5};
}

static heft_boost_rule rule_of(unsigned order, size_t rounds)
{
    return rule_on(0.7, order, rounds);
}

static void forest_open(forest *f, const grid *g)
{
    memset(f, 0, sizeof *f);
    heft_ctx_init(&f->ctx, &err, 1, 1, NULL);
    OK(heft_boost_keys_of(&f->ctx, &g->sample, &f->arena, &f->arena, &f->keys));
}

static void forest_grow(forest *f, const grid *g, heft_boost_rule rule)
{
    forest_open(f, g);
    OK(heft_boost_fit(&f->ctx, &g->sample, &f->keys, &rule, &f->watch, &f->arena, &f->boosted));
}

static void forest_free(forest *f)
{
    heft_boosted_clear(&f->boosted);
    heft_arena_clear(&f->arena);
    heft_ctx_clear(&f->ctx);
}

/* The values that a nominal split sends left, as numbered before the change. */
static uint64_t listed_values(const heft_boosted *b, const grid *g, size_t k, change how)
{
    const heft_tree_split *s = &b->trees.split[k];
    const heft_bin_attr   *a = &b->bins.attr[s->attr];
    uint64_t               set = 0;
    for (size_t l = 0; l < s->n_listed; l++) {
        const uint32_t v = a->value_of[b->trees.listed[s->at + l]], n = g->n_values[a->attr];
        set |= (uint64_t)1 << (how == VALUES && v < n ? n - 1 - v : v);
    }
    return set;
}

/* The same values of the leaves, but for the order of the classes, bit for bit. */
static void same_values(const heft_trees *a, const heft_trees *b, bool turned)
{
    const size_t K = a->n_columns;
    assert_int_equal(a->n_leaves, b->n_leaves);
    for (size_t k = 0; k < a->n_leaves; k++)
        for (size_t c = 0; c < K; c++) {
            const double v = b->value[k * K + (turned ? K - 1 - c : c)];
            assert_true(a->value[k * K + c] == (turned && K == 1 ? -v : v));
        }
}

/* The same trees: the other ones are of a changed grid. */
static void same_trees(const heft_boosted *one, const grid *g, const heft_boosted *other,
                       const grid *changed, change how)
{
    const heft_trees *a = &one->trees, *b = &other->trees;
    assert_true(a->n_trees > 0);
    assert_int_equal(a->n_trees, b->n_trees);
    assert_int_equal(a->n_splits, b->n_splits);
    for (size_t t = 0; t < a->n_trees; t++)
        assert_int_equal(a->tree[t].n_leaves, b->tree[t].n_leaves);
    for (size_t k = 0; k < a->n_splits; k++) {
        assert_int_equal(a->split[k].attr, b->split[k].attr);
        assert_int_equal(a->split[k].left, b->split[k].left);
        assert_int_equal(a->split[k].n_listed, b->split[k].n_listed);
        if (a->split[k].n_listed)
            assert_true(listed_values(one, g, k, ROWS) == listed_values(other, changed, k, how));
        else assert_int_equal(a->split[k].at, b->split[k].at);
    }
    same_values(a, b, how == CLASSES);
}

/* ---- walking a tree, the plain way ---- */

static bool goes_left(const heft_trees *t, const heft_tree_split *s, uint32_t code)
{
    if (s->n_listed == 0) return code <= s->at;
    for (size_t k = 0; k < s->n_listed; k++)
        if (t->listed[s->at + k] == code) return true;
    return false;
}

static size_t walk(const heft_trees *t, size_t tree, const heft_tree_codes *column, size_t row)
{
    size_t at = t->tree[tree].split, first = 0, n = t->tree[tree].n_leaves;
    while (n > 1) {
        const heft_tree_split *s = &t->split[at];
        const heft_tree_codes *c = &column[s->attr];
        if (goes_left(t, s, heft_code_at(c->codes, c->width, row))) {
            n = s->left;
            at++;
        } else {
            at += s->left; /* behind the splits of the left side */
            first += s->left;
            n -= s->left;
        }
    }
    return first;
}

/* Most distinct attributes on a path from split `at`, with n leaves below it. */
static size_t longest_path(const heft_trees *t, size_t at, size_t n, const uint32_t *path,
                           size_t n_path)
{
    uint32_t longer[HEFT_MOST_LEAVES];
    if (n == 1) return n_path;
    const heft_tree_split *s = &t->split[at];
    bool                   known = false;
    for (size_t k = 0; k < n_path; k++) {
        longer[k] = path[k];
        known |= path[k] == s->attr;
    }
    if (!known) longer[n_path++] = s->attr;
    const size_t left = longest_path(t, at + 1, s->left, longer, n_path);
    const size_t right = longest_path(t, at + s->left, n - s->left, longer, n_path);
    return left > right ? left : right;
}

static size_t longest_of(const heft_trees *t)
{
    size_t most = 0;
    for (size_t k = 0; k < t->n_trees; k++) {
        const size_t here = longest_path(t, t->tree[k].split, t->tree[k].n_leaves, NULL, 0);
        most = here > most ? here : most;
    }
    return most;
}

/* ---- trees.h ---- */

enum { CODES = 1300, WIDTHS = 3 }; /* more than two chunks */

typedef struct wood { /* random trees over codes of 1, 2 and 4 bytes, and numbers of each kind */
    heft_trees      trees;
    heft_tree       tree[40];
    heft_tree_split split[40 * HEFT_MOST_LEAVES];
    uint32_t        listed[40 * HEFT_MOST_LEAVES * HEFT_MOST_LISTED];
    uint32_t        code[WIDTHS][CODES]; /* as they are meant */
    uint8_t         one[CODES];
    uint16_t        two[CODES];
    heft_tree_codes column[WIDTHS];
} wood;

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* A list of some codes of the column, increasing; every other list has low codes alone. */
static void random_list(wood *w, heft_rng *rng, heft_tree_split *s)
{
    uint32_t    *list = w->listed + w->trees.n_listed;
    const size_t want = 1 + heft_rng_below(rng, HEFT_MOST_LISTED);
    const bool   low = heft_rng_below(rng, 2);
    size_t       n = 0;
    for (size_t k = 0; k < want; k++)
        list[k] =
            low ? (uint32_t)heft_rng_below(rng, 33) : w->code[s->attr][heft_rng_below(rng, CODES)];
    qsort(list, want, sizeof *list, by_number);
    for (size_t k = 0; k < want; k++)
        if (n == 0 || list[k] != list[n - 1]) list[n++] = list[k];
    s->at = (uint32_t)w->trees.n_listed;
    s->n_listed = (uint8_t)n;
    w->trees.n_listed += n;
}

static void random_splits(wood *w, heft_rng *rng, size_t n)
{
    if (n == 1) return;
    heft_tree_split *s = &w->split[w->trees.n_splits++];
    *s = (heft_tree_split){.attr = (uint32_t)heft_rng_below(rng, WIDTHS)};
    const size_t left = 1 + heft_rng_below(rng, n - 1);
    s->left = (uint8_t)left;
    if (heft_rng_below(rng, 2)) random_list(w, rng, s);
    else s->at = w->code[s->attr][heft_rng_below(rng, CODES)];
    random_splits(w, rng, left);
    random_splits(w, rng, n - left);
}

static wood *wood_make(uint64_t seed)
{
    static const uint64_t below[WIDTHS] = {256, 60000, 3000000};
    wood                 *w = calloc(1, sizeof *w);
    heft_rng              rng;
    heft_rng_init(&rng, seed, 0);
    for (size_t i = 0; i < CODES; i++) {
        for (size_t j = 0; j < WIDTHS; j++)
            w->code[j][i] = (uint32_t)heft_rng_below(&rng, heft_rng_below(&rng, 2) ? below[j] : 40);
        w->one[i] = (uint8_t)w->code[0][i];
        w->two[i] = (uint16_t)w->code[1][i];
    }
    w->column[0] = (heft_tree_codes){w->one, 1};
    w->column[1] = (heft_tree_codes){w->two, 2};
    w->column[2] = (heft_tree_codes){w->code[2], 4};
    w->trees = (heft_trees){
        .n_trees = 40, .n_columns = 1, .tree = w->tree, .split = w->split, .listed = w->listed};
    for (size_t t = 0; t < w->trees.n_trees; t++) {
        /* of one leaf, of all, and between */
        const size_t n = t == 0   ? 1
                         : t < 10 ? HEFT_MOST_LEAVES
                                  : 1 + heft_rng_below(&rng, HEFT_MOST_LEAVES);
        w->tree[t].n_leaves = (uint8_t)n;
        w->trees.n_leaves += n;
        random_splits(w, &rng, n);
    }
    return w;
}

/* The leaf is that at the end of the walk. */
static void rows_find_their_leaf(void **state)
{
    (void)state;
    enum { FIRST = 37, MANY = CODES - FIRST };
    for (uint64_t seed = 0; seed < 5; seed++) {
        wood   *w = wood_make(seed);
        uint8_t leaf[MANY];
        assert_true(heft_trees_index(&w->trees));
        for (size_t t = 0; t < w->trees.n_trees; t++) {
            heft_tree_leaves(&w->trees, t, w->column, FIRST, MANY, leaf);
            for (size_t i = 0; i < MANY; i++)
                assert_int_equal(leaf[i], walk(&w->trees, t, w->column, FIRST + i));
        }
        free(w);
    }
}

/* Splits that do not form trees are refused, whatever is wrong with them. */
static void structures_are_checked(void **state)
{
    (void)state;
    wood        *w = wood_make(9);
    heft_trees  *t = &w->trees;
    const size_t full = t->tree[1].n_leaves;
    assert_true(heft_trees_index(t));
    heft_tree_split *root = &t->split[t->tree[1].split], kept = *root;
    root->left = 0; /* nothing to the left */
    assert_false(heft_trees_index(t));
    root->left = (uint8_t)full; /* nothing to the right */
    assert_false(heft_trees_index(t));
    root->left = UINT8_MAX;
    assert_false(heft_trees_index(t));
    *root = kept;
    assert_true(heft_trees_index(t));
    t->tree[0].n_leaves = 0;
    assert_false(heft_trees_index(t));
    t->tree[0].n_leaves = HEFT_MOST_LEAVES + 1;
    assert_false(heft_trees_index(t));
    t->tree[0].n_leaves = UINT8_MAX;
    assert_false(heft_trees_index(t));
    t->tree[0].n_leaves = 1;
    t->n_splits--; /* the last split is not there */
    assert_false(heft_trees_index(t));
    t->n_splits += 2; /* one belongs to no tree */
    assert_false(heft_trees_index(t));
    t->n_splits--;
    t->n_leaves++; /* so does a leaf */
    assert_false(heft_trees_index(t));
    t->n_leaves--;
    assert_true(heft_trees_index(t));
    t->n_trees--;
    assert_int_equal(heft_trees_index(t), t->tree[t->n_trees].n_leaves == 0);
    free(w);
}

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

/* ---- the split search ---- */

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
    OK(heft_boost_fit(&f.ctx, &mapped->sample, &plain.keys, &rule, &f.watch, &f.arena, &f.boosted));
    same_trees(&plain.boosted, g, &f.boosted, mapped, MAPPED);
    forest_free(&plain), forest_free(&f);
    free(g), free(mapped);
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
        OK(heft_boost_fit(&f.ctx, &learn, &f.keys, &rule, &f.watch, &f.arena, &f.boosted));
        const heft_trees *t = &f.boosted.trees;
        assert_true(f.watch.best > 0 && f.watch.best < 400);
        assert_int_equal(t->n_trees, f.watch.best);
        OK(heft_bins_fill(&f.ctx, &f.boosted.bins, &held, &f.arena, &column, &heap));
        for (size_t i = 0; i < HELD; i++) {
            double s[3];
            memcpy(s, f.boosted.start, K * sizeof *s);
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

/* Rows of whole weights are as many rows, to the answers; without learned evidence, as above. */
static void answers_repeat_rows(void **state)
{
    (void)state;
    enum { N = 650, K = 3 };
    grid *g = grid_make(N, K, 35), *repeated = grid_copy(g);
    g->weighted = true;
    repeated->n = 0;
    for (size_t i = 0; i < N; i++) {
        g->weight[i] = (double)(16 + i % 3);
        for (size_t k = 0; k < 16 + i % 3; k++) copy_row(g, i, repeated, repeated->n++);
    }
    heft_table *plain = grid_table(g, NULL), *longer = grid_table(repeated, NULL);
    double     *p = fit_posterior(plain, plain, "auto", NULL),
           *q = fit_posterior(longer, plain, "auto", NULL);
    assert_true(repeated->n > 10000);
    NEAR(largest_difference(p, q, N * K), 0, 1e-12);
    heft_table_free(plain), heft_table_free(longer);
    free(p), free(q), free(g), free(repeated);
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
        assert_true(fact(model, "h_C (boosted)")->number > 0);
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
        cmocka_unit_test(rows_find_their_leaf),
        cmocka_unit_test(structures_are_checked),
        cmocka_unit_test(codes_follow_their_definition),
        cmocka_unit_test(splits_are_the_best),
        cmocka_unit_test(paths_keep_to_the_order),
        cmocka_unit_test(order_and_names_change_no_bit),
        cmocka_unit_test(increasing_maps_change_no_bit),
        cmocka_unit_test(weights_are_repetitions),
        cmocka_unit_test(held_rows_end_it),
        cmocka_unit_test(answers_stay_the_same),
        cmocka_unit_test(answers_repeat_rows),
        cmocka_unit_test(the_model_keeps_to_the_order),
        cmocka_unit_test(files_keep_every_bit),
        cmocka_unit_test(the_pool_is_no_worse),
        cmocka_unit_test(nothing_to_split),
        cmocka_unit_test(few_rows_and_one_class),
        cmocka_unit_test(identifiers_take_no_part),
    };
    return cmocka_run_group_tests_name("boost", tests, NULL, NULL);
}
