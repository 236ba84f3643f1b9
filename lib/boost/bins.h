/* bins.h - attributes coded finely, for trees.
 *
 * A numeric attribute with at most 128 distinct values has a code for each; otherwise it is cut
 * into 128 bins of about equal weight, of which those at both ends are smaller: each is half of its
 * neighbour, with at least 16 rows. Rows of rare classes count more here, so that a class that
 * lives in a small part of a column has several bins there. With many attributes and few rows 128
 * becomes a sixteenth of the rows, but not less than 32. Cuts lie halfway between neighbouring
 * values, and code = number of cuts strictly below x. Missing cells have the lowest code, where
 * there are any; else that of the median. A nominal attribute has a code for each value that occurs
 * often enough to be listed in a split, in the order of the keys of the values; then one for
 * missing cells, and one for all other values. */
#pragma once

#include "boost/trees.h"
#include "stats/keys.h"
#include "stats/sample.h"

enum {
    HEFT_BINS = 128,
    HEFT_MOST_PLAIN = 16, /* an attribute with more values has many */
    HEFT_MANY_ATTRS = 142 /* with more attributes, fewer bins, and trees grown on fewer of them */
};

typedef struct heft_bin_attr {
    uint32_t  attr; /* its place among the attributes of the rows */
    bool      nominal;
    bool      own_missing; /* missing cells have a code that no other cell has */
    uint32_t  n_codes;
    uint32_t  missing;  /* the code of missing cells */
    uint32_t  n_values; /* nominal: values that occur, and one for missing and unseen */
    double    least;    /* nominal: weight a code needs to be listed */
    double    median;   /* numeric */
    size_t    n_cuts;
    double   *cuts;
    uint16_t *code_of;  /* nominal: the code here of each code of the rows */
    uint32_t *value_of; /* nominal: the code in the rows of each listed code */
    unsigned  width;    /* bytes per code */
} heft_bin_attr;

typedef struct heft_bins {
    size_t         n_attr; /* attributes that vary in the sample, in the order of their keys */
    heft_bin_attr *attr;
} heft_bins;

/* Learns the bins from the rows of all processes. Numbers are cut by the first n_cut rows of the
 * sample. draw: quantile i/n becomes (i + u)/n with u drawn from it and the key of the column;
 * NULL: it does not. */
heft_status heft_bins_learn(heft_ctx *ctx, const heft_sample *sample, size_t n_cut,
                            const heft_keys *keys, const uint64_t *draw, heft_arena *arena,
                            heft_bins *out);
/* column[n_attr]: the codes of all rows of the sample, in one piece of heap memory, `heap`. */
heft_status heft_bins_fill(heft_ctx *ctx, const heft_bins *bins, const heft_sample *sample,
                           heft_arena *arena, heft_tree_codes **column, void **heap);
/* Keeps only the `most` attributes with the most information on the class. What is kept is copied
 * into `arena`: the one that the bins were learned in may be cleared. */
heft_status heft_bins_keep(heft_ctx *ctx, const heft_sample *sample, size_t most, heft_arena *arena,
                           heft_bins *bins, heft_tree_codes *column);
