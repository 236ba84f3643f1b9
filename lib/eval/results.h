/* results.h - inside the results: what is computed over all data sets, and the writers of it. */
#ifndef HEFT_EVAL_RESULTS_H
#define HEFT_EVAL_RESULTS_H

#include "base/text.h"
#include "eval/eval.h"

typedef struct heft_rival {          /* one method, alone and against the first */
    bool   ran;                      /* it has figures for at least one data set */
    double mean_accuracy, mean_rank; /* over the complete data sets; NAN where there are none */
    size_t wins, ties, losses;       /* of mean accuracies, where both have figures */
    size_t better, worse;            /* of these, significant at 5% by the paired t */
    double wilcoxon;                 /* p over the complete data sets; NAN: fewer than two */
} heft_rival;

typedef struct heft_summary {
    size_t        n_complete; /* data sets for which every method that ran has figures */
    size_t        n_ran;
    heft_rival   *rivals; /* by method */
    bool          has_friedman;
    heft_friedman friedman;
} heft_summary;

/* Memory from the scratch of ctx. */
heft_status heft_summarise(heft_ctx *ctx, const heft_results *results, heft_summary *out);

/* Method m against the first on data set d; false where there is no test: a failure, one fold. */
bool heft_results_differ(const heft_results *results, size_t d, size_t m, heft_difference *out);

heft_status heft_results_json(heft_ctx *ctx, const heft_results *results, heft_buf *buf);
heft_status heft_results_csv(heft_ctx *ctx, const heft_results *results, heft_buf *buf);
heft_status heft_results_table(heft_ctx *ctx, const heft_results *results, bool markdown,
                               heft_buf *buf);

/* By the name of the format; the page (html) is made in report/. */
heft_status heft_results_format(heft_ctx *ctx, const heft_results *results, const char *format,
                                heft_buf *buf);

#endif
