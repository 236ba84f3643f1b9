/* value_pairs.c - pairs of attributes of many values whose joint cells say more than their values.
 *
 * Cost: O(n K) for each pair that is tested, and a sort of the rows for each that is found. */
#include "boost/value_pairs.h"

#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/num.h"
#include "base/rows.h"
#include "base/sort.h"

enum {
    LEAST_BUCKETS = 1024,
    BUCKETS = 1 << 17,    /* sums in a test, of all classes */
    MOST_CELLS = 1 << 18, /* numbers in the effects of a pair */
    WHOLE_BITS = 44       /* bits of the terms of z after the point, relative to the largest G */
};

static const double LEAST_Z = 5;

/* The code of row i of the sample; false: its cell is missing, or not known. */
static bool code_at(const heft_sample *s, size_t j, size_t i, size_t *out)
{
    const heft_attr *a = &s->rows->attr[j];
    *out = heft_code_at(a->codes, a->width, heft_sample_row(s, i));
    return *out < a->n_codes;
}

typedef struct testing {
    const heft_boost_rows *rows;
    const heft_keys       *keys;
    size_t                 n_buckets; /* a power of two */
} testing;

/* Buckets are about as many as the rows of all processes, within bounds. */
static heft_status testing_open(heft_ctx *ctx, testing *job)
{
    const size_t K = job->rows->classes->K, C = K == 2 ? 1 : K;
    int64_t      n = (int64_t)job->rows->n;
    HEFT_CHECK(heft_all_add(ctx, &n, 1));
    job->n_buckets = LEAST_BUCKETS;
    while ((int64_t)job->n_buckets < n && 2 * job->n_buckets * C <= BUCKETS) job->n_buckets *= 2;
    return HEFT_OK;
}

/* z of a pair, or of one attribute where both are the same. */
static heft_status test(heft_ctx *ctx, const testing *job, const uint32_t attr[2], double *z)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const heft_boost_rows *rows = job->rows;
    const size_t           K = rows->classes->K, C = K == 2 ? 1 : K, n = job->n_buckets;
    const double           step = ldexp(rows->unit, -HEFT_SUM_BITS);
    const uint64_t        *key[2] = {job->keys->value[attr[0]], job->keys->value[attr[1]]};
    heft_value_sums       *sums;
    size_t                 v[2];
    int64_t                above = 0, spread = 0;
    double                 most = 1;
    int                    power;
    HEFT_ALLOC(ctx, &ctx->scratch, sums, n * C);
    HEFT_ROWS (i, rows->n) {
        if (!code_at(rows->sample, attr[0], i, &v[0]) || !code_at(rows->sample, attr[1], i, &v[1]))
            continue;
        const uint64_t at = heft_mix(key[0][v[0]] + heft_mix(key[1][v[1]])) & (n - 1);
        heft_value_sums_add(rows, i, C, sums + at * C);
    }
    HEFT_CHECK(heft_all_add(ctx, &sums->first, 2 * n * C));
    for (size_t k = 0; k < n * C; k++) {
        const double G = fabs((double)sums[k].first * step), H = (double)sums[k].second * step;
        most = fmax(most, fmax(G, H));
    }
    frexp(most, &power);
    for (size_t k = 0; k < n * C; k++) { /* whole numbers, because their order must not matter */
        const double G = ldexp((double)sums[k].first * step, -power);
        const double H = ldexp((double)sums[k].second * step, -power);
        above += llrint(ldexp(G * G - ldexp(H, -power), WHOLE_BITS));
        spread += llrint(ldexp(2 * H * H, WHOLE_BITS));
    }
    *z = spread > 0 ? ldexp((double)above, power) / sqrt(ldexp((double)spread, WHOLE_BITS)) : 0;
    return HEFT_OK;
}

/* The cells of the rows of all processes, increasing, each once. n_cells stays 0 where they are
 * too many. */
static heft_status list_cells(heft_ctx *ctx, const heft_boost_rows *rows, heft_arena *arena,
                              heft_value_pair *pair)
{
    HEFT_SCRATCH_SCOPE_BUT(ctx, arena);
    HEFT_LOCAL(heft_gathered) all = {0};
    const heft_sample        *s = rows->sample;
    const uint64_t            q = s->rows->attr[pair->attr[1]].n_codes;
    const size_t              K = rows->classes->K, most = MOST_CELLS / (K == 2 ? 1 : K);
    heft_ranked              *cell, *spare;
    uint64_t                 *key;
    size_t                    n = 0, m = 0, v, w;
    HEFT_ALLOCS(ctx, &ctx->scratch, rows->n, cell, spare, key);
    HEFT_ROWS (i, rows->n)
        if (code_at(s, pair->attr[0], i, &v) && code_at(s, pair->attr[1], i, &w))
            cell[n++].key = (uint64_t)v * q + w;
    heft_order_sort(cell, spare, n);
    for (size_t k = 0; k < n; k++)
        if (k == 0 || cell[k].key != cell[k - 1].key) key[m++] = cell[k].key;
    HEFT_CHECK(heft_all_gather(ctx, key, m * sizeof *key, &all));
    n = all.start[all.n] / sizeof *key;
    HEFT_ALLOCS(ctx, &ctx->scratch, n, cell, spare);
    for (size_t k = 0; k < n; k++) memcpy(&cell[k].key, all.bytes + k * sizeof *key, sizeof *key);
    heft_order_sort(cell, spare, n);
    m = 0;
    for (size_t k = 0; k < n; k++) m += k == 0 || cell[k].key != cell[k - 1].key;
    if (m > most) return HEFT_OK;
    pair->n_cells = m;
    HEFT_ALLOC(ctx, arena, pair->key, m);
    m = 0;
    for (size_t k = 0; k < n; k++)
        if (k == 0 || cell[k].key != cell[k - 1].key) pair->key[m++] = cell[k].key;
    return HEFT_OK;
}

/* The attributes that pairs are sought among: all, or those that say most by themselves. */
static heft_status choose_attrs(heft_ctx *ctx, const testing *job, const uint32_t *attr, size_t n,
                                uint32_t chosen[HEFT_PAIRED_ATTRS])
{
    HEFT_SCRATCH_SCOPE(ctx);
    double      *z;
    heft_ranked *order, *spare;
    bool        *in;
    size_t       m = 0;
    HEFT_ALLOCS(ctx, &ctx->scratch, n, z, order, spare, in);
    if (n > HEFT_PAIRED_ATTRS)
        for (size_t k = 0; k < n; k++)
            HEFT_CHECK(test(ctx, job, (const uint32_t[]){attr[k], attr[k]}, &z[k]));
    heft_order_falling(z, n, order, spare);
    for (size_t k = 0; k < HEFT_PAIRED_ATTRS && k < n; k++) in[order[k].row] = true;
    for (size_t k = 0; k < n; k++)
        if (in[k]) chosen[m++] = attr[k];
    return HEFT_OK;
}

heft_status heft_value_pairs_find(heft_ctx *ctx, const heft_boost_rows *rows, const heft_keys *keys,
                                  const uint32_t *attr, size_t n_attr, heft_arena *arena,
                                  heft_value_pair *pair, size_t *n_pairs)
{
    enum { MOST = HEFT_PAIRED_ATTRS * (HEFT_PAIRED_ATTRS - 1) / 2 };
    const size_t    m = n_attr < HEFT_PAIRED_ATTRS ? n_attr : HEFT_PAIRED_ATTRS;
    heft_value_pair tried[MOST];
    uint32_t        chosen[HEFT_PAIRED_ATTRS];
    double          z[MOST];
    heft_ranked     order[MOST], spare[MOST];
    size_t          n = 0;
    testing         job = {.rows = rows, .keys = keys};
    *n_pairs = 0;
    if (n_attr < 2) return HEFT_OK;
    HEFT_CHECK(testing_open(ctx, &job));
    HEFT_CHECK(choose_attrs(ctx, &job, attr, n_attr, chosen));
    for (size_t i = 0; i < m; i++)
        for (size_t j = i + 1; j < m; j++, n++) {
            tried[n] = (heft_value_pair){.attr = {chosen[i], chosen[j]}};
            HEFT_CHECK(test(ctx, &job, tried[n].attr, &z[n]));
            HEFT_CHECK(heft_check_cancel(ctx));
        }
    heft_order_falling(z, n, order, spare);
    for (size_t k = 0; k < n && *n_pairs < HEFT_MOST_VALUE_PAIRS; k++) {
        heft_value_pair *of = &tried[order[k].row];
        if (!(z[order[k].row] >= LEAST_Z)) break;
        HEFT_CHECK(list_cells(ctx, rows, arena, of));
        if (of->n_cells) pair[(*n_pairs)++] = *of;
    }
    return HEFT_OK;
}

void heft_value_pair_cells(const heft_value_pair *pair, const heft_sample *sample, uint32_t *cell)
{
    const uint64_t q = sample->rows->attr[pair->attr[1]].n_codes;
    HEFT_ROWS (i, sample->n) {
        size_t v, w;
        cell[i] = HEFT_NO_CELL;
        if (!code_at(sample, pair->attr[0], i, &v) || !code_at(sample, pair->attr[1], i, &w))
            continue;
        const size_t at = heft_lower_bound_u64(pair->key, pair->n_cells, (uint64_t)v * q + w);
        if (at < pair->n_cells && pair->key[at] == (uint64_t)v * q + w) cell[i] = (uint32_t)at;
    }
}
