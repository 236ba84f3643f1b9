/* onedep.c - pair counts and one table of numbers for aode, waode and hnb.
 *
 * Rows are scored in tiles: within one, rows of the same value of an attribute follow each other,
 * so that a slice is read from memory once for all of them. Rows with a missing or unheard-of value
 * go by the definition, one by one. */
#include "methods/onedep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/rows.h"
#include "methods/local.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_AVX2 1
#define FAST      __attribute__((target("avx2")))
#endif

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

enum { TILE = 1024 };

static const double STEP = 1e100; /* products are kept above 1/STEP by factors of it */
static const double ROOM = 200;   /* decimal digits a group of factors may lose */
static const double LOG_STEP = 230.25850929940456840; /* log(1e100) */

/* ---- counts ---- */

const double *heft_onedep_value(const heft_onedep *own, size_t j, size_t v)
{
    const size_t line =
        v < own->pairs.n_codes[j] ? own->pairs.offset[j] + v : own->pairs.offset[own->pairs.n_attr];
    return own->value_sum + line * own->pairs.n_class; /* the last line is 0 */
}

const double *heft_onedep_pair(const heft_onedep *own, size_t i, size_t v, size_t j, size_t w)
{
    if (v < own->pairs.n_codes[i] && w < own->pairs.n_codes[j])
        return heft_pair_at(&own->pairs, i, v, j, w);
    return heft_onedep_value(own, i, own->pairs.n_codes[i]);
}

double heft_onedep_prior(const heft_onedep *own, size_t c)
{
    return log((own->class_sum[c] + 1 / (double)own->pairs.n_class) / (own->total + 1));
}

static size_t padded(size_t n_class)
{
    return (n_class + 3) / 4 * 4;
}

/* Sizes; refused when too large. */
static heft_status plan(heft_ctx *ctx, const uint32_t *n_codes, size_t n_attr, size_t n_class,
                        const char *method, heft_arena *arena, heft_onedep *own)
{
    heft_status st = HEFT_OK;
    double      values = 0;

    for (size_t j = 0; j < n_attr; j++) values += n_codes[j];
    const double besides = 8 * values * values * (double)padded(n_class);
    HEFT_TRY(heft_pairs_plan(ctx, n_codes, n_attr, n_class, besides, method, arena, &own->pairs));
    HEFT_ARENA(ctx, arena, own->class_sum, n_class);
    HEFT_ARENA(ctx, arena, own->value_sum, (own->pairs.offset[n_attr] + 1) * n_class);
done:
    return st;
}

heft_status heft_onedep_fit(heft_ctx *ctx, const heft_task *task, heft_fitted *out,
                            heft_onedep **result)
{
    heft_status      st = HEFT_OK;
    const heft_rows *rows = task->rows;
    const size_t     K = rows->n_class;
    heft_onedep     *own;
    heft_counts      counts;
    uint32_t        *n_codes;

    HEFT_TRY(heft_own_estimates(ctx, task));
    HEFT_ARENA(ctx, task->arena, own, 1);
    HEFT_ARENA(ctx, &ctx->scratch, n_codes, rows->n_attr);
    for (size_t j = 0; j < rows->n_attr; j++) n_codes[j] = rows->attr[j].n_codes;
    HEFT_TRY(plan(ctx, n_codes, rows->n_attr, K, task->method->name, task->arena, own));
    HEFT_TRY(heft_count(ctx, rows, &ctx->scratch, &counts));
    own->total = counts.total;
    memcpy(own->class_sum, counts.class_sum, K * sizeof *own->class_sum);
    for (size_t j = 0; j < rows->n_attr; j++)
        memcpy(own->value_sum + own->pairs.offset[j] * K, counts.cell[j],
               n_codes[j] * K * sizeof *own->value_sum);
    HEFT_TRY(heft_pairs_count(ctx, rows, task->arena, &own->pairs));
    out->n_attr = rows->n_attr;
    out->n_class = K;
    out->arena = task->arena;
    out->weights = (heft_weights){.shape = HEFT_W_ONE, .w0 = 1};
    out->training.rows = counts.total;
    HEFT_TRY(heft_log_prior(ctx, &counts, false, &task->smoothing, &task->prior, task->arena,
                            &out->log_prior));
    out->own = *result = own;
done:
    return st;
}

/* ---- to and from a file ---- */

heft_status heft_onedep_save(heft_ctx *ctx, const heft_fitted *fitted, heft_file *file)
{
    heft_status        st = HEFT_OK;
    const heft_onedep *own = fitted->own;
    const heft_pairs  *p = &own->pairs;
    const size_t       K = p->n_class, values[] = {p->offset[p->n_attr], K};
    const size_t       pairs[] = {p->start[p->n_attr], K};

    HEFT_TRY(heft_file_put_vector(ctx, file, "own.class", HEFT_F64, K, own->class_sum));
    HEFT_TRY(heft_file_put(ctx, file, "own.value", HEFT_F64, values, 2, own->value_sum));
    HEFT_TRY(heft_file_put(ctx, file, "own.pair", HEFT_F64, pairs, 2, p->cell));
done:
    return st;
}

/* 0 <= part <= whole, to rounding. */
static bool within(const double *part, const double *whole, size_t n)
{
    bool ok = true;
    for (size_t k = 0; k < n; k++)
        ok = ok && part[k] >= 0 && part[k] <= whole[k] * (1 + 1e-9) + 1e-9;
    return ok;
}

/* No count exceeds one it is part of. */
static bool sound(const heft_onedep *own)
{
    const heft_pairs *p = &own->pairs;
    const size_t      K = p->n_class;
    bool              ok = own->total > 0 && own->total <= 1e15;
    for (size_t c = 0; c < K; c++) ok = ok && own->class_sum[c] >= 0;
    for (size_t v = 0; ok && v < p->offset[p->n_attr]; v++)
        ok = within(own->value_sum + v * K, own->class_sum, K);
    for (size_t i = 0; ok && i < p->n_attr; i++)
        for (size_t j = i + 1; ok && j < p->n_attr; j++)
            for (size_t v = 0; v < p->n_codes[i]; v++)
                for (size_t w = 0; w < p->n_codes[j]; w++) {
                    const double *n = heft_pair_at(p, i, v, j, w);
                    ok = ok && within(n, heft_onedep_value(own, i, v), K) &&
                         within(n, heft_onedep_value(own, j, w), K);
                }
    return ok;
}

heft_status heft_onedep_load(heft_ctx *ctx, const heft_file *file, const heft_prep *prep,
                             heft_fitted *fitted, heft_onedep **result)
{
    heft_status  st = HEFT_OK;
    const size_t K = heft_dict_size(prep->classes), m = prep->n_attr;
    heft_onedep *own;
    uint32_t    *n_codes;
    void        *data;

    HEFT_ARENA(ctx, fitted->arena, own, 1);
    HEFT_ARENA(ctx, &ctx->scratch, n_codes, m);
    HEFT_TRY(heft_declared_values(ctx, file, prep, n_codes));
    HEFT_TRY(plan(ctx, n_codes, m, K, "of the model", fitted->arena, own));
    HEFT_TRY(heft_file_get(ctx, file, "own.class", HEFT_F64, K, false, &ctx->scratch, &data, NULL));
    memcpy(own->class_sum, data, K * sizeof *own->class_sum);
    for (size_t c = 0; c < K; c++) own->total += own->class_sum[c];
    const size_t values = own->pairs.offset[m] * K, pairs = own->pairs.start[m] * K;
    HEFT_TRY(
        heft_file_get(ctx, file, "own.value", HEFT_F64, values, false, &ctx->scratch, &data, NULL));
    memcpy(own->value_sum, data, values * sizeof *own->value_sum);
    HEFT_TRY(
        heft_file_get(ctx, file, "own.pair", HEFT_F64, pairs, false, fitted->arena, &data, NULL));
    own->pairs.cell = data;
    if (!sound(own)) HEFT_TRY(heft_file_damaged(ctx, file, "the counts contradict one another"));
    fitted->own = *result = own;
done:
    return st;
}

/* ---- the table ---- */

static heft_status fill_slice(heft_ctx *ctx, void *arg, size_t i)
{
    const heft_onedep *own = arg;
    const heft_pairs  *p = &own->pairs;
    const size_t       lines = p->offset[p->n_attr];
    (void)ctx;
    for (size_t v = 0; v < p->n_codes[i]; v++) {
        double *slice = own->table + (p->offset[i] + v) * lines * own->pad;
        for (size_t j = 0; j < p->n_attr; j++)
            for (size_t w = 0; w < p->n_codes[j]; w++)
                if (j != i || w == v)
                    own->line(own, i, v, j, w, slice + (p->offset[j] + w) * own->pad);
    }
    return HEFT_OK;
}

static double least_factor(const heft_onedep *own, size_t cells)
{
    double least = 1;
    for (size_t k = 0; k < cells; k++)
        if (own->table[k] > 0 && own->table[k] < least) least = own->table[k];
    return least;
}

heft_status heft_onedep_seal(heft_ctx *ctx, heft_onedep *own, heft_arena *arena)
{
    heft_status       st = HEFT_OK;
    const heft_pairs *p = &own->pairs;
    const size_t      lines = p->offset[p->n_attr];

    own->pad = padded(p->n_class);
    HEFT_ARENA(ctx, arena, own->table, lines * lines * own->pad);
    HEFT_TRY(heft_run(ctx, p->n_attr, fill_slice, own));
    const double digits = -log10(least_factor(own, lines * lines * own->pad));
    own->group = digits * (double)p->n_attr <= ROOM ? p->n_attr
                 : digits >= ROOM                   ? 1
                                                    : (size_t)(ROOM / digits);
done:
    return st;
}

/* ---- one row by the definition ---- */

/* The code of row r for the definition: n_codes for a value never heard of; *missing when absent.
 */
static size_t code_of(const heft_rows *rows, size_t r, size_t j, bool *missing)
{
    const heft_attr *a = &rows->attr[j];
    const uint32_t   v = heft_code_at(a->codes, a->width, r);
    *missing = v == a->n_codes;
    return v < a->n_codes ? v : a->n_codes;
}

/* out = log of the product, or of the sum, of the slice's lines over the attributes that are there.
 */
static void plain_slice(const heft_onedep *own, const heft_rows *rows, size_t r, size_t i, size_t v,
                        double *line, double *out)
{
    const size_t K = own->pairs.n_class;
    for (size_t c = 0; c < K; c++) out[c] = 0;
    for (size_t j = 0; j < own->pairs.n_attr; j++) {
        bool         missing;
        const size_t w = code_of(rows, r, j, &missing);
        if (missing) continue;
        own->line(own, i, v, j, w, line);
        for (size_t c = 0; c < K; c++) out[c] += own->mixture ? line[c] : log(line[c]);
    }
    for (size_t c = 0; own->mixture && c < K; c++) out[c] = log(out[c]);
}

/* Naive Bayes, for a row without a value that has been seen (AODE's own rule). */
static void plain_nb(const heft_onedep *own, const heft_rows *rows, size_t r, double *log_joint)
{
    const size_t K = own->pairs.n_class;
    for (size_t c = 0; c < K; c++)
        log_joint[c] = log((own->class_sum[c] + 1) / (own->total + (double)K));
    for (size_t j = 0; j < own->pairs.n_attr; j++) {
        bool          missing;
        const size_t  v = code_of(rows, r, j, &missing);
        const double *n = heft_onedep_value(own, j, v);
        for (size_t c = 0; !missing && c < K; c++)
            log_joint[c] += log((n[c] + 1) / (own->class_sum[c] + own->pairs.n_codes[j]));
    }
}

/* Attribute i's part of a mixture; a mixture of nothing says nothing. */
static void mixture_part(const heft_onedep *own, const heft_rows *rows, size_t r, size_t i,
                         double *line, double *part)
{
    bool         missing, empty = true;
    const size_t K = own->pairs.n_class, v = code_of(rows, r, i, &missing);
    memset(part, 0, K * sizeof *part);
    if (missing) return;
    plain_slice(own, rows, r, i, v, line, part);
    for (size_t c = 0; c < K; c++) empty = empty && !(part[c] > -INFINITY);
    for (size_t c = 0; empty && c < K; c++) part[c] = 0;
}

heft_status heft_onedep_plain(heft_ctx *ctx, const heft_onedep *own, const heft_rows *rows,
                              size_t i_row, double *log_joint)
{
    heft_status     st = HEFT_OK;
    const size_t    K = own->pairs.n_class;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    double         *line, *part;
    bool            any = false;

    HEFT_ARENA(ctx, &ctx->scratch, line, own->pad);
    HEFT_ARENA(ctx, &ctx->scratch, part, K);
    for (size_t c = 0; c < K; c++)
        log_joint[c] = own->mixture ? heft_onedep_prior(own, c) : -INFINITY;
    for (size_t i = 0; i < own->pairs.n_attr; i++) {
        bool         missing;
        const size_t v = code_of(rows, i_row, i, &missing);
        if (own->mixture) mixture_part(own, rows, i_row, i, line, part);
        else if (missing) continue;
        else plain_slice(own, rows, i_row, i, v, line, part);
        for (size_t c = 0; c < K; c++) {
            const double both[] = {log_joint[c], part[c]};
            log_joint[c] = own->mixture ? log_joint[c] + part[c] : heft_logsumexp(both, 2);
            any = any || log_joint[c] > -INFINITY;
        }
    }
    if (!own->mixture && !any) plain_nb(own, rows, i_row, log_joint);
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

heft_status heft_onedep_parts(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                              size_t i, double *parts)
{
    heft_status        st = HEFT_OK;
    const heft_onedep *own = fitted->own;
    const size_t       K = own->pairs.n_class;
    double            *line;

    HEFT_ARENA(ctx, &ctx->scratch, line, own->pad);
    for (size_t c = 0; c < K; c++) parts[c] = heft_onedep_prior(own, c);
    for (size_t j = 0; j < own->pairs.n_attr; j++)
        mixture_part(own, rows, i, j, line, parts + (1 + j) * K);
done:
    return st;
}

/* ---- tiles of rows ---- */

/* out = product, or sum, over attributes lo..hi-1 of the slice's lines. */
INLINE void gather(const double *slice, const uint32_t *at, size_t lo, size_t hi, size_t pad,
                   bool sum, double *restrict out)
{
    for (size_t c = 0; c < pad; c += 4) {
        const double *column = slice + c;
        double        a = sum ? 0 : 1, b = a, d = a, e = a;
        for (size_t j = lo; j < hi; j++) {
            const double *line = column + at[j];
            if (sum) a += line[0], b += line[1], d += line[2], e += line[3];
            else a *= line[0], b *= line[1], d *= line[2], e *= line[3];
        }
        out[c] = a, out[c + 1] = b, out[c + 2] = d, out[c + 3] = e;
    }
}

typedef void gather_fn(const double *slice, const uint32_t *at, size_t lo, size_t hi, size_t pad,
                       double *restrict out);

static void product_plain(const double *slice, const uint32_t *at, size_t lo, size_t hi, size_t pad,
                          double *restrict out)
{
    gather(slice, at, lo, hi, pad, false, out);
}

static void sum_plain(const double *slice, const uint32_t *at, size_t lo, size_t hi, size_t pad,
                      double *restrict out)
{
    gather(slice, at, lo, hi, pad, true, out);
}

#ifdef HAVE_AVX2
FAST static void product_fast(const double *slice, const uint32_t *at, size_t lo, size_t hi,
                              size_t pad, double *restrict out)
{
    gather(slice, at, lo, hi, pad, false, out);
}

FAST static void sum_fast(const double *slice, const uint32_t *at, size_t lo, size_t hi, size_t pad,
                          double *restrict out)
{
    gather(slice, at, lo, hi, pad, true, out);
}
#endif

static gather_fn *gather_of(bool sum)
{
#ifdef HAVE_AVX2
    if (__builtin_cpu_supports("avx2")) return sum ? sum_fast : product_fast;
#endif
    return sum ? sum_plain : product_plain;
}

typedef struct tile { /* scratch for TILE rows */
    gather_fn *gather;
    size_t     n;
    size_t    *row;                 /* which rows they are */
    uint32_t  *at;                  /* TILE x n_attr: where the row's line is in a slice */
    uint32_t  *order, *next;        /* rows by their value of one attribute */
    double    *sum;                 /* TILE x pad: the sum of products, or the product of sums */
    double    *log_sum;             /* TILE x pad: logarithms of products so far */
    int       *exponent;            /* TILE: the sum is in units of STEP^-exponent */
    double    *prior, *part, *more; /* pad */
} tile;

static heft_status tile_init(heft_ctx *ctx, const heft_onedep *own, tile *t)
{
    heft_status  st = HEFT_OK;
    const size_t m = own->pairs.n_attr;
    uint32_t     most = 0;

    for (size_t j = 0; j < m; j++)
        if (own->pairs.n_codes[j] > most) most = own->pairs.n_codes[j];
    *t = (tile){.gather = gather_of(own->mixture)};
    HEFT_ARENA(ctx, &ctx->scratch, t->row, TILE);
    HEFT_ARENA(ctx, &ctx->scratch, t->at, TILE * m);
    HEFT_ARENA(ctx, &ctx->scratch, t->order, TILE);
    HEFT_ARENA(ctx, &ctx->scratch, t->next, (size_t)most + 1);
    HEFT_ARENA(ctx, &ctx->scratch, t->sum, TILE * own->pad);
    HEFT_ARENA(ctx, &ctx->scratch, t->log_sum, TILE * own->pad);
    HEFT_ARENA(ctx, &ctx->scratch, t->exponent, TILE);
    HEFT_ARENA(ctx, &ctx->scratch, t->prior, own->pad);
    HEFT_ARENA(ctx, &ctx->scratch, t->part, own->pad);
    HEFT_ARENA(ctx, &ctx->scratch, t->more, own->pad);
    for (size_t c = 0; c < own->pairs.n_class; c++) t->prior[c] = heft_onedep_prior(own, c);
done:
    return st;
}

/* The rows of the tile in the order of their values of attribute i. */
static void sort_tile(const heft_onedep *own, tile *t, size_t i)
{
    const size_t m = own->pairs.n_attr, base = own->pairs.offset[i], q = own->pairs.n_codes[i];
    memset(t->next, 0, (q + 1) * sizeof *t->next);
    for (size_t r = 0; r < t->n; r++) t->next[t->at[r * m + i] / own->pad - base + 1]++;
    for (size_t v = 1; v < q; v++) t->next[v] += t->next[v - 1];
    for (size_t r = 0; r < t->n; r++)
        t->order[t->next[t->at[r * m + i] / own->pad - base]++] = (uint32_t)r;
}

static const double *slice_of(const heft_onedep *own, const uint32_t *at, size_t i)
{
    return own->table + at[i] * own->pairs.offset[own->pairs.n_attr];
}

static double largest(const double *v, size_t n)
{
    double most = 0;
    for (size_t k = 0; k < n; k++) most = v[k] > most ? v[k] : most;
    return most;
}

/* part = the slice's product for one row; returns the power of STEP it was multiplied by. */
static int product_of(const heft_onedep *own, tile *t, const double *slice, const uint32_t *at)
{
    const size_t m = own->pairs.n_attr, K = own->pairs.n_class;
    size_t       lo = own->group < m ? own->group : m;
    int          exponent = 0;
    t->gather(slice, at, 0, lo, own->pad, t->part);
    for (; lo < m; lo += own->group) {
        const size_t hi = m - lo < own->group ? m : lo + own->group;
        for (double most = largest(t->part, K); most > 0 && most < 1 / STEP; most *= STEP) {
            for (size_t c = 0; c < K; c++) t->part[c] *= STEP;
            exponent++;
        }
        t->gather(slice, at, lo, hi, own->pad, t->more);
        for (size_t c = 0; c < K; c++) t->part[c] *= t->more[c];
    }
    return exponent;
}

/* sum, in units of STEP^-*unit, += part, in units of STEP^-exponent. A sum of 0 has no unit yet. */
static void add_scaled(const double *part, int exponent, size_t K, double *restrict sum, int *unit)
{
    double scale_part = 1, scale_sum = 1;
    if (exponent == *unit) {
        for (size_t c = 0; c < K; c++) sum[c] += part[c];
        return;
    }
    const double shift = pow(STEP, -fmin(4, abs(exponent - *unit)));
    if (exponent > *unit && largest(sum, K) > 0) scale_part = shift;
    else scale_sum = shift, *unit = exponent;
    for (size_t c = 0; c < K; c++) sum[c] = sum[c] * scale_sum + part[c] * scale_part;
}

/* log_sum = log sum_i prod_j. */
static void sum_of_products(const heft_onedep *own, tile *t)
{
    const size_t m = own->pairs.n_attr, K = own->pairs.n_class, pad = own->pad;
    memset(t->sum, 0, t->n * pad * sizeof *t->sum);
    memset(t->exponent, 0, t->n * sizeof *t->exponent);
    for (size_t i = 0; i < m; i++) {
        sort_tile(own, t, i);
        for (size_t k = 0; k < t->n; k++) {
            const size_t    r = t->order[k];
            const uint32_t *at = t->at + r * m;
            const int       exponent = product_of(own, t, slice_of(own, at, i), at);
            add_scaled(t->part, exponent, K, t->sum + r * pad, &t->exponent[r]);
        }
    }
    for (size_t r = 0; r < t->n; r++)
        for (size_t c = 0; c < K; c++)
            t->log_sum[r * pad + c] = t->sum[r * pad + c] > 0
                                          ? log(t->sum[r * pad + c]) - LOG_STEP * t->exponent[r]
                                          : -INFINITY;
}

/* log_sum = log prior + sum_i log sum_j, with `group` sums multiplied before a logarithm is taken.
 */
static void product_of_sums(const heft_onedep *own, tile *t)
{
    const size_t m = own->pairs.n_attr, K = own->pairs.n_class, pad = own->pad;
    for (size_t r = 0; r < t->n; r++)
        memcpy(t->log_sum + r * pad, t->prior, pad * sizeof *t->prior);
    for (size_t k = 0; k < t->n * pad; k++) t->sum[k] = 1;
    for (size_t i = 0; i < m; i++) {
        sort_tile(own, t, i);
        for (size_t k = 0; k < t->n; k++) {
            const size_t    r = t->order[k];
            const uint32_t *at = t->at + r * m;
            double         *sum = t->sum + r * pad;
            t->gather(slice_of(own, at, i), at, 0, m, pad, t->part);
            for (size_t c = 0; c < K; c++) sum[c] *= t->part[c];
        }
        if ((i + 1) % own->group && i + 1 < m) continue;
        for (size_t r = 0; r < t->n; r++)
            for (size_t c = 0; c < K; c++) {
                t->log_sum[r * pad + c] += log(t->sum[r * pad + c]);
                t->sum[r * pad + c] = 1;
            }
    }
}

/* Lines of row r; false when it has a value without one. */
static bool locate(const heft_onedep *own, const heft_rows *rows, size_t r, uint32_t *at)
{
    bool ok = true;
    for (size_t j = 0; j < own->pairs.n_attr; j++) {
        const heft_attr *a = &rows->attr[j];
        const uint32_t   v = heft_code_at(a->codes, a->width, r);
        at[j] = (uint32_t)((own->pairs.offset[j] + v) * own->pad);
        ok = ok && v < own->pairs.n_codes[j];
    }
    return ok;
}

typedef struct asking {
    const heft_onedep *own;
    const heft_rows   *rows;
    double            *log_joint;
} asking;

static heft_status score_tile(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    heft_status        st = HEFT_OK;
    const asking      *job = arg;
    const heft_onedep *own = job->own;
    const size_t       m = own->pairs.n_attr, K = own->pairs.n_class;
    tile               t;

    HEFT_TRY(tile_init(ctx, own, &t));
    for (size_t r = lo; r < hi; r++) {
        t.row[t.n] = r;
        if (locate(own, job->rows, r, t.at + t.n * m)) t.n++;
        else HEFT_TRY(heft_onedep_plain(ctx, own, job->rows, r, job->log_joint + r * K));
    }
    if (own->mixture) product_of_sums(own, &t);
    else sum_of_products(own, &t);
    for (size_t k = 0; k < t.n; k++) {
        double *out = job->log_joint + t.row[k] * K;
        memcpy(out, t.log_sum + k * own->pad, K * sizeof *out);
        if (!(out[heft_argmax(out, K)] > -INFINITY))
            HEFT_TRY(heft_onedep_plain(ctx, own, job->rows, t.row[k], out));
    }
done:
    return st;
}

heft_status heft_onedep_score(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                              double *log_joint)
{
    asking job = {fitted->own, rows, log_joint};
    return heft_run_blocks(ctx, rows->n_rows, TILE, score_tile, &job);
}
