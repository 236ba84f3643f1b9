/* repeats.c - rows that repeat other rows, found by keys of what they hold. */
#include <math.h>

#include "base/rows.h"
#include "base/sort.h"
#include "check/check.h"
#include "stats/keys.h"

typedef struct row_keys {
    const heft_table *table;
    heft_ranked      *row;
} row_keys;

static uint64_t cell_key(size_t j, uint64_t cell)
{
    return heft_mix((uint64_t)(j + 1) * 0x9e3779b97f4a7c15u + cell);
}

/* Returns a key of a number; a missing cell has one of its own. */
static uint64_t number_key(double x)
{
    return isnan(x) ? 1 : heft_order_key(x);
}

static heft_status key_rows(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const row_keys    *w = arg;
    const heft_table  *t = w->table;
    const heft_sparse *s = t->sparse;
    for (size_t i = lo; i < hi; i++) {
        w->row[i] = (heft_ranked){0, i};
        if (s)
            for (size_t k = s->start[i]; k < s->start[i + 1]; k++)
                if (s->val[k] != 0) w->row[i].key += cell_key(s->col[k], number_key(s->val[k]));
    }
    if (!s)
        for (size_t j = 0; j < t->n_cols; j++) {
            const heft_column *col = &t->cols[j];
            if (col->kind == HEFT_NUMERIC)
                for (size_t i = lo; i < hi; i++)
                    w->row[i].key += cell_key(j, number_key(((const double *)col->cells)[i]));
            else
                for (size_t i = lo; i < hi; i++)
                    w->row[i].key += cell_key(j, heft_code_at(col->cells, col->width, i));
        }
    return heft_check_cancel(ctx);
}

/* Whether rows lo..hi-1 of the sorted list have more than one class. */
static bool classes_differ(const heft_table *t, const heft_ranked *row, size_t lo, size_t hi)
{
    const heft_column *y = heft_check_class(t);
    uint32_t           first = UINT32_MAX;
    if (y)
        for (size_t k = lo; k < hi; k++) {
            const uint32_t c = heft_code_at(y->cells, y->width, row[k].row);
            if (c >= heft_dict_size(y->dict)) continue; /* missing */
            if (first == UINT32_MAX) first = c;
            if (c != first) return true;
        }
    return false;
}

heft_status heft_check_rows(heft_ctx *ctx, const heft_table *table, heft_check *check)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const size_t n = table->n_rows;
    row_keys     w = {.table = table};
    heft_ranked *spare;
    if (table->n_cols == 0) return HEFT_OK;
    HEFT_ALLOCS(ctx, &ctx->scratch, n + 1, w.row, spare);
    HEFT_CHECK(heft_run_blocks(ctx, n, HEFT_BLOCK_ROWS / 8, key_rows, &w));
    heft_order_sort(w.row, spare, n);
    for (size_t lo = 0, hi; lo < n; lo = hi) {
        for (hi = lo + 1; hi < n && w.row[hi].key == w.row[lo].key;) hi++;
        check->n_repeated += hi - lo - 1;
        if (hi > lo + 1 && classes_differ(table, w.row, lo, hi)) check->n_contradicting += hi - lo;
    }
    return HEFT_OK;
}
