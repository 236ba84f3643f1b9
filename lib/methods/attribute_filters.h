/* attribute_filters.h - the weights of CFW over all rows of the task, with what inspect shows of
 * them. */
#pragma once

#include "model/method.h"

heft_status heft_cfw_weights(heft_ctx *ctx, const heft_task *task, double *w, heft_fitted *out);
