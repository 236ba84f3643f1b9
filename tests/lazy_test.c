/* lazy_test.c - lcwnb, lwnb and iclnb against their definitions, row by row and query by query. */
#include "fixture.h"

#include "base/num.h"
#include "methods/lazy/neighbours.h"
#include "model/method.h"
#include "model/model.h"

/* log Q of every query row, n_rows x n_class. */
static double *scores(const char *method, const char *param, const coded *s, const coded *queries)
{
    fitted  t;
    double *out = calloc(queries->rows.n_rows * s->rows.n_class + 1, sizeof *out);
    if (try_fit(&t, method, param, s) != HEFT_OK) fail_msg("%s", t.err.text);
    OK(t.method->score(&t.ctx, &t.f, &queries->rows, out));
    fitted_free(&t);
    return out;
}

/* ---- slow twins ---- */

static bool agree(const coded *a, size_t i, const coded *b, size_t k, size_t j)
{
    const uint32_t v = coded_at(&a->rows, i, j);
    return v < a->attr[j].n_codes && v == coded_at(&b->rows, k, j);
}

static size_t differ(const coded *a, size_t i, const coded *b, size_t k)
{
    size_t d = 0;
    for (size_t j = 0; j < a->rows.n_attr; j++) d += !agree(a, i, b, k, j);
    return d;
}

/* Step 5 on rows weighted one by one. */
static void weighted_nb(const coded *s, const coded *queries, size_t k, const double *w, double rho,
                        double *out)
{
    for (size_t c = 0; c < s->rows.n_class; c++) {
        double total = 0;
        for (size_t i = 0; i < s->rows.n_rows; i++) total += s->y[i] == c ? w[i] : 0;
        out[c] = log(1 + rho * total);
        for (size_t j = 0; j < s->rows.n_attr; j++) {
            double same = 0;
            for (size_t i = 0; i < s->rows.n_rows; i++)
                if (s->y[i] == c && agree(s, i, queries, k, j)) same += w[i];
            out[c] += log(1 + rho * same) - log(s->attr[j].n_codes + rho * total);
        }
    }
}

static double power_sum(const coded *s, const size_t *d, size_t c, double gamma)
{
    double sum = 0;
    for (size_t i = 0; i < s->rows.n_rows; i++)
        if (s->y[i] == c) sum += pow(gamma, (double)d[i]);
    return sum;
}

/* Figure 1 as printed (with rho of 3.3), 60 halvings. */
static void slow_lcwnb(const coded *s, const coded *queries, size_t k, double kappa, double *out)
{
    const size_t n = s->rows.n_rows;
    size_t      *d = calloc(n, sizeof *d);
    double      *w = calloc(n, sizeof *w), mass = 0, square = 0;
    for (size_t i = 0; i < n; i++) d[i] = differ(s, i, queries, k);
    for (size_t c = 0; c < s->rows.n_class; c++) {
        double lo = 0, hi = 1;
        if (power_sum(s, d, c, 1) <= kappa) lo = 1;
        if (power_sum(s, d, c, 0) >= kappa) hi = 0;
        for (int halving = 0; halving < 60 && lo < hi; halving++) {
            const double mid = 0.5 * (lo + hi);
            if (power_sum(s, d, c, mid) > kappa) hi = mid;
            else lo = mid;
        }
        for (size_t i = 0; i < n; i++)
            if (s->y[i] == c) w[i] = pow(hi, (double)d[i]);
    }
    for (size_t i = 0; i < n; i++) mass += w[i], square += w[i] * w[i];
    weighted_nb(s, queries, k, w, mass / square, out);
    free(d), free(w);
}

static size_t kth_distance(const coded *s, const coded *queries, size_t k, size_t nearest)
{
    size_t d = 0, within = 0;
    for (;; d++) {
        within = 0;
        for (size_t i = 0; i < s->rows.n_rows; i++) within += differ(s, i, queries, k) <= d;
        if (within >= nearest || within == s->rows.n_rows) return d;
    }
}

static void slow_lwnb(const coded *s, const coded *queries, size_t k, bool weka, double *out)
{
    const size_t n = s->rows.n_rows, d = kth_distance(s, queries, k, 50);
    double      *w = calloc(n, sizeof *w), mass = 0, rows = 0;
    for (size_t i = 0; i < n; i++) {
        const double h = (double)differ(s, i, queries, k);
        if (d == 0) w[i] = h == 0;
        else if (weka) w[i] = h <= (double)d ? 1.0001 - sqrt(h) / sqrt((double)d) : 0;
        else w[i] = fmax(0, 1 - h / (double)d);
        mass += w[i], rows += w[i] > 0;
    }
    weighted_nb(s, queries, k, w, rows > 0 ? rows / mass : 1, out);
    free(w);
}

static void slow_iclnb(const coded *s, const coded *queries, size_t k, double *out)
{
    const size_t n = s->rows.n_rows, d = kth_distance(s, queries, k, 10);
    double      *w = calloc(n, sizeof *w);
    for (size_t i = 0; i < n; i++) {
        const size_t h = differ(s, i, queries, k);
        w[i] = h <= d ? 1 + (double)(s->rows.n_attr - h) : 0;
    }
    weighted_nb(s, queries, k, w, 1, out);
    free(w);
}

static void assert_scores(const char *what, const double *a, const double *b, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (!(fabs(a[k] - b[k]) <= 1e-9 * (1 + fabs(b[k]))))
            fail_msg("%s: %.17g, not %.17g (cell %zu)", what, a[k], b[k], k);
}

typedef struct shape {
    size_t   n, m, n_class;
    uint32_t values;
} shape;

static const shape shapes[] = {{200, 4, 4, 2},  {120, 16, 3, 3}, {90, 20, 6, 2},
                               {150, 40, 3, 4}, {60, 100, 3, 2}, {30, 1, 2, 300}};

/* ---- tests ---- */

/* Five rows, two attributes, numbers one can check on paper: gamma of class 1 is the golden ratio.
 */
static void a_worked_example(void **state)
{
    (void)state;
    const uint32_t values[] = {2, 2}, cells[5][2] = {{0, 0}, {0, 1}, {1, 1}, {1, 1}, {1, 0}};
    coded          s = coded_new(5, 2, 2, values), q = coded_new(1, 2, 2, values);
    for (size_t i = 0; i < 5; i++) {
        s.y[i] = i > 2;
        for (size_t j = 0; j < 2; j++) coded_put(&s, i, j, cells[i][j]);
    }
    double      *p = scores("lcwnb", "kappa=1", &s, &q);
    const double gamma = (sqrt(5) - 1) / 2;
    const double rho = 2 / (1 + pow(gamma, 2) + pow(gamma, 4));
    const double a = (1 + rho) * (1 + rho), b = 1 + rho * gamma;
    heft_softmax(p, 2);
    assert_true(fabs(p[0] - a / (a + b)) < 1e-14);
    free(p), coded_free(&s), coded_free(&q);
}

/* Log scores of lcwnb equal those of figure 1 carried out row by row, whatever kappa. */
static void lcwnb_equals_figure_1(void **state)
{
    (void)state;
    static const double kappas[] = {0.3, 1, 2.5, 5, 20, 40, 1000};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        const shape *h = &shapes[k];
        coded        s = coded_random(h->n, h->m, h->n_class, h->values, 2, 10 + k, false);
        coded        q = coded_random(13, h->m, h->n_class, h->values, 2, 20 + k, true);
        double      *slow = calloc(13 * h->n_class, sizeof *slow);
        for (size_t j = 0; j < h->m; j++) coded_put(&q, 0, j, coded_at(&s.rows, 0, j)); /* a copy */
        for (size_t g = 0; g < sizeof kappas / sizeof *kappas; g++) {
            char param[32];
            snprintf(param, sizeof param, "kappa=%g", kappas[g]);
            double *fast = scores("lcwnb", param, &s, &q);
            for (size_t i = 0; i < 13; i++) slow_lcwnb(&s, &q, i, kappas[g], slow + i * h->n_class);
            assert_scores(param, fast, slow, 13 * h->n_class);
            free(fast);
        }
        free(slow), coded_free(&s), coded_free(&q);
    }
}

/* lwnb, by either kernel, and iclnb equal their definitions carried out row by row. */
static void lwnb_and_iclnb_equal_their_definitions(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        const shape *h = &shapes[k];
        coded        s = coded_random(h->n, h->m, h->n_class, h->values, 2, 30 + k, false);
        coded        q = coded_random(13, h->m, h->n_class, h->values, 2, 40 + k, true);
        double      *slow = calloc(13 * h->n_class, sizeof *slow);
        double      *fast = scores("lwnb", "kernel=linear", &s, &q);
        for (size_t i = 0; i < 13; i++) slow_lwnb(&s, &q, i, false, slow + i * h->n_class);
        assert_scores("lwnb", fast, slow, 13 * h->n_class);
        free(fast);
        fast = scores("lwnb", "kernel=weka", &s, &q);
        for (size_t i = 0; i < 13; i++) slow_lwnb(&s, &q, i, true, slow + i * h->n_class);
        assert_scores("lwnb kernel=weka", fast, slow, 13 * h->n_class);
        free(fast);
        fast = scores("iclnb", "k=10", &s, &q);
        for (size_t i = 0; i < 13; i++) slow_iclnb(&s, &q, i, slow + i * h->n_class);
        assert_scores("iclnb", fast, slow, 13 * h->n_class);
        free(fast), free(slow), coded_free(&s), coded_free(&q);
    }
}

/* Fifty copies of the query leave lwnb no bandwidth: the copies decide, and the result is finite.
 */
static void copies_of_the_query_decide(void **state)
{
    (void)state;
    coded   s = coded_random(160, 6, 3, 2, 2, 5, false), q = coded_random(1, 6, 3, 2, 2, 6, false);
    double *slow = calloc(3, sizeof *slow);
    for (size_t i = 0; i < 90; i++)
        for (size_t j = 0; j < 6; j++) coded_put(&s, i, j, coded_at(&q.rows, 0, j));
    double *fast = scores("lwnb", "k=50", &s, &q);
    slow_lwnb(&s, &q, 0, false, slow);
    assert_scores("copies", fast, slow, 3);
    free(fast);
    fast = scores("lcwnb", "kappa=5", &s, &q);
    size_t copies[3] = {0};
    for (size_t i = 0; i < 160; i++)
        if (differ(&s, i, &q, 0) == 0) copies[s.y[i]]++;
    assert_int_equal(heft_argmax(fast, 3), copies[0] >= copies[1] ? 0 : 1);
    free(fast), free(slow), coded_free(&s), coded_free(&q);
}

/* An empty class and an attribute of one value change no other score; the empty class scores
 * -sum log q. */
static void what_says_nothing_changes_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"lcwnb", "lwnb", "iclnb"};
    const uint32_t           values[] = {3, 4, 2, 1};
    for (size_t k = 0; k < 3; k++) {
        coded s = coded_new(80, 3, 3, values), q = coded_new(9, 3, 3, values);
        coded more = coded_new(80, 4, 4, values), ask = coded_new(9, 4, 4, values);
        coded_fill(&s, 50, false), coded_fill(&q, 51, false);
        for (size_t i = 0; i < 80; i++) {
            more.y[i] = s.y[i];
            for (size_t j = 0; j < 3; j++) {
                coded_put(&more, i, j, coded_at(&s.rows, i, j));
                if (i < 9) coded_put(&ask, i, j, coded_at(&q.rows, i, j));
            }
        }
        const char *none = k == 0 ? "kappa=5" : "k=20";
        double     *a = scores(names[k], none, &s, &q), *b = scores(names[k], none, &more, &ask);
        for (size_t i = 0; i < 9; i++) {
            if (k < 2)
                assert_scores(names[k], b + 4 * i, a + 3 * i, 3); /* iclnb counts clones of it */
            assert_true(fabs(b[4 * i + 3] + log(24)) < 1e-12);
        }
        free(a), free(b);
        coded_free(&s), coded_free(&q), coded_free(&more), coded_free(&ask);
    }
}

/* A query alone and the same query among others give the same bits. */
static void batches_do_not_matter(void **state)
{
    (void)state;
    static const char *const names[] = {"lcwnb", "lwnb", "iclnb"};
    coded                    s = coded_random(400, 9, 4, 3, 2, 60, false);
    coded                    q = coded_random(150, 9, 4, 3, 2, 61, true);
    for (size_t k = 0; k < 3; k++) {
        double *all = scores(names[k], k ? "k=12" : "kappa=7", &s, &q);
        for (size_t i = 0; i < 150; i += 7) {
            coded one = coded_random(1, 9, 4, 3, 2, 1, false);
            for (size_t j = 0; j < 9; j++) coded_put(&one, 0, j, coded_at(&q.rows, i, j));
            double *alone = scores(names[k], k ? "k=12" : "kappa=7", &s, &one);
            assert_memory_equal(alone, all + 4 * i, 4 * sizeof *all);
            free(alone), coded_free(&one);
        }
        free(all);
    }
    coded_free(&s), coded_free(&q);
}

/* Classes that the definition ties tie exactly, so that the lowest one wins. */
static void ties_go_to_the_lowest_class(void **state)
{
    (void)state;
    const uint32_t values[] = {3, 3, 3, 3, 3};
    coded          s = coded_new(40, 5, 2, values), q = coded_new(1, 5, 2, values);
    for (size_t i = 0; i < 40; i++) { /* class 1 is class 0 with its attributes reversed */
        s.y[i] = i < 20;
        for (size_t j = 0; j < 5; j++)
            coded_put(&s, i, s.y[i] ? 4 - j : j, (uint32_t)((i % 20) * (j + 2) + i % 20 / 3) % 3);
    }
    static const char *const names[] = {"lcwnb", "lwnb", "iclnb"};
    for (size_t k = 0; k < 3; k++) {
        double *p = scores(names[k], k ? "k=9" : "kappa=3", &s, &q);
        assert_true(p[0] == p[1]);
        free(p);
    }
    coded_free(&s), coded_free(&q);
}

/* kappa=auto is 20 up to 13 attributes, 10 for 14 and 15, 5 from 16 on. */
static void auto_kappa_follows_the_rule(void **state)
{
    (void)state;
    static const char *const same[] = {"kappa=20", "kappa=10", "kappa=10", "kappa=5"};
    for (size_t m = 13; m <= 16; m++) {
        coded   s = coded_random(200, m, 3, 2, 2, 70 + m, false);
        double *a = scores("lcwnb", "kappa=auto", &s, &s);
        double *b = scores("lcwnb", same[m - 13], &s, &s);
        assert_memory_equal(a, b, 600 * sizeof *a);
        free(a), free(b), coded_free(&s);
    }
}

/* kappa of 0 or below, and other estimates than the method's own, are refused by name. */
static void wrong_settings_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"kappa=0", "kappa=-5", "kappa=inf", "kappa="};
    coded                    s = coded_random(20, 3, 2, 2, 2, 80, false);
    fitted                   t;
    for (size_t k = 0; k < 4; k++) {
        assert_int_equal(try_fit(&t, "lcwnb", bad[k], &s), HEFT_EINVAL);
        assert_non_null(strstr(t.err.text, "kappa"));
        fitted_free(&t);
    }
    const heft_config config = {.method = "lcwnb", .smoothing = "m:1"};
    assert_int_equal(heft_config_check(&config, &err), HEFT_EINVAL);
    assert_non_null(strstr(err.text, "heft_config.smoothing"));
    coded_free(&s);
}

/* A table of two nominal columns and three classes, through heft.h. */
/* Kept rows that cannot be are refused on loading: a value there is not, classes out of order. */
static void damaged_rows_are_refused(void **state)
{
    (void)state;
    static const char *const methods[] = {"lcwnb", "lwnb", "iclnb"};
    for (size_t k = 0; k < 3; k++) {
        heft_model      *model = small_model(methods[k]);
        heft_neighbours *nb = model->fitted.own; /* the first member of each private state */
        assert_int_equal(nb->n_rows, 6);
        assert_int_equal(reload(model), HEFT_OK);
        const uint8_t kept = nb->bytes[3];
        nb->bytes[3] = 17;
        assert_int_equal(reload(model), HEFT_EFORMAT);
        nb->bytes[3] = 255; /* would agree with a missing cell of a query */
        assert_int_equal(reload(model), HEFT_EFORMAT);
        nb->bytes[3] = kept;
        nb->start[1] = 7;
        assert_int_equal(reload(model), HEFT_EFORMAT);
        heft_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worked_example),
        cmocka_unit_test(lcwnb_equals_figure_1),
        cmocka_unit_test(lwnb_and_iclnb_equal_their_definitions),
        cmocka_unit_test(copies_of_the_query_decide),
        cmocka_unit_test(what_says_nothing_changes_nothing),
        cmocka_unit_test(batches_do_not_matter),
        cmocka_unit_test(ties_go_to_the_lowest_class),
        cmocka_unit_test(auto_kappa_follows_the_rule),
        cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(damaged_rows_are_refused),
    };
    return cmocka_run_group_tests_name("lazy", tests, NULL, NULL);
}
