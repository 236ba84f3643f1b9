/* cfs.h - correlation-based feature selection (Hall 2000): a set of attributes that correlate with
 * the class and not with one another.
 *
 *   merit(S) = sum_{j in S} r_jc / sqrt( |S| + 2 sum_{i<j in S} r_ij )
 *
 * with r the symmetric uncertainty (heft_correlation_row). The search is best first, forward from
 * the empty set, and ends after `stale` consecutive expansions without a gain above 1e-5. It
 * selects the same sets as Weka's CfsSubsetEval -L with BestFirst. */
#pragma once

#include "stats/association.h"

typedef struct heft_cfs_rule {
    size_t stale;     /* expansions without a gain before the search ends, 1..100; Weka: 5 */
    float  unrelated; /* correlation of unrelated attributes (heft_correlation_row); Weka: 1 */
} heft_cfs_rule;

typedef struct heft_cfs {
    size_t  n;    /* number of attributes selected */
    size_t *kept; /* selected attributes in increasing order */
    double  merit;
    long    evaluations, expansions;
} heft_cfs;

/* Memory is from `arena`, which must not be ctx->scratch. Cost: O(n m) for every attribute that is
 * in an expanded set, and O(m |S|) per expansion; correlations of all pairs are never needed. */
heft_status heft_cfs_search(heft_ctx *ctx, const heft_columns *cols, const heft_cfs_rule *rule,
                            heft_arena *arena, heft_cfs *out);
