/* heft_arrow.h - tables of other programs by the Arrow C data interface: DuckDB, polars, pyarrow,
 * R.
 *
 *     struct ArrowArrayStream stream;
 *     ... a library that has the data fills it in ...
 *     if (heft_table_from_arrow_stream(&stream, NULL, &data, &err) != HEFT_OK)
 *         stream.release(&stream);
 *
 * https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html. Nothing of
 * Arrow has to be installed: the interface is the three structs below.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef HEFT_ARROW_H
#define HEFT_ARROW_H

#include "heft.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The structs and their guards are those of the specification, so that every header that declares
 * them may be included beside this one. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE           2
#define ARROW_FLAG_MAP_KEYS_SORTED    4

struct ArrowSchema {
    const char          *format;
    const char          *name;
    const char          *metadata;
    int64_t              flags;
    int64_t              n_children;
    struct ArrowSchema **children;
    struct ArrowSchema  *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t             length;
    int64_t             null_count;
    int64_t             offset;
    int64_t             n_buffers;
    int64_t             n_children;
    const void        **buffers;
    struct ArrowArray **children;
    struct ArrowArray  *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif

/* A table of record batches: `schema` is a struct type, and each of `batches` an array of it; the
 * rows of the batches follow one another. `how` may be NULL. Its fields target, drop, numeric,
 * nominal, positive, missing, weight, like, no_target, max_columns, max_classes and run (threads,
 * host) are used, with the same meaning as in heft_read.
 *
 *   numeric columns    integers of every width, float16, float32, float64, decimal32, decimal64 and
 *                      decimal128, and the null type. An integer above 2^53 is rounded. Null and
 *                      NaN are missing; infinity is an error.
 *   nominal columns    utf8, large utf8 and utf8 view; booleans, as False and True; dictionaries of
 *                      texts, numbers or booleans. The values are those of the rows, sorted, as in
 *                      heft_read: entries of a dictionary that no row has do not count. Null is
 *                      missing. Texts are values as they are, "NA", "?" and "" too, except those
 *                      that how->missing lists.
 *
 * Other types (dates, times, binary, nested, run-end encoded) are EUNSUPPORTED, unless how->drop
 * names the column.
 *
 * Cost: float64 columns of a single batch are not copied, unless they have nulls, numbers that
 * how->missing lists, or cells that are not aligned to 8 bytes: the table reads them where they
 * are. All other cells are copied once.
 *
 * Ownership: the schema is only read. On success the table has taken the batches over: their
 * `release` is NULL, and they are released before the call returns, or with heft_table_free where
 * the table reads their cells. On failure the batches are the caller's as before. The memory of the
 * batches must not be changed before it is released. */
HEFT_API heft_status heft_table_from_arrow(const struct ArrowSchema *schema,
                                           struct ArrowArray *batches, size_t n_batches,
                                           const heft_source *how, heft_table **out,
                                           heft_error *err);

/* Make a table of all batches of a stream. Each batch is released when its cells are copied, so
 * that memory holds at most two of them. On success the stream is released. On failure it is the
 * caller's, who releases it; batches that were read from it are lost. */
HEFT_API heft_status heft_table_from_arrow_stream(struct ArrowArrayStream *stream,
                                                  const heft_source *how, heft_table **out,
                                                  heft_error *err);

#ifdef __cplusplus
}
#endif
#endif
