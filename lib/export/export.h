/* export.h - a model for use without heft. One record per format; exports.c lists them. */
#pragma once

#include "base/put.h"
#include "explain/terms.h"
#include "heft_methods.h"

typedef struct heft_export {
    heft_export_info info; /* name, ending, about */
    heft_status (*write)(heft_ctx *ctx, const heft_terms *terms, heft_buf *out);
} heft_export;

const heft_export *heft_exports_at(size_t index); /* NULL past the end */
/* The text is the caller's to free. EINVAL for an unknown format; EUNSUPPORTED, with the reason,
 * unless the method's score is a sum of terms. */
heft_status heft_export_model(heft_ctx *ctx, const heft_model *model, const char *to, char **out);
