/* describe.h - a model's settings and history as JSON objects: the same words in the model file, in
 * `inspect` and in Python. */
#pragma once

#include "base/put.h"
#include "model/model.h"

/* Each writes one JSON object. */
void heft_describe_params(heft_buf *buf, const heft_model *model); /* numbers as numbers */
void heft_describe_prep(heft_buf *buf, const heft_model *model);
/* Rows and seconds; null for what only an iterative fit has. */
void heft_describe_training(heft_buf *buf, const heft_model *model);
void heft_describe_facts(heft_buf *buf, const heft_model *model);
/* The names of the classes, as a JSON array. */
void heft_describe_classes(heft_buf *buf, const heft_prep *prep);
