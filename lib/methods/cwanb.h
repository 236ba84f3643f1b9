/* cwanb.h - the two methods that cwanb runs one after the other. */
#pragma once

#include "model/method.h"

/* cfwnb.c: the weights of CFW over all rows of the task, with what inspect shows of them. */
heft_status heft_cfw_weights(heft_ctx *ctx, const heft_task *task, double *w, heft_fitted *out);

/* wanbia.c: the fit from `start` (n_attr weights; NULL: all 1), over a finished basis; the task's
 * method must have HEFT_SQUARED_OPTIONS. Sets weights and training. */
heft_status heft_wanbia_fit(heft_ctx *ctx, const heft_task *task, const double *start,
                            heft_fitted *out);
