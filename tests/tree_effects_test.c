/* tree_effects_test.c - the evidence of trees, unfolded: against a plain enumeration of leaves and
 * subsets, and against the scores of models. */
#include "fixture.h"

#include <dirent.h>

#include "boost/tree_effects.h"
#include "data/table.h"
#include "explain/terms.h"

/* ---- trees made by hand ---- */

enum { ATTRS = 5, TREES = 30, MOST_LINES = 9, MOST_K = 4, ROWS = 40 };

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
    const size_t            K = f->t.n_columns, n = f->t.n_interactions;
    const heft_interaction *of = &f->t.interaction[k];
    double                 *together = calloc(n * K, sizeof *together), mean[MOST_K];
    for (size_t m = 0; m < of->n; m++) {
        const uint32_t j = of->attr[m], kept = line[j];
        memset(mean, 0, sizeof mean);
        for (line[j] = 0; line[j] < lines_of(f, j); line[j]++) {
            memset(together, 0, n * K * sizeof *together);
            heft_tree_effects_row(e, line, SIZE_MAX, together);
            for (size_t c = 0; c < K; c++) mean[c] += f->share[j][line[j]] * together[k * K + c];
        }
        line[j] = kept;
        for (size_t c = 0; c < K; c++) NEAR(mean[c], 0, 1e-12);
    }
    free(together);
}

static void check_forest(size_t K, size_t order, uint64_t seed)
{
    forest           *f = malloc(sizeof *f);
    heft_tree_effects e;
    heft_interaction *list = NULL;
    uint32_t          line[ATTRS] = {0};
    double            told[MOST_K];
    forest_make(f, K, order, seed);
    assert_true(heft_trees_narrow(&f->trees));
    OK(heft_interactions_find(&f->ctx, &f->trees, &f->ctx.scratch, &list, &f->t.n_interactions));
    f->t.interaction = list;
    if (order == 1) assert_int_equal(f->t.n_interactions, 0);
    else assert_true(f->t.n_interactions > 0);
    for (size_t k = 0; k < f->t.n_interactions; k++) {
        assert_in_range(list[k].n, 2, order);
        assert_int_equal(heft_interaction_at(list, f->t.n_interactions, list[k].attr, list[k].n),
                         k);
    }
    OK(heft_tree_effects_open(&f->ctx, &f->t, &e));
    twin(f, 0, line, told);
    for (size_t c = 0; c < K; c++) NEAR(e.start[c], told[c], 1e-12);
    for (size_t j = 0; j < ATTRS; j++) {
        double mean[MOST_K] = {0};
        for (line[j] = 0; e.table[j] && line[j] < lines_of(f, j); line[j]++) {
            twin(f, 1u << j, line, told);
            for (size_t c = 0; c < K; c++) {
                NEAR(e.table[j][line[j] * K + c], told[c], 1e-12);
                mean[c] += f->share[j][line[j]] * told[c];
            }
        }
        for (size_t c = 0; c < K; c++) NEAR(mean[c], 0, 1e-12);
        line[j] = 0;
    }
    double *together = calloc(f->t.n_interactions * K + 1, sizeof *together);
    for (size_t i = 0; i < ROWS; i++) {
        double          sum[MOST_K], all[MOST_K] = {0};
        uint32_t        codes[ATTRS];
        heft_tree_codes column[ATTRS];
        for (size_t j = 0; j < ATTRS; j++) {
            line[j] = (uint32_t)heft_rng_below(&f->rng, lines_of(f, j));
            codes[j] = code_of(f, j, line[j]);
            column[j] = (heft_tree_codes){&codes[j], 4};
        }
        memset(together, 0, f->t.n_interactions * K * sizeof *together);
        heft_tree_effects_row(&e, line, SIZE_MAX, together);
        memcpy(sum, e.start, K * sizeof *sum);
        for (size_t j = 0; j < ATTRS; j++)
            for (size_t c = 0; e.table[j] && c < K; c++) sum[c] += e.table[j][line[j] * K + c];
        for (size_t k = 0; k < f->t.n_interactions; k++) {
            if (i < 4) twin(f, bits_of(&list[k]), line, told);
            for (size_t c = 0; c < K; c++) {
                if (i < 4) NEAR(together[k * K + c], told[c], 1e-12);
                sum[c] += together[k * K + c];
            }
            if (i == 0) check_means(f, &e, k, line);
        }
        for (size_t t = 0; t < TREES; t++) {
            uint8_t leaf;
            heft_tree_leaves(&f->trees, t, column, 0, 1, &leaf);
            const double *v = f->value + (f->tree[t].leaf + leaf) * f->trees.n_columns;
            for (size_t c = 0; c < K; c++) all[c] += K > 2 ? v[c] : c ? v[0] : -v[0];
        }
        for (size_t c = 0; c < K; c++) NEAR(sum[c], all[c], 1e-12);
    }
    free(together);
    heft_ctx_clear(&f->ctx);
    free(f);
}

static void every_leaf_is_unfolded_exactly(void **state)
{
    (void)state;
    for (size_t order = 1; order <= 3; order++)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            check_forest(2, order, seed);
            check_forest(MOST_K, order, 10 + seed);
        }
}

/* Paths of four attributes have no such sum: a file with one is refused (pooled.c). */
static void wide_paths_are_found(void **state)
{
    (void)state;
    forest *f = malloc(sizeof *f);
    forest_make(f, 2, 4, 7);
    assert_false(heft_trees_narrow(&f->trees));
    heft_ctx_clear(&f->ctx);
    free(f);
}

/* ---- models ---- */

/* The parts of every step-th row of `t` sum to its score. */
static void check_sums(const heft_model *model, const heft_table *t, size_t step)
{
    const size_t K = heft_model_classes(model), A = heft_model_attributes(model);
    const size_t n = heft_table_rows(t);
    double      *score = calloc(n * K, sizeof *score), *sum = calloc(K, sizeof *sum);
    double      *parts = calloc((1 + A) * K, sizeof *parts);
    OK(heft_predict_scores(model, t, HEFT_SCORE, NULL, score, &err));
    for (size_t i = 0; i < n; i += step) {
        OK(heft_explain_row(model, t, i, parts, sum, &err));
        for (size_t c = 0; c < K; c++) {
            if (isinf(score[i * K + c])) assert_true(sum[c] == -INFINITY);
            else NEAR(sum[c], score[i * K + c], 1e-9);
        }
    }
    free(score), free(sum), free(parts);
}

/* How many pairs and triples the trees of the model have. */
static void count_joint(const heft_model *model, size_t *n_trees, size_t *pairs, size_t *triples)
{
    heft_ctx          ctx;
    heft_terms        t;
    heft_interaction *list = NULL;
    size_t            n = 0;
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    OK(heft_terms_open(&ctx, model, &t));
    *n_trees = t.trees ? t.trees->n_trees : 0;
    if (t.trees) OK(heft_interactions_find(&ctx, t.trees, &ctx.scratch, &list, &n));
    *pairs = *triples = 0;
    for (size_t k = 0; k < n; k++) list[k].n == 2 ? ++*pairs : ++*triples;
    heft_ctx_clear(&ctx);
}

enum { N = 300, NUM = 2, NOM = 2 };

/* Numbers and values that decide the class together, some missing; `more`: also values that the
 * training rows do not have. */
static heft_table *mixed(size_t K, uint64_t seed, bool more)
{
    static const char *const values[] = {"a", "b", "c", "d", "new"};
    static const char *const classes[] = {"k0", "k1", "k2", "k3", "k4"};
    double                   x[N * NUM];
    int32_t                  v[N * NOM], y[N];
    heft_rng                 rng;
    heft_rng_init(&rng, seed, 0);
    for (size_t i = 0; i < N; i++) {
        size_t sum = 0;
        for (size_t j = 0; j < NUM; j++) {
            x[i * NUM + j] = heft_rng_real(&rng);
            sum += x[i * NUM + j] > 0.5;
        }
        for (size_t j = 0; j < NOM; j++) {
            v[i * NOM + j] = (int32_t)heft_rng_below(&rng, 4);
            sum += v[i * NOM + j] == 2;
        }
        y[i] = (int32_t)(heft_rng_below(&rng, 8) ? sum * K / (NUM + NOM + 1)
                                                 : heft_rng_below(&rng, K));
        if (heft_rng_below(&rng, 8) == 0) x[i * NUM] = NAN;
        if (more && heft_rng_below(&rng, 4) == 0) x[i * NUM + 1] = NAN;
        if (heft_rng_below(&rng, 8) == 0) v[i * NOM] = -1;
        if (more && heft_rng_below(&rng, 4) == 0) v[i * NOM + 1] = 4;
    }
    frame f = {.n_rows = N, .n_cols = NUM + NOM, .y = y, .classes = classes, .n_class = K};
    for (size_t j = 0; j < NUM; j++) f.cols[j] = (field){.numbers = x + j, .step = NUM};
    for (size_t j = 0; j < NOM; j++)
        f.cols[NUM + j] =
            (field){.codes = v + j, .step = NOM, .values = values, .n_values = more ? 5 : 4};
    return table_of(&f);
}

/* order bounds the attributes of a term; missing cells and unseen values are explained too. */
static void parts_sum_to_the_score(void **state)
{
    (void)state;
    static const char *const orders[] = {"order=1", "order=2", "order=3"};
    for (size_t k = 0; k < 12; k++) {
        const size_t K = k % 2 ? 4 : 2, order = 1 + k / 2 % 3;
        heft_table  *t = mixed(K, k, false), *others = mixed(K, 100 + k, true);
        heft_model  *model = fit(t, "auto",
                                 &(heft_config){.params = PARAMS(orders[order - 1]),
                                                .unseen = k < 6 ? "missing" : "zero",
                                                .run = RUN(.threads = 1)});
        size_t       n_trees, pairs, triples;
        count_joint(model, &n_trees, &pairs, &triples);
        assert_true(n_trees > 0);
        assert_true(order > 1 ? pairs > 0 : pairs == 0);
        assert_true(order > 2 ? triples > 0 : triples == 0);
        check_sums(model, t, 1);
        check_sums(model, others, 1);
        heft_model_free(model);
        heft_table_free(t), heft_table_free(others);
    }
}

/* The terms are kept by the first call that completes them; a call without memory leaves nothing.
 */
static void terms_are_kept_or_not_made(void **state)
{
    (void)state;
    heft_table *t = mixed(2, 1, false);
    heft_model *model = fit(t, "auto", NULL);
    double      parts[(1 + NUM + NOM) * 2], score[2];
    heft_status st = HEFT_ENOMEM;
    for (size_t n = 1; st != HEFT_OK; n++) {
        heft_fail_alloc_at(n, false);
        st = heft_explain_row(model, t, 0, parts, score, &err);
        heft_fail_alloc_at(0, false);
        assert_true(st == HEFT_OK || st == HEFT_ENOMEM);
        assert_true(st == HEFT_OK || n > 1 || !model->kept);
    }
    const heft_kept_terms *kept = model->kept;
    assert_non_null(kept);
    assert_true(heft_model_terms(model) == NUM + NOM + kept->terms.n_interactions);
    assert_ptr_equal(model->kept, kept);
    heft_model_free(model);
    heft_table_free(t);
}

/* The data sets at hand: some rows of each. */
static void data_sets_are_explained(void **state)
{
    (void)state;
    static const char *const orders[] = {"order=1", "order=2", "order=3"};
    const char              *iris = data_file("iris.arff");
    if (!iris) skip();
    char                 folder[512], path[1024];
    size_t               n = 0, rows[100];
    const struct dirent *entry;
    snprintf(folder, sizeof folder, "%.*s", (int)(strlen(iris) - strlen("iris.arff")), iris);
    DIR *d = opendir(folder);
    while ((entry = readdir(d))) {
        heft_table *all, *t;
        heft_ctx    ctx;
        const char *end = strrchr(entry->d_name, '.');
        if (!end || (strcmp(end, ".arff") != 0 && strcmp(end, ".csv") != 0)) continue;
        snprintf(path, sizeof path, "%s%s", folder, entry->d_name);
        OK(heft_read(path, NULL, &all, &err));
        const size_t n_all = heft_table_rows(all), n_rows = n_all < 100 ? n_all : 100;
        if (heft_table_attributes(all) <= 25) { /* wider ones take long */
            heft_ctx_init(&ctx, &err, 1, 1, NULL);
            for (size_t i = 0; i < n_rows; i++) rows[i] = i * (n_all / n_rows);
            OK(heft_table_take(&ctx, all, rows, n_rows, &t));
            heft_model *model = fit(t, "auto", WITH(orders[n++ % 3]));
            check_sums(model, all, n_all / 20 + 1);
            heft_model_free(model);
            heft_table_free(t);
            heft_ctx_clear(&ctx);
        }
        heft_table_free(all);
    }
    closedir(d);
    assert_true(n > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_leaf_is_unfolded_exactly),
        cmocka_unit_test(wide_paths_are_found),
        cmocka_unit_test(parts_sum_to_the_score),
        cmocka_unit_test(terms_are_kept_or_not_made),
        FIGURES_TEST(data_sets_are_explained),
    };
    return cmocka_run_group_tests_name("tree_effects", tests, NULL, NULL);
}
