/* heft_check.h - a look at a table before a model is trained: what every column holds, and what
 * looks wrong with the data.
 *
 *     heft_check *check;
 *     if (heft_check_table(data, NULL, &check, &err) != HEFT_OK) ...
 *     for (size_t k = 0; k < heft_check_findings(check); k++)
 *         puts(heft_check_finding(check, k)->text);
 *     heft_check_free(check);
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef HEFT_CHECK_H
#define HEFT_CHECK_H

#include "heft.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct heft_check heft_check;

typedef struct heft_check_plan {
    size_t              size;
    size_t              top; /* number of columns that the text and the page show; 0: 100 */
    const heft_runtime *run;
} heft_check_plan;

/* Look at all columns and rows. The check keeps no pointer into the table.
 * Cost: O(n) per column, O(entries) for sparse rows; one pass over all cells for repeated rows. */
HEFT_API heft_status heft_check_table(const heft_table *table, const heft_check_plan *plan,
                                      heft_check **out, heft_error *err);
HEFT_API void        heft_check_free(heft_check *check);

/* What a column holds. The class column is the last one. */
typedef struct heft_check_column {
    const char *name;
    heft_kind   kind;
    bool        target; /* whether this is the class column */
    size_t      n_missing;
    size_t      n_distinct;         /* number of different values that rows have */
    double      least, most, mean;  /* range and mean of a numeric column; NaN where
                                       there is no number */
    size_t n_frequent;              /* nominal: number of most frequent values that
                                       are listed, up to 5 */
    const char *const *frequent;    /* texts of the most frequent values */
    const size_t      *n_rows_with; /* number of rows that have each of these values */
    /* What the column by itself tells about the class, beyond chance: 0 nothing, 1 everything (the
     * mutual information as a fraction of the entropy of the class). NaN for the class column, and
     * where there is no class. */
    double information;
} heft_check_column;

HEFT_API size_t                   heft_check_columns(const heft_check *check);
HEFT_API const heft_check_column *heft_check_column_at(const heft_check *check, size_t j);

/* Something that looks wrong. */
typedef struct heft_finding {
    const char   *code;    /* such as "identifier"; see docs/howto/check.md */
    bool          serious; /* whether heft_check_warn reports it too */
    const char   *text;    /* one sentence: where, what, what to do */
    size_t        n_columns;
    const size_t *columns; /* columns that the finding is about */
} heft_finding;

/* The findings, the most serious first. */
HEFT_API size_t              heft_check_findings(const heft_check *check);
HEFT_API const heft_finding *heft_check_finding(const heft_check *check, size_t k);

/* The whole check as a document. format: "text" for people, "json", "html" (a page). */
HEFT_API heft_status heft_check_text(const heft_check *check, const char *format, char **text,
                                     heft_error *err);

/* The cheap checks, before training: up to three serious findings are given to the host as
 * warnings; where `brief`, one line for the most serious one and the number of others (several
 * tables). EINVAL: the class column has numbers that look measured, or values with fewer than two
 * rows each, and neither the file declares them as classes nor does heft_source.nominal name the
 * column. What `method` warns of itself is left out (NULL: nothing is). Cost: little beside reading
 * the table. With several ranks nothing is done. */
HEFT_API heft_status heft_check_warn(const heft_table *table, const char *method, bool brief,
                                     const heft_runtime *run, heft_error *err);

#ifdef __cplusplus
}
#endif
#endif
