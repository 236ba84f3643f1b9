/* results.h - inside the results: what is computed over all data sets, and the writers of it. */
#pragma once

#include "base/grid.h"
#include "eval/eval.h"

/* Everything below is about one stage of the results: heft_results_at. */

typedef struct heft_method_summary { /* one method, alone and against the first */
    bool   ran;                      /* it has figures for at least one data set */
    double mean_accuracy, mean_rank; /* over the complete data sets; NAN where there are none */
    double mean_rank_p;              /* one-sided: so low a mean rank by chance; NAN as below */
    size_t wins, ties, losses;       /* of mean accuracies, where both have figures */
    double sign_p;                   /* p of the sign test on these */
    double sign_upper_p;             /* the same, one-sided */
    size_t better, worse;            /* wins and losses that are significant by the paired t */
    double wilcoxon_z;               /* NAN as the next */
    double wilcoxon;                 /* p over the complete data sets; NAN: fewer than two */
    double wilcoxon_holm;            /* the same, adjusted for the number of methods */
} heft_method_summary;

typedef struct heft_summary {
    size_t               n_complete; /* data sets for which every method that ran has figures */
    size_t               n_ran;
    heft_method_summary *by_method; /* by method */
    double               alpha;
    bool                 has_ranks; /* two data sets and two methods: what follows is there */
    heft_friedman        friedman;
    heft_quade           quade;
    double               nemenyi;                    /* critical difference of mean ranks */
    double               accuracy_bound, rank_bound; /* half widths of the permutation bounds */
    double               middle_accuracy;            /* what the former lies around */
} heft_summary;

/* Memory from the scratch of ctx. */
heft_status heft_summarise(heft_ctx *ctx, const heft_results *results, heft_summary *out);

/* Whether its mean accuracy or mean rank is beyond the permutation bounds. */
bool heft_is_outside(const heft_summary *s, const heft_method_summary *one);
/* Why there are no tests over data sets. */
void heft_no_ranks(heft_buf *buf, const heft_results *results, const heft_summary *s);

const heft_cell *heft_cell_of(const heft_results *results, size_t dataset, size_t method);
/* The stage that the summary is about: the one with least noise, of these one with most rows, of
 * these one with most attributes. That is all rows as they are, where it is among the stages. */
size_t heft_results_headline(const heft_results *results);
/* The results of one stage; it shares all memory. */
heft_results heft_results_at(const heft_results *results, size_t stage);
double       heft_results_alpha(const heft_results *results);

/* Method m against the first on data set d; false where there is no test: a failure, one fold. */
bool heft_results_differ(const heft_results *results, size_t d, size_t m, heft_difference *out);
/* +1 where m is significantly better than the first, -1 worse, 0 neither. */
int  heft_results_mark(const heft_results *results, size_t d, size_t m);
bool heft_results_best(const heft_results *results, size_t d, size_t m);

typedef struct heft_verdict { /* whether the best method is better by more than chance */
    const char *test;         /* NULL: there is none */
    bool        over_sets;    /* of all methods, over data sets; else of the best and the others */
    double      p;            /* the least */
    size_t      n_others, n_worse; /* compared with the best, and significantly worse */
} heft_verdict;

/* `best` has the highest accuracy. Over several data sets Friedman's test; on one the paired t-test
 * over its folds, or McNemar's of saved models, adjusted by Holm. */
heft_status heft_judge(heft_ctx *ctx, const heft_results *results, const heft_summary *s,
                       size_t best, heft_verdict *out);
/* The sentence, without its end. */
void heft_put_verdict(heft_buf *buf, const heft_verdict *v, double alpha);
/* "10-fold cross-validation": how rows are divided into training and test rows. */
void heft_put_split(heft_buf *buf, const heft_results *results);
/* The first class from `c` on that has rows of which none is predicted right; n_classes: there is
 * none. */
size_t heft_cell_missed(const heft_cell *cell, size_t c);

/* ---- the figures of a cell beside its measures ---- */

enum { HEFT_N_FIGURES = 6, HEFT_N_ACCURACIES = 4 /* the first of them; the others are times */ };

typedef struct heft_figure {
    const char *name; /* in JSON and CSV */
    size_t      at;   /* in heft_cell: a double, not negative */
    double      most;
} heft_figure;

extern const heft_figure heft_figures[HEFT_N_FIGURES];

double heft_figure_of(const heft_cell *cell, size_t k);

enum { HEFT_N_CLASS_FIGURES = 7 };

typedef struct heft_class_figure_info {
    const char *name, *title; /* in JSON; for people */
    size_t      at;           /* in heft_class_figures */
    double      most;         /* from 0 to this */
    int         decimals;
} heft_class_figure_info;

extern const heft_class_figure_info heft_class_figure_list[HEFT_N_CLASS_FIGURES];

static inline double *heft_class_figure(heft_class_figures *figures, size_t k)
{
    return (double *)(void *)((char *)figures + heft_class_figure_list[k].at);
}
double heft_class_figure_of(const heft_class_figures *figures, size_t k);
/* A checksum of all figures of a cell that has some, and of its key; resume.c. */
uint64_t heft_cell_sum(const heft_cell *cell, const char *key);

/* ---- the writers, of all stages ---- */

heft_status heft_results_json(heft_ctx *ctx, const heft_results *results, heft_buf *buf);
heft_status heft_results_csv(heft_ctx *ctx, const heft_results *results, heft_buf *buf);
/* CSV with a line for each fold of each cell that has figures. */
void        heft_results_folds(const heft_results *results, heft_buf *buf);
heft_status heft_results_table(heft_ctx *ctx, const heft_results *results, heft_style style,
                               heft_buf *buf);
/* All measures of all cells, in a document: Markdown or LaTeX. */
void heft_results_appendix(const heft_results *results, heft_style style, heft_buf *buf);
/* all: every class, whatever their number. */
void heft_results_details(const heft_results *results, bool all, heft_buf *buf);
/* The grid that all tables of results use: a head, a first column, and figures beside it. */
heft_grid heft_figures_grid(heft_style style, size_t n_cols);
/* The class that measure k is of, with two classes; NULL: it is of all. */
const char *heft_measure_class(const heft_results_set *set, size_t k);
/* The first method that has figures of data set d; NULL: none has. */
const heft_cell *heft_cell_present(const heft_results *results, size_t d);
heft_lead        heft_cell_lead(const heft_cell *cell);
/* "nb on 3 data sets": what a table is about. */
void heft_put_about(heft_buf *buf, const heft_results *results, heft_style style);
/* LaTeX: "\label{tab:iris-accuracy}"; several data sets are called results. */
void heft_put_label(heft_buf *buf, const heft_results *results, const char *what);
/* "data set, method, stage" */
void heft_put_place(heft_buf *buf, const heft_results *results, const heft_cell *cell,
                    heft_style style);

/* By the name of the format; the page (html) is made by lib/pages. */
heft_status heft_results_format(heft_ctx *ctx, const heft_results *results, const char *format,
                                heft_buf *buf);
