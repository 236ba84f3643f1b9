/* value_effects_test.c - effects of single values: their formula, and what they are good for. */
#include "boosting.h"

/* ---- the formula ---- */

enum { ROWS_HERE = 900, VALUES_HERE = 40, MANY = N_COLS - 1, MOST_K = 4 };

typedef struct setting {
    grid              *g;
    forest             f;
    heft_boost_classes classes;
    heft_boost_rows    rows;
    heft_value_effects effects;
    heft_bins          bins;
    uint32_t           in_sample[MOST_K];
    uint16_t           number[MOST_K];
} setting;

static void setting_open(setting *s, size_t K, bool weighted)
{
    const double start[MOST_K] = {-0.5, -1.5, -1.1, -2};
    memset(s, 0, sizeof *s);
    s->g = grid_make(ROWS_HERE, K, 41);
    s->g->weighted = weighted;
    for (size_t i = 0; i < ROWS_HERE && weighted; i++) s->g->weight[i] = (double)(1 + i % 3);
    grid_link(s->g);
    forest_open(&s->f, s->g);
    for (size_t c = 0; c < K; c++) s->in_sample[c] = s->number[c] = (uint16_t)c;
    s->classes = (heft_boost_classes){
        .K = K, .stride = K == 2 ? 1 : 4, .in_sample = s->in_sample, .number = s->number};
    s->rows = (heft_boost_rows){.sample = &s->g->sample, .classes = &s->classes, .unit = 1};
    OK(heft_boost_rows_open(&s->f.ctx, &s->f.arena, start, false, &s->rows));
    for (size_t i = 0; i < ROWS_HERE && K > 2; i++) { /* as after a step */
        float sum = 0;
        for (size_t c = 0; c < K; c++) sum += s->rows.P[4 * i + c];
        s->rows.scale[i] = 1 / sum;
    }
    OK(heft_bins_learn(&s->f.ctx, &s->g->sample, s->g->sample.n, &s->f.keys, NULL, &s->f.arena,
                       &s->bins));
    OK(heft_value_effects_open(&s->f.ctx, &s->bins, &s->g->sample, &s->f.arena, &s->effects));
}

static double probability(const setting *s, size_t i, size_t c)
{
    const float *P = s->rows.P + i * s->classes.stride;
    if (s->classes.K == 2) return (double)P[0] / (1 + (double)P[0]);
    return (double)P[c] * (double)s->rows.scale[i];
}

/* The effects that follow from the probabilities and the effects as they are, in plain loops. */
static void plain_effects(const setting *s, const double *b, double *out)
{
    const size_t K = s->classes.K, columns = s->effects.n_columns;
    double       G[VALUES_HERE * MOST_K] = {0}, H[VALUES_HERE * MOST_K] = {0}, variance = 0;
    for (size_t i = 0; i < ROWS_HERE; i++)
        for (size_t c = 0; c < columns; c++) {
            const size_t of = columns == 1 ? 1 : c, k = (size_t)s->g->value[MANY][i] * columns + c;
            const double p = probability(s, i, of), w = s->g->weight[i];
            G[k] += w * (p - ((size_t)s->g->y[i] == of));
            H[k] += w * p * (1 - p);
        }
    for (size_t k = 0; k < VALUES_HERE * columns; k++) G[k] -= H[k] * b[k];
    /* the most likely variance: the last of many at which the likelihood still rises */
    for (double s2 = 0; s2 < 9; s2 += 1e-4) {
        double rise = 0;
        for (size_t k = 0; k < VALUES_HERE * columns; k++)
            rise += pow(G[k] / (1 + s2 * H[k]), 2) - H[k] / (1 + s2 * H[k]);
        if (rise > 0) variance = s2;
    }
    assert_true(variance > 0);
    for (size_t k = 0; k < VALUES_HERE * columns; k++) {
        const double more = K == 2 ? 1 : (double)K / (double)(K - 1);
        out[k] = fmin(fmax(-G[k] / (more * H[k] + 1 / variance), b[k] - 2), b[k] + 2);
    }
}

/* What the effects b of a value add to the score of class c beside that of the first. */
static double score(size_t K, const double *b, size_t c)
{
    return K == 2 ? (c ? b[0] : 0) : b[c] - b[0];
}

static double row_score(const setting *s, size_t i, size_t c)
{
    const double p = probability(s, i, c);
    if (s->classes.K == 2) return c ? log(p / (1 - p)) : 0;
    return log(p / probability(s, i, 0));
}

static void effects_follow_their_formula(void **state)
{
    (void)state;
    for (size_t K = 2; K <= MOST_K; K++)
        for (int weighted = 0; weighted < 2; weighted++) {
            setting s;
            double  want[VALUES_HERE * MOST_K], none[VALUES_HERE * MOST_K] = {0};
            setting_open(&s, K, weighted);
            assert_int_equal(s.effects.n_attr, 1);
            assert_int_equal(s.effects.attr[0], MANY);
            const double *b = none;
            for (size_t trees = 0; trees < 3; trees++) {
                const size_t of = (size_t)s.g->value[MANY][7] * s.effects.n_columns; /* of row 7 */
                double       rest[MOST_K]; /* log p_c / p_0 less that of the effects */
                for (size_t c = 0; c < K; c++) rest[c] = -row_score(&s, 7, c) + score(K, b + of, c);
                plain_effects(&s, b, want);
                OK(heft_value_effects_set(&s.f.ctx, &s.rows, NULL, trees, &s.f.arena, &s.effects));
                b = heft_value_effects_of(&s.effects, trees + 1);
                for (size_t l = 0; l < VALUES_HERE * s.effects.n_columns; l++)
                    NEAR(b[l], want[l], 2e-3);
                for (size_t c = 0; c < K; c++)
                    NEAR(rest[c], -row_score(&s, 7, c) + score(K, b + of, c), 1e-5);
            }
            assert_true(heft_value_effects_of(&s.effects, 0) == s.effects.table[0]);
            assert_true(heft_value_effects_of(&s.effects, 1) == s.effects.table[0]);
            assert_true(heft_value_effects_of(&s.effects, 2) == s.effects.table[1]);
            forest_free(&s.f);
            free(s.g);
        }
}

/* ---- what they are good for ---- */

enum { N = 12000, WORDS = 600 };

typedef struct many {
    double      x[N];
    int32_t     u[N], y[N];
    char        text[WORDS][8];
    const char *value[WORDS];
} many;

/* The class depends on a number and, times `size`, on one of 600 values. */
static many *many_make(double size, uint64_t seed)
{
    many    *m = calloc(1, sizeof *m);
    double   effect[WORDS];
    heft_rng rng, common;
    heft_rng_init(&common, 3, 0);
    heft_rng_init(&rng, seed, 0);
    for (size_t v = 0; v < WORDS; v++) {
        effect[v] = size * (heft_rng_real(&common) - 0.5);
        snprintf(m->text[v], sizeof m->text[v], "u%zu", v);
        m->value[v] = m->text[v];
    }
    for (size_t i = 0; i < N; i++) {
        m->x[i] = 4 * heft_rng_real(&rng) - 2;
        m->u[i] = (int32_t)heft_rng_below(&rng, WORDS);
        m->y[i] = heft_rng_real(&rng) < 1 / (1 + exp(-m->x[i] - effect[m->u[i]]));
    }
    return m;
}

/* Mean log loss of other rows, with the values or without them. */
static double loss_of(double size, bool with)
{
    static const char *const classes[] = {"no", "yes"};
    many                    *m[2] = {many_make(size, 5), many_make(size, 6)};
    heft_table              *t[2];
    double                   loss = 0;
    for (int k = 0; k < 2; k++)
        t[k] = table_of(
            &(frame){.n_rows = N,
                     .n_cols = with ? 2 : 1,
                     .cols = {{"x", .numbers = m[k]->x},
                              {"u", .codes = m[k]->u, .values = m[k]->value, .n_values = WORDS}},
                     .y = m[k]->y,
                     .classes = classes,
                     .n_class = 2});
    double *p = fit_posterior(t[0], t[1], "auto", NULL);
    for (size_t i = 0; i < N; i++) loss -= log(p[2 * i + (size_t)m[1]->y[i]]) / N;
    for (int k = 0; k < 2; k++) {
        heft_table_free(t[k]);
        free(m[k]);
    }
    free(p);
    return loss;
}

/* Without the effects the second, and without the correction for chance the first would not hold.
 */
static void many_values_help_or_do_no_harm(void **state)
{
    (void)state;
    assert_true(loss_of(0, true) < 1.006 * loss_of(0, false));
    assert_true(loss_of(6, true) < 0.76 * loss_of(6, false));
}

/* Missing cells that say something about the class change nothing about the values: these have no
 * effect. A value that was never seen counts as missing, or does not count where the preparation
 * keeps it apart. */
static void missing_cells_are_no_value(void **state)
{
    (void)state;
    static const char *const classes[] = {"no", "yes"}, *const unseen[] = {"missing", "zero"};
    many         *m = many_make(0, 8);
    heft_rng      rng;
    const int32_t asked[] = {-1, WORDS, 3}; /* missing, unseen, seen */
    const double  same[] = {m->x[0], m->x[0], m->x[0]};
    heft_rng_init(&rng, 9, 0);
    for (size_t i = 0; i < N; i++) {
        if (heft_rng_below(&rng, 5) == 0) m->u[i] = -1;
        m->y[i] = heft_rng_real(&rng) < (m->u[i] < 0 ? 0.9 : 0.3);
    }
    const char *values[WORDS + 1];
    memcpy(values, m->value, sizeof m->value);
    values[WORDS] = "another";
    heft_table *train =
        table_of(&(frame){.n_rows = N,
                          .n_cols = 2,
                          .cols = {{"x", .numbers = m->x},
                                   {"u", .codes = m->u, .values = m->value, .n_values = WORDS}},
                          .y = m->y,
                          .classes = classes,
                          .n_class = 2});
    heft_table *ask = table_of(
        &(frame){.n_rows = 3,
                 .n_cols = 2,
                 .cols = {{"x", .numbers = same},
                          {"u", .codes = asked, .values = values, .n_values = WORDS + 1}}});
    for (int k = 0; k < 2; k++) {
        double *p = fit_posterior(train, ask, "auto", &(heft_config){.unseen = unseen[k]});
        NEAR(p[1], 0.9, 0.05);
        if (k == 0) NEAR(p[3], p[1], 1e-3);
        else assert_true(p[3] > 0.2 && p[3] < 0.6);
        NEAR(p[5], 0.3, 0.05);
        free(p);
    }
    heft_table_free(train), heft_table_free(ask);
    free(m);
}

/* ---- pairs ---- */

enum { PAIRED = N_NUM + 1, CODES = 30 };

/* Two columns of 30 values each; `joint`: the class depends on both together, else on the
 * first alone. */
static grid *paired_make(size_t K, bool joint)
{
    grid    *g = grid_make(4000, K, 51);
    heft_rng rng;
    heft_rng_init(&rng, 52, 0);
    g->n_values[PAIRED] = g->n_values[MANY] = CODES;
    for (size_t i = 0; i < g->n; i++) {
        const uint64_t v = heft_rng_below(&rng, CODES), w = heft_rng_below(&rng, CODES);
        const uint64_t on = joint ? heft_mix(v * CODES + w) : v;
        g->value[PAIRED][i] = i % 50 ? (int32_t)v : -1;
        g->value[MANY][i] = (int32_t)w;
        g->y[i] = (int32_t)(heft_rng_below(&rng, 4) ? on % K : heft_rng_below(&rng, K));
    }
    grid_link(g);
    return g;
}

/* The effect of a cell: values and classes as numbered in the first grid. */
static double cell_effect(const heft_boosted *b, const grid *g, change how, int32_t v, int32_t w,
                          size_t c)
{
    const heft_value_effects *e = &b->effects;
    const double             *table = heft_value_effects_of(e, b->trees.n_trees);
    const heft_value_pair    *pair = e->pair;
    const size_t              last = g->m - 1;
    const bool                turned = pair->attr[0] != (how == COLUMNS ? last - PAIRED : PAIRED);
    const size_t              C = e->n_columns;
    if (how == VALUES) v = CODES - 1 - v, w = CODES - 1 - w;
    if (how == CLASSES) c = C - 1 - c;
    const uint64_t key = (uint64_t)(turned ? w * CODES + v : v * CODES + w);
    size_t         k = 0;
    while (k < pair->n_cells && pair->key[k] != key) k++;
    if (k == pair->n_cells) return 0;
    const double x = table[(e->first[e->n_attr] + k) * C + c];
    return how == CLASSES && C == 1 ? -x : x;
}

/* A pair that decides is found, in any order of rows, columns, values and classes, with the same
 * bits; and none where one of them decides alone, or the order is 1. */
static void pairs_that_decide_have_effects(void **state)
{
    (void)state;
    for (size_t K = 2; K <= 3; K++) {
        grid  *g = paired_make(K, true), *apart = paired_make(K, false);
        forest plain, f;
        forest_grow(&f, apart, rule_of(3, 5));
        assert_int_equal(f.boosted.effects.n_pairs, 0);
        forest_free(&f);
        forest_grow(&f, g, rule_of(1, 5));
        assert_int_equal(f.boosted.effects.n_pairs, 0);
        forest_free(&f);
        forest_grow(&plain, g, rule_of(3, 5));
        assert_int_equal(plain.boosted.effects.n_pairs, 1);
        double size = 0;
        for (change how = ROWS; how <= CLASSES; how++) {
            grid *other = grid_change(g, how);
            forest_grow(&f, other, rule_of(3, 5));
            assert_int_equal(f.boosted.effects.n_pairs, 1);
            assert_int_equal(f.boosted.effects.pair->n_cells, plain.boosted.effects.pair->n_cells);
            same_values(&plain.boosted.trees, &f.boosted.trees, how == CLASSES);
            for (int32_t v = 0; v < CODES; v++)
                for (int32_t w = 0; w < CODES; w++)
                    for (size_t c = 0; c < plain.boosted.effects.n_columns; c++) {
                        const double x = cell_effect(&plain.boosted, g, ROWS, v, w, c);
                        assert_true(x == cell_effect(&f.boosted, other, how, v, w, c));
                        size += fabs(x);
                    }
            forest_free(&f);
            free(other);
        }
        assert_true(size > 0.5 * CODES * CODES);
        forest_free(&plain);
        free(g), free(apart);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(effects_follow_their_formula),
        cmocka_unit_test(many_values_help_or_do_no_harm),
        cmocka_unit_test(missing_cells_are_no_value),
        cmocka_unit_test(pairs_that_decide_have_effects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
