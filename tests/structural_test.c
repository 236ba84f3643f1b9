/* structural_test.c - pair counts, information, and tan, aode, waode, hnb against their
 * definitions. */
#include "fixture.h"

#include "base/num.h"
#include "base/wide.h"
#include "methods/onedep/onedep.h"
#include "model/model.h"
#include "stats/info.h"

static double *coded_posterior(const char *method, const char *param, const coded *s,
                               const coded *queries)
{
    fitted       t;
    const size_t K = s->rows.n_class;
    double      *out = calloc(queries->rows.n_rows * K + 1, sizeof *out);
    if (try_fit(&t, method, param, s) != HEFT_OK) fail_msg("%s", t.err.text);
    OK(t.method->score(&t.ctx, &t.f, &queries->rows, out));
    for (size_t i = 0; i < queries->rows.n_rows; i++) heft_softmax(out + i * K, K);
    fitted_free(&t);
    return out;
}

/* ---- counting by hand ---- */

enum { ANY = -1 };

/* Rows of class c (ANY: all) with value v of attribute i and w of attribute j; ANY for any. */
static double count(const coded *s, int c, size_t i, int v, size_t j, int w)
{
    double n = 0;
    for (size_t r = 0; r < s->rows.n_rows; r++)
        n += (c == ANY || s->y[r] == c) && (v == ANY || coded_at(&s->rows, r, i) == (uint32_t)v) &&
             (w == ANY || coded_at(&s->rows, r, j) == (uint32_t)w);
    return n;
}

static double weka_term(double p, double above, double below)
{
    return above < 1e-6 || below < 1e-6 ? 0 : p * log(above / below);
}

static double information(const coded *s, size_t i)
{
    const double n = (double)s->rows.n_rows;
    double       sum = 0;
    for (int c = 0; c < (int)s->rows.n_class; c++)
        for (int v = 0; v < (int)s->attr[i].n_codes; v++) {
            const double p = count(s, c, i, v, 0, ANY) / n;
            sum +=
                weka_term(p, p, count(s, c, 0, ANY, 0, ANY) / n * count(s, ANY, i, v, 0, ANY) / n);
        }
    return sum;
}

static double information_given(const coded *s, size_t i, size_t j)
{
    const double n = (double)s->rows.n_rows;
    double       sum = 0;
    for (int c = 0; c < (int)s->rows.n_class; c++)
        for (int v = 0; v < (int)s->attr[i].n_codes; v++)
            for (int w = 0; w < (int)s->attr[j].n_codes; w++) {
                const double p = count(s, c, i, v, j, w) / n;
                sum += weka_term(p, p * count(s, c, 0, ANY, 0, ANY) / n,
                                 count(s, c, i, v, 0, ANY) / n * count(s, c, j, w, 0, ANY) / n);
            }
    return sum;
}

/* ---- definitions ---- */

static void slow_aode(const coded *s, const coded *q, size_t r, bool weighted, double *out)
{
    const double n = (double)s->rows.n_rows, K = (double)s->rows.n_class;
    for (int c = 0; c < (int)K; c++) {
        out[c] = 0;
        for (size_t i = 0; i < s->rows.n_attr; i++) {
            const int    v = (int)coded_at(&q->rows, r, i);
            const double q_i = s->attr[i].n_codes, n_i = count(s, c, i, v, 0, ANY);
            if (!weighted && count(s, ANY, i, v, 0, ANY) == 0) continue;
            double p = weighted ? information(s, i) * (n_i + 1 / (K * q_i)) / (n + 1)
                                : (n_i + 1) / (n + K * q_i);
            for (size_t j = 0; j < s->rows.n_attr; j++) {
                if (i == j) continue;
                const int    w = (int)coded_at(&q->rows, r, j);
                const double q_j = s->attr[j].n_codes, n_ij = count(s, c, i, v, j, w);
                p *= weighted ? (n_ij + 1 / q_j) / (n_i + 1) : (n_ij + 1) / (n_i + q_j);
            }
            out[c] += p;
        }
        out[c] = log(out[c]);
    }
    heft_softmax(out, s->rows.n_class);
}

static void slow_hnb(const coded *s, const coded *q, size_t r, double *out)
{
    const double n = (double)s->rows.n_rows, K = (double)s->rows.n_class;
    for (int c = 0; c < (int)K; c++) out[c] = log((count(s, c, 0, ANY, 0, ANY) + 1 / K) / (n + 1));
    for (size_t i = 0; i < s->rows.n_attr; i++) {
        const int    v = (int)coded_at(&q->rows, r, i);
        const double mass = 1.0 / s->attr[i].n_codes;
        double       total = 0, share[32];
        for (size_t j = 0; j < s->rows.n_attr; j++)
            total += share[j] = i == j ? 0 : information_given(s, i, j);
        for (int c = 0; c < (int)K; c++) {
            double sum = 0;
            for (size_t j = 0; j < s->rows.n_attr; j++) {
                const int w = (int)coded_at(&q->rows, r, j);
                if (i == j) continue;
                sum += share[j] / total * (count(s, c, i, v, j, w) + mass) /
                       (count(s, c, j, w, 0, ANY) + 1);
            }
            out[c] += log(sum);
        }
    }
    heft_softmax(out, s->rows.n_class);
}

static void assert_near(const char *what, const double *a, const double *b, size_t n, double tol)
{
    for (size_t k = 0; k < n; k++)
        if (!(fabs(a[k] - b[k]) <= tol))
            fail_msg("%s: %.17g, not %.17g (cell %zu)", what, a[k], b[k], k);
}

/* ---- tests ---- */

/* Every pair count equals a loop over rows, with weights, missing cells and more rows than a chunk.
 */
static void pairs_are_counted(void **state)
{
    (void)state;
    const uint32_t   n_codes[] = {3, 300, 1, 4};
    coded            s = coded_new(5000, 4, 3, n_codes);
    heft_ctx         ctx;
    heft_pair_counts p;
    double          *weight = calloc(5000, sizeof *weight);
    coded_fill(&s, 1, true);
    for (size_t r = 0; r < 5000; r++) weight[r] = 1 + (double)(r % 3) / 2;
    s.rows.weight = weight;
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    OK(heft_pair_counts_plan(&ctx, n_codes, 4, 3, 0, "test", &ctx.scratch, &p));
    OK(heft_pair_counts_fill(&ctx, &s.rows, &ctx.scratch, &p));
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++) {
            if (i == j) continue;
            double *slow = calloc(300 * 4 * 3 * 4, sizeof *slow);
            for (size_t r = 0; r < 5000; r++) {
                const uint32_t v = coded_at(&s.rows, r, i), w = coded_at(&s.rows, r, j);
                if (v < n_codes[i] && w < n_codes[j])
                    slow[(v * n_codes[j] + w) * 3 + s.y[r]] += weight[r];
            }
            for (size_t v = 0; v < n_codes[i]; v++)
                for (size_t w = 0; w < n_codes[j]; w++)
                    assert_memory_equal(heft_pair_counts_at(&p, i, v, j, w),
                                        slow + (v * n_codes[j] + w) * 3, 3 * sizeof *slow);
            free(slow);
        }
    heft_ctx_clear(&ctx);
    free(weight), coded_free(&s);
}

/* Whole rows are counted in small counters, one or several tables of them, and in numbers where
 * there are too few rows: always as a loop over rows counts. */
static void whole_rows_are_counted(void **state)
{
    (void)state;
    enum { N = 70000, M = 4 };
    static const uint32_t n_codes[M] = {3, 40, 90, 2};
    static const size_t   some[] = {N, 33000, 5000, 100};
    coded                 s = coded_new(N, M, 3, n_codes);
    heft_ctx              ctx;
    coded_fill(&s, 2, false);
    for (size_t k = 0; k < 4; k++) {
        heft_pair_counts p;
        heft_counts      counts;
        const size_t     n = s.rows.n_rows = some[k];
        heft_ctx_init(&ctx, &err, 1, 1, NULL);
        OK(heft_pair_counts_plan(&ctx, n_codes, M, 3, 0, "test", &ctx.scratch, &p));
        OK(heft_pair_counts_fill(&ctx, &s.rows, &ctx.scratch, &p));
        OK(heft_count(&ctx, &s.rows, &ctx.scratch, &counts));
        for (size_t r = 0; r < n; r++) /* all counts are taken back */
            for (size_t i = 0; i < M; i++) {
                const uint32_t v = coded_at(&s.rows, r, i);
                counts.cell[i][v * 3 + s.y[r]]--;
                for (size_t j = i + 1; j < M; j++) {
                    const double *n_both =
                        heft_pair_counts_at(&p, i, v, j, coded_at(&s.rows, r, j));
                    p.cell[n_both - p.cell + s.y[r]]--;
                }
            }
        for (size_t c = 0; c < p.start[M] * 3; c++) assert_true(p.cell[c] == 0);
        for (size_t i = 0; i < M; i++)
            for (size_t c = 0; c < n_codes[i] * 3; c++) assert_true(counts.cell[i][c] == 0);
        heft_ctx_clear(&ctx);
    }
    coded_free(&s);
}

/* Rows without weights are counted as sets of bits where the processor can (pairs512.c): with the
 * same counts as one by one, and as rows of weight 1, which are added up; any number of classes,
 * parts of a set, rows behind the last whole word, missing cells. */
static void sets_are_counted(void **state)
{
    (void)state;
    enum { N = 40000, M = 6 };
    static const uint32_t n_codes[M] = {7, 2, 11, 1, 5, 3};
    static const size_t   classes[] = {1, 2, 3, 4, 8, 11, 26}, some[] = {N, 33000, 9001, 700};
    double               *weight = calloc(N, sizeof *weight);
    for (size_t r = 0; r < N; r++) weight[r] = 1;
    for (size_t k = 0; k < 7; k++) {
        const size_t K = classes[k];
        coded        s = coded_new(N, M, K, n_codes);
        coded_fill(&s, 3 + k, k % 2);
        for (size_t e = 0; e < 4; e++) {
            heft_pair_counts p[3];
            heft_ctx         ctx;
            s.rows.n_rows = some[e];
            heft_ctx_init(&ctx, &err, 1, 1, NULL);
            for (size_t t = 0; t < 3; t++) {
                s.rows.weight = t == 2 ? weight : NULL;
                heft_simd_allow(t == 1 ? HEFT_SIMD_AVX2 : HEFT_SIMD_AVX512);
                OK(heft_pair_counts_plan(&ctx, n_codes, M, K, 0, "test", &ctx.scratch, &p[t]));
                OK(heft_pair_counts_fill(&ctx, &s.rows, &ctx.scratch, &p[t]));
            }
            const size_t bytes = p[0].start[M] * K * sizeof *p[0].cell;
            assert_memory_equal(p[0].cell, p[1].cell, bytes);
            assert_memory_equal(p[0].cell, p[2].cell, bytes);
            heft_ctx_clear(&ctx);
        }
        coded_free(&s);
    }
    free(weight);
}

/* Entropy and information have their textbook values. */
static void information_has_its_values(void **state)
{
    (void)state;
    const double four[] = {2, 2, 2, 2}, none[] = {0, 0}, same[] = {3, 0, 0, 3};
    const double free_of[] = {2, 4, 4, 8}, x[] = {3, 3}, fx[] = {6, 12};
    assert_true(fabs(heft_entropy(four, 4) - log(4)) < 1e-15);
    assert_true(heft_entropy(none, 2) == 0 && heft_entropy(none, 0) == 0);
    assert_true(fabs(heft_information(same, x, x, 6, 2, 2, 0) - log(2)) < 1e-15);
    assert_true(heft_information(free_of, fx, fx, 18, 2, 2, 0) < 1e-15);
    assert_true(heft_information(none, none, none, 0, 1, 2, 0) == 0);
    coded  s = coded_random(200, 4, 3, 2, 3, 5, false);
    fitted t;
    assert_int_equal(try_fit(&t, "hnb", NULL, &s), HEFT_OK);
    const heft_onedep      *own = t.f.own;
    const heft_pair_counts *p = &own->pairs;
    const double            given = heft_information_given(
                   &(heft_triple_counts){.n_x = 3,
                                         .n_z = 2,
                                         .n_y = 3,
                                         .cell = p->cell + heft_pair_counts_line(p, 1, 3) * 3,
                                         .xy = heft_onedep_value(own, 1, 0),
                                         .zy = heft_onedep_value(own, 3, 0),
                                         .y = own->class_sum,
                                         .total = own->total},
                   1e-6);
    assert_true(fabs(given - information_given(&s, 1, 3)) < 1e-14 && given > 0);
    fitted_free(&t), coded_free(&s);
}

/* aode, waode and hnb equal their definitions, counted and multiplied out by hand. */
static void methods_equal_their_definitions(void **state)
{
    (void)state;
    static const size_t classes[] = {2, 3, 9};
    for (size_t k = 0; k < 3; k++) {
        const size_t K = classes[k];
        coded        s = coded_random(150, 5, K, 2, 3, 10 + k, false);
        coded        q = coded_random(12, 5, K, 3, 3, 20 + k, false); /* some values never seen */
        for (size_t r = 0; r < 12; r++)
            for (size_t j = 0; j < 5; j++)
                coded_put(&q, r, j, coded_at(&q.rows, r, j) % s.attr[j].n_codes);
        for (size_t j = 0; j < 5; j++) q.attr[j].n_codes = s.attr[j].n_codes;
        double *slow = calloc(12 * K, sizeof *slow);
        double *fast = coded_posterior("aode", NULL, &s, &q);
        for (size_t r = 0; r < 12; r++) slow_aode(&s, &q, r, false, slow + r * K);
        assert_near("aode", fast, slow, 12 * K, 1e-12);
        free(fast);
        fast = coded_posterior("waode", NULL, &s, &q);
        for (size_t r = 0; r < 12; r++) slow_aode(&s, &q, r, true, slow + r * K);
        assert_near("waode", fast, slow, 12 * K, 1e-12);
        free(fast);
        fast = coded_posterior("hnb", NULL, &s, &q);
        for (size_t r = 0; r < 12; r++) slow_hnb(&s, &q, r, slow + r * K);
        assert_near("hnb", fast, slow, 12 * K, 1e-12);
        free(fast), free(slow), coded_free(&s), coded_free(&q);
    }
}

/* Rows of the same values are scored together, and a row alone: with the same bits, whatever the
 * vectors, near the definition, whatever the number of classes. */
static void rows_together_are_rows_alone(void **state)
{
    (void)state;
    enum { N = 1200, M = 6 };
    static const size_t classes[] = {2, 4, 5, 11, 16, 20, 22, 28, 31, 33, 40};
    for (size_t k = 0; k < 22; k++) {
        const size_t K = classes[k / 2];
        coded        s = coded_random(400, M, K, 2, 3, 60 + k, false);
        coded        q = coded_random(N, M, K, 2, 3, 90 + k, false);
        fitted       t;
        double      *all = calloc(N * K, sizeof *all), *one = calloc(K, sizeof *one);
        double      *narrow = calloc(N * K, sizeof *narrow);
        heft_attr    attr[M];
        heft_sparse  sparse;
        assert_int_equal(try_fit(&t, k % 2 ? "aode" : "waode", NULL, &s), HEFT_OK);
        OK(t.method->score(&t.ctx, &t.f, &q.rows, all));
        heft_simd_allow(HEFT_SIMD_AVX2);
        OK(t.method->score(&t.ctx, &t.f, &q.rows, narrow));
        heft_simd_allow(HEFT_SIMD_AVX512);
        assert_memory_equal(narrow, all, N * K * sizeof *all);
        for (size_t r = 0; r < N; r++) {
            const heft_rows row = heft_rows_part(&q.rows, r, r + 1, attr, &sparse);
            OK(t.method->score(&t.ctx, &t.f, &row, one));
            assert_memory_equal(one, all + r * K, K * sizeof *one);
            heft_onedep_plain(t.f.own, &q.rows, r, one);
            assert_near("log joint", all + r * K, one, K, 1e-12);
        }
        free(all), free(one), free(narrow);
        fitted_free(&t), coded_free(&s), coded_free(&q);
    }
}

/* Many attributes, whose products leave the range of doubles, give what logarithms give. */
static void long_products_do_not_vanish(void **state)
{
    (void)state;
    static const char *const names[] = {"aode", "waode", "hnb"};
    coded                    s = coded_random(1000, 200, 3, 6, 3, 30, false);
    coded                    q = coded_random(6, 200, 3, 6, 3, 31, false);
    heft_rng                 rng;
    heft_rng_init(&rng, 32, 0);
    for (size_t r = 0; r < 6; r++) /* like no class */
        for (size_t j = 0; j < 200; j++)
            coded_put(&q, r, j, (uint32_t)heft_rng_below(&rng, q.attr[j].n_codes));
    for (size_t k = 0; k < 3; k++) {
        fitted t;
        double fast[18], plain[3];
        assert_int_equal(try_fit(&t, names[k], NULL, &s), HEFT_OK);
        OK(t.method->score(&t.ctx, &t.f, &q.rows, fast));
        for (size_t r = 0; r < 6; r++) {
            heft_onedep_plain(t.f.own, &q.rows, r, plain);
            assert_true(isfinite(plain[0]) && plain[0] < -300);
            heft_softmax(plain, 3), heft_softmax(fast + 3 * r, 3);
            assert_near(names[k], fast + 3 * r, plain, 3, 1e-9);
        }
        fitted_free(&t);
    }
    coded_free(&s), coded_free(&q);
}

/* Rows with missing and unheard-of values, and of attributes never observed, have posteriors. */
static void odd_rows_are_scored(void **state)
{
    (void)state;
    static const char *const names[] = {"aode", "waode", "hnb", "tan"};
    coded                    s = coded_random(90, 6, 3, 2, 3, 40, false);
    coded                    q = coded_random(60, 6, 3, 2, 3, 41, true);
    for (size_t r = 0; r < 90; r++) coded_put(&s, r, 2, s.attr[2].n_codes); /* all missing */
    for (size_t j = 0; j < 6; j++) {
        coded_put(&q, 0, j, q.attr[j].n_codes);     /* nothing known */
        coded_put(&q, 1, j, q.attr[j].n_codes + 1); /* nothing heard of */
    }
    for (size_t k = 0; k < 4; k++) {
        double *p = coded_posterior(names[k], NULL, &s, &q);
        for (size_t r = 0; r < 60; r++) {
            double sum = 0;
            for (size_t c = 0; c < 3; c++) {
                assert_true(isfinite(p[3 * r + c]));
                sum += p[3 * r + c];
            }
            assert_true(fabs(sum - 1) < 1e-12);
        }
        free(p);
    }
    coded_free(&s), coded_free(&q);
}

/* A tree that is known is found: a chain of copies with errors, by either weight. */
static void tan_finds_a_chain(void **state)
{
    (void)state;
    enum { M = 6, N = 3000 };
    uint32_t n_codes[M];
    for (size_t j = 0; j < M; j++) n_codes[j] = 3;
    coded    s = coded_new(N, M, 2, n_codes);
    heft_rng rng;
    heft_rng_init(&rng, 50, 0);
    for (size_t r = 0; r < N; r++) {
        s.y[r] = (uint16_t)heft_rng_below(&rng, 2);
        uint32_t v = (uint32_t)heft_rng_below(&rng, 3);
        for (size_t j = 0; j < M; j++) {
            if (heft_rng_below(&rng, 4) == 0) v = (uint32_t)heft_rng_below(&rng, 3);
            coded_put(&s, r, (j * 5 + 2) % M, v); /* the chain goes 2 1 0 5 4 3 */
        }
    }
    for (int k = 0; k < 2; k++) {
        fitted t;
        assert_int_equal(try_fit(&t, "tan", k ? "tree=information" : "tree=bayes", &s), HEFT_OK);
        double parts[(1 + M) * 2], changed[(1 + M) * 2];
        /* Attribute 0 hangs on 1 or 1 on 0: a change of 3, far away, leaves both parts as they are.
         */
        assert_int_equal(t.method->parts(&t.ctx, &t.f, &s.rows, 0, parts), HEFT_OK);
        coded_put(&s, 0, 3, (coded_at(&s.rows, 0, 3) + 1) % 3);
        assert_int_equal(t.method->parts(&t.ctx, &t.f, &s.rows, 0, changed), HEFT_OK);
        for (size_t j = 0; j < M; j++) {
            const bool near = j == 3 || j == 4;
            const bool same = parts[2 + 2 * j] == changed[2 + 2 * j];
            if (!near) assert_true(same);
            if (j == 3) assert_false(same);
        }
        fitted_free(&t);
    }
    coded_free(&s);
}

/* tan equals its definition: a root, one parent each, (N + alpha)/(N_parent + alpha q). */
static void tan_estimates_are_its_own(void **state)
{
    (void)state;
    coded   s = coded_random(80, 2, 3, 2, 3, 60, false);
    double *p = coded_posterior("tan", "alpha=0.5", &s, &s), slow[2][3];
    bool    either = false;
    for (int turn = 0; turn < 2; turn++) { /* attribute `turn` is the root */
        bool equal = true;
        for (size_t r = 0; r < 80; r++) {
            const size_t root = (size_t)turn, leaf = 1 - root;
            const int    v = (int)coded_at(&s.rows, r, root), w = (int)coded_at(&s.rows, r, leaf);
            for (int c = 0; c < 3; c++) {
                const double n = count(&s, c, 0, ANY, 0, ANY), n_v = count(&s, c, root, v, 0, ANY);
                slow[turn][c] = log((n + 0.5) / (80 + 1.5)) +
                                log((n_v + 0.5) / (n + 0.5 * s.attr[root].n_codes)) +
                                log((count(&s, c, root, v, leaf, w) + 0.5) /
                                    (n_v + 0.5 * s.attr[leaf].n_codes));
            }
            heft_softmax(slow[turn], 3);
            for (size_t c = 0; c < 3; c++)
                equal = equal && fabs(slow[turn][c] - p[3 * r + c]) < 1e-12;
        }
        either = either || equal;
    }
    assert_true(either);
    free(p), coded_free(&s);
}

/* Pair counts beyond the limit are refused before memory is taken, saying how much it would be. */
static void too_much_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"tan", "aode", "waode", "hnb"};
    uint32_t                 n_codes[40];
    for (size_t j = 0; j < 40; j++) n_codes[j] = 2000;
    coded s = coded_new(10, 40, 3, n_codes);
    for (size_t k = 0; k < 4; k++) {
        fitted t;
        assert_int_equal(try_fit(&t, names[k], NULL, &s), HEFT_EUNSUPPORTED);
        assert_non_null(strstr(t.err.text, "counts by pair of values would take"));
        fitted_free(&t);
    }
    coded_free(&s);
}

/* A table of two nominal columns and three classes, through heft.h. */
/* Counts that contradict one another are refused on loading. */
static void damaged_counts_are_refused(void **state)
{
    (void)state;
    static const char *const methods[] = {"aode", "waode", "hnb"};
    for (size_t k = 0; k < 3; k++) {
        heft_model  *model = small_model(methods[k]);
        heft_onedep *own = model->fitted.own;
        assert_int_equal(reload(model), HEFT_OK);
        own->pairs.cell[0] += 3; /* more than the value has */
        assert_int_equal(reload(model), HEFT_EFORMAT);
        own->pairs.cell[0] = -1;
        assert_int_equal(reload(model), HEFT_EFORMAT);
        own->pairs.cell[0] = 0;
        own->value_sum[0] = 100; /* more than the class has */
        assert_int_equal(reload(model), HEFT_EFORMAT);
        heft_model_free(model);
    }
}

/* The array that a field of the private state points to. */
static void *array_of(const heft_model *model, const char *tensor)
{
    const heft_tensor *f = model->method->state->fields;
    void              *array;
    while (strcmp(f->name, tensor) != 0) f++;
    memcpy(&array, (const char *)model->fitted.own + f->member.at, sizeof array);
    return array;
}

/* A tree with an attribute as its own parent, or with one there is not, is refused. */
static void damaged_trees_are_refused(void **state)
{
    (void)state;
    static const uint32_t parents[][2] = {{0, UINT32_MAX}, {UINT32_MAX, 2}};
    heft_model           *model = small_model("tan");
    char                 *bytes;
    size_t                length;
    OK(heft_model_to_bytes(model, &bytes, &length, &err));
    heft_text_free(bytes);
    uint32_t *parent = (uint32_t *)array_of(model, "own.parent");
    for (size_t k = 0; k < 2; k++) {
        memcpy(parent, parents[k], sizeof parents[k]);
        assert_int_equal(heft_model_to_bytes(model, &bytes, &length, &err), HEFT_ENUMERIC);
        assert_non_null(strstr(err.text, "tensor 'own.parent'"));
    }
    heft_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_counted),
        cmocka_unit_test(whole_rows_are_counted),
        cmocka_unit_test(sets_are_counted),
        cmocka_unit_test(information_has_its_values),
        cmocka_unit_test(methods_equal_their_definitions),
        cmocka_unit_test(rows_together_are_rows_alone),
        cmocka_unit_test(long_products_do_not_vanish),
        cmocka_unit_test(odd_rows_are_scored),
        cmocka_unit_test(tan_finds_a_chain),
        cmocka_unit_test(tan_estimates_are_its_own),
        cmocka_unit_test(too_much_is_refused),
        cmocka_unit_test(damaged_counts_are_refused),
        cmocka_unit_test(damaged_trees_are_refused),
    };
    return cmocka_run_group_tests_name("structural", tests, NULL, NULL);
}
