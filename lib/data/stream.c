/* stream.c - reading without keeping all rows: a survey of the whole file, then its rows in blocks.
 *
 * The survey keeps rows while they are few, so that a small file is read once. Beyond that it is
 * light and only counts values, missing cells and cells that are not numbers. */
#include <math.h>
#include <string.h>

#include "data/builder.h"

size_t heft_block_bytes = (size_t)4 << 20;

/* For a survey without a limit on memory: more, to avoid a second pass. */
static size_t block_bytes(bool survey)
{
    const size_t limit = heft_memory_limit() / 8;
    if (survey && heft_memory_limit() == 0) return 32 * heft_block_bytes;
    return limit > 0 && limit < heft_block_bytes ? limit : heft_block_bytes;
}

/* Bytes of the rows at hand. */
static size_t held_bytes(const heft_builder *b)
{
    size_t row = 1 + (b->sparse ? sizeof *b->rows.start : 0);
    for (size_t j = 0; j < b->n_fields; j++) {
        const heft_field *field = &b->fields[j];
        if (field->role == HEFT_ROLE_DROPPED || field->idle) continue;
        if (b->sparse && field->role == HEFT_ROLE_ATTRIBUTE) continue;
        row += field->kind == HEFT_NUMERIC ? 8 : field->width;
    }
    if (b->keeps) row += sizeof *b->kept_end;
    return b->n_rows * row + b->kept.length +
           b->n_entries * (sizeof *b->rows.col + sizeof *b->rows.val);
}

/* ---- the survey ---- */

/* Count what the rows at hand hold; then their place is free for the next ones. Missing cells of
 * dense rows are counted already. */
static heft_status count_rows(heft_ctx *ctx, heft_builder *b)
{
    for (size_t j = 0; j < b->n_fields; j++) {
        heft_field *field = &b->fields[j];
        if (!field->cells || field->kind != HEFT_NOMINAL) continue;
        const size_t before = field->count_capacity, n_values = heft_dict_size(field->dict);
        HEFT_GROW(ctx, field->count, field->count_capacity, n_values + 1, 16);
        for (size_t k = before; k < field->count_capacity; k++) field->count[k] = 0;
        for (size_t i = 0; i < b->n_rows; i++) {
            const uint32_t code = heft_code_at(field->cells, field->width, i);
            if (code < n_values) field->count[code]++;
        }
    }
    for (size_t k = 0; k < b->n_entries; k++) {
        if (!isnan(b->rows.val[k])) continue;
        const size_t before = b->missing_capacity, need = (size_t)b->rows.col[k] + 1;
        HEFT_GROW(ctx, b->missing, b->missing_capacity, need, need);
        for (size_t j = before; j < b->missing_capacity; j++) b->missing[j] = 0;
        b->missing[b->rows.col[k]]++;
    }
    b->n_handed += b->n_rows;
    b->n_rows = b->n_entries = 0;
    return HEFT_OK;
}

bool heft_builder_is_full(const heft_builder *b)
{
    if (b->discard || b->phase == HEFT_GATHER) return false;
    if (held_bytes(b) < block_bytes(b->phase == HEFT_SURVEY)) return false;
    /* the cost of a block's columns must not outweigh that of its rows */
    return b->phase != HEFT_BLOCKS || !b->sparse || b->n_entries >= 4 * b->n_columns;
}

/* Rows that are too many to be kept are counted from here on, wave by wave. */
static heft_status survey_wave(heft_ctx *ctx, heft_builder *b)
{
    if (b->phase == HEFT_SURVEY_LIGHT) return count_rows(ctx, b);
    if (!heft_builder_is_full(b)) return HEFT_OK;
    HEFT_CHECK(count_rows(ctx, b));
    heft_builder_free_rows(b);
    b->n_expected = 0;
    b->phase = HEFT_SURVEY_LIGHT;
    return HEFT_OK;
}

/* The place of a block's attributes becomes that of the next block's: memory that the process has
 * touched costs nothing. */
static void take_back(heft_builder *b, heft_table *block)
{
    for (size_t j = 0; j < b->n_fields && !b->sparse; j++) {
        heft_field *field = &b->fields[j];
        if (field->role != HEFT_ROLE_ATTRIBUTE) continue;
        field->cells = block->cols[field->place].cells;
        block->cols[field->place].cells = NULL;
    }
}

/* The rows at hand as a block; where a survey has kept the whole file it is the only one. */
static heft_status hand_block(heft_ctx *ctx, heft_builder *b)
{
    heft_status st = HEFT_OK;
    heft_table *table = NULL;
    HEFT_TRY(heft_builder_finish(ctx, b, &table));
    b->n_handed += b->n_rows;
    if (b->phase == HEFT_SURVEY) HEFT_TRY(b->sink->begin(ctx, b->sink->arg, table));
    b->n_rows = b->n_entries = b->start_capacity = b->entry_capacity = b->weight_capacity = 0;
    for (size_t j = 0; j < b->n_fields; j++) {
        b->fields[j].n_missing_before += b->fields[j].n_missing;
        b->fields[j].n_missing = 0;
    }
    HEFT_TRY(b->sink->rows(ctx, b->sink->arg, table));
    if (b->phase == HEFT_BLOCKS) take_back(b, table);
done:
    heft_table_free(table);
    return st;
}

heft_status heft_builder_surveyed(heft_ctx *ctx, heft_builder *b, bool *again)
{
    heft_status st = HEFT_OK;
    heft_table *schema = NULL;
    *again = b->phase == HEFT_SURVEY_LIGHT;
    if (b->phase == HEFT_BLOCKS) return HEFT_OK;
    if (b->phase == HEFT_SURVEY) return hand_block(ctx, b);
    heft_builder_free_rows(b);
    b->n_rows = b->n_handed;
    b->n_handed = 0;
    for (size_t j = 0; j < b->n_fields; j++) {
        heft_field *field = &b->fields[j];
        if (field->kind != HEFT_NOMINAL || !field->dict) continue;
        field->width = heft_code_width(heft_dict_size(field->dict));
        field->n_odd = 0; /* counted before the dictionary is sorted */
        for (uint32_t k = 0; field->odd_line && field->count && k < heft_dict_size(field->dict);
             k++)
            if (!heft_is_number(b, heft_dict_text(field->dict, k),
                                heft_dict_length(field->dict, k)))
                field->n_odd += field->count[k];
    }
    HEFT_TRY(heft_builder_finish(ctx, b, &schema));
    for (size_t j = 0; j < b->n_fields; j++) {
        heft_field *field = &b->fields[j];
        field->settled = field->kind == HEFT_NOMINAL;
        field->n_missing = 0;
        heft_free(field->count);
        field->count = NULL;
        field->count_capacity = 0;
    }
    b->phase = HEFT_BLOCKS;
    b->n_rows = b->n_expected = 0;
    HEFT_TRY(b->sink->begin(ctx, b->sink->arg, schema));
done:
    heft_table_free(schema);
    return st;
}

/* ---- blocks ---- */

/* Reading in one pass meets any number of values. So that a column of ever new values does not fill
 * the memory, a large dictionary is replaced by an empty one, and the batches' memos are cleared.
 */
static heft_status forget_values(heft_ctx *ctx, heft_builder *b, heft_batch *batches, size_t n)
{
    enum { MOST_VALUES = 1 << 16 };
    bool any = false;
    for (size_t j = 0; j < b->n_fields; j++) {
        heft_field *field = &b->fields[j];
        if (!field->dict || field->settled || field->declared || b->sparse) continue;
        if (field->role != HEFT_ROLE_ATTRIBUTE || heft_dict_size(field->dict) <= MOST_VALUES)
            continue;
        heft_dict_free(field->dict);
        field->dict = NULL;
        any = true;
    }
    if (!any) return HEFT_OK;
    for (size_t i = 0; i < n; i++) heft_batch_forget(&batches[i]);
    return heft_builder_open_dicts(ctx, b);
}

heft_status heft_builder_wave(heft_ctx *ctx, heft_builder *b, heft_batch *batches, size_t n,
                              bool last)
{
    if (b->discard || b->phase == HEFT_GATHER) return HEFT_OK;
    if (b->phase != HEFT_BLOCKS) return survey_wave(ctx, b);
    if (b->n_rows == 0 || (!heft_builder_is_full(b) && !last)) return HEFT_OK;
    HEFT_CHECK(hand_block(ctx, b));
    return forget_values(ctx, b, batches, n);
}

heft_status heft_builder_end(heft_ctx *ctx, heft_builder *b)
{
    if (b->n_handed == 0)
        return heft_fail(ctx, HEFT_EFORMAT, "%s: the file has no data rows", b->name);
    if (b->sink->begin) return HEFT_OK; /* the survey has warned */
    b->n_rows = b->n_handed;
    for (size_t j = 0; j < b->n_fields; j++) b->fields[j].n_missing = b->fields[j].n_missing_before;
    return heft_builder_warn(ctx, b, b->n_rows);
}
