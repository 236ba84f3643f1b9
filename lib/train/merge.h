/* merge.h - one model from the models of parts. */
#pragma once

#include "model/model.h"

/* Make the model of all rows from models of parts. If `models` is NULL they are read from n files,
 * one at a time. Clears scratch memory. */
heft_status heft_merge(heft_ctx *ctx, const heft_model *const *models, const char *const *paths,
                       size_t n, heft_model **out);
