/* exploss_test.c - enb, dnb, lnb, gdnb, mse: published losses, laws of the losses, hazards. */
#include "fixture.h"

#include <float.h>

#include "methods/exploss.h"
#include "methods/ovo.h"
#include "model/model.h"

static const char *const names[] = {"enb", "dnb", "lnb", "gdnb", "mse"};

/* ---- tables ---- */

enum { N_NUM = 3, N_NOM = 3, M = N_NUM + N_NOM, VALUES = 4 };

typedef struct sample {
    size_t  n;
    double  num[N_NUM][600];
    int32_t nom[N_NOM][600], y[600];
} sample;

/* Classes with share `first` of class 0; attributes overlap, so that nothing is separable; the last
 * nominal attribute is noise. */
static sample draw(size_t n, size_t n_class, double first, uint64_t seed)
{
    sample   s = {.n = n};
    heft_rng rng;
    heft_rng_init(&rng, seed, 0);
    for (size_t i = 0; i < n; i++) {
        const bool zero = (double)i < first * (double)n;
        s.y[i] = zero ? 0 : (int32_t)(1 + heft_rng_below(&rng, n_class - 1));
        for (size_t j = 0; j < N_NUM; j++)
            s.num[j][i] = heft_rng_real(&rng) + heft_rng_real(&rng) + heft_rng_real(&rng) +
                          0.3 * (double)(j + 1) * s.y[i];
        for (size_t j = 0; j < N_NOM; j++)
            s.nom[j][i] = j < 2 && heft_rng_below(&rng, 4) == 0
                              ? s.y[i]
                              : (int32_t)heft_rng_below(&rng, VALUES);
    }
    return s;
}

typedef struct how {
    bool   reversed, swapped;
    double factor, offset; /* of the first number, factor 0: 1 */
    bool   copy;           /* the first number twice */
    bool   constant;       /* one more attribute of a single value */
} how;

static heft_table *sample_table(const sample *s, size_t n_class, how h)
{
    static const char *const values[] = {"a", "b", "c", "d"}, *const classes[] = {"p", "q", "r",
                                                                                  "s"};
    double first[600], sevens[600];
    frame  f = {.n_rows = s->n,
                .n_cols = M,
                .y = s->y,
                .classes = classes,
                .n_class = n_class,
                .turned_classes = h.swapped,
                .backward_columns = h.reversed};
    for (size_t i = 0; i < s->n; i++) {
        first[i] = h.factor != 0 ? s->num[0][i] * h.factor + h.offset : s->num[0][i];
        sevens[i] = 7;
    }
    for (size_t j = 0; j < N_NUM; j++) f.cols[j] = (field){.numbers = j ? s->num[j] : first};
    for (size_t j = N_NUM; j < M; j++)
        f.cols[j] = (field){.codes = s->nom[j - N_NUM], .values = values, .n_values = VALUES};
    if (h.copy) f.cols[f.n_cols++] = (field){"again", .numbers = s->num[0]};
    if (h.constant) f.cols[f.n_cols++] = (field){"seven", .numbers = sevens};
    return table_of(&f);
}

static double loss_of(const heft_model *m)
{
    return m->fitted.training.objective_final;
}

static void near(double a, double b, double tol, const char *what)
{
    if (!(fabs(a - b) <= tol * fmax(1, fmax(fabs(a), fabs(b)))))
        fail_msg("%s: %.17g and %.17g differ", what, a, b);
}

/* ---- an independent reference: log ratios from explain, sums in plain loops, and minimisation by
 * coordinate Newton steps ---- */

typedef struct plain {
    size_t n, m; /* m: attributes */
    double P0, a[600][M + 2], y[600];
} plain;

static plain ratios(const heft_table *t, const char *prior)
{
    plain       p = {.n = heft_table_rows(t), .m = heft_table_attributes(t)};
    heft_model *nb = fit(
        t, "nb",
        &(heft_config){.prior = prior ? prior : "frequency", .params = PARAMS("variance=class")});
    for (size_t i = 0; i < p.n; i++) {
        double parts[(1 + M + 2) * 2], score[2];
        OK(heft_explain_row(nb, t, i, parts, score, &err));
        p.P0 = parts[0] - parts[1];
        for (size_t j = 0; j < p.m; j++) p.a[i][j] = parts[2 * j + 2] - parts[2 * j + 3];
        p.y[i] = heft_table_class(t, i) == 0 ? 1 : -1;
    }
    heft_model_free(nb);
    return p;
}

static double margin(const plain *p, size_t i, double w0, const double *w)
{
    double f = w0 * p->P0;
    for (size_t j = 0; j < p->m; j++) f += w[j] * p->a[i][j];
    return f;
}

/* Loss, and its first and second derivative along attribute j (SIZE_MAX: along w0). */
static double plain_loss(const plain *p, size_t k, double w0, const double *w, size_t j, double *d1,
                         double *d2)
{
    double loss = 0;
    *d1 = *d2 = 0;
    for (size_t i = 0; i < p->n; i++) {
        const double a = j == SIZE_MAX ? p->P0 : p->a[i][j], f = margin(p, i, w0, w), y = p->y[i];
        const double s = 1 / (1 + exp(-f)), by = k == 1 ? 2 : 1, q = 1 / (1 + exp(by * y * f));
        if (k == 0) {
            loss += exp(-y * f);
            *d1 -= y * a * exp(-y * f);
            *d2 += a * a * exp(-y * f);
        } else if (k < 4) {
            loss += log1p(exp(-by * y * f));
            *d1 -= by * y * a * q;
            *d2 += by * by * a * a * q * (1 - q);
        } else {
            const double e = (y + 1) / 2 - s;
            loss += e * e;
            *d1 -= 2 * e * s * (1 - s) * a;
        }
    }
    return loss;
}

static double minimise(const plain *p, size_t k, double *w0, double *w)
{
    double last = INFINITY;
    *w0 = 1;
    for (size_t j = 0; j < p->m; j++) w[j] = 1;
    for (int sweep = 0; sweep < 3000; sweep++) {
        double d1, d2;
        for (size_t j = 0; j <= p->m; j++) {
            if (j == p->m && k != 3) break;
            double      *v = j == p->m ? w0 : &w[j];
            const double f = plain_loss(p, k, *w0, w, j == p->m ? SIZE_MAX : j, &d1, &d2), old = *v;
            double       step = d2 > 0 ? d1 / d2 : 0, g1, g2;
            for (int half = 0; half < 40; half++, step /= 2) {
                *v = fmax(0, old - step);
                if (plain_loss(p, k, *w0, w, 0, &g1, &g2) <= f) break;
                *v = old;
            }
        }
        const double f = plain_loss(p, k, *w0, w, 0, &d1, &d2);
        if (last - f <= 1e-13 * f) return f;
        last = f;
    }
    return last;
}

/* ---- tests ---- */

/* One fit on all rows gives the published losses to 1e-5, from default settings. */
static void published_losses_come_out(void **state)
{
    (void)state;
    static const struct {
        const char *file, *positive;
        double      loss[4];
    } sets[] = {
        {"glass.arff", "build wind float", {138.22755, 92.091026, 91.864904, 91.266086}},
        {"car.arff", "vgood", {60.257722, 30.487548, 43.641228, 26.09797}},
        {"tic-tac-toe.arff", "negative", {762.15369, 499.3997, 471.33526, 471.33525}},
    };
    for (size_t s = 0; s < 3; s++) {
        heft_table *t;
        const char *path = data_file(sets[s].file);
        if (!path) skip();
        OK(heft_read(path, &(heft_source){.positive = sets[s].positive}, &t, &err));
        for (size_t k = 0; k < 4; k++) {
            heft_model *m = fit(t, names[k], NULL);
            near(loss_of(m), sets[s].loss[k], 1e-5, names[k]);
            assert_true(m->fitted.training.converged);
            assert_true(loss_of(m) <= m->fitted.training.objective_initial);
            heft_model_free(m);
        }
        heft_table_free(t);
    }
}

/* Every loss, of a pair and of all classes: gradient = central difference, also where w is 0. */
static void gradients_match_differences(void **state)
{
    (void)state;
    sample   s = draw(300, 3, 0.3, 1);
    heft_rng rng;
    heft_rng_init(&rng, 5, 0);
    heft_table *t = sample_table(&s, 3, (how){0});
    heft_model *nb =
        fit(t, "nb", &(heft_config){.prior = "frequency", .params = PARAMS("variance=class")});
    for (size_t k = 0; k < 5; k++) {
        for (int pair = 0; pair < 2; pair++) {
            heft_ctx       ctx;
            heft_prepared  prepared;
            heft_evidence *ev;
            double         w[M], w0 = 1.3, f, lo, hi, g[M + 1], none[M + 1], largest = 0;
            heft_ctx_init(&ctx, &err, 1, 1, NULL);
            OK(heft_prep_apply(&ctx, &nb->prep, t, &prepared));
            const double  P0 = nb->fitted.log_prior[0] - nb->fitted.log_prior[2];
            const double *prior = pair ? &P0 : nb->fitted.log_prior;
            if (pair)
                OK(heft_evidence_pair(&ctx, &prepared.rows, nb->fitted.lik, NULL, 0, 2,
                                      &ctx.scratch, &ev));
            else OK(heft_evidence_build(&ctx, &prepared.rows, nb->fitted.lik, &ctx.scratch, &ev));
            for (size_t j = 0; j < M; j++) w[j] = j % 3 == 1 ? 0 : 1.5 * heft_rng_real(&rng);
            OK(heft_margin_loss_at(&ctx, ev, (heft_margin_loss)k, prior, w0, w, &f, g));
            for (size_t j = 0; j <= M; j++) largest = fmax(largest, fabs(g[j]));
            for (size_t j = 0; j <= M; j++) {
                double      *v = j ? &w[j - 1] : &w0;
                const double keep = *v, h = 1e-5;
                *v = keep + h;
                OK(heft_margin_loss_at(&ctx, ev, (heft_margin_loss)k, prior, w0, w, &hi, none));
                *v = keep - h;
                OK(heft_margin_loss_at(&ctx, ev, (heft_margin_loss)k, prior, w0, w, &lo, none));
                *v = keep;
                if (!(fabs((hi - lo) / (2 * h) - g[j]) <= 1e-6 * largest))
                    fail_msg("%s %s %zu: %.12g and %.12g", names[k], pair ? "pair" : "all", j,
                             (hi - lo) / (2 * h), g[j]);
            }
            heft_prepared_clear(&prepared);
            heft_ctx_clear(&ctx);
        }
    }
    heft_model_free(nb);
    heft_table_free(t);
}

/* The losses at start and end are the formulas', the end is a minimum (KKT), an independent
 * minimiser finds none lower, and the zeros are exact. */
static void the_minimum_is_one(void **state)
{
    (void)state;
    sample      s = draw(400, 2, 0.35, 2);
    heft_table *t = sample_table(&s, 2, (how){0});
    plain       p = ratios(t, NULL);
    size_t      zeros = 0;
    for (size_t k = 0; k < 5; k++) {
        heft_model   *m = fit(t, names[k], WITH("tol=1e-14", "pgtol=1e-7"));
        const double *w = m->fitted.weights.w, w0 = m->fitted.weights.w0,
                     one[M + 2] = {1, 1, 1, 1, 1, 1};
        double d1, d2, v0, v[M + 2];
        near(m->fitted.training.objective_initial, plain_loss(&p, k, 1, one, 0, &d1, &d2), 1e-10,
             "start");
        near(loss_of(m), plain_loss(&p, k, w0, w, 0, &d1, &d2), 1e-10, "end");
        for (size_t j = 0; j < M; j++) {
            plain_loss(&p, k, w0, w, j, &d1, &d2);
            assert_true(w[j] >= 0);
            if (w[j] > 0 ? fabs(d1) > 1e-3 : d1 < -1e-3)
                fail_msg("%s: slope %g at %g", names[k], d1, w[j]);
            zeros += w[j] == 0;
            if (w[j] > 0) assert_true(w[j] > 1e-6);
        }
        if (k < 4) near(loss_of(m), minimise(&p, k, &v0, v), 1e-8, names[k]);
        if (k != 3) assert_true(w0 == 1);
        heft_model_free(m);
    }
    assert_true(zeros > 0);
    heft_table_free(t);
}

/* The convex losses end at the same value from 0, 1 and 5. */
static void the_start_does_not_matter(void **state)
{
    (void)state;
    sample      s = draw(400, 2, 0.35, 3);
    heft_table *t = sample_table(&s, 2, (how){0});
    for (size_t k = 0; k < 4; k++) {
        heft_model *a = fit(t, names[k], WITH("start=0"));
        heft_model *b = fit(t, names[k], WITH("start=1"));
        heft_model *c = fit(t, names[k], WITH("start=5"));
        near(loss_of(a), loss_of(b), 1e-6, names[k]);
        near(loss_of(c), loss_of(b), 1e-6, names[k]);
        heft_model_free(a), heft_model_free(b), heft_model_free(c);
    }
    heft_table_free(t);
}

/* w of dnb under P0 is half that of lnb under 2 P0, with the same loss; gdnb is below both. */
static void the_losses_are_related(void **state)
{
    (void)state;
    sample       s = draw(400, 2, 0.35, 4);
    heft_table  *t = sample_table(&s, 2, (how){0});
    const double twice = 2 * log(0.35 / 0.65), share = 1 / (1 + exp(-twice));
    char         prior[64];
    snprintf(prior, sizeof prior, "p=%.17g,q=%.17g", share, 1 - share);
    heft_model *dnb = fit(t, "dnb", WITH("tol=1e-14", "pgtol=1e-8"));
    heft_model *lnb =
        fit(t, "lnb", &(heft_config){.params = PARAMS("tol=1e-14", "pgtol=1e-8"), .prior = prior});
    near(loss_of(dnb), loss_of(lnb), 1e-9, "loss");
    for (size_t j = 0; j < M; j++)
        near(dnb->fitted.weights.w[j], lnb->fitted.weights.w[j] / 2, 1e-4, "weight");
    heft_model *plain_lnb = fit(t, "lnb", NULL), *gdnb = fit(t, "gdnb", NULL);
    assert_true(loss_of(gdnb) <= loss_of(plain_lnb) * (1 + 1e-7));
    assert_true(loss_of(gdnb) <= loss_of(dnb) * (1 + 1e-7));
    assert_true(fact(gdnb, "w0")->number == gdnb->fitted.weights.w0);
    heft_model_free(dnb), heft_model_free(lnb), heft_model_free(plain_lnb), heft_model_free(gdnb);
    heft_table_free(t);
}

/* Balanced classes: w0 stays exactly 1 and gdnb is lnb, bit for bit. */
static void balanced_gdnb_is_lnb(void **state)
{
    (void)state;
    sample      s = draw(400, 2, 0.5, 5);
    heft_table *t = sample_table(&s, 2, (how){0});
    heft_model *a = fit(t, "lnb", NULL), *b = fit(t, "gdnb", NULL);
    assert_true(b->fitted.weights.w0 == 1);
    assert_memory_equal(a->fitted.weights.w, b->fitted.weights.w, M * sizeof(double));
    heft_model_free(a), heft_model_free(b);
    heft_table_free(t);
}

/* Swapping the classes, reordering attributes and an affine change of a number move nothing. */
static void symmetries_hold(void **state)
{
    (void)state;
    sample      s = draw(400, 2, 0.4, 6);
    heft_table *t = sample_table(&s, 2, (how){0});
    const how changes[] = {{.swapped = true}, {.reversed = true}, {.factor = -250, .offset = 1e4}};
    for (size_t k = 0; k < 4; k++) {
        heft_model *a = fit(t, names[k], WITH("tol=1e-13", "pgtol=1e-7"));
        for (size_t c = 0; c < 3; c++) {
            heft_table *u = sample_table(&s, 2, changes[c]);
            heft_model *b = fit(u, names[k], WITH("tol=1e-13", "pgtol=1e-7"));
            near(loss_of(a), loss_of(b), 1e-9, names[k]);
            for (size_t j = 0; j < M; j++)
                near(a->fitted.weights.w[j], b->fitted.weights.w[c == 1 ? M - 1 - j : j], 1e-3,
                     "weight");
            heft_model_free(b);
            heft_table_free(u);
        }
        heft_model_free(a);
    }
    heft_table_free(t);
}

/* A copy of an attribute leaves loss and predictions; a constant one keeps its weight of 1. */
static void copies_and_constants_change_nothing(void **state)
{
    (void)state;
    sample      s = draw(400, 2, 0.4, 7);
    heft_table *t = sample_table(&s, 2, (how){0}), *twin = sample_table(&s, 2, (how){.copy = true});
    heft_table *flat = sample_table(&s, 2, (how){.constant = true});
    for (size_t k = 0; k < 4; k++) {
        heft_model *a = fit(t, names[k], WITH("tol=1e-13", "pgtol=1e-7"));
        heft_model *b = fit(twin, names[k], WITH("tol=1e-13", "pgtol=1e-7"));
        heft_model *c = fit(flat, names[k], WITH("tol=1e-13", "pgtol=1e-7"));
        double     *p = posterior(a, t), *q = posterior(b, twin);
        near(loss_of(a), loss_of(b), 1e-7, "copy");
        for (size_t i = 0; i < 2 * s.n; i++) near(p[i], q[i], 2e-3, "posterior");
        near(loss_of(a), loss_of(c), 1e-12, "constant");
        assert_true(c->fitted.weights.w[M] == 1);
        free(p), free(q);
        heft_model_free(a), heft_model_free(b), heft_model_free(c);
    }
    heft_table_free(t), heft_table_free(twin), heft_table_free(flat);
}

/* gdnb: the mean posterior of the training rows is the share of the class. */
static void gdnb_is_balanced(void **state)
{
    (void)state;
    sample      s = draw(400, 2, 0.3, 8);
    heft_table *t = sample_table(&s, 2, (how){0});
    heft_model *m = fit(t, "gdnb", WITH("tol=1e-14", "pgtol=1e-8"));
    double     *p = posterior(m, t), mean = 0;
    for (size_t i = 0; i < s.n; i++) mean += p[2 * i] / (double)s.n;
    assert_true(m->fitted.weights.w0 > 0);
    near(mean, 0.3, 1e-6, "mean posterior");
    free(p);
    heft_model_free(m);
    heft_table_free(t);
}

/* No iteration is naive Bayes; bound, l2 and link do what they say. */
static void options_do_what_they_say(void **state)
{
    (void)state;
    sample      s = draw(400, 2, 0.35, 9);
    heft_table *t = sample_table(&s, 2, (how){0});
    heft_model *nb =
        fit(t, "nb", &(heft_config){.prior = "frequency", .params = PARAMS("variance=class")});
    double *p = posterior(nb, t);
    for (size_t k = 0; k < 5; k++) {
        heft_model *none = fit(t, names[k], WITH("max-iter=0"));
        heft_model *pulled = fit(t, names[k], WITH("l2=1e12"));
        heft_model *bounded = fit(t, names[k], WITH("bound=0.5"));
        heft_model *one = fit(t, names[k], NULL), *two = fit(t, names[k], WITH("link=2"));
        double     *q = posterior(none, t), *r = posterior(one, t), *u = posterior(two, t);
        size_t      at_bound = 0;
        for (size_t i = 0; i < 2 * s.n; i++) near(p[i], q[i], 1e-12, "max-iter=0");
        for (size_t j = 0; j < M; j++) {
            near(pulled->fitted.weights.w[j], 1, 1e-6, "l2");
            assert_true(bounded->fitted.weights.w[j] <= 0.5);
            at_bound += bounded->fitted.weights.w[j] == 0.5;
        }
        assert_true(at_bound > 0);
        for (size_t i = 0; i < s.n; i++)
            near(log(u[2 * i] / u[2 * i + 1]), 2 * log(r[2 * i] / r[2 * i + 1]), 1e-9, "link");
        free(q), free(r), free(u);
        heft_model_free(none), heft_model_free(pulled), heft_model_free(bounded);
        heft_model_free(one), heft_model_free(two);
    }
    heft_model *sum = fit(t, "enb", WITH("objective=sum", "tol=1e-14")),
               *logs = fit(t, "enb", NULL);
    near(loss_of(sum), loss_of(logs), 1e-6, "objective=sum");
    heft_model_free(sum), heft_model_free(logs), heft_model_free(nb);
    free(p);
    heft_table_free(t);
}

/* Two clouds far apart and noise: finite weights, no training error, and the model says so. */
static void separable_data_end_well(void **state)
{
    (void)state;
    enum { N = 100, ATTR = 200 };
    heft_rng    rng;
    heft_table *t;
    double      x[N];
    int32_t     y[N];
    heft_rng_init(&rng, 10, 0);
    OK(heft_table_create(N, &t, &err));
    for (size_t i = 0; i < N; i++) y[i] = i % 2;
    for (size_t j = 0; j < ATTR; j++) {
        char name[16];
        snprintf(name, sizeof name, "x%zu", j);
        for (size_t i = 0; i < N; i++) {
            double z = -6;
            for (size_t k = 0; k < 12; k++) z += heft_rng_real(&rng);
            x[i] = j == 0 ? 0.5 * z + (y[i] ? 1.5 : -1.5) : z;
        }
        OK(heft_table_add_numbers(t, name, x, 1, &err));
    }
    OK(heft_table_set_target(t, "class", y, (const char *[]){"a", "b"}, 2, &err));
    for (size_t k = 0; k < 5; k++) {
        heft_model *m = fit(t, names[k], NULL);
        double     *p = posterior(m, t);
        size_t      right = 0;
        for (size_t i = 0; i < N; i++) right += (p[2 * i] < p[2 * i + 1]) == y[i];
        assert_true(right >= 97);
        for (size_t j = 0; j < ATTR; j++) assert_true(isfinite(m->fitted.weights.w[j]));
        assert_true(fact(m, "separable")->text[0] == 'y');
        free(p);
        heft_model_free(m);
    }
    heft_table_free(t);
}

/* Pairs over unit weights decide as naive Bayes; learned ones come in order and are votes. */
static void the_vote_of_unit_weights_is_nb(void **state)
{
    (void)state;
    sample      s = draw(600, 4, 0.3, 11);
    heft_table *t = sample_table(&s, 4, (how){0});
    heft_model *nb = fit(t, "nb",
                         &(heft_config){.prior = "frequency", .params = PARAMS("variance=class")}),
               *unit = fit(t, "lnb", WITH("max-iter=0"));
    int32_t a[600], b[600];
    OK(heft_predict(nb, t, a, &err));
    OK(heft_predict(unit, t, b, &err));
    assert_memory_equal(a, b, sizeof a);
    for (size_t k = 0; k < 5; k++) {
        heft_model *m = fit(t, names[k], NULL), *all = fit(t, names[k], WITH("multiclass=direct"));
        const heft_ovo *ovo = m->fitted.own;
        double         *p = posterior(m, t), parts[(1 + M) * 4], score[4];
        assert_int_equal(ovo->n_pairs, 6);
        for (size_t q = 1; q < 6; q++)
            assert_true(ovo->pair[q].a * 4 + ovo->pair[q].b >
                        ovo->pair[q - 1].a * 4 + ovo->pair[q - 1].b);
        for (size_t i = 0; i < s.n; i++) {
            near(p[4 * i] + p[4 * i + 1] + p[4 * i + 2] + p[4 * i + 3], 1, 1e-12, "sum");
            for (size_t c = 0; c < 4; c++)
                assert_true(p[4 * i + c] <= 0.5 + 1e-12); /* 3 of 6 votes */
        }
        assert_int_equal(heft_explain_row(m, t, 0, parts, score, &err), HEFT_EUNSUPPORTED);
        assert_null(all->fitted.own);
        OK(heft_explain_row(all, t, 0, parts, score, &err));
        assert_true(loss_of(all) < all->fitted.training.objective_initial);
        free(p);
        heft_model_free(m), heft_model_free(all);
    }
    heft_model_free(nb), heft_model_free(unit);
    heft_table_free(t);
}

/* The plain sum of exponentials has no double at the start, where rows are thousands on the
 * wrong side: it is minimised in a larger unit, and what is told of it stays finite. */
static void an_overflowing_sum_is_minimised(void **state)
{
    (void)state;
    enum { N = 60 };
    heft_table *t;
    double      x[N], z[N];
    int32_t     y[N];
    for (size_t i = 0; i < N; i++) {
        y[i] = i % 2;
        x[i] = y[i] ? 1 + 1e-6 * (double)(i % 7) : (double)(i % 11);
        z[i] = (double)(i % 5) + 0.4 * y[i];
    }
    x[1] = 2; /* far from its class */
    OK(heft_table_create(N, &t, &err));
    OK(heft_table_add_numbers(t, "x", x, 1, &err));
    OK(heft_table_add_numbers(t, "z", z, 1, &err));
    OK(heft_table_set_target(t, "class", y, (const char *[]){"p", "q"}, 2, &err));
    for (size_t k = 0; k < 2; k++) {
        heft_model *m =
            fit(t, "enb", WITH("objective=sum", k ? "scale=none" : "scale=root", "start=1000"));
        const heft_training *told = &m->fitted.training;
        double              *p = posterior(m, t);
        assert_true(isfinite(told->objective_initial) && told->objective_initial > 700);
        assert_true(told->objective_final < told->objective_initial);
        for (size_t i = 0; i < 2 * N; i++) assert_true(isfinite(p[i]));
        free(p);
        heft_model_free(m);
    }
    heft_table_free(t);
}

/* One class that takes part, a class of one row, no attributes, nothing observed, a log ratio of
 * 1e5: finite. */
static void hazards_stay_finite(void **state)
{
    (void)state;
    enum { N = 40 };
    for (size_t kind = 0; kind < 6; kind++) {
        heft_table *t;
        double      x[N], none[N];
        int32_t     y[N], blank[N];
        for (size_t i = 0; i < N; i++) {
            y[i] = kind == 1 ? i == 0 : kind < 5 && i % 3 == 0; /* 5: one class only */
            blank[i] = -1;
            x[i] = (double)(i % 7) + y[i];
            none[i] = NAN;
        }
        if (kind == 4) { /* one narrow class, and a row of it far out */
            for (size_t i = 0; i < N; i++) x[i] = y[i] ? (double)i : 1e-3 * (double)(i % 5);
            x[1] = 0.7;
        }
        OK(heft_table_create(N, &t, &err));
        if (kind != 2) OK(heft_table_add_numbers(t, "x", kind == 3 ? none : x, 1, &err));
        if (kind == 3)
            OK(heft_table_add_codes(t, "v", blank, 1, (const char *[]){"a", "b"}, 2, &err));
        OK(heft_table_set_target(t, "class", y, (const char *[]){"p", "q"}, 2, &err));
        for (size_t k = 0; k < 5; k++) {
            heft_model *m = fit(t, names[k], &(heft_config){.prior = kind ? NULL : "p=1,q=0"});
            double     *p = posterior(m, t);
            for (size_t i = 0; i < N; i++) {
                assert_true(isfinite(p[2 * i]) && p[2 * i] >= 0);
                near(p[2 * i] + p[2 * i + 1], 1, 1e-12, "sum");
                if (kind == 0 || kind == 5) assert_true(p[2 * i] == 1);
                if (kind == 2 || kind == 3) near(p[2 * i + 1], 14.0 / 40, 1e-12, "prior");
            }
            assert_true(isfinite(m->fitted.training.objective_final));
            assert_true(isfinite(m->fitted.training.objective_initial));
            free(p);
            heft_model_free(m);
        }
        heft_table_free(t);
    }
}

/* A tie goes to the first class, as everywhere. */
static void ties_go_to_the_first_class(void **state)
{
    (void)state;
    heft_table *t;
    int32_t     y[8] = {0, 1, 0, 1, 0, 1, 0, 1}, v[8] = {0, 0, 1, 1, 0, 0, 1, 1}, got[8];
    OK(heft_table_create(8, &t, &err));
    OK(heft_table_add_codes(t, "v", v, 1, (const char *[]){"a", "b"}, 2, &err));
    OK(heft_table_set_target(t, "class", y, (const char *[]){"p", "q"}, 2, &err));
    heft_model *m = fit(t, "lnb", NULL);
    OK(heft_predict(m, t, got, &err));
    for (size_t i = 0; i < 8; i++) assert_int_equal(got[i], 0);
    heft_model_free(m);
    heft_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_losses_come_out),
        cmocka_unit_test(gradients_match_differences),
        cmocka_unit_test(the_minimum_is_one),
        cmocka_unit_test(the_start_does_not_matter),
        cmocka_unit_test(the_losses_are_related),
        cmocka_unit_test(balanced_gdnb_is_lnb),
        cmocka_unit_test(symmetries_hold),
        cmocka_unit_test(copies_and_constants_change_nothing),
        cmocka_unit_test(gdnb_is_balanced),
        cmocka_unit_test(options_do_what_they_say),
        cmocka_unit_test(separable_data_end_well),
        cmocka_unit_test(the_vote_of_unit_weights_is_nb),
        cmocka_unit_test(an_overflowing_sum_is_minimised),
        cmocka_unit_test(hazards_stay_finite),
        cmocka_unit_test(ties_go_to_the_first_class),
    };
    return cmocka_run_group_tests_name("exploss", tests, NULL, NULL);
}
