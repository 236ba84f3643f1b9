/* select.h - the selection of attributes before a method is fitted. */
#pragma once

#include "prep/prep.h"

/* The attributes are selected by the training rows. A model has only those that were selected.
 *
 *   gain-ratio:N, mutual-information:N   the N attributes that say most about the class, N a number
 *                                        or a percentage such as 2.5%; the earlier column wins
 *                                        a tie
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
    double      number;  /* how many attributes, or */
    bool        percent; /* which percentage of them */
} heft_select;

/* Reads --select; NULL is none. */
heft_status heft_select_parse(heft_ctx *ctx, const char *text, heft_select *out);

/* The table with the attributes selected, in their order; *out is NULL where nothing is to be
 * selected. Rows of unknown class or weight 0 must have been left out. */
heft_status heft_select_table(heft_ctx *ctx, const heft_table *table, const heft_prep_spec *spec,
                              const heft_select *select, heft_table **out);
