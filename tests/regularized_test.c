/* regularized_test.c - wanbia, cawnb and rnb: objective and gradient against a second
 * implementation and against differences, the laws of the mixture, what the printed gradient does,
 * and bad input. */
#include "fixture.h"
#include "learn/basis.h"

#include <float.h>

#include "learn/squared.h"
#include "train/fit.h"

/* ---- rows made by hand, below the public interface ---- */

enum { M = 5, MOST_ROWS = 200, MOST_CLASS = 5, MOST_VALUES = 4 };

typedef struct fixture {
    heft_error  error;
    heft_ctx    ctx;
    heft_arena  arena;
    heft_attr   attr[M];
    uint8_t     code[M][MOST_ROWS];
    double      number[MOST_ROWS], weight[MOST_ROWS];
    uint16_t    y[MOST_ROWS];
    heft_rows   rows;
    heft_task   task;
    heft_fitted basis;
} fixture;

/* Attribute 0 tells much, 1 a little, 2 repeats 0, 3 has one value, 4 is noise; with `numeric`, 4
 * is a number. Some cells are missing. */
static void open_fixture(fixture *fx, size_t n, size_t K, uint64_t seed, bool numeric, bool weights)
{
    heft_rng rng;
    memset(fx, 0, sizeof *fx);
    heft_ctx_init(&fx->ctx, &fx->error, 1, 1, NULL);
    heft_rng_init(&rng, seed, 0);
    for (size_t i = 0; i < n; i++) {
        const uint8_t y = (uint8_t)heft_rng_below(&rng, K);
        fx->y[i] = y;
        fx->weight[i] = 0.25 + heft_rng_real(&rng);
        for (size_t j = 0; j < M; j++) {
            const uint64_t dice = heft_rng_below(&rng, 10), v = heft_rng_below(&rng, 4);
            fx->code[j][i] = (uint8_t)v;
            if (j == 0 && dice < 6) fx->code[j][i] = (uint8_t)(y % MOST_VALUES);
            if (j == 1 && dice < 2) fx->code[j][i] = (uint8_t)((y + 1) % MOST_VALUES);
            if (j == 1 && dice == 9) fx->code[j][i] = MOST_VALUES; /* missing */
            if (j == 2) fx->code[j][i] = fx->code[0][i];
            if (j == 3) fx->code[j][i] = 0;
        }
        fx->number[i] = i % 17 == 3 ? NAN : 0.5 * y + 3 * heft_rng_real(&rng);
    }
    for (size_t j = 0; j < M; j++)
        fx->attr[j] = (heft_attr){
            .coded = true, .n_codes = j == 3 ? 1 : MOST_VALUES, .width = 1, .codes = fx->code[j]};
    if (numeric) fx->attr[M - 1] = (heft_attr){.numbers = fx->number};
    fx->rows = (heft_rows){.n_rows = n,
                           .n_attr = M,
                           .n_class = K,
                           .attr = fx->attr,
                           .y = fx->y,
                           .weight = weights ? fx->weight : NULL};
    fx->task = (heft_task){.rows = &fx->rows, .smoothing = {.mass = 1}, .arena = &fx->arena};
    assert_int_equal(heft_fit_basis(&fx->ctx, &fx->task, &fx->basis, NULL), HEFT_OK);
}

static void close_fixture(fixture *fx)
{
    heft_arena_clear(&fx->arena);
    heft_ctx_clear(&fx->ctx);
}

static heft_squared_rule rule_for(bool by_class, bool by_attr, double alpha, bool learn)
{
    return (heft_squared_rule){.by_class = by_class,
                               .by_attr = by_attr,
                               .alpha = alpha,
                               .learn_alpha = learn,
                               .lower = 0,
                               .upper = 1,
                               .stop = {10, 1e-7, 1e-10, 1000, 0}};
}

static heft_squared *open_problem(fixture *fx, heft_squared_rule rule)
{
    heft_squared *q;
    assert_int_equal(heft_squared_open(&fx->ctx, &fx->task, &fx->basis, &rule, &q), HEFT_OK);
    return q;
}

static double value_at(fixture *fx, heft_squared *q, const double *x, double *g)
{
    double f;
    assert_int_equal(heft_squared_value(&fx->ctx, q, x, &f, g), HEFT_OK);
    return f;
}

/* ---- a second implementation, straight from the equations ---- */

/* log theta_{c,j,x_ij} of (14), or the normal density; 0 where missing. */
static double log_theta(const fixture *fx, size_t i, size_t j, size_t c)
{
    const size_t V = fx->attr[j].n_codes;
    double       n_cv = 0, n_c = 0, out[MOST_CLASS];
    if (!fx->attr[j].coded) {
        heft_lik_number(&fx->basis.lik[j], fx->rows.n_class, fx->number[i], out);
        return out[c];
    }
    if (fx->code[j][i] >= V) return 0;
    for (size_t k = 0; k < fx->rows.n_rows; k++) {
        const double w = fx->rows.weight ? fx->weight[k] : 1;
        if (fx->y[k] != c || fx->code[j][k] >= V) continue;
        n_c += w;
        if (fx->code[j][k] == fx->code[j][i]) n_cv += w;
    }
    return log((n_cv + 1.0 / (double)V) / (n_c + 1));
}

/* log pi_c of (13). */
static double log_pi(const fixture *fx, size_t c)
{
    double n = 0, n_c = 0;
    for (size_t k = 0; k < fx->rows.n_rows; k++) {
        const double w = fx->rows.weight ? fx->weight[k] : 1;
        n += w;
        if (fx->y[k] == c) n_c += w;
    }
    return log((n_c + 1 / (double)fx->rows.n_class) / (n + 1));
}

/* p[c], (7) with W given (by attribute and class), (8) with w. */
static void posterior_of_row(const fixture *fx, size_t i, const double *W, const double *w,
                             double *p)
{
    const size_t K = fx->rows.n_class;
    double       hi = -INFINITY, sum = 0;
    for (size_t c = 0; c < K; c++) {
        p[c] = log_pi(fx, c);
        for (size_t j = 0; j < M; j++) p[c] += (W ? W[j * K + c] : w[j]) * log_theta(fx, i, j, c);
        hi = fmax(hi, p[c]);
    }
    for (size_t c = 0; c < K; c++) sum += p[c] = exp(p[c] - hi);
    for (size_t c = 0; c < K; c++) p[c] /= sum;
}

static double plain_value(const fixture *fx, const double *W, const double *w, double alpha)
{
    const size_t K = fx->rows.n_class;
    double       f = 0, d[MOST_CLASS], s[MOST_CLASS];
    for (size_t i = 0; i < fx->rows.n_rows; i++) {
        posterior_of_row(fx, i, W, w, d);
        posterior_of_row(fx, i, w ? NULL : W, w, s);
        for (size_t c = 0; c < K; c++) {
            const double e = alpha * d[c] + (1 - alpha) * s[c] - (c == fx->y[i]);
            f += (fx->rows.weight ? fx->weight[i] : 1) * e * e / 2;
        }
    }
    return f;
}

static void random_point(heft_rng *rng, const heft_squared *q, double *x)
{
    for (size_t k = 0; k < q->n; k++) x[k] = k < q->at_alpha ? 2 * heft_rng_real(rng) - 0.3 : 0.37;
}

/* The objective equals the sum of (5) written out, for each part, both, and with row weights. */
static void objective_equals_the_plain_sum(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        fixture  fx;
        heft_rng rng;
        double   x[M * (MOST_CLASS + 1) + 1], g[M * (MOST_CLASS + 1) + 1];
        open_fixture(&fx, 60, 3, 10 + (uint64_t)k, k == 1, k == 2);
        heft_rng_init(&rng, 3, (uint64_t)k);
        heft_squared *q = open_problem(&fx, rule_for(true, true, 0.5, true));
        random_point(&rng, q, x);
        const double f = value_at(&fx, q, x, g);
        NEAR(f, plain_value(&fx, x, x + q->at_attr, x[q->at_alpha]), 1e-11 * f);
        q = open_problem(&fx, rule_for(true, false, 0, false));
        NEAR(value_at(&fx, q, x, g), plain_value(&fx, x, NULL, 1), 1e-11 * f);
        q = open_problem(&fx, rule_for(false, true, 0, false));
        NEAR(value_at(&fx, q, x, g), plain_value(&fx, NULL, x, 0), 1e-11 * f);
        close_fixture(&fx);
    }
}

/* The gradient equals central differences at a random point, four classes, every form. */
static void gradients_match_differences(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        fixture           fx;
        heft_rng          rng;
        double            x[M * (MOST_CLASS + 1) + 1], g[M * (MOST_CLASS + 1) + 1], none[64];
        heft_squared_rule rule = rule_for(k != 1, k != 0, 0.37, k > 2);
        if (k == 5) rule.l2 = 3;
        open_fixture(&fx, 80, 4, 20 + (uint64_t)k, k == 3, k == 4);
        heft_rng_init(&rng, 4, (uint64_t)k);
        heft_squared *q = open_problem(&fx, rule);
        random_point(&rng, q, x);
        value_at(&fx, q, x, g);
        double size = 0;
        for (size_t v = 0; v < q->n; v++) size = fmax(size, fabs(g[v]));
        for (size_t v = 0; v < q->n; v++) {
            const double h = 1e-5, at = x[v];
            x[v] = at + h;
            const double up = value_at(&fx, q, x, none);
            x[v] = at - h;
            const double down = value_at(&fx, q, x, none);
            x[v] = at;
            NEAR(g[v], (up - down) / (2 * h), 1e-6 * fmax(fabs(g[v]), 1e-2 * size));
        }
        close_fixture(&fx);
    }
}

/* (15) as printed is one half of the true gradient for two classes, and another direction for
 * four; (16) and (17) stay as they are. */
static void printed_is_half_for_two_classes(void **state)
{
    (void)state;
    for (size_t K = 2; K <= 4; K += 2) {
        fixture           fx;
        heft_rng          rng;
        double            x[64], g[64], p[64], gap = 0, size = 0;
        heft_squared_rule rule = rule_for(true, true, 0.37, true);
        open_fixture(&fx, 90, K, 30, false, false);
        heft_rng_init(&rng, 5, 0);
        heft_squared *q = open_problem(&fx, rule);
        random_point(&rng, q, x);
        const double f = value_at(&fx, q, x, g);
        rule.printed = true;
        q = open_problem(&fx, rule);
        assert_true(value_at(&fx, q, x, p) == f);
        for (size_t v = 0; v < q->n; v++) {
            if (v >= q->at_attr) assert_true(p[v] == g[v]);
            else {
                gap = fmax(gap, fabs(2 * p[v] - g[v]));
                size = fmax(size, fabs(g[v]));
            }
        }
        if (K == 2) assert_true(gap <= 1e-11 * size);
        else assert_true(gap > 0.1 * size);
        close_fixture(&fx);
    }
}

/* At the start df/dalpha is 0 exactly, and sum_c df/dW_cj / alpha = df/dw_j / (1 - alpha). */
static void the_start_is_balanced(void **state)
{
    (void)state;
    fixture fx;
    double  x[64], g[64];
    open_fixture(&fx, 100, 4, 40, false, false);
    heft_squared *q = open_problem(&fx, rule_for(true, true, 0.3, true));
    heft_squared_start(q, x);
    const double f = value_at(&fx, q, x, g);
    assert_true(g[q->at_alpha] == 0);
    for (size_t j = 0; j < M; j++) {
        double sum = 0;
        for (size_t c = 0; c < 4; c++) sum += g[j * 4 + c];
        NEAR(sum / 0.3, g[q->at_attr + j] / 0.7, 1e-10 * f);
    }
    close_fixture(&fx);
}

/* Weights equal in all classes make the two posteriors one, whatever alpha is. */
static void equal_weights_make_one_posterior(void **state)
{
    (void)state;
    fixture  fx;
    heft_rng rng;
    double   x[64], g[64], w[M], d[3], s[3];
    open_fixture(&fx, 70, 3, 50, false, false);
    heft_rng_init(&rng, 6, 0);
    heft_squared *q = open_problem(&fx, rule_for(true, true, 0.5, true));
    for (size_t j = 0; j < M; j++) {
        w[j] = x[q->at_attr + j] = heft_rng_real(&rng);
        for (size_t c = 0; c < 3; c++) x[j * 3 + c] = w[j];
    }
    double f[3];
    for (int k = 0; k < 3; k++) {
        x[q->at_alpha] = 0.5 * k;
        f[k] = value_at(&fx, q, x, g);
        NEAR(f[k], f[0], 1e-12 * f[0]);
    }
    for (size_t i = 0; i < fx.rows.n_rows; i++) {
        posterior_of_row(&fx, i, x, NULL, d);
        posterior_of_row(&fx, i, NULL, w, s);
        for (size_t c = 0; c < 3; c++) NEAR(d[c], s[c], 1e-12);
    }
    q = open_problem(&fx, rule_for(false, true, 0, false));
    NEAR(value_at(&fx, q, w, g), f[0], 1e-12 * f[0]);
    close_fixture(&fx);
}

/* The objective never rises from one iterate to the next, with the true gradient and the printed
 * one; the point returned is the lowest, inside the bounds. */
static void the_objective_never_rises(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        fixture           fx;
        double            x[64], g[64];
        heft_minimum      min;
        heft_squared_rule rule = rule_for(k % 4 != 1, k % 4 != 0, 0.5, k % 4 > 1);
        rule.printed = k % 4 == 3 || k == 4;
        if (k == 6) rule.lower = -INFINITY, rule.upper = INFINITY;
        open_fixture(&fx, 150, 4, 60 + (uint64_t)k, k == 5, false);
        heft_squared *q = open_problem(&fx, rule);
        heft_squared_start(q, x);
        const double f0 = value_at(&fx, q, x, g);
        assert_int_equal(heft_squared_minimise(&fx.ctx, q, &fx.arena, x, &min), HEFT_OK);
        assert_true(min.f0 == f0 && min.n_trace == (size_t)min.iterations + 1);
        assert_non_null(min.stopped_by);
        for (size_t t = 1; t < min.n_trace; t++) assert_true(min.trace[t] <= min.trace[t - 1]);
        assert_true(min.f <= f0 && min.f == value_at(&fx, q, x, g));
        if (!rule.printed) assert_true(min.converged && min.f < 0.999 * f0);
        for (size_t v = 0; v < q->n; v++) {
            if (k != 6 || v == q->at_alpha) assert_true(x[v] >= 0 && x[v] <= 1);
            assert_true(isfinite(x[v]));
        }
        close_fixture(&fx);
    }
}

/* From any start the fit ends no higher than the start. */
static void other_starts_are_taken(void **state)
{
    (void)state;
    fixture      fx;
    double       x[M], g[M], from_one[M];
    heft_minimum min;
    open_fixture(&fx, 150, 3, 70, false, false);
    heft_squared *q = open_problem(&fx, rule_for(false, true, 0, false));
    heft_squared_start(q, from_one);
    assert_int_equal(heft_squared_minimise(&fx.ctx, q, NULL, from_one, &min), HEFT_OK);
    for (size_t j = 0; j < M; j++) x[j] = 0.3 + 0.1 * (double)j;
    const double f0 = value_at(&fx, q, x, g);
    assert_int_equal(heft_squared_minimise(&fx.ctx, q, NULL, x, &min), HEFT_OK);
    assert_true(min.f0 == f0 && min.f < f0);
    assert_true(x[3] == 0.3 + 0.1 * 3.0); /* the attribute that says nothing stays where it was */
    close_fixture(&fx);
}

/* ---- through the public interface ---- */

static const char *const values[] = {"a", "b", "c", "d"};
static const char *const classes[] = {"p", "q", "r", "s", "t"};

/* One value, or twins of column 0, may be left out; labels and order may be turned around. */
typedef struct arrange {
    bool no_twin, no_flat, backward_rows, backward_columns, relabel_values, relabel_classes;
} arrange;

static heft_table *fixture_table(const fixture *fx, arrange how)
{
    static int32_t           code[M][MOST_ROWS], y[MOST_ROWS];
    static const char *const name[] = {"x0", "x1", "x2", "x3", "x4"};
    const size_t             n = fx->rows.n_rows;
    frame                    f = {.n_rows = n,
                                  .y = y,
                                  .classes = classes,
                                  .n_class = fx->rows.n_class,
                                  .backward_rows = how.backward_rows,
                                  .backward_columns = how.backward_columns,
                                  .turned_classes = how.relabel_classes};
    for (size_t i = 0; i < n; i++) y[i] = fx->y[i];
    for (size_t j = 0; j < M; j++) {
        const size_t V = fx->attr[j].n_codes;
        if ((j == 2 && how.no_twin) || (j == 3 && how.no_flat)) continue;
        for (size_t i = 0; i < n; i++) code[j][i] = fx->code[j][i] < V ? fx->code[j][i] : -1;
        f.cols[f.n_cols++] = (field){name[j], .codes = code[j], .values = values, .n_values = V,
                                     .turned = how.relabel_values && V > 1};
    }
    return table_of(&f);
}

/* Missing cells stay missing. */
static heft_model *fit_gaps(const heft_table *t, const char *method, const char *a, const char *b)
{
    return fit(t, method, &(heft_config){.params = PARAMS(a, b), .impute = "none"});
}

/* A single attribute by hand: the tables of (13) and (14), the posterior of (8), the error of (5),
 * and the weight at which it is least. */
static void an_example_on_paper(void **state)
{
    (void)state;
    /* value u: classes 0 0 0 1; value v: classes 0 1 1 1 */
    const int32_t code[] = {0, 0, 0, 0, 1, 1, 1, 1}, y[] = {0, 0, 0, 1, 0, 1, 1, 1};
    heft_table   *t;
    double        p[16];
    OK(heft_table_create(8, &t, &err));
    OK(heft_table_add_codes(t, "x", code, 1, values, 2, &err));
    OK(heft_table_set_target(t, "class", y, classes, 2, &err));
    /* pi = (4 + 1/2)/9 = 1/2; theta_u|0 = (3 + 1/2)/5 = 0.7, theta_u|1 = (1 + 1/2)/5 = 0.3 */
    heft_model *m = fit_gaps(t, "wanbia", "max-iter=0", NULL);
    OK(heft_predict_proba(m, t, p, &err));
    NEAR(p[0], 0.7, 1e-15);
    /* six rows right at 0.7, two wrong at 0.3: 1/2 (6 x 2 x 0.09 + 2 x 2 x 0.49) = 1.52 */
    NEAR(m->fitted.training.objective_initial, 1.52, 1e-14);
    heft_model_free(m);
    /* With odds (7/3)^w the error is least where the share of right rows, 3/4, is the posterior:
     * w = log 3 / log(7/3), beyond the bound 1 */
    m = fit_gaps(t, "wanbia", "bounds=none", "tol=0");
    NEAR(m->fitted.weights.w[0], log(3) / log(7.0 / 3), 1e-5);
    NEAR(m->fitted.training.objective_final, 0.5 * (6 * 2 * 0.0625 + 2 * 2 * 0.5625), 1e-10);
    heft_model_free(m);
    m = fit_gaps(t, "wanbia", NULL, NULL);
    assert_true(m->fitted.weights.w[0] == 1 && m->fitted.training.iterations == 0);
    heft_model_free(m);
    heft_table_free(t);
}

/* rnb's probabilities are alpha P^D + (1 - alpha) P^I of its own weights: probabilities are mixed,
 * not scores, and the prior is never weighted. */
static void rnb_mixes_probabilities(void **state)
{
    (void)state;
    static const char *const how[][2] = {
        {"alpha=learned", NULL}, {"alpha=0.4", "bounds=-2,3"}, {"alpha=0.8", "gradient=printed"}};
    fixture fx;
    open_fixture(&fx, 160, 4, 80, false, false);
    heft_table *t = fixture_table(&fx, (arrange){0});
    for (size_t k = 0; k < 3; k++) {
        double       p[MOST_ROWS * 4], d[4], s[4];
        heft_model  *m = fit_gaps(t, "rnb", how[k][0], how[k][1]);
        const double a = fact(m, "alpha")->number, *w = m->method->attr_weights(&m->fitted);
        OK(heft_predict_proba(m, t, p, &err));
        assert_true(a > 0 && a < 1);
        assert_int_equal(m->fitted.weights.shape, HEFT_W_CLASS);
        double apart = 0;
        for (size_t i = 0; i < fx.rows.n_rows; i++) {
            posterior_of_row(&fx, i, m->fitted.weights.w, NULL, d);
            posterior_of_row(&fx, i, NULL, w, s);
            for (size_t c = 0; c < 4; c++) {
                NEAR(p[i * 4 + c], a * d[c] + (1 - a) * s[c], 1e-12);
                apart = fmax(apart, fabs(d[c] - s[c]));
            }
        }
        assert_true(apart > 1e-3);
        heft_model_free(m);
    }
    heft_table_free(t);
    close_fixture(&fx);
}

/* Held at 1 rnb is cawnb, held at 0 wanbia, to the bit; the other part stays at 1. */
static void alpha_at_its_ends(void **state)
{
    (void)state;
    fixture fx;
    open_fixture(&fx, 160, 3, 90, false, false);
    heft_table *t = fixture_table(&fx, (arrange){0});
    for (int k = 0; k < 2; k++) {
        double      p[MOST_ROWS * 3], q[MOST_ROWS * 3];
        heft_model *m = fit_gaps(t, "rnb", k ? "alpha=1" : "alpha=0", NULL);
        heft_model *other = fit_gaps(t, k ? "cawnb" : "wanbia", NULL, NULL);
        OK(heft_predict_proba(m, t, p, &err));
        OK(heft_predict_proba(other, t, q, &err));
        assert_memory_equal(p, q, fx.rows.n_rows * 3 * sizeof *p);
        const double *mine = k ? m->fitted.weights.w : m->method->attr_weights(&m->fitted);
        const double *idle = k ? m->method->attr_weights(&m->fitted) : m->fitted.weights.w;
        assert_memory_equal(mine, other->fitted.weights.w, M * sizeof *mine);
        for (size_t v = 0; v < (k ? M : 3 * M); v++) assert_true(idle[v] == 1);
        assert_true(m->fitted.training.iterations > 0);
        heft_model_free(m), heft_model_free(other);
    }
    heft_table_free(t);
    close_fixture(&fx);
}

/* Twins among the columns get equal weights; a column of one value keeps weight 1 exactly and can
 * be dropped. */
static void twins_and_flat_columns(void **state)
{
    (void)state;
    fixture fx;
    double  p[MOST_ROWS * 3], q[MOST_ROWS * 3];
    open_fixture(&fx, 180, 3, 100, false, false);
    heft_table *t = fixture_table(&fx, (arrange){0}),
               *less = fixture_table(&fx, (arrange){.no_flat = true});
    static const char *const methods[] = {"wanbia", "cawnb", "rnb"};
    for (size_t k = 0; k < 3; k++) {
        heft_model   *m = fit_gaps(t, methods[k], "tol=1e-12", NULL);
        heft_model   *n = fit_gaps(less, methods[k], "tol=1e-12", NULL);
        const double *w = m->fitted.weights.w;
        if (k == 0) {
            NEAR(w[0], w[2], 1e-12);
            assert_true(w[0] < 1 && w[0] > 0); /* counted twice, so each counts less */
            assert_true(w[3] == 1);
        }
        for (size_t c = 0; c < 3 && k > 0; c++) assert_true(w[3 * 3 + c] == 1);
        if (k == 2) assert_true(m->method->attr_weights(&m->fitted)[3] == 1);
        OK(heft_predict_proba(m, t, p, &err));
        OK(heft_predict_proba(n, t, q, &err));
        for (size_t i = 0; i < fx.rows.n_rows * 3; i++) NEAR(p[i], q[i], 1e-9);
        heft_model_free(m), heft_model_free(n);
    }
    heft_table_free(t), heft_table_free(less);
    close_fixture(&fx);
}

/* Row order, column order, names of values and of classes do not matter. */
static void order_and_names_do_not_matter(void **state)
{
    (void)state;
    static const arrange     how[] = {{.backward_rows = true},
                                      {.backward_columns = true},
                                      {.relabel_values = true},
                                      {.relabel_classes = true}};
    static const char *const methods[] = {"wanbia", "cawnb", "rnb"};
    fixture                  fx;
    open_fixture(&fx, 180, 4, 110, false, false);
    heft_table *t = fixture_table(&fx, (arrange){0});
    for (size_t k = 0; k < 3; k++) {
        double      p[MOST_ROWS * 4], q[MOST_ROWS * 4];
        heft_model *m = fit_gaps(t, methods[k], "tol=1e-12", NULL);
        OK(heft_predict_proba(m, t, p, &err));
        heft_model_free(m);
        for (size_t a = 0; a < sizeof how / sizeof *how; a++) {
            heft_table *other = fixture_table(&fx, how[a]);
            m = fit_gaps(other, methods[k], "tol=1e-12", NULL);
            OK(heft_predict_proba(m, t, q, &err));
            for (size_t i = 0; i < fx.rows.n_rows; i++)
                for (size_t c = 0; c < 4; c++)
                    NEAR(p[i * 4 + c], q[i * 4 + (how[a].relabel_classes ? 3 - c : c)], 1e-4);
            heft_model_free(m);
            heft_table_free(other);
        }
    }
    heft_table_free(t);
    close_fixture(&fx);
}

/* bounds keep every weight inside, also when 1 is not; bounds=none lets weights go; a strong pull
 * holds them at 1, where the method is naive Bayes. */
static void bounds_and_pull(void **state)
{
    (void)state;
    fixture fx;
    double  p[MOST_ROWS * 3], q[MOST_ROWS * 3];
    open_fixture(&fx, 160, 3, 120, false, false);
    heft_table              *t = fixture_table(&fx, (arrange){0});
    static const char *const methods[] = {"wanbia", "cawnb", "rnb"};
    heft_model              *nb;
    nb = fit(t, "nb", &(heft_config){.smoothing = "paper"});
    OK(heft_predict_proba(nb, t, q, &err));
    heft_model_free(nb);
    for (size_t k = 0; k < 3; k++) {
        const size_t n = k ? 3 * M : M;
        heft_model  *m = fit_gaps(t, methods[k], "bounds=0.2,0.5", NULL);
        for (size_t v = 0; v < n; v++)
            assert_true(m->fitted.weights.w[v] >= 0.2 && m->fitted.weights.w[v] <= 0.5);
        const double boxed = m->fitted.training.objective_final;
        heft_model_free(m);
        m = fit_gaps(t, methods[k], "bounds=none", NULL);
        bool outside = false;
        for (size_t v = 0; v < n; v++)
            outside = outside || m->fitted.weights.w[v] < 0 || m->fitted.weights.w[v] > 1;
        assert_true(outside && m->fitted.training.objective_final < boxed);
        heft_model_free(m);
        m = fit_gaps(t, methods[k], "l2=1e9", "bounds=none");
        OK(heft_predict_proba(m, t, p, &err));
        for (size_t i = 0; i < fx.rows.n_rows * 3; i++) NEAR(p[i], q[i], 1e-7);
        heft_model_free(m);
    }
    heft_table_free(t);
    close_fixture(&fx);
}

/* What inspect tells of the fit: objective, iterations, alpha, the share of attributes in use. */
static void the_fit_is_told(void **state)
{
    (void)state;
    fixture fx;
    open_fixture(&fx, 160, 3, 131, false, false);
    heft_table *t = fixture_table(&fx, (arrange){0});
    heft_model *m = fit_gaps(t, "wanbia", NULL, NULL);
    size_t      used = 0;
    for (size_t j = 0; j < M; j++) used += m->fitted.weights.w[j] != 0;
    assert_true(used > 0 && used < M); /* noise is left out: weight 0 exactly */
    NEAR(fact(m, "selection_rate")->number, (double)used / M, 1e-15);
    heft_model_free(m);
    m = fit_gaps(t, "rnb", NULL, NULL);
    const heft_training *h = &m->fitted.training;
    assert_true(h->iterative && h->converged && h->iterations > 0);
    assert_true(h->evaluations >= h->iterations && h->objective_final < h->objective_initial);
    assert_true(fact(m, "alpha")->number >= 0 && fact(m, "alpha")->number <= 1);
    double parts[(M + 1) * 3], score[3];
    assert_int_equal(heft_explain_row(m, t, 0, parts, score, &err), HEFT_EUNSUPPORTED);
    heft_model_free(m);
    heft_table_free(t);
    close_fixture(&fx);
}

/* A file whose mixture cannot be is refused. */
static void damaged_mixtures_are_refused(void **state)
{
    (void)state;
    fixture fx;
    open_fixture(&fx, 60, 3, 140, false, false);
    heft_table *t = fixture_table(&fx, (arrange){0});
    for (int k = 0; k < 3; k++) {
        heft_model *m = fit_gaps(t, "rnb", NULL, NULL);
        if (k == 0) *(double *)m->fitted.own = 1.5; /* alpha comes first in its state */
        if (k == 1) m->fitted.weights.shape = HEFT_W_ATTR;
        if (k == 2) ((double *)m->method->attr_weights(&m->fitted))[1] = 1e300;
        assert_int_equal(reload(m), HEFT_EFORMAT);
        heft_model_free(m);
    }
    heft_table_free(t);
    close_fixture(&fx);
}

/* No attributes, a class of one row, a class without rows, nothing observed, one row a class and
 * numbers of any size: finite posteriors. */
static void poor_data_is_fitted(void **state)
{
    (void)state;
    enum { N = 12 };
    static const char *const methods[] = {"wanbia", "cawnb", "rnb", "rnb"};
    const int32_t            y[N] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2},
                  nothing[N] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    double big[N], p[N * 4];
    for (size_t i = 0; i < N; i++) big[i] = i == 3 ? 1e300 : (double)(i * i) * (i % 2 ? 1 : -1e-9);
    for (size_t k = 0; k < 16; k++) {
        heft_table *t;
        heft_model *m;
        const char *params[] = {k % 4 == 3 ? "alpha=0.5" : "bounds=none", NULL};
        OK(heft_table_create(N, &t, &err));
        if (k / 4 == 1) OK(heft_table_add_codes(t, "none", nothing, 1, values, 2, &err));
        if (k / 4 >= 2) OK(heft_table_add_numbers(t, "big", big, 1, &err));
        if (k / 4 == 3) OK(heft_table_add_codes(t, "y", y, 1, values, 3, &err));
        OK(heft_table_set_target(t, "class", y, classes, 4, &err));
        m = fit(t, methods[k % 4],
                &(heft_config){.params = params,
                               .impute = k / 4 == 1 ? "none" : NULL,
                               .discretize = k / 4 >= 2 ? "none" : NULL});
        OK(heft_predict_proba(m, t, p, &err));
        for (size_t i = 0; i < N; i++) {
            double sum = 0;
            for (size_t c = 0; c < 4; c++) {
                assert_true(isfinite(p[i * 4 + c]) && p[i * 4 + c] >= 0);
                sum += p[i * 4 + c];
            }
            NEAR(sum, 1, 1e-12);
        }
        assert_true(isfinite(m->fitted.training.objective_final));
        heft_model_free(m);
        heft_table_free(t);
    }
}

/* More classes than the engine has scores for are refused with a sentence. */
static void too_many_classes_are_refused(void **state)
{
    (void)state;
    enum { K = 2100 };
    static char        text[K][8];
    static const char *name[K];
    static int32_t     y[K];
    heft_table        *t;
    heft_model        *m;
    for (size_t c = 0; c < K; c++) {
        snprintf(text[c], sizeof text[c], "c%zu", c);
        name[c] = text[c];
        y[c] = (int32_t)c;
    }
    OK(heft_table_create(K, &t, &err));
    OK(heft_table_set_target(t, "class", y, name, K, &err));
    assert_int_equal(heft_fit(t, &(heft_config){.method = "rnb"}, &m, &err), HEFT_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "2100 classes"));
    heft_table_free(t);
}

/* ---- on the papers' data ---- */

static heft_model *fit_file(const char *name, const char *method, const char *a, const char *b)
{
    heft_table *t;
    heft_model *m;
    const char *path = data_file(name), *params[] = {a, b, NULL};
    if (!path) return NULL;
    OK(heft_read(path, NULL, &t, &err));
    m = fit(t, method, &(heft_config){.params = a ? params : NULL});
    heft_table_free(t);
    return m;
}

/* balance-scale: every weight wants to grow, so within [0,1] nothing moves; unbounded the
 * class-specific part ends unused, alpha = 0 exactly. */
static void balance_scale_stays_naive(void **state)
{
    (void)state;
    heft_model *m = fit_file("balance-scale.arff", "rnb", NULL, NULL);
    if (!m) skip();
    for (size_t v = 0; v < m->fitted.n_attr * m->fitted.n_class; v++)
        assert_true(m->fitted.weights.w[v] == 1);
    heft_model_free(m);
    m = fit_file("balance-scale.arff", "rnb", "bounds=none", NULL);
    assert_true(fact(m, "alpha")->number == 0);
    heft_model_free(m);
}

/* vowel, eleven classes: fed with the printed gradient the search gives up early, which is a way to
 * finish and no error; the true gradient goes lower. */
static void the_printed_gradient_stalls(void **state)
{
    (void)state;
    heft_model *m = fit_file("vowel.arff", "cawnb", "gradient=printed", NULL);
    if (!m) skip();
    const heft_training printed = m->fitted.training;
    heft_model_free(m);
    m = fit_file("vowel.arff", "cawnb", NULL, NULL);
    const heft_training right = m->fitted.training;
    assert_true(printed.objective_initial == right.objective_initial);
    assert_true(printed.objective_final < printed.objective_initial);
    assert_true(right.objective_final < 0.97 * printed.objective_final && right.converged);
    assert_true(printed.evaluations > 3 * printed.iterations);
    heft_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objective_equals_the_plain_sum),
        cmocka_unit_test(gradients_match_differences),
        cmocka_unit_test(printed_is_half_for_two_classes),
        cmocka_unit_test(the_start_is_balanced),
        cmocka_unit_test(equal_weights_make_one_posterior),
        cmocka_unit_test(the_objective_never_rises),
        cmocka_unit_test(other_starts_are_taken),
        cmocka_unit_test(an_example_on_paper),
        cmocka_unit_test(rnb_mixes_probabilities),
        cmocka_unit_test(alpha_at_its_ends),
        cmocka_unit_test(twins_and_flat_columns),
        cmocka_unit_test(order_and_names_do_not_matter),
        cmocka_unit_test(bounds_and_pull),
        cmocka_unit_test(the_fit_is_told),
        cmocka_unit_test(damaged_mixtures_are_refused),
        cmocka_unit_test(poor_data_is_fitted),
        cmocka_unit_test(too_many_classes_are_refused),
        cmocka_unit_test(balance_scale_stays_naive),
        cmocka_unit_test(the_printed_gradient_stalls),
    };
    return cmocka_run_group_tests_name("regularized", tests, NULL, NULL);
}
