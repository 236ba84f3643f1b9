/* describe.c - a model's settings and history as JSON objects. */
#include "model/describe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Writes the name of member n of an object, with the brace or comma before it. */
static void member(heft_buf *buf, size_t n, const char *name)
{
    heft_buf_text(buf, n ? ", " : "{");
    heft_buf_json(buf, name);
    heft_buf_text(buf, ": ");
}

static void word(heft_buf *buf, size_t n, const char *name, const char *text)
{
    member(buf, n, name);
    heft_buf_json(buf, text);
}

static void number(heft_buf *buf, size_t n, const char *name, double x)
{
    member(buf, n, name);
    heft_buf_json_number(buf, x);
}

void heft_describe_params(heft_buf *buf, const heft_model *model)
{
    for (size_t k = 0; k < model->n_params; k++) {
        const char *text = model->param_values[k];
        double      x;
        if (heft_parse_double(text, text + strlen(text), &x) == HEFT_NUM_OK)
            number(buf, k, model->param_names[k], x);
        else word(buf, k, model->param_names[k], text);
    }
    heft_buf_text(buf, model->n_params ? "}" : "{}");
}

void heft_describe_prep(heft_buf *buf, const heft_model *model)
{
    heft_prep_words words;
    heft_prep_describe(&model->prep.spec, &words);
    word(buf, 0, "impute", words.impute);
    word(buf, 1, "discretize", words.discretize);
    word(buf, 2, "scale", words.scale);
    member(buf, 3, "smoothing");
    if (model->method->caps & HEFT_SMOOTHS) heft_buf_text(buf, "null");
    else heft_buf_json(buf, model->set.smoothing);
    word(buf, 4, "prior", model->set.prior);
    word(buf, 5, "unseen", words.unseen);
    word(buf, 6, "calibrate", heft_calibration_word(model->calibration.kind));
    member(buf, 7, "sparse");
    heft_buf_text(buf, model->prep.sparse ? "true" : "false");
    if (model->set.class_weight) word(buf, 8, "class_weight", model->set.class_weight);
    if (model->prep.missing && *model->prep.missing) word(buf, 9, "missing", model->prep.missing);
    heft_buf_text(buf, "}");
}

void heft_describe_training(heft_buf *buf, const heft_model *model)
{
    const heft_training *t = &model->fitted.training;
    number(buf, 0, "rows", t->rows);
    number(buf, 1, "iterations", t->iterative ? (double)t->iterations : NAN);
    number(buf, 2, "evaluations", t->iterative ? (double)t->evaluations : NAN);
    number(buf, 3, "objective_initial", t->iterative ? t->objective_initial : NAN);
    number(buf, 4, "objective_final", t->iterative ? t->objective_final : NAN);
    member(buf, 5, "converged");
    heft_buf_text(buf, !t->iterative ? "null" : t->converged ? "true" : "false");
    member(buf, 6, "stopped_by");
    if (t->iterative && t->stopped_by) heft_buf_json(buf, t->stopped_by);
    else heft_buf_text(buf, "null");
    number(buf, 7, "seconds", t->seconds);
    heft_buf_text(buf, "}");
}

void heft_describe_facts(heft_buf *buf, const heft_model *model)
{
    const heft_training *t = &model->fitted.training;
    for (size_t k = 0; k < t->n_facts; k++) {
        if (t->facts[k].text) word(buf, k, t->facts[k].name, t->facts[k].text);
        else number(buf, k, t->facts[k].name, t->facts[k].number);
    }
    heft_buf_text(buf, t->n_facts ? "}" : "{}");
}

void heft_describe_classes(heft_buf *buf, const heft_prep *prep)
{
    heft_buf_text(buf, "[");
    for (uint32_t c = 0; c < heft_dict_size(prep->classes); c++) {
        if (c) heft_buf_text(buf, ", ");
        heft_buf_json(buf, heft_dict_text(prep->classes, c));
    }
    heft_buf_text(buf, "]");
}
