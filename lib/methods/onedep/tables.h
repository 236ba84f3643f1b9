/* tables.h - scores of one-dependence methods as tables, for exports: sums over the attributes and
 * over pairs of them (model/term.h). All of it is scratch memory.
 *
 * A spot of an attribute is a code, then n_codes for a missing cell, then n_codes + 1 for a value
 * never seen. */
#pragma once

#include "model/method.h"

/* out[n_class] = the evidence of spot v of attribute i, or of that spot together with spot w of
 * attribute j. */
typedef void heft_spot_value(const void *own, size_t i, size_t v, double *out);
typedef void heft_cell_value(const void *own, size_t i, size_t v, size_t j, size_t w, double *out);

/* Makes the terms an empty sum, with a view of every attribute and space for `most` pairs. */
heft_status heft_tables_open(heft_ctx *ctx, heft_terms *t, size_t most);
/* Makes another empty sum over the same cells. */
heft_status heft_tables_sum(heft_ctx *ctx, const heft_terms *t, size_t most, heft_terms *out);
/* Adds a table of attribute i to a sum. */
heft_status heft_tables_attr(heft_ctx *ctx, heft_terms *sum, size_t i, heft_spot_value *value,
                             const void *own);
/* Adds a table of attributes i and j, in any order. */
heft_status heft_tables_pair(heft_ctx *ctx, heft_terms *sum, size_t i, size_t j,
                             heft_cell_value *value, const void *own);
