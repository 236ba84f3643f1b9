/* trees_test.c - rows find their leaf in the trees of a model, and what does not form trees is
 * noticed. */
#include "boosting.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_find_their_leaf),
        cmocka_unit_test(structures_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
