/* read.h - from a file to a table. One entry; the formats are private to data/. */
#ifndef HEFT_DATA_READ_H
#define HEFT_DATA_READ_H

#include "data/table.h"

/* What the reader needs to know of a model it reads for (heft_source.like), without knowing
 * models: the names of its attributes with their kinds, and its target. */
typedef struct heft_expect {
    size_t             n;
    const char *const *names;
    const heft_kind   *kinds;
    const char        *target; /* its column may be absent */
} heft_expect;

heft_status heft_read_table(heft_ctx *ctx, const char *path, const heft_source *how,
                            const heft_expect *expect, heft_table **out);

/* format NULL: by the ending of path. A file is written beside its target and renamed. */
heft_status heft_write_table(heft_ctx *ctx, const heft_table *table, const char *path,
                             const char *format);

#endif
