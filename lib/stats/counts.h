/* counts.h - weighted counts of (value, class), and of (value, value, class) for every pair of
 * coded attributes. Counts of two sets of rows add up to the counts of all their rows. */
#pragma once

#include "prep/prep.h"

/* cell[j] has one line of n_class counts per code: n_codes lines for the values of attribute j,
 * line n_codes for missing cells, and one more for unknown values. cell[j] is NULL for a numeric
 * attribute. */
typedef struct heft_counts {
    size_t   n_attr, n_class;
    double   total;     /* sum of the weights of all rows */
    double  *class_sum; /* sum of the weights of the rows of each class */
    double **cell;
} heft_counts;

/* Counts all coded attributes of `rows`. Memory is from `arena`. The class of every row must be
 * known. Cost: one pass, O(n m). */
heft_status heft_count(heft_ctx *ctx, const heft_rows *rows, heft_arena *arena, heft_counts *out);

/* ---- pairs ---- */

/* Number of unused cells after the last line, which vector code may read. */
#define HEFT_PAIR_COUNTS_SLACK 8
/* Most bytes that pair counts may take. */
#define HEFT_PAIR_COUNTS_MOST 4294967296.0

/* The pair of attributes i < j has n_codes[i] x n_codes[j] lines of n_class counts; the value of i
 * changes fastest from line to line. Rows in which i or j is missing are not counted. */
typedef struct heft_pair_counts {
    size_t    n_attr, n_class;
    uint32_t *n_codes; /* number of values of each attribute */
    size_t   *offset;  /* n_attr + 1 numbers; offset[j]: sum of n_codes[k] for k < j */
    size_t   *start;   /* n_attr + 1 numbers; start[i]: first line of the pairs of i with later
                          attributes */
    double *cell;      /* start[n_attr] lines of n_class counts; NULL until memory is allocated */
} heft_pair_counts;

/* Computes all sizes from the number of values of each attribute; `cell` stays NULL. The result is
 * EUNSUPPORTED, with a message that states the memory, if the cells and `besides` more bytes would
 * take more than HEFT_PAIR_COUNTS_MOST bytes. */
heft_status heft_pair_counts_plan(heft_ctx *ctx, const uint32_t *n_codes, size_t n_attr,
                                  size_t n_class, double besides, const char *method,
                                  heft_arena *arena, heft_pair_counts *out);

/* Allocates the cells without setting them to 0. */
heft_status heft_pair_counts_new(heft_ctx *ctx, heft_arena *arena, heft_pair_counts *pairs);
/* Counts dense rows whose attributes are all coded. Cost: n m^2 / 2 additions, in blocks that stay
 * in the cache. */
heft_status heft_pair_counts_fill(heft_ctx *ctx, const heft_rows *rows, heft_arena *arena,
                                  heft_pair_counts *pairs);

/* Adds the counts of rows lo..hi - 1 to acc with AVX-512 (pairs512.c). Returns false and does
 * nothing if the processor lacks the instructions, if rows have weights, or if counting row by row
 * takes less time. */
bool heft_pair_counts_512(const heft_rows *rows, const heft_pair_counts *pairs, size_t lo,
                          size_t hi, double *acc);

/* Whether no pair count exceeds the count of either of its two values, class by class. The counts
 * of value v of attribute j start at value[j] + v * n_class. */
bool heft_pair_counts_agree(const heft_pair_counts *pairs, double *const *value);

/* First line of the pair i < j. */
static inline size_t heft_pair_counts_line(const heft_pair_counts *p, size_t i, size_t j)
{
    return p->start[i] + p->n_codes[i] * (p->offset[j] - p->offset[i + 1]);
}

/* The n_class counts of value v of attribute i with value w of attribute j, i != j. */
static inline const double *heft_pair_counts_at(const heft_pair_counts *p, size_t i, size_t v,
                                                size_t j, size_t w)
{
    const size_t line = i < j ? heft_pair_counts_line(p, i, j) + w * p->n_codes[i] + v
                              : heft_pair_counts_line(p, j, i) + v * p->n_codes[j] + w;
    return p->cell + line * p->n_class;
}

/* ---- sizes ---- */

/* Tables take memory for every combination of values and classes, whether it occurs or not. A small
 * file with many values and many classes must not make heft allocate gigabytes. The result is
 * EUNSUPPORTED if a table of `numbers` doubles is out of proportion to the rows. Allowed are 64 MB
 * plus 1 KB per cell of the rows, up to 256 MB in total, or 256 bytes per cell if that is more. The
 * number of cells of sparse rows is the number of entries plus the number of attributes. `what`
 * names the table in the message. */
heft_status heft_check_tables(heft_ctx *ctx, const heft_rows *rows, double numbers,
                              const char *what);
/* heft_check_tables for the counts by value and class and, if `moments` is true, for the sums of
 * numeric attributes by class. heft_check_pair_tables checks the counts by pair of values and class
 * and allows more: 64 MB plus 4 KB per cell, up to 1 GB. */
heft_status heft_check_count_tables(heft_ctx *ctx, const heft_rows *rows, bool moments);
heft_status heft_check_pair_tables(heft_ctx *ctx, const heft_rows *rows);
