/* arrow.c - from record batches to a table. Roles and kinds are assigned as for a file, and cells
 * go through the same builder, a few rows at a time. Columns that need no change are lent: the
 * builder skips them, and the finished table points to their buffers. */
#include "data/arrow.h"

#include <math.h>
#include <string.h>

typedef struct column {
    heft_arrow_type type;   /* type of the cells, or of the indices into the dictionary */
    heft_arrow_type values; /* type of the dictionary's elements */
    bool            coded;  /* it has a dictionary */
    heft_dict      *here;   /* the values of this batch's dictionary; those of booleans */
    int32_t        *place;  /* by element of that dictionary: its code in `here`; -1: null */
    const double   *lent;   /* cells that the table is to read where they are */
} column;

typedef struct reader {
    heft_arrow_source *from;
    heft_builder       b;
    heft_batch         batch; /* used again for all rows */
    column            *cols;  /* one per field */
    size_t             n_lent;
} reader;

/* ---- columns ---- */

static heft_status check_schema(heft_ctx *ctx, const struct ArrowSchema *schema)
{
    if (!schema->release || !schema->format || schema->n_children < 0 ||
        (schema->n_children && !schema->children))
        return heft_fail(ctx, HEFT_EINVAL,
                         HEFT_ARROW_NAME ": the schema was released, or is damaged");
    if (strcmp(schema->format, "+s") != 0)
        return heft_fail(ctx, HEFT_EINVAL,
                         HEFT_ARROW_NAME ": the schema is of type '%s', not a struct of columns "
                                         "(pass a table or record batches, not a single column)",
                         HEFT_SHOW_CELL(schema->format, strlen(schema->format)));
    for (int64_t j = 0; j < schema->n_children; j++) {
        const struct ArrowSchema *child = schema->children[j];
        if (!child || !child->format || (child->name && !heft_utf8_valid(child->name)) ||
            (child->dictionary && !child->dictionary->format))
            return heft_fail(ctx, HEFT_EINVAL,
                             HEFT_ARROW_NAME ": the schema of column %lld is damaged, or its name "
                                             "is not UTF-8",
                             (long long)j + 1);
    }
    return HEFT_OK;
}

static column column_of(const struct ArrowSchema *schema)
{
    column col = {.type = heft_arrow_type_of(schema->format), .coded = schema->dictionary != NULL};
    if (!col.coded) return col;
    col.values = heft_arrow_type_of(schema->dictionary->format);
    const bool index = col.type.what == HEFT_ARROW_SIGNED || col.type.what == HEFT_ARROW_UNSIGNED;
    if (!index || schema->dictionary->dictionary) col.values = (heft_arrow_type){0};
    if (col.values.what == HEFT_ARROW_OTHER) col.type = col.values;
    return col;
}

/* Fields with their roles and kinds. A column that cannot be read is an error where it is used. */
static heft_status add_fields(heft_ctx *ctx, reader *r)
{
    const struct ArrowSchema *from = r->from->schema;
    const size_t              n = (size_t)from->n_children;
    heft_schema              *schema = &r->b.schema;
    HEFT_NEW(ctx, r->cols, n);
    for (size_t j = 0; j < n; j++) {
        const char *name = from->children[j]->name ? from->children[j]->name : "";
        HEFT_CHECK(heft_schema_add(ctx, schema, name, strlen(name)));
        const column col = r->cols[j] = column_of(from->children[j]);
        const bool   nominal = col.coded || col.type.what == HEFT_ARROW_BOOL ||
                             col.type.what == HEFT_ARROW_TEXT || col.type.what == HEFT_ARROW_VIEW;
        heft_field *field = &schema->fields[j];
        field->kind = nominal ? HEFT_NOMINAL : HEFT_NUMERIC;
        field->why = nominal ? "stored as text" : "stored as numbers";
        if (col.type.what == HEFT_ARROW_OTHER && schema->expect &&
            !heft_is_expected(schema->expect, field->name))
            field->role = HEFT_ROLE_DROPPED;
    }
    HEFT_CHECK(heft_schema_assign(ctx, schema));
    for (size_t j = 0; j < n; j++) {
        const struct ArrowSchema *child = from->children[j];
        column                   *col = &r->cols[j];
        uint32_t                  code;
        if (schema->fields[j].role == HEFT_ROLE_DROPPED) continue;
        if (col->type.what == HEFT_ARROW_OTHER)
            return heft_arrow_refuse(ctx, schema->fields[j].name,
                                     child->dictionary ? child->dictionary->format : child->format);
        if (col->type.what != HEFT_ARROW_BOOL) continue;
        HEFT_CHECK(heft_dict_create(ctx, &col->here));
        HEFT_CHECK(heft_dict_add(ctx, col->here, "False", 5, &code));
        HEFT_CHECK(heft_dict_add(ctx, col->here, "True", 4, &code));
    }
    return HEFT_OK;
}

/* ---- cells ---- */

/* The dictionary of a batch. */
static heft_status open_dictionary(heft_ctx *ctx, column *col, const char *name,
                                   const struct ArrowArray *array)
{
    heft_arrow_part part;
    HEFT_CHECK(heft_arrow_part_of(ctx, name, col->values, array->dictionary, 0,
                                  array->dictionary ? (size_t)array->dictionary->length : 0,
                                  &part));
    heft_dict_free(col->here);
    heft_free(col->place);
    col->here = NULL, col->place = NULL;
    HEFT_NEW(ctx, col->place, part.n);
    HEFT_CHECK(heft_dict_create(ctx, &col->here));
    if (part.type.what != HEFT_ARROW_NOTHING)
        HEFT_CHECK(heft_arrow_texts(ctx, name, &part, col->place, col->here));
    if (part.type.what == HEFT_ARROW_NOTHING)
        for (size_t v = 0; v < part.n; v++) col->place[v] = -1;
    return HEFT_OK;
}

static heft_status value_texts(heft_ctx *ctx, const heft_dict *dict, heft_typed_cells *out)
{
    const char **texts;
    out->n_values = heft_dict_size(dict);
    HEFT_ALLOC(ctx, &ctx->scratch, texts, out->n_values);
    for (uint32_t v = 0; v < out->n_values; v++) texts[v] = heft_dict_text(dict, v);
    out->values = texts;
    out->quoted = true;
    return HEFT_OK;
}

/* Read one column of some rows, into `room` or scratch memory. `own` gets the values of a column of
 * texts, for the caller to free. `row`: the first one, from 1. */
static heft_status fill(heft_ctx *ctx, const column *col, const heft_field *field,
                        const heft_arrow_part *part, size_t row, double *room, heft_dict **own,
                        heft_typed_cells *out)
{
    const heft_arrow_what what = part->type.what;
    int32_t              *codes;
    if (!col->coded && what != HEFT_ARROW_TEXT && what != HEFT_ARROW_VIEW &&
        (field->kind == HEFT_NUMERIC || what == HEFT_ARROW_NOTHING)) {
        double *numbers = room;
        if (!room) HEFT_ALLOC(ctx, &ctx->scratch, numbers, part->n);
        heft_arrow_numbers(part, numbers);
        out->numbers = numbers;
        return heft_arrow_finite(ctx, field->name, numbers, part->n, row);
    }
    HEFT_ALLOC(ctx, &ctx->scratch, codes, part->n);
    out->codes = codes;
    if (col->coded) {
        const size_t size = (size_t)part->array->dictionary->length;
        HEFT_CHECK(heft_arrow_indices(ctx, field->name, part, size, codes));
        for (size_t i = 0; i < part->n; i++) codes[i] = codes[i] < 0 ? -1 : col->place[codes[i]];
        return value_texts(ctx, col->here, out);
    }
    if (what == HEFT_ARROW_BOOL) {
        for (size_t i = 0; i < part->n; i++)
            codes[i] =
                !heft_arrow_known(part, i) ? -1 : heft_arrow_bit(part->cells, part->first + i);
        return value_texts(ctx, col->here, out);
    }
    HEFT_CHECK(heft_dict_create(ctx, own));
    HEFT_CHECK(heft_arrow_texts(ctx, field->name, part, codes, *own));
    return value_texts(ctx, *own, out);
}

static bool is_read(const reader *r, size_t j)
{
    return r->b.schema.fields[j].role != HEFT_ROLE_DROPPED && !r->cols[j].lent;
}

/* Some rows of a batch that are put at once. */
typedef struct slice {
    const reader            *r;
    const struct ArrowArray *batch;
    size_t                   lo, n, row; /* the first row in the batch; how many; in the table */
    heft_dict              **own;        /* by field: see fill */
} slice;

static heft_status next_cells(heft_ctx *ctx, void *arg, size_t j, double *room,
                              heft_typed_cells *out)
{
    const slice      *s = arg;
    const column     *col = &s->r->cols[j];
    const heft_field *field = &s->r->b.schema.fields[j];
    heft_arrow_part   part;
    *out = (heft_typed_cells){0};
    HEFT_CHECK(heft_arrow_part_of(ctx, field->name, col->type, s->batch->children[j],
                                  (size_t)s->batch->offset + s->lo, s->n, &part));
    return fill(ctx, col, field, &part, s->row, room, &s->own[j], out);
}

static heft_status put_rows(heft_ctx *ctx, reader *r, const struct ArrowArray *batch, size_t lo,
                            size_t n)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_status st = HEFT_OK;
    slice       s = {r, batch, lo, n, r->b.sink.n_rows + 1, NULL};
    HEFT_ARENA(ctx, &ctx->scratch, s.own, r->b.schema.n_fields);
    HEFT_TRY(heft_put_rows(
        ctx, &r->b, &r->batch,
        &(heft_row_group){.n_rows = n, .first_row = s.row, .column = next_cells, .arg = &s}));
done:
    if (s.own)
        for (size_t j = 0; j < r->b.schema.n_fields; j++) heft_dict_free(s.own[j]);
    return st;
}

static heft_status put_batch(heft_ctx *ctx, reader *r, const struct ArrowArray *batch)
{
    enum { CELLS = 1 << 20, MOST_ROWS = 1 << 16 }; /* 8 MB of them at a time */
    const size_t n = (size_t)batch->length, fits = CELLS / (r->b.schema.n_fields + 1) + 1;
    const size_t step = fits < MOST_ROWS ? fits : MOST_ROWS;
    for (size_t j = 0; j < r->b.schema.n_fields; j++)
        if (is_read(r, j) && r->cols[j].coded)
            HEFT_CHECK(
                open_dictionary(ctx, &r->cols[j], r->b.schema.fields[j].name, batch->children[j]));
    for (size_t lo = 0; lo < n; lo += step)
        HEFT_CHECK(put_rows(ctx, r, batch, lo, n - lo < step ? n - lo : step));
    return HEFT_OK;
}

/* The columns of the only batch that the table can read where they are. */
static heft_status lend_columns(heft_ctx *ctx, reader *r, const struct ArrowArray *batch)
{
    const size_t n = (size_t)batch->length;
    if (n == 0 || r->b.schema.marks.are_numbers) return HEFT_OK;
    HEFT_CHECK(heft_sink_open(ctx, &r->b));
    for (size_t j = 0; j < r->b.schema.n_fields; j++) {
        heft_field     *field = &r->b.schema.fields[j];
        column         *col = &r->cols[j];
        heft_arrow_part part;
        if (field->role != HEFT_ROLE_ATTRIBUTE || field->kind != HEFT_NUMERIC || col->coded ||
            col->type.what != HEFT_ARROW_FLOAT || col->type.width != sizeof(double))
            continue;
        HEFT_CHECK(heft_arrow_part_of(ctx, field->name, col->type, batch->children[j],
                                      (size_t)batch->offset, n, &part));
        const void *at = part.cells + part.first * sizeof(double);
        if ((uintptr_t)at % _Alignof(double) || heft_arrow_has_nulls(&part)) continue;
        HEFT_CHECK(heft_arrow_finite(ctx, field->name, at, n, 1));
        col->lent = at;
        for (size_t i = 0; i < n; i++) r->b.sink.columns[j].n_missing += isnan(col->lent[i]) != 0;
        field->idle = true;
        r->n_lent++;
    }
    return HEFT_OK;
}

/* ---- batches ---- */

heft_status heft_arrow_stream_failed(heft_ctx *ctx, struct ArrowArrayStream *stream)
{
    const char *why = stream->get_last_error ? stream->get_last_error(stream) : NULL;
    return heft_fail(ctx, HEFT_EIO, "the Arrow stream failed: %s",
                     why ? HEFT_SHOW(why, 300) : "it does not say why");
}

/* The next batch; its `release` is NULL where there is none. One of a list stays the caller's. */
static heft_status pull(heft_ctx *ctx, heft_arrow_source *from, struct ArrowArray *out)
{
    *out = (struct ArrowArray){0};
    if (from->list) {
        if (from->at == from->n) return HEFT_OK;
        *out = from->list[from->at++];
        return heft_arrow_check_batch(ctx, from->schema, out);
    }
    if (from->stream->get_next(from->stream, out) != 0) {
        out->release = NULL;
        return heft_arrow_stream_failed(ctx, from->stream);
    }
    return out->release ? heft_arrow_check_batch(ctx, from->schema, out) : HEFT_OK;
}

/* A batch that was pulled is not needed any more. */
static void drop(const heft_arrow_source *from, struct ArrowArray *batch)
{
    if (!from->list && batch->release) batch->release(batch);
    batch->release = NULL;
}

/* All rows. Where columns are lent *lender gets the batch they are of. */
static heft_status put_all(heft_ctx *ctx, reader *r, struct ArrowArray *lender)
{
    heft_status       st = HEFT_OK;
    struct ArrowArray now = {0}, next = {0};
    HEFT_TRY(pull(ctx, r->from, &now));
    if (now.release) HEFT_TRY(pull(ctx, r->from, &next));
    if (now.release && !next.release) {
        HEFT_TRY(lend_columns(ctx, r, &now));
        r->b.source.n_expected = (size_t)now.length;
    }
    while (now.release) {
        HEFT_TRY(put_batch(ctx, r, &now));
        if (r->n_lent) *lender = now, now.release = NULL;
        drop(r->from, &now);
        now = next, next.release = NULL;
        if (now.release) HEFT_TRY(pull(ctx, r->from, &next));
    }
done:
    drop(r->from, &now);
    drop(r->from, &next);
    return st;
}

/* ---- the table ---- */

static void finish(const reader *r, heft_table *table)
{
    heft_free(table->label); /* the table does not come from a file */
    heft_free(table->name);
    table->label = table->name = NULL;
    for (size_t j = 0; j < r->b.schema.n_fields; j++) {
        if (!r->cols[j].lent) continue;
        heft_column *to = &table->cols[r->b.schema.fields[j].place];
        to->cells = (double *)r->cols[j].lent, to->borrowed = true;
    }
}

heft_status heft_arrow_read(heft_ctx *ctx, heft_arrow_source *from, const heft_source *how,
                            const heft_expect *expect, heft_table **out)
{
    heft_status        st = HEFT_OK;
    heft_source        plan = how ? *how : (heft_source){0};
    reader             r = {.from = from};
    struct ArrowArray  lender = {0};
    heft_table        *table = NULL;
    struct ArrowArray *kept = NULL;
    *out = NULL;
    plan.decimal_mark = 0;
    plan.keep = NULL;
    HEFT_TRY(check_schema(ctx, from->schema));
    HEFT_TRY(heft_schema_init(ctx, &r.b.schema, HEFT_ARROW_NAME, &plan, expect));
    r.b.source.title = HEFT_ARROW_NAME;
    r.b.schema.marks.quotes_count = r.b.schema.may_be_empty = true;
    HEFT_HEAP(ctx, kept, 1);
    HEFT_TRY(add_fields(ctx, &r));
    HEFT_TRY(put_all(ctx, &r, &lender));
    HEFT_TRY(heft_sink_table(ctx, &r.b, &table));
    finish(&r, table);
    if (from->list)
        for (size_t k = 0; k < from->n; k++) { /* from here on nothing fails */
            if (!r.n_lent) from->list[k].release(&from->list[k]);
            from->list[k].release = NULL;
        }
    if (r.n_lent) *kept = lender, table->lender = kept, kept = NULL, lender.release = NULL;
    *out = table, table = NULL;
done:
    drop(from, &lender);
    heft_free(kept);
    heft_table_delete(table);
    if (r.cols)
        for (size_t j = 0; j < (size_t)from->schema->n_children; j++) {
            heft_dict_free(r.cols[j].here);
            heft_free(r.cols[j].place);
        }
    heft_free(r.cols);
    heft_batch_clear(&r.batch);
    heft_builder_clear(&r.b);
    return st;
}
