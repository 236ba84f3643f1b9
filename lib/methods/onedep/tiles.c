/* tiles.c - scoring many rows from pair counts, for aode, waode and hnb.
 *
 * The denominators of aode do not depend on the other attribute's value, so they are multiplied up
 * once for every value of the parent, and a row multiplies counts. Rows are scored in tiles: within
 * one, rows of the same value of an attribute follow each other, so that the counts with this value
 * are read from memory once for all of them. Rows with a missing or unknown value are scored by the
 * definition. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rows.h"
#include "base/wide.h"
#include "methods/onedep/onedep.h"

enum {
    TILE = 1024,      /* least rows that are scored together */
    MOST_TILE = 4096, /* most rows that are scored together */
    SUMS = 65536,     /* numbers that stay in the second cache: the sums of these rows */
    BLOCK = 64,       /* rows whose codes are fetched together */
    VECTOR = HEFT_ONEDEP_VECTOR,
    MOST = 8,    /* vectors whose products are in registers */
    LINE = 8,    /* numbers in a line of the cache */
    CACHE = 8192 /* numbers that stay in the cache: the counts of one value with all others */
};

typedef double vector __attribute__((vector_size(VECTOR * sizeof(double))));
typedef double two __attribute__((vector_size(2 * VECTOR * sizeof(double))));

/* Products that go on are kept above 1/STEP by factors of it. */
static const double STEP = 1e50;
static const double LOG_STEP = 115.12925464970228420; /* log(1e50) */

/* Does what `multiply` does for n vectors of classes; n is a constant where it is called. Their
 * products do not wait for one another. */
HEFT_INLINE void multiply_some(size_t n, const double *cell, const size_t *at, const double *add,
                               size_t lo, size_t hi, double *restrict out)
{
    vector x[4];
    for (size_t v = 0; v < n; v++) x[v] = (vector){1, 1, 1, 1};
    for (size_t k = lo; k < hi; k++)
        for (size_t v = 0; v < n; v++) {
            vector line;
            memcpy(&line, cell + at[k] + v * VECTOR, sizeof line);
            x[v] *= line + add[k];
        }
    for (size_t v = 0; v < n; v++) memcpy(out + v * VECTOR, &x[v], sizeof x[v]);
}

/* out[c] = prod_k (cell[at[k] + c] + add[k]), k = lo..hi-1. May read VECTOR - 1 numbers further. */
HEFT_WIDE_AVX2 static void multiply(const double *cell, const size_t *at, const double *add,
                                    size_t lo, size_t hi, size_t pad, double *restrict out)
{
    for (; pad >= 4 * VECTOR; pad -= 4 * VECTOR, cell += 4 * VECTOR, out += 4 * VECTOR)
        multiply_some(4, cell, at, add, lo, hi, out);
    if (pad == 3 * VECTOR) multiply_some(3, cell, at, add, lo, hi, out);
    else if (pad == 2 * VECTOR) multiply_some(2, cell, at, add, lo, hi, out);
    else if (pad == VECTOR) multiply_some(1, cell, at, add, lo, hi, out);
}

/* Rows of one value of a parent, and its counts with every other value: `lines` of pad numbers,
 * those of the parent itself 1. */
typedef struct siblings {
    size_t          n;     /* rows */
    const uint32_t *order; /* indices of these rows in the tile */
    const uint32_t *line;  /* per row of the tile: offsets of the lines of its n_used values */
    size_t          n_used;
    const double   *lines;
    size_t          pad;
    const double   *scale; /* pad */
    double         *sum;   /* per row of the tile: pad numbers */
} siblings;

/* x *= numbers in memory; numbers there += x scale. */
#define TIMES(x, from)                                                                             \
    do {                                                                                           \
        __typeof__(x) y;                                                                           \
        memcpy(&y, from, sizeof y);                                                                \
        (x) *= y;                                                                                  \
    } while (0)
#define ADD_TO(to, x, scale)                                                                       \
    do {                                                                                           \
        __typeof__(x) z;                                                                           \
        TIMES(x, scale);                                                                           \
        memcpy(&z, to, sizeof z);                                                                  \
        z += (x);                                                                                  \
        memcpy(to, &z, sizeof z);                                                                  \
    } while (0)

/* sum[c] += scale[c] prod_k lines[line[k] + c] of every row, for n vectors of classes from c on; n
 * is a constant where it is called. */
HEFT_INLINE void add_some(size_t n, const siblings *rows, size_t c)
{
    const siblings g = *rows;
    for (size_t r = 0; r < g.n; r++) {
        const uint32_t *line = g.line + g.order[r] * g.n_used;
        double         *sum = g.sum + g.order[r] * g.pad + c;
        vector          x[MOST];
        for (size_t v = 0; v < n; v++) x[v] = (vector){1, 1, 1, 1};
        for (size_t k = 0; k < g.n_used; k++)
            for (size_t v = 0; v < n; v++) TIMES(x[v], g.lines + line[k] + c + v * VECTOR);
        for (size_t v = 0; v < n; v++) ADD_TO(sum + v * VECTOR, x[v], g.scale + c + v * VECTOR);
    }
}

#if defined(__x86_64__) && defined(__GNUC__)
#define FAST __attribute__((target("avx512f")))

/* Does what add_some does, with two vectors in one register, and the last of an odd number alone.
 * It is written out because the compiler does not join vectors, and splits wider ones badly where
 * it has to. */
FAST HEFT_INLINE void add_twos(size_t n, const siblings *rows, size_t c)
{
    const siblings g = *rows;
    const size_t   step = 2 * VECTOR, odd = n / 2 * step;
    for (size_t r = 0; r < g.n; r++) {
        const uint32_t *line = g.line + g.order[r] * g.n_used;
        double         *sum = g.sum + g.order[r] * g.pad + c;
        two             x[MOST / 2];
        vector          last = {1, 1, 1, 1};
        for (size_t v = 0; v < n / 2; v++) x[v] = (two){1, 1, 1, 1, 1, 1, 1, 1};
        for (size_t k = 0; k < g.n_used; k++) {
            for (size_t v = 0; v < n / 2; v++) TIMES(x[v], g.lines + line[k] + c + v * step);
            if (n % 2) TIMES(last, g.lines + line[k] + c + odd);
        }
        for (size_t v = 0; v < n / 2; v++) ADD_TO(sum + v * step, x[v], g.scale + c + v * step);
        if (n % 2) ADD_TO(sum + odd, last, g.scale + c + odd);
    }
}
#else
#define FAST
#define add_twos add_some
#endif

/* Adds the products of all classes by one of the two. */
#define ADD_ALL(add, g)                                                                            \
    size_t c = 0, n = (g)->pad / VECTOR;                                                           \
    for (; n >= MOST; n -= MOST, c += MOST * VECTOR) add(MOST, g, c);                              \
    if (n == 1) add(1, g, c);                                                                      \
    if (n == 2) add(2, g, c);                                                                      \
    if (n == 3) add(3, g, c);                                                                      \
    if (n == 4) add(4, g, c);                                                                      \
    if (n == 5) add(5, g, c);                                                                      \
    if (n == 6) add(6, g, c);                                                                      \
    if (n == 7) add(7, g, c)

HEFT_WIDE_AVX2 static void add_products_plain(const siblings *g)
{
    ADD_ALL(add_some, g);
}

FAST static void add_products_fast(const siblings *g)
{
    ADD_ALL(add_twos, g);
}

static void add_products(const siblings *g)
{
    bool fast = false;
#ifdef __x86_64__
    fast = heft_simd_allowed(HEFT_SIMD_AVX512) && __builtin_cpu_supports("avx512f");
#endif
    (fast ? add_products_fast : add_products_plain)(g);
}

/* n lines of pad numbers, with `add` added. */
HEFT_WIDE_AVX2 static void copy_lines(const double *from, size_t from_step, double add, size_t n,
                                      size_t pad, double *restrict to, size_t to_step)
{
    for (size_t w = 0; w < n; w++)
        for (size_t c = 0; c < pad; c++) to[w * to_step + c] = from[w * from_step + c] + add;
}

typedef struct partners { /* the counts of one attribute, i, with each of the n_used - 1 others */
    size_t *base;         /* offset of the counts */
    size_t *own;          /* the step from one value of i to the next */
    size_t *step;         /* the step from one value of the other to the next */
    size_t *from;         /* base for one value of i */
    size_t  value;        /* the value that `from` is for; SIZE_MAX: none yet */
    size_t *at;           /* the counts of one row */
    size_t *line;         /* the shares of one row */
    double *add;
} partners;

typedef struct copies { /* copies of the counts of one value of a parent; see siblings */
    double   *lines;    /* NULL: copying is never worth it */
    uint32_t *begin;    /* per row, n_used offsets of the lines of its values */
    uint32_t *first;    /* n_used: lines of the values of the attributes before */
} copies;

typedef struct tile { /* scratch memory for the rows of a tile */
    size_t    n;
    size_t   *row;          /* indices of the rows among all rows */
    bool     *unknown;      /* per row, scored or not: whether one of its values has no counts */
    uint32_t *code;         /* per row, n_used codes */
    uint32_t *order, *next; /* rows by their value of one attribute, i */
    partners  with;         /* the counts of attribute i with the others */
    copies    copied;
    double   *share;         /* a mixture: lines of pad, weight over denominator, for one child */
    double   *sum, *log_sum; /* per row, pad numbers; log_sum is for a mixture */
    int      *exponent;      /* per row: the sum is in units of STEP^-exponent */
    double   *part, *more;   /* pad */
} tile;

/* part[c] += sum_k (cell[at[k] + c] + add) share[line[k] + c], over n partners of one row. */
HEFT_WIDE_AVX2 static void mix(const tile *t, const double *cell, double add, size_t n, size_t pad)
{
    const size_t *restrict at = t->with.at, *restrict line = t->with.line;
    const double *restrict share = t->share;
    double *restrict out = t->part;
    for (size_t c = 0; c < pad; c += VECTOR) {
        double x = out[c], y = out[c + 1], z = out[c + 2], w = out[c + 3];
        for (size_t k = 0; k < n; k++) {
            const double *a = cell + at[k] + c, *b = share + line[k] + c;
            x += (a[0] + add) * b[0], y += (a[1] + add) * b[1];
            z += (a[2] + add) * b[2], w += (a[3] + add) * b[3];
        }
        out[c] = x, out[c + 1] = y, out[c + 2] = z, out[c + 3] = w;
    }
}

/* From one of the tile's `lines` to the next: a line begins with one of the cache. */
static size_t line_step(const heft_onedep *own)
{
    return own->pad > VECTOR ? (own->pad + LINE - 1) / LINE * LINE : VECTOR;
}

/* Whether the counts of a value of a parent are copied for `rows` rows that have it: if they stay
 * in the cache, and there are fewer of them than the rows read. */
static bool worth_copying(const heft_onedep *own, size_t rows)
{
    const size_t n = own->pairs.offset[own->pairs.n_attr];
    return own->n_groups == 1 && n * line_step(own) <= CACHE && rows * own->n_used > rows + n;
}

static heft_status tile_init(heft_ctx *ctx, const heft_onedep *own, size_t rows, tile *t)
{
    heft_arena  *arena = &ctx->scratch;
    const size_t m = own->pairs.n_attr, pad = own->pad;
    uint32_t     most = 0;
    *t = (tile){0};
    for (size_t j = 0; j < m; j++)
        if (own->pairs.n_codes[j] > most) most = own->pairs.n_codes[j];
    HEFT_ALLOCS(ctx, arena, rows, t->row, t->unknown, t->order, t->exponent);
    HEFT_ALLOC(ctx, arena, t->code, rows * own->n_used);
    HEFT_ALLOC(ctx, arena, t->next, (size_t)most + 1);
    HEFT_ALLOCS(ctx, arena, m, t->with.base, t->with.own, t->with.step, t->with.from, t->with.at,
                t->with.line, t->with.add);
    if (own->mixture) {
        HEFT_ALLOC(ctx, arena, t->share, own->pairs.offset[m] * pad);
        HEFT_ALLOC(ctx, arena, t->log_sum, rows * pad);
    } else if (worth_copying(own, rows)) {
        HEFT_ALLOC(ctx, arena, t->copied.begin, rows * own->n_used);
        HEFT_ALLOC(ctx, arena, t->copied.first, own->n_used);
        HEFT_ALLOC(ctx, arena, t->copied.lines, own->pairs.offset[m] * line_step(own) + LINE);
        t->copied.lines +=
            (LINE - (uintptr_t)t->copied.lines / sizeof *t->copied.lines % LINE) % LINE;
    }
    HEFT_ALLOC(ctx, arena, t->sum, rows * pad);
    HEFT_ALLOCS(ctx, arena, pad, t->part, t->more);
    return HEFT_OK;
}

/* The rows of the tile in the order of their values of attribute i, and where the counts of i with
 * each other attribute are. */
static void turn_to(const heft_onedep *own, tile *t, size_t i)
{
    const heft_pair_counts *p = &own->pairs;
    const size_t            U = own->n_used, q = p->n_codes[i];
    const uint32_t         *code = t->code + own->place[i];
    memset(t->next, 0, (q + 1) * sizeof *t->next);
    for (size_t r = 0; r < t->n; r++) t->next[code[r * U] + 1]++;
    for (size_t v = 1; v < q; v++) t->next[v] += t->next[v - 1];
    for (size_t r = 0; r < t->n; r++) t->order[t->next[code[r * U]]++] = (uint32_t)r;
    for (size_t j = 0; j < p->n_attr; j++) {
        if (i == j || heft_onedep_passed_over(own, j)) continue;
        const size_t k = heft_onedep_place(own, i, j);
        t->with.base[k] = heft_pair_counts_line(p, i < j ? i : j, i < j ? j : i) * p->n_class;
        t->with.own[k] = (i < j ? 1 : p->n_codes[j]) * p->n_class;
        t->with.step[k] = (i < j ? p->n_codes[i] : 1) * p->n_class;
        t->with.add[k] = own->add[j];
    }
    t->with.value = SIZE_MAX;
    if (!own->mixture) return;
    for (size_t j = 0; j < p->n_attr; j++)
        for (size_t w = 0; w < p->n_codes[j]; w++) {
            const double *n = heft_onedep_value(own, j, w);
            double       *share = t->share + (p->offset[j] + w) * own->pad;
            for (size_t c = 0; c < p->n_class; c++)
                share[c] = own->weight[i * p->n_attr + j] / (n[c] + own->below[j]);
        }
}

/* Sets `at` of one row, whose values are code[n_used]. Rows of one value of i follow each other. */
static void locate(const heft_onedep *own, tile *t, size_t i, const uint32_t *code)
{
    const size_t before = own->place[i], others = own->n_used - 1;
    if (code[before] != t->with.value) {
        t->with.value = code[before];
        for (size_t k = 0; k < others; k++)
            t->with.from[k] = t->with.base[k] + t->with.value * t->with.own[k];
    }
    for (size_t k = 0; k < before; k++) t->with.at[k] = t->with.from[k] + code[k] * t->with.step[k];
    for (size_t k = before; k < others; k++)
        t->with.at[k] = t->with.from[k] + code[k + 1] * t->with.step[k];
}

/* Sets `line` of one row, for a mixture. */
static void locate_shares(const heft_onedep *own, tile *t, size_t i, const uint32_t *code)
{
    for (size_t j = 0; j < own->pairs.n_attr; j++)
        if (j != i && !heft_onedep_passed_over(own, j))
            t->with.line[heft_onedep_place(own, i, j)] =
                (own->pairs.offset[j] + code[own->place[j]]) * own->pad;
}

static double largest(const double *v, size_t n)
{
    double most = 0;
    for (size_t k = 0; k < n; k++) most = v[k] > most ? v[k] : most;
    return most;
}

/* part = the product for one row and parent; returns the power of STEP it was multiplied by. */
static int product_of(const heft_onedep *own, tile *t, const double *scale)
{
    const size_t others = own->n_used - 1, K = own->pairs.n_class, pad = own->pad;
    int          exponent = 0;
    multiply(own->pairs.cell, t->with.at, t->with.add, 0,
             others < HEFT_ONEDEP_GROUP ? others : HEFT_ONEDEP_GROUP, pad, t->part);
    for (size_t c = 0; c < pad; c++) t->part[c] *= scale[c];
    for (size_t lo = HEFT_ONEDEP_GROUP; lo < others; lo += HEFT_ONEDEP_GROUP) {
        scale += pad;
        for (double most = largest(t->part, K); most > 0 && most < 1 / STEP; most *= STEP) {
            for (size_t c = 0; c < K; c++) t->part[c] *= STEP;
            exponent++;
        }
        multiply(own->pairs.cell, t->with.at, t->with.add, lo,
                 others - lo < HEFT_ONEDEP_GROUP ? others : lo + HEFT_ONEDEP_GROUP, pad, t->more);
        for (size_t c = 0; c < K; c++) t->part[c] *= t->more[c] * scale[c];
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
    const double shift = pow(STEP, -fmin(8, abs(exponent - *unit)));
    if (exponent > *unit && largest(sum, K) > 0) scale_part = shift;
    else scale_sum = shift, *unit = exponent;
    for (size_t c = 0; c < K; c++) sum[c] = sum[c] * scale_sum + part[c] * scale_part;
}

/* Copies the counts of value v of attribute i with every other value into the tile's lines. */
static void gather_lines(const heft_onedep *own, tile *t, size_t i, size_t v)
{
    const heft_pair_counts *p = &own->pairs;
    HEFT_KNOWN(t->copied.lines); /* the tile has as many rows at least */
    for (size_t j = 0; j < p->n_attr; j++) {
        const size_t step = line_step(own);
        if (i == j)
            for (size_t c = 0; c < own->pad; c++)
                t->copied.lines[(p->offset[j] + v) * step + c] = 1;
        if (i == j || heft_onedep_passed_over(own, j)) continue;
        const size_t k = heft_onedep_place(own, i, j);
        copy_lines(p->cell + t->with.base[k] + v * t->with.own[k], t->with.step[k], t->with.add[k],
                   p->n_codes[j], own->pad, t->copied.lines + p->offset[j] * step, step);
    }
}

/* sum += the products of parent i for rows order[lo..hi-1] of the tile, which have value v of it.
 */
static void add_one_by_one(const heft_onedep *own, tile *t, size_t i, size_t v, size_t lo,
                           size_t hi)
{
    const double *scale = own->scale + (own->pairs.offset[i] + v) * own->n_groups * own->pad;
    for (size_t k = lo; k < hi; k++) {
        const size_t r = t->order[k];
        locate(own, t, i, t->code + r * own->n_used);
        const int exponent = product_of(own, t, scale);
        add_scaled(t->part, exponent, own->pairs.n_class, t->sum + r * own->pad, &t->exponent[r]);
    }
}

/* Does the same with the tile's copies. */
static void add_together(const heft_onedep *own, tile *t, size_t i, size_t v, size_t lo, size_t hi)
{
    gather_lines(own, t, i, v);
    add_products(&(siblings){.n = hi - lo,
                             .order = t->order + lo,
                             .line = t->copied.begin,
                             .n_used = own->n_used,
                             .lines = t->copied.lines,
                             .pad = own->pad,
                             .scale = own->scale + (own->pairs.offset[i] + v) * own->pad,
                             .sum = t->sum});
}

/* Finds where the lines of the values of every row begin. */
static void find_lines(const heft_onedep *own, tile *t)
{
    const heft_pair_counts *p = &own->pairs;
    const size_t            U = own->n_used;
    const uint32_t          step = (uint32_t)line_step(own);
    for (size_t j = 0; j < p->n_attr; j++)
        if (!heft_onedep_passed_over(own, j))
            t->copied.first[own->place[j]] = (uint32_t)p->offset[j];
    for (size_t r = 0; r < t->n; r++)
        for (size_t k = 0; k < U; k++)
            t->copied.begin[r * U + k] = (t->copied.first[k] + t->code[r * U + k]) * step;
}

/* sum = sum_i prod_j. */
static void sum_of_products(const heft_onedep *own, tile *t)
{
    if (t->copied.lines) find_lines(own, t);
    for (size_t i = 0; i < own->pairs.n_attr; i++) {
        if (heft_onedep_passed_over(own, i)) continue;
        turn_to(own, t, i);
        for (size_t v = 0, lo = 0; v < own->pairs.n_codes[i]; lo = t->next[v++])
            (worth_copying(own, t->next[v] - lo) ? add_together : add_one_by_one)(own, t, i, v, lo,
                                                                                  t->next[v]);
    }
}

/* log_sum = log prior + sum_i log sum_j, with HEFT_ONEDEP_GROUP sums multiplied before a logarithm
 * is taken. */
static void product_of_sums(const heft_onedep *own, tile *t)
{
    const size_t m = own->pairs.n_attr, K = own->pairs.n_class, pad = own->pad;
    for (size_t c = 0; c < K; c++) t->more[c] = heft_onedep_log_prior(own, c);
    for (size_t r = 0; r < t->n; r++) memcpy(t->log_sum + r * pad, t->more, pad * sizeof *t->more);
    for (size_t k = 0; k < t->n * pad; k++) t->sum[k] = 1;
    for (size_t i = 0; i < m; i++) {
        if (heft_onedep_passed_over(own, i)) continue;
        turn_to(own, t, i);
        for (size_t k = 0; k < t->n; k++) {
            const size_t    r = t->order[k];
            const uint32_t *code = t->code + r * own->n_used;
            double         *sum = t->sum + r * pad;
            locate(own, t, i, code);
            locate_shares(own, t, i, code);
            memcpy(t->part, heft_onedep_joint(own, i, t->with.value), K * sizeof *t->part);
            mix(t, own->pairs.cell, own->add[i], own->n_used - 1, pad);
            for (size_t c = 0; c < K; c++)
                sum[c] *= t->part[c] > HEFT_LEAST_SUM ? t->part[c] : HEFT_LEAST_SUM;
        }
        if ((own->place[i] + 1) % HEFT_ONEDEP_GROUP && own->place[i] + 1 < own->n_used) continue;
        for (size_t r = 0; r < t->n; r++)
            for (size_t c = 0; c < K; c++) {
                t->log_sum[r * pad + c] += log(t->sum[r * pad + c]);
                t->sum[r * pad + c] = 1;
            }
    }
}

/* Takes the codes of rows lo..hi - 1. Rows with a value that has no counts are scored at once, and
 * the others become the rows of the tile. */
static void take_rows(const heft_scoring *job, size_t lo, size_t hi, tile *t)
{
    const heft_onedep *own = job->own;
    const size_t       U = own->n_used, n = hi - lo;
    HEFT_BLOCKS_OF (BLOCK, from, to, n)
        for (size_t j = 0; j < own->pairs.n_attr; j++) {
            const heft_attr *a = &job->rows->attr[j];
            if (heft_onedep_passed_over(own, j)) continue;
            uint32_t *code = t->code + own->place[j];
            for (size_t r = from; r < to; r++) {
                code[r * U] = heft_code_at(a->codes, a->width, lo + r);
                t->unknown[r] |= code[r * U] >= own->pairs.n_codes[j];
            }
        }
    for (size_t r = 0; r < n; r++) {
        if (U == 0 || t->unknown[r]) {
            heft_onedep_plain(own, job->rows, lo + r,
                              job->log_joint + (lo + r) * job->rows->n_class);
            continue;
        }
        if (t->n < r) memcpy(t->code + t->n * U, t->code + r * U, U * sizeof *t->code);
        t->row[t->n++] = lo + r;
    }
}

/* The scores of row k of the tile; by the definition where every product is 0. */
static void put_scores(const heft_scoring *job, const tile *t, size_t k)
{
    const heft_onedep *own = job->own;
    const size_t       K = own->pairs.n_class;
    const double      *sum = t->sum + k * own->pad, unit = LOG_STEP * t->exponent[k];
    double            *out = job->log_joint + t->row[k] * K;
    bool               any = false;
    if (own->mixture) memcpy(out, t->log_sum + k * own->pad, K * sizeof *out);
    for (size_t c = 0; c < K; c++) {
        if (!own->mixture) out[c] = sum[c] > 0 ? log(sum[c]) - unit : -INFINITY;
        any = any || out[c] > -INFINITY;
    }
    if (!any) heft_onedep_plain(own, job->rows, t->row[k], out);
}

static heft_status score_tile(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const heft_scoring *job = arg;
    const heft_onedep  *own = job->own;
    tile                t;
    HEFT_CHECK(tile_init(ctx, own, hi - lo, &t));
    take_rows(job, lo, hi, &t);
    if (own->mixture) product_of_sums(own, &t);
    else sum_of_products(own, &t);
    for (size_t k = 0; k < t.n; k++) put_scores(job, &t, k);
    return HEFT_OK;
}

/* The counts of a parent's values are copied once for each tile: it is as large as the threads and
 * the cache permit. For a mixture nothing is copied. */
heft_status heft_onedep_score(heft_ctx *ctx, const heft_fitted *fitted, const heft_rows *rows,
                              double *log_joint)
{
    const heft_onedep *own = fitted->own;
    heft_scoring       job = {own, rows, log_joint};
    size_t             most = SUMS / own->pad, each = rows->n_rows / (size_t)ctx->threads + 1;
    if (most > MOST_TILE) most = MOST_TILE;
    if (each > most) each = most;
    return heft_run_blocks(ctx, rows->n_rows, each > TILE && !own->mixture ? each : TILE,
                           score_tile, &job);
}
