/* suffstats.h - all that count-based methods see of their training rows, in a form that adds up.
 *
 * A method whose fit sees rows through these numbers alone gives the same model whether they were
 * counted in one go or added up from parts: that is what merging models rests on. Counts are exact
 * while weights are whole numbers (up to 2^53), otherwise to the last digits; sums of numbers are
 * exact until they are stored with 32 digits (moments.h). */
#pragma once

#include "stats/counts.h"
#include "stats/moments.h"
#include "stats/values.h"

enum { /* parts of a suffstats */
       HEFT_STATS_COUNTS = 1,
       HEFT_STATS_SUMS = 2,     /* sums of the numeric attributes */
       HEFT_STATS_VALUES = 4,   /* their distinct values */
       HEFT_STATS_PAIRS = 8,    /* counts of two values and a class; all attributes coded */
       HEFT_STATS_COMPLETE = 16 /* pairs do not do for rows with missing cells */
};

typedef struct heft_suffstats {
    size_t           n_attr, n_class;
    heft_attr       *attr;   /* without cells */
    heft_counts      counts; /* always there */
    heft_sums        sums;   /* by_class NULL: not there */
    heft_values     *values; /* by attribute; NULL: not there */
    heft_pair_counts pairs;  /* cell NULL: not there */
} heft_suffstats;

/* Count the `parts` of the rows. Values and pairs that would take more than `most` bytes, or pairs
 * more than `work` additions, are left out; so are pairs under HEFT_STATS_COMPLETE where a cell is
 * missing. Memory from `arena`. */
heft_status heft_suffstats_rows(heft_ctx *ctx, const heft_rows *rows, unsigned parts, double most,
                                double work, heft_arena *arena, heft_suffstats *out);
/* The parts that are there. */
unsigned heft_suffstats_parts(const heft_suffstats *suffstats);

/* What a fit asks of its rows, taken from `known` (NULL: nothing) where that has it, counted
 * otherwise. `known` must be of these rows. */
heft_status heft_known_counts(heft_ctx *ctx, const heft_rows *rows, const heft_suffstats *known,
                              heft_arena *arena, heft_counts *out);
heft_status heft_known_moments(heft_ctx *ctx, const heft_rows *rows, const heft_suffstats *known,
                               heft_arena *arena, heft_moments **out);
heft_status heft_known_pairs(heft_ctx *ctx, const heft_rows *rows, const heft_suffstats *known,
                             heft_arena *arena, heft_pair_counts *pairs);
/* `known`, where its rows are coded in every attribute, so that heft_coded_rows leaves them as they
 * are; else NULL. */
const heft_suffstats *heft_known_coded(const heft_suffstats *known);

/* Sufficient statistics that are added to others: where its attributes, codes and classes are. */
typedef struct heft_suffstats_part {
    const heft_suffstats   *suffstats;
    const heft_pair_counts *pairs; /* its own, or kept elsewhere; NULL: none */
    const size_t *attr;          /* by attribute of the whole: which of the part; SIZE_MAX: none, */
                                 /* all zeros (sparse rows) */
    const uint32_t *const *code; /* by attribute of the part: new codes; NULL: as they are */
    const uint32_t *class;       /* by class of the part */
} heft_suffstats_part;

/* Sufficient statistics added up part by part; what is held does not grow with their number. */
typedef struct heft_value_list heft_value_list;
typedef struct heft_suffstats_sum {
    heft_suffstats suffstats; /* sum of the parts so far; its values are in `lists` until the end */
    unsigned       parts;
    heft_arena     arena, sums_arena;
    heft_value_list *lists; /* by attribute */
} heft_suffstats_sum;

/* `parts` are those to be summed; each suffstats that is added has them. */
void heft_suffstats_sum_init(heft_suffstats_sum *sum, unsigned parts);
void heft_suffstats_sum_clear(heft_suffstats_sum *sum);
/* Bring in one more part. The whole now has these attributes and classes: those it had, in the same
 * order, and maybe more; the same for the codes of an attribute. */
heft_status heft_suffstats_sum_add(heft_ctx *ctx, heft_suffstats_sum *sum,
                                   const heft_suffstats_part *part, const heft_attr *attr,
                                   size_t n_attr, size_t n_class);
/* The suffstats of all parts, its codes and classes in the order given: code[j] by code (NULL: as
 * they are), class by class. Memory from `arena`. */
heft_status heft_suffstats_sum_end(heft_ctx *ctx, heft_suffstats_sum *sum,
                                   const uint32_t *const *code, const uint32_t *class,
                                   heft_arena *arena, heft_suffstats *out);
