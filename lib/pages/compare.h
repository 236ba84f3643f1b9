/* compare.h - what the sections of a comparison's page share. What depends on a measure is written
 * once for each; the page shows the accuracy, and its script shows another one that is chosen. */
#pragma once

#include "eval/headline.h"
#include "eval/results.h"
#include "pages/html.h"

enum { HEFT_COMPARE_METHODS = 20, HEFT_COMPARE_SETS = 60 /* shown */, HEFT_COMPARE_LABEL = 112 };

typedef struct heft_compare {
    heft_ctx           *ctx;
    const heft_results *all;  /* every stage */
    const heft_results *r;    /* the full one */
    size_t              full; /* which that is */
    heft_summary        s;
    size_t              n_method, n_data; /* shown */
    bool      applies[HEFT_N_DRAWN];      /* the measures shown: the accuracy, then the others */
    bool      one;                        /* one data set and one method */
    heft_buf *out;
} heft_compare;

/* ---- compare_measures.c ---- */

const char *heft_compare_title(size_t k); /* "log loss", "accuracy, %" */
bool        heft_compare_higher(size_t k);
int         heft_compare_decimals(size_t k);
/* Measure k of the cell, the accuracy in percent; NAN: there is none. */
double heft_compare_value(const heft_cell *cell, size_t k);
/* Finds the ends of the interval of measure k; false: it has none. */
bool heft_compare_interval(const heft_cell *cell, size_t k, double *low, double *high);
/* Whether m is the best of the methods shown on data set d. */
bool        heft_compare_best(const heft_compare *g, size_t d, size_t m, size_t k);
heft_status heft_compare_rank(const heft_compare *g, size_t k, heft_places *p);

/* An element that is shown while measure k is chosen; `id` is made its own, "time" or
 * "time-log_loss", and written into `own`. */
void heft_compare_by(const heft_compare *g, const char *element, size_t k);
enum { HEFT_COMPARE_ID = 64 };
const char *heft_compare_id(char own[HEFT_COMPARE_ID], const char *id, size_t k);
/* Opens a figure by measure k; the caption is formatted by heft_put and escaped. */
void heft_compare_figure(const heft_compare *g, size_t k, const char *caption, ...);
/* Writes the sign of method m: methods beyond the colours have rings, and dashed lines. */
void heft_compare_sign(const heft_compare *g, size_t m);
/* Writes a cell of a table with a number, empty where it is not finite; `tag` opens the cell. */
void heft_compare_number(const heft_compare *g, const char *tag, double x, int decimals);
/* Writes the signs of all methods with their names. */
void heft_compare_legend(const heft_compare *g);
/* Draws a dot or a ring in the colour of method m; hovering shows the method, `place` and the
 * value. */
void heft_compare_dot(const heft_compare *g, size_t m, double x, double y, double radius,
                      const char *place, double value);
/* Adds some space at both ends of a scale, within the range of measure k. */
void heft_compare_widen(heft_scale *s, size_t k);

/* ---- sections ---- */

heft_status heft_compare_table(const heft_compare *g);
heft_status heft_compare_ranks(const heft_compare *g);
void        heft_compare_time(const heft_compare *g);
void        heft_compare_sets(const heft_compare *g);
void        heft_compare_curves(const heft_compare *g);
void        heft_compare_tests(const heft_compare *g);
void        heft_compare_cells(const heft_compare *g);
