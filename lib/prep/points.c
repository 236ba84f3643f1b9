/* points.c - joining equal points, thinning long lists, merging the lists of all
 * processes. */
#include "prep/points.h"

#include <string.h>

#include "base/all.h"
#include "base/rows.h"

enum { EVERY_CLASS = UINT16_MAX + 1 };

heft_status heft_points_new(heft_ctx *ctx, size_t n, bool weighted, heft_points *out)
{
    *out = (heft_points){0};
    HEFT_ALLOCS(ctx, &ctx->scratch, n, out->x, out->y);
    if (weighted) HEFT_ALLOC(ctx, &ctx->scratch, out->weight, n);
    return HEFT_OK;
}

size_t heft_points_order(const double *x, const uint16_t *y, const double *weight, size_t n,
                         size_t n_class, heft_ranked *v, heft_ranked *spare)
{
    size_t m = 0;
    HEFT_ROWS (i, n)
        if ((!n_class || y[i] < n_class) && (!weight || weight[i] > 0))
            v[m++] = (heft_ranked){weight ? heft_order_key(weight[i]) : n_class ? y[i] : 0, i};
    if (weight || n_class) heft_order_sort(v, spare, m);
    if (weight && n_class) {
        HEFT_ROWS (i, m) v[i].key = y[v[i].row];
        heft_order_sort(v, spare, m);
    }
    HEFT_ROWS (i, m) v[i].key = heft_order_key(x[v[i].row]);
    heft_order_sort(v, spare, m);
    return m;
}

/* Join points of the same value and class into one, and add up their weights. */
static heft_status join(heft_ctx *ctx, heft_points *points)
{
    heft_points  out;
    heft_ranked *v, *spare;
    HEFT_CHECK(heft_points_new(ctx, points->n, true, &out));
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    HEFT_ALLOCS(ctx, &ctx->scratch, points->n, v, spare);
    const size_t m =
        heft_points_order(points->x, points->y, points->weight, points->n, EVERY_CLASS, v, spare);
    HEFT_ROWS (i, m) {
        const size_t row = v[i].row;
        if (i == 0 || v[i].key != v[i - 1].key || points->y[row] != points->y[v[i - 1].row]) {
            out.x[out.n] = heft_order_value(v[i].key);
            out.y[out.n++] = points->y[row];
        }
        out.weight[out.n - 1] += points->weight ? points->weight[row] : 1;
    }
    heft_arena_rewind(&ctx->scratch, mark);
    *points = out;
    return HEFT_OK;
}

/* Thin the list to about `most` points, in runs of a weight of at least `step`; the first value is
 * a run of its own. A run of k points becomes at most k points, so that the list is changed in
 * place. */
static heft_status thin(heft_ctx *ctx, heft_points *v, size_t most)
{
    heft_points out = *v;
    double     *weight, total = 0, filled = 0;
    size_t      n_class = 0;
    out.n = 0;
    HEFT_ROWS (i, v->n) {
        total += v->weight[i];
        if (v->y[i] >= n_class) n_class = (size_t)v->y[i] + 1;
    }
    HEFT_ALLOC(ctx, &ctx->scratch, weight, n_class);
    const double step = total * (double)n_class / (double)most; /* a run gives n_class at most */
    HEFT_ROWS (i, v->n) {
        const double x = v->x[i];
        const bool   first = v->x[i] == v->x[0];
        filled += v->weight[i];
        weight[v->y[i]] += v->weight[i];
        if (i + 1 < v->n && v->x[i + 1] == x) continue; /* a value is never split */
        if (!first && filled < step && i + 1 < v->n) continue;
        filled = 0;
        for (size_t c = 0; c < n_class; c++) { /* all weight of the run moves to x */
            if (weight[c] > 0) heft_points_add(&out, x, (uint16_t)c, weight[c]);
            weight[c] = 0;
        }
    }
    v->n = out.n;
    return HEFT_OK;
}

typedef struct point {
    double   x, weight;
    uint64_t y;
} point;

heft_status heft_points_merge(heft_ctx *ctx, heft_points *points, size_t exact)
{
    HEFT_LOCAL(heft_gathered) all = {0};
    HEFT_FREED point         *mine = NULL;
    int64_t                   n;
    if (heft_is_single(ctx)) return HEFT_OK;
    HEFT_CHECK(join(ctx, points));
    n = (int64_t)points->n;
    HEFT_CHECK(heft_all_add(ctx, &n, 1));
    if ((size_t)n > exact) HEFT_CHECK(thin(ctx, points, exact / heft_n_ranks(ctx)));
    HEFT_NEW(ctx, mine, points->n);
    HEFT_ROWS (i, points->n) mine[i] = (point){points->x[i], points->weight[i], points->y[i]};
    HEFT_CHECK(heft_all_gather(ctx, mine, points->n * sizeof *mine, &all));
    HEFT_CHECK(heft_points_new(ctx, all.start[all.n] / sizeof *mine, true, points));
    for (size_t at = 0; at < all.start[all.n]; at += sizeof *mine) {
        point p;
        memcpy(&p, all.bytes + at, sizeof p);
        heft_points_add(points, p.x, (uint16_t)p.y, p.weight);
    }
    return join(ctx, points);
}
