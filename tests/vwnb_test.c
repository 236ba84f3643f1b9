/* vwnb_test.c - a weight for each value: objective and gradient against a second implementation and
 * against differences, the descent, the pull, and what a value that says nothing does. */
#include "fixture.h"
#include "learn/basis.h"

#include "methods/vwnb.h"
#include "train/fit.h"

enum { M = 5, V = 3, K = 3, MOST = 300 };

/* Column 2 repeats column 0, column 3 has one value, column 4 is spread alike over the classes. */
typedef struct data {
    size_t  n;
    int32_t cell[M][MOST], y[MOST];
    double  weight[MOST];
    bool    weighted;
} data;

static size_t values_of(size_t j)
{
    return j == 3 ? 1 : V;
}

static data make(size_t n, uint64_t seed)
{
    data     d = {.n = n};
    heft_rng rng;
    heft_rng_init(&rng, seed, 0);
    for (size_t i = 0; i < n; i++) {
        d.y[i] = (int32_t)(heft_rng_below(&rng, 6) % 4 % K); /* class counts differ */
        d.weight[i] = 0.5 + heft_rng_real(&rng);
        for (size_t j = 0; j < 2; j++) {
            const bool tell = heft_rng_below(&rng, 10) < 5 - 2 * j;
            d.cell[j][i] = tell ? d.y[i] : (int32_t)heft_rng_below(&rng, V);
            if (heft_rng_below(&rng, 15) == 0) d.cell[j][i] = -1;
        }
        d.cell[2][i] = d.cell[0][i];
    }
    return d;
}

/* The same number of each value in each class, so that P(a|c) is the same for all. */
static data make_balanced(size_t rounds)
{
    data d = make(rounds * K * V, 77);
    for (size_t i = 0; i < d.n; i++) {
        d.y[i] = (int32_t)(i / V % K);
        d.cell[4][i] = (int32_t)(i % V);
        d.cell[0][i] = d.cell[2][i] = i % 5 < 3 ? d.y[i] : (int32_t)(i % V);
    }
    return d;
}

static const char *const values[] = {"a", "b", "c", "never"};
static const char *const classes[] = {"p", "q", "r"};

typedef struct arrange {
    bool backward_rows, backward_columns, relabel;
    bool drop_flat; /* columns 3 and 4 */
    bool spare;     /* declare a value that never occurs */
} arrange;

static heft_table *data_table(const data *d, arrange how)
{
    frame f = {.n_rows = d->n,
               .n_cols = how.drop_flat ? 3 : M,
               .y = d->y,
               .classes = classes,
               .n_class = K,
               .weight = d->weighted ? d->weight : NULL,
               .backward_rows = how.backward_rows,
               .backward_columns = how.backward_columns};
    for (size_t j = 0; j < f.n_cols; j++)
        f.cols[j] = (field){.codes = d->cell[j],
                            .values = values,
                            .n_values = values_of(j) + (how.spare ? 1 : 0),
                            .turned = how.relabel && values_of(j) == V};
    return table_of(&f);
}

/* ---- a second implementation, straight from the definition ---- */

typedef struct tables {
    double prior[K], theta[M][V][K];
} tables;

static tables count(const data *d)
{
    tables t;
    double n_c[K] = {0}, total = 0;
    for (size_t i = 0; i < d->n; i++) {
        n_c[d->y[i]] += d->weighted ? d->weight[i] : 1;
        total += d->weighted ? d->weight[i] : 1;
    }
    for (size_t c = 0; c < K; c++) t.prior[c] = log((n_c[c] + 1) / (total + K));
    for (size_t j = 0; j < M; j++)
        for (size_t c = 0; c < K; c++) {
            double n[V] = {0}, present = 0;
            for (size_t i = 0; i < d->n; i++) {
                if (d->y[i] != (int32_t)c || d->cell[j][i] < 0) continue;
                n[d->cell[j][i]] += d->weighted ? d->weight[i] : 1;
                present += d->weighted ? d->weight[i] : 1;
            }
            for (size_t v = 0; v < values_of(j); v++)
                t.theta[j][v][c] = log((n[v] + 1) / (present + (double)values_of(j)));
        }
    return t;
}

static void scores_of(const data *d, const tables *t, size_t i, const double *w, double *a)
{
    for (size_t c = 0; c < K; c++) {
        size_t at = 0;
        a[c] = t->prior[c];
        for (size_t j = 0; j < M; j++) {
            const int32_t v = d->cell[j][i];
            if (v >= 0) a[c] += w[at + (size_t)v] * t->theta[j][v][c];
            at += values_of(j);
        }
    }
}

/* E(w), and how near the closest row is to a tie for best. */
static double plain_value(const data *d, const double *w, size_t n, double lambda, double center,
                          double *margin)
{
    const tables t = count(d);
    double       e = 0;
    *margin = INFINITY;
    for (size_t i = 0; i < d->n; i++) {
        double a[K], best, next = -INFINITY;
        scores_of(d, &t, i, w, a);
        best = fmax(a[0], fmax(a[1], a[2]));
        for (size_t l = 0; l < K; l++) {
            const double o = 1 / (1 + exp(best - a[l])), want = d->y[i] == (int32_t)l ? 0.5 : 0;
            e += (d->weighted ? d->weight[i] : 1) * (o - want) * (o - want) / 2;
            if (a[l] < best) next = fmax(next, a[l]);
        }
        *margin = fmin(*margin, best - next);
    }
    for (size_t k = 0; k < n; k++) e += lambda / 2 * (w[k] - center) * (w[k] - center);
    return e;
}

/* Rows below the public interface, for the objective alone. */
typedef struct fixture {
    heft_error     error;
    heft_ctx       ctx;
    heft_arena     arena;
    heft_attr      attr[M];
    uint8_t        code[M][MOST];
    uint16_t       y[MOST];
    heft_rows      rows;
    heft_fitted    basis;
    heft_evidence *ev;
    size_t         offset[M + 1];
    heft_vwnb      problem;
} fixture;

static void open_fixture(fixture *fx, const data *d, double lambda, double center)
{
    memset(fx, 0, sizeof *fx);
    heft_ctx_init(&fx->ctx, &fx->error, 1, 1, NULL);
    for (size_t i = 0; i < d->n; i++) fx->y[i] = (uint16_t)d->y[i];
    for (size_t j = 0; j < M; j++) {
        const uint32_t n = (uint32_t)values_of(j);
        for (size_t i = 0; i < d->n; i++)
            fx->code[j][i] = (uint8_t)(d->cell[j][i] < 0 ? (int32_t)n : d->cell[j][i]);
        fx->attr[j] = (heft_attr){.coded = true, .n_codes = n, .width = 1, .codes = fx->code[j]};
        fx->offset[j + 1] = fx->offset[j] + n;
    }
    fx->rows = (heft_rows){.n_rows = d->n,
                           .n_attr = M,
                           .n_class = K,
                           .attr = fx->attr,
                           .y = fx->y,
                           .weight = d->weighted ? d->weight : NULL};
    const heft_task task = {.rows = &fx->rows, .smoothing = {.laplace = true}, .arena = &fx->arena};
    assert_int_equal(heft_fit_basis(&fx->ctx, &task, &fx->basis, NULL), HEFT_OK);
    assert_int_equal(
        heft_evidence_build(&fx->ctx, &fx->rows, fx->basis.lik, &fx->ctx.scratch, &fx->ev),
        HEFT_OK);
    fx->problem =
        (heft_vwnb){fx->ev, fx->basis.log_prior, fx->offset, fx->offset[M], lambda, center, 0};
}

static void close_fixture(fixture *fx)
{
    heft_arena_clear(&fx->arena);
    heft_ctx_clear(&fx->ctx);
}

/* ---- the objective ---- */

/* E equals the sum written out, and its gradient central differences, at random weights away from
 * ties: t is 1/2, and the best class's score moves with w. */
static void gradient_matches_differences(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        data     d = make(60, 10 + (uint64_t)k);
        fixture  fx;
        heft_rng rng;
        double   x[M * V], g[M * V], none[M * V], margin, f;
        d.weighted = k == 1;
        open_fixture(&fx, &d, k == 2 ? 0 : 2, k == 3 ? 1 : 0);
        const size_t n = fx.problem.n;
        heft_rng_init(&rng, 5, (uint64_t)k);
        do { /* ties are kinks */
            for (size_t v = 0; v < n; v++) x[v] = 2 * heft_rng_real(&rng) - 0.3;
            f = plain_value(&d, x, n, fx.problem.lambda, fx.problem.center, &margin);
        } while (margin < 1e-3);
        double e;
        assert_int_equal(heft_vwnb_value(&fx.ctx, &fx.problem, x, &e, g), HEFT_OK);
        NEAR(e, f, 1e-11 * f);
        for (size_t v = 0; v < n; v++) {
            const double h = 1e-5, at = x[v];
            double       up, down;
            x[v] = at + h;
            assert_int_equal(heft_vwnb_value(&fx.ctx, &fx.problem, x, &up, none), HEFT_OK);
            x[v] = at - h;
            assert_int_equal(heft_vwnb_value(&fx.ctx, &fx.problem, x, &down, none), HEFT_OK);
            x[v] = at;
            NEAR(g[v], (up - down) / (2 * h), 1e-6 * fmax(fabs(g[v]), 1));
        }
        close_fixture(&fx);
    }
}

/* Two rows on paper: E at w = 1, term by term. */
static void an_example_on_paper(void **state)
{
    (void)state;
    const int32_t code[] = {0, 0, 0, 1, 1, 0}, y[] = {0, 0, 0, 1, 1, 1};
    heft_table   *t;
    OK(heft_table_create(6, &t, &err));
    OK(heft_table_add_codes(t, "x", code, 1, values, 2, &err));
    OK(heft_table_set_target(t, "class", y, classes, 2, &err));
    heft_model *m = fit(t, "vwnb", WITH("maxit=0"));
    /* P(p) = P(q) = 1/2; P(a|p) = 4/5, P(a|q) = 2/5, P(b|p) = 1/5, P(b|q) = 3/5. Value a: best p,
     * o_q = 1/(1 + 2) = 1/3; value b: best q, o_p = 1/(1 + 3) = 1/4.
     * three rows a of p: (1/3)^2; two rows b of q: (1/4)^2; the row a of q, wrong:
     * (1/2)^2 + (1/3 - 1/2)^2; all halved, and 2/2 (1 + 1) for the two weights */
    const double e = (3 / 9.0 + 2 / 16.0 + 1 / 4.0 + 1 / 36.0) / 2 + 2;
    NEAR(m->fitted.training.objective_initial, e, 1e-14);
    assert_true(m->fitted.training.objective_final == m->fitted.training.objective_initial);
    heft_model_free(m);
    heft_table_free(t);
}

/* ---- the fit ---- */

/* E never rises from pass to pass, and ends below its start. */
static void objective_never_rises(void **state)
{
    (void)state;
    data         d = make(200, 20);
    fixture      fx;
    double       x[M * V];
    heft_minimum min;
    open_fixture(&fx, &d, 2, 0);
    for (size_t a = 0; a < M; a++) /* a constant attribute begins at the center */
        for (size_t v = fx.offset[a]; v < fx.offset[a + 1]; v++)
            x[v] = fx.offset[a + 1] - fx.offset[a] > 1;
    const heft_problem problem = {.n = fx.problem.n, .fn = heft_vwnb_value, .user = &fx.problem};
    const heft_descent_rule rule = {.eta0 = 1 / (2 + 0.05 * 200),
                                    .decay = 200,
                                    .rel_tol = 1e-6,
                                    .patience = 3,
                                    .floor = 1e-12,
                                    .max_iter = 500};
    assert_int_equal(heft_descent(&fx.ctx, &problem, &rule, &fx.arena, x, &min), HEFT_OK);
    for (size_t t = 1; t < min.n_trace; t++) assert_true(min.trace[t] <= min.trace[t - 1]);
    assert_true(min.iterations > 3 && min.f < 0.9 * min.f0);

    heft_table *t = data_table(&d, (arrange){0});
    heft_model *m = fit(t, "vwnb", NULL);
    NEAR(m->fitted.training.objective_initial, min.f0, 1e-10 * min.f0);
    NEAR(m->fitted.training.objective_final, min.f, 1e-10 * min.f);
    assert_int_equal(m->fitted.training.iterations, min.iterations);
    double margin;
    NEAR(m->fitted.training.objective_final,
         plain_value(&d, m->fitted.weights.w, fx.problem.n, 2, 0, &margin), 1e-10 * min.f);
    heft_model_free(m);
    heft_table_free(t);
    close_fixture(&fx);
}

/* update=printed, written out: the step shrinks from its last value, the penalty counts with
 * eta^lambda, and the slopes of the data are central differences of E without it. */
static void printed_update_step_by_step(void **state)
{
    (void)state;
    enum { PASSES = 3 };
    data         d = make(80, 21);
    fixture      fx;
    heft_minimum min;
    double       w[M * V], x[M * V], g[M * V], margin, eta = 0.2;
    open_fixture(&fx, &d, 2, 0);
    const size_t n = fx.problem.n;
    for (size_t v = 0; v < n; v++) w[v] = x[v] = 1;
    for (int t = 1; t <= PASSES; t++) {
        for (size_t v = 0; v < n; v++) {
            const double h = 1e-5, at = x[v];
            x[v] = at + h;
            const double up = plain_value(&d, x, n, 0, 0, &margin);
            x[v] = at - h;
            const double down = plain_value(&d, x, n, 0, 0, &margin);
            x[v] = at;
            g[v] = (up - down) / (2 * h);
        }
        eta /= 1 + t / 80.0;
        for (size_t v = 0; v < n; v++) x[v] = x[v] * (1 - pow(eta, 2)) - eta * g[v];
    }
    assert_int_equal(heft_vwnb_printed(&fx.ctx, &fx.problem, 0.2, PASSES, w, &min), HEFT_OK);
    for (size_t v = 0; v < n; v++) NEAR(w[v], x[v], 1e-6);
    assert_true(min.converged && min.iterations == PASSES);
    /* a first step that is far too long ends at finite weights, and says so */
    for (size_t v = 0; v < n; v++) w[v] = 1;
    assert_int_equal(heft_vwnb_printed(&fx.ctx, &fx.problem, 1e300, 60, w, &min), HEFT_OK);
    for (size_t v = 0; v < n; v++) assert_true(isfinite(w[v]));
    assert_false(min.converged);
    close_fixture(&fx);
}

/* Without a pass, or held at 1 by an endless pull, it is naive Bayes. */
static void no_move_is_naive_bayes(void **state)
{
    (void)state;
    data                     d = make(150, 30);
    heft_table              *t = data_table(&d, (arrange){0});
    double                   p[MOST * K], q[MOST * K];
    static const char *const how[][2] = {
        {"maxit=0", NULL}, {"center=1", "lambda=1e12"}, {"maxit=0", "solver=lbfgs"}};
    heft_model *nb = fit(t, "nb", NULL);
    OK(heft_predict_proba(nb, t, q, &err));
    for (size_t k = 0; k < 3; k++) {
        heft_model *m = fit(t, "vwnb", WITH(how[k][0], how[k][1]));
        OK(heft_predict_proba(m, t, p, &err));
        for (size_t i = 0; i < d.n * K; i++) NEAR(p[i], q[i], 1e-9);
        heft_model_free(m);
    }
    heft_model_free(nb);
    heft_table_free(t);
}

/* A strong pull to 0 leaves the prior to decide: every row gets the most frequent class. */
static void a_strong_pull_leaves_the_prior(void **state)
{
    (void)state;
    data        d = make(150, 40);
    heft_table *t = data_table(&d, (arrange){0});
    int32_t     got[MOST];
    size_t      n[K] = {0}, most = 0;
    for (size_t i = 0; i < d.n; i++) n[d.y[i]]++;
    for (size_t c = 1; c < K; c++)
        if (n[c] > n[most]) most = c;
    heft_model *m = fit(t, "vwnb", WITH("lambda=1e6"));
    for (size_t v = 0; v < m->fitted.weights.offset[M]; v++)
        assert_true(fabs(m->fitted.weights.w[v]) < 1e-3);
    OK(heft_predict(m, t, got, &err));
    for (size_t i = 0; i < d.n; i++) assert_int_equal(got[i], most);
    heft_model_free(m);
    heft_table_free(t);
}

/* A column of one value, and one spread alike over the classes: their weights go to 0 by the pull
 * alone, and predictions do not move when the columns go. */
static void silent_columns_fade(void **state)
{
    (void)state;
    data        d = make_balanced(20);
    heft_table *t = data_table(&d, (arrange){0}),
               *less = data_table(&d, (arrange){.drop_flat = true});
    double      p[MOST * K], q[MOST * K];
    heft_model *m = fit(t, "vwnb", WITH("tol=0", "maxit=2000"));
    heft_model *n = fit(less, "vwnb", WITH("tol=0", "maxit=2000"));
    for (size_t j = 3; j < M; j++)
        for (size_t v = m->fitted.weights.offset[j]; v < m->fitted.weights.offset[j + 1]; v++)
            NEAR(m->fitted.weights.w[v], 0, 1e-6);
    OK(heft_predict_proba(m, t, p, &err));
    OK(heft_predict_proba(n, t, q, &err));
    for (size_t i = 0; i < d.n * K; i++) NEAR(p[i], q[i], 1e-6);
    heft_model_free(m), heft_model_free(n);
    heft_table_free(t), heft_table_free(less);
}

/* Order of rows and columns and the names of values do not change the weights; equal columns have
 * equal weights. */
static void order_and_names_do_not_matter(void **state)
{
    (void)state;
    static const arrange how[] = {
        {.backward_rows = true}, {.backward_columns = true}, {.relabel = true}};
    data                d = make(200, 50);
    heft_table         *t = data_table(&d, (arrange){0});
    heft_model         *m = fit(t, "vwnb", NULL);
    const heft_weights *w = &m->fitted.weights;
    for (size_t v = 0; v < V; v++) NEAR(w->w[w->offset[0] + v], w->w[w->offset[2] + v], 1e-12);
    for (size_t k = 0; k < 3; k++) {
        heft_table         *u = data_table(&d, how[k]);
        heft_model         *n = fit(u, "vwnb", NULL);
        const heft_weights *x = &n->fitted.weights;
        for (size_t j = 0; j < M; j++)
            for (size_t v = 0; v < values_of(j); v++) {
                const size_t a = how[k].backward_columns ? M - 1 - j : j;
                const size_t b = how[k].relabel ? values_of(j) - 1 - v : v;
                NEAR(w->w[w->offset[j] + v], x->w[x->offset[a] + b], 1e-8);
            }
        heft_model_free(n);
        heft_table_free(u);
    }
    heft_model_free(m);
    heft_table_free(t);
}

/* A row with nothing observed gets the prior; a declared value that no training row has, and a
 * value never heard of, add nothing either. */
static void what_is_not_known_adds_nothing(void **state)
{
    (void)state;
    static const char *const strange[] = {"never", "else"};
    data                     d = make(150, 60);
    heft_table              *t = data_table(&d, (arrange){.spare = true}), *u;
    const int32_t            cell[] = {-1, 0, 1};
    double                   p[3 * K];
    OK(heft_table_create(3, &u, &err));
    for (size_t j = 0; j < M; j++) {
        char name[8];
        snprintf(name, sizeof name, "x%zu", j);
        OK(heft_table_add_codes(u, name, cell, 1, strange, 2, &err));
    }
    heft_model  *m = fit(t, "vwnb", NULL);
    const tables n = count(&d);
    OK(heft_predict_proba(m, u, p, &err));
    for (size_t i = 0; i < 3; i++)
        for (size_t c = 0; c < K; c++) NEAR(p[i * K + c], exp(n.prior[c]), 1e-12);
    heft_model_free(m);
    heft_table_free(t), heft_table_free(u);
}

/* The solver, E before and after and the passes are told; lbfgs is another solver of the same E. */
static void the_fit_is_told(void **state)
{
    (void)state;
    data        d = make(200, 70);
    heft_table *t = data_table(&d, (arrange){0});
    for (int k = 0; k < 2; k++) {
        heft_model *m = fit(t, "vwnb", WITH(k ? "solver=lbfgs" : "solver=descent", "eta=0.05"));
        assert_string_equal(fact(m, "solver")->text, k ? "lbfgs" : "descent");
        assert_true(fact(m, "E_0")->number == m->fitted.training.objective_initial);
        assert_true(fact(m, "E")->number == m->fitted.training.objective_final);
        assert_true(fact(m, "passes")->number == (double)m->fitted.training.iterations);
        assert_true(fact(m, "E")->number < fact(m, "E_0")->number);
        assert_true(m->fitted.training.converged);
        heft_model_free(m);
    }
    heft_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_matches_differences),
        cmocka_unit_test(an_example_on_paper),
        cmocka_unit_test(objective_never_rises),
        cmocka_unit_test(printed_update_step_by_step),
        cmocka_unit_test(no_move_is_naive_bayes),
        cmocka_unit_test(a_strong_pull_leaves_the_prior),
        cmocka_unit_test(silent_columns_fade),
        cmocka_unit_test(order_and_names_do_not_matter),
        cmocka_unit_test(what_is_not_known_adds_nothing),
        cmocka_unit_test(the_fit_is_told),
    };
    return cmocka_run_group_tests_name("vwnb", tests, NULL, NULL);
}
