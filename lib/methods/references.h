/* references.h - where methods come from: the table that the build makes of docs/references.bib,
 * and the marks [key] in the `source` of a method. */
#pragma once

#include "model/method.h"

typedef struct heft_reference {
    const char *key;   /* "zaidi2013" */
    const char *brief; /* "Zaidi et al. 2013" */
    const char *whole; /* authors, year, title, journal, and the DOI where it is known */
} heft_reference;

extern const heft_reference heft_references[]; /* a NULL key after the last */

enum { HEFT_SOURCE_TEXT = 200, HEFT_SOURCE_REFERENCES = 800 }; /* sizes that hold either text */

/* Writes the source of a method with its marks replaced by brief references; the text is cut at
 * `size`. */
void heft_source_text(const heft_method *method, char *out, size_t size);
/* Writes the complete references of the marks, in their order, one per line. */
void heft_source_references(const heft_method *method, char *out, size_t size);
