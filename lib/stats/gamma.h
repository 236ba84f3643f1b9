/* gamma.h - log Gamma with the same bits on every machine. */
#pragma once

/* log Gamma(x), x > 0; relative error below 1e-15 away from 1 and 2. */
double heft_log_gamma(double x);
