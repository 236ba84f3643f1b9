/* convert_file.h - files that need not fit in memory, in blocks of rows: to a caller, or from one
 * format to another. */
#pragma once

#include "heft_stream.h"
#include "model/model.h"

/* Calls fn(user, rows) for each block; ECANCELLED where it returns false. */
heft_status heft_rows_of_file(heft_ctx *ctx, const char *path, const heft_source *how,
                              heft_rows_fn *fn, void *user);

typedef struct heft_conversion {
    const heft_model *keep; /* only the columns that this model uses; NULL: all */
    const char       *to, *format;
} heft_conversion;

/* Convert a file to another format. Rows are prepared by how->like where that is given. */
heft_status heft_convert(heft_ctx *ctx, const char *path, const heft_source *how,
                         const heft_conversion *plan);
