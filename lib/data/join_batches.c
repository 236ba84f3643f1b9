/* join_batches.c - batches are joined to growing columns in the order of the file.
 *
 * A join has two parts. Columns can be joined at the same time, because they share nothing: the
 * codes of the batch's own values become codes of the field, and the cells are copied behind those
 * that are there. What belongs to whole rows (sparse entries, weights, kept text) follows.
 *
 * Other tasks may parse further chunks meanwhile and look values up in the dictionaries. So a new
 * value waits in heft_field.later, where it already has its final code, until no task is running
 * (heft_sink_joined). */
#include "data/batch.h"

#include <string.h>

heft_status heft_sink_again(heft_ctx *ctx, heft_builder *b, bool *again)
{
    heft_row_sink *sink = &b->sink;
    *again = sink->discard;
    if (!sink->discard) return sink->to ? heft_sink_surveyed(ctx, b, again) : HEFT_OK;
    /* forget the rows and keep the fields; refuted columns are nominal from here on */
    heft_sink_free_rows(sink, b->schema.n_fields);
    sink->n_rows = sink->n_listed = 0;
    sink->discard = sink->weighted = sink->sorted = false;
    if (sink->phase == HEFT_SURVEY_LIGHT) sink->n_handed = 0, sink->phase = HEFT_SURVEY;
    for (size_t j = 0; j < b->schema.n_fields; j++) {
        heft_field *field = &b->schema.fields[j];
        if (field->refuted) field->kind = HEFT_NOMINAL;
        field->refuted = false;
        if (!field->declared) {
            heft_dict_free(field->dict);
            field->dict = NULL;
        }
        field->odd.line = field->huge.line = field->n_odd = 0;
        if (!sink->columns) continue;
        heft_free(sink->columns[j].count);
        sink->columns[j] = (heft_sink_column){0};
    }
    return HEFT_OK;
}

/* ---- the columns of a batch ---- */

/* Makes cells wider, once the dictionary has outgrown them. */
static heft_status widen(heft_ctx *ctx, const heft_field *field, heft_sink_column *to,
                         size_t n_rows)
{
    const unsigned width =
        heft_code_width(heft_dict_size(field->dict) + heft_dict_size(field->later));
    if (width <= to->width) return HEFT_OK;
    if (to->cells) {
        void *cells = heft_alloc(to->capacity, width);
        if (!cells) return heft_no_memory(ctx, to->capacity, width);
        const uint32_t none = heft_building_none(to->width);
        HEFT_ROWS (i, n_rows) {
            const uint32_t code = heft_code_at(to->cells, to->width, i);
            heft_code_put(cells, width, i, code == none ? UINT32_MAX : code);
        }
        heft_free(to->cells);
        to->cells = cells;
    }
    to->width = width;
    return HEFT_OK;
}

/* Copies codes to cells[at ...] and returns the number of missing ones. Fresh codes are translated
 * by `map`, which is NULL where there are none. */
static size_t copy_codes(const uint32_t *from, size_t n, const uint32_t *map, void *cells,
                         unsigned width, size_t at)
{
    size_t missing = 0;
    if (width == 1 && !map) { /* cutting off makes the missing code that of one byte */
        uint8_t *to = (uint8_t *)cells + at;
        for (size_t i = 0; i < n; i++) {
            to[i] = (uint8_t)from[i];
            missing += from[i] == HEFT_CODE_MISSING;
        }
        return missing;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t code = from[i];
        if (code == HEFT_CODE_MISSING) missing++;
        else if (code & HEFT_CODE_FRESH) {
            HEFT_KNOWN(map);
            code = map[code & ~HEFT_CODE_FRESH];
        }
        heft_code_put(cells, width, at + i, code);
    }
    return missing;
}

/* The cells of a batch column go behind those that the sink has. */
static heft_status append_cells(heft_ctx *ctx, const heft_builder *b, const heft_batch *batch,
                                const heft_batch_column *column, const uint32_t *map)
{
    const size_t      at = batch->first_row, n = batch->n_rows;
    heft_sink_column *to = column->to;
    const bool        nominal = column->what == HEFT_CELLS_NOMINAL;
    if (column->number) to->n_missing += column->n_missing;
    if (nominal) HEFT_CHECK(widen(ctx, column->field, to, at));
    if (!column->code && !column->number) return HEFT_OK;
    HEFT_KNOWN(nominal ? column->code != NULL : column->number != NULL);
    const unsigned width = nominal ? to->width : sizeof(double);
    void *cells = heft_grown(ctx, to->cells, &to->capacity, at + n, b->source.n_expected, width);
    if (!cells) return HEFT_ENOMEM;
    to->cells = cells;
    if (nominal) to->n_missing += copy_codes(column->code, n, map, cells, width, at);
    else if ((double *)cells + at != column->number)
        memcpy((double *)cells + at, column->number, n * sizeof(double));
    return HEFT_OK;
}

/* Finds or makes the code of a value. */
static heft_status add_value(heft_ctx *ctx, heft_field *field, const char *text, size_t length,
                             uint32_t *code)
{
    *code = heft_dict_find(field->dict, text, length);
    if (*code != HEFT_DICT_NONE) return HEFT_OK;
    if (!field->later) HEFT_CHECK(heft_dict_create(ctx, &field->later));
    HEFT_CHECK(heft_dict_add(ctx, field->later, text, length, code));
    *code += (uint32_t)heft_dict_size(field->dict);
    return HEFT_OK;
}

/* Gives the values that the batch brings codes of the field: map[code in the batch]. */
static heft_status join_values(heft_ctx *ctx, const heft_builder *b, heft_batch *batch,
                               const heft_batch_column *column, uint32_t *map)
{
    heft_field       *field = column->field;
    const heft_fresh *fresh = column->fresh;
    if (field->settled)
        return heft_fail(ctx, HEFT_EIO, "%s: the file changed while it was read (try again)",
                         b->schema.name);
    for (uint32_t k = 0; k < heft_dict_size(fresh->dict); k++) {
        const char  *text = heft_dict_text(fresh->dict, k);
        const size_t length = heft_dict_length(fresh->dict, k);
        HEFT_CHECK(add_value(ctx, field, text, length, &map[k]));
        if (field->odd.line || field->why || heft_is_number(&b->schema, text, length)) continue;
        field->odd.line = fresh->line[k];
        field->odd_code = map[k];
    }
    if (!b->schema.sparse || field->role != HEFT_ROLE_ATTRIBUTE) return HEFT_OK;
    heft_entries *e = &batch->entries; /* a code of the batch's own is stored as -1 - code */
    for (size_t k = 0; k < e->start[batch->n_rows]; k++)
        if (e->col[k] == field->place && e->val[k] < 0) e->val[k] = map[(uint32_t)(-e->val[k] - 1)];
    return HEFT_OK;
}

static void note_first(heft_finding *to, size_t line, const char *text)
{
    if (!line || to->line) return;
    to->line = line;
    memcpy(to->text, text, sizeof to->text);
}

static heft_status join_column(heft_ctx *ctx, const heft_builder *b, heft_batch *batch,
                               heft_batch_column *column)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_field *const field = column->field;
    uint32_t         *map = NULL;
    note_first(&field->huge, column->huge_line, column->huge);
    if (b->sink.discard || column->what == HEFT_CELLS_SKIP) return HEFT_OK;
    note_first(&field->odd, column->odd_line, column->odd);
    field->n_odd += column->n_odd;
    if (column->fresh) {
        HEFT_ALLOC(ctx, &ctx->scratch, map, heft_dict_size(column->fresh->dict));
        HEFT_CHECK(join_values(ctx, b, batch, column, map));
    }
    return append_cells(ctx, b, batch, column, map);
}

typedef struct joining {
    heft_builder *builder;
    heft_batch   *batch;
    heft_task_fn *fill; /* or NULL */
    void         *arg;
} joining;

static heft_status join_fields(heft_ctx *ctx, void *arg, size_t lo, size_t hi)
{
    const joining *g = arg;
    for (size_t j = lo; j < hi; j++) {
        if (g->fill) HEFT_CHECK(g->fill(ctx, g->arg, j));
        HEFT_CHECK(join_column(ctx, g->builder, g->batch, &g->batch->columns[j]));
    }
    return HEFT_OK;
}

heft_status heft_sink_join_columns(heft_ctx *ctx, heft_builder *b, heft_batch *batch,
                                   heft_task_fn *fill, void *arg)
{
    joining        g = {b, batch, fill, arg};
    heft_row_sink *sink = &b->sink;
    const size_t   n = b->schema.n_fields;
    batch->first_row = sink->n_rows;
    sink->n_rows += batch->n_rows;
    if (b->source.n_expected < sink->n_rows && sink->phase == HEFT_BLOCKS)
        b->source.n_expected = sink->n_rows;
    /* One field is a task, unless there are many: columns of numbers reach new pages at the same
     * time, and to clear these takes long. */
    if (b->schema.sparse) HEFT_CHECK(join_fields(ctx, &g, 0, n)); /* fields share the entries */
    else HEFT_CHECK(heft_run_blocks(ctx, n, 1 + n / 64, join_fields, &g));
    for (size_t j = 0; j < n; j++)
        if (batch->columns[j].refuted) sink->discard = b->schema.fields[j].refuted = true;
    return HEFT_OK;
}

/* ---- what rows have besides columns ---- */

/* Estimates how many there will be when all is read, by the n of the first batch. */
static size_t expect_all(const heft_builder *b, size_t n)
{
    const bool known = b->sink.phase == HEFT_GATHER && b->source.done > 0;
    return known ? (size_t)((double)n / b->source.done * 1.05) : n;
}

static heft_status join_entries(heft_ctx *ctx, heft_builder *b, const heft_batch *batch)
{
    heft_entries       *to = &b->sink.entries;
    const heft_entries *from = &batch->entries;
    const size_t at = batch->first_row, rows = batch->n_rows, n = from->start[rows], before = to->n;
    if (batch->highest_column > b->schema.n_columns) b->schema.n_columns = batch->highest_column;
    b->sink.n_listed += n;
    HEFT_CHECK(heft_entries_grow(ctx, to, at + rows, before + n + 1, expect_all(b, rows) + 1,
                                 expect_all(b, n)));
    if (n) memcpy(to->col + before, from->col, n * sizeof *to->col);
    if (n) memcpy(to->val + before, from->val, n * sizeof *to->val);
    for (size_t i = 0; i <= rows; i++) to->start[at + i] = before + from->start[i];
    to->n += n;
    return HEFT_OK;
}

static heft_status join_weights(heft_ctx *ctx, heft_builder *b, const heft_batch *batch)
{
    heft_row_sink *sink = &b->sink;
    const size_t   at = batch->first_row, n = batch->n_rows, from = sink->row_weight ? at : 0;
    if (batch->row_weight) sink->weighted = true;
    if (!sink->weighted) return HEFT_OK;
    HEFT_GROW(ctx, sink->row_weight, sink->weight_capacity, at + n, b->source.n_expected);
    for (size_t i = from; i < at; i++) sink->row_weight[i] = 1; /* rows before the first weight */
    for (size_t i = 0; i < n; i++)
        sink->row_weight[at + i] = batch->row_weight ? batch->row_weight[i] : 1;
    return HEFT_OK;
}

static heft_status join_kept(heft_ctx *ctx, heft_builder *b, const heft_batch *batch)
{
    heft_kept_rows *to = &b->sink.kept;
    const size_t    before = to->text.length;
    if (!b->schema.keeps) return HEFT_OK;
    HEFT_GROW(ctx, to->end, to->capacity, b->sink.n_rows, b->source.n_expected);
    heft_buf_add(&to->text, batch->kept.text.data, batch->kept.text.length);
    if (batch->kept.text.failed || to->text.failed) return heft_no_memory(ctx, to->text.length, 2);
    for (size_t i = 0; i < batch->n_rows; i++)
        to->end[batch->first_row + i] = before + batch->kept.end[i];
    return HEFT_OK;
}

heft_status heft_sink_join_rows(heft_ctx *ctx, heft_builder *b, const heft_batch *batch)
{
    if (!b->source.latin_line) b->source.latin_line = batch->latin_line;
    if (b->sink.discard) return HEFT_OK;
    if (b->schema.sparse) HEFT_CHECK(join_entries(ctx, b, batch));
    HEFT_CHECK(join_weights(ctx, b, batch));
    return join_kept(ctx, b, batch);
}

/* Values that batches have brought enter the dictionaries, and keep their codes. */
static heft_status add_later(heft_ctx *ctx, heft_schema *schema)
{
    for (size_t j = 0; j < schema->n_fields; j++) {
        heft_field *field = &schema->fields[j];
        uint32_t    code;
        for (uint32_t k = 0; k < heft_dict_size(field->later); k++)
            HEFT_CHECK(heft_dict_add(ctx, field->dict, heft_dict_text(field->later, k),
                                     heft_dict_length(field->later, k), &code));
        heft_dict_free(field->later);
        field->later = NULL;
    }
    return HEFT_OK;
}

heft_status heft_sink_joined(heft_ctx *ctx, heft_builder *b, heft_batch *batches, size_t n,
                             bool last)
{
    heft_row_sink *sink = &b->sink;
    HEFT_CHECK(add_later(ctx, &b->schema));
    if (sink->discard) heft_sink_free_rows(sink, b->schema.n_fields);
    const bool whole = sink->phase == HEFT_GATHER || sink->phase == HEFT_SURVEY;
    if (whole && !sink->sorted && sink->n_rows > 0 && !sink->discard) {
        HEFT_CHECK(heft_sink_sort(ctx, b));
        for (size_t i = 0; i < n; i++) heft_batch_forget(&batches[i]);
        sink->sorted = true;
    }
    return heft_sink_hand_out(ctx, b, batches, n, last);
}
