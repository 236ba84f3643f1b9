/* merge.h - one model from the models of parts. */
#pragma once

#include "model/model.h"

/* The model of all rows from models of parts; models NULL: from n files, of which one at a time is
 * in memory. Scratch memory is cleared. */
heft_status heft_merge(heft_ctx *ctx, const heft_model *const *models, const char *const *paths,
                       size_t n, heft_model **out);
