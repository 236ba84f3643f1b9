/* heft_evaluate.h - how well methods do on data: cross-validation, measures, significance tests.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef HEFT_EVALUATE_H
#define HEFT_EVALUATE_H

#include "heft.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct heft_eval_plan {
    size_t             size;
    const char *const *methods;   /* NULL-terminated list such as "nb", "lcwnb:kappa=5";
                                     NULL: auto and nb */
    const heft_config *config;    /* preparation, parameters and run options for all
                                     methods; a parameter is given to the methods that have it;
                                     may be NULL */
    int    folds;                 /* number of folds; 0: 10 */
    int    repeats;               /* number of repeats of the cross-validation; 0: 1 */
    bool   leave_one_out;         /* a fold for every row, instead of `folds` */
    double holdout;               /* fraction of the rows of each class that is tested,
                                     instead of folds; 0: folds are used */
    const char       *split;      /* heft, weka; NULL: heft */
    const char       *folds_file; /* one line per row with its fold, see heft-evaluate(1) */
    const char       *protocol;   /* honest, whole; NULL: honest */
    const heft_table *test;       /* train on the data and test on this, without folds */
    /* Robustness: comma-separated lists. Each combination of their values is a stage with its own
     * results. Test rows are never changed. The summary is about the full stage (no noise, all
     * rows, all attributes), else the nearest: least noise, then most rows, then most attributes.
     *   noise       fractions of the training rows, 0 to 1, that get another class at random
     *   learn       how many training rows are used, stratified: fractions up to 1, or numbers
     *   dimensions  how many attributes, those with most mutual information: numbers, or "10%" */
    const char *noise, *learn, *dimensions;
    /* t-test of two methods: corrected (for resampling), plain; NULL: corrected */
    const char *paired;
    /* significance level; 0: 0.05 */
    double alpha;
    /* decimals of a percent, to which accuracies are rounded before the tests over data sets, as in
     * a printed table; 0: not rounded */
    int decimals;
    /* A JSON file of results that is complete at every moment. Results that it holds for the same
     * data, method and settings are used again, new ones are added as they are finished. Any other
     * file is refused. */
    const char *resume;
    /* do not use the results in `resume` */
    bool fresh;
    /* confidence intervals of the measures, at level 1 - alpha: percentiles of 2,000 bootstrap
     * draws of the test rows, class by class */
    bool intervals;
    /* keep all predictions in memory for heft_results_predicted, and for the forms "predictions"
     * and "curves" of heft_results_write. No results are taken from `resume`. */
    bool keep_predictions;
    /* with run->comm and `test`: `data` has only this rank's training rows, and the ranks fit each
     * method together */
    bool parts;
    /* CSV files, NULL-terminated, with the columns data, method, repeat (from 1), fold (from 0) and
     * accuracy: methods of other programs that were tested on the same folds. They follow the
     * methods of the plan in the results, with accuracies and nothing that needs predictions. */
    const char *const *imports;
} heft_eval_plan;

typedef struct heft_results heft_results;

/* n_data tables and their names (heft_data_name). */
HEFT_API heft_status heft_evaluate(const heft_table *const *data, const char *const *names,
                                   size_t n_data, const heft_eval_plan *plan, heft_results **out,
                                   heft_error *err);

/* Saved models on test rows. tests[k] has the test rows as they are read for model k
 * (heft_source.like): the same rows in the same order. The models must have the same class column
 * and the same classes. names[k] is what the results call model k, and `name` what they call the
 * rows. The fields config->run, alpha, intervals and keep_predictions of the plan are used. With
 * several models each is compared with the first on the same rows. */
HEFT_API heft_status heft_evaluate_models(const heft_model *const *models,
                                          const heft_table *const *tests, const char *const *names,
                                          size_t n, const char *name, const heft_eval_plan *plan,
                                          heft_results **out, heft_error *err);
/* Whether the file looks like a model, by its content. */
HEFT_API bool heft_is_model_file(const char *path);

HEFT_API void heft_results_free(heft_results *results);

/* The results as a document. format: "table", "details" (all measures, classes and confusion
 * matrices) and "measures" (the same without the figures of many classes) for a terminal; "json",
 * "csv", "folds" (CSV with a line per fold: data,method,repeat,fold,accuracy,...; repeats from 1,
 * folds from 0), "markdown", "latex" (needs booktabs), "html" (a page), "svg" and
 * "tikz" (mean ranks with the critical difference; EINVAL without two methods and two data sets) */
HEFT_API heft_status heft_results_text(const heft_results *results, const char *format, char **text,
                                       heft_error *err);

typedef struct heft_class_figures { /* figures of one class, averaged over the repeats */
    double support, predicted;      /* number of rows of this class, and of rows that are
                                       predicted as it */
    double precision, recall, f1;   /* 0/0 is 0 */
    double auc;                     /* area under the ROC curve against the other classes;
                                       NaN where all rows are of this class, or none is */
    double average_precision;
} heft_class_figures;

typedef struct heft_cell { /* one data set with one method */
    const char   *dataset, *method;
    const char   *failure; /* why there are no figures; NULL: there are figures */
    size_t        n_folds; /* folds x repeats */
    const double *per_fold;
    double        accuracy, accuracy_sd; /* mean and standard deviation over the folds */
    double        accuracy_pooled;       /* fraction of all rows that are predicted right */
    const double *measures;              /* values of the measures in the order of
                                            heft_measure_at */
    double fit_seconds, predict_seconds;
    size_t n_classes;
    /* [actual * n_classes + predicted], rows of all repeats; NULL with more than 100 classes */
    const size_t *confusion;
    /* n_classes, in the order of the confusion matrix */
    const heft_class_figures *per_class;
    const char *const        *classes; /* n_classes names */
    /* low and high of the accuracy, then of each measure; NULL: not asked for */
    const double *intervals;
    /* the results were taken from the file `resume` */
    bool reused;
    /* macro F1 of each fold, and their mean; `measures` have that of all rows of a repeat */
    const double *per_fold_macro_f1;
    double        macro_f1_folds;
    /* the results are those of another program: everything but accuracy, accuracy_sd and per_fold
     * is NaN or NULL */
    bool imported;
} heft_cell;

/* The predictions of a cell, where they are kept: all test rows of a repeat in their order, repeat
 * after repeat. */
typedef struct heft_predicted {
    size_t  *repeat, *fold; /* both from 0 */
    size_t  *row;           /* number of the row in the table, from 0 */
    int32_t *actual, *predicted;
    double  *proba; /* n x n_classes */
} heft_predicted;

typedef struct heft_stage { /* what was done to the training rows */
    const char *name;       /* "noise 0.1"; "" where nothing was done */
    double      noise;      /* fraction of the rows that get another class; 0: none */
    double      learn;      /* training rows that are used: up to 1 a fraction, above 1 a
                               number of rows */
    const char *dimensions; /* NULL: all attributes */
} heft_stage;

HEFT_API size_t            heft_results_datasets(const heft_results *results);
HEFT_API size_t            heft_results_methods(const heft_results *results);
HEFT_API size_t            heft_results_stages(const heft_results *results); /* usually 1 */
HEFT_API const heft_stage *heft_results_stage(const heft_results *results, size_t stage);
/* NULL where there is no such stage, data set or method. */
HEFT_API const heft_cell *heft_results_cell(const heft_results *results, size_t stage,
                                            size_t dataset, size_t method);

/* How many predictions of the cell are kept; 0: none, or no such cell. `to` may be NULL, and so may
 * any of its arrays; the others are filled in. */
HEFT_API size_t heft_results_predicted(const heft_results *results, size_t stage, size_t dataset,
                                       size_t method, const heft_predicted *to);

/* Write a CSV file that is then complete or not changed at all; "-" is standard output. what:
 *   "predictions"  data,method,repeat,fold,row,actual,predicted,P(c)...: repeats and rows from 1
 *   "curves"       data,method,class,threshold,tp,fp,tn,fn: the test rows of all repeats, a line
 *                  for each distinct probability of the class, the highest first
 * EINVAL where predictions are not kept, or there are several stages. */
HEFT_API heft_status heft_results_write(const heft_results *results, const char *what,
                                        const char *path, heft_error *err);

/* The measures of predictions, computed over all test rows of a repeat and averaged over repeats.
 */
typedef struct heft_measure_info {
    const char *name;        /* as in the JSON: "log_loss" */
    const char *title;       /* "log loss" */
    const char *description; /* one line */
    bool        higher_is_better;
    bool        can_be_nan;  /* it is NaN where the rows leave it undefined */
    bool        optional;    /* NaN where it does not apply: mean_cost */
    double      least, most; /* range of its values */
    int         decimals;    /* number of decimals to show; 0: not shown in tables */
} heft_measure_info;

HEFT_API size_t                   heft_measure_count(void);
HEFT_API const heft_measure_info *heft_measure_at(size_t index); /* NULL past the end */
/* NaN where the measure is undefined or unknown, or the cell has no figures. */
HEFT_API double heft_cell_measure(const heft_cell *cell, const char *name);

/* The measures of n predictions that another program made, in the order of heft_measure_at, and the
 * figures of each class (by_class may be NULL), as heft_cell has them for one repeat. The arrays
 * actual, predicted and proba of `made` are read. EINVAL where a class is not in 0 ... n_classes -
 * 1, ENUMERIC where a probability is not a number from 0 to 1. */
HEFT_API heft_status heft_measure_predictions(const heft_predicted *made, size_t n,
                                              size_t n_classes, double *measures,
                                              heft_class_figures *by_class, heft_error *err);

/* The name of the data in a file: without the folder and the endings of format and compression;
 * "stdin" for "-". Freed with heft_text_free; NULL: out of memory. */
HEFT_API char *heft_data_name(const char *path);

#ifdef __cplusplus
}
#endif
#endif
