/* cfs.h - correlation-based feature selection (Hall): a set of attributes near the class and far
 * from one another.
 *
 *   merit(S) = sum_{j in S} r_jc / sqrt( |S| + 2 sum_{i<j in S} r_ij )
 *
 * with r the symmetric uncertainty (heft_correlation_row). The search is best first, forward from
 * the empty set, and ends after `stale` expansions running without a gain above 1e-5: the sets are
 * those of Weka's CfsSubsetEval -L with BestFirst. */
#pragma once

#include "stats/association.h"

typedef struct heft_cfs_rule {
    size_t stale;     /* 5 in Weka; 1..100                                            */
    float  unrelated; /* see heft_correlation_row; 1 in Weka                          */
} heft_cfs_rule;

typedef struct heft_cfs {
    size_t  n;    /* attributes selected */
    size_t *kept; /* increasing */
    double  merit;
    long    evaluations, expansions;
} heft_cfs;

/* Memory from `arena` (not ctx->scratch). Cost: O(n m) for every attribute that comes near the best
 * sets, O(m |S|) an expansion: no matrix of all pairs is made. */
heft_status heft_cfs_search(heft_ctx *ctx, const heft_columns *cols, const heft_cfs_rule *rule,
                            heft_arena *arena, heft_cfs *out);
