/* csv.c - CSV and TSV: RFC 4180, any one-character delimiter or runs of blanks.
 *
 * A cell means the same with and without its quotes: "NA" in quotes is missing, "1.5" a number.
 * Blanks around a cell are not part of it unless quoted. Blank lines are skipped. The delimiter,
 * the header, the names and the kinds of columns are found in the first records; what is found
 * depends on these alone, never on the chunk size. A written file has the weights in a column
 * before the class, which is the last one; a missing cell is empty. */
#include <stdio.h>
#include <string.h>

#include "base/comm.h"
#include "base/marks.h"
#include "base/put.h"
#include "data/formats/csv_cells.h"
#include "data/formats/csv_header.h"
#include "data/formats/formats.h"

enum { HEAD = 256 * 1024, SAMPLE = 100 };

/* ---- the delimiter ---- */

typedef struct candidate {
    char   delimiter;
    size_t cells;   /* cells that most records have */
    size_t agree;   /* how many records have as many */
    size_t foreign; /* cells that hold another candidate */
    char   quote;
} candidate;

static const char marks[] = ",;\t|";

static bool is_decimal_comma(const char *p, const char *end)
{
    size_t digits = 0, commas = 0;
    if (p < end && (*p == '-' || *p == '+')) p++;
    for (; p < end; p++) {
        if (*p == ',') commas++;
        else if (*p >= '0' && *p <= '9') digits++;
        else return false;
    }
    return commas == 1 && digits > 0;
}

/* Counts the cells of the record [p, end) that hold a mark other than this delimiter, outside
 * quotes. */
static size_t count_foreign(const char *p, const char *end, char delimiter, char quote)
{
    size_t foreign = 0;
    while (p < end) {
        const char *from = p;
        bool        odd = false;
        for (; p < end && *p != delimiter; p++) {
            if (*p == quote) p = heft_csv_skip_quoted(p, end, quote) - 1;
            else if (memchr(marks, *p, 4)) odd = true;
        }
        foreign += odd && !is_decimal_comma(from, p);
        p++;
    }
    return foreign;
}

static size_t count_words(const char *p, const char *end, char quote)
{
    size_t n = 0;
    while (p < end) {
        while (p < end && (heft_is_blank(*p) || *p == '\r' || *p == '\n')) p++;
        if (p == end) break;
        n++;
        if (*p == quote) p = heft_csv_skip_quoted(p, end, quote);
        while (p < end && !heft_is_blank(*p) && *p != '\r' && *p != '\n') p++;
    }
    return n;
}

/* A header may end with one delimiter too many: its last cell is empty, and there is no such
 * column in the rows. */
static bool is_open_header(const char *p, const char *next, char delimiter, size_t n, size_t n_rows)
{
    while (next > p && (next[-1] == '\n' || next[-1] == '\r' || next[-1] == ' ')) next--;
    return n == n_rows + 1 && next > p && next[-1] == delimiter;
}

static size_t try_delimiter(const heft_chunk *head, candidate *c)
{
    const char *p = head->text, *end = head->text + head->length, *first = NULL, *second = NULL;
    size_t      records = 0, count[SAMPLE];
    while (p < end && records < SAMPLE) {
        const size_t blank = heft_csv_blank_line(p, c->delimiter);
        if (blank) {
            p += blank;
            continue;
        }
        const char *next = heft_csv_skip_record(p, end, c->delimiter, c->quote, &count[records]);
        if (c->delimiter == ' ') count[records] = count_words(p, next, c->quote);
        else c->foreign += count_foreign(p, next, c->delimiter, c->quote);
        if (records++ == 0) first = p, second = next;
        p = next;
    }
    for (size_t i = 0; i < records; i++) { /* the most frequent count, and how many have it */
        size_t same = 0;
        for (size_t k = i; k < records; k++) same += count[k] == count[i];
        if (same > c->agree) c->agree = same, c->cells = count[i];
    }
    if (first && is_open_header(first, second, c->delimiter, count[0], c->cells)) c->agree++;
    return records;
}

/* Finds the mark that cuts the first records into the same number of cells, two at least; blanks
 * only where no other does. A table with a ragged row among them is still known by most of its
 * rows. */
static char find_delimiter(const heft_chunk *head, char decimal, char quote)
{
    candidate best = {.delimiter = 0};
    for (size_t k = 0; k < 4; k++) {
        candidate c = {.delimiter = marks[k], .quote = quote};
        if (marks[k] == decimal) continue;
        const size_t records = try_delimiter(head, &c);
        if (c.cells < 2 || c.agree * 2 < records) continue;
        const bool better = c.agree != best.agree       ? c.agree > best.agree
                            : c.foreign != best.foreign ? c.foreign < best.foreign
                                                        : c.cells > best.cells;
        if (!best.delimiter || better) best = c;
    }
    if (best.delimiter) return best.delimiter;
    candidate    blanks = {.delimiter = ' ', .quote = quote};
    const size_t records = try_delimiter(head, &blanks);
    return blanks.cells > 1 && blanks.agree == records ? ' ' : decimal == ',' ? ';' : ',';
}

/* ---- the header ---- */

/* Returns what separates cells, once runs of blanks are squeezed. */
static char cut_of(const heft_csv_layout *csv)
{
    return csv->delimiter == ' ' ? '\t' : csv->delimiter;
}

/* Takes the cells of the record at p into `cells`, up to n of them, and returns the place behind
 * the record. *found is the number of its cells, 0 where something is wrong with one. */
static char *take_record(char *p, const char *end, const heft_csv_layout *csv,
                         heft_text_cell *cells, size_t n, size_t *found)
{
    const char delimiter = cut_of(csv);
    for (size_t j = 0;; j++, p++) {
        heft_text_cell cell;
        p = heft_csv_take_cell(p, end, delimiter, csv->quote, &cell);
        if (j < n) cells[j] = cell;
        *found = cell.problem ? 0 : j + 1;
        if (p >= end || cell.problem || *p != delimiter) break;
    }
    while (p < end && *p != '\n') p++;
    return p < end ? p + 1 : p;
}

/* Corrects the number of cells where the header has an empty one too many: it is that of the first
 * row. */
static bool drop_open_cell(const char *p, const char *second, const char *end, heft_csv_layout *csv)
{
    const char cut = cut_of(csv);
    size_t     n, blank;
    for (const char *q = second; q < end; q += blank) {
        if ((blank = heft_csv_blank_line(q, cut))) continue;
        heft_csv_skip_record(q, end, cut, csv->quote, &n);
        if (!is_open_header(p, second, cut, csv->n, n)) break;
        csv->n = n;
        return true;
    }
    return false;
}

/* Finds the first record that is not blank, and notes its line in csv->first_line. */
static char *first_record(const heft_chunk *head, heft_csv_layout *csv)
{
    const char cut = cut_of(csv);
    char      *p = head->text, *end = p + head->length;
    csv->first_line = head->first_line;
    for (size_t blank; p < end && (blank = heft_csv_blank_line(p, cut)); p += blank)
        csv->first_line++;
    return p;
}

/* Looks at the records from p on that have the right number of cells. Returns how many records
 * there are, about as many where all columns are known to be nominal. `cells` is scratch memory. */
static size_t look_below(const heft_schema *schema, char *p, const char *end,
                         const heft_csv_layout *csv, heft_text_cell *cells, heft_glances *s)
{
    const char cut = cut_of(csv);
    size_t     n_rows = 0, n, blank;
    while (p < end) {
        if (s->n_rows > HEFT_MANY_RECORDS && s->n_numeric == 0)
            return n_rows + heft_count_lines(p, (size_t)(end - p), '\n');
        if ((blank = heft_csv_blank_line(p, cut))) {
            p += blank;
            continue;
        }
        p = take_record(p, end, csv, cells, s->n, &n);
        if (n == s->n) heft_glance_row(schema, s, cells);
        n_rows++;
    }
    return n_rows;
}

static heft_status wrong_number(heft_ctx *ctx, const heft_schema *schema, size_t n)
{
    HEFT_LOCAL(heft_buf) list = {0};
    enum { NAMED = 8 };
    for (size_t i = 0; i < schema->expect->n && i < NAMED; i++)
        heft_put(&list, "%s%40q", i ? ", " : "", schema->expect->names[i]);
    if (schema->expect->n > NAMED) heft_put(&list, ", ...");
    return heft_fail(ctx, HEFT_EFORMAT,
                     "%s: %s, and the model takes %zu (%s), with or without the class '%s' behind "
                     "them",
                     schema->name, HEFT_COUNT_OF(n, "column"), schema->expect->n,
                     heft_buf_string(&list), HEFT_SHOW_NAME(schema->expect->target));
}

/* Whether the columns of a file without a header are those of the model, in its order: the model
 * has other names than c1, c2, ... They must be as many then, without the class or with it at the
 * end. */
static bool has_model_order(const heft_schema *schema, const heft_csv_layout *csv)
{
    bool own = true;
    if (!schema->expect || schema->how->header >= 0) return false;
    for (size_t i = 0; own && i < schema->expect->n; i++) {
        const char *name = schema->expect->names[i];
        size_t      lo, hi;
        own = *name == 'c' && heft_column_range(name + 1, csv->n, &lo, &hi);
    }
    return !own;
}

static heft_status name_columns(heft_ctx *ctx, heft_schema *schema, const heft_csv_layout *csv,
                                const heft_glances *s, bool header)
{
    const bool ordered = !header && has_model_order(schema, csv);
    if (ordered && csv->n != schema->expect->n && csv->n != schema->expect->n + 1)
        return wrong_number(ctx, schema, csv->n);
    for (size_t j = 0; j < csv->n; j++) {
        const heft_text_cell *cell = &s->columns[j].first;
        const char           *name = !ordered                ? cell->text
                                     : j < schema->expect->n ? schema->expect->names[j]
                                                             : schema->expect->target;
        HEFT_CHECK(heft_schema_add(ctx, schema, name,
                                   header    ? cell->length
                                   : ordered ? strlen(name)
                                             : 0));
    }
    return HEFT_OK;
}

/* Takes the head apart: names, header, kinds. Its text is used up. */
static heft_status parse_head(heft_ctx *ctx, heft_schema *schema, heft_chunk *head,
                              heft_csv_layout *csv, size_t *n_rows)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const char     *end = head->text + head->length;
    char           *p = first_record(head, csv);
    heft_text_cell *cells;
    heft_glances    s = {0};
    heft_header     found = HEFT_HEADER_NONE;
    size_t          found_cells;
    if (p >= end) return heft_no_rows(ctx, schema);
    const char *second = heft_csv_skip_record(p, end, cut_of(csv), csv->quote, &csv->n);
    const bool  open = drop_open_cell(p, second, end, csv);
    s.n = csv->n;
    HEFT_ALLOCS(ctx, &ctx->scratch, csv->n, cells, s.columns);
    p = take_record(p, end, csv, cells, csv->n, &found_cells);
    for (size_t j = 0; j < csv->n; j++)
        if (cells[j].problem)
            return heft_fail_at(ctx, HEFT_EFORMAT, schema->name, csv->first_line, "%s",
                                HEFT_MARKED(cells[j].problem));
    heft_glance_first(schema, &s, cells);
    *n_rows = look_below(schema, p, end, csv, cells, &s);
    if (schema->how->header == 0 && !open) HEFT_CHECK(heft_find_header(ctx, schema, &s, &found));
    const bool header = open || schema->how->header > 0 || found != HEFT_HEADER_NONE;
    if (found == HEFT_HEADER_NUMBERS && heft_comm_rank(ctx) == 0)
        heft_say(ctx, HEFT_WARNING,
                 "%s:%zu: the numbers in this line are taken as names of columns ({header=no} if "
                 "the line is a row)",
                 schema->name, csv->first_line);
    schema->n_index = header ? heft_count_unnamed(&s) : 0;
    csv->empty = header && *n_rows == 0;
    if (csv->empty && !(schema->how->more && schema->how->more[0]))
        return heft_no_rows(ctx, schema);
    csv->header_line = header ? csv->first_line : 0;
    *n_rows += !header;
    HEFT_CHECK(name_columns(ctx, schema, csv, &s, header));
    HEFT_CHECK(heft_schema_assign(ctx, schema));
    for (size_t j = 0; j < csv->n; j++) {
        heft_glance *g = &s.columns[j];
        if (schema->fields[j].why) continue;
        if (!header) heft_glance_cell(schema, g, &g->first);
        schema->fields[j].kind = g->odd ? HEFT_NOMINAL : HEFT_NUMERIC;
    }
    return HEFT_OK;
}

typedef struct first_records {
    heft_chunk text;
    size_t     least; /* bytes to take, where there are as many */
    size_t     bytes; /* length of the text before blanks were squeezed */
} first_records;

static void first_records_clear(first_records *first)
{
    heft_chunk_clear(&first->text);
}

/* Reads the first records, with their blanks squeezed where these are the delimiter. Behind them
 * the text has zeros. */
static heft_status take_head(heft_ctx *ctx, const heft_schema *schema, heft_feed *feed,
                             heft_csv_layout *csv, first_records *first)
{
    heft_chunk *head = &first->text;
    HEFT_CHECK(heft_feed_head(ctx, feed, first->least, head));
    if (!csv->delimiter) {
        const char decimal = heft_decimal_mark(schema);
        csv->delimiter = find_delimiter(head, decimal, csv->quote);
        if (decimal != '.' && csv->delimiter == ';' &&
            find_delimiter(head, '.', csv->quote) == decimal)
            return heft_fail(
                ctx, HEFT_EINVAL,
                "%s: the cells are separated by '%c', which cannot be the decimal mark "
                "too ({decimal-mark=.} reads decimal points)",
                schema->name, decimal);
    }
    first->bytes = head->length;
    if (csv->delimiter != ' ') return HEFT_OK;
    head->length = heft_csv_squeeze(head->text, first->bytes, csv->quote);
    memset(head->text + head->length, 0, first->bytes - head->length);
    return HEFT_OK;
}

/* Tells the feed how records end: without quotes every line is one. */
static void set_feed(const heft_csv_layout *csv, heft_feed *feed)
{
    feed->quote = csv->quote;
    feed->delimiter = !csv->quote ? 0 : csv->delimiter ? csv->delimiter : HEFT_ANY_DELIMITER;
}

/* ---- lines before the table ---- */

/* "sep=;" in the first line, as spreadsheets write it: returns the delimiter, or 0
 * where there is no such line. */
static char named_delimiter(const heft_chunk *head)
{
    const char *p = head->text, *end = memchr(p, '\n', head->length);
    if (!end) return 0;
    if (end > p && end[-1] == '\r') end--;
    if (end - p == 7 && *p == '"' && end[-1] == '"') p++, end--;
    const bool named = end - p == 5 && (p[0] | 32) == 's' && (p[1] | 32) == 'e' &&
                       (p[2] | 32) == 'p' && p[3] == '=' && memchr(",;\t| ", p[4], 5);
    return named ? p[4] : 0;
}

/* Ways in which a line may look like one before the table, from most to least certain. */
typedef enum title {
    TITLE_NOT,
    TITLE_SPARSE, /* most cells are empty or lacking */
    TITLE_OPEN,   /* only the first cells have content, fewer than a row has */
    TITLE_RAGGED  /* the line has another number of cells than a row */
} title;

/* A record that is not blank: where it begins, its line, its cells, how many of them hold
 * something, and which of these is the last, counted from 1. */
typedef struct record {
    const char *at, *next;
    size_t      line, n, filled, last;
    title       before; /* the lines before it are titles of this kind at most */
} record;

static bool next_record(const heft_csv_layout *csv, const char *end, record *r)
{
    const char delimiter = csv->delimiter;
    r->line += heft_count_lines(r->at, (size_t)(r->next - r->at), '\n');
    r->at = r->next;
    for (size_t blank; r->at < end && (blank = heft_csv_blank_line(r->at, delimiter)); r->line++)
        r->at += blank;
    if (r->at >= end) return false;
    r->next = heft_csv_skip_record(r->at, end, delimiter, csv->quote, &r->n);
    r->filled = r->last = 0;
    bool   empty = true; /* the cell at hand, so far */
    size_t at = 1;
    for (const char *p = r->at; p < r->next; p++) {
        const bool edge = *p == delimiter || *p == '\n' || *p == '\r';
        if (*p == csv->quote) p = heft_csv_skip_quoted(p, r->next, csv->quote) - 1;
        if (!edge && !heft_is_blank(*p) && empty) r->filled++, r->last = at, empty = false;
        if (edge && *p == delimiter) at++, empty = true;
    }
    return true;
}

/* A header that ends with one delimiter too many is none. */
static title title_of(const record *r, size_t n)
{
    if (r->n < n ? 2 * r->filled <= n : r->n == n && 2 * r->filled < n) return TITLE_SPARSE;
    if (r->last == r->filled && r->last < n && r->last < r->n) return TITLE_OPEN;
    return r->n != n && !(r->n == n + 1 && r->last == n) ? TITLE_RAGGED : TITLE_NOT;
}

/* Whether the columns show that their first cells are names, lines before them being titles of this
 * kind at most: the less these look like titles, the more is asked of the columns. */
static bool tells_names(const heft_glances *s, title kind)
{
    enum { LEAST = 10 };
    size_t numbers = 0, recurring = 0;
    for (size_t j = 0; j < s->n; j++) {
        const heft_glance *g = &s->columns[j];
        if (g->repeated) return false;
        numbers += g->number && !g->odd;
        recurring += g->recurs;
    }
    if (kind == TITLE_SPARSE || numbers > 0) return true;
    return kind == TITLE_OPEN && s->n_rows >= LEAST && 2 * recurring >= s->n;
}

/* Whether the record is a header: words in all cells, each another one, of which no record below it
 * has one in the same column. The text is a copy, as cells are taken out of it in place. */
static heft_status is_table_head(heft_ctx *ctx, const heft_schema *schema,
                                 const heft_csv_layout *csv, const record *r, const char *end,
                                 bool *yes)
{
    HEFT_SCRATCH_SCOPE(ctx);
    const char     *from = r->at, *stop;
    const size_t    n = r->n;
    char           *text, *p;
    heft_text_cell *cells;
    heft_glances    s = {.n = n};
    size_t          found, blank;
    HEFT_ALLOC(ctx, &ctx->scratch, text, (size_t)(end - from) + HEFT_CHUNK_PAD);
    HEFT_ALLOCS(ctx, &ctx->scratch, n, cells, s.columns);
    memcpy(text, from, (size_t)(end - from));
    memset(text + (end - from), '\n',
           HEFT_CHUNK_PAD); /* a cell ends at a line's end at the latest */
    stop = text + (end - from);
    p = take_record(text, stop, csv, cells, n, &found);
    *yes = found == n && p < stop;
    for (size_t j = 0; *yes && j < n; j++) {
        *yes = !heft_is_missing(schema, HEFT_NUMERIC, &cells[j]) &&
               !heft_is_number(schema, cells[j].text, cells[j].length);
        for (size_t k = 0; *yes && k < j; k++)
            *yes = cells[k].length != cells[j].length ||
                   memcmp(cells[k].text, cells[j].text, cells[j].length) != 0;
    }
    if (*yes) heft_glance_first(schema, &s, cells);
    while (*yes && p < stop && s.n_rows < SAMPLE) {
        if ((blank = heft_csv_blank_line(p, csv->delimiter))) {
            p += blank;
            continue;
        }
        p = take_record(p, stop, csv, cells, n, &found);
        *yes = found == n;
        if (*yes) heft_glance_row(schema, &s, cells);
    }
    *yes = *yes && tells_names(&s, r->before);
    return HEFT_OK;
}

/* Counts the lines that come before the table: lines of a title or a date, as reports of other
 * programs have them, behind which a header follows. Rows have as many cells as the last record
 * that is looked at. A file whose first line may be a header or a row by itself has none. */
static heft_status count_preamble(heft_ctx *ctx, const heft_schema *schema,
                                  const heft_csv_layout *csv, const heft_chunk *head, size_t *lines)
{
    enum { MOST = 20 };
    const char *end = head->text + head->length;
    record      r = {.at = head->text, .next = head->text}, last = r;
    title       kind;
    size_t      k = 0;
    bool        yes = false;
    *lines = 0;
    if (schema->how->header != 0 || csv->delimiter == ' ') return HEFT_OK;
    while (k < MOST + 2 && next_record(csv, end, &last)) k++;
    k = 0;
    if (last.n > 1)
        for (; k < MOST && next_record(csv, end, &r); k++) {
            if ((kind = title_of(&r, last.n)) == TITLE_NOT) break;
            if (kind > r.before) r.before = kind;
        }
    if (k > 0 && k < MOST && r.n == last.n)
        HEFT_CHECK(is_table_head(ctx, schema, csv, &r, end, &yes));
    if (yes) *lines = r.line;
    return HEFT_OK;
}

/* Leaves out a line that names the delimiter, and lines before the header. The head is taken again
 * then. */
static heft_status skip_preamble(heft_ctx *ctx, const heft_schema *schema, heft_feed *feed,
                                 heft_csv_layout *csv, first_records *records)
{
    heft_chunk *head = &records->text;
    const bool  asked = schema->how->delimiter != 0, tells = heft_comm_rank(ctx) == 0;
    const char  named = named_delimiter(head);
    size_t      lines, first = head->first_line;
    if (named) {
        if (!asked) csv->delimiter = named;
        if (tells)
            heft_say(ctx, HEFT_WARNING,
                     "%s:%zu: the line names the delimiter and is left out of the table",
                     schema->name, first);
        feed->skip = first;
        HEFT_CHECK(take_head(ctx, schema, feed, csv, records));
        first = head->first_line;
    }
    HEFT_CHECK(count_preamble(ctx, schema, csv, head, &lines));
    if (lines == 0) return HEFT_OK;
    if (tells)
        heft_say(ctx, HEFT_WARNING,
                 "%s: %s %zu%s%.0zu before the table %s left out, as the header is in line %zu "
                 "({header=yes} if line %zu is the header)",
                 schema->name, lines == 1 ? "line" : "lines", first, lines == 1 ? "" : "-",
                 lines == 1 ? 0 : first + lines - 1, lines == 1 ? "is" : "are", first + lines,
                 first);
    if (!asked && !named) csv->delimiter = 0; /* the delimiter is found again without these lines */
    set_feed(csv, feed);
    feed->skip = first + lines - 1;
    return take_head(ctx, schema, feed, csv, records);
}

/* Finds delimiter, header and names, and guesses the kinds of the columns that nobody fixed. */
static heft_status csv_columns(heft_ctx *ctx, heft_builder *b, heft_feed *feed)
{
    heft_schema              *schema = &b->schema;
    HEFT_LOCAL(first_records) first = {.least = HEAD};
    heft_csv_layout          *csv;
    size_t                    n_rows = 0;
    HEFT_ALLOC(ctx, &schema->arena, csv, 1);
    b->source.layout = csv;
    csv->delimiter = schema->how->delimiter;
    csv->quote = schema->how->quote == HEFT_NO_QUOTE ? 0
                 : schema->how->quote                ? schema->how->quote
                                                     : '"';
    set_feed(csv, feed);
    HEFT_CHECK(take_head(ctx, schema, feed, csv, &first));
    HEFT_CHECK(skip_preamble(ctx, schema, feed, csv, &first));
    set_feed(csv, feed);
    HEFT_CHECK(parse_head(ctx, schema, &first.text, csv, &n_rows));
    const double ratio = (double)heft_input_size(feed->in) / (double)first.bytes;
    b->source.n_expected = ratio > 1 ? (size_t)((double)n_rows * ratio * 1.05) : n_rows;
    return HEFT_OK;
}

/* ---- further files ---- */

/* The first record of a further file: one whose cells are not all names is a row; words over
 * columns of numbers, or names in half of the columns, are another header. */
static heft_status check_for_header(heft_ctx *ctx, const heft_schema *schema,
                                    const heft_text_cell *cells, heft_csv_layout *csv)
{
    const size_t n = csv->n;
    size_t       same = 0, other = n;    /* cells that are names; the first one that is not */
    size_t       numbers = 0, words = 0; /* columns of numbers, and those with a word here */
    for (size_t j = 0; j < n; j++) {
        const heft_text_cell *cell = &cells[j];
        const char           *name = schema->fields[j].name;
        char                  own[24]; /* the name that a column without one gets */
        snprintf(own, sizeof own, "c%zu", j + 1);
        if (cell->length == 0
                ? strcmp(name, own) == 0
                : strlen(name) == cell->length && memcmp(name, cell->text, cell->length) == 0)
            same++;
        else if (other == n) other = j;
        if (schema->fields[j].kind != HEFT_NUMERIC) continue;
        numbers++;
        words += !heft_is_number(schema, cell->text, cell->length) &&
                 !heft_is_missing(schema, HEFT_NUMERIC, cell);
    }
    const bool header = same == n && schema->how->header >= 0 && csv->header_line;
    csv->header_line = header ? csv->first_line : 0;
    if (header || schema->how->header < 0) return HEFT_OK;
    const bool unlike = !csv->empty && numbers > 0 && words == numbers;
    if (schema->how->header == 0 && !unlike && !(same > 0 && 2 * same >= n)) return HEFT_OK;
    if (other == n) other = 0;
    return heft_other_name(ctx, schema, other, cells[other].text, cells[other].length);
}

/* A further file of the same table: `csv`, that of the first, becomes its own. Its first record is
 * a header where it repeats the names of the first file's; another header is EFORMAT. */
static heft_status follow(heft_ctx *ctx, const heft_schema *schema, heft_feed *feed,
                          heft_csv_layout *csv)
{
    HEFT_SCRATCH_SCOPE(ctx);
    HEFT_LOCAL(first_records) first = {.least = 1024};
    heft_text_cell           *cells;
    size_t                    n, found;
    HEFT_CHECK(take_head(ctx, schema, feed, csv, &first));
    HEFT_CHECK(skip_preamble(ctx, schema, feed, csv, &first));
    const char *end = first.text.text + first.text.length;
    char       *p = first_record(&first.text, csv);
    if (p >= end) return heft_no_rows(ctx, schema);
    heft_csv_skip_record(p, end, cut_of(csv), csv->quote, &n);
    if (n != csv->n)
        return heft_fail_at(ctx, HEFT_EFORMAT, schema->name, csv->first_line,
                            "the line has %s, but the first file has %s (all files of a table "
                            "need the same columns)",
                            HEFT_COUNT_OF(n, "cell"), HEFT_COUNT_OF(csv->n, "column"));
    HEFT_ALLOC(ctx, &ctx->scratch, cells, n);
    take_record(p, end, csv, cells, n, &found);
    return check_for_header(ctx, schema, cells, csv);
}

/* ---- rows ---- */

/* All files but the first have a header only where it repeats the first one's. */
static heft_status csv_rows(heft_ctx *ctx, heft_builder *b, heft_feed *feed, size_t k)
{
    heft_csv_layout csv = *(const heft_csv_layout *)b->source.layout;
    if (k > 0) {
        set_feed(&csv, feed);
        HEFT_CHECK(follow(ctx, &b->schema, feed, &csv));
        HEFT_CHECK(heft_feed_restart(ctx, feed));
    }
    return heft_scan_rows(ctx, b, feed, heft_csv_parse, &csv);
}

/* ---- writing ---- */

/* Warns of values that will be read as missing: quotes do not prevent that. */
static void warn_marks(heft_ctx *ctx, const heft_writer *w, const heft_column *col)
{
    if (!col->dict) return;
    for (uint32_t k = 0; k < heft_dict_size(col->dict); k++)
        if (heft_is_usual_mark(HEFT_NOMINAL, heft_dict_text(col->dict, k),
                               heft_dict_length(col->dict, k)))
            heft_say(ctx, HEFT_WARNING,
                     "%s: column '%s': the value '%s' will be read back as missing (an ARFF "
                     "file keeps it)",
                     w->name, HEFT_SHOW_NAME(col->name), heft_dict_text(col->dict, k));
}

/* The file begins with the first name, and readers go by how a file begins: a name that might be
 * taken for a packed or a binary file is quoted. */
static void put_name(heft_writer *w, size_t at, const char *name)
{
    bool odd = heft_begins_like_binary(name);
    for (size_t k = 0; k < 4 && name[k]; k++)
        if ((unsigned char)name[k] < 0x20 || (unsigned char)name[k] >= 0x80) odd = true;
    if (at) heft_buf_add(&w->buf, &w->delimiter, 1);
    const size_t before = w->buf.length;
    heft_buf_csv(&w->buf, name, w->delimiter);
    if (at || !odd || w->buf.failed || w->buf.data[before] == '"') return;
    w->buf.length = before;
    heft_buf_printf(&w->buf, "\"%s\"", name); /* holds no quote: it would have been quoted */
}

/* Returns the column of a cell in the order of the file: attributes, weights (SIZE_MAX), class. */
static size_t column_of_cell(const heft_table *t, size_t at)
{
    if (!t->weight || at < t->n_cols) return at;
    return at == t->n_cols ? SIZE_MAX : at - 1;
}

static heft_status csv_begin(heft_ctx *ctx, heft_writer *w)
{
    const heft_table *t = w->table;
    if (t->sparse) HEFT_NEW(ctx, w->line, t->n_cols);
    for (size_t at = 0; at < heft_write_columns(w) + !!t->weight; at++) {
        const size_t j = column_of_cell(t, at);
        char         name[64] = "weight"; /* a number is added where an attribute has that name */
        if (j == SIZE_MAX)
            for (size_t k = 2; heft_table_find(t, name) != SIZE_MAX; k++)
                snprintf(name, sizeof name, "weight%zu", k);
        put_name(w, at, j == SIZE_MAX ? name : heft_write_column(w, j)->name);
        if (j != SIZE_MAX) warn_marks(ctx, w, heft_write_column(w, j));
    }
    heft_buf_text(&w->buf, "\n");
    return HEFT_OK;
}

static void csv_row(heft_writer *w, size_t i)
{
    const heft_table *t = w->table;
    const size_t      before = w->buf.length;
    for (size_t at = 0; at < heft_write_columns(w) + !!t->weight; at++) {
        const size_t       j = column_of_cell(t, at);
        const heft_column *col = j == SIZE_MAX ? NULL : heft_write_column(w, j);
        HEFT_KNOWN(col || t->weight);
        const double x = col ? heft_write_cell(w, i, j) : t->weight[i];
        if (at) heft_buf_add(&w->buf, &w->delimiter, 1);
        if (isnan(x)) continue;
        if (!col || col->kind == HEFT_NUMERIC) heft_buf_double(&w->buf, x);
        else heft_buf_csv(&w->buf, heft_dict_text(col->dict, (uint32_t)x), w->delimiter);
    }
    heft_buf_text(&w->buf, w->buf.length == before ? "?\n" : "\n"); /* a blank line is no row */
}

const heft_format heft_format_csv = {
    .info = {"csv", "csv", "comma-separated values; other delimiters are detected", true},
    .columns = csv_columns,
    .rows = csv_rows,
    .write_begin = csv_begin,
    .write_row = csv_row,
};

const heft_format heft_format_tsv = {
    .info = {"tsv", "tsv tab", "tab-separated values", true},
    .delimiter = '\t',
    .columns = csv_columns,
    .rows = csv_rows,
    .write_begin = csv_begin,
    .write_row = csv_row,
};
