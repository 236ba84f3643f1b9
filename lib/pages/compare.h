/* compare.h - what the parts of a comparison's page share. */
#ifndef HEFT_PAGES_COMPARE_H
#define HEFT_PAGES_COMPARE_H

#include "eval/results.h"
#include "pages/svg.h"

typedef struct heft_comparison {
    const heft_results *all; /* every stage */
    const heft_results *r;   /* the first one */
    heft_summary        s;
    size_t              n_method, n_data; /* shown */
    heft_buf           *out;
} heft_comparison;

#define HEFT_COMPARE_WIDTH 420.0 /* of a plot */

/* Names of methods for heft_html_legend; from: the comparison. */
const char *heft_compare_method(const void *comparison, size_t m);
/* Room at both ends of a scale, `least` at least. */
void heft_compare_widen(heft_scale *s, double least);

/* report_curves.c: accuracy against noise, rows or attributes; nothing where none was asked for. */
void heft_compare_curves(const heft_comparison *g);
/* report_curves.c: the confusion matrices of the first stage. */
void heft_compare_confusion(const heft_comparison *g);

#endif
