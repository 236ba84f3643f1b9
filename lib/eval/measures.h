/* measures.h - how good a set of predictions is: the measures of measures.def, and figures of each
 * class. Every row counts once, whatever its weight in the data. */
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
        double value[HEFT_N_MEASURES]; /* the measures by number, in the order of measures.def */
    };
} heft_measures;
#undef HEFT_MEASURE

/* The number of a measure, from its name. */
#define HEFT_MEASURE_AT(name)                                                                      \
    ((offsetof(heft_measures, name) - offsetof(heft_measures, value)) / sizeof(double))

#define HEFT_LEAST_PROBABILITY 1e-15
enum { HEFT_BINS = 10, HEFT_MOST_CONFUSED = 100 /* most classes of a confusion matrix */ };

typedef struct heft_outcomes { /* predictions beside the actual classes */
    const double   *proba;     /* n x n_class probabilities */
    const uint16_t *y;         /* n actual classes; a row with y[i] >= n_class does not count */
    const uint16_t *guess;     /* n predicted classes; NULL: the most probable class */
    const double   *cost;      /* n costs of the predictions; NULL: there are no costs */
    size_t          n, n_class;
    size_t positive; /* with two classes: the class that AUC and average precision describe */
} heft_outcomes;

/* Whether measure k describes the positive class if there are two classes. */
bool heft_measure_of_class(size_t k);

/* EUNSUPPORTED if the probabilities of n rows would need more than 256 MB and more than 1 KB per
 * cell of `table`. */
heft_status heft_check_probabilities(heft_ctx *ctx, const heft_table *table, size_t n,
                                     size_t n_class);

/* Compute all measures, and the figures of each class if by_class is not NULL. ENUMERIC if a
 * probability is not finite. */
heft_status heft_measure(heft_ctx *ctx, const heft_outcomes *rows, heft_measures *out,
                         heft_class_figures *by_class);
/* Returns macro F1 from numbers of rows by class: support[c] rows are of class c, predicted[c] are
 * predicted as c, and hit[c] are both. */
double heft_macro_f1(const double *support, const double *predicted, const double *hit,
                     size_t n_class);
/* Add the rows to the confusion matrix: matrix[actual][predicted], n_class x n_class. */
void heft_confuse(const heft_outcomes *rows, size_t *matrix);

/* ---- where accuracy says little ---- */

enum { HEFT_N_LEAD = 3 };

typedef struct heft_lead_figure {
    const char *title;
    double      value, baseline; /* baseline NAN: not defined for the baseline */
} heft_lead_figure;

typedef struct heft_lead {             /* figures that say more than accuracy does */
    bool             any;              /* a class has over 90% of the rows, or `below` is set */
    bool             below;            /* the accuracy is not above that of the baseline */
    double           baseline;         /* accuracy of always predicting the most frequent class */
    size_t           frequent, rarest; /* most and least frequent of the classes that have rows */
    bool             of_class;         /* two classes: figures of the rarest one; else means */
    heft_lead_figure figure[HEFT_N_LEAD];
} heft_lead;

heft_lead heft_lead_of(const heft_class_figures *by_class, size_t n_class, const double *measures);

/* ---- the same rows, measured many times with other weights ---- */

/* Everything that measures need from rows, computed once: figures of each row, and for each class
 * the rows in falling order of its probability. Only rows that count are included. */
typedef struct heft_sorted {
    size_t          n, n_class, positive;
    const uint16_t *y, *guess;
    const uint32_t *place;               /* by row: its number in heft_outcomes */
    const double   *loss, *square, *top; /* by row: log loss, Brier score, highest probability */
    const double   *cost;                /* NULL: there are no costs */
    const uint8_t  *bin;   /* bin of `top`, plus HEFT_TOP_RIGHT if its class is right */
    const uint32_t *order; /* n_class x n: rows, with the two flags below */
} heft_sorted;

enum { HEFT_TOP_RIGHT = 128 };
#define HEFT_LAST_TIED 0x80000000u /* flag: the next row has another probability */
#define HEFT_POSITIVE  0x40000000u /* flag: the row has the class of this order */
#define HEFT_ROW_BITS  0x3fffffffu

/* Sort the rows, in scratch memory. */
heft_status heft_outcomes_sort(heft_ctx *ctx, const heft_outcomes *rows, heft_sorted *out);
/* Compute the measures if row k of `s` counts weight[k] times. `room` is work space of 5 x n_class
 * numbers. No memory is allocated. */
void heft_measure_sorted(const heft_sorted *s, const uint32_t *weight, double *room,
                         heft_measures *out);
/* Compute measures[HEFT_N_MEASURES] of predictions that the caller made. */
heft_status heft_measure_given(heft_ctx *ctx, const heft_predicted *made, size_t n, size_t n_class,
                               double *measures, heft_class_figures *by_class);

const heft_measure_info *heft_measures_at(size_t index); /* NULL past the end */
/* Returns a measure of a cell by its name; NAN if there is none of this name. */
double heft_measure_in_cell(const heft_cell *cell, const char *name);
