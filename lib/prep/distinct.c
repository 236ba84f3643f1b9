/* distinct.c - joining equal values, thinning long lists, and joining the lists of all ranks. */
#include "prep/distinct.h"

#include <math.h>
#include <string.h>

#include "base/comm.h"
#include "base/sort.h"

static heft_status make_room(heft_ctx *ctx, heft_distinct *v, size_t n)
{
    heft_status st = HEFT_OK;
    HEFT_HEAP(ctx, v->x, n);
    HEFT_HEAP(ctx, v->weight, n);
    HEFT_HEAP(ctx, v->y, n);
done:
    if (st != HEFT_OK) heft_distinct_clear(v);
    return st;
}

void heft_distinct_clear(heft_distinct *values)
{
    heft_free(values->x);
    heft_free(values->weight);
    heft_free(values->y);
    *values = (heft_distinct){0};
}

/* By value, then class, then weight (so that sums do not depend on the order of the rows). */
static size_t sort_cells(const double *x, const uint16_t *y, const double *weight, size_t n,
                         heft_ranked *v, heft_ranked *spare)
{
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (!weight || weight[i] > 0)
            v[m++] = (heft_ranked){weight ? heft_order_key(weight[i]) : y[i], i};
    heft_order_sort(v, spare, m);
    if (weight) {
        for (size_t i = 0; i < m; i++) v[i].key = y[v[i].row];
        heft_order_sort(v, spare, m);
    }
    for (size_t i = 0; i < m; i++) v[i].key = heft_order_key(x[v[i].row]);
    heft_order_sort(v, spare, m);
    return m;
}

heft_status heft_distinct_of(heft_ctx *ctx, const double *x, const uint16_t *y,
                             const double *weight, size_t n, heft_distinct *out)
{
    heft_status     st = HEFT_OK;
    const heft_mark mark = heft_arena_mark(&ctx->scratch);
    heft_ranked    *v, *spare;
    size_t          distinct = 0;
    *out = (heft_distinct){0};
    HEFT_ARENA(ctx, &ctx->scratch, v, n);
    HEFT_ARENA(ctx, &ctx->scratch, spare, n);
    const size_t m = sort_cells(x, y, weight, n, v, spare);
    for (size_t i = 0; i < m; i++)
        distinct += i == 0 || v[i].key != v[i - 1].key || y[v[i].row] != y[v[i - 1].row];
    HEFT_TRY(make_room(ctx, out, distinct));
    for (size_t i = 0; i < m; i++) {
        const size_t row = v[i].row;
        if (i == 0 || v[i].key != v[i - 1].key || y[row] != y[v[i - 1].row]) {
            out->x[out->n] = heft_order_value(v[i].key);
            out->y[out->n++] = y[row];
        }
        out->weight[out->n - 1] += weight ? weight[row] : 1;
    }
done:
    heft_arena_rewind(&ctx->scratch, mark);
    return st;
}

/* ---- thinning ---- */

/* The weights of a run, by class, go to `out`, all at the value x, and become 0. */
static void end_run(double *weight, size_t n_class, double x, heft_distinct *out)
{
    for (size_t c = 0; c < n_class; c++) {
        if (!(weight[c] > 0)) continue;
        out->x[out->n] = x;
        out->y[out->n] = (uint16_t)c;
        out->weight[out->n++] = weight[c];
        weight[c] = 0;
    }
}

/* Runs of at least `step` weight; the first value is a run of its own. A run of k entries leaves at
 * most k, so that the list never grows: done in place. */
static heft_status thin(heft_ctx *ctx, heft_distinct *v, size_t most)
{
    heft_status   st = HEFT_OK;
    heft_distinct out = *v;
    double       *weight = NULL, total = 0, filled = 0;
    size_t        n_class = 0;
    out.n = 0;
    for (size_t i = 0; i < v->n; i++) {
        total += v->weight[i];
        if (v->y[i] >= n_class) n_class = (size_t)v->y[i] + 1;
    }
    HEFT_HEAP(ctx, weight, n_class);
    const double step = total * (double)n_class / (double)most; /* a run holds n_class at most */
    for (size_t i = 0; i < v->n; i++) {
        const double x = v->x[i];
        const bool   first = v->x[i] == v->x[0];
        filled += v->weight[i];
        weight[v->y[i]] += v->weight[i];
        if (i + 1 < v->n && v->x[i + 1] == x) continue; /* a value is never split */
        if (!first && filled < step && i + 1 < v->n) continue;
        end_run(weight, n_class, x, &out);
        filled = 0;
    }
    v->n = out.n;
done:
    heft_free(weight);
    return st;
}

/* ---- all ranks ---- */

/* Entry i of the list that begins at `bytes`: n values, n weights, n classes. */
static void copy_part(const char *bytes, size_t n, heft_distinct *to)
{
    if (n == 0) return;
    memcpy(to->x + to->n, bytes, n * sizeof *to->x);
    memcpy(to->weight + to->n, bytes + n * sizeof *to->x, n * sizeof *to->weight);
    memcpy(to->y + to->n, bytes + n * (sizeof *to->x + sizeof *to->weight), n * sizeof *to->y);
    to->n += n;
}

enum { ENTRY = 2 * sizeof(double) + sizeof(uint16_t) };

static heft_status share_one(heft_ctx *ctx, heft_distinct *v)
{
    heft_status   st = HEFT_OK;
    heft_gathered all = {0};
    heft_distinct every = {0}, joined = {0};
    char         *mine = NULL;
    HEFT_HEAP(ctx, mine, v->n * ENTRY);
    if (v->n) {
        memcpy(mine, v->x, v->n * sizeof *v->x);
        memcpy(mine + v->n * sizeof *v->x, v->weight, v->n * sizeof *v->weight);
        memcpy(mine + v->n * (sizeof *v->x + sizeof *v->weight), v->y, v->n * sizeof *v->y);
    }
    HEFT_TRY(heft_comm_gather(ctx, mine, v->n * ENTRY, &all));
    HEFT_TRY(make_room(ctx, &every, all.start[heft_comm_size(ctx)] / ENTRY));
    for (size_t r = 0; r < heft_comm_size(ctx); r++)
        copy_part(all.bytes + all.start[r], (all.start[r + 1] - all.start[r]) / ENTRY, &every);
    HEFT_TRY(heft_distinct_of(ctx, every.x, every.y, every.weight, every.n, &joined));
    heft_distinct_clear(v);
    *v = joined, joined = (heft_distinct){0};
done:
    heft_free(mine);
    heft_distinct_clear(&every);
    heft_distinct_clear(&joined);
    heft_gathered_clear(&all);
    return st;
}

heft_status heft_distinct_merge(heft_ctx *ctx, heft_distinct *lists, size_t m, size_t exact)
{
    heft_status st = HEFT_OK;
    int64_t    *n = NULL;
    if (heft_alone(ctx)) return HEFT_OK;
    HEFT_HEAP(ctx, n, m);
    for (size_t j = 0; j < m; j++) n[j] = (int64_t)lists[j].n;
    HEFT_TRY(heft_comm_add(ctx, n, m));
    for (size_t j = 0; j < m; j++) {
        if ((size_t)n[j] > exact) HEFT_TRY(thin(ctx, &lists[j], exact / heft_comm_size(ctx)));
        HEFT_TRY(share_one(ctx, &lists[j]));
    }
done:
    heft_free(n);
    return st;
}
