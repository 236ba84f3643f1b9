/* wrappers_test.c - scores of subsets against refitting, greedy selection, differential evolution,
 * cwanb's start, costs of attributes. */
#include "fixture.h"
#include "learn/basis.h"

#include "base/ctx.h"
#include "base/num.h"
#include "heft_methods.h"
#include "learn/subset.h"
#include "optim/optim.h"
#include "train/fit.h"

enum { NOM = 3, NUM = 2, M = NOM + NUM, V = 3, K = 3 };

typedef struct source {
    size_t  n;
    int32_t nom[NOM][400];
    double  num[NUM][400];
    int32_t y[400];
} source;

static const char *const values[] = {"p", "q", "r"}, *const classes[] = {"a", "b", "c"};

static source source_make(size_t n, uint64_t seed)
{
    source   s = {.n = n};
    heft_rng rng;
    heft_rng_init(&rng, seed, 0);
    for (size_t i = 0; i < n; i++) {
        s.y[i] = (int32_t)heft_rng_below(&rng, K);
        for (size_t j = 0; j < NOM; j++)
            s.nom[j][i] = heft_rng_below(&rng, 2 + j) ? (int32_t)heft_rng_below(&rng, V) : s.y[i];
        for (size_t j = 0; j < NUM; j++) {
            s.num[j][i] = heft_rng_real(&rng) + (j ? 0.2 * s.y[i] : 0);
            if (heft_rng_below(&rng, 15) == 0) s.num[j][i] = NAN;
        }
        if (heft_rng_below(&rng, 15) == 0) s.nom[0][i] = -1;
    }
    return s;
}

/* All rows, or all but one. */
static heft_table *table(const source *s, size_t but)
{
    size_t rows[400], n = 0;
    frame  f = {.n_cols = M, .y = s->y, .classes = classes, .n_class = K, .order = rows};
    for (size_t i = 0; i < s->n; i++)
        if (i != but) rows[n++] = i;
    f.n_rows = n;
    for (size_t j = 0; j < NOM; j++)
        f.cols[j] = (field){.codes = s->nom[j], .values = values, .n_values = V};
    for (size_t j = NOM; j < M; j++) f.cols[j] = (field){.numbers = s->num[j - NOM]};
    return table_of(&f);
}

static double accuracy(const heft_model *m, const heft_table *t)
{
    const size_t n = heft_table_rows(t);
    int32_t     *c = malloc(n * sizeof *c);
    size_t       right = 0;
    OK(heft_predict(m, t, c, &err));
    for (size_t i = 0; i < n; i++) right += c[i] == heft_table_class(t, i);
    free(c);
    return (double)right / (double)n;
}

/* ---- the subset ---- */

typedef struct bench { /* a subset over the rows of a table */
    heft_ctx       ctx;
    heft_prepared  prepared;
    heft_arena     arena;
    heft_prep      prep;
    heft_counts    counts;
    heft_fitted    basis;
    heft_smoothing smoothing;
    heft_subset   *subset;
} bench;

static void bench_open(bench *b, const heft_table *t, heft_subset_mode how, heft_prior_spec prior)
{
    memset(b, 0, sizeof *b);
    heft_ctx_init(&b->ctx, &err, 2, 1, NULL);
    OK(heft_prep_fit(&b->ctx, t, &(heft_prep_spec){.mdl_scale = 1}, &b->arena, &b->prep));
    OK(heft_prep_apply(&b->ctx, &b->prep, t, &b->prepared));
    b->smoothing = (heft_smoothing){.laplace = true};
    b->basis.arena = &b->arena;
    const heft_task task = {.rows = &b->prepared.rows,
                            .prep = &b->prep,
                            .smoothing = b->smoothing,
                            .prior = prior,
                            .arena = &b->arena};
    OK(heft_fit_basis(&b->ctx, &task, &b->basis, &b->counts));
    OK(heft_subset_open(
        &b->ctx,
        &(heft_subset_basis){&b->prepared.rows, &b->counts, &b->smoothing, &prior, &b->basis}, how,
        &b->arena, &b->subset));
}

static void bench_close(bench *b)
{
    heft_prepared_clear(&b->prepared);
    heft_prep_clear(&b->prep);
    heft_arena_clear(&b->arena);
    heft_ctx_clear(&b->ctx);
}

/* What a subset says of a move is what is right after the move; with all attributes it is nb. */
static void tries_are_what_moves_do(void **state)
{
    (void)state;
    const source s = source_make(300, 1);
    heft_table  *t = table(&s, SIZE_MAX);
    heft_model  *nb = fit(t, "nb", NULL);
    bench        b;
    for (int how = HEFT_SUBSET_TRAINING; how <= HEFT_SUBSET_LEFT_OUT; how++) {
        double right[M], now;
        size_t list[M] = {0, 1, 2, 3, 4};
        bench_open(&b, t, (heft_subset_mode)how, (heft_prior_spec){HEFT_PRIOR_SMOOTHED, NULL});
        for (size_t j = 0; j < M; j++) {
            OK(heft_subset_try(&b.ctx, b.subset, list, M, 1, right));
            OK(heft_subset_move(&b.ctx, b.subset, j, 1));
            OK(heft_subset_right(&b.ctx, b.subset, &now));
            assert_true(now == right[j]);
        }
        if (how == HEFT_SUBSET_TRAINING) NEAR(now / (double)s.n, accuracy(nb, t), 1e-12);
        OK(heft_subset_try(&b.ctx, b.subset, list + 2, 1, -1, right));
        OK(heft_subset_move(&b.ctx, b.subset, 2, -1));
        OK(heft_subset_right(&b.ctx, b.subset, &now));
        assert_true(now == right[0]);
        bench_close(&b);
    }
    heft_model_free(nb), heft_table_free(t);
}

/* Leaving a row out by subtraction is leaving it out: the log posteriors are those of a model
 * fitted without the row. */
static void left_out_is_refitting(void **state)
{
    (void)state;
    const source                 s = source_make(40, 2);
    heft_table                  *t = table(&s, SIZE_MAX);
    static const heft_prior_kind kinds[] = {HEFT_PRIOR_SMOOTHED, HEFT_PRIOR_FREQUENCY,
                                            HEFT_PRIOR_UNIFORM};
    static const char *const     names[] = {"smoothed", "frequency", "uniform"};
    for (size_t k = 0; k < 3; k++) {
        bench  b;
        double sure, expect = 0, right, right_expect = 0;
        bench_open(&b, t, HEFT_SUBSET_LEFT_OUT, (heft_prior_spec){kinds[k], NULL});
        for (size_t j = 0; j + 1 < M; j++) OK(heft_subset_move(&b.ctx, b.subset, j, 1));
        OK(heft_subset_likelihood(&b.ctx, b.subset, M - 1, 1, &sure));
        OK(heft_subset_move(&b.ctx, b.subset, M - 1, 1));
        OK(heft_subset_right(&b.ctx, b.subset, &right));
        for (size_t i = 0; i < s.n; i++) {
            heft_table *less = table(&s, i);
            heft_model *m;
            double     *p = malloc(s.n * K * sizeof *p);
            m = fit(less, "nb",
                    &(heft_config){.prior = names[k], .params = PARAMS("variance=class")});
            OK(heft_predict_proba(m, t, p, &err));
            expect += log(p[i * K + (size_t)s.y[i]]);
            right_expect += heft_argmax(p + i * K, K) == (size_t)s.y[i];
            free(p);
            heft_model_free(m), heft_table_free(less);
        }
        NEAR(right, right_expect, 0);
        NEAR(sure, expect, 1e-9);
        bench_close(&b);
    }
    heft_table_free(t);
}

/* ---- sbc ---- */

/* The accuracy sbc reports is that of its predictions; no attribute left out would raise it, and
 * every one it took did. */
static void sbc_climbs_to_the_top(void **state)
{
    (void)state;
    for (uint64_t seed = 3; seed < 9; seed++) {
        const source         s = source_make(200, seed);
        heft_table          *t = table(&s, SIZE_MAX);
        heft_model          *m = fit(t, "sbc", NULL);
        const heft_training *f = &m->fitted.training;
        NEAR(f->objective_final, accuracy(m, t), 1e-12);
        assert_true(f->objective_final > f->objective_initial || f->iterations == 0);
        assert_int_equal(f->iterations, (long)fact(m, "selected")->number);
        bench  b;
        size_t list[M] = {0}, n = 0;
        double right[M];
        bench_open(&b, t, HEFT_SUBSET_TRAINING, (heft_prior_spec){HEFT_PRIOR_SMOOTHED, NULL});
        for (size_t j = 0; j < M; j++) {
            const double w = m->fitted.weights.w[j];
            assert_true(w == 0 || w == 1);
            if (w == 1) OK(heft_subset_move(&b.ctx, b.subset, j, 1));
            else list[n++] = j;
        }
        OK(heft_subset_try(&b.ctx, b.subset, list, n, 1, right));
        for (size_t k = 0; k < n; k++)
            assert_true(right[k] / (double)s.n <= f->objective_final + 1e-12);
        bench_close(&b);
        heft_model_free(m), heft_table_free(t);
    }
}

/* An attribute that does not raise the accuracy is not taken: rare classes leave the prior alone.
 */
static void sbc_needs_a_rise(void **state)
{
    (void)state;
    enum { N = 100 };
    int32_t     v[N], y[N];
    heft_table *t;
    for (size_t i = 0; i < N; i++) y[i] = i >= 90, v[i] = (int32_t)(i % 10 == 0 || i >= 95);
    OK(heft_table_create(N, &t, &err));
    OK(heft_table_add_codes(t, "v", v, 1, values, 2, &err));
    OK(heft_table_set_target(t, "class", y, classes, 2, &err));
    heft_model *m = fit(t, "sbc", NULL);
    assert_true(m->fitted.weights.w[0] == 0);
    NEAR(accuracy(m, t), 0.9, 1e-12);
    heft_model_free(m);
    m = fit(t, "sbc", WITH("max-eval=0"));
    assert_int_equal(m->fitted.training.evaluations, 0);
    assert_false(m->fitted.training.converged);
    heft_model_free(m), heft_table_free(t);
}

/* ---- differential evolution ---- */

static heft_status hill(heft_ctx *ctx, void *user, const double *x, double *fitness)
{
    const size_t *order = user;
    (void)ctx;
    *fitness = 0;
    for (size_t j = 0; j < 4; j++) *fitness -= pow(x[j] - 0.2 * (double)(order[j] + 1), 2);
    return HEFT_OK;
}

/* It finds the top of a hill, within its budget, whatever the threads and the order of the
 * coordinates. */
static void evolution_finds_the_top(void **state)
{
    (void)state;
    const uint64_t   keys[] = {11, 22, 33, 44};
    size_t           order[][4] = {{0, 1, 2, 3}, {2, 0, 3, 1}};
    double           first[4];
    heft_evolve_rule rule = {
        .population = 20, .generations = 150, .f = 0.5, .cr = 0.9, .max_eval = 100000};
    for (int k = 0; k < 4; k++) {
        uint64_t     key[4];
        double       x[4] = {1, 1, 1, 1};
        heft_ctx     ctx;
        heft_minimum out;
        long         found;
        for (size_t j = 0; j < 4; j++) key[j] = keys[order[k / 2][j]];
        const heft_evolution p = {.n = 4,
                                  .key = key,
                                  .upper = 1,
                                  .enough = INFINITY,
                                  .fn = hill,
                                  .user = order[k / 2],
                                  .what = "test"};
        heft_ctx_init(&ctx, &err, k % 2 ? 4 : 1, 9, NULL);
        OK(heft_evolve(&ctx, &p, &rule, x, &found, &out));
        assert_int_equal(out.evaluations, 20 * 151);
        assert_true(out.converged && out.f >= out.f0);
        for (size_t j = 0; j < 4; j++) {
            NEAR(x[j], 0.2 * (double)(order[k / 2][j] + 1), 1e-6);
            if (k == 0) first[j] = x[j];
            else if (k == 1) assert_true(x[j] == first[j]);
            else NEAR(x[j], first[order[1][j]], 1e-9);
        }
        heft_ctx_clear(&ctx);
    }
    rule.max_eval = 33;
    double               x[4] = {1, 1, 1, 1};
    heft_ctx             ctx;
    heft_minimum         out;
    long                 found;
    const heft_evolution p = {
        .n = 4, .key = keys, .upper = 1, .enough = INFINITY, .fn = hill, .user = order[0]};
    heft_ctx_init(&ctx, &err, 2, 9, NULL);
    OK(heft_evolve(&ctx, &p, &rule, x, &found, &out));
    assert_int_equal(out.evaluations, 33);
    assert_false(out.converged);
    heft_ctx_clear(&ctx);
}

/* deawnb gets at least as many training rows right as naive Bayes, and says how many; the same seed
 * gives the same bits. */
static void deawnb_is_never_below_nb(void **state)
{
    (void)state;
    for (uint64_t seed = 10; seed < 18; seed++) {
        const source s = source_make(120, seed);
        heft_table  *t = table(&s, SIZE_MAX);
        heft_model  *a = fit(t, "deawnb", WITH("generations=8")), *b, *nb;
        const char  *params[] = {"generations=8", NULL};
        b = fit(t, "deawnb", &(heft_config){.params = params, .run = RUN(.threads = 1)});
        nb = fit(t, "nb",
                 &(heft_config){.impute = "mean", .discretize = "mdl", .smoothing = "paper"});
        assert_true(accuracy(a, t) >= accuracy(nb, t));
        NEAR(fact(a, "training_accuracy")->number, accuracy(a, t), 1e-12);
        NEAR(fact(a, "training_accuracy_of_nb")->number, accuracy(nb, t), 1e-12);
        assert_memory_equal(a->fitted.weights.w, b->fitted.weights.w, M * sizeof(double));
        for (size_t j = 0; j < M; j++)
            assert_true(a->fitted.weights.w[j] >= 0 && a->fitted.weights.w[j] <= 1);
        heft_model_free(a), heft_model_free(b), heft_model_free(nb), heft_table_free(t);
    }
}

static bool stop_now(void *user)
{
    return --*(int *)user < 0;
}

/* A search can be cancelled in the middle, and leaves no model. */
static void searches_can_be_cancelled(void **state)
{
    (void)state;
    static const char *const wrappers[] = {"sbc", "deawnb", "tcsfsnb", "cwanb"};
    const source             s = source_make(200, 20);
    heft_table              *t = table(&s, SIZE_MAX);
    for (size_t k = 0; k < 4; k++) {
        int               left = 12;
        const heft_host   host = {.cancelled = stop_now, .user = &left};
        const heft_config how = {.method = wrappers[k], .run = RUN(.threads = 1, .host = &host)};
        heft_model       *m;
        const heft_status st = heft_fit(t, &how, &m, &err);
        if (st != HEFT_ECANCELLED) fail_msg("%s: %s", wrappers[k], heft_status_name(st));
        assert_null(m);
    }
    heft_table_free(t);
}

/* ---- cwanb ---- */

/* The error of cwanb ends no higher than at the weights of cfwnb. */
static void cwanb_descends_from_cfwnb(void **state)
{
    (void)state;
    for (uint64_t seed = 30; seed < 36; seed++) {
        const source s = source_make(150, seed);
        heft_table  *t = table(&s, SIZE_MAX);
        heft_model  *m = fit(t, "cwanb", NULL), *start = fit(t, "cwanb", WITH("max-iter=0"));
        heft_model  *cfw = fit(t, "cfwnb", NULL);
        assert_true(m->fitted.training.objective_final <= start->fitted.training.objective_final);
        NEAR(m->fitted.training.objective_initial, start->fitted.training.objective_final, 1e-9);
        for (size_t j = 0; j < M; j++)
            NEAR(start->fitted.weights.w[j], cfw->fitted.weights.w[j], 1e-13);
        heft_model_free(m), heft_model_free(start), heft_model_free(cfw), heft_table_free(t);
    }
}

/* ---- tcsfsnb ---- */

static const char *cost_file(const char *text)
{
    static char param[300];
    snprintf(param, sizeof param, "costs=%s", write_text(temp_path(".csv"), text));
    return param;
}

/* Of two equal attributes the cheap one is taken; what costs more than it brings is left. */
static void cheap_attributes_win(void **state)
{
    (void)state;
    enum { N = 60 };
    int32_t     a[N], y[N], noise[N];
    heft_rng    rng;
    heft_table *t;
    heft_rng_init(&rng, 40, 0);
    for (size_t i = 0; i < N; i++) {
        y[i] = (int32_t)(i % 2);
        a[i] = heft_rng_below(&rng, 8) ? y[i] : 1 - y[i];
        noise[i] = (int32_t)heft_rng_below(&rng, 2);
    }
    OK(heft_table_create(N, &t, &err));
    OK(heft_table_add_codes(t, "dear", a, 1, values, 2, &err));
    OK(heft_table_add_codes(t, "cheap", a, 1, values, 2, &err));
    OK(heft_table_add_codes(t, "noise", noise, 1, values, 2, &err));
    OK(heft_table_set_target(t, "class", y, classes, 2, &err));
    const char *costs = cost_file("name,cost\ndear,10\n\"cheap\", 1\r\nnoise,1\n\nother,5\n");
    heft_model *m = fit(t, "tcsfsnb", WITH(costs));
    assert_true(m->fitted.weights.w[0] == 0 && m->fitted.weights.w[1] == 1);
    NEAR(fact(m, "cost")->number, 1, 0);
    NEAR(fact(m, "cost_of_all")->number, 12, 0);
    NEAR(fact(m, "accuracy")->number, accuracy(m, t),
         0.2); /* left out, near the training rows' own */
    heft_model_free(m);
    m = fit(t, "tcsfsnb", WITH(costs, "tradeoff=1000"));
    for (size_t j = 0; j < 3; j++) assert_true(m->fitted.weights.w[j] == 0);
    heft_model_free(m);
    unlink(costs + strlen("costs="));
    heft_table_free(t);
}

/* A file of costs that lacks a column, repeats one, or holds no costs is refused by name. */
static void cost_files_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
        heft_status code;
    } bad[] = {
        {"x0,1\nx1,1\nx2,1\nx4,2\n", "'x3'", HEFT_EFORMAT},
        {"x0,1\nx1,1\nx2,1\nx3,1\nx4,2\nx1,7\n", "'x1' is listed twice", HEFT_EFORMAT},
        {"x0,1\nx1,much\n", ":2: the cost of 'x1'", HEFT_EFORMAT},
        {"x0,1\nx1,-1\n", ":2: the cost of 'x1'", HEFT_EFORMAT},
        {"x0,1\nx1\n", ":2: the line has 1 cell ", HEFT_EFORMAT},
        {"", "'x0'", HEFT_EFORMAT},
    };
    const source s = source_make(60, 50);
    heft_table  *t = table(&s, SIZE_MAX);
    heft_model  *m;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        const char       *params[] = {cost_file(bad[k].text), NULL};
        const heft_config how = {.method = "tcsfsnb", .params = params};
        assert_int_equal(heft_fit(t, &how, &m, &err), bad[k].code);
        if (!strstr(err.text, bad[k].says)) fail_msg("'%s' lacks %s", err.text, bad[k].says);
        assert_null(m);
        unlink(params[0] + strlen("costs="));
    }
    const char *params[] = {"costs=/no/such/file", NULL};
    assert_int_equal(heft_fit(t, &(heft_config){.method = "tcsfsnb", .params = params}, &m, &err),
                     HEFT_EIO);
    heft_table_free(t);
}

/* The file of costs is known before the fit, also from a model to train like. */
static void cost_files_are_listed(void **state)
{
    (void)state;
    const source      s = source_make(60, 50);
    heft_table       *t = table(&s, SIZE_MAX);
    const char       *costs = cost_file("x0,1\nx1,1\nx2,1\nx3,1\nx4,2\n");
    heft_model       *m = fit(t, "tcsfsnb", WITH(costs));
    const char *const params[] = {"tradeoff=1", "costs=one", costs, NULL};
    const char *const wrong[] = {"costs=one", "depth=2", NULL};
    const heft_config how[] = {{.method = "tcsfsnb", .params = params}, {.like = m}};
    char             *path;
    for (size_t k = 0; k < 2; k++) {
        OK(heft_config_file(&how[k], 0, &path, &err));
        assert_string_equal(path, costs + strlen("costs="));
        heft_text_free(path);
        OK(heft_config_file(&how[k], 1, &path, &err));
        assert_null(path);
    }
    OK(heft_config_file(NULL, 0, &path, &err));
    assert_null(path);
    OK(heft_config_file(&(heft_config){.method = "tcsfsnb"}, 0, &path, &err));
    assert_null(path);
    const heft_config bad = {.method = "tcsfsnb", .params = wrong};
    assert_int_equal(heft_config_file(&bad, 0, &path, &err), HEFT_EINVAL);
    assert_null(path);
    assert_int_equal(heft_config_file(&how[0], 0, NULL, &err), HEFT_EINVAL);
    unlink(costs + strlen("costs="));
    heft_model_free(m);
    heft_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tries_are_what_moves_do),   cmocka_unit_test(left_out_is_refitting),
        cmocka_unit_test(sbc_climbs_to_the_top),     cmocka_unit_test(sbc_needs_a_rise),
        cmocka_unit_test(evolution_finds_the_top),   cmocka_unit_test(deawnb_is_never_below_nb),
        cmocka_unit_test(searches_can_be_cancelled), cmocka_unit_test(cwanb_descends_from_cfwnb),
        cmocka_unit_test(cheap_attributes_win),      cmocka_unit_test(cost_files_are_checked),
        cmocka_unit_test(cost_files_are_listed),
    };
    return cmocka_run_group_tests_name("wrappers", tests, NULL, NULL);
}
