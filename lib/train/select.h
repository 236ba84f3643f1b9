/* select.h - the selection of attributes before a method is fitted. */
#pragma once

#include "prep/prep.h"

/* Ways to select attributes. They see the training rows alone, because a selection that saw test
 * rows would make an evaluation too optimistic. A model has only the attributes that were selected.
 *
 *   gain-ratio:N, mutual-information:N   the N attributes that say most about the class, N a number
 *                                        or a percentage such as 2.5%; the earlier column wins
 *                                        a tie
 *   cfs                                  the set found by stats/cfs.h (Hall 2000)
 *   none                                 all attributes
 *
 * The measures see the columns as the method's preparation makes them. They need codes: numbers
 * that the preparation does not cut are cut by mdl, or in a sparse table by presence (0 or not). */
typedef enum heft_choice {
    HEFT_CHOOSE_ALL,
    HEFT_CHOOSE_RATIO,
    HEFT_CHOOSE_MUTUAL,
    HEFT_CHOOSE_CFS
} heft_choice;

typedef struct heft_select {
    heft_choice choice;
    double      number;  /* number of attributes, or percentage of them */
    bool        percent; /* `number` is a percentage */
} heft_select;

/* Read the setting `select`; NULL is the word none. */
heft_status heft_select_parse(heft_ctx *ctx, const char *text, heft_select *out);

/* Make a table of the selected attributes, in the order of `table`. *out is NULL if all attributes
 * are used. The table must not have rows of unknown class or of weight 0. */
heft_status heft_select_table(heft_ctx *ctx, const heft_table *table, const heft_prep_spec *spec,
                              const heft_select *select, heft_table **out);
