/* export.h - a model for use without heft. One record per format; exports.def lists them. */
#pragma once

#include "base/put.h"
#include "explain/terms.h"
#include "heft_methods.h"

enum { /* the fields of heft_export_options that a format uses */
       HEFT_EXPORT_TABLE = 1,
       HEFT_EXPORT_ID = 2,
       HEFT_EXPORT_HEADER = 4,
       HEFT_EXPORT_SINGLE = 8,
       HEFT_EXPORT_EVIDENCE = 16
};

typedef struct heft_export {
    heft_export_info info; /* name, ending, about */
    unsigned         takes;
    unsigned lacks; /* kinds of densities that it has no form for: bits 1 << heft_lik_kind */
    heft_status (*write)(heft_ctx *ctx, const heft_terms *terms, const heft_export_options *how,
                         heft_buf *out);
    /* HEFT_EXPORT_HEADER: the header file, which `write` includes by the name of how->header. */
    heft_status (*write_header)(heft_ctx *ctx, const heft_terms *terms,
                                const heft_export_options *how, heft_buf *out);
} heft_export;

const heft_export *heft_exports_at(size_t index); /* NULL past the end */
/* "c, json": the formats that write every model of the method; "": none. */
const char *heft_exports_of(const heft_method *method, char out[200]);
/* The bytes are the caller's to free. EINVAL for an unknown format, or an option that it does not
 * have; EUNSUPPORTED, with the reason, where the score has no form in tables, or a density none in
 * the format. */
heft_status heft_export_model(heft_ctx *ctx, const heft_model *model,
                              const heft_export_options *how, char **out, size_t *length);
/* The same to a file, and the header file where one is asked for. */
heft_status heft_export_to_file(heft_ctx *ctx, const heft_model *model, const char *path,
                                const heft_export_options *how);
