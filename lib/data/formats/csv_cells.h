/* csv_cells.h - records and cells of CSV text, and how the columns of a file are laid out. */
#pragma once

#include "data/batch.h"

typedef struct heft_csv_layout {
    char   delimiter;   /* ' ': runs of blanks and tabs */
    char   quote;       /* 0: none. The text holds no such byte */
    size_t n;           /* cells per row */
    size_t header_line; /* 0: none */
    size_t first_line;  /* line of the first record, the header or the first row */
    bool   empty;       /* the first file has a header and no rows: kinds are not known from it */
} heft_csv_layout;

/* Returns the bytes of the line at p when it is blank, else 0. A tab that is the delimiter is not
 * blank. */
size_t heft_csv_blank_line(const char *p, char delimiter);
/* Returns the place behind the closing quote of the quoted text at p, or `end`. */
const char *heft_csv_skip_quoted(const char *p, const char *end, char quote);
/* Returns the end of the record at p, behind its line end, and its number of cells. */
const char *heft_csv_skip_record(const char *p, const char *end, char delimiter, char quote,
                                 size_t *n);
/* Takes the cell at p, its quotes taken off in place: returns where it ends, at the delimiter or
 * the line end ("\n" or "\r\n"). The text up to `end` is that of a chunk; the delimiter is not ' '.
 */
char *heft_csv_take_cell(char *p, const char *end, char delimiter, char quote,
                         heft_text_cell *cell);
/* Makes runs of blanks single tabs, and none at the ends of lines; returns the new length. */
size_t heft_csv_squeeze(char *text, size_t length, char quote);

/* csv_rows.c. Parses a chunk (heft_parse_fn); `arg` is the layout. */
heft_status heft_csv_parse(heft_ctx *ctx, heft_batch *batch, const void *arg);
