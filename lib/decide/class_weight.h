/* class_weight.h - the weights of classes: in words, and applied to the rows of a table. */
#pragma once

#include "prep/prep.h"

typedef struct heft_class_list { /* a setting whose value is CLASS=NUMBER,... */
    const char *mark;            /* "{prior}" */
    const char *form;            /* what the value must be, for messages */
    double      most;            /* the largest number; the smallest is 0 */
} heft_class_list;

/* number[n_class], -1 where a class is not named, and the sum of those that are, in the order of
 * the text. classes NULL: only the form is checked. */
heft_status heft_class_list_parse(heft_ctx *ctx, const heft_class_list *how, const char *text,
                                  const heft_dict *classes, double *number, double *sum);
/* weight[n_class] of --class-weight CLASS=W,..., 1 where a class is not named; `balanced` where
 * that is the word: then all are 1. classes NULL: only the form is checked. */
heft_status heft_class_weight_parse(heft_ctx *ctx, const char *text, const heft_dict *classes,
                                    double *weight, bool *balanced);
/* (*factor)[n]: the weight of each class of the table, as --class-weight says; NULL: there are no
 * weights of classes. A balanced class has the sum n / K of the K classes that rows have. Sums are
 * over the rows of all ranks. Scratch memory. */
heft_status heft_class_factors(heft_ctx *ctx, const heft_table *table, const char *word,
                               double **factor);
/* (*weight)[n_rows], on the heap: the weights of the rows times these factors; NULL without. With
 * `shifts` (HEFT_SHIFTS_CLASSES) only a factor of 0 is applied. */
heft_status heft_weigh_classes(heft_ctx *ctx, const heft_table *table, const double *factor,
                               bool shifts, double **weight);
/* The factors in the order of the classes of a preparation. */
heft_status heft_place_factors(heft_ctx *ctx, const heft_table *table, const heft_prep *prep,
                               double **factor);
