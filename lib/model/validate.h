/* validate.h - is a model sound? */
#ifndef HEFT_MODEL_VALIDATE_H
#define HEFT_MODEL_VALIDATE_H

#include "model/model.h"

/* NULL, or what is wrong with the values of a model, written to `out`. Sizes are taken as the
 * structs say them: a reader has seen to it that the arrays are that long. A model without a fault
 * scores every row without reading out of bounds and without a NaN. */
const char *heft_model_fault(const heft_model *model, char *out, size_t size);

/* Codes of attribute j after preparation; 0 and *coded = false for a number. */
size_t heft_prep_codes(const heft_attr_prep *attr, bool *coded);

#endif
