/* meta.c - the footer of a Parquet file. Field numbers are those of parquet.thrift. */
#include "data/formats/parquet/meta.h"

#include <string.h>

enum { MAGIC = 4, TAIL = 8 };

/* An element of the schema, which is a tree written in the order of its branches. */
typedef struct element {
    int64_t     type; /* -1: a group of columns */
    int64_t     width, n_children, scale;
    int64_t     repetition; /* REQUIRED, OPTIONAL, REPEATED */
    int64_t     converted;  /* the older annotation; -1: none */
    int64_t     logical;    /* the newer one; 0: none */
    int64_t     unit;       /* unit of a timestamp */
    bool        is_signed;
    const char *name;
    size_t      name_length;
} element;

enum { REQUIRED, OPTIONAL, REPEATED };
enum { UTF8, MAP, MAP_ENTRY, LIST, ENUM, DECIMAL, DATE, TIME_MS, TIME_US, STAMP_MS, STAMP_US };
enum { UINT_8 = 11, UINT_64 = 14, INT_64 = 18, JSON, BSON, INTERVAL };
enum {
    IS_STRING = 1,
    IS_MAP,
    IS_LIST,
    IS_ENUM,
    IS_DECIMAL,
    IS_DATE,
    IS_TIME,
    IS_STAMP,
    IS_INTEGER = 10,
    IS_UNKNOWN,
    IS_JSON,
    IS_BSON,
    IS_UUID,
    IS_HALF
};

heft_status heft_parquet_damaged(heft_ctx *ctx, const heft_parquet_file *file,
                                 const heft_parquet_column *column, const char *why)
{
    char name[96];
    if (!column)
        return heft_fail(ctx, HEFT_EFORMAT,
                         "%s: the Parquet file is damaged: %s (copy or download it again)",
                         heft_input_name(file->in), why);
    return heft_fail(ctx, HEFT_EFORMAT,
                     "%s: column '%s': the Parquet file is damaged: %s (copy or download it again)",
                     heft_input_name(file->in),
                     heft_show(name, sizeof name, column->name, column->name_length, 60), why);
}

bool heft_parquet_fits(const heft_parquet_file *file, size_t bytes)
{
    const size_t floor = (size_t)256 << 20, ratio = 250;
    if (file->most) return bytes <= file->most;
    return bytes <= floor || bytes / ratio <= file->size;
}

/* ---- the schema ---- */

/* LogicalType is a union: one of its fields is there. */
static void take_logical(heft_thrift *t, element *e)
{
    heft_thrift_field kind = {0}, f, unit;
    while (heft_thrift_next(t, &kind)) {
        e->logical = kind.id;
        if (!heft_thrift_struct(t, &kind)) return;
        for (f = (heft_thrift_field){0}; heft_thrift_next(t, &f);) {
            if (kind.id == IS_DECIMAL && f.id == 1) e->scale = heft_thrift_int(t, &f);
            else if (kind.id == IS_INTEGER && f.id == 2) e->is_signed = heft_thrift_bool(t, &f);
            else if (kind.id == IS_STAMP && f.id == 2 && heft_thrift_struct(t, &f)) {
                for (unit = (heft_thrift_field){0}; heft_thrift_next(t, &unit);) {
                    e->unit = unit.id;
                    heft_thrift_skip(t, &unit);
                }
            } else heft_thrift_skip(t, &f);
        }
    }
}

static void take_element(heft_thrift *t, element *e)
{
    heft_thrift_field f = {0};
    *e = (element){.type = -1, .converted = -1, .is_signed = true};
    while (heft_thrift_next(t, &f)) {
        if (f.id == 1) e->type = heft_thrift_int(t, &f);
        else if (f.id == 2) e->width = heft_thrift_int(t, &f);
        else if (f.id == 3) e->repetition = heft_thrift_int(t, &f);
        else if (f.id == 4) e->name_length = heft_thrift_text(t, &f, &e->name);
        else if (f.id == 5) e->n_children = heft_thrift_int(t, &f);
        else if (f.id == 6) e->converted = heft_thrift_int(t, &f);
        else if (f.id == 7) e->scale = heft_thrift_int(t, &f);
        else if (f.id == 10 && heft_thrift_struct(t, &f)) take_logical(t, e);
        else heft_thrift_skip(t, &f);
    }
    if (e->type < -1 || e->type > HEFT_PARQUET_FIXED || e->n_children < 0 || e->width < 0)
        t->bad = true;
    if (e->type >= 0 && e->n_children > 0) t->bad = true;
}

/* Why a column with cells of its own cannot be read; NULL: it can. */
static const char *why_refused(const element *e)
{
    if (e->repetition == REPEATED) return "a list";
    if (e->type == HEFT_PARQUET_INT96) return "a timestamp of 96 bits";
    if (e->logical == IS_TIME || e->converted == TIME_MS || e->converted == TIME_US)
        return "a time of day";
    if (e->converted == INTERVAL) return "an interval of time";
    if (e->logical == IS_UUID) return "a UUID of 16 bytes";
    if (e->logical == IS_BSON || e->converted == BSON) return "binary data (BSON)";
    if (e->logical > IS_HALF) return "of a type that heft does not know";
    return NULL;
}

static const heft_parquet_meaning stamps[] = {HEFT_MEANS_MILLISECONDS, HEFT_MEANS_MICROSECONDS,
                                              HEFT_MEANS_NANOSECONDS};

/* Find what the values of a column mean, and whether heft can read them. */
static void settle_meaning(const element *e, heft_parquet_column *c)
{
    const bool whole = e->type == HEFT_PARQUET_INT32 || e->type == HEFT_PARQUET_INT64;
    const bool bytes = e->type == HEFT_PARQUET_BYTES || e->type == HEFT_PARQUET_FIXED;
    c->refused = why_refused(e);
    c->meaning = HEFT_MEANS_NUMBER;
    if (e->type == HEFT_PARQUET_BOOL) c->meaning = HEFT_MEANS_TRUTH;
    else if (e->type == HEFT_PARQUET_BYTES)
        c->meaning = e->logical || e->converted >= 0 ? HEFT_MEANS_TEXT : HEFT_MEANS_BYTES;
    if ((whole || bytes) && (e->logical == IS_DECIMAL || e->converted == DECIMAL)) {
        c->meaning = HEFT_MEANS_DECIMAL;
        c->scale = (int)e->scale;
        if (e->scale < 0 || e->scale > 76 || c->width > 32 ||
            (e->type == HEFT_PARQUET_FIXED && c->width == 0))
            c->refused = "a decimal number of a size that heft does not know";
    } else if (e->type == HEFT_PARQUET_FIXED && e->logical == IS_HALF && e->width == 2) {
        c->meaning = HEFT_MEANS_HALF;
    } else if (e->type == HEFT_PARQUET_FIXED && !c->refused) {
        c->refused = "binary data";
    } else if (e->logical == IS_DATE || e->converted == DATE) {
        c->meaning = HEFT_MEANS_DATE;
        if (e->type != HEFT_PARQUET_INT32) c->refused = "a date of a type that heft does not know";
    } else if (e->logical == IS_STAMP || e->converted == STAMP_MS || e->converted == STAMP_US) {
        const int64_t unit = e->logical == IS_STAMP ? e->unit : e->converted - STAMP_MS + 1;
        c->meaning = unit >= 1 && unit <= 3 ? stamps[unit - 1] : HEFT_MEANS_NANOSECONDS;
        if (e->type != HEFT_PARQUET_INT64 || unit < 1 || unit > 3)
            c->refused = "a timestamp of a type that heft does not know";
    } else if (whole &&
               (e->logical == IS_INTEGER ? !e->is_signed
                                         : e->converted >= UINT_8 && e->converted <= UINT_64)) {
        c->meaning = HEFT_MEANS_UNSIGNED;
    }
}

static const char *nested_name(const element *e)
{
    if (e->logical == IS_LIST || e->converted == LIST || e->repetition == REPEATED) return "a list";
    if (e->logical == IS_MAP || e->converted == MAP || e->converted == MAP_ENTRY) return "a map";
    return "nested (it has columns of its own)";
}

/* The next of *n elements. A column has a name, and a type or columns of its own: few bytes of a
 * footer must not make many columns. */
static void take_branch(heft_thrift *t, size_t *n, element *e)
{
    take_element(t, e);
    --*n;
    if (!e->name || (e->type < 0 && e->n_children == 0)) t->bad = true;
}

/* Read one column of the table with all columns that are nested in it; *n elements are left. */
static void take_column(heft_thrift *t, size_t *n, heft_parquet_file *file, heft_parquet_column *c)
{
    static const size_t widths[] = {0, 4, 8, 12, 4, 8, 0, 0};
    element             e;
    take_branch(t, n, &e);
    if (t->bad) return;
    *c = (heft_parquet_column){.name = e.name, .name_length = e.name_length};
    c->chunk = file->n_chunks;
    c->optional = e.repetition == OPTIONAL;
    if (e.type >= 0) {
        c->type = (heft_parquet_type)e.type;
        c->width = e.type == HEFT_PARQUET_FIXED ? (size_t)e.width : widths[e.type];
        settle_meaning(&e, c);
        file->n_chunks++;
        return;
    }
    c->refused = nested_name(&e);
    for (uint64_t open = (uint64_t)e.n_children; open > 0 && !t->bad; open--) {
        if (*n == 0 || open > *n) {
            t->bad = true;
            break;
        }
        take_branch(t, n, &e);
        open += (uint64_t)e.n_children;
        file->n_chunks += e.type >= 0;
    }
}

static heft_status take_schema(heft_ctx *ctx, heft_arena *arena, heft_thrift *t,
                               const heft_thrift_field *field, heft_parquet_file *file)
{
    enum { SHORTEST = 5 }; /* bytes of a column: name, type, end */
    element root;
    size_t  n = heft_thrift_structs(t, field);
    if (n == 0) return heft_parquet_damaged(ctx, file, NULL, "it lists no columns");
    take_element(t, &root);
    n--;
    if (t->bad || root.n_children > (int64_t)n || root.n_children > (t->end - t->at) / SHORTEST)
        return heft_parquet_damaged(ctx, file, NULL, "its list of columns is broken");
    if (root.n_children == 0)
        return heft_fail(ctx, HEFT_EFORMAT, "%s: the file has no columns",
                         heft_input_name(file->in));
    HEFT_ALLOC(ctx, arena, file->columns, (size_t)root.n_children);
    file->n_chunks = 0;
    for (file->n_columns = 0; file->n_columns < (size_t)root.n_children; file->n_columns++) {
        if (n == 0) t->bad = true;
        else take_column(t, &n, file, &file->columns[file->n_columns]);
        if (t->bad) return heft_parquet_damaged(ctx, file, NULL, "its list of columns is broken");
    }
    if (n > 0) return heft_parquet_damaged(ctx, file, NULL, "its list of columns is broken");
    return HEFT_OK;
}

/* ---- row groups ---- */

static void take_chunk_meta(heft_thrift *t, heft_parquet_chunk *c)
{
    int64_t        data = -1, dictionary = -1;
    int64_t *const at[] = {[1] = &c->type,   [4] = &c->codec, [5] = &c->n_values,
                           [7] = &c->length, [9] = &data,     [11] = &dictionary};
    heft_thrift_ints(t, at, sizeof at / sizeof *at);
    /* some writers say 0 where there is no dictionary */
    c->from = dictionary > 0 && dictionary < data ? dictionary : data;
    if (c->type < 0 || c->codec < 0 || c->n_values < 0 || c->length < 0 || data < 0) t->bad = true;
}

static void take_chunk(heft_thrift *t, heft_parquet_chunk *c)
{
    heft_thrift_field f = {0};
    const char       *path;
    *c = (heft_parquet_chunk){.type = -1, .codec = -1, .n_values = -1, .from = -1, .length = -1};
    while (heft_thrift_next(t, &f)) {
        if (f.id == 1) c->elsewhere = heft_thrift_text(t, &f, &path) > 0;
        else if (f.id == 3 && heft_thrift_struct(t, &f)) take_chunk_meta(t, c);
        else if (f.id == 8 || f.id == 9) {
            c->encrypted = true;
            heft_thrift_skip(t, &f);
        } else heft_thrift_skip(t, &f);
    }
    if (c->type < 0 && !c->encrypted) t->bad = true;
}

/* A row group: its rows, and up to `most` chunks where `chunks` is not NULL. */
static void take_group(heft_thrift *t, int64_t *n_rows, heft_parquet_chunk *chunks, size_t most,
                       size_t *n_chunks)
{
    heft_thrift_field  f = {0};
    heft_parquet_chunk skipped;
    *n_rows = -1;
    *n_chunks = 0;
    while (heft_thrift_next(t, &f)) {
        if (f.id == 1) {
            *n_chunks = heft_thrift_structs(t, &f);
            for (size_t k = 0; k < *n_chunks && !t->bad; k++)
                take_chunk(t, chunks && k < most ? &chunks[k] : &skipped);
        } else if (f.id == 3) *n_rows = heft_thrift_int(t, &f);
        else heft_thrift_skip(t, &f);
    }
}

heft_status heft_parquet_chunks(heft_ctx *ctx, const heft_parquet_file *file, size_t g,
                                heft_parquet_chunk *out)
{
    heft_thrift t = {.at = file->groups[g].at, .end = file->footer_end};
    int64_t     n_rows;
    size_t      n;
    take_group(&t, &n_rows, out, file->n_chunks, &n);
    return t.bad ? heft_parquet_damaged(ctx, file, NULL, "its list of row groups is broken")
                 : HEFT_OK;
}

static heft_status take_groups(heft_ctx *ctx, heft_arena *arena, heft_thrift *t,
                               const heft_thrift_field *field, heft_parquet_file *file)
{
    const size_t n = heft_thrift_structs(t, field);
    HEFT_ALLOC(ctx, arena, file->groups, n);
    file->n_rows = 0;
    for (file->n_groups = 0; file->n_groups < n; file->n_groups++) {
        heft_parquet_group *group = &file->groups[file->n_groups];
        int64_t             n_rows;
        size_t              n_chunks;
        group->at = t->at;
        take_group(t, &n_rows, NULL, 0, &n_chunks);
        if (t->bad || n_rows < 0 || n_rows > INT64_MAX / 2 - (int64_t)file->n_rows)
            return heft_parquet_damaged(ctx, file, NULL, "its list of row groups is broken");
        if (n_chunks != file->n_chunks)
            return heft_parquet_damaged(ctx, file, NULL, "a row group does not have all columns");
        group->n_rows = (size_t)n_rows;
        group->first_row = file->n_rows + 1;
        file->n_rows += group->n_rows;
    }
    return HEFT_OK;
}

/* ---- the footer ---- */

static heft_status encrypted(heft_ctx *ctx, const heft_parquet_file *file)
{
    return heft_fail(ctx, HEFT_EUNSUPPORTED,
                     "%s: the Parquet file is encrypted, and heft has no keys (save it without "
                     "encryption)",
                     heft_input_name(file->in));
}

static heft_status take_footer(heft_ctx *ctx, heft_arena *arena, heft_parquet_file *file)
{
    heft_thrift       t = {.at = file->footer, .end = file->footer_end};
    heft_thrift_field f = {0};
    int64_t           n_rows = -1;
    while (heft_thrift_next(&t, &f)) {
        if (f.id == 2 && !file->columns) HEFT_CHECK(take_schema(ctx, arena, &t, &f, file));
        else if (f.id == 3) n_rows = heft_thrift_int(&t, &f);
        else if (f.id == 4 && file->columns && !file->groups)
            HEFT_CHECK(take_groups(ctx, arena, &t, &f, file));
        else if (f.id == 8) return encrypted(ctx, file);
        else heft_thrift_skip(&t, &f);
    }
    if (t.bad || !file->columns || !file->groups)
        return heft_parquet_damaged(ctx, file, NULL, "its description is broken");
    if (n_rows >= 0 && (uint64_t)n_rows != file->n_rows)
        return heft_parquet_damaged(ctx, file, NULL, "its row groups do not have all its rows");
    return HEFT_OK;
}

static heft_status any_place(heft_ctx *ctx, const heft_input *in)
{
    if (heft_input_anywhere(in)) return HEFT_OK;
    if (heft_input_packing(in) != HEFT_UNPACKED)
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "%s: a Parquet file is compressed inside, and cannot be read out of a "
                         "compressed file (unpack it with %s)",
                         heft_input_name(in),
                         heft_input_packing(in) == HEFT_GZIP ? "gunzip" : "unzstd");
    return heft_fail(ctx, HEFT_EUNSUPPORTED,
                     "%s: a Parquet file is read from its end, which a pipe does not allow (save "
                     "it, and name the file)",
                     heft_input_name(in));
}

heft_status heft_parquet_open(heft_ctx *ctx, heft_arena *arena, heft_input *in, size_t most,
                              heft_parquet_file *out)
{
    char     head[MAGIC] = {0}, tail[TAIL] = {0};
    size_t   got;
    uint8_t *footer;
    HEFT_CHECK(any_place(ctx, in));
    *out = (heft_parquet_file){.in = in, .size = heft_input_size(in), .most = most};
    HEFT_CHECK(heft_input_read_at(ctx, in, 0, head, MAGIC, &got));
    if (memcmp(head, "PARE", MAGIC) == 0) return encrypted(ctx, out);
    if (memcmp(head, "PAR1", MAGIC) != 0)
        return heft_fail(ctx, HEFT_EFORMAT,
                         "%s: this is not a Parquet file: it does not begin with PAR1 (use "
                         "{format} to name its format)",
                         heft_input_name(in));
    if (out->size >= MAGIC + TAIL)
        HEFT_CHECK(heft_input_read_at(ctx, in, out->size - TAIL, tail, TAIL, &got));
    if (memcmp(tail + 4, "PARE", MAGIC) == 0) return encrypted(ctx, out);
    const size_t length = heft_load4(tail);
    if (memcmp(tail + 4, "PAR1", MAGIC) != 0 || length > out->size - MAGIC - TAIL)
        return heft_fail(ctx, HEFT_EFORMAT,
                         "%s: the Parquet file is truncated: its end is missing (copy or download "
                         "it again)",
                         heft_input_name(in));
    HEFT_ALLOC(ctx, arena, footer, length + 1);
    out->footer = footer;
    out->footer_end = footer + length;
    HEFT_CHECK(heft_input_read_at(ctx, in, out->size - TAIL - length, footer, length, &got));
    if (got < length) return heft_parquet_damaged(ctx, out, NULL, "its description is cut off");
    return take_footer(ctx, arena, out);
}
