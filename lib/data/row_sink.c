/* row_sink.c - the memory of a sink and of a builder. */
#include <string.h>

#include "data/builder.h"

heft_status heft_entries_grow(heft_ctx *ctx, heft_entries *e, size_t n_rows, size_t n,
                              size_t row_estimate, size_t estimate)
{
    size_t col_capacity = e->capacity; /* that of both arrays, which grow together */
    HEFT_GROW(ctx, e->start, e->row_capacity, n_rows + 1, row_estimate);
    HEFT_GROW(ctx, e->col, col_capacity, n, estimate);
    HEFT_GROW(ctx, e->val, e->capacity, n, estimate);
    return HEFT_OK;
}

void heft_entries_clear(heft_entries *e)
{
    heft_free(e->start);
    heft_free(e->col);
    heft_free(e->val);
    memset(e, 0, sizeof *e);
}

heft_status heft_sink_open(heft_ctx *ctx, heft_builder *b)
{
    const size_t n = b->schema.n_fields;
    if (!b->sink.columns) HEFT_NEW(ctx, b->sink.columns, n);
    for (size_t j = 0; j < n; j++) {
        heft_field *field = &b->schema.fields[j];
        if (field->role == HEFT_ROLE_DROPPED || field->kind != HEFT_NOMINAL) continue;
        if (!field->dict) HEFT_CHECK(heft_dict_create(ctx, &field->dict));
        b->sink.columns[j].width = heft_code_width(heft_dict_size(field->dict));
    }
    return HEFT_OK;
}

void heft_sink_free_rows(heft_row_sink *sink, size_t n_fields)
{
    if (sink->columns)
        for (size_t j = 0; j < n_fields; j++) {
            heft_free(sink->columns[j].cells);
            sink->columns[j].cells = NULL;
            sink->columns[j].capacity = 0;
        }
    heft_free(sink->kept.end);
    heft_buf_clear(&sink->kept.text);
    sink->kept = (heft_kept_rows){0};
    heft_free(sink->row_weight);
    sink->row_weight = NULL;
    sink->weight_capacity = 0;
    heft_entries_clear(&sink->entries);
}

void heft_builder_clear(heft_builder *b)
{
    heft_row_sink *sink = &b->sink;
    heft_sink_free_rows(sink, b->schema.n_fields);
    if (sink->columns)
        for (size_t j = 0; j < b->schema.n_fields; j++) heft_free(sink->columns[j].count);
    heft_free(sink->columns);
    heft_free(sink->missing);
    heft_schema_clear(&b->schema);
    memset(b, 0, sizeof *b);
}
