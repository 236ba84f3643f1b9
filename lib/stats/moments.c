/* moments.c - sums of numbers by class in two passes, and means and spreads from them.
 *
 * The first pass finds the least and the greatest value of each attribute and class, over all
 * processes. With `a` the least value and 2^e just above the range, (x - a) 2^-e and its square lie
 * between 0 and 1, and the second pass sums them exactly (base/exact_sum.h): means and spreads do
 * not depend on how the rows were divided or ordered, and no square overflows. A class whose values
 * lie close together far from 0 loses nothing, because each class has its own `a` and e.
 *
 * An addition to a sum must wait for the addition before it. To keep the processor busy, the rows
 * of a class are summed together with the sums in registers, LANES columns at a time, one column
 * per lane of a vector. */
#include "stats/moments.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/exact_sum.h"
#include "base/rows.h"
#include "base/wide.h"

enum { CHUNK = HEFT_EXACT_TERMS, LANES = 4 }; /* rows per chunk, columns per group */

typedef double  lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t lane_bits __attribute__((vector_size(LANES * sizeof(double))));

/* A line belongs to one attribute and one class. The numbers of a line in the first pass: whether a
 * cell was seen, the smallest value, the largest value, and the largest weight of a cell. */
enum { SEEN, LOW, HIGH, HEAVIEST, PER_RANGE };
/* The numbers of a line in the second pass are the digits of four sums: the weight of observed
 * cells, the weight of missing cells that sparse rows store (LOST), x - a, and (x - a)^2. */
enum {
    N,
    LOST = HEFT_DIGITS,
    X = 2 * HEFT_DIGITS,
    XX = 3 * HEFT_DIGITS,
    PER_LINE = 4 * HEFT_DIGITS
};

typedef struct job {
    const heft_rows *rows;
    const size_t    *at;     /* per attribute: index of the line of class 0 */
    const double    *range;  /* per line: PER_RANGE numbers of the first pass */
    const double    *factor; /* per line: 2^-e */
    const double    *unit;   /* per line: power of two; every weight times it is at most 1 */
} job;

static inline heft_dd pair_at(const double *v)
{
    return (heft_dd){v[0], v[1]};
}

static inline void put_pair(double *v, heft_dd x)
{
    v[0] = x.high;
    v[1] = x.low;
}

/* ---- rows by class, columns in groups ---- */

typedef struct group {
    const double *x[LANES]; /* cells of the first row of the chunk; unused lanes repeat lane 0 */
    size_t        line[LANES], n; /* line of class 0 of each column; number of columns */
    ptrdiff_t     stride;         /* distance from a row to the next, in doubles */
    const double *weight;         /* weights of the rows of the chunk; NULL if all are 1 */
} group;

typedef struct row_chunk { /* rows lo..lo + n - 1, ordered by class; the rows of a class are a run
                            */
    size_t   lo, n, n_runs;
    uint16_t row[CHUNK], end[CHUNK]; /* rows relative to lo, in order; end of each run in `row` */
} row_chunk;

/* Function that a pass calls for each run: rows row[0..n - 1], all of class c. */
typedef void run_fn(const job *g, const group *cols, const uint16_t *row, size_t n, size_t c,
                    double *acc);

/* One pass of a radix sort: `to` gets the rows of `from` by the byte of their class at `shift`, of
 * which there are n_bytes different ones. */
static void order_by_byte(const row_chunk *r, const uint16_t *y, int shift, size_t n_bytes,
                          const uint16_t *from, uint16_t *to)
{
    uint16_t at[257] = {0};
    for (size_t i = 0; i < r->n; i++) at[(y[i] >> shift & 255) + 1]++;
    for (size_t b = 1; b < n_bytes; b++) at[b] = (uint16_t)(at[b] + at[b - 1]);
    for (size_t i = 0; i < r->n; i++) {
        const uint16_t row = from ? from[i] : (uint16_t)i;
        to[at[y[row] >> shift & 255]++] = row;
    }
}

static void order_rows(const heft_rows *rows, row_chunk *r)
{
    const uint16_t *y = rows->y + r->lo;
    const size_t    n_class = rows->n_class;
    uint16_t        by_low[CHUNK];
    if (n_class <= 256) {
        order_by_byte(r, y, 0, n_class, NULL, r->row);
    } else {
        order_by_byte(r, y, 0, 256, NULL, by_low);
        order_by_byte(r, y, 8, (n_class - 1) / 256 + 1, by_low, r->row);
    }
    r->n_runs = 0;
    for (size_t i = 1; i <= r->n; i++)
        if (i == r->n || y[r->row[i]] != y[r->row[i - 1]]) r->end[r->n_runs++] = (uint16_t)i;
}

static void add_column(const job *g, size_t j, size_t lo, group *cols)
{
    const heft_matrix *m = g->rows->matrix;
    const double      *x = m ? m->cells + (ptrdiff_t)j * m->col_stride : g->rows->attr[j].numbers;
    cols->stride = m ? m->row_stride : 1;
    cols->line[cols->n] = g->at[j];
    cols->x[cols->n++] = x + (ptrdiff_t)lo * cols->stride;
}

static void each_run(const job *g, const row_chunk *r, group *cols, run_fn *fn, double *acc)
{
    const uint16_t *y = g->rows->y + r->lo;
    for (size_t k = cols->n; k < LANES; k++) cols->x[k] = cols->x[0];
    for (size_t k = 0, from = 0; k < r->n_runs; from = r->end[k++])
        fn(g, cols, r->row + from, r->end[k] - from, y[r->row[from]], acc);
    cols->n = 0;
}

static void each_group(const job *g, size_t lo, size_t hi, run_fn *fn, double *acc)
{
    row_chunk r = {0};
    for (r.lo = lo; r.lo < hi; r.lo += r.n) {
        group cols = {.weight = g->rows->weight ? g->rows->weight + r.lo : NULL};
        r.n = hi - r.lo < CHUNK ? hi - r.lo : CHUNK;
        order_rows(g->rows, &r);
        for (size_t j = 0; j < g->rows->n_attr; j++) {
            if (g->rows->attr[j].coded) continue;
            add_column(g, j, r.lo, &cols);
            if (cols.n == LANES) each_run(g, &r, &cols, fn, acc);
        }
        if (cols.n) each_run(g, &r, &cols, fn, acc);
    }
}

/* ---- first pass: ranges ---- */

static inline void widen(double *range, double low, double high)
{
    if (!(low <= high)) return; /* no cells */
    range[LOW] = range[SEEN] > 0 ? fmin(range[LOW], low) : low;
    range[HIGH] = range[SEEN] > 0 ? fmax(range[HIGH], high) : high;
    range[SEEN] = 1;
}

/* Finds the ranges of n rows of up to LANES columns. Missing cells are NaN and change nothing,
 * because comparisons with NaN are false. */
HEFT_WIDE static void range_of_lanes(const group *cols, const uint16_t *row, size_t n, lanes *low,
                                     lanes *high)
{
    const double *x0 = cols->x[0], *x1 = cols->x[1], *x2 = cols->x[2], *x3 = cols->x[3];
    const double  inf = (double)INFINITY;
    lanes         lo = {inf, inf, inf, inf}, hi = -lo;
    for (size_t i = 0; i < n; i++) {
        const ptrdiff_t o = row[i] * cols->stride;
        const lanes     x = {x0[o], x1[o], x2[o], x3[o]};
        const lane_bits less = (lane_bits)(x < lo), more = (lane_bits)(x > hi);
        lo = (lanes)(((lane_bits)x & less) | ((lane_bits)lo & ~less));
        hi = (lanes)(((lane_bits)x & more) | ((lane_bits)hi & ~more));
    }
    *low = lo;
    *high = hi;
}

static void range_of_run(const job *g, const group *cols, const uint16_t *row, size_t n, size_t c,
                         double *acc)
{
    lanes low, high;
    (void)g;
    range_of_lanes(cols, row, n, &low, &high);
    for (size_t k = 0; k < cols->n; k++) {
        double *range = acc + (cols->line[k] + c) * PER_RANGE;
        widen(range, low[k], high[k]);
        if (!cols->weight) continue;
        for (size_t i = 0; i < n; i++)
            if (!isnan(cols->x[k][row[i] * cols->stride]))
                range[HEAVIEST] = fmax(range[HEAVIEST], cols->weight[row[i]]);
    }
}

static void find_ranges(const void *arg, size_t lo, size_t hi, double *acc)
{
    const job         *g = arg;
    const heft_sparse *s = g->rows->sparse;
    if (!s) {
        each_group(g, lo, hi, range_of_run, acc);
        return;
    }
    HEFT_RANGE (i, lo, hi)
        for (size_t e = s->start[i]; e < s->start[i + 1]; e++) {
            if (g->rows->attr[s->col[e]].coded) continue;
            double *range = acc + (g->at[s->col[e]] + g->rows->y[i]) * PER_RANGE;
            widen(range, s->val[e], s->val[e]);
            if (g->rows->weight) range[HEAVIEST] = fmax(range[HEAVIEST], g->rows->weight[i]);
        }
}

static void join_ranges(const void *arg, const double *slice, size_t width, double *out)
{
    (void)arg;
    for (size_t k = 0; k < width; k += PER_RANGE) {
        if (slice[k + SEEN] > 0) widen(out + k, slice[k + LOW], slice[k + HIGH]);
        out[k + HEAVIEST] = fmax(out[k + HEAVIEST], slice[k + HEAVIEST]);
    }
}

/* Merges the ranges and the largest weights of all processes. */
static heft_status merge_ranges(heft_ctx *ctx, size_t n_lines, double *range)
{
    double *top;
    HEFT_ALLOC(ctx, &ctx->scratch, top, 3 * n_lines);
    for (size_t k = 0; k < n_lines; k++) {
        const double *own = range + k * PER_RANGE;
        top[3 * k] = own[SEEN] > 0 ? -own[LOW] : -(double)INFINITY;
        top[3 * k + 1] = own[SEEN] > 0 ? own[HIGH] : -(double)INFINITY;
        top[3 * k + 2] = own[HEAVIEST];
    }
    HEFT_CHECK(heft_all_max(ctx, top, 3 * n_lines));
    for (size_t k = 0; k < n_lines; k++) {
        widen(range + k * PER_RANGE, -top[3 * k], top[3 * k + 1]);
        range[k * PER_RANGE + HEAVIEST] = top[3 * k + 2];
    }
    return HEFT_OK;
}

/* Smallest e >= -1022 with 2^e >= x, for x > 0; 0 for x = 0. The limit keeps 2^-e from
 * overflowing. */
static int exponent_above(double x)
{
    int          e;
    const double m = frexp(x, &e);
    if (m == 0.5) e--;
    return e < -1022 ? -1022 : e;
}

/* The exponent e of a line. If the range is tiny compared with the values, for example because all
 * are equal, a larger e is used, so that values times 2^-e do not overflow. */
static int exponent_of(const double *range, bool from_zero)
{
    const double top = fmax(fabs(range[LOW]), fabs(range[HIGH]));
    const double half = from_zero ? top / 2 : range[HIGH] / 2 - range[LOW] / 2;
    const int    e = exponent_above(half) + 1, least = exponent_above(top) - 100;
    return e < least ? least : e;
}

/* ---- second pass: sums ---- */

typedef struct lane_sums {
    lanes     factor, less; /* 2^-e and -a 2^-e of each column */
    lanes     x[3], xx[3];  /* digits of the sums of x - a and of (x - a)^2 */
    lane_bits n;            /* number of observed cells; counted only if cells may be missing */
} lane_sums;

/* Sums n rows of up to LANES columns. d + d_low is exactly (x - a) 2^-e, and q + q_low is its
 * square to 106 bits; the steps are those of heft_two_sum and heft_two_square. If `missing` is
 * true, a missing cell adds 0; otherwise it makes the sums NaN. */
HEFT_INLINE void sum_lanes(const group *cols, const uint16_t *row, size_t n, bool missing,
                           lane_sums *s)
{
    const double *x0 = cols->x[0], *x1 = cols->x[1], *x2 = cols->x[2], *x3 = cols->x[3];
    const lanes   factor = s->factor, less = s->less;
    lanes         a1 = {0}, a2 = {0}, a3 = {0}, b1 = {0}, b2 = {0}, b3 = {0};
    lane_bits     seen = {0};
    for (size_t i = 0; i < n; i++) {
        const ptrdiff_t o = row[i] * cols->stride;
        const lanes     x = {x0[o], x1[o], x2[o], x3[o]}, u = x * factor;
        lanes           d = u + less;
        const lanes     t = d - u;
        lanes           d_low = (u - (d - t)) + (less - t);
        if (missing) {
            const lane_bits there = (lane_bits)((d <= 0) | (d > 0)); /* it is a number */
            d = (lanes)((lane_bits)d & there);
            d_low = (lanes)((lane_bits)d_low & there);
            seen -= there;
        }
        const lanes q = d * d, m = 134217729 * d, h = m - (m - d), l = d - h;
        const lanes q_low = (((h * h - q) + 2 * h * l) + l * l) + 2 * d * d_low;
        HEFT_ADD_DIGITS(lanes, a1, a2, a3, d, d_low);
        HEFT_ADD_DIGITS(lanes, b1, b2, b3, q, q_low);
    }
    s->x[0] = a1, s->x[1] = a2, s->x[2] = a3;
    s->xx[0] = b1, s->xx[1] = b2, s->xx[2] = b3;
    s->n = seen;
}

HEFT_WIDE static void sum_complete(const group *cols, const uint16_t *row, size_t n, lane_sums *s)
{
    sum_lanes(cols, row, n, false, s);
}

HEFT_WIDE static void sum_incomplete(const group *cols, const uint16_t *row, size_t n, lane_sums *s)
{
    sum_lanes(cols, row, n, true, s);
}

static inline void add_digits(double *own, const double more[3])
{
    for (size_t k = 0; k < 3; k++) own[k + 1] += more[k];
    heft_exact_carry(own);
}

typedef struct cell_digits { /* up to HEFT_EXACT_TERMS weighted cells of a line */
    double n[3], x[3], xx[3];
} cell_digits;

/* Adds one cell of weight w <= 1; d is (x - a) 2^-e. */
static inline void add_cell(cell_digits *to, double w, heft_dd d)
{
    heft_dd wd = d, q = heft_two_square(d.high);
    q.low += 2 * d.high * d.low;
    if (w != 1) {
        wd = heft_dd_scale(d, w);
        q = heft_dd_scale(q, w);
    }
    HEFT_ADD_DIGITS(double, to->n[0], to->n[1], to->n[2], w, 0.0);
    HEFT_ADD_DIGITS(double, to->x[0], to->x[1], to->x[2], wd.high, wd.low);
    HEFT_ADD_DIGITS(double, to->xx[0], to->xx[1], to->xx[2], q.high, q.low);
}

static inline void add_cells(double *own, const cell_digits *more)
{
    add_digits(own + N, more->n);
    add_digits(own + X, more->x);
    add_digits(own + XX, more->xx);
}

static void sum_weighted(const job *g, const group *cols, const uint16_t *row, size_t n,
                         const lane_sums *s, size_t c, double *acc)
{
    for (size_t k = 0; k < cols->n; k++) {
        const size_t at = cols->line[k] + c;
        cell_digits  sum = {0};
        for (size_t i = 0; i < n; i++) {
            const double  x = cols->x[k][row[i] * cols->stride];
            const heft_dd d = heft_two_sum(x * s->factor[k], s->less[k]);
            if (!isnan(d.high)) add_cell(&sum, cols->weight[row[i]] * g->unit[at], d);
        }
        add_cells(acc + at * PER_LINE, &sum);
    }
}

static void sum_of_run(const job *g, const group *cols, const uint16_t *row, size_t n, size_t c,
                       double *acc)
{
    lane_sums s = {0};
    double   *line[LANES];
    bool      missing = false;
    for (size_t k = 0; k < cols->n; k++) {
        const size_t at = cols->line[k] + c;
        line[k] = acc + at * PER_LINE;
        s.factor[k] = g->factor[at];
        s.less[k] = -g->range[at * PER_RANGE + LOW] * g->factor[at];
    }
    if (cols->weight) {
        sum_weighted(g, cols, row, n, &s, c, acc);
        return;
    }
    sum_complete(cols, row, n, &s);
    for (size_t k = 0; k < LANES; k++) missing = missing || isnan(s.x[0][k]);
    if (missing) sum_incomplete(cols, row, n, &s);
    for (size_t k = 0; k < cols->n; k++) {
        line[k][N] += missing ? (double)s.n[k] : (double)n;
        add_digits(line[k] + X, (const double[]){s.x[0][k], s.x[1][k], s.x[2][k]});
        add_digits(line[k] + XX, (const double[]){s.xx[0][k], s.xx[1][k], s.xx[2][k]});
    }
}

static void sum_cells(const void *arg, size_t lo, size_t hi, double *acc)
{
    const job         *g = arg;
    const heft_rows   *rows = g->rows;
    const heft_sparse *s = rows->sparse;
    if (!s) {
        each_group(g, lo, hi, sum_of_run, acc);
        return;
    }
    HEFT_RANGE (i, lo, hi)
        for (size_t e = s->start[i]; e < s->start[i + 1]; e++) {
            if (rows->attr[s->col[e]].coded) continue;
            const size_t line = g->at[s->col[e]] + rows->y[i];
            const double w = rows->weight ? rows->weight[i] * g->unit[line] : 1;
            const double d = s->val[e] * g->factor[line];
            cell_digits  sum = {0};
            add_cell(&sum, w, (heft_dd){isnan(d) ? 0 : d, 0});
            if (isnan(d)) add_digits(acc + line * PER_LINE + LOST, sum.n); /* no implicit zero */
            else add_cells(acc + line * PER_LINE, &sum);
        }
}

static void join_sums(const void *arg, const double *slice, size_t width, double *out)
{
    (void)arg;
    for (size_t k = 0; k < width; k += HEFT_DIGITS) {
        out[k] += slice[k];
        add_digits(out + k, slice + k + 1);
    }
}

static void class_sums(const void *arg, size_t lo, size_t hi, double *acc)
{
    const heft_rows *rows = arg;
    for (size_t i = lo; i < hi; i++) acc[rows->y[i]] += rows->weight ? rows->weight[i] : 1;
}

/* ---- from the passes to the stored sums ---- */

heft_status heft_sums_new(heft_ctx *ctx, const heft_attr *attr, size_t n_attr, size_t n_class,
                          heft_arena *arena, heft_sums *out)
{
    *out = (heft_sums){.n_attr = n_attr, .n_class = n_class};
    for (size_t j = 0; j < n_attr; j++) out->n_numeric += !attr[j].coded;
    HEFT_ALLOC(ctx, arena, out->by_class, n_attr);
    HEFT_ALLOC(ctx, arena, out->cells, out->n_numeric * n_class * HEFT_N_SUMS);
    HEFT_ALLOC(ctx, arena, out->scale, out->n_numeric);
    for (size_t k = 0; k < out->n_numeric; k++) out->scale[k] = 1;
    for (size_t j = 0, k = 0; j < n_attr; j++)
        if (!attr[j].coded) out->by_class[j] = out->cells + k++ * n_class * HEFT_N_SUMS;
    return HEFT_OK;
}

size_t heft_sums_place(const heft_sums *sums, size_t j)
{
    return (size_t)(sums->by_class[j] - sums->cells) / (sums->n_class * HEFT_N_SUMS);
}

static bool all_finite(const heft_sums *sums, size_t k)
{
    const size_t  n = sums->n_class * HEFT_N_SUMS;
    const double *cells = sums->cells + k * n;
    for (size_t v = 0; v < n; v++)
        if (!isfinite(cells[v])) return false;
    return true;
}

bool heft_sums_finite(const heft_sums *sums)
{
    for (size_t k = 0; k < sums->n_numeric; k++)
        if (!all_finite(sums, k)) return false;
    return true;
}

bool heft_sums_rescale(heft_sums *sums)
{
    bool again = false;
    for (size_t k = 0; k < sums->n_numeric; k++) {
        if (sums->scale[k] != 1 || all_finite(sums, k)) continue;
        sums->scale[k] = HEFT_SUM_SCALE_SMALL;
        again = true;
    }
    return again;
}

typedef struct line_sums { /* one line, with the powers of two that its numbers were divided by */
    heft_dd n, lost, x, xx;
    int     power, weight_power;
} line_sums;

/* Sets n, the smallest value and whether values differ. In sparse rows the zeros that are not
 * stored are added: their weight is the weight of the class minus that of the stored cells, unless
 * the difference is only rounding error. class_sum is NULL for dense rows. */
static void finish_line(const line_sums *own, const double *range, const double *class_sum,
                        double *line)
{
    const double n = ldexp(own->n.high, own->weight_power);
    const double lost = ldexp(own->lost.high, own->weight_power);
    line[HEFT_SUM_N] = n;
    line[HEFT_SUM_UNLIKE] = range[LOW] < range[HIGH];
    line[HEFT_SUM_FIRST] = range[LOW] + 0.0; /* -0 becomes 0, whichever came first */
    if (!isfinite(range[HIGH])) line[HEFT_SUM_FIRST] = range[HIGH]; /* seen by heft_sums_finite */
    if (!class_sum) return;
    if (*class_sum - lost - n > 1e-9 * *class_sum) {
        line[HEFT_SUM_N] = *class_sum - lost;
        if (n > 0 && line[HEFT_SUM_FIRST] != 0) line[HEFT_SUM_UNLIKE] = 1;
    }
    if (line[HEFT_SUM_UNLIKE] != 0 || !(line[HEFT_SUM_N] > 0)) line[HEFT_SUM_FIRST] = 0;
}

/* Stores the sums of a line in the units of its attribute's scale. */
static void put_sums(const line_sums *own, double scale, double *line)
{
    const int p = own->power + (scale == 1 ? 0 : ilogb(scale)), px = p + own->weight_power;
    put_pair(line + HEFT_SUM_X, (heft_dd){ldexp(own->x.high, px), ldexp(own->x.low, px)});
    put_pair(line + HEFT_SUM_XX,
             (heft_dd){ldexp(own->xx.high, p + px), ldexp(own->xx.low, p + px)});
}

/* ---- adding up ---- */

/* Changes the reference point of the sums of n cells from a to b, with shift = a - b:
 *   sum (x - b)   = sum (x - a) + n shift
 *   sum (x - b)^2 = sum (x - a)^2 + 2 shift sum (x - a) + n shift^2 */
static void shift_sums(heft_dd shift, double n, heft_dd *x, heft_dd *xx)
{
    const heft_dd cross = heft_dd_scale(heft_dd_times(shift, *x), 2);
    const heft_dd square = heft_dd_scale(heft_dd_times(shift, shift), n);
    *xx = heft_dd_add(heft_dd_add(*xx, cross), square);
    *x = heft_dd_add(*x, heft_dd_scale(shift, n));
}

void heft_sums_add_line(const heft_sums *sums, size_t k, double *to, const double *from,
                        double from_scale)
{
    const double  scale = sums->scale[k], by = scale / from_scale; /* `by` is usually 1 */
    const heft_dd px = pair_at(from + HEFT_SUM_X), pxx = pair_at(from + HEFT_SUM_XX);
    heft_dd       x = {px.high * by, px.low * by}, to_x = pair_at(to + HEFT_SUM_X);
    heft_dd       xx = {pxx.high * by * by, pxx.low * by * by}, to_xx = pair_at(to + HEFT_SUM_XX);
    if (!(from[HEFT_SUM_N] > 0)) return;
    if (!(to[HEFT_SUM_N] > 0)) {
        memcpy(to, from, HEFT_N_SUMS * sizeof *to);
    } else {
        const double  a = from[HEFT_SUM_FIRST], b = to[HEFT_SUM_FIRST];
        const heft_dd gap = heft_two_sum(fmax(a, b) * scale, -fmin(a, b) * scale);
        if (from[HEFT_SUM_UNLIKE] != 0 || a != b) to[HEFT_SUM_UNLIKE] = 1;
        if (!sums->from_zero && a > b) shift_sums(gap, from[HEFT_SUM_N], &x, &xx);
        if (!sums->from_zero && a < b) {
            shift_sums(gap, to[HEFT_SUM_N], &to_x, &to_xx);
            to[HEFT_SUM_FIRST] = a;
        }
        x = heft_dd_add(to_x, x);
        xx = heft_dd_add(to_xx, xx);
        to[HEFT_SUM_N] += from[HEFT_SUM_N];
        if (sums->from_zero && to[HEFT_SUM_UNLIKE] != 0) to[HEFT_SUM_FIRST] = 0;
    }
    put_pair(to + HEFT_SUM_X, x);
    put_pair(to + HEFT_SUM_XX, xx);
}

/* ---- all rows ---- */

/* First pass: finds the ranges of all lines over all processes, and the powers of two above each
 * range and above the largest weight of each line. */
static heft_status plan_sums(heft_ctx *ctx, job *g, size_t n_lines, double *range, line_sums *lines)
{
    const heft_rows *rows = g->rows;
    double          *factor, *unit;
    HEFT_CHECK(heft_sum_rows_by(ctx, rows->n_rows, n_lines * PER_RANGE, find_ranges, join_ranges, g,
                                range));
    HEFT_CHECK(merge_ranges(ctx, n_lines, range));
    HEFT_ALLOCS(ctx, &ctx->scratch, n_lines, factor, unit);
    for (size_t k = 0; k < n_lines; k++) {
        const double *own = range + k * PER_RANGE;
        lines[k].weight_power = exponent_above(own[HEAVIEST]);
        unit[k] = ldexp(1, -lines[k].weight_power);
        if (!isfinite(own[LOW]) || !isfinite(own[HIGH]))
            continue; /* factor 0: inf * 0 is NaN, missing */
        lines[k].power = exponent_of(own, rows->sparse != NULL);
        factor[k] = ldexp(1, -lines[k].power);
    }
    g->range = range;
    g->factor = factor;
    g->unit = unit;
    return HEFT_OK;
}

/* Second pass: sums the lines over all processes. */
static heft_status sum_lines(heft_ctx *ctx, const job *g, size_t n_lines, line_sums *lines)
{
    const size_t width = n_lines * PER_LINE;
    double      *sums;
    int64_t     *digits;
    HEFT_ALLOCS(ctx, &ctx->scratch, width, sums, digits);
    HEFT_CHECK(heft_sum_rows_by(ctx, g->rows->n_rows, width, sum_cells, join_sums, g, sums));
    for (size_t k = 0; k < width; k += HEFT_DIGITS) heft_exact_digits(sums + k, digits + k);
    HEFT_CHECK(heft_all_add(ctx, digits, width));
    for (size_t k = 0; k < n_lines; k++) {
        const int64_t *own = digits + k * PER_LINE;
        lines[k].n = heft_exact_value(own + N);
        lines[k].lost = heft_exact_value(own + LOST);
        lines[k].x = heft_exact_value(own + X);
        lines[k].xx = heft_exact_value(own + XX);
    }
    return HEFT_OK;
}

heft_status heft_sums_of(heft_ctx *ctx, const heft_rows *rows, heft_arena *arena, heft_sums *out)
{
    const size_t K = rows->n_class;
    HEFT_SCRATCH_SCOPE_BUT(ctx, arena);
    size_t    *at;
    double    *range, *class_sum = NULL;
    line_sums *lines;
    job        g = {.rows = rows};
    HEFT_CHECK(heft_sums_new(ctx, rows->attr, rows->n_attr, K, arena, out));
    out->from_zero = rows->sparse != NULL;
    const size_t n_lines = out->n_numeric * K;
    HEFT_ALLOC(ctx, &ctx->scratch, at, rows->n_attr);
    HEFT_ALLOC(ctx, &ctx->scratch, range, n_lines * PER_RANGE);
    HEFT_ALLOC(ctx, &ctx->scratch, lines, n_lines);
    for (size_t j = 0; j < rows->n_attr; j++)
        if (out->by_class[j]) at[j] = heft_sums_place(out, j) * K;
    g.at = at;
    HEFT_CHECK(plan_sums(ctx, &g, n_lines, range, lines));
    HEFT_CHECK(sum_lines(ctx, &g, n_lines, lines));
    if (rows->sparse) {
        HEFT_ALLOC(ctx, &ctx->scratch, class_sum, K);
        HEFT_CHECK(heft_sum_rows(ctx, rows->n_rows, K, class_sums, rows, class_sum));
    }
    for (size_t k = 0; k < n_lines; k++)
        finish_line(&lines[k], range + k * PER_RANGE, class_sum ? class_sum + k % K : NULL,
                    out->cells + k * HEFT_N_SUMS);
    do {
        for (size_t k = 0; k < n_lines; k++)
            put_sums(&lines[k], out->scale[k / K], out->cells + k * HEFT_N_SUMS);
    } while (heft_sums_rescale(out));
    return HEFT_OK;
}

/* ---- means and spreads ---- */

static double bounded(double spread, double scale)
{
    return fmin(spread, DBL_MAX * scale) / scale;
}

static void moments_of_class(const heft_sums *sums, double scale, const double *line, size_t c,
                             heft_moments *m, double *scatter)
{
    const double n = line[HEFT_SUM_N];
    m->n[c] = n;
    m->unlike[c] = line[HEFT_SUM_UNLIKE];
    m->first[c] = line[HEFT_SUM_FIRST];
    *scatter = 0;
    if (!(n > 0)) return;
    const heft_dd x = pair_at(line + HEFT_SUM_X), xx = pair_at(line + HEFT_SUM_XX);
    const heft_dd d = heft_dd_over(x, n), least = heft_dd_minus(heft_dd_times(x, d));
    const double  a = sums->from_zero ? 0 : line[HEFT_SUM_FIRST] * scale;
    m->mean[c] = heft_dd_add((heft_dd){a, 0}, d).high; /* moments_of_attr divides by the scale */
    *scatter = m->unlike[c] == 0 ? 0 : fmax(0, heft_dd_add(xx, least).high);
    m->spread[c] = bounded(sqrt(*scatter), scale);
}

/* The squared spread over all classes follows from the scatter and mean of each class:
 * sum_c [ scatter_c + n_c (mean_c - mean)^2 ]. */
static void moments_of_attr(const heft_sums *sums, size_t j, heft_moments *m)
{
    const size_t  K = sums->n_class;
    const double *lines = sums->by_class[j], scale = sums->scale[heft_sums_place(sums, j)];
    heft_dd       total = {0, 0};
    double        scatter = 0, first = NAN, top = 0;
    bool          alike = true;
    for (size_t c = 0; c < K; c++) {
        double own;
        moments_of_class(sums, scale, lines + c * HEFT_N_SUMS, c, m, &own);
        scatter += own;
        top = fmax(top, fabs(m->mean[c]));
    }
    const double keep = top > 0x1p800 ? 0x1p-200 : 1; /* keeps n times the mean finite */
    m->n[K] = 0;
    for (size_t c = 0; c < K; c++) {
        m->n[K] += m->n[c];
        total = heft_dd_add(total, heft_two_product(m->n[c], m->mean[c] * keep));
        if (m->n[c] <= 0) continue;
        if (isnan(first)) first = m->first[c];
        alike = alike && m->unlike[c] == 0 && m->first[c] == first;
    }
    m->mean[K] = m->n[K] > 0 ? heft_dd_over(total, m->n[K]).high / keep : 0;
    for (size_t c = 0; c < K; c++) {
        const double d = m->mean[c] - m->mean[K];
        scatter += m->n[c] * d * d;
    }
    for (size_t c = 0; c <= K; c++) m->mean[c] /= scale;
    m->spread[K] = bounded(sqrt(scatter), scale);
    for (size_t c = 0; c <= K; c++) {
        const double n = m->n[c], spread = m->spread[c];
        m->sd[c] = n > 1 ? fmin(spread / sqrt(n - 1), DBL_MAX) : n > 0 ? spread / sqrt(n) : 0;
    }
    m->unlike[K] = alike ? 0 : m->n[K];
    m->first[K] = isnan(first) ? 0 : first;
}

heft_status heft_moments_from(heft_ctx *ctx, const heft_sums *sums, heft_arena *arena,
                              heft_moments **out)
{
    const size_t K = sums->n_class;
    double      *cells;
    HEFT_ALLOC(ctx, arena, *out, sums->n_attr);
    HEFT_ALLOC(ctx, arena, cells, sums->n_numeric * 6 * (K + 1));
    for (size_t j = 0; j < sums->n_attr; j++) {
        if (!sums->by_class[j]) continue;
        heft_moments *m = &(*out)[j];
        double      **part[6] = {&m->n, &m->mean, &m->spread, &m->sd, &m->unlike, &m->first};
        for (size_t k = 0; k < 6; k++, cells += K + 1) *part[k] = cells;
        moments_of_attr(sums, j, m);
    }
    return HEFT_OK;
}

heft_status heft_moments_of(heft_ctx *ctx, const heft_rows *rows, heft_arena *arena,
                            heft_moments **out)
{
    heft_sums sums;
    HEFT_SCRATCH_SCOPE_BUT(ctx, arena);
    HEFT_CHECK(heft_sums_of(ctx, rows, &ctx->scratch, &sums));
    return heft_moments_from(ctx, &sums, arena, out);
}
