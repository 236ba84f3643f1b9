/* headline.h - what a comparison comes to, by each measure: mean ranks with their tests, the best
 * method, and the sentences that say so. JSON and the page have the same. */
#pragma once

#include "eval/bootstrap.h"
#include "eval/results.h"

/* A measure is numbered as in heft_drawn_name: 0 is the accuracy, then those of measures.def. */

typedef struct heft_place { /* the place of one method by one measure */
    double rank, value;     /* means over the data sets on which all methods have it; NAN: none */
} heft_place;

typedef struct heft_places {
    size_t        n_sets, n; /* numbers of such data sets, and of methods that have the measure */
    heft_place   *of;        /* by method, in scratch memory */
    size_t        best;      /* method with the best mean; SIZE_MAX: there is none */
    double        cd;        /* Nemenyi's critical difference; NAN: too few data sets or methods */
    heft_friedman friedman;
} heft_places;

typedef struct heft_headline {
    heft_places places;
    size_t      lead;    /* method that the sentences are about; SIZE_MAX: there is none */
    heft_buf    figures; /* "93.4%", "mean accuracy", ...: each text ends with a zero byte */
    heft_buf    text;    /* sentences, each ends with a zero byte */
} heft_headline;

/* The value of measure k in a cell; NAN: there is none. */
double heft_drawn_value(const heft_cell *cell, size_t k);
/* Whether measure k is shown to people: some cell of the stage has it. */
bool heft_drawn_shown(const heft_results *results, size_t k);
/* "accuracy", "log loss" */
const char *heft_drawn_title(size_t k);

/* The summary of one stage by measure k. The caller calls heft_headline_clear, also after an
 * error. */
heft_status heft_headline_find(heft_ctx *ctx, const heft_results *results, const heft_summary *s,
                               size_t k, heft_headline *out);
void        heft_headline_clear(heft_headline *h);

/* "3 methods on 2 data sets" */
void heft_put_title(heft_buf *out, const heft_results *results);
/* How the results came about, in sentences that each end with a zero byte; all stages. */
void heft_put_how(heft_buf *out, const heft_results *results);
/* The members "title", "how" and "measures" of the JSON document; `s` sums up the stage of
 * heft_results_headline. */
heft_status heft_put_measures(heft_ctx *ctx, heft_buf *out, const heft_results *results,
                              const heft_summary *s);
