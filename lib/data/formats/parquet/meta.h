/* meta.h - what a Parquet file says of itself: its columns, and where their parts are.
 *
 * A file is cut into row groups; in each of them every column has a chunk, a run of pages. The
 * description is at the end of the file (the footer). It is kept as it is; the chunks of a row
 * group are looked up in it when they are needed. */
#pragma once

#include "data/formats/formats.h"
#include "data/formats/parquet/thrift.h"

typedef enum heft_parquet_type { /* how values are stored; numbers as in the format */
                                 HEFT_PARQUET_BOOL,
                                 HEFT_PARQUET_INT32,
                                 HEFT_PARQUET_INT64,
                                 HEFT_PARQUET_INT96,
                                 HEFT_PARQUET_FLOAT,
                                 HEFT_PARQUET_DOUBLE,
                                 HEFT_PARQUET_BYTES,
                                 HEFT_PARQUET_FIXED
} heft_parquet_type;

typedef enum heft_parquet_meaning {
    HEFT_MEANS_NUMBER,
    HEFT_MEANS_UNSIGNED,
    HEFT_MEANS_DECIMAL,
    HEFT_MEANS_HALF, /* a floating-point number of two bytes */
    HEFT_MEANS_TRUTH,
    HEFT_MEANS_BYTES, /* text, unless it turns out to be none */
    HEFT_MEANS_TEXT,
    HEFT_MEANS_DATE, /* days since 1970 */
    HEFT_MEANS_MILLISECONDS,
    HEFT_MEANS_MICROSECONDS,
    HEFT_MEANS_NANOSECONDS
} heft_parquet_meaning;

typedef struct heft_parquet_column {
    const char          *name; /* points into the footer, not terminated */
    size_t               name_length;
    const char          *refused; /* "a list", ...: it cannot be read; NULL: it can */
    heft_parquet_type    type;
    heft_parquet_meaning meaning;
    size_t               width;    /* bytes of a value of fixed size; 0: they differ */
    int                  scale;    /* digits of a decimal behind the point */
    bool                 optional; /* values may be missing */
    size_t               chunk;    /* number of its first chunk in a row group */
} heft_parquet_column;

typedef struct heft_parquet_group {
    const uint8_t *at; /* its description in the footer */
    size_t         n_rows;
    size_t         first_row; /* number of its first row in the file, from 1 */
} heft_parquet_group;

typedef struct heft_parquet_chunk {
    int64_t type, codec, n_values;
    int64_t from, length; /* bytes of the file */
    bool    encrypted, elsewhere;
} heft_parquet_chunk;

typedef struct heft_parquet_file {
    heft_input          *in;
    size_t               size, most; /* bytes of the file, and of its unpacked cells; 0: by ratio */
    const uint8_t       *footer, *footer_end;
    heft_parquet_column *columns;
    size_t               n_columns, n_chunks; /* chunks of a row group; nested columns have more */
    heft_parquet_group  *groups;
    size_t               n_groups, n_rows;
} heft_parquet_file;

/* Reads and checks the footer of the file; all is in the arena. `most` is heft_source.max_unpacked.
 */
heft_status heft_parquet_open(heft_ctx *ctx, heft_arena *arena, heft_input *in, size_t most,
                              heft_parquet_file *out);
/* Reads the n_chunks chunks of row group g. */
heft_status heft_parquet_chunks(heft_ctx *ctx, const heft_parquet_file *file, size_t g,
                                heft_parquet_chunk *out);

/* Fails with "name: the Parquet file is damaged: why (copy or download it again)"; the column may
 * be NULL. */
heft_status heft_parquet_damaged(heft_ctx *ctx, const heft_parquet_file *file,
                                 const heft_parquet_column *column, const char *why);

/* Whether what is made of the file may take so many bytes: a small file must not fill the memory.
 */
bool heft_parquet_fits(const heft_parquet_file *file, size_t bytes);
