/* recode.h - rows in which every attribute is coded, for measures that know codes only. */
#pragma once

#include "prep/prep.h"

/* A view of `rows`: coded attributes are shared, numbers are cut by `how`, which is never
 * HEFT_CUT_NONE. In sparse rows numbers become presence instead: code 0 for a zero, 1 for anything
 * else. Memory from `arena`, which may be ctx->scratch; `rows` must outlive the view. The class of
 * every row must be known. Cost: O(n log n) per numeric attribute; O(entries) for sparse rows. */
heft_status heft_coded_rows(heft_ctx *ctx, const heft_rows *rows, const heft_binning *how,
                            heft_arena *arena, heft_rows *out);
