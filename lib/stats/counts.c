/* counts.c - weighted counts of (value, class) and of (value, value, class), each in one pass over
 * the rows by heft_sum_rows, which also adds the counts of other threads and processes. */
#include "stats/counts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/all.h"
#include "base/num.h"
#include "base/rows.h"
#include "base/wide.h"

enum {
    CHUNK = 32768,      /* most rows that are counted in 16 bits before the counts are added up */
    MOST_CELLS = 16384, /* most cells of a table of 16-bit counters */
    SIDES = 4,          /* number of tables used in turn, so that a row need not wait for the
                           increment of the row before it */
    STEP = 64           /* number of rows whose cell indices are computed together */
};

/* cell[k] += table[k], or the sum of the four tables' counts if they are `next` cells apart. */
HEFT_WIDE static void add_tables(const uint16_t *table, size_t cells, size_t next,
                                 double *restrict cell)
{
    if (next == 0)
        for (size_t k = 0; k < cells; k++) cell[k] += table[k];
    else
        for (size_t k = 0; k < cells; k++)
            cell[k] +=
                (uint16_t)(table[k] + table[k + next] + table[k + 2 * next] + table[k + 3 * next]);
}

/* cell[code * step + place] += 1 for each of n rows without weights. It counts in 16 bits, because
 * small counters take less of the cache, and adds the counts to `cell` at the end; `n` is at least
 * `cells`, so that this pays. Sums of whole numbers are exact, so the result has the same bits as
 * counting in doubles. */
HEFT_WIDE_AVX2 static void count_whole(const uint8_t *code, const uint16_t *place, size_t step,
                                       size_t n, size_t cells, double *restrict cell)
{
    uint16_t        table[MOST_CELLS], at[STEP];
    const size_t    next = SIDES * cells <= MOST_CELLS ? cells : 0;
    uint16_t *const side[SIDES] = {table, table + next, table + 2 * next, table + 3 * next};
    size_t          r = 0;
    memset(table, 0, (next ? SIDES * cells : cells) * sizeof *table);
    for (; r + STEP <= n; r += STEP) {
        for (size_t k = 0; k < STEP; k++) at[k] = (uint16_t)(code[r + k] * step + place[r + k]);
        for (size_t k = 0; k < STEP; k += SIDES)
            for (size_t t = 0; t < SIDES; t++) side[t][at[k + t]]++;
    }
    for (; r < n; r++) table[code[r] * step + place[r]]++;
    add_tables(table, cells, next, cell);
}

/* Whether count_whole can count these n rows, and saves time. */
static bool whole(const heft_attr *a, const double *weight, size_t cells, size_t n)
{
    return a->width == 1 && !weight && cells <= MOST_CELLS && cells <= n && n <= CHUNK;
}

/* cell[code * step + place] += weight for n rows from row lo on; every weight is 1 if `weight` is
 * NULL. `a` has the codes. */
#define COUNT_CODES(type)                                                                          \
    do {                                                                                           \
        const type *code = (const type *)a->codes + lo;                                            \
        if (weight)                                                                                \
            for (size_t r = 0; r < n; r++) cell[code[r] * step + place[r]] += weight[r];           \
        else                                                                                       \
            for (size_t r = 0; r < n; r++) cell[code[r] * step + place[r]] += 1;                   \
    } while (0)
#define COUNT_BY_WIDTH                                                                             \
    do {                                                                                           \
        if (a->width == 1) COUNT_CODES(uint8_t);                                                   \
        else if (a->width == 2) COUNT_CODES(uint16_t);                                             \
        else COUNT_CODES(uint32_t);                                                                \
    } while (0)

typedef struct class_counting {
    const heft_rows *rows;
    const size_t    *at; /* at[j]: start of the cells of attribute j in the sums, which begin with
                            the n_class class sums */
} class_counting;

static void count_dense(const heft_rows *rows, const size_t *at, size_t lo, size_t hi, double *acc)
{
    const size_t    step = rows->n_class, n = hi - lo;
    const uint16_t *place = rows->y + lo;
    const double   *weight = rows->weight ? rows->weight + lo : NULL;
    for (size_t j = 0; j < rows->n_attr; j++) {
        const heft_attr *a = &rows->attr[j];
        double          *cell = acc + at[j];
        const size_t     cells = ((size_t)a->n_codes + 2) * step;
        if (!a->coded) continue;
        if (whole(a, weight, cells, n))
            count_whole((const uint8_t *)a->codes + lo, place, step, n, cells, cell);
        else COUNT_BY_WIDTH;
    }
}

static void count_sparse(const heft_rows *rows, const size_t *at, size_t lo, size_t hi, double *acc)
{
    const heft_sparse *s = rows->sparse;
    for (size_t i = lo; i < hi; i++) {
        const double w = rows->weight ? rows->weight[i] : 1;
        for (size_t e = s->start[i]; e < s->start[i + 1]; e++) {
            const heft_attr *a = &rows->attr[s->col[e]];
            if (!a->coded) continue;
            const size_t code = isnan(s->val[e]) ? a->n_codes : (size_t)s->val[e];
            acc[at[s->col[e]] + code * rows->n_class + rows->y[i]] += w;
        }
    }
}

static void count_rows(const void *arg, size_t lo, size_t hi, double *acc)
{
    const class_counting *job = arg;
    const heft_rows      *rows = job->rows;
    for (size_t i = lo; i < hi; i++) acc[rows->y[i]] += rows->weight ? rows->weight[i] : 1;
    (rows->sparse ? count_sparse : count_dense)(rows, job->at, lo, hi, acc);
}

heft_status heft_count(heft_ctx *ctx, const heft_rows *rows, heft_arena *arena, heft_counts *out)
{
    const size_t K = rows->n_class;
    size_t      *at, width = K;
    double      *sums;
    *out = (heft_counts){.n_attr = rows->n_attr, .n_class = K};
    HEFT_ALLOCS(ctx, arena, rows->n_attr, at, out->cell);
    for (size_t j = 0; j < rows->n_attr; j++) {
        at[j] = width;
        if (rows->attr[j].coded) width += ((size_t)rows->attr[j].n_codes + 2) * K;
    }
    HEFT_ALLOC(ctx, arena, sums, width);
    HEFT_CHECK(
        heft_sum_rows(ctx, rows->n_rows, width, count_rows, &(class_counting){rows, at}, sums));
    out->class_sum = sums;
    for (size_t c = 0; c < K; c++) out->total += sums[c];
    for (size_t j = 0; j < rows->n_attr; j++) {
        if (!rows->attr[j].coded) continue;
        double *cell = out->cell[j] = sums + at[j];
        if (rows->sparse)
            for (size_t k = 0; k < K; k++) { /* cells that are not stored have code 0 */
                double stored = 0;
                for (size_t v = 1; v < (size_t)rows->attr[j].n_codes + 2; v++)
                    stored += cell[v * K + k];
                cell[k] = fmax(0, sums[k] - stored);
            }
    }
    return HEFT_OK;
}

/* ---- pairs ---- */

heft_status heft_pair_counts_plan(heft_ctx *ctx, const uint32_t *n_codes, size_t n_attr,
                                  size_t n_class, double besides, const char *method,
                                  heft_arena *arena, heft_pair_counts *out)
{
    double values = 0, squares = 0;
    *out = (heft_pair_counts){.n_attr = n_attr, .n_class = n_class};
    for (size_t j = 0; j < n_attr; j++) {
        values += n_codes[j];
        squares += (double)n_codes[j] * n_codes[j];
    }
    const double bytes = 4 * (values * values - squares) * (double)n_class + besides;
    if (bytes > HEFT_PAIR_COUNTS_MOST)
        return heft_fail(
            ctx, HEFT_EUNSUPPORTED,
            "method %s counts pairs of values: %.0f values in %zu attributes and %zu classes would "
            "take %.1f GB (leave out the attributes with the most values, or use fewer intervals)",
            method, values, n_attr, n_class, bytes / 1e9);
    heft_say(ctx, HEFT_DETAIL, "method %s counts pairs of values, which takes %.1f MB", method,
             bytes / 1e6);
    HEFT_ALLOC(ctx, arena, out->n_codes, n_attr);
    HEFT_ALLOCS(ctx, arena, n_attr + 1, out->offset, out->start);
    for (size_t j = 0; j < n_attr; j++) {
        out->n_codes[j] = n_codes[j];
        out->offset[j + 1] = out->offset[j] + n_codes[j];
    }
    for (size_t i = 0; i < n_attr; i++)
        out->start[i + 1] = out->start[i] + n_codes[i] * (out->offset[n_attr] - out->offset[i + 1]);
    return HEFT_OK;
}

heft_status heft_pair_counts_new(heft_ctx *ctx, heft_arena *arena, heft_pair_counts *pairs)
{
    size_t cells;
    if (!heft_product(pairs->start[pairs->n_attr], pairs->n_class, &cells))
        return heft_no_memory(ctx, pairs->start[pairs->n_attr], pairs->n_class);
    pairs->cell = heft_arena_raw(arena, cells + HEFT_PAIR_COUNTS_SLACK, sizeof *pairs->cell);
    if (!pairs->cell) return heft_no_memory(ctx, cells, sizeof *pairs->cell);
    memset(pairs->cell + cells, 0, HEFT_PAIR_COUNTS_SLACK * sizeof *pairs->cell);
    return HEFT_OK;
}

typedef struct pair_counting {
    const heft_rows        *rows;
    const heft_pair_counts *pairs;
    const bool             *complete; /* per attribute: whether it has no missing cell */
} pair_counting;

typedef struct places { /* code * n_class + class of attribute i, for the rows of a chunk */
    uint32_t any[CHUNK];
    uint16_t low[CHUNK]; /* lower 16 bits of `any`, used where all are below MOST_CELLS */
} places;

static void count_pair(const heft_attr *a, const double *weight, const places *at, size_t step,
                       size_t lo, size_t n, double *cell)
{
    const size_t    cells = a->n_codes * step;
    const uint32_t *place = at->any;
    if (whole(a, weight, cells, n))
        count_whole((const uint8_t *)a->codes + lo, at->low, step, n, cells, cell);
    else COUNT_BY_WIDTH;
}

static void count_incomplete(const heft_attr *a, const double *weight, const places *at,
                             size_t step, size_t lo, size_t n, double *cell)
{
    for (size_t r = 0; r < n; r++) {
        const uint32_t w = heft_code_at(a->codes, a->width, lo + r), v = at->any[r];
        if (w < a->n_codes && v < step) cell[w * step + v] += weight ? weight[r] : 1;
    }
}

static void count_pairs(const void *arg, size_t lo, size_t hi, double *acc)
{
    const pair_counting    *job = arg;
    const heft_rows        *rows = job->rows;
    const heft_pair_counts *p = job->pairs;
    const size_t            K = p->n_class;
    places                  at;
    for (size_t n; lo < hi; lo += n) {
        const double *weight = rows->weight ? rows->weight + lo : NULL;
        n = hi - lo < CHUNK ? hi - lo : CHUNK;
        if (heft_pair_counts_512(rows, p, lo, lo + n, acc)) continue;
        for (size_t i = 0; i + 1 < p->n_attr; i++) {
            const heft_attr *a = &rows->attr[i];
            const size_t     step = a->n_codes * K; /* places of missing cells are >= step */
            for (size_t r = 0; r < n; r++)
                at.any[r] =
                    (uint32_t)(heft_code_at(a->codes, a->width, lo + r) * K + rows->y[lo + r]);
            for (size_t r = 0; r < n; r++) at.low[r] = (uint16_t)at.any[r];
            for (size_t j = i + 1; j < p->n_attr; j++)
                (job->complete[i] && job->complete[j] ? count_pair : count_incomplete)(
                    &rows->attr[j], weight, &at, step, lo, n,
                    acc + heft_pair_counts_line(p, i, j) * K);
        }
    }
}

HEFT_WIDE_AVX2 static uint8_t largest_byte(const uint8_t *code, size_t n)
{
    uint8_t most = 0;
    for (size_t i = 0; i < n; i++) most = code[i] > most ? code[i] : most;
    return most;
}

/* Whether no cell of the attribute is missing or unknown. */
static bool is_complete(const heft_attr *a, size_t n)
{
    bool ok = true;
    HEFT_ROW_BLOCKS (lo, hi, ok ? n : 0) {
        uint32_t most = 0;
        if (a->width == 1) most = largest_byte((const uint8_t *)a->codes + lo, hi - lo);
        if (a->width > 1)
            for (size_t i = lo; i < hi; i++) {
                const uint32_t v = heft_code_at(a->codes, a->width, i);
                most = v > most ? v : most;
            }
        ok = most < a->n_codes;
    }
    return ok;
}

heft_status heft_pair_counts_fill(heft_ctx *ctx, const heft_rows *rows, heft_arena *arena,
                                  heft_pair_counts *pairs)
{
    bool *complete;
    HEFT_CHECK(heft_pair_counts_new(ctx, arena, pairs));
    HEFT_ALLOC(ctx, &ctx->scratch, complete, rows->n_attr);
    for (size_t j = 0; j < rows->n_attr; j++)
        complete[j] = is_complete(&rows->attr[j], rows->n_rows);
    return heft_sum_rows(ctx, rows->n_rows, pairs->start[pairs->n_attr] * pairs->n_class,
                         count_pairs, &(pair_counting){rows, pairs, complete}, pairs->cell);
}

bool heft_pair_counts_agree(const heft_pair_counts *p, double *const *value)
{
    const size_t K = p->n_class;
    bool         ok = true;
    for (size_t i = 0; ok && i < p->n_attr; i++)
        for (size_t j = i + 1; ok && j < p->n_attr; j++)
            for (size_t v = 0; v < p->n_codes[i]; v++)
                for (size_t w = 0; w < p->n_codes[j]; w++) {
                    const double *n = heft_pair_counts_at(p, i, v, j, w);
                    ok = ok && heft_is_part(n, value[i] + v * K, K) &&
                         heft_is_part(n, value[j] + w * K, K);
                }
    return ok;
}

/* ---- sizes ---- */

typedef struct allowance { /* how many doubles a table may have */
    double per_cell, most; /* limit per cell of the rows, and limit of the total */
} allowance;

static heft_status check_tables(heft_ctx *ctx, const heft_rows *rows, double numbers,
                                allowance allowed, const char *what)
{
    /* FREE doubles are always allowed, and so are ALWAYS doubles per cell, however many. */
    static const double FREE = 8388608, ALWAYS = 32;
    uint32_t            values = 0;
    char                most[64] = "";
    int64_t             cells = (int64_t)(rows->n_rows * rows->n_attr);
    if (numbers <= FREE) return HEFT_OK; /* all ranks return here, or none */
    if (rows->sparse) cells = (int64_t)(rows->sparse->start[rows->n_rows] + rows->n_attr);
    else if (rows->n_stored) cells = (int64_t)rows->n_stored;
    HEFT_CHECK(heft_all_add(ctx, &cells, 1));
    const double some = fmin(FREE + allowed.per_cell * (double)cells, allowed.most);
    if (numbers <= fmax(some, ALWAYS * (double)cells)) return HEFT_OK;
    for (size_t j = 0; j < rows->n_attr; j++)
        if (rows->attr[j].coded && rows->attr[j].n_codes > values) values = rows->attr[j].n_codes;
    if (values) snprintf(most, sizeof most, ", with up to %u values", values);
    return heft_fail(
        ctx, HEFT_EUNSUPPORTED,
        "%s would take %.0f MB for a table of %.0f cells (classes: %zu; attributes: %zu%s). "
        "{advice leave-out-columns}, or {advice choose-target}",
        what, numbers * 8 / 1e6, (double)cells, rows->n_class, rows->n_attr, most);
}

heft_status heft_check_tables(heft_ctx *ctx, const heft_rows *rows, double numbers,
                              const char *what)
{
    return check_tables(ctx, rows, numbers, (allowance){128, 33554432}, what);
}

heft_status heft_check_count_tables(heft_ctx *ctx, const heft_rows *rows, bool moments)
{
    const double of_numbers = moments ? 6 : 0; /* doubles per numeric attribute and class */
    double       lines = 0;
    size_t       n_coded = 0;
    for (size_t j = 0; j < rows->n_attr; j++) {
        lines += rows->attr[j].coded ? rows->attr[j].n_codes : of_numbers;
        n_coded += rows->attr[j].coded;
    }
    return heft_check_tables(ctx, rows, lines * (double)rows->n_class,
                             n_coded == rows->n_attr ? "counts by value and class"
                             : n_coded               ? "counts and sums by class"
                                                     : "sums by class");
}

heft_status heft_check_pair_tables(heft_ctx *ctx, const heft_rows *rows)
{
    double sum = 0, squares = 0;
    for (size_t j = 0; j < rows->n_attr; j++) {
        sum += rows->attr[j].n_codes;
        squares += (double)rows->attr[j].n_codes * rows->attr[j].n_codes;
    }
    return check_tables(ctx, rows, (sum * sum - squares) / 2 * (double)rows->n_class,
                        (allowance){512, 134217728}, "counts by pair of values");
}
