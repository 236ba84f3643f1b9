/* contributions.h - what each attribute adds to the boosted scores of rows.
 *
 * The contribution of attribute j to the score of a row is the score less its mean over the values
 * of j, with all other cells as they are. That is the sum of all terms of tree_effects.h that have
 * j, whatever their number of attributes. A leaf with value v adds
 *
 *   v ([x_j in B_j] - q_j) prod_{i != j} [x_i in B_i]
 *
 * (B: the codes of the leaf, q_j: the fraction of rows whose code is in B_j), so that only leaves
 * that the row is in, or would be in with another x_j, have to be looked at. */
#pragma once

#include "boost/boost.h"

/* out[n x n_attr x n_class] += the contributions to the scores of the rows `asked`, by attribute
 * and class of the sample. The means are over the rows `all`. */
heft_status heft_boosted_contributions(heft_ctx *ctx, const heft_boosted *boosted,
                                       const heft_sample *all, const heft_sample *asked,
                                       double *out);
/* (*out)[attribute of the bins][n_codes x columns of the trees], in scratch memory: what each code
 * says by itself in the trees, the terms of one attribute of tree_effects.h. */
heft_status heft_boosted_mains(heft_ctx *ctx, const heft_boosted *boosted, const heft_sample *all,
                               double ***out);
