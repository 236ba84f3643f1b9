/* class_weight.h - the weights of classes: in words, and applied to the rows of a table. */
#pragma once

#include "prep/prep.h"

typedef struct heft_class_list { /* a setting whose value is CLASS=NUMBER,... */
    const char *mark;            /* "{prior}" */
    const char *form;            /* what the value must be, for messages */
    double      most;            /* the largest number; the smallest is 0 */
} heft_class_list;

/* Parses CLASS=NUMBER,...: number[n_class] is -1 for a class that is not named, and *sum is the sum
 * of the numbers in the order of the text. If `classes` is NULL, only the form is checked. */
heft_status heft_class_list_parse(heft_ctx *ctx, const heft_class_list *how, const char *text,
                                  const heft_dict *classes, double *number, double *sum);
/* Parses a class weight, CLASS=W,... or balanced: weight[n_class] is 1 for a class that is not
 * named. *balanced says whether the text is the word; then all weights are 1. If `classes` is NULL,
 * only the form is checked. */
heft_status heft_class_weight_parse(heft_ctx *ctx, const char *text, const heft_dict *classes,
                                    double *weight, bool *balanced);
/* (*factor)[n] = the weight of each class of the table, or NULL if there are no class weights.
 * Balanced weights give each of the K classes that rows have the same sum, n / K. Sums are over the
 * rows of all ranks. The memory is scratch memory. */
heft_status heft_class_factors(heft_ctx *ctx, const heft_table *table, const char *word,
                               double **factor);
/* (*weight)[n_rows] = the weights of the rows times the factors of their classes, on the heap, or
 * NULL without factors. With `shifts` (HEFT_SHIFTS_CLASSES) the method applies the factors to its
 * scores, and only a factor of 0 is applied here. */
heft_status heft_weigh_classes(heft_ctx *ctx, const heft_table *table, const double *factor,
                               bool shifts, double **weight);
/* Places the factors in the order of the classes of a preparation. */
heft_status heft_place_factors(heft_ctx *ctx, const heft_table *table, const heft_prep *prep,
                               double **factor);
