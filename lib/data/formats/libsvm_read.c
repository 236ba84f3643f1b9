/* libsvm_read.c - LIBSVM and SVMlight text: "label index:value index:value ... # comment".
 *
 * Indices count from 1 and increase; what is absent is 0. Labels are classes: numbers, or any text.
 * Columns are named c1, c2, ..., the class "class". */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "data/formats/formats.h"

enum { HIGHEST_INDEX = INT32_MAX - 1 };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static char *skip_blanks(char *p)
{
    while (is_blank(*p)) p++;
    return p;
}

static bool ends_line(const char *p)
{
    return *p == '\n' || *p == '#';
}

static char *word_end(char *p)
{
    while (!is_blank(*p) && !ends_line(p)) p++;
    return p;
}

typedef struct row_reader {
    heft_batch *batch;
    size_t      row, line, n_entries;
} row_reader;

static heft_status row_fail(heft_ctx *ctx, const row_reader *r, const char *text, size_t length,
                            const char *what)
{
    char shown[64];
    return heft_fail_at(ctx, HEFT_EFORMAT, r->batch->builder->name, r->line, "'%s' %s",
                        heft_show(shown, sizeof shown, text, length, 40), what);
}

static heft_status index_fail(heft_ctx *ctx, const row_reader *r, const char *text, size_t length)
{
    char         what[96];
    const size_t most = r->batch->builder->max_columns;
    snprintf(what, sizeof what, ": an index above %zu%s", most,
             most < HIGHEST_INDEX ? " (--max-columns allows more)" : "");
    return row_fail(ctx, r, text, length, what);
}

/* index: at p, above `last`; behind the colon. */
static heft_status take_index(heft_ctx *ctx, const row_reader *r, char **place, char *end,
                              uint32_t last, uint32_t *out)
{
    char        *p = *place;
    const size_t length = (size_t)(end - p);
    uint64_t     index = 0;
    if (length >= 4 && memcmp(p, "qid:", 4) == 0)
        return row_fail(ctx, r, p, length, "marks ranking data, which heft does not learn from");
    for (; *p >= '0' && *p <= '9'; p++)
        if (index <= INT32_MAX) index = index * 10 + (uint64_t)(*p - '0');
    if (p == *place || *p != ':') return row_fail(ctx, r, *place, length, "is not index:value");
    if (index == 0) return row_fail(ctx, r, *place, length, ": indices start at 1 (add 1 to all)");
    if (index > r->batch->builder->max_columns) return index_fail(ctx, r, *place, length);
    if (index <= last)
        return row_fail(ctx, r, *place, length, ": the indices of a row must increase");
    *place = p + 1;
    *out = (uint32_t)index;
    return HEFT_OK;
}

static heft_status take_value(heft_ctx *ctx, const row_reader *r, const char *p, const char *end,
                              uint32_t index, double *out)
{
    const size_t length = (size_t)(end - p);
    char         shown[64];
    *out = NAN;
    if (heft_is_missing(r->batch->builder, HEFT_NUMBER, p, length, false) && length) return HEFT_OK;
    const heft_number what = heft_parse_double(p, end, out);
    if (what == HEFT_NUM_OK) return HEFT_OK;
    return heft_fail_at(ctx, HEFT_EFORMAT, r->batch->builder->name, r->line,
                        "column 'c%u': '%s' is %s", index,
                        heft_show(shown, sizeof shown, p, length, 40),
                        what == HEFT_NUM_OVERFLOW || heft_is_infinity(p, length)
                            ? "too large for a number (correct it)"
                            : "not a number (LIBSVM rows hold label index:value ...)");
}

/* The label at *place, which moves behind it. A file to predict may do without. */
static heft_status take_label(heft_ctx *ctx, row_reader *r, char **place)
{
    char        *p = *place, *end = word_end(p);
    const size_t length = (size_t)(end - p);
    heft_lane   *lane = &r->batch->lanes[0];
    uint32_t    *code = &lane->code[r->row];
    if (memchr(p, ':', length)) {
        if (!r->batch->builder->expect)
            return row_fail(ctx, r, p, length, "where the class label should be");
        *code = HEFT_CODE_MISSING;
        return HEFT_OK;
    }
    *place = end;
    double x;
    char   number[32];
    if (heft_parse_double(p, end, &x) == HEFT_NUM_OK) /* +1, 1 and 1.0 are one label */
        return heft_lane_code(ctx, r->batch, lane, number, heft_format_double(number, x), false,
                              r->line, code);
    return heft_lane_code(ctx, r->batch, lane, p, length, false, r->line, code);
}

static heft_status one_row(heft_ctx *ctx, row_reader *r, char *p)
{
    heft_batch *batch = r->batch;
    uint32_t    last = 0;
    HEFT_CHECK(take_label(ctx, r, &p));
    for (p = skip_blanks(p); !ends_line(p); p = skip_blanks(p)) {
        char  *end = word_end(p);
        double x;
        HEFT_CHECK(take_index(ctx, r, &p, end, last, &last));
        const char *behind = heft_quick_number(p, ' ', &x);
        if (!behind || batch->builder->marks_are_numbers)
            HEFT_CHECK(take_value(ctx, r, p, end, last, &x));
        p = end;
        if (x == 0) continue; /* as if absent */
        batch->col[r->n_entries] = last - 1;
        batch->val[r->n_entries++] = x;
    }
    if (last > batch->n_columns) batch->n_columns = last;
    batch->start[r->row + 1] = r->n_entries;
    return HEFT_OK;
}

static heft_status parse_libsvm(heft_ctx *ctx, heft_batch *batch, const void *arg)
{
    row_reader r = {.batch = batch};
    char      *p = batch->chunk.text, *end = p + batch->chunk.length;
    (void)arg;
    for (r.line = batch->chunk.first_line; p < end; r.line++) {
        char *next = (char *)memchr(p, '\n', (size_t)(end - p)) + 1;
        p = skip_blanks(p);
        if (!ends_line(p)) {
            HEFT_CHECK(one_row(ctx, &r, p));
            r.row++;
        }
        p = next;
    }
    batch->n_rows = r.row;
    return HEFT_OK;
}

/* k of the name c<k>, 0 for any other name. */
static size_t column_number(const char *name)
{
    size_t k = 0;
    if (*name++ != 'c' || *name == '0') return 0;
    for (; *name >= '0' && *name <= '9' && k <= HIGHEST_INDEX; name++)
        k = k * 10 + (size_t)(*name - '0');
    return *name || k > HIGHEST_INDEX ? 0 : k;
}

/* What the options for columns can mean here. */
static heft_status check_options(heft_ctx *ctx, const heft_builder *b)
{
    const heft_source *how = b->how;
    if (how->target && *how->target && !heft_same_word(how->target, "class"))
        return heft_fail(ctx, HEFT_EINVAL,
                         "%s: --target: in a LIBSVM file the class is the label, named 'class'",
                         b->name);
    const char *option = how->weight && *how->weight     ? "weight"
                         : how->nominal && *how->nominal ? "nominal"
                                                         : NULL;
    if (option)
        return heft_fail(
            ctx, HEFT_EUNSUPPORTED,
            "%s: --%s: the columns of a LIBSVM file are numeric attributes (convert it "
            "to CSV first)",
            b->name, option);
    for (size_t i = 0; b->expect && i < b->expect->n; i++)
        if (b->expect->kinds[i] == HEFT_NOMINAL && column_number(b->expect->names[i]))
            return heft_fail(ctx, HEFT_EUNSUPPORTED,
                             "%s: the model's column '%s' is nominal, LIBSVM files hold numbers",
                             b->name, b->expect->names[i]);
    return HEFT_OK;
}

/* A model's columns c1, c2, ... are there even where the last of them are 0 in every row. */
static void expect_columns(heft_builder *b)
{
    for (size_t i = 0; b->expect && i < b->expect->n; i++) {
        const size_t k = column_number(b->expect->names[i]);
        if (k > b->n_columns) b->n_columns = k;
    }
}

/* Every column takes its record and its name, used or not: refuse what cannot fit. */
static heft_status check_columns(heft_ctx *ctx, const heft_builder *b)
{
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || bytes <= 0) return HEFT_OK;
    const size_t memory = (size_t)pages * (size_t)bytes, each = sizeof(heft_column) + 32;
    if (b->n_columns <= memory / each) return HEFT_OK;
    return heft_fail(ctx, HEFT_ENOMEM, "%s: index %zu: so many columns do not fit in memory",
                     b->name, b->n_columns);
}

static heft_status libsvm_file(heft_ctx *ctx, heft_builder *b, heft_feed *feed, size_t k, void *arg)
{
    (void)k;
    (void)arg;
    feed->delimiter = 0;
    const heft_status st = heft_builder_scan(ctx, b, feed, NULL, parse_libsvm, NULL);
    return st == HEFT_OK ? check_columns(ctx, b) : st;
}

heft_status heft_read_libsvm(heft_ctx *ctx, heft_builder *b, heft_feed *feed)
{
    feed->delimiter = 0;
    b->sparse = true;
    HEFT_CHECK(check_options(ctx, b));
    HEFT_CHECK(heft_builder_add(ctx, b, "class", 5));
    b->fields[0].role = HEFT_ROLE_TARGET;
    b->fields[0].kind = HEFT_NOMINAL;
    b->fields[0].why = "the class";
    expect_columns(b);
    if (b->files.n > 1 || b->files.shared) {
        HEFT_CHECK(heft_feed_restart(ctx, feed));
        if (b->files.shared) HEFT_CHECK(heft_feed_byte_range(ctx, feed, feed->place, 1));
        HEFT_CHECK(heft_builder_read(ctx, b, feed, libsvm_file, NULL));
        return HEFT_OK;
    }
    for (bool again = true; again;) {
        HEFT_CHECK(heft_feed_restart(ctx, feed));
        HEFT_CHECK(heft_builder_scan(ctx, b, feed, NULL, parse_libsvm, NULL));
        HEFT_CHECK(check_columns(ctx, b));
        HEFT_CHECK(heft_builder_again(ctx, b, &again));
    }
    return HEFT_OK;
}

heft_status heft_libsvm_drop(heft_ctx *ctx, const char *name, const char *list, heft_table **table)
{
    heft_status  st = HEFT_OK;
    heft_dict   *dict = NULL;
    bool        *gone = NULL;
    size_t      *cols, n, *kept = NULL, n_kept = 0;
    heft_table  *part;
    const size_t n_cols = (*table)->n_cols;
    HEFT_TRY(heft_dict_create(ctx, &dict));
    for (size_t j = 0; j < n_cols; j++) {
        const char *column = (*table)->cols[j].name;
        uint32_t    code;
        HEFT_TRY(heft_dict_add(ctx, dict, column, strlen(column), &code));
    }
    const heft_names names = {name, n_cols, dict, NULL};
    HEFT_TRY(heft_names_list(ctx, &names, "drop", list, &ctx->scratch, &cols, &n));
    HEFT_HEAP(ctx, gone, n_cols);
    HEFT_HEAP(ctx, kept, n_cols);
    for (size_t i = 0; i < n; i++) gone[cols[i]] = true;
    for (size_t j = 0; j < n_cols; j++)
        if (!gone[j]) kept[n_kept++] = j;
    HEFT_TRY(heft_table_keep(ctx, *table, kept, n_kept, &part));
    heft_table_free(*table);
    *table = part;
done:
    heft_free(kept);
    heft_free(gone);
    heft_dict_free(dict);
    return st;
}
