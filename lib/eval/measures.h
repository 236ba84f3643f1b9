/* measures.h - how good a set of predictions is: the measures of measures.def, and figures of each
 * class. Rows count once each, whatever their weights in the data. */
#pragma once

#include "data/table.h"
#include "heft_evaluate.h"

#define HEFT_MEASURE(...) +1
enum {
    HEFT_N_MEASURES = 0
#include "eval/measures.def"
};
#undef HEFT_MEASURE

#define HEFT_MEASURE(name, ...) double name;
typedef struct heft_measures {
    size_t n, right;
    union {
        struct {
#include "eval/measures.def"
        };
        double value[HEFT_N_MEASURES]; /* the same, by number */
    };
} heft_measures;
#undef HEFT_MEASURE

/* The number of a measure. */
#define HEFT_MEASURE_AT(name)                                                                      \
    ((offsetof(heft_measures, name) - offsetof(heft_measures, value)) / sizeof(double))

#define HEFT_LEAST_PROBABILITY 1e-15
enum { HEFT_BINS = 10, HEFT_MOST_CONFUSED = 100 /* classes of a confusion matrix that is kept */ };

typedef struct heft_outcomes { /* predictions beside the actual classes */
    const double   *proba;     /* n x n_class */
    const uint16_t *y;         /* n; a row with y[i] >= n_class does not count */
    const uint16_t *guess;     /* n: the predicted class; NULL: the most probable one */
    const double   *cost;      /* n: what the prediction costs; NULL: there are no costs */
    size_t          n, n_class;
    size_t positive; /* with two classes: the class that AUC and average precision describe */
} heft_outcomes;

/* With two classes measure k is of the positive one. */
bool heft_measure_of_class(size_t k);

/* EUNSUPPORTED where the probabilities of n rows of `table` would take more than 256 MB, and more
 * than 1 KB per cell of the table. */
heft_status heft_check_probabilities(heft_ctx *ctx, const heft_table *table, size_t n,
                                     size_t n_class);

/* All measures; by_class[n_class] may be NULL. A probability that is not finite is ENUMERIC. */
heft_status heft_measure(heft_ctx *ctx, const heft_outcomes *rows, heft_measures *out,
                         heft_class_figures *by_class);
/* Macro F1 from the numbers of rows by class: actual, predicted, and both. */
double heft_macro_f1(const double *support, const double *predicted, const double *hit,
                     size_t n_class);
/* Adds the rows to matrix[n_class][n_class]: actual by predicted. */
void heft_confuse(const heft_outcomes *rows, size_t *matrix);

/* ---- where accuracy says little ---- */

enum { HEFT_N_LEAD = 3 };

typedef struct heft_lead_figure {
    const char *title;
    double      value, baseline; /* NAN: the baseline has none */
} heft_lead_figure;

typedef struct heft_lead {             /* what says more than accuracy does */
    bool             any;              /* a class has more than 90% of the rows, or `below` */
    bool             below;            /* no more rows are predicted right than by the baseline */
    double           baseline;         /* accuracy of always predicting the most frequent class */
    size_t           frequent, rarest; /* most and least frequent of the classes that have rows */
    bool             of_class; /* two classes: the figures are those of the rarest; else means */
    heft_lead_figure figure[HEFT_N_LEAD];
} heft_lead;

heft_lead heft_lead_of(const heft_class_figures *by_class, size_t n_class, const double *measures);

/* ---- the same rows, measured many times with other weights ---- */

/* What measures need of rows, computed once: figures of each row, and the rows in falling order of
 * the probability of each class. Only rows that count are in it. */
typedef struct heft_sorted {
    size_t          n, n_class, positive;
    const uint16_t *y, *guess;
    const uint32_t *place;               /* n: the row's number in heft_outcomes */
    const double   *loss, *square, *top; /* log loss, Brier score, highest probability */
    const double   *cost;                /* NULL: there are no costs */
    const uint8_t  *bin;   /* of `top`; HEFT_TOP_RIGHT is added where its class is right */
    const uint32_t *order; /* n_class x n: rows, with the two marks below */
} heft_sorted;

enum { HEFT_TOP_RIGHT = 128 };
#define HEFT_LAST_TIED 0x80000000u /* the next row has another probability */
#define HEFT_POSITIVE  0x40000000u /* the row is of the class that is ordered by */
#define HEFT_ROW_BITS  0x3fffffffu

/* Memory from the scratch of ctx. */
heft_status heft_outcomes_sort(heft_ctx *ctx, const heft_outcomes *rows, heft_sorted *out);
/* The measures where row k of `s` counts weight[k] times. room: 5 x n_class numbers. Does not
 * allocate. */
void heft_measure_sorted(const heft_sorted *s, const uint32_t *weight, double *room,
                         heft_measures *out);
/* The measures of predictions that the caller made: measures[HEFT_N_MEASURES]. */
heft_status heft_measure_given(heft_ctx *ctx, const heft_predicted *made, size_t n, size_t n_class,
                               double *measures, heft_class_figures *by_class);

const heft_measure_info *heft_measures_at(size_t index); /* NULL past the end */
/* A measure of a cell by its name; NAN: there is none. */
double heft_measure_in_cell(const heft_cell *cell, const char *name);
