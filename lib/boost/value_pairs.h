/* value_pairs.h - pairs of attributes of many values whose joint cells say more than their values.
 *
 * A pair is tested after the effects of single values are set. With G and H the sums of p_c - [y =
 * c] and of p_c (1 - p_c) over the rows of a cell (two values together),
 *
 *   z = sum (G^2 - H) / sqrt(2 sum H^2)      over cells and classes
 *
 * is about standard normal if the cells add nothing to the values, and large if they do, whatever
 * their number. For this test a cell is found by a hash of the keys of its values, so that neither
 * the order of rows and values nor the number of processes matters. */
#pragma once

#include <math.h>

#include "boost/boost_rows.h"
#include "boost/histograms.h"
#include "boost/residuals.h"
#include "stats/keys.h"

enum {
    HEFT_MOST_VALUE_PAIRS = 6,
    HEFT_PAIRED_ATTRS = 8 /* pairs are sought among so many attributes */
};

#define HEFT_NO_CELL UINT32_MAX

typedef struct heft_value_pair {
    uint32_t  attr[2]; /* their places among the attributes of the rows */
    size_t    n_cells;
    uint64_t *key; /* v q + w of the cells that occur, q: values of the second; increasing */
} heft_value_pair;

/* Sums over the rows of one value or cell, for one class, in steps of 2^-HEFT_SUM_BITS. */
typedef struct heft_value_sums {
    int64_t first, second; /* the sums of p - [y = c] and of p (1 - p) */
} heft_value_sums;

/* Adds row i to the sums[n_columns] of its value or cell. */
static inline void heft_value_sums_add(const heft_boost_rows *rows, size_t i, size_t n_columns,
                                       heft_value_sums *sums)
{
    const float   one = 1 << HEFT_SUM_BITS;
    const float  *P = rows->P + i * rows->classes->stride;
    const int64_t w = heft_units(rows->weight, i);
    for (size_t c = 0; c < n_columns; c++) {
        const float p = n_columns == 1 ? P[0] / (1 + P[0]) : P[c] * rows->scale[i];
        sums[c].first += w * llrintf(p * one);
        sums[c].second += w * llrintf((p - p * p) * one);
    }
    if (n_columns > 1) sums[rows->y[i]].first -= w * (1 << HEFT_SUM_BITS);
    else if (rows->y[i]) sums->first -= w * (1 << HEFT_SUM_BITS);
}

/* The pairs of attr[n_attr] with z above a bound, the largest first, at most HEFT_MOST_VALUE_PAIRS.
 * Memory from `arena`. */
heft_status heft_value_pairs_find(heft_ctx *ctx, const heft_boost_rows *rows, const heft_keys *keys,
                                  const uint32_t *attr, size_t n_attr, heft_arena *arena,
                                  heft_value_pair *pair, size_t *n_pairs);
/* cell[i]: the cell of each row of the sample; HEFT_NO_CELL: a cell without training rows. */
void heft_value_pair_cells(const heft_value_pair *pair, const heft_sample *sample, uint32_t *cell);
