/* attribute_filters.h - computes the weights of CFW over all rows of a task, with the facts that
 * inspect shows. */
#pragma once

#include "model/method.h"

heft_status heft_cfw_weights(heft_ctx *ctx, const heft_task *task, double *w, heft_fitted *out);
