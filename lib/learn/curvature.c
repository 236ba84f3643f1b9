/* curvature.c - second derivatives from a sample of the rows.
 *
 * The line of a row has the log-likelihoods l of its cells; those of a joined code lie together in
 * a table. v = sqrt(s) l is rounded to a multiple of a unit, a power of two for each column, and so
 * is the weight w of the row (whole weights do not change). Then every w v_j v_k is a multiple of
 * the product of the units, and the sums stay below 2^53 such products: they are exact.
 *
 * Why second derivatives at all: a quasi-Newton method learns the curvature from its steps, one
 * direction per evaluation of all rows. With as many weights as attributes that takes dozens of
 * evaluations, while a sample of some thousand rows gives a matrix that is good enough to begin
 * with (Byrd, Chin, Neveitt and Nocedal, "On the use of stochastic Hessian information", 2011). An
 * error in H makes the minimiser slower and changes neither the loss nor where it is least. */
#include "learn/curvature.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/all.h"
#include "base/rows.h"
#include "base/wide.h"

enum {
    DIGITS = 20, /* number of bits that a weight is rounded to */
    TOGETHER = 4 /* number of rows that are added at once */
};

static const double LEAST = 0.001; /* smallest mean of s in a column, weighted by l^2 */

/* ---- the sample ---- */

heft_status heft_drawn_begin(heft_ctx *ctx, const heft_evidence *ev, size_t n_var,
                             heft_arena *arena, heft_drawn *out)
{
    const size_t each = HEFT_ENOUGH_EACH * n_var;
    const double most = 2 * (double)(each > HEFT_ENOUGH_ROWS ? each : HEFT_ENOUGH_ROWS);
    *out = (heft_drawn){.n = ev->n_rows};
    while (ldexp(ev->size, -(int)out->shift) > most) out->shift++;
    if (out->shift > 0) HEFT_ALLOC(ctx, arena, out->in, ev->n_rows);
    return HEFT_OK;
}

void heft_drawn_mark(const heft_drawn *sample, const heft_tile *tile, const double *scores)
{
    for (size_t i = 0; i < tile->n; i++) {
        uint64_t bits;
        memcpy(&bits, scores + i, sizeof bits);
        bits = (bits ^ bits >> 32) * UINT64_C(0x9e3779b97f4a7c15);
        bits = (bits ^ bits >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
        sample->in[tile->first + i] = bits >> (64 - sample->shift) == 0;
    }
}

/* Upper limit of the weight of the sample: twice its expected weight, or the total if all rows are
 * taken. */
static double most_weight(const heft_evidence *ev, const heft_drawn *sample)
{
    return sample->row ? ldexp(ev->total, 1 - (int)sample->shift) : ev->total;
}

/* If few different scores occur, the weight of the sample may be far from what is expected; then
 * all rows are taken instead. */
heft_status heft_drawn_end(heft_ctx *ctx, const heft_evidence *ev, heft_arena *arena,
                           heft_drawn *sample)
{
    heft_dd weight = {0, 0};
    size_t  n = 0;
    if (!sample->in) return HEFT_OK;
    for (size_t i = 0; i < ev->n_rows; i++) n += sample->in[i];
    HEFT_ALLOC(ctx, arena, sample->row, n + 1);
    n = 0;
    for (size_t i = 0; i < ev->n_rows; i++) {
        sample->row[n] = i;
        n += sample->in[i];
    }
    for (size_t k = 0; k < n; k++)
        weight = heft_dd_add(weight, (heft_dd){ev->weight ? ev->weight[sample->row[k]] : 1, 0});
    HEFT_CHECK(heft_all_sum_exact(ctx, &weight, 1, NULL, 0));
    const double most = most_weight(ev, sample);
    if (weight.high > most / 4 && weight.high < most) sample->n = n;
    else sample->row = NULL;
    return HEFT_OK;
}

/* ---- lines ---- */

typedef struct column { /* a column of the lines */
    size_t j;           /* attribute; SIZE_MAX for the base */
    double unit;        /* power of two that v is rounded to a multiple of */
} column;

typedef struct bending {
    const heft_hessian *bend;
    const double       *root; /* sqrt(s) of each row of the sample */
    size_t              n_col;
    column              col[HEFT_MOST_BENT];
    double            **line;   /* per group: n_code lines of the l of its members */
    size_t             *n_line; /* per group: number of members */
    double              unit;   /* power of two that weights are rounded to multiples of */
    int                 bits;   /* number of bits that v is rounded to */
} bending;

/* x rounded to a multiple of u, a power of two. */
static inline double to_unit(double x, double u)
{
    const double grain = 0x1.8p52 * u;
    return (x + grain) - grain;
}

/* Chooses the unit of the weights and the number of bits of v. The sum of the weights is below 2^w,
 * or 2^DIGITS units if that is more; one bit is left for what rounding adds. */
static void choose_units(bending *b)
{
    int w;
    (void)frexp(most_weight(b->bend->ev, b->bend->sample), &w);
    b->unit = fmin(1, ldexp(1, w - DIGITS));
    b->bits = (51 - (w > DIGITS ? w : DIGITS)) / 2;
}

/* Appends a column. No |l| in it is above `most`, and s is at most 1, so no |v| is either. */
static void add_column(bending *b, size_t j, double most)
{
    int e;
    (void)frexp(most, &e);
    b->col[b->n_col++] = (column){j, ldexp(1, e - b->bits)};
}

static heft_status lay_lines(heft_ctx *ctx, bending *b)
{
    const heft_evidence *ev = b->bend->ev;
    HEFT_ALLOCS(ctx, &ctx->scratch, ev->n_group + 1, b->line, b->n_line);
    for (size_t g = 0; g < ev->n_group; g++) {
        const heft_group *group = &ev->group[g];
        const size_t      first = b->n_col;
        for (size_t at = group->head; at != SIZE_MAX; at = ev->member[at].next) {
            const heft_member *m = &ev->member[at];
            double             most = 0;
            for (size_t v = 0; v < m->n_used; v++) most = fmax(most, fabs(m->table[v]));
            add_column(b, m->j, most);
        }
        b->n_line[g] = b->n_col - first;
        HEFT_ALLOC(ctx, &ctx->scratch, b->line[g], group->n_code * b->n_line[g]);
        size_t q = 0;
        for (size_t at = group->head; at != SIZE_MAX; at = ev->member[at].next, q++) {
            const heft_member *m = &ev->member[at];
            HEFT_KNOWN(m->stride > 0 && m->n_used > 0);
            for (size_t c = 0; c < group->n_code; c++)
                b->line[g][c * b->n_line[g] + q] = m->table[c / m->stride % m->n_used];
        }
    }
    for (size_t d = 0; d < ev->n_dense; d++) add_column(b, ev->dense[d].j, ev->dense[d].most);
    if (b->n_col < b->bend->n_var) add_column(b, SIZE_MAX, fabs(b->bend->base));
    assert(b->n_col == b->bend->n_var);
    return HEFT_OK;
}

static void fill_line(const bending *b, size_t i, double *x)
{
    const heft_evidence *ev = b->bend->ev;
    for (size_t g = 0; g < ev->n_group; g++) {
        const heft_group *group = &ev->group[g];
        const size_t      n = b->n_line[g];
        const double *from = b->line[g] + (size_t)heft_code_at(group->code, group->width, i) * n;
        for (size_t q = 0; q < n; q++) x[q] = from[q];
        x += n;
    }
    for (size_t d = 0; d < ev->n_dense; d++, x++) *x = heft_dense_value(ev, d, i);
    if (b->col[b->n_col - 1].j == SIZE_MAX) *x = b->bend->base;
}

/* ---- sums ---- */

/* Adds z_j v_k, summed over the TOGETHER rows of z and v, to the lower half of a matrix; line j of
 * acc has the entries k <= j. */
HEFT_WIDE static void add_squares(size_t n, double (*z)[HEFT_MOST_BENT],
                                  double (*v)[HEFT_MOST_BENT], double *restrict acc)
{
    for (size_t j = 0; j < n; acc += ++j) {
        const double a = z[0][j], b = z[1][j], c = z[2][j], d = z[3][j];
        for (size_t k = 0; k <= j; k++)
            acc[k] += (a * v[0][k] + b * v[1][k]) + (c * v[2][k] + d * v[3][k]);
    }
}

/* Adds the rows lo..hi - 1 of the sample to acc, which has the sums of |l| by column, the sums of
 * l^2 by column, and the lower half of H. */
static void bend_rows(const void *arg, size_t lo, size_t hi, double *acc)
{
    const bending       *b = arg;
    const heft_evidence *ev = b->bend->ev;
    const size_t        *row = b->bend->sample->row, n = b->n_col;
    double               v[TOGETHER][HEFT_MOST_BENT] = {{0}}, z[TOGETHER][HEFT_MOST_BENT] = {{0}};
    for (size_t first = lo; first < hi; first += TOGETHER) {
        for (size_t t = 0; t < TOGETHER; t++) {
            if (first + t >= hi) {
                memset(z[t], 0, n * sizeof(double));
                memset(v[t], 0, n * sizeof(double));
                continue;
            }
            const size_t i = row ? row[first + t] : first + t;
            const double w = ev->weight ? to_unit(ev->weight[i], b->unit) : 1;
            fill_line(b, i, v[t]);
            for (size_t k = 0; k < n; k++) {
                const double unit = b->col[k].unit, l = to_unit(v[t][k], unit);
                acc[k] += w * fabs(l);
                acc[n + k] += w * l * l;
                v[t][k] = to_unit(b->root[first + t] * v[t][k], unit);
                z[t][k] = w * v[t][k];
            }
        }
        add_squares(n, z, v, acc + 2 * n);
    }
}

/* Scales the sums of the sample up to all rows, for which the mean of |l| of each column is known.
 * Returns false if the sample contains too little information: a column is 0 in all its rows, or
 * nearly all rows are so far from the decision boundary that rounding dominates. */
static bool spread_out(const bending *b, const double *sum, double *out)
{
    const heft_hessian *bend = b->bend;
    const size_t        n = b->n_col;
    const double       *half = sum + 2 * n;
    size_t              at[HEFT_MOST_BENT];
    double              more[HEFT_MOST_BENT];
    for (size_t c = 0; c < n; half += ++c) {
        const double all = b->col[c].j == SIZE_MAX ? fabs(bend->base) : bend->spread[b->col[c].j];
        if (!(half[c] > LEAST * sum[n + c]) || !(sum[c] > 0)) return false;
        at[c] = 0;
        while (bend->var[at[c]] != b->col[c].j) at[c]++;
        more[c] = sqrt(all * bend->ev->total / sum[c]);
    }
    half = sum + 2 * n;
    for (size_t c = 0; c < n; half += ++c)
        for (size_t k = 0; k <= c; k++)
            out[at[c] * n + at[k]] = out[at[k] * n + at[c]] = more[c] * more[k] * half[k];
    return true;
}

heft_status heft_evidence_hessian(heft_ctx *ctx, const heft_hessian *bend, const heft_head *head,
                                  double *out, bool *known)
{
    HEFT_SCRATCH_SCOPE(ctx);
    bending     *b;
    double      *sum, *score;
    const size_t n = bend->n_var, width = 2 * n + n * (n + 1) / 2;
    assert(n <= HEFT_MOST_BENT && bend->ev->n_base == 1);
    HEFT_ALLOC(ctx, &ctx->scratch, b, 1);
    b->bend = bend;
    choose_units(b);
    HEFT_CHECK(lay_lines(ctx, b));
    HEFT_ALLOC(ctx, &ctx->scratch, score, bend->sample->n);
    HEFT_ALLOC(ctx, &ctx->scratch, sum, width);
    HEFT_CHECK(
        heft_evidence_scores(ctx, bend->ev, head, bend->sample->row, bend->sample->n, score));
    bend->second(bend->user, score, bend->sample->n);
    for (size_t k = 0; k < bend->sample->n; k++) score[k] = sqrt(score[k]);
    b->root = score;
    HEFT_CHECK(heft_sum_here(ctx, bend->sample->n, width, bend_rows, b, sum));
    HEFT_CHECK(heft_all_sum_exact(ctx, NULL, 0, sum, width));
    *known = spread_out(b, sum, out);
    return HEFT_OK;
}
