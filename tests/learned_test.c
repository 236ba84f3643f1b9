/* learned_test.c - heft_inspect.h: what a model says of itself agrees with its documents and its
 * predictions, for every method. */
#include "fixture.h"

#include "methods/registry.h"
#include "model/model.h"

enum { ROWS = 120, NUMBERS = 3, NOMINALS = 3, COLS = NUMBERS + NOMINALS, VALUES = 4, MOST = 3 };

static const char *const letters[] = {"a", "b", "c", "d"};
static const char *const words[] = {"red, or not", "\"green\"", "blue", "d"};

static double  x[NUMBERS][ROWS];
static int32_t v[NOMINALS][ROWS], y[ROWS];

static void fill(uint64_t seed, size_t n_class, bool gaps)
{
    heft_rng rng;
    heft_rng_init(&rng, seed, 0);
    for (size_t i = 0; i < ROWS; i++) {
        y[i] = (int32_t)heft_rng_below(&rng, n_class);
        for (size_t j = 0; j < NUMBERS; j++) {
            x[j][i] = y[i] * (double)j + 3 * heft_rng_real(&rng) - 1;
            if (j == 2) x[j][i] = heft_rng_below(&rng, 3) ? 0 : x[j][i];
            if (gaps && heft_rng_below(&rng, 9) == 0) x[j][i] = (double)NAN;
        }
        for (size_t j = 0; j < NOMINALS; j++) {
            v[j][i] = heft_rng_below(&rng, 2) ? y[i] : (int32_t)heft_rng_below(&rng, VALUES);
            if (gaps && heft_rng_below(&rng, 9) == 0) v[j][i] = -1;
        }
    }
}

static heft_table *dense_table(size_t n_class)
{
    frame f = {.n_rows = ROWS, .n_cols = COLS, .y = y, .classes = letters, .n_class = n_class};
    for (size_t j = 0; j < NUMBERS; j++) f.cols[j] = (field){.numbers = x[j]};
    for (size_t j = 0; j < NOMINALS; j++)
        f.cols[NUMBERS + j] = (field){.codes = v[j], .values = words, .n_values = VALUES};
    return table_of(&f);
}

static heft_table *sparse_table(size_t n_class)
{
    static const char *const names[] = {"x0", "x1", "x2"};
    size_t                   start[ROWS + 1] = {0}, n = 0;
    uint32_t                 col[ROWS * NUMBERS];
    double                   val[ROWS * NUMBERS];
    heft_table              *t;
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < NUMBERS; j++)
            if (x[j][i] != 0) col[n] = (uint32_t)j, val[n++] = x[j][i];
        start[i + 1] = n;
    }
    OK(heft_table_create(ROWS, &t, &err));
    OK(heft_table_add_sparse(t, NUMBERS, start, col, val, names, &err));
    OK(heft_table_set_target(t, "class", y, letters, n_class, &err));
    return t;
}

/* Row i as heft_predict_row takes it. */
static void take_row(const heft_model *model, size_t i, double *row)
{
    for (size_t k = 0; k < heft_model_attributes(model); k++) {
        const size_t j = (size_t)atoi(model_column(model, k) + 1);
        row[k] = j < NUMBERS             ? x[j][i]
                 : v[j - NUMBERS][i] < 0 ? (double)NAN
                                         : (double)v[j - NUMBERS][i];
    }
}

static const heft_config ways[] = {
    {0},
    {.discretize = "width:4"},
    {.discretize = "mdl", .impute = "mean"},
    {.scale = "minmax", .impute = "mean", .unseen = "zero"},
    {.calibrate = "vector"},
    {.prior = "b=0"},
    {.scale = "unit"},
};

enum { KINDS = 3, WAYS = sizeof ways / sizeof *ways };

static heft_model **models; /* of every method in every way; NULL: it cannot do this */

/* Numbers, values and classes as of the tables of this kind: without gaps, with gaps, sparse. */
static heft_table *table_of_kind(size_t kind)
{
    const size_t n_class = kind == 0 ? 2 : 3;
    fill(kind, n_class, kind == 1);
    return kind == 2 ? sparse_table(n_class) : dense_table(n_class);
}

static int fit_models(void **state)
{
    const size_t M = heft_methods_count();
    (void)state;
    models = calloc(KINDS * M * WAYS, sizeof *models);
    for (size_t kind = 0; kind < KINDS; kind++) {
        heft_table *t = table_of_kind(kind);
        for (size_t k = 0; k < M * WAYS; k++) {
            heft_config config = ways[k % WAYS];
            config.method = heft_methods_at(k / WAYS)->name;
            if (heft_fit(t, &config, &models[kind * M * WAYS + k], &err) != HEFT_OK)
                assert_null(models[kind * M * WAYS + k]);
        }
        heft_table_free(t);
    }
    return 0;
}

static int free_models(void **state)
{
    (void)state;
    for (size_t k = 0; k < KINDS * heft_methods_count() * WAYS; k++) heft_model_free(models[k]);
    free(models);
    return 0;
}

/* Calls fn with the model of every method that can do this, three tables, several preparations. */
static size_t each_model(void (*fn)(const heft_model *model, const heft_table *t))
{
    const size_t each = heft_methods_count() * WAYS;
    size_t       n = 0;
    for (size_t kind = 0; kind < KINDS; kind++) {
        heft_table *t = table_of_kind(kind);
        for (size_t k = 0; k < each; k++) {
            if (!models[kind * each + k]) continue;
            fn(models[kind * each + k], t);
            n++;
        }
        heft_table_free(t);
    }
    return n;
}

static json_t *document(char *text)
{
    json_error_t why;
    json_t      *root = json_loads(text, JSON_REJECT_DUPLICATES, &why);
    if (!root) fail_msg("%s in %s", why.text, text);
    heft_text_free(text);
    return root;
}

static void same(const heft_model *model, const json_t *number, double got)
{
    if (!json_is_number(number) || json_number_value(number) != got)
        fail_msg("%s: %.17g instead of %.17g", heft_model_method(model), got,
                 number ? json_number_value(number) : NAN);
}

/* ---- weights and prior ---- */

static size_t n_seen[5]; /* models by their weighting */

static void check_pairs(const heft_model *model, const json_t *list)
{
    size_t        k;
    const json_t *pair;
    double        prior, weights[COLS];
    json_array_foreach(list, k, pair)
    {
        size_t at[2];
        for (size_t e = 0; e < 2; e++) {
            const char *name =
                json_string_value(json_array_get(json_object_get(pair, "classes"), e));
            for (at[e] = 0; strcmp(heft_model_class_name(model, at[e]), name) != 0;) at[e]++;
        }
        for (size_t turn = 0; turn < 2; turn++) {
            OK(heft_model_pair_weights(model, at[turn], at[1 - turn], &prior, weights, &err));
            same(model, json_object_get(pair, "prior_weight"), prior);
            for (size_t j = 0; j < heft_model_attributes(model); j++)
                same(model, json_array_get(json_object_get(pair, "weights"), j), weights[j]);
        }
    }
    assert_true(k > 0);
    assert_int_equal(heft_model_pair_weights(model, 1, 1, &prior, weights, &err), HEFT_EINVAL);
    assert_int_equal(heft_model_pair_weights(model, 0, 9, &prior, weights, &err), HEFT_EINVAL);
}

static void check_attribute(const heft_model *model, size_t j, const json_t *told)
{
    const heft_weighting by = heft_model_weighting(model);
    heft_attribute       a = {0};
    char                 text[64];
    OK(heft_model_attribute(model, j, &a, &err));
    assert_string_equal(a.name, json_string_value(json_object_get(told, "name")));
    assert_string_equal(a.kind == HEFT_NOMINAL ? "nominal" : "numeric",
                        json_string_value(json_object_get(told, "kind")));
    const json_t *list = json_object_get(told, "class_weights");
    assert_int_equal(list != NULL, by == HEFT_WEIGHT_CLASS);
    for (size_t c = 0; list && c < heft_model_classes(model); c++)
        same(model, json_object_get(list, heft_model_class_name(model, c)),
             heft_model_weight(model, j, c, 99));
    list = json_object_get(told, "value_weights");
    if (list) assert_int_equal(by, HEFT_WEIGHT_VALUE);
    for (size_t k = 0; list && k < a.n_values; k++) {
        assert_true(heft_model_value(model, j, k, text, sizeof text) < sizeof text);
        same(model, json_object_get(list, text), heft_model_weight(model, j, 99, k));
    }
    if (list) assert_int_equal(json_object_size(list), a.n_values);
    if (list) assert_true(isnan(heft_model_weight(model, j, 0, a.n_values)));
    if (by == HEFT_WEIGHT_ATTRIBUTE || by == HEFT_WEIGHT_NONE)
        same(model, json_object_get(told, "weight"), heft_model_weight(model, j, 99, 99));
    if (by == HEFT_WEIGHT_CLASS) { /* beside them rnb has one for all classes */
        const double  shared = heft_model_weight(model, j, heft_model_classes(model), 0);
        const json_t *weight = json_object_get(told, "weight");
        if (weight) same(model, weight, shared);
        else assert_true(isnan(shared));
        assert_true(isnan(heft_model_weight(model, j, heft_model_classes(model) + 1, 0)));
    }
    if (by == HEFT_WEIGHT_NONE) assert_true(heft_model_weight(model, j, 0, 0) == 1);
    if (by == HEFT_WEIGHT_PAIR) assert_true(isnan(heft_model_weight(model, j, 0, 0)));
}

static void check_weights(const heft_model *model, const heft_table *t)
{
    char         *text;
    double        prior[MOST], weights[COLS];
    size_t        j;
    const json_t *told;
    (void)t;
    OK(heft_inspect_text(model, "json", 0, &text, &err));
    json_t              *root = document(text);
    const json_t        *list = json_object_get(root, "prior");
    const heft_weighting by = heft_model_weighting(model);
    if (json_is_null(list)) {
        assert_int_equal(heft_model_prior(model, prior, &err), HEFT_EUNSUPPORTED);
    } else {
        OK(heft_model_prior(model, prior, &err));
        for (size_t c = 0; c < heft_model_classes(model); c++)
            same(model, json_array_get(list, c), prior[c]);
    }
    json_array_foreach(json_object_get(root, "attributes"), j, told)
        check_attribute(model, j, told);
    assert_int_equal(j, heft_model_attributes(model));
    assert_true(isnan(heft_model_weight(model, j, 0, 0)));
    list = json_object_get(root, "pairs");
    assert_int_equal(list != NULL, by == HEFT_WEIGHT_PAIR);
    if (list) check_pairs(model, list);
    else
        assert_int_equal(heft_model_pair_weights(model, 0, 1, prior, weights, &err),
                         HEFT_EUNSUPPORTED);
    n_seen[by]++;
    json_decref(root);
}

static void weights_are_those_of_inspect(void **state)
{
    (void)state;
    assert_true(each_model(check_weights) > 300);
    for (size_t k = 0; k < 5; k++)
        if (n_seen[k] < 5) fail_msg("%zu models of weighting %zu", n_seen[k], k);
}

/* ---- values ---- */

/* The interval that a number falls in is the one whose text a prepared table has there. */
static void check_values(const heft_model *model, const heft_table *t)
{
    heft_table *made;
    double      row[COLS];
    char        text[96], cut[6];
    if (strcmp(heft_model_method(model), "nb") != 0) return;
    if (model->prep.spec.scaling == HEFT_SCALE_UNIT) return; /* depends on the row */
    OK(heft_model_prepare(model, t, &made, &err));
    for (size_t i = 0; i < ROWS && !made->sparse; i++) {
        take_row(model, i, row);
        for (size_t j = 0; j < heft_model_attributes(model); j++) {
            const heft_column *col = &made->cols[j];
            heft_attribute     a = {0};
            OK(heft_model_attribute(model, j, &a, &err));
            double at = isnan(row[j]) ? a.fill : row[j];
            if (a.kind == HEFT_NUMERIC) at = (at - a.shift) * a.factor;
            if (a.kind == HEFT_NUMERIC && !a.n_values) {
                const double cell = ((const double *)col->cells)[i];
                assert_true(isnan(at) ? isnan(cell) : cell == at);
                continue;
            }
            if (a.kind == HEFT_NUMERIC) assert_int_equal(a.n_values, a.n_cuts + 1);
            size_t k = 0;
            while (a.kind == HEFT_NUMERIC && k < a.n_cuts && a.cuts[k] < at) k++;
            if (a.kind == HEFT_NOMINAL && !isnan(at)) k = (size_t)at;
            const uint32_t code = heft_code_at(col->cells, col->width, i);
            assert_int_equal(isnan(at), code >= heft_dict_size(col->dict));
            if (isnan(at)) continue;
            const size_t length = heft_model_value(model, j, k, text, sizeof text);
            assert_int_equal(length, strlen(text));
            assert_string_equal(text, heft_dict_text(col->dict, code));
            assert_int_equal(heft_model_value(model, j, k, cut, sizeof cut), length);
            assert_true(strlen(cut) < sizeof cut && strncmp(cut, text, strlen(cut)) == 0);
            assert_int_equal(heft_model_value(model, j, a.n_values, text, sizeof text), 0);
        }
    }
    assert_int_equal(heft_model_value(model, 99, 0, text, sizeof text), 0);
    assert_int_equal(heft_model_value(model, 0, 0, NULL, 0),
                     heft_model_value(model, 0, 0, text, sizeof text));
    heft_table_free(made);
}

static void values_are_those_of_prepared_tables(void **state)
{
    (void)state;
    each_model(check_values);
}

/* ---- likelihoods ---- */

static size_t n_rebuilt;

/* The posterior from prior, weights and likelihoods alone. */
static void check_likelihoods(const heft_model *model, const heft_table *t)
{
    const heft_fitted *f = &model->fitted;
    const size_t       K = heft_model_classes(model), A = heft_model_attributes(model);
    double             log_p[MOST], prior[MOST], row[COLS];
    if (!f->lik) {
        assert_int_equal(heft_model_likelihood(model, 0, 0, log_p, &err), HEFT_EUNSUPPORTED);
        return;
    }
    assert_int_equal(heft_model_likelihood(model, A, 0, log_p, &err), HEFT_EINVAL);
    assert_int_equal(heft_model_likelihood(model, 0, INFINITY, log_p, &err), HEFT_EINVAL);
    const heft_weighting by = heft_model_weighting(model);
    if (model->method->score || f->weights.folded || f->weights.w0 != 1 || f->bias ||
        model->calibration.scale || model->prep.spec.scaling == HEFT_SCALE_UNIT)
        return;
    double *p = posterior(model, t);
    OK(heft_model_prior(model, prior, &err));
    for (size_t i = 0; i < ROWS; i++) {
        double score[MOST], top = -INFINITY, sum = 0;
        for (size_t c = 0; c < K; c++) score[c] = log(prior[c]);
        take_row(model, i, row);
        for (size_t j = 0; j < A; j++) {
            heft_attribute a = {0};
            OK(heft_model_attribute(model, j, &a, &err));
            double at = isnan(row[j]) ? a.fill : row[j];
            if (a.kind == HEFT_NUMERIC && a.n_values && !isnan(at)) {
                size_t k = 0;
                while (k < a.n_cuts && a.cuts[k] < (at - a.shift) * a.factor) k++;
                at = (double)k;
            }
            OK(heft_model_likelihood(model, j, at, log_p, &err));
            const size_t value = a.n_values && !isnan(at) ? (size_t)at : 0;
            for (size_t c = 0; c < K; c++) {
                const double w = heft_model_weight(model, j, c, value);
                assert_true(isfinite(log_p[c]) && isfinite(w));
                score[c] += w * log_p[c];
            }
            if (isnan(at) && by != HEFT_WEIGHT_VALUE)
                for (size_t c = 0; c < K; c++) assert_true(log_p[c] == 0);
        }
        for (size_t c = 0; c < K; c++) top = fmax(top, score[c]);
        for (size_t c = 0; c < K; c++) sum += exp(score[c] - top);
        for (size_t c = 0; c < K; c++) NEAR(exp(score[c] - top) / sum, p[i * K + c], 1e-9);
    }
    free(p);
    n_rebuilt++;
}

static void likelihoods_make_the_posterior(void **state)
{
    (void)state;
    each_model(check_likelihoods);
    assert_true(n_rebuilt > 100);
}

/* ---- terms ---- */

static size_t n_summed, n_joint[2], n_none; /* n_joint: pairs, triples */

static void check_strength(const heft_model *model, size_t n_terms)
{
    char          *text;
    heft_term_info term = {0};
    const size_t   A = heft_model_attributes(model);
    heft_attribute a = {0};
    OK(heft_inspect_text(model, "json", 0, &text, &err));
    json_t       *root = document(text);
    const json_t *lists[] = {json_object_get(root, "attribute_pairs"),
                             json_object_get(root, "attribute_triples")},
                 *entry;
    for (size_t n = A; n < n_terms; n++) {
        bool   found = false;
        size_t k;
        OK(heft_model_term(model, n, &term, &err));
        assert_in_range(term.n_attributes, 2, 3);
        json_array_foreach(lists[term.n_attributes - 2], k, entry)
        {
            const json_t *names = json_object_get(entry, "attributes");
            bool          equal = json_array_size(names) == term.n_attributes;
            for (size_t m = 0; equal && m < term.n_attributes; m++) {
                OK(heft_model_attribute(model, term.attributes[m], &a, &err));
                equal = strcmp(json_string_value(json_array_get(names, m)), a.name) == 0;
            }
            if (!equal) continue;
            same(model, json_object_get(entry, "weight"), term.strength);
            found = true;
        }
        assert_true(found);
        n_joint[term.n_attributes - 2]++;
    }
    assert_int_equal(json_array_size(lists[0]) + json_array_size(lists[1]), n_terms - A);
    for (size_t j = 0; j < A; j++) {
        OK(heft_model_term(model, j, &term, &err));
        assert_true(term.n_attributes == 1 && term.attributes[0] == j);
        const json_t *told = json_array_get(json_object_get(root, "attributes"), j);
        if (!isnan(term.strength)) same(model, json_object_get(told, "weight"), term.strength);
    }
    assert_int_equal(heft_model_term(model, n_terms, &term, &err), HEFT_EINVAL);
    json_decref(root);
}

static void check_terms(const heft_model *model, const heft_table *t)
{
    const size_t   n = heft_model_terms(model), K = heft_model_classes(model);
    const size_t   A = heft_model_attributes(model);
    double         row[COLS];
    double        *evidence = calloc((1 + n) * K, sizeof *evidence);
    double        *again = calloc((1 + n) * K, sizeof *again);
    double        *score = calloc(ROWS * K, sizeof *score), parts[(1 + COLS) * MOST], sums[MOST];
    heft_term_info term = {0};
    if (n == 0) {
        assert_int_equal(heft_model_term(model, 0, &term, &err), HEFT_EUNSUPPORTED);
        take_row(model, 0, row);
        assert_int_equal(heft_model_evidence(model, row, evidence, &err), HEFT_EUNSUPPORTED);
        assert_int_equal(heft_explain_terms(model, t, 0, again, &err), HEFT_EUNSUPPORTED);
        n_none++;
    } else {
        OK(heft_predict_scores(model, t, HEFT_SCORE, NULL, score, &err));
        for (size_t i = 0; i < ROWS; i += 7) {
            take_row(model, i, row);
            OK(heft_model_evidence(model, row, evidence, &err));
            for (size_t c = 0; c < K; c++) {
                double sum = 0;
                for (size_t k = 0; k <= n; k++) sum += evidence[k * K + c];
                if (isinf(score[i * K + c])) assert_true(sum == -INFINITY);
                else NEAR(sum, score[i * K + c], 1e-9 * (1 + fabs(sum)));
            }
            OK(heft_explain_terms(model, t, i, again, &err));
            for (size_t k = 0; k < (1 + n) * K; k++)
                assert_true(again[k] == evidence[k] || fabs(again[k] - evidence[k]) < 1e-12);
            OK(heft_explain_row(model, t, i, parts, sums, &err));
            if (n == A) assert_memory_equal(parts, evidence, (1 + A) * K * sizeof *parts);
        }
        check_strength(model, n);
        n_summed++;
    }
    free(evidence), free(again);
    free(score);
}

static void terms_sum_to_the_score(void **state)
{
    (void)state;
    each_model(check_terms);
    assert_true(n_summed > 150 && n_joint[0] > 5 && n_joint[1] > 5 && n_none > 50);
}

/* ---- scores ---- */

/* The three kinds of scores agree; a class that cannot be has -INFINITY, and nothing is NaN. */
static void check_scores(const heft_model *model, const heft_table *t)
{
    const size_t K = heft_model_classes(model), cells = ROWS * K;
    double      *p = posterior(model, t), *q = calloc(3 * cells, sizeof *q);
    double      *log_p = q + cells, *score = q + 2 * cells;
    int32_t      labels[ROWS];
    OK(heft_predict_scores(model, t, HEFT_PROBABILITY, RUN(.threads = 2), q, &err));
    assert_memory_equal(p, q, cells * sizeof *p);
    OK(heft_predict_scores(model, t, HEFT_LOG_PROBABILITY, RUN(.threads = 2), log_p, &err));
    OK(heft_predict_log_proba(model, t, score, &err));
    assert_memory_equal(log_p, score, cells * sizeof *p);
    OK(heft_predict_scores(model, t, HEFT_SCORE, NULL, score, &err));
    for (size_t i = 0; i < ROWS; i++) {
        double top = -INFINITY, sum = 0;
        for (size_t c = 0; c < K; c++) top = fmax(top, score[i * K + c]);
        for (size_t c = 0; c < K; c++) sum += exp(score[i * K + c] - top);
        for (size_t c = i * K; c < (i + 1) * K; c++) {
            assert_true(!isnan(log_p[c]) && !isnan(score[c]) && log_p[c] < 1e-9);
            NEAR(exp(log_p[c]), p[c], 1e-9);
            NEAR(exp(score[c] - top) / sum, p[c], 1e-9);
            if (strcmp(model->set.prior, "b=0") == 0 && c % K == 1) {
                assert_true(log_p[c] == -INFINITY && score[c] == -INFINITY && p[c] == 0);
            } else {
                assert_true(isfinite(log_p[c]) || p[c] == 0);
            }
        }
    }
    OK(heft_model_labels(model, t, labels, &err));
    for (size_t i = 0; i < ROWS; i++) assert_int_equal(labels[i], heft_table_class(t, i));
    assert_int_equal(heft_predict_scores(model, t, (heft_score_kind)3, NULL, q, &err), HEFT_EINVAL);
    free(p);
    free(q);
}

static void scores_agree(void **state)
{
    (void)state;
    each_model(check_scores);
}

/* A class of prior 0: -INFINITY in the parts, null in the JSON, no NaN in either. */
static void left_out_classes_are_explained(void **state)
{
    (void)state;
    fill(3, 3, false);
    heft_table *t = dense_table(3);
    size_t      n = 0;
    for (size_t m = 0; m < heft_methods_count(); m++) {
        heft_model *model;
        double      parts[(1 + COLS) * MOST], score[MOST];
        char       *text;
        if (heft_fit(t, &(heft_config){.method = heft_methods_at(m)->name, .prior = "b=0"}, &model,
                     &err) != HEFT_OK)
            continue;
        if (heft_explain_row(model, t, 4, parts, score, &err) == HEFT_OK) {
            for (size_t k = 0; k < (1 + heft_model_attributes(model)) * 3; k++)
                assert_true(!isnan(parts[k]));
            assert_true(score[1] == -INFINITY && isfinite(score[0]) && isfinite(score[2]));
            OK(heft_explain_text(model, t, 4, "json", 0, &text, &err));
            json_t *root = document(text);
            assert_true(json_is_null(json_array_get(json_object_get(root, "score"), 1)));
            json_decref(root);
            n++;
        }
        heft_model_free(model);
    }
    assert_true(n > 10);
    heft_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_those_of_inspect),
        cmocka_unit_test(values_are_those_of_prepared_tables),
        cmocka_unit_test(likelihoods_make_the_posterior),
        cmocka_unit_test(terms_sum_to_the_score),
        cmocka_unit_test(scores_agree),
        cmocka_unit_test(left_out_classes_are_explained),
    };
    return cmocka_run_group_tests(tests, fit_models, free_models);
}
