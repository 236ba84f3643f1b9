/* bins.c - attributes coded finely, for trees. */
#include "boost/bins.h"

#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/num.h"
#include "base/rows.h"
#include "base/sort.h"
#include "boost/sides.h"
#include "prep/quantiles.h"
#include "stats/info.h"

enum {
    BLOCK = 512,
    LEAST_FEW = 5,   /* weight that a nominal value needs to be listed in a split, */
    LEAST_MANY = 20, /* and in an attribute of many values */
    MOST_CODES = 65535,
    GROUPS = 8,       /* groups of codes that attributes are ranked by */
    LEAST_BINS = 32,  /* with many attributes a number has at least so many bins, */
    ROWS_OF_BIN = 16, /* or as many as give a bin this many rows */
    RARE_OF_BIN = 4,  /* rows of a rare class that a bin has at least, where they alone fill it */
    TAIL_CUTS = 6     /* most cuts in each of the two outer bins */
};

/* ---- numbers ---- */

/* A cut between a < b, so that a <= cut < b. */
static double halfway(double a, double b)
{
    const double mid = a / 2 + b / 2;
    return mid >= a && mid < b ? mid + 0.0 : a;
}

/* How many rows a row of each class counts as: n/(2 K n_c), at least 1, so that rare classes get
 * cuts where their rows are, and all classes together half as much weight again at most. A bin that
 * a class fills alone still has RARE_OF_BIN of its rows. The factors are whole numbers so that sums
 * of whole weights stay exact. */
static heft_status class_factors(heft_ctx *ctx, const heft_sample *s, double *factor)
{
    const size_t K = s->n_class;
    double       total = 0;
    HEFT_ROWS (i, s->n) factor[s->y[i]] += heft_sample_weight(s, i);
    HEFT_CHECK(heft_all_sum(ctx, factor, K));
    for (size_t c = 0; c < K; c++) total += factor[c];
    const double most = floor(total / (HEFT_BINS * RARE_OF_BIN));
    for (size_t c = 0; c < K; c++)
        factor[c] = fmax(fmin(round(total / (2 * (double)K * fmax(factor[c], 1))), most), 1);
    return HEFT_OK;
}

/* The quantiles of a column, over the rows of all processes, and how many of them there are. */
static heft_status column_quantiles(heft_ctx *ctx, const heft_sample *s, const double *x,
                                    const double *factor, heft_quantiles *out, bool *missing)
{
    double *cell, *weight, gaps;
    size_t  n = 0;
    HEFT_ALLOCS(ctx, &ctx->scratch, s->n, cell, weight);
    HEFT_ROWS (i, s->n) {
        const double at = x[heft_sample_row(s, i)];
        if (isnan(at)) continue;
        weight[n] = heft_sample_weight(s, i) * factor[s->y[i]];
        cell[n++] = at;
    }
    gaps = n < s->n;
    HEFT_CHECK(heft_all_max(ctx, &gaps, 1));
    *missing = gaps > 0;
    return heft_quantiles_make(ctx, cell, weight, n, true, out);
}

/* With few rows and many attributes most of the time would go to bins of a row or two each. */
static size_t bins_of(size_t n_attr, double rows)
{
    if (n_attr <= HEFT_MANY_ATTRS || rows >= ROWS_OF_BIN * HEFT_BINS) return HEFT_BINS;
    return rows <= ROWS_OF_BIN * LEAST_BINS ? LEAST_BINS : (size_t)(rows / ROWS_OF_BIN);
}

/* Places of n_bins - 1 cuts as weights up to them, increasing: bins of equal weight, of which the
 * first and the last are halved again and again towards their ends, because a class may live in the
 * tail of a column. least: the weight of the smallest bin. Returns how many there are. */
static size_t place_cuts(double total, size_t n_bins, double least, double u, double *reach)
{
    const double even = total / (double)n_bins;
    size_t       n = 0, tail = 0;
    while (tail < TAIL_CUTS && 4 * tail < n_bins && ldexp(even, -(int)tail - 1) > least) tail++;
    const size_t n_even = n_bins - 2 * tail;
    const double bin = total / (double)n_even;
    for (size_t k = tail; k > 0; k--) reach[n++] = ldexp((1 + u) * bin, -(int)k);
    for (size_t i = 1; i < n_even; i++) reach[n++] = ((double)i + u) * bin;
    for (size_t k = 1; k <= tail; k++) reach[n++] = total - ldexp((1 - u) * bin, -(int)k);
    return n;
}

typedef struct cutting { /* how numbers are cut */
    const heft_sample *sample;
    const double      *factor; /* by class: how many rows a row counts as */
    double             most;   /* the largest of them */
} cutting;

/* The median, and cuts: one between every two values, where these are few; else behind the values
 * of the quantiles. */
static heft_status cut_numbers(heft_ctx *ctx, const heft_quantiles *l, size_t n_bins, double least,
                               double u, heft_bin_attr *out)
{
    const bool few = l->here && l->n <= n_bins;
    double     reach[HEFT_BINS], at[HEFT_BINS], next[HEFT_BINS];
    reach[0] = l->total / 2; /* the median */
    const size_t n = few ? 1 : 1 + place_cuts(l->total, n_bins, least, u, reach + 1);
    HEFT_CHECK(heft_quantiles_find(ctx, l, reach, n, true, at, next));
    out->median = at[0];
    if (few) {
        for (size_t k = 1; k < l->n; k++)
            out->cuts[out->n_cuts++] =
                halfway(heft_order_value(l->key[k - 1]), heft_order_value(l->key[k]));
        return HEFT_OK;
    }
    for (size_t i = 1; i < n; i++) {
        const double cut = next[i] == INFINITY ? INFINITY : halfway(at[i], next[i]);
        if (cut < INFINITY && (out->n_cuts == 0 || cut > out->cuts[out->n_cuts - 1]))
            out->cuts[out->n_cuts++] = cut;
    }
    return HEFT_OK;
}

static heft_status bin_numbers(heft_ctx *ctx, const cutting *how, size_t j, double u,
                               heft_arena *arena, heft_bin_attr *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_rows *rows = how->sample->rows;
    heft_quantiles   quantiles;
    HEFT_ALLOC(ctx, &ctx->scratch, out->cuts, HEFT_BINS - 1);
    HEFT_CHECK(column_quantiles(ctx, how->sample, rows->attr[j].numbers, how->factor, &quantiles,
                                &out->own_missing));
    const bool nothing = quantiles.here && quantiles.n == 0; /* all missing */
    if (!nothing)
        HEFT_CHECK(cut_numbers(ctx, &quantiles, bins_of(rows->n_attr, quantiles.total),
                               ROWS_OF_BIN * how->most, u, out));
    const double *cuts = out->cuts; /* most columns of few rows have far fewer than there may be */
    HEFT_ALLOC(ctx, arena, out->cuts, out->n_cuts);
    memcpy(out->cuts, cuts, out->n_cuts * sizeof *cuts);
    out->n_codes = nothing ? 1 : (uint32_t)out->n_cuts + 1 + out->own_missing;
    if (!out->own_missing) out->missing = heft_cut_code(out->cuts, out->n_cuts, out->median);
    return HEFT_OK;
}

/* ---- values ---- */

static heft_status bin_values(heft_ctx *ctx, const heft_sample *s, const heft_keys *keys, size_t j,
                              heft_arena *arena, heft_bin_attr *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_attr *a = &s->rows->attr[j];
    const size_t     V = (size_t)a->n_codes + 2; /* the last two: missing, never seen */
    double          *count;
    heft_ranked     *v, *spare;
    size_t           n = 0, often = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, count, V);
    HEFT_ALLOCS(ctx, &ctx->scratch, V, v, spare);
    HEFT_ALLOC(ctx, arena, out->code_of, V);
    HEFT_ROWS (i, s->n)
        count[heft_code_at(a->codes, a->width, heft_sample_row(s, i))] += heft_sample_weight(s, i);
    HEFT_CHECK(heft_all_sum(ctx, count, V));
    for (size_t k = 0; k < a->n_codes; k++) out->n_values += count[k] > 0;
    out->n_values++;
    out->least = out->n_values > HEFT_MOST_PLAIN ? LEAST_MANY : LEAST_FEW;
    for (size_t k = 0; k < a->n_codes; k++)
        if (count[k] >= out->least && n < MOST_CODES - 2)
            v[n++] = (heft_ranked){keys->value[j][k], k};
    heft_order_sort(v, spare, n);
    HEFT_ALLOC(ctx, arena, out->value_of, n + 1);
    for (size_t k = 0; k < V; k++) out->code_of[k] = (uint16_t)(n + 1);
    for (size_t k = 0; k < n; k++) {
        out->code_of[v[k].row] = (uint16_t)k;
        out->value_of[k] = (uint32_t)v[k].row;
    }
    out->own_missing = count[a->n_codes] > 0;
    out->missing = (uint32_t)n;
    out->code_of[a->n_codes] = (uint16_t)n;
    out->value_of[n] = a->n_codes;
    out->n_codes = (uint32_t)n + 2;
    /* fewer than two groups of rows that a split could part: it takes no part */
    for (size_t k = 0; k < V; k++) often += count[k] > 0;
    if (often < 2) out->n_codes = 1;
    return HEFT_OK;
}

heft_status heft_bins_learn(heft_ctx *ctx, const heft_sample *sample, size_t n_cut,
                            const heft_keys *keys, const uint64_t *draw, heft_arena *arena,
                            heft_bins *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t m = sample->rows->n_attr;
    heft_ranked *order, *spare;
    double      *factor;
    heft_sample  first = *sample;
    cutting      how = {.sample = &first, .most = 1};
    first.n = n_cut;
    *out = (heft_bins){0};
    HEFT_ALLOC(ctx, &ctx->scratch, factor, sample->n_class);
    HEFT_CHECK(class_factors(ctx, &first, factor));
    how.factor = factor;
    for (size_t c = 0; c < sample->n_class; c++) how.most = fmax(how.most, factor[c]);
    HEFT_ALLOC(ctx, arena, out->attr, m);
    HEFT_ALLOCS(ctx, &ctx->scratch, m, order, spare);
    for (size_t j = 0; j < m; j++) order[j] = (heft_ranked){keys->column[j], j};
    heft_order_sort(order, spare, m);
    for (size_t k = 0; k < m; k++) {
        const size_t   j = order[k].row;
        heft_bin_attr *a = &out->attr[out->n_attr];
        const uint64_t drawn = draw ? heft_mix(*draw ^ keys->column[j]) : 0;
        const double   u = draw ? (double)(drawn >> 11) * 0x1p-53 - 0.5 : 0;
        *a = (heft_bin_attr){.attr = (uint32_t)j, .nominal = sample->rows->attr[j].coded};
        HEFT_CHECK(a->nominal ? bin_values(ctx, sample, keys, j, arena, a)
                              : bin_numbers(ctx, &how, j, u, arena, a));
        a->width = a->n_codes <= 256 ? 1 : 2;
        out->n_attr += a->n_codes > 1;
        HEFT_CHECK(heft_check_cancel(ctx));
    }
    return HEFT_OK;
}

/* ---- codes ---- */

static void fill_column(const heft_bin_attr *a, const heft_sample *s, void *to)
{
    const heft_attr *from = &s->rows->attr[a->attr];
    if (a->nominal) {
        HEFT_ROWS (i, s->n)
            heft_code_put(
                to, a->width, i,
                a->code_of[heft_code_at(from->codes, from->width, heft_sample_row(s, i))]);
        return;
    }
    uint8_t *code = to; /* at most 129 */
    double   x[BLOCK];
    uint32_t below[BLOCK];
    HEFT_BLOCKS_OF (BLOCK, lo, hi, s->n) {
        for (size_t i = lo; i < hi; i++) x[i - lo] = from->numbers[heft_sample_row(s, i)];
        heft_cuts_below(a->cuts, a->n_cuts, x, hi - lo, below);
        for (size_t i = lo; i < hi; i++)
            code[i] = (uint8_t)(isnan(x[i - lo]) ? a->missing : a->own_missing + below[i - lo]);
    }
}

/* Columns begin at whole cache lines. */
static size_t column_bytes(const heft_bin_attr *a, size_t n)
{
    return (n * a->width + 63) / 64 * 64;
}

heft_status heft_bins_fill(heft_ctx *ctx, const heft_bins *bins, const heft_sample *sample,
                           heft_arena *arena, heft_tree_codes **column, void **heap)
{
    size_t   bytes = 0;
    uint8_t *to;
    HEFT_ALLOC(ctx, arena, *column, bins->n_attr);
    for (size_t k = 0; k < bins->n_attr; k++) bytes += column_bytes(&bins->attr[k], sample->n);
    bytes += HEFT_CODES_BEHIND;
    to = *heap = heft_alloc_rows(bytes, 1);
    if (!to) return heft_no_memory(ctx, bytes, 1);
    for (size_t k = 0; k < bins->n_attr; k++) {
        (*column)[k] = (heft_tree_codes){to, bins->attr[k].width};
        fill_column(&bins->attr[k], sample, to);
        to += column_bytes(&bins->attr[k], sample->n);
        HEFT_CHECK(heft_check_cancel(ctx));
    }
    return HEFT_OK;
}

/* ---- those with the most information ---- */

/* Information of an attribute on the class, less what chance makes of it; a numeric one in GROUPS
 * groups of neighbouring codes of about equal weight. */
static heft_status coarse_info(heft_ctx *ctx, const heft_bin_attr *a, const heft_tree_codes *column,
                               const heft_sample *s, double *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t K = s->n_class;
    double      *cell, *of_code, total = 0, upto = 0;
    size_t      *group, n = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, cell, a->n_codes * K);
    HEFT_ALLOCS(ctx, &ctx->scratch, a->n_codes, of_code, group);
    HEFT_ROWS (i, s->n) {
        const size_t v = heft_code_at(column->codes, column->width, i);
        of_code[v] += heft_sample_weight(s, i);
    }
    HEFT_CHECK(heft_all_sum(ctx, of_code, a->n_codes));
    for (size_t v = 0; v < a->n_codes; v++) total += of_code[v];
    for (size_t v = 0; v < a->n_codes; v++) { /* the group of each code */
        group[v] = n;
        upto += of_code[v];
        n += a->nominal || upto >= (double)(n + 1) * total / GROUPS;
    }
    HEFT_ROWS (i, s->n) {
        const size_t v = heft_code_at(column->codes, column->width, i);
        cell[group[v] * K + s->y[i]] += heft_sample_weight(s, i);
    }
    HEFT_CHECK(heft_all_sum(ctx, cell, a->n_codes * K));
    *out = heft_information_beyond_chance(cell, a->n_codes, K);
    return HEFT_OK;
}

static heft_status copy_attr(heft_ctx *ctx, const heft_bin_attr *from, const heft_sample *s,
                             heft_arena *arena, heft_bin_attr *to)
{
    const size_t values = (size_t)s->rows->attr[from->attr].n_codes + 2;
    *to = *from;
    if (!from->nominal) {
        HEFT_ALLOC(ctx, arena, to->cuts, from->n_cuts);
        memcpy(to->cuts, from->cuts, from->n_cuts * sizeof *to->cuts);
        return HEFT_OK;
    }
    HEFT_ALLOC(ctx, arena, to->code_of, values);
    memcpy(to->code_of, from->code_of, values * sizeof *to->code_of);
    HEFT_ALLOC(ctx, arena, to->value_of, from->n_codes);
    memcpy(to->value_of, from->value_of, (from->n_codes - 1) * sizeof *to->value_of);
    return HEFT_OK;
}

heft_status heft_bins_keep(heft_ctx *ctx, const heft_sample *s, size_t most, heft_arena *arena,
                           heft_bins *bins, heft_tree_codes *column)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t         m = bins->n_attr;
    const heft_bin_attr *from = bins->attr;
    double              *info;
    heft_ranked         *order, *spare;
    bool                *kept;
    HEFT_ALLOCS(ctx, &ctx->scratch, m, info, order, spare, kept);
    if (m > most)
        for (size_t k = 0; k < m; k++)
            HEFT_CHECK(coarse_info(ctx, &from[k], &column[k], s, &info[k]));
    heft_order_falling(info, m, order, spare);
    for (size_t k = 0; k < most && k < m; k++) kept[order[k].row] = true;
    HEFT_ALLOC(ctx, arena, bins->attr, most < m ? most : m);
    bins->n_attr = 0;
    for (size_t k = 0; k < m; k++) {
        if (!kept[k]) continue;
        HEFT_CHECK(copy_attr(ctx, &from[k], s, arena, &bins->attr[bins->n_attr]));
        column[bins->n_attr++] = column[k];
    }
    return HEFT_OK;
}
