/* csv_read.c - CSV and its relatives: RFC 4180, any one-character delimiter or runs of blanks.
 *
 * A cell means the same with and without its quotes: "NA" in quotes is missing, "1.5" a number.
 * Blanks around a cell are no part of it unless quoted. Blank lines are skipped. */
#include <stdio.h>
#include <string.h>

#include "base/comm.h"
#include "data/formats/csv.h"
#include "data/formats/formats.h"

/* The first of the delimiter and a line end from p on. Reads up to 7 bytes behind it. */
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
    bool            quick;      /* a number may be taken at sight */
    char           *end;
    size_t          row, line;
} row_reader;

/* A row of n cells, or of so many more from `rest` on. Those taken are not counted again: quotes in
 * them are gone. */
static heft_status ragged(heft_ctx *ctx, const row_reader *r, size_t n, const char *rest,
                          size_t line)
{
    char   first[48];
    size_t more = 0;
    if (rest) heft_csv_record(rest, r->end, r->delimiter, &more);
    n += more;
    if (r->csv->header_line) snprintf(first, sizeof first, "the header has");
    else snprintf(first, sizeof first, "line %zu has", r->csv->first_line);
    return heft_fail_at(ctx, HEFT_EFORMAT, r->batch->builder->name, line,
                        "%zu %s, %s %zu (is the delimiter right? see --delimiter)", n,
                        n == 1 ? "cell" : "cells", first, r->csv->n);
}

/* Any cell for any lane: quoted, blank, missing, no number. */
static heft_status any_cell(heft_ctx *ctx, row_reader *r, heft_lane *lane, char **p)
{
    heft_csv_cell cell;
    double        x;
    *p = heft_csv_take(*p, r->end, r->delimiter, &cell);
    if (cell.problem)
        return heft_fail_at(ctx, HEFT_EFORMAT, r->batch->builder->name, r->line, "%s",
                            cell.problem);
    if (lane->what == HEFT_LANE_NOMINAL) {
        if (!heft_memo_find(lane, cell.text, cell.length, &lane->code[r->row]))
            HEFT_CHECK(heft_lane_code(ctx, r->batch, lane, cell.text, cell.length, cell.quoted,
                                      r->line, &lane->code[r->row]));
    } else if (lane->what != HEFT_LANE_SKIP) {
        HEFT_CHECK(heft_lane_number(ctx, r->batch, lane, cell.text, cell.length, cell.quoted,
                                    r->line, &x));
        lane->number[r->row] = x;
    }
    r->line += cell.n_lines;
    return HEFT_OK;
}

/* A nominal cell that begins with neither a quote nor a blank. */
static inline heft_status plain_value(heft_ctx *ctx, row_reader *r, heft_lane *lane, char **p)
{
    char *text = *p, *end = cell_end(text, r->delimiters);
    if (*end == '\n' && end > text && end[-1] == '\r') end--;
    *p = end;
    while (end > text && (end[-1] == ' ' || end[-1] == '\t')) end--;
    const size_t length = (size_t)(end - text);
    uint32_t     code;
    if (heft_memo_find(lane, text, length, &code)) {
        lane->code[r->row] = code;
        return HEFT_OK;
    }
    return heft_lane_code(ctx, r->batch, lane, text, length, false, r->line, &lane->code[r->row]);
}

static inline heft_status one_cell(heft_ctx *ctx, row_reader *r, heft_lane *lane, char **p)
{
    if (lane->what == HEFT_LANE_NUMBER && r->quick) {
        const char *end = heft_quick_number(*p, r->delimiter, &lane->number[r->row]);
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
    const size_t n = r->csv->n, line = r->line;
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
    r->line++;
    return HEFT_OK;
}

static heft_status parse_csv(heft_ctx *ctx, heft_batch *batch, const void *arg)
{
    const heft_csv *csv = arg;
    char           *p = batch->chunk.text;
    size_t          length = batch->chunk.length;
    row_reader      r = {.batch = batch, .csv = csv, .line = batch->chunk.first_line};
    if (csv->delimiter == ' ') {
        length = heft_csv_squeeze(p, length);
        memset(p + length, 0, HEFT_CHUNK_PAD);
    }
    r.delimiter = csv->delimiter == ' ' ? '\t' : csv->delimiter;
    r.delimiters = 0x0101010101010101u * (unsigned char)r.delimiter;
    r.quick = !batch->builder->marks_are_numbers;
    r.end = p + length;
    while (p < r.end) {
        const size_t blank = (unsigned char)*p <= ' ' ? heft_blank_line(p, r.delimiter) : 0;
        size_t       n;
        if (blank) {
            p += blank;
            r.line++;
        } else if (r.line == csv->header_line) {
            const char *next = heft_csv_record(p, r.end, r.delimiter, &n);
            for (; p < next; p++) r.line += *p == '\n';
        } else {
            HEFT_CHECK(one_row(ctx, &r, &p));
            r.row++;
        }
    }
    batch->n_rows = r.row;
    return HEFT_OK;
}

/* The rows of file k; all but the first have a header only where it is the first one's. */
static heft_status csv_file(heft_ctx *ctx, heft_builder *b, heft_feed *feed, size_t k, void *arg)
{
    const heft_csv *first = arg;
    heft_csv        csv = *first;
    if (k > 0) {
        feed->delimiter = csv.delimiter;
        HEFT_CHECK(heft_csv_follow(ctx, b, feed, &csv));
        HEFT_CHECK(heft_feed_restart(ctx, feed));
    }
    return heft_builder_scan(ctx, b, feed, NULL, parse_csv, &csv);
}

heft_status heft_read_csv(heft_ctx *ctx, heft_builder *b, heft_feed *feed)
{
    heft_csv csv;
    HEFT_CHECK(heft_csv_examine(ctx, b, feed, &csv));
    if (b->files.n == 1 && !b->files.shared) {
        for (bool again = true; again;) {
            HEFT_CHECK(heft_feed_restart(ctx, feed));
            HEFT_CHECK(heft_builder_scan(ctx, b, feed, NULL, parse_csv, &csv));
            HEFT_CHECK(heft_builder_again(ctx, b, &again));
        }
        return HEFT_OK;
    }
    if (b->files.shared) {
        HEFT_CHECK(heft_feed_restart(ctx, feed));
        HEFT_CHECK(heft_feed_byte_range(ctx, feed, feed->place, 1));
        b->n_expected = b->n_expected / heft_all_parts(ctx) + 1;
    }
    return heft_builder_read(ctx, b, feed, csv_file, &csv);
}
