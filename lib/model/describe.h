/* describe.h - a model's settings and history as JSON objects: the same words in the model file, in
 * `inspect` and in Python. */
#pragma once

#include "base/put.h"
#include "model/model.h"

/* The preparation in the words of the command line. */
typedef struct heft_prep_words {
    char        discretize[48];
    const char *impute, *scale, *unseen;
} heft_prep_words;

void heft_describe_words(const heft_prep_spec *spec, heft_prep_words *out);

/* Each writes one JSON object. */
void heft_describe_params(heft_buf *buf, const heft_model *model); /* numbers as numbers */
void heft_describe_prep(heft_buf *buf, const heft_model *model);
/* Rows and seconds; null for what only an iterative fit has. */
void heft_describe_training(heft_buf *buf, const heft_model *model);
void heft_describe_facts(heft_buf *buf, const heft_model *model);
/* The names of the classes, as a JSON array. */
void heft_describe_classes(heft_buf *buf, const heft_prep *prep);
