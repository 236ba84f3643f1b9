/* auto_parts_test.c - the parts of the default method, each against its definition. */
#include "fixture.h"

#include "base/num.h"
#include "learn/folds.h"
#include "learn/mixing.h"
#include "methods/auto/auto_plan.h"
#include "methods/auto/counted.h"
#include "methods/auto/learned.h"
#include "prep/points.h"

/* ---- coding ---- */

/* A line has at each resolution the code that resolution's own cuts give. */
static void lines_know_their_codes(void **state)
{
    (void)state;
    enum { N = 400 };
    heft_ctx        ctx;
    heft_arena      arena = {0};
    double          x[N], *cuts;
    uint16_t        y[N];
    const heft_attr attr = {.numbers = x};
    heft_coding     coding;
    heft_coded      cells;
    heft_rng        rng;
    heft_rng_init(&rng, 10, 0);
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    for (size_t i = 0; i < N; i++) {
        y[i] = (uint16_t)heft_rng_below(&rng, 2);
        x[i] = floor(40 * heft_rng_real(&rng)) / 4 + y[i];
    }
    const heft_rows   rows = {.n_rows = N, .n_attr = 1, .n_class = 2, .attr = &attr, .y = y};
    const heft_sample sample = {.rows = &rows, .n = N, .y = y, .n_class = 2};
    OK(heft_coding_learn(&ctx, &sample, NULL, false, true, &arena, &coding));
    OK(heft_coded_fill(&ctx, &coding, &sample, 15, true, &cells));
    const size_t bins[] = {0, 5, 10, 20};
    for (unsigned r = 0; r < HEFT_N_RES; r++) {
        size_t n_cuts;
        if (r == HEFT_AT_MDL)
            OK(heft_cuts_mdl(&ctx, &arena, &(heft_points){N, x, y, NULL}, 2, 1, &cuts, &n_cuts));
        else OK(heft_cuts_frequency(&ctx, &arena, x, NULL, N, bins[r], &cuts, &n_cuts));
        const heft_cells *cell = heft_cells_of(&cells, 0, r);
        assert_int_equal(cell->n_codes, n_cuts + 1);
        for (size_t i = 0; i < N; i++)
            assert_int_equal(heft_code_at(cell->at, cell->width, i),
                             heft_cut_code(cuts, n_cuts, x[i]));
        for (double v = -1; v < 13; v += 0.01)
            assert_int_equal(coding.attr[0].code[r][heft_line_number(&coding.attr[0], v)],
                             heft_cut_code(cuts, n_cuts, v));
    }
    /* Without a missing cell in training, one is coded as the median is. */
    size_t n_cuts;
    OK(heft_cuts_frequency(&ctx, &arena, x, NULL, N, 2, &cuts, &n_cuts));
    const heft_lines *lines = &coding.attr[0];
    for (unsigned r = 0; r < HEFT_N_RES; r++)
        assert_int_equal(lines->code[r][heft_line_number(lines, NAN)],
                         lines->code[r][heft_line_number(lines, cuts[0])]);
    heft_coded_clear(&cells);
    /* With one, it has a code of its own. */
    x[7] = NAN;
    OK(heft_coding_learn(&ctx, &sample, NULL, false, true, &arena, &coding));
    for (unsigned r = 0; r < HEFT_N_RES; r++)
        assert_int_equal(coding.attr[0].code[r][heft_line_number(&coding.attr[0], NAN)],
                         coding.attr[0].n_codes[r] - 1);
    heft_arena_clear(&arena);
    heft_ctx_clear(&ctx);
}

/* A constant number has one cut, at its value, at every resolution but mdl: two codes, one of them
 * empty. These three are one learned feature, a second penalised bias; mdl's single code is left
 * out. */
static void a_constant_number_has_an_empty_code(void **state)
{
    (void)state;
    enum { N = 30 };
    heft_ctx        ctx;
    heft_arena      arena = {0};
    double          x[N];
    uint16_t        y[N];
    const heft_attr attr = {.numbers = x};
    heft_coding     coding;
    heft_coded      cells;
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    for (size_t i = 0; i < N; i++) y[i] = (uint16_t)(i % 3 == 0), x[i] = 3.25;
    const heft_rows   rows = {.n_rows = N, .n_attr = 1, .n_class = 2, .attr = &attr, .y = y};
    const heft_sample sample = {.rows = &rows, .n = N, .y = y, .n_class = 2};
    for (uint32_t gap = 0; gap < 2; gap++) {
        OK(heft_coding_learn(&ctx, &sample, NULL, false, true, &arena, &coding));
        OK(heft_coded_fill(&ctx, &coding, &sample, 15, true, &cells));
        const heft_lines *lines = &coding.attr[0];
        for (unsigned r = 0; r < HEFT_N_RES; r++) {
            const uint32_t above = r != HEFT_AT_MDL;
            assert_int_equal(heft_cells_of(&cells, 0, r)->n_codes, 1 + above + gap);
            assert_int_equal(lines->code[r][heft_line_number(lines, 3.25)], 0);
            assert_int_equal(lines->code[r][heft_line_number(lines, 3.5)], above);
            assert_int_equal(lines->code[r][heft_line_number(lines, 3)], 0);
        }
        assert_int_equal(heft_cells_of(&cells, 0, 1)->same, 1);
        assert_int_equal(heft_cells_of(&cells, 0, 2)->same, 1);
        assert_int_equal(heft_cells_of(&cells, 0, 3)->same, 1);
        heft_coded_clear(&cells);
        x[7] = NAN; /* once more with a code for gaps */
    }
    heft_arena_clear(&arena);
    heft_ctx_clear(&ctx);
}

/* ---- the counted part ---- */

typedef struct coded_sample {
    coded             rows;
    heft_sample       sample;
    heft_coding       coding;
    heft_coded        coded;
    const heft_cells *cells[8];
    heft_ctx          ctx;
    heft_error        err;
    heft_arena        arena;
} coded_sample;

static void coded_sample_open(coded_sample *s, size_t n, size_t m, size_t K, const uint32_t *q,
                              uint64_t seed, double *weight)
{
    memset(s, 0, sizeof *s);
    s->rows = coded_new(n, m, K + 1, q);
    coded_fill(&s->rows, seed, false);
    heft_ctx_init(&s->ctx, &s->err, 1, 1, NULL);
    s->sample = (heft_sample){
        .rows = &s->rows.rows, .n = n, .weight = weight, .y = s->rows.y, .n_class = K};
    OK(heft_coding_learn(&s->ctx, &s->sample, NULL, false, true, &s->arena, &s->coding));
    OK(heft_coded_fill(&s->ctx, &s->coding, &s->sample, 15, true, &s->coded));
    for (size_t j = 0; j < m; j++) s->cells[j] = heft_cells_of(&s->coded, j, HEFT_AT_5);
}

static void coded_sample_close(coded_sample *s)
{
    heft_coded_clear(&s->coded);
    heft_arena_clear(&s->arena);
    heft_ctx_clear(&s->ctx);
    coded_free(&s->rows);
}

/* Weight of the rows with class c (K: any), value v of i (SIZE_MAX: any) and w of j. */
static double count_of(const coded_sample *s, size_t c, size_t i, size_t v, size_t j, size_t w)
{
    double n = 0;
    for (size_t r = 0; r < s->sample.n; r++)
        if ((c == s->sample.n_class || s->sample.y[r] == c) &&
            (v == SIZE_MAX || coded_at(&s->rows.rows, r, i) == v) &&
            (w == SIZE_MAX || coded_at(&s->rows.rows, r, j) == w))
            n += s->sample.weight ? s->sample.weight[r] : 1;
    return n;
}

typedef struct asked_row { /* row r, with value v of attribute j; j SIZE_MAX: as it is */
    size_t r, j, v;
} asked_row;

static size_t value_of(const coded_sample *s, asked_row at, size_t j)
{
    return j == at.j ? at.v : coded_at(&s->rows.rows, at.r, j);
}

/* G_c of a row by the formulas, with d left out of the counts of class c. */
static double score_by_hand(const coded_sample *s, const heft_geomean *dep,
                            const heft_geomean_rule *rule, asked_row r, size_t c, double d)
{
    const size_t m = s->rows.rows.n_attr, K = s->sample.n_class, any = SIZE_MAX;
    const double n = count_of(s, K, 0, any, 0, any), n_c = count_of(s, c, 0, any, 0, any) - d;
    double       G = 0;
    for (size_t p = 0; p < m; p++) {
        const size_t v = value_of(s, r, p);
        const double base = (count_of(s, K, p, v, 0, any) + 1) / (n + s->rows.attr[p].n_codes);
        const double n_cv = count_of(s, c, p, v, 0, any) - d;
        if (!(dep->omega[p] > 0)) continue;
        double sum = log((n_cv + base * (n_c + 1.0 / (double)K) / (n + 1 - d)) / (n + 1 - d));
        for (size_t j = 0; j < m; j++) {
            if (j == p) continue;
            const size_t w = value_of(s, r, j);
            const double b = (count_of(s, K, j, w, 0, any) + 1) / (n + s->rows.attr[j].n_codes);
            const double like =
                (count_of(s, c, j, w, 0, any) - d + rule->s0 * b) / (n_c + rule->s0);
            sum += log((count_of(s, c, p, v, j, w) - d + rule->s * like) / (n_cv + rule->s));
        }
        G += dep->omega[p] * sum;
    }
    return G;
}

static void check_left_out(double *weight, bool sparse)
{
    enum { N = 60, M = 4, K = 3 };
    const uint32_t q[M] = {3, 2, 4, 1};
    coded_sample   s;
    heft_geomean   dep;
    double         loo[N * K], part[2 * M * K] = {0};
    const size_t   looked[2] = {5, 23};
    coded_sample_open(&s, N, M, K, q, 11, weight);
    heft_geomean_rule rule = heft_geomean_plain;
    if (sparse) rule.dense = 1;
    const heft_left_out left = {N, NULL, weight, loo, 2, looked, part};
    OK(heft_geomean_fit(&s.ctx, &s.sample, s.cells, &rule, &left, &s.arena, &dep));
    for (size_t k = 0; k < dep.n_pairs; k++) assert_int_equal(dep.pair[k].sparse, sparse);
    double sum = 0;
    for (size_t j = 0; j < M; j++) sum += dep.omega[j];
    NEAR(sum, 1, 1e-12);
    for (size_t r = 0; r < N; r++) {
        double by_hand[K];
        for (size_t c = 0; c < K; c++) {
            const double d = c == s.sample.y[r] ? (weight ? weight[r] : 1) : 0;
            by_hand[c] =
                score_by_hand(&s, &dep, &heft_geomean_plain, (asked_row){r, SIZE_MAX, 0}, c, d);
        }
        heft_log_normalise(by_hand, K);
        for (size_t c = 0; c < K; c++) NEAR(loo[r * K + c], by_hand[c], 1e-9);
    }
    for (size_t k = 0; k < 2 * M * K; k++) { /* of the other classes nothing is left out */
        const size_t r = looked[k / K / M], j = k / K % M, c = k % K, any = SIZE_MAX;
        double       mean = 0,
               G = score_by_hand(&s, &dep, &heft_geomean_plain, (asked_row){r, any, 0}, c, 0);
        for (size_t v = 0; v < q[j]; v++)
            mean += (count_of(&s, K, j, v, 0, any) + 1) / (count_of(&s, K, 0, any, 0, any) + q[j]) *
                    score_by_hand(&s, &dep, &heft_geomean_plain, (asked_row){r, j, v}, c, 0);
        if (c != s.sample.y[r]) NEAR(part[k], G - mean, 1e-9);
        else assert_true(part[k] < G - mean + 1e-9); /* the own class loses what its row added */
    }
    coded_sample_close(&s);
}

/* Leave-one-out scores are those of the counts without the row and all of its weight. Pairs kept by
 * their cells give the same. */
static void left_out_rows_are_left_out(void **state)
{
    (void)state;
    double weight[60];
    check_left_out(NULL, false);
    check_left_out(NULL, true);
    for (size_t i = 0; i < 60; i++) weight[i] = i % 3 == 0 ? 3 : i % 3 == 1 ? 0.25 : 1;
    check_left_out(weight, false);
    check_left_out(weight, true);
}

/* With equal weights and endless smoothing G tends to the mean of the joints and naive Bayes. */
static void endless_smoothing_is_naive_bayes(void **state)
{
    (void)state;
    enum { N = 80, M = 3, K = 2 };
    const uint32_t          q[M] = {3, 2, 4};
    const heft_geomean_rule rule = {.s0 = 1, .s = 1e12, .even = true, .limit = 1e9};
    coded_sample            s;
    heft_geomean            dep;
    double                  loo[N * K];
    const heft_left_out     left = {.n = N, .score = loo};
    coded_sample_open(&s, N, M, K, q, 12, NULL);
    OK(heft_geomean_fit(&s.ctx, &s.sample, s.cells, &rule, &left, &s.arena, &dep));
    for (size_t r = 0; r < N; r++)
        for (size_t c = 0; c < K; c++) {
            double want = 0, G = 0;
            for (size_t j = 0; j < M; j++) {
                const size_t v = coded_at(&s.rows.rows, r, j);
                const double base = (count_of(&s, K, j, v, 0, SIZE_MAX) + 1) / (N + q[j]);
                const double n_cv = count_of(&s, c, j, v, 0, SIZE_MAX);
                const double n_c = count_of(&s, c, 0, SIZE_MAX, 0, SIZE_MAX);
                want += log((n_cv + base * (n_c + 0.5) / (N + 1)) / (N + 1)) / M;
                want += (1 - 1.0 / M) * log((n_cv + base) / (n_c + 1));
                G += dep.joint[j][v * K + c];
            }
            for (size_t k = 0; k < dep.n_pairs; k++) {
                const heft_geomean_pair *pair = &dep.pair[k];
                const size_t             v = coded_at(&s.rows.rows, r, pair->i);
                const size_t             w = coded_at(&s.rows.rows, r, pair->j);
                G += pair->table[(v * q[pair->j] + w) * K + c];
            }
            NEAR(G, want, 1e-6);
        }
    coded_sample_close(&s);
}

/* Superparents: as many as the limit of cells leaves, at least one; ties by the lower index. */
static void the_limit_of_cells_is_kept(void **state)
{
    (void)state;
    enum { N = 100, M = 4, K = 2 };
    const uint32_t      q[M] = {3, 3, 3, 3};
    const heft_left_out none = {0};
    coded_sample        s;
    heft_geomean        dep;
    coded_sample_open(&s, N, M, K, q, 13, NULL);
    for (size_t n = 1; n <= M; n++) {
        heft_geomean_rule rule = heft_geomean_plain;
        rule.limit = (double)(3 * n * 12 * K);
        OK(heft_geomean_fit(&s.ctx, &s.sample, s.cells, &rule, &none, &s.arena, &dep));
        assert_int_equal(dep.n_super, n);
        double least = INFINITY, most_left = 0;
        for (size_t j = 0; j < M; j++) {
            if (dep.omega[j] > 0) least = fmin(least, dep.info[j]);
            else most_left = fmax(most_left, dep.info[j]);
        }
        assert_true(least >= most_left);
    }
    heft_geomean_rule rule = heft_geomean_plain;
    rule.limit = 0;
    OK(heft_geomean_fit(&s.ctx, &s.sample, s.cells, &rule, &none, &s.arena, &dep));
    assert_int_equal(dep.n_super, 1);
    coded_sample_close(&s);
}

/* ---- mixtures ---- */

/* Newton's method ends where the gradient is 0, or points out of b >= 0; one member of multiplicity
 * 2 is two of them. */
static void mixtures_are_optimal(void **state)
{
    (void)state;
    enum { N = 300, K = 4 };
    heft_ctx      ctx;
    heft_rng      rng;
    static double good[N * K], wrong[N * K];
    uint16_t      y[N];
    const double *two[] = {good, wrong}, *three[] = {good, good, wrong};
    const double  third[] = {1.0 / 3, 1.0 / 3, 1.0 / 3}, pull[] = {3, 3, 3};
    const double  joined[] = {2.0 / 3, 1.0 / 3}, lighter[] = {1.5, 3};
    double        b[3], b2[2], a[K], a2[K], loss, loss2;
    heft_minimum  how;
    heft_rng_init(&rng, 14, 0);
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    for (size_t i = 0; i < N; i++) {
        y[i] = (uint16_t)heft_rng_below(&rng, K);
        for (size_t c = 0; c < K; c++) {
            good[i * K + c] = 2 * heft_rng_real(&rng) + (c == y[i]);
            wrong[i * K + c] = heft_rng_real(&rng) - (c == y[i]);
        }
        heft_log_normalise(good + i * K, K);
        heft_log_normalise(wrong + i * K, K);
    }
    heft_mixing mixing = {.n = N,
                          .n_class = K,
                          .n_members = 3,
                          .member = three,
                          .y = y,
                          .centre = third,
                          .strength = pull,
                          .shift = 1,
                          .max_iter = 100};
    OK(heft_mixing_fit(&ctx, &mixing, b, a, &loss, &how));
    assert_true(how.converged && how.f < how.f0);
    assert_true(b[2] == 0 && b[0] > 0);
    NEAR(b[0], b[1], 1e-6);
    mixing.n_members = 2, mixing.member = two, mixing.centre = joined, mixing.strength = lighter;
    OK(heft_mixing_fit(&ctx, &mixing, b2, a2, &loss2, &how));
    NEAR(b2[0], b[0] + b[1], 1e-5);
    NEAR(loss2, loss, 1e-7);
    double slope[1 + K] = {0};
    for (size_t i = 0; i < N; i++) {
        double p[K];
        for (size_t c = 0; c < K; c++) p[c] = b2[0] * good[i * K + c] + a2[c];
        heft_softmax(p, K);
        p[y[i]] -= 1;
        for (size_t c = 0; c < K; c++) slope[0] += p[c] * good[i * K + c], slope[1 + c] += p[c];
    }
    NEAR(slope[0] + 1.5 * (b2[0] - 2.0 / 3), 0, 1e-2);
    for (size_t c = 0; c < K; c++) NEAR(slope[1 + c] + a2[c], 0, 1e-2);
    heft_ctx_clear(&ctx);
}

/* ---- the learned part ---- */

typedef struct lesson { /* features made by hand */
    heft_ctx        ctx;
    heft_error      err;
    heft_arena      arena;
    heft_logit_rows rows;
    heft_feature    feature[6];
    uint8_t         line[5][400];
    uint16_t        wide[400], y[400];
    float           z[400];
    const float    *real[1];
    double          weight[400];
    uint32_t        coarse[8], fine[8];
    heft_logit      logit;
} lesson;

static void lesson_open(lesson *l, size_t n, size_t K, bool weighted)
{
    heft_rng rng;
    memset(l, 0, sizeof *l);
    heft_rng_init(&rng, 15 + K, 0);
    heft_ctx_init(&l->ctx, &l->err, 1, 1, NULL);
    for (uint32_t v = 0; v < 8; v++) l->coarse[v] = v / 3, l->fine[v] = v / 2;
    for (size_t i = 0; i < n; i++) {
        l->y[i] = (uint16_t)heft_rng_below(&rng, K);
        for (size_t f = 0; f < 5; f++)
            l->line[f][i] = (uint8_t)((heft_rng_below(&rng, 5) + l->y[i] * f) % (f ? 5 : 8));
        l->wide[i] = (uint16_t)(heft_rng_below(&rng, 300));
        l->z[i] = (float)(heft_rng_real(&rng) + 0.1 * l->y[i]);
        l->weight[i] = 0.5 + heft_rng_real(&rng);
    }
    l->feature[0] = (heft_feature){1, l->line[0], 8, 2, {{l->coarse, 3, 4}, {l->fine, 4, 2}}};
    for (size_t f = 1; f < 5; f++)
        l->feature[f] = (heft_feature){1, l->line[f], 6, 1, {{NULL, 6, 1 + (double)f}}};
    l->feature[5] = (heft_feature){2, l->wide, 301, 1, {{NULL, 301, 8}}};
    l->real[0] = l->z;
    l->rows = (heft_logit_rows){.n = n,
                                .y = l->y,
                                .weight = weighted ? l->weight : NULL,
                                .n_features = 6,
                                .n_reals = 1,
                                .feature = l->feature,
                                .real = l->real};
    OK(heft_logit_open(&l->ctx, &l->rows, K, 1, 1, &l->arena, &l->logit));
}

static void lesson_close(lesson *l)
{
    heft_arena_clear(&l->arena);
    heft_ctx_clear(&l->ctx);
}

/* The objective in double, straight from its formula; w in the layout of the logit, of which only
 * the first K (or with two classes the one) numbers of a code count. */
static double objective_by_hand(const lesson *l, const double *w)
{
    const heft_logit *g = &l->logit;
    const size_t      K = g->n_class, S = g->stride;
    double            f = 0, score[64];
    for (size_t i = 0; i < l->rows.n; i++) {
        for (size_t c = 0; c < K; c++) {
            const double sign = S == 1 && c == 0 ? -1 : 1;
            const size_t at = S == 1 ? 0 : c;
            score[c] = w[(g->n_codes - 1) * S + at] * sign;
            score[c] += (double)l->z[i] * w[(g->n_codes - 2) * S + at] * sign;
            for (size_t k = 0; k < 6; k++) {
                const heft_feature *feature = &l->feature[k];
                const uint32_t      line = heft_code_at(feature->lines, feature->width, i);
                for (size_t p = 0; p < feature->n_parts; p++) {
                    const uint32_t *code = feature->part[p].code;
                    score[c] += sign * w[(g->at[k][p] + (code ? code[line] : line)) * S + at];
                }
            }
        }
        f += (l->rows.weight ? l->weight[i] : 1) * (heft_logsumexp(score, K) - score[l->y[i]]);
    }
    const double twice = S == 1 ? 2 : 1;
    for (size_t k = 0; k < 6; k++)
        for (size_t p = 0; p < l->feature[k].n_parts; p++)
            for (size_t v = 0; v < l->feature[k].part[p].n_codes * S; v++) {
                const double x = w[g->at[k][p] * S + v];
                f += twice * l->feature[k].part[p].lambda * g->scale / 2 * x * x;
            }
    for (size_t v = 0; v < S; v++) {
        const double u = w[(g->n_codes - 2) * S + v], b = w[(g->n_codes - 1) * S + v];
        f += twice * (g->scale * u * u + b * b) / 2;
    }
    return f;
}

/* The gradient is that of the objective, for one number a code, four, and several vectors. */
static void gradients_match_differences(void **state)
{
    (void)state;
    static const size_t classes[] = {2, 3, 4, 6, 11, 16, 21, 26, 40};
    for (size_t t = 0; t < sizeof classes / sizeof *classes; t++) {
        lesson   l;
        heft_rng rng;
        double   f, most = 0;
        lesson_open(&l, 120, classes[t], t % 2);
        l.logit.scale = 0.7;
        const size_t n = heft_logit_size(&l.logit), S = l.logit.stride;
        float       *w = calloc(n, sizeof *w), *g = calloc(n, sizeof *g);
        double      *x = calloc(n, sizeof *x);
        heft_rng_init(&rng, 16, t);
        for (size_t k = 0; k < n; k++)
            if (S == 1 || k % S < classes[t]) w[k] = (float)heft_rng_real(&rng) - 0.5f;
        for (size_t k = 0; k < n; k++) x[k] = (double)w[k];
        OK(heft_logit_objective(&l.ctx, &l.logit, w, &f, g));
        NEAR(f, objective_by_hand(&l, x), 1e-6 * f);
        for (size_t k = 0; k < n; k++) most = fmax(most, fabs((double)g[k]));
        for (size_t k = 0; k < n; k += 1 + n / 150) {
            const double at = x[k], h = 1e-4;
            if (S > 1 && k % S >= classes[t]) {
                assert_true(g[k] == 0);
                continue;
            }
            x[k] = at + h;
            const double up = objective_by_hand(&l, x);
            x[k] = at - h;
            const double down = objective_by_hand(&l, x);
            x[k] = at;
            NEAR((double)g[k], (up - down) / (2 * h), 1e-5 * most);
        }
        free(w), free(g), free(x);
        lesson_close(&l);
    }
}

static heft_status lesson_objective(heft_ctx *ctx, void *user, const float *w, double *f, float *g)
{
    return heft_logit_objective(ctx, user, w, f, g);
}

/* The objective never rises from one accepted point to the next, and ends near its least value. */
static void the_objective_only_falls(void **state)
{
    (void)state;
    for (size_t K = 2; K < 6; K++) {
        lesson       l;
        heft_minimum how;
        lesson_open(&l, 200, K, false);
        const heft_stop stop = {.memory = 8, .rel_tol = 1e-9, .max_iter = 300};
        const size_t    n = heft_logit_size(&l.logit);
        float          *w = calloc(n, sizeof *w), *g = calloc(n, sizeof *g);
        double          f, square = 0;
        OK(heft_lbfgs(&l.ctx, &(heft_problem32){n, lesson_objective, &l.logit, NULL}, &stop,
                      &l.arena, w, &how));
        assert_int_equal(how.n_trace, (size_t)how.iterations + 1);
        for (size_t k = 1; k < how.n_trace; k++) assert_true(how.trace[k] <= how.trace[k - 1]);
        assert_true(how.iterations > 5 && how.iterations < 200 && how.f < how.f0);
        OK(heft_logit_objective(&l.ctx, &l.logit, w, &f, g));
        for (size_t k = 0; k < n; k++) square += (double)g[k] * (double)g[k];
        assert_true(sqrt(square) < 0.05);
        /* Lines and cells that no row has keep weight 0 exactly. */
        double none[16];
        heft_logit_code(&l.logit, w, 5, 0, 300, none);
        heft_logit_code(&l.logit, w, 2, 0, 5, none + 8);
        assert_true(none[0] == 0 && none[1] == 0 && none[8] == 0 && none[9] == 0);
        free(w), free(g);
        lesson_close(&l);
    }
}

/* A resolution given twice is one of half the penalty. */
static void copies_share_a_penalty(void **state)
{
    (void)state;
    enum { N = 150, K = 3 };
    double *score[2];
    for (size_t t = 0; t < 2; t++) {
        lesson       l;
        heft_minimum how;
        lesson_open(&l, N, K, false);
        l.feature[0] = (heft_feature){1, l.line[0], 8, 1, {{l.coarse, 3, 2}}};
        if (t)
            l.feature[0] = (heft_feature){1, l.line[0], 8, 2, {{l.coarse, 3, 4}, {l.coarse, 3, 4}}};
        OK(heft_logit_open(&l.ctx, &l.rows, K, 1, 1, &l.arena, &l.logit));
        float *w = calloc(heft_logit_size(&l.logit), sizeof *w);
        OK(heft_logit_fit(&l.ctx, &l.logit, 1, 300, w, &how));
        score[t] = malloc(N * K * sizeof(double));
        OK(heft_logit_score(&l.ctx, &l.logit, w, &l.rows, score[t]));
        free(w);
        lesson_close(&l);
    }
    NEAR(largest_difference(score[0], score[1], N * K), 0, 5e-3);
    free(score[0]), free(score[1]);
}

/* With endless penalties the bias alone is left: every row has the same scores. */
static void endless_penalties_leave_the_bias(void **state)
{
    (void)state;
    enum { N = 150, K = 3 };
    lesson        l;
    heft_minimum  how;
    static double score[N * K];
    lesson_open(&l, N, K, false);
    float *w = calloc(heft_logit_size(&l.logit), sizeof *w);
    OK(heft_logit_fit(&l.ctx, &l.logit, 1e9, 300, w, &how));
    OK(heft_logit_score(&l.ctx, &l.logit, w, &l.rows, score));
    for (size_t k = 0; k < N * K; k++) NEAR(score[k], score[k % K], 1e-4);
    free(w);
    lesson_close(&l);
}

/* Joint codes: each cell seen has its own, cells not seen the last; large tables by search. */
static void joint_codes_are_cells(void **state)
{
    (void)state;
    enum { N = 500 };
    const uint32_t sizes[] = {4, 300, 40000};
    heft_ctx       ctx;
    heft_rng       rng;
    heft_rng_init(&rng, 17, 0);
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    for (size_t t = 0; t < 3; t++) {
        uint16_t   a[N + 1], b[N + 1];
        heft_join  join;
        heft_cells out, again;
        for (size_t i = 0; i <= N; i++) {
            a[i] = (uint16_t)heft_rng_below(&rng, sizes[t] - 1);
            b[i] = (uint16_t)heft_rng_below(&rng, 30);
        }
        a[N] = (uint16_t)(sizes[t] - 1); /* a value no other row has */
        const heft_cells first = {.width = 2, .n_codes = sizes[t], .at = a};
        const heft_cells second = {.width = 2, .n_codes = 30, .at = b};
        OK(heft_join_learn(&ctx, &first, &second, N, &join, &out));
        OK(heft_join_apply(&ctx, &join, &first, &second, N + 1, &again));
        assert_int_equal(out.n_codes, join.n_seen + 1);
        assert_true((join.index == NULL) == (t == 2));
        for (size_t i = 0; i < N; i++) {
            const uint32_t code = heft_code_at(out.at, out.width, i);
            assert_true(code < join.n_seen);
            assert_true(join.key[code] == (uint64_t)a[i] * 30 + b[i]);
            assert_int_equal(heft_code_at(again.at, again.width, i), code);
        }
        assert_int_equal(heft_code_at(again.at, again.width, N), join.n_seen);
        heft_free(out.at), heft_free(again.at);
        heft_join_clear(&join);
    }
    heft_ctx_clear(&ctx);
}

/* The pairs chosen are those of largest gain: one that makes the class is first. */
static void telling_pairs_are_chosen(void **state)
{
    (void)state;
    enum { N = 400, M = 6 };
    const uint32_t q[M] = {2, 2, 2, 2, 2, 2};
    coded_sample   s;
    heft_pair_list list;
    coded_sample_open(&s, N, M, 2, q, 18, NULL);
    for (size_t i = 0; i < N; i++) /* exclusive or of the second and the fifth */
        s.rows.y[i] = (uint16_t)(coded_at(&s.rows.rows, i, 1) ^ coded_at(&s.rows.rows, i, 4));
    OK(heft_pairs_choose(&s.ctx, &s.sample, s.cells, 60, 1, &s.arena, &list));
    assert_int_equal(list.n, 1);
    assert_true(list.pair[0].i == 1 && list.pair[0].j == 4);
    OK(heft_pairs_choose(&s.ctx, &s.sample, s.cells, 60, 500, &s.arena, &list));
    assert_int_equal(list.n, 15);
    OK(heft_pairs_choose(&s.ctx, &s.sample, s.cells, 3, 500, &s.arena, &list));
    assert_int_equal(list.n, 3);
    coded_sample_close(&s);
}

/* ---- folds ---- */

/* Every row is held out once with all of its weight, and the rows of a class are spread evenly.
 * Rows that are there three times are held out together, and so are all rows of a class that is
 * there twice or three times; where a table has few values equal rows are dealt one by one. */
static void folds_are_stratified(void **state)
{
    (void)state;
    enum { N = 300, K = 2, PLAIN = 0, THRICE, ONE_CLASS, FEW_VALUES, N_WAYS };
    static double   x[N], z[N], weight[N];
    uint16_t        y[N];
    const heft_attr attr[2] = {{.numbers = x}, {.numbers = z}};
    for (int way = 0; way < 2 * N_WAYS; way++) {
        const int  kind = way % N_WAYS;
        heft_rng   rng;
        heft_ctx   ctx;
        heft_arena arena = {0};
        heft_rng_init(&rng, 3, (uint64_t)way);
        for (size_t i = 0; i < N; i++) {
            x[i] = heft_rng_real(&rng), z[i] = heft_rng_real(&rng);
            if (kind == FEW_VALUES) x[i] = floor(4 * x[i]), z[i] = floor(4 * z[i]);
            y[i] = i % 3 == 0;
            const size_t from = kind == THRICE              ? i - i % 3
                                : kind == ONE_CLASS && y[i] ? i % 120
                                                            : i;
            if (from < i) x[i] = x[from], z[i] = z[from], y[i] = y[from];
            weight[i] = 0.5 + heft_rng_real(&rng);
        }
        const double   *w = way < N_WAYS ? NULL : weight;
        const heft_rows rows = {
            .n_rows = N, .n_attr = 2, .n_class = K, .attr = attr, .y = y, .weight = w};
        const heft_sample sample = {.rows = &rows, .n = N, .weight = w, .y = y, .n_class = K};
        heft_dealing      order;
        heft_keys         keys;
        uint64_t          key[N];
        uint16_t          fold[N];
        size_t            held[N] = {0}, part[N] = {0}, n[HEFT_KFOLD][K] = {{0}}, all[K] = {0};
        size_t            apart = 0;
        double            alike[N] = {0};
        heft_ctx_init(&ctx, &err, 1, 1, NULL);
        OK(heft_keys_of(&ctx, &rows, &arena, &keys));
        OK(heft_keys_part(&ctx, NULL, NULL, &keys));
        OK(heft_keys_rows(&ctx, &keys, key));
        OK(heft_folds_deal(&ctx,
                           &(heft_fold_plan){.rule = HEFT_FOLDS_CONTENT,
                                             .sample = &sample,
                                             .n_folds = HEFT_KFOLD,
                                             .seed = ctx.seed,
                                             .key = key,
                                             .n_wanted = N,
                                             .arena = &arena,
                                             .order = &order},
                           fold));
        for (size_t k = 0; k < HEFT_KFOLD; k++) {
            heft_fold_part mine, others;
            OK(heft_kfold_split(&ctx, &sample, &order, k, &arena, &mine, &others));
            assert_int_equal(mine.n + others.n, N);
            for (size_t i = 0; i < mine.n; i++) {
                const size_t row = mine.row[i];
                assert_int_equal(mine.y[i], y[row]);
                if (w) assert_true(mine.weight[i] == w[row]);
                held[row]++;
                part[row] = k;
                alike[row] = mine.alike[i];
                n[k][y[row]]++;
                all[y[row]]++;
            }
        }
        for (size_t i = 0; i < N; i++) {
            double sum = 0;
            assert_int_equal(held[i], 1);
            for (size_t k = 0; k < N; k++) {
                if (x[i] != x[k] || z[i] != z[k] || y[i] != y[k]) continue;
                sum += w ? w[k] : 1;
                apart += part[i] != part[k];
            }
            NEAR(alike[i], kind == FEW_VALUES ? (w ? w[i] : 1) : sum, 1e-12);
        }
        assert_true(kind == FEW_VALUES ? apart > 0 : apart == 0);
        const size_t copies = kind == THRICE || kind == ONE_CLASS ? 3 : 1;
        assert_int_equal(order.n_kinds, kind == THRICE      ? N / 3
                                        : kind == ONE_CLASS ? N - 100 + 40
                                                            : N);
        for (size_t k = 0; k < HEFT_KFOLD; k++)
            for (size_t c = 0; c < K; c++)
                assert_true(fabs((double)n[k][c] - (double)all[c] / 5) <= (double)copies);
        heft_arena_clear(&arena);
        heft_ctx_clear(&ctx);
    }
}

/* ---- auto_plan.h ---- */

/* Up to a million rows, and 20 million rows times classes, one fold of five is held out. Above, the
 * rows held out are a tenth or a fifth of a window, all rows are taken unless they have more than
 * 32 classes and 200 million scores, and a short time makes windows smaller. */
static void many_rows_are_planned(void **state)
{
    (void)state;
    static const struct {
        int           effort;
        size_t        n_rows, n_class, most;
        heft_row_plan plan;
    } of[] = {
        {HEFT_EFFORT_LEAN, 1000000, 2, SIZE_MAX, {1000000, 5, false, 1}},
        {HEFT_EFFORT_LEAN, 1000001, 2, SIZE_MAX, {1000001, 10, true, 1}},
        {HEFT_EFFORT_FULL, 10000000, 2, SIZE_MAX, {10000000, 100, true, 10}},
        {HEFT_EFFORT_LEAN, 100000000, 20, SIZE_MAX, {100000000, 1000, true, 100}},
        {HEFT_EFFORT_LEAN, 200000, 100, SIZE_MAX, {200000, 5, false, 1}},
        {HEFT_EFFORT_LEAN, 400000, 100, SIZE_MAX, {400000, 10, true, 2}},
        {HEFT_EFFORT_LEAN, 10000000, 100, SIZE_MAX, {200000000 / 112, 40, true, 8}},
        {HEFT_EFFORT_LEAN, 400000, 2, 50000, {400000, 80, true, 8}},
        {HEFT_EFFORT_LEAN, 40000, 2, 50000, {40000, 5, false, 1}},
        {HEFT_EFFORT_LEAN, 1000000000, 2, 20000, {1000000000, 60000, true, 6000}},
        {HEFT_EFFORT_COUNT, 10000000, 2, SIZE_MAX, {200000, 5, false, 1}},
        {HEFT_EFFORT_LEAN, 100000, 2000, SIZE_MAX, {5000, 5, false, 1}},
    };
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        const heft_row_plan plan =
            heft_plan_rows(of[k].effort, of[k].n_rows, of[k].n_class, of[k].most);
        assert_int_equal(plan.n_taken, of[k].plan.n_taken);
        assert_int_equal(plan.n_parts, of[k].plan.n_parts);
        assert_int_equal(plan.many, of[k].plan.many);
        assert_int_equal(plan.n_windows, of[k].plan.n_windows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_know_their_codes),
        cmocka_unit_test(a_constant_number_has_an_empty_code),
        cmocka_unit_test(left_out_rows_are_left_out),
        cmocka_unit_test(endless_smoothing_is_naive_bayes),
        cmocka_unit_test(the_limit_of_cells_is_kept),
        cmocka_unit_test(mixtures_are_optimal),
        cmocka_unit_test(gradients_match_differences),
        cmocka_unit_test(the_objective_only_falls),
        cmocka_unit_test(copies_share_a_penalty),
        cmocka_unit_test(endless_penalties_leave_the_bias),
        cmocka_unit_test(joint_codes_are_cells),
        cmocka_unit_test(telling_pairs_are_chosen),
        cmocka_unit_test(folds_are_stratified),
        cmocka_unit_test(many_rows_are_planned),
    };
    return cmocka_run_group_tests_name("auto_parts", tests, NULL, NULL);
}
