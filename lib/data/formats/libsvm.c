/* libsvm.c - LIBSVM and SVMlight text: "label index:value index:value ... # comment".
 *
 * Indices count from 1 and increase; what is absent is 0. Labels are classes: numbers, or any text.
 * Columns are named c1, c2, ..., the class "class". Written labels are the class names where all of
 * these are numbers, else their places in the list of classes. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/marks.h"
#include "base/scan.h"
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

/* Fails because the word is wrong in the way that `what` says. */
static heft_status word_fail(heft_ctx *ctx, const heft_batch *batch, const char *text,
                             const char *end, const char *what)
{
    return heft_row_fail(ctx, batch, "'%s' %s", HEFT_SHOW_CELL(text, (size_t)(end - text)), what);
}

/* Reads the index at *place, which must be above `last`; *place moves behind its colon. */
static heft_status take_index(heft_ctx *ctx, const heft_batch *batch, char **place, char *end,
                              uint32_t last, uint32_t *out)
{
    const size_t most = batch->builder->schema.max_columns;
    char        *word = *place, *p = word, what[96];
    uint64_t     index = 0;
    if (end - p >= 4 && memcmp(p, "qid:", 4) == 0)
        return word_fail(ctx, batch, p, end, "marks ranking data, which heft cannot use");
    for (; *p >= '0' && *p <= '9'; p++)
        if (index <= INT32_MAX) index = index * 10 + (uint64_t)(*p - '0');
    if (p == word || *p != ':')
        return word_fail(ctx, batch, word, end, "is not of the form index:value");
    if (index == 0)
        return word_fail(ctx, batch, word, end,
                         "has index 0, but indices start at 1 (add 1 to all)");
    if (index > most) {
        heft_print(what, sizeof what,
                   most < HIGHEST_INDEX ? "has an index above %zu ({advice allow-columns})"
                                        : "has an index above %zu",
                   most);
        return word_fail(ctx, batch, word, end, what);
    }
    if (index <= last)
        return word_fail(ctx, batch, word, end,
                         "is out of order: the indices of a row must increase");
    *place = p + 1;
    *out = (uint32_t)index;
    return HEFT_OK;
}

static heft_status take_value(heft_ctx *ctx, const heft_batch *batch, const char *p,
                              const char *end, uint32_t index, double *out)
{
    const heft_text_cell cell = {.text = p, .length = (size_t)(end - p)};
    *out = NAN;
    if (cell.length && heft_is_missing(&batch->builder->schema, HEFT_NUMERIC, &cell))
        return HEFT_OK;
    const heft_number what = heft_parse_double(p, end, out);
    if (what == HEFT_NUM_OK) return HEFT_OK;
    return heft_row_fail(ctx, batch, "column 'c%u': '%s' is %s", index,
                         HEFT_SHOW_CELL(p, cell.length),
                         what == HEFT_NUM_OVERFLOW || heft_is_infinity(p, cell.length)
                             ? "too large for a number (correct it)"
                             : "not a number (a LIBSVM row is label index:value ...)");
}

/* Reads the label at *place, which moves behind it. A file to predict may have none. */
static heft_status take_label(heft_ctx *ctx, heft_batch *batch, char **place)
{
    char          *p = *place, *end = word_end(p), number[32];
    heft_text_cell cell = {.text = p, .length = (size_t)(end - p)};
    uint32_t      *code = &batch->columns[0].code[batch->n_rows];
    double         x;
    if (memchr(p, ':', cell.length)) {
        if (!batch->builder->schema.expect)
            return word_fail(ctx, batch, p, end, "is found where the class label should be");
        *code = HEFT_CODE_MISSING;
        return HEFT_OK;
    }
    *place = end;
    if (heft_parse_double(p, end, &x) == HEFT_NUM_OK) { /* +1, 1 and 1.0 are one label */
        cell.length = heft_format_double(number, x);
        cell.text = number;
    }
    return heft_batch_code(ctx, batch, &batch->columns[0], &cell, code);
}

/* Ends a row whose last entry had the index `last`; `highest` is the highest index of the model. */
static void end_row(heft_batch *batch, size_t last, size_t highest)
{
    if (last > batch->highest_column) batch->highest_column = last > highest ? highest : last;
    batch->entries.start[batch->n_rows + 1] = batch->entries.n;
}

static heft_status one_row(heft_ctx *ctx, heft_batch *batch, char *p)
{
    const heft_schema *schema = &batch->builder->schema;
    const size_t       highest = schema->expect ? schema->n_columns : SIZE_MAX;
    uint32_t           last = 0;
    HEFT_CHECK(take_label(ctx, batch, &p));
    for (p = skip_blanks(p); !ends_line(p); p = skip_blanks(p)) {
        char  *end = word_end(p);
        double x;
        HEFT_CHECK(take_index(ctx, batch, &p, end, last, &last));
        HEFT_CHECK(take_value(ctx, batch, p, end, last, &x));
        p = end;
        if (x == 0 || last > highest)
            continue; /* a zero counts as absent, and an index above the model's is not used */
        batch->entries.col[batch->entries.n] = last - 1;
        batch->entries.val[batch->entries.n++] = x;
    }
    end_row(batch, last, highest);
    return HEFT_OK;
}

/* ---- lines whose blanks are known ---- */

enum { CUT = HEFT_DECIMALS };

typedef struct entries { /* at most CUT of a row, before they are numbers */
    size_t        n;
    heft_decimals index, value;
    const char   *from[CUT], *end[CUT]; /* text of the value */
} entries;

/* Adds the entry [s, end). Its index has at most 7 digits; a text that is no entry becomes no
 * number.
 */
static inline void take_entry(entries *e, const char *s, const char *end)
{
    const uint64_t colon = heft_first_byte(heft_load8(s), ':');
    const size_t   digits = colon ? (size_t)__builtin_ctzll(colon) / 8 : 0;
    const char    *from = s + digits + 1;
    const bool     good = *s != '-' && from < end;
    heft_decimals_put(&e->index, e->n, s, good ? s + digits : s);
    heft_decimals_put(&e->value, e->n, good ? from : s, end);
    e->from[e->n] = good ? from : s;
    e->end[e->n++] = end;
}

/* Puts the entries behind those of the batch, from *at on: false where one_row has to look closer.
 */
static bool put_entries(const heft_batch *batch, entries *e, size_t highest, size_t *at,
                        size_t *last)
{
    double   index[CUT], value[CUT];
    uint64_t odd[CUT];
    e->index.n = e->value.n = e->n;
    if (heft_short_decimals(&e->index, ':', index, odd)) return false;
    const bool some = heft_short_decimals(&e->value, '.', value, odd);
    if (some)
        for (size_t i = 0; i < e->n; i++)
            if (odd[i] && heft_parse_double(e->from[i], e->end[i], &value[i]) != HEFT_NUM_OK)
                return false;
    for (size_t i = 0; i < e->n; i++) {
        const size_t k = (size_t)index[i];
        if (k <= *last || k > batch->builder->schema.max_columns) return false;
        *last = k;
        if (value[i] == 0 || k > highest) continue;
        batch->entries.col[*at] = (uint32_t)k - 1;
        batch->entries.val[(*at)++] = value[i];
    }
    e->n = 0;
    return true;
}

/* Reads the row whose blanks and line end are at text[place[0..n - 1]], and which begins behind
 * place[-1]: false, and no row was added, where one_row has to look closer. */
static bool quick_row(heft_batch *batch, const char *text, const uint32_t *place, size_t n)
{
    const heft_schema *schema = &batch->builder->schema;
    const size_t       highest = schema->expect ? schema->n_columns : SIZE_MAX;
    const char        *s = text + (uint32_t)(place[-1] + 1);
    size_t             at = batch->entries.n, last = 0;
    entries            e;
    if (n < 2 || !heft_memo_find(batch->columns[0].memo, s, (size_t)(text + place[0] - s),
                                 &batch->columns[0].code[batch->n_rows]))
        return false;
    e.n = 0;
    for (size_t i = 1; i < n; i++) {
        const char *end = text + place[i];
        s = text + place[i - 1] + 1;
        if (i + 1 == n && end > s && end[-1] == '\r') end--;
        if (s < end) take_entry(&e, s, end);
        if (e.n == CUT && !put_entries(batch, &e, highest, &at, &last)) return false;
    }
    if (e.n && !put_entries(batch, &e, highest, &at, &last)) return false;
    batch->entries.n = at;
    end_row(batch, last, highest);
    return true;
}

static heft_status any_line(heft_ctx *ctx, heft_batch *batch, char *p)
{
    p = skip_blanks(p);
    if (ends_line(p)) return HEFT_OK;
    HEFT_CHECK(one_row(ctx, batch, p));
    batch->n_rows++;
    return HEFT_OK;
}

static heft_status parse_libsvm(heft_ctx *ctx, heft_batch *batch, const void *arg)
{
    enum { WINDOW = 16 * 1024 }; /* at least */
    char       *p = batch->chunk.text;
    const char *end = p + batch->chunk.length;
    const bool  quick = !batch->builder->schema.marks.are_numbers;
    size_t      window = WINDOW;
    heft_marks  found;
    (void)arg;
    for (batch->line = batch->chunk.first_line; p < end;) {
        const size_t left = (size_t)(end - p), n = left < window ? left : window;
        HEFT_GROW(ctx, batch->marks.place, batch->marks.capacity, n + 1 + HEFT_SCAN_ROOM, 0);
        uint32_t *place = batch->marks.place + 1;
        heft_scan_marks(p, n, ' ', '"', place, &found);
        place[-1] = UINT32_MAX; /* adding 1 gives 0, the start of the text */
        size_t at = 0;
        for (size_t lines = found.n_lines; lines > 0; lines--, batch->line++) {
            size_t next = at;
            while (p[place[next++]] != '\n') continue;
            if (quick && !found.n_quotes && quick_row(batch, p, place + at, next - at))
                batch->n_rows++;
            else HEFT_CHECK(any_line(ctx, batch, p + (uint32_t)(place[(ptrdiff_t)at - 1] + 1)));
            at = next;
        }
        if (at) p += place[at - 1] + 1;
        else window *= 2;
    }
    return HEFT_OK;
}

/* Returns k for the name c<k>, 0 for any other name. */
static size_t column_number(const char *name)
{
    size_t k = 0;
    if (*name++ != 'c' || *name == '0') return 0;
    for (; *name >= '0' && *name <= '9' && k <= HIGHEST_INDEX; name++)
        k = k * 10 + (size_t)(*name - '0');
    return *name || k > HIGHEST_INDEX ? 0 : k;
}

/* Refuses options that make no sense for LIBSVM columns. */
static heft_status check_options(heft_ctx *ctx, const heft_schema *schema)
{
    const heft_source *how = schema->how;
    if (how->target && *how->target && !heft_same_word(how->target, "class"))
        return heft_fail(ctx, HEFT_EINVAL,
                         "%s: {target}: the class of a LIBSVM file is its label, named 'class' "
                         "(leave out {target})",
                         schema->name);
    const bool  other = how->nominal && *how->nominal && !heft_same_word(how->nominal, "class");
    const char *option = how->weight && *how->weight ? "{advice weight-column}"
                         : other                     ? "{nominal}"
                                                     : NULL;
    if (option)
        return heft_fail(ctx, HEFT_EUNSUPPORTED,
                         "%s: %s: all columns of a LIBSVM file are numeric attributes (convert "
                         "it to CSV first)",
                         schema->name, HEFT_MARKED(option));
    if (schema->expect)
        for (size_t i = 0; i < schema->expect->n; i++)
            if (schema->expect->kinds[i] == HEFT_NOMINAL && column_number(schema->expect->names[i]))
                return heft_fail(
                    ctx, HEFT_EUNSUPPORTED,
                    "%s: the model needs nominal values in column '%s', and a LIBSVM file "
                    "has only numbers (use CSV or ARFF)",
                    schema->name, schema->expect->names[i]);
    return HEFT_OK;
}

static heft_status libsvm_columns(heft_ctx *ctx, heft_builder *b, heft_feed *feed)
{
    heft_schema *schema = &b->schema;
    feed->delimiter = 0;
    schema->sparse = true;
    schema->drop = schema->how->drop;
    HEFT_CHECK(check_options(ctx, schema));
    HEFT_CHECK(heft_schema_add(ctx, schema, "class", 5));
    schema->fields[0].role = HEFT_ROLE_TARGET;
    schema->fields[0].kind = HEFT_NOMINAL;
    schema->fields[0].why =
        schema->how->nominal && *schema->how->nominal ? heft_why_nominal : "the class";
    if (schema->expect)
        for (size_t i = 0; i < schema->expect->n;
             i++) { /* a column of the model exists even if no row has an entry of it */
            const size_t k = column_number(schema->expect->names[i]);
            if (k > schema->n_columns) schema->n_columns = k;
        }
    return HEFT_OK;
}

static heft_status libsvm_rows(heft_ctx *ctx, heft_builder *b, heft_feed *feed, size_t k)
{
    (void)k;
    feed->delimiter = 0;
    HEFT_CHECK(heft_scan_rows(ctx, b, feed, parse_libsvm, NULL));
    /* every column takes memory for its name and its record, used or not: refuse what cannot fit */
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || bytes <= 0) return HEFT_OK;
    const size_t memory = (size_t)pages * (size_t)bytes, each = sizeof(heft_column) + 32;
    if (b->schema.n_columns <= memory / each) return HEFT_OK;
    return heft_fail(ctx, HEFT_ENOMEM, "%s: %zu columns do not fit in memory", b->schema.name,
                     b->schema.n_columns);
}

/* "label index:value ...": a second word of digits, a colon and something. */
static bool libsvm_sniff(const char *p, size_t n)
{
    (void)n;
    while ((unsigned char)*p > ' ' && *p != ':' && *p != ',') p++;
    if (!is_blank(*p) || *p == '\r') return false;
    while (is_blank(*p)) p++;
    if (strncmp(p, "qid:", 4) == 0) return true;
    const char *digits = p;
    while (*p >= '0' && *p <= '9') p++;
    return p > digits && *p == ':' && (unsigned char)p[1] > ' ';
}

/* ---- writing ---- */

static heft_status check_table(heft_ctx *ctx, const heft_table *t)
{
    for (size_t j = 0; j < t->n_cols; j++) {
        const heft_column *col = &t->cols[j];
        if (col->kind == HEFT_NOMINAL)
            return heft_fail(ctx, HEFT_EUNSUPPORTED,
                             "column '%s' is nominal, and a LIBSVM file holds only numbers (write "
                             "CSV or ARFF, or {advice leave-out-column})",
                             HEFT_SHOW_NAME(col->name));
        if (col->n_missing)
            return heft_fail(ctx, HEFT_EUNSUPPORTED,
                             "column '%s' has missing values, and a LIBSVM file cannot hold them "
                             "(fill them with {impute=mean})",
                             HEFT_SHOW_NAME(col->name));
    }
    if (t->target && t->target->n_missing)
        return heft_fail(
            ctx, HEFT_EUNSUPPORTED, "%s %s no class, and a LIBSVM file needs a class in every row",
            HEFT_COUNT_OF(t->target->n_missing, "row"), t->target->n_missing == 1 ? "has" : "have");
    return HEFT_OK;
}

static heft_status libsvm_begin(heft_ctx *ctx, heft_writer *w)
{
    const heft_table    *t = w->table;
    const heft_column   *target = t->target;
    HEFT_LOCAL(heft_buf) list = {0};
    const size_t         n = target ? heft_dict_size(target->dict) : 0;
    if (t->weight)
        heft_say(ctx, HEFT_WARNING,
                 "%s: a LIBSVM file cannot hold instance weights; they are left out", w->name);
    for (uint32_t k = 0; k < n; k++) {
        const char  *text = heft_dict_text(target->dict, k);
        const size_t length = strlen(text);
        double       x;
        if (heft_parse_double(text, text + length, &x) != HEFT_NUM_OK) w->numbered = true;
        if (k >= 10) continue;
        heft_buf_printf(&list, "%s%u = '%s'", k ? ", " : "", k, HEFT_SHOW_NAME(text));
    }
    if (n > 10) heft_buf_text(&list, ", ...");
    if (list.failed) return heft_no_memory(ctx, list.capacity * 2, 1);
    if (w->numbered)
        heft_say(ctx, HEFT_WARNING, "%s: the classes are written as numbers: %s", w->name,
                 list.data);
    return HEFT_OK;
}

static void put_entry(heft_writer *w, size_t j, double x)
{
    heft_buf_printf(&w->buf, " %zu:", j + 1);
    heft_buf_double(&w->buf, x);
}

static void libsvm_row(heft_writer *w, size_t i)
{
    const heft_table  *t = w->table;
    const heft_sparse *s = t->sparse;
    size_t             last = SIZE_MAX;
    const uint32_t     code = t->target ? heft_code_at(t->target->cells, t->target->width, i) : 0;
    if (!t->target || w->numbered) heft_buf_printf(&w->buf, "%u", code);
    else heft_buf_text(&w->buf, heft_dict_text(t->target->dict, code));
    if (s)
        for (size_t k = s->start[i]; k < s->start[i + 1]; k++)
            if (s->val[k] != 0) put_entry(w, last = s->col[k], s->val[k]);
    if (!s)
        for (size_t j = 0; j < t->n_cols; j++) {
            const double x = heft_write_cell(w, i, j);
            if (x != 0) put_entry(w, last = j, x);
        }
    /* a zero in the last column of the first row tells how many columns there are */
    if (!w->begun && t->n_cols && last != t->n_cols - 1) put_entry(w, t->n_cols - 1, 0);
    heft_buf_text(&w->buf, "\n");
}

const heft_format heft_format_libsvm = {
    .info = {"libsvm", "libsvm svm svmlight", "sparse rows of label index:value ...", true},
    .sniff = libsvm_sniff,
    .columns = libsvm_columns,
    .rows = libsvm_rows,
    .write_check = check_table,
    .write_begin = libsvm_begin,
    .write_row = libsvm_row,
};
