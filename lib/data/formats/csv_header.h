/* csv_header.h - whether the first record of a CSV file is a header. Private to csv.c.
 *
 * The first records are looked at one after the other; then the decision is made from what they
 * show. Cells are borrowed: their text must stay where it is. */
#pragma once

#include "data/batch.h"

/* A column as the first records show it. "Below" is all but the first record. */
typedef struct heft_glance {
    heft_text_cell first, next; /* the column's cells in the first and the second record */
    double         x;           /* the first one as a number; NaN: it is none */
    double         lo, hi;      /* least and greatest number below */
    bool           repeated;    /* the first cell occurs again below */
    bool           recurs;      /* the second one does */
    bool           odd;         /* a cell below is no number, nor missing */
    bool           number;      /* a cell below is a number */
    bool           point, bare; /* some number has a decimal point or exponent; some has none */
    bool           quoted;      /* a cell below is in quotes */
} heft_glance;

typedef struct heft_glances {
    heft_glance *columns;
    size_t       n;                     /* number of columns */
    size_t       n_rows;                /* records below the first */
    size_t       n_numeric;             /* columns of numbers, once there are HEFT_MANY_RECORDS */
    bool         rising, falling, even; /* the numbers of a row below do so; are in equal steps */
} heft_glances;

/* In records behind these only columns are looked at that may still be numeric. */
enum { HEFT_MANY_RECORDS = 1000 };

/* Look at the first record, and at each of the others, in order. */
void heft_glance_first(const heft_schema *schema, heft_glances *s, const heft_text_cell *cells);
void heft_glance_row(const heft_schema *schema, heft_glances *s, const heft_text_cell *cells);
/* Notes what a column has in one record below the first; returns its number, NaN where there is
 * none. */
double heft_glance_cell(const heft_schema *schema, heft_glance *g, const heft_text_cell *cell);

typedef enum heft_header { HEFT_HEADER_NONE, HEFT_HEADER_WORDS, HEFT_HEADER_NUMBERS } heft_header;

heft_status heft_find_header(heft_ctx *ctx, const heft_schema *schema, const heft_glances *s,
                             heft_header *out);
/* Counts the columns at the start that have no name, the first record being a header. */
size_t heft_count_unnamed(const heft_glances *s);
