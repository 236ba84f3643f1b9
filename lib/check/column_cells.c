/* column_cells.c - the cells of one column: its numbers in order, or its codes. */
#include <math.h>
#include <string.h>

#include "base/rows.h"
#include "check/columns.h"

heft_status heft_sort_numbers(heft_ctx *ctx, const heft_column_scan *l, size_t j,
                              heft_sorted_numbers *out)
{
    const heft_table *t = l->table;
    const size_t      n_group = l->check->classes.n_group;
    const size_t      most = t->sparse ? l->bycol.start[j + 1] - l->bycol.start[j] : t->n_rows;
    heft_ranked      *spare;
    *out = (heft_sorted_numbers){0};
    HEFT_ALLOCS(ctx, &ctx->scratch, most + 1, out->v, spare);
    HEFT_ALLOC(ctx, &ctx->scratch, out->zero, n_group + 1);
    if (t->sparse) {
        const size_t *row = l->bycol.row + l->bycol.start[j];
        const double *val = l->bycol.val + l->bycol.start[j];
        memcpy(out->zero, l->group_rows, (n_group + 1) * sizeof *out->zero);
        for (size_t k = 0; k < most; k++) {
            const uint8_t g = heft_group_of(l, row[k]);
            out->zero[g == HEFT_NO_GROUP ? n_group : g]--;
            if (!isnan(val[k])) out->v[out->n++] = (heft_ranked){heft_order_key(val[k]), row[k]};
        }
        out->zeros = t->n_rows - most;
    } else {
        const double *x = t->cols[j].cells;
        HEFT_ROWS (i, t->n_rows)
            if (!isnan(x[i])) out->v[out->n++] = (heft_ranked){heft_order_key(x[i]), i};
    }
    heft_order_sort(out->v, spare, out->n);
    return HEFT_OK;
}

bool heft_equals_next(const heft_sorted_numbers *s, heft_equals *run)
{
    const uint64_t zero = heft_order_key(0);
    const uint64_t next = run->hi < s->n ? s->v[run->hi].key : UINT64_MAX;
    const bool     listed = run->hi < s->n;
    run->zeros = s->zeros > 0 && !run->past && (!listed || next >= zero);
    if (!listed && !run->zeros) return false;
    const uint64_t key = run->zeros ? zero : next;
    run->past = run->past || run->zeros;
    run->lo = run->hi;
    while (run->hi < s->n && s->v[run->hi].key == key) run->hi++;
    run->n = run->hi - run->lo + (run->zeros ? s->zeros : 0);
    run->x = heft_order_value(key);
    return true;
}

heft_status heft_codes_of(heft_ctx *ctx, const heft_column_scan *l, size_t j, heft_codes *out)
{
    const heft_table  *t = l->table;
    const heft_column *col = j < t->n_cols ? &t->cols[j] : heft_check_class(t);
    const uint32_t     missing = (uint32_t)heft_dict_size(col->dict);
    uint32_t          *codes;
    *out = (heft_codes){col->cells, col->width};
    if (!t->sparse || j >= t->n_cols) return HEFT_OK;
    HEFT_ALLOC(ctx, &ctx->scratch, codes, t->n_rows + 1);
    for (size_t k = l->bycol.start[j]; k < l->bycol.start[j + 1]; k++)
        codes[l->bycol.row[k]] = isnan(l->bycol.val[k]) ? missing : (uint32_t)l->bycol.val[k];
    *out = (heft_codes){codes, sizeof *codes};
    return HEFT_OK;
}
