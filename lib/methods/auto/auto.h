/* auto.h - the pooled score in a model of the default method, for explain and export. */
#ifndef HEFT_METHODS_AUTO_AUTO_H
#define HEFT_METHODS_AUTO_AUTO_H

#include "methods/auto/pooled.h"
#include "model/method.h"

/* The pooled score of a model of method auto; NULL for every other method. */
const heft_pooled *heft_pooled_of(const heft_method *method, const heft_fitted *fitted);

#endif
