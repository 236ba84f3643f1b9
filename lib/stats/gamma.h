/* gamma.h - log Gamma with the same bits on every machine. */
#ifndef HEFT_STATS_GAMMA_H
#define HEFT_STATS_GAMMA_H

/* log Gamma(x), x > 0; relative error below 1e-15 away from 1 and 2. */
double heft_log_gamma(double x);

#endif
