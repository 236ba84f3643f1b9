/* gather_rows.c - the rows of all ranks in one table, for work that needs them in one place.
 *
 * Columns travel one at a time: a rank that does not keep the rows never holds more than one. */
#include <string.h>

#include "base/comm.h"
#include "data/merge_dicts.h"

double heft_table_bytes(const heft_table *table)
{
    const double n = (double)table->n_rows;
    double       bytes = table->weight ? sizeof(double) * n : 0;
    if (table->target) bytes += table->target->width * n;
    for (size_t j = 0; j < table->n_cols; j++)
        if (table->cols[j].cells) bytes += table->cols[j].width * n;
    if (table->sparse)
        bytes += sizeof(size_t) * n +
                 (sizeof(uint32_t) + sizeof(double)) * (double)table->sparse->start[table->n_rows];
    return bytes;
}

/* The bytes of all ranks for rank 0: *to, on the heap. On other ranks it stays NULL. */
static heft_status bring(heft_ctx *ctx, const void *mine, size_t n, void **to)
{
    heft_gathered     all = {0};
    const heft_status st = heft_all_gather(ctx, mine, n, &all);
    if (st == HEFT_OK && heft_comm_rank(ctx) == 0) *to = all.bytes, all.bytes = NULL;
    heft_gathered_clear(&all);
    return st;
}

static heft_status bring_column(heft_ctx *ctx, const heft_column *from, size_t n_rows,
                                heft_column *to)
{
    int64_t missing = (int64_t)from->n_missing;
    HEFT_CHECK(heft_all_add(ctx, &missing, 1));
    if (from->cells) HEFT_CHECK(bring(ctx, from->cells, n_rows * from->width, &to->cells));
    to->n_missing = (size_t)missing;
    return heft_comm_rank(ctx) ? HEFT_OK : heft_column_init(ctx, to, from->name, from->dict);
}

/* Compressed rows: entries as they are, the starts from the lengths of the rows. */
static heft_status bring_sparse(heft_ctx *ctx, const heft_table *table, heft_table *whole)
{
    heft_status        st = HEFT_OK;
    const heft_sparse *from = table->sparse;
    const size_t       n = from->start[table->n_rows];
    size_t            *length = NULL, *all = NULL;
    heft_sparse        none = {0}, *to = &none;
    if (whole) {
        HEFT_HEAP(ctx, whole->sparse, 1);
        to = whole->sparse;
        HEFT_HEAP(ctx, to->start, whole->n_rows + 1);
    }
    HEFT_HEAP(ctx, length, table->n_rows);
    for (size_t i = 0; i < table->n_rows; i++) length[i] = from->start[i + 1] - from->start[i];
    HEFT_TRY(bring(ctx, length, table->n_rows * sizeof *length, (void **)(void *)&all));
    HEFT_TRY(bring(ctx, from->col, n * sizeof *from->col, (void **)(void *)&to->col));
    HEFT_TRY(bring(ctx, from->val, n * sizeof *from->val, (void **)(void *)&to->val));
    for (size_t i = 0; whole && i < whole->n_rows; i++) {
        HEFT_KNOWN(all);
        to->start[i + 1] = to->start[i] + all[i];
    }
done:
    heft_free(length);
    heft_free(all);
    return st;
}

static heft_status bring_all(heft_ctx *ctx, const heft_table *table, heft_table *whole)
{
    heft_status st = HEFT_OK;
    heft_column none = {0};
    for (size_t j = 0; j < table->n_cols; j++)
        HEFT_TRY(
            bring_column(ctx, &table->cols[j], table->n_rows, whole ? &whole->cols[j] : &none));
    if (table->target) {
        if (whole) HEFT_HEAP(ctx, whole->target, 1);
        HEFT_TRY(bring_column(ctx, table->target, table->n_rows, whole ? whole->target : &none));
    }
    if (table->weight) {
        void *weight = NULL;
        HEFT_TRY(bring(ctx, table->weight, table->n_rows * sizeof *table->weight, &weight));
        if (whole) whole->weight = weight;
    }
    if (table->sparse) HEFT_TRY(bring_sparse(ctx, table, whole));
done:
    return st;
}

heft_status heft_table_gather(heft_ctx *ctx, const heft_table *table, heft_table **out)
{
    heft_status st = HEFT_OK;
    heft_table *whole = NULL;
    int64_t     n_rows = (int64_t)table->n_rows;
    *out = NULL;
    HEFT_TRY(heft_all_add(ctx, &n_rows, 1));
    if (heft_comm_rank(ctx) == 0) {
        HEFT_TRY(heft_table_new(ctx, (size_t)n_rows, table->n_cols, &whole));
        if (table->name) {
            whole->name = heft_copy_text(table->name);
            if (!whole->name) HEFT_TRY(heft_no_memory(ctx, strlen(table->name) + 1, 1));
        }
    }
    HEFT_TRY(bring_all(ctx, table, whole));
    *out = whole, whole = NULL;
done:
    heft_table_free(whole);
    return st;
}
