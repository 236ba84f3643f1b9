/* figure.h - the diagram of critical differences. */
#pragma once

#include "eval/results.h"

/* As SVG, or as a tikzpicture for LaTeX. EINVAL without two methods and two data sets. */
heft_status heft_results_figure(heft_ctx *ctx, const heft_results *results, bool tikz,
                                heft_buf *buf);
