/* trim_values.c - values that no row has leave the dictionaries that were learned from rows.
 *
 * A subset of the rows of a file then has the dictionaries that a file of these rows alone would
 * give. Declared values stay, and so do those of the attributes of sparse rows. */
#include "base/all.h"
#include "base/rows.h"
#include "data/table.h"

typedef struct trimming {
    const heft_table *table;
    size_t            n;     /* dictionaries that were learned from rows */
    size_t           *place; /* numbers of their columns; n_cols stands for the target */
    size_t           *start; /* n + 1 places in `met` */
    double           *met;   /* by value: 1 where a row has it */
} trimming;

static heft_column *column_at(const heft_table *table, size_t j)
{
    return j < table->n_cols ? &table->cols[j] : table->target;
}

/* Most columns end early: all their values have been met. */
static heft_status mark_values(heft_ctx *ctx, void *arg, size_t k)
{
    const trimming    *t = arg;
    const heft_column *col = column_at(t->table, t->place[k]);
    double            *met = t->met + t->start[k];
    const size_t       n_values = t->start[k + 1] - t->start[k];
    size_t             left = n_values;
    (void)ctx;
    HEFT_ROWS (i, t->table->n_rows) {
        const uint32_t v = heft_code_at(col->cells, col->width, i);
        if (v >= n_values || met[v] > 0) continue;
        met[v] = 1;
        if (--left == 0) break;
    }
    return HEFT_OK;
}

static heft_status find_values(heft_ctx *ctx, const heft_table *table, trimming *t)
{
    *t = (trimming){.table = table};
    HEFT_ALLOCS(ctx, &ctx->scratch, table->n_cols + 2, t->place, t->start);
    for (size_t j = 0; j < table->n_cols + (table->target != NULL); j++) {
        const heft_column *col = column_at(table, j);
        if (!col->inferred || !col->dict || (table->sparse && j < table->n_cols)) continue;
        t->place[t->n++] = j;
        t->start[t->n] = t->start[t->n - 1] + heft_dict_size(col->dict);
    }
    HEFT_ALLOC(ctx, &ctx->scratch, t->met, t->start[t->n]);
    HEFT_CHECK(heft_run(ctx, t->n, mark_values, t));
    return heft_all_max(ctx, t->met, t->start[t->n]);
}

static bool all_met(const trimming *t, size_t k)
{
    for (size_t v = t->start[k]; v < t->start[k + 1]; v++)
        if (!(t->met[v] > 0)) return false;
    return true;
}

/* In the order that reading these values alone gives: where words are gone it is that of numbers.
 */
static heft_status trim_column(heft_ctx *ctx, const double *met, size_t n_rows, heft_column *col)
{
    HEFT_SCRATCH_SCOPE(ctx);
    HEFT_OWN(heft_dict) *kept = NULL, *sorted = NULL;
    const size_t         n_values = heft_dict_size(col->dict);
    uint32_t            *map, *order;
    HEFT_ALLOCS(ctx, &ctx->scratch, n_values, map, order);
    HEFT_CHECK(heft_dict_create(ctx, &kept));
    for (uint32_t v = 0; v < n_values; v++)
        if (met[v] > 0)
            HEFT_CHECK(heft_dict_add(ctx, kept, heft_dict_text(col->dict, v),
                                     heft_dict_length(col->dict, v), &map[v]));
    HEFT_CHECK(heft_dict_sorted(ctx, kept, &sorted, order));
    for (size_t v = 0; v < n_values; v++) map[v] = order[map[v]]; /* some are never looked up */
    return heft_column_recode(ctx, col, sorted, map, n_rows);
}

heft_status heft_table_infer_values(heft_ctx *ctx, heft_table *table)
{
    HEFT_SCRATCH_SCOPE(ctx);
    trimming t;
    bool     sorted;
    for (size_t j = 0; j < table->n_cols; j++)
        if (table->cols[j].dict) table->cols[j].inferred = true;
    HEFT_CHECK(find_values(ctx, table, &t));
    for (size_t k = 0; k < t.n; k++) {
        heft_column *col = column_at(table, t.place[k]);
        HEFT_CHECK(heft_dict_is_sorted(ctx, col->dict, &sorted));
        if (!sorted || !all_met(&t, k))
            HEFT_CHECK(trim_column(ctx, t.met + t.start[k], table->n_rows, col));
    }
    return HEFT_OK;
}

heft_status heft_table_trim_values(heft_ctx *ctx, const heft_table *table, heft_table **own)
{
    HEFT_SCRATCH_SCOPE(ctx);
    trimming t;
    if (*own) table = *own;
    HEFT_CHECK(find_values(ctx, table, &t));
    for (size_t k = 0; k < t.n; k++) {
        if (all_met(&t, k)) continue;
        HEFT_CHECK(heft_table_own(ctx, table, own));
        HEFT_CHECK(
            trim_column(ctx, t.met + t.start[k], table->n_rows, column_at(*own, t.place[k])));
    }
    return HEFT_OK;
}
