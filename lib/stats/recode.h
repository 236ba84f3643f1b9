/* recode.h - a view of rows in which every attribute is coded, for measures defined on codes. */
#pragma once

#include "prep/prep.h"

/* Makes a view of `rows`. Coded attributes are not copied; numeric ones are cut into intervals by
 * `how`, which must not be HEFT_CUT_NONE. In sparse rows a number becomes code 0 if it is zero and
 * 1 otherwise. Memory is from `arena`, which may be ctx->scratch; `rows` must outlive the view. The
 * class of
 * every row must be known. Cost: O(n log n) per numeric attribute; O(entries) for sparse rows. */
heft_status heft_coded_rows(heft_ctx *ctx, const heft_rows *rows, const heft_binning *how,
                            heft_arena *arena, heft_rows *out);
