/* parquet.c - Parquet: columns with types, row groups, only the columns that are needed.
 *
 * Rows are read in slices: each needed column gives its next cells, in parallel, and the slice goes
 * to the builder. Columns that are left out are not looked at. Numbers are numeric, texts and truth
 * values nominal; dates are values only where somebody asks for it. See docs/formats.md. */
#include <string.h>

#include "base/comm.h"
#include "data/formats/parquet/reader.h"

static const char stored_numbers[] = "the column is stored as numbers";
static const char stored_texts[] = "the column is stored as text";

/* "PAR1", or "PARE" where it is encrypted, and then no text: a column may be called that. */
static bool parquet_sniff(const char *p, size_t n)
{
    return n >= 12 && (memcmp(p, "PAR1", 4) == 0 || memcmp(p, "PARE", 4) == 0) &&
           !heft_is_plain_text(p + 4, n - 4);
}

/* ---- columns ---- */

static bool is_time(const heft_parquet_column *c)
{
    return c->meaning >= HEFT_MEANS_DATE;
}

/* pandas stores the labels of rows as last columns, which would be taken for the class. */
static heft_status drop_index(heft_ctx *ctx, const heft_schema *schema, heft_field *field)
{
    if (schema->expect && heft_is_expected(schema->expect, field->name)) return HEFT_OK;
    field->role = HEFT_ROLE_DROPPED;
    if (!schema->expect && heft_comm_rank(ctx) == 0)
        heft_say(ctx, HEFT_WARNING,
                 "%s: column '%s' is left out as the row index (rename it to use it)", schema->name,
                 HEFT_SHOW_NAME(field->name));
    return HEFT_OK;
}

static heft_status add_column(heft_ctx *ctx, heft_schema *schema, const heft_parquet_file *file,
                              const heft_parquet_column *c)
{
    const bool nominal = c->meaning >= HEFT_MEANS_TRUTH && c->meaning <= HEFT_MEANS_TEXT;
    if (c->name_length && memchr(c->name, 0, c->name_length))
        return heft_parquet_damaged(ctx, file, c, "its name has a NUL byte");
    HEFT_CHECK(heft_schema_add(ctx, schema, c->name, c->name_length));
    heft_field *field = &schema->fields[schema->n_fields - 1];
    if (!heft_utf8_valid(field->name))
        return heft_parquet_damaged(ctx, file, c, "its name is not UTF-8");
    field->kind = nominal ? HEFT_NOMINAL : HEFT_NUMERIC;
    if (!c->refused && !is_time(c)) field->why = nominal ? stored_texts : stored_numbers;
    if (strncmp(field->name, "__index_level_", 14) == 0) return drop_index(ctx, schema, field);
    /* a column that the model does not need is no reason to fail */
    if ((!field->why || c->meaning == HEFT_MEANS_BYTES) && schema->expect &&
        !heft_is_expected(schema->expect, field->name))
        field->role = HEFT_ROLE_DROPPED;
    return HEFT_OK;
}

static bool is_needed(const heft_field *field)
{
    return field->kept || heft_is_used(field);
}

/* Columns that are needed must be such that heft can read them. */
static heft_status check_needed(heft_ctx *ctx, const heft_schema *schema,
                                const heft_parquet_file *file)
{
    for (size_t j = 0; j < file->n_columns; j++) {
        const heft_parquet_column *c = &file->columns[j];
        const heft_field          *field = &schema->fields[j];
        const char                *name = HEFT_SHOW_NAME(field->name);
        const bool                 used = heft_is_used(field);
        if (is_needed(field) && c->refused)
            return heft_fail(ctx, HEFT_EUNSUPPORTED,
                             "%s: column '%s' is %s, and heft reads columns of numbers and texts "
                             "(leave it out with {drop='%s'}, or store what it holds in columns "
                             "of their own)",
                             schema->name, name, c->refused, name);
        if (used && is_time(c) && field->kind == HEFT_NUMERIC)
            return heft_fail(ctx, HEFT_EUNSUPPORTED,
                             "%s: column '%s' holds %s (store them as numbers, such as the year or "
                             "the days since a date; {drop='%s'} leaves the column out, "
                             "{nominal='%s'} makes each of them a value)",
                             schema->name, name,
                             c->meaning == HEFT_MEANS_DATE ? "dates" : "dates and times", name,
                             name);
    }
    return HEFT_OK;
}

/* A file of a few hundred bytes can have any number of equal rows. */
static heft_status check_size(heft_ctx *ctx, const heft_schema *schema,
                              const heft_parquet_file *file)
{
    size_t needed = 1, bytes;
    for (size_t j = 0; j < schema->n_fields; j++) needed += is_needed(&schema->fields[j]);
    if (heft_product(file->n_rows, needed * sizeof(double), &bytes) &&
        heft_parquet_fits(file, bytes))
        return HEFT_OK;
    return heft_fail(ctx, HEFT_EFORMAT,
                     "%s: a file of %zu bytes has %s and %s, which may be meant to fill the memory "
                     "({advice allow-unpacked})",
                     schema->name, file->size, HEFT_COUNT_OF(file->n_rows, "row"),
                     HEFT_COUNT_OF(schema->n_fields, "column"));
}

static heft_status parquet_columns(heft_ctx *ctx, heft_builder *b, heft_feed *feed)
{
    heft_schema       *schema = &b->schema;
    heft_parquet_file *file;
    if (schema->how->skip)
        return heft_fail(ctx, HEFT_EINVAL,
                         "{skip} leaves out lines, and a Parquet file has none (leave it out)");
    HEFT_ALLOC(ctx, &schema->arena, file, 1);
    HEFT_CHECK(heft_parquet_open(ctx, &schema->arena, feed->in, schema->how->max_unpacked, file));
    b->source.layout = file;
    for (size_t j = 0; j < file->n_columns; j++)
        HEFT_CHECK(add_column(ctx, schema, file, &file->columns[j]));
    HEFT_CHECK(heft_schema_assign(ctx, schema));
    HEFT_CHECK(check_needed(ctx, schema, file));
    HEFT_CHECK(check_size(ctx, schema, file));
    if (b->sink.phase == HEFT_GATHER)
        b->source.n_expected = file->n_rows / (b->source.files.divided ? heft_n_ranks(ctx) : 1) + 1;
    return HEFT_OK;
}

/* A further file must have the columns of the first. */
static heft_status follow(heft_ctx *ctx, heft_schema *schema, const heft_parquet_file *file)
{
    if (file->n_columns != schema->n_fields)
        return heft_fail(ctx, HEFT_EFORMAT,
                         "%s: the file has %s, but the first file has %s (all files of a table "
                         "need the same columns)",
                         schema->name, HEFT_COUNT_OF(file->n_columns, "column"),
                         HEFT_COUNT_OF(schema->n_fields, "column"));
    for (size_t j = 0; j < schema->n_fields; j++) {
        const heft_parquet_column *c = &file->columns[j];
        const char                *name = schema->fields[j].name;
        if (c->name_length == 0 ||
            (strlen(name) == c->name_length && memcmp(name, c->name, c->name_length) == 0))
            continue;
        return heft_other_name(ctx, schema, j, c->name, c->name_length);
    }
    HEFT_CHECK(check_needed(ctx, schema, file));
    return check_size(ctx, schema, file);
}

/* ---- rows ---- */

typedef struct slice {
    heft_parquet_reader *readers; /* by field */
    size_t               n_rows;
    atomic_size_t        unpacked; /* bytes, by all readers */
} slice;

static heft_status next_cells(heft_ctx *ctx, void *arg, size_t j, double *room,
                              heft_typed_cells *out)
{
    const slice *s = arg;
    return heft_reader_read(ctx, &s->readers[j], s->n_rows, room, out);
}

/* Rows of a slice: about as many as a chunk of text has. Those of many columns are fewer, and fewer
 * still under a limit on memory. */
static size_t slice_rows(size_t needed)
{
    enum { ROW = 8, LEAST = 1024, CELLS = 1 << 22 };
    const size_t limit = heft_memory_limit() / (16 * sizeof(double)), most = heft_chunk_bytes / ROW;
    const size_t cells = limit && limit < CELLS ? limit : CELLS;
    const size_t rows = cells / (needed + 1) > LEAST ? cells / (needed + 1) : LEAST;
    return rows < most ? rows : most + (most == 0);
}

static void open_readers(const heft_schema *schema, const heft_parquet_file *file, size_t needed,
                         slice *s)
{
    enum { MOST = 1 << 19, LEAST = 1 << 13, TOGETHER = 1 << 26 };
    const size_t each = TOGETHER / (needed + 1);
    for (size_t j = 0; j < schema->n_fields; j++) {
        const heft_parquet_column *c = &file->columns[j];
        const heft_field          *field = &schema->fields[j];
        const bool                 numbers = c->meaning < HEFT_MEANS_TRUTH;
        heft_parquet_reader       *r = &s->readers[j];
        r->file = file;
        r->column = c;
        r->unpacked = &s->unpacked;
        r->texts = field->kept || field->kind == HEFT_NOMINAL || !numbers;
        r->raw.most = each > MOST ? MOST : each < LEAST ? LEAST : each;
    }
}

static heft_status begin_group(heft_ctx *ctx, const heft_schema *schema,
                               const heft_parquet_file *file, size_t g,
                               heft_parquet_reader *readers)
{
    HEFT_SCRATCH_SCOPE(ctx);
    heft_parquet_chunk *chunks;
    HEFT_ALLOC(ctx, &ctx->scratch, chunks, file->n_chunks);
    HEFT_CHECK(heft_parquet_chunks(ctx, file, g, chunks));
    for (size_t j = 0; j < schema->n_fields; j++)
        if (is_needed(&schema->fields[j]))
            HEFT_CHECK(heft_reader_begin(ctx, &readers[j], &chunks[file->columns[j].chunk],
                                         file->groups[g].n_rows));
    return HEFT_OK;
}

/* The rows of row groups lo..hi-1. */
static heft_status read_groups(heft_ctx *ctx, heft_builder *b, const heft_parquet_file *file,
                               size_t lo, size_t hi)
{
    heft_status            st = HEFT_OK;
    HEFT_LOCAL(heft_batch) batch = {0};
    slice                  s = {0};
    size_t                 needed = 0, all = 0, done = 0;
    for (size_t j = 0; j < b->schema.n_fields; j++) needed += is_needed(&b->schema.fields[j]);
    for (size_t g = lo; g < hi; g++) all += file->groups[g].n_rows;
    if (all == 0) return HEFT_OK;
    HEFT_HEAP(ctx, s.readers, b->schema.n_fields);
    open_readers(&b->schema, file, needed, &s);
    for (size_t g = lo; g < hi; g++) {
        const heft_parquet_group *group = &file->groups[g];
        const size_t              most = slice_rows(needed);
        if (group->n_rows == 0) continue;
        HEFT_TRY(begin_group(ctx, &b->schema, file, g, s.readers));
        for (size_t at = 0; at < group->n_rows; at += s.n_rows, done += s.n_rows) {
            s.n_rows = group->n_rows - at < most ? group->n_rows - at : most;
            HEFT_TRY(heft_put_rows(ctx, b, &batch,
                                   &(heft_row_group){.n_rows = s.n_rows,
                                                     .first_row = group->first_row + at,
                                                     .column = next_cells,
                                                     .arg = &s,
                                                     .last = done + s.n_rows == all}));
            heft_progress(ctx, "reading", (double)(done + s.n_rows) / (double)all);
        }
    }
done:
    if (s.readers)
        for (size_t j = 0; j < b->schema.n_fields; j++) heft_reader_clear(&s.readers[j]);
    heft_free(s.readers);
    return st;
}

static heft_status parquet_rows(heft_ctx *ctx, heft_builder *b, heft_feed *feed, size_t k)
{
    HEFT_LOCAL(heft_arena) arena = {0};
    heft_parquet_file      further;
    if (k == 0) {
        const heft_parquet_file *file = b->source.layout;
        size_t                   lo = 0, hi = file->n_groups;
        if (b->source.files.divided) heft_my_range(ctx, file->n_groups, &lo, &hi);
        return read_groups(ctx, b, file, lo, hi);
    }
    HEFT_CHECK(heft_parquet_open(ctx, &arena, feed->in, b->schema.how->max_unpacked, &further));
    HEFT_CHECK(follow(ctx, &b->schema, &further));
    return read_groups(ctx, b, &further, 0, further.n_groups);
}

const heft_format heft_format_parquet = {
    .info = {"parquet", "parquet parq pq",
             "columns with types, as pyarrow, polars, DuckDB and Spark write", false},
    .binary = true,
    .sniff = parquet_sniff,
    .columns = parquet_columns,
    .rows = parquet_rows,
};
