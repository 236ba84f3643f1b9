/* values.c - sorted lists of the distinct values of numeric columns. */
#include "stats/values.h"

#include <math.h>
#include <stdlib.h>

#include "base/all.h"
#include "base/rows.h"
#include "base/sort.h"

enum { FEW = 256 }; /* fewer cells than this are sorted by qsort, more by radix sort */

static double weight_of(const heft_rows *rows, size_t i)
{
    return rows->weight ? rows->weight[i] : 1;
}

heft_status heft_values_begin(heft_ctx *ctx, const heft_rows *rows, heft_value_reader *out)
{
    *out = (heft_value_reader){.rows = rows};
    if (!rows->sparse) return HEFT_OK;
    HEFT_CHECK(heft_sparse_bycol(ctx, rows->sparse, rows->n_rows, rows->n_attr, &out->bycol));
    HEFT_ALLOC(ctx, &ctx->scratch, out->class_sum, rows->n_class);
    HEFT_ROWS (i, rows->n_rows) out->class_sum[rows->y[i]] += weight_of(rows, i);
    return HEFT_OK;
}

/* ---- one column ---- */

/* Lists the cells of sparse column j. The zeros that are not stored form one cell per class, which
 * is left out if its weight is only rounding error. */
static size_t sparse_cells(const heft_value_reader *r, size_t j, heft_value_cell *room)
{
    const heft_rows *rows = r->rows;
    const size_t     K = rows->n_class;
    size_t           n = K, kept = 0;
    for (size_t c = 0; c < K; c++) room[c] = (heft_value_cell){0, r->class_sum[c], (uint32_t)c};
    for (size_t e = r->bycol.start[j]; e < r->bycol.start[j + 1]; e++) {
        const size_t i = r->bycol.row[e];
        room[rows->y[i]].w -= weight_of(rows, i);
        if (!isnan(r->bycol.val[e]))
            room[n++] = (heft_value_cell){r->bycol.val[e], weight_of(rows, i), rows->y[i]};
    }
    for (size_t k = 0; k < n; k++)
        if (k >= K || room[k].w > 1e-9 * r->class_sum[room[k].c]) room[kept++] = room[k];
    return kept;
}

heft_status heft_values_of(heft_ctx *ctx, const heft_value_reader *reader, size_t j,
                           heft_arena *arena, heft_values *out)
{
    const heft_rows            *rows = reader->rows;
    HEFT_FREED heft_value_cell *room = NULL;
    const double               *x = rows->attr[j].numbers;
    const size_t               *start = reader->bycol.start;
    size_t                      n = 0;
    HEFT_NEW(ctx, room, rows->sparse ? start[j + 1] - start[j] + rows->n_class : rows->n_rows);
    if (rows->sparse) n = sparse_cells(reader, j, room);
    HEFT_ROWS (i, rows->sparse ? 0 : rows->n_rows) {
        if (!isnan(x[i])) room[n++] = (heft_value_cell){x[i], weight_of(rows, i), rows->y[i]};
    }
    return heft_values_pack(ctx, room, n, rows->n_class, arena, out);
}

/* ---- lists ---- */

static int by_class_and_value(const void *pa, const void *pb)
{
    const heft_value_cell *a = pa, *b = pb;
    if (a->c != b->c) return a->c < b->c ? -1 : 1;
    return (a->x > b->x) - (a->x < b->x);
}

/* Sorts cells by class, then by value. The radix sort is stable and runs over the values first. */
static heft_status sort_cells(heft_ctx *ctx, heft_value_cell *cells, size_t n)
{
    HEFT_FREED heft_ranked     *order = NULL, *spare = NULL;
    HEFT_FREED heft_value_cell *copy = NULL;
    if (n < FEW) {
        if (n > 1) qsort(cells, n, sizeof *cells, by_class_and_value);
        return HEFT_OK;
    }
    HEFT_NEW(ctx, order, n);
    HEFT_NEW(ctx, spare, n);
    HEFT_ROWS (i, n) order[i] = (heft_ranked){heft_order_key(cells[i].x), i};
    heft_order_sort(order, spare, n);
    HEFT_ROWS (i, n) order[i].key = cells[order[i].row].c;
    heft_order_sort(order, spare, n);
    heft_free(spare);
    spare = NULL;
    HEFT_NEW(ctx, copy, n);
    HEFT_ROWS (i, n) copy[i] = cells[order[i].row];
    HEFT_ROWS (i, n) cells[i] = copy[i];
    return HEFT_OK;
}

heft_status heft_values_join(heft_ctx *ctx, heft_value_cell *cells, size_t *n)
{
    size_t used = 0;
    HEFT_CHECK(sort_cells(ctx, cells, *n));
    for (size_t k = 0; k < *n; k++) {
        if (used && cells[used - 1].c == cells[k].c && cells[used - 1].x == cells[k].x)
            cells[used - 1].w += cells[k].w;
        else cells[used++] = cells[k];
    }
    *n = used;
    return HEFT_OK;
}

heft_status heft_values_pack(heft_ctx *ctx, heft_value_cell *cells, size_t n, size_t n_class,
                             heft_arena *arena, heft_values *out)
{
    size_t used = n;
    HEFT_CHECK(heft_values_join(ctx, cells, &used));
    HEFT_ALLOC(ctx, arena, out->start, n_class + 1);
    HEFT_ALLOCS(ctx, arena, used, out->x, out->w);
    for (size_t k = 0; k < used; k++) {
        out->start[cells[k].c + 1]++;
        out->x[k] = cells[k].x;
        out->w[k] = cells[k].w;
    }
    for (size_t c = 0; c < n_class; c++) out->start[c + 1] += out->start[c];
    return HEFT_OK;
}

heft_status heft_values_merge(heft_ctx *ctx, size_t n_class, heft_arena *arena, heft_values *values)
{
    const size_t                n = values->start[n_class];
    HEFT_FREED heft_value_cell *mine = NULL;
    HEFT_LOCAL(heft_gathered)   all = {0};
    if (heft_is_single(ctx)) return HEFT_OK;
    HEFT_NEW(ctx, mine, n);
    for (size_t c = 0; c < n_class; c++)
        for (size_t k = values->start[c]; k < values->start[c + 1]; k++)
            mine[k] = (heft_value_cell){values->x[k], values->w[k], (uint32_t)c};
    HEFT_CHECK(heft_all_gather(ctx, mine, n * sizeof *mine, &all));
    void *every = all.bytes; /* malloc aligns it for any type */
    return heft_values_pack(ctx, every, all.start[all.n] / sizeof *mine, n_class, arena, values);
}

heft_status heft_values_all(heft_ctx *ctx, const heft_values *values, size_t n_class, double **x,
                            size_t *n)
{
    const size_t all = values->start[n_class];
    heft_ranked *order, *spare;
    *n = 0;
    HEFT_ALLOC(ctx, &ctx->scratch, *x, all);
    HEFT_SCRATCH_SCOPE(ctx);
    HEFT_ALLOCS(ctx, &ctx->scratch, all, order, spare);
    HEFT_ROWS (k, all) order[k].key = heft_order_key(values->x[k]);
    heft_order_sort(order, spare, all);
    HEFT_ROWS (k, all) {
        if (k == 0 || order[k].key != order[k - 1].key)
            (*x)[(*n)++] = heft_order_value(order[k].key);
    }
    return HEFT_OK;
}
