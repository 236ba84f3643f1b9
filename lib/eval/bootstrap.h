/* bootstrap.h - how far measures would vary with other test rows: the rows are drawn again, with
 * replacement, as many of each class as there are. */
#pragma once

#include "eval/measures.h"

enum {
    HEFT_DRAWS = 2000,
    HEFT_N_DRAWN = HEFT_N_MEASURES + 1 /* the accuracy, then the measures */
};

/* draws[HEFT_DRAWS x HEFT_N_DRAWN]. Which rows are drawn depends on the seed and on the classes of
 * all n rows, y[n]; of them only those that count in `rows` are measured. */
heft_status heft_bootstrap(heft_ctx *ctx, const heft_outcomes *rows, const uint16_t *y,
                           double *draws);
/* The name of drawn figure k: "accuracy", then those of the measures. */
const char *heft_drawn_name(size_t k);
/* The alpha/2 and 1 - alpha/2 quantiles of n numbers, which are sorted; those that are NAN are left
 * out, and NAN is returned where there is no other. */
void heft_percentiles(double *v, size_t n, double alpha, double *low, double *high);
