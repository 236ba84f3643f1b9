/* export.h - a model for use without heft. One record per format; exports.def lists them.
 *
 * All formats write the score as a graph of few operators (graph.h), which is made of the
 * terms of the score (explain/terms.h) and the steps around them: preparation of the cells, the
 * sum, calibration, softmax, the decision. None knows a method.
 *
 * What is written gives the probabilities of `heft predict` within 1e-12 (SQL: 1e-9; single
 * precision: see docs/exports.md), because users compare the two. Where a target limits what can be
 * said, the file of the format begins with these limits and how they are met: SQL must not nest too
 * deep, ONNX has trees in single precision only. A model that a format cannot express is refused
 * with the formats that can. */
#pragma once

#include "base/put.h"
#include "explain/terms.h"
#include "heft_methods.h"

enum { /* which fields of heft_export_options a format uses: others are refused */
       HEFT_EXPORT_TABLE = 1,
       HEFT_EXPORT_ID = 2,
       HEFT_EXPORT_HEADER = 4,
       HEFT_EXPORT_SINGLE = 8,
       HEFT_EXPORT_EVIDENCE = 16
};

typedef struct heft_export {
    heft_export_info info; /* name, ending, about */
    unsigned         takes;
    heft_status (*write)(heft_ctx *ctx, const heft_terms *terms, const heft_export_options *how,
                         heft_buf *out);
    /* HEFT_EXPORT_HEADER: the header file, which `write` includes by the name of how->header. */
    heft_status (*write_header)(heft_ctx *ctx, const heft_terms *terms,
                                const heft_export_options *how, heft_buf *out);
} heft_export;

const heft_export *heft_exports_at(size_t index); /* NULL past the end */
/* Lists the formats that write every model of the method, as "c, json"; "" where there is none. */
const char *heft_exports_of(const heft_method *method, char out[200]);
/* The bytes are the caller's to free. EINVAL for an unknown format, or an option that it does not
 * have; EUNSUPPORTED, with the reason, where the score has no form in tables. */
heft_status heft_export_model(heft_ctx *ctx, const heft_model *model,
                              const heft_export_options *how, char **out, size_t *length);
/* Writes the export to a file, and the header file where one is asked for. */
heft_status heft_export_to_file(heft_ctx *ctx, const heft_model *model, const char *path,
                                const heft_export_options *how);
