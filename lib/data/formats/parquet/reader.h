/* reader.h - the cells of one column of a row group, read page by page.
 *
 * decode.c takes values out of a page, by its encoding. cells.c makes numbers or codes of texts of
 * them. pages.c opens the pages of a chunk one after the other, and puts the values at the places
 * of their rows: missing values are not stored, but marked by levels. A missing number is NaN, a
 * missing code -1.
 *
 * Memory does not grow with the row group: a reader holds one page and the dictionary of its chunk.
 * What all of them unpack is counted: distinct texts stay in the table.
 * Everything is used again for the next row group. Readers of different columns share nothing. */
#pragma once

#include "data/formats/parquet/encodings.h"
#include "data/formats/parquet/unpack.h"

typedef struct heft_span {
    const char *text;
    size_t      length;
} heft_span;

typedef struct heft_parquet_page {
    size_t         n_rows; /* rows that are left, missing ones included */
    int64_t        encoding;
    const uint8_t *at, *end; /* values that are left */
    size_t         n_taken;  /* values that were taken */
    heft_runs      levels;   /* 1: there is a value, 0: it is missing */
    heft_runs      runs;     /* codes of the dictionary, or truth values */
    size_t         n_whole;  /* values that were decoded when the page was opened */
} heft_parquet_page;

/* The bytes of a chunk, fetched as they are needed. */
typedef struct heft_parquet_bytes {
    uint8_t *bytes; /* bytes `at` .. `end` - 1 are not used yet */
    size_t   capacity, at, end;
    size_t   from, to; /* bytes of the file that are not fetched yet */
    size_t   most;     /* bytes to fetch at once, unless a page needs more */
} heft_parquet_bytes;

/* What delta encodings hold, decoded when the page is opened. */
typedef struct heft_parquet_decoded {
    int64_t   *whole; /* numbers, or lengths of texts */
    heft_span *spans;
    char      *joined; /* the texts that spans point to, where the page does not hold them */
    size_t     whole_capacity, spans_capacity, joined_capacity;
} heft_parquet_decoded;

/* The dictionary of the chunk, as numbers or as texts. */
typedef struct heft_parquet_dict {
    size_t       n;
    double      *numbers;
    const char **values; /* texts of the dictionary, then those of the last rows that it lacks */
    size_t       n_values, values_capacity, numbers_capacity;
    heft_arena   words, fresh; /* memory of these two kinds of texts */
} heft_parquet_dict;

typedef struct heft_parquet_reader {
    const heft_parquet_file   *file;
    const heft_parquet_column *column;
    bool                       texts;    /* codes are wanted, not numbers */
    heft_parquet_chunk         chunk;    /* the column's part of the row group that is read */
    size_t                     n_left;   /* values in pages that are not opened yet */
    atomic_size_t             *unpacked; /* bytes that all readers of the file have made so far */
    heft_unpacker              unpacker;
    heft_parquet_bytes         raw;
    heft_parquet_page          page;
    uint8_t                   *plain; /* the page, unpacked */
    size_t                     plain_capacity;
    heft_parquet_decoded       decoded;
    heft_parquet_dict          dict;
    int32_t                   *codes; /* cells of the last rows */
    size_t                     codes_capacity;
} heft_parquet_reader;

enum {
    HEFT_PARQUET_PLAIN,
    HEFT_PARQUET_PLAIN_DICTIONARY = 2,
    HEFT_PARQUET_RLE,
    HEFT_PARQUET_BIT_PACKED,
    HEFT_PARQUET_DELTA,
    HEFT_PARQUET_DELTA_LENGTH,
    HEFT_PARQUET_DELTA_TEXT,
    HEFT_PARQUET_DICTIONARY,
    HEFT_PARQUET_STREAMS
};

static inline heft_status heft_reader_damaged(heft_ctx *c, const heft_parquet_reader *r,
                                              const char *why)
{
    return heft_parquet_damaged(c, r->file, r->column, why);
}

/* ---- pages.c ---- */

/* Begins with a row group; `chunk` is its part of the column. */
heft_status heft_reader_begin(heft_ctx *ctx, heft_parquet_reader *r,
                              const heft_parquet_chunk *chunk, size_t n_rows);
/* Reads the next n rows, as numbers in `room`, or as codes that stay valid until the next call. */
heft_status heft_reader_read(heft_ctx *ctx, heft_parquet_reader *r, size_t n, double *room,
                             heft_typed_cells *out);
void        heft_reader_clear(heft_parquet_reader *r);

/* ---- decode.c: n values of the open page ---- */

/* Counts bytes that will be made of the file. Fails with EFORMAT where they are too many for its
 * size. */
heft_status heft_reader_spend(heft_ctx *ctx, const heft_parquet_reader *r, size_t bytes);
/* Decodes what must be decoded as a whole, after a page was opened. */
heft_status heft_values_open(heft_ctx *ctx, heft_parquet_reader *r);
/* Reads numbers of fixed size: whole ones, or the bits of a double. */
heft_status heft_values_raw(heft_ctx *ctx, heft_parquet_reader *r, int64_t *out, size_t n);
/* Reads bytes, which are valid while the page is open. */
heft_status heft_values_bytes(heft_ctx *ctx, heft_parquet_reader *r, heft_span *out, size_t n);
/* Reads codes of the dictionary. */
heft_status heft_values_codes(heft_ctx *ctx, heft_parquet_reader *r, int32_t *out, size_t n);

/* ---- cells.c ---- */

enum { HEFT_DICTIONARY_VALUE = 32 }; /* bytes that a value of a dictionary takes, its text apart */

/* Reads the values of a dictionary page, which is open. */
heft_status heft_cells_dictionary(heft_ctx *ctx, heft_parquet_reader *r, size_t n);
/* Reads n values of the open page: codes where they are wanted, else numbers. */
heft_status heft_cells_values(heft_ctx *ctx, heft_parquet_reader *r, double *numbers,
                              int32_t *codes, size_t n);

/* ---- convert.c: values that are there to numbers and texts ---- */

double heft_raw_number(const heft_parquet_column *c, int64_t raw);
size_t heft_raw_text(const heft_parquet_column *c, int64_t raw, char out[HEFT_VALUE_TEXT]);
/* A decimal number or a short float of some bytes. False: there are too many or none. */
bool heft_bytes_number(const heft_parquet_column *c, const heft_span *bytes, double *out);
bool heft_bytes_text(const heft_parquet_column *c, const heft_span *bytes,
                     char out[HEFT_VALUE_TEXT]);
