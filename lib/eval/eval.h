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
    size_t       n_rows; /* number of rows that count, those of a test table included */
    size_t       n_attr, n_class;
    size_t       positive; /* as in heft_outcomes */
    uint64_t     checksum; /* checksum of the contents; 0: not known */
    const char **classes;  /* n_class names; may be NULL */
    /* The rows that are measured, if predictions are kept. */
    size_t          n_measured;
    const uint16_t *y;    /* UINT16_MAX: not tested */
    const uint16_t *fold; /* repeats x n_measured, `folds` or above: not tested; NULL: all are */
    const size_t   *row;  /* their numbers in the table that they come from */
} heft_results_set;

typedef struct heft_design { /* how an evaluation divides, changes and compares rows */
    bool        leave_one_out, weka, from_file; /* where the folds come from */
    double      holdout; /* fraction of the rows that is tested; 0: folds, or a test table */
    bool        tested;  /* there is a test table */
    bool        saved;   /* the methods are models that were saved; `tested` is set too */
    bool        whole;   /* the preparation is learned on all rows */
    bool        noisy, growing, narrowed; /* noise, learn, dimensions were asked for */
    const char *rule;                     /* class weights and decisions, as options; NULL: none */
    bool        plain;                    /* the paired t is not corrected */
    double      alpha;                    /* level of the tests; 0: 0.05 */
    int         decimals;                 /* as in heft_eval_plan */
} heft_design;

struct heft_results {
    heft_arena        arena; /* memory of everything below; this struct is on the heap */
    size_t            n_data, n_method, repeats;
    size_t            folds; /* 1 with a test table or a holdout; the most that a data set has */
    uint64_t          seed;
    heft_design       design;
    heft_row_tests   *row_tests; /* by method: its tests against the first; NULL: none */
    heft_results_set *sets;
    const char      **methods; /* labels, as the caller wrote them */
    heft_cell        *cells;   /* n_stage x n_data x n_method */
    size_t            n_stage; /* 0 counts as 1, without any change to the training rows */
    heft_stage       *stages;
    const char      **keys;   /* by cell: checksum of what it depends on; NULL: not known */
    const bool       *open;   /* by cell: not finished yet; NULL: all are */
    size_t            n_kept; /* cells x repeats, or 0 */
    double          **kept;   /* by cell and repeat, on the heap: what was predicted, as in
                                 heft_eval_group (eval_run.h) */
};

/* ---- evaluate.c, models.c: the work of the public calls of the same purpose ---- */

/* evaluate.c: every method of the plan on every data set. The plan and its configuration are
 * complete, as this version of the library has them. `names` may be NULL. */
heft_status heft_evaluate_tables(heft_ctx *ctx, const heft_eval_plan *plan,
                                 const heft_table *const *data, const char *const *names,
                                 size_t n_data, heft_results **out);

typedef struct heft_saved { /* fitted models, with a test table and a name for each */
    const heft_model *const *models;
    const heft_table *const *tests;
    const char *const       *names;
    size_t                   n;
    const char              *name; /* of the data set */
} heft_saved;

heft_status heft_evaluate_saved(heft_ctx *ctx, const heft_saved *given, const heft_eval_plan *plan,
                                heft_results **out);

/* ---- results.c, predictions.c: what results hold ---- */

void              heft_results_delete(heft_results *results); /* NULL is fine */
size_t            heft_n_stages(const heft_results *results); /* at least 1 */
const heft_stage *heft_stage_at(const heft_results *results, size_t stage);
const heft_cell  *heft_cell_in_stage(const heft_results *results, size_t stage, size_t dataset,
                                     size_t method);
/* The kept predictions of a cell, into those arrays of `to` that are not NULL; `to` may be NULL.
 * Returns their number. */
size_t heft_predicted_rows(const heft_results *results, size_t stage, size_t dataset, size_t method,
                           const heft_predicted *to);
/* A CSV file of "predictions" or "curves". */
heft_status heft_write_outcomes(heft_ctx *ctx, const heft_results *results, const char *what,
                                const char *path);
