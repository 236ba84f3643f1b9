/* moments.c - means and spreads per class, two passes through the one row sum.
 *
 * Pass one sums n and x, pass two (x - mean)^2 and the weight of cells unlike the first one. Values
 * near the end of the double range would overflow the sums: then both passes are done again on
 * values scaled by a power of two, which is exact. */
#include "stats/moments.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/comm.h"
#include "base/rows.h"

enum { PER_CLASS = 3 }; /* sums kept for an attribute and class in a pass */

typedef struct job {
    const heft_rows *rows;
    const size_t    *at; /* place of numeric attribute j among the sums, in units of PER_CLASS K */
    heft_moments    *m;
    double           scale;
    bool             second;
} job;

static inline void add_cell(const job *g, size_t j, size_t y, double w, double x, double *acc)
{
    const heft_moments *m = &g->m[j];
    double             *own = acc + g->at[j] + y * PER_CLASS;
    if (!g->second) {
        own[0] += w;
        own[1] += w * (x * g->scale);
    } else {
        const double d = x * g->scale - m->mean[y];
        own[0] += w * d * d;
        own[2] += x != m->first[y] ? w : 0;
    }
}

static void sum_cells(const void *arg, size_t lo, size_t hi, double *acc)
{
    const job         *g = arg;
    const heft_rows   *rows = g->rows;
    const heft_sparse *s = rows->sparse;
    if (s) {
        for (size_t i = lo; i < hi; i++)
            for (size_t e = s->start[i]; e < s->start[i + 1]; e++) {
                const size_t j = s->col[e];
                if (rows->attr[j].coded) continue;
                if (!isnan(s->val[e]))
                    add_cell(g, j, rows->y[i], rows->weight ? rows->weight[i] : 1, s->val[e], acc);
                else if (!g->second) /* neither observed nor an implicit zero */
                    acc[g->at[j] + rows->y[i] * PER_CLASS + 2] +=
                        rows->weight ? rows->weight[i] : 1;
            }
        return;
    }
    for (size_t j = 0; j < rows->n_attr; j++) {
        const double *x = rows->attr[j].numbers;
        if (rows->attr[j].coded) continue;
        for (size_t i = lo; i < hi; i++)
            if (!isnan(x[i]))
                add_cell(g, j, rows->y[i], rows->weight ? rows->weight[i] : 1, x[i], acc);
    }
}

static void first_values(const heft_rows *rows, heft_moments *m)
{
    const size_t K = rows->n_class;
    for (size_t j = 0; j < rows->n_attr; j++) {
        const double *x = rows->attr[j].numbers;
        size_t        left = K;
        if (!m[j].n) continue;
        for (size_t c = 0; c < K; c++) m[j].first[c] = rows->sparse ? 0 : NAN;
        if (rows->sparse) continue; /* implicit zeros: the reference is 0, right or not */
        for (size_t i = 0; i < rows->n_rows && left; i++)
            if (!isnan(x[i]) && isnan(m[j].first[rows->y[i]]))
                m[j].first[rows->y[i]] = x[i], left--;
    }
}

/* The first cell of each class over all ranks, the lowest rank's first; NaN where there is none. */
static heft_status share_firsts(heft_ctx *ctx, const heft_rows *rows, heft_moments *m)
{
    heft_status   st = HEFT_OK;
    const size_t  K = rows->n_class;
    size_t        n = 0;
    double       *mine;
    heft_gathered all = {0};
    HEFT_ARENA(ctx, &ctx->scratch, mine, rows->n_attr * K);
    for (size_t j = 0; j < rows->n_attr; j++)
        for (size_t c = 0; m[j].n && c < K; c++) mine[n++] = m[j].first[c];
    HEFT_TRY(heft_comm_gather(ctx, mine, n * sizeof *mine, &all));
    for (size_t r = heft_comm_size(ctx); r-- > 0;)
        for (size_t k = 0; k < n; k++) {
            double x;
            memcpy(&x, all.bytes + all.start[r] + k * sizeof x, sizeof x);
            if (!isnan(x)) mine[k] = x;
        }
    n = 0;
    for (size_t j = 0; j < rows->n_attr; j++)
        for (size_t c = 0; m[j].n && c < K; c++) m[j].first[c] = mine[n++];
done:
    heft_gathered_clear(&all);
    return st;
}

/* A cell of each class to compare the others with. */
static heft_status find_firsts(heft_ctx *ctx, const heft_rows *rows, heft_moments *m)
{
    heft_status st = HEFT_OK;
    first_values(rows, m);
    if (!heft_alone(ctx) && !rows->sparse) HEFT_TRY(share_firsts(ctx, rows, m));
    for (size_t j = 0; j < rows->n_attr; j++)
        for (size_t c = 0; m[j].n && c < rows->n_class; c++)
            if (isnan(m[j].first[c])) m[j].first[c] = 0;
done:
    return st;
}

static void means(const job *g, const double *class_sum, const double *sums, size_t j)
{
    const size_t  K = g->rows->n_class;
    heft_moments *m = &g->m[j];
    double        total = 0;
    m->n[K] = 0;
    for (size_t c = 0; c < K; c++) {
        const double *s = sums + g->at[j] + c * PER_CLASS;
        m->n[c] = g->rows->sparse ? fmax(s[0], class_sum[c] - s[2]) : s[0];
        m->mean[c] = m->n[c] > 0 ? s[1] / m->n[c] : 0;
        m->unlike[c] = s[0]; /* kept for the second pass: weight of the stored cells */
        m->n[K] += m->n[c];
        total += s[1];
    }
    m->mean[K] = m->n[K] > 0 ? total / m->n[K] : 0;
}

/* The spread over all classes follows from the classes': sum_c [ scatter_c + n_c (mean_c - mean)^2
 * ]. */
static void spreads(const job *g, const double *sums, size_t j)
{
    const size_t  K = g->rows->n_class;
    heft_moments *m = &g->m[j];
    double        scatter = 0, first = NAN;
    bool          alike = true;
    for (size_t c = 0; c < K; c++) {
        const double *s = sums + g->at[j] + c * PER_CLASS;
        const double  zeros = g->rows->sparse ? fmax(0, m->n[c] - m->unlike[c]) : 0;
        const double  own = s[0] + zeros * m->mean[c] * m->mean[c], d = m->mean[c] - m->mean[K];
        m->unlike[c] = s[2];
        if (g->rows->sparse && zeros == 0 && m->n[c] > 0 && own == 0) /* constant, but not 0 */
            m->unlike[c] = 0, m->first[c] = m->mean[c] / g->scale;
        scatter += own + m->n[c] * d * d;
        m->spread[c] = fmin(sqrt(own), DBL_MAX * g->scale) / g->scale;
        if (m->n[c] <= 0) continue;
        if (isnan(first)) first = m->first[c];
        alike = alike && m->unlike[c] == 0 && m->first[c] == first;
    }
    for (size_t c = 0; c <= K; c++) m->mean[c] /= g->scale;
    m->spread[K] = fmin(sqrt(scatter), DBL_MAX * g->scale) / g->scale;
    m->unlike[K] = alike ? 0 : m->n[K];
    m->first[K] = isnan(first) ? 0 : first;
}

static void class_sums(const void *arg, size_t lo, size_t hi, double *acc)
{
    const heft_rows *rows = arg;
    for (size_t i = lo; i < hi; i++) acc[rows->y[i]] += rows->weight ? rows->weight[i] : 1;
}

static heft_status two_passes(heft_ctx *ctx, job *g, size_t width, double *sums, double *class_sum)
{
    heft_status  st = HEFT_OK;
    const size_t n_attr = g->rows->n_attr, n = g->rows->n_rows;
    g->second = false;
    HEFT_TRY(heft_sum_rows(ctx, n, width, sum_cells, g, sums));
    for (size_t j = 0; j < n_attr; j++)
        if (g->m[j].n) means(g, class_sum, sums, j);
    g->second = true;
    HEFT_TRY(heft_sum_rows(ctx, n, width, sum_cells, g, sums));
    for (size_t j = 0; j < n_attr; j++)
        if (g->m[j].n) spreads(g, sums, j);
done:
    return st;
}

static bool all_finite(const heft_rows *rows, const heft_moments *m)
{
    for (size_t j = 0; j < rows->n_attr; j++)
        for (size_t c = 0; m[j].n && c <= rows->n_class; c++)
            if (!isfinite(m[j].mean[c]) || !isfinite(m[j].spread[c]) || m[j].spread[c] >= DBL_MAX)
                return false;
    return true;
}

heft_status heft_moments_of(heft_ctx *ctx, const heft_rows *rows, heft_arena *arena,
                            heft_moments **out)
{
    heft_status     st = HEFT_OK;
    const size_t    K = rows->n_class, m = rows->n_attr;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    size_t         *at, width = 0, n_numeric = 0;
    double         *sums, *class_sum, *cells;
    heft_moments   *mo;

    HEFT_ARENA(ctx, arena, mo, m);
    for (size_t j = 0; j < m; j++) n_numeric += !rows->attr[j].coded;
    HEFT_ARENA(ctx, arena, cells, n_numeric * 5 * (K + 1));
    for (size_t j = 0; j < m; j++) {
        if (rows->attr[j].coded) continue;
        mo[j] = (heft_moments){cells, cells + (K + 1), cells + 2 * (K + 1), cells + 3 * (K + 1),
                               cells + 4 * (K + 1)};
        cells += 5 * (K + 1);
    }
    *out = mo;
    HEFT_ARENA(ctx, &ctx->scratch, at, m);
    for (size_t j = 0; j < m; j++) {
        at[j] = width;
        if (mo[j].n) width += PER_CLASS * K;
    }
    HEFT_ARENA(ctx, &ctx->scratch, sums, width);
    HEFT_ARENA(ctx, &ctx->scratch, class_sum, K);
    HEFT_TRY(heft_sum_rows(ctx, rows->n_rows, K, class_sums, rows, class_sum));
    HEFT_TRY(find_firsts(ctx, rows, mo));
    job g = {rows, at, mo, 1, false};
    HEFT_TRY(two_passes(ctx, &g, width, sums, class_sum));
    if (!all_finite(rows, mo)) {
        g.scale = 0x1p-600;
        HEFT_TRY(find_firsts(ctx, rows, mo));
        HEFT_TRY(two_passes(ctx, &g, width, sums, class_sum));
    }
done:
    heft_scratch_back(ctx, arena, mark);
    return st;
}

double heft_moments_sd(const heft_moments *m, size_t c)
{
    const double n = m->n[c];
    return n > 1 ? fmin(m->spread[c] / sqrt(n - 1), DBL_MAX) : n > 0 ? m->spread[c] / sqrt(n) : 0;
}
