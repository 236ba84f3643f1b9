/* greedy.h - choosing attributes one at a time by how many rows are right: sbc and tcsfsnb.
 *
 *   value(S) = rows right / rows - tradeoff * cost(S) / cost(all)
 *
 * Forward from the empty set (or backward from all) the move with the largest value is made, while
 * it raises the value. Of moves of equal value the one with the larger log posterior of the rows'
 * own classes is made, then the one that stats/keys.h puts first by the cells of its column. The
 * tie is left open between columns that no key tells apart: then the earlier one moves. */
#pragma once

#include "learn/filters.h"
#include "learn/subset.h"

typedef struct heft_greedy_rule {
    heft_subset_mode how;
    bool             backward;
    double           tradeoff;
    const double    *cost; /* n_attr, >= 0; NULL: all 1 */
    double           max_eval;
} heft_greedy_rule;

#define HEFT_GREEDY_OPTIONS(mode)                                                                  \
    HEFT_OPT_WORDS("judge", mode, "training|left-out",                                             \
                   "training: count rows right by tables that include them; left-out: by tables "  \
                   "of all other rows"),                                                           \
        HEFT_OPT_WORDS("start", "none", "none|all",                                                \
                       "start with no attribute and add some, or with all and remove some"),       \
        HEFT_OPT_WHOLE("max-eval", "1000000", 0, 1e12,                                             \
                       "maximum number of moves tried; 0 keeps the starting set")

/* The rule's options read from the task, then the search over a finished basis; sets weights (0 or
 * 1) and training. */
void        heft_greedy_options(const heft_task *task, heft_greedy_rule *rule);
heft_status heft_greedy(heft_ctx *ctx, const heft_task *task, const heft_counts *counts,
                        const heft_greedy_rule *rule, heft_fitted *out);
