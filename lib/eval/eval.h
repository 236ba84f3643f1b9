/* eval.h - the results of an evaluation, and the call that computes them.
 *
 * An evaluation trains every method on some rows of every data set and tests it on the others. Its
 * smallest piece of work is a task: one fold of one repeat. The tasks are numbered (eval_run.h),
 * each stores what it finds by its number, and nothing else depends on the order in which they run.
 * So the results have the same bits with any number of threads, and with ranks among which the
 * folds are divided (deal.c).
 *
 *   plan.c          what is asked for: methods, design, stages
 *   sets.c          the rows of each data set that count, and their folds (learn/folds.h)
 *   fold_task.c     one task: fit, predict, decide
 *   fold_results.c  from folds to the measures of a repeat (measures.c) and the figures of a cell
 *   resume.c        finished cells in a file, from which a stopped evaluation goes on
 *   results*.c      summary over data sets, significance (signif.c), and the results as text
 *   models.c        saved models on a test table, with the same measures
 *
 * Accuracies are averaged over folds, as the literature reports them. All other measures are
 * computed over all test rows of a repeat, because measures such as the AUC are not means over
 * folds. */
#pragma once

#include "data/table.h"
#include "eval/measures.h"
#include "eval/signif.h"

typedef struct heft_results_set {
    const char  *name;
    size_t       n_rows; /* number of rows that count, including those of a test table */
    size_t       n_attr, n_class;
    size_t       positive; /* as in heft_outcomes */
    uint64_t     checksum; /* checksum of the contents; 0: not known */
    const char **classes;  /* n_class names; may be NULL */
    /* The following fields describe the rows that are measured, if predictions are kept. */
    size_t          n_measured;
    const uint16_t *y;    /* class by row; UINT16_MAX: the row is not tested */
    const uint16_t *fold; /* repeats x n_measured; >= `folds`: not tested; NULL: all are tested */
    const size_t   *row;  /* number of each row in the table that it comes from */
} heft_results_set;

typedef struct heft_design {              /* how an evaluation divides, changes and compares rows */
    bool leave_one_out, weka, from_file;  /* source of the folds; if none is set, heft draws them */
    double      holdout;                  /* fraction of the rows that is tested; 0: no holdout */
    bool        tested;                   /* there is a test table */
    bool        saved;                    /* the methods are saved models; `tested` is set too */
    bool        whole;                    /* the preparation is learned on all rows */
    bool        noisy, growing, narrowed; /* lists of noise, learn, dimensions were given */
    const char *rule;                     /* class weights and decision rule as text; NULL: none */
    bool        plain;                    /* the paired t-test is not corrected */
    double      alpha;                    /* significance level; 0: 0.05 */
    int         decimals;                 /* as in heft_eval_plan */
} heft_design;

struct heft_results {
    heft_arena  arena; /* memory of all that this struct points to, except `kept` */
    size_t      n_data, n_method, repeats;
    size_t      folds; /* largest number of folds of a data set; 1 with a test table or holdout */
    uint64_t    seed;
    heft_design design;
    heft_row_tests   *row_tests; /* by method: tests against the first method; NULL: none */
    heft_results_set *sets;
    const char      **methods; /* labels of the methods, as the caller wrote them */
    heft_cell        *cells;   /* n_stage x n_data x n_method */
    size_t            n_stage; /* 0 means a single stage that does not change the training rows */
    heft_stage       *stages;
    const char      **keys;   /* by cell: checksum of all inputs; NULL: not known */
    const bool       *open;   /* by cell: it is not finished yet; NULL: all are finished */
    size_t            n_kept; /* length of `kept`: cells x repeats, or 0 */
    double          **kept;   /* by cell and repeat: predictions on the heap, laid out as in
                                 heft_eval_group (eval_run.h) */
};

/* ---- evaluate.c, models.c: the implementation of heft_evaluate and heft_evaluate_models ---- */

/* Evaluate every method of the plan on every data set. The caller has filled in all fields of the
 * plan and its configuration that this version of the library has. `names` may be NULL. */
heft_status heft_evaluate_tables(heft_ctx *ctx, const heft_eval_plan *plan,
                                 const heft_table *const *data, const char *const *names,
                                 size_t n_data, heft_results **out);

typedef struct heft_saved { /* fitted models, with a test table and a name for each */
    const heft_model *const *models;
    const heft_table *const *tests;
    const char *const       *names;
    size_t                   n;
    const char              *name; /* name of the data set */
} heft_saved;

heft_status heft_evaluate_saved(heft_ctx *ctx, const heft_saved *given, const heft_eval_plan *plan,
                                heft_results **out);

/* ---- results.c, predictions.c: what results hold ---- */

void              heft_results_delete(heft_results *results); /* NULL is fine */
size_t            heft_n_stages(const heft_results *results); /* at least 1 */
const heft_stage *heft_stage_at(const heft_results *results, size_t stage);
const heft_cell  *heft_cell_in_stage(const heft_results *results, size_t stage, size_t dataset,
                                     size_t method);
/* Copy the kept predictions of a cell to the arrays of `to` that are not NULL. `to` may be NULL.
 * Returns the number of predictions. */
size_t heft_predicted_rows(const heft_results *results, size_t stage, size_t dataset, size_t method,
                           const heft_predicted *to);
/* Write a CSV file; `what` is "predictions" or "curves". */
heft_status heft_write_outcomes(heft_ctx *ctx, const heft_results *results, const char *what,
                                const char *path);
