/* stream.c - reading without keeping all rows: a survey of the whole file, then its rows in blocks.
 *
 * The survey keeps rows while they are few, so that a small file is read once. Beyond that it is
 * light and only counts values, missing cells and cells that are not numbers. */
#include <math.h>

#include "data/batch.h"

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
    const heft_schema   *schema = &b->schema;
    const heft_row_sink *sink = &b->sink;
    size_t               row = 1 + (schema->sparse ? sizeof *sink->entries.start : 0);
    for (size_t j = 0; j < schema->n_fields; j++) {
        const heft_field *field = &schema->fields[j];
        if (!heft_is_used(field) || (schema->sparse && field->role == HEFT_ROLE_ATTRIBUTE))
            continue;
        row += field->kind == HEFT_NUMERIC ? 8 : sink->columns[j].width;
    }
    if (schema->keeps) row += sizeof *sink->kept.end;
    return sink->n_rows * row + sink->kept.text.length +
           sink->entries.n * (sizeof *sink->entries.col + sizeof *sink->entries.val);
}

/* ---- the survey ---- */

/* An array of counts with space for n of them; new ones are 0. */
static heft_status grow_counts(heft_ctx *ctx, size_t **count, size_t *capacity, size_t n)
{
    const size_t before = *capacity;
    HEFT_GROW(ctx, *count, *capacity, n, 16);
    for (size_t k = before; k < *capacity; k++) (*count)[k] = 0;
    return HEFT_OK;
}

/* Counts what the rows at hand hold; then their place is free for the next ones. Missing cells of
 * dense rows are counted already. */
static heft_status count_rows(heft_ctx *ctx, heft_builder *b)
{
    heft_row_sink      *sink = &b->sink;
    const heft_entries *e = &sink->entries;
    for (size_t j = 0; j < b->schema.n_fields; j++) {
        heft_sink_column *c = &sink->columns[j];
        if (!c->cells || b->schema.fields[j].kind != HEFT_NOMINAL) continue;
        const size_t n_values = heft_dict_size(b->schema.fields[j].dict);
        HEFT_CHECK(grow_counts(ctx, &c->count, &c->count_capacity, n_values + 1));
        for (size_t i = 0; i < sink->n_rows; i++) {
            const uint32_t code = heft_code_at(c->cells, c->width, i);
            if (code < n_values) c->count[code]++;
        }
    }
    for (size_t k = 0; k < e->n; k++) {
        if (!isnan(e->val[k])) continue;
        HEFT_CHECK(
            grow_counts(ctx, &sink->missing, &sink->missing_capacity, (size_t)e->col[k] + 1));
        sink->missing[e->col[k]]++;
    }
    sink->n_handed += sink->n_rows;
    sink->n_rows = sink->entries.n = 0;
    return HEFT_OK;
}

bool heft_sink_is_full(const heft_builder *b)
{
    const heft_row_sink *sink = &b->sink;
    if (sink->discard || sink->phase == HEFT_GATHER) return false;
    if (held_bytes(b) < block_bytes(sink->phase == HEFT_SURVEY)) return false;
    /* the cost of a block's columns must not outweigh that of its rows */
    return sink->phase != HEFT_BLOCKS || !b->schema.sparse ||
           sink->entries.n >= 4 * b->schema.n_columns;
}

/* Rows that are too many to be kept are counted from here on, after each run of chunks. */
static heft_status survey_rows(heft_ctx *ctx, heft_builder *b)
{
    if (b->sink.phase == HEFT_SURVEY_LIGHT) return count_rows(ctx, b);
    if (!heft_sink_is_full(b)) return HEFT_OK;
    HEFT_CHECK(count_rows(ctx, b));
    heft_sink_free_rows(&b->sink, b->schema.n_fields);
    b->source.n_expected = 0;
    b->sink.phase = HEFT_SURVEY_LIGHT;
    return HEFT_OK;
}

/* The memory of a block's attributes becomes that of the next block's: pages that the process has
 * touched cost nothing. */
static void take_back(heft_builder *b, heft_table *block)
{
    if (b->schema.sparse) return;
    for (size_t j = 0; j < b->schema.n_fields; j++) {
        const heft_field *field = &b->schema.fields[j];
        if (field->role != HEFT_ROLE_ATTRIBUTE) continue;
        b->sink.columns[j].cells = block->cols[field->place].cells;
        block->cols[field->place].cells = NULL;
    }
}

/* Hands out the rows at hand as a block; where a survey has kept the whole file it is the only one.
 */
static heft_status hand_block(heft_ctx *ctx, heft_builder *b)
{
    HEFT_OWN(heft_table) *table = NULL;
    heft_row_sink        *sink = &b->sink;
    const heft_sink      *to = sink->to;
    HEFT_CHECK(heft_sink_table(ctx, b, &table));
    sink->n_handed += sink->n_rows;
    if (sink->phase == HEFT_SURVEY) HEFT_CHECK(to->begin(ctx, to->arg, table));
    sink->n_rows = sink->weight_capacity = 0;
    for (size_t j = 0; j < b->schema.n_fields; j++) {
        sink->columns[j].n_missing_before += sink->columns[j].n_missing;
        sink->columns[j].n_missing = 0;
    }
    HEFT_CHECK(to->rows(ctx, to->arg, table));
    if (sink->phase == HEFT_BLOCKS) take_back(b, table);
    return HEFT_OK;
}

/* How many cells of a surveyed column are not numbers. */
static size_t count_odd(const heft_schema *schema, const heft_field *field, const size_t *count)
{
    size_t n = 0;
    if (!field->odd.line || !count) return 0;
    for (uint32_t k = 0; k < heft_dict_size(field->dict); k++)
        if (!heft_is_number(schema, heft_dict_text(field->dict, k),
                            heft_dict_length(field->dict, k)))
            n += count[k];
    return n;
}

heft_status heft_sink_surveyed(heft_ctx *ctx, heft_builder *b, bool *again)
{
    HEFT_OWN(heft_table) *schema = NULL;
    heft_row_sink        *sink = &b->sink;
    *again = sink->phase == HEFT_SURVEY_LIGHT;
    if (sink->phase == HEFT_BLOCKS) return HEFT_OK;
    if (sink->phase == HEFT_SURVEY) return hand_block(ctx, b);
    heft_sink_free_rows(sink, b->schema.n_fields);
    sink->n_rows = sink->n_handed;
    sink->n_handed = 0;
    for (size_t j = 0; j < b->schema.n_fields; j++) { /* before the dictionary is sorted */
        heft_field *field = &b->schema.fields[j];
        if (field->kind != HEFT_NOMINAL || !field->dict) continue;
        sink->columns[j].width = heft_code_width(heft_dict_size(field->dict));
        field->n_odd = count_odd(&b->schema, field, sink->columns[j].count);
    }
    HEFT_CHECK(heft_sink_table(ctx, b, &schema));
    for (size_t j = 0; j < b->schema.n_fields; j++) {
        heft_sink_column *c = &sink->columns[j];
        b->schema.fields[j].settled = b->schema.fields[j].kind == HEFT_NOMINAL;
        c->n_missing = c->count_capacity = 0;
        heft_free(c->count);
        c->count = NULL;
    }
    sink->phase = HEFT_BLOCKS;
    sink->n_rows = b->source.n_expected = 0;
    return sink->to->begin(ctx, sink->to->arg, schema);
}

/* ---- blocks ---- */

/* Reading in one pass meets any number of values. So that a column of ever new values does not fill
 * the memory, a large dictionary is replaced by an empty one, and the batches' memos are cleared.
 */
static heft_status forget_values(heft_ctx *ctx, heft_builder *b, heft_batch *batches, size_t n)
{
    enum { MOST_VALUES = 1 << 16 };
    bool any = false;
    if (b->schema.sparse) return HEFT_OK;
    for (size_t j = 0; j < b->schema.n_fields; j++) {
        heft_field *field = &b->schema.fields[j];
        if (!field->dict || field->settled || field->declared) continue;
        if (field->role != HEFT_ROLE_ATTRIBUTE || heft_dict_size(field->dict) <= MOST_VALUES)
            continue;
        heft_dict_free(field->dict);
        field->dict = NULL;
        any = true;
    }
    if (!any) return HEFT_OK;
    for (size_t i = 0; i < n; i++) heft_batch_forget(&batches[i]);
    return heft_sink_open(ctx, b);
}

heft_status heft_sink_hand_out(heft_ctx *ctx, heft_builder *b, heft_batch *batches, size_t n,
                               bool last)
{
    if (b->sink.discard || b->sink.phase == HEFT_GATHER) return HEFT_OK;
    if (b->sink.phase != HEFT_BLOCKS) return survey_rows(ctx, b);
    if (b->sink.n_rows == 0 || (!heft_sink_is_full(b) && !last)) return HEFT_OK;
    HEFT_CHECK(hand_block(ctx, b));
    return forget_values(ctx, b, batches, n);
}

heft_status heft_sink_end(heft_ctx *ctx, heft_builder *b)
{
    heft_row_sink *sink = &b->sink;
    if (sink->n_handed == 0) return heft_no_rows(ctx, &b->schema);
    if (sink->to->begin) return HEFT_OK; /* the survey has warned */
    sink->n_rows = sink->n_handed;
    for (size_t j = 0; j < b->schema.n_fields; j++)
        sink->columns[j].n_missing = sink->columns[j].n_missing_before;
    return heft_sink_warn(ctx, b, sink->n_rows);
}
