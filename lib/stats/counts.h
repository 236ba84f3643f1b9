/* counts.h - class and value counts, weighted; additive. */
#pragma once

#include "prep/prep.h"

/* cell[j] has n_codes + 2 lines of n_class counts, code-major; missing cells are counted in line
 * n_codes. cell[j] is NULL for a numeric attribute. */
typedef struct heft_counts {
    size_t   n_attr, n_class;
    double   total;     /* sum of weights */
    double  *class_sum; /* n_class */
    double **cell;
} heft_counts;

/* Counts of all coded attributes of `rows`. Memory from `arena`. The class of every row must be
 * known. Cost: one pass, O(n m). */
heft_status heft_count(heft_ctx *ctx, const heft_rows *rows, heft_arena *arena, heft_counts *out);
