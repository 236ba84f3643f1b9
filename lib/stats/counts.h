/* counts.h - weighted counts of (value, class), and of (value, value, class) for every pair of
 * coded attributes; additive. */
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

/* ---- pairs ---- */

#define HEFT_PAIR_COUNTS_SLACK 8 /* cells behind the last line: vectors may read past it */
#define HEFT_PAIR_COUNTS_MOST  4294967296.0 /* bytes */

/* The pair of attributes i < j has n_codes(i) x n_codes(j) lines of n_class counts, the value of i
 * running fastest. Rows where either is missing are not counted in it. */
typedef struct heft_pair_counts {
    size_t    n_attr, n_class;
    uint32_t *n_codes; /* by attribute */
    size_t   *offset;  /* n_attr + 1: values of the attributes before j */
    size_t *start; /* n_attr + 1: lines of the pairs before those of attribute i with later ones */
    double *cell;  /* start[n_attr] lines */
} heft_pair_counts;

/* Sizes from the number of values of each attribute; cell stays NULL. EUNSUPPORTED, saying the
 * memory, when it would take more than HEFT_PAIR_COUNTS_MOST bytes together with `besides`. */
heft_status heft_pair_counts_plan(heft_ctx *ctx, const uint32_t *n_codes, size_t n_attr,
                                  size_t n_class, double besides, const char *method,
                                  heft_arena *arena, heft_pair_counts *out);

/* Memory for the cells, with any content. */
heft_status heft_pair_counts_new(heft_ctx *ctx, heft_arena *arena, heft_pair_counts *pairs);
/* Count dense rows, coded in every attribute. Cost: n m^2 / 2 additions, in blocks that stay in the
 * cache. */
heft_status heft_pair_counts_fill(heft_ctx *ctx, const heft_rows *rows, heft_arena *arena,
                                  heft_pair_counts *pairs);

/* pairs512.c: the counts of rows lo..hi - 1, added to acc. False, and no effect, where the
 * processor cannot, where they have weights, or where one by one takes less time. */
bool heft_pair_counts_512(const heft_rows *rows, const heft_pair_counts *pairs, size_t lo,
                          size_t hi, double *acc);

/* No count exceeds that of either value: value[j] + v n_class: those of value v of attribute j. */
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
