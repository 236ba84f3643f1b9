/* raw_cuts.h - cut points in the units of the data, for formats that should not repeat the scaling
 * before each comparison. */
#pragma once

#include "prep/prep.h"

/* The largest finite number of the data whose scaled value is at most `cut`: x <= the result
 * exactly where the scaled x <= cut. -INFINITY: there is none. Not for rows scaled to length 1. */
double heft_raw_cut(const heft_attr_prep *a, double cut);
