/* pair.c - which pairs of attributes are worth a look together, and their joint codes. */
#include "methods/auto/pair_search.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/rows.h"
#include "base/sort.h"

/* A table over all cells of a pair is kept when it has at most so many, or twice as many as rows.
 */
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
    HEFT_ALLOC(ctx, &ctx->scratch, *out, n);
    HEFT_ALLOC(ctx, &ctx->scratch, spare, n);
    HEFT_ROWS (i, n) {
        (*out)[i] = (heft_ranked){cell_at(a, b, i), i};
    }
    heft_order_sort(*out, spare, n);
    return HEFT_OK;
}

/* ---- choice ---- */

typedef struct choosing {
    const heft_sample       *sample;
    const heft_cells *const *cells;
    double                  *info; /* by attribute, n times nats */
    double                   by_class;
    heft_pair               *pair;
    double                  *gain;
} choosing;

typedef struct ranked {
    double value;
    size_t k;
} ranked;

static int by_value(const void *pa, const void *pb)
{
    const ranked *a = pa, *b = pb;
    if (a->value != b->value) return a->value > b->value ? -1 : 1;
    return a->k < b->k ? -1 : 1;
}

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

/* The same over the cells of a pair that occur, however many there could be. */
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
        count[s->y[row[i].row]] += s->weight ? s->weight[row[i].row] : 1;
        if (i + 1 < s->n && row[i + 1].key == row[i].key) continue;
        *out += lines_sum(count, 1, s->n_class);
        memset(count, 0, s->n_class * sizeof *count);
    }
    return HEFT_OK;
}

static heft_status dense_sum(heft_ctx *ctx, const choosing *job, const heft_cells *a,
                             const heft_cells *b, double *out)
{
    const heft_sample *s = job->sample;
    const size_t       K = s->n_class, n_cells = (size_t)a->n_codes * b->n_codes;
    double            *count;
    uint32_t          *whole;

    HEFT_ALLOC(ctx, &ctx->scratch, count, n_cells * K);
    if (!s->weight && a->width == 1 && b->width == 1 && s->n < UINT32_MAX) {
        const uint8_t *v = a->at, *w = b->at;
        const size_t   q = b->n_codes;
        HEFT_ALLOC(ctx, &ctx->scratch, whole, n_cells * K);
        HEFT_ROW_BLOCKS (lo, hi, s->n)
            for (size_t i = lo; i < hi; i++) whole[(v[i] * q + w[i]) * K + s->y[i]]++;
        for (size_t k = 0; k < n_cells * K; k++) count[k] = whole[k];
    } else {
        HEFT_ROWS (i, s->n) count[cell_at(a, b, i) * K + s->y[i]] += s->weight ? s->weight[i] : 1;
    }
    *out = lines_sum(count, n_cells, K);
    return HEFT_OK;
}

static heft_status find_info(heft_ctx *ctx, void *arg, size_t j)
{
    const choosing    *job = arg;
    const heft_sample *s = job->sample;
    const heft_cells  *a = job->cells[j];
    double            *count;

    HEFT_ALLOC(ctx, &ctx->scratch, count, (size_t)a->n_codes * s->n_class);
    for (size_t i = 0; i < s->n; i++)
        count[(size_t)heft_code_at(a->at, a->width, i) * s->n_class + s->y[i]] +=
            s->weight ? s->weight[i] : 1;
    job->info[j] = lines_sum(count, a->n_codes, s->n_class) - job->by_class;
    return HEFT_OK;
}

static heft_status find_gain(heft_ctx *ctx, void *arg, size_t k)
{
    const choosing   *job = arg;
    const heft_pair   p = job->pair[k];
    const heft_cells *a = job->cells[p.i], *b = job->cells[p.j];
    double            sum = 0;

    if (small((uint64_t)a->n_codes * b->n_codes * job->sample->n_class, job->sample->n))
        HEFT_CHECK(dense_sum(ctx, job, a, b, &sum));
    else HEFT_CHECK(wide_sum(ctx, job, a, b, &sum));
    const double best = job->info[p.i] > job->info[p.j] ? job->info[p.i] : job->info[p.j];
    job->gain[k] = sum - job->by_class - best;
    return HEFT_OK;
}

/* sum_c n_c log n_c - n log n */
static heft_status class_sum(heft_ctx *ctx, const heft_sample *s, double *out)
{
    double *count;
    HEFT_ALLOC(ctx, &ctx->scratch, count, s->n_class);
    for (size_t i = 0; i < s->n; i++) count[s->y[i]] += s->weight ? s->weight[i] : 1;
    *out = lines_sum(count, 1, s->n_class);
    return HEFT_OK;
}

static int by_place(const void *pa, const void *pb)
{
    const heft_pair *a = pa, *b = pb;
    if (a->i != b->i) return a->i < b->i ? -1 : 1;
    return a->j < b->j ? -1 : a->j > b->j;
}

/* All pairs of the best attributes, in order of (i, j). */
static heft_status list_candidates(heft_ctx *ctx, choosing *job, size_t among, heft_arena *arena,
                                   size_t *n)
{
    const size_t m = job->sample->rows->n_attr, k = m < among ? m : among;
    ranked      *order;
    bool        *in;

    HEFT_ALLOC(ctx, &ctx->scratch, order, m);
    HEFT_ALLOC(ctx, &ctx->scratch, in, m);
    for (size_t j = 0; j < m; j++) order[j] = (ranked){job->info[j], j};
    if (m) qsort(order, m, sizeof *order, by_value);
    for (size_t l = 0; l < k; l++) in[order[l].k] = job->cells[order[l].k]->n_codes > 1;
    HEFT_ALLOC(ctx, arena, job->pair, k * (k - (k > 0)) / 2);
    for (size_t i = 0; i < m; i++)
        for (size_t j = i + 1; in[i] && j < m; j++)
            if (in[j]) job->pair[(*n)++] = (heft_pair){(uint32_t)i, (uint32_t)j};
    return HEFT_OK;
}

static heft_status keep_best(heft_ctx *ctx, choosing *job, size_t n, size_t keep)
{
    ranked    *order;
    heft_pair *kept;

    HEFT_ALLOC(ctx, &ctx->scratch, job->gain, n);
    HEFT_ALLOC(ctx, &ctx->scratch, order, n);
    HEFT_ALLOC(ctx, &ctx->scratch, kept, keep);
    HEFT_CHECK(heft_run(ctx, n, find_gain, job));
    for (size_t k = 0; k < n; k++) order[k] = (ranked){job->gain[k], k};
    qsort(order, n, sizeof *order, by_value);
    for (size_t k = 0; k < keep; k++) kept[k] = job->pair[order[k].k];
    qsort(kept, keep, sizeof *kept, by_place);
    memcpy(job->pair, kept, keep * sizeof *kept);
    return HEFT_OK;
}

heft_status heft_attr_info(heft_ctx *ctx, const heft_sample *sample, const heft_cells *const *cells,
                           double *info)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    choosing        job = {.sample = sample, .cells = cells, .info = info};

    HEFT_TRY(class_sum(ctx, sample, &job.by_class));
    HEFT_TRY(heft_run(ctx, sample->rows->n_attr, find_info, &job));
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

heft_status heft_pairs_choose(heft_ctx *ctx, const heft_sample *sample,
                              const heft_cells *const *cells, size_t among, size_t keep,
                              heft_arena *arena, heft_pair **pairs, size_t *n_pairs)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    choosing        job = {.sample = sample, .cells = cells};
    size_t          n = 0;

    *n_pairs = 0;
    HEFT_ARENA(ctx, &ctx->scratch, job.info, sample->rows->n_attr);
    HEFT_TRY(class_sum(ctx, sample, &job.by_class));
    if (sample->rows->n_attr > among)
        HEFT_TRY(heft_run(ctx, sample->rows->n_attr, find_info, &job));
    HEFT_TRY(list_candidates(ctx, &job, among, arena, &n));
    if (n > keep) {
        if (sample->rows->n_attr <= among)
            HEFT_TRY(heft_run(ctx, sample->rows->n_attr, find_info, &job));
        HEFT_TRY(keep_best(ctx, &job, n, keep));
        n = keep;
    }
    *pairs = job.pair;
    *n_pairs = n;
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

/* ---- joint codes ---- */

static uint32_t find_key(const heft_join *join, uint64_t cell)
{
    const size_t lo = heft_lower_bound_u64(join->key, join->n_seen, cell);
    return lo < join->n_seen && join->key[lo] == cell ? (uint32_t)lo : join->n_seen;
}

static heft_status learn_small(heft_ctx *ctx, const heft_cells *a, const heft_cells *b, size_t n,
                               heft_join *join)
{
    heft_status  st = HEFT_OK;
    const size_t cells = (size_t)a->n_codes * b->n_codes;

    HEFT_HEAP(ctx, join->index, cells);
    HEFT_ROWS (i, n) join->index[cell_at(a, b, i)] = 1;
    for (size_t k = 0; k < cells; k++) join->n_seen += join->index[k];
    HEFT_HEAP(ctx, join->key, join->n_seen);
    uint32_t next = 0;
    for (size_t k = 0; k < cells; k++) {
        if (join->index[k]) join->key[next] = k;
        join->index[k] = join->index[k] ? next++ : join->n_seen;
    }
done:
    return st;
}

static heft_status learn_large(heft_ctx *ctx, const heft_cells *a, const heft_cells *b, size_t n,
                               heft_join *join)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    heft_ranked    *row;

    HEFT_TRY(sorted_cells(ctx, a, b, n, &row));
    for (size_t i = 0; i < n; i++) join->n_seen += i == 0 || row[i].key != row[i - 1].key;
    HEFT_HEAP(ctx, join->key, join->n_seen);
    for (size_t i = 0, k = 0; i < n; i++)
        if (i == 0 || row[i].key != row[i - 1].key) join->key[k++] = row[i].key;
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

heft_status heft_join_apply(heft_ctx *ctx, const heft_join *join, const heft_cells *a,
                            const heft_cells *b, size_t n, heft_cells *out)
{
    uint8_t *at;

    *out = (heft_cells){.n_codes = join->n_seen + 1};
    out->width = out->n_codes <= 256 ? 1 : out->n_codes <= 65536 ? 2 : 4;
    at = heft_alloc_rows(n, out->width);
    if (!at) HEFT_CHECK(heft_no_memory(ctx, n, out->width));
    out->at = at;
    if (join->index && out->width == 1 && a->width == 1 && b->width == 1) {
        const uint8_t *v = a->at, *w = b->at;
        const size_t   q = (size_t)join->q;
        HEFT_ROW_BLOCKS (lo, hi, n)
            for (size_t i = lo; i < hi; i++) at[i] = (uint8_t)join->index[v[i] * q + w[i]];
    } else {
        HEFT_ROWS (i, n) {
            const uint64_t cell = cell_at(a, b, i);
            heft_code_put(at, out->width, i,
                          join->index ? join->index[cell] : find_key(join, cell));
        }
    }
    return HEFT_OK;
}

heft_status heft_join_learn(heft_ctx *ctx, const heft_cells *a, const heft_cells *b, size_t n,
                            heft_join *join, heft_cells *out)
{
    *join = (heft_join){.q = b->n_codes};
    *out = (heft_cells){0};
    if (small((uint64_t)a->n_codes * b->n_codes, n)) HEFT_CHECK(learn_small(ctx, a, b, n, join));
    else HEFT_CHECK(learn_large(ctx, a, b, n, join));
    HEFT_CHECK(heft_join_apply(ctx, join, a, b, n, out));
    return HEFT_OK;
}

void heft_join_clear(heft_join *join)
{
    heft_free(join->key);
    heft_free(join->index);
    *join = (heft_join){0};
}
