/* csv_layout.c - the delimiter, the header, the names and the kinds of columns of a CSV file, from
 * its first records. What is found depends on these records alone, never on the chunk size. */
#include <string.h>

#include "base/text.h"
#include "data/formats/csv.h"

enum { HEAD = 256 * 1024, SAMPLE = 100 };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* ---- records ---- */

size_t heft_blank_line(const char *p, char delimiter)
{
    const char *from = p;
    while (is_blank(*p) && *p != delimiter) p++;
    if (*p == '\r') p++;
    return *p == '\n' ? (size_t)(p + 1 - from) : 0;
}

/* Behind the closing quote of the quoted text at p, or `end`. */
static const char *skip_quoted(const char *p, const char *end)
{
    for (p++; p < end; p += 2) {
        p = memchr(p, '"', (size_t)(end - p));
        if (!p) return end;
        if (p[1] != '"') return p + 1;
    }
    return end;
}

const char *heft_csv_record(const char *p, const char *end, char delimiter, size_t *n)
{
    bool fresh = true; /* at the start of a cell, blanks aside */
    *n = 1;
    while (p < end && *p != '\n') {
        if (*p == '"' && fresh) {
            p = skip_quoted(p, end);
            fresh = false;
            continue;
        }
        if (*p == delimiter) ++*n;
        fresh = *p == delimiter || (fresh && is_blank(*p));
        p++;
    }
    return p < end ? p + 1 : end;
}

char *heft_csv_take(char *p, const char *end, char delimiter, heft_text_cell *cell)
{
    *cell = (heft_text_cell){.text = p};
    while (is_blank(*p) && *p != delimiter) p++;
    if (*p == '"') {
        char *to = ++p;
        cell->text = to;
        cell->quoted = true;
        for (; p < end && (*p != '"' || p[1] == '"'); p++) {
            if (*p == '"') p++;
            cell->n_lines += *p == '\n';
            *to++ = *p;
        }
        if (p >= end) {
            cell->problem = "a quoted cell begins here and is not closed";
            return p;
        }
        cell->length = (size_t)(to - cell->text);
        for (p++; is_blank(*p) && *p != delimiter;) p++;
        if (*p != delimiter && *p != '\n' && !(*p == '\r' && p[1] == '\n'))
            cell->problem = "text behind a closing quote (double a quote inside a quoted cell)";
        return p;
    }
    cell->text = p;
    while (*p != delimiter && *p != '\n') p++;
    if (*p == '\n' && p > cell->text && p[-1] == '\r') p--;
    cell->length = (size_t)(p - cell->text);
    while (cell->length && is_blank(cell->text[cell->length - 1])) cell->length--;
    return p;
}

size_t heft_csv_squeeze(char *text, size_t length)
{
    const char *p = text, *end = text + length;
    char       *to = text;
    bool        line_start = true;
    while (p < end) {
        const char *from = p;
        while (is_blank(*p)) p++;
        const bool at_end = *p == '\n' || (*p == '\r' && p[1] == '\n');
        if (p > from && !line_start && !at_end) *to++ = '\t';
        from = p;
        if (*p == '"' && !at_end) p = skip_quoted(p, end);
        else if (*p == '\n') p++;
        else
            while (!is_blank(*p) && *p != '\n') p++;
        line_start = from < p && *from == '\n';
        memmove(to, from, (size_t)(p - from));
        to += p - from;
    }
    return (size_t)(to - text);
}

/* ---- the delimiter ---- */

typedef struct candidate {
    char   delimiter;
    size_t cells;   /* in most records */
    size_t agree;   /* records with as many */
    size_t foreign; /* cells that hold another candidate */
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

/* Cells of the record [p, end) that hold a mark other than this delimiter, outside quotes. */
static size_t count_foreign(const char *p, const char *end, char delimiter)
{
    size_t foreign = 0;
    while (p < end) {
        const char *from = p;
        bool        odd = false;
        for (; p < end && *p != delimiter; p++) {
            if (*p == '"') p = skip_quoted(p, end) - 1;
            else if (memchr(marks, *p, 4)) odd = true;
        }
        foreign += odd && !is_decimal_comma(from, p);
        p++;
    }
    return foreign;
}

static size_t count_words(const char *p, const char *end)
{
    size_t n = 0;
    while (p < end) {
        while (p < end && (is_blank(*p) || *p == '\r' || *p == '\n')) p++;
        if (p == end) break;
        n++;
        if (*p == '"') p = skip_quoted(p, end);
        while (p < end && !is_blank(*p) && *p != '\r' && *p != '\n') p++;
    }
    return n;
}

/* The most frequent count, and how many have it. */
static void take_mode(const size_t *count, size_t n, candidate *c)
{
    for (size_t i = 0; i < n; i++) {
        size_t same = 0;
        for (size_t k = i; k < n; k++) same += count[k] == count[i];
        if (same <= c->agree) continue;
        c->agree = same;
        c->cells = count[i];
    }
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
        const size_t blank = heft_blank_line(p, c->delimiter);
        if (blank) {
            p += blank;
            continue;
        }
        const char *next = heft_csv_record(p, end, c->delimiter, &count[records]);
        if (c->delimiter == ' ') count[records] = count_words(p, next);
        else c->foreign += count_foreign(p, next, c->delimiter);
        if (records++ == 0) first = p, second = next;
        p = next;
    }
    take_mode(count, records, c);
    if (first && is_open_header(first, second, c->delimiter, count[0], c->cells)) c->agree++;
    return records;
}

static bool better(const candidate *a, const candidate *b)
{
    if (a->agree != b->agree) return a->agree > b->agree;
    if (a->foreign != b->foreign) return a->foreign < b->foreign;
    return a->cells > b->cells;
}

/* The mark that cuts the first records into the same number of cells, two at least; blanks only
 * where no other does. A table with a ragged row among them is still known by most of its rows. */
static char find_delimiter(const heft_chunk *head)
{
    candidate best = {.delimiter = 0};
    for (size_t k = 0; k < 4; k++) {
        candidate    c = {.delimiter = marks[k]};
        const size_t records = try_delimiter(head, &c);
        if (c.cells < 2 || c.agree * 2 < records) continue;
        if (!best.delimiter || better(&c, &best)) best = c;
    }
    if (best.delimiter) return best.delimiter;
    candidate    blanks = {.delimiter = ' '};
    const size_t records = try_delimiter(head, &blanks);
    return blanks.cells > 1 && blanks.agree == records ? ' ' : ',';
}

/* ---- the header ---- */

/* A column as its first records show it. */
typedef struct glance {
    const char *first; /* its cell in the first record */
    size_t      length;
    bool        repeated; /* that cell occurs again below */
    bool        odd;      /* a cell below is no number, nor missing */
    bool        number;   /* a cell below is a number */
} glance;

static void glance_at(const heft_builder *b, glance *g, const heft_text_cell *cell)
{
    if (cell->length == g->length && memcmp(cell->text, g->first, g->length) == 0)
        g->repeated = true;
    if (heft_is_missing(b, HEFT_NUMBER, cell)) return;
    if (heft_is_number(cell->text, cell->length)) g->number = true;
    else g->odd = true;
}

/* Cells of the record at p into `cells`, up to n of them; behind the record. */
static char *take_record(char *p, const char *end, char delimiter, heft_text_cell *cells, size_t n,
                         size_t *lines)
{
    *lines = 1;
    for (size_t j = 0;; j++, p++) {
        heft_text_cell cell;
        p = heft_csv_take(p, end, delimiter, &cell);
        *lines += cell.n_lines;
        if (j < n) cells[j] = cell;
        if (p >= end || cell.problem || *p != delimiter) break;
    }
    while (p < end && *p != '\n') p++;
    return p < end ? p + 1 : p;
}

/* Over a column of numbers a word is evidence for a header and a number is evidence against it; a ?
 * is never a name, and an empty cell is no evidence. Without columns of numbers the first record is
 * a header unless all its words occur again below. */
static bool looks_like_header(const glance *g, size_t n)
{
    size_t names = 0, numbers = 0;
    bool   repeated = true;
    for (size_t j = 0; j < n; j++) {
        double     x;
        const bool number =
            heft_parse_double(g[j].first, g[j].first + g[j].length, &x) == HEFT_NUM_OK;
        if (g[j].length == 1 && *g[j].first == '?') return false;
        numbers += number;
        names += !number && g[j].length && g[j].number && !g[j].odd;
        repeated = repeated && g[j].repeated;
    }
    return names + numbers > 0 ? names > numbers : !repeated;
}

static void guess_kinds(heft_builder *b, const glance *g, bool header)
{
    for (size_t j = 0; j < b->n_fields; j++) {
        heft_field    *field = &b->fields[j];
        heft_text_cell first = {.text = g[j].first, .length = g[j].length};
        glance         all = g[j];
        if (field->why) continue;
        if (!header) glance_at(b, &all, &first);
        field->kind = all.odd ? HEFT_NOMINAL : HEFT_NUMBER;
    }
}

static heft_status no_rows(heft_ctx *ctx, const heft_builder *b)
{
    return heft_fail(ctx, HEFT_EFORMAT, "%s: no data rows", b->name);
}

/* Where the header has an empty cell too many the number of cells is that of the first row. */
static bool drop_open_cell(const char *p, const char *second, const char *end, char cut,
                           heft_csv *csv)
{
    size_t n, blank;
    for (const char *q = second; q < end; q += blank) {
        if ((blank = heft_blank_line(q, cut))) continue;
        heft_csv_record(q, end, cut, &n);
        if (!is_open_header(p, second, cut, csv->n, n)) break;
        csv->n = n;
        return true;
    }
    return false;
}

/* Where the first record begins, blank lines aside: csv->first_line. */
static char *first_record(const heft_chunk *head, char cut, heft_csv *csv)
{
    char *p = head->text, *end = p + head->length;
    csv->first_line = head->first_line;
    for (size_t blank; p < end && (blank = heft_blank_line(p, cut)); p += blank) csv->first_line++;
    return p;
}

/* The head, taken apart: names, header, kinds. Its text is used up. */
static heft_status study(heft_ctx *ctx, heft_builder *b, heft_chunk *head, heft_csv *csv,
                         size_t *n_rows)
{
    heft_status     st = HEFT_OK;
    const char      cut = csv->delimiter == ' ' ? '\t' : csv->delimiter;
    const char     *end = head->text + head->length;
    char           *p = first_record(head, cut, csv);
    heft_text_cell *cells = NULL;
    glance         *g = NULL;
    size_t          lines, blank;
    if (p >= end) return no_rows(ctx, b);
    const char *second = heft_csv_record(p, end, cut, &csv->n);
    const bool  open = drop_open_cell(p, second, end, cut, csv);
    HEFT_HEAP(ctx, cells, csv->n);
    HEFT_HEAP(ctx, g, csv->n);
    p = take_record(p, end, cut, cells, csv->n, &lines);
    for (size_t j = 0; j < csv->n; j++) {
        if (cells[j].problem)
            HEFT_TRY(
                heft_fail_at(ctx, HEFT_EFORMAT, b->name, csv->first_line, "%s", cells[j].problem));
        g[j] = (glance){.first = cells[j].text, .length = cells[j].length};
    }
    for (*n_rows = 0; p < end;) {
        size_t n;
        if ((blank = heft_blank_line(p, cut))) {
            p += blank;
            continue;
        }
        heft_csv_record(p, end, cut, &n);
        p = take_record(p, end, cut, cells, csv->n, &lines);
        for (size_t j = 0; j < csv->n && n == csv->n && !cells[j].problem; j++)
            glance_at(b, &g[j], &cells[j]);
        ++*n_rows;
    }
    const bool header =
        open || b->how->header > 0 || (b->how->header == 0 && looks_like_header(g, csv->n));
    if (header && *n_rows == 0) HEFT_TRY(no_rows(ctx, b));
    csv->header_line = header ? csv->first_line : 0;
    *n_rows += !header;
    for (size_t j = 0; j < csv->n; j++)
        HEFT_TRY(heft_builder_add(ctx, b, g[j].first, header ? g[j].length : 0));
    HEFT_TRY(heft_builder_assign(ctx, b));
    guess_kinds(b, g, header);
done:
    heft_free(cells);
    heft_free(g);
    return st;
}

/* The first records, with their blanks squeezed where these are the delimiter. Behind them the text
 * has zeros. */
static heft_status take_head(heft_ctx *ctx, heft_feed *feed, size_t least, heft_csv *csv,
                             heft_chunk *head, size_t *bytes)
{
    HEFT_CHECK(heft_feed_head(ctx, feed, least, head));
    if (!csv->delimiter) csv->delimiter = find_delimiter(head);
    *bytes = head->length;
    if (csv->delimiter != ' ') return HEFT_OK;
    head->length = heft_csv_squeeze(head->text, *bytes);
    memset(head->text + head->length, 0, *bytes - head->length);
    return HEFT_OK;
}

heft_status heft_csv_columns(heft_ctx *ctx, heft_builder *b, heft_feed *feed)
{
    heft_status st = HEFT_OK;
    heft_chunk  head = {0};
    heft_csv   *csv;
    size_t      n_rows = 0, bytes;
    HEFT_ARENA(ctx, &b->arena, csv, 1);
    b->layout = csv;
    csv->delimiter = b->how->delimiter;
    feed->delimiter = csv->delimiter ? csv->delimiter : HEFT_ANY_DELIMITER;
    HEFT_TRY(take_head(ctx, feed, HEAD, csv, &head, &bytes));
    feed->delimiter = csv->delimiter;
    HEFT_TRY(study(ctx, b, &head, csv, &n_rows));
    const double share = (double)heft_input_size(feed->in) / (double)bytes;
    b->n_expected = share > 1 ? (size_t)((double)n_rows * share * 1.05) : n_rows;
done:
    heft_chunk_clear(&head);
    return st;
}

/* ---- further files ---- */

typedef struct heading { /* what the first record of a further file looks like */
    size_t same;         /* cells that are the names of their columns */
    size_t numbers;      /* columns of numbers */
    size_t words;        /* of them with a cell that is neither a number nor missing */
    size_t other;        /* first column with another name */
} heading;

static heading compare_names(const heft_builder *b, const heft_text_cell *cells, size_t n)
{
    heading h = {.other = n};
    for (size_t j = 0; j < n; j++) {
        const heft_field *field = &b->fields[j];
        const bool        same = strlen(field->name) == cells[j].length &&
                          memcmp(field->name, cells[j].text, cells[j].length) == 0;
        h.same += same;
        if (!same && h.other == n) h.other = j;
        if (field->kind != HEFT_NUMBER) continue;
        h.numbers++;
        h.words += !heft_is_number(cells[j].text, cells[j].length) &&
                   !heft_is_missing(b, HEFT_NUMBER, &cells[j]);
    }
    return h;
}

static heft_status other_names(heft_ctx *ctx, const heft_builder *b, const heft_csv *csv,
                               const heft_text_cell *cell, size_t j)
{
    char here[96], there[96];
    return heft_fail_at(ctx, HEFT_EFORMAT, b->name, csv->first_line,
                        "column %zu is named '%s', and '%s' in the first file (all files of a "
                        "table need the same columns)",
                        j + 1, heft_show(here, sizeof here, cell->text, cell->length, 60),
                        heft_show_name(there, b->fields[j].name));
}

/* A first record whose cells are not all names is a row; words over columns of numbers, or names in
 * half of the columns, are another header. */
static heft_status judge_heading(heft_ctx *ctx, const heft_builder *b, const heft_text_cell *cells,
                                 heft_csv *csv)
{
    const size_t  n = csv->n;
    const heading h = compare_names(b, cells, n);
    const bool    header = h.same == n && b->how->header >= 0 && csv->header_line;
    const bool    words = h.numbers > 0 && h.words == h.numbers;
    csv->header_line = header ? csv->first_line : 0;
    if (header || b->how->header < 0) return HEFT_OK;
    if (b->how->header > 0 || words || (h.same > 0 && 2 * h.same >= n))
        return other_names(ctx, b, csv, &cells[h.other < n ? h.other : 0],
                           h.other < n ? h.other : 0);
    return HEFT_OK;
}

heft_status heft_csv_follow(heft_ctx *ctx, const heft_builder *b, heft_feed *feed, heft_csv *csv)
{
    heft_status     st = HEFT_OK;
    heft_chunk      head = {0};
    heft_text_cell *cells = NULL;
    const char      cut = csv->delimiter == ' ' ? '\t' : csv->delimiter;
    size_t          n, bytes, lines;
    HEFT_TRY(take_head(ctx, feed, 1024, csv, &head, &bytes));
    const char *end = head.text + head.length;
    char       *p = first_record(&head, cut, csv);
    if (p >= end) HEFT_TRY(no_rows(ctx, b));
    heft_csv_record(p, end, cut, &n);
    if (n != csv->n)
        HEFT_TRY(heft_fail_at(ctx, HEFT_EFORMAT, b->name, csv->first_line,
                              "%zu cells, the first file has %zu (all files of a table need the "
                              "same columns)",
                              n, csv->n));
    HEFT_HEAP(ctx, cells, n);
    take_record(p, end, cut, cells, n, &lines);
    HEFT_TRY(judge_heading(ctx, b, cells, csv));
done:
    heft_free(cells);
    heft_chunk_clear(&head);
    return st;
}
