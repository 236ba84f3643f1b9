/* results.h - the summary of results over all data sets, and the writers of results. */
#pragma once

#include "base/grid.h"
#include "eval/eval.h"

/* Functions below that do not name a stage use the first one; heft_results_at selects another. */

typedef struct heft_method_summary { /* figures of one method, and its comparison with the first
                                        method */
    bool   ran;                      /* it has figures for at least one data set */
    double mean_accuracy, mean_rank; /* over the complete data sets; NAN: there are none */
    double mean_rank_p;              /* one-sided p of such a low mean rank; NAN as wilcoxon */
    size_t wins, ties, losses; /* data sets on which the mean accuracy is higher, equal, lower */
    double sign_p;             /* p of the sign test on wins, ties, losses */
    double sign_upper_p;       /* p of the one-sided sign test */
    size_t better, worse;      /* significant wins and losses by the paired t-test */
    double wilcoxon_z;         /* statistic of Wilcoxon's test; NAN as wilcoxon */
    double wilcoxon;           /* p over the complete data sets; NAN if fewer than two */
    double wilcoxon_holm;      /* p adjusted for the number of methods (Holm) */
} heft_method_summary;

typedef struct heft_summary {
    size_t               n_complete; /* data sets for which every method that ran has figures */
    size_t               n_ran;
    heft_method_summary *by_method; /* n_method summaries */
    double               alpha;
    bool          has_ranks; /* the fields below are set: at least two data sets and methods */
    heft_friedman friedman;
    heft_quade    quade;
    double        nemenyi;                    /* critical difference of mean ranks */
    double        accuracy_bound, rank_bound; /* half widths of the permutation bounds */
    double        middle_accuracy;            /* centre of the bounds of accuracy */
} heft_summary;

/* A figure of method m on data set d, the higher the better; NAN: there is none. `which` says which
 * figure. */
typedef double heft_figure_fn(const heft_results *results, size_t d, size_t m, size_t which);

/* Methods compared on the data sets on which each of them has a figure. Methods without any figure
 * are left out, so that the ranks of the others do not depend on them. */
typedef struct heft_ranking {
    size_t  n_sets, n;    /* numbers of these data sets and methods */
    bool   *has;          /* by method of the results: it takes part */
    double *value, *rank; /* n_sets x n */
} heft_ranking;

/* Rank the methods on each data set, in scratch memory. */
heft_status heft_rank_methods(heft_ctx *ctx, const heft_results *results, heft_figure_fn *figure,
                              size_t which, heft_ranking *out);

/* Compute the summary, in scratch memory. */
heft_status heft_summarise(heft_ctx *ctx, const heft_results *results, heft_summary *s);

/* Whether the mean accuracy or mean rank of a method is outside the permutation bounds. */
bool heft_is_outside(const heft_summary *s, const heft_method_summary *one);
/* Write why there are no tests over data sets. */
void heft_no_ranks(heft_buf *buf, const heft_results *results, const heft_summary *s);

const heft_cell *heft_cell_of(const heft_results *results, size_t dataset, size_t method);
/* Returns the stage that the summary is about: least noise, then most rows, then most attributes.
 * If a stage uses all rows and attributes unchanged, this is the one. */
size_t heft_results_headline(const heft_results *results);
/* Returns a view of the results of one stage, which borrows all memory. */
heft_results heft_results_at(const heft_results *results, size_t stage);
double       heft_results_alpha(const heft_results *results);

/* Compare method m with the first method on data set d. Returns false if there is no test, because
 * a method failed or there is only one fold. */
bool heft_results_differ(const heft_results *results, size_t d, size_t m, heft_difference *out);
/* Returns +1 if m is significantly better than the first method, -1 if it is worse, else 0. */
int  heft_results_mark(const heft_results *results, size_t d, size_t m);
bool heft_results_best(const heft_results *results, size_t d, size_t m);

typedef struct heft_verdict { /* whether the best method is better by more than chance */
    const char *test;         /* name of the test; NULL: there is none */
    bool   over_sets; /* a test of all methods over data sets; else the best against each other */
    double p;         /* the smallest p */
    size_t n_others,
        n_worse; /* methods compared with the best one, and those significantly worse */
} heft_verdict;

/* Test whether `best`, the method with the highest accuracy, is better by more than chance. Several
 * data sets: Friedman's test. One data set: the paired t-test over its folds, or McNemar's test for
 * saved models, adjusted by Holm. */
heft_status heft_judge(heft_ctx *ctx, const heft_results *results, const heft_summary *s,
                       size_t best, heft_verdict *out);
/* Write the verdict as a sentence without its full stop. */
void heft_put_verdict(heft_buf *buf, const heft_verdict *v, double alpha);
/* Write how rows are divided into training and test rows, such as "10-fold cross-validation". */
void heft_put_split(heft_buf *buf, const heft_results *results);
/* Returns the first class from `c` on that has rows, none of which is predicted right; n_classes if
 * there is no such class. */
size_t heft_cell_missed(const heft_cell *cell, size_t c);

/* ---- the figures of a cell beside its measures ---- */

enum {
    HEFT_N_FIGURES = 6,
    HEFT_N_ACCURACIES = 4 /* the first figures are accuracies, the others times */
};

typedef struct heft_figure {
    const char *name; /* name in JSON and CSV */
    size_t      at;   /* offset in heft_cell of a double that is not negative */
    double      most; /* largest valid value */
} heft_figure;

extern const heft_figure heft_figures[HEFT_N_FIGURES];

double heft_figure_of(const heft_cell *cell, size_t k);

enum { HEFT_N_CLASS_FIGURES = 7 };

typedef struct heft_class_figure_info {
    const char *name, *title; /* name in JSON, and title for people */
    size_t      at;           /* offset in heft_class_figures */
    double      most;         /* largest valid value; the least is 0 */
    int         decimals;
} heft_class_figure_info;

extern const heft_class_figure_info heft_class_figure_list[HEFT_N_CLASS_FIGURES];

static inline double *heft_class_figure(heft_class_figures *figures, size_t k)
{
    return (double *)(void *)((char *)figures + heft_class_figure_list[k].at);
}
double heft_class_figure_of(const heft_class_figures *figures, size_t k);

/* ---- writers of all stages ---- */

heft_status heft_results_json(heft_ctx *ctx, const heft_results *results, heft_buf *buf);
heft_status heft_results_csv(heft_ctx *ctx, const heft_results *results, heft_buf *buf);
/* Write CSV with a line for each fold of each cell that has figures. */
void        heft_results_folds(const heft_results *results, heft_buf *buf);
heft_status heft_results_table(heft_ctx *ctx, const heft_results *results, heft_style style,
                               heft_buf *buf);
/* Write all measures of all cells, for a document in Markdown or LaTeX. */
void heft_results_appendix(const heft_results *results, heft_style style, heft_buf *buf);
/* Write measures, figures of classes and the confusion matrix of each cell. If `all` is set, every
 * class is shown, however many there are. */
void heft_results_details(const heft_results *results, bool all, heft_buf *buf);
/* Returns the grid of all tables of results: a head, a first column of names, then figures. */
heft_grid heft_figures_grid(heft_style style, size_t n_cols);
/* Returns the class that measure k describes if there are two classes; NULL if it describes all. */
const char *heft_measure_class(const heft_results_set *set, size_t k);
/* Returns the cell of the first method that has figures for data set d; NULL if none has. */
const heft_cell *heft_cell_present(const heft_results *results, size_t d);
heft_lead        heft_cell_lead(const heft_cell *cell);
/* Write what a table is about, such as "nb on 3 data sets". */
void heft_put_about(heft_buf *buf, const heft_results *results, heft_style style);
/* Write a label of LaTeX, "\label{tab:iris-accuracy}". Several data sets are called results. */
void heft_put_label(heft_buf *buf, const heft_results *results, const char *what);
/* Write the data set, method and stage of a cell. */
void heft_put_place(heft_buf *buf, const heft_results *results, const heft_cell *cell,
                    heft_style style);

/* Write results in the format of the given name, except html, which lib/pages makes. */
heft_status heft_results_format(heft_ctx *ctx, const heft_results *results, const char *format,
                                heft_buf *buf);
