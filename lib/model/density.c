/* density.c - the rounded normal of Weka's NaiveBayes, and flexible (kernel) naive Bayes.
 *
 * Rounded: precision q = mean gap between consecutive distinct training values (0.01 for a single
 * one); training and query values are rounded to multiples of q; population standard deviation, at
 * least q/6; P(x|c) = Phi((x - mean + q/2)/sd) - Phi((x - mean - q/2)/sd), at least 1e-75.
 *
 * Kernel: P(x|c) = 1/(n_c h sqrt(2 pi)) sum_i exp(-(x - x_i)^2 / (2 h^2)), h = 1/sqrt(n_c): the
 * bandwidth is in units of the data, which belong on [0, 1] (--scale minmax). Equal values are kept
 * once with their weight. */
#include "model/density.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/comm.h"
#include "prep/values.h"

static const double LOG_TWO_PI_HALF = 0.91893853320467274178;

typedef struct cell {
    double x, w;
    size_t y;
} cell;

/* Stored cells by column, for sparse rows: row numbers and values of column j stand at
 * start[j]..start[j+1]-1. */
typedef struct columns {
    size_t *start, *row;
    double *val;
} columns;

static heft_status by_column(heft_ctx *ctx, const heft_rows *rows, columns *out)
{
    heft_status        st = HEFT_OK;
    const heft_sparse *s = rows->sparse;
    const size_t       n = s->start[rows->n_rows];
    size_t            *next;

    HEFT_ARENA(ctx, &ctx->scratch, out->start, rows->n_attr + 1);
    HEFT_ARENA(ctx, &ctx->scratch, next, rows->n_attr);
    HEFT_ARENA(ctx, &ctx->scratch, out->row, n);
    HEFT_ARENA(ctx, &ctx->scratch, out->val, n);
    for (size_t e = 0; e < n; e++) out->start[s->col[e] + 1]++;
    for (size_t j = 0; j < rows->n_attr; j++) {
        out->start[j + 1] += out->start[j];
        next[j] = out->start[j];
    }
    for (size_t i = 0; i < rows->n_rows; i++)
        for (size_t e = s->start[i]; e < s->start[i + 1]; e++) {
            const size_t at = next[s->col[e]]++;
            out->row[at] = i;
            out->val[at] = s->val[e];
        }
done:
    return st;
}

/* The observed cells of attribute j; `room` holds n_rows + n_class of them. The implicit zeros of a
 * sparse column make one cell a class. */
static size_t collect(const heft_rows *rows, const heft_counts *counts, const columns *cols,
                      size_t j, cell *room)
{
    size_t n = 0;
    if (!rows->sparse) {
        const double *x = rows->attr[j].numbers;
        for (size_t i = 0; i < rows->n_rows; i++)
            if (!isnan(x[i]))
                room[n++] = (cell){x[i], rows->weight ? rows->weight[i] : 1, rows->y[i]};
        return n;
    }
    cell *zero = room; /* class by class; those that end up empty are squeezed out below */
    for (size_t c = 0; c < rows->n_class; c++) zero[c] = (cell){0, counts->class_sum[c], c};
    n = rows->n_class;
    for (size_t e = cols->start[j]; e < cols->start[j + 1]; e++) {
        const size_t i = cols->row[e];
        const double w = rows->weight ? rows->weight[i] : 1;
        zero[rows->y[i]].w -= w;
        if (!isnan(cols->val[e])) room[n++] = (cell){cols->val[e], w, rows->y[i]};
    }
    size_t kept = 0;
    for (size_t k = 0; k < n; k++) {
        const bool keep = k >= rows->n_class || room[k].w > 1e-9 * counts->class_sum[room[k].y];
        if (keep) room[kept++] = room[k];
    }
    return kept;
}

static int by_value(const void *pa, const void *pb)
{
    const cell *a = pa, *b = pb;
    return (a->x > b->x) - (a->x < b->x);
}

static int by_class_and_value(const void *pa, const void *pb)
{
    const cell *a = pa, *b = pb;
    if (a->y != b->y) return a->y < b->y ? -1 : 1;
    return by_value(pa, pb);
}

/* ---- rounded normal ---- */

static double to_multiple(double x, double q)
{
    const double r = nearbyint(x / q) * q;
    return isfinite(r) ? r : x;
}

static heft_status fit_rounded(heft_ctx *ctx, cell *v, size_t n, size_t K, heft_arena *arena,
                               heft_lik *lik)
{
    heft_status st = HEFT_OK;
    size_t      gaps = 0;
    double     *weight, widest = 0;

    lik->kind = HEFT_LIK_ROUNDED;
    qsort(v, n, sizeof *v, by_value);
    for (size_t i = 1; i < n; i++) gaps += v[i].x != v[i - 1].x;
    lik->precision = gaps ? v[n - 1].x / (double)gaps - v[0].x / (double)gaps : 0.01;
    if (!(lik->precision > 0)) lik->precision = 0.01; /* neighbours closer than a double can tell */
    HEFT_ARENA(ctx, arena, lik->mean, K);
    HEFT_ARENA(ctx, arena, lik->sd, K);
    HEFT_ARENA(ctx, &ctx->scratch, weight, K);
    for (size_t i = 0; i < n; i++) widest = fmax(widest, fabs(v[i].x));
    const double scale = widest > 1e140 ? 0x1p-600 : 1; /* so that squares do not overflow */
    for (size_t i = 0; i < n; i++) {
        v[i].x = to_multiple(v[i].x, lik->precision) * scale;
        weight[v[i].y] += v[i].w;
        lik->mean[v[i].y] += v[i].w * v[i].x;
    }
    for (size_t c = 0; c < K; c++)
        if (weight[c] > 0) lik->mean[c] /= weight[c];
    for (size_t i = 0; i < n; i++) {
        const double d = v[i].x - lik->mean[v[i].y];
        lik->sd[v[i].y] += v[i].w * d * d;
    }
    for (size_t c = 0; c < K; c++) {
        const double sd = weight[c] > 0 ? sqrt(lik->sd[c] / weight[c]) / scale : 0;
        lik->sd[c] = fmax(sd, lik->precision / 6);
        lik->mean[c] /= scale;
    }
done:
    return st;
}

static double upper_tail(double z)
{
    return 0.5 * erfc(z * 0.70710678118654752440);
}

static void rounded_at(const heft_lik *lik, size_t K, double x, double *out)
{
    const double q = lik->precision, r = to_multiple(x, q);
    for (size_t c = 0; c < K; c++) {
        const double d = r - lik->mean[c], lo = (d - q / 2) / lik->sd[c],
                     hi = (d + q / 2) / lik->sd[c];
        /* in the far tail the difference must be taken where the tails are small */
        const double p =
            lo > 0 ? upper_tail(lo) - upper_tail(hi) : upper_tail(-hi) - upper_tail(-lo);
        out[c] = log(fmax(p, 1e-75));
    }
}

/* ---- kernels ---- */

static heft_status fit_kernel(heft_ctx *ctx, cell *v, size_t n, size_t K, heft_arena *arena,
                              heft_lik *lik)
{
    heft_status st = HEFT_OK;
    size_t      at = 0, i = 0;

    lik->kind = HEFT_LIK_KERNEL;
    qsort(v, n, sizeof *v, by_class_and_value);
    HEFT_ARENA(ctx, arena, lik->start, K + 1);
    HEFT_ARENA(ctx, arena, lik->point, n);
    HEFT_ARENA(ctx, arena, lik->log_mass, n);
    HEFT_ARENA(ctx, arena, lik->width, K);
    for (size_t c = 0; c < K; c++) {
        double total = 0;
        lik->start[c] = at;
        for (; i < n && v[i].y == c; i++) {
            if (at > lik->start[c] && lik->point[at - 1] == v[i].x) at--;
            else lik->log_mass[at] = 0;
            lik->point[at] = v[i].x;
            lik->log_mass[at++] += v[i].w; /* the weight; its logarithm below */
            total += v[i].w;
        }
        for (size_t k = lik->start[c]; k < at; k++)
            lik->log_mass[k] = log(lik->log_mass[k] / total);
        lik->width[c] = total > 0 ? 1 / sqrt(total) : 1; /* h = 1/sqrt(n_c) */
    }
    lik->start[K] = at;
    lik->silent = at == 0;
done:
    return st;
}

/* log sum_k mass_k exp(-(x - p_k)^2 / (2 h^2)): outward from the nearest point, until what is left
 * cannot reach the last bit. */
static double kernel_sum(const double *point, const double *log_mass, size_t n, double x, double h)
{
    size_t lo = 0, hi = n; /* first point >= x */
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (point[mid] < x) lo = mid + 1;
        else hi = mid;
    }
    const size_t right = lo;
    double       best = -INFINITY;
    const bool   on_left = right == n || (right > 0 && x - point[right - 1] < point[right] - x);
    const size_t closest = on_left ? right - 1 : right;
    const double near = fmin(fabs(x - point[closest]) / h, 1e140);
    /* All points farther than `limit` together have less than e^-45 of the closest one's term. */
    const double limit = sqrt(near * near + 2 * (45 - log_mass[closest])) * h;
    size_t       a = right, b = right;
    while (a > 0 && x - point[a - 1] <= limit) a--;
    while (b < n && point[b] - x <= limit) b++;
    if (a == b) a = closest, b = closest + 1; /* rounding at enormous distances */
    for (size_t k = a; k < b; k++) {
        const double z = fmin(fabs(x - point[k]) / h, 1e140);
        best = fmax(best, log_mass[k] - 0.5 * z * z);
    }
    double sum = 0;
    for (size_t k = a; k < b; k++) {
        const double z = fmin(fabs(x - point[k]) / h, 1e140);
        sum += exp(log_mass[k] - 0.5 * z * z - best);
    }
    return best + log(sum);
}

static void kernel_at(const heft_lik *lik, size_t K, double x, double *out)
{
    double mean = 0, n = 0;
    for (size_t c = 0; c < K; c++) {
        const size_t at = lik->start[c], count = lik->start[c + 1] - at;
        if (!count) continue;
        out[c] = kernel_sum(lik->point + at, lik->log_mass + at, count, x, lik->width[c]) -
                 LOG_TWO_PI_HALF - log(lik->width[c]);
        mean += out[c];
        n++;
    }
    /* a class with nothing observed gives no evidence for or against itself: the others' mean */
    for (size_t c = 0; c < K; c++)
        if (lik->start[c + 1] == lik->start[c]) out[c] = mean / n;
}

/* ---- several ranks ---- */

/* The n cells of this rank become those of all, equal ones of a class joined; in scratch memory. */
static heft_status share_cells(heft_ctx *ctx, cell **v, size_t *n)
{
    heft_status st = HEFT_OK;
    heft_values all = {0};
    double     *x, *w;
    uint16_t   *y;
    HEFT_ARENA(ctx, &ctx->scratch, x, *n);
    HEFT_ARENA(ctx, &ctx->scratch, w, *n);
    HEFT_ARENA(ctx, &ctx->scratch, y, *n);
    for (size_t i = 0; i < *n; i++) {
        x[i] = (*v)[i].x;
        w[i] = (*v)[i].w;
        y[i] = (uint16_t)(*v)[i].y;
    }
    HEFT_TRY(heft_values_of(ctx, x, y, w, *n, &all));
    HEFT_TRY(heft_values_share(ctx, &all, 1, SIZE_MAX));
    HEFT_ARENA(ctx, &ctx->scratch, *v, all.n);
    for (size_t i = 0; i < all.n; i++) (*v)[i] = (cell){all.x[i], all.weight[i], all.y[i]};
    *n = all.n;
done:
    heft_values_clear(&all);
    return st;
}

/* The weight of each class among the rows of this rank. */
static heft_status count_here(heft_ctx *ctx, const heft_rows *rows, heft_counts *out)
{
    heft_status st = HEFT_OK;
    *out = (heft_counts){.n_attr = rows->n_attr, .n_class = rows->n_class};
    HEFT_ARENA(ctx, &ctx->scratch, out->class_sum, rows->n_class);
    for (size_t i = 0; i < rows->n_rows; i++)
        out->class_sum[rows->y[i]] += rows->weight ? rows->weight[i] : 1;
done:
    return st;
}

/* ---- public ---- */

heft_status heft_densities(heft_ctx *ctx, const heft_rows *rows, const heft_counts *counts,
                           heft_lik_kind kind, heft_arena *arena, heft_lik *liks)
{
    heft_status     st = HEFT_OK;
    const size_t    K = rows->n_class;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    cell           *room;
    columns         cols = {0};
    heft_counts     here;

    HEFT_ARENA(ctx, &ctx->scratch, room, rows->n_rows + K);
    if (rows->sparse) HEFT_TRY(by_column(ctx, rows, &cols));
    if (!heft_alone(ctx)) {
        HEFT_TRY(count_here(ctx, rows, &here));
        counts = &here;
    }
    for (size_t j = 0; j < rows->n_attr; j++) {
        if (rows->attr[j].coded) continue;
        HEFT_TRY(heft_check_cancel(ctx));
        size_t n = collect(rows, counts, &cols, j, room);
        cell  *v = room;
        if (!heft_alone(ctx)) HEFT_TRY(share_cells(ctx, &v, &n));
        if (kind == HEFT_LIK_ROUNDED) HEFT_TRY(fit_rounded(ctx, v, n, K, arena, &liks[j]));
        else HEFT_TRY(fit_kernel(ctx, v, n, K, arena, &liks[j]));
    }
done:
    heft_scratch_back(ctx, arena, mark);
    return st;
}

void heft_density_at(const heft_lik *lik, size_t n_class, double x, double *out)
{
    if (lik->kind == HEFT_LIK_ROUNDED) rounded_at(lik, n_class, x, out);
    else kernel_at(lik, n_class, x, out);
}
