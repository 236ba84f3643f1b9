/* page.h - what the sections of a model's report share.
 *
 * A report is one file without a network. It is written from top to bottom, a function for each
 * section (report_model.c has their order); what a reader without scripts needs is in the markup,
 * and the script adds what moves: the threshold, the choice of classes, values to try out.
 *
 * All numbers come from the terms of the score (explain/terms.h) and from the predictions of the
 * rows that are given (heft_page_outcomes). Figures on training rows are too good, so the page
 * finds out whether the rows are those (model/fingerprint.h) and says so beside each of them. The
 * size of a page does not grow with the data: lists show the first few and say how many there are,
 * and distributions are taken from a sample. */
#pragma once

#include "eval/eval.h"
#include "explain/explain.h"
#include "pages/html.h"
#include "pages/report.h"
#include "predict/predict.h"

typedef enum heft_importance { /* what attributes are ranked by */
                               HEFT_BY_NOTHING,
                               HEFT_BY_EVIDENCE, /* mean size of what they add to the score of a
                                                    class, as inspect has it */
                               HEFT_BY_BITS      /* what they tell about the class by themselves */
} heft_importance;

typedef struct heft_page_outcomes { /* rows whose class is known, and what is predicted for them */
    size_t              n, n_known, n_wrong;
    size_t              K;         /* classes: the model's, then those that only rows have */
    const char        **classes;   /* K */
    heft_unknown        unknown;   /* the rows of these */
    double             *proba;     /* n x K */
    uint16_t           *y, *guess; /* y == K: the row has no class or no weight */
    size_t             *count;     /* rows of each class */
    size_t             *frequent;  /* classes, the most frequent first */
    bool                trained;   /* the rows are those that the model was trained on */
    size_t              folds;     /* predicted by cross-validation; 0: by the model */
    heft_measures       all;
    heft_class_figures *by_class; /* K */
} heft_page_outcomes;

typedef struct heft_page {
    heft_ctx           *ctx;
    const heft_model   *model;
    const heft_table   *table; /* NULL: none is given */
    heft_row_cells      cells; /* the cells of the table, by attribute */
    size_t              K, n_attr;
    const char        **classes;   /* K */
    size_t              one, zero; /* two classes: evidence is for `one` against `zero` */
    size_t              positive;  /* two classes: the one that measures and curves describe */
    heft_terms          t;
    bool                additive; /* every value of an attribute has its evidence */
    heft_importance     by;
    double             *matter;   /* n_attr: the importance; 0: none */
    size_t             *rank;     /* attributes, the most important first */
    bool                differ;   /* whether the weights of the attributes differ */
    size_t              sample;   /* rows that distributions are taken from */
    heft_page_outcomes *outcomes; /* NULL: no table, or no class in it */
    heft_buf           *out;
} heft_page;

/* ---- page_values.c: what the values of an attribute say, and how often they occur ---- */

/* out[K]: what a raw cell adds to the score of each class, calibrated, with mean 0 over the
 * classes: a number, or the code of a value; NaN is missing. For additive models. */
void heft_page_value(const heft_page *p, size_t j, double raw, double *out);
/* Returns the evidence of a raw cell as log-odds of `one` against `zero`, for two classes. */
double heft_page_odds(const heft_page *p, size_t j, double raw);
/* Ranks the attributes by importance: fills by, matter, rank and differ. */
heft_status heft_page_rank(heft_page *p);

/* Whether the attribute is shown as numbers: the raw column is numeric. */
static inline bool heft_page_number(const heft_page *p, size_t j)
{
    return p->model->prep.attr[j].kind == HEFT_NUMERIC;
}

enum { HEFT_PAGE_BINS = 24 };

typedef struct heft_value_spread { /* where the values of an attribute lie */
    bool    from_data;          /* the rows of the table; else what the model keeps of its rows */
    double  lo, hi;             /* numbers that are shown; of the data 1% at either end are not */
    double  least, most, usual; /* numbers of the data; usual: median or most frequent code */
    size_t  n;                  /* shares: bins of numbers, or values */
    double *share;              /* NULL: not known. Sums to at most 1 */
} heft_value_spread;

heft_status heft_page_spread(const heft_page *p, size_t j, heft_value_spread *s);

/* Whether the table has a column for attribute j. */
static inline bool heft_page_has(const heft_page *p, size_t j)
{
    return p->cells.column[j] != HEFT_DICT_NONE;
}

/* Cell j of row i of the table as a number or a code of the model's; NaN: missing or not known. */
double heft_page_cell(const heft_page *p, size_t i, size_t j);
/* Writes the same cell as text, in HTML. */
void heft_page_cell_text(const heft_page *p, size_t i, size_t j, heft_buf *out);

/* ---- page_outcomes.c ---- */

/* Predicts the rows of the table, by `folds` of cross-validation where folds > 0. p->outcomes stays
 * NULL where no row has a class. */
heft_status heft_page_predict(heft_page *p, size_t folds);
void        heft_page_outcomes_clear(heft_page_outcomes *o);
/* The probabilities of n rows of the table, n x K. With outcomes, which were warned about already,
 * no warning is given. */
heft_status heft_page_posterior(const heft_page *p, const size_t *rows, size_t n, double *proba);
/* Writes what a figure was computed on, as the end of a sentence, in HTML. */
void heft_page_source(const heft_page *p, heft_buf *out);

/* ---- sections ---- */

heft_status heft_page_head(const heft_page *p);
void        heft_section_matter(const heft_page *p);
heft_status heft_section_shapes(const heft_page *p);
heft_status heft_section_pairs(const heft_page *p);
heft_status heft_section_whatif(const heft_page *p);
heft_status heft_section_quality(const heft_page *p);
heft_status heft_section_wrong(const heft_page *p);
heft_status heft_section_nomogram(const heft_page *p);
heft_status heft_section_correlations(const heft_page *p);
heft_status heft_section_details(const heft_page *p);

/* Writes the script and the end of the page. */
void heft_page_end(heft_buf *out);

/* ---- parts of sections ---- */

/* Writes a JSON string that can stand in a script: it has no < and no control character. */
void heft_page_json(heft_buf *out, const char *text);
/* A line of a table of bars up to its number: a name, and a bar of so many percent of the width. */
void heft_page_bar_start(heft_buf *out, const char *style, const char *name, double percent);
/* The whole line: a name, a bar of `share` of the width, a number. */
void heft_page_bar(heft_buf *out, const char *style, const char *name, double share,
                   const char *format, ...);
/* The evidence of row i of the table for class a against b, attribute by attribute, as a table.
 * EUNSUPPORTED: the score is not a sum over attributes. */
heft_status heft_page_waterfall(const heft_page *p, size_t i, size_t a, size_t b);
/* Draws the ROC and precision-recall curves. */
heft_status heft_page_curves(const heft_page *p);
/* The model as data for the script; *written false: it cannot be one, or is too large, and `why`
 * says so. */
heft_status heft_page_model(const heft_page *p, bool *written, heft_buf *why);
