/* figure.h - the diagram of critical differences (Demsar 2006). */
#pragma once

#include "eval/results.h"

/* Draw the diagram as SVG, or as a tikzpicture for LaTeX. EINVAL if there are not at least two
 * methods and two data sets. */
heft_status heft_results_figure(heft_ctx *ctx, const heft_results *results, bool tikz,
                                heft_buf *buf);
