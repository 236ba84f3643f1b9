/* value_effects.c - evidence of single values of the attributes that have many, learned beside the
 * trees.
 *
 * Cost of setting them: O(n K) for each attribute. */
#include "boost/value_effects.h"

#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/rows.h"
#include "base/vec.h"
#include "boost/histograms.h"
#include "boost/residuals.h"

enum {
    MOST_NUMBERS = 1 << 18, /* numbers in a table: all tables of a fit take 26 MB at most */
    HALVINGS = 16           /* steps of the bisection that finds the variance */
};

/* Bounds where the quadratic approximation of the loss is poor. */
static const double MOST_STEP = 2, MOST_EFFECT = 10, MOST_VARIANCE = 9;

heft_status heft_value_effects_open(heft_ctx *ctx, const heft_bins *bins, const heft_sample *sample,
                                    heft_arena *arena, heft_value_effects *out)
{
    const size_t K = sample->n_class;
    *out = (heft_value_effects){.n_columns = K == 2 ? 1 : K};
    HEFT_ALLOC(ctx, arena, out->attr, bins->n_attr);
    HEFT_ALLOC(ctx, arena, out->first, bins->n_attr + HEFT_MOST_VALUE_PAIRS + 1);
    for (size_t k = 0; k < bins->n_attr; k++) {
        const heft_bin_attr *a = &bins->attr[k];
        const size_t         end = out->n_values + sample->rows->attr[a->attr].n_codes;
        if (!a->nominal || a->n_values <= HEFT_MOST_PLAIN) continue;
        if (end > MOST_NUMBERS / out->n_columns) continue;
        out->attr[out->n_attr++] = a->attr;
        out->first[out->n_attr] = out->n_values = end;
    }
    return HEFT_OK;
}

typedef struct effects_of { /* the effects of one attribute, or of a pair */
    size_t  j;              /* the attribute */
    size_t  pair;           /* or the pair; SIZE_MAX: none */
    size_t  n_columns;
    size_t  n; /* numbers: values x n_columns */
    double *b;
} effects_of;

/* The value or the cell of row i. false: it is missing, or not known. */
static bool value_at(const heft_boost_rows *rows, const effects_of *to, size_t i, size_t *out)
{
    const heft_sample *s = rows->sample;
    const heft_attr   *a = &s->rows->attr[to->j];
    if (to->pair != SIZE_MAX) {
        *out = rows->cell[to->pair][i];
        return *out != HEFT_NO_CELL;
    }
    *out = heft_code_at(a->codes, a->width, heft_sample_row(s, i));
    return *out < a->n_codes;
}

static void add_rows(const heft_boost_rows *rows, const effects_of *to, heft_value_sums *sums)
{
    size_t v;
    HEFT_ROWS (i, rows->n)
        if (value_at(rows, to, i, &v))
            heft_value_sums_add(rows, i, to->n_columns, sums + v * to->n_columns);
}

/* Multiplies the probabilities of the rows by the factors of their values. */
static void multiply(const heft_boost_rows *rows, const effects_of *to, const double *factor)
{
    const size_t n_columns = to->n_columns;
    HEFT_ROWS (i, rows->n) {
        float *P = rows->P + i * rows->classes->stride, sum = 0;
        size_t v;
        if (!value_at(rows, to, i, &v)) continue;
        const double *f = factor + v * n_columns;
        if (n_columns == 1) {
            P[0] = heft_odds_within(P[0] * (float)f[0]);
            continue;
        }
        for (size_t c = 0; c < n_columns; c++) {
            P[c] = P[c] * rows->scale[i] * (float)f[c] + HEFT_LEAST_P;
            sum += P[c];
        }
        rows->scale[i] = 1 / sum;
    }
}

/* G0 and H of an effect b. */
static void without_effect(const heft_value_sums *sums, double step, double b, double *G, double *H)
{
    *H = (double)sums->second * step;
    *G = (double)sums->first * step - *H * b;
}

/* Whether the derivative of the likelihood by s^2 is above 0. The terms are rounded to whole
 * multiples of a power of two, so that their order does not matter. */
static bool rises(const heft_value_sums *sums, const double *b, size_t n, double step, int power,
                  double s2)
{
    int64_t sum = 0;
    for (size_t k = 0; k < n; k++) {
        double G, H;
        without_effect(&sums[k], step, b[k], &G, &H);
        const double held_back = 1 / (1 + s2 * H), g = ldexp(G * held_back, -power);
        sum += llrint((g * g - ldexp(H * held_back, -2 * power)) * 0x1p60);
    }
    return sum > 0;
}

/* s^2 by bisection. total: the weight of all rows. */
static double variance(const heft_value_sums *sums, const double *b, size_t n, double step,
                       double total)
{
    int    power;
    double lo = 0, hi = MOST_VARIANCE;
    frexp(total * (2 + MOST_EFFECT), &power); /* no sum of |G| is larger */
    if (power < 1) power = 1;
    if (!rises(sums, b, n, step, power, 0)) return 0;
    for (int k = 0; k < HALVINGS; k++) {
        const double mid = (lo + hi) / 2;
        if (rises(sums, b, n, step, power, mid)) lo = mid;
        else hi = mid;
    }
    return (lo + hi) / 2;
}

static double within(double x, double at, double most)
{
    return fmin(fmax(x, at - most), at + most);
}

static heft_status set_one(heft_ctx *ctx, const heft_boost_rows *rows, const heft_boost_rows *held,
                           const effects_of *to)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t     n = to->n, C = to->n_columns;
    const double     more = C == 1 ? 1 : (double)C / (double)(C - 1);
    const double     step = ldexp(rows->unit, -HEFT_SUM_BITS);
    heft_value_sums *sums; /* and behind them the weight of all rows */
    double          *factor, *b = to->b;
    HEFT_ALLOC(ctx, &ctx->scratch, sums, n + 1);
    HEFT_ALLOC(ctx, &ctx->scratch, factor, n);
    add_rows(rows, to, sums);
    HEFT_ROWS (i, rows->n) sums[n].first += heft_units(rows->weight, i);
    HEFT_CHECK(heft_all_add(ctx, &sums->first, 2 * (n + 1)));
    const double s2 = variance(sums, b, n, step, (double)sums[n].first * rows->unit);
    for (size_t k = 0; k < n; k++) {
        double G, H;
        without_effect(&sums[k], step, b[k], &G, &H);
        const double now = s2 > 0 ? -G / (more * H + 1 / s2) : 0;
        factor[k] = -b[k];
        b[k] = within(within(now, b[k], MOST_STEP), 0, MOST_EFFECT);
        factor[k] += b[k];
    }
    heft_exp_all(factor, n);
    multiply(rows, to, factor);
    if (held) multiply(held, to, factor);
    return HEFT_OK;
}

static heft_status find_cells(heft_ctx *ctx, const heft_value_effects *e, heft_arena *arena,
                              heft_boost_rows *rows)
{
    HEFT_ALLOC(ctx, arena, rows->cell, e->n_pairs);
    for (size_t k = 0; k < e->n_pairs; k++) {
        HEFT_ALLOC(ctx, arena, rows->cell[k], rows->n);
        heft_value_pair_cells(&e->pair[k], rows->sample, rows->cell[k]);
    }
    return HEFT_OK;
}

heft_status heft_value_effects_pairs(heft_ctx *ctx, heft_boost_rows *rows, heft_boost_rows *held,
                                     const heft_keys *keys, heft_arena *arena, heft_arena *work,
                                     heft_value_effects *e)
{
    const size_t  C = e->n_columns, n_before = e->n_values, last = e->n_tables - 1;
    const double *before;
    if (e->n_attr < 2) return HEFT_OK;
    HEFT_CHECK(
        heft_value_pairs_find(ctx, rows, keys, e->attr, e->n_attr, arena, e->pair, &e->n_pairs));
    if (e->n_pairs == 0) return HEFT_OK;
    for (size_t k = 0; k < e->n_pairs; k++)
        e->first[e->n_attr + k + 1] = e->n_values += e->pair[k].n_cells;
    before = e->table[last];
    HEFT_ALLOC(ctx, arena, e->table[last], e->n_values * C);
    memcpy(e->table[last], before, n_before * C * sizeof *before);
    HEFT_CHECK(find_cells(ctx, e, work, rows));
    return held ? find_cells(ctx, e, work, held) : HEFT_OK;
}

heft_status heft_value_effects_set(heft_ctx *ctx, const heft_boost_rows *rows,
                                   const heft_boost_rows *held, size_t n_trees, heft_arena *arena,
                                   heft_value_effects *e)
{
    const size_t n = e->n_values * e->n_columns, last = e->n_tables - 1;
    if (e->n_attr == 0 || e->n_tables == HEFT_MOST_EFFECTS) return HEFT_OK;
    if (e->n_tables == 0 || e->after[last] != n_trees) {
        HEFT_ALLOC(ctx, arena, e->table[e->n_tables], n);
        if (e->n_tables) memcpy(e->table[e->n_tables], e->table[last], n * sizeof **e->table);
        e->after[e->n_tables++] = n_trees;
    }
    for (size_t k = 0; k < e->n_attr + e->n_pairs; k++) {
        const size_t     first = e->first[k] * e->n_columns, end = e->first[k + 1] * e->n_columns;
        const bool       single = k < e->n_attr;
        const effects_of to = {.j = single ? e->attr[k] : 0,
                               .pair = single ? SIZE_MAX : k - e->n_attr,
                               .n_columns = e->n_columns,
                               .n = end - first,
                               .b = e->table[e->n_tables - 1] + first};
        HEFT_CHECK(set_one(ctx, rows, held, &to));
        HEFT_CHECK(heft_check_cancel(ctx));
    }
    return HEFT_OK;
}

const double *heft_value_effects_of(const heft_value_effects *e, size_t n_trees)
{
    size_t k = e->n_tables;
    while (k > 1 && e->after[k - 1] >= n_trees) k--; /* the first are before any tree */
    return k ? e->table[k - 1] : NULL;
}
