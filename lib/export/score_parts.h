/* score_parts.h - parts of a score that the graph and the formats need: cut points in the units of
 * the data, normal densities, classes that are left out. */
#pragma once

#include <math.h>

#include "explain/terms.h"

#define HEFT_LOG_TWO_PI_HALF 0.91893853320467274178  /* log(2 pi) / 2 */
#define HEFT_LOG_OFF_POINT   (-23.02585092994045684) /* log 1e-10: a number off a point mass */

/* The largest finite number of the data whose scaled value is at most `cut`: x <= the result
 * exactly where the scaled x <= cut, so that a format need not repeat the scaling before each
 * comparison. -INFINITY: there is none. */
double heft_raw_cut(const heft_attr_prep *a, double cut);

/* Whether (x - shift) * factor can exceed the largest number; it does so above *hi, and below *lo
 * in the other direction. */
bool heft_scale_limits(double shift, double factor, double *lo, double *hi);

/* Numbers `step` apart, n of them, are whole multiples of 2^(the result), which is the largest such
 * power; all are below 2^*most in size. INT_MAX: all are 0. Tables of method auto have few bits. */
int heft_unit_power(const double *x, size_t n, size_t step, int *most);

/* log P(x | c) of a normal density, the weight included: constant - half ((x - mean) inverse)^2. A
 * point mass gives 0 at its mean, and `constant` off it. */
typedef struct heft_normal {
    bool   point;
    double constant, mean, inverse, half;
} heft_normal;
heft_normal heft_normal_of(const heft_terms *t, size_t j, size_t c);
/* The weight of attribute j in class c that is not folded into the numbers of its density. */
double heft_density_weight(const heft_terms *t, size_t j, size_t c);

/* Whether the probability of class c is 0, whatever the row. */
static inline bool heft_class_absent(const heft_terms *t, size_t c)
{
    return isinf(t->start[c]);
}

static inline bool heft_has_slope(const heft_term *term)
{
    return term->slope && term->sd > 0;
}
