/* arff.c - ARFF as Weka reads it: declared columns, then dense or sparse rows.
 *
 * Words are separated by commas or blanks and quoted with ' or ", a backslash escapes what
 * follows. A % begins a comment where a word could begin. A bare ? is missing, a
 * quoted one a value. A row may end with its weight in braces. In a sparse row {index value, ...}
 * indices count all attributes from 0, and what is absent is 0, or the first declared value. A
 * written file has the class last, and each row's weight in braces. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "data/formats/formats.h"

static const char type_numeric[] = "declared numeric", type_nominal[] = "declared nominal";
static const char type_string[] = "declared a string", type_date[] = "declared a date";
static const char type_table[] = "declared relational";

/* ---- words ---- */

typedef struct word {
    char  *text; /* escapes resolved in place */
    size_t length;
    bool   quoted;
} word;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static char *skip_blanks(char *p)
{
    while (is_blank(*p)) p++;
    return p;
}

static bool ends_line(const char *p)
{
    return *p == '\n' || *p == '%';
}

static char unescape(char c)
{
    switch (c) {
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return c;
    }
}

/* The quoted text at p. Behind its closing quote, or NULL when the line ends before. */
static char *take_quoted(char *p, word *w)
{
    const char quote = *p++;
    char      *to = w->text = p;
    w->quoted = true;
    for (; *p != quote; p++) {
        if (*p == '\\' && p[1] != '\n') *to++ = unescape(*++p);
        else if (*p == '\n') return NULL;
        else *to++ = *p;
    }
    w->length = (size_t)(to - w->text);
    return p + 1;
}

/* The word at p, up to a comma, blank or line end, or one of the `stops`. */
static char *take_word(char *p, const char *stops, word *w)
{
    *w = (word){.text = p};
    if (*p == '\'' || *p == '"') return take_quoted(p, w);
    while (*p != ',' && *p != '\n' && !is_blank(*p) && !(*stops && strchr(stops, *p))) p++;
    w->length = (size_t)(p - w->text);
    return p;
}

/* ---- the header ---- */

typedef struct header {
    heft_builder *b;
    size_t        line;
    bool          data; /* the @data line has been met */
} header;

static heft_status header_fail(heft_ctx *ctx, const header *h, const char *what)
{
    return heft_fail_at(ctx, HEFT_EFORMAT, h->b->name, h->line, "%s", what);
}

static bool same(const word *w, const char *text)
{
    char copy[16];
    if (w->quoted || w->length >= sizeof copy) return false;
    memcpy(copy, w->text, w->length);
    copy[w->length] = 0;
    return heft_same_word(copy, text);
}

static heft_status read_values(heft_ctx *ctx, const header *h, heft_field *field, char *p)
{
    HEFT_CHECK(heft_dict_create(ctx, &field->dict));
    for (;;) {
        word     w;
        uint32_t code;
        while (is_blank(*p) || *p == ',') p++;
        if (*p == '}') break;
        if (ends_line(p)) return header_fail(ctx, h, "the list of values is not closed (add a })");
        if (!(p = take_word(p, "}", &w))) return header_fail(ctx, h, "a quote is not closed");
        const size_t known = heft_dict_size(field->dict);
        HEFT_CHECK(heft_dict_add(ctx, field->dict, w.text, w.length, &code));
        if (code != known) {
            char shown[64];
            return heft_fail_at(ctx, HEFT_EFORMAT, h->b->name, h->line,
                                "the value '%s' is declared twice",
                                heft_show(shown, sizeof shown, w.text, w.length, 40));
        }
    }
    field->kind = HEFT_NOMINAL;
    field->declared = true;
    field->why = field->type = type_nominal;
    return HEFT_OK;
}

static heft_status read_type(heft_ctx *ctx, const header *h, heft_field *field, char *p)
{
    word w;
    if (*p == '{') return read_values(ctx, h, field, p + 1);
    if (ends_line(p) || !take_word(p, "[{", &w))
        return header_fail(ctx, h, "an attribute without a type (numeric, string or {values})");
    field->kind = HEFT_NOMINAL;
    if (same(&w, "numeric") || same(&w, "real") || same(&w, "integer")) {
        field->kind = HEFT_NUMBER;
        field->type = type_numeric; /* a range in brackets may follow: it is not needed */
    } else if (same(&w, "string")) {
        field->type = type_string;
    } else if (same(&w, "date")) {
        field->type = type_date;
    } else if (same(&w, "relational")) {
        field->type = type_table;
    } else {
        char shown[64];
        return heft_fail_at(ctx, HEFT_EFORMAT, h->b->name, h->line,
                            "unknown type '%s' (use numeric, string or {values})",
                            heft_show(shown, sizeof shown, w.text, w.length, 40));
    }
    field->why = field->type;
    return HEFT_OK;
}

static heft_status read_attribute(heft_ctx *ctx, header *h, char *p)
{
    word name;
    p = skip_blanks(p);
    if (ends_line(p)) return header_fail(ctx, h, "an attribute without a name");
    if (!(p = take_word(p, "{", &name))) return header_fail(ctx, h, "a quote is not closed");
    HEFT_CHECK(heft_builder_add(ctx, h->b, name.text, name.length));
    return read_type(ctx, h, &h->b->fields[h->b->n_fields - 1], skip_blanks(p));
}

/* One line of the header, from p to its line end. */
static heft_status header_line(heft_ctx *ctx, header *h, char *p)
{
    word w;
    p = skip_blanks(p);
    if (ends_line(p)) return HEFT_OK;
    if (*p != '@')
        return header_fail(ctx, h, "a data row before @data (or a line that is no declaration)");
    p = take_word(p, "{", &w);
    if (same(&w, "@relation")) return HEFT_OK;
    if (same(&w, "@attribute")) return read_attribute(ctx, h, p);
    if (!same(&w, "@data")) {
        char shown[64];
        return heft_fail_at(ctx, HEFT_EFORMAT, h->b->name, h->line, "unknown declaration '%s'",
                            heft_show(shown, sizeof shown, w.text, w.length, 40));
    }
    h->data = true;
    return HEFT_OK;
}

/* Leave only what begins at p, `lines` lines further on. */
static void cut_front(heft_chunk *chunk, const char *p, size_t lines)
{
    const size_t gone = (size_t)(p - chunk->text);
    chunk->length -= gone;
    chunk->n_lines -= lines;
    chunk->first_line += lines;
    memmove(chunk->text, p, chunk->length + HEFT_CHUNK_PAD);
}

/* Reads declarations up to @data; the chunk is left with what follows. */
static heft_status read_header(heft_ctx *ctx, heft_builder *b, heft_feed *feed, heft_chunk *chunk)
{
    header h = {.b = b};
    while (!h.data) {
        HEFT_CHECK(heft_feed_next(ctx, feed, chunk));
        if (chunk->length == 0)
            return heft_fail(ctx, HEFT_EFORMAT, "%s: no @data line: not a whole ARFF file",
                             b->name);
        char *p = chunk->text, *end = chunk->text + chunk->length;
        h.line = chunk->first_line;
        for (; p < end && !h.data; h.line++) {
            char *next = (char *)memchr(p, '\n', (size_t)(end - p)) + 1;
            HEFT_CHECK(header_line(ctx, &h, p));
            p = next;
        }
        if (h.data) cut_front(chunk, p, h.line - chunk->first_line);
    }
    if (b->n_fields == 0)
        return heft_fail(ctx, HEFT_EFORMAT, "%s: no attribute is declared", b->name);
    return HEFT_OK;
}

/* The first character of the first row in the chunk; 0: it has no row. */
static char first_mark(const heft_chunk *chunk)
{
    for (char *p = chunk->text; *p; p++) {
        p = skip_blanks(p);
        if (!ends_line(p)) return *p;
        while (*p != '\n') p++;
    }
    return 0;
}

/* ---- rows ---- */

typedef struct row_reader {
    heft_batch *batch;
    bool        quick;           /* heft_quick_number may be used */
    heft_lane  *target, *weight; /* or NULL */
    bool        classed;         /* a sparse row has an entry for the target */
    size_t      row, line, n_entries;
} row_reader;

static heft_status row_fail(heft_ctx *ctx, const row_reader *r, const char *what)
{
    return heft_fail_at(ctx, HEFT_EFORMAT, r->batch->builder->name, r->line, "%s", what);
}

static heft_status wrong_count(heft_ctx *ctx, const row_reader *r, size_t n, bool more)
{
    const size_t want = r->batch->builder->n_fields;
    return heft_fail_at(ctx, HEFT_EFORMAT, r->batch->builder->name, r->line,
                        "%s%zu %s, the header declares %zu", more ? "more than " : "", n,
                        n == 1 ? "cell" : "cells", want);
}

/* The weight {w} at p; behind it. */
static heft_status take_weight(heft_ctx *ctx, row_reader *r, char **place)
{
    double weight;
    word   w;
    char  *p = skip_blanks(*place + 1);
    p = take_word(p, "}", &w);
    if (!p || *(p = skip_blanks(p)) != '}' ||
        heft_parse_double(w.text, w.text + w.length, &weight) != HEFT_NUM_OK || weight < 0)
        return row_fail(ctx, r, "the weight in braces must be a finite number >= 0");
    if (r->batch->builder->how->weight && *r->batch->builder->how->weight)
        return row_fail(ctx, r, "a weight in braces beside the column of --weight (use one)");
    HEFT_CHECK(heft_batch_weight(ctx, r->batch, r->row, weight));
    *place = p + 1;
    return HEFT_OK;
}

/* What may follow the cells: a weight, a comment, the line end. */
static heft_status end_row(heft_ctx *ctx, row_reader *r, char **place)
{
    char *p = skip_blanks(*place);
    if (*p == ',') p = skip_blanks(p + 1);
    if (*p == '{') {
        HEFT_CHECK(take_weight(ctx, r, &p));
        p = skip_blanks(p);
    }
    *place = p;
    return HEFT_OK;
}

static heft_status dense_cell(heft_ctx *ctx, row_reader *r, heft_lane *lane, char **place)
{
    char *p = *place;
    word  w;
    if (lane->what == HEFT_LANE_NUMBER && r->quick) {
        const char *end = heft_quick_number(p, ',', &lane->number[r->row]);
        if (end) {
            *place += end - p;
            return HEFT_OK;
        }
    }
    if (!(p = take_word(p, "", &w))) return row_fail(ctx, r, "a quote is not closed");
    *place = p;
    if (lane->what == HEFT_LANE_SKIP) return HEFT_OK;
    if (lane->what != HEFT_LANE_NOMINAL)
        return heft_lane_number(ctx, r->batch, lane, w.text, w.length, w.quoted, r->line,
                                &lane->number[r->row]);
    if (heft_memo_find(lane, w.text, w.length, &lane->code[r->row])) return HEFT_OK;
    return heft_lane_code(ctx, r->batch, lane, w.text, w.length, w.quoted, r->line,
                          &lane->code[r->row]);
}

static heft_status dense_row(heft_ctx *ctx, row_reader *r, char *p)
{
    const size_t n = r->batch->builder->n_fields;
    for (size_t j = 0; j < n; j++) {
        /* between two cells a comma, or blanks alone */
        if (ends_line(p) && (j == 0 || p[-1] != ',')) return wrong_count(ctx, r, j, false);
        if (*p == '{')
            return j ? wrong_count(ctx, r, j, false)
                     : row_fail(ctx, r, "a sparse row among dense ones");
        HEFT_CHECK(dense_cell(ctx, r, &r->batch->lanes[j], &p));
        if (j + 1 == n) break;
        p = skip_blanks(p);
        if (*p == ',') {
            p = skip_blanks(p + 1);
            if (ends_line(p) && j + 2 < n) return wrong_count(ctx, r, j + 2, false);
        } else if (ends_line(p)) {
            return wrong_count(ctx, r, j + 1, false);
        }
    }
    HEFT_CHECK(end_row(ctx, r, &p));
    if (!ends_line(p)) return wrong_count(ctx, r, n, true);
    return HEFT_OK;
}

static void put_entry(row_reader *r, const heft_lane *lane, double x)
{
    if (x == 0) return; /* as if absent */
    r->batch->col[r->n_entries] = lane->place;
    r->batch->val[r->n_entries++] = x;
}

static heft_status sparse_cell(heft_ctx *ctx, row_reader *r, heft_lane *lane, const word *w)
{
    const bool attribute = lane->field->role == HEFT_ROLE_ATTRIBUTE;
    uint32_t   code;
    double     x;
    if (lane->what == HEFT_LANE_SKIP) return HEFT_OK;
    if (lane == r->target) r->classed = true;
    if (lane->what != HEFT_LANE_NOMINAL) {
        HEFT_CHECK(
            heft_lane_number(ctx, r->batch, lane, w->text, w->length, w->quoted, r->line, &x));
        if (attribute) put_entry(r, lane, x);
        else lane->number[r->row] = x;
        return HEFT_OK;
    }
    HEFT_CHECK(heft_lane_code(ctx, r->batch, lane, w->text, w->length, w->quoted, r->line, &code));
    if (!attribute) lane->code[r->row] = code;
    else if (code == HEFT_CODE_MISSING) put_entry(r, lane, NAN);
    else if (code & HEFT_CODE_FRESH) put_entry(r, lane, -1.0 - (code & ~HEFT_CODE_FRESH));
    else put_entry(r, lane, code);
    return HEFT_OK;
}

/* The class of a row without an entry for it: the first declared value, or 0. */
static heft_status absent_target(heft_ctx *ctx, row_reader *r)
{
    const heft_field *field = r->target->field;
    uint32_t         *code = &r->target->code[r->row];
    *code = field->declared ? 0 : HEFT_CODE_MISSING;
    if (field->declared || field->type == type_string) return HEFT_OK;
    return heft_lane_code(ctx, r->batch, r->target, "0", 1, false, r->line, code);
}

static heft_status take_index(heft_ctx *ctx, row_reader *r, char **place, size_t least, size_t *out)
{
    const size_t n = r->batch->builder->n_fields;
    char        *p = *place;
    size_t       index = 0;
    for (; *p >= '0' && *p <= '9'; p++)
        if (index <= n) index = index * 10 + (size_t)(*p - '0');
    if (p == *place || !is_blank(*p)) return row_fail(ctx, r, "not 'index value' in a sparse row");
    if (index >= n)
        return heft_fail_at(ctx, HEFT_EFORMAT, r->batch->builder->name, r->line,
                            "an index above %zu, the number of the last attribute (they count from "
                            "0)",
                            n - 1);
    if (index < least) return row_fail(ctx, r, "the indices of a sparse row must increase");
    *out = index;
    *place = skip_blanks(p);
    return HEFT_OK;
}

static heft_status sparse_row(heft_ctx *ctx, row_reader *r, char *p)
{
    size_t least = 0;
    if (*p != '{') return row_fail(ctx, r, "a dense row among sparse ones");
    r->classed = false;
    if (r->weight) r->weight->number[r->row] = 0;
    for (p = skip_blanks(p + 1); *p != '}';) {
        word   w;
        size_t j = 0;
        if (ends_line(p)) return row_fail(ctx, r, "a sparse row is not closed (add a })");
        HEFT_CHECK(take_index(ctx, r, &p, least, &j));
        if (ends_line(p) || !(p = take_word(p, "}", &w)))
            return row_fail(ctx, r, "a quote or a sparse row is not closed");
        HEFT_CHECK(sparse_cell(ctx, r, &r->batch->lanes[j], &w));
        least = j + 1;
        p = skip_blanks(p);
        if (*p == ',') p = skip_blanks(p + 1);
    }
    p++;
    if (r->target && !r->classed) HEFT_CHECK(absent_target(ctx, r));
    HEFT_CHECK(end_row(ctx, r, &p));
    if (!ends_line(p)) return row_fail(ctx, r, "text behind a sparse row");
    r->batch->start[r->row + 1] = r->n_entries;
    return HEFT_OK;
}

static heft_status parse_arff(heft_ctx *ctx, heft_batch *batch, const void *arg)
{
    const heft_builder *b = batch->builder;
    row_reader          r = {.batch = batch, .quick = !b->marks_are_numbers};
    char               *p = batch->chunk.text, *end = p + batch->chunk.length;
    (void)arg;
    for (size_t j = 0; j < b->n_fields; j++) {
        if (b->fields[j].role == HEFT_ROLE_TARGET) r.target = &batch->lanes[j];
        if (b->fields[j].role == HEFT_ROLE_WEIGHT) r.weight = &batch->lanes[j];
    }
    for (r.line = batch->chunk.first_line; p < end; r.line++) {
        char *next = (char *)memchr(p, '\n', (size_t)(end - p)) + 1;
        p = skip_blanks(p);
        if (!ends_line(p)) {
            HEFT_CHECK(b->sparse ? sparse_row(ctx, &r, p) : dense_row(ctx, &r, p));
            r.row++;
        }
        p = next;
    }
    batch->n_rows = r.row;
    return HEFT_OK;
}

/* ---- types ---- */

static heft_status refuse_types(heft_ctx *ctx, const heft_builder *b)
{
    for (size_t j = 0; j < b->n_fields; j++) {
        const heft_field *field = &b->fields[j];
        char              shown[96];
        if (field->role == HEFT_ROLE_DROPPED || field->idle) continue;
        const bool date = field->why == type_date || field->why == type_table;
        const bool odd = b->sparse && field->role == HEFT_ROLE_ATTRIBUTE &&
                         (field->type == type_string || field->type == type_date ||
                          (field->type == type_nominal && field->kind == HEFT_NUMBER));
        if (!date && !odd) continue;
        heft_show_name(shown, field->name);
        return heft_fail(
            ctx, HEFT_EUNSUPPORTED, "%s: column '%s' is %s%s (leave it out: --drop '%s')", b->name,
            shown, field->type, date ? "" : ", which sparse rows cannot hold as asked", shown);
    }
    return HEFT_OK;
}

/* In sparse rows an absent entry of a numeric column that is read as nominal has the value 0, which
 * must have the code 0. */
static heft_status seed_zeros(heft_ctx *ctx, heft_builder *b)
{
    for (size_t j = 0; j < b->n_fields; j++) {
        heft_field *field = &b->fields[j];
        uint32_t    code;
        if (field->role != HEFT_ROLE_ATTRIBUTE || field->kind != HEFT_NOMINAL ||
            field->type != type_numeric || field->idle)
            continue;
        HEFT_CHECK(heft_dict_create(ctx, &field->dict));
        HEFT_CHECK(heft_dict_add(ctx, field->dict, "0", 1, &code));
    }
    return HEFT_OK;
}

/* ---- further files ---- */

static bool same_field(const heft_field *a, const heft_field *b)
{
    if (strcmp(a->name, b->name) != 0 || a->type != b->type) return false;
    return !a->declared || heft_dict_equal(a->dict, b->dict);
}

/* The header of this file must declare what that of the first does. */
static heft_status check_header(heft_ctx *ctx, const heft_builder *b, const heft_builder *other)
{
    char name[96];
    if (other->n_fields != b->n_fields)
        return heft_fail(ctx, HEFT_EFORMAT,
                         "%s: %zu attributes are declared, and %zu in the first file (all files of "
                         "a table need the same columns)",
                         b->name, other->n_fields, b->n_fields);
    for (size_t j = 0; j < b->n_fields; j++)
        if (!same_field(&b->fields[j], &other->fields[j]))
            return heft_fail(
                ctx, HEFT_EFORMAT,
                "%s: attribute %zu, '%s', is declared otherwise in the first file (all "
                "files of a table need the same declarations)",
                b->name, j + 1, heft_show_name(name, other->fields[j].name));
    return HEFT_OK;
}

/* ---- the file ---- */

/* The columns from the header; the feed is put where the rows begin. Dense or sparse: by the first
 * row. */
static heft_status arff_columns(heft_ctx *ctx, heft_builder *b, heft_feed *feed)
{
    heft_status st = HEFT_OK;
    heft_chunk  chunk = {0};
    char        mark;
    b->quotes_count = true;
    feed->delimiter = 0;
    HEFT_TRY(heft_feed_restart(ctx, feed));
    HEFT_TRY(read_header(ctx, b, feed, &chunk));
    heft_feed_start_at(feed, feed->place - chunk.length, chunk.first_line);
    while (!(mark = first_mark(&chunk))) {
        HEFT_TRY(heft_feed_next(ctx, feed, &chunk));
        if (chunk.length == 0) HEFT_TRY(heft_fail(ctx, HEFT_EFORMAT, "%s: no data rows", b->name));
    }
    b->sparse = mark == '{';
    HEFT_TRY(heft_builder_assign(ctx, b));
    HEFT_TRY(refuse_types(ctx, b));
    if (b->sparse) HEFT_TRY(seed_zeros(ctx, b));
done:
    heft_chunk_clear(&chunk);
    return st;
}

/* A further file must declare what the first one does; its feed is put where the rows begin. */
static heft_status follow(heft_ctx *ctx, const heft_builder *b, heft_feed *feed)
{
    heft_status  st = HEFT_OK;
    heft_chunk   chunk = {0};
    heft_builder other = {0};
    HEFT_TRY(heft_builder_init(ctx, &other, b->name, b->how, b->expect));
    HEFT_TRY(read_header(ctx, &other, feed, &chunk));
    HEFT_TRY(check_header(ctx, b, &other));
    heft_feed_start_at(feed, feed->place - chunk.length, chunk.first_line);
    HEFT_TRY(heft_feed_restart(ctx, feed));
done:
    heft_builder_clear(&other);
    heft_chunk_clear(&chunk);
    return st;
}

static heft_status arff_rows(heft_ctx *ctx, heft_builder *b, heft_feed *feed, size_t k)
{
    feed->delimiter = 0;
    if (k > 0) HEFT_CHECK(follow(ctx, b, feed));
    return heft_builder_scan(ctx, b, feed, parse_arff, NULL);
}

/* @relation, @attribute or @data, in any case. */
static bool arff_sniff(const char *p, size_t n)
{
    static const char *const words[] = {"@relation", "@attribute", "@data"};
    (void)n;
    for (size_t k = 0; k < 3; k++) {
        const char *w = words[k], *q = p;
        while (*w && (*q == '@' ? '@' : *q | 32) == *w) q++, w++;
        if (!*w) return true;
    }
    return false;
}

/* ---- writing ---- */

static void put(heft_writer *w, const char *text)
{
    heft_buf_text(&w->buf, text);
}

static void put_attribute(heft_writer *w, const heft_column *col)
{
    put(w, "@attribute ");
    heft_buf_arff(&w->buf, col->name);
    put(w, col->kind == HEFT_NUMBER ? " numeric\n" : " {");
    if (col->kind == HEFT_NUMBER) return;
    for (uint32_t k = 0; k < heft_dict_size(col->dict); k++) {
        if (k) put(w, ",");
        heft_buf_arff(&w->buf, heft_dict_text(col->dict, k));
    }
    put(w, "}\n");
}

static heft_status arff_begin(heft_ctx *ctx, heft_writer *w)
{
    const heft_table *t = w->table;
    (void)ctx;
    put(w, "@relation ");
    heft_buf_arff(&w->buf, t->name ? t->name : "data");
    put(w, "\n\n");
    for (size_t j = 0; j < heft_write_columns(w); j++) put_attribute(w, heft_write_column(w, j));
    put(w, "\n@data\n");
    return HEFT_OK;
}

static void put_value(heft_writer *w, const heft_column *col, double x)
{
    if (isnan(x)) put(w, "?");
    else if (col->kind == HEFT_NUMBER) heft_buf_double(&w->buf, x);
    else heft_buf_arff(&w->buf, heft_dict_text(col->dict, (uint32_t)x));
}

static void put_sparse_row(heft_writer *w, size_t i)
{
    const heft_table  *t = w->table;
    const heft_sparse *s = t->sparse;
    put(w, "{");
    for (size_t k = s->start[i]; k < s->start[i + 1]; k++) {
        heft_buf_printf(&w->buf, "%s%u ", k > s->start[i] ? "," : "", s->col[k]);
        put_value(w, &t->cols[s->col[k]], s->val[k]);
    }
    if (t->target) {
        heft_buf_printf(&w->buf, "%s%zu ", s->start[i + 1] > s->start[i] ? "," : "", t->n_cols);
        put_value(w, t->target, heft_write_cell(w, i, t->n_cols));
    }
    put(w, "}");
}

static void arff_row(heft_writer *w, size_t i)
{
    if (w->table->sparse) put_sparse_row(w, i);
    for (size_t j = 0; !w->table->sparse && j < heft_write_columns(w); j++) {
        if (j) put(w, ",");
        put_value(w, heft_write_column(w, j), heft_write_cell(w, i, j));
    }
    if (w->table->weight) {
        put(w, ",{");
        heft_buf_double(&w->buf, w->table->weight[i]);
        put(w, "}");
    }
    put(w, "\n");
}

static heft_status arff_write(heft_ctx *ctx, heft_writer *w)
{
    return heft_write_each(ctx, w, arff_row);
}

const heft_format heft_format_arff = {
    .info = {"arff", "arff", "Weka's format, dense or sparse: columns are declared"},
    .sniff = arff_sniff,
    .columns = arff_columns,
    .rows = arff_rows,
    .write_begin = arff_begin,
    .write_rows = arff_write,
};
