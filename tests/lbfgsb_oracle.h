/* lbfgsb_oracle.h - L-BFGS-B of liblbfgsb, the Fortran code of its authors, with the interface and
 * the stopping rules of heft_lbfgsb. A test compares the two where the library is installed. */
#pragma once

#include "optim/optim.h"

bool oracle_is_here(void);
/* As heft_lbfgsb, without a trace. Where there is no liblbfgsb it fails with EUNSUPPORTED. */
heft_status oracle_lbfgsb(heft_ctx *ctx, const heft_problem *problem, const heft_stop *stop,
                          double *x, heft_minimum *out);
