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

/* ---- sizes ---- */

/* Tables take memory for every combination of values and classes, whether it occurs or not. A small
 * file with many of both must not ask for gigabytes: EUNSUPPORTED where tables of so many numbers
 * are out of proportion to the rows. Allowed are 64 MB and 1 KB per cell of the rows, up to 256 MB
 * together; more only as 256 bytes per cell. Sparse rows have as many cells as entries and
 * attributes. */
heft_status heft_check_tables(heft_ctx *ctx, const heft_rows *rows, double numbers,
                              const char *what);
/* The same for what is kept by value and class, or of numbers by class (`moments`); and for the
 * counts by pair of values and class (4 KB per cell, up to 1 GB). */
heft_status heft_check_count_tables(heft_ctx *ctx, const heft_rows *rows, bool moments);
heft_status heft_check_pair_tables(heft_ctx *ctx, const heft_rows *rows);
