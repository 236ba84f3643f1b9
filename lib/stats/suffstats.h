/* suffstats.h - sufficient statistics: all that count-based methods use of their training rows, in
 * an additive form.
 *
 * A method that is fitted from these numbers alone gives the same model whether the rows were
 * counted at once, or in several portions that were added up. Merging models relies on this. Counts
 * are exact while weights are whole numbers (up to 2^53), and otherwise correct to the last digits.
 * Sums of numbers are exact until they are stored with 32 digits (moments.h). */
#pragma once

#include "stats/counts.h"
#include "stats/moments.h"
#include "stats/values.h"

enum {                          /* flags for the components of heft_suffstats */
       HEFT_STATS_COUNTS = 1,   /* counts of values by class */
       HEFT_STATS_SUMS = 2,     /* sums of the numeric attributes */
       HEFT_STATS_VALUES = 4,   /* distinct values of the numeric attributes */
       HEFT_STATS_PAIRS = 8,    /* counts of value pairs by class, if all attributes are coded */
       HEFT_STATS_COMPLETE = 16 /* request: no pair counts if a cell is missing */
};

typedef struct heft_suffstats {
    size_t           n_attr, n_class;
    heft_attr       *attr;   /* kinds and numbers of codes of the attributes, without cells */
    heft_counts      counts; /* always present */
    heft_sums        sums;   /* absent if sums.by_class is NULL */
    heft_values     *values; /* distinct values per attribute; absent if NULL */
    heft_pair_counts pairs;  /* absent if pairs.cell is NULL */
} heft_suffstats;

/* Computes the components named by the flags `parts`. Values and pairs that would take more than
 * `most` bytes are left out, and so are pairs that would take more than `work` additions. With the
 * flag HEFT_STATS_COMPLETE, pairs are left out if a cell is missing. Memory is from `arena`. */
heft_status heft_suffstats_rows(heft_ctx *ctx, const heft_rows *rows, unsigned parts, double most,
                                double work, heft_arena *arena, heft_suffstats *out);
/* Flags of the components that are present. */
unsigned heft_suffstats_parts(const heft_suffstats *suffstats);

/* Statistics that a fit needs of its rows: copied from `known` if that is not NULL and has them,
 * otherwise computed from the rows. `known` must describe the same rows. */
heft_status heft_known_counts(heft_ctx *ctx, const heft_rows *rows, const heft_suffstats *known,
                              heft_arena *arena, heft_counts *out);
heft_status heft_known_moments(heft_ctx *ctx, const heft_rows *rows, const heft_suffstats *known,
                               heft_arena *arena, heft_moments **out);
heft_status heft_known_pairs(heft_ctx *ctx, const heft_rows *rows, const heft_suffstats *known,
                             heft_arena *arena, heft_pair_counts *pairs);
/* Returns `known` if all its attributes are coded, because heft_coded_rows then changes nothing and
 * the statistics remain valid; otherwise NULL. */
const heft_suffstats *heft_known_coded(const heft_suffstats *known);

/* One summand of heft_suffstats_sum, with the mapping of its attributes, codes and classes to those
 * of the sum. */
typedef struct heft_suffstats_part {
    const heft_suffstats   *suffstats;
    const heft_pair_counts *pairs; /* pair counts of the summand; NULL if there are none */
    const size_t           *attr;  /* per attribute of the sum: the attribute of the summand, or
                                      SIZE_MAX if it has none; its cells are then all zero, as in
                                      sparse rows */
    const uint32_t *const *code;   /* per attribute of the summand: codes in the sum by code of the
                                      summand; NULL if codes are the same */
    const uint32_t *class;         /* per class of the summand: the class of the sum */
} heft_suffstats_part;

/* A sum of sufficient statistics, built one summand at a time. Its memory does not grow with the
 * number of summands. */
typedef struct heft_value_list heft_value_list;
typedef struct heft_suffstats_sum {
    heft_suffstats   suffstats; /* sum so far, except the distinct values, which are in `lists` */
    unsigned         parts;     /* flags of the components that are summed */
    heft_arena       arena, sums_arena;
    heft_value_list *lists; /* distinct values per attribute */
} heft_suffstats_sum;

/* `parts` are the flags of the components to be summed; every summand must have them. */
void heft_suffstats_sum_init(heft_suffstats_sum *sum, unsigned parts);
void heft_suffstats_sum_clear(heft_suffstats_sum *sum);
/* Adds one summand. From now on the sum has n_attr attributes and n_class classes: those it had
 * before, in the same order, and possibly more after them. The same holds for the codes of each
 * attribute. */
heft_status heft_suffstats_sum_add(heft_ctx *ctx, heft_suffstats_sum *sum,
                                   const heft_suffstats_part *part, const heft_attr *attr,
                                   size_t n_attr, size_t n_class);
/* *out = the statistics of all summands, with codes and classes renumbered: code v of attribute j
 * becomes code[j][v] (`code` or code[j] NULL: unchanged) and class c becomes class[c]. Memory is
 * from `arena`. */
heft_status heft_suffstats_sum_end(heft_ctx *ctx, heft_suffstats_sum *sum,
                                   const uint32_t *const *code, const uint32_t *class,
                                   heft_arena *arena, heft_suffstats *out);
