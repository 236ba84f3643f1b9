/* describe.h - a model's settings and history as JSON objects: the same words in the model file, in
 * `inspect` and in Python. */
#pragma once

#include "base/put.h"
#include "model/model.h"

/* Each writes one JSON object. */
void heft_describe_params(heft_buf *buf, const heft_model *model); /* numbers are not quoted */
void heft_describe_prep(heft_buf *buf, const heft_model *model);
/* Writes rows, seconds and the figures of an iterative fit, which are null for other fits. */
void heft_describe_training(heft_buf *buf, const heft_model *model);
void heft_describe_facts(heft_buf *buf, const heft_model *model);
/* Writes the names of the classes as a JSON array. */
void heft_describe_classes(heft_buf *buf, const heft_prep *prep);
