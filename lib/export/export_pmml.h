/* export_pmml.h - the XML that the PMML export is made of. */
#pragma once

#include "export/export.h"
#include "export/score_parts.h"

typedef struct heft_pmml_sum { /* what a RegressionTable adds up: the score of a, or the margin of a
                                  class pair */
    size_t                 a, b; /* columns of the tables */
    const heft_class_pair *pair; /* NULL: the score of a */
    double                 scale, shift;
} heft_pmml_sum;

typedef struct heft_pmml_writer {
    const heft_terms *t;
    size_t            which; /* the sum that is written: 0 is the base */
    const heft_model *model;
    heft_buf         *out;
    bool chain, apart; /* chain: there are links before the last one; apart: sums are such links */
    size_t n_segments;
} heft_pmml_writer;

/* Writes XML as printf does, with a short form for expressions:
 *
 *   [f   <Apply function="f">, and the blank behind it is left out      ]   </Apply>
 *   @c3; <FieldRef field="heft.c3"/>
 *   %d   a double as a constant      %n   a double        %z   size_t
 *   %s   text as it is               %t   text of users, escaped; bytes that are not UTF-8 are
 *                                         read as Latin-1 */
void heft_pmml_put(heft_buf *out, const char *format, ...);
/* Whether XML can hold the text: it has no form for most control characters. */
bool heft_pmml_writable(const char *text);

/* Fields that are derived from the data: codes (heft.c0), numbers (heft.x0), slopes (heft.z0),
 * cells of pairs (heft.p0), densities by class (heft.n0.1; those of further sum k are counted on
 * from (1 + k) * n_attr). */
heft_status heft_pmml_fields(heft_ctx *ctx, const heft_terms *terms, heft_buf *out);
/* Writes the MiningFields of all that sum t uses: the base is 0, further sum k is 1 + k. */
void heft_pmml_used(const heft_terms *t, size_t which, heft_buf *out);

/* ---- export_pmml_scores.c ---- */

/* The LocalTransformations of the last link: heft.s of class c where scores are made of links. */
void heft_pmml_scores(const heft_pmml_writer *w);

/* The letter of the fields with scores, where these are links or made of links. */
static inline const char *heft_pmml_score(const heft_terms *t)
{
    return t->class_pair || t->further.n ? "s" : "m";
}

/* The number of a link: class c of a sum. */
static inline size_t heft_pmml_link(const heft_terms *t, size_t which, size_t c)
{
    return which * t->n_class + c;
}

/* Which of the fields heft.all is that of the whole score. */
static inline size_t heft_pmml_all(const heft_terms *t)
{
    return t->further.n + 1;
}
