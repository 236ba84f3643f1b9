/* model_state.h - the tables of what every model file holds; a method adds its own (method.h). */
#pragma once

#include "model/state.h"

/* Of heft_model, with the private state of its method. A model without a fault scores every row
 * without reading out of bounds and without a NaN. */
extern const heft_state heft_model_state;
