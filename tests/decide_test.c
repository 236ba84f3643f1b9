/* decide_test.c - which class is predicted: thresholds, costs, tuning, weights of classes. */
#include "fixture.h"

#include "base/ctx.h"
#include "base/num.h"
#include "decide/decide.h"
#include "model/model.h"
#include "train/held_out.h"

enum { N = 240, N_ATTR = 3 };

static const char *const names[] = {"no", "yes, \"all\":", "may:be"};

typedef struct rows {
    double  x[N][N_ATTR], weight[N];
    int32_t y[N];
} rows;

static void fill(rows *r, size_t K, uint64_t seed)
{
    heft_rng rng;
    heft_rng_init(&rng, seed, 2);
    for (size_t i = 0; i < N; i++) {
        r->y[i] = heft_rng_below(&rng, 5) ? 0 : (int32_t)(1 + heft_rng_below(&rng, K - 1));
        r->weight[i] = 0.5 + heft_rng_real(&rng);
        for (size_t j = 0; j < N_ATTR; j++)
            r->x[i][j] = heft_rng_real(&rng) + heft_rng_real(&rng) + 0.3 * r->y[i];
    }
}

static heft_table *table(const rows *r, size_t K, const double *weight, const size_t *order)
{
    frame f = {.n_rows = N,
               .n_cols = N_ATTR,
               .y = r->y,
               .classes = names,
               .n_class = K,
               .weight = weight,
               .order = order};
    for (size_t j = 0; j < N_ATTR; j++) f.cols[j] = (field){.numbers = &r->x[0][j], .step = N_ATTR};
    return table_of(&f);
}

static heft_model *model_of(const rows *r, size_t K, heft_config config)
{
    heft_table *t = table(r, K, NULL, NULL);
    if (!config.method) config.method = "nb";
    heft_model *model = fit(t, NULL, &config);
    heft_table_free(t);
    return model;
}

static const heft_decision *rule_of(const heft_model *model)
{
    return &model->decision;
}

/* ---- rules ---- */

/* The class of least expected cost, written down in another way. */
static size_t cheapest(const double *p, const double *cost, size_t K)
{
    size_t best = K;
    for (size_t c = K; c-- > 0;) {
        double here = 0, there = 0;
        for (size_t a = 0; a < K; a++) {
            here += p[a] * cost[a * K + c];
            if (best < K) there += p[a] * cost[a * K + best];
        }
        if (best == K || here <= there) best = c;
    }
    return best;
}

static void costs_decide(void **state)
{
    (void)state;
    rows r;
    fill(&r, 3, 7);
    heft_model  *model = model_of(&r, 3,
                                  (heft_config){.cost = "no:may:be=0.5,\"yes, \"\"all\"\":\":"
                                                         "no=7,may:be:may:be=0.25"});
    heft_table  *t = table(&r, 3, NULL, NULL);
    const double cost[] = {0, 1, 0.5, 7, 0, 1, 1, 1, 0.25};
    int32_t      classes[N], again[N];
    size_t       other = 0;
    double      *p = posterior(model, t);
    assert_int_equal(rule_of(model)->kind, HEFT_LEAST_COST);
    assert_memory_equal(rule_of(model)->cost, cost, sizeof cost);
    OK(heft_predict(model, t, classes, &err));
    OK(heft_model_decide(model, p, N, again, &err));
    assert_memory_equal(classes, again, sizeof classes);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(classes[i], cheapest(p + 3 * i, cost, 3));
        other += (size_t)classes[i] != heft_argmax(p + 3 * i, 3);
    }
    assert_true(other > 0);
    OK(heft_model_set_decision(model, NULL, NULL, &err)); /* the probabilities are the same */
    double *q = posterior(model, t);
    assert_memory_equal(p, q, 3 * N * sizeof *p);
    OK(heft_predict(model, t, classes, &err));
    for (size_t i = 0; i < N; i++) assert_int_equal(classes[i], heft_argmax(p + 3 * i, 3));
    free(p), free(q);
    heft_table_free(t);
    heft_model_free(model);
}

/* A probability equal to the threshold predicts the class; a tie of costs the lower one. */
static void equality_predicts_the_class(void **state)
{
    (void)state;
    double              cost[] = {0, 3, 1, 0};
    const heft_decision at[] = {{HEFT_THRESHOLD, .chosen = 0, .threshold = 0.25},
                                {HEFT_THRESHOLD, .chosen = 1, .threshold = 0.25},
                                {HEFT_LEAST_COST, .cost = cost},
                                {.kind = HEFT_MOST_PROBABLE}};
    const struct {
        double p[2];
        size_t expect[4];
    } cases[] = {{{0.25, 0.75}, {0, 1, 0, 1}},
                 {{0.75, 0.25}, {0, 1, 0, 0}},
                 {{0.5, 0.5}, {0, 1, 0, 0}},
                 {{0x1.fffffffffffffp-3, 0.75}, {1, 1, 1, 1}},
                 {{1, 0}, {0, 0, 0, 0}}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (size_t d = 0; d < 4; d++)
            assert_int_equal(heft_decide(&at[d], cases[k].p, 2), cases[k].expect[d]);
    assert_int_equal(heft_decide(NULL, cases[0].p, 2), 1);
}

/* ---- tuning ---- */

static double measure(const double *p, const uint8_t *is, const double *w, size_t n, double t,
                      heft_tuning by, bool alone, const double *cost)
{
    double m[2][2] = {{0}}; /* actual, predicted */
    for (size_t i = 0; i < n; i++) m[is[i]][p[i] >= t] += w ? w[i] : 1;
    const double tp = m[1][1], fn = m[1][0], fp = m[0][1], tn = m[0][0];
    const double yes = 2 * tp + fp + fn, no = 2 * tn + fp + fn;
    const double all = sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn));
    switch (by) {
    case HEFT_TUNE_F1:
        if (alone) return yes > 0 ? 2 * tp / yes : 0;
        return ((yes > 0 ? 2 * tp / yes : 0) + (no > 0 ? 2 * tn / no : 0)) / ((yes > 0) + (no > 0));
    case HEFT_TUNE_MCC:
        return all > 0 ? (tp * tn - fp * fn) / all : 0;
    case HEFT_TUNE_COST:
        return -(cost[0] * tn + cost[1] * fp + cost[2] * fn + cost[3] * tp) / (tp + fp + fn + tn);
    default:
        return (tp / (tp + fn) + tn / (tn + fp)) / 2;
    }
}

/* No threshold is better than the one that was chosen, and of equally good ones none that lies
 * between two probabilities is nearer to 0.5. */
static void no_threshold_is_better(void **state)
{
    (void)state;
    enum { MOST = 60 };
    static const double cost[] = {0, 1, 6, 0.5};
    heft_rng            rng;
    heft_ctx            ctx;
    heft_rng_init(&rng, 11, 3);
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    for (size_t trial = 0; trial < 400; trial++) {
        double            p[MOST], w[MOST], tried[MOST * 2 + 5];
        uint8_t           is[MOST];
        heft_tuned        out;
        const size_t      n = 2 + heft_rng_below(&rng, MOST - 1), steps = trial % 3 ? 8 : 1000;
        const heft_tuning by = (heft_tuning)(1 + trial % 4);
        const bool        weighted = trial % 5 == 0, alone = trial % 2;
        size_t            n_tried = 0;
        for (size_t i = 0; i < n; i++) {
            p[i] = (double)heft_rng_below(&rng, steps + 1) / (double)steps;
            is[i] = i < 2 ? (uint8_t)i : heft_rng_real(&rng) < p[i] * 0.7;
            w[i] = (double)(1 + heft_rng_below(&rng, 4)) / 2;
        }
        OK(heft_tune_threshold(&ctx, &(heft_tune_rows){n, p, is, weighted ? w : NULL},
                               &(heft_tune_aim){by, alone, cost}, &out));
        for (size_t i = 0; i < n; i++) tried[n_tried++] = p[i];
        for (size_t i = 0; i < n; i++) { /* the middle below each */
            double below = 0;
            for (size_t k = 0; k < n; k++)
                if (p[k] < p[i]) below = fmax(below, p[k]);
            tried[n_tried++] = (p[i] + below) / 2;
        }
        double top = 0;
        for (size_t i = 0; i < n; i++) top = fmax(top, p[i]);
        tried[n_tried++] = (1 + top) / 2;
        tried[n_tried++] = 0.5;
        tried[n_tried++] = 0;
        const double *use = weighted ? w : NULL;
        const double  best = measure(p, is, use, n, out.threshold, by, alone, cost);
        NEAR(best, by == HEFT_TUNE_COST ? -out.value : out.value, 1e-12);
        NEAR(measure(p, is, use, n, 0.5, by, alone, cost),
             by == HEFT_TUNE_COST ? -out.usual : out.usual, 1e-12);
        for (size_t k = 0; k < n_tried; k++) {
            const double value = measure(p, is, use, n, tried[k], by, alone, cost);
            if (!(value <= best + 1e-12))
                fail_msg("trial %zu: %.17g at %g, %.17g at %g", trial, value, tried[k], best,
                         out.threshold);
            if (tried[k] == 0.5 && value == best) assert_true(out.threshold == 0.5);
        }
    }
    heft_ctx_clear(&ctx);
}

/* The threshold is found again from rows held out by hand, and does not depend on threads or on the
 * order of rows; that of auto by its last bits only. */
static void tuned_models_are_the_same(void **state)
{
    (void)state;
    static const char *const measures[] = {"balanced-accuracy", "f1", "mcc", "cost"};
    rows                     r;
    size_t                   turned[N];
    fill(&r, 2, 3);
    for (size_t i = 0; i < N; i++) turned[i] = (i * 77 + 5) % N;
    for (size_t k = 0; k < 8; k += SANITIZED ? 3 : 1) {
        const char *word = measures[k % 4];
        heft_config config = {.method = k < 4 ? "nb" : "auto",
                              .tune = word,
                              .cost = k % 4 == 3 ? "no:\"yes, \"\"all\"\":\"=0.3" : NULL,
                              .calibrate = k == 6 ? "temperature" : NULL,
                              .class_weight = k == 1 ? "balanced" : NULL};
        heft_table *t = table(&r, 2, NULL, NULL), *other = table(&r, 2, NULL, turned);
        heft_model *model = fit(t, NULL, &config);
        config.run = RUN(.threads = 4);
        heft_model          *again = fit(other, NULL, &config);
        const heft_decision *rule = rule_of(model);
        assert_int_equal(rule->kind, HEFT_THRESHOLD);
        assert_int_equal(rule->chosen, 1); /* the rarer one */
        assert_string_equal(heft_tuning_word(rule->tuned), word);
        NEAR(rule->threshold, rule_of(again)->threshold, k < 4 ? 0 : 1e-14);
        assert_true((rule->cost != NULL) == (k % 4 == 3));
        assert_non_null(fact(model, "tuning"));
        OK(reload(model));
        heft_model_free(model), heft_model_free(again);
        heft_table_free(t), heft_table_free(other);
    }
}

/* ---- files ---- */

static void rules_survive_the_file(void **state)
{
    (void)state;
    static const heft_config configs[] = {{.cost = "no:may:be=3"},
                                          {.class_weight = "may:be=2.5,no=0.5"},
                                          {.class_weight = "balanced"}};
    rows                     r;
    fill(&r, 3, 9);
    for (size_t k = 0; k < 3; k++) {
        heft_model *model = model_of(&r, 3, configs[k]), *back;
        char       *bytes;
        size_t      length;
        OK(heft_model_to_bytes(model, &bytes, &length, &err));
        OK(heft_model_from_bytes(bytes, length, &back, &err));
        assert_true(heft_decision_equal(rule_of(model), model->prep.classes, rule_of(back),
                                        back->prep.classes));
        if (configs[k].class_weight)
            assert_string_equal(back->set.class_weight, configs[k].class_weight);
        heft_text_free(bytes);
        heft_model_free(model), heft_model_free(back);
    }
}

/* What no rule can be is not loaded. */
static void damaged_rules_are_refused(void **state)
{
    (void)state;
    rows r;
    fill(&r, 3, 9);
    heft_model *three = model_of(&r, 3, (heft_config){.cost = "no:may:be=3"});
    fill(&r, 2, 9);
    heft_model    *two = model_of(&r, 2, (heft_config){.threshold = "no=0.5"});
    heft_decision *rule = &two->decision;
    OK(reload(two));
    OK(reload(three));
    const double bad[] = {-0.1, 1.5, NAN, INFINITY};
    for (size_t k = 0; k < 4; k++) {
        rule->threshold = bad[k];
        assert_int_not_equal(reload(two), HEFT_OK);
        assert_non_null(strstr(err.text, "decision.threshold"));
        three->decision.cost[1] = k == 1 ? 1e16 : bad[k];
        assert_int_not_equal(reload(three), HEFT_OK);
        assert_non_null(strstr(err.text, "decision.cost"));
    }
    rule->threshold = 0.5, three->decision.cost[1] = 1;
    rule->chosen = 2;
    assert_int_not_equal(reload(two), HEFT_OK);
    rule->chosen = 0;
    rule->tuned = (heft_tuning)5;
    assert_int_not_equal(reload(two), HEFT_OK);
    rule->tuned = HEFT_NOT_TUNED;
    rule->kind = (heft_decision_kind)3;
    assert_int_not_equal(reload(two), HEFT_OK);
    three->decision.kind = HEFT_THRESHOLD;
    assert_int_not_equal(reload(three), HEFT_OK);
    rule->kind = HEFT_MOST_PROBABLE;
    rule->tuned = HEFT_TUNE_F1;
    assert_int_not_equal(reload(two), HEFT_OK);
    heft_model_free(two), heft_model_free(three);
}

/* ---- weights of classes ---- */

/* A weight of a class is that weight of each of its rows. */
static void class_weights_are_row_weights(void **state)
{
    (void)state;
    rows   r;
    double w[N], sum[3] = {0};
    fill(&r, 3, 5);
    for (size_t i = 0; i < N; i++) sum[r.y[i]] += r.weight[i];
    const double all = sum[0] + sum[1] + sum[2];
    for (size_t k = 0; k < 4; k++) {
        const bool   balanced = k % 2, given = k / 2;
        const double of[] = {0.25, 1, 4};
        double       counts[3] = {0};
        for (size_t i = 0; i < N; i++) counts[r.y[i]] += given ? r.weight[i] : 1;
        for (size_t i = 0; i < N; i++)
            w[i] = (given ? r.weight[i] : 1) *
                   (balanced ? (given ? all : N) / 3 / counts[r.y[i]] : of[r.y[i]]);
        heft_table *t = table(&r, 3, given ? r.weight : NULL, NULL), *own = table(&r, 3, w, NULL);
        heft_config config = {.class_weight = balanced ? "balanced" : "no=0.25,may:be=4"};
        double     *p = fit_posterior(t, t, "nb", &config), *q = fit_posterior(own, t, "nb", NULL);
        assert_true(largest_difference(p, q, 3 * N) <= 1e-12);
        free(p), free(q);
        heft_table_free(t), heft_table_free(own);
    }
}

/* auto multiplies its probabilities by them: P(c) becomes w_c P(c) over their sum. */
static void auto_shifts_by_class_weights(void **state)
{
    (void)state;
    const double of[] = {0.25, 1, 4};
    rows         r;
    fill(&r, 3, 6);
    heft_table *t = table(&r, 3, NULL, NULL);
    heft_config config = {.class_weight = "no=0.25,may:be=4"};
    double     *p = fit_posterior(t, t, "auto", &config), *q = fit_posterior(t, t, "auto", NULL);
    for (size_t i = 0; i < N; i++) {
        double sum = 0;
        for (size_t c = 0; c < 3; c++) sum += q[i * 3 + c] *= of[c];
        for (size_t c = 0; c < 3; c++) q[i * 3 + c] /= sum;
    }
    assert_true(largest_difference(p, q, 3 * N) <= 1e-12);
    free(p), free(q);
    heft_table_free(t);
}

/* ---- refusals ---- */

static void bad_words_are_refused(void **state)
{
    (void)state;
    static const struct {
        heft_config config;
        size_t      K;
        const char *says;
    } cases[] = {
        {{.threshold = "no=1.5"}, 2, "with a probability P from 0 to 1"},
        {{.threshold = "no=nan"}, 2, "with a probability P from 0 to 1"},
        {{.threshold = "no"}, 2, "is not CLASS=P"},
        {{.threshold = "none=0.5"}, 2, "there is no class 'none' (the classes are 'no'"},
        {{.threshold = "no=0.5"}, 3, "needs two classes, and there are 3"},
        {{.tune = "f1"}, 3, "between two classes, and there are 3"},
        {{.tune = "recall"}, 2, "is not one of balanced-accuracy, f1, mcc, cost"},
        {{.tune = "cost"}, 2, ".tune = \"cost\" needs the costs"},
        {{.tune = "mcc", .cost = "no:no=1"},
         2,
         "heft_config.cost cannot be combined with .tune = \"mcc\" (use .tune = \"cost\""},
        {{.tune = "mcc", .threshold = "no=1"},
         2,
         "heft_config.threshold cannot be combined with heft_config.tune"},
        {{.cost = "no:no=1", .threshold = "no=1"},
         2,
         "heft_config.cost cannot be combined with heft_config.threshold"},
        {{.cost = "no:may:be=-1"}, 3, "does not end in a cost"},
        {{.cost = "no:may:be=inf"}, 3, "does not end in a cost"},
        {{.cost = "no:never=1"}, 3, "there is no class 'never'"},
        {{.cost = "never:no=1"}, 3, "there is no class 'never'"},
        {{.cost = "no=1"}, 3, "no colon between two classes"},
        {{.cost = "no:\"may:be=1"}, 3, "quotation mark that is not closed"},
        {{.cost = "no:may:be=1,no:may:be=2"}, 3, "given before"},
        {{.cost = ""}, 3, "neither TRUE:PREDICTED=COST nor"},
        {{.cost = "nowhere.csv"}, 3, "nowhere.csv: cannot open"},
        {{.class_weight = "no=-1"}, 2, "is not balanced or CLASS=W"},
        {{.class_weight = "never=1"}, 2, "there is no class 'never'"},
        {{.class_weight = "no=1,no=2"}, 2, "'no' is given twice"},
        {{.class_weight = "balanced", .part = true}, 2, "cannot be combined with heft_config.part"},
        {{.tune = "f1", .part = true}, 2, "cannot be combined with heft_config.part"},
    };
    rows r;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        heft_config config = cases[k].config;
        heft_model *model;
        fill(&r, cases[k].K, 5);
        heft_table *t = table(&r, cases[k].K, NULL, NULL);
        config.method = "nb";
        assert_int_not_equal(heft_fit(t, &config, &model, &err), HEFT_OK);
        if (!strstr(err.text, cases[k].says)) fail_msg("%s: '%s'", cases[k].says, err.text);
        heft_table_free(t);
    }
    fill(&r, 2, 5);
    heft_model *model = model_of(&r, 2, (heft_config){.threshold = "no=0.9"});
    assert_int_equal(heft_model_set_decision(model, NULL, "x=0.1", &err), HEFT_EINVAL);
    assert_true(rule_of(model)->threshold == 0.9); /* as it was */
    heft_model_free(model);
    OK(heft_decision_check(NULL, NULL, &err));
    OK(heft_decision_check("a:b=2", NULL, &err));
    OK(heft_decision_check(NULL, "x=0.1", &err));
    assert_int_equal(heft_decision_check("a:b=2", "x=0.1", &err), HEFT_EINVAL);
    assert_int_equal(heft_decision_check("a", NULL, &err), HEFT_EINVAL);
    assert_int_equal(heft_decision_check(NULL, "x=2", &err), HEFT_EINVAL);
}

/* A matrix in a file means the same in any order of rows and columns. */
static void matrices_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says; /* NULL: it is read */
    } cases[] = {
        {"actual,no,\"yes, \"\"all\"\":\",may:be\nno,0,1,2\n\"yes, "
         "\"\"all\"\":\",3,0,4\nmay:be,5,6,0.5\n",
         NULL},
        {"\xef\xbb\xbf;may:be;no;\"yes, \"\"all\"\":\"\r\n\r\nmay:be;0.5;5;6\r\n\"yes, "
         "\"\"all\"\":\";4;3;"
         "0\r\nno;2;0;1",
         NULL},
        {"x,no,may:be\nno,0,1\nmay:be,1,0\n", "no costs of class 'yes"},
        {"x,no,never\nno,0,1\nnever,1,0\n", "there is no class 'never'"},
        {"x,no,may:be\nno,0,1\n", "must be square"},
        {"x,no\nno,0\nmay:be,1\n", "must be square"},
        {"x,no,may:be\nno,0\nmay:be,1,0\n", "1 cost, and the header names 2 classes"},
        {"x,no,may:be\nno,0,1,2\nmay:be,1,0\n", "3 costs, and the header names 2 classes"},
        {"x,no,may:be\nno,0,-1\nmay:be,1,0\n", ":2: '-1' is not a cost"},
        {"x,no,no\nno,0,1\nmay:be,1,0\n", "class 'no' is there twice"},
        {"x,no,may:be\nno,0,1\nx,1,0\n", "'may:be' has a column and no row"},
        {"", "not a matrix of costs"},
        {"just words", "not a matrix of costs"},
    };
    const double expect[] = {0, 1, 2, 3, 0, 4, 5, 6, 0.5};
    rows         r;
    fill(&r, 3, 5);
    heft_table *t = table(&r, 3, NULL, NULL);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char       *path = write_text(in_folder("cost.csv"), cases[k].text);
        heft_model       *model = NULL;
        const heft_status st =
            heft_fit(t, &(heft_config){.method = "nb", .cost = path}, &model, &err);
        if (cases[k].says) {
            assert_int_not_equal(st, HEFT_OK);
            if (!strstr(err.text, cases[k].says)) fail_msg("%s: '%s'", cases[k].says, err.text);
        } else {
            OK(st);
            assert_memory_equal(rule_of(model)->cost, expect, sizeof expect);
        }
        heft_model_free(model);
    }
    heft_table_free(t);
}

/* A model that is trained like another decides as it does. */
static void like_another_model(void **state)
{
    (void)state;
    rows r;
    fill(&r, 2, 5);
    heft_table *t = table(&r, 2, NULL, NULL);
    heft_model *first = model_of(&r, 2, (heft_config){.tune = "mcc", .class_weight = "no=0.5"});
    heft_model *second = fit(t, NULL, &(heft_config){.like = first});
    assert_true(heft_decision_equal(rule_of(first), first->prep.classes, rule_of(second),
                                    second->prep.classes));
    assert_string_equal(second->set.class_weight, "no=0.5");
    heft_model *third = fit(t, NULL, &(heft_config){.like = first, .threshold = "no=0.9"});
    assert_true(rule_of(third)->threshold == 0.9 && !rule_of(third)->tuned);
    heft_model_free(first), heft_model_free(second), heft_model_free(third);
    heft_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_decide),
        cmocka_unit_test(equality_predicts_the_class),
        cmocka_unit_test(no_threshold_is_better),
        cmocka_unit_test(tuned_models_are_the_same),
        cmocka_unit_test(rules_survive_the_file),
        cmocka_unit_test(damaged_rules_are_refused),
        cmocka_unit_test(class_weights_are_row_weights),
        cmocka_unit_test(auto_shifts_by_class_weights),
        cmocka_unit_test(bad_words_are_refused),
        IN_FOLDER(matrices_are_read),
        cmocka_unit_test(like_another_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
