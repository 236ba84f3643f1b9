/* density.h - numeric densities other than the plain normal: Weka's rounded normal, and the kernel
 * estimate. */
#pragma once

#include "model/likelihood.h"

/* Fill liks[j] of every numeric attribute by `kind` (ROUNDED or KERNEL). The values are taken from
 * `known` (NULL: nothing) where it has them. */
heft_status heft_densities(heft_ctx *ctx, const heft_rows *rows, const heft_suffstats *known,
                           heft_lik_kind kind, heft_arena *arena, heft_lik *liks);
/* out[c] = log P(x | c), finite; x is not NaN. */
void heft_density_at(const heft_lik *lik, size_t n_class, double x, double *out);
