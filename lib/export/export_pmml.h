/* export_pmml.h - the XML that the PMML export is made of. */
#pragma once

#include "export/export.h"

typedef struct heft_pmml_sum {   /* the score of a, or the margin of a class pair */
    size_t                 a, b; /* columns of the tables */
    const heft_class_pair *pair; /* NULL: the score of a */
    double                 scale, shift;
} heft_pmml_sum;

/* Text between quotes or tags; bytes that are not UTF-8 are taken as Latin-1. */
void heft_pmml_text(heft_buf *out, const char *text);
/* XML has no form for most control characters. */
bool heft_pmml_writable(const char *text);

/* Fields that are derived from the data: codes (heft.c0), numbers (heft.x0), slopes (heft.z0),
 * cells of pairs (heft.p0), densities by class (heft.n0.1). */
void heft_pmml_fields(const heft_terms *terms, heft_buf *out);
/* MiningFields of all that sums use. */
void heft_pmml_used(const heft_terms *terms, heft_buf *out);

static inline bool heft_pmml_slope(const heft_term *term)
{
    return term->slope && term->sd > 0;
}

static inline bool heft_pmml_density(const heft_term *term)
{
    return term->kind == HEFT_TERM_NORMAL || term->kind == HEFT_TERM_POINT;
}
