/* contract_test.c - what every method must keep, for each method of the registry. A new method is
 * tested by being registered. */
#include "fixture.h"

#include <float.h>
#include <sys/wait.h>

#include "base/mem.h"
#include "train/fit.h"

/* ---- a random table as plain arrays, from which tables in any arrangement are made ---- */

enum { N_NUM = 3, N_NOM = 3, N_ATTR = N_NUM + N_NOM, N_VALUES = 4, N_CLASS = 3 };

typedef struct source {
    size_t   n;
    double  *num; /* n x N_NUM */
    int32_t *nom; /* n x N_NOM */
    int32_t *y;
    double  *weight; /* NULL: none */
} source;

typedef struct layout { /* how to lay the source out as a table */
    const size_t *rows; /* NULL: all in order */
    size_t        n;    /* of rows, when given */
    bool          reversed_columns, renamed_classes, drop_last_value, huge, tiny;
} layout;

static source source_make(size_t n, uint64_t seed, bool missing)
{
    source   s = {n, calloc(n * N_NUM, sizeof(double)), calloc(n * N_NOM, sizeof(int32_t)),
                  calloc(n, sizeof(int32_t)), NULL};
    heft_rng rng;
    heft_rng_init(&rng, seed, 0);
    for (size_t i = 0; i < n; i++) {
        s.y[i] = (int32_t)heft_rng_below(&rng, N_CLASS);
        for (size_t j = 0; j < N_NUM; j++) {
            const double noise = heft_rng_real(&rng) + heft_rng_real(&rng) - 1;
            s.num[i * N_NUM + j] = j == 2 ? 7 : noise + 0.4 * (double)j * s.y[i]; /* 2: constant */
            if (missing && j < 2 && heft_rng_below(&rng, 10) == 0) s.num[i * N_NUM + j] = NAN;
        }
        for (size_t j = 0; j < N_NOM; j++) {
            const bool tell = heft_rng_below(&rng, 3) == 0;
            s.nom[i * N_NOM + j] = tell ? s.y[i] : (int32_t)heft_rng_below(&rng, N_VALUES);
            if (missing && heft_rng_below(&rng, 12) == 0) s.nom[i * N_NOM + j] = -1;
        }
    }
    return s;
}

static void source_free(source *s)
{
    free(s->num), free(s->nom), free(s->y), free(s->weight);
}

static const char *const values[] = {"a", "b", "c, d", "'e'"};
static const char *const classes[] = {"no", "yes", "may be", "never"}; /* the last never occurs */
static const char *const renamed[] = {"yes", "never", "no", "may be"};
static const int32_t     rename_to[] = {2, 0, 3, 1}; /* old class c is at this place of renamed */

static heft_table *source_table(const source *s, layout how)
{
    double  *num = calloc(s->n * N_NUM + 1, sizeof *num);
    int32_t *y = calloc(s->n + 1, sizeof *y);
    frame    f = {.n_rows = how.rows ? how.n : s->n,
                  .n_cols = N_ATTR,
                  .y = y,
                  .classes = how.renamed_classes ? renamed : classes,
                  .n_class = N_CLASS + 1,
                  .weight = s->weight,
                  .order = how.rows,
                  .backward_columns = how.reversed_columns};
    for (size_t k = 0; k < s->n * N_NUM; k++)
        num[k] = s->num[k] * (how.huge ? 5e307 / 3 : how.tiny ? 1e-310 : 1);
    for (size_t i = 0; i < s->n; i++) y[i] = how.renamed_classes ? rename_to[s->y[i]] : s->y[i];
    for (size_t j = 0; j < N_NUM; j++) f.cols[j] = (field){.numbers = num + j, .step = N_NUM};
    for (size_t j = 0; j < N_NOM; j++)
        f.cols[N_NUM + j] = (field){.codes = s->nom + j,
                                    .step = N_NOM,
                                    .values = values,
                                    .n_values = N_VALUES - how.drop_last_value};
    heft_table *t = table_of(&f);
    free(num), free(y);
    return t;
}

/* ---- fits ---- */

/* Two correct runs of an iterative method may stop at slightly different places. */
static double slack(const heft_method *m, const heft_table *t)
{
    heft_model  *model = fit(t, m->name, NULL);
    const double s = model->fitted.training.iterative ? 5e-3 : 1e-9;
    heft_model_free(model);
    return s;
}

static void assert_close(const heft_method *m, const double *a, const double *b, size_t n,
                         double tol, const char *what)
{
    for (size_t k = 0; k < n; k++)
        if (!(fabs(a[k] - b[k]) <= tol))
            fail_msg("%s: %s: posteriors %.17g and %.17g differ (cell %zu)", m->name, what, a[k],
                     b[k], k);
}

static void assert_posteriors(const heft_method *m, const double *p, size_t n_rows, size_t K,
                              const char *what)
{
    for (size_t i = 0; i < n_rows; i++) {
        double sum = 0;
        for (size_t c = 0; c < K; c++) {
            if (!isfinite(p[i * K + c]) || p[i * K + c] < 0)
                fail_msg("%s: %s: row %zu has probability %g", m->name, what, i, p[i * K + c]);
            sum += p[i * K + c];
        }
        if (fabs(sum - 1) > 1e-9) fail_msg("%s: %s: row %zu sums to %.17g", m->name, what, i, sum);
    }
}

#define EACH_METHOD(m)                                                                             \
    for (size_t m##_k = 0; m##_k < heft_methods_count(); m##_k++)                                  \
        for (const heft_method *m = heft_methods_at(m##_k); m; m = NULL)

/* ---- the contract ---- */

/* Settings at which a method must equal another one give the same posteriors. */
static void twins_agree(void **state)
{
    (void)state;
    source      s = source_make(300, 1, false);
    heft_table *t = source_table(&s, (layout){0});
    EACH_METHOD(m)
    {
        for (const heft_twin *twin = m->twins; twin && twin->other; twin++) {
            heft_config a = m->prepare, b;
            char        ta[256], tb[256], *pa[16] = {0}, *pb[16] = {0};
            if (twin->prepare.discretize) a.discretize = twin->prepare.discretize;
            if (twin->prepare.impute) a.impute = twin->prepare.impute;
            if (twin->prepare.scale) a.scale = twin->prepare.scale;
            if (twin->prepare.smoothing) a.smoothing = twin->prepare.smoothing;
            if (twin->prepare.prior) a.prior = twin->prepare.prior;
            if (!a.discretize) a.discretize = "none";
            if (!a.impute) a.impute = "none";
            if (!a.scale) a.scale = "none";
            b = a;
            snprintf(ta, sizeof ta, "%s", twin->args ? twin->args : "");
            snprintf(tb, sizeof tb, "%s", twin->other_args ? twin->other_args : "");
            size_t na = 0, nb = 0;
            for (char *w = strtok(ta, " "); w && na < 15; w = strtok(NULL, " ")) pa[na++] = w;
            for (char *w = strtok(tb, " "); w && nb < 15; w = strtok(NULL, " ")) pb[nb++] = w;
            a.params = (const char *const *)pa;
            b.params = (const char *const *)pb;
            double *x = fit_posterior(t, t, m->name, &a), *y = fit_posterior(t, t, twin->other, &b);
            assert_close(m, x, y, s.n * (N_CLASS + 1), twin->tolerance, twin->other);
            free(x), free(y);
        }
    }
    heft_table_free(t);
    source_free(&s);
}

/* Posteriors are finite and sum to 1, with a constant column, an unseen value, missing cells and a
 * class without rows. */
static void posteriors_are_distributions(void **state)
{
    (void)state;
    source      s = source_make(200, 2, true), q = source_make(100, 3, true);
    heft_table *train = source_table(&s, (layout){.drop_last_value = true});
    heft_table *test = source_table(&q, (layout){0}); /* has the value dropped above */
    EACH_METHOD(m)
    {
        static const char *const unseen[] = {"missing", "zero"};
        for (size_t k = 0; k < 2; k++) {
            double *p = fit_posterior(train, test, m->name, &(heft_config){.unseen = unseen[k]});
            assert_posteriors(m, p, q.n, N_CLASS + 1, unseen[k]);
            free(p);
        }
    }
    heft_table_free(train), heft_table_free(test);
    source_free(&s), source_free(&q);
}

/* Values at both ends of the range of doubles leave nothing but finite numbers. */
static void extreme_numbers_stay_finite(void **state)
{
    (void)state;
    source s = source_make(120, 4, true);
    EACH_METHOD(m)
    {
        heft_table       *big = source_table(&s, (layout){.huge = true});
        heft_table       *small = source_table(&s, (layout){.tiny = true});
        const heft_table *pair[] = {big, small};
        for (size_t a = 0; a < 2; a++)
            for (size_t b = 0; b < 2; b++) {
                double *p = fit_posterior(pair[a], pair[b], m->name, NULL);
                assert_posteriors(m, p, s.n, N_CLASS + 1, a ? "tiny" : "huge");
                free(p);
            }
        heft_table_free(big), heft_table_free(small);
    }
    source_free(&s);
}

/* A row per class, and a table with nothing observed, still make a model. */
static void smallest_tables_work(void **state)
{
    (void)state;
    source s = source_make(200, 5, false);
    size_t rows[N_CLASS], n = 0;
    for (size_t i = 0; i < s.n && n < N_CLASS; i++)
        if (s.y[i] == (int32_t)n) rows[n++] = i;
    source blank = source_make(40, 6, false);
    for (size_t i = 0; i < blank.n * N_NUM; i++) blank.num[i] = NAN;
    for (size_t i = 0; i < blank.n * N_NOM; i++) blank.nom[i] = -1;
    heft_table *one = source_table(&s, (layout){.rows = rows, .n = N_CLASS});
    heft_table *none = source_table(&blank, (layout){0});
    heft_table *test = source_table(&s, (layout){0});
    EACH_METHOD(m)
    {
        double *p = fit_posterior(one, test, m->name, NULL);
        assert_posteriors(m, p, s.n, N_CLASS + 1, "one row a class");
        free(p);
        p = fit_posterior(none, test, m->name, NULL);
        assert_posteriors(m, p, s.n, N_CLASS + 1, "nothing observed");
        free(p);
    }
    heft_table_free(one), heft_table_free(none), heft_table_free(test);
    source_free(&s), source_free(&blank);
}

/* Permuting rows, columns or class names permutes the answer. */
static void order_does_not_matter(void **state)
{
    (void)state;
    source   s = source_make(240, 7, true);
    size_t   order[240];
    heft_rng rng;
    heft_rng_init(&rng, 8, 0);
    for (size_t i = 0; i < s.n; i++) order[i] = i;
    heft_rng_shuffle(&rng, order, s.n);
    heft_table *plain = source_table(&s, (layout){0});
    heft_table *rows = source_table(&s, (layout){.rows = order, .n = s.n});
    heft_table *columns = source_table(&s, (layout){.reversed_columns = true});
    heft_table *names = source_table(&s, (layout){.renamed_classes = true});
    EACH_METHOD(m)
    {
        const size_t K = N_CLASS + 1;
        const double tol = slack(m, plain);
        double      *p = fit_posterior(plain, plain, m->name, NULL);
        double      *q = fit_posterior(rows, plain, m->name, NULL);
        assert_close(m, p, q, s.n * K, tol, "rows permuted");
        free(q);
        q = fit_posterior(columns, plain, m->name, NULL);
        assert_close(m, p, q, s.n * K, tol, "columns permuted");
        free(q);
        q = fit_posterior(names, plain, m->name, NULL);
        for (size_t i = 0; i < s.n; i++)
            for (size_t c = 0; c < K; c++)
                assert_close(m, &p[i * K + c], &q[i * K + (size_t)rename_to[c]], 1, tol,
                             "classes renamed");
        free(p), free(q);
    }
    heft_table_free(plain), heft_table_free(rows), heft_table_free(columns), heft_table_free(names);
    source_free(&s);
}

/* One thread and several give the same bits, fit and score: rows of several blocks. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    source      s = source_make(SANITIZED ? 4500 : 9000, 9, true);
    heft_table *t = source_table(&s, (layout){0});
    EACH_METHOD(m)
    {
        const size_t     cells = s.n * (N_CLASS + 1);
        double          *p = fit_posterior(t, t, m->name, &(heft_config){.run = RUN(.threads = 1)});
        static const int counts[] = {2, 7};
        for (size_t k = SANITIZED; k < 2; k++) {
            double *q =
                fit_posterior(t, t, m->name, &(heft_config){.run = RUN(.threads = counts[k])});
            if (memcmp(p, q, cells * sizeof *p))
                fail_msg("%s: %d threads change bits", m->name, counts[k]);
            free(q);
        }
        free(p);
    }
    heft_table_free(t);
    source_free(&s);
}

/* A saved and loaded model gives the same bits, and saves to the same bytes. */
static void save_and_load_keep_every_bit(void **state)
{
    (void)state;
    source      s = source_make(150, 10, true);
    heft_table *t = source_table(&s, (layout){0});
    EACH_METHOD(m)
    {
        heft_model *model = fit(t, m->name, NULL), *again;
        double     *p = posterior(model, t);
        char        path[256];
        snprintf(path, sizeof path, "%s", temp_path(".heft"));
        OK(heft_model_save(model, path, &err));
        OK(heft_model_load(path, &again, &err));
        double *q = posterior(again, t);
        if (memcmp(p, q, s.n * (N_CLASS + 1) * sizeof *p))
            fail_msg("%s: load changes bits", m->name);
        char *a, *b;
        OK(heft_inspect_text(model, "json", 0, &a, &err));
        OK(heft_inspect_text(again, "json", 0, &b, &err));
        assert_string_equal(a, b);
        heft_text_free(a), heft_text_free(b);
        free(p), free(q);
        heft_model_free(model), heft_model_free(again);
        unlink(path);
    }
    heft_table_free(t);
    source_free(&s);
}

/* A row twice equals a row of weight 2, and a row of weight 0 is no row at all. To auto, which
 * holds rows out, a row of weight 2 is one row (auto_invariance_test.c). */
static void weights_are_repetitions(void **state)
{
    (void)state;
    source s = source_make(160, 11, true);
    size_t rows[480], n = 0;
    s.weight = calloc(s.n, sizeof *s.weight);
    for (size_t i = 0; i < s.n; i++) {
        s.weight[i] = (double)(i % 4);
        for (size_t k = 0; k < i % 4; k++) rows[n++] = i;
    }
    heft_table *weighted = source_table(&s, (layout){0});
    free(s.weight), s.weight = NULL;
    heft_table *repeated = source_table(&s, (layout){.rows = rows, .n = n});
    EACH_METHOD(m)
    {
        heft_model *model;
        if (!(m->caps & HEFT_TAKES_WEIGHTS)) {
            assert_int_equal(heft_fit(weighted, &(heft_config){.method = m->name}, &model, &err),
                             HEFT_EUNSUPPORTED);
            continue;
        }
        if (strcmp(m->name, "auto") == 0) continue;
        double *p = fit_posterior(weighted, repeated, m->name, NULL);
        double *q = fit_posterior(repeated, repeated, m->name, NULL);
        assert_close(m, p, q, n * (N_CLASS + 1), slack(m, repeated), "weights");
        free(p), free(q);
    }
    heft_table_free(weighted), heft_table_free(repeated);
    source_free(&s);
}

/* Every option outside its range, and an option there is not, is refused by name. */
static void options_are_checked(void **state)
{
    (void)state;
    source      s = source_make(60, 12, false);
    heft_table *t = source_table(&s, (layout){0});
    EACH_METHOD(m)
    {
        heft_model *model;
        const char *wrong[] = {"no-such-parameter=1", NULL};
        assert_int_equal(
            heft_fit(t, &(heft_config){.method = m->name, .params = wrong}, &model, &err),
            HEFT_EINVAL);
        assert_non_null(strstr(err.text, "no-such-parameter"));
        for (const heft_option *o = m->options; o && o->name; o++) {
            char bad[128];
            if (o->text) continue;
            snprintf(bad, sizeof bad, "%s=~not-a-value~", o->name);
            wrong[0] = bad;
            assert_int_equal(
                heft_fit(t, &(heft_config){.method = m->name, .params = wrong}, &model, &err),
                HEFT_EINVAL);
            assert_non_null(strstr(err.text, o->name));
            assert_null(model);
            if (!o->number || o->pair) continue;
            snprintf(bad, sizeof bad, "%s=%.17g", o->name, o->lo - 1);
            assert_int_equal(
                heft_fit(t, &(heft_config){.method = m->name, .params = wrong}, &model, &err),
                HEFT_EINVAL);
            assert_non_null(strstr(err.text, o->name));
        }
    }
    heft_table_free(t);
    source_free(&s);
}

/* What a method does not take is refused, unless its preparation removes it. */
static void caps_are_kept(void **state)
{
    (void)state;
    source      s = source_make(60, 13, true);
    heft_table *t = source_table(&s, (layout){0});
    EACH_METHOD(m)
    {
        heft_model *model = NULL;
        heft_status st =
            heft_fit(t, &(heft_config){.method = m->name, .discretize = "none"}, &model, &err);
        assert_int_equal(st, m->caps & HEFT_TAKES_NUMBERS ? HEFT_OK : HEFT_EUNSUPPORTED);
        heft_model_free(model);
        st = heft_fit(t,
                      &(heft_config){.method = m->name, .impute = "none", .discretize = "width:5"},
                      &model, &err);
        assert_int_equal(st, m->caps & HEFT_TAKES_MISSING ? HEFT_OK : HEFT_EUNSUPPORTED);
        heft_model_free(model);
    }
    heft_table_free(t);
    source_free(&s);
}

/* The n-th allocation fails, for every n, in fit, predict, save and load: ENOMEM, nothing else. */
static void allocations_may_fail(void **state)
{
    (void)state;
    enum { ROWS = 16 };
    source      s = source_make(ROWS, 14, true);
    heft_table *t = source_table(&s, (layout){0});
    EACH_METHOD(m)
    {
        double      p[ROWS * (N_CLASS + 1)];
        char        path[256];
        bool        through = false;
        const bool  evolves = strcmp(m->name, "deawnb") == 0; /* generations allocate alike */
        heft_config config = {.method = m->name,
                              .params = evolves ? PARAMS("generations=2") : NULL,
                              .run = RUN(.threads = 1)};
        snprintf(path, sizeof path, "%s", temp_path(".heft"));
        for (size_t n = 1; !through; n++) {
            heft_model *model = NULL, *again = NULL;
            heft_fail_alloc_at(n, n % 2 == 0);
            heft_status st = heft_fit(t, &config, &model, &err);
            if (st == HEFT_OK) st = heft_predict_proba(model, t, p, &err);
            if (st == HEFT_OK) st = heft_model_save(model, path, &err);
            if (st == HEFT_OK) st = heft_model_load(path, &again, &err);
            if (st == HEFT_OK) st = heft_predict_proba(again, t, p, &err);
            heft_fail_alloc_at(0, false);
            if (st != HEFT_OK && st != HEFT_ENOMEM)
                fail_msg("%s: allocation %zu: %s", m->name, n, err.text);
            if (st == HEFT_ENOMEM) assert_true(err.text[0] != 0);
            through = st == HEFT_OK;
            heft_model_free(model), heft_model_free(again);
        }
        unlink(path);
    }
    heft_table_free(t);
    source_free(&s);
}

/* What explain shows adds up to a score whose softmax is the posterior. */
static void explanations_add_up(void **state)
{
    (void)state;
    source      s = source_make(80, 15, true);
    heft_table *t = source_table(&s, (layout){0});
    EACH_METHOD(m)
    {
        enum { K = N_CLASS + 1 };
        double      parts[(1 + N_ATTR) * K], score[K];
        heft_model *model = fit(t, m->name, NULL);
        double     *p = posterior(model, t);
        for (size_t i = 0; i < 20; i++) {
            const heft_status st = heft_explain_row(model, t, i, parts, score, &err);
            if (m->score && st == HEFT_EUNSUPPORTED) break; /* no sum over attributes */
            OK(st);
            double hi = -INFINITY, total = 0;
            for (size_t c = 0; c < K; c++) hi = fmax(hi, score[c]);
            for (size_t c = 0; c < K; c++) total += exp(score[c] - hi);
            for (size_t c = 0; c < K; c++) {
                double sum = 0;
                for (size_t j = 0; j <= N_ATTR; j++) sum += parts[j * K + c];
                if (isfinite(score[c]))
                    assert_true(fabs(sum - score[c]) <= 1e-12 * (1 + fabs(sum)));
                const double q = exp(score[c] - hi) / total;
                assert_close(m, &q, &p[i * K + c], 1, 1e-9, "explained score");
            }
        }
        free(p);
        heft_model_free(model);
    }
    heft_table_free(t);
    source_free(&s);
}

/* The reasons for a row's class are the attributes whose parts differ most between it and the class
 * with the next score; the same bits for any number of threads. */
static void reasons_are_the_largest_parts(void **state)
{
    (void)state;
    enum { K = N_CLASS + 1, ROWS = 80, N = N_ATTR + 1 };
    source      s = source_make(ROWS, 15, true);
    heft_table *t = source_table(&s, (layout){0});
    EACH_METHOD(m)
    {
        double            parts[(1 + N_ATTR) * K], score[K];
        int32_t           y[ROWS];
        heft_reason       one[ROWS * N], three[ROWS * N];
        heft_model       *model = fit(t, m->name, NULL);
        const heft_status st = heft_predict_reasons(model, t, N, RUN(.threads = 1), one, &err);
        const bool        explained = heft_explain_row(model, t, 0, parts, score, &err) == HEFT_OK;
        assert_int_equal(st, explained ? HEFT_OK : HEFT_EUNSUPPORTED);
        for (size_t i = 0; explained && i < ROWS; i++) {
            const heft_reason *r = one + i * N;
            double             left = 0;
            OK(heft_explain_row(model, t, i, parts, score, &err));
            OK(heft_predict(model, t, y, &err));
            size_t best = (size_t)y[i], second = best ? 0 : 1;
            for (size_t c = 0; c < K; c++)
                if (c != best && score[c] > score[second]) second = c;
            for (size_t k = 0; k < N_ATTR; k++) {
                const double *p = parts + (size_t)(1 + r[k].attribute) * K;
                if (fabs(r[k].log_odds - (p[best] - p[second])) > 1e-12 * (1 + fabs(p[best])))
                    fail_msg("%s: row %zu, reason %zu: %g", m->name, i, k, r[k].log_odds);
                assert_true(k == 0 || fabs(r[k].log_odds) <= fabs(r[k - 1].log_odds));
                for (size_t l = 0; l < k; l++) assert_true(r[l].attribute != r[k].attribute);
                left += r[k].log_odds;
            }
            assert_int_equal(r[N_ATTR].attribute, -1);
            assert_true(fabs(left + parts[best] - parts[second] - score[best] + score[second]) <
                        1e-9 * (1 + fabs(score[best])));
        }
        if (explained) {
            OK(heft_predict_reasons(model, t, N, RUN(.threads = 3), three, &err));
            assert_memory_equal(one, three, sizeof one);
        }
        heft_model_free(model);
    }
    heft_table_free(t);
    source_free(&s);
}

/* A scale with two weights and two lengths on each side: left and right change places, so that many
 * rows are ties but for rounding. Every part of the library names the same class. */
static void ties_are_settled_alike(void **state)
{
    enum { N = 81, SIDES = 4 };
    static const char *const places[] = {"1", "2", "3"}, *const scale[] = {"L", "B", "R"};
    int32_t cell[SIDES][N], y[N], guess[N];
    size_t  ties = 0;
    frame   f = {.n_rows = N, .n_cols = SIDES, .y = y, .classes = scale, .n_class = 3};
    (void)state;
    for (int i = 0; i < N; i++) {
        for (int j = 0, left = i; j < SIDES; j++, left /= 3) cell[j][i] = left % 3;
        const int left = (cell[0][i] + 1) * (cell[1][i] + 1);
        const int right = (cell[2][i] + 1) * (cell[3][i] + 1);
        y[i] = left > right ? 0 : left == right ? 1 : 2;
    }
    for (size_t j = 0; j < SIDES; j++)
        f.cols[j] = (field){.codes = cell[j], .values = places, .n_values = 3};
    heft_table *t = table_of(&f);
    EACH_METHOD(m)
    {
        heft_model *model = fit(t, m->name, NULL);
        double     *p = posterior(model, t);
        OK(heft_predict(model, t, guess, &err));
        for (size_t i = 0; i < N; i++) {
            char         *text, wanted[32];
            heft_status   st = heft_explain_text(model, t, i, "json", 0, &text, &err);
            const double *q = p + i * 3;
            ties += fabs(q[0] - q[2]) < 1e-12 && q[0] > q[1];
            if (q[0] == q[2] && q[0] > q[1]) assert_int_equal(guess[i], 0); /* the first */
            if (m->score && st == HEFT_EUNSUPPORTED) break;
            OK(st);
            snprintf(wanted, sizeof wanted, "\"predicted\": \"%s\"", scale[guess[i]]);
            if (!strstr(text, wanted))
                fail_msg("%s, row %zu: predict says %s, explain %.60s", m->name, i + 1,
                         scale[guess[i]], text);
            heft_text_free(text);
        }
        free(p);
        heft_model_free(model);
    }
    assert_true(ties > 100);
    heft_table_free(t);
}

/* A forked child can fit and predict although the parent has used threads. */
static void a_forked_child_works(void **state)
{
    (void)state;
    source      s = source_make(9000, 16, false);
    heft_table *t = source_table(&s, (layout){0});
    free(fit_posterior(t, t, "nb", &(heft_config){.run = RUN(.threads = 4)}));
    const pid_t child = fork();
    if (child == 0) {
        heft_model *model;
        alarm(20);
        const heft_status st =
            heft_fit(t, &(heft_config){.method = "nb", .run = RUN(.threads = 4)}, &model, &err);
        _exit(st == HEFT_OK ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    heft_table_free(t);
    source_free(&s);
}

/* The registry itself: names unique, documented, defaults within their own ranges. */
static void the_registry_is_sound(void **state)
{
    (void)state;
    EACH_METHOD(m)
    {
        assert_ptr_equal(heft_methods_find(m->name), m);
        assert_true(m->title && m->title[0] && m->source && m->source[0]);
        assert_non_null(m->fit);
        assert_true(m->score || m->caps & HEFT_ADDITIVE);
        for (const heft_option *o = m->options; o && o->name; o++) {
            assert_true(o->help && o->help[0] && o->fallback);
            assert_true(o->number || o->pair || o->text || o->words);
        }
        const heft_method_info *info = heft_method_find(m->name);
        assert_non_null(info);
        assert_string_equal(info->title, m->title);
    }
    assert_null(heft_methods_find("no such method"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_registry_is_sound),
        cmocka_unit_test(twins_agree),
        cmocka_unit_test(posteriors_are_distributions),
        cmocka_unit_test(extreme_numbers_stay_finite),
        cmocka_unit_test(smallest_tables_work),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(save_and_load_keep_every_bit),
        cmocka_unit_test(weights_are_repetitions),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(caps_are_kept),
        cmocka_unit_test(explanations_add_up),
        cmocka_unit_test(reasons_are_the_largest_parts),
        cmocka_unit_test(ties_are_settled_alike),
        cmocka_unit_test(allocations_may_fail),
        cmocka_unit_test(a_forked_child_works),
    };
    return cmocka_run_group_tests_name("contract", tests, NULL, NULL);
}
