/* stream.c - reading without keeping all rows: a survey of the whole file, then its rows in blocks.
 *
 * The survey keeps rows while they are few, so that a small file is read once. Beyond that it only
 * counts: values, missing cells, cells that are no numbers. */
#include <math.h>
#include <string.h>

#include "data/builder.h"

size_t heft_block_bytes = (size_t)16 << 20;

static size_t block_bytes(void)
{
    const size_t limit = heft_memory_limit() / 8;
    return limit > 0 && limit < heft_block_bytes ? limit : heft_block_bytes;
}

/* A survey may keep more, where memory is not limited: reading once is worth it. */
static size_t survey_bytes(void)
{
    return heft_memory_limit() ? block_bytes() : 8 * heft_block_bytes;
}

/* Bytes of the cells a row takes; of a sparse table only those all rows have. */
static size_t row_bytes(const heft_builder *b)
{
    size_t bytes = 1;
    for (size_t j = 0; j < b->n_fields; j++) {
        const heft_field *field = &b->fields[j];
        if (field->role == HEFT_ROLE_DROPPED || field->idle) continue;
        if (b->sparse && field->role == HEFT_ROLE_ATTRIBUTE) continue;
        bytes += field->kind == HEFT_NUMBER ? 8 : field->width;
    }
    return bytes;
}

static size_t held_bytes(const heft_builder *b)
{
    const size_t entry = sizeof *b->rows.col + sizeof *b->rows.val;
    return b->n_rows * (row_bytes(b) + (b->sparse ? sizeof *b->rows.start : 0)) +
           b->n_entries * entry;
}

/* ---- the survey ---- */

heft_status heft_survey_codes(heft_ctx *ctx, const heft_lane *lane, size_t n, const uint32_t *map)
{
    heft_field *field = lane->field;
    if (!lane->code) return HEFT_OK;
    const size_t before = field->count_room, values = heft_dict_size(field->dict) + 1;
    size_t *count = heft_grown(ctx, field->count, &field->count_room, values, 16, sizeof *count);
    if (!count) return HEFT_ENOMEM;
    field->count = count;
    for (size_t k = before; k < field->count_room; k++) count[k] = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t code = lane->code[i];
        if (code == HEFT_CODE_MISSING) {
            field->n_missing++;
            continue;
        }
        if (code & HEFT_CODE_FRESH) code = map[code & ~HEFT_CODE_FRESH];
        count[code]++;
    }
    return HEFT_OK;
}

static heft_status count_missing(heft_ctx *ctx, heft_builder *b, const uint32_t *col,
                                 const double *val, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        if (!isnan(val[k])) continue;
        const size_t before = b->missing_room;
        size_t      *missing = heft_grown(ctx, b->missing, &b->missing_room, (size_t)col[k] + 1,
                                          (size_t)col[k] + 1, sizeof *missing);
        if (!missing) return HEFT_ENOMEM;
        b->missing = missing;
        for (size_t j = before; j < b->missing_room; j++) missing[j] = 0;
        missing[col[k]]++;
    }
    return HEFT_OK;
}

heft_status heft_survey_entries(heft_ctx *ctx, heft_builder *b, const heft_batch *batch)
{
    return count_missing(ctx, b, batch->col, batch->val, batch->start[batch->n_rows]);
}

/* What the rows kept so far have to tell, before they go. */
static heft_status count_kept(heft_ctx *ctx, heft_builder *b, heft_field *field)
{
    heft_status st = HEFT_OK;
    if (!field->cells || field->kind != HEFT_NOMINAL) return HEFT_OK;
    const size_t n_values = heft_dict_size(field->dict);
    HEFT_HEAP(ctx, field->count, n_values + 1);
    field->count_room = n_values + 1;
    for (size_t i = 0; i < b->n_rows; i++) {
        const uint32_t code = heft_code_at(field->cells, field->width, i);
        if (code < n_values) field->count[code]++; /* else it is missing, and counted */
    }
done:
    return st;
}

static heft_status become_light(heft_ctx *ctx, heft_builder *b)
{
    for (size_t j = 0; j < b->n_fields; j++) HEFT_CHECK(count_kept(ctx, b, &b->fields[j]));
    HEFT_CHECK(count_missing(ctx, b, b->rows.col, b->rows.val, b->n_entries));
    heft_builder_free_rows(b);
    b->stage = HEFT_SURVEY_LIGHT;
    return HEFT_OK;
}

/* Cells that are no numbers, before the dictionary is put in order. */
static void count_odd(heft_field *field)
{
    field->n_odd = 0;
    for (uint32_t k = 0; field->odd_line && field->count && k < heft_dict_size(field->dict); k++)
        if (!heft_is_number(heft_dict_text(field->dict, k), heft_dict_length(field->dict, k)))
            field->n_odd += field->count[k];
}

/* The whole file was kept: it is the first and only block. */
static heft_status hand_whole(heft_ctx *ctx, heft_builder *b)
{
    heft_status st = HEFT_OK;
    heft_table *table = NULL;
    HEFT_TRY(heft_builder_finish(ctx, b, &table));
    b->n_handed = table->n_rows;
    HEFT_TRY(b->sink->begin(ctx, b->sink->arg, table));
    HEFT_TRY(b->sink->rows(ctx, b->sink->arg, table));
done:
    heft_table_free(table);
    return st;
}

static void begin_blocks(heft_builder *b)
{
    for (size_t j = 0; j < b->n_fields; j++) {
        heft_field *field = &b->fields[j];
        field->settled = field->kind == HEFT_NOMINAL;
        field->n_missing = 0;
        heft_free(field->count);
        field->count = NULL;
        field->count_room = 0;
    }
    b->stage = HEFT_BLOCKS;
    b->n_rows = b->n_expected = 0;
}

heft_status heft_builder_surveyed(heft_ctx *ctx, heft_builder *b, bool *again)
{
    heft_status st = HEFT_OK;
    heft_table *schema = NULL;
    *again = b->stage == HEFT_SURVEY_LIGHT;
    if (b->stage == HEFT_BLOCKS) return HEFT_OK;
    if (b->stage == HEFT_SURVEY) return hand_whole(ctx, b);
    for (size_t j = 0; j < b->n_fields; j++) {
        heft_field *field = &b->fields[j];
        if (field->kind != HEFT_NOMINAL || !field->dict) continue;
        field->width = heft_code_width(heft_dict_size(field->dict));
        count_odd(field);
    }
    HEFT_TRY(heft_builder_finish(ctx, b, &schema));
    begin_blocks(b);
    HEFT_TRY(b->sink->begin(ctx, b->sink->arg, schema));
done:
    heft_table_free(schema);
    return st;
}

/* ---- blocks ---- */

/* Reading in one pass takes what comes. A column of ever new values must not fill the memory: its
 * dictionary is begun anew, and what the batches remember of it is forgotten. */
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

static heft_status hand_block(heft_ctx *ctx, heft_builder *b)
{
    heft_status st = HEFT_OK;
    heft_table *table = NULL;
    HEFT_TRY(heft_builder_finish(ctx, b, &table));
    b->n_handed += b->n_rows;
    b->n_rows = b->n_entries = b->start_room = b->entry_room = b->weight_room = 0;
    for (size_t j = 0; j < b->n_fields; j++) {
        b->fields[j].n_missing_before += b->fields[j].n_missing;
        b->fields[j].n_missing = 0;
    }
    HEFT_TRY(b->sink->rows(ctx, b->sink->arg, table));
done:
    heft_table_free(table);
    return st;
}

heft_status heft_builder_wave(heft_ctx *ctx, heft_builder *b, heft_batch *batches, size_t n,
                              bool last)
{
    if (b->discard || b->stage == HEFT_GATHER || b->stage == HEFT_SURVEY_LIGHT) return HEFT_OK;
    if (b->stage == HEFT_SURVEY)
        return held_bytes(b) >= survey_bytes() ? become_light(ctx, b) : HEFT_OK;
    /* what a block costs by its columns must not outweigh its rows */
    const bool enough =
        held_bytes(b) >= block_bytes() && (!b->sparse || b->n_entries >= 4 * b->n_columns);
    if (b->n_rows == 0 || (!enough && !last)) return HEFT_OK;
    HEFT_CHECK(hand_block(ctx, b));
    return forget_values(ctx, b, batches, n);
}

heft_status heft_builder_end(heft_ctx *ctx, heft_builder *b)
{
    if (b->n_handed == 0) return heft_fail(ctx, HEFT_EFORMAT, "%s: no data rows", b->name);
    if (b->sink->begin) return HEFT_OK; /* the survey has told */
    b->n_rows = b->n_handed;
    for (size_t j = 0; j < b->n_fields; j++) b->fields[j].n_missing = b->fields[j].n_missing_before;
    return heft_builder_warn(ctx, b);
}
