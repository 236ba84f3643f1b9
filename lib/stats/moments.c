/* moments.c - sums of numbers by class in one pass, and means and spreads from them.
 *
 * Values near the end of the double range would overflow the squares: then the pass is done again
 * on values scaled by a power of two, which is exact. */
#include "stats/moments.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/double_double.h"
#include "base/rows.h"
#include "base/wide.h"

/* During the pass the place of `first` holds, of a sparse column, the weight of cells that are
 * stored but missing. */
enum {
    N = HEFT_SUM_N,
    UNLIKE = HEFT_SUM_UNLIKE,
    LOST = HEFT_SUM_FIRST,
    X = HEFT_SUM_X,
    XX = HEFT_SUM_XX,
    PER_CLASS = HEFT_N_SUMS
};

enum { CHUNK = 256 }; /* rows of a column at a time, on the stack */

typedef struct job {
    const heft_rows *rows;
    const size_t    *at;    /* place of numeric attribute j among the first values */
    const double    *first; /* n_class of each numeric attribute */
    const double    *scale; /* of each numeric attribute */
} job;

/* ---- the pass ---- */

static inline heft_dd pair_at(const double *v)
{
    return (heft_dd){v[0], v[1]};
}

static inline void put_pair(double *v, heft_dd x)
{
    v[0] = x.high;
    v[1] = x.low;
}

/* The low part gathers what the high part loses, without being brought below it every time. */
static inline void gather(double *v, double x, double low)
{
    const heft_dd s = heft_two_sum(v[0], x);
    v[0] = s.high;
    v[1] += s.low + low;
}

static inline void add_weighted(double *own, double w, double x, double a)
{
    const heft_dd d = heft_two_sum(x, -a);
    const heft_dd wd = heft_dd_scale(d, w), q = heft_dd_times(wd, d);
    own[N] += w;
    own[UNLIKE] += d.high != 0;
    gather(own + X, wd.high, wd.low);
    gather(own + XX, q.high, q.low);
}

typedef struct column { /* the numbers of one attribute, from row to row */
    const double *x;
    ptrdiff_t     stride;
} column;

static column column_of(const heft_rows *rows, size_t j)
{
    const heft_matrix *m = rows->matrix;
    if (!m) return (column){rows->attr[j].numbers, 1};
    return (column){m->cells + (ptrdiff_t)j * m->col_stride, m->row_stride};
}

/* Rows of equal weight: what depends on the row alone first, in a loop that vectorises; then the
 * sums, which wait for one another. */
static void sum_chunk(const column *col, size_t lo, const uint16_t *y, size_t n,
                      const double *first, double scale, double *acc)
{
    double        room[CHUNK];
    const double *x = col->x + lo;
    if (col->stride != 1) {
        for (size_t i = 0; i < n; i++) room[i] = col->x[(ptrdiff_t)(lo + i) * col->stride];
        x = room;
    }
    double a[CHUNK], d[CHUNK], d_low[CHUNK], q[CHUNK], q_low[CHUNK];
    for (size_t i = 0; i < n; i++) a[i] = -first[y[i]] * scale;
    for (size_t i = 0; i < n; i++) {
        const heft_dd t = heft_two_sum(x[i] * scale, a[i]), s = heft_two_square(t.high);
        d[i] = t.high;
        d_low[i] = t.low;
        q[i] = s.high;
        q_low[i] = s.low + 2 * t.high * t.low;
    }
    for (size_t i = 0; i < n; i++) {
        double *own = acc + y[i] * PER_CLASS;
        if (isnan(d[i])) continue;
        own[N] += 1;
        own[UNLIKE] += d[i] != 0;
        gather(own + X, d[i], d_low[i]);
        gather(own + XX, q[i], q_low[i]);
    }
}

static void sum_column(const job *g, size_t j, size_t lo, size_t hi, double *acc)
{
    const heft_rows *rows = g->rows;
    const column     col = column_of(rows, j);
    const double    *first = g->first + g->at[j], *w = rows->weight;
    const double     scale = g->scale[g->at[j] / rows->n_class];
    const uint16_t  *y = rows->y;
    for (size_t i = lo; !w && i < hi; i += CHUNK)
        sum_chunk(&col, i, y + i, hi - i < CHUNK ? hi - i : CHUNK, first, scale, acc);
    for (size_t i = lo; w && i < hi; i++) {
        const double x = col.x[(ptrdiff_t)i * col.stride];
        if (!isnan(x)) add_weighted(acc + y[i] * PER_CLASS, w[i], x * scale, first[y[i]] * scale);
    }
}

/* ---- several columns side by side ----
 *
 * A sum waits for the sum before it. So rows are taken class by class, with the sums in registers,
 * and of LANES columns at a time, one in each lane of a vector. Each sum gets its terms in the
 * order of the rows, and has the bits that sum_column gives it. */

enum { LANES = 8, FEW_CLASSES = 16, VERY_FEW = 4 };

typedef double  lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t lane_bits __attribute__((vector_size(LANES * sizeof(double))));

typedef struct lane_sums { /* of one class, by column */
    lanes     a, scale;    /* what is added to a number first: less the first value, scaled */
    lane_bits unlike;      /* not 0 where a number differs from the first value */
    lanes     x, x_low, xx, xx_low;
} lane_sums;

/* Rows order[0..n-1] of `cells`, LANES numbers each. The steps are those of heft_two_sum,
 * heft_two_square and gather. */
HEFT_WIDE static void sum_lanes(const lanes *cells, const uint16_t *order, size_t n, lane_sums *s)
{
    const lanes a = s->a, scale = s->scale;
    lanes       x = s->x, x_low = s->x_low, xx = s->xx, xx_low = s->xx_low;
    lane_bits   unlike = s->unlike;
    for (size_t i = 0; i < n; i++) {
        const lanes u = cells[order[i]] * scale, d = u + a, t = d - u;
        const lanes d_low = (u - (d - t)) + (a - t);
        const lanes q = d * d, m = 134217729 * d, h = m - (m - d), l = d - h;
        const lanes q_low = (((h * h - q) + 2 * h * l) + l * l) + 2 * d * d_low;
        const lanes sum = x + d, v = sum - x, square = xx + q, w = square - xx;
        x_low += ((x - (sum - v)) + (d - v)) + d_low;
        xx_low += ((xx - (square - w)) + (q - w)) + q_low;
        x = sum;
        xx = square;
        unlike |= (lane_bits)d << 1; /* without the sign: 0 is 0 */
    }
    s->x = x, s->x_low = x_low, s->xx = xx, s->xx_low = xx_low, s->unlike = unlike;
}

/* Class c of the columns j[0..n-1] from acc. Lanes beyond them stay 0. */
static void load_lanes(const job *g, const size_t *j, size_t n, size_t c, const double *acc,
                       lane_sums *s)
{
    *s = (lane_sums){0};
    for (size_t k = 0; k < n; k++) {
        const size_t  line = g->at[j[k]] + c;
        const double *own = acc + line * PER_CLASS;
        s->scale[k] = g->scale[g->at[j[k]] / g->rows->n_class];
        s->a[k] = -g->first[line] * s->scale[k];
        s->x[k] = own[X], s->x_low[k] = own[X + 1];
        s->xx[k] = own[XX], s->xx_low[k] = own[XX + 1];
    }
}

/* And lane k back, after `rows` rows. */
static void store_lane(const lane_sums *s, size_t k, size_t rows, double *own)
{
    own[N] += (double)rows;
    own[UNLIKE] += s->unlike[k] != 0;
    own[X] = s->x[k], own[X + 1] = s->x_low[k];
    own[XX] = s->xx[k], own[XX + 1] = s->xx_low[k];
}

/* order[]: the rows y[0..n-1] class by class; class c has order[start[c]..start[c + 1] - 1]. It has
 * space for one more. */
static void order_rows(const uint16_t *y, size_t n, size_t n_class, uint16_t *order, size_t *start)
{
    size_t at[FEW_CLASSES] = {0};
    start[0] = 0;
    for (size_t c = 0; c < n_class && n_class <= VERY_FEW;
         c++) { /* nothing waits, as it does below */
        size_t k = start[c];
        for (size_t i = 0; i < n; i++) {
            order[k] = (uint16_t)i;
            k += y[i] == c;
        }
        start[c + 1] = k;
    }
    if (n_class <= VERY_FEW) return;
    for (size_t i = 0; i < n; i++) at[y[i]]++;
    for (size_t c = 0; c < n_class; c++) {
        start[c + 1] = start[c] + at[c];
        at[c] = start[c];
    }
    for (size_t i = 0; i < n; i++) order[at[y[i]]++] = (uint16_t)i;
}

typedef struct row_chunk { /* rows lo..hi-1, at most CHUNK, and their order by class */
    lanes    cells[CHUNK]; /* of some columns */
    size_t   lo, hi, start[FEW_CLASSES + 1];
    uint16_t order[CHUNK + 1];
} row_chunk;

/* The columns j[0..n-1]; further lanes are summed for nothing. Where a cell is missing the sums
 * become NaN, and those of the column are taken one by one. */
static void sum_side_by_side(const job *g, const size_t *j, size_t n, row_chunk *r, double *acc)
{
    const size_t K = g->rows->n_class;
    lane_sums    s[FEW_CLASSES];
    lane_bits    good = ~(lane_bits){0};
    for (size_t k = 0; k < n; k++) {
        const double *x = g->rows->attr[j[k]].numbers + r->lo;
        for (size_t i = 0; i < r->hi - r->lo; i++) r->cells[i][k] = x[i];
    }
    for (size_t c = 0; c < K; c++) {
        load_lanes(g, j, n, c, acc, &s[c]);
        sum_lanes(r->cells, r->order + r->start[c], r->start[c + 1] - r->start[c], &s[c]);
        good &= (lane_bits)((s[c].x <= 0) | (s[c].x > 0)); /* it is a number */
    }
    for (size_t k = 0; k < n; k++) {
        double *own = acc + g->at[j[k]] * PER_CLASS;
        if (!good[k]) sum_column(g, j[k], r->lo, r->hi, own);
        for (size_t c = 0; good[k] && c < K; c++)
            if (r->start[c + 1] > r->start[c])
                store_lane(&s[c], k, r->start[c + 1] - r->start[c], own + c * PER_CLASS);
    }
}

static void sum_groups(const job *g, size_t lo, size_t hi, double *acc)
{
    const heft_rows *rows = g->rows;
    row_chunk        r;
    memset(r.cells, 0, sizeof r.cells);
    for (r.lo = lo; r.lo < hi; r.lo = r.hi) {
        size_t group[LANES], n = 0;
        r.hi = hi - r.lo < CHUNK ? hi : r.lo + CHUNK;
        order_rows(rows->y + r.lo, r.hi - r.lo, rows->n_class, r.order, r.start);
        for (size_t j = 0; j < rows->n_attr; j++) {
            if (rows->attr[j].coded) continue;
            group[n++] = j;
            if (n == LANES) sum_side_by_side(g, group, n, &r, acc), n = 0;
        }
        if (n) sum_side_by_side(g, group, n, &r, acc);
    }
}

/* ---- any rows ---- */

static void sum_entries(const job *g, size_t lo, size_t hi, double *acc)
{
    const heft_rows   *rows = g->rows;
    const heft_sparse *s = rows->sparse;
    HEFT_RANGE (i, lo, hi) {
        const double w = rows->weight ? rows->weight[i] : 1;
        for (size_t e = s->start[i]; e < s->start[i + 1]; e++) {
            const size_t j = s->col[e], y = rows->y[i];
            if (rows->attr[j].coded) continue;
            double      *own = acc + (g->at[j] + y) * PER_CLASS;
            const double x = s->val[e];
            if (isnan(x)) {
                own[LOST] += w; /* neither observed nor an implicit zero */
                continue;
            }
            const double before = own[UNLIKE]; /* is of `first`, where the sums are of 0 */
            add_weighted(own, w, x * g->scale[g->at[j] / rows->n_class], 0);
            own[UNLIKE] = before + (x != g->first[g->at[j] + y]);
        }
    }
}

static void sum_cells(const void *arg, size_t lo, size_t hi, double *acc)
{
    const job *g = arg;
    if (g->rows->sparse) {
        sum_entries(g, lo, hi, acc);
        return;
    }
    if (!g->rows->matrix && !g->rows->weight && g->rows->n_class <= FEW_CLASSES) {
        sum_groups(g, lo, hi, acc);
        return;
    }
    /* a matrix by a few rows at a time, which stay in the cache for all of its columns */
    const size_t step = g->rows->matrix ? CHUNK : hi - lo;
    for (size_t i = lo; i < hi; i += step)
        for (size_t j = 0; j < g->rows->n_attr; j++)
            if (!g->rows->attr[j].coded)
                sum_column(g, j, i, hi - i < step ? hi : i + step, acc + g->at[j] * PER_CLASS);
}

static void add_slice(const void *arg, const double *slice, size_t width, double *out)
{
    (void)arg;
    for (size_t k = 0; k < width; k += PER_CLASS) {
        const double *from = slice + k;
        double       *to = out + k;
        to[N] += from[N];
        to[UNLIKE] += from[UNLIKE];
        to[LOST] += from[LOST];
        put_pair(to + X, heft_dd_add(pair_at(to + X), pair_at(from + X)));
        put_pair(to + XX, heft_dd_add(pair_at(to + XX), pair_at(from + XX)));
    }
}

/* ---- what is kept of it ---- */

static void first_of_column(const heft_rows *rows, size_t j, double *first)
{
    const column col = column_of(rows, j);
    size_t       left = rows->n_class;
    for (size_t c = 0; c < rows->n_class; c++) first[c] = NAN;
    HEFT_ROWS (i, left ? rows->n_rows : 0) {
        const double x = col.x[(ptrdiff_t)i * col.stride];
        if (isnan(x) || !isnan(first[rows->y[i]])) continue;
        first[rows->y[i]] = x;
        left--;
    }
    for (size_t c = 0; c < rows->n_class; c++)
        if (isnan(first[c])) first[c] = 0;
}

/* Of the stored entries; backwards, so that the first one stays. */
static void first_of_entries(const heft_rows *rows, const size_t *at, double *first)
{
    const heft_sparse *s = rows->sparse;
    HEFT_ROWS (k, rows->n_rows) {
        const size_t i = rows->n_rows - 1 - k;
        for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
            if (!rows->attr[s->col[e]].coded && !isnan(s->val[e]))
                first[at[s->col[e]] + rows->y[i]] = s->val[e];
    }
}

static void finish_sums(const job *g, size_t n_lines, const double *class_sum, double *lines)
{
    for (size_t k = 0; k < n_lines; k++) {
        double      *line = lines + k * PER_CLASS;
        const double lost = line[LOST], stored = line[N];
        line[HEFT_SUM_FIRST] = g->first[k];
        line[UNLIKE] = line[UNLIKE] > 0;
        put_pair(line + X, heft_two_sum(line[X], line[X + 1]));
        put_pair(line + XX, heft_two_sum(line[XX], line[XX + 1]));
        if (!g->rows->sparse) continue;
        /* the zeros that are not stored join in, but not what rounding leaves of the weights */
        const double all = class_sum[k % g->rows->n_class], zeros = all - lost - stored;
        if (zeros > 1e-9 * all) {
            line[N] = all - lost;
            if (stored > 0 && line[HEFT_SUM_FIRST] != 0) line[UNLIKE] = 1;
        }
        if (line[UNLIKE] != 0 || !(line[N] > 0)) line[HEFT_SUM_FIRST] = 0;
    }
}

static void class_sums(const void *arg, size_t lo, size_t hi, double *acc)
{
    const heft_rows *rows = arg;
    for (size_t i = lo; i < hi; i++) acc[rows->y[i]] += rows->weight ? rows->weight[i] : 1;
}

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

/* ---- adding up ---- */

/* sum (x - a), sum (x - a)^2 of n cells become those of x - b, with shift = a - b:
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
    const double  scale = sums->scale[k], by = scale / from_scale; /* 1 as a rule */
    const heft_dd px = pair_at(from + HEFT_SUM_X), pxx = pair_at(from + HEFT_SUM_XX);
    heft_dd       x = {px.high * by, px.low * by};
    heft_dd       xx = {pxx.high * by * by, pxx.low * by * by};
    if (!(from[HEFT_SUM_N] > 0)) return;
    if (!(to[HEFT_SUM_N] > 0)) {
        memcpy(to, from, HEFT_N_SUMS * sizeof *to);
    } else {
        const double a = from[HEFT_SUM_FIRST], b = to[HEFT_SUM_FIRST];
        if (from[HEFT_SUM_UNLIKE] != 0 || a != b) to[HEFT_SUM_UNLIKE] = 1;
        if (!sums->from_zero && a != b)
            shift_sums(heft_two_sum(a * scale, -b * scale), from[HEFT_SUM_N], &x, &xx);
        x = heft_dd_add(pair_at(to + HEFT_SUM_X), x);
        xx = heft_dd_add(pair_at(to + HEFT_SUM_XX), xx);
        to[HEFT_SUM_N] += from[HEFT_SUM_N];
        if (sums->from_zero && to[HEFT_SUM_UNLIKE] != 0) to[HEFT_SUM_FIRST] = 0;
    }
    put_pair(to + HEFT_SUM_X, x);
    put_pair(to + HEFT_SUM_XX, xx);
}

/* The sums over all rows, part by part, as if one process had had them. */
static heft_status merge_sums(heft_ctx *ctx, heft_sums *sums)
{
    heft_status   st = HEFT_OK;
    const size_t  lines = sums->n_numeric * sums->n_class;
    const size_t  line = HEFT_N_SUMS * sizeof(double);
    double        from[HEFT_N_SUMS], scale;
    heft_gathered all = {0}, scales = {0};
    HEFT_TRY(heft_all_gather(ctx, sums->scale, sums->n_numeric * sizeof scale, &scales));
    for (size_t k = 0; k < sums->n_numeric; k++) sums->scale[k] = -sums->scale[k];
    HEFT_TRY(heft_all_max(ctx, sums->scale, sums->n_numeric)); /* the smallest of all parts */
    for (size_t k = 0; k < sums->n_numeric; k++) sums->scale[k] = -sums->scale[k];
    HEFT_TRY(heft_all_gather(ctx, sums->cells, lines * line, &all));
    do {
        memset(sums->cells, 0, lines * line);
        for (size_t r = 0; r < all.n; r++)
            for (size_t k = 0; k < lines; k++) {
                const size_t j = k / sums->n_class;
                memcpy(&scale, scales.bytes + scales.start[r] + j * sizeof scale, sizeof scale);
                memcpy(from, all.bytes + all.start[r] + k * line, line);
                heft_sums_add_line(sums, j, sums->cells + k * HEFT_N_SUMS, from, scale);
            }
    } while (heft_sums_rescale(sums));
done:
    heft_gathered_clear(&all);
    heft_gathered_clear(&scales);
    return st;
}

heft_status heft_sums_of(heft_ctx *ctx, const heft_rows *rows, heft_arena *arena, heft_sums *out)
{
    const size_t K = rows->n_class, m = rows->n_attr, n = rows->n_rows;
    HEFT_SCRATCH_SCOPE_BUT(ctx, arena);
    size_t *at, places = 0;
    double *first, *class_sum;
    HEFT_CHECK(heft_sums_new(ctx, rows->attr, m, K, arena, out));
    out->from_zero = rows->sparse != NULL;
    HEFT_ALLOC(ctx, &ctx->scratch, at, m);
    for (size_t j = 0; j < m; j++) {
        at[j] = places;
        if (out->by_class[j]) places += K;
    }
    HEFT_ALLOC(ctx, &ctx->scratch, first, places);
    HEFT_ALLOC(ctx, &ctx->scratch, class_sum, K);
    if (rows->sparse) {
        HEFT_CHECK(heft_sum_here(ctx, n, K, class_sums, rows, class_sum));
        first_of_entries(rows, at, first);
    }
    for (size_t j = 0; j < m && !rows->sparse; j++)
        if (out->by_class[j]) first_of_column(rows, j, first + at[j]);
    const job g = {rows, at, first, out->scale};
    do {
        HEFT_CHECK(
            heft_sum_rows_by(ctx, n, places * PER_CLASS, sum_cells, add_slice, &g, out->cells));
        finish_sums(&g, places, class_sum, out->cells);
    } while (heft_sums_rescale(out));
    return heft_is_single(ctx) ? HEFT_OK : merge_sums(ctx, out);
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
    m->mean[c] = heft_dd_add((heft_dd){a, 0}, d).high; /* still scaled */
    *scatter = m->unlike[c] == 0 ? 0 : fmax(0, heft_dd_add(xx, least).high);
    m->spread[c] = bounded(sqrt(*scatter), scale);
}

/* The spread over all classes follows from the classes':
 * sum_c [ scatter_c + n_c (mean_c - mean)^2 ]. */
static void moments_of_attr(const heft_sums *sums, size_t j, heft_moments *m)
{
    const size_t  K = sums->n_class;
    const double *lines = sums->by_class[j], scale = sums->scale[heft_sums_place(sums, j)];
    heft_dd       total = {0, 0};
    double        scatter = 0, first = NAN;
    bool          alike = true;
    m->n[K] = 0;
    for (size_t c = 0; c < K; c++) {
        double own;
        moments_of_class(sums, scale, lines + c * HEFT_N_SUMS, c, m, &own);
        scatter += own;
        m->n[K] += m->n[c];
        total = heft_dd_add(total, heft_two_product(m->n[c], m->mean[c]));
        if (m->n[c] <= 0) continue;
        if (isnan(first)) first = m->first[c];
        alike = alike && m->unlike[c] == 0 && m->first[c] == first;
    }
    m->mean[K] = m->n[K] > 0 ? heft_dd_over(total, m->n[K]).high : 0;
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
