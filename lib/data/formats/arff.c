/* arff.c - ARFF as Weka reads it: declared columns, then dense or sparse rows.
 *
 * Words are separated by commas or blanks and quoted with ' or ", a backslash escapes what
 * follows. A % begins a comment where a word could begin. A bare ? is missing, a
 * quoted one a value. A row may end with its weight in braces. In a sparse row {index value, ...}
 * indices count all attributes from 0, and what is absent is 0, or the first declared value. A
 * written file has the class last, and each row's weight in braces. */
#include <string.h>

#include "data/formats/formats.h"

static const char type_numeric[] = "declared numeric", type_nominal[] = "declared nominal";
static const char type_string[] = "declared a string", type_date[] = "declared a date";

/* ---- words ---- */

static const char blanks[] = " \t\r\v\f";

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

/* Takes the word at p, up to a comma, blank or line end, or one of the `stops`; escapes are
 * resolved in place. Returns the place behind it, or NULL where a quoted one is not closed on its
 * line. */
static char *take_word(char *p, const char *stops, heft_text_cell *w)
{
    const char quote = *p;
    *w = (heft_text_cell){.text = p, .quoted = quote == '\'' || quote == '"'};
    if (!w->quoted) {
        while (*p != ',' && *p != '\n' && !is_blank(*p) && !(*stops && strchr(stops, *p))) p++;
        w->length = (size_t)(p - w->text);
        return p;
    }
    char *to = ++p;
    for (w->text = to; *p != quote; p++) {
        if (*p == '\n') return NULL;
        if (*p == '\\' && p[1] != '\n') {
            p++;
            *to++ = *p == 'n' ? '\n' : *p == 'r' ? '\r' : *p == 't' ? '\t' : *p;
        } else {
            *to++ = *p;
        }
    }
    w->length = (size_t)(to - w->text);
    return p + 1;
}

/* ---- the header ---- */

typedef struct header {
    heft_schema *schema;
    size_t       line;
    bool         data; /* the @data line has been met */
} header;

/* Fails with "name:line: ...", the line being the one that is read. */
#define header_fail(ctx, h, ...)                                                                   \
    heft_fail_at((ctx), HEFT_EFORMAT, (h)->schema->name, (h)->line, __VA_ARGS__)

static bool same(const heft_text_cell *w, const char *text)
{
    return !w->quoted && heft_span_is_word(w->text, w->length, text);
}

static heft_status read_values(heft_ctx *ctx, const header *h, heft_field *field, char *p)
{
    HEFT_CHECK(heft_dict_create(ctx, &field->dict));
    for (;;) {
        heft_text_cell w;
        uint32_t       code;
        while (is_blank(*p) || *p == ',') p++;
        if (*p == '}') break;
        if (ends_line(p)) return header_fail(ctx, h, "the list of values is not closed (add a })");
        if (!(p = take_word(p, "}", &w)))
            return header_fail(ctx, h, "a quotation mark is not closed");
        const size_t known = heft_dict_size(field->dict);
        HEFT_CHECK(heft_dict_add(ctx, field->dict, w.text, w.length, &code));
        if (code != known)
            return header_fail(ctx, h, "the value '%s' is declared twice",
                               HEFT_SHOW_CELL(w.text, w.length));
    }
    field->kind = HEFT_NOMINAL;
    field->declared = true;
    field->why = field->type = type_nominal;
    return HEFT_OK;
}

static heft_status read_type(heft_ctx *ctx, const header *h, heft_field *field, char *p)
{
    static const struct {
        const char *word, *type;
    } types[] = {{"numeric", type_numeric},
                 {"real", type_numeric},
                 {"integer", type_numeric},
                 {"string", type_string},
                 {"date", type_date}};
    heft_text_cell w;
    if (*p == '{') return read_values(ctx, h, field, p + 1);
    if (ends_line(p) || !take_word(p, "[{", &w))
        return header_fail(ctx, h, "the attribute has no type (use numeric, string or {values})");
    if (same(&w, "relational"))
        return header_fail(ctx, h,
                           "attribute '%s' is relational, a table in every cell, which heft cannot "
                           "read (write plain attributes instead, for example as CSV)",
                           HEFT_SHOW_NAME(field->name));
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (same(&w, types[k].word)) field->why = field->type = types[k].type;
    if (!field->type)
        return header_fail(ctx, h, "unknown type '%s' (use numeric, string or {values})",
                           HEFT_SHOW_CELL(w.text, w.length));
    /* a range in brackets may follow numbers: it is not needed */
    field->kind = field->type == type_numeric ? HEFT_NUMERIC : HEFT_NOMINAL;
    return HEFT_OK;
}

static heft_status read_attribute(heft_ctx *ctx, header *h, char *p)
{
    heft_text_cell name;
    p = skip_blanks(p);
    if (ends_line(p)) return header_fail(ctx, h, "the attribute has no name");
    if (!(p = take_word(p, "{", &name)))
        return header_fail(ctx, h, "a quotation mark is not closed");
    HEFT_CHECK(heft_schema_add(ctx, h->schema, name.text, name.length));
    return read_type(ctx, h, &h->schema->fields[h->schema->n_fields - 1], skip_blanks(p));
}

/* Reads one line of the header, from p to its line end. */
static heft_status header_line(heft_ctx *ctx, header *h, char *p)
{
    heft_text_cell w;
    p = skip_blanks(p);
    if (ends_line(p)) return HEFT_OK;
    if (*p != '@')
        return header_fail(ctx, h, "the line is not a declaration (data rows come after @data)");
    p = take_word(p, "{", &w);
    if (same(&w, "@relation")) return HEFT_OK;
    if (same(&w, "@attribute")) return read_attribute(ctx, h, p);
    h->data = same(&w, "@data");
    if (h->data) return HEFT_OK;
    return header_fail(ctx, h, "unknown declaration '%s' (use @relation, @attribute or @data)",
                       HEFT_SHOW_CELL(w.text, w.length));
}

/* Reads declarations up to @data; the chunk is left with what follows. *latin_line becomes the
 * first line that is not UTF-8, unless it is set. */
static heft_status read_header(heft_ctx *ctx, heft_schema *schema, heft_feed *feed,
                               heft_chunk *chunk, size_t *latin_line)
{
    header h = {.schema = schema};
    while (!h.data) {
        HEFT_CHECK(heft_feed_next(ctx, feed, chunk));
        if (chunk->length == 0)
            return heft_fail(ctx, HEFT_EFORMAT,
                             "%s: the ARFF file has no @data line (is it complete?)", schema->name);
        char *p = chunk->text, *end = chunk->text + chunk->length;
        h.line = chunk->first_line;
        for (; p < end && !h.data; h.line++) {
            char *next = (char *)memchr(p, '\n', (size_t)(end - p)) + 1;
            char *line = p;
            HEFT_CHECK(heft_line_to_utf8(ctx, &schema->arena, &line, (size_t)(next - p)));
            if (line != p && !*latin_line) *latin_line = h.line;
            HEFT_CHECK(header_line(ctx, &h, line));
            p = next;
        }
        if (!h.data) continue;
        chunk->length = (size_t)(end - p); /* leave only the rows */
        chunk->n_lines -= h.line - chunk->first_line;
        chunk->first_line = h.line;
        memmove(chunk->text, p, chunk->length + HEFT_CHUNK_PAD);
    }
    if (schema->n_fields == 0)
        return heft_fail(ctx, HEFT_EFORMAT, "%s: the ARFF file declares no attributes",
                         schema->name);
    return HEFT_OK;
}

/* Returns the first character of the first row in the chunk; 0: it has no row. */
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

static heft_status wrong_count(heft_ctx *ctx, const heft_batch *batch, size_t n, bool more)
{
    return heft_row_fail(ctx, batch, "the row has %s%s, but the header declares %s",
                         more ? "more than " : "", HEFT_COUNT_OF(n, "cell"),
                         HEFT_COUNT_OF(batch->builder->schema.n_fields, "attribute"));
}

/* Reads what may follow the cells: a weight in braces, a comment, the line end. */
static heft_status end_row(heft_ctx *ctx, heft_batch *batch, char **place)
{
    const char    *option = batch->builder->schema.how->weight;
    char          *p = skip_blanks(*place);
    heft_text_cell w;
    double         weight;
    if (*p == ',') p = skip_blanks(p + 1);
    if (*p == '{') {
        p = take_word(skip_blanks(p + 1), "}", &w);
        if (!p || *(p = skip_blanks(p)) != '}' ||
            heft_parse_double(w.text, w.text + w.length, &weight) != HEFT_NUM_OK || weight < 0)
            return heft_row_fail(ctx, batch, "the weight in braces must be a finite number >= 0");
        if (option && *option)
            return heft_row_fail(
                ctx, batch,
                "the row has a weight in braces, and {advice weight-column} names a column of "
                "weights (use only one)");
        HEFT_CHECK(heft_batch_weight(ctx, batch, weight));
        p = skip_blanks(p + 1);
    }
    *place = p;
    return HEFT_OK;
}

static heft_status dense_cell(heft_ctx *ctx, heft_batch *batch, heft_batch_column *column,
                              char **place)
{
    heft_text_cell w;
    if (column->what == HEFT_CELLS_NUMBER && !batch->builder->schema.marks.are_numbers &&
        !column->kept) {
        const char *end = heft_quick_number(*place, ',', '.', &column->number[batch->n_rows]);
        if (end) {
            *place += end - *place;
            return HEFT_OK;
        }
    }
    *place = take_word(*place, "", &w);
    if (!*place) return heft_row_fail(ctx, batch, "a quotation mark is not closed");
    if (column->kept) heft_batch_keep(batch, w.text, w.length);
    return heft_batch_put(ctx, batch, column, &w);
}

static heft_status dense_row(heft_ctx *ctx, heft_batch *batch, char *p)
{
    const size_t n = batch->builder->schema.n_fields;
    for (size_t j = 0; j < n; j++) {
        /* between two cells a comma, or blanks alone */
        if (ends_line(p) && (j == 0 || p[-1] != ',')) return wrong_count(ctx, batch, j, false);
        if (*p == '{')
            return j ? wrong_count(ctx, batch, j, false)
                     : heft_row_fail(ctx, batch,
                                     "a sparse row follows dense rows (use one form for all rows)");
        HEFT_CHECK(dense_cell(ctx, batch, &batch->columns[j], &p));
        if (j + 1 == n) break;
        p = skip_blanks(p);
        if (*p == ',') {
            p = skip_blanks(p + 1);
            if (ends_line(p) && j + 2 < n) return wrong_count(ctx, batch, j + 2, false);
        } else if (ends_line(p)) {
            return wrong_count(ctx, batch, j + 1, false);
        }
    }
    HEFT_CHECK(end_row(ctx, batch, &p));
    return ends_line(p) ? HEFT_OK : wrong_count(ctx, batch, n, true);
}

/* Stands for the class while a sparse row has shown no entry for it. */
#define NO_CLASS (HEFT_CODE_FRESH - 1)

static heft_status sparse_cell(heft_ctx *ctx, heft_batch *batch, heft_batch_column *column,
                               const heft_text_cell *w)
{
    uint32_t code;
    double   x;
    if (column->what == HEFT_CELLS_SKIP || column->width)
        return heft_batch_put(ctx, batch, column, w);
    if (column->what == HEFT_CELLS_NOMINAL) {
        HEFT_CHECK(heft_batch_code(ctx, batch, column, w, &code));
        x = code == HEFT_CODE_MISSING ? NAN
            : code & HEFT_CODE_FRESH  ? -1.0 - (code & ~HEFT_CODE_FRESH)
                                      : code;
    } else {
        HEFT_CHECK(heft_batch_number(ctx, batch, column, w, &x));
    }
    if (x == 0) return HEFT_OK; /* a stored 0 counts as an absent entry */
    batch->entries.col[batch->entries.n] = column->field->place;
    batch->entries.val[batch->entries.n++] = x;
    return HEFT_OK;
}

static heft_status take_index(heft_ctx *ctx, const heft_batch *batch, char **place, size_t least,
                              size_t *out)
{
    const size_t n = batch->builder->schema.n_fields;
    char        *p = *place;
    size_t       index = 0;
    for (; *p >= '0' && *p <= '9'; p++)
        if (index <= n) index = index * 10 + (size_t)(*p - '0');
    if (p == *place || !is_blank(*p))
        return heft_row_fail(ctx, batch, "a sparse row needs entries of the form 'index value'");
    if (index >= n)
        return heft_row_fail(
            ctx, batch,
            "an index is above %zu, the index of the last attribute (the first has index 0)",
            n - 1);
    if (index < least)
        return heft_row_fail(ctx, batch, "the indices of a sparse row must increase");
    *out = index;
    *place = skip_blanks(p);
    return HEFT_OK;
}

static heft_status sparse_row(heft_ctx *ctx, heft_batch *batch, char *p)
{
    heft_batch_column *target = batch->target;
    uint32_t          *code = target ? &target->code[batch->n_rows] : NULL;
    size_t             least = 0;
    if (*p != '{')
        return heft_row_fail(ctx, batch,
                             "a dense row follows sparse rows (use one form for all rows)");
    if (code) *code = NO_CLASS;
    if (batch->weight) batch->weight->number[batch->n_rows] = 0;
    for (p = skip_blanks(p + 1); *p != '}';) {
        heft_text_cell w;
        size_t         j = 0;
        if (ends_line(p)) return heft_row_fail(ctx, batch, "a sparse row is not closed (add a })");
        HEFT_CHECK(take_index(ctx, batch, &p, least, &j));
        if (ends_line(p) || !(p = take_word(p, "}", &w)))
            return heft_row_fail(ctx, batch, "a quotation mark or a sparse row is not closed");
        HEFT_CHECK(sparse_cell(ctx, batch, &batch->columns[j], &w));
        least = j + 1;
        p = skip_blanks(p);
        if (*p == ',') p = skip_blanks(p + 1);
    }
    p++;
    if (code && *code == NO_CLASS) { /* the first declared value, or 0 */
        const heft_text_cell zero = {.text = "0", .length = 1};
        *code = target->field->declared ? 0 : HEFT_CODE_MISSING;
        if (!target->field->declared && target->field->type != type_string)
            HEFT_CHECK(heft_batch_code(ctx, batch, target, &zero, code));
    }
    HEFT_CHECK(end_row(ctx, batch, &p));
    if (!ends_line(p))
        return heft_row_fail(ctx, batch, "there is text after the end of a sparse row");
    batch->entries.start[batch->n_rows + 1] = batch->entries.n;
    return HEFT_OK;
}

static heft_status parse_arff(heft_ctx *ctx, heft_batch *batch, const void *arg)
{
    (void)arg;
    return heft_parse_lines(ctx, batch, blanks, '%',
                            batch->builder->schema.sparse ? sparse_row : dense_row);
}

/* ---- types ---- */

static heft_status refuse_types(heft_ctx *ctx, const heft_schema *schema)
{
    for (size_t j = 0; j < schema->n_fields; j++) {
        const heft_field *field = &schema->fields[j];
        if (field->role == HEFT_ROLE_DROPPED || field->idle) continue;
        const bool date = field->why == type_date;
        const bool odd = schema->sparse && field->role == HEFT_ROLE_ATTRIBUTE &&
                         (field->type == type_string || field->type == type_date ||
                          (field->type == type_nominal && field->kind == HEFT_NUMERIC));
        if (!date && !odd) continue;
        const char *shown = HEFT_SHOW_NAME(field->name);
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "%s: column '%s' is %s%s (leave it out: {drop='%s'})", schema->name, shown,
                         field->type, date ? "" : ", which sparse rows cannot hold with this kind",
                         shown);
    }
    return HEFT_OK;
}

/* ---- further files ---- */

/* Checks that the header of a further file declares what the first one does. */
static heft_status check_header(heft_ctx *ctx, const heft_schema *schema, const heft_schema *other)
{
    if (other->n_fields != schema->n_fields)
        return heft_fail(ctx, HEFT_EFORMAT,
                         "%s: the file declares %s and the first file %zu (all files of a table "
                         "need the same columns)",
                         schema->name, HEFT_COUNT_OF(other->n_fields, "attribute"),
                         schema->n_fields);
    for (size_t j = 0; j < schema->n_fields; j++) {
        const heft_field *one = &schema->fields[j], *two = &other->fields[j];
        if (strcmp(one->name, two->name) == 0 && one->type == two->type &&
            (!one->declared || heft_dict_equal(one->dict, two->dict)))
            continue;
        return heft_fail(ctx, HEFT_EFORMAT,
                         "%s: attribute %zu, '%s', is declared differently in the first file (all "
                         "files of a table need the same declarations)",
                         schema->name, j + 1, HEFT_SHOW_NAME(two->name));
    }
    return HEFT_OK;
}

/* ---- the file ---- */

/* Takes the columns from the header, and puts the feed where the rows begin. The first row tells
 * whether rows are dense or sparse. */
static heft_status arff_columns(heft_ctx *ctx, heft_builder *b, heft_feed *feed)
{
    HEFT_LOCAL(heft_chunk) chunk = {0};
    char                   mark;
    heft_schema           *schema = &b->schema;
    schema->marks.quotes_count = schema->marks.only_question = true;
    feed->delimiter = 0;
    HEFT_CHECK(heft_feed_restart(ctx, feed));
    HEFT_CHECK(read_header(ctx, schema, feed, &chunk, &b->source.latin_line));
    heft_feed_start_at(feed, feed->place - chunk.length, chunk.first_line);
    while (!(mark = first_mark(&chunk))) {
        HEFT_CHECK(heft_feed_next(ctx, feed, &chunk));
        if (chunk.length == 0) HEFT_CHECK(heft_no_rows(ctx, schema));
    }
    schema->sparse = mark == '{';
    HEFT_CHECK(heft_schema_assign(ctx, schema));
    HEFT_CHECK(refuse_types(ctx, schema));
    if (schema->sparse)
        for (size_t j = 0; j < schema->n_fields; j++) {
            /* an absent entry of a numeric column that is read as nominal is 0, which has the code
             * 0 */
            heft_field *field = &schema->fields[j];
            uint32_t    code;
            if (field->role != HEFT_ROLE_ATTRIBUTE || field->kind != HEFT_NOMINAL ||
                field->type != type_numeric || field->idle)
                continue;
            HEFT_CHECK(heft_dict_create(ctx, &field->dict));
            HEFT_CHECK(heft_dict_add(ctx, field->dict, "0", 1, &code));
        }
    return HEFT_OK;
}

/* Checks the header of a further file, and puts its feed where the rows begin. */
static heft_status follow(heft_ctx *ctx, const heft_schema *schema, heft_feed *feed)
{
    size_t                  latin_line = 0;
    HEFT_LOCAL(heft_chunk)  chunk = {0};
    HEFT_LOCAL(heft_schema) other = {0};
    HEFT_CHECK(heft_schema_init(ctx, &other, schema->name, schema->how, schema->expect));
    HEFT_CHECK(read_header(ctx, &other, feed, &chunk, &latin_line));
    HEFT_CHECK(check_header(ctx, schema, &other));
    heft_feed_start_at(feed, feed->place - chunk.length, chunk.first_line);
    return heft_feed_restart(ctx, feed);
}

static heft_status arff_rows(heft_ctx *ctx, heft_builder *b, heft_feed *feed, size_t k)
{
    feed->delimiter = 0;
    if (k > 0) HEFT_CHECK(follow(ctx, &b->schema, feed));
    return heft_scan_rows(ctx, b, feed, parse_arff, NULL);
}

/* Whether the text begins with @relation, @attribute or @data, in any case. */
static bool arff_sniff(const char *p, size_t n)
{
    static const char *const words[] = {"@relation", "@attribute", "@data"};
    (void)n;
    for (size_t k = 0; k < 3; k++) {
        const size_t length = strlen(words[k]);
        if (strnlen(p, length) == length && heft_span_is_word(p, length, words[k])) return true;
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
    put(w, col->kind == HEFT_NUMERIC ? " numeric\n" : " {");
    if (col->kind == HEFT_NUMERIC) return;
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
    else if (col->kind == HEFT_NUMERIC) heft_buf_double(&w->buf, x);
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
    if (!w->table->sparse)
        for (size_t j = 0; j < heft_write_columns(w); j++) {
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

const heft_format heft_format_arff = {
    .info = {"arff", "arff", "Weka's format, dense or sparse, with declared columns", true},
    .sniff = arff_sniff,
    .columns = arff_columns,
    .rows = arff_rows,
    .write_begin = arff_begin,
    .write_row = arff_row,
};
