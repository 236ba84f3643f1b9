/* csv.h - how a CSV file is laid out, found by looking at its first records. Private to data/. */
#pragma once

#include "data/formats/formats.h"

typedef struct heft_csv {
    char   delimiter;   /* ' ': runs of blanks and tabs */
    size_t n;           /* cells per row */
    size_t header_line; /* 0: none */
    size_t first_line;  /* of the first record, the header or the first row */
} heft_csv;

/* The cell at p, its quotes taken off in place: returns where it ends, at the delimiter or the line
 * end ("\n" or "\r\n"). The text up to `end` is that of a chunk; the delimiter is not ' '. */
char *heft_csv_take(char *p, const char *end, char delimiter, heft_text_cell *cell);

/* Returns the end of the record at p, behind its line end, and its number of cells. */
const char *heft_csv_record(const char *p, const char *end, char delimiter, size_t *n);

/* Bytes of the line at p when it is blank, else 0. A tab that is the delimiter is not blank. */
size_t heft_blank_line(const char *p, char delimiter);

/* Make runs of blanks single tabs, and none at the ends of lines; returns the new length. */
size_t heft_csv_squeeze(char *text, size_t length);

/* heft_format.columns: find delimiter, header and names, guess the kinds of the columns that nobody
 * fixed. heft_builder.layout becomes a heft_csv. */
heft_status heft_csv_columns(heft_ctx *ctx, heft_builder *b, heft_feed *feed);

/* A further file of the same table: `csv`, that of the first, becomes its own. Its first record is
 * a header where it repeats the names of the first file's; another header is EFORMAT. */
heft_status heft_csv_follow(heft_ctx *ctx, const heft_builder *b, heft_feed *feed, heft_csv *csv);
