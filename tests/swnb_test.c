/* swnb_test.c - the laws of the subspace weights, and the paper's case study. */
#include "fixture.h"

#include "base/num.h"
#include "eval/eval.h"
#include "train/fit.h"

static const char *const classes[] = {"a", "b"};

typedef struct data {
    size_t  n, D;
    double *x; /* row-major */
    int32_t y[200];
} data;

static data data_make(size_t n, size_t D, uint64_t seed)
{
    data     d = {n, D, malloc(n * D * sizeof(double)), {0}};
    heft_rng rng;
    heft_rng_init(&rng, seed, 0);
    for (size_t i = 0; i < n; i++) {
        d.y[i] = (int32_t)(i % 2);
        for (size_t j = 0; j < D; j++) {
            const double width = 0.05 + (double)((j * 7 + 3 * (size_t)d.y[i]) % 11) / 10;
            d.x[i * D + j] = width * (heft_rng_real(&rng) - 0.5) + (j % 3 == 0 ? 0.3 * d.y[i] : 0);
        }
    }
    return d;
}

static heft_table *data_table(const data *d)
{
    static char name[MOST_FIELDS][24];
    frame       f = {.n_rows = d->n, .n_cols = d->D, .y = d->y, .classes = classes, .n_class = 2};
    for (size_t j = 0; j < d->D; j++) {
        snprintf(name[j], sizeof name[j], "g%zu", j);
        f.cols[j] = (field){name[j], .numbers = d->x + j, .step = d->D};
    }
    return table_of(&f);
}

static double weight(const heft_model *m, size_t j, size_t c)
{
    return m->fitted.weights.w[j * m->fitted.n_class + c];
}

static double variance(const data *d, size_t j, int32_t c)
{
    double mean = 0, sum = 0, n = 0;
    for (size_t i = 0; i < d->n; i++)
        if (d->y[i] == c) mean += d->x[i * d->D + j], n++;
    mean /= n;
    for (size_t i = 0; i < d->n; i++)
        if (d->y[i] == c) sum += pow(d->x[i * d->D + j] - mean, 2);
    return sum / n;
}

static double logit(double w)
{
    return log(w) - log1p(-w);
}

/* The weights of a class sum to D/(1+exp(tau s)), their logits have variance s^2 and a mean of at
 * most -tau s, and w_j dJ/dw_j is 0, with J of the page differentiated by hand. */
static void constraints_hold(void **state)
{
    (void)state;
    const char *const params[] = {"tau=4", "s=0.5", "tol=1e-11", "passes=20000", NULL};
    data              d = data_make(120, 60, 1);
    heft_table       *t = data_table(&d);
    heft_model       *m = fit(t, "swnb", &(heft_config){.params = params, .scale = "none"});
    assert_true(m->fitted.training.converged);
    for (int32_t c = 0; c < 2; c++) {
        double sum = 0, mean = 0, var = 0, sigma2 = 0, a_sum = 0, q_sum = 0, aq = 0, qq = 0;
        for (size_t j = 0; j < d.D; j++) {
            const double w = weight(m, j, (size_t)c);
            assert_true(w > 0 && w < 1);
            sum += w, mean += logit(w), sigma2 += w * variance(&d, j, c);
        }
        mean /= (double)d.D, sigma2 /= (double)d.D;
        for (size_t j = 0; j < d.D; j++) var += pow(logit(weight(m, j, (size_t)c)) - mean, 2);
        NEAR(sum, (double)d.D / (1 + exp(4 * 0.5)), 1e-9 * (double)d.D);
        NEAR(var / (double)d.D, 0.25, 1e-3);
        assert_true(mean <= -4 * 0.5);
        /* phi_j = a_j - 2 q_j lam2 = L (logit w_j - m): lam2 and L by least squares, no residual */
        for (size_t j = 0; j < d.D; j++) {
            const double w = weight(m, j, (size_t)c), q = w * (1 - w), l = logit(w) - mean;
            const double a = 3 * w - 1 - q * variance(&d, j, c) / sigma2;
            a_sum += a * l, q_sum += q * l, aq += a * q, qq += q * q;
        }
        double ll = var, det = qq * ll * 4 - 4 * q_sum * q_sum;
        /* minimise sum (a - 2 q lam - L l)^2 over lam, L */
        const double lam = (2 * aq * ll - 2 * q_sum * a_sum) / det;
        const double L = (a_sum - 2 * lam * q_sum) / ll;
        for (size_t j = 0; j < d.D; j++) {
            const double w = weight(m, j, (size_t)c), q = w * (1 - w);
            const double a = 3 * w - 1 - q * variance(&d, j, c) / sigma2;
            NEAR(a - 2 * q * lam, L * (logit(w) - mean), 1e-5);
        }
    }
    heft_model_free(m), heft_table_free(t), free(d.x);
}

/* The rho that a class is told to have. */
static double told_rho(const heft_model *m, const char *class_name)
{
    char name[64];
    snprintf(name, sizeof name, "class %s", class_name);
    for (size_t k = 0; k < m->fitted.training.n_facts; k++) {
        const heft_fact *fact = &m->fitted.training.facts[k];
        if (strcmp(fact->name, name) == 0) return strtod(strstr(fact->text, "rho ") + 4, NULL);
    }
    fail_msg("nothing is told of class %s", class_name);
    return NAN;
}

/* Theorem 1: rho_k, the mean over pairs of attributes of the product of their weighted deviations
 * in units of sigma, is what the model tells, and at most 1. */
static void rho_is_the_mean_over_pairs(void **state)
{
    (void)state;
    data        d = data_make(90, 12, 4);
    heft_table *t = data_table(&d);
    heft_model *m =
        fit(t, "swnb", &(heft_config){.params = PARAMS("tau=2", "s=0.5"), .scale = "none"});
    for (int32_t c = 0; c < 2; c++) {
        double sigma2 = 0, rho = 0;
        for (size_t j = 0; j < d.D; j++)
            sigma2 += weight(m, j, (size_t)c) * variance(&d, j, c) / (double)d.D;
        for (size_t j = 0; j < d.D; j++)
            for (size_t k = 0; k < d.D; k++)
                if (j != k)
                    rho += sqrt(weight(m, j, (size_t)c) * variance(&d, j, c)) *
                           sqrt(weight(m, k, (size_t)c) * variance(&d, k, c)) / sigma2;
        rho /= (double)(d.D * (d.D - 1));
        assert_true(rho < 1);
        NEAR(told_rho(m, heft_dict_text(m->prep.classes, (uint32_t)c)), rho, 1e-5);
    }
    heft_model_free(m), heft_table_free(t), free(d.x);
}

/* Scaling all data leaves the weights; permuting attributes permutes them; doubling every row
 * changes nothing; equal variances get equal weights. */
static void invariances(void **state)
{
    (void)state;
    data d = data_make(80, 30, 2), scaled = data_make(80, 30, 2), turned = data_make(80, 30, 2);
    heft_table *t = data_table(&d);
    for (size_t k = 0; k < d.n * d.D; k++) scaled.x[k] *= 1024;
    for (size_t i = 0; i < d.n; i++)
        for (size_t j = 0; j < d.D; j++) turned.x[i * d.D + j] = d.x[i * d.D + (d.D - 1 - j)];
    heft_table *ts = data_table(&scaled), *tt = data_table(&turned);
    heft_model *a = fit(t, "swnb", &(heft_config){.scale = "none"}),
               *b = fit(ts, "swnb", &(heft_config){.scale = "none"}),
               *c = fit(tt, "swnb", &(heft_config){.scale = "none"});
    for (size_t j = 0; j < d.D; j++)
        for (size_t k = 0; k < 2; k++) {
            NEAR(weight(a, j, k), weight(b, j, k), 1e-12);
            NEAR(weight(a, j, k), weight(c, d.D - 1 - j, k), 1e-9);
        }
    heft_model_free(b), heft_model_free(c), heft_table_free(ts), heft_table_free(tt);
    double two[200];
    for (size_t i = 0; i < d.n; i++) two[i] = 2;
    OK(heft_table_set_weights(t, two, &err));
    b = fit(t, "swnb", &(heft_config){.scale = "none"});
    for (size_t j = 0; j < d.D; j++) NEAR(weight(a, j, 0), weight(b, j, 0), 1e-12);
    heft_model_free(a), heft_model_free(b), heft_table_free(t);
    for (size_t i = 0; i < d.n; i++) d.x[i * d.D + 4] = d.x[i * d.D + 5]; /* a twin column */
    t = data_table(&d);
    a = fit(t, "swnb", &(heft_config){.scale = "none"});
    assert_true(weight(a, 4, 0) == weight(a, 5, 0) && weight(a, 4, 1) == weight(a, 5, 1));
    heft_model_free(a), heft_table_free(t);
    free(d.x), free(scaled.x), free(turned.x);
}

/* s = 0, equal variances, one attribute, one row a class and constant classes keep the flat weight
 * and finite answers. */
static void flat_cases(void **state)
{
    (void)state;
    const char *const flat[] = {"s=0", NULL};
    const double      w0 = 1 / (1 + exp(3.5));
    data              d = data_make(40, 6, 3), one = data_make(2, 6, 4), thin = data_make(40, 1, 5);
    data              still = data_make(40, 6, 6);
    for (size_t k = 0; k < still.n * still.D; k++) still.x[k] = (double)still.y[k / still.D];
    heft_table *t = data_table(&d);
    heft_model *m = fit(t, "swnb", &(heft_config){.params = flat});
    for (size_t j = 0; j < d.D; j++) NEAR(weight(m, j, 0), 0.5, 1e-15); /* tau s = 0 */
    heft_model_free(m), heft_table_free(t);
    data *cases[] = {&one, &thin, &still};
    for (size_t k = 0; k < 3; k++) {
        double p[400];
        t = data_table(cases[k]);
        m = fit(t, "swnb", NULL);
        for (size_t j = 0; j < cases[k]->D; j++) NEAR(weight(m, j, 1), w0, 1e-12);
        OK(heft_predict_proba(m, t, p, &err));
        for (size_t i = 0; i < 2 * cases[k]->n; i++) assert_true(p[i] >= 0 && p[i] <= 1);
        heft_model_free(m), heft_table_free(t);
    }
    free(d.x), free(one.x), free(thin.x), free(still.x);
}

/* The score is the paper's formula. */
static void score_by_hand(void **state)
{
    (void)state;
    data        d = data_make(50, 8, 7);
    heft_table *t = data_table(&d);
    heft_model *m = fit(t, "swnb", &(heft_config){.scale = "none"});
    double      p[100];
    OK(heft_predict_proba(m, t, p, &err));
    for (size_t i = 0; i < 5; i++) {
        double s[2];
        for (int32_t c = 0; c < 2; c++) {
            double sigma2 = 0, square = 0, logs = 0;
            for (size_t j = 0; j < d.D; j++)
                sigma2 += weight(m, j, (size_t)c) * variance(&d, j, c) / 8;
            for (size_t j = 0; j < d.D; j++) {
                double mean = 0, n = 0;
                for (size_t k = 0; k < d.n; k++)
                    if (d.y[k] == c) mean += d.x[k * d.D + j], n++;
                logs += log(weight(m, j, (size_t)c));
                square += weight(m, j, (size_t)c) * pow(d.x[i * d.D + j] - mean / n, 2);
            }
            s[c] = log(0.5) + 0.5 * logs - 4 * log(2 * M_PI * sigma2) - square / (2 * sigma2);
        }
        NEAR(p[2 * i], 1 / (1 + exp(s[1] - s[0])), 1e-10);
    }
    heft_model_free(m), heft_table_free(t), free(d.x);
}

/* Sparse and dense rows give equal weights and probabilities. */
static void sparse_is_dense(void **state)
{
    (void)state;
    enum { N = 60, D = 40 };
    data      d = data_make(N, D, 8);
    size_t    start[N + 1] = {0}, n = 0;
    uint32_t *col = malloc(N * D * sizeof *col);
    double   *val = malloc(N * D * sizeof *val), p[2 * N], q[2 * N];
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < D; j++) {
            if ((i * 31 + j * 17) % 5) d.x[i * D + j] = 0;
            else col[n] = (uint32_t)j, val[n++] = d.x[i * D + j];
        }
        start[i + 1] = n;
    }
    char        text[D][8];
    const char *names[D];
    for (size_t j = 0; j < D; j++) snprintf(text[j], 8, "g%zu", j), names[j] = text[j];
    heft_table *dense = data_table(&d), *sparse;
    OK(heft_table_create(N, &sparse, &err));
    OK(heft_table_add_sparse(sparse, D, start, col, val, names, &err));
    OK(heft_table_set_target(sparse, "class", d.y, classes, 2, &err));
    static const char *const scales[] = {NULL, "unit", "none"};
    for (size_t k = 0; k < 3; k++) {
        heft_model *a = fit(dense, "swnb", &(heft_config){.scale = scales[k]}),
                   *b = fit(sparse, "swnb", &(heft_config){.scale = scales[k]});
        for (size_t j = 0; j < D; j++) NEAR(weight(a, j, 0), weight(b, j, 0), 1e-7);
        OK(heft_predict_proba(a, dense, p, &err));
        OK(heft_predict_proba(b, sparse, q, &err));
        for (size_t i = 0; i < 2 * N; i++) NEAR(p[i], q[i], 1e-8);
        heft_model_free(a), heft_model_free(b);
    }
    heft_table_free(dense), heft_table_free(sparse);
    free(d.x), free(col), free(val);
}

static heft_table *read_data(const char *name)
{
    heft_table *t;
    const char *path = data_file(name);
    if (!path) return NULL;
    OK(heft_read(path, NULL, &t, &err));
    return t;
}

/* ALL-AML, scaled over both files as the paper did: the printed counts and means come out. */
static void case_study(void **state)
{
    (void)state;
    heft_table *train = read_data("ALL-AML_train.arff"),
               *test = train ? read_data("ALL-AML_test.arff") : NULL;
    if (!test) skip();
    heft_ctx    ctx;
    heft_table *both, *whole, *learn, *ask;
    size_t      rows[72];
    heft_ctx_init(&ctx, &err, 1, 0, NULL);
    OK(heft_table_join(&ctx, train, test, &both));
    OK(heft_prepare_whole(&ctx, both, &(heft_config){.method = "swnb"}, &whole));
    for (size_t i = 0; i < 72; i++) rows[i] = i;
    OK(heft_table_take(&ctx, whole, rows, 38, &learn));
    OK(heft_table_take(&ctx, whole, rows + 38, 34, &ask));
    static const struct {
        const char *tau;
        int         all, aml, passes_all, passes_aml;
        double      either, m_all, m_aml;
    } known[] = {{"tau=7.8", 86, 77, 76, 58, 149, -4.254, -4.246},
                 {"tau=7", 112, 101, 50, 42, 194, -3.766, -3.756}};
    for (size_t k = 0; k < 2; k++) {
        const char *const params[] = {known[k].tau, NULL};
        heft_model       *m = fit(learn, "swnb", &(heft_config){.params = params, .scale = "none"});
        const char       *told = "%d attributes selected, %*d passes; m %lf";
        int               n_all = 0, n_aml = 0;
        double            m_all = 0, m_aml = 0, p[68];
        sscanf(fact(m, "class ALL")->text, told, &n_all, &m_all);
        sscanf(fact(m, "class AML")->text, told, &n_aml, &m_aml);
        assert_int_equal(m->fitted.training.iterations, known[k].passes_all + known[k].passes_aml);
        assert_int_equal(n_all, known[k].all);
        assert_int_equal(n_aml, known[k].aml);
        NEAR(m->fitted.training.facts[0].number, known[k].either, 0);
        NEAR(m_all, known[k].m_all, 6e-4);
        NEAR(m_aml, known[k].m_aml, 6e-4);
        OK(heft_predict_proba(m, ask, p, &err));
        double right = 0, both_all = 0, said_all = 0, is_all = 0; /* F1 of ALL and of AML */
        for (size_t i = 0; i < 34; i++) {
            const bool says = p[2 * i] >= p[2 * i + 1], is = heft_table_class(ask, i) == 0;
            right += says == is, both_all += says && is, said_all += says, is_all += is;
        }
        NEAR(2 * both_all / (said_all + is_all), 0.9756, 5e-5);
        const double both_aml = right - both_all;
        NEAR(2 * both_aml / (68 - said_all - is_all), 0.9630, 5e-5);
        heft_model_free(m);
    }
    heft_table_free(train), heft_table_free(test), heft_table_free(both), heft_table_free(whole);
    heft_table_free(learn), heft_table_free(ask);
    heft_ctx_clear(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constraints_hold), cmocka_unit_test(rho_is_the_mean_over_pairs),
        cmocka_unit_test(invariances),      cmocka_unit_test(flat_cases),
        cmocka_unit_test(score_by_hand),    cmocka_unit_test(sparse_is_dense),
        cmocka_unit_test(case_study),
    };
    return cmocka_run_group_tests_name("swnb", tests, NULL, NULL);
}
