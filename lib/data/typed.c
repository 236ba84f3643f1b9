/* typed.c - rows that come as typed columns, not as text: they fill a batch like parsed text and
 * are joined in the same way. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "data/builder.h"

/* The text of a number, as a CSV file would have it: empty where missing. Reading 8 bytes of `out`
 * is fine (heft_memo_find). */
static size_t number_text(double x, char out[32])
{
    memset(out, 0, 8);
    if (isfinite(x)) return heft_format_double(out, x);
    if (isnan(x)) return 0;
    const char *text = x < 0 ? "-inf" : "inf";
    memcpy(out, text, strlen(text) + 1);
    return strlen(text);
}

static heft_status put_numbers(heft_ctx *ctx, heft_batch *batch, heft_lane *lane,
                               const double *numbers, const heft_row_group *g)
{
    const bool plain = lane->what == HEFT_LANE_NUMBER && !batch->builder->marks_are_numbers;
    for (size_t i = 0; i < g->n_rows; i++) {
        char text[32];
        if (plain && isfinite(numbers[i])) {
            lane->number[i] = numbers[i];
            continue;
        }
        const size_t length = number_text(numbers[i], text), row = g->first_row + i;
        if (lane->what != HEFT_LANE_NOMINAL)
            HEFT_CHECK(
                heft_lane_number(ctx, batch, lane, text, length, false, row, &lane->number[i]));
        else if (!heft_memo_find(lane, text, length, &lane->code[i]))
            HEFT_CHECK(heft_lane_code(ctx, batch, lane, text, length, false, row, &lane->code[i]));
    }
    return HEFT_OK;
}

/* Each value is looked up once, when a row has it: values that no row has are not taken over. */
static heft_status put_codes(heft_ctx *ctx, heft_batch *batch, heft_lane *lane,
                             const heft_typed_cells *cells, const heft_row_group *g)
{
    uint32_t *own;   /* the lane's code of a value */
    bool     *known; /* it was looked up */
    HEFT_ALLOCS(ctx, &batch->arena, cells->n_values, own, known);
    for (size_t i = 0; i < g->n_rows; i++) {
        const int32_t v = cells->codes[i];
        const bool    missing = v < 0 || (size_t)v >= cells->n_values;
        const char   *text = missing ? "" : cells->values[v];
        const size_t  length = missing || (lane->code && known[v]) ? 0 : strlen(text);
        if (lane->what != HEFT_LANE_NOMINAL) {
            HEFT_CHECK(heft_lane_number(ctx, batch, lane, text, length, false, g->first_row + i,
                                        &lane->number[i]));
            continue;
        }
        if (!missing && !known[v]) {
            HEFT_CHECK(
                heft_lane_code(ctx, batch, lane, text, length, false, g->first_row + i, &own[v]));
            known[v] = true;
        }
        HEFT_KNOWN(lane->code);
        lane->code[i] = missing ? HEFT_CODE_MISSING : own[v];
    }
    return HEFT_OK;
}

heft_status heft_builder_put(heft_ctx *ctx, heft_builder *b, const heft_row_group *group)
{
    heft_status st = HEFT_OK;
    heft_batch  batch = {0};
    HEFT_TRY(heft_builder_open_dicts(ctx, b));
    HEFT_TRY(heft_batch_begin(ctx, &batch, b, group->n_rows, 0));
    for (size_t j = 0; j < b->n_fields; j++) {
        heft_lane              *lane = &batch.lanes[j];
        const heft_typed_cells *cells = &group->cells[j];
        if (lane->what == HEFT_LANE_SKIP) continue;
        if (cells->numbers) HEFT_TRY(put_numbers(ctx, &batch, lane, cells->numbers, group));
        else HEFT_TRY(put_codes(ctx, &batch, lane, cells, group));
    }
    batch.n_rows = group->n_rows;
    HEFT_TRY(heft_builder_join(ctx, b, &batch, 1, 1, group->last));
    HEFT_TRY(heft_check_cancel(ctx));
done:
    heft_batch_clear(&batch);
    return st;
}
