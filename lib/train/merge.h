/* merge.h - one model from models of parts, which are disjoint sets of rows. */
#pragma once

#include "model/model.h"

/* Make the model of all rows from n models of parts. If `models` is NULL, they are read from the
 * files `paths`, one at a time. The scratch arena of ctx is cleared. */
heft_status heft_merge(heft_ctx *ctx, const heft_model *const *models, const char *const *paths,
                       size_t n, heft_model **out);
