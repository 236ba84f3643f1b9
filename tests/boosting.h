/* boosting.h - tables and boosted trees for the tests of lib/boost and for auto_boosted_test.c. */
#ifndef BOOSTING_H
#define BOOSTING_H

#include "fixture.h"

#include "base/num.h"
#include "boost/boost.h"

enum { N_NUM = 3, N_NOM = 3, N_COLS = N_NUM + N_NOM, MOST_COLS = N_COLS + 1, MOST_ROWS = 70000 };

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
static inline void grid_link(grid *g)
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
static inline grid *grid_make(size_t n, size_t K, uint64_t seed)
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

static inline grid *grid_copy(const grid *from)
{
    grid *g = malloc(sizeof *g);
    memcpy(g, from, sizeof *g);
    grid_link(g);
    return g;
}

static inline void copy_row(const grid *from, size_t i, grid *to, size_t k)
{
    for (size_t j = 0; j < from->m; j++) {
        to->number[j][k] = from->number[j][i];
        to->value[j][k] = from->value[j][i];
    }
    to->y[k] = from->y[i];
    to->weight[k] = from->weight[i];
}

static inline void copy_column(const grid *from, size_t j, grid *to, size_t k)
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

static inline grid *grid_change(const grid *from, change how)
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
static inline heft_table *grid_table(const grid *g, const char *const *names)
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
    heft_keys        keys;
    const uint64_t  *row_key;
    heft_boosted     boosted;
    heft_boost_watch watch;
    const size_t    *window; /* see heft_boost_input */
    size_t           n_windows;
} forest;

/* Of trees on a share of the rows. */
static inline heft_boost_rule rule_on(double rows, unsigned order, size_t rounds)
{
    return (heft_boost_rule){.most_attrs = SIZE_MAX,
                             .rate = 0.2,
                             .most_rounds = rounds,
                             .patience = 30,
                             .order = order,
                             .attrs = 0.7,
                             .most_leaves = rows < 1 ? 16 : HEFT_MOST_LEAVES,
                             .rows = rows,
                             .draw = 5};
}

static inline heft_boost_rule rule_of(unsigned order, size_t rounds)
{
    return rule_on(0.7, order, rounds);
}

static inline void forest_open(forest *f, const grid *g)
{
    memset(f, 0, sizeof *f);
    heft_ctx_init(&f->ctx, &err, 1, 1, NULL);
    uint64_t *row = heft_arena_alloc(&f->arena, g->n, sizeof *row);
    assert_non_null(row);
    OK(heft_keys_of(&f->ctx, &g->rows, &f->arena, &f->keys));
    OK(heft_keys_part(&f->ctx, NULL, NULL, &f->keys));
    OK(heft_keys_rows(&f->ctx, &f->keys, row));
    f->row_key = row;
}

/* A fit from its first round to its last, with keys of rows that may be those of another forest. */
static inline void forest_fit(forest *f, const heft_sample *sample, const forest *keys,
                              heft_boost_rule rule)
{
    heft_boosting         *b = NULL;
    const heft_boost_input input = {sample,    &keys->keys,  keys->row_key,
                                    f->window, f->n_windows, f->window ? f->window[1] : SIZE_MAX};
    OK(heft_boost_open(&f->ctx, &input, &rule, &f->watch, &f->boosted, &b));
    for (bool more = true; more;) OK(heft_boost_go_on(&f->ctx, b, &more));
    heft_boost_close(b);
}

static inline void forest_grow(forest *f, const grid *g, heft_boost_rule rule)
{
    forest_open(f, g);
    forest_fit(f, &g->sample, f, rule);
}

static inline void forest_free(forest *f)
{
    heft_boosted_clear(&f->boosted);
    heft_arena_clear(&f->arena);
    heft_ctx_clear(&f->ctx);
}

/* The values that a nominal split sends left, as numbered before the change. */
static inline uint64_t listed_values(const heft_boosted *b, const grid *g, size_t k, change how)
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
static inline void same_values(const heft_trees *a, const heft_trees *b, bool turned)
{
    const size_t K = a->n_columns;
    assert_int_equal(a->n_leaves, b->n_leaves);
    for (size_t k = 0; k < a->n_leaves; k++)
        for (size_t c = 0; c < K; c++) {
            const double v = b->value[k * K + (turned ? K - 1 - c : c)];
            assert_true(a->value[k * K + c] == (turned && K == 1 ? -v : v));
        }
}

/* The same effects of values, but for the order of values and classes, bit for bit. */
static inline void same_effects(const heft_value_effects *a, const heft_value_effects *b, size_t n,
                                change how)
{
    const size_t columns = a->n_columns;
    assert_int_equal(a->n_attr, 1);
    assert_int_equal(b->n_attr, 1);
    assert_int_equal(a->n_tables, b->n_tables);
    for (size_t k = 0; k < a->n_tables; k++)
        for (size_t v = 0; v < n; v++)
            for (size_t c = 0; c < columns; c++) {
                const size_t to = how == VALUES ? n - 1 - v : v;
                const double x = a->table[k][v * columns + c];
                const double y = b->table[k][to * columns + (how == CLASSES ? columns - 1 - c : c)];
                assert_true(x == (how == CLASSES && columns == 1 ? -y : y));
            }
}

/* The same trees: the other ones are of a changed grid. */
static inline void same_trees(const heft_boosted *one, const grid *g, const heft_boosted *other,
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
    same_effects(&one->effects, &other->effects, g->n_values[N_COLS - 1], how);
}

/* ---- walking a tree, the plain way ---- */

static inline bool goes_left(const heft_trees *t, const heft_tree_split *s, uint32_t code)
{
    if (s->n_listed == 0) return code <= s->at;
    for (size_t k = 0; k < s->n_listed; k++)
        if (t->listed[s->at + k] == code) return true;
    return false;
}

static inline size_t walk(const heft_trees *t, size_t tree, const heft_tree_codes *column,
                          size_t row)
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
static inline size_t longest_path(const heft_trees *t, size_t at, size_t n, const uint32_t *path,
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

static inline size_t longest_of(const heft_trees *t)
{
    size_t most = 0;
    for (size_t k = 0; k < t->n_trees; k++) {
        const size_t here = longest_path(t, t->tree[k].split, t->tree[k].n_leaves, NULL, 0);
        most = here > most ? here : most;
    }
    return most;
}

#endif
