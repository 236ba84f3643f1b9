/* read.h - from a file to a table. One entry; the formats are private to data/. */
#pragma once

#include "data/table.h"

/* What the reader needs to know of a model it reads for (heft_source.like), without knowing
 * models: the names of its attributes with their kinds, and its target. */
typedef struct heft_expect {
    size_t             n;
    const char *const *names;
    const heft_kind   *kinds;
    const char        *target;       /* name of the class; the file may lack that column */
    char               decimal_mark; /* decimal mark of the training file; 0: a point */
    const char        *missing;      /* marks of missing values besides the usual, or NULL */
} heft_expect;

/* The name of a data set: the name of its file without folder and known endings (formats.c). Free
 * with heft_free; NULL: no memory. */
char *heft_name_of_path(const char *path);

heft_status heft_read_table(heft_ctx *ctx, const char *path, const heft_source *how,
                            const heft_expect *expect, heft_table **out);

/* Receives rows that are read in blocks. A block is valid during the call. */
typedef struct heft_sink {
    /* Before the first block: a table without rows that has the columns of all blocks, their kinds,
     * values and counts of missing cells as a table of the whole file would have them. For that the
     * file is read twice, unless it is small. NULL: it is read once, for `expect` alone; columns
     * that are not expected have no cells then, and values no order. */
    heft_status (*begin)(heft_ctx *ctx, void *arg, const heft_table *schema);
    heft_status (*rows)(heft_ctx *ctx, void *arg, const heft_table *rows);
    void *arg;
} heft_sink;

/* Reads the rows of a file in their order, in blocks: memory does not grow with the file. */
heft_status heft_read_stream(heft_ctx *ctx, const char *path, const heft_source *how,
                             const heft_expect *expect, const heft_sink *sink);

/* A table's rows into a file, block by block: open with the columns, add rows, commit. */
typedef struct heft_writer heft_writer;

heft_status heft_writer_open(heft_ctx *ctx, const heft_table *schema, const char *path,
                             const char *format, heft_writer **out);
heft_status heft_writer_rows(heft_ctx *ctx, heft_writer *writer, const heft_table *rows);
heft_status heft_writer_commit(heft_ctx *ctx, heft_writer *writer); /* frees the writer */
void        heft_writer_abandon(heft_writer *writer);
HEFT_OWNED(heft_writer, heft_writer_abandon)

/* Writes a table. Without a format, the ending of the path tells it. The file is written beside its
 * target and renamed. */
heft_status heft_write_table(heft_ctx *ctx, const heft_table *table, const char *path,
                             const char *format);
