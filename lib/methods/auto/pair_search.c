/* pair_search.c - the pairs with the most joint information on the class, and their codes. */
#include "methods/auto/pair_search.h"

#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/num.h"
#include "base/rows.h"
#include "base/sort.h"
#include "stats/info.h"

/* A table over all cells of a pair is kept up to this many cells, or twice as many as rows. */
enum { SMALL_TABLE = 1 << 16 };

static bool small(uint64_t cells, size_t n)
{
    return cells <= SMALL_TABLE || cells / 2 <= n;
}

static uint64_t cell_at(const heft_cells *a, const heft_cells *b, size_t i)
{
    return (uint64_t)heft_code_at(a->at, a->width, i) * b->n_codes +
           heft_code_at(b->at, b->width, i);
}

/* The n cells in order, with the rows they come from. */
static heft_status sorted_cells(heft_ctx *ctx, const heft_cells *a, const heft_cells *b, size_t n,
                                heft_ranked **out)
{
    heft_ranked *spare;
    HEFT_ALLOCS(ctx, &ctx->scratch, n, *out, spare);
    HEFT_ROWS (i, n) (*out)[i] = (heft_ranked){cell_at(a, b, i), i};
    heft_order_sort(*out, spare, n);
    return HEFT_OK;
}

heft_status heft_pair_count(heft_ctx *ctx, const heft_sample *s, const heft_cells *a,
                            const heft_cells *b, double *count)
{
    const size_t K = s->n_class, q = b->n_codes, cells = a->n_codes * q * K;
    uint32_t    *whole;
    if (a->width == 1 && b->width == 1 && !s->weight && s->n < UINT32_MAX) {
        const uint8_t *v = a->at, *w = b->at;
        HEFT_ALLOC(ctx, &ctx->scratch, whole, cells);
        HEFT_ROW_BLOCKS (lo, hi, s->n)
            for (size_t i = lo; i < hi; i++) whole[(v[i] * q + w[i]) * K + s->y[i]]++;
        for (size_t k = 0; k < cells; k++) count[k] = whole[k];
    } else {
        HEFT_ROW_BLOCKS (lo, hi, s->n)
            for (size_t i = lo; i < hi; i++)
                count[cell_at(a, b, i) * K + s->y[i]] += heft_sample_weight(s, i);
    }
    return HEFT_OK;
}

/* ---- choice ---- */

typedef struct choosing {
    const heft_sample       *sample;
    const heft_cells *const *cells;
    bool                     corrected; /* info: in nats, less what chance alone makes of it */
    double                  *info;      /* by attribute; else n times nats */
    double                   by_class;
    heft_pair               *pair;
    double                  *gain;
} choosing;

/* sum_vc n log n - sum_v n log n over lines of class counts. */
static double lines_sum(const double *count, size_t n_lines, size_t K)
{
    double sum = 0;
    for (size_t v = 0; v < n_lines; v++) {
        double n_v = 0;
        for (size_t c = 0; c < K; c++) {
            const double n = count[v * K + c];
            if (n > 0) sum += heft_xlogx(n);
            n_v += n;
        }
        if (n_v > 0) sum -= heft_xlogx(n_v);
    }
    return sum;
}

/* lines_sum over the cells of a pair that occur, however many there could be. */
static heft_status wide_sum(heft_ctx *ctx, const choosing *job, const heft_cells *a,
                            const heft_cells *b, double *out)
{
    const heft_sample *s = job->sample;
    heft_ranked       *row;
    double            *count;
    HEFT_CHECK(sorted_cells(ctx, a, b, s->n, &row));
    HEFT_ALLOC(ctx, &ctx->scratch, count, s->n_class);
    *out = 0;
    HEFT_ROWS (i, s->n) {
        count[s->y[row[i].row]] += heft_sample_weight(s, row[i].row);
        if (i + 1 < s->n && row[i + 1].key == row[i].key) continue;
        *out += lines_sum(count, 1, s->n_class);
        memset(count, 0, s->n_class * sizeof *count);
    }
    return HEFT_OK;
}

static heft_status find_info(heft_ctx *ctx, void *arg, size_t j)
{
    const choosing    *job = arg;
    const heft_sample *s = job->sample;
    const heft_cells  *a = job->cells[j];
    double            *count;
    HEFT_ALLOC(ctx, &ctx->scratch, count, (size_t)a->n_codes * s->n_class);
    heft_cells_count(s, a, count);
    job->info[j] = job->corrected ? heft_information_beyond_chance(count, a->n_codes, s->n_class)
                                  : lines_sum(count, a->n_codes, s->n_class) - job->by_class;
    return HEFT_OK;
}

static heft_status find_gain(heft_ctx *ctx, void *arg, size_t k)
{
    const choosing   *job = arg;
    const heft_pair   p = job->pair[k];
    const heft_cells *a = job->cells[p.i], *b = job->cells[p.j];
    const size_t      K = job->sample->n_class;
    double            sum = 0, *count;
    if (small((uint64_t)a->n_codes * b->n_codes * K, job->sample->n)) {
        const size_t n_cells = (size_t)a->n_codes * b->n_codes;
        HEFT_ALLOC(ctx, &ctx->scratch, count, n_cells * K);
        HEFT_CHECK(heft_pair_count(ctx, job->sample, a, b, count));
        sum = lines_sum(count, n_cells, K);
    } else HEFT_CHECK(wide_sum(ctx, job, a, b, &sum));
    const double best = job->info[p.i] > job->info[p.j] ? job->info[p.i] : job->info[p.j];
    job->gain[k] = sum - job->by_class - best;
    return HEFT_OK;
}

/* sum_c n_c log n_c - n log n */
static heft_status class_sum(heft_ctx *ctx, const heft_sample *s, double *out)
{
    double *count;
    HEFT_ALLOC(ctx, &ctx->scratch, count, s->n_class);
    for (size_t i = 0; i < s->n; i++) count[s->y[i]] += heft_sample_weight(s, i);
    *out = lines_sum(count, 1, s->n_class);
    return HEFT_OK;
}

heft_status heft_attr_info(heft_ctx *ctx, const heft_sample *sample, const heft_cells *const *cells,
                           double *info)
{
    HEFT_SCRATCH_SCOPE(ctx);
    choosing job = {.sample = sample, .cells = cells, .corrected = true, .info = info};
    return heft_run(ctx, sample->rows->n_attr, find_info, &job);
}

heft_status heft_pairs_choose(heft_ctx *ctx, const heft_sample *sample,
                              const heft_cells *const *cells, size_t among, size_t keep,
                              heft_arena *arena, heft_pair_list *out)
{
    HEFT_SCRATCH_SCOPE(ctx);
    choosing     job = {.sample = sample, .cells = cells};
    const size_t m = sample->rows->n_attr, k = m < among ? m : among;
    size_t       n = 0;
    heft_ranked *order, *spare;
    bool        *in;
    *out = (heft_pair_list){0};
    HEFT_ALLOCS(ctx, &ctx->scratch, m, job.info, order, spare, in);
    if (m > among) HEFT_CHECK(heft_attr_info(ctx, sample, cells, job.info));
    heft_order_falling(job.info, m, order, spare);
    for (size_t l = 0; l < k; l++) in[order[l].row] = cells[order[l].row]->n_codes > 1;
    HEFT_ALLOC(ctx, arena, job.pair, k * (k - (k > 0)) / 2);
    for (size_t i = 0; i < m; i++) { /* all pairs of the best attributes, in order of (i, j) */
        if (!in[i]) continue;
        for (size_t j = i + 1; j < m; j++)
            if (in[j]) job.pair[n++] = (heft_pair){(uint32_t)i, (uint32_t)j};
    }
    if (n > keep) {
        bool *kept;
        HEFT_CHECK(class_sum(ctx, sample, &job.by_class));
        HEFT_CHECK(heft_run(ctx, m, find_info, &job));
        HEFT_ALLOCS(ctx, &ctx->scratch, n, job.gain, order, spare, kept);
        HEFT_CHECK(heft_run(ctx, n, find_gain, &job));
        heft_order_falling(job.gain, n, order, spare);
        for (size_t l = 0; l < keep; l++) kept[order[l].row] = true;
        for (size_t l = 0, to = 0; l < n; l++) /* their order stays */
            if (kept[l]) job.pair[to++] = job.pair[l];
        n = keep;
    }
    *out = (heft_pair_list){job.pair, n};
    return HEFT_OK;
}

/* ---- joint codes ---- */

size_t heft_key_find(const uint64_t *key, size_t n, uint64_t cell)
{
    const size_t lo = heft_lower_bound_u64(key, n, cell);
    return lo < n && key[lo] == cell ? lo : n;
}

/* The cells seen in n rows: by a table over all cells, or by sorting them. */
static heft_status find_cells(heft_ctx *ctx, const heft_cells *a, const heft_cells *b, size_t n,
                              heft_join *join)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const uint64_t cells = (uint64_t)a->n_codes * b->n_codes;
    uint32_t       next = 0;
    heft_ranked   *row = NULL;
    if (small(cells, n)) {
        HEFT_NEW(ctx, join->index, (size_t)cells);
        HEFT_ROWS (i, n) join->index[cell_at(a, b, i)] = 1;
        for (size_t k = 0; k < cells; k++) join->n_seen += join->index[k];
        HEFT_NEW(ctx, join->key, join->n_seen);
        for (size_t k = 0; k < cells; k++) {
            if (join->index[k]) join->key[next] = k;
            join->index[k] = join->index[k] ? next++ : join->n_seen;
        }
    } else {
        HEFT_CHECK(sorted_cells(ctx, a, b, n, &row));
        for (size_t i = 0; i < n; i++) join->n_seen += i == 0 || row[i].key != row[i - 1].key;
        HEFT_NEW(ctx, join->key, join->n_seen);
        for (size_t i = 0; i < n; i++)
            if (i == 0 || row[i].key != row[i - 1].key) join->key[next++] = row[i].key;
    }
    return HEFT_OK;
}

/* The cells seen in the rows of any process. */
static heft_status join_keys(heft_ctx *ctx, heft_join *join)
{
    HEFT_SCRATCH_SCOPE(ctx);
    HEFT_LOCAL(heft_gathered) all = {0};
    heft_ranked              *v, *spare;
    if (heft_is_single(ctx)) return HEFT_OK;
    HEFT_CHECK(heft_all_gather(ctx, join->key, join->n_seen * sizeof *join->key, &all));
    const size_t n = all.start[all.n] / sizeof *join->key;
    HEFT_ALLOCS(ctx, &ctx->scratch, n, v, spare);
    for (size_t k = 0; k < n; k++) memcpy(&v[k].key, all.bytes + k * sizeof v->key, sizeof v->key);
    heft_order_sort(v, spare, n);
    heft_free(join->key);
    heft_free(join->index);
    *join = (heft_join){.q = join->q};
    HEFT_NEW(ctx, join->key, n);
    for (size_t k = 0; k < n; k++)
        if (k == 0 || v[k].key != v[k - 1].key) join->key[join->n_seen++] = v[k].key;
    return HEFT_OK;
}

heft_status heft_join_apply(heft_ctx *ctx, const heft_join *join, const heft_cells *a,
                            const heft_cells *b, size_t n, heft_cells *out)
{
    *out = (heft_cells){.n_codes = join->n_seen + 1};
    HEFT_CHECK(heft_cells_alloc(ctx, n, out));
    uint8_t *at = out->at;
    if (join->index && out->width == 1 && a->width == 1 && b->width == 1) {
        const uint8_t *v = a->at, *w = b->at;
        const size_t   q = (size_t)join->q;
        HEFT_ROW_BLOCKS (lo, hi, n)
            for (size_t i = lo; i < hi; i++) at[i] = (uint8_t)join->index[v[i] * q + w[i]];
    } else {
        HEFT_ROWS (i, n) {
            const uint64_t cell = cell_at(a, b, i);
            heft_code_put(at, out->width, i,
                          join->index ? join->index[cell]
                                      : (uint32_t)heft_key_find(join->key, join->n_seen, cell));
        }
    }
    return HEFT_OK;
}

heft_status heft_join_learn(heft_ctx *ctx, const heft_cells *a, const heft_cells *b, size_t n,
                            heft_join *join, heft_cells *out)
{
    *join = (heft_join){.q = b->n_codes};
    *out = (heft_cells){0};
    HEFT_CHECK(find_cells(ctx, a, b, n, join));
    HEFT_CHECK(join_keys(ctx, join));
    return heft_join_apply(ctx, join, a, b, n, out);
}

void heft_join_clear(heft_join *join)
{
    heft_free(join->key);
    heft_free(join->index);
    *join = (heft_join){0};
}
