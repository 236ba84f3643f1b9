/* page.h - what the parts of a model's report share.
 *
 * A report is one JSON document (docs/page_data.md); the script of the page draws it, and what a
 * reader without scripts needs is in the markup too (report_static.c). The document is written from
 * top to bottom, a function for each of its members (report_model.c has their order).
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
#include "pages/json.h"
#include "pages/report.h"
#include "predict/predict.h"

typedef enum heft_importance { /* what attributes are ranked by */
                               HEFT_BY_NOTHING,
                               HEFT_BY_EVIDENCE, /* mean size of what they add to the score of a
                                                    class, as inspect has it */
                               HEFT_BY_BITS,     /* what they tell about the class by themselves */
                               HEFT_BY_LOSS      /* rise of the held-out loss without them */
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

/* A sentence about the model: plain text and the user's text by turns, plain text first. */
enum { HEFT_SENTENCES = 3, HEFT_SENTENCE_PARTS = 13 };
typedef struct heft_sentence {
    size_t      j, n; /* the attribute that it is about; parts */
    const char *part[HEFT_SENTENCE_PARTS];
} heft_sentence;

typedef struct heft_sentences {
    size_t        n;
    heft_sentence list[HEFT_SENTENCES];
} heft_sentences;

typedef struct heft_page_bounds { /* limits of a page, so that it stays small for large data */
    size_t  n_listed;             /* attributes that the document has: all, or the most important */
    size_t *listed, *place;       /* these in the order of the model; SIZE_MAX: not among them */
    size_t  sample;               /* rows that distributions are taken from */
    bool    values_cut; /* the values of the attributes are too many: the first are shown */
} heft_page_bounds;

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
    double             *matter; /* n_attr: the importance; 0: none */
    size_t             *rank;   /* attributes, the most important first */
    bool                differ; /* whether the weights of the attributes differ */
    heft_page_bounds    bounds;
    heft_page_outcomes *outcomes; /* NULL: no table, or no class in it */
    heft_sentences      said;
    heft_buf           *out;
} heft_page;

/* ---- page_values.c: what the values of an attribute say, and how often they occur ---- */

/* out[K]: what a raw cell adds to the score of each class, calibrated, with mean 0 over the
 * classes: a number, or the code of a value; NaN is missing. For additive models. */
void heft_page_value(const heft_page *p, size_t j, double raw, double *out);
/* Half the width of the 95 % interval of the evidence of a value, as it is shown (two classes: of
 * the log-odds); NaN: not known. */
double heft_page_error(const heft_page *p, size_t j, double raw);
/* Returns the evidence of a raw cell as log-odds of `one` against `zero`, for two classes. */
double heft_page_odds(const heft_page *p, size_t j, double raw);
/* What attribute j is ranked by. */
static inline double heft_page_importance(const heft_page *p, size_t j)
{
    const double *by_loss = p->by == HEFT_BY_LOSS ? p->model->fitted.importance : NULL;
    return by_loss ? by_loss[j] : p->matter[j];
}
/* Ranks the attributes by importance: fills by, matter, rank and differ, and lists them. */
heft_status heft_page_rank(heft_page *p);

/* Whether the attribute is shown as numbers: the raw column is numeric. */
static inline bool heft_page_number(const heft_page *p, size_t j)
{
    return p->model->prep.attr[j].kind == HEFT_NUMERIC;
}

enum { HEFT_PAGE_BINS = 24 };

typedef struct heft_value_spread { /* where the values of an attribute lie */
    bool          from_data; /* the rows of the table; else what the model keeps of its rows */
    double        lo, hi;    /* numbers that are shown; of the data 1% at either end are not */
    double        least, most, usual; /* numbers of the data; usual: median or most frequent code */
    size_t        n;                  /* shares: bins of numbers, or values */
    double       *share;              /* NULL: not known. Sums to at most 1 */
    size_t        m;                  /* cells of the sample that are not missing */
    const double *x;                  /* m: the numbers of the sample, sorted; NULL: none */
} heft_value_spread;

heft_status heft_page_spread(const heft_page *p, size_t j, heft_value_spread *s);

/* Whether the table has a column for attribute j. */
static inline bool heft_page_has(const heft_page *p, size_t j)
{
    return p->cells.column[j] != HEFT_DICT_NONE;
}

/* Cell j of row i of the table as a number or a code of the model's; NaN: missing or not known. */
double heft_page_cell(const heft_page *p, size_t i, size_t j);

/* Finds at most `most` of the sorted numbers that occur, and whether these are all; else they are
 * quantiles. Returns how many it found. */
size_t heft_page_occurring(const heft_value_spread *s, size_t most, double *out, bool *all);
/* The decimals that the numbers have; SIZE_MAX: not known, or more than a reader wants to see. */
size_t heft_page_decimals(const heft_value_spread *s);

/* ---- page_outcomes.c ---- */

/* Predicts the rows of the table, by `folds` of cross-validation where folds > 0. p->outcomes stays
 * NULL where no row has a class. */
heft_status heft_page_predict(heft_page *p, size_t folds);
void        heft_page_outcomes_clear(heft_page_outcomes *o);
/* The probabilities of n rows of the table, n x K. With outcomes, which were warned about already,
 * no warning is given. */
heft_status heft_page_posterior(const heft_page *p, const size_t *rows, size_t n, double *proba);

/* ---- the document (docs/page_data.md): each function writes the members that it is named for ----
 */

static inline const char *heft_page_table_name(const heft_page *p)
{
    const char *name = p->table ? p->table->name : NULL;
    return name && name[0] ? name : "the table";
}

static inline double heft_page_accuracy(const heft_page_outcomes *o)
{
    return 1 - (double)o->n_wrong / (double)o->n_known;
}

/* Whether the document has all attributes of an interaction. */
static inline bool heft_page_lists(const heft_page *p, const heft_interaction *of)
{
    for (size_t m = 0; m < of->n; m++)
        if (p->bounds.place[of->attr[m]] == SIZE_MAX) return false;
    return true;
}

/* Writes the members text and parts of a sentence. */
void heft_json_parts(heft_buf *out, const char *const *part, size_t n);
/* Opens the document of a page: format, version, what page it is, date and title. */
void heft_page_begin(heft_buf *out, const char *page, const char *title);
/* Names the rows that figures were computed on, as the end of a sentence in three parts; part[0] is
 * in `before`.
 */
size_t heft_page_source(const heft_page *p, heft_buf *before, const char *part[3]);
/* Writes what a reader must know about the figures, or why there are none; nothing where there is
 * nothing to say. */
void heft_page_note(const heft_page *p, heft_buf *out);
/* Whether measure k is shown; *of_class: the class that it describes, SIZE_MAX: all. */
bool heft_page_measure(const heft_page *p, size_t k, size_t *of_class);
/* Whether the values of all attributes are too large for a page. */
bool heft_page_values_large(const heft_page *p);
/* Makes the sentences about the model. */
heft_status heft_page_sentences(heft_page *p);

heft_status heft_report_facts(const heft_page *p);
void        heft_report_data(const heft_page *p);
void        heft_report_headline(const heft_page *p);
void        heft_report_sentences(const heft_page *p);
void        heft_report_measures(const heft_page *p);
heft_status heft_report_confusion(const heft_page *p);
heft_status heft_report_attributes(const heft_page *p);
heft_status heft_report_shapes(const heft_page *p);
heft_status heft_report_pairs(const heft_page *p);
heft_status heft_report_correlations(const heft_page *p);
heft_status heft_report_nomogram(const heft_page *p);
heft_status heft_report_curves(const heft_page *p);
heft_status heft_report_rows(const heft_page *p);
heft_status heft_report_whatif(const heft_page *p);
heft_status heft_report_details(const heft_page *p);

/* Writes what a reader without scripts needs, as HTML. */
void heft_report_static(const heft_page *p, heft_buf *out);
