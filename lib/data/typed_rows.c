/* typed_rows.c - rows that come as typed columns, not as text. They fill a batch as parsed text
 * does and are joined in the same way, so that both give the same table. */
#include <math.h>
#include <string.h>

#include "data/batch.h"
#include "data/binary_values.h"

static heft_text_cell value_cell(const heft_typed_cells *cells, size_t i, char number[32])
{
    const int32_t v = cells->numbers ? -1 : cells->codes[i];
    if (v >= 0 && (size_t)v < cells->n_values)
        return (heft_text_cell){
            .text = cells->values[v], .length = strlen(cells->values[v]), .quoted = cells->quoted};
    const size_t length = heft_number_text(cells->numbers ? cells->numbers[i] : NAN, number);
    return (heft_text_cell){.text = number, .length = length};
}

/* Whether all numbers are finite. An exponent of all ones runs over into the sign. */
static bool all_finite(const double *x, size_t n)
{
    const uint64_t sign = (uint64_t)1 << 63, one = (uint64_t)1 << 52;
    uint64_t       odd = 0, bits;
    for (size_t i = 0; i < n; i++) {
        memcpy(&bits, x + i, sizeof bits);
        odd |= (bits & ~sign) + one;
    }
    return !(odd & sign);
}

/* Puts cells of any type into a column of numbers or weights. */
static heft_status put_numbers(heft_ctx *ctx, heft_batch *batch, heft_batch_column *column,
                               const heft_typed_cells *cells, const heft_row_group *g)
{
    const bool plain = cells->numbers && column->what == HEFT_CELLS_NUMBER &&
                       !batch->builder->schema.marks.are_numbers;
    char number[32];
    if (cells->numbers && cells->numbers != column->number)
        memcpy(column->number, cells->numbers, g->n_rows * sizeof(double));
    if (plain && all_finite(column->number, g->n_rows)) return HEFT_OK;
    for (size_t i = 0; i < g->n_rows; i++) {
        if (plain && isfinite(column->number[i])) continue;
        if (plain && isnan(column->number[i])) {
            column->number[i] = NAN;
            column->n_missing++;
            continue;
        }
        const heft_text_cell cell = value_cell(cells, i, number);
        batch->line = g->first_row + i;
        HEFT_CHECK(heft_batch_number(ctx, batch, column, &cell, &column->number[i]));
    }
    return HEFT_OK;
}

/* Puts codes into a nominal column. The text of a value is looked up once, when a row has it:
 * values that no row has are not taken over. */
static heft_status put_codes(heft_ctx *ctx, heft_batch *batch, heft_batch_column *column,
                             const heft_typed_cells *cells, const heft_row_group *g)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const uint32_t unseen = HEFT_CODE_MISSING - 1, n = (uint32_t)cells->n_values;
    uint32_t      *own; /* the column's code of a value */
    HEFT_ALLOC(ctx, &ctx->scratch, own, n);
    for (uint32_t v = 0; v < n; v++) own[v] = unseen;
    const int32_t *from = cells->codes;
    uint32_t      *to = column->code, code;
    for (size_t i = 0; i < g->n_rows; i++) {
        for (; i < g->n_rows; i++) { /* values that were looked up */
            code = (uint32_t)from[i] < n ? own[from[i]] : HEFT_CODE_MISSING;
            if (code == unseen) break;
            to[i] = code;
        }
        if (i == g->n_rows) break;
        const heft_text_cell cell = value_cell(cells, i, NULL);
        batch->line = g->first_row + i;
        HEFT_CHECK(heft_batch_code(ctx, batch, column, &cell, &code));
        own[from[i]] = to[i] = code;
    }
    return HEFT_OK;
}

/* Puts numbers into a nominal column, as values. */
static heft_status put_number_values(heft_ctx *ctx, heft_batch *batch, heft_batch_column *column,
                                     const heft_typed_cells *cells, const heft_row_group *g)
{
    char number[32];
    for (size_t i = 0; i < g->n_rows; i++) {
        const heft_text_cell cell = value_cell(cells, i, number);
        batch->line = g->first_row + i;
        if (!heft_memo_find(column->memo, cell.text, cell.length, &column->code[i]))
            HEFT_CHECK(heft_batch_code(ctx, batch, column, &cell, &column->code[i]));
    }
    return HEFT_OK;
}

typedef struct typed_rows {
    heft_batch           *batch;
    const heft_row_group *group;
    heft_typed_cells     *kept; /* by field, or NULL: none are kept */
} typed_rows;

/* Puts the cells of one field. Tasks share the batch except for the line they are at. */
static heft_status put_field(heft_ctx *ctx, void *arg, size_t j)
{
    const typed_rows  *t = arg;
    heft_batch         own = *t->batch;
    heft_batch_column *column = &own.columns[j];
    heft_typed_cells   cells;
    if (column->what == HEFT_CELLS_SKIP && !column->kept) return HEFT_OK;
    HEFT_CHECK(t->group->column(ctx, t->group->arg, j, column->number, &cells));
    if (column->kept) t->kept[j] = cells;
    if (column->what == HEFT_CELLS_SKIP) return HEFT_OK;
    if (column->what != HEFT_CELLS_NOMINAL) return put_numbers(ctx, &own, column, &cells, t->group);
    if (cells.numbers) return put_number_values(ctx, &own, column, &cells, t->group);
    return put_codes(ctx, &own, column, &cells, t->group);
}

/* The text of kept cells, row after row. */
static void keep_rows(const typed_rows *t)
{
    heft_batch *batch = t->batch;
    char        number[32];
    for (batch->n_rows = 0; batch->n_rows < t->group->n_rows; batch->n_rows++)
        for (size_t j = 0; j < batch->builder->schema.n_fields; j++) {
            if (!batch->columns[j].kept) continue;
            const heft_text_cell cell = value_cell(&t->kept[j], batch->n_rows, number);
            heft_batch_keep(batch, cell.text, cell.length);
        }
}

heft_status heft_put_rows(heft_ctx *ctx, heft_builder *b, heft_batch *batch,
                          const heft_row_group *group)
{
    HEFT_SCRATCH_SCOPE(ctx);
    typed_rows t = {.batch = batch, .group = group};
    HEFT_CHECK(heft_sink_open(ctx, b));
    HEFT_CHECK(heft_batch_begin(ctx, batch, b, group->n_rows, 0));
    HEFT_CHECK(heft_batch_in_place(ctx, batch));
    if (b->schema.keeps) HEFT_ALLOC(ctx, &ctx->scratch, t.kept, b->schema.n_fields);
    batch->n_rows = group->n_rows;
    HEFT_CHECK(heft_sink_join_columns(ctx, b, batch, put_field, &t));
    if (b->schema.keeps && !b->sink.discard) keep_rows(&t); /* else the cells are gone */
    HEFT_CHECK(heft_sink_join_rows(ctx, b, batch));
    HEFT_CHECK(heft_sink_joined(ctx, b, batch, 1, group->last));
    return heft_check_cancel(ctx);
}
