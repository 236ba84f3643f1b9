/* select.h - attribute selection before any method. */
#pragma once

#include "prep/prep.h"

/* Attribute selection before any method: learned from the training rows, and all a model keeps of
 * it is which attributes it has.
 *
 *   gain-ratio:N, mutual-information:N   the N attributes that say most about the class, N a number
 *                                        or a share such as 2.5%; ties to the earlier column
 *   cfs                                  the set of stats/cfs.h
 *   none                                 all
 *
 * The measures see the columns as the method's preparation makes them. Numbers that it leaves as
 * they are count as cut by mdl; in a sparse table by presence, zero or not. */
typedef enum heft_choice {
    HEFT_CHOOSE_ALL,
    HEFT_CHOOSE_RATIO,
    HEFT_CHOOSE_MUTUAL,
    HEFT_CHOOSE_CFS
} heft_choice;

typedef struct heft_select {
    heft_choice choice;
    double      number;  /* of attributes, or */
    bool        percent; /* of all attributes */
} heft_select;

/* Reads --select; NULL is none. */
heft_status heft_select_parse(heft_ctx *ctx, const char *text, heft_select *out);

/* The table with the attributes selected, in their order; *out is NULL where nothing is to be
 * selected. Rows of unknown class or weight 0 must have been left out. */
heft_status heft_select_table(heft_ctx *ctx, const heft_table *table, const heft_prep_spec *spec,
                              const heft_select *select, heft_table **out);
