/* used_rows.h - what the default method learns from: the rows of a task without the attributes that
 * say nothing and the classes that have no rows. */
#pragma once

#include "model/method.h"

typedef struct heft_used_rows {
    heft_rows rows;            /* of this process, with the attributes that are used */
    size_t    n_before, n_all; /* rows of the processes before this one, and of all */
    size_t   *used;            /* places of the attributes among those of the task */
    size_t    n_class;         /* classes that have rows */
    uint32_t *present;         /* their numbers among the declared ones */
    uint16_t *y;               /* by row: the class among those that have rows */
    double   *class_sum;       /* by declared class: weight of all rows */
    double    total;           /* of all classes */
} heft_used_rows;

/* An attribute that is constant in the rows of all processes says nothing, nor does one that names
 * the rows. Weights that sum to more than `large` are rounded, so that their sums are exact. Memory
 * from `arena`. */
heft_status heft_used_rows_of(heft_ctx *ctx, const heft_task *task, double large, heft_arena *arena,
                              heft_used_rows *out);
