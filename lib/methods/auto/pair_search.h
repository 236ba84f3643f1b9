/* pair_search.h - the pairs of attributes with the most joint information on the class, and their
 * joint codes. */
#pragma once

#include "methods/auto/coding.h"

typedef struct heft_pair {
    uint32_t i, j; /* i < j */
} heft_pair;

typedef struct heft_pair_list {
    heft_pair *pair;
    size_t     n;
} heft_pair_list;

/* Among the `among` attributes with the most information on the class, the `keep` pairs of largest
 * gain
 *
 *   n I(X_i X_j; Y) - n max(I(X_i; Y), I(X_j; Y))
 *
 * counted over the cells that occur; lower attributes first on a tie, none with a single code. In
 * order of (i, j). Memory from `arena`. Cost: O(n) per candidate, nothing where all can be kept. */
heft_status heft_pairs_choose(heft_ctx *ctx, const heft_sample *sample,
                              const heft_cells *const *cells, size_t among, size_t keep,
                              heft_arena *arena, heft_pair_list *out);

/* n I(X_j; Y) of every attribute, less what chance alone makes of it: (q - 1)(K - 1) / 2 for q
 * codes that occur; not below 0. Cost: one pass. */
heft_status heft_attr_info(heft_ctx *ctx, const heft_sample *sample, const heft_cells *const *cells,
                           double *info);

/* count[(v q_b + w) n_class + c], all 0 before: the rows of class c with codes v and w. */
heft_status heft_pair_count(heft_ctx *ctx, const heft_sample *sample, const heft_cells *a,
                            const heft_cells *b, double *count);

typedef struct heft_join { /* joint codes of a pair: the cells seen, in order */
    uint32_t  n_seen;
    uint64_t  q; /* codes of the second attribute; cell = v q + w */
    uint64_t *key;
    uint32_t *index; /* by cell: its place, n_seen if it was not seen; NULL: search in key */
} heft_join;

/* The place of the cell in increasing key[n]; n: it is not there. */
size_t heft_key_find(const uint64_t *key, size_t n, uint64_t cell);

/* Learns from n rows of this process, and those of others, and their codes; n_codes of `out` is
 * n_seen + 1, the last code that of cells not seen. Heap memory: heft_join_clear, and out->at with
 * heft_free, also after a failure. */
heft_status heft_join_learn(heft_ctx *ctx, const heft_cells *a, const heft_cells *b, size_t n,
                            heft_join *join, heft_cells *out);
heft_status heft_join_apply(heft_ctx *ctx, const heft_join *join, const heft_cells *a,
                            const heft_cells *b, size_t n, heft_cells *out);
void        heft_join_clear(heft_join *join);
