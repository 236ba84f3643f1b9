/* objective_test.c - the engine against the plain sums it stands for. */
#include "fixture.h"

#include <float.h>

#include "base/num.h"
#include "base/vec.h"
#include "learn/objective.h"

enum { N_CODED = 6, N_NUMBER = 3, N_ATTR = N_CODED + N_NUMBER, MOST_ROWS = 12000 };

/* Six coded attributes (one with 400 values, one constant, one silent), and three numeric ones:
 * many distinct values, few, and constant. */
typedef struct data {
    heft_attr attr[N_ATTR];
    uint8_t   small[4][MOST_ROWS];
    uint16_t  wide[MOST_ROWS];
    uint8_t   silent[MOST_ROWS];
    double    number[N_NUMBER][MOST_ROWS];
    uint16_t  y[MOST_ROWS];
    double    weight[MOST_ROWS];
    heft_rows rows;
    heft_lik  lik[N_ATTR];
} data;

static void fill_coded(data *d, size_t j, uint32_t n_codes, unsigned width, const void *codes)
{
    d->attr[j] = (heft_attr){.coded = true, .n_codes = n_codes, .width = width, .codes = codes};
}

static heft_lik random_table(heft_arena *arena, heft_rng *rng, uint32_t n_codes, size_t K)
{
    heft_lik lik = {.kind = HEFT_LIK_TABLE, .n_codes = n_codes};
    lik.table = heft_arena_alloc(arena, (n_codes + 2) * K, sizeof(double));
    for (size_t k = 0; k < (n_codes + 2) * K; k++)
        if (k / K != n_codes) lik.table[k] = log(0.02 + heft_rng_real(rng));
    return lik;
}

static heft_lik random_normal(heft_arena *arena, heft_rng *rng, size_t K)
{
    heft_lik lik = {.kind = HEFT_LIK_NORMAL};
    lik.mean = heft_arena_alloc(arena, K, sizeof(double));
    lik.sd = heft_arena_alloc(arena, K, sizeof(double));
    for (size_t c = 0; c < K; c++)
        lik.mean[c] = 2 * heft_rng_real(rng), lik.sd[c] = 1 + heft_rng_real(rng);
    return lik;
}

static data *make(heft_arena *arena, size_t n, size_t K, bool weighted, bool numbers, size_t kinds)
{
    static const uint32_t n_codes[4] = {2, 3, 5, 4};
    data                 *d = heft_arena_alloc(arena, 1, sizeof *d);
    heft_rng              rng;
    heft_rng_init(&rng, 7, K);
    for (size_t i = 0; i < n; i++) {
        d->y[i] = (uint16_t)heft_rng_below(&rng, K);
        for (size_t j = 0; j < 4; j++)
            d->small[j][i] = (uint8_t)heft_rng_below(&rng, n_codes[j] + 1);
        d->small[1][i] = 1; /* constant among the rows, yet not silent */
        d->wide[i] = (uint16_t)heft_rng_below(&rng, kinds);
        d->number[0][i] = heft_rng_real(&rng) * 4 - 1;
        d->number[1][i] = heft_rng_below(&rng, 8) == 0 ? NAN : (double)heft_rng_below(&rng, 9) - 4;
        d->number[2][i] = 3.5;
        d->weight[i] = 0.5 + heft_rng_real(&rng);
    }
    for (size_t j = 0; j < 4; j++) fill_coded(d, j, n_codes[j], 1, d->small[j]);
    fill_coded(d, 4, 400, 2, d->wide);
    fill_coded(d, 5, 2, 1, d->silent);
    for (size_t j = 0; j < N_ATTR; j++) {
        if (j < N_CODED) {
            d->lik[j] = random_table(arena, &rng, d->attr[j].n_codes, K);
            continue;
        }
        d->attr[j] = (heft_attr){.numbers = d->number[j - N_CODED]};
        d->lik[j] = random_normal(arena, &rng, K);
    }
    d->lik[5].silent = true;
    memset(d->lik[5].table, 0, 4 * K * sizeof(double));
    d->rows = (heft_rows){.n_rows = n,
                          .n_attr = numbers ? N_ATTR : N_CODED,
                          .n_class = K,
                          .attr = d->attr,
                          .y = d->y,
                          .weight = weighted ? d->weight : NULL};
    return d;
}

static void line_of(const data *d, size_t j, size_t i, double *out)
{
    const heft_attr *a = &d->attr[j];
    const size_t     K = d->rows.n_class;
    if (!a->coded) heft_lik_number(&d->lik[j], K, a->numbers[i], out);
    else
        memcpy(out, heft_lik_code(&d->lik[j], K, heft_code_at(a->codes, a->width, i)),
               K * sizeof *out);
}

/* ---- a loss: sum over the scores of weight * (s - target)^2 / 2, of y-dependent targets ---- */

static double target_of(unsigned y, size_t k)
{
    return 0.3 * (double)k - (double)y;
}

static void square_loss(const void *user, const heft_tile *tile, double *s, double *value)
{
    (void)user;
    for (size_t i = 0; i < tile->n; i++) {
        value[i] = 0;
        value[tile->n + i] = 1;
        for (size_t k = 0; k < tile->n_score; k++) {
            const double e = s[i * tile->n_score + k] - target_of(tile->y[i], k);
            value[i] += e * e / 2;
            s[i * tile->n_score + k] = e;
        }
    }
}

static double          size;
static const heft_loss LOSS = {square_loss, NULL, 1, &size};

static double weight_at(const heft_head *h, const data *d, size_t j, size_t i, size_t c, size_t B)
{
    if (h->shape == HEFT_W_ONE) return 1;
    if (h->shape == HEFT_W_ATTR) return h->w[j];
    if (h->shape == HEFT_W_CLASS) return h->w[j * B + c];
    const uint32_t v = heft_code_at(d->attr[j].codes, d->attr[j].width, i);
    return v < d->attr[j].n_codes ? h->w[h->offset[j] + v] : 1;
}

static size_t place_of(const heft_head *h, const data *d, size_t j, size_t i, size_t c, size_t B)
{
    if (h->shape == HEFT_W_ATTR) return j;
    if (h->shape == HEFT_W_CLASS) return j * B + c;
    const uint32_t v = heft_code_at(d->attr[j].codes, d->attr[j].width, i);
    return v < d->attr[j].n_codes ? h->offset[j] + v : SIZE_MAX;
}

/* Row by row, cell by cell. pair: the score is class a less class b. */
static double plain(const data *d, const heft_head *heads, size_t n_heads, bool pair, size_t a,
                    size_t b, double *const *gradient, double *base_gradient)
{
    const size_t K = d->rows.n_class, B = pair ? 1 : K, m = d->rows.n_attr;
    double       loss = 0, line[16];
    for (size_t i = 0; i < d->rows.n_rows; i++) {
        double l[N_ATTR][16];
        if (pair && d->y[i] != a && d->y[i] != b) continue;
        const unsigned y = pair ? d->y[i] == b : d->y[i];
        const double   w = d->rows.weight ? d->rows.weight[i] : 1;
        for (size_t j = 0; j < m; j++) {
            line_of(d, j, i, line);
            if (pair) l[j][0] = line[a] - line[b];
            else memcpy(l[j], line, K * sizeof *line);
        }
        for (size_t k = 0; k < n_heads * B; k++) {
            const heft_head *h = &heads[k / B];
            double           s = h->base ? h->base[k % B] : 0;
            for (size_t j = 0; j < m; j++) s += weight_at(h, d, j, i, k % B, B) * l[j][k % B];
            const double e = s - target_of(y, k);
            loss += w * e * e / 2;
            base_gradient[k] += w * e;
            for (size_t j = 0; gradient[k / B] && j < m; j++) {
                const size_t at = place_of(h, d, j, i, k % B, B);
                if (at != SIZE_MAX) gradient[k / B][at] += w * e * l[j][k % B];
            }
        }
    }
    return loss;
}

static void assert_near(double a, double b, const char *what)
{
    if (!(fabs(a - b) <= 1e-9 * (1 + fabs(a) + fabs(b))))
        fail_msg("%s: %.17g and %.17g", what, a, b);
}

typedef struct shaped {
    heft_head head;
    double   *g, *expect;
    size_t    n;
} shaped;

static shaped shape_of(heft_arena *arena, const data *d, heft_shape shape, size_t B, uint64_t seed)
{
    shaped   s = {.head = {.shape = shape}};
    size_t  *offset = heft_arena_alloc(arena, N_ATTR + 1, sizeof *offset);
    double  *w, *base = heft_arena_alloc(arena, B, sizeof *base);
    heft_rng rng;
    heft_rng_init(&rng, seed, 1);
    for (size_t j = 0; j < d->rows.n_attr; j++)
        offset[j + 1] = offset[j] + (d->attr[j].coded ? d->attr[j].n_codes : 0);
    s.n = shape == HEFT_W_ATTR    ? d->rows.n_attr
          : shape == HEFT_W_CLASS ? d->rows.n_attr * B
          : shape == HEFT_W_VALUE ? offset[d->rows.n_attr]
                                  : 0;
    w = heft_arena_alloc(arena, s.n, sizeof *w);
    for (size_t k = 0; k < s.n; k++) w[k] = heft_rng_below(&rng, 5) ? 2 * heft_rng_real(&rng) : 0;
    for (size_t k = 0; k < B; k++) base[k] = heft_rng_real(&rng);
    s.head.w = w;
    s.head.offset = offset;
    s.head.base = base;
    s.g = heft_arena_alloc(arena, s.n, sizeof *s.g);
    s.expect = heft_arena_alloc(arena, s.n, sizeof *s.expect);
    return s;
}

static void compare(size_t n, size_t K, bool weighted, bool numbers, size_t kinds, bool pair,
                    const heft_shape *shapes, size_t n_heads, int threads)
{
    heft_ctx       ctx;
    heft_arena     arena = {0};
    heft_evidence *ev;
    heft_row_list *lists;
    shaped         s[2];
    heft_head      heads[2];
    double        *g[2], *expect[2], sums[2], base[32], expect_base[32] = {0};
    const size_t   B = pair ? 1 : K, b = K - 1;
    heft_ctx_init(&ctx, &err, threads, 1, NULL);
    data *d = make(&arena, n, K, weighted, numbers, kinds);
    for (size_t h = 0; h < n_heads; h++) {
        s[h] = shape_of(&arena, d, shapes[h], B, 11 + h);
        heads[h] = s[h].head;
        g[h] = shapes[h] == HEFT_W_ONE ? NULL : s[h].g;
        expect[h] = shapes[h] == HEFT_W_ONE ? NULL : s[h].expect;
    }
    OK(heft_rows_by_class(&ctx, &d->rows, &arena, &lists));
    if (pair) OK(heft_evidence_pair(&ctx, &d->rows, d->lik, lists, 0, b, &ctx.scratch, &ev));
    else OK(heft_evidence_build(&ctx, &d->rows, d->lik, &ctx.scratch, &ev));
    size = 0;
    OK(heft_evidence_sum(&ctx, ev, heads, n_heads, &LOSS, sums, base, g));
    const double loss = plain(d, heads, n_heads, pair, 0, b, expect, expect_base);
    assert_near(sums[0], loss, "loss");
    assert_near(sums[1], ev->total, "total weight");
    for (size_t k = 0; k < n_heads * B; k++) assert_near(base[k], expect_base[k], "base gradient");
    for (size_t h = 0; h < n_heads; h++)
        for (size_t k = 0; g[h] && k < s[h].n; k++)
            assert_near(s[h].g[k], s[h].expect[k], "gradient");
    assert_false(ev->active[5]);
    heft_ctx_clear(&ctx);
    heft_arena_clear(&arena);
}

static void equals_the_plain_sum(void **state)
{
    /* Property: loss, gradients by the base and by weights of every shape equal those summed cell
     * by cell. */
    (void)state;
    const heft_shape attr[] = {HEFT_W_ATTR}, cls[] = {HEFT_W_CLASS}, value[] = {HEFT_W_VALUE};
    const heft_shape both[] = {HEFT_W_CLASS, HEFT_W_ATTR}, one[] = {HEFT_W_ONE};
    for (size_t K = 2; K <= 7; K++) {
        compare(900, K, K % 2, true, 390, false, attr, 1, 1);
        compare(900, K, K % 2, true, 390, false, cls, 1, 1);
        compare(700, K, K % 2, false, 390, false, value, 1, 1);
        compare(700, K, K % 2, true, 390, false, both, 2, 1);
        compare(600, K, K % 2, true, 390, true, attr, 1, 1);
        compare(600, K, K % 2, false, 390, true, attr, 1, 1);
        compare(600, K, K % 2, true, 390, false, one, 1, 1);
    }
    compare(5, 2, false, true, 3, true, attr, 1, 1);
    compare(1, 3, true, true, 3, false, cls, 1, 1);
}

static void merged_rows_give_the_same(void **state)
{
    /* Property: with few distinct rows they are merged, and nothing changes but the cost. */
    (void)state;
    const heft_shape attr[] = {HEFT_W_ATTR}, value[] = {HEFT_W_VALUE};
    heft_ctx         ctx;
    heft_arena       arena = {0};
    heft_evidence   *ev;
    compare(MOST_ROWS, 2, false, false, 2, true, attr, 1, 1);
    compare(MOST_ROWS, 3, true, false, 2, false, value, 1, 1);
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    data *d = make(&arena, MOST_ROWS, 3, true, false, 2);
    for (size_t i = 0; i < MOST_ROWS; i++) d->weight[i] = 1 + (double)(i % 3);
    OK(heft_evidence_build(&ctx, &d->rows, d->lik, &arena, &ev));
    assert_true(ev->n_rows <= 3u * 3 * 6 * 5 * 2);
    double total = 0;
    for (size_t i = 0; i < ev->n_rows; i++) total += ev->weight[i];
    assert_near(total, ev->total, "weight of merged rows");
    assert_near(total, ev->size, "rows it stands for");
    d = make(&arena, 500, 3, true, false, 390);
    OK(heft_evidence_build(&ctx, &d->rows, d->lik, &arena, &ev));
    assert_int_equal(ev->n_rows, 500);
    heft_ctx_clear(&ctx);
    heft_arena_clear(&arena);
}

static void numbers_are_coded_where_few(void **state)
{
    /* Property: a numeric attribute of few values is coded, one of many is not, a missing one
     * says nothing. */
    (void)state;
    heft_ctx       ctx;
    heft_arena     arena = {0};
    heft_evidence *ev;
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    data *d = make(&arena, 1000, 3, false, true, 390);
    for (size_t i = 0; i < 1000; i++) d->number[2][i] = NAN;
    OK(heft_evidence_build(&ctx, &d->rows, d->lik, &arena, &ev));
    assert_int_equal(ev->n_dense, 1);
    assert_int_equal(ev->dense[0].j, N_CODED);
    assert_true(ev->active[N_CODED + 1]);
    assert_false(ev->active[N_CODED + 2]);
    heft_ctx_clear(&ctx);
    heft_arena_clear(&arena);
}

static void columns_too_large_to_keep_are_computed(void **state)
{
    /* Property: a dense column that is not kept gives the bits of one that is. */
    (void)state;
    for (int pair = 0; pair < 2; pair++) {
        heft_ctx       ctx;
        heft_arena     arena = {0};
        heft_evidence *ev;
        heft_row_list *lists;
        double         kept[2], computed[2], g[64];
        heft_ctx_init(&ctx, &err, 1, 1, NULL);
        data  *d = make(&arena, 1000, 4, false, true, 390);
        shaped s = shape_of(&arena, d, HEFT_W_ATTR, 4, 5);
        OK(heft_rows_by_class(&ctx, &d->rows, &arena, &lists));
        if (pair) OK(heft_evidence_pair(&ctx, &d->rows, d->lik, lists, 1, 3, &arena, &ev));
        else OK(heft_evidence_build(&ctx, &d->rows, d->lik, &arena, &ev));
        size = 0;
        OK(heft_evidence_sum(&ctx, ev, &s.head, 1, &LOSS, kept, NULL, &s.g));
        memcpy(g, s.g, s.n * sizeof *g);
        assert_int_equal(ev->n_dense, 1);
        ev->dense[0].cells = NULL;
        size = 0;
        OK(heft_evidence_sum(&ctx, ev, &s.head, 1, &LOSS, computed, NULL, &s.g));
        assert_true(kept[0] == computed[0]);
        for (size_t k = 0; k < s.n; k++) assert_near(s.g[k], g[k], "gradient");
        heft_ctx_clear(&ctx);
        heft_arena_clear(&arena);
    }
}

static void threads_give_the_same_bits(void **state)
{
    /* Property: one, two and five threads give the same bits. */
    (void)state;
    static double first[2][64];
    for (int threads = 1; threads <= 5; threads += threads == 1 ? 1 : 3) {
        heft_ctx       ctx;
        heft_arena     arena = {0};
        heft_evidence *ev;
        double         sums[2];
        heft_ctx_init(&ctx, &err, threads, 1, NULL);
        data  *d = make(&arena, MOST_ROWS, 4, true, true, 390);
        shaped s = shape_of(&arena, d, HEFT_W_CLASS, 4, 5);
        OK(heft_evidence_build(&ctx, &d->rows, d->lik, &arena, &ev));
        size = 0;
        OK(heft_evidence_sum(&ctx, ev, &s.head, 1, &LOSS, sums, NULL, &s.g));
        if (threads == 1) memcpy(first[0], s.g, s.n * sizeof *s.g), first[1][0] = sums[0];
        assert_memory_equal(first[0], s.g, s.n * sizeof *s.g);
        assert_true(first[1][0] == sums[0]);
        heft_ctx_clear(&ctx);
        heft_arena_clear(&arena);
    }
}

/* d with row i at place (i * step) % n. */
static data *reordered(heft_arena *arena, const data *d, size_t step)
{
    data        *to = heft_arena_alloc(arena, 1, sizeof *to);
    const size_t n = d->rows.n_rows;
    *to = *d;
    for (size_t i = 0; i < n; i++) {
        const size_t k = i * step % n;
        for (size_t j = 0; j < 4; j++) to->small[j][k] = d->small[j][i];
        for (size_t j = 0; j < N_NUMBER; j++) to->number[j][k] = d->number[j][i];
        to->wide[k] = d->wide[i];
        to->silent[k] = d->silent[i];
        to->y[k] = d->y[i];
        to->weight[k] = d->weight[i];
    }
    for (size_t j = 0; j < N_ATTR; j++) {
        heft_attr *a = &to->attr[j];
        if (j < 4) a->codes = to->small[j];
        if (j == 4) a->codes = to->wide;
        if (j == 5) a->codes = to->silent;
        if (j >= N_CODED) a->numbers = to->number[j - N_CODED];
    }
    to->rows.attr = to->attr;
    to->rows.y = to->y;
    if (d->rows.weight) to->rows.weight = to->weight;
    return to;
}

static void order_does_not_change_a_bit(void **state)
{
    /* Property: rows in another order give the same bits, of every shape, with weights or merged
     * or dense. */
    (void)state;
    const heft_shape shapes[] = {HEFT_W_ATTR, HEFT_W_CLASS, HEFT_W_VALUE};
    for (size_t run = 0; run < 24; run++) {
        heft_ctx         ctx;
        heft_arena       arena = {0};
        heft_evidence   *ev;
        double           sums[2][2], *g[2], base[2][8];
        const bool       weighted = run % 2, whole = run % 4 == 1, pair = run >= 12;
        const size_t     K = 4, B = pair ? 1 : K, kinds = run / 2 % 2 ? 2 : 390;
        const heft_shape shape = pair ? HEFT_W_ATTR : shapes[run % 3];
        heft_ctx_init(&ctx, &err, 2, 1, NULL);
        data *d = make(&arena, 9001, K, weighted, shape != HEFT_W_VALUE && run % 5, kinds);
        for (size_t i = 0; i < 9001 && whole; i++) d->weight[i] = 1 + (double)(i % 3);
        shaped s = shape_of(&arena, d, shape, B, 5);
        for (size_t k = 0; k < 2; k++) {
            const data *use = k ? reordered(&arena, d, 4001) : d;
            if (pair) OK(heft_evidence_pair(&ctx, &use->rows, d->lik, NULL, 1, 3, &arena, &ev));
            else OK(heft_evidence_build(&ctx, &use->rows, d->lik, &arena, &ev));
            g[k] = heft_arena_alloc(&arena, s.n, sizeof *g[k]);
            size = 0;
            OK(heft_evidence_sum(&ctx, ev, &s.head, 1, &LOSS, sums[k], base[k], &g[k]));
        }
        assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
        assert_memory_equal(base[0], base[1], B * sizeof(double));
        assert_memory_equal(g[0], g[1], s.n * sizeof(double));
        heft_ctx_clear(&ctx);
        heft_arena_clear(&arena);
    }
}

static void repeated_rows_give_the_bits_of_weights(void **state)
{
    /* Property: a row of weight 3 gives the bits of three rows, merged or not. */
    (void)state;
    for (int numbers = 0; numbers < 2; numbers++) {
        heft_ctx       ctx;
        heft_arena     arena = {0};
        heft_evidence *ev;
        double         sums[2][2], *g[2];
        heft_ctx_init(&ctx, &err, 1, 1, NULL);
        data *d = make(&arena, 4000, 3, true, numbers, 390);
        for (size_t i = 0; i < 4000; i++) d->weight[i] = 3;
        for (size_t r = 1; r < 3; r++) {
            for (size_t j = 0; j < 4; j++) memcpy(d->small[j] + r * 4000, d->small[j], 4000);
            for (size_t j = 0; j < N_NUMBER; j++)
                memcpy(d->number[j] + r * 4000, d->number[j], 4000 * sizeof(double));
            memcpy(d->wide + r * 4000, d->wide, 4000 * sizeof *d->wide);
            memcpy(d->y + r * 4000, d->y, 4000 * sizeof *d->y);
        }
        shaped s = shape_of(&arena, d, HEFT_W_ATTR, 3, 5);
        for (size_t k = 0; k < 2; k++) {
            heft_rows rows = d->rows;
            rows.n_rows = k ? 12000 : 4000;
            rows.weight = k ? NULL : d->weight;
            OK(heft_evidence_build(&ctx, &rows, d->lik, &arena, &ev));
            g[k] = heft_arena_alloc(&arena, s.n, sizeof *g[k]);
            size = 0;
            OK(heft_evidence_sum(&ctx, ev, &s.head, 1, &LOSS, sums[k], NULL, &g[k]));
            if (!numbers && k) assert_true(ev->n_rows <= 4000);
        }
        assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
        assert_memory_equal(g[0], g[1], s.n * sizeof(double));
        heft_ctx_clear(&ctx);
        heft_arena_clear(&arena);
    }
}

typedef struct seen {
    double *score;
    size_t  n_score;
} seen;

static void copy_scores(void *user, const heft_tile *tile, const double *scores)
{
    const seen *s = user;
    memcpy(s->score + tile->first * s->n_score, scores, tile->n * s->n_score * sizeof *scores);
    assert_true(tile->first % heft_tile_rows(s->n_score) == 0);
}

static void a_look_shows_every_score(void **state)
{
    /* Property: the scores shown are base + sum of w l, each row once; the spread is the mean of
     * |l|. */
    (void)state;
    heft_ctx       ctx;
    heft_arena     arena = {0};
    heft_evidence *ev;
    double         line[16], spread[N_ATTR], expect[N_ATTR] = {0};
    heft_ctx_init(&ctx, &err, 3, 1, NULL);
    data  *d = make(&arena, 3000, 3, false, true, 390);
    shaped s = shape_of(&arena, d, HEFT_W_ATTR, 3, 5);
    seen   got = {heft_arena_alloc(&arena, 9000, sizeof(double)), 3};
    OK(heft_evidence_build(&ctx, &d->rows, d->lik, &arena, &ev));
    OK(heft_evidence_visit(&ctx, ev, &s.head, 1, copy_scores, &got));
    OK(heft_evidence_spread(&ctx, ev, spread));
    for (size_t i = 0; i < 3000; i++) {
        double sum[3];
        memcpy(sum, s.head.base, sizeof sum);
        for (size_t j = 0; j < N_ATTR; j++) {
            line_of(d, j, i, line);
            for (size_t c = 0; c < 3; c++) {
                sum[c] += s.head.w[j] * line[c];
                expect[j] += fabs(line[c]) / 9000;
            }
        }
        for (size_t c = 0; c < 3; c++) assert_near(got.score[i * 3 + c], sum[c], "score");
    }
    for (size_t j = 0; j < N_ATTR; j++) assert_near(spread[j], expect[j], "spread");
    heft_ctx_clear(&ctx);
    heft_arena_clear(&arena);
}

static void block_functions_equal_the_single_ones(void **state)
{
    /* Property: exp, log, log1pexp, sigmoid and softmax of many values equal those of one to 1e-15.
     */
    (void)state;
    enum { N = 4001, K = 5 };
    static double t[N], v[N], s[N], e[N], p[N * K], q[N * K], lse[N];
    heft_rng      rng;
    heft_rng_init(&rng, 3, 0);
    for (size_t i = 0; i < N; i++) t[i] = (heft_rng_real(&rng) - 0.5) * (i % 2 ? 2 : 1390);
    t[0] = 0, t[1] = -690, t[2] = 709;
    heft_log1pexp_all(t, N, v, s);
    memcpy(e, t, sizeof e);
    heft_exp_all(e, N);
    for (size_t i = 0; i < N; i++) {
        const double exact = t[i] > 0 ? t[i] + log1p(exp(-t[i])) : log1p(exp(t[i]));
        assert_true(fabs(v[i] / exact - 1) < 1e-15);
        assert_true(fabs(s[i] / heft_sigmoid(t[i]) - 1) < 1e-15);
        assert_true(fabs(e[i] / exp(t[i]) - 1) < 1e-15);
    }
    heft_sigmoid_all(t, N);
    assert_memory_equal(t, s, sizeof t);
    for (size_t i = 0; i < N; i++)
        v[i] = s[i] = i % 3 == 0   ? 0.5 + heft_rng_real(&rng)
                      : i % 3 == 1 ? 1e5 * heft_rng_real(&rng) + 1e-9
                                   : ldexp(1 + heft_rng_real(&rng), (int)(i % 2000) - 1000);
    v[0] = s[0] = 1, v[1] = s[1] = DBL_MIN, v[2] = s[2] = DBL_MAX, v[3] = s[3] = sqrt(0.5);
    heft_log_all(v, N);
    for (size_t i = 0; i < N; i++)
        assert_true(fabs(v[i] - log(s[i])) <= 1e-15 * fmax(fabs(log(s[i])), 1e-3));
    double ends[] = {-INFINITY, -800, -1e300, 1e9};
    heft_exp_all(ends, 4);
    assert_true(ends[0] == 0 && ends[1] == 0 && ends[2] == 0 && isfinite(ends[3]));
    double far[] = {1e300, -1e300, 5e9, -5e9}, value[4], slope[4];
    heft_log1pexp_all(far, 4, value, slope);
    assert_true(value[0] == 1e300 && value[1] >= 0 && value[1] < 1e-300 && slope[0] == 1);
    for (size_t i = 0; i < N * K; i++) p[i] = q[i] = (heft_rng_real(&rng) - 0.5) * 100;
    for (size_t c = 0; c < K; c++) p[c] = q[c] = -INFINITY;
    p[K] = q[K] = -INFINITY;
    heft_softmax_all(p, N, K, lse);
    for (size_t i = 0; i < N; i++) {
        const double expect = heft_logsumexp(q + i * K, K);
        heft_softmax(q + i * K, K);
        assert_true(lse[i] == expect || fabs(lse[i] - expect) < 1e-13 * (1 + fabs(expect)));
        for (size_t c = 0; c < K; c++) assert_true(fabs(p[i * K + c] - q[i * K + c]) < 1e-15);
    }
}

static void no_memory_is_reported(void **state)
{
    /* Property: whichever allocation fails, the answer is ENOMEM and nothing leaks. */
    (void)state;
    heft_arena keep = {0};
    data      *d = make(&keep, 400, 3, true, true, 390);
    bool       through = false;
    for (size_t k = 1; !through; k++) {
        heft_ctx       ctx;
        heft_arena     arena = {0};
        heft_evidence *ev;
        double         w[N_ATTR] = {0}, g[N_ATTR], *gradient[] = {g}, sums[2];
        heft_head      head = {.shape = HEFT_W_ATTR, .w = w};
        heft_ctx_init(&ctx, NULL, 1, 1, NULL);
        heft_fail_alloc_at(k, true);
        heft_status st = heft_evidence_build(&ctx, &d->rows, d->lik, &arena, &ev);
        if (st == HEFT_OK) st = heft_evidence_sum(&ctx, ev, &head, 1, &LOSS, sums, NULL, gradient);
        heft_fail_alloc_at(0, false);
        through = st == HEFT_OK;
        assert_true(through || st == HEFT_ENOMEM);
        heft_ctx_clear(&ctx);
        heft_arena_clear(&arena);
    }
    heft_arena_clear(&keep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_plain_sum),
        cmocka_unit_test(merged_rows_give_the_same),
        cmocka_unit_test(numbers_are_coded_where_few),
        cmocka_unit_test(columns_too_large_to_keep_are_computed),
        cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(order_does_not_change_a_bit),
        cmocka_unit_test(repeated_rows_give_the_bits_of_weights),
        cmocka_unit_test(a_look_shows_every_score),
        cmocka_unit_test(block_functions_equal_the_single_ones),
        cmocka_unit_test(no_memory_is_reported),
    };
    return cmocka_run_group_tests_name("objective", tests, NULL, NULL);
}
