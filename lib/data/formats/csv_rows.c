/* csv_rows.c - the rows of a chunk of CSV text.
 *
 * Where text has no blank lines, no quotes but plain ones around a cell, and all rows have as many
 * cells as they should, the places of delimiters and line ends are the edges of all cells. A
 * *window* of such rows, which fits the first cache, is read column by column: short loops, and no
 * decision but on the cells themselves. Any other row is read cell by cell. Both give the same
 * cells. An error is always that of the first wrong cell in the order of the text: where a cell of
 * a window is wrong its rows are read again one by one. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/marks.h"
#include "base/scan.h"
#include "base/wide.h"
#include "data/formats/csv_cells.h"

enum { LEAST_WINDOW = 16 * 1024, LARGEST_WINDOW = 1024 * 1024 }; /* bytes of text */

typedef struct row_reader {
    heft_batch            *batch;
    const heft_csv_layout *csv;
    char                   delimiter;
    uint64_t               delimiters; /* eight of them */
    char                   mark;       /* decimal */
    bool                   quick;      /* a cell that is a number is not a missing mark */
    bool                   by_columns; /* windows may be used */
    char                  *end;
    /* the marks of the text from `from` on: batch->marks.place[1..n_marks], of which those before
     * `at` are behind us; marks[0] is the line end before `from` */
    char  *from;
    char   quote;                          /* some cells may be quoted; 0: none is */
    size_t window, n_marks, at, n_regular; /* rows of the window from `from` on; 0: not known */
} row_reader;

/* ---- cell by cell ---- */

/* Finds the next delimiter or line end from p on. Reads up to 7 bytes behind it. */
static inline char *cell_end(char *p, uint64_t delimiters)
{
    const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u, lines = ones * '\n';
    for (;; p += 8) {
        const uint64_t word = heft_load8(p);
        const uint64_t a = word ^ delimiters, b = word ^ lines; /* a zero byte where it is one */
        const uint64_t hit = (((a - ones) & ~a) | ((b - ones) & ~b)) & tops;
        if (hit) return p + (__builtin_ctzll(hit) >> 3);
    }
}

/* Fails because the row that begins in `line` has n cells, and more from `rest` on unless that is
 * NULL. Cells that were taken cannot be counted again: their quotes are gone. */
static heft_status ragged(heft_ctx *ctx, const row_reader *r, size_t n, const char *rest,
                          size_t line)
{
    char   first[48] = "the header has";
    size_t more = 0;
    if (rest) heft_csv_skip_record(rest, r->end, r->delimiter, r->csv->quote, &more);
    n += more;
    if (!r->csv->header_line) snprintf(first, sizeof first, "line %zu has", r->csv->first_line);
    return heft_fail_at(ctx, HEFT_EFORMAT, r->batch->builder->schema.name, line,
                        "the row has %s, but %s %zu (is the delimiter right? see {delimiter})",
                        HEFT_COUNT_OF(n, "cell"), first, r->csv->n);
}

/* Reads any cell for any column: quoted, blank, missing, no number. */
static heft_status any_cell(heft_ctx *ctx, row_reader *r, heft_batch_column *column, char **p)
{
    heft_text_cell cell;
    *p = heft_csv_take_cell(*p, r->end, r->delimiter, r->csv->quote, &cell);
    if (cell.problem) return heft_row_fail(ctx, r->batch, "%s", HEFT_MARKED(cell.problem));
    if (column->kept) heft_batch_keep(r->batch, cell.text, cell.length);
    HEFT_CHECK(heft_batch_put(ctx, r->batch, column, &cell));
    r->batch->line += cell.n_lines;
    return HEFT_OK;
}

/* Reads a nominal cell that begins with neither a quote nor a blank. */
static inline heft_status plain_value(heft_ctx *ctx, row_reader *r, heft_batch_column *column,
                                      char **p)
{
    uint32_t *code = &column->code[r->batch->n_rows];
    char     *text = *p, *end = cell_end(text, r->delimiters);
    if (*end == '\n' && end > text && end[-1] == '\r') end--;
    *p = end;
    while (end > text && (end[-1] == ' ' || end[-1] == '\t')) end--;
    const size_t length = (size_t)(end - text);
    if (heft_memo_find(column->memo, text, length, code)) return HEFT_OK;
    const heft_text_cell cell = {.text = text, .length = length};
    return heft_batch_code(ctx, r->batch, column, &cell, code);
}

static inline heft_status one_cell(heft_ctx *ctx, row_reader *r, heft_batch_column *column,
                                   char **p)
{
    if (column->kept) return any_cell(ctx, r, column, p);
    if (column->what == HEFT_CELLS_NUMBER && r->quick) {
        const char *end =
            heft_quick_number(*p, r->delimiter, r->mark, &column->number[r->batch->n_rows]);
        if (end) {
            *p += end - *p;
            return HEFT_OK;
        }
    } else if (column->what == HEFT_CELLS_NOMINAL && **p != r->csv->quote && **p != ' ' &&
               **p != '\t') {
        return plain_value(ctx, r, column, p);
    }
    return any_cell(ctx, r, column, p);
}

/* Reads the row at *place, which moves behind it. */
static heft_status one_row(heft_ctx *ctx, row_reader *r, char **place)
{
    const size_t n = r->csv->n, line = r->batch->line;
    char        *p = *place;
    for (size_t j = 0;; j++, p++) {
        if (j == n) return ragged(ctx, r, n, p, line);
        HEFT_CHECK(one_cell(ctx, r, &r->batch->columns[j], &p));
        if (*p == r->delimiter) continue;
        if (j + 1 < n) return ragged(ctx, r, j + 1, NULL, line);
        break;
    }
    p += *p == '\r';
    *place = p + 1;
    r->batch->line++;
    r->batch->n_rows++;
    return HEFT_OK;
}

/* ---- windows ---- */

/* Takes the quotes of plain quoted cells, which hold no mark and begin and end at the edges of the
 * cell, out of the marks, of which there are *n. Returns how many quotes are left. */
static size_t drop_quotes(const char *text, char quote, uint32_t *place, size_t *n)
{
    const uint32_t *edge = place - 1; /* the mark before the cell */
    size_t          left = 0;
    uint32_t       *to = place;
    for (size_t k = 0; k < *n; k++) {
        const uint32_t at = place[k];
        if (text[at] == quote) {
            if (k + 2 < *n && at == *edge + 1 && (edge < place || text[*edge] != quote) &&
                text[place[k + 1]] == quote) {
                const char *behind = text + place[k + 1] + 1, *next = text + place[k + 2];
                const bool  crlf = behind + 1 == next && *behind == '\r' && *next == '\n';
                if (*next != quote && (behind == next || crlf)) {
                    k++;
                    continue;
                }
            }
            left++;
        }
        edge = to;
        *to++ = at;
    }
    *n = (size_t)(to - place);
    return left;
}

/* Finds the marks of the text from p on. */
static heft_status look(heft_ctx *ctx, row_reader *r, char *p)
{
    heft_batch  *batch = r->batch;
    const size_t left = (size_t)(r->end - p), n = left < r->window ? left : r->window;
    const size_t cells = r->csv->n;
    heft_marks   found;
    HEFT_GROW(ctx, batch->marks.place, batch->marks.capacity, n + 1 + HEFT_SCAN_ROOM, 0);
    uint32_t  *place = batch->marks.place + 1;
    const char quote = r->csv->quote;
    heft_scan_marks(p, n, r->delimiter, quote ? quote : '\n', place, &found);
    if (!quote) found.n_quotes = 0; /* line ends were looked for in their place */
    place[-1] = UINT32_MAX;         /* adding 1 gives 0, the start of the text */
    r->quote = found.n_quotes > 0 ? quote : 0;
    if (r->quote) found.n_quotes = drop_quotes(p, quote, place, &found.n);
    r->from = p;
    r->n_marks = found.n;
    r->at = 0;
    r->n_regular = found.n_quotes || found.n_lines > found.n / cells ? 0 : found.n_lines;
    for (size_t i = 0; i < r->n_regular; i++) /* then all line ends are where they should be */
        if (p[place[i * cells + cells - 1]] != '\n') r->n_regular = 0;
    return HEFT_OK;
}

/* Whether the marks from `at` on are those of a regular row. */
static bool is_regular(const row_reader *r, size_t at)
{
    const uint32_t *place = r->batch->marks.place + 1 + at;
    const size_t    n = r->csv->n;
    if (r->n_marks - at < n) return false;
    for (size_t j = 0; j + 1 < n; j++)
        if (r->from[place[j]] != r->delimiter) return false;
    return r->from[place[n - 1]] == '\n';
}

/* Counts the regular rows from p on whose marks are known, at least one where the row at p is
 * regular and not too long. */
static heft_status count_rows(heft_ctx *ctx, row_reader *r, char *p, size_t *rows)
{
    const size_t n = r->csv->n;
    *rows = 0;
    for (bool fresh = false;; fresh = true) {
        if (r->from)
            while (r->at < r->n_marks && r->from + r->batch->marks.place[1 + r->at] < p) r->at++;
        if (r->n_regular && r->at == 0) *rows = r->n_regular;
        else if (r->from)
            while (is_regular(r, r->at + *rows * n)) ++*rows;
        if (*rows || (r->from && r->n_marks - r->at > n)) return HEFT_OK;
        if (fresh && (r->window >= LARGEST_WINDOW || (size_t)(r->end - p) <= r->window))
            return HEFT_OK;
        if (fresh) r->window *= 2;
        HEFT_CHECK(look(ctx, r, p));
    }
}

/* The rows of a window: cell j of row i is before mark i * n_cells + j. */
typedef struct window {
    const char     *text;
    const uint32_t *marks; /* marks of the first row; marks[-1] is the line end before it */
    size_t          n_rows, n_cells;
    size_t          first_row,
        first_line; /* number of the first row in the batch, and its line in the file */
} window;

typedef struct span {
    const char *s, *end;
} span;

/* Returns the cell before mark m, with its quotes. The last cell of a row may end with a CR. */
static inline span cell_at(const char *text, const uint32_t *m, bool last)
{
    span cell = {text + (uint32_t)(m[-1] + 1), text + *m};
    if (last && cell.end > cell.s && cell.end[-1] == '\r') cell.end--;
    return cell;
}

/* Returns the text of a cell without its quotes. */
static inline span bare(span cell, char quote)
{
    if (*cell.s == quote) cell.s++, cell.end--;
    return cell;
}

/* Reads cell i of the window that needs a closer look. */
static heft_status hard_cell(heft_ctx *ctx, const row_reader *r, const window *w,
                             heft_batch_column *column, size_t i, const char *s, const char *end)
{
    heft_batch *batch = r->batch;
    if (s < end && *s == r->csv->quote) {
        s++, end--;
    } else {
        while (s < end && heft_is_blank(*s)) s++;
        while (s < end && heft_is_blank(end[-1])) end--;
    }
    const heft_text_cell cell = {.text = s, .length = (size_t)(end - s)};
    batch->n_rows = w->first_row + i;
    batch->line = w->first_line + i;
    const heft_status st = heft_batch_put(ctx, batch, column, &cell);
    batch->n_rows = w->first_row;
    batch->line = w->first_line;
    return st;
}

/* Reads a number that is longer than most, or missing, or none. */
static heft_status odd_number(heft_ctx *ctx, const row_reader *r, const window *w,
                              heft_batch_column *column, size_t i, span cell)
{
    double    *out = &column->number[w->first_row + i];
    const span text = bare(cell, r->csv->quote);
    if (text.s == text.end) {
        *out = NAN;
        column->n_missing++;
        return HEFT_OK;
    }
    if (heft_short_decimal(text.s, text.end, r->mark, out)) return HEFT_OK;
    if (r->mark == '.' && heft_parse_double(text.s, text.end, out) == HEFT_NUM_OK) return HEFT_OK;
    return hard_cell(ctx, r, w, column, i, cell.s, cell.end);
}

/* Takes the texts of column j, of `rows` rows from `from` on. */
HEFT_INLINE void take_decimals(const window *w, size_t j, size_t from, size_t rows, bool last,
                               char quote, heft_decimals *out)
{
    const size_t    n = w->n_cells;
    const uint32_t *m = w->marks + from * n + j;
    out->n = rows;
    for (size_t i = 0; i < rows; i++, m += n) {
        const span cell = cell_at(w->text, m, last), text = quote ? bare(cell, quote) : cell;
        heft_decimals_put(out, i, text.s, text.end);
    }
}

/* Reads the numbers of column j from row `from` on, at most HEFT_DECIMALS of them. */
static heft_status read_numbers(heft_ctx *ctx, const row_reader *r, const window *w,
                                heft_batch_column *column, size_t j, size_t from)
{
    const size_t  n = w->n_cells, left = w->n_rows - from;
    const size_t  rows = left < HEFT_DECIMALS ? left : HEFT_DECIMALS;
    const bool    last = j + 1 == n;
    heft_decimals texts;
    uint64_t      odd[HEFT_DECIMALS];
    if (last || r->quote) take_decimals(w, j, from, rows, last, r->quote, &texts);
    else take_decimals(w, j, from, rows, false, 0, &texts);
    if (!heft_short_decimals(&texts, r->mark, column->number + w->first_row + from, odd))
        return HEFT_OK;
    for (size_t i = 0; i < rows; i++)
        if (odd[i])
            HEFT_CHECK(odd_number(ctx, r, w, column, from + i,
                                  cell_at(w->text, w->marks + (from + i) * n + j, last)));
    return HEFT_OK;
}

/* Reads the values of column j from row i on while they were met lately; returns the first row of
 * another one. */
HEFT_INLINE size_t known_values(const window *w, size_t j, size_t i, bool last, char quote,
                                heft_memo_table memo, uint32_t *out)
{
    const size_t    n = w->n_cells, rows = w->n_rows;
    const char     *text = w->text;
    const uint32_t *m = w->marks + i * n + j;
    for (; i < rows; i++, m += n) {
        const span cell = cell_at(text, m, last), value = quote ? bare(cell, quote) : cell;
        if (!heft_memo_find(memo, value.s, (size_t)(value.end - value.s), &out[i])) break;
    }
    return i;
}

static heft_status read_values(heft_ctx *ctx, const row_reader *r, const window *w,
                               heft_batch_column *column, size_t j)
{
    const bool last = j + 1 == w->n_cells;
    const char quote = r->quote;
    uint32_t  *out = column->code + w->first_row;
    for (size_t i = 0;; i++) {
        i = last || quote ? known_values(w, j, i, last, quote, column->memo, out)
                          : known_values(w, j, i, false, 0, column->memo, out);
        if (i == w->n_rows) return HEFT_OK;
        const span cell = cell_at(w->text, w->marks + i * w->n_cells + j, last);
        const span value = quote ? bare(cell, quote) : cell;
        if (value.s == value.end) out[i] = HEFT_CODE_MISSING;
        else HEFT_CHECK(hard_cell(ctx, r, w, column, i, cell.s, cell.end));
    }
}

static heft_status read_others(heft_ctx *ctx, const row_reader *r, const window *w,
                               heft_batch_column *column, size_t j)
{
    const size_t n = w->n_cells;
    for (size_t i = 0; i < w->n_rows; i++) {
        const span cell = cell_at(w->text, w->marks + i * n + j, j + 1 == n);
        HEFT_CHECK(hard_cell(ctx, r, w, column, i, cell.s, cell.end));
    }
    return HEFT_OK;
}

static heft_status read_window(heft_ctx *ctx, const row_reader *r, const window *w)
{
    for (size_t j = 0; j < w->n_cells; j++) {
        heft_batch_column *column = &r->batch->columns[j];
        if (column->what == HEFT_CELLS_NOMINAL) HEFT_CHECK(read_values(ctx, r, w, column, j));
        else if (column->what == HEFT_CELLS_NUMBER && r->quick)
            for (size_t i = 0; i < w->n_rows; i += HEFT_DECIMALS)
                HEFT_CHECK(read_numbers(ctx, r, w, column, j, i));
        else if (column->what != HEFT_CELLS_SKIP) HEFT_CHECK(read_others(ctx, r, w, column, j));
    }
    return HEFT_OK;
}

/* Reads the row at *place, and as many behind it as can be read at once. */
static heft_status some_rows(heft_ctx *ctx, row_reader *r, char **place)
{
    heft_batch *batch = r->batch;
    window      w = {.first_row = batch->n_rows, .first_line = batch->line, .n_cells = r->csv->n};
    if (r->by_columns) HEFT_CHECK(count_rows(ctx, r, *place, &w.n_rows));
    if (w.n_rows == 0) return one_row(ctx, r, place);
    w.text = r->from;
    w.marks = batch->marks.place + 1 + r->at;
    const heft_status st = read_window(ctx, r, &w);
    if (st == HEFT_EFORMAT)
        for (size_t i = 0; i < w.n_rows; i++) HEFT_CHECK(one_row(ctx, r, place));
    if (st != HEFT_OK) return st;
    r->at += w.n_rows * w.n_cells;
    *place = r->from + batch->marks.place[r->at] + 1;
    batch->n_rows += w.n_rows;
    batch->line += w.n_rows;
    return HEFT_OK;
}

heft_status heft_csv_parse(heft_ctx *ctx, heft_batch *batch, const void *arg)
{
    const heft_csv_layout *csv = arg;
    char                  *p = batch->chunk.text;
    size_t                 length = batch->chunk.length, n;
    if (csv->delimiter == ' ') {
        length = heft_csv_squeeze(p, length, csv->quote);
        memset(p + length, 0, HEFT_CHUNK_PAD);
    }
    row_reader r = {.batch = batch, .csv = csv, .end = p + length, .window = LEAST_WINDOW};
    r.delimiter = csv->delimiter == ' ' ? '\t' : csv->delimiter;
    r.delimiters = 0x0101010101010101u * (unsigned char)r.delimiter;
    r.quick = !batch->builder->schema.marks.are_numbers;
    r.mark = heft_decimal_mark(&batch->builder->schema);
    r.by_columns = csv->n > 1 && !batch->builder->schema.keeps && /* one cell may be a blank line */
                   r.delimiter != csv->quote && r.delimiter != '\r';
    batch->line = batch->chunk.first_line;
    while (p < r.end) {
        const size_t blank = (unsigned char)*p <= ' ' ? heft_csv_blank_line(p, r.delimiter) : 0;
        if (blank) {
            p += blank;
            batch->line++;
        } else if (batch->line == csv->header_line) {
            const char *next = heft_csv_skip_record(p, r.end, r.delimiter, csv->quote, &n);
            for (; p < next; p++) batch->line += *p == '\n';
        } else {
            HEFT_CHECK(some_rows(ctx, &r, &p));
        }
    }
    return HEFT_OK;
}
