/* used_rows.h - what the default method learns from: the rows of a task without the attributes that
 * say nothing and the classes that have no rows. */
#pragma once

#include "model/method.h"
#include "stats/keys.h"

typedef struct heft_used_rows {
    heft_rows  rows;            /* the rows of this process, with the attributes and classes used */
    size_t     n_before, n_all; /* rows of the processes before this one, and of all */
    size_t    *used;            /* places of the attributes among those of the task */
    heft_attr *attr;            /* the attributes of `rows` */
    size_t     n_class;         /* classes that have rows */
    uint32_t  *present;         /* their numbers among the declared ones */
    uint16_t  *y;               /* by row: its class among those that have rows */
    double    *class_sum;       /* by declared class: weight of all rows */
    double     total;           /* weight of the rows of all classes */
    heft_keys  keys;            /* keys of attributes, values and classes; no two are equal */
    uint64_t  *row_key;         /* by row; different where rows differ */
    heft_turns turns; /* exchanges of attributes, classes and values (value NULL: these stay);
                         the first changes nothing */
} heft_used_rows;

/* An attribute that is constant in the rows of all processes says nothing. Weights are scaled to a
 * mean of 1. Memory from `arena`. */
heft_status heft_used_rows_of(heft_ctx *ctx, const heft_task *task, heft_arena *arena,
                              heft_used_rows *out);
/* Puts attributes and classes into an order that their content sets, so that all sums over them are
 * made in the same order wherever they stand, whatever their names are. Sets the keys; those of
 * rows are from `row_arena`. */
heft_status heft_used_rows_order(heft_ctx *ctx, const heft_prep *prep, heft_arena *arena,
                                 heft_arena *row_arena, heft_used_rows *rows);
/* Leaves out attributes that name the rows. fraction: how many of the rows differ, equal ones
 * counted once. If *dropped, the keys and the order are to be set again. */
heft_status heft_used_rows_drop_names(heft_ctx *ctx, const heft_prep *prep, double fraction,
                                      heft_used_rows *rows, bool *dropped);
