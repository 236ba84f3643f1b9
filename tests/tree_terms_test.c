/* tree_terms_test.c - the terms of models that have trees add up to their scores. */
#include "fixture.h"

#include <dirent.h>

#include "data/table.h"
#include "explain/terms.h"

enum { N = 300, NUM = 2, NOM = 2 };

/* ---- models ---- */

/* The parts of every step-th row of `t` sum to its score, and so do its terms. */
static void check_sums(const heft_model *model, const heft_table *t, size_t step)
{
    const size_t K = heft_model_classes(model), A = heft_model_attributes(model);
    const size_t n = heft_table_rows(t), n_terms = heft_model_terms(model);
    double      *terms = calloc((1 + n_terms) * K, sizeof *terms);
    double      *score = calloc(n * K, sizeof *score), *sum = calloc(K, sizeof *sum);
    double      *parts = calloc((1 + A) * K, sizeof *parts);
    OK(heft_predict_scores(model, t, HEFT_SCORE, NULL, score, &err));
    for (size_t i = 0; i < n; i += step) {
        OK(heft_explain_row(model, t, i, parts, sum, &err));
        OK(heft_explain_terms(model, t, i, terms, &err));
        for (size_t c = 0; c < K; c++) {
            double all = 0;
            for (size_t k = 0; k <= n_terms; k++) all += terms[k * K + c];
            if (isinf(score[i * K + c])) assert_true(sum[c] == -INFINITY && all == -INFINITY);
            else NEAR(sum[c], score[i * K + c], 1e-9);
            if (!isinf(score[i * K + c])) NEAR(all, score[i * K + c], 1e-9);
        }
    }
    free(terms), free(score), free(sum), free(parts);
}

/* How many pairs and triples the trees of the model have. */
static void count_joint(const heft_model *model, size_t *n_trees, size_t *pairs, size_t *triples)
{
    heft_ctx          ctx;
    heft_terms        t;
    heft_interaction *list = NULL;
    heft_tree_attr    attr[NUM + NOM];
    size_t            n = 0;
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    OK(heft_terms_open(&ctx, model, &t));
    *n_trees = t.trees ? t.trees->n_trees : 0;
    for (size_t j = 0; j < t.n_attr && t.trees; j++)
        attr[j] = (heft_tree_attr){.numeric = t.attr[j].numeric,
                                   .n_lines = t.attr[j].missing + 1,
                                   .missing = t.tree_missing[j],
                                   .share = t.share[j]};
    const heft_expansion x = {
        .trees = t.trees, .n_columns = t.n_columns, .n_attr = t.n_attr, .attr = attr};
    if (t.trees) OK(heft_interactions_find(&ctx, &x, &ctx.scratch, &list, &n));
    *pairs = *triples = 0;
    for (size_t k = 0; k < n; k++) list[k].n == 2 ? ++*pairs : ++*triples;
    heft_ctx_clear(&ctx);
}

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

/* A remainder is the last term, has no attributes and has a size. */
static void check_remainder(const heft_model *model, bool there)
{
    heft_term_info last = {.size = sizeof last};
    OK(heft_model_term(model, heft_model_terms(model) - 1, &last, &err));
    assert_true((last.n_attributes == 0) == there);
    assert_true(!there || last.strength > 0);
}

/* order bounds the attributes of a term; missing cells and unseen values are explained too. */
static void parts_sum_to_the_score(void **state)
{
    (void)state;
    static const char *const orders[] = {"order=1", "order=2", "order=3", "order=any"};
    for (size_t k = 0; k < 16; k++) {
        const size_t K = k % 2 ? 4 : 2, order = 1 + k / 2 % 4;
        heft_table  *t = mixed(K, k, false), *others = mixed(K, 100 + k, true);
        heft_model  *model = fit(t, "auto",
                                 &(heft_config){.params = PARAMS(orders[order - 1]),
                                                .unseen = k < 8 ? "missing" : "zero",
                                                .run = RUN(.threads = 1)});
        size_t       n_trees, pairs, triples;
        count_joint(model, &n_trees, &pairs, &triples);
        assert_true(n_trees > 0);
        assert_true(order > 1 ? pairs > 0 : pairs == 0);
        assert_true(order > 2 ? triples > 0 : triples == 0);
        check_remainder(model, order > 3);
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
    assert_true(heft_model_terms(model) == NUM + NOM + kept->terms.interactions.n);
    assert_ptr_equal(model->kept, kept);
    heft_model_free(model);
    heft_table_free(t);
}

/* The data sets at hand: some rows of each. */
static void data_sets_are_explained(void **state)
{
    (void)state;
    static const char *const orders[] = {"order=1", "order=2", "order=3", "order=any"};
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
            heft_model *model = fit(t, "auto", WITH(orders[n++ % 4]));
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
        cmocka_unit_test(parts_sum_to_the_score),
        cmocka_unit_test(terms_are_kept_or_not_made),
        FIGURES_TEST(data_sets_are_explained),
    };
    return cmocka_run_group_tests_name("tree_terms", tests, NULL, NULL);
}
