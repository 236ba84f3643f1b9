/* compare.h - what the parts of a comparison's page share. */
#pragma once

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

/* A figure with a legend of the methods and a plot in it. */
void heft_compare_open(const heft_comparison *g, const char *id, const char *caption,
                       const char *label, double height);
void heft_compare_close(const heft_comparison *g);
/* A dot in the colour of method m; hovering shows "method<link><place>: value". */
void heft_compare_dot(const heft_comparison *g, size_t m, double x, double y, double radius,
                      const char *link, const char *place, double value);
/* Let the scale reach to x; NAN changes nothing. */
void heft_compare_reach(heft_scale *s, double x);
/* Leave some space at both ends of a scale. */
void heft_compare_widen(heft_scale *s);

/* report_curves.c: accuracy against noise, rows or attributes; nothing where none was asked for. */
void heft_compare_curves(const heft_comparison *g);
/* report_curves.c: the confusion matrices of the first stage. */
void heft_compare_confusion(const heft_comparison *g);
