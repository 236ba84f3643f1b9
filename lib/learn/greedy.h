/* greedy.h - greedy selection of attributes by training accuracy, for sbc and tcsfsnb.
 *
 *   value(S) = rows right / rows - tradeoff * cost(S) / cost(all)
 *
 * Each step adds one attribute to the empty set (or removes one from the full set): the one that
 * gives the largest value. The search stops when no step raises the value. Ties are broken by the
 * larger sum of log posteriors of the rows' own classes, then by the keys of the columns' contents
 * (stats/keys.h), so that the result does not depend on the order of columns. Only if the keys are
 * equal too, the earlier column is chosen. */
#pragma once

#include "learn/filters.h"
#include "learn/subset.h"

typedef struct heft_greedy_rule {
    heft_subset_mode how;
    bool             backward;
    double           tradeoff;
    const double    *cost;     /* cost >= 0 of each attribute; NULL if all are 1 */
    double           max_eval; /* most moves that may be tried */
} heft_greedy_rule;

#define HEFT_GREEDY_OPTIONS(mode)                                                                  \
    HEFT_OPT_WORDS("judge", mode, "training|left-out",                                             \
                   "training: count rows right by tables that include them; left-out: by tables "  \
                   "of all other rows"),                                                           \
        HEFT_OPT_WORDS("start", "none", "none|all",                                                \
                       "start with no attribute and add some, or with all and remove some"),       \
        HEFT_OPT_WHOLE("max-eval", "1000000", 0, 1e12,                                             \
                       "maximum number of moves tried; 0 keeps the starting set")

/* heft_greedy_options reads the options above into the rule. heft_greedy searches, starting from
 * the result of heft_fit_basis in *out, and sets the weights (0 or 1) and the training record. */
void        heft_greedy_options(const heft_task *task, heft_greedy_rule *rule);
heft_status heft_greedy(heft_ctx *ctx, const heft_task *task, const heft_counts *counts,
                        const heft_greedy_rule *rule, heft_fitted *out);
