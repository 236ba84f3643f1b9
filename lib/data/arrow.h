/* arrow.h - tables from the Arrow C data interface. The last two functions are for api/, the rest
 * is private to data/. */
#pragma once

#include "data/batch.h"
#include "heft_arrow.h"

#define HEFT_ARROW_NAME "Arrow data" /* where a message would name the file */

/* ---- arrow_types.c: what a column is, and whether its arrays have what that needs ---- */

typedef enum heft_arrow_what {
    HEFT_ARROW_OTHER, /* a type that heft does not read */
    HEFT_ARROW_NOTHING,
    HEFT_ARROW_BOOL,
    HEFT_ARROW_SIGNED,
    HEFT_ARROW_UNSIGNED,
    HEFT_ARROW_FLOAT,
    HEFT_ARROW_DECIMAL,
    HEFT_ARROW_TEXT, /* texts by offsets of 4 or 8 bytes */
    HEFT_ARROW_VIEW
} heft_arrow_what;

typedef struct heft_arrow_type {
    heft_arrow_what what;
    unsigned        width;  /* bytes of a number or an offset */
    int             digits; /* digits of a decimal behind the point */
} heft_arrow_type;

heft_arrow_type heft_arrow_type_of(const char *format);
/* Fails with EUNSUPPORTED: says why a column of this type cannot be used, and what to do. */
heft_status heft_arrow_refuse(heft_ctx *ctx, const char *name, const char *format);

/* Elements first .. first + n - 1 of an array whose buffers were checked. */
typedef struct heft_arrow_part {
    heft_arrow_type          type;
    const struct ArrowArray *array;
    const unsigned char     *valid; /* bits; NULL: no element is null */
    const unsigned char     *cells; /* numbers, bits, offsets or views; never NULL */
    size_t                   first, n;
} heft_arrow_part;

/* Checks that a record batch fits its schema (lengths, offsets, children), and that no row is null
 * as a whole. */
heft_status heft_arrow_check_batch(heft_ctx *ctx, const struct ArrowSchema *schema,
                                   const struct ArrowArray *batch);
/* Checks elements lo .. lo + n - 1 of the array, counted from its own offset, and describes them.
 */
heft_status heft_arrow_part_of(heft_ctx *ctx, const char *name, heft_arrow_type type,
                               const struct ArrowArray *array, size_t lo, size_t n,
                               heft_arrow_part *out);
bool        heft_arrow_has_nulls(const heft_arrow_part *part);

static inline bool heft_arrow_bit(const unsigned char *bits, size_t i)
{
    return bits[i / 8] >> (i % 8) & 1;
}

static inline bool heft_arrow_known(const heft_arrow_part *part, size_t i)
{
    return !part->valid || heft_arrow_bit(part->valid, part->first + i);
}

/* ---- arrow_cells.c: from elements to cells ---- */

/* Reads the elements as numbers, out[n]: NaN where null, 0 and 1 for booleans. */
void heft_arrow_numbers(const heft_arrow_part *part, double *out);
/* Fails with EINVAL where a number is infinite. `row` is the number of the first cell's row,
 * from 1.
 */
heft_status heft_arrow_finite(heft_ctx *ctx, const char *name, const double *cells, size_t n,
                              size_t row);
/* Reads every element as a text: codes[n] into `values`, -1 where null. */
heft_status heft_arrow_texts(heft_ctx *ctx, const char *name, const heft_arrow_part *part,
                             int32_t *codes, heft_dict *values);
/* Reads indices into a dictionary of `size` values; -1 where null. */
heft_status heft_arrow_indices(heft_ctx *ctx, const char *name, const heft_arrow_part *part,
                               size_t size, int32_t *codes);

/* ---- arrow.c ---- */

/* Where the batches come from: a list, or a stream where `list` is NULL. */
typedef struct heft_arrow_source {
    const struct ArrowSchema *schema;
    struct ArrowArray        *list;
    size_t                    n, at;
    struct ArrowArrayStream  *stream;
} heft_arrow_source;

/* Reads all batches into a table. On success they belong to the table, or are released. */
heft_status heft_arrow_read(heft_ctx *ctx, heft_arrow_source *from, const heft_source *how,
                            const heft_expect *expect, heft_table **out);
/* Fails with EIO and what the stream says. */
heft_status heft_arrow_stream_failed(heft_ctx *ctx, struct ArrowArrayStream *stream);
