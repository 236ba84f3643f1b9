/* csv.c - CSV and TSV: RFC 4180, any one-character delimiter or runs of blanks.
 *
 * A cell means the same with and without its quotes: "NA" in quotes is missing, "1.5" a number.
 * Blanks around a cell are not part of it unless quoted. Blank lines are skipped. A written file
 * has the weights in a column before the class, which is the last one; a missing cell is empty. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/formats/csv.h"

/* The next delimiter or line end from p on. Reads up to 7 bytes behind it. */
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

typedef struct row_reader {
    heft_batch     *batch;
    const heft_csv *csv;
    char            delimiter;
    uint64_t        delimiters; /* eight of them */
    bool            quick;      /* heft_quick_number may be used */
    char           *end;
} row_reader;

/* The row that begins in `line` has n cells, and more from `rest` on unless that is NULL. Cells
 * that were taken cannot be counted again: their quotes are gone. */
static heft_status ragged(heft_ctx *ctx, const row_reader *r, size_t n, const char *rest,
                          size_t line)
{
    char   first[48] = "the header has";
    size_t more = 0;
    if (rest) heft_csv_record(rest, r->end, r->delimiter, &more);
    n += more;
    if (!r->csv->header_line) snprintf(first, sizeof first, "line %zu has", r->csv->first_line);
    return heft_fail_at(ctx, HEFT_EFORMAT, r->batch->builder->name, line,
                        "%zu %s, %s %zu (is the delimiter right? see --delimiter)", n,
                        n == 1 ? "cell" : "cells", first, r->csv->n);
}

/* Any cell for any lane: quoted, blank, missing, no number. */
static heft_status any_cell(heft_ctx *ctx, row_reader *r, heft_lane *lane, char **p)
{
    heft_text_cell cell;
    *p = heft_csv_take(*p, r->end, r->delimiter, &cell);
    if (cell.problem) return heft_row_fail(ctx, r->batch, "%s", cell.problem);
    HEFT_CHECK(heft_lane_put(ctx, r->batch, lane, &cell));
    r->batch->line += cell.n_lines;
    return HEFT_OK;
}

/* A nominal cell that begins with neither a quote nor a blank. */
static inline heft_status plain_value(heft_ctx *ctx, row_reader *r, heft_lane *lane, char **p)
{
    uint32_t *code = &lane->code[r->batch->n_rows];
    char     *text = *p, *end = cell_end(text, r->delimiters);
    if (*end == '\n' && end > text && end[-1] == '\r') end--;
    *p = end;
    while (end > text && (end[-1] == ' ' || end[-1] == '\t')) end--;
    const size_t length = (size_t)(end - text);
    if (heft_memo_find(lane, text, length, code)) return HEFT_OK;
    const heft_text_cell cell = {.text = text, .length = length};
    return heft_lane_code(ctx, r->batch, lane, &cell, code);
}

static inline heft_status one_cell(heft_ctx *ctx, row_reader *r, heft_lane *lane, char **p)
{
    if (lane->what == HEFT_LANE_NUMBER && r->quick) {
        const char *end = heft_quick_number(*p, r->delimiter, &lane->number[r->batch->n_rows]);
        if (end) {
            *p += end - *p;
            return HEFT_OK;
        }
    } else if (lane->what == HEFT_LANE_NOMINAL && **p != '"' && **p != ' ' && **p != '\t') {
        return plain_value(ctx, r, lane, p);
    }
    return any_cell(ctx, r, lane, p);
}

/* The row at *p, which moves behind it. */
static heft_status one_row(heft_ctx *ctx, row_reader *r, char **place)
{
    const size_t n = r->csv->n, line = r->batch->line;
    char        *p = *place;
    for (size_t j = 0;; j++, p++) {
        if (j == n) return ragged(ctx, r, n, p, line);
        HEFT_CHECK(one_cell(ctx, r, &r->batch->lanes[j], &p));
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

static heft_status parse_csv(heft_ctx *ctx, heft_batch *batch, const void *arg)
{
    const heft_csv *csv = arg;
    char           *p = batch->chunk.text;
    size_t          length = batch->chunk.length, n;
    if (csv->delimiter == ' ') {
        length = heft_csv_squeeze(p, length);
        memset(p + length, 0, HEFT_CHUNK_PAD);
    }
    row_reader r = {.batch = batch, .csv = csv, .end = p + length};
    r.delimiter = csv->delimiter == ' ' ? '\t' : csv->delimiter;
    r.delimiters = 0x0101010101010101u * (unsigned char)r.delimiter;
    r.quick = !batch->builder->marks_are_numbers;
    batch->line = batch->chunk.first_line;
    while (p < r.end) {
        const size_t blank = (unsigned char)*p <= ' ' ? heft_blank_line(p, r.delimiter) : 0;
        if (blank) {
            p += blank;
            batch->line++;
        } else if (batch->line == csv->header_line) {
            const char *next = heft_csv_record(p, r.end, r.delimiter, &n);
            for (; p < next; p++) batch->line += *p == '\n';
        } else {
            HEFT_CHECK(one_row(ctx, &r, &p));
        }
    }
    return HEFT_OK;
}

/* All files but the first have a header only where it repeats the first one's. */
static heft_status csv_rows(heft_ctx *ctx, heft_builder *b, heft_feed *feed, size_t k)
{
    heft_csv csv = *(const heft_csv *)b->layout;
    if (k > 0) {
        feed->delimiter = csv.delimiter;
        HEFT_CHECK(heft_csv_follow(ctx, b, feed, &csv));
        HEFT_CHECK(heft_feed_restart(ctx, feed));
    }
    return heft_builder_scan(ctx, b, feed, parse_csv, &csv);
}

/* ---- writing ---- */

static bool is_mark(const char *text)
{
    static const char *const marks[] = {"", "?", "NA", "NaN", "nan"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strcmp(text, marks[i]) == 0) return true;
    return false;
}

/* Quotes do not keep a value from being read as missing: warn. */
static void warn_marks(heft_ctx *ctx, const heft_column *col)
{
    char name[96], value[96];
    for (uint32_t k = 0; col->dict && k < heft_dict_size(col->dict); k++) {
        const char *text = heft_dict_text(col->dict, k);
        if (is_mark(text))
            heft_say(ctx, HEFT_WARNING,
                     "column '%s': the value '%s' means missing in a CSV file (ARFF keeps it)",
                     heft_show_name(name, col->name), heft_show_name(value, text));
    }
}

/* Cell number `at` of a line, from 0 on, begins. */
static void begin_cell(heft_writer *w, size_t at)
{
    if (at) heft_buf_add(&w->buf, &w->delimiter, 1);
}

/* The file begins with the first name, and readers go by how a file begins: a name that might be
 * taken for a packed or a binary file is quoted. */
static void put_name(heft_writer *w, size_t at, const char *name)
{
    bool odd = strncmp(name, "%PDF-", 5) == 0 || strncmp(name, "BZh", 3) == 0 ||
               strncmp(name, "PAR1", 4) == 0 || strncmp(name, "SQLite format 3", 15) == 0;
    for (size_t k = 0; k < 4 && name[k]; k++)
        if ((unsigned char)name[k] < 0x20 || (unsigned char)name[k] >= 0x80) odd = true;
    begin_cell(w, at);
    const size_t before = w->buf.length;
    heft_buf_csv(&w->buf, name, w->delimiter);
    if (at || !odd || w->buf.failed || w->buf.data[before] == '"') return;
    w->buf.length = before;
    heft_buf_printf(&w->buf, "\"%s\"", name); /* holds no quote: it would have been quoted */
}

/* Columns in the order of the file: attributes, weights (SIZE_MAX), class. */
static size_t column_of_cell(const heft_table *t, size_t at)
{
    if (!t->weight || at < t->n_cols) return at;
    return at == t->n_cols ? SIZE_MAX : at - 1;
}

static heft_status csv_begin(heft_ctx *ctx, heft_writer *w)
{
    const heft_table *t = w->table;
    heft_status       st = HEFT_OK;
    if (t->sparse) HEFT_HEAP(ctx, w->line, t->n_cols);
    for (size_t at = 0; at < heft_write_columns(w) + !!t->weight; at++) {
        const size_t j = column_of_cell(t, at);
        char         name[64] = "weight"; /* or another one that no attribute has */
        for (size_t k = 2; j == SIZE_MAX && heft_table_find(t, name) != SIZE_MAX; k++)
            snprintf(name, sizeof name, "weight%zu", k);
        put_name(w, at, j == SIZE_MAX ? name : heft_write_column(w, j)->name);
        if (j != SIZE_MAX) warn_marks(ctx, heft_write_column(w, j));
    }
    heft_buf_text(&w->buf, "\n");
done:
    return st;
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
        begin_cell(w, at);
        if (isnan(x)) continue;
        if (!col || col->kind == HEFT_NUMBER) heft_buf_double(&w->buf, x);
        else heft_buf_csv(&w->buf, heft_dict_text(col->dict, (uint32_t)x), w->delimiter);
    }
    heft_buf_text(&w->buf, w->buf.length == before ? "?\n" : "\n"); /* a blank line is no row */
}

static heft_status csv_write(heft_ctx *ctx, heft_writer *w)
{
    return heft_write_each(ctx, w, csv_row);
}

const heft_format heft_format_csv = {
    .info = {"csv", "csv", "comma-separated values; other delimiters are detected"},
    .columns = heft_csv_columns,
    .rows = csv_rows,
    .write_begin = csv_begin,
    .write_rows = csv_write,
};

const heft_format heft_format_tsv = {
    .info = {"tsv", "tsv tab", "tab-separated values"},
    .delimiter = '\t',
    .columns = heft_csv_columns,
    .rows = csv_rows,
    .write_begin = csv_begin,
    .write_rows = csv_write,
};
